/* test_sizes.c: how large the compressed traces of known programs are (bench/patterns.h), all of
 * the file: the bounds are what Orrery promises (docs/formats/compressed-trace.md); neither
 * iterations nor, for regular programs, ranks change them much. */
#include "unit/trace/trace_test.h"

#include "../bench/patterns.h"

#include <math.h>
#include <sys/stat.h>

struct sink {
	struct trace_writer *w;
};

static void sink_put(void *self, uint32_t rank, const struct trace_event *ev)
{
	struct sink *s = self;
	struct err err;

	assert_ok(trace_writer_put(s->w, rank, ev, &err), err);
}

/* Bytes of the file; precision -1: structure only, else volumes and durations vary. */
static int size_of(enum pattern kind, int ranks, int steps, int precision)
{
	struct sink sink;
	struct pattern_run p = {.put = sink_put,
	                        .self = &sink,
	                        .ranks = ranks,
	                        .steps = steps,
	                        .noise = precision >= 0};
	char dir[64], path[128];
	struct stat st;
	struct err err;

	folder_make(dir);
	snprintf(path, sizeof path, "%s/trace", dir);
	sink.w = trace_writer_open(path, TRACE_WRITE_COMPRESSED, (uint32_t)ranks, &err);
	assert_non_null(sink.w);
	if (precision >= 0)
		trace_writer_precision(sink.w, precision);
	for (int rank = 0; rank < ranks; rank++) {
		pattern_rank(&p, kind, rank);
		assert_ok(trace_writer_rank_done(sink.w, (uint32_t)rank, &err), err);
	}
	assert_ok(trace_writer_commit(sink.w, NULL, NULL, &err), err);
	assert_int_equal(stat(path, &st), 0);
	folder_remove(dir);
	print_message("%s, %d ranks, %d steps, precision %d: %lld bytes\n", pattern_names[kind],
	              ranks, steps, precision, (long long)st.st_size);
	return (int)st.st_size;
}

static void structure(void **state)
{
	static const int most[] = {1024, 1024, 1228, 4096, 20480};

	(void)state;
	for (int k = PATTERN_STENCIL; k <= PATTERN_BT; k++) {
		enum pattern kind = (enum pattern)k;
		int bytes = size_of(kind, 64, 20, -1);

		assert_true(bytes <= most[k]);
		assert_true(size_of(kind, 64, 20, 95) <= 4 * most[k]);
		/* Twice the iterations: a few digits. */
		assert_true(size_of(kind, 64, 40, -1) <= bytes + 32);
	}
}

static void ranks(void **state)
{
	(void)state;
	for (int k = PATTERN_STENCIL; k <= PATTERN_LU; k++)
		assert_true(size_of((enum pattern)k, 1024, 20, -1) <=
		            size_of((enum pattern)k, 64, 20, -1) + 64);
}

/* 1,000 counts below 1,000 of each of 16 ranks: log2(1000) bits each. Under 95 they are kept, as
 * they are further apart than that; where histograms are forced, they do not grow. */
static void irregular(void **state)
{
	double entropy = 16 * 1000 * 9.966 / 8;

	(void)state;
	assert_true(size_of(PATTERN_IRREGULAR, 16, 1000, -1) <= 1.5 * entropy);
	assert_true(size_of(PATTERN_IRREGULAR, 16, 1000, 95) <= 1.5 * entropy);
	assert_true(size_of(PATTERN_IRREGULAR, 16, 1000, 0) <= 2048);
}

/* --- counts that come in no order --- */

enum skew { COIN, TENTH, GEOMETRIC, ZIPF, STRANGERS, AMONG_TWO, SKEWS };
static const char *const skew_names[SKEWS] = {
    "coin", "one in ten", "geometric", "Zipf 1.1", "5 % strangers", "5 % strangers among two"};
enum { SKEW_RANKS = 16, SKEW_COUNTS = 1000, SKEW_VALUES = 1000 };

/* How probable the counts from 1 on are. */
static void skew_make(enum skew kind, double p[SKEW_VALUES])
{
	double sum = 0;

	for (int k = 0; k < SKEW_VALUES; k++) {
		p[k] = kind == COIN        ? (k < 2) * 0.5
		       : kind == TENTH     ? (k < 2) * (k ? 0.1 : 0.9)
		       : kind == GEOMETRIC ? pow(0.95, k)
		       : kind == STRANGERS ? (k ? 0.05 / (SKEW_VALUES - 1) : 0.95)
		       : kind == AMONG_TWO ? (k > 1 ? 0.05 / (SKEW_VALUES - 2) : 0.475)
		                           : pow(k + 1, -1.1);
		sum += p[k];
	}
	for (int k = 0; k < SKEW_VALUES; k++)
		p[k] /= sum;
}

