/* calibrate_cpu.c: `orrery calibrate cpu TRACE...`: rates of computation from traces of real
 * runs. */
#include "calibrate/calibrate.h"
#include "calibrate_kinds.h"

#include <stdlib.h>
#include <string.h>

/* What the command line says of one run. */
struct run {
	const char *path, *volumes; /* volumes: another trace, or NULL */
	double working_set;
};

/* nominal: of volumes that were made from time, the rate of a computation that has a processor to
 * itself; unchanged if they were counted. */
static int run_add(struct cpu_rates *c, const struct run *run, char **counter, double *nominal,
                   struct err *err)
{
	struct trace_manifest m = {0}, other = {0};
	int has = trace_manifest_find(run->path, &m, err), r = -1;
	int other_has = run->volumes && has >= 0 ? trace_manifest_find(run->volumes, &other, err)
	                                         : 0;
	const char *counts = run->volumes ? (other_has > 0 ? other.counter : "")
	                     : has > 0    ? m.counter
	                                  : "";
	struct trace *t = has < 0 || other_has < 0 ? NULL : trace_open(run->path, 0, err),
	             *v = t && run->volumes ? trace_open(run->volumes, 0, err) : NULL;

	if (!t)
		r = -1;
	else if (*counter && **counter && counts && *counts && strcmp(*counter, counts) != 0)
		r = err_set(
		    err, ERR_INPUT,
		    "calibrate cpu: %s: its volumes were counted by '%s', those of the traces before by '%s'",
		    run->volumes ? run->volumes : run->path, counts, *counter);
	else if (t && (v || !run->volumes))
		r = cpu_add(c, t, v, has > 0 ? m.hosts : NULL, run->working_set, err);
	if (r == 0 && counts && *counts) {
		free(*counter);
		*counter = strdup(counts);
		if (!*counter)
			r = err_nomem(err, "the name of a counter", strlen(counts));
	}
	if (r == 0 && has > 0 && !run->volumes && m.nominal_rate > 0)
		*nominal = m.nominal_rate;
	trace_close(t);
	trace_close(v);
	trace_manifest_release(&m);
	trace_manifest_release(&other);
	return r;
}

/* The i-th of "1e6,2e6,…". */
static int working_set_get(const char *list, int i, int n, double *out, struct err *err)
{
	const char *p = list;
	int fields = 1;

	*out = 0;
	if (!list)
		return 0;
	for (const char *q = list; *q; q++)
		fields += *q == ',';
	if (fields != n)
		return err_set(
		    err, ERR_INPUT,
		    "calibrate cpu: --working-sets has %d sizes, there are %d traces: one each",
		    fields, n);
	for (; i > 0; i--)
		p = strchr(p, ',') + 1;
	if (num_parse_double(p, strcspn(p, ","), out) < 0 || !(*out > 0))
		return err_set(
		    err, ERR_INPUT,
		    "calibrate cpu: --working-sets: bytes of a process were expected, not '%.*s'",
		    (int)strcspn(p, ","), p);
	return 0;
}

/* --volumes once is for all runs, else one each. */
static int volumes_get(const struct args *a, int i, int n, const char **out, struct err *err)
{
	int given = 0, at = 0;

	*out = NULL;
	for (int k = 0; k < a->n_given; k++)
		given += a->given[k].id == OPT_VOLUMES;
	if (given > 1 && given != n)
		return err_set(
		    err, ERR_INPUT,
		    "calibrate cpu: --volumes was given %d times, there are %d traces: give one, or one for each",
		    given, n);
	for (int k = 0; k < a->n_given; k++)
		if (a->given[k].id == OPT_VOLUMES && at++ == (given == 1 ? 0 : i))
			*out = a->given[k].value;
	return 0;
}

static int runs_add(struct cpu_rates *c, const struct args *a, char **counter, double *nominal,
                    struct err *err)
{
	int n = a->n_positional - 1;

	for (int i = 0; i < n; i++) {
		struct run run = {.path = a->positional[i + 1]};

		if (working_set_get(args_get(a, OPT_WORKING_SETS), i, n, &run.working_set, err) <
		        0 ||
		    volumes_get(a, i, n, &run.volumes, err) < 0 ||
		    run_add(c, &run, counter, nominal, err) < 0)
			return -1;
	}
	return 0;
}

static int rates_save(const struct cpu_rates *c, const char *path, const char *counter,
                      struct err *err)
{
	struct rates rates;
	struct str out;
	int r;

	if (cpu_fit(c, counter, &rates, err) < 0)
		return -1;
	str_init(&out);
	rates_write(&rates, &out);
	r = print_file(path, &out, err);
	str_release(&out);
	rates_release(&rates);
	return r;
}

static int report(const struct cpu_rates *c, const struct args *a, struct err *err)
{
	struct str out;
	int r;

	str_init(&out);
	r = args_has(a, OPT_JSON) ? cpu_json(c, &out, err) : cpu_text(c, &out, err);
	if (r == 0)
		r = print_stdout(&out, err);
	str_release(&out);
	return r;
}

static void notices(const struct cpu_rates *c, double nominal, const struct args *a)
{
	const double alone =
	    0.9; /* of its time a computation has its processor, if it has one to itself */
	double part = nominal > 0 ? c->volume / c->seconds / nominal : 1;
	int sites = 0;
	struct str out;

	str_init(&out);
	for (uint32_t i = 0; i < c->names.regions; i++)
		sites |= cpu_region_is_site(c->names.region[i]);
	if (!sites)
		str_puts(
		    &out,
		    "these traces have no regions (of 'orrery trace --sites 0', or of an older tracer): a replay can "
		    "use the rate of all only\n");
	if (c->unmatched)
		str_printf(
		    &out,
		    "%llu computations are of regions that the trace of the volumes does not have: they were left out\n",
		    (unsigned long long)c->unmatched);
	if (part < alone)
		str_printf(
		    &out,
		    "volumes are processor time, and computations had a processor for %.0f %% of theirs: others used it. These "
		    "rates are those of such a computer; measure with no more ranks than processors, and nothing else\n",
		    100 * part);
	print_notice(a, out.s);
	str_release(&out);
}

int calibrate_cpu(const struct args *a, struct err *err)
{
	struct cpu_rates c = {0};
	char *counter = NULL;
	double nominal = 0;
	int r;

	if (a->n_positional < 2)
		return err_set(
		    err, ERR_INPUT,
		    "calibrate cpu: traces of real runs are wanted: 'orrery trace', small problems, several times");
	r = runs_add(&c, a, &counter, &nominal, err);
	if (r == 0 && !(c.seconds > 0))
		r = err_set(
		    err, ERR_INPUT,
		    "calibrate cpu: no computation of these traces has a volume and a duration: trace with a counter such as perf");
	if (r == 0 && args_has(a, OPT_OUT))
		r = rates_save(&c, args_get(a, OPT_OUT), counter, err);
	if (r == 0)
		r = report(&c, a, err);
	if (r == 0)
		notices(&c, nominal, a);
	free(counter);
	cpu_release(&c);
	return r;
}
