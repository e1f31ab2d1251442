/* region.c: regions of the program in a replay: how long a computation of one takes at calibrated
 * rates, and what each took in all. */
#include "replay_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int region_event(struct replay *r, uint32_t rank, const struct trace_event *ev, struct err *err)
{
	uint32_t before = r->regions.n;
	struct region_use *use;

	if (trace_regions_define(&r->regions, rank, ev, err) < 0)
		return -1;
	use = vec_grow(r->region, &r->cap_region, sizeof *use, r->regions.n, "regions", err);
	if (!use)
		return -1;
	r->region = use;
	if (r->regions.n > before) {
		uint32_t i = r->options.rates
		                 ? hash_str_find(&r->options.rates->region_index, ev->text)
		                 : HASH_NONE;

		use[before] = (struct region_use){.rates = i == HASH_NONE ? RATES_ANY : (int32_t)i,
		                                  .id = before};
	}
	return 0;
}

static int32_t host_look(const struct replay *r, struct mp *mp, uint32_t rank)
{
	char name[256];

	return rates_host_find(
	    r->options.rates,
	    platform_host_name(net_platform(mp_net(mp)), mp_host(mp, rank), name, sizeof name));
}

static int hosts_know(struct replay *r, struct mp *mp, struct err *err)
{
	if (r->rates_host)
		return 0;
	r->rates_host = malloc(r->ranks * sizeof *r->rates_host);
	if (!r->rates_host)
		return err_nomem(err, "hosts of ranks",
		                 (unsigned long long)r->ranks * sizeof *r->rates_host);
	r->seed = (uint64_t)config_number(r->cfg, CFG_NOISE_SEED);
	r->stream = r->seed ? malloc(r->ranks * sizeof *r->stream) : NULL;
	if (r->seed && !r->stream)
		return err_nomem(err, "noise of rates",
		                 (unsigned long long)r->ranks * sizeof *r->stream);
	for (uint32_t i = 0; i < r->ranks; i++) {
		if (r->stream)
			rng_init(&r->stream[i], r->seed, "noise/rates", i);
		r->rates_host[i] = host_look(r, mp, i);
		r->no_host += r->options.rates->hosts > 0 && r->rates_host[i] < 0;
	}
	return 0;
}

static double normal_of(const struct replay *r, const char *purpose, uint64_t index)
{
	struct rng s;

	rng_init(&s, r->seed, purpose, index);
	return rng_normal(&s);
}

/* The deviation of logarithms of a log-normal distribution with this relative deviation: nearly the
 * same while it is small; one of 3, as of computations of which few take most of the time, is
 * 1.5. */
static double log_deviation(double relative)
{
	return sqrt(log1p(relative * relative));
}

/* What noise makes of a computation's time at its rate: what is common to all computations of a run
 * on that host, as frequency and neighbours are; what the host is beside the others, if nothing was
 * measured on it; and its own. */
static double region_noise(struct replay *r, struct mp *mp, uint32_t rank, int32_t region,
                           double volume)
{
	struct rates_spread s = rates_spread(r->options.rates, region, r->rates_host[rank], volume);
	double log_factor = 0, one = log_deviation(s.one);

	if (s.run > 0)
		log_factor += log_deviation(s.run) *
		              normal_of(r, "noise/run-rates",
		                        (uint64_t)(uint32_t)(r->rates_host[rank] + 1));
	if (s.hosts > 0)
		log_factor += s.hosts * normal_of(r, "noise/host-rates", mp_host(mp, rank).v);
	if (s.one > 0) /* its mean is 1: many computations take what the rate says */
		log_factor += one * rng_normal(&r->stream[rank]) - one * one / 2;
	return exp(log_factor);
}

int region_seconds(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
                   double *seconds, struct err *err)
{
	int64_t id = trace_regions_find(&r->regions, rank, ev);
	enum rates_source source;
	double rate;

	if (hosts_know(r, mp, err) < 0)
		return -1;
	rate = rates_find(r->options.rates, id < 0 ? RATES_ANY : r->region[id].rates,
	                  r->rates_host[rank], ev->volume, r->options.working_set, &source);
	*seconds = ev->volume / rate;
	if (r->stream)
		*seconds *= region_noise(r, mp, rank, id < 0 ? RATES_ANY : r->region[id].rates,
		                         ev->volume);
	if (source == RATES_UNKNOWN) {
		r->unknown_regions++;
		r->unknown_seconds += *seconds;
	} else if (source == RATES_BEYOND) {
		r->beyond++;
		r->beyond_seconds += *seconds;
	}
	r->rated_seconds += *seconds;
	return 0;
}

