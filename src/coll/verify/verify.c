/* verify.c: proving a collective on symbolic data.
 *
 * All ranks of one call are run as sequential processes that meet: a send and a receive both end
 * when they are matched, whatever the size (zero eager threshold, the hardest rule a correct MPI
 * may choose). Data moves at the match. Between the post of a request and the step that waits for
 * it, its memory must not be touched in a way that would make the moment matter, so that one order
 * of execution proves all.
 *
 * Some algorithms combine what nobody will look at (recursive doubling reduces blocks that are
 * already their owners'). So a wrong combination is a value like others; it is an error when it
 * reaches a result.
 *
 * For barriers, what is checked is knowledge: a message carries whose entry into the call its
 * sender knew of when it posted it.
 *
 * Invariants: 1. at any time a channel (from, to) holds pending requests of one sort only, sends or
 * receives, in the order posted.
 * 2. verify_rank.unmatched counts the outstanding requests not yet matched. 3. A rank on the stack
 *    of runnable ones is not blocked. */
#include "base/slots.h"
#include "coll/coll_int.h"
#include "expect.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { NONE = 0xffffffffu, TOKEN_MAX = 8192 };

struct request {
	uint32_t rank, peer, number;
	uint32_t next; /* in its channel */
	uint32_t know;
	struct piece piece;
	uint8_t is_send, matched, outstanding; /* outstanding: not waited for */
};

struct channel {
	uint32_t head, tail;
};

enum blocked { BLOCKED_NOT, BLOCKED_ONE, BLOCKED_ALL };
struct verify_rank {
	struct coll_cursor cursor;
	struct coll_steps steps;
	uint32_t at; /* next step */
	enum blocked blocked;
	uint32_t one; /* request that BLOCKED_ONE is about */
	uint32_t know;
	uint32_t *outstanding, n_outstanding, cap_outstanding, unmatched;
	struct runs mem[BUFS];
	int64_t size[BUFS];
	uint8_t ended;
};

struct verify {
	const struct coll_alg *alg;
	const struct coll_args *args;
	uint32_t p;
	struct sets sets;
	struct verify_rank *ranks;
	struct slots requests; /* struct request */
	struct channel *channels;
	uint32_t n_channels, cap_channels;
	struct hash64 channel_of;
	uint32_t *runnable, n_runnable;
	struct runs a, b, out; /* scratch */
	struct err *err;
};

static inline struct request *request_at(const struct verify *v, uint32_t i)
{
	return slots_at(&v->requests, i, sizeof(struct request));
}

static const char *const buf_names[] = {"send", "receive", "temporary", "token"};
static_assert(sizeof buf_names / sizeof *buf_names == BUFS, "one name per buffer");

/* --- saying what is wrong --- */

