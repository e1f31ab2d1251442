/* exceptions.c: which values of a column are strangers among the others (column_int.h): those off
 * its commonest values, or off its period. What is common is told from a sample, and is tried only
 * if it seems to be worth it: this is done to every cost of a traced program, and most are noise.
 */
#include "column_int.h"

#include <stdlib.h>
#include <string.h>

enum {
	ROWS_LEAST = 32,
	SAMPLE_MOST = 256,
	SLOTS = 2 * SAMPLE_MOST,
	COMMON_MOST = 64,
	LAG_MOST = 512,
	FEW = 8,
	PROBES = 64,
	CHECKS = 256
};
#define MISSES_MOST(probes) ((probes)*3 / 8)

struct sampled {
	int64_t v;
	uint32_t n;
};
struct sample {
	struct sampled value[SAMPLE_MOST]; /* the commonest first */
	uint32_t different, n;
};

/* What is common, and about how many bits all would take with it. */
struct plan {
	uint64_t bits;
	uint32_t common; /* so many values, the commonest, or */
	uint32_t lag;    /* v is mostly as it was so many before */
};

static uint64_t scattered(uint64_t k, uint64_t n)
{
	return (k * UINT64_C(0x9e3779b97f4a7c15) >> 32) * n >> 32;
}

static uint32_t slot_of(int64_t v)
{
	return (uint32_t)((uint64_t)v * UINT64_C(0x9e3779b97f4a7c15) >> 32) % SLOTS;
}

/* --- a sample --- */

static int commoner(const void *a, const void *b)
{
	const struct sampled *x = a, *y = b;

	return x->n != y->n ? (x->n < y->n) - (x->n > y->n) : (x->v > y->v) - (x->v < y->v);
}

static void sample_take(struct sample *s, const int64_t *v, uint64_t n)
{
	uint64_t part = n / 16;
	int16_t id[SLOTS];

	s->n = part < ROWS_LEAST ? ROWS_LEAST : part < SAMPLE_MOST ? (uint32_t)part : SAMPLE_MOST;
	s->different = 0;
	memset(id, -1, sizeof id);
	for (uint32_t k = 0; k < s->n; k++) {
		int64_t x = v[scattered(k, n)];
		uint32_t at = slot_of(x);

		while (id[at] >= 0 && s->value[id[at]].v != x)
			at = (at + 1) % SLOTS;
		if (id[at] < 0) {
			id[at] = (int16_t)s->different;
			s->value[s->different++] = (struct sampled){x, 0};
		}
		s->value[id[at]].n++;
	}
	if (s->different < s->n)
		qsort(s->value, s->different, sizeof *s->value, commoner);
}

/* --- what is common --- */

/* Bits of each stranger: they are told apart, or repeat. */
static unsigned stranger_width(const struct sample *s, uint32_t common, uint32_t seen)
{
	uint32_t different = s->different - common;
	int64_t least = INT64_MAX, most = INT64_MIN;
	unsigned width;

	for (uint32_t i = common; i < s->different; i++) {
		least = s->value[i].v < least ? s->value[i].v : least;
		most = s->value[i].v > most ? s->value[i].v : most;
	}
	width = different ? width_of((uint64_t)most - (uint64_t)least) : 0;
	return different <= seen / 2 && width > width_of(different) ? width_of(different) : width;
}

/* r strangers among n take so many bits. */
static uint64_t strangers_bits(uint64_t r, uint64_t n, unsigned width)
{
	return r ? r * (1 + width_of(n / r) + width) : 0;
}

static void common_plan(struct plan *best, const struct sample *s, uint64_t n)
{
	uint32_t seen = 0, i = 0;

	for (uint32_t common = 1; common <= COMMON_MOST && common <= s->different; common *= 2) {
		uint32_t others;
		uint64_t bits;

		for (; i < common; i++)
			seen += s->value[i].n;
		if (s->value[common - 1].n < 2)
			return;
		others = s->n - seen;
		bits = n * width_of(common - 1) +
		       strangers_bits(n * others / s->n, n, stranger_width(s, common, others));
		if (bits < best->bits)
			*best = (struct plan){.bits = bits, .common = common};
	}
}

/* Of probes [from, to), pairs of values `lag` apart, how many differ; `most` as soon as it is that,
 * or seems to be more. */
static uint32_t lag_misses(const int64_t *v, uint64_t n, uint32_t lag, uint32_t from, uint32_t to,
                           uint32_t most)
{
	uint32_t misses = 0;

	for (uint32_t k = from; k < to && misses < most; k++) {
		uint64_t i = scattered(k, n - lag);

		misses += v[i] != v[i + lag];
		if (k - from == FEW - 1 && misses > FEW * 3 / 4)
			return most;
	}
	return misses;
}

