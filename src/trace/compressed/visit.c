/* visit.c: what is in a trace, without unfolding it: each call of the structure once, with how
 * often it is made, and what that costs in all. */
#include "chapter.h"
#include "file_name.h"

#include <math.h>

struct visiting {
	struct walk w;
	const struct trace_visitor *v;
	struct err *err;
	uint32_t depth;
};

/* What a slot of doubles comes to in n times. */
static double slot_sum(const struct visiting *x, uint32_t slot, uint64_t n)
{
	const struct chapter_slot *s = &x->w.cls->slot[slot];
	double sum = 0;

	if (s->bins && !s->turns)
		return (double)n * x->w.chapter->bins[s->bins - 1].mean;
	for (uint32_t i = 0; i < s->turns; i++) {
		uint64_t times = n / s->turns + (i < n % s->turns);

		sum += (double)times * chapter_bins(x->w.chapter, s, i)->mean;
	}
	if (s->turns)
		return sum;
	if (!walk_own_at(&x->w, slot)) {
		sum = bits_double(walk_slot(&x->w, slot, 0));
		return sum > 0 ? (double)n * sum : 0;
	}
	for (uint64_t i = 0; i < n; i++) {
		double v = bits_double(walk_slot(&x->w, slot, i));

		sum += v > 0 ? v : 0;
	}
	return sum;
}

/* The same of the i-th time alone: the mean, too, where it is drawn. */
static double slot_one(const struct visiting *x, uint32_t slot, uint64_t i)
{
	const struct chapter_slot *s = &x->w.cls->slot[slot];
	double v;

	if (s->bins)
		return chapter_bins(x->w.chapter, s, i)->mean;
	v = bits_double(walk_slot(&x->w, slot, i));
	return v > 0 ? v : 0;
}

/* Whether its parameters are not the same each time; sizes that are drawn count by their mean. */
static int call_varies(const struct visiting *x, const struct chapter_node *d)
{
	const struct chapter_call *call = &x->w.cls->call[d->call];

	for (uint32_t k = 2; k < call->columns; k++) {
		const struct chapter_slot *s = &x->w.cls->slot[d->slot + k];

		if (walk_own_at(&x->w, d->slot + k) ||
		    (s->bins && s->field != CALL_COUNT && s->field != CALL_COUNT2))
			return 1;
	}
	return 0;
}

static void sizes_mean(const struct visiting *x, const struct chapter_node *d,
                       struct trace_event *ev)
{
	const struct chapter_call *call = &x->w.cls->call[d->call];

	for (uint32_t k = 2; k < call->columns; k++) {
		const struct chapter_slot *s = &x->w.cls->slot[d->slot + k];

		if (s->bins && s->field == CALL_COUNT)
			ev->count = llround(x->w.chapter->bins[s->bins - 1].mean);
	}
}

static int call_visit(const struct visiting *x, const struct chapter_node *d, uint64_t n)
{
	char name[FILE_NAME_ROOM];
	struct trace_event ev;
	struct trace_seen seen = {.rank = x->w.rank, .depth = x->depth, .times = n, .ev = &ev};
	int r = 0;

	if (!call_varies(x, d)) {
		walk_event(&x->w, d, 0, &ev);
		sizes_mean(x, d, &ev);
		file_name_join(&ev, name);
		seen.volume = slot_sum(x, d->slot, n);
		seen.seconds = slot_sum(x, d->slot + 1, n);
		return x->v->call(x->v->self, &seen, x->err);
	}
	seen.times = 1;
	for (uint64_t i = 0; r == 0 && i < n; i++) {
		walk_event(&x->w, d, i, &ev);
		sizes_mean(x, d, &ev);
		file_name_join(&ev, name);
		seen.volume = slot_one(x, d->slot, i);
		seen.seconds = slot_one(x, d->slot + 1, i);
		r = x->v->call(x->v->self, &seen, x->err);
	}
	return r;
}

/* How often what is in a loop is gone through, if the loop is reached n times. */
static uint64_t loop_runs(const struct visiting *x, uint32_t slot, uint64_t n)
{
	const struct chapter_slot *s = &x->w.cls->slot[slot];

	if (s->bins)
		return (uint64_t)llround((double)n * x->w.chapter->bins[s->bins - 1].mean);
	if (walk_own_at(&x->w, slot))
		return (uint64_t)walk_slot(&x->w, slot, n - 1);
	return n * (uint64_t)walk_slot(&x->w, slot, 0);
}

/* The nodes [at, end), gone through n times. */
static int nodes_visit(struct visiting *x, uint32_t at, uint32_t end, uint64_t n)
{
	int r = 0;

	while (r == 0 && at < end) {
		const struct chapter_node *d = &x->w.cls->node[at];
		uint64_t runs = d->call == NODE_NONE ? loop_runs(x, d->slot, n) : 0;

		if (d->call != NODE_NONE)
			r = call_visit(x, d, n);
		if (runs > 0 && x->v->loop)
			r = x->v->loop(x->v->self, x->w.rank, runs, 1, x->err);
		x->depth++;
		if (runs > 0 && r == 0)
			r = nodes_visit(x, at + 1, d->end, runs);
		x->depth--;
		if (runs > 0 && r == 0 && x->v->loop)
			r = x->v->loop(x->v->self, x->w.rank, runs, 0, x->err);
		at = d->end;
	}
	return r;
}

int chapter_visit(const struct chapter *c, uint32_t rank, const uint8_t *own,
                  const struct trace_visitor *v, struct err *err)
{
	struct walk_frame frame[NEST_DEPTH + 2];
	struct visiting x = {.v = v, .err = err};

	walk_begin_at(&x.w, c, rank, own, frame);
	return nodes_visit(&x, 0, x.w.cls->nodes, 1);
}