static int fail(struct verify *v, uint32_t rank, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static int fail(struct verify *v, uint32_t rank, const char *fmt, ...)
{
	const struct coll_args *a = &v->args[rank];
	char text[1024];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return err_set(v->err, ERR_PROGRAM,
	               "%s %s, %" PRIu32 " ranks, root %" PRIu32 ", counts %" PRId64 " and %" PRId64
	               " of %" PRId64 " bytes%s%s: rank %" PRIu32 ", phase %d.%d, round %" PRIu32
	               ", step %" PRIu32 ": %s",
	               coll_kind_name(a->kind), v->alg->name, v->p, a->root, a->count, a->count2,
	               a->type_size, a->in_place ? ", in place" : "",
	               a->commutative ? "" : ", not commutative", rank,
	               v->ranks[rank].cursor.phase[0], v->ranks[rank].cursor.phase[1],
	               v->ranks[rank].cursor.round, v->ranks[rank].at, text);
}

static int fail_piece(struct verify *v, uint32_t rank, struct piece p, const char *what)
{
	return fail(v, rank, "%s: bytes %" PRId64 " to %" PRId64 " of its %s buffer of %" PRId64,
	            what, p.off, p.off + p.len, buf_names[p.buf], v->ranks[rank].size[p.buf]);
}

/* --- memory --- */

static int overlap(struct piece a, struct piece b)
{
	return a.buf == b.buf && a.len && b.len && a.off < b.off + b.len && b.off < a.off + a.len;
}

/* May rank touch this memory now? */
static int check_access(struct verify *v, uint32_t rank, struct piece p, int writes)
{
	const struct verify_rank *r = &v->ranks[rank];
	if (p.buf == BUF_TOKEN && p.len >= 0 && p.len <= TOKEN_MAX)
		return 0;
	if (p.len < 0 || (p.len && (p.off < 0 || p.off + p.len > r->size[p.buf])))
		return fail_piece(v, rank, p,
		                  writes ? "writes outside a buffer" : "reads outside a buffer");
	if (writes && p.buf == BUF_SEND && p.len)
		return fail_piece(v, rank, p, "writes into what the user sends");
	for (uint32_t i = 0; i < r->n_outstanding; i++) {
		const struct request *q = request_at(v, r->outstanding[i]);
		if ((writes || !q->is_send) && overlap(p, q->piece))
			return fail_piece(v, rank, p,
			                  q->is_send ? "writes what a pending send reads"
			                             : "touches what a pending receive writes");
	}
	return 0;
}

/* The data of a piece, into *out. */
static int memory_read(struct verify *v, uint32_t rank, struct piece p, struct runs *out)
{
	int64_t missing;
	if (p.buf == BUF_TOKEN) {
		out->n = 0;
		return runs_add(out, (struct run){.len = p.len, .whose = WHOSE_NOBODY}, v->err);
	}
	if (runs_read(&v->ranks[rank].mem[p.buf], p.off, p.len, out, &missing, v->err) < 0)
		return -1;
	if (missing >= 0)
		return fail_piece(v, rank, piece_at(p.buf, missing, p.off + p.len - missing),
		                  "reads what was never written");
	return 0;
}

static int memory_write(struct verify *v, uint32_t rank, struct piece p, const struct runs *data)
{
	return p.buf == BUF_TOKEN
	           ? 0
	           : runs_write(&v->ranks[rank].mem[p.buf], p.off, p.len, data, v->err);
}

static int do_copy(struct verify *v, uint32_t rank, const struct coll_step *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		struct piece dst = piece_at((enum coll_buf)s->buf, s->off + i * s->stride, s->len);
		struct piece src = piece_at((enum coll_buf)s->src_buf,
		                            s->src_off + i * s->src_stride, s->len);
		if (overlap(dst, src))
			return fail_piece(v, rank, dst, "copies onto itself");
		if (check_access(v, rank, dst, 1) < 0 || check_access(v, rank, src, 0) < 0 ||
		    memory_read(v, rank, src, &v->a) < 0 || memory_write(v, rank, dst, &v->a) < 0)
			return -1;
	}
	return 0;
}

static int fail_combine(struct verify *v, uint32_t rank, const struct run *low,
                        const struct run *high, const char *what)
{
	char one[200], other[200];
	return fail(v, rank, "%s: byte %" PRId64 " of %s with byte %" PRId64 " of %s", what,
	            low->index, sets_format(&v->sets, low->whose, one, sizeof one), high->index,
	            sets_format(&v->sets, high->whose, other, sizeof other));
}

/* low op high, of one run each that start together. */
static int combine_run(struct verify *v, uint32_t rank, const struct run *low,
                       const struct run *high, struct run *out)
{
	int64_t ts = v->args[rank].type_size;
	if (low->index != high->index)
		return fail_combine(v, rank, low, high, "combines different elements");
	if (low->index % ts || out->len % ts)
		return fail_combine(v, rank, low, high, "combines parts of elements");
	out->index = low->index;
	if (whose_is_wrong(low->whose) || whose_is_wrong(high->whose))
		out->whose = whose_is_wrong(low->whose) ? low->whose : high->whose;
	else if (sets_meet(&v->sets, low->whose, high->whose))
		out->whose = WHOSE_TWICE;
	else if (!v->args[rank].commutative && !sets_before(&v->sets, low->whose, high->whose))
		out->whose = WHOSE_DISORDERED;
	else
		return sets_union(&v->sets, low->whose, high->whose, &out->whose, v->err);
	return 0;
}

