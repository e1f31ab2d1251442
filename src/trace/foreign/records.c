/* records.c: see records.h.
 *
 * A record: a byte (kind, HAS_…), then numbers of variable length:
 *   text        length, the line with its newline
 *   wait        request
 *   waitall     how many, requests (each beside the one before)
 *   compute     volume as eight bytes
 *   init, finalize   nothing
 *   others      peer + 1, tag + 1, count, request + 1
 * HAS_…, before these: communicator; seconds, as eight bytes; flags. */
#include "records.h"

#include "foreign.h"
#include "trace/column/column.h"
#include "trace/text/scan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	RECORDS_ALL = 64 << 20, /* bytes in memory, of all ranks */
	SHARE_LEAST = 4 << 10,  /* of one */
	SHARE_MOST = 64 << 10,
	BEYOND = 8, /* bytes behind a line that its parser may read */
	NUMBER_MOST = 10
};
/* A record's first byte. */
enum { KIND = 15, HAS_COMM = 16, HAS_DURATION = 32, HAS_FLAGS = 64 };
static const uint8_t kinds[] = {0 /* text */, TRACE_ISEND,   TRACE_IRECV,   TRACE_SEND,
                                TRACE_RECV,   TRACE_WAIT,    TRACE_WAITALL, TRACE_COMPUTE,
                                TRACE_INIT,   TRACE_FINALIZE};
enum { TEXT, KINDS = sizeof kinds };

struct piece { /* of the file */
	uint64_t at;
	uint64_t n;
};
struct rank_records {
	const uint8_t *at, *end; /* of what is being read */
	uint64_t event;
	struct lists lists;
	struct str put;      /* and not in the file, nor staged */
	struct str now;      /* being read */
	struct piece *piece; /* what was put before */
	uint32_t n_pieces, cap, next;
	uint8_t cut; /* it ends before its program did, and nobody was told so */
};
struct records {
	const char *path;
	struct rank_records *rank;
	struct str stage; /* what was put last, of one rank: most readers put rank by rank */
	uint32_t staged;  /* whose that is */
	uint64_t n, size; /* events; bytes in the file */
	uint32_t ranks;
	size_t share;
	int fd; /* -1: nothing is in a file */
	uint8_t kind[TRACE_OPS];
};

struct records *records_new(uint32_t ranks, const char *path, struct err *err)
{
	struct records *r = calloc(1, sizeof *r);

	if (!r) {
		err_nomem(err, "a trace", sizeof *r);
		return NULL;
	}
	*r = (struct records){.path = path, .ranks = ranks, .fd = -1};
	r->share = RECORDS_ALL / ranks;
	r->share = r->share < SHARE_LEAST  ? SHARE_LEAST
	           : r->share > SHARE_MOST ? SHARE_MOST
	                                   : r->share;
	for (int i = TEXT + 1; i < KINDS; i++)
		r->kind[kinds[i]] = (uint8_t)i;
	r->rank = calloc(ranks, sizeof *r->rank);
	if (!r->rank) {
		err_nomem(err, "the ranks of a trace", ranks * sizeof *r->rank);
		records_free(r);
		return NULL;
	}
	return r;
}

static void rank_release(struct rank_records *k)
{
	str_release(&k->put);
	str_release(&k->now);
	lists_release(&k->lists);
	free(k->piece);
	k->piece = NULL;
	k->n_pieces = k->next = 0;
	k->at = k->end = NULL;
}

void records_free(struct records *r)
{
	if (!r)
		return;
	for (uint32_t i = 0; r->rank && i < r->ranks; i++)
		rank_release(&r->rank[i]);
	if (r->fd >= 0)
		close(r->fd);
	str_release(&r->stage);
	free(r->rank);
	free(r);
}

uint64_t records_count(const struct records *r)
{
	return r->n;
}

uint64_t records_place(const struct records *r, uint32_t rank)
{
	return r->rank[rank].event;
}

