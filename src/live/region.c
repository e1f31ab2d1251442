/* region.c: regions of a running program: what it computes from one call of MPI to the next, named
 * as in a trace (src/launch/sites.c): "ring.c:12>ring.c:20". What each takes, where that is said
 * (struct live_regions), and what each took.
 *
 * An operation that begins a call of MPI ends a region. Others (a reading of the clock, a sleep,
 * the second operation of a call) do not: what was computed before them is held until one does. */
#include "live_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct live_region {
	char *name;
	int32_t id; /* of live_regions.find; -1: not known there */
	uint64_t times;
	double seconds;
};

int region_wanted(const struct live *l)
{
	return l->o.profiles || l->o.regions.find;
}

void regions_release(struct live *l)
{
	for (uint32_t i = 0; i < l->n_region; i++)
		free(l->region[i].name);
	free(l->region);
	hash64_release(&l->region_by_ends);
}

static int64_t region_add(struct live *l, uint64_t ends, struct err *err)
{
	const char *from = l->place[ends >> 32], *to = l->place[(uint32_t)ends];
	struct live_region *p = vec_grow(l->region, &l->cap_region, sizeof *p,
	                                 (size_t)l->n_region + 1, "regions", err);
	size_t n = strlen(from) + strlen(to) + 2;

	if (!p)
		return -1;
	l->region = p;
	p += l->n_region;
	*p = (struct live_region){.name = malloc(n), .id = -1};
	if (!p->name)
		return err_nomem(err, "regions", n);
	snprintf(p->name, n, "%s>%s", from, to);
	if (l->o.regions.find)
		p->id = l->o.regions.find(l->o.regions.self, p->name);
	l->n_region++;
	return hash64_put(&l->region_by_ends, ends, l->n_region - 1, err) < 0
	           ? -1
	           : (int64_t)l->n_region - 1;
}

/* Of the computation that ends with this call. */
static struct live_region *region_of(struct live *l, uint32_t rank, uint64_t to, struct err *err)
{
	struct lrank *r = &l->rank[rank];
	int64_t a = site_place(l, rank, r->from, err),
	        b = a < 0 ? -1 : site_place(l, rank, to, err);
	uint64_t ends = (uint64_t)a << 32 | (uint64_t)b;
	uint32_t known;
	int64_t i;

	if (b < 0)
		return NULL;
	known = hash64_find(&l->region_by_ends, ends);
	i = known != HASH_NONE ? (int64_t)known : region_add(l, ends, err);
	return i < 0 ? NULL : &l->region[i];
}

int region_computed(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	struct lrank *r = &l->rank[rank];
	struct live_region *g;
	double volume, seconds = -1;
	int first;

	r->held += op->computed;
	if (!(op->flags & WIRE_BEGINS))
		return MP_DONE;
	volume = r->held;
	r->held = 0;
	first = op->kind == WIRE_INIT; /* before it is no region */
	g = first ? NULL : region_of(l, rank, op->site, err);
	r->from = op->site;
	if (!g)
		return first ? MP_DONE : MP_ERROR;
	if (l->o.regions.seconds)
		seconds = l->o.regions.seconds(l->o.regions.self, rank, g->id, volume);
	g->times++;
	g->seconds += seconds >= 0 ? seconds : live_takes(l, rank, volume);
	return seconds < 0    ? live_computes(l, rank, volume, err)
	       : seconds == 0 ? MP_DONE
	                      : mp_compute_rated(l->mp, rank, 1e9 * seconds, seconds, err);
}

/* --- what is told --- */

static int by_seconds(const void *a, const void *b)
{
	const struct live_region *p = a, *q = b;

	return p->seconds != q->seconds ? (p->seconds < q->seconds) - (p->seconds > q->seconds)
	                                : strcmp(p->name, q->name);
}

enum { REGIONS_SHOWN = 20 };

void live_regions_text(struct live *l, struct str *out)
{
	char each[32], time[32];
	double all = 0;

	if (l->n_region == 0)
		return;
	qsort(l->region, l->n_region, sizeof *l->region, by_seconds);
	for (uint32_t i = 0; i < l->n_region; i++)
		all += l->region[i].seconds;
	/* of --computation none: names, for a file that says what each takes */
	str_printf(out, "\n%-44s %12s", "computation from call to call", "times");
	if (all > 0)
		str_printf(out, " %14s %14s %7s\n", "time each", "time in all", "of it");
	else
		str_puts(out, "   which take nothing\n");
	for (uint32_t i = 0; i < l->n_region && i < REGIONS_SHOWN; i++) {
		const struct live_region *g = &l->region[i];

		str_printf(out, "%-44s %12llu", g->name, (unsigned long long)g->times);
		fmt_seconds(each, sizeof each, g->seconds / (double)g->times);
		fmt_seconds(time, sizeof time, g->seconds);
		if (all > 0)
			str_printf(out, " %14s %14s %5.1f %%", each, time, 100 * g->seconds / all);
		str_printf(out, "%s\n",
		           !l->o.regions.find ? ""
		           : g->id >= 0       ? "  given"
		                              : "  not given");
	}
	if (l->n_region > REGIONS_SHOWN)
		str_printf(out, "and %u more: --json\n", l->n_region - REGIONS_SHOWN);
}

void live_regions_json(struct live *l, struct json *j)
{
	if (l->n_region > 0)
		qsort(l->region, l->n_region, sizeof *l->region, by_seconds);
	json_array(j);
	for (uint32_t i = 0; i < l->n_region; i++) {
		json_object(j);
		json_put_string(j, "name", l->region[i].name);
		json_put_int(j, "times", (int64_t)l->region[i].times);
		json_put_double(j, "seconds", l->region[i].seconds);
		if (l->o.regions.find) {
			json_key(j, "told");
			json_bool(j, l->region[i].id >= 0);
		}
		json_end(j);
	}
	json_end(j);
}
