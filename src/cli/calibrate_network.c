/* calibrate_network.c: `orrery calibrate network`: measures with data/measure/measure.c, or takes
 * measurements, fits, writes platform and report. */
#include "calibrate/calibrate.h"
#include "calibrate_kinds.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct work {
	const struct args *args;
	struct net_campaign asked;
	struct net_wanted wanted;
	struct net_extras extras;
	int64_t seconds;
	double bandwidth;
	struct net_raw raw;
	struct net_fit fit;
	struct str doubts; /* about cabinets */
};

/* --- options --- */

int calibrate_number(const struct args *a, int id, const char *name, enum unit_kind kind,
                     double *out, struct err *err)
{
	const char *text = args_get(a, id);
	struct err why;

	if (text && (units_parse(text, kind, out, &why) < 0 || *out <= 0))
		return err_set(err, ERR_INPUT, "calibrate: --%s takes a positive number, not '%s'",
		               name, text);
	return 0;
}

int calibrate_seconds(const struct args *a, double most, double *out, struct err *err)
{
	const char *text = args_get(a, OPT_TIME);

	if (text && (num_parse_double(text, strlen(text), out) < 0 || !(*out > 0 && *out <= most)))
		return err_set(err, ERR_INPUT,
		               "calibrate: --time wants a number of seconds, up to %g, not '%s'",
		               most, text);
	return 0;
}

/* What goes into the platform as it is. */
int calibrate_words_check(const struct args *a, struct err *err)
{
	const char *name = args_get(a, OPT_NAME), *speed = args_get(a, OPT_SPEED);
	struct err why;
	double v;

	if (name && (!name[0] || strpbrk(name, "<>&\"'\n") || strstr(name, "--")))
		return err_set(
		    err, ERR_INPUT,
		    "calibrate: --name takes a word without quotes, <, >, & or --, not '%s'", name);
	if (speed &&
	    (strpbrk(speed, "<>&\"") || units_parse(speed, UNIT_SPEED, &v, &why) < 0 || !(v > 0)))
		return err_set(err, ERR_INPUT,
		               "calibrate: --speed takes a speed such as 2.5Gf, not '%s'", speed);
	return 0;
}

static int with_read(struct work *w, struct err *err)
{
	int n, r;
	const char **path = args_all(w->args, OPT_WITH, &n, err);

	if (!path)
		return -1;
	r = net_extras_read(&w->extras, path, n, err);
	free(path);
	return r;
}

static int campaign_read(struct work *w, struct err *err)
{
	const struct args *a = w->args;
	int64_t samples = 500, seed = 1;

	w->asked.max_size = 2097152;
	w->seconds = 60;
	if ((args_has(a, OPT_CABINETS) &&
	     net_campaign_cabinets(&w->asked, args_get(a, OPT_CABINETS), err) < 0) ||
	    calibrate_number(a, OPT_LARGEST, "largest", UNIT_SIZE, &w->asked.max_size, err) < 0 ||
	    calibrate_number(a, OPT_BANDWIDTH, "bandwidth", UNIT_BANDWIDTH, &w->bandwidth, err) <
	        0 ||
	    args_int(a, &verb_calibrate, OPT_SAMPLES, 50, 100000, &samples, err) < 0 ||
	    args_int(a, &verb_calibrate, OPT_SEED, 0, INT64_MAX, &seed, err) < 0 ||
	    args_int(a, &verb_calibrate, OPT_CORES, 1, 100000, &w->wanted.cores, err) < 0 ||
	    args_int(a, &verb_calibrate, OPT_TIME, 1, 86400, &w->seconds, err) < 0)
		return -1;
	if (w->asked.max_size > INT_MAX)
		return err_set(err, ERR_INPUT,
		               "calibrate network: --largest is at most %d bytes: what MPI counts",
		               INT_MAX);
	w->asked.samples = (int)samples;
	w->asked.seed = (uint64_t)seed;
	return 0;
}

static int options_read(struct work *w, struct err *err)
{
	const struct args *a = w->args;

	if (calibrate_words_check(a, err) < 0 || with_read(w, err) < 0 || campaign_read(w, err) < 0)
		return -1;
	w->wanted.name = args_get(a, OPT_NAME);
	w->wanted.speed = args_get(a, OPT_SPEED);
	w->wanted.extras = &w->extras;
	if (!w->wanted.cores)
		w->wanted.cores = net_extras_cores(&w->extras);
	return 0;
}

