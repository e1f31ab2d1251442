/* memory.c: see memory.h. Each measurement repeats one copy or reduction of the same arrays until
 * it has lasted long enough for the clock: small arrays are then in a cache, as a message is that
 * was just received. Medians, so that what else runs on the computer counts little. */
#include "memory.h"

#include "fit/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Measurements of one size and operation, of which the median counts; of arrays of which one pass
 * is long, the fewest whose quartiles are not their ends. */
enum { REPEATS = 15, REPEATS_LEAST = 5 };
/* The number of passes of a measurement is found from one that lasts this part of it at least:
 * short enough to cost little, long enough for the clock. */
static const double TRIAL = 0.25;
/* Arrays, bytes: from a cache line on, each so many times as large as the one before. */
static const double SIZE_FIRST = 64, SIZE_RATIO = 4;
/* In a table of settings sizes whose rates are the same within it are one row. */
static const double ALIKE = 0.1;

static const char *const memory_op_names[MEMORY_OPS] = {"sum", "prod", "max", "min"};
static const char *const memory_type_names[MEMORY_TYPES] = {"int", "long", "float", "double"};
static const size_t type_size[MEMORY_TYPES] = {4, 8, 4, 8};

/* The operators, as MPI libraries have them: inout = in op inout. */
#define REDUCTION(name, type, expression) \
	static void name(void *restrict inout, const void *restrict in, size_t n) \
	{ \
		type(*restrict a) = inout; \
		const type *restrict b = in; \
\
		for (size_t i = 0; i < n; i++) \
			a[i] = (expression); \
	}
