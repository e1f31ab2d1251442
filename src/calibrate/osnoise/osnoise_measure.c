/* osnoise_measure.c: FWQ, FTQ and timed sleeps on several processors at once, a thread bound to
 * each.
 *
 * 1. Nothing but the clock is called while measuring; memory is there and touched before.
 * 2. The work is a chain of multiplications: it needs no memory, so that only interruptions and the
 *    processor's frequency make it longer. */
#include "calibrate/affinity.h"
#include "osnoise.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define UNIT_SECONDS 0.5e-6 /* of work between two looks at the clock, FTQ */
#define SLEEP_SECONDS 1e-3

struct task {
	pthread_t thread;
	int cpu, bound;
	double quantum, zero;
	size_t fwq, ftq, sleeps;
	double *start[OS_KINDS], *value[OS_KINDS];
	pthread_mutex_t *gate; /* closed until all threads are there */
	const int *give_up;
	pthread_barrier_t *together;
	uint64_t result; /* of the work: it must have one, or the compiler leaves it out */
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t work(uint64_t x, long n)
{
	for (long i = 0; i < n; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

/* How much work takes that long: the fastest of some tries, on which no detour is. */
static long work_for(struct task *t, double seconds)
{
	enum { TRIES = 50, PROBE = 20000 };
	double best = INFINITY;

	for (int i = 0; i < TRIES; i++) {
		double t0 = now();

		t->result = work(t->result, PROBE);
		best = fmin(best, now() - t0);
	}
	return (long)fmax(1, PROBE * seconds / best);
}

static void fwq(struct task *t)
{
	long n = work_for(t, t->quantum);
	double latest =
	    now() + 2 * (double)t->fwq *
	                t->quantum; /* a processor that others have takes longer; not for ever */

	for (size_t i = 0; i < t->fwq; i++) {
		double t0 = now();

		if (t0 > latest && i >= OS_QUANTA_LEAST)
			t->fwq = i;

		t->result = work(t->result, n);
		t->start[OS_FWQ][i] = t0 - t->zero;
		t->value[OS_FWQ][i] = now() - t0;
	}
}

/* Boundaries are multiples of the quantum: what a detour takes of several of them, each has
 * less. */
static void ftq(struct task *t)
{
	long n = work_for(t, UNIT_SECONDS);
	double begin = now() + t->quantum, time;

	while (now() < begin)
		;
	time = begin;
	for (size_t i = 0; i < t->ftq; i++) {
		double end = begin + (double)(i + 1) * t->quantum;
		uint64_t count = 0;

		for (; time < end; time = now(), count++)
			t->result = work(t->result, n);
		t->start[OS_FTQ][i] = end - t->quantum - t->zero;
		t->value[OS_FTQ][i] = (double)count;
	}
}

static void sleeps(struct task *t)
{
	for (size_t i = 0; i < t->sleeps; i++) {
		struct timespec d = {0, (long)(SLEEP_SECONDS * 1e9)};
		double t0 = now();

		nanosleep(&d, NULL);
		t->start[OS_SLEEP][i] = t0 - t->zero;
		t->value[OS_SLEEP][i] = fmax(0, now() - t0 - SLEEP_SECONDS);
	}
}

static void *run(void *arg)
{
	struct task *t = arg;
	int give_up;

	pthread_mutex_lock(t->gate);
	give_up = *t->give_up;
	pthread_mutex_unlock(t->gate);
	if (give_up)
		return NULL;
	t->bound = affinity_set(t->cpu) == 0;
	pthread_barrier_wait(t->together);
	if (t->bound)
		fwq(t);
	pthread_barrier_wait(t->together);
	if (t->bound)
		ftq(t);
	pthread_barrier_wait(t->together);
	if (t->bound)
		sleeps(t);
	return NULL;
}

static int task_prepare(struct task *t, struct err *err)
{
	const size_t n[OS_KINDS] = {t->fwq, t->ftq, t->sleeps};

	for (int k = 0; k < OS_KINDS; k++) {
		t->start[k] = malloc(2 * (n[k] + 1) * sizeof(double));
		if (!t->start[k])
			return err_nomem(err, "measurements", 2 * (n[k] + 1) * sizeof(double));
		memset(t->start[k], 1,
		       2 * (n[k] + 1) *
		           sizeof(double)); /* touched: no page faults while measuring */
		t->value[k] = t->start[k] + n[k] + 1;
	}
	return 0;
}

static int task_keep(struct os_raw *raw, const struct task *t, struct err *err)
{
	const size_t n[OS_KINDS] = {t->fwq, t->ftq, t->sleeps};
	const double quantum[OS_KINDS] = {t->quantum, t->quantum, SLEEP_SECONDS};

	if (!t->bound)
		return err_set(err, ERR_INPUT,
		               "processor %d cannot be used: give those of this process with "
		               "--cpus ('taskset -cp $$' lists them)",
		               t->cpu);
	for (int k = 0; k < OS_KINDS; k++) {
		struct os_series *s = os_series_get(raw, (enum os_kind)k, t->cpu, quantum[k], err);

		for (size_t i = 0; s && i < n[k]; i++)
			if (os_series_add(s, t->start[k][i], t->value[k][i], err) < 0)
				return -1;
		if (!s)
			return -1;
	}
	return 0;
}

static void meta_line(struct str *meta, const char *key, const char *path, const char *field)
{
	struct err none;
	struct input *f = input_open(path, 0, &none);
	char *line;
	size_t n;

	while (f && input_line(f, &line, &n, &none) > 0) {
		char *colon = strchr(line, ':');

		if (strncmp(line, field, strlen(field)) != 0)
			continue;
		str_printf(meta, "%s: %.200s\n", key,
		           field[0] && colon ? colon + 1 + strspn(colon + 1, " \t") : line);
		break;
	}
	if (f)
		input_close(f);
}

static void meta_write(struct str *meta, int cpus, double seconds, double quantum)
{
	char date[64], host[256] = "";
	time_t t = time(NULL);
	struct utsname u;
	struct tm tm;

	uname(&u);
	gethostname(host, sizeof host - 1);
	strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S %z", localtime_r(&t, &tm));
	str_printf(meta,
	           "orrery calibrate noise: 1\ndate: %s\nhost: %s\nkernel: %s %s %s\nprocessors: "
	           "%d measured at once\ntime: %g "
	           "s\nquantum: %g s\n",
	           date, host, u.sysname, u.release, u.machine, cpus, seconds, quantum);
	meta_line(meta, "processor", "/proc/cpuinfo", "model name");
	meta_line(meta, "frequency MHz", "/proc/cpuinfo", "cpu MHz");
	meta_line(meta, "governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "");
	meta_line(meta, "load", "/proc/loadavg", "");
}

static size_t power_of_two(double n)
{
	size_t p = 1;

	while (2 * (double)p <= n)
		p *= 2;
	return p;
}

/* A barrier for fewer threads than it waits for would never open: behind the gate they learn
 * whether all could be made. */
static int threads_run(struct task *t, int cpus, struct err *err)
{
	pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
	pthread_barrier_t together;
	int started = 0, give_up, e = pthread_barrier_init(&together, NULL, (unsigned)cpus);

	if (e)
		return err_sys(err, e, "a barrier");
	pthread_mutex_lock(&gate);
	for (; started < cpus && !e; started += !e) {
		t[started].together = &together;
		t[started].gate = &gate;
		t[started].give_up = &give_up;
		e = pthread_create(&t[started].thread, NULL, run, &t[started]);
	}
	give_up = e != 0;
	pthread_mutex_unlock(&gate);
	for (int i = 0; i < started; i++)
		pthread_join(t[i].thread, NULL);
	pthread_barrier_destroy(&together);
	return e ? err_sys(err, e, "starting a thread") : 0;
}

int os_measure(struct os_raw *raw, const int *cpu, int cpus, double seconds, double quantum,
               struct err *err)
{
	size_t ftq_quanta = power_of_two(0.6 * seconds / quantum);
	double left = seconds - (double)ftq_quanta * quantum;
	struct task *t = calloc((size_t)cpus, sizeof *t);
	double zero = now();
	int r = t ? 0 : err_nomem(err, "threads", (size_t)cpus * sizeof *t);

	meta_write(&raw->meta, cpus, seconds, quantum);
	for (int i = 0; i < cpus && r == 0; i++) {
		t[i] = (struct task){.cpu = cpu[i],
		                     .quantum = quantum,
		                     .zero = zero,
		                     .fwq = (size_t)(0.85 * left / quantum),
		                     .ftq = ftq_quanta,
		                     .sleeps = (size_t)fmin(2000, 0.1 * left / SLEEP_SECONDS)};
		r = task_prepare(&t[i], err);
	}
	if (r == 0)
		r = threads_run(t, cpus, err);
	for (int i = 0; i < cpus && r == 0; i++)
		r = task_keep(raw, &t[i], err);
	for (int i = 0; t && i < cpus; i++)
		for (int k = 0; k < OS_KINDS; k++)
			free(t[i].start[k]);
	free(t);
	return r;
}