void records_cut(struct records *r, uint32_t rank)
{
	r->rank[rank].cut = 1;
}

int records_cut_take(struct records *r, uint32_t rank)
{
	int cut = r->rank[rank].cut;

	r->rank[rank].cut = 0;
	return cut;
}

/* --- putting --- */

static int is_request(int64_t req)
{
	return req >= 0 && req <= (int64_t)1 << 40;
}

static int envelope_is_plain(int receives, int32_t peer, int32_t tag, int64_t count, int64_t req,
                             uint32_t ranks)
{
	const int least = receives ? TRACE_ANY : 0;

	return peer >= least && peer < (int64_t)ranks && tag >= least && count >= 0 &&
	       count <= (int64_t)1 << 31 && (req == -1 || is_request(req));
}

/* Takes what the record of a message holds; 0: it cannot. */
static int message_take(struct trace_event *plain, const struct trace_event *ev, uint32_t ranks)
{
	const int receives = ev->op == TRACE_RECV || ev->op == TRACE_IRECV;

	plain->peer = ev->peer;
	plain->tag = ev->tag;
	plain->count = ev->count;
	plain->comm = ev->comm;
	plain->req = ev->req;
	plain->flags = ev->flags & (receives ? TRACE_WILD_SOURCE | TRACE_WILD_TAG : 0);
	return envelope_is_plain(receives, ev->peer, ev->tag, ev->count, ev->req, ranks);
}

static int requests_are_plain(const struct trace_event *ev)
{
	for (int64_t i = 0; i < ev->n_reqs; i++)
		if (!is_request(ev->reqs[i]))
			return 0;
	return ev->n_reqs > 0;
}

/* Has the event nothing but what the record of its kind holds, and that such that its line would
 * be taken as it is? */
static int is_plain(const struct records *r, const struct trace_event *ev)
{
	struct trace_event plain;

	if (r->kind[ev->op] == TEXT || !(ev->duration >= 0 || ev->duration == -1))
		return 0;
	foreign_event(&plain, (enum trace_op)ev->op);
	plain.duration = ev->duration;
	switch (ev->op) {
	case TRACE_INIT:
	case TRACE_FINALIZE:
		break;
	case TRACE_COMPUTE:
		plain.volume = ev->volume;
		if (!(ev->volume >= 0))
			return 0;
		break;
	case TRACE_WAIT:
		plain.req = ev->req;
		if (!is_request(ev->req))
			return 0;
		break;
	case TRACE_WAITALL:
		plain.reqs = ev->reqs;
		plain.n_reqs = ev->n_reqs;
		if (!requests_are_plain(ev))
			return 0;
		break;
	default:
		if (!message_take(&plain, ev, r->ranks))
			return 0;
		break;
	}
	return memcmp((const void *)&plain, (const void *)ev, sizeof plain) == 0; /* no padding */
}

static uint8_t *number_put(uint8_t *p, uint64_t v)
{
	for (; v > 0x7f; v >>= 7)
		*p++ = (uint8_t)(v | 0x80);
	*p++ = (uint8_t)v;
	return p;
}

static uint8_t *double_put(uint8_t *p, double v)
{
	memcpy(p, &v, sizeof v);
	return p + sizeof v;
}

static void requests_put(struct str *s, const struct trace_event *ev)
{
	int64_t before = 0;

	varint_put(s, (uint64_t)ev->n_reqs);
	for (int64_t i = 0; i < ev->n_reqs; i++) {
		zigzag_put(s, (int64_t)((uint64_t)ev->reqs[i] - (uint64_t)before));
		before = ev->reqs[i];
	}
}

static uint8_t *envelope_put(uint8_t *p, int32_t peer, int32_t tag, int64_t count, int64_t req)
{
	p = number_put(p, (uint64_t)((int64_t)peer + 1));
	p = number_put(p, (uint64_t)((int64_t)tag + 1));
	p = number_put(p, (uint64_t)count);
	return number_put(p, (uint64_t)req + 1);
}

