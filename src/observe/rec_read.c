/* rec_read.c: opening a recording and iterating over its records.
 *
 * Opening walks over the block headers (one small read per block) and unpacks only the blocks that
 * describe the run. What is missing at the end is told by recording_notice and is no error; what is
 * wrong in the middle is an error of recording_next, which names the byte.
 *
 * Invariants
 *  1. A record that is handed out is valid: rank, partner and call exist, dates are finite and in
 *     order, calls of a rank do not overlap and come in order. Users need not check.
 *  2. At most one block is in memory, whatever the size of the file. */
#include "rec_int.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct recording {
	int fd;
	char *path;
	uint64_t size;
	struct arena arena; /* texts of info, names of hosts */
	struct run_info info;
	uint8_t described, has_calls, complete;
	enum mp_call calls[CALL_CALLS]; /* number in the file -> ours */
	uint32_t n_calls;
	const char **hosts;
	uint32_t n_hosts, hosts_cap;
	struct recording_totals totals;
	struct str notice;
	uint64_t first, end;   /* first byte after the file header; after the last whole block */
	uint64_t at, block_at; /* next block; the block in memory */
	struct rec_block block;
	uint8_t *stored, *raw; /* grown to the largest block seen */
	uint32_t stored_cap, raw_cap;
	void *records;        /* decoded states, messages or numbers of communicators */
	uint32_t records_cap; /* bytes */
	double *last; /* per rank: date at which its latest call ended; made when first needed */
	uint32_t next, numbers; /* next record; of a COMM block: next number */
};

void recording_close(struct recording *r)
{
	if (!r)
		return;
	if (r->fd >= 0)
		close(r->fd);
	free(r->path);
	arena_release(&r->arena);
	free(r->hosts);
	str_release(&r->notice);
	free(r->stored);
	free(r->raw);
	free(r->records);
	free(r->last);
	free(r);
}