static int do_reduce(struct verify *v, uint32_t rank, const struct coll_step *s)
{
	struct piece dst = piece_at((enum coll_buf)s->buf, s->off, s->len),
	             src = piece_at((enum coll_buf)s->src_buf, s->src_off, s->len);
	if (!expect_is_reduction(v->args[rank].kind))
		return fail(v, rank, "combines data in a collective without operator");
	if (overlap(dst, src))
		return fail_piece(v, rank, dst, "combines data with itself");
	if (check_access(v, rank, dst, 1) < 0 || check_access(v, rank, src, 0) < 0 ||
	    memory_read(v, rank, dst, &v->a) < 0 || memory_read(v, rank, src, &v->b) < 0)
		return -1;
	v->out.n = 0;
	int64_t at = 0;
	for (uint32_t i = 0, j = 0; at < s->len;) {
		struct run d = v->a.v[i], e = v->b.v[j];
		int64_t d_end = d.off + d.len, e_end = e.off + e.len;
		struct run sum = {.off = at, .len = (d_end < e_end ? d_end : e_end) - at};
		d.index += at - d.off;
		e.index += at - e.off;
		if (combine_run(v, rank, s->reduce_left ? &e : &d, s->reduce_left ? &d : &e, &sum) <
		        0 ||
		    runs_add(&v->out, sum, v->err) < 0)
			return -1;
		at += sum.len;
		i += at == d_end;
		j += at == e_end;
	}
	return memory_write(v, rank, dst, &v->out);
}

/* --- messages --- */

static struct channel *channel_get(struct verify *v, uint32_t from, uint32_t to)
{
	uint64_t key = (uint64_t)from << 32 | to;
	uint32_t i = hash64_find(&v->channel_of, key);
	if (i != HASH_NONE)
		return &v->channels[i];
	struct channel *all = vec_grow(v->channels, &v->cap_channels, sizeof *all,
	                               v->n_channels + 1, "channels", v->err);
	if (!all)
		return NULL;
	v->channels = all;
	if (hash64_put(&v->channel_of, key, v->n_channels, v->err) < 0)
		return NULL;
	all[v->n_channels] = (struct channel){NONE, NONE};
	return &all[v->n_channels++];
}

static int is_blocked(const struct verify *v, const struct verify_rank *r)
{
	if (r->blocked == BLOCKED_ONE)
		return !request_at(v, r->one)->matched;
	return r->blocked == BLOCKED_ALL && r->unmatched > 0;
}

/* A request of the rank was matched: it may go on. */
static void request_matched(struct verify *v, uint32_t i)
{
	struct verify_rank *r = &v->ranks[request_at(v, i)->rank];
	request_at(v, i)->matched = 1;
	r->unmatched--;
	if (r->blocked != BLOCKED_NOT && !is_blocked(v, r)) {
		v->runnable[v->n_runnable++] = request_at(v, i)->rank;
		r->blocked = BLOCKED_NOT;
	}
}

static int message_move(struct verify *v, uint32_t send, uint32_t recv)
{
	struct request *s = request_at(v, send), *r = request_at(v, recv);
	if (s->piece.len != r->piece.len)
		return fail(v, r->rank,
		            "receives %" PRId64 " bytes from rank %" PRIu32
		            ", which sends %" PRId64,
		            r->piece.len, s->rank, s->piece.len);
	if (memory_read(v, s->rank, s->piece, &v->a) < 0 ||
	    memory_write(v, r->rank, r->piece, &v->a) < 0)
		return -1;
	r->know = s->know;
	request_matched(v, send);
	request_matched(v, recv);
	return 0;
}

static int request_post(struct verify *v, uint32_t i)
{
	struct request *q = request_at(v, i);
	struct channel *c = q->is_send ? channel_get(v, q->rank, q->peer)
	                               : channel_get(v, q->peer, q->rank);
	if (!c)
		return -1;
	if (c->head == NONE || request_at(v, c->head)->is_send == q->is_send) {
		if (c->head == NONE)
			c->head = i;
		else
			request_at(v, c->tail)->next = i;
		c->tail = i;
		return 0;
	}
	uint32_t other = c->head;
	c->head = request_at(v, other)->next;
	return q->is_send ? message_move(v, i, other) : message_move(v, other, i);
}

