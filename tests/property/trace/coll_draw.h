/* coll_draw.h: random calls of collectives on the world and on another communicator, whose members
 * are in any order, with arguments that fit together, as lines of our form. */
#ifndef ORRERY_TESTS_COLL_DRAW_H
#define ORRERY_TESTS_COLL_DRAW_H

#include "test.h"

#include "base/base.h"
#include "base/rng.h"

enum { GROUP_RANKS = 9, GROUP_CALLS = 3 };

static inline int coll_random(struct rng *r, int n)
{
	return (int)rng_below(r, (uint64_t)n);
}

struct group {
	int member[GROUP_RANKS], n, number;
};

enum coll {
	BARRIER,
	BCAST,
	REDUCE,
	ALLREDUCE,
	GATHER,
	SCATTER,
	ALLGATHER,
	ALLTOALL,
	GATHERV,
	SCATTERV,
	ALLGATHERV,
	ALLTOALLV,
	SCAN,
	REDUCESCATTER,
	REDUCESCATTERBLOCK,
	COLLS
};

static inline void counts_put(struct str *s, const int *count, int n, int by)
{
	for (int i = 0; i < n; i++)
		str_printf(s, " %d", count[i * by]);
}

struct drawn_coll {
	enum coll c;
	int root, one, count[GROUP_RANKS * GROUP_RANKS];
};

/* The line of member i. */
static inline void coll_line(struct str *s, const struct group *g, const struct drawn_coll *d,
                             int i)
{
	const int *count = d->count;

	switch (d->c) {
	case BARRIER:
		str_puts(s, "barrier");
		break;
	case BCAST:
		str_printf(s, "bcast %d %d 6", d->one, d->root);
		break;
	case REDUCE:
		str_printf(s, "reduce %d 0 %d 6", d->one, d->root);
		break;
	case GATHER:
	case SCATTER:
		str_printf(s, "%s %d %d %d 6 6", d->c == GATHER ? "gather" : "scatter", d->one,
		           d->one, d->root);
		break;
	case ALLGATHER:
	case ALLTOALL:
		str_printf(s, "%s %d %d 6 6", d->c == ALLGATHER ? "allgather" : "alltoall", d->one,
		           d->one);
		break;
	case GATHERV:
		str_printf(s, "gatherv %d", count[i]);
		counts_put(s, count, i == d->root ? g->n : 0, 1);
		str_printf(s, " %d 6 6", d->root);
		break;
	case SCATTERV:
		str_puts(s, "scatterv");
		counts_put(s, count, i == d->root ? g->n : 0, 1);
		str_printf(s, " %d %d 6 6", count[i], d->root);
		break;
	case ALLGATHERV:
		str_printf(s, "allgatherv %d", count[i]);
		counts_put(s, count, g->n, 1);
		str_puts(s, " 6 6");
		break;
	case ALLTOALLV: /* from i to k: i * n + k */
		str_puts(s, "alltoallv 0");
		counts_put(s, count + i * g->n, g->n, 1);
		str_puts(s, " 0");
		counts_put(s, count + i, g->n, g->n);
		str_puts(s, " 6 6");
		break;
	case REDUCESCATTER:
		str_puts(s, "reducescatter");
		counts_put(s, count, g->n, 1);
		str_puts(s, " 0 6");
		break;
	default:
		str_printf(s, "%s %d 0 6",
		           d->c == SCAN        ? "scan"
		           : d->c == ALLREDUCE ? "allreduce"
		                               : "reducescatterblock",
		           d->one);
		break;
	}
}

static inline void group_draw(struct rng *r, struct group *g, int ranks, int number)
{
	g->n = 0;
	g->number = number;
	for (int i = 0; i < ranks; i++)
		if (number < 0 || coll_random(r, 2)) {
			int at = number < 0 ? i : coll_random(r, g->n + 1);

			memmove(&g->member[at + 1], &g->member[at],
			        (size_t)(g->n - at) * sizeof *g->member);
			g->member[at] = i;
			g->n++;
		}
}

static inline void group_lines(struct str *s, const struct group *g, int rank)
{
	str_printf(s, "%d comm_create comm=%d.%d members=", rank, g->member[0], g->number);
	for (int i = 0; i < g->n; i++)
		str_printf(s, "%s%d", i ? "," : "", g->member[i]);
	str_puts(s, "\n");
}

/* Some calls of collectives on some communicators. */
struct session {
	struct group group[2]; /* the world, another */
	struct {
		int group;
		struct drawn_coll d;
	} call[GROUP_CALLS];
	int ranks, calls;
};

static inline void session_draw(struct rng *r, struct session *s)
{
	s->ranks = 1 + coll_random(r, GROUP_RANKS);
	s->calls = 1 + coll_random(r, GROUP_CALLS);
	group_draw(r, &s->group[0], s->ranks, -1);
	group_draw(r, &s->group[1], s->ranks, 4);
	for (int i = 0; i < s->calls; i++) {
		struct drawn_coll *d = &s->call[i].d;
		const struct group *g;

		s->call[i].group = s->group[1].n > 0 && coll_random(r, 2);
		g = &s->group[s->call[i].group];
		*d = (struct drawn_coll){.c = (enum coll)coll_random(r, COLLS),
		                         .root = coll_random(r, g->n),
		                         .one = coll_random(r, 5000)};
		for (int k = 0; k < g->n * g->n; k++)
			d->count[k] = coll_random(r, 3) ? coll_random(r, 900) : 0;
	}
}

static inline struct str session_lines(const struct session *s)
{
	struct str all = {0};

	for (int rank = 0; rank < s->ranks; rank++) {
		int in[2] = {rank, -1};

		for (int i = 0; i < s->group[1].n; i++)
			in[1] = s->group[1].member[i] == rank ? i : in[1];
		if (in[1] >= 0)
			group_lines(&all, &s->group[1], rank);
		for (int c = 0; c < s->calls; c++) {
			const struct group *g = &s->group[s->call[c].group];

			if (in[s->call[c].group] < 0)
				continue;
			str_printf(&all, "%d ", rank);
			coll_line(&all, g, &s->call[c].d, in[s->call[c].group]);
			if (s->call[c].group)
				str_printf(&all, " comm=%d.%d", g->member[0], g->number);
			str_puts(&all, "\n");
		}
	}
	return all;
}

#endif
