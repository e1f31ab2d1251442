/* processor.c: see processor.h. A thread on each processor does the same kernel; a core's rate is
 * the median of the threads'. Wall time, not processor time: cores that share a memory, or a clock
 * that falls when all are at work, are what a program meets too. */
#include "processor.h"

#include "affinity.h"
#include "fit/fit.h"

#include "base/processor.h"

#include <linux/perf_event.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const char *const processor_kernel_names[PROCESSOR_KERNELS] = {
    "product of matrices of 48 x 48", "five-point stencil on 128 x 128",
    "a[i] += s b[i] on 32 MiB"};

enum { SIDE = 48, GRID = 128, LONG = 1 << 21 }; /* LONG doubles, two vectors: 32 MiB */

/* The memory of one thread, used by each kernel in turn. */
struct ground {
	double *a, *b;
};

static double product(struct ground *g) /* b += a a, 2 flops for each of SIDE^3 */
{
	for (int i = 0; i < SIDE; i++)
		for (int k = 0; k < SIDE; k++) {
			double s = g->a[i * SIDE + k];

			for (int j = 0; j < SIDE; j++)
				g->b[i * SIDE + j] += s * g->a[k * SIDE + j];
		}
	return 2.0 * SIDE * SIDE * SIDE;
}

static double stencil(struct ground *g) /* 5 flops for each inner point */
{
	double *t;

	for (int i = 1; i < GRID - 1; i++)
		for (int j = 1; j < GRID - 1; j++)
			g->b[i * GRID + j] = 0.2 *
			                     (g->a[i * GRID + j] + g->a[(i - 1) * GRID + j] +
			                      g->a[(i + 1) * GRID + j] + g->a[i * GRID + j - 1] +
			                      g->a[i * GRID + j + 1]);
	t = g->a;
	g->a = g->b;
	g->b = t;
	return 5.0 * (GRID - 2) * (GRID - 2);
}

static double sum(struct ground *g) /* 2 flops for each element */
{
	for (int i = 0; i < LONG; i++)
		g->a[i] += 1e-9 * g->b[i];
	return 2.0 * LONG;
}

typedef double kernel_fn(struct ground *g); /* does it once; flops done */
static kernel_fn *const kernels[PROCESSOR_KERNELS] = {product, stencil, sum};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Instructions of this thread in user mode, or -1: not counted here (virtual machines, a kernel
 * that forbids it). */
static int counter_open(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
	                               .size = sizeof attr,
	                               .config = PERF_COUNT_HW_INSTRUCTIONS,
	                               .exclude_kernel = 1,
	                               .exclude_hv = 1};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static double counter_read(int fd)
{
	uint64_t v = 0;

	return fd >= 0 && read(fd, &v, sizeof v) == (ssize_t)sizeof v ? (double)v : 0;
}

/* Threads begin together, once all of them are there; a kernel has a slot of time. */
struct gate {
	_Atomic int open; /* 0: wait, 1: go, -1: one could not be started */
	double start, slot;
};
static const double SLOT_SET_UP = 0.1; /* s, to fill the vectors */

struct thread {
	pthread_t id;
	struct gate *gate;
	int cpu, failed;
	double seconds; /* for each kernel */
	double flops[PROCESSOR_KERNELS], instructions[PROCESSOR_KERNELS];
};

static void kernel_measure(struct thread *t, int k, struct ground *g, int counter)
{
	double begin, end, flops = 0, before;

	for (int i = 0; i < LONG; i++)
		g->a[i] = g->b[i] = 1e-3;
	while (now() < t->gate->start + k * t->gate->slot + SLOT_SET_UP)
		;
	before = counter_read(counter);
	begin = now();
	do {
		flops += kernels[k](g);
		__asm__ volatile("" : : "r"(g->a), "r"(g->b) : "memory");
	} while ((end = now()) < begin + t->seconds);
	t->flops[k] = flops / (end - begin);
	t->instructions[k] = (counter_read(counter) - before) / (end - begin);
}

static void *thread_run(void *self)
{
	struct thread *t = self;
	struct ground g = {malloc(LONG * sizeof(double)), malloc(LONG * sizeof(double))};
	int counter = counter_open();

	affinity_set(t->cpu);
	t->failed = !g.a || !g.b;
	while (t->gate->open == 0)
		sched_yield();
	for (int k = 0; k < PROCESSOR_KERNELS && t->gate->open > 0 && !t->failed; k++)
		kernel_measure(t, k, &g, counter);
	if (counter >= 0)
		close(counter);
	free(g.a);
	free(g.b);
	return NULL;
}