static int do_post(struct verify *v, uint32_t rank, const struct coll_step *s, uint32_t *out)
{
	struct verify_rank *r = &v->ranks[rank];
	int is_send = s->kind == STEP_SEND || s->kind == STEP_ISEND;
	struct piece p = piece_at((enum coll_buf)s->buf, s->off, s->len);
	if (s->peer >= v->p)
		return fail(v, rank, "speaks to rank %" PRIu32, s->peer);
	if (check_access(v, rank, p, !is_send) < 0)
		return -1;
	uint32_t *list = vec_grow(r->outstanding, &r->cap_outstanding, sizeof *list,
	                          r->n_outstanding + 1, "outstanding requests", v->err);
	if (!list)
		return -1;
	r->outstanding = list;
	if ((*out = slots_take(&v->requests, v->err)) == NONE)
		return -1;
	list[r->n_outstanding++] = *out;
	r->unmatched++;
	*request_at(v, *out) = (struct request){.rank = rank,
	                                        .peer = s->peer,
	                                        .number = s->req,
	                                        .next = NONE,
	                                        .know = r->know,
	                                        .piece = p,
	                                        .is_send = (uint8_t)is_send};
	return request_post(v, *out);
}

/* --- ranks --- */

/* The rank has waited for its outstanding[k], which is matched. */
static int request_end(struct verify *v, struct verify_rank *r, uint32_t k)
{
	uint32_t i = r->outstanding[k];
	struct request *q = request_at(v, i);
	r->outstanding[k] = r->outstanding[--r->n_outstanding];
	slots_give(&v->requests, i);
	return q->is_send ? 0 : sets_union(&v->sets, r->know, q->know, &r->know, v->err);
}

static int wait_all(struct verify *v, struct verify_rank *r)
{
	if (r->unmatched) {
		r->blocked = BLOCKED_ALL;
		return 1;
	}
	while (r->n_outstanding)
		if (request_end(v, r, r->n_outstanding - 1) < 0)
			return -1;
	return 0;
}

/* 0: outstanding[k] has ended; 1: the rank is blocked until it has. */
static int wait_one(struct verify *v, struct verify_rank *r, uint32_t k)
{
	if (request_at(v, r->outstanding[k])->matched) {
		r->one = NONE;
		return request_end(v, r, k);
	}
	r->blocked = BLOCKED_ONE;
	r->one = r->outstanding[k];
	return 1;
}

static int wait_number(struct verify *v, uint32_t rank, uint32_t number)
{
	struct verify_rank *r = &v->ranks[rank];
	uint32_t k = 0;
	while (k < r->n_outstanding && request_at(v, r->outstanding[k])->number != number)
		k++;
	if (k == r->n_outstanding)
		return fail(v, rank, "waits for request %" PRIu32 ", which is not outstanding",
		            number);
	return wait_one(v, r, k);
}

/* A blocking send or receive; asked again when its request, the last of the list, is matched. */
static int do_blocking(struct verify *v, uint32_t rank, const struct coll_step *s)
{
	struct verify_rank *r = &v->ranks[rank];
	if (r->one == NONE) {
		uint32_t i;
		if (do_post(v, rank, s, &i) < 0)
			return -1;
	}
	return wait_one(v, r, r->n_outstanding - 1);
}