/* Of many lags one has few misses by chance: others tell whether they stay few. A stranger is in
 * two of the pairs. */
static void lag_plan(struct plan *best, const struct sample *s, const int64_t *v, uint64_t n)
{
	const uint32_t many = MISSES_MOST(CHECKS);
	uint32_t misses = MISSES_MOST(PROBES), lag = 0;
	uint64_t bits;
	unsigned width;

	if (s->different > s->n / 4 * 3)
		return; /* more than a period has */
	for (uint32_t t = 2; t <= n / 16 && t <= LAG_MOST; t++) {
		uint32_t found = lag_misses(v, n, t, 0, PROBES, misses);

		if (found + misses / 8 < misses) {
			misses = found;
			lag = t;
		}
	}
	if (!lag || (misses = lag_misses(v, n, lag, PROBES, PROBES + CHECKS, many)) >= many)
		return;
	width = stranger_width(s, 0, s->n);
	bits = lag * width + strangers_bits(n * misses / (2 * CHECKS), n, width);
	if (bits < best->bits)
		*best = (struct plan){.bits = bits, .lag = lag};
}

/* --- the exceptions --- */

static int is_common(const int64_t *value, const uint8_t *used, int64_t x)
{
	uint32_t at = slot_of(x);

	while (used[at] && value[at] != x)
		at = (at + 1) % SLOTS;
	return used[at];
}

/* rest: what is common stays; in the place of a stranger is what was before it. */
static void common_split(const struct sample *s, uint32_t common, const int64_t *v, uint64_t n,
                         int64_t *rest)
{
	int64_t value[SLOTS], last = s->value[0].v;
	uint8_t used[SLOTS] = {0};

	for (uint32_t i = 0; i < common; i++) {
		uint32_t at = slot_of(s->value[i].v);

		while (used[at])
			at = (at + 1) % SLOTS;
		used[at] = 1;
		value[at] = s->value[i].v;
	}
	for (uint64_t i = 0; i < n; i++) {
		if (v[i] != last && is_common(value, used, v[i]))
			last = v[i];
		rest[i] = last;
	}
}

/* rest: at each place of the period what most have there (Boyer and Moore's vote). */
static void lag_split(uint32_t lag, const int64_t *v, uint64_t n, int64_t *rest)
{
	uint32_t votes[LAG_MOST] = {0};

	for (uint64_t i = 0, k = 0; i < n; i++, k = k + 1 < lag ? k + 1 : 0) {
		if (votes[k] == 0)
			rest[k] = v[i];
		votes[k] += rest[k] == v[i] ? 1 : UINT32_MAX;
	}
	for (uint64_t i = lag; i < n; i++)
		rest[i] = rest[i - lag];
}

/* What differs from rest. */
static int strangers_take(struct exceptions *e, const int64_t *v, uint64_t n)
{
	uint64_t r = 0;

	for (uint64_t i = 0; i < n; i++)
		r += v[i] != e->rest[i];
	if (r == 0 || r > n / 2 || r > EXCEPTIONS_MOST)
		return 0;
	e->at = malloc(2 * r * sizeof *e->at);
	if (!e->at)
		return 0;
	e->value = e->at + r;
	e->r = 0;
	for (uint64_t i = 0; i < n; i++)
		if (v[i] != e->rest[i]) {
			e->at[e->r] = (int64_t)i;
			e->value[e->r++] = v[i];
		}
	return 1;
}

int exceptions_find(struct exceptions *e, const int64_t *v, uint64_t n, size_t size)
{
	struct plan plan = {.bits = 8 * (uint64_t)size};
	struct sample s;

	*e = (struct exceptions){0};
	if (n < ROWS_LEAST || n > UINT32_MAX)
		return 0;
	sample_take(&s, v, n);
	common_plan(&plan, &s, n);
	lag_plan(&plan, &s, v, n);
	e->rest = plan.common || plan.lag ? malloc(n * sizeof *e->rest) : NULL;
	if (!e->rest)
		return 0;
	if (plan.lag)
		lag_split(plan.lag, v, n, e->rest);
	else
		common_split(&s, plan.common, v, n, e->rest);
	if (strangers_take(e, v, n))
		return 1;
	exceptions_release(e);
	return 0;
}

void exceptions_release(struct exceptions *e)
{
	free(e->rest);
	free(e->at);
	*e = (struct exceptions){0};
}
