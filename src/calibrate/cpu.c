/* cpu.c: see cpu.h. Rates are weighted: all volume over all seconds, so that a thousand
 * computations of a microsecond do not outvote one of a second (Markomanolis, thesis 2014, 4.1);
 * their deviation is that between runs. Computations of a region whose volumes differ by more than
 * a factor of two are apart: the small ones may fit in a cache. */
#include "cpu_int.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- one rank's computations --- */

struct burst {
	int32_t region;
	uint32_t order;
	double volume, seconds;
};
struct bursts {
	struct burst *item;
	uint32_t n, cap;
};

int cpu_region_is_site(const char *name)
{
	return strchr(name, '>') != NULL;
}

static int burst_put(struct cpu_rates *c, struct bursts *b, const char *name, double volume,
                     double seconds, struct err *err)
{
	struct burst *all = vec_grow(b->item, &b->cap, sizeof *all, (size_t)b->n + 1,
	                             "computations", err);
	int32_t region = all ? rates_region(&c->names, name, err) : -1;

	if (all)
		b->item = all;
	if (region < 0)
		return -1;
	all[b->n] = (struct burst){region, b->n, volume, seconds};
	b->n++;
	return 0;
}

/* "solve.c:120", or the name of the MPI function. */
static void place_name(const struct trace_event *ev, char *out, size_t n)
{
	if (ev->text)
		snprintf(out, n, "%s:%lld", ev->text, (long long)ev->line);
	else
		snprintf(out, n, "%s", trace_op_mpi((enum trace_op)ev->op));
}

/* What was computed without a region, up to a call. */
struct joined {
	char before[120];
	double volume, seconds;
};

static int joined_end(struct cpu_rates *c, struct bursts *b, struct joined *j,
                      const struct trace_event *ev, struct err *err)
{
	char here[120], name[260];
	int r = 0;

	place_name(ev, here, sizeof here);
	snprintf(name, sizeof name, "%s to %s", j->before, here);
	if (j->volume > 0 || j->seconds > 0)
		r = burst_put(c, b, name, j->volume, j->seconds, err);
	j->volume = j->seconds = 0;
	snprintf(j->before, sizeof j->before, "%s", here);
	return r;
}

static int bursts_read(struct cpu_rates *c, struct trace *t, uint32_t rank,
                       struct trace_regions *regions, struct bursts *b, struct err *err)
{
	struct joined j = {.before = "start"};
	struct trace_event ev;
	int more;

	b->n = 0;
	while ((more = trace_next(t, rank, &ev, err)) > 0) {
		int64_t id = ev.op == TRACE_COMPUTE ? trace_regions_find(regions, rank, &ev) : -1;
		double seconds = ev.duration > 0 ? ev.duration : 0;
		int r = 0;

		if (ev.op == TRACE_REGION) {
			r = trace_regions_define(regions, rank, &ev, err);
		} else if (id >= 0 && regions->name) {
			r = burst_put(c, b, regions->name[id], ev.volume, seconds, err);
		} else if (ev.op == TRACE_COMPUTE) {
			j.volume += ev.volume;
			j.seconds += seconds;
		} else if (trace_op_mpi((enum trace_op)ev.op)[0]) {
			r = joined_end(c, b, &j, &ev, err);
		}
		if (r < 0)
			return -1;
	}
	return more;
}

/* --- volumes of another run --- */

static int by_region(const void *a, const void *b)
{
	const struct burst *x = a, *y = b;

	if (x->region != y->region)
		return (x->region > y->region) - (x->region < y->region);
	return (x->order > y->order) - (x->order < y->order);
}

static uint32_t region_end(const struct bursts *b, uint32_t i)
{
	uint32_t k = i;

	while (k < b->n && b->item[k].region == b->item[i].region)
		k++;
	return k;
}

/* The volumes of n computations of a region, from those m of the other run: one each, or their sum
 * by seconds. */
static void volumes_of_region(struct burst *to, uint32_t n, const struct burst *from, uint32_t m)
{
	double sum = 0, seconds = 0;

	for (uint32_t i = 0; i < m; i++)
		sum += from[i].volume;
	for (uint32_t i = 0; i < n; i++)
		seconds += to[i].seconds;
	for (uint32_t i = 0; i < n; i++)
		to[i].volume = n == m        ? from[i].volume
		               : seconds > 0 ? sum * to[i].seconds / seconds
		                             : 0;
}

static void volumes_take(struct cpu_rates *c, struct bursts *to, struct bursts *from)
{
	uint32_t i = 0, k = 0;

	if (to->n > 0)
		qsort(to->item, to->n, sizeof *to->item, by_region);
	if (from->n > 0)
		qsort(from->item, from->n, sizeof *from->item, by_region);
	while (i < to->n) {
		uint32_t end = region_end(to, i);

		while (k < from->n && from->item[k].region < to->item[i].region)
			k = region_end(from, k);
		if (k < from->n && from->item[k].region == to->item[i].region) {
			volumes_of_region(to->item + i, end - i, from->item + k,
			                  region_end(from, k) - k);
		} else {
			c->unmatched += end - i;
			volumes_of_region(to->item + i, end - i, NULL, 0);
		}
		i = end;
	}
}