/* 0: done; 1: blocked, to be asked again. */
static int do_step(struct verify *v, uint32_t rank, const struct coll_step *s)
{
	uint32_t i;
	switch ((enum coll_step_kind)s->kind) {
	case STEP_SEND:
	case STEP_RECV:
		return do_blocking(v, rank, s);
	case STEP_ISEND:
	case STEP_IRECV:
		for (i = 0; i < v->ranks[rank].n_outstanding; i++)
			if (request_at(v, v->ranks[rank].outstanding[i])->number == s->req)
				return fail(v, rank, "gives request number %" PRIu32 " twice",
				            s->req);
		return do_post(v, rank, s, &i);
	case STEP_WAIT:
		return wait_number(v, rank, s->req);
	case STEP_WAITALL:
		return wait_all(v, &v->ranks[rank]);
	case STEP_REDUCE:
		return do_reduce(v, rank, s);
	case STEP_COPY:
		return do_copy(v, rank, s);
	case STEP_FILE:
		break;
	}
	return fail(v, rank, "step of kind %d", s->kind);
}

enum { EMPTY_ROUNDS_MAX = 1 << 20 };

/* Runs the rank until it is blocked or has ended. */
static int rank_run(struct verify *v, uint32_t rank)
{
	struct verify_rank *r = &v->ranks[rank];
	for (uint32_t empty = 0; empty < EMPTY_ROUNDS_MAX; empty++) {
		for (; r->at < r->steps.n; r->at++, empty = 0) {
			int blocked = do_step(v, rank, &r->steps.s[r->at]);
			if (blocked)
				return blocked < 0 ? -1 : 0;
		}
		r->at = 0;
		if (coll_next(v->alg, &v->args[rank], rank, &r->cursor, &r->steps) == COLL_END) {
			r->ended = 1;
			return r->n_outstanding
			           ? fail(v, rank, "ends with %" PRIu32 " requests outstanding",
			                  r->n_outstanding)
			           : 0;
		}
	}
	return fail(v, rank, "never ends");
}

static int rank_init(struct verify *v, uint32_t rank)
{
	struct verify_rank *r = &v->ranks[rank];
	const struct coll_args *a = &v->args[rank];
	int64_t in_place_off, in_place_len, none = 0;
	r->one = NONE;
	r->size[BUF_SEND] = expect_send_bytes(a, rank);
	r->size[BUF_RECV] = expect_recv_bytes(a, rank);
	r->size[BUF_TMP] = coll_tmp_bytes(v->alg, a, rank);
	if (r->size[BUF_SEND] != coll_send_bytes(a, rank) ||
	    r->size[BUF_RECV] != coll_recv_bytes(a, rank))
		return fail(v, rank,
		            "sizes of buffers: %" PRId64 " and %" PRId64 ", should be %" PRId64
		            " and %" PRId64,
		            coll_send_bytes(a, rank), coll_recv_bytes(a, rank), r->size[BUF_SEND],
		            r->size[BUF_RECV]);
	if (sets_range(&v->sets, rank, rank + 1, &r->know, v->err) < 0 ||
	    expect_contribution(&v->sets, a, rank, &v->a, v->err) < 0)
		return -1;
	if (a->kind == COLL_BCAST)
		return rank == a->root
		           ? runs_write(&r->mem[BUF_RECV], 0, r->size[BUF_RECV], &v->a, v->err)
		           : 0;
	/* In place, the data is in the receive buffer; the send buffer is a copy of what
	 * coll_in_place says. */
	coll_in_place(a, rank, &in_place_off, &in_place_len);
	if (!a->in_place || in_place_len == 0)
		return runs_write(&r->mem[BUF_SEND], 0, r->size[BUF_SEND], &v->a, v->err);
	if (runs_write(&r->mem[BUF_RECV], expect_in_place_offset(a, rank), r->size[BUF_SEND], &v->a,
	               v->err) < 0 ||
	    runs_read(&r->mem[BUF_RECV], in_place_off, in_place_len, &v->b, &none, v->err) < 0)
		return -1;
	if (none >= 0)
		return fail(v, rank, "coll_in_place names the wrong place");
	return runs_write(&r->mem[BUF_SEND], 0, r->size[BUF_SEND], &v->b, v->err);
}

/* --- the end --- */