static int64_t skew_draw(const double *p, struct rng *rng)
{
	double u = rng_unit(rng);
	int k = 0;

	while (k + 1 < SKEW_VALUES && (u -= p[k]) >= 0)
		k++;
	return k + 1;
}

/* Sends of such counts, and between them receives of always the same. */
static void skew_event(struct trace_event *ev, int rank, int i, const double *p, struct rng *rng)
{
	int sends = i % 2 == 0;

	trace_event_init(ev, sends ? TRACE_SEND : TRACE_RECV);
	ev->peer = (rank + (sends ? 1 : SKEW_RANKS - 1)) % SKEW_RANKS;
	ev->count = sends ? skew_draw(p, rng) : 8;
	ev->type = 6;
}

static int skew_write(const char *path, const double *p)
{
	struct trace_writer *w;
	struct trace_event ev;
	struct stat st;
	struct err err;

	w = trace_writer_open(path, TRACE_WRITE_COMPRESSED, SKEW_RANKS, &err);
	assert_non_null(w);
	for (int rank = 0; rank < SKEW_RANKS; rank++) {
		struct rng rng;

		rng_init(&rng, 1, "skew", (uint64_t)rank);
		for (int i = 0; i < 2 * SKEW_COUNTS; i++) {
			skew_event(&ev, rank, i, p, &rng);
			assert_ok(trace_writer_put(w, (uint32_t)rank, &ev, &err), err);
		}
		assert_ok(trace_writer_rank_done(w, (uint32_t)rank, &err), err);
	}
	assert_ok(trace_writer_commit(w, NULL, NULL, &err), err);
	assert_int_equal(stat(path, &st), 0);
	return (int)st.st_size;
}

/* What is read is what was written. */
static void skew_read(const char *path, const double *p)
{
	struct trace_event ev, expected;
	struct err err;
	struct trace *t = trace_open(path, SKEW_RANKS, &err);

	assert_non_null(t);
	for (int rank = 0; rank < SKEW_RANKS; rank++) {
		struct rng rng;

		rng_init(&rng, 1, "skew", (uint64_t)rank);
		for (int i = 0; i < 2 * SKEW_COUNTS; i++) {
			skew_event(&expected, rank, i, p, &rng);
			assert_int_equal(trace_next(t, (uint32_t)rank, &ev, &err), 1);
			assert_int_equal(ev.op, expected.op);
			assert_int_equal(ev.peer, expected.peer);
			assert_int_equal(ev.count, expected.count);
		}
		assert_int_equal(trace_next(t, (uint32_t)rank, &ev, &err), 0);
	}
	trace_close(t);
}

/* 1,000 counts of each of 16 ranks: no more than 1.5 times what they say, -log2 of how probable
 * they are, in sum (zlib packs a little worse). A coin's two took 5 times as much, as they were
 * 1,000 calls; strangers among equal values 3, as each was two pieces. */
#ifdef ORRERY_HAVE_ZSTD
#define TIMES_MOST 1.5
#else
#define TIMES_MOST 1.7
#endif
static void skewed(void **state)
{
	(void)state;
	for (enum skew kind = 0; kind < SKEWS; kind++) {
		double p[SKEW_VALUES], entropy = 0;
		char dir[64], path[128];
		int bytes;

		skew_make(kind, p);
		for (int k = 0; k < SKEW_VALUES; k++)
			entropy -= p[k] > 0 ? p[k] * log2(p[k]) : 0;
		folder_make(dir);
		snprintf(path, sizeof path, "%s/trace", dir);
		bytes = skew_write(path, p);
		skew_read(path, p);
		folder_remove(dir);
		entropy *= SKEW_RANKS * SKEW_COUNTS / 8.0;
		print_message("%s: %d bytes, %.2f times the entropy\n", skew_names[kind], bytes,
		              bytes / entropy);
		assert_true(bytes <= TIMES_MOST * entropy);
	}
}

static void strided(void **state)
{
	(void)state;
	assert_true(size_of(PATTERN_STRIDED, 32, 1000, -1) <= 2048);
	assert_true(size_of(PATTERN_STRIDED, 32, 1000, 95) <= 2048);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(structure), cmocka_unit_test(ranks),   cmocka_unit_test(irregular),
	    cmocka_unit_test(skewed),    cmocka_unit_test(strided),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
