/* calibrate_cpu.c: `orrery calibrate cpu TRACE...`: rates of computation from traces of real
 * runs. */
#include "calibrate/calibrate.h"
#include "calibrate_kinds.h"

#include <string.h>

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
		return err_set(err, ERR_INPUT,
		               "calibrate cpu: --volumes was given %d times, there are %d traces: "
		               "give one, or one for each",
		               given, n);
	for (int k = 0; k < a->n_given; k++)
		if (a->given[k].id == OPT_VOLUMES && at++ == (given == 1 ? 0 : i))
			*out = a->given[k].value;
	return 0;
}

static int runs_add(struct cpu_runs *all, const struct args *a, struct err *err)
{
	int n = a->n_positional - 1;

	for (int i = 0; i < n; i++) {
		struct cpu_run run = {.path = a->positional[i + 1]};

		if (working_set_get(args_get(a, OPT_WORKING_SETS), i, n, &run.working_set, err) <
		        0 ||
		    volumes_get(a, i, n, &run.volumes, err) < 0 || cpu_runs_add(all, &run, err) < 0)
			return -1;
	}
	if (!(all->rates.seconds > 0))
		return err_set(err, ERR_INPUT,
		               "calibrate cpu: no computation of these traces has a volume and a "
		               "duration: trace with a counter such as perf");
	return 0;
}

static int rates_save(const struct cpu_runs *all, const struct args *a, struct err *err)
{
	struct str out;
	int r;

	if (!args_has(a, OPT_OUT))
		return 0;
	str_init(&out);
	r = cpu_runs_write(all, &out, err);
	if (r == 0)
		r = print_made(args_get(a, OPT_OUT), &out, err);
	str_release(&out);
	return r;
}

static int report(const struct cpu_runs *all, const struct args *a, struct err *err)
{
	struct str out;
	int r;

	str_init(&out);
	r = (args_has(a, OPT_JSON) ? cpu_json : cpu_text)(&all->rates, &out, err);
	if (r == 0)
		r = print_stdout(&out, err);
	str_clear(&out);
	cpu_runs_notices(all, &out);
	if (r == 0)
		print_notices(a, &out);
	str_release(&out);
	return r;
}

int calibrate_cpu(const struct args *a, struct err *err)
{
	struct cpu_runs all = {0};
	int r;

	if (a->n_positional < 2)
		return err_set(err, ERR_INPUT,
		               "calibrate cpu: traces of real runs are wanted: 'orrery trace', "
		               "small problems, several times");
	r = runs_add(&all, a, err);
	if (r == 0)
		r = rates_save(&all, a, err);
	if (r == 0)
		r = report(&all, a, err);
	cpu_runs_release(&all);
	return r;
}
