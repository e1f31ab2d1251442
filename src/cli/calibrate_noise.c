/* calibrate_noise.c: `orrery calibrate noise`: measures what the operating system takes from a
 * program, or takes measurements, fits, writes settings. */
#include "calibrate/calibrate.h"
#include "calibrate_kinds.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cpus {
	int *cpu, n;
};

static int cpus_add(struct cpus *c, int64_t cpu, struct err *err)
{
	int *more;

	for (int i = 0; i < c->n; i++)
		if (c->cpu[i] == cpu)
			return 0;
	if (c->n == OS_CPUS)
		return err_set(err, ERR_LIMIT, "calibrate: more than %d processors", OS_CPUS);
	more = realloc(c->cpu, (size_t)(c->n + 1) * sizeof *more);
	if (!more)
		return err_nomem(err, "processors", (size_t)(c->n + 1) * sizeof *more);
	c->cpu = more;
	more[c->n++] = (int)cpu;
	return 0;
}

/* Those that this process may use. */
static int cpus_all(struct cpus *c, struct err *err)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof set, &set) < 0)
		return err_sys(err, errno,
		               "asking for the processors of this process: give them with --cpus");
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET((size_t)i, &set) && cpus_add(c, i, err) < 0)
			return -1;
	return 0;
}

/* "0-3,8": as taskset has it. */
static int cpus_parse(struct cpus *c, const char *text, struct err *err)
{
	for (const char *p = text; *p;) {
		size_t n = strcspn(p, ","), dash = strcspn(p, "-");
		int64_t from = 0, to;
		int bad = num_parse_i64(p, dash < n ? dash : n, &from) < 0;

		to = from;
		if (!bad && dash < n)
			bad = num_parse_i64(p + dash + 1, n - dash - 1, &to) < 0;
		if (bad || from < 0 || to < from || to >= CPU_SETSIZE)
			return err_set(
			    err, ERR_INPUT,
			    "calibrate: --cpus is a list of processors such as 0-3,8, below %d; not '%s'",
			    CPU_SETSIZE, text);
		for (; from <= to; from++)
			if (cpus_add(c, from, err) < 0)
				return -1;
		p += n + (p[n] == ',');
	}
	return c->n ? 0 : err_set(err, ERR_INPUT, "calibrate: --cpus: no processor");
}

/* A number in a file of the kernel; -1: none. */
static long kernel_number(const char *path)
{
	FILE *f = fopen(path, "r");
	char text[32];
	int64_t v = -1;

	if (f && fgets(text, sizeof text, f) && num_parse_i64(text, strcspn(text, "\n"), &v) < 0)
		v = -1;
	if (f)
		fclose(f);
	return (long)v;
}

/* The kernel stops what runs at real-time priority without a pause: here all of the measurement, in
 * a program only what never waits. */
static void realtime_tell(const struct args *a)
{
	int policy = sched_getscheduler(0);
	long period = kernel_number("/proc/sys/kernel/sched_rt_period_us"),
	     runtime = kernel_number("/proc/sys/kernel/sched_rt_runtime_us");
	char text[400];

	if ((policy != SCHED_FIFO && policy != SCHED_RR) || period <= 0 || runtime < 0 ||
	    runtime >= period)
		return;
	snprintf(
	    text, sizeof text,
	    "real-time priority: the kernel stops a process that never waits for %ld of each %ld us (kernel.sched_rt_runtime_us). "
	    "The detours hold that, which programs that wait now and then do not see: of this measurement take noise/sleep, and "
	    "noise/detours, noise/periodic and noise/run-compute of one without real-time priority\n",
	    period - runtime, period);
	print_notice(a, text);
}

static int measure(const struct args *a, struct os_raw *raw, struct err *err)
{
	const char *list = args_get(a, OPT_CPUS), *text = args_get(a, OPT_QUANTUM);
	struct cpus c = {0};
	double quantum = 1e-3;
	int64_t seconds = 20;
	struct err why;
	int r = -1;

	if (args_int(a, &verb_calibrate, OPT_TIME, 1, 86400, &seconds, err) < 0)
		return -1;
	if (text && (units_parse(text, UNIT_TIME, &quantum, &why) < 0 ||
	             !(quantum >= 20e-6 && quantum <= 0.1)))
		return err_set(err, ERR_INPUT,
		               "calibrate: --quantum is a time from 20us to 100ms, not '%s'", text);
	if ((double)seconds / quantum < 1500)
		return err_set(
		    err, ERR_INPUT,
		    "calibrate: %lld s hold fewer than 1500 quanta: more --time, or a shorter --quantum",
		    (long long)seconds);
	realtime_tell(a);
	if ((list ? cpus_parse(&c, list, err) : cpus_all(&c, err)) == 0)
		r = os_measure(raw, c.cpu, c.n, (double)seconds, quantum, err);
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
	int r = args_has(a, option) ? print_file(args_get(a, option), out, err) : 0;

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
		r = print_file(args_get(a, OPT_RAW), &out, err);
		str_release(&out);
	}
	if (r == 0 && (r = os_fit_make(&raw, &f, err)) == 0) {
		print_notice(a, f.warnings.s ? f.warnings.s : "");
		r = results_write(a, &raw, &f, err);
		os_fit_release(&f);
	}
	os_raw_release(&raw);
	return r;
}