/* --- adding up --- */

static int cell_add(struct cpu_rates *c, const struct burst *b, int32_t host, double working_set,
                    struct err *err)
{
	int bin;
	uint64_t key;
	uint32_t i;

	frexp(b->volume, &bin);
	key = (uint64_t)(uint32_t)b->region << 32 | (uint64_t)(uint32_t)(bin + 1100) << 20 |
	      (uint32_t)host;
	i = hash64_find(&c->index, key);
	if (i == HASH_NONE) {
		struct cpu_cell *all = vec_grow(c->cell, &c->cap, sizeof *all, (size_t)c->n + 1,
		                                "rates", err);

		if (!all)
			return -1;
		c->cell = all;
		if (hash64_put(&c->index, key, c->n, err) < 0)
			return -1;
		i = c->n++;
		all[i] = (struct cpu_cell){.region = b->region,
		                           .host = host,
		                           .bin = bin,
		                           .run = c->runs,
		                           .working_set = working_set};
	}
	c->cell[i].n++;
	c->cell[i].volume += b->volume;
	c->cell[i].seconds += b->seconds;
	c->cell[i].volume_2 += b->volume * b->volume;
	c->cell[i].seconds_2 += b->seconds * b->seconds;
	c->cell[i].both += b->volume * b->seconds;
	c->volume += b->volume;
	c->seconds += b->seconds;
	return 0;
}

static int rank_add(struct cpu_rates *c, const struct bursts *b, int32_t host, double working_set,
                    struct err *err)
{
	for (uint32_t i = 0; i < b->n; i++)
		if (b->item[i].volume > 0 && b->item[i].seconds > 0 &&
		    cell_add(c, &b->item[i], host, working_set, err) < 0)
			return -1;
	return 0;
}

/* The rank's host: the next name of the list. */
static int32_t host_next(struct cpu_rates *c, const char **p, struct err *err)
{
	size_t n = strcspn(*p, ",");
	char name[256];

	snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), *p);
	if ((*p)[n] == ',')
		*p += n + 1;
	return rates_host(&c->names, *name ? name : "?", err);
}

int cpu_add(struct cpu_rates *c, struct trace *t, struct trace *volumes, const char *hosts,
            double working_set, struct err *err)
{
	struct trace_regions regions = {0}, other_regions = {0};
	struct bursts b = {0}, other = {0};
	const char *p = hosts && *hosts ? hosts : "?";
	int r = 0;

	if (volumes && trace_ranks(volumes) != trace_ranks(t))
		return err_set(err, ERR_INPUT,
		               "the trace of the volumes has %u ranks, that of the durations %u: "
		               "they must be runs of one program on as many",
		               trace_ranks(volumes), trace_ranks(t));
	hash64_release(&c->index);
	hash64_init(&c->index);
	for (uint32_t rank = 0; rank < trace_ranks(t) && r == 0; rank++) {
		int32_t host = host_next(c, &p, err);

		r = host < 0 || bursts_read(c, t, rank, &regions, &b, err) < 0 ? -1 : 0;
		if (r == 0 && volumes) {
			r = bursts_read(c, volumes, rank, &other_regions, &other, err);
			volumes_take(c, &b, &other);
		}
		if (r == 0)
			r = rank_add(c, &b, host, working_set, err);
	}
	c->runs++;
	trace_regions_release(&regions);
	trace_regions_release(&other_regions);
	free(b.item);
	free(other.item);
	return r;
}

void cpu_release(struct cpu_rates *c)
{
	rates_release(&c->names);
	hash64_release(&c->index);
	free(c->cell);
	*c = (struct cpu_rates){0};
}

/* --- rates --- */

void tally_run(struct tally *t)
{
	double rate = t->run_volume / t->run_seconds, step;

	if (!(t->run_seconds > 0))
		return;
	t->runs++;
	step = rate - t->mean;
	t->mean += step / t->runs;
	t->square += step * (rate - t->mean);
	t->least = t->runs == 1 || rate < t->least ? rate : t->least;
	t->most = rate > t->most ? rate : t->most;
	t->run_volume = t->run_seconds = 0;
}

void tally_add(struct tally *t, const struct cpu_cell *c)
{
	if (t->run != c->run)
		tally_run(t);
	t->run = c->run;
	t->run_volume += c->volume;
	t->run_seconds += c->seconds;
	t->volume += c->volume;
	t->seconds += c->seconds;
	t->n += c->n;
	if (c->n > 1) { /* of each computation beside the rate of its run */
		double each = c->seconds / c->volume;

		t->apart += (c->seconds_2 - 2 * each * c->both + each * each * c->volume_2) *
		            (double)c->n / (double)(c->n - 1);
		t->expected += each * each * c->volume_2;
	}
}

