/* freed.c: see schedule_int.h. */
#include "schedule_int.h"

#include <stdlib.h>
#include <string.h>

enum { FEW = 16 };

int freed_add(struct freed *f, uint32_t id, struct err *err)
{
	uint32_t *all = vec_grow(f->id, &f->cap, sizeof *all, (size_t)f->n + 1,
	                         "operations that are ready", err);

	if (!all)
		return -1;
	f->id = all;
	all[f->n++] = id;
	return 0;
}

int freed_tell(struct freed *f, struct trace_schedule *s, uint32_t id, struct told told,
               struct err *err)
{
	const struct schedule_op *op = &s->op[id];
	uint32_t base = s->first[op->rank], outs = schedule_outs(op);

	for (uint32_t k = 0; k < outs; k++) {
		uint32_t edge = s->edge[op->out + k], to_id = base + (edge >> 1), path = told.path;
		struct schedule_op *to = &s->op[to_id];

		if ((edge & 1) != (uint32_t)told.start) {
			if (told.start)
				break;
			continue;
		}
		if (to->date > told.date) /* told out of order: there are paths */
			path = f->paths ? f->paths[to_id] : path;
		else if (f->trail)
			trail_freed(f->trail, to_id, id, told.start);
		to->date = to->date > told.date ? to->date : told.date;
		if (--to->waits == 0) {
			to->path = path;
			if (freed_add(f, to_id, err) < 0)
				return -1;
		} else if (f->paths) {
			f->paths[to_id] = path;
		}
	}
	return 0;
}

static void few_sort(struct freed *f, const struct trace_schedule *s)
{
	for (uint32_t i = 1; i < f->n; i++) {
		uint32_t id = f->id[i], k = i;
		uint64_t order = (uint64_t)s->op[id].rank << 2 | s->op[id].kind;

		for (; k > 0; k--) {
			const struct schedule_op *before = &s->op[f->id[k - 1]];

			if (((uint64_t)before->rank << 2 | before->kind) <= order)
				break;
			f->id[k] = f->id[k - 1];
		}
		f->id[k] = id;
	}
}

/* By counting: at[] is of the lowest rank, then of the others, by kinds. */
static int many_sort(struct freed *f, const struct trace_schedule *s, struct err *err)
{
	uint32_t low = UINT32_MAX, at[8] = {0}, sum = 0;
	uint32_t *was = malloc(f->n * sizeof *was);

	if (!was)
		return err_nomem(err, "operations that are ready", f->n * sizeof *was);
	memcpy(was, f->id, f->n * sizeof *was);
	for (uint32_t i = 0; i < f->n; i++)
		low = s->op[was[i]].rank < low ? s->op[was[i]].rank : low;
	for (uint32_t i = 0; i < f->n; i++)
		at[(s->op[was[i]].rank != low) * 4 + s->op[was[i]].kind]++;
	for (uint32_t k = 0; k < 8; k++) {
		uint32_t n = at[k];

		at[k] = sum;
		sum += n;
	}
	for (uint32_t i = 0; i < f->n; i++)
		f->id[at[(s->op[was[i]].rank != low) * 4 + s->op[was[i]].kind]++] = was[i];
	free(was);
	return 0;
}

int freed_sort(struct freed *f, const struct trace_schedule *s, struct err *err)
{
	if (f->n > FEW)
		return many_sort(f, s, err);
	few_sort(f, s);
	return 0;
}

/* --- LogGOPSim's order --- */

/* LogGOPSim sorts what becomes ready of a rank by its kind, with C++'s std::sort, which leaves
 * equals as they were up to 16 of them. Of more, where they come to is libstdc++'s: introsort
 * (Musser, "Introspective sorting and selection algorithms", 1997), whose pivot is the median of
 * the second, the middle and the last, down to parts of 16, and one insertion sort at the end. With
 * three kinds it never comes near the depth at which it would change to a heap. */
struct kinds {
	uint32_t *id;
	const struct schedule_op *op;
};

static int before(const struct kinds *k, uint32_t a, uint32_t b)
{
	return k->op[k->id[a]].kind < k->op[k->id[b]].kind;
}

static void swap(const struct kinds *k, uint32_t a, uint32_t b)
{
	uint32_t id = k->id[a];

	k->id[a] = k->id[b];
	k->id[b] = id;
}

static uint32_t median(const struct kinds *k, uint32_t a, uint32_t b, uint32_t c)
{
	if (before(k, a, b))
		return before(k, b, c) ? b : before(k, a, c) ? c : a;
	return before(k, a, c) ? a : before(k, b, c) ? c : b;
}

/* Where the second part of [first, last) begins; the pivot is at `first`. */
static uint32_t partition(const struct kinds *k, uint32_t first, uint32_t last)
{
	uint32_t low = first + 1, high = last;

	for (;; low++) {
		while (before(k, low, first))
			low++;
		for (high--; before(k, first, high);)
			high--;
		if (low >= high)
			return low;
		swap(k, low, high);
	}
}

static void parts_sort(const struct kinds *k, uint32_t first, uint32_t last)
{
	while (last - first > FEW) {
		swap(k, first, median(k, first + 1, first + (last - first) / 2, last - 1));
		uint32_t cut = partition(k, first, last);

		parts_sort(k, cut, last);
		last = cut;
	}
}

static void insertion_sort(const struct kinds *k, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		for (uint32_t at = i; at > 0 && before(k, at, at - 1); at--)
			swap(k, at, at - 1);
}

int freed_sort_as_loggopsim(struct freed *f, const struct trace_schedule *s, struct err *err)
{
	uint32_t low = UINT32_MAX, n = 0, rest = 0, *others;

	if (f->n <= FEW) {
		few_sort(f, s);
		return 0;
	}
	others = malloc(f->n * sizeof *others);
	if (!others)
		return err_nomem(err, "operations that are ready", f->n * sizeof *others);
	for (uint32_t i = 0; i < f->n; i++)
		low = s->op[f->id[i]].rank < low ? s->op[f->id[i]].rank : low;
	for (uint32_t i = 0; i < f->n; i++)
		if (s->op[f->id[i]].rank == low)
			f->id[n++] = f->id[i];
		else
			others[rest++] = f->id[i];
	memcpy(f->id + n, others, rest * sizeof *others);
	free(others);
	parts_sort(&(struct kinds){f->id, s->op}, 0, n);
	insertion_sort(&(struct kinds){f->id, s->op}, n);
	parts_sort(&(struct kinds){f->id + n, s->op}, 0, rest);
	insertion_sort(&(struct kinds){f->id + n, s->op}, rest);
	return 0;
}

void freed_release(struct freed *f)
{
	free(f->id);
	free(f->paths);
}