/* Runs n threads; -1 if one could not be started or had no memory. */
static int threads_run(struct thread *t, int n, double seconds, struct err *err)
{
	struct gate gate = {.slot = seconds / PROCESSOR_KERNELS + SLOT_SET_UP};
	int failed = 0, started = 0, r = 0;

	for (; started < n; started++) {
		t[started].gate = &gate;
		r = pthread_create(&t[started].id, NULL, thread_run, &t[started]);
		if (r != 0)
			break;
	}
	gate.start = now();
	gate.open = started == n ? 1 : -1;
	for (int i = 0; i < started; i++) {
		pthread_join(t[i].id, NULL);
		failed |= t[i].failed;
	}
	if (started < n)
		return err_sys(err, r, "starting a thread on each of %d processors", n);
	return failed ? err_nomem(err, "vectors on each processor", 2 * LONG * sizeof(double)) : 0;
}

static int middle_of(const struct thread *t, int n, struct processor_rates *p, struct err *err)
{
	double *x = malloc((size_t)n * sizeof *x);

	if (!x)
		return err_nomem(err, "rates", (size_t)n * sizeof *x);
	for (int k = 0; k < PROCESSOR_KERNELS; k++) {
		for (int i = 0; i < n; i++)
			x[i] = t[i].flops[k];
		p->flops[k] = fit_median(x, (size_t)n);
		for (int i = 0; i < n; i++)
			x[i] = t[i].instructions[k];
		p->instructions[k] = fit_median(x, (size_t)n);
	}
	free(x);
	return 0;
}

int processor_measure(struct processor_rates *p, double seconds, struct err *err)
{
	struct thread *t;
	int *cpu, n, r;

	*p = (struct processor_rates){.processors = 0};
	processor_name(p->model, sizeof p->model);
	if (affinity_get(&cpu, &n, err) < 0)
		return -1;
	t = calloc((size_t)n, sizeof *t);
	for (int i = 0; t && i < n; i++)
		t[i] = (struct thread){.cpu = cpu[i], .seconds = seconds / PROCESSOR_KERNELS};
	free(cpu);
	if (!t)
		return err_nomem(err, "threads", (size_t)n * sizeof *t);
	p->processors = n;
	r = threads_run(t, n, seconds, err) < 0 ? -1 : middle_of(t, n, p, err);
	free(t);
	return r;
}

/* The middle (geometric mean) and the relative deviation of one program from another, from
 * PROCESSOR_KERNELS rates. */
static void processor_middle(const double *rate, double *middle, double *deviation)
{
	double sum = 0, square = 0;

	for (int k = 0; k < PROCESSOR_KERNELS; k++)
		sum += log(rate[k]) / PROCESSOR_KERNELS;
	for (int k = 0; k < PROCESSOR_KERNELS; k++)
		square += (log(rate[k]) - sum) * (log(rate[k]) - sum) / (PROCESSOR_KERNELS - 1);
	*middle = exp(sum);
	*deviation = sqrt(square);
}

static void rate_put(const char *name, const double *rate, const struct processor_rates *p,
                     struct str *out)
{
	double middle, deviation, least = rate[0], most = rate[0];

	if (!(rate[0] > 0))
		return;
	for (int k = 1; k < PROCESSOR_KERNELS; k++) {
		least = fmin(least, rate[k]);
		most = fmax(most, rate[k]);
	}
	processor_middle(rate, &middle, &deviation);
	str_printf(out,
	           "%s: %.3g ±%.0f %%: three kernels on all %d processors at once, %.3g to %.3g a "
	           "second (orrery calibrate processor)\n",
	           name, middle, 100 * deviation, p->processors, least, most);
}

void processor_header(const struct processor_rates *p, struct str *out)
{
	if (p->model[0])
		str_printf(out, "processor: %s\n", p->model);
	str_printf(out, "cores: %d\n", p->processors);
	/* The last kernel reads two doubles and writes one for two flops. */
	str_printf(out, "memory/bandwidth:%.4g\n",
	           12 * p->flops[PROCESSOR_KERNELS - 1] * p->processors);
	rate_put("rate-flops", p->flops, p, out);
	rate_put("rate-instructions", p->instructions, p, out);
}

void processor_text(const struct processor_rates *p, struct str *out)
{
	str_printf(out, "%s, %d processors, all at work at once; rates of one of them\n",
	           p->model[0] ? p->model : "processor of unknown model", p->processors);
	for (int k = 0; k < PROCESSOR_KERNELS; k++) {
		str_printf(out, "%-32s %8.3f Gflop/s", processor_kernel_names[k],
		           p->flops[k] / 1e9);
		if (p->instructions[k] > 0)
			str_printf(out, " %8.3f G instructions/s", p->instructions[k] / 1e9);
		str_putc(out, '\n');
	}
	if (!(p->instructions[0] > 0))
		str_puts(out, "instructions are not counted here\n");
}
