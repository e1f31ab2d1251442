/* cpu_runs.c: runs of `calibrate cpu`: a folder each, with what its manifest says; and what of them
 * the user should know. */
#include "cpu_runs.h"

#include <stdlib.h>
#include <string.h>

/* Of its time a computation has its processor, if it has one to itself: interrupts and daemons take
 * a few per cent, and with a tenth gone somebody else computes, too. */
#define ALONE 0.9

/* A counter's name, of which all runs have the same. */
static int counter_take(struct cpu_runs *all, const struct cpu_run *run, const char *counts,
                        struct err *err)
{
	if (!counts || !*counts)
		return 0;
	if (all->counter && *all->counter && strcmp(all->counter, counts) != 0)
		return err_set(err, ERR_INPUT,
		               "calibrate cpu: %s: its volumes were counted by '%s', those of the "
		               "traces before by '%s'",
		               run->volumes ? run->volumes : run->path, counts, all->counter);
	free(all->counter);
	all->counter = strdup(counts);
	return all->counter ? 0 : err_nomem(err, "the name of a counter", strlen(counts));
}

static int traces_add(struct cpu_runs *all, const struct cpu_run *run, const char *hosts,
                      struct err *err)
{
	struct trace *t = trace_open(run->path, 0, err),
	             *v = t && run->volumes ? trace_open(run->volumes, 0, err) : NULL;
	int r = -1;

	if (t && (v || !run->volumes))
		r = cpu_add(&all->rates, t, v, hosts, run->working_set, err);
	trace_close(t);
	trace_close(v);
	return r;
}

int cpu_runs_add(struct cpu_runs *all, const struct cpu_run *run, struct err *err)
{
	struct trace_manifest m = {0}, other = {0};
	int has = trace_manifest_find(run->path, &m, err), r = -1;
	int other_has = run->volumes && has >= 0 ? trace_manifest_find(run->volumes, &other, err)
	                                         : 0;
	const char *counts = run->volumes ? (other_has > 0 ? other.counter : "")
	                     : has > 0    ? m.counter
	                                  : "";

	if (has >= 0 && other_has >= 0 && counter_take(all, run, counts, err) == 0)
		r = traces_add(all, run, has > 0 ? m.hosts : NULL, err);
	if (r == 0 && has > 0 && !run->volumes && m.nominal_rate > 0)
		all->nominal = m.nominal_rate;
	trace_manifest_release(&m);
	trace_manifest_release(&other);
	return r;
}

void cpu_runs_release(struct cpu_runs *all)
{
	free(all->counter);
	cpu_release(&all->rates);
}

int cpu_runs_write(const struct cpu_runs *all, struct str *out, struct err *err)
{
	struct rates rates;

	if (cpu_fit(&all->rates, all->counter, &rates, err) < 0)
		return -1;
	rates_write(&rates, out);
	rates_release(&rates);
	return 0;
}

void cpu_runs_notices(const struct cpu_runs *all, struct str *out)
{
	const struct cpu_rates *c = &all->rates;
	double part = all->nominal > 0 ? c->volume / c->seconds / all->nominal : 1;
	int sites = 0;

	for (uint32_t i = 0; i < c->names.regions; i++)
		sites |= cpu_region_is_site(c->names.region[i]);
	if (!sites)
		str_puts(out, "these traces have no regions (of 'orrery trace --sites 0', or of an "
		              "older tracer): a replay can use the rate of all only\n");
	if (c->unmatched)
		str_printf(out,
		           "%llu computations are of regions that the trace of the volumes does "
		           "not have: they were left out\n",
		           (unsigned long long)c->unmatched);
	if (part < ALONE)
		str_printf(out,
		           "volumes are processor time, and computations had a processor for %.0f "
		           "%% of theirs: others used it. These "
		           "rates are those of such a computer; measure with no more ranks than "
		           "processors, and nothing else\n",
		           100 * part);
}
