/* machine.h: processes that perform an algorithm's steps on real bytes, in an order drawn at
 * random: what coll.h says of steps, and what MPI says of messages (MPI 4.0, 3.5: between two
 * processes messages match in the order posted; a standard send may be buffered or may wait for
 * its receive). Shares nothing with src/coll/verify.
 *
 * Freedom that MPI leaves is used: a send is buffered or not as a coin says; a message whose two
 * sides have met moves at any later moment, until somebody who must wait for it can do nothing
 * else; of all that can go on, any goes on. So a buffer that is written too early, or read too
 * late, holds the wrong bytes sooner or later.
 *
 * Invariants: 1. between two ranks, requests that have not met are all sends or all receives.
 * 2. A rank is in `ready` once, or waits for a request that has not ended, or has ended, or has
 * not begun (machine_run's latecomer). */
#ifndef ORRERY_TESTS_COLL_MACHINE_H
#define ORRERY_TESTS_COLL_MACHINE_H

#include "mpi_call.h"

#include <stdio.h>

enum { NO_REQUEST = 0xffffffffu, NOBODY = 0xffffffffu, STEPS_MOST = 4000000 };
enum buffering { BUFFERED_NEVER, BUFFERED_SOMETIMES, BUFFERED_ALWAYS };

struct mach_request {
	uint32_t rank, peer, number, next, mate;
	uint8_t is_send, met, ended, buf;
	int64_t off, len;
	uint8_t *copy; /* of a buffered send */
};
struct mach_rank {
	struct coll_cursor cursor;
	struct coll_steps steps;
	uint32_t at, blocking, *open, n_open, cap_open;
	uint8_t *mem[3];
	int64_t size[3];
	uint8_t waits, ended, begun;
};
struct machine {
	const struct mpi_call *call;
	const struct coll_alg *alg;
	struct coll_args args[CALL_RANKS];
	struct mach_rank ranks[CALL_RANKS];
	struct mach_request *requests;
	uint32_t n_requests, cap_requests, head[CALL_RANKS][CALL_RANKS],
	    tail[CALL_RANKS][CALL_RANKS];
	uint32_t ready[CALL_RANKS], n_ready, *flights, n_flights, cap_flights;
	struct rng *rng;
	enum buffering buffering;
	uint32_t moves_in_four; /* how often a message moves before somebody goes on */
	uint64_t steps;
	char wrong[300];
};

#define mach_wrong(m, rank, ...) \
	(snprintf((m)->wrong + snprintf((m)->wrong, 40, "rank %u, step %llu: ", rank, \
	                                (unsigned long long)(m)->steps), \
	          200, __VA_ARGS__), \
	 -1)

static inline void *mach_grow(void *v, uint32_t n, uint32_t *cap, size_t size)
{
	if (n < *cap)
		return v;
	*cap = *cap ? 2 * *cap : 16;
	v = realloc(v, *cap * size);
	if (!v)
		abort();
	return v;
}

/* --- memory --- */

/* A piece that is there; NULL: outside. Tokens have no bytes that matter. */
static inline uint8_t *mach_at(struct machine *m, uint32_t rank, uint8_t buf, int64_t off,
                               int64_t len)
{
	static uint8_t token[65536];
	struct mach_rank *r = &m->ranks[rank];

	if (buf == BUF_TOKEN)
		return len >= 0 && len <= (int64_t)sizeof token ? token : NULL;
	if (buf > BUF_TOKEN || len < 0 || (len && (off < 0 || off + len > r->size[buf])))
		return NULL;
	return r->mem[buf] + (len ? off : 0);
}
static inline int mach_reduce(struct machine *m, uint32_t rank, const struct coll_step *s)
{
	uint8_t *dst = mach_at(m, rank, s->buf, s->off, s->len),
	        *src = mach_at(m, rank, s->src_buf, s->src_off, s->len);

	if (!dst || !src || s->buf == BUF_SEND)
		return mach_wrong(m, rank, "combines outside its buffers");
	if (s->len % m->call->e)
		return mach_wrong(m, rank, "combines a part of an element");
	call_combine(m->call, dst, s->reduce_left ? src : dst, s->reduce_left ? dst : src, s->len);
	return 1;
}
static inline int mach_copy(struct machine *m, uint32_t rank, const struct coll_step *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		uint8_t *dst = mach_at(m, rank, s->buf, s->off + i * s->stride, s->len),
		        *src = mach_at(m, rank, s->src_buf, s->src_off + i * s->src_stride, s->len);

		if (!dst || !src || s->buf == BUF_SEND)
			return mach_wrong(m, rank, "copies outside its buffers");
		memmove(dst, src, (size_t)s->len);
	}
	return 1;
}

/* --- messages --- */

