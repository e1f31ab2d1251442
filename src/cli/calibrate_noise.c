/* calibrate_noise.c: `orrery calibrate noise`: measures what the operating system takes from a
 * program, or takes measurements, fits, writes settings. */
#include "calibrate/calibrate.h"
#include "calibrate_kinds.h"

#include <stdlib.h>

static int measure(const struct args *a, struct os_raw *raw, struct err *err)
{
	const char *list = args_get(a, OPT_CPUS), *text = args_get(a, OPT_QUANTUM);
	struct os_cpus c = {0};
	struct str told;
	double quantum = 1e-3, seconds = 20;
	struct err why;
	int r = -1;

	if (calibrate_seconds(a, 86400, &seconds, err) < 0)
		return -1;
	if (text && (units_parse(text, UNIT_TIME, &quantum, &why) < 0 ||
	             !(quantum >= 20e-6 && quantum <= 0.1)))
		return err_set(err, ERR_INPUT,
		               "calibrate: --quantum is a time from 20us to 100ms, not '%s'", text);
	if (seconds / quantum < 1500)
		return err_set(err, ERR_INPUT,
		               "calibrate: %g s hold fewer than 1500 quanta: more --time, or a "
		               "shorter --quantum",
		               seconds);
	str_init(&told);
	os_realtime_tell(&told);
	print_notices(a, &told);
	str_release(&told);
	if ((list ? os_cpus_parse(&c, list, err) : os_cpus_all(&c, err)) == 0)
		r = os_measure(raw, c.cpu, c.n, seconds, quantum, err);
	free(c.cpu);
	return r;
}

static int read_given(const struct args *a, struct os_raw *raw, struct err *err)
{
	for (int i = 0; i < a->n_given; i++)
		if (a->given[i].id == OPT_FROM && os_raw_read(raw, a->given[i].value, err) < 0)
			return -1;
	return 0;
}

static int write_one(const struct args *a, int option, struct str *out, struct err *err)
{
	const char *path = args_get(a, option);
	int r = !path               ? 0
	        : option == OPT_OUT ? print_made(path, out, err)
	                            : print_file(path, out, err);

	str_clear(out);
	return r;
}

static int results_write(const struct args *a, const struct os_raw *raw, const struct os_fit *f,
                         struct err *err)
{
	struct str out;
	int r;

	str_init(&out);
	os_settings_write(f, &out);
	r = write_one(a, OPT_OUT, &out, err);
	if (r == 0 && args_has(a, OPT_REPORT)) {
		os_report_write(raw, f, &out);
		r = write_one(a, OPT_REPORT, &out, err);
	}
	if (r == 0) {
		if (args_has(a, OPT_JSON))
			os_json_write(f, &out);
		else
			os_text_write(f, &out);
		r = print_stdout(&out, err);
	}
	str_release(&out);
	return r;
}

int calibrate_noise(const struct args *a, struct err *err)
{
	struct os_raw raw;
	struct os_fit f;
	struct str out;
	int r;

	os_raw_init(&raw);
	r = args_has(a, OPT_FROM) ? read_given(a, &raw, err) : measure(a, &raw, err);
	if (r == 0 && args_has(a, OPT_RAW)) { /* before anything is fitted: measurements are dear */
		str_init(&out);
		os_raw_write(&raw, &out);
		r = print_made(args_get(a, OPT_RAW), &out, err);
		str_release(&out);
	}
	if (r == 0 && (r = os_fit_make(&raw, &f, err)) == 0) {
		print_notices(a, &f.warnings);
		r = results_write(a, &raw, &f, err);
		os_fit_release(&f);
	}
	os_raw_release(&raw);
	return r;
}