static void plain_put(struct str *s, uint8_t kind, const struct trace_event *ev)
{
	enum { MOST = 1 + 6 * NUMBER_MOST + 8 };
	uint8_t buf[MOST], *p = buf;

	*p++ = (uint8_t)(kind | (ev->comm ? HAS_COMM : 0) | (ev->flags ? HAS_FLAGS : 0) |
	                 (ev->duration >= 0 ? HAS_DURATION : 0));
	if (ev->comm)
		p = number_put(p, ev->comm);
	if (ev->duration >= 0)
		p = double_put(p, ev->duration);
	if (ev->flags)
		p = number_put(p, ev->flags);
	switch (ev->op) {
	case TRACE_WAIT:
		p = number_put(p, (uint64_t)ev->req);
		break;
	case TRACE_INIT:
	case TRACE_FINALIZE:
	case TRACE_WAITALL:
		break;
	case TRACE_COMPUTE:
		p = double_put(p, ev->volume);
		break;
	default:
		p = envelope_put(p, ev->peer, ev->tag, ev->count, ev->req);
		break;
	}
	str_putn(s, (const char *)buf, (size_t)(p - buf));
	if (ev->op == TRACE_WAITALL)
		requests_put(s, ev);
}

/* The line, behind its length, which has a place of five bytes: seven bits each, as ever. */
static void text_put(struct str *s, uint32_t rank, const struct trace_event *ev)
{
	enum { LENGTH = 5 };
	const char room[1 + LENGTH] = {TEXT};
	size_t from, n;

	str_putn(s, room, sizeof room);
	from = s->n;
	trace_event_format(s, rank, ev);
	if (s->failed)
		return;
	n = s->n - from;
	BUG_ON(n >> 7 * LENGTH); /* 32 GiB, of an event in memory */
	for (size_t i = 0; i < LENGTH; i++)
		s->s[from - LENGTH + i] = (char)((n >> 7 * i & 0x7f) | (i + 1 < LENGTH ? 0x80 : 0));
}

static int piece_write(struct records *r, struct rank_records *k, struct err *err)
{
	struct piece *all = vec_grow(k->piece, &k->cap, sizeof *all, (size_t)k->n_pieces + 1,
	                             "the pieces of a trace", err);
	size_t done = 0;

	if (!all)
		return -1;
	k->piece = all;
	if (r->fd < 0 && (r->fd = temporary_open(err)) < 0)
		return -1;
	while (done < k->put.n) {
		ssize_t n = write(r->fd, k->put.s + done, k->put.n - done);

		if (n < 0 && errno != EINTR)
			return err_sys(err, errno,
			               "%s: cannot write its translation to a temporary file "
			               "(TMPDIR)",
			               r->path);
		done += n < 0 ? 0 : (size_t)n;
	}
	all[k->n_pieces++] = (struct piece){.at = r->size, .n = k->put.n};
	r->size += k->put.n;
	str_clear(&k->put);
	return 0;
}

/* What is staged goes to its rank, in a block that has room for what a parser may look at beyond.
 */
static int stage_put(struct records *r, struct err *err)
{
	struct rank_records *k = &r->rank[r->staged];
	size_t n = r->stage.n;

	if (n == 0)
		return 0;
	if (!k->put.s) {
		k->put.s = malloc(n + BEYOND + 1);
		if (!k->put.s)
			return err_nomem(err, "a trace", n);
		k->put.cap = n + BEYOND + 1;
	}
	str_putn(&k->put, r->stage.s, n);
	if (k->put.failed)
		return err_nomem(err, "a trace", k->put.cap);
	str_clear(&r->stage);
	return 0;
}

/* Where the records of a rank are put; NULL with *err set. */
static struct str *stage_of(struct records *r, uint32_t rank, struct err *err)
{
	if (r->staged != rank) {
		if (stage_put(r, err) < 0)
			return NULL;
		r->staged = rank;
	}
	return &r->stage;
}