static inline void mach_end(struct machine *m, uint32_t i)
{
	struct mach_request *q = &m->requests[i];
	struct mach_rank *r = &m->ranks[q->rank];

	q->ended = 1;
	if (r->waits) { /* let it look again */
		r->waits = 0;
		m->ready[m->n_ready++] = q->rank;
	}
}
static inline int mach_move(struct machine *m, uint32_t k)
{
	uint32_t send = m->flights[k];
	struct mach_request *s = &m->requests[send], *r = &m->requests[s->mate];
	uint8_t *from = s->copy ? s->copy : mach_at(m, s->rank, s->buf, s->off, s->len);

	m->flights[k] = m->flights[--m->n_flights];
	if (s->len != r->len)
		return mach_wrong(m, r->rank, "receives %lld bytes from %u, who sends %lld",
		                  (long long)r->len, s->rank, (long long)s->len);
	if (r->buf != BUF_TOKEN && s->buf != BUF_TOKEN)
		memmove(mach_at(m, r->rank, r->buf, r->off, r->len), from, (size_t)s->len);
	free(s->copy);
	s->copy = NULL;
	if (!s->ended)
		mach_end(m, send);
	mach_end(m, s->mate);
	return 1;
}
/* Meets the first of the other sort between the two, or waits for it. */
static inline void mach_meet(struct machine *m, uint32_t i)
{
	struct mach_request *q = &m->requests[i];
	uint32_t from = q->is_send ? q->rank : q->peer, to = q->is_send ? q->peer : q->rank;
	uint32_t *head = &m->head[from][to], *tail = &m->tail[from][to], other = *head;

	if (other == NO_REQUEST || m->requests[other].is_send == q->is_send) {
		if (other == NO_REQUEST)
			*head = i;
		else
			m->requests[*tail].next = i;
		*tail = i;
		return;
	}
	*head = m->requests[other].next;
	q->mate = other;
	m->requests[other].mate = i;
	m->flights = mach_grow(m->flights, m->n_flights, &m->cap_flights, sizeof *m->flights);
	m->flights[m->n_flights++] = q->is_send ? i : other;
}
static inline int mach_post(struct machine *m, uint32_t rank, const struct coll_step *s)
{
	struct mach_rank *r = &m->ranks[rank];
	int is_send = s->kind == STEP_SEND || s->kind == STEP_ISEND;
	uint8_t *at = mach_at(m, rank, s->buf, s->off, s->len);
	uint32_t i = m->n_requests;

	if (s->peer >= m->call->p)
		return mach_wrong(m, rank, "speaks to rank %u", s->peer);
	if (!at || (!is_send && s->buf == BUF_SEND))
		return mach_wrong(m, rank, "%s outside its buffers",
		                  is_send ? "sends" : "receives");
	m->requests = mach_grow(m->requests, i, &m->cap_requests, sizeof *m->requests);
	m->n_requests++;
	m->requests[i] = (struct mach_request){.rank = rank,
	                                       .peer = s->peer,
	                                       .number = s->req,
	                                       .next = NO_REQUEST,
	                                       .is_send = (uint8_t)is_send,
	                                       .buf = s->buf,
	                                       .off = s->off,
	                                       .len = s->len};
	r->open = mach_grow(r->open, r->n_open, &r->cap_open, sizeof *r->open);
	r->open[r->n_open++] = i;
	if (is_send && (m->buffering == BUFFERED_ALWAYS ||
	                (m->buffering == BUFFERED_SOMETIMES && rng_below(m->rng, 2)))) {
		m->requests[i].copy = bytes_new(s->len);
		memcpy(m->requests[i].copy, at, (size_t)s->len);
		m->requests[i].ended = 1;
	}
	mach_meet(m, i);
	r->blocking = i;
	return 1;
}

/* --- steps: 1: done; 0: it waits; -1: wrong --- */