/* n bytes at an offset: 1, 0 when the file ends before, -1 on error. */
static int read_at(struct recording *r, uint64_t offset, void *out, size_t n, struct err *err)
{
	uint8_t *to = out;
	ssize_t got;

	while (n > 0) {
		got = pread(r->fd, to, n, (off_t)offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_sys(err, errno, "reading %s", r->path);
		if (got == 0)
			return 0;
		to += got;
		offset += (uint64_t)got;
		n -= (size_t)got;
	}
	return 1;
}

static int damaged(const struct recording *r, const char *what, struct err *err)
{
	return err_set(err, ERR_INPUT,
	               "%s: the block at byte %llu is damaged (%s): record the run again", r->path,
	               (unsigned long long)r->block_at, what);
}

static int grow(uint8_t **p, uint32_t *cap, size_t need, struct err *err)
{
	uint8_t *moved = vec_grow(*p, cap, 1, need ? need : 1, "bytes of a block", err);

	if (!moved)
		return -1;
	*p = moved;
	return 0;
}

static int unpack(struct recording *r, struct err *err)
{
	int got;

	if (grow(&r->raw, &r->raw_cap, r->block.raw, err) < 0)
		return -1;
	if (r->block.packing == PACKED_NOT) {
		memcpy(r->raw, r->stored, r->block.raw);
		return 0;
	}
	got = rec_unpack((enum rec_packing)r->block.packing, r->stored, r->block.stored, r->raw,
	                 r->block.raw);
	if (got == UNPACK_NOMEM)
		return err_nomem(err, "unpacking a block", r->block.raw);
	if (got > 0)
		return err_set(err, ERR_LIMIT,
		               "%s is packed with zstd, which this program was built without "
		               "(Debian: libzstd-dev, and build again)",
		               r->path);
	return got < 0 ? damaged(r, "it does not unpack", err) : 0;
}

/* Reads the payload of r->block, at r->block_at, into r->raw. */
static int load(struct recording *r, struct err *err)
{
	int got;

	if (grow(&r->stored, &r->stored_cap, r->block.stored, err) < 0)
		return -1;
	got = read_at(r, r->block_at + REC_BLOCK_HEADER, r->stored, r->block.stored, err);
	if (got < 0)
		return -1;
	if (got == 0)
		return damaged(r, "the file became shorter", err);
	if (rec_checksum(r->stored, r->block.stored) != r->block.checksum)
		return damaged(r, "checksum", err);
	return unpack(r, err);
}

/* The next NUL-terminated text of r->raw from *at on, or NULL. */
static const char *next_text(const struct recording *r, uint32_t *at)
{
	const char *s = (const char *)r->raw + *at;
	const char *end = *at < r->block.raw ? memchr(s, '\0', r->block.raw - *at) : NULL;

	if (!end)
		return NULL;
	*at += (uint32_t)(end - s) + 1;
	return s;
}

static int info_pair(struct recording *r, const char *key, const char *value, struct err *err)
{
	int64_t ranks;
	int i;

	if (!strcmp(key, "ranks")) {
		if (num_parse_i64(value, strlen(value), &ranks) < 0 || ranks < 0 ||
		    ranks > REC_RANKS_MAX)
			return damaged(r, "number of ranks", err);
		r->info.ranks = (uint32_t)ranks;
		return 0;
	}
	for (i = 0; i < REC_TEXTS; i++) {
		if (strcmp(key, rec_text_keys[i]) != 0)
			continue;
		value = arena_strndup(&r->arena, value, strlen(value), err);
		if (!value)
			return -1;
		*rec_text(&r->info, i) = value;
	}
	return 0;
}

static int take_info(struct recording *r, struct err *err)
{
	const char *key, *value;
	uint32_t at = 0;

	while (at < r->block.raw) {
		key = next_text(r, &at);
		value = key ? next_text(r, &at) : NULL;
		if (!value)
			return damaged(r, "texts", err);
		if (info_pair(r, key, value, err) < 0)
			return -1;
	}
	r->described = 1;
	return 0;
}

static int take_calls(struct recording *r, struct err *err)
{
	const char *name;
	uint32_t at = 0;
	int c;

	r->n_calls = 0;
	while (at < r->block.raw) {
		name = next_text(r, &at);
		if (!name || r->n_calls == CALL_CALLS)
			return damaged(r, "names of calls", err);
		for (c = 0; c < CALL_CALLS && strcmp(mp_call_name((enum mp_call)c), name) != 0; c++)
			;
		if (c == CALL_CALLS)
			return err_set(err, ERR_INPUT,
			               "%s has calls named %s, which this program does not know: a "
			               "newer orrery made it",
			               r->path, name);
		r->calls[r->n_calls++] = (enum mp_call)c;
	}
	r->has_calls = 1;
	return 0;
}

static int take_hosts(struct recording *r, struct err *err)
{
	const char *name, **moved;
	uint32_t at = 0;

	while (at < r->block.raw) {
		name = next_text(r, &at);
		if (!name || r->n_hosts == r->info.ranks)
			return damaged(r, "names of hosts", err);
		name = arena_strndup(&r->arena, name, strlen(name), err);
		moved = name ? vec_grow(r->hosts, &r->hosts_cap, sizeof *r->hosts, r->n_hosts + 1u,
		                        "hosts", err)
		             : NULL;
		if (!moved)
			return -1;
		r->hosts = moved;
		r->hosts[r->n_hosts++] = name;
	}
	return 0;
}

static int take_done(struct recording *r, struct err *err)
{
	double makespan;

	if (r->block.raw != 32)
		return damaged(r, "size of the end mark", err);
	makespan = rec_get_double(r->raw + 24);
	if (rec_get64(r->raw) != r->totals.states || rec_get64(r->raw + 8) != r->totals.messages ||
	    rec_get64(r->raw + 16) != r->totals.comms || !isfinite(makespan) ||
	    makespan < r->totals.makespan)
		return damaged(r, "the end mark does not agree with what is before it", err);
	r->totals.makespan = makespan;
	r->complete = 1;
	return 0;
}

/* What opening wants of a block. */
static int take_block(struct recording *r, struct err *err)
{
	const struct rec_block *b = &r->block;

	if (b->kind == BLOCK_STATE || b->kind == BLOCK_MESSAGE || b->kind == BLOCK_COMM) {
		*(b->kind == BLOCK_STATE     ? &r->totals.states
		  : b->kind == BLOCK_MESSAGE ? &r->totals.messages
		                             : &r->totals.comms) += b->records;
		r->totals.makespan = b->last > r->totals.makespan ? b->last : r->totals.makespan;
		return 0;
	}
	if (b->kind != BLOCK_INFO && b->kind != BLOCK_CALL && b->kind != BLOCK_HOST &&
	    b->kind != BLOCK_DONE)
		return 0; /* a kind of a later version: not needed to understand the others */
	if (load(r, err) < 0)
		return -1;
	return b->kind == BLOCK_INFO   ? take_info(r, err)
	       : b->kind == BLOCK_CALL ? take_calls(r, err)
	       : b->kind == BLOCK_HOST ? take_hosts(r, err)
	                               : take_done(r, err);
}

/* Header of the block at r->at: 1 with r->at after the block, 0 when no whole block is there, -1 on
 * error. */
static int next_block(struct recording *r, struct err *err)
{
	uint8_t h[REC_BLOCK_HEADER];
	int got = read_at(r, r->at, h, sizeof h, err);

	if (got <= 0)
		return got;
	if (rec_block_parse(h, &r->block) < 0 ||
	    r->block.stored > r->size - r->at - REC_BLOCK_HEADER)
		return 0;
	r->block_at = r->at;
	r->at += REC_BLOCK_HEADER + r->block.stored;
	return 1;
}

static void word_notice(struct recording *r)
{
	char date[32];

	fmt_seconds(date, sizeof date, r->totals.makespan);
	str_printf(&r->notice,
	           "%s is not complete: after byte %llu it is cut or damaged (was the run killed, "
	           "or the disk full?). What is before can be read: %llu calls and %llu messages, "
	           "up to %s",
	           r->path, (unsigned long long)r->end, (unsigned long long)r->totals.states,
	           (unsigned long long)r->totals.messages, date);
}

static int scan(struct recording *r, struct err *err)
{
	int got = 1;

	r->at = r->first;
	while (!r->complete && (got = next_block(r, err)) > 0)
		if (take_block(r, err) < 0)
			return -1;
	if (got < 0)
		return -1;
	r->end = r->at;
	if (r->n_hosts > r->info.ranks)
		r->n_hosts = r->info.ranks; /* of places that no rank took */
	if (!r->described || !r->has_calls)
		return err_set(err, ERR_INPUT,
		               "%s is a recording, but is cut before it says what was run: nothing "
		               "can be read from it",
		               r->path);
	if (!r->complete)
		word_notice(r);
	return r->notice.failed ? err_nomem(err, "a notice", 256) : 0;
}

static int check_header(struct recording *r, struct err *err)
{
	uint8_t h[REC_HEADER];
	int got = read_at(r, 0, h, sizeof h, err);

	if (got < 0)
		return -1;
	if (got == 0 || memcmp(h, REC_MAGIC, 8) != 0)
		return err_set(err, ERR_INPUT,
		               "%s is not a recording of orrery: a file written by 'orrery replay "
		               "-o' (or run) is wanted",
		               r->path);
	if (rec_get32(h + 12) != REC_ORDER)
		return err_set(err, ERR_INPUT,
		               "%s is a recording whose bytes are in an order that orrery never "
		               "writes: it was altered",
		               r->path);
	if (rec_get32(h + 8) != REC_VERSION)
		return err_set(
		    err, ERR_INPUT,
		    "%s is a recording in version %u of the format; this program reads version %d",
		    r->path, (unsigned)rec_get32(h + 8), REC_VERSION);
	r->first = REC_HEADER;
	return 0;
}

static int open_file(struct recording *r, const char *path, struct err *err)
{
	struct stat st;

	r->path = strdup(path);
	if (!r->path)
		return err_nomem(err, "a recording", strlen(path));
	r->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe is refused below */
	if (r->fd < 0 || fstat(r->fd, &st) < 0)
		return err_sys(err, errno, "cannot open the recording %s", path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_INPUT,
		               "%s is no recording: a file written by 'orrery replay -o' is "
		               "wanted, no folder or pipe, for it is read more than once",
		               path);
	r->size = (uint64_t)st.st_size;
	return 0;
}

struct recording *recording_open(const char *path, struct err *err)
{
	struct recording *r = calloc(1, sizeof *r);
	int i;

	if (!r) {
		err_nomem(err, "a recording", sizeof *r);
		return NULL;
	}
	r->fd = -1;
	arena_init(&r->arena);
	str_init(&r->notice);
	for (i = 0; i < REC_TEXTS; i++)
		*rec_text(&r->info, i) = "";
	if (open_file(r, path, err) < 0 || check_header(r, err) < 0 || scan(r, err) < 0) {
		recording_close(r);
		return NULL;
	}
	recording_rewind(r);
	return r;
}

const struct run_info *recording_info(const struct recording *r)
{
	return &r->info;
}

const char *recording_host(const struct recording *r, uint32_t rank)
{
	return rank < r->n_hosts ? r->hosts[rank] : "";
}

void recording_totals(const struct recording *r, struct recording_totals *out)
{
	*out = r->totals;
}

const char *recording_notice(const struct recording *r)
{
	return r->notice.s ? r->notice.s : "";
}

void recording_rewind(struct recording *r)
{
	r->at = r->first;
	r->block = (struct rec_block){0};
	r->next = 0;
	free(r->last);
	r->last = NULL;
}

static int decode_columns(struct recording *r, const struct rec_table *t, struct err *err)
{
	uint8_t *records = r->records;
	int got;

	if (!r->last)
		r->last = calloc(r->info.ranks + 1u, sizeof *r->last);
	if (!r->last)
		return err_nomem(err, "dates of ranks", r->info.ranks * 8ull);
	if (r->block.raw / t->record != r->block.records || r->block.raw % t->record)
		return damaged(r, "number of records", err);
	got = grow(&records, &r->records_cap, (size_t)r->block.records * t->stride, err);
	r->records = records;
	if (got < 0)
		return -1;
	rec_columns_read(t, r->raw, r->block.records, records);
	return 0;
}

static int decode_numbers(struct recording *r, struct err *err)
{
	uint8_t *records = r->records;
	uint32_t i, *out;
	int got;

	if (r->block.raw % 4)
		return damaged(r, "size of the list of communicators", err);
	got = grow(&records, &r->records_cap, r->block.raw, err);
	r->records = records;
	if (got < 0)
		return -1;
	out = r->records;
	for (i = 0; i < r->block.raw / 4; i++)
		out[i] = rec_get32(r->raw + 4 * (size_t)i);
	r->numbers = 0;
	return 0;
}

/* Goes to the next block with records and decodes it: 1, 0 at the end, -1. */
static int advance(struct recording *r, struct err *err)
{
	int got;

	r->next = 0;
	do {
		r->block = (struct rec_block){0};
		if (r->at >= r->end)
			return 0;
		got = next_block(r, err);
		if (got < 0)
			return -1;
		if (got == 0) {
			r->block_at = r->at;
			return damaged(r, "the file changed", err);
		}
	} while (r->block.records == 0 ||
	         (r->block.kind != BLOCK_STATE && r->block.kind != BLOCK_MESSAGE &&
	          r->block.kind != BLOCK_COMM));
	got = load(r, err);
	if (got == 0 && r->block.kind == BLOCK_COMM)
		got = decode_numbers(r, err);
	else if (got == 0)
		got = decode_columns(r, r->block.kind == BLOCK_STATE ? &rec_states : &rec_messages,
		                     err);
	if (got < 0)
		r->block = (struct rec_block){0};
	return got < 0 ? -1 : 1;
}

static int state_get(struct recording *r, struct rec_state *s, struct err *err)
{
	*s = ((const struct rec_state *)r->records)[r->next++];
	if (s->rank >= r->info.ranks || (uint32_t)s->call >= r->n_calls || s->partner < -1 ||
	    s->partner >= (int64_t)r->info.ranks || !(s->enter >= 0 && s->enter <= s->leave) ||
	    !isfinite(s->leave) || !isfinite(s->bytes) ||
	    !(s->wait >= 0 && s->wait <= s->leave - s->enter))
		return damaged(r, "a call that cannot be", err);
	if (s->enter < r->last[s->rank])
		return damaged(r, "calls of a rank that overlap", err);
	r->last[s->rank] = s->flags & STATE_OPEN ? INFINITY : s->leave;
	s->call = r->calls[s->call];
	return 1;
}

static int message_get(struct recording *r, struct rec_message *m, struct err *err)
{
	*m = ((const struct rec_message *)r->records)[r->next++];
	if (m->from >= r->info.ranks || m->to >= r->info.ranks ||
	    !(m->sent >= 0 && m->sent <= m->received) || !isfinite(m->received) ||
	    !isfinite(m->bytes) || !(m->moved >= m->sent && m->moved <= m->received))
		return damaged(r, "a message that cannot be", err);
	return 1;
}

static int comm_get(struct recording *r, struct rec_comm *c, struct err *err)
{
	const uint32_t *in = (const uint32_t *)r->records + r->numbers;
	uint32_t left = r->block.raw / 4 - r->numbers, i;

	r->next++;
	if (left < 2 || in[1] > left - 2)
		return damaged(r, "a communicator that cannot be", err);
	*c = (struct rec_comm){in[0], in[1], in + 2};
	for (i = 0; i < c->n; i++)
		if (c->members[i] >= r->info.ranks)
			return damaged(r, "a communicator that cannot be", err);
	r->numbers += 2 + c->n;
	return 1;
}

int recording_next(struct recording *r, struct record *out, struct err *err)
{
	int got = 1;

	if (r->next == r->block.records)
		got = advance(r, err);
	if (got <= 0)
		return got;
	switch (r->block.kind) {
	case BLOCK_STATE:
		out->kind = REC_STATE;
		return state_get(r, &out->u.state, err);
	case BLOCK_MESSAGE:
		out->kind = REC_MESSAGE;
		return message_get(r, &out->u.message, err);
	default:
		out->kind = REC_COMM;
		return comm_get(r, &out->u.comm, err);
	}
}