static int put_end(struct records *r, struct err *err)
{
	struct rank_records *k = &r->rank[r->staged];

	r->n++;
	if (r->stage.failed)
		return err_nomem(err, "a trace", r->stage.cap);
	if (k->put.n + r->stage.n < r->share)
		return 0;
	return stage_put(r, err) < 0 ? -1 : piece_write(r, k, err);
}

int records_put(struct records *r, uint32_t rank, const struct trace_event *ev, struct err *err)
{
	struct str *s = stage_of(r, rank, err);

	if (!s)
		return -1;
	if (is_plain(r, ev))
		plain_put(s, r->kind[ev->op], ev);
	else
		text_put(s, rank, ev);
	return put_end(r, err);
}

int records_put_message(struct records *r, uint32_t rank, enum trace_op op, int32_t peer,
                        int32_t tag, int64_t bytes, int64_t req, struct err *err)
{
	enum { MOST = 1 + 4 * NUMBER_MOST };
	uint8_t buf[MOST], *p = buf;
	struct str *s;

	if (!envelope_is_plain(op == TRACE_IRECV, peer, tag, bytes, req, r->ranks)) {
		struct trace_event ev;

		foreign_event(&ev, op);
		ev.peer = peer;
		ev.tag = tag;
		ev.count = bytes;
		ev.req = req;
		return records_put(r, rank, &ev, err);
	}
	*p++ = r->kind[op];
	p = envelope_put(p, peer, tag, bytes, req);
	s = stage_of(r, rank, err);
	if (!s)
		return -1;
	str_putn(s, (const char *)buf, (size_t)(p - buf));
	return put_end(r, err);
}

int records_put_wait(struct records *r, uint32_t rank, uint32_t req, struct err *err)
{
	struct str *s = stage_of(r, rank, err);
	uint8_t buf[1 + NUMBER_MOST], *p = buf;

	if (!s)
		return -1;
	*p++ = r->kind[TRACE_WAIT];
	p = number_put(p, req);
	str_putn(s, (const char *)buf, (size_t)(p - buf));
	return put_end(r, err);
}

/* --- reading --- */