static inline void mach_close(struct mach_rank *r, uint32_t k)
{
	r->open[k] = r->open[--r->n_open];
}
static inline int mach_blocking(struct machine *m, uint32_t rank, const struct coll_step *s)
{
	struct mach_rank *r = &m->ranks[rank];
	uint32_t k = 0;

	if (r->blocking == NO_REQUEST && mach_post(m, rank, s) < 0)
		return -1;
	if (!m->requests[r->blocking].ended)
		return 0;
	while (r->open[k] != r->blocking)
		k++;
	mach_close(r, k);
	r->blocking = NO_REQUEST;
	return 1;
}
static inline int mach_started(struct machine *m, uint32_t rank, const struct coll_step *s)
{
	struct mach_rank *r = &m->ranks[rank];

	for (uint32_t k = 0; k < r->n_open; k++)
		if (m->requests[r->open[k]].number == s->req)
			return mach_wrong(m, rank, "gives number %u twice", s->req);
	if (mach_post(m, rank, s) < 0)
		return -1;
	r->blocking = NO_REQUEST;
	return 1;
}
static inline int mach_wait(struct machine *m, uint32_t rank, const struct coll_step *s)
{
	struct mach_rank *r = &m->ranks[rank];
	uint32_t k = 0;

	while (k < r->n_open && m->requests[r->open[k]].number != s->req)
		k++;
	if (k == r->n_open)
		return mach_wrong(m, rank, "waits for %u, which it has not posted", s->req);
	if (!m->requests[r->open[k]].ended)
		return 0;
	mach_close(r, k);
	return 1;
}
static inline int mach_waitall(struct machine *m, uint32_t rank)
{
	struct mach_rank *r = &m->ranks[rank];

	for (uint32_t k = 0; k < r->n_open; k++)
		if (!m->requests[r->open[k]].ended)
			return 0;
	r->n_open = 0;
	return 1;
}
static inline int mach_step(struct machine *m, uint32_t rank, const struct coll_step *s)
{
	switch (s->kind) {
	case STEP_SEND:
	case STEP_RECV:
		return mach_blocking(m, rank, s);
	case STEP_ISEND:
	case STEP_IRECV:
		return mach_started(m, rank, s);
	case STEP_WAIT:
		return mach_wait(m, rank, s);
	case STEP_WAITALL:
		return mach_waitall(m, rank);
	case STEP_REDUCE:
		return mach_reduce(m, rank, s);
	case STEP_COPY:
		return mach_copy(m, rank, s);
	default:
		return mach_wrong(m, rank, "has a step of kind %d", s->kind);
	}
}
/* ready[k] goes on by one step, and stays ready unless it waits or has ended. */
static inline int mach_go_on(struct machine *m, uint32_t k)
{
	uint32_t rank = m->ready[k];
	struct mach_rank *r = &m->ranks[rank];
	int did = 1;

	if (r->at == r->steps.n) {
		r->at = 0;
		r->steps.n = 0;
		r->ended = coll_next(m->alg, &m->args[rank], rank, &r->cursor, &r->steps) ==
		           COLL_END;
		if (r->ended && r->n_open)
			return mach_wrong(m, rank, "ends with %u requests open", r->n_open);
	} else {
		did = mach_step(m, rank, &r->steps.s[r->at]);
		r->at += did > 0;
	}
	r->waits = did == 0;
	if (r->ended || r->waits)
		m->ready[k] = m->ready[--m->n_ready];
	return did < 0 ? -1 : 1;
}

/* --- a run --- */