void region_count(struct replay *r, uint32_t rank, const struct trace_event *ev, double seconds)
{
	int64_t id = trace_regions_find(&r->regions, rank, ev);

	if (id < 0)
		return;
	r->region[id].times++;
	r->region[id].volume += ev->volume;
	r->region[id].seconds += seconds;
}

static int by_seconds(const void *a, const void *b)
{
	const struct region_use *x = a, *y = b;

	if (x->seconds != y->seconds)
		return (x->seconds < y->seconds) - (x->seconds > y->seconds);
	return (x->id > y->id) - (x->id < y->id);
}

/* The regions in order of their seconds: a copy, or NULL. */
static struct region_use *uses_sorted(const struct replay *r)
{
	struct region_use *use = r->regions.n ? malloc(r->regions.n * sizeof *use) : NULL;

	if (!use)
		return NULL;
	memcpy(use, r->region, r->regions.n * sizeof *use);
	qsort(use, r->regions.n, sizeof *use, by_seconds);
	return use;
}

static const char *rated(const struct replay *r, const struct region_use *use)
{
	return !r->options.rates ? "" : use->rates >= 0 ? "  calibrated" : "  not calibrated";
}

enum { REGIONS_SHOWN = 20 };

void replay_regions_text(const struct replay *r, struct str *out)
{
	struct region_use *use = uses_sorted(r);
	char time[32];
	double all = 0;

	if (!use)
		return;
	for (uint32_t i = 0; i < r->regions.n; i++)
		all += use[i].seconds;
	str_printf(out, "\n%-44s %12s %14s %14s %7s\n", "computation from call to call", "times",
	           "volume", "time in all", "of it");
	for (uint32_t i = 0; i < r->regions.n && i < REGIONS_SHOWN; i++) {
		fmt_seconds(time, sizeof time, use[i].seconds);
		str_printf(out, "%-44s %12llu %14.6g %14s %5.1f %%%s\n", r->regions.name[use[i].id],
		           (unsigned long long)use[i].times, use[i].volume, time,
		           all > 0 ? 100 * use[i].seconds / all : 0, rated(r, &use[i]));
	}
	if (r->regions.n > REGIONS_SHOWN)
		str_printf(out, "and %u more: --json\n", r->regions.n - REGIONS_SHOWN);
	free(use);
}

void replay_regions_json(const struct replay *r, struct json *j)
{
	struct region_use *use = uses_sorted(r);

	json_array(j);
	for (uint32_t i = 0; use && i < r->regions.n; i++) {
		json_object(j);
		json_put_string(j, "name", r->regions.name[use[i].id]);
		json_put_int(j, "times", (int64_t)use[i].times);
		json_put_double(j, "volume", use[i].volume);
		json_put_double(j, "seconds", use[i].seconds);
		if (r->options.rates) {
			json_key(j, "calibrated");
			json_bool(j, use[i].rates >= 0);
		}
		json_end(j);
	}
	json_end(j);
	free(use);
}

void region_notices(const struct replay *r, struct str *out)
{
	double all = r->rated_seconds > 0 ? r->rated_seconds : 1;

	if (r->unknown_regions)
		str_printf(
		    out,
		    "%llu computations (%.1f %% of the time computed) are of regions without "
		    "calibrated rates: they went at the rate of all\n",
		    (unsigned long long)r->unknown_regions, 100 * r->unknown_seconds / all);
	if (r->beyond)
		str_printf(
		    out,
		    "%llu computations (%.1f %% of the time computed) are over twice as large or "
		    "small as those their rates were measured on: calibrate with such sizes too\n",
		    (unsigned long long)r->beyond, 100 * r->beyond_seconds / all);
	if (r->no_host)
		str_printf(
		    out,
		    "%llu ranks are on hosts without calibrated rates: they have those of all "
		    "hosts together\n",
		    (unsigned long long)r->no_host);
}
