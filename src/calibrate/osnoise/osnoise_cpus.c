/* osnoise_cpus.c: on which processors is measured, and what the kernel does to what measures. */
#include "calibrate/affinity.h"
#include "osnoise.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int cpus_add(struct os_cpus *c, int64_t cpu, struct err *err)
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
int os_cpus_all(struct os_cpus *c, struct err *err)
{
	int *cpu, n, rc;

	rc = affinity_get(&cpu, &n, err);
	if (rc < 0)
		err_append(err, ": give them with --cpus");
	for (int i = 0; rc == 0 && i < n; i++)
		rc = cpus_add(c, cpu[i], err);
	free(cpu);
	return rc;
}

/* "0-3,8": as taskset has it. */
int os_cpus_parse(struct os_cpus *c, const char *text, struct err *err)
{
	for (const char *p = text; *p;) {
		size_t n = strcspn(p, ","), dash = strcspn(p, "-");
		int64_t from = 0, to;
		int bad = num_parse_i64(p, dash < n ? dash : n, &from) < 0;

		to = from;
		if (!bad && dash < n)
			bad = num_parse_i64(p + dash + 1, n - dash - 1, &to) < 0;
		if (bad || from < 0 || to < from || to >= OS_CPUS)
			return err_set(err, ERR_INPUT,
			               "calibrate: --cpus is a list of processors such as 0-3,8, "
			               "below %d; not '%s'",
			               OS_CPUS, text);
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
void os_realtime_tell(struct str *out)
{
	int policy = sched_getscheduler(0);
	long period = kernel_number("/proc/sys/kernel/sched_rt_period_us"),
	     runtime = kernel_number("/proc/sys/kernel/sched_rt_runtime_us");

	if ((policy != SCHED_FIFO && policy != SCHED_RR) || period <= 0 || runtime < 0 ||
	    runtime >= period)
		return;
	str_printf(
	    out,
	    "real-time priority: the kernel stops a process that never waits for %ld of each %ld "
	    "us (kernel.sched_rt_runtime_us). The detours hold that, which programs that wait now "
	    "and then do not see: of this measurement take noise/sleep, and noise/detours, "
	    "noise/periodic and noise/run-compute of one without real-time priority\n",
	    period - runtime, period);
}