/* --- measurements --- */

static int raw_save(const struct work *w, struct err *err)
{
	struct str out;
	int r;

	str_init(&out);
	net_raw_write(&w->raw, &out);
	r = print_made(args_get(w->args, OPT_RAW), &out, err);
	str_release(&out);
	return r;
}

/* What was measured is kept, even if something fails later. */
static int measure_all(struct work *w, struct err *err)
{
	struct net_program program = {.launcher = (const char *const *)(const void *)w->args->rest,
	                              .n_launcher = w->args->n_rest,
	                              .mpicc = args_get(w->args, OPT_MPICC),
	                              .seconds = w->seconds};
	struct net_measurer by = net_program_measurer(&program);
	struct err lost;
	int r;

	r = net_program_open(&program, err);
	if (r == 0) {
		r = net_campaign_run(&w->asked, &by, &w->raw, &w->doubts, err);
		if (args_has(w->args, OPT_RAW) && (r == 0 || w->raw.n > 0) &&
		    raw_save(w, r == 0 ? err : &lost) < 0)
			r = -1;
	}
	net_program_close(&program);
	return r;
}

static int read_given(struct work *w, struct err *err)
{
	for (int i = 0; i < w->args->n_given; i++)
		if (w->args->given[i].id == OPT_FROM &&
		    net_raw_read(&w->raw, w->args->given[i].value, err) < 0)
			return -1;
	if (args_has(w->args, OPT_WITHOUT) &&
	    net_raw_without(&w->raw, args_get(w->args, OPT_WITHOUT), err) < 0)
		return -1;
	return net_campaign_look(&w->asked, &w->raw, &w->doubts, err);
}

/* --- results --- */

static int report_write(const struct work *w, struct err *err)
{
	const char *path = args_get(w->args, OPT_REPORT);
	struct str out;
	int r;

	if (!path)
		return 0;
	str_init(&out);
	net_report_write(&w->raw, &w->fit, net_wanted_name(&w->wanted), &out);
	r = print_file(path, &out, err);
	str_release(&out);
	return r;
}

static int results_write(struct work *w, struct err *err)
{
	const char *path = args_get(w->args, OPT_OUT);
	struct str platform, unusable;
	int r;

	str_init(&platform);
	str_init(&unusable);
	r = net_result_write(&w->raw, &w->fit, &w->wanted, &platform, &unusable, err);
	if (r == 0)
		r = print_made(path ? path : "-", &platform, err);
	if (r == 0)
		r = report_write(w, err);
	if (r == 0 && unusable.n)
		r = net_unusable(&unusable, path, err);
	str_release(&platform);
	str_release(&unusable);
	return r;
}

static int fit_and_write(struct work *w, struct err *err)
{
	struct str told;
	int r;

	if (net_result_fit(&w->raw, w->bandwidth, &w->doubts, &w->fit, err) < 0)
		return -1;
	str_init(&told);
	net_result_tell(&w->raw, &w->fit, &told);
	print_notices(w->args, &told);
	str_release(&told);
	r = results_write(w, err);
	net_fit_release(&w->fit);
	return r;
}

int calibrate_network(const struct args *a, struct err *err)
{
	struct work w = {.args = a};
	int from = args_has(a, OPT_FROM), r = -1;

	if (!from && (!a->rest || a->n_rest == 0))
		return err_set(err, ERR_INPUT,
		               "calibrate network: how are programs started on the machine? Give "
		               "'-- mpirun -np 8 …', or measurements with --from FILE");
	net_raw_init(&w.raw);
	net_extras_init(&w.extras);
	str_init(&w.doubts);
	if (!from && args_has(a, OPT_WITHOUT))
		err_set(err, ERR_INPUT,
		        "calibrate network: --without leaves out measurements that --from gives: "
		        "to measure without a host, do not start a rank on it");
	else if (options_read(&w, err) == 0 && (from ? read_given : measure_all)(&w, err) == 0)
		r = fit_and_write(&w, err);
	net_raw_release(&w.raw);
	net_extras_release(&w.extras);
	str_release(&w.doubts);
	return r;
}
