/* goal_draw.h: random schedules of GOAL: graphs of operations, written in its text and in its
 * binary form from the descriptions in docs/foreign-traces.md, by nothing of ours. Each operation
 * of a rank has a size of its own, by which it is known again. */
#ifndef ORRERY_TESTS_GOAL_DRAW_H
#define ORRERY_TESTS_GOAL_DRAW_H

#include "unit/trace/foreign_text.h"

#include "base/rng.h"

enum { DRAW_RANKS = 3, DRAW_OPS = 14, DRAW_EDGES = 40 };
enum draw_kind { DRAW_SEND = 1, DRAW_RECV = 2, DRAW_CALC = 3 };

struct draw_op {
	enum draw_kind kind;
	int peer, tag; /* -1: any */
	int64_t size;  /* bytes, ns */
	int cpu, nic;
};
struct draw_edge { /* `to` starts after `from` has ended, has begun */
	int from, to, start;
};
struct draw_rank {
	struct draw_op op[DRAW_OPS];
	struct draw_edge edge[DRAW_EDGES];
	int n, edges;
};
struct draw_goal {
	struct draw_rank rank[DRAW_RANKS];
	int ranks;
};

static inline int draw(struct rng *r, int n)
{
	return (int)rng_below(r, (uint64_t)n);
}

/* Around the sizes at which numbers of 31, 32 and 40 bits end. */
static inline int64_t draw_size(struct rng *r, int number)
{
	static const int64_t base[] = {
	    16, 16, 16, (int64_t)1 << 31, (int64_t)1 << 32, ((int64_t)1 << 40) - 5};

	return base[draw(r, 6)] + number;
}

static inline void draw_rank(struct rng *r, struct draw_rank *k, int ranks)
{
	int order[DRAW_OPS], wanted = draw(r, DRAW_EDGES);

	*k = (struct draw_rank){.n = draw(r, DRAW_OPS + 1)};
	for (int i = 0; i < k->n; i++) {
		struct draw_op *o = &k->op[i];
		int receives;

		o->kind = (enum draw_kind)(1 + draw(r, 3));
		receives = o->kind == DRAW_RECV;
		o->peer = draw(r, ranks) - (receives && draw(r, 4) == 0 ? ranks : 0);
		o->peer = o->peer < 0 ? -1 : o->peer;
		o->tag = receives && draw(r, 4) == 0 ? -1 : draw(r, 3) * 2147483 * (i + 1);
		o->size = o->kind == DRAW_CALC && draw(r, 4) == 0 ? 0 : draw_size(r, i);
		o->cpu = draw(r, 6) ? 0 : draw(r, 200);
		o->nic = draw(r, 6) ? 0 : draw(r, 200);
		order[i] = i;
	}
	for (int i = k->n - 1; i > 0; i--) { /* the file's order is not the graph's */
		int at = draw(r, i + 1), x = order[i];

		order[i] = order[at];
		order[at] = x;
	}
	for (int i = 0; i < wanted && k->n > 1; i++) {
		int from = draw(r, k->n - 1), to = from + 1 + draw(r, k->n - 1 - from);

		k->edge[k->edges++] = (struct draw_edge){order[from], order[to], draw(r, 4) == 0};
	}
}

static inline void draw_schedule(struct rng *r, struct draw_goal *g)
{
	g->ranks = 1 + draw(r, DRAW_RANKS);
	for (int i = 0; i < g->ranks; i++)
		draw_rank(r, &g->rank[i], g->ranks);
}

/* --- text --- */

static inline void blank_put(struct rng *r, struct str *s)
{
	static const char *const blanks[] = {" ", "\t", "  ", " \t ", " /* a: calc 3 */ "};

	str_puts(s, blanks[draw(r, 8) ? draw(r, 2) : draw(r, 5)]);
}

static inline void end_put(struct rng *r, struct str *s)
{
	static const char *const ends[] = {
	    "\n", "\r\n", " \n", "\n\n", " // l0 requires l1\n", "/* over\n lines */\n"};

	str_puts(s, ends[draw(r, 4) ? 0 : draw(r, 6)]);
}

static inline void clause_put(struct rng *r, struct str *s, const char *word, int v)
{
	if (v == 0 && draw(r, 2))
		return;
	blank_put(r, s);
	str_puts(s, word);
	blank_put(r, s);
	str_printf(s, "%d", v);
}