static inline void mach_random(struct rng *r, uint8_t *b, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		b[i] = (uint8_t)rng_u64(r);
}
/* In place, what is in the receive buffer is what the send buffer becomes a copy of (coll.h). */
static inline int mach_in_place(struct machine *m, uint32_t rank)
{
	const struct mpi_call *c = m->call;
	struct mach_rank *r = &m->ranks[rank];
	int gathers = c->kind == COLL_GATHER || c->kind == COLL_GATHERV ||
	              c->kind == COLL_ALLGATHER || c->kind == COLL_ALLGATHERV;
	int rooted = call_is_rooted(c->kind);
	int64_t off = 0, len = 0, at = 0;

	coll_in_place(&m->args[rank], rank, &off, &len);
	if (rooted && rank != c->root) /* MPI_IN_PLACE is the root's word */
		return len ? mach_wrong(m, rank, "its data is not in place") : 0;
	for (uint32_t i = 0; gathers && i < rank; i++)
		at += call_block(c, i, rank);
	if (at + call_out(c, rank) <= r->size[BUF_RECV])
		memcpy(r->mem[BUF_RECV] + at, c->data[rank], (size_t)call_out(c, rank));
	else { /* reduce_scatter, whose vector is longer than its share: its beginning is there */
		memcpy(r->mem[BUF_RECV], c->data[rank], (size_t)r->size[BUF_RECV]);
		return 0;
	}
	if (len != call_out(c, rank) || (len && off != at))
		return mach_wrong(m, rank, "in place are %lld bytes at %lld", (long long)len,
		                  (long long)off);
	memcpy(r->mem[BUF_SEND], r->mem[BUF_RECV] + off, (size_t)len);
	return 0;
}
static inline int mach_rank_init(struct machine *m, uint32_t rank)
{
	const struct mpi_call *c = m->call;
	struct mach_rank *r = &m->ranks[rank];

	r->blocking = NO_REQUEST;
	r->size[BUF_SEND] = call_out(c, rank);
	r->size[BUF_RECV] = call_in(c, rank);
	r->size[BUF_TMP] = coll_tmp_bytes(m->alg, &m->args[rank], rank);
	for (int b = 0; b < 3; b++) {
		r->mem[b] = bytes_new(r->size[b]);
		mach_random(m->rng, r->mem[b], r->size[b]);
	}
	memcpy(r->mem[BUF_SEND], c->data[rank], (size_t)r->size[BUF_SEND]);
	if (c->kind == COLL_BCAST && rank == c->root)
		memcpy(r->mem[BUF_RECV], c->data[rank], (size_t)r->size[BUF_RECV]);
	return c->in_place ? mach_in_place(m, rank) : 0;
}
static inline void mach_begin(struct machine *m, uint32_t rank)
{
	m->ranks[rank].begun = 1;
	m->ready[m->n_ready++] = rank;
}
/* Runs whoever can until nobody can. */
static inline int mach_exhaust(struct machine *m)
{
	while (m->n_ready || m->n_flights) {
		int moves = !m->n_ready ||
		            (m->n_flights && rng_below(m->rng, 4) < m->moves_in_four);
		int did = moves ? mach_move(m, (uint32_t)rng_below(m->rng, m->n_flights))
		                : mach_go_on(m, (uint32_t)rng_below(m->rng, m->n_ready));

		if (did < 0)
			return -1;
		if (++m->steps > STEPS_MOST)
			return mach_wrong(m, 0, "it never ends");
	}
	return 0;
}
/* A barrier holds everybody whom the latecomer concerns until he has come. */
static inline int mach_held(struct machine *m, uint32_t late)
{
	for (uint32_t i = 0; i < m->call->p; i++)
		if (m->ranks[i].ended && i != late &&
		    (!m->call->split || !call_same_group(m->call, i, late)))
			return mach_wrong(m, i, "leaves before rank %u has come", late);
	return 0;
}
static inline int mach_compare(struct machine *m)
{
	for (uint32_t i = 0; i < m->call->p; i++) {
		const struct mach_rank *r = &m->ranks[i];
		int64_t at = 0;

		if (!r->ended)
			return mach_wrong(m, i, "deadlock");
		while (m->call->defined[i] && at < r->size[BUF_RECV] &&
		       r->mem[BUF_RECV][at] == m->call->want[i][at])
			at++;
		if (m->call->defined[i] && at < r->size[BUF_RECV])
			return mach_wrong(m, i, "byte %lld of %lld is not what MPI says",
			                  (long long)at, (long long)r->size[BUF_RECV]);
		if (memcmp(r->mem[BUF_SEND], m->call->data[i], (size_t)r->size[BUF_SEND]) != 0)
			return mach_wrong(m, i, "its send buffer has changed");
	}
	for (uint32_t i = 0; i < m->n_requests; i++)
		if (m->requests[i].copy)
			return mach_wrong(m, m->requests[i].rank, "nobody received what it sent");
	return 0;
}
static inline void mach_release(struct machine *m)
{
	for (uint32_t i = 0; i < m->n_requests; i++)
		free(m->requests[i].copy);
	for (uint32_t i = 0; i < m->call->p; i++) {
		free(m->ranks[i].open);
		for (int b = 0; b < 3; b++)
			free(m->ranks[i].mem[b]);
	}
	free(m->requests);
	free(m->flights);
}
static inline int mach_perform(struct machine *m, uint32_t late)
{
	uint32_t p = m->call->p;

	for (uint32_t i = 0; i < p; i++)
		if (mach_rank_init(m, i) < 0)
			return -1;
	for (uint32_t i = 0; i < p; i++)
		if (i != late)
			mach_begin(m, i);
	if (mach_exhaust(m) < 0)
		return -1;
	if (late < p) {
		if (m->call->kind == COLL_BARRIER && mach_held(m, late) < 0)
			return -1;
		mach_begin(m, late);
		if (mach_exhaust(m) < 0)
			return -1;
	}
	return mach_compare(m);
}
/* Performs the call with alg; late: who comes when nobody else can go on (NOBODY: all come at
 * once). 0, or -1 with what is wrong in m->wrong. */
static inline int machine_run(struct machine *m, struct mpi_call *c, const struct coll_alg *alg,
                              uint32_t late, struct rng *r)
{
	int result;

	memset(m, 0, sizeof *m);
	m->call = c;
	m->alg = alg;
	m->rng = r;
	m->buffering = (enum buffering)rng_below(r, 3);
	m->moves_in_four = prop_from(r, 0, 4);
	memset(m->head, 0xff, sizeof m->head);
	for (uint32_t i = 0; i < c->p; i++)
		args_of(c, i, &m->args[i]);
	result = mach_perform(m, late);
	mach_release(m);
	return result;
}

#endif
