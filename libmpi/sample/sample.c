/* sample.c: computations that a program tells instead of doing them (include/orrery/smpi.h, the
 * kernels of guest/): amounts, and loops of which a part is measured.
 *
 * What is measured of a loop is kept by its place in the source; the mean and the sum of squares
 * are Welford's. Everything is of one rank. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../core/link.h"
#include "orrery/smpi.h"

#define SHOWN __attribute__((visibility("default")))

struct place {
	struct place *next;
	const char *file, *tag;
	int line;
	int count, interval; /* when to stop */
	double threshold;
	double mean, squares;
	long n;
};

/* What a function returned for an input (SMPI_SHARED_CALL). */
struct result {
	struct result *next;
	void *value;
	char key[]; /* the function, '\n', the input */
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static double processor_time(void)
{
	struct timespec t;

	syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- amounts ---- */

static int is_running(void)
{
	return link_state()->running && !link_state()->ended;
}

static void passes(double seconds)
{
	if (!is_running() || !(seconds > 0))
		return;
	link_enter();
	link_put(link_sleep(WIRE_SLEEP, seconds));
	link_leave();
}

static void works(double volume)
{
	link_enter();
	if (volume > 0 && is_running())
		link_charge(volume);
	link_leave();
}

/* Seconds of this computer: as if they had been measured; where nothing is, seconds of the machine.
 */
SHOWN void smpi_execute(double seconds)
{
	struct link *l = link_state();

	if (!l->head || l->head->computation != WIRE_MEASURED)
		passes(seconds);
	else
		works(seconds * l->c->volume);
}

SHOWN void smpi_execute_flops(double flops)
{
	if (is_running())
		works(flops * link_state()->c->work);
}

SHOWN void smpi_execute_benched(double seconds)
{
	smpi_execute(seconds);
}

SHOWN void smpi_execute_flops_benched(double flops)
{
	smpi_execute_flops(flops);
}

/* Seconds of the machine, from a model of it; 1 if they were taken. For guest/kernels.c. */
SHOWN int orrery_kernel_takes(double seconds);
int orrery_kernel_takes(double seconds)
{
	if (!is_running())
		return 0;
	passes(seconds);
	return 1;
}

/* ---- loops ---- */

static struct place *place_get(const char *file, const char *tag, int line)
{
	struct place *p = link_state()->places;

	while (p && (p->line != line || strcmp(p->file, file) != 0 || strcmp(p->tag, tag) != 0))
		p = p->next;
	if (p)
		return p;
	p = calloc(1, sizeof *p);
	if (!p)
		return NULL;
	*p = (struct place){.next = link_state()->places, .file = file, .tag = tag, .line = line};
	link_state()->places = p;
	return p;
}

SHOWN struct orrery_sample orrery_sample_open(const char *file, const char *tag, int line,
                                              int count, double threshold, int interval)
{
	struct orrery_sample s = {0};
	struct place *p;

	if (!link_state()->running || link_state()->ended)
		return s;
	pthread_mutex_lock(&mutex);
	p = place_get(file, tag, line);
	if (p) {
		p->count = count;
		p->threshold = threshold;
		p->interval = interval;
	}
	pthread_mutex_unlock(&mutex);
	s.data = p;
	s.start = processor_time();
	return s;
}

/* Half the width of the 95 % confidence interval in standard errors: Student's t, by a series in
 * 1/f (Abramowitz and Stegun 26.7.5), within 0.4 % from 4 degrees of freedom on. */
static double student(long f)
{
	double x = 1.959964;
	double v = (double)f;

	return x + (x * x * x + x) / (4 * v) +
	       (5 * pow(x, 5) + 16 * x * x * x + 3 * x) / (96 * v * v) +
	       (3 * pow(x, 7) + 19 * pow(x, 5) + 17 * pow(x, 3) - 15 * x) / (384 * v * v * v);
}

static int is_enough(const struct place *p)
{
	double error;

	if (p->count > 0 && p->n >= p->count)
		return 1;
	if (p->threshold <= 0 || p->n < (p->interval ? 5 : 2) || p->mean <= 0)
		return 0;
	error = sqrt(p->squares / (double)(p->n - 1) / (double)p->n) / p->mean;
	return p->interval ? student(p->n - 1) * error <= p->threshold : error < p->threshold;
}

SHOWN int orrery_sample_next(struct orrery_sample *s)
{
	int enough;

	pthread_mutex_lock(&mutex);
	enough = is_enough(s->data);
	pthread_mutex_unlock(&mutex);
	s->start = processor_time();
	return !enough;
}

SHOWN void orrery_sample_done(struct orrery_sample *s)
{
	double took = processor_time() - s->start, from;
	struct place *p = s->data;

	pthread_mutex_lock(&mutex);
	from = took - p->mean;
	p->mean += from / (double)++p->n;
	p->squares += from * (took - p->mean);
	pthread_mutex_unlock(&mutex);
}

SHOWN void orrery_sample_close(struct orrery_sample *s)
{
	const struct place *p = s->data;

	smpi_execute(p->mean * (double)s->left_out);
	s->left_out = 0;
}

/* ---- results ---- */

static struct result *result_find(const char *function, const char *input)
{
	size_t n = strlen(function);
	struct result *r;

	pthread_mutex_lock(&mutex);
	for (r = link_state()->results; r; r = r->next)
		if (!strncmp(r->key, function, n) && r->key[n] == '\n' &&
		    !strcmp(r->key + n + 1, input))
			break;
	pthread_mutex_unlock(&mutex);
	return r;
}

SHOWN int smpi_shared_known_call(const char *function, const char *input)
{
	return result_find(function, input) != NULL;
}

SHOWN void *smpi_shared_get_call(const char *function, const char *input)
{
	const struct result *r = result_find(function, input);

	return r ? r->value : NULL;
}

/* Without memory it is called again. */
SHOWN void *smpi_shared_set_call(const char *function, const char *input, void *value)
{
	size_t n = strlen(function) + strlen(input) + 2;
	struct result *r = malloc(sizeof *r + n);

	if (!r)
		return value;
	snprintf(r->key, n, "%s\n%s", function, input);
	r->value = value;
	pthread_mutex_lock(&mutex);
	r->next = link_state()->results;
	link_state()->results = r;
	pthread_mutex_unlock(&mutex);
	return value;
}