/* Of one computation, relative; long ones count for what they take, as they do in a sum. What
 * rounding leaves of equal ones is nothing. */
static double tally_scatter(const struct tally *t)
{
	return t->apart > 1e-12 * t->expected ? sqrt(t->apart / t->expected) : 0;
}

double tally_deviation(const struct tally *t)
{
	return t->runs > 1 ? sqrt(t->square / (t->runs - 1)) / t->mean : 0;
}

int cpu_by_row(const void *a, const void *b)
{
	const struct cpu_cell *x = a, *y = b;
	int r = compare(x->region, y->region);

	r = r ? r : compare(x->working_set, y->working_set);
	r = r ? r : compare(x->bin, y->bin);
	r = r ? r : compare(x->run, y->run);
	return r ? r : compare(x->host, y->host);
}

static int by_host(const void *a, const void *b)
{
	int r = compare(((const struct cpu_cell *)a)->host, ((const struct cpu_cell *)b)->host);

	return r ? r : cpu_by_row(a, b);
}

static int same_row(const struct cpu_cell *a, const struct cpu_cell *b)
{
	return a->region == b->region && a->working_set == b->working_set && a->bin == b->bin;
}

/* A row of each group of sorted cells. individually: hosts are groups of their own. */
static int rows_put(const struct cpu_rates *c, const struct cpu_cell *cell, int individually,
                    struct rates *out, struct err *err)
{
	for (uint32_t i = 0, end; i < c->n; i = end) {
		struct tally t = {.run = cell[i].run};
		struct rate_row row = {.host = RATES_ANY, .working_set = cell[i].working_set};

		for (end = i; end < c->n && same_row(&cell[i], &cell[end]) &&
		              (!individually || cell[i].host == cell[end].host);
		     end++)
			tally_add(&t, &cell[end]);
		tally_run(&t);
		if (!cpu_region_is_site(c->names.region[cell[i].region]))
			continue;
		row.region = rates_region(out, c->names.region[cell[i].region], err);
		if (individually)
			row.host = rates_host(out, c->names.host[cell[i].host], err);
		if (row.region < 0 || (individually && row.host < 0))
			return -1;
		row.volume = t.volume / (double)t.n;
		row.rate = t.volume / t.seconds;
		row.deviation = tally_deviation(&t);
		row.scatter = tally_scatter(&t);
		row.times = t.n;
		row.seconds = t.seconds;
		if (rates_add(out, &row, err) < 0)
			return -1;
	}
	return 0;
}

/* What the rates of all hosts would have a host's computations take, over what they took. */
static int factors_put(const struct cpu_rates *c, const struct cpu_cell *cell, struct rates *out,
                       struct err *err)
{
	for (uint32_t i = 0, end; i < c->n; i = end) {
		double predicted = 0, seconds = 0;
		int32_t host = rates_host(out, c->names.host[cell[i].host], err);

		if (host < 0)
			return -1;
		for (end = i; end < c->n && cell[end].host == cell[i].host; end++) {
			const char *name = c->names.region[cell[end].region];
			uint32_t region = hash_str_find(&out->region_index, name);
			enum rates_source source;

			predicted += cell[end].volume /
			             rates_find(out,
			                        region == HASH_NONE ? RATES_ANY : (int32_t)region,
			                        RATES_ANY, cell[end].volume / (double)cell[end].n,
			                        cell[end].working_set, &source);
			seconds += cell[end].seconds;
		}
		out->factor[host] = predicted / seconds;
	}
	return 0;
}

int cpu_fit(const struct cpu_rates *c, const char *counter, struct rates *out, struct err *err)
{
	struct cpu_cell *cell = malloc(((size_t)c->n + 1) * sizeof *cell);
	int r;

	*out = (struct rates){.speed = c->volume / c->seconds,
	                      .counter = strdup(counter ? counter : "")};
	if (!cell || !out->counter) {
		free(cell);
		rates_release(out);
		return err_nomem(err, "rates", (unsigned long long)c->n * sizeof *cell);
	}
	memcpy(cell, c->cell, c->n * sizeof *cell);
	qsort(cell, c->n, sizeof *cell, cpu_by_row);
	r = rows_put(c, cell, 0, out, err);
	if (r == 0)
		r = rates_ready(out, err);
	if (r == 0 && c->names.hosts > 1) {
		qsort(cell, c->n, sizeof *cell, by_host);
		r = factors_put(c, cell, out, err);
		r = r == 0 ? rows_put(c, cell, 1, out, err) : -1;
		r = r == 0 ? rates_ready(out, err) : -1;
	}
	free(cell);
	if (r < 0)
		rates_release(out);
	return r;
}