static int piece_read(struct records *r, struct rank_records *k, struct err *err)
{
	const struct piece *p = &k->piece[k->next++];
	size_t done = 0;

	if (k->now.cap < p->n + BEYOND) {
		str_release(&k->now);
		k->now.s = calloc(1, p->n + BEYOND);
		if (!k->now.s)
			return err_nomem(err, "a trace", p->n);
		k->now.cap = p->n + BEYOND;
	}
	while (done < p->n) {
		ssize_t n = pread(r->fd, k->now.s + done, p->n - done, (off_t)(p->at + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return err_sys(err, n < 0 ? errno : EIO, "%s: its translation (TMPDIR)",
			               r->path);
		done += (size_t)n;
	}
	k->now.n = p->n;
	return 1;
}

/* What was put last is read where it is. A parser may look a little beyond the end of a line. */
static int put_read(struct rank_records *k, struct err *err)
{
	static const char beyond[BEYOND];

	str_putn(&k->put, beyond, sizeof beyond);
	if (k->put.failed)
		return err_nomem(err, "a trace", k->put.cap);
	k->put.n -= sizeof beyond;
	str_release(&k->now);
	k->now = k->put;
	str_init(&k->put);
	return 1;
}

/* More of a rank's records: 1, 0 at its end, -1. */
static int more_read(struct records *r, struct rank_records *k, struct err *err)
{
	int got = 0;

	if (stage_put(r, err) < 0)
		return -1;
	if (k->next < k->n_pieces)
		got = piece_read(r, k, err);
	else if (k->put.n > 0)
		got = put_read(k, err);
	else
		rank_release(k);
	if (got > 0) {
		k->at = (const uint8_t *)k->now.s;
		k->end = k->at + k->now.n;
	}
	return got;
}

static uint64_t number_take(const uint8_t **p)
{
	uint64_t v = **p & 0x7f;

	for (unsigned shift = 7; *(*p)++ & 0x80; shift += 7)
		v |= (uint64_t)(**p & 0x7f) << shift;
	return v;
}

static double double_take(const uint8_t **p)
{
	double v;

	memcpy(&v, *p, sizeof v);
	*p += sizeof v;
	return v;
}

static int requests_take(struct rank_records *k, const uint8_t **p, struct trace_event *ev,
                         struct err *err)
{
	uint64_t n = number_take(p), req = 0;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t z = number_take(p);

		req += z >> 1 ^ (0 - (z & 1));
		if (lists_push(&k->lists, (int64_t)req, err) < 0)
			return -1;
	}
	ev->n_reqs = (int64_t)n;
	ev->reqs = k->lists.items;
	return 0;
}

static int plain_take(struct rank_records *k, const uint8_t **p, struct trace_event *ev,
                      struct err *err)
{
	uint8_t head = *(*p)++;

	trace_event_init(ev, (enum trace_op)kinds[head & KIND]);
	if (head & HAS_COMM)
		ev->comm = number_take(p);
	if (head & HAS_DURATION)
		ev->duration = double_take(p);
	if (head & HAS_FLAGS)
		ev->flags = (uint16_t)number_take(p);
	switch (ev->op) {
	case TRACE_WAIT:
		ev->req = (int64_t)number_take(p);
		break;
	case TRACE_WAITALL:
		if (requests_take(k, p, ev, err) < 0)
			return -1;
		break;
	case TRACE_INIT:
	case TRACE_FINALIZE:
		break;
	case TRACE_COMPUTE:
		ev->volume = double_take(p);
		break;
	default:
		ev->type = TYPE_BYTE;
		ev->type_size = 1;
		ev->peer = (int32_t)number_take(p) - 1;
		ev->tag = (int32_t)((int64_t)number_take(p) - 1);
		ev->count = (int64_t)number_take(p);
		ev->req = (int64_t)(number_take(p) - 1);
		break;
	}
	return 0;
}

static int text_take(struct records *r, struct rank_records *k, const struct grammar *grammar,
                     const uint8_t **p, struct trace_event *ev, struct err *err)
{
	struct parse ps = {.grammar = grammar, .lists = &k->lists, .err = err};
	const char *line;
	uint64_t n;

	(*p)++;
	n = number_take(p);
	line = (const char *)*p;
	*p += n;
	if (event_parse(&ps, token_end(blanks_skip(line)), ev))
		return 0;
	return !ps.at ? -1
	              : err_set(err, ERR_INPUT, "%s: rank %td, event %llu: %s", r->path,
	                        k - r->rank, (unsigned long long)k->event + 1, ps.text);
}

int records_next(struct records *r, uint32_t rank, const struct grammar *grammar,
                 struct trace_event *ev, struct err *err)
{
	struct rank_records *k = &r->rank[rank];
	const uint8_t *p;
	int got = 1;

	lists_clear(&k->lists);
	if (k->at == k->end)
		got = more_read(r, k, err);
	if (got <= 0)
		return got;
	p = k->at;
	got = (*p & KIND) == TEXT ? text_take(r, k, grammar, &p, ev, err)
	                          : plain_take(k, &p, ev, err);
	if (got < 0)
		return -1;
	k->at = p;
	ev->place = (int64_t)++k->event;
	return 1;
}

void records_soon(const struct records *r, uint32_t rank, uint32_t then)
{
	const struct rank_records *k = &r->rank[rank];

	if (then < r->ranks)
		__builtin_prefetch(&r->rank[then], 1);
	__builtin_prefetch(k->at ? (const void *)k->at : k->put.s);
}