#define REDUCTIONS(suffix, type) \
	REDUCTION(sum_##suffix, type, (type)(a[i] + b[i])) \
	REDUCTION(prod_##suffix, type, (type)(a[i] * b[i])) \
	REDUCTION(max_##suffix, type, a[i] > b[i] ? a[i] : b[i]) \
	REDUCTION(min_##suffix, type, a[i] < b[i] ? a[i] : b[i])
REDUCTIONS(int, uint32_t)
REDUCTIONS(long, uint64_t)
REDUCTIONS(float, float)
REDUCTIONS(double, double)

typedef void reduction_fn(void *restrict inout, const void *restrict in, size_t n);
static reduction_fn *const reductions[MEMORY_OPS][MEMORY_TYPES] = {
    {sum_int, sum_long, sum_float, sum_double},
    {prod_int, prod_long, prod_float, prod_double},
    {max_int, max_long, max_float, max_double},
    {min_int, min_long, min_float, min_double}};

/* Of this thread: what others take of the processor does not count. */
static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* What is measured: a copy, or a reduction of n elements. */
struct work {
	char *to, *from;
	size_t bytes, n;
	reduction_fn *reduce; /* NULL: a copy */
};

static void work_do(const struct work *w)
{
	if (w->reduce)
		w->reduce(w->to, w->from, w->n);
	else
		memcpy(w->to, w->from, w->bytes);
	__asm__ volatile("" : : "r"(w->to), "r"(w->from) : "memory"); /* it is needed, each time */
}

static double work_time(const struct work *w, uint64_t times)
{
	double start = now();

	for (uint64_t i = 0; i < times; i++)
		work_do(w);
	return now() - start;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Arrays so large that one pass takes longer than its share of the time are passed over less often,
 * or 64 MiB alone would take several times what was asked for in all. */
static int repeats_of(double each, double pass)
{
	double n = REPEATS * each / pass;

	return n >= REPEATS ? REPEATS : n > REPEATS_LEAST ? (int)n : REPEATS_LEAST;
}

/* Bytes per second: the median of some repetitions of `each` seconds or more. */
static double work_rate(const struct work *w, double each, double *spread)
{
	double rate[REPEATS], t;
	uint64_t times = 1;
	int repeats;

	while ((t = work_time(w, times)) < TRIAL * each && times < UINT64_MAX / 4)
		times *= 2;
	t /= (double)times;
	times = (uint64_t)(each / t) + 1;
	repeats = times > 1 ? REPEATS : repeats_of(each, t);
	for (int i = 0; i < repeats; i++)
		rate[i] = (double)w->bytes * (double)times / work_time(w, times);
	qsort(rate, (size_t)repeats, sizeof *rate, by_value);
	if (spread)
		*spread = (rate[repeats * 3 / 4] - rate[repeats / 4]) / rate[repeats / 2];
	return rate[repeats / 2];
}

static void size_measure(struct memory_rates *m, int i, struct work *w, double each)
{
	w->bytes = (size_t)m->size[i];
	w->reduce = NULL;
	m->copy[i] = work_rate(w, each, &m->spread[i]);
	for (int op = 0; op < MEMORY_OPS; op++) {
		for (int type = 0; type < MEMORY_TYPES; type++) {
			w->n = w->bytes / type_size[type];
			w->reduce = reductions[op][type];
			memset(w->to, 0,
			       w->bytes); /* no infinities nor tiny numbers, which are slow */
			m->reduce[op][type][i] = work_rate(w, each, NULL) / (double)type_size[type];
		}
	}
}

int memory_measure(struct memory_rates *m, double seconds, double largest, struct err *err)
{
	struct work w = {0};
	double each;

	*m = (struct memory_rates){0};
	for (double size = SIZE_FIRST; size <= largest && m->sizes < MEMORY_SIZES;
	     size *= SIZE_RATIO)
		m->size[m->sizes++] = size;
	if (m->sizes < 2)
		return err_set(err, ERR_INPUT,
		               "calibrate memory: arrays of 256 bytes at least, not %g", largest);
	if (m->sizes == MEMORY_SIZES && largest > m->size[MEMORY_SIZES - 1])
		return err_set(err, ERR_INPUT,
		               "calibrate memory: arrays of 4 GiB (4294967296 bytes) at most, not "
		               "%g",
		               largest);
	w.bytes = (size_t)m->size[m->sizes - 1];
	w.to = malloc(w.bytes);
	w.from = malloc(w.bytes);
	if (!w.to || !w.from) {
		free(w.to);
		free(w.from);
		return err_nomem(err, "arrays to copy", 2 * (unsigned long long)w.bytes);
	}
	memset(w.from, 0, w.bytes);
	memset(w.to, 1, w.bytes);
	each = seconds / (m->sizes * (1 + MEMORY_OPS * MEMORY_TYPES) * REPEATS);
	for (int i = 0; i < m->sizes; i++)
		size_measure(m, i, &w, each);
	free(w.to);
	free(w.from);
	return 0;
}

/* "0:9.1e9;128:1.2e10;…": rates by size (scaled by `unit`, bytes per counted thing), neighbours
 * that differ by less than a tenth as one. */
static void memory_table(const struct memory_rates *m, const double *rate, double unit,
                         struct str *out)
{
	for (int i = 0, end; i < m->sizes; i = end) {
		double sum = rate[i];

		for (end = i + 1; end < m->sizes && fabs(rate[end] / (sum / (end - i)) - 1) < ALIKE;
		     end++)
			sum += rate[end];
		/* between two sizes: their geometric mean */
		str_printf(out, "%s%.0f:%.3g", i ? ";" : "",
		           i ? floor(m->size[i] / sqrt(SIZE_RATIO) / unit) : 0, sum / (end - i));
	}
}

void memory_settings(const struct memory_rates *m, struct str *out)
{
	str_puts(out, "smpi/copy-rate:");
	memory_table(m, m->copy, 1, out);
	str_puts(out, "\nsmpi/reduce-rate:");
	memory_table(m, m->reduce[0][3], 8, out); /* the sum of doubles */
	str_putc(out, '\n');
}

void memory_text(const struct memory_rates *m, struct str *out)
{
	char size[32], rate[32];

	str_printf(out, "%-12s %14s %8s", "array", "copy", "spread");
	for (int type = 0; type < MEMORY_TYPES; type++)
		str_printf(out, " %14s", memory_type_names[type]);
	str_puts(out, "\n");
	for (int i = 0; i < m->sizes; i++) {
		fmt_si(size, sizeof size, m->size[i], "B");
		fmt_si(rate, sizeof rate, m->copy[i], "B/s");
		str_printf(out, "%-12s %14s %7.1f%%", size, rate, 100 * m->spread[i]);
		for (int type = 0; type < MEMORY_TYPES; type++) {
			fmt_si(rate, sizeof rate, m->reduce[0][type][i], "/s");
			str_printf(out, " %14s", rate);
		}
		str_putc(out, '\n');
	}
	str_puts(out, "\n(types: elements of MPI_SUM per second; other operators: --json)\n\n");
	memory_settings(m, out);
}

static void json_row(const double *v, int n, const char *key, struct json *j)
{
	json_key(j, key);
	json_array(j);
	for (int i = 0; i < n; i++)
		json_double(j, v[i]);
	json_end(j);
}

void memory_json(const struct memory_rates *m, struct str *out)
{
	struct str table;
	struct json j;

	str_init(&table);
	json_init(&j, out);
	json_object(&j);
	json_row(m->size, m->sizes, "bytes", &j);
	json_row(m->copy, m->sizes, "copy", &j);
	json_row(m->spread, m->sizes, "spread", &j);
	json_key(&j, "reduce");
	json_object(&j);
	for (int op = 0; op < MEMORY_OPS; op++) {
		json_key(&j, memory_op_names[op]);
		json_object(&j);
		for (int type = 0; type < MEMORY_TYPES; type++)
			json_row(m->reduce[op][type], m->sizes, memory_type_names[type], &j);
		json_end(&j);
	}
	json_end(&j);
	memory_table(m, m->copy, 1, &table);
	json_put_string(&j, "smpi/copy-rate", str_of(out, &table));
	str_clear(&table);
	memory_table(m, m->reduce[0][3], 8, &table);
	json_put_string(&j, "smpi/reduce-rate", str_of(out, &table));
	json_end(&j);
	str_putc(out, '\n');
	str_release(&table);
}
