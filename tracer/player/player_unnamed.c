/* player_unnamed.c: requests that their trace has no number for, as those of SimGrid's traces. What
 * completes one names it by source, destination and tag, or means the oldest or the latest. They
 * get numbers below those of traces, which are given again. */
#include "player.h"

#include <stdlib.h>

struct unnamed {
	int64_t number;
	int32_t src, dst, tag;
	uint8_t receive;
};

enum { NUMBER_FIRST = -2 }; /* -1 is none */

MPI_Request *unnamed_request(struct player *p, const struct trace_event *ev, int receive,
                             struct err *err)
{
	struct unnamed_list *l = &p->unnamed;
	struct unnamed *all = vec_grow(l->all, &l->cap, sizeof *all, (size_t)l->n + 1,
	                               "requests without a number", err);
	int64_t *spare = all ? vec_grow(l->spare, &l->cap_spare, sizeof *spare, (size_t)l->n + 1,
	                                "requests without a number", err)
	                     : NULL;
	int64_t number;

	l->all = all ? all : l->all;
	l->spare = spare ? spare : l->spare;
	if (!spare)
		return NULL;
	number = l->n_spare > 0 ? l->spare[--l->n_spare] : NUMBER_FIRST - (int64_t)l->made++;
	all[l->n++] = receive ? (struct unnamed){number, ev->peer, p->rank, ev->tag, 1}
	                      : (struct unnamed){number, p->rank, ev->peer, ev->tag, 0};
	return player_request(p, number, err);
}

static int is_meant(const struct unnamed *u, const struct trace_event *ev, int wild)
{
	if (!(ev->flags & TRACE_BY_KEY))
		return u->receive || !(ev->flags & TRACE_LATEST_RECV);
	return u->dst == ev->peer2 && (u->src == ev->peer || (wild && u->src == TRACE_ANY)) &&
	       (u->tag == ev->tag || (wild && u->tag == TRACE_ANY));
}

/* Its place in the list, or n: none. */
static uint32_t unnamed_find(const struct unnamed_list *l, const struct trace_event *ev, int wild)
{
	int latest = ev->flags & (TRACE_LATEST | TRACE_LATEST_RECV) && !(ev->flags & TRACE_BY_KEY);

	for (uint32_t k = 0; k < l->n; k++) {
		uint32_t i = latest ? l->n - 1 - k : k;

		if (is_meant(&l->all[i], ev, wild))
			return i;
	}
	return l->n;
}

/* It is complete: its number, whose request is null, is free again. */
static void unnamed_end(struct unnamed_list *l, uint32_t i)
{
	l->spare[l->n_spare++] = l->all[i].number;
	l->n--;
	for (; i < l->n; i++)
		l->all[i] = l->all[i + 1];
}

int unnamed_complete(struct player *p, const struct trace_event *ev, struct err *err)
{
	struct unnamed_list *l = &p->unnamed;
	uint32_t i = unnamed_find(l, ev, 0);
	MPI_Request *q;
	int flag = 1, r;

	if (i == l->n)
		i = unnamed_find(l, ev, 1);
	if (i == l->n) /* a test has completed it */
		return 0;
	q = player_request(p, l->all[i].number, err);
	if (!q)
		return -1;
	r = ev->op == TRACE_WAIT ? MPI_Wait(q, MPI_STATUS_IGNORE)
	                         : MPI_Test(q, &flag, MPI_STATUS_IGNORE);
	if (r == MPI_SUCCESS && flag)
		unnamed_end(l, i);
	return r;
}

void unnamed_completed(struct player *p)
{
	while (p->unnamed.n > 0)
		unnamed_end(&p->unnamed, p->unnamed.n - 1);
}

void unnamed_release(struct player *p)
{
	free(p->unnamed.all);
	free(p->unnamed.spare);
}
