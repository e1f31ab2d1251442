/* hockney.h: how long a collective takes in the model of the textbooks (Hockney 1994; Thakur,
 * Rabenseifner, Gropp 2005, section 3; Chan et al. 2007, section 2): a message of n bytes takes
 * alpha + n beta once both sides are there; a rank can send one message and receive one at a time;
 * combining a byte takes gamma; copying nothing.
 *
 * Ranks have clocks; of those that can go on, the one whose clock is lowest does, as long as no
 * message that has met can begin before that date. Of messages that could begin at the same date,
 * the one posted first does. When a message will be over is known when it begins. */
#ifndef ORRERY_TESTS_COLL_HOCKNEY_H
#define ORRERY_TESTS_COLL_HOCKNEY_H

#include "coll/coll.h"
#include "test.h"

enum { HOCKNEY_RANKS = 128, HOCKNEY_NONE = 0x7fffffff };

struct hockney_cost {
	double alpha, beta, gamma;
};
struct hockney_request {
	double posted, end; /* end < 0: it has not met */
	int64_t len;
	int next, mate, rank, req, is_send;
};
struct hockney_rank {
	struct coll_cursor cursor;
	struct coll_steps steps;
	uint32_t at;
	double clock, out_free, in_free;
	int *open, n_open, cap_open, posted; /* posted: the blocking step's request */
	int blocked, ended;
};
struct hockney {
	const struct coll_alg *alg;
	const struct coll_args *args; /* of each rank */
	struct hockney_cost cost;
	uint32_t p;
	struct hockney_rank r[HOCKNEY_RANKS];
	int head[HOCKNEY_RANKS][HOCKNEY_RANKS], tail[HOCKNEY_RANKS][HOCKNEY_RANKS];
	struct hockney_request *q;
	int n, cap, *met, n_met, cap_met; /* met: sends whose receives are there, not begun */
};

static inline void *hockney_grow(void *v, int n, int *cap, size_t size)
{
	if (n < *cap)
		return v;
	*cap = *cap ? 2 * *cap : 64;
	v = realloc(v, (size_t)*cap * size);
	if (!v)
		abort();
	return v;
}

static inline double later(double a, double b)
{
	return a > b ? a : b;
}

