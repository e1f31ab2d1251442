/* test_sizes.c: how large the compressed traces of known programs are (bench/patterns.h), all of
 * the file: the bounds are what Orrery promises (docs/formats/compressed-trace.md); neither
 * iterations nor, for regular programs, ranks change them much. */
#include "unit/trace/trace_test.h"

#include "../bench/patterns.h"

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

static void strided(void **state)
{
	(void)state;
	assert_true(size_of(PATTERN_STRIDED, 32, 1000, -1) <= 2048);
	assert_true(size_of(PATTERN_STRIDED, 32, 1000, 95) <= 2048);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(structure),
	    cmocka_unit_test(ranks),
	    cmocka_unit_test(irregular),
	    cmocka_unit_test(strided),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