static int check_ended(struct verify *v)
{
	for (uint32_t i = 0; i < v->p; i++) {
		const struct verify_rank *r = &v->ranks[i];
		if (r->ended)
			continue;
		const struct request *q = NULL;
		for (uint32_t k = 0; k < r->n_outstanding && !q; k++)
			if (!request_at(v, r->outstanding[k])->matched)
				q = request_at(v, r->outstanding[k]);
		BUG_ON(!q);
		return fail(v, i, "deadlock: waits to %s rank %" PRIu32,
		            q->is_send ? "send to" : "receive from", q->peer);
	}
	return 0;
}

static int check_knowledge(struct verify *v)
{
	uint32_t all;
	char text[200];
	if (sets_range(&v->sets, 0, v->p, &all, v->err) < 0)
		return -1;
	for (uint32_t i = 0; i < v->p; i++)
		if (v->ranks[i].know != all)
			return fail(v, i, "leaves the barrier when only %s are known to have come",
			            sets_format(&v->sets, v->ranks[i].know, text, sizeof text));
	return 0;
}

static int check_result(struct verify *v, uint32_t rank)
{
	char found[200], wanted[200];
	int64_t missing;
	if (expect_result(&v->sets, v->args, rank, &v->b, v->err) < 0)
		return -1;
	for (uint32_t i = 0; i < v->b.n; i++) {
		struct run *w = &v->b.v[i];
		if (runs_read(&v->ranks[rank].mem[BUF_RECV], w->off, w->len, &v->a, &missing,
		              v->err) < 0)
			return -1;
		if (missing >= 0)
			return fail(v, rank, "byte %" PRId64 " of the result is missing", missing);
		struct run *f = &v->a.v[0];
		if (f->whose != w->whose || f->index != w->index)
			return fail(v, rank,
			            "byte %" PRId64 " of the result is byte %" PRId64
			            " of %s instead of byte %" PRId64 " of %s",
			            w->off, f->index,
			            sets_format(&v->sets, f->whose, found, sizeof found), w->index,
			            sets_format(&v->sets, w->whose, wanted, sizeof wanted));
		if (v->a.n > 1)
			return fail(v, rank,
			            "byte %" PRId64 " of the result is byte %" PRId64 " of %s",
			            w->off + f[1].off, f[1].index,
			            sets_format(&v->sets, f[1].whose, found, sizeof found));
	}
	return 0;
}

static int verify_run(struct verify *v)
{
	for (uint32_t i = 0; i < v->p; i++) {
		if (rank_init(v, i) < 0)
			return -1;
		v->runnable[v->n_runnable++] = v->p - 1 - i;
	}
	while (v->n_runnable)
		if (rank_run(v, v->runnable[--v->n_runnable]) < 0)
			return -1;
	if (check_ended(v) < 0)
		return -1;
	if (v->args[0].kind == COLL_BARRIER)
		return check_knowledge(v);
	for (uint32_t i = 0; i < v->p; i++)
		if (check_result(v, i) < 0)
			return -1;
	return 0;
}

static void verify_release(struct verify *v)
{
	for (uint32_t i = 0; v->ranks && i < v->p; i++) {
		free(v->ranks[i].outstanding);
		for (int b = 0; b < BUFS; b++)
			runs_release(&v->ranks[i].mem[b]);
	}
	runs_release(&v->a);
	runs_release(&v->b);
	runs_release(&v->out);
	sets_release(&v->sets);
	hash64_release(&v->channel_of);
	free(v->ranks);
	free(v->runnable);
	slots_release(&v->requests);
	free(v->channels);
}

int coll_verify(const struct coll_alg *alg, const struct coll_args *args_by_rank, struct err *err)
{
	uint32_t p = args_by_rank[0].size;
	struct verify v = {.alg = alg, .args = args_by_rank, .p = p, .err = err};
	slots_init(&v.requests, sizeof(struct request), offsetof(struct request, next), "requests");
	v.ranks = calloc(p, sizeof *v.ranks);
	v.runnable = calloc(p, sizeof *v.runnable);
	int r = -1;
	if (!v.ranks || !v.runnable)
		err_nomem(err, "the verifier's ranks", p * sizeof *v.ranks);
	else if (sets_init(&v.sets, p, err) == 0)
		r = verify_run(&v);
	verify_release(&v);
	return r;
}