static inline double hockney_start(const struct hockney *h, int send)
{
	const struct hockney_request *s = &h->q[send], *r = &h->q[s->mate];

	return later(later(s->posted, r->posted),
	             later(h->r[s->rank].out_free, h->r[r->rank].in_free));
}
/* The message that can begin first: its place in met, or HOCKNEY_NONE. */
static inline int hockney_first(const struct hockney *h, double *start)
{
	int first = HOCKNEY_NONE;

	for (int k = 0; k < h->n_met; k++) {
		double t = hockney_start(h, h->met[k]);

		if (first == HOCKNEY_NONE || t < *start ||
		    (t == *start && h->met[k] < h->met[first])) {
			first = k;
			*start = t;
		}
	}
	return first;
}
/* It takes the sender's way out and the receiver's way in. */
static inline void hockney_begin(struct hockney *h, int k, double start)
{
	struct hockney_request *s = &h->q[h->met[k]], *r = &h->q[s->mate];
	struct hockney_rank *from = &h->r[s->rank], *to = &h->r[r->rank];

	assert_int_equal(s->len, r->len);
	h->met[k] = h->met[--h->n_met];
	s->end = r->end = start + h->cost.alpha + h->cost.beta * (double)s->len;
	from->out_free = to->in_free = s->end;
	from->blocked = to->blocked = 0; /* to look again */
}
static inline void hockney_meet(struct hockney *h, int send, int recv)
{
	h->q[send].mate = recv;
	h->met = hockney_grow(h->met, h->n_met, &h->cap_met, sizeof *h->met);
	h->met[h->n_met++] = send;
}
static inline int hockney_post(struct hockney *h, uint32_t rank, const struct coll_step *s)
{
	int is_send = s->kind == STEP_SEND || s->kind == STEP_ISEND, i = h->n++;
	uint32_t from = is_send ? rank : s->peer, to = is_send ? s->peer : rank;
	int *head = &h->head[from][to], *tail = &h->tail[from][to];
	struct hockney_rank *r = &h->r[rank];

	h->q = hockney_grow(h->q, i, &h->cap, sizeof *h->q);
	h->q[i] = (struct hockney_request){.posted = r->clock,
	                                   .end = -1,
	                                   .len = s->len,
	                                   .next = HOCKNEY_NONE,
	                                   .rank = (int)rank,
	                                   .req = (int)s->req,
	                                   .is_send = is_send};
	r->open = hockney_grow(r->open, r->n_open, &r->cap_open, sizeof *r->open);
	r->open[r->n_open++] = i;
	if (*head != HOCKNEY_NONE && h->q[*head].is_send != is_send) {
		int other = *head;

		*head = h->q[other].next;
		hockney_meet(h, is_send ? i : other, is_send ? other : i);
		return i;
	}
	if (*head == HOCKNEY_NONE)
		*head = i;
	else
		h->q[*tail].next = i;
	*tail = i;
	return i;
}
/* Waits for open[k]: 1 if it has begun, and the clock has moved to its end. */
static inline int hockney_wait(struct hockney *h, struct hockney_rank *r, int k)
{
	double end = h->q[r->open[k]].end;

	if (end < 0)
		return 0;
	r->clock = later(r->clock, end);
	r->open[k] = r->open[--r->n_open];
	return 1;
}
static inline int hockney_step(struct hockney *h, uint32_t rank, const struct coll_step *s)
{
	struct hockney_rank *r = &h->r[rank];
	int k = 0;

	switch (s->kind) {
	case STEP_SEND:
	case STEP_RECV:
		if (r->posted == HOCKNEY_NONE)
			r->posted = hockney_post(h, rank, s);
		while (r->open[k] != r->posted)
			k++;
		if (!hockney_wait(h, r, k))
			return 0;
		r->posted = HOCKNEY_NONE;
		return 1;
	case STEP_ISEND:
	case STEP_IRECV:
		hockney_post(h, rank, s);
		return 1;
	case STEP_WAIT:
		while (h->q[r->open[k]].req != (int)s->req)
			k++;
		return hockney_wait(h, r, k);
	case STEP_WAITALL:
		while (r->n_open)
			if (!hockney_wait(h, r, r->n_open - 1))
				return 0;
		return 1;
	case STEP_REDUCE:
		r->clock += h->cost.gamma * (double)s->len;
		return 1;
	default:
		return 1;
	}
}
static inline struct hockney_rank *hockney_lowest(struct hockney *h)
{
	struct hockney_rank *lowest = NULL;

	for (uint32_t i = 0; i < h->p; i++)
		if (!h->r[i].blocked && !h->r[i].ended &&
		    (!lowest || h->r[i].clock < lowest->clock))
			lowest = &h->r[i];
	return lowest;
}
static inline void hockney_go_on(struct hockney *h, struct hockney_rank *r)
{
	uint32_t rank = (uint32_t)(r - h->r);

	if (r->at < r->steps.n) {
		r->blocked = !hockney_step(h, rank, &r->steps.s[r->at]);
		r->at += !r->blocked;
		return;
	}
	r->at = 0;
	r->steps.n = 0;
	r->ended = coll_next(h->alg, &h->args[rank], rank, &r->cursor, &r->steps) == COLL_END;
}
/* When the last rank has ended, if all begin at 0. */
static inline double hockney_time(const struct coll_alg *alg, const struct coll_args *args,
                                  struct hockney_cost cost)
{
	static struct hockney h;
	struct hockney_rank *r;
	double end = 0;

	memset(&h, 0, sizeof h);
	h.alg = alg;
	h.args = args;
	h.cost = cost;
	h.p = args[0].size;
	for (uint32_t i = 0; i < h.p; i++) {
		h.r[i].posted = HOCKNEY_NONE;
		for (uint32_t k = 0; k < h.p; k++)
			h.head[i][k] = HOCKNEY_NONE;
	}
	for (;;) {
		double start = 0;
		int k = hockney_first(&h, &start);

		r = hockney_lowest(&h);
		if (k != HOCKNEY_NONE && (!r || start < r->clock))
			hockney_begin(&h, k, start);
		else if (r)
			hockney_go_on(&h, r);
		else
			break;
	}
	for (uint32_t i = 0; i < h.p; i++) {
		assert_true(h.r[i].ended);
		end = later(end, h.r[i].clock);
		free(h.r[i].open);
	}
	free(h.q);
	free(h.met);
	return end;
}

#endif