static inline void op_put(struct rng *r, struct str *s, const struct draw_op *o)
{
	static const char *const words[] = {NULL, "send", "recv", "calc"};

	str_puts(s, words[o->kind]);
	blank_put(r, s);
	str_printf(s, "%lld", (long long)o->size);
	if (o->kind != DRAW_CALC) {
		str_puts(s, draw(r, 4) ? "b" : " b");
		blank_put(r, s);
		str_puts(s, o->kind == DRAW_SEND ? "to" : "from");
		blank_put(r, s);
		str_printf(s, "%d", o->peer);
		clause_put(r, s, "tag", o->tag);
	}
	clause_put(r, s, "cpu", o->cpu);
	clause_put(r, s, "nic", o->nic);
	end_put(r, s);
}

/* Dependencies stand anywhere behind the operations that they name. */
static inline void rank_text_put(struct rng *r, struct str *s, const struct draw_rank *k)
{
	int done[DRAW_EDGES] = {0};

	for (int i = 0; i <= k->n; i++) {
		for (int e = 0; e < k->edges; e++) {
			const struct draw_edge *d = &k->edge[e];

			if (done[e] || d->from >= i || d->to >= i || (i < k->n && draw(r, 3)))
				continue;
			done[e] = 1;
			str_printf(s, "op_%d %s op_%d", d->to, d->start ? "irequires" : "requires",
			           d->from);
			end_put(r, s);
		}
		if (i == k->n)
			break;

		str_printf(s, "op_%d: ", i);
		op_put(r, s, &k->op[i]);
	}
}

static inline void goal_text_put(struct rng *r, struct str *s, const struct draw_goal *g)
{
	end_put(r, s);
	str_printf(s, "num_ranks %d", g->ranks);
	end_put(r, s);
	for (int i = 0; i < g->ranks; i++) {
		str_printf(s, "rank %d {", i);
		end_put(r, s);
		rank_text_put(r, s, &g->rank[i]);
		str_puts(s, "}");
		end_put(r, s);
	}
}

/* --- binary --- */

static inline void op_binary(struct blob *b, const struct draw_rank *k, int i, int *at)
{
	const struct draw_op *o = &k->op[i];
	int waits = 0, ends[2] = {0, 0}, from[2];

	for (int e = 0; e < k->edges; e++) {
		waits += k->edge[e].to == i;
		if (k->edge[e].from == i)
			ends[k->edge[e].start]++;
	}
	from[0] = *at;
	from[1] = from[0] + ends[0];
	*at = from[1] + ends[1];
	blob_put(b, (uint64_t)waits, 4);
	blob_put(b, (uint64_t)o->kind, 1);
	blob_put(b, (uint32_t)o->peer, 4);
	blob_put(b, (uint64_t)o->size, 8);
	blob_put(b, (uint32_t)o->tag, 4);
	blob_put(b, (uint64_t)o->cpu, 1);
	blob_put(b, (uint64_t)o->nic, 1);
	for (int start = 0; start < 2; start++) {
		blob_put(b, (uint64_t)ends[start], 4);
		blob_put(b, (uint64_t)from[start], 4);
	}
}

static inline void rank_binary_put(struct blob *b, const struct draw_rank *k)
{
	int roots = 0, at = 0, is_root[DRAW_OPS];

	for (int i = 0; i < k->n; i++) {
		is_root[i] = 1;
		for (int e = 0; e < k->edges; e++)
			is_root[i] &= k->edge[e].to != i;
		roots += is_root[i];
	}
	blob_put(b, (uint64_t)k->n, 4);
	blob_put(b, (uint64_t)roots, 4);
	for (int i = 0; i < k->n; i++)
		if (is_root[i])
			blob_put(b, (uint64_t)i, 4);
	for (int i = 0; i < k->n; i++)
		op_binary(b, k, i, &at);
	for (int i = 0; i < k->n; i++)
		for (int start = 0; start < 2; start++)
			for (int e = 0; e < k->edges; e++)
				if (k->edge[e].from == i && k->edge[e].start == start)
					blob_put(b, (uint64_t)k->edge[e].to, 4);
}

static inline void number_set(struct blob *b, size_t at, uint64_t v)
{
	for (int i = 0; i < 8; i++)
		b->at[at + (size_t)i] = (unsigned char)(v >> 8 * i);
}

static inline void goal_binary_put(struct blob *b, const struct draw_goal *g)
{
	*b = (struct blob){.n = 0};
	blob_put(b, 4223, 8);
	blob_put(b, (uint64_t)g->ranks, 4);
	blob_put(b, 0, 2);
	for (int i = 0; i < 2 * g->ranks; i++)
		blob_put(b, 0, 8);
	for (int i = 0; i < g->ranks; i++) {
		number_set(b, 14 + 16 * (size_t)i, b->n - 8);
		rank_binary_put(b, &g->rank[i]);
		number_set(b, 22 + 16 * (size_t)i, b->n - 8);
	}
}

#endif
