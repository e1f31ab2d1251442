/* prop_nest.c: random programs (program.h) go through the compressed form and come out the same,
 * line by line, at any place of any rank. The seed is printed. */
#include "program.h"

static void writer_put(void *self, uint32_t rank, const struct trace_event *ev)
{
	struct err err;

	assert_ok(trace_writer_put(self, rank, ev, &err), err);
}

static void program_check(uint64_t seed)
{
	struct program p = {.n = 0};
	struct run x[RANKS];
	struct rng rng;
	struct trace_writer *w;
	struct err err;
	struct trace *t;
	char dir[64], path[256];

	rng_init(&rng, seed, "programs", 0);
	part_make(&p, &rng, 0);
	folder_make(dir);
	snprintf(path, sizeof path, "%s/trace", dir);
	w = trace_writer_open(path, TRACE_WRITE_COMPRESSED, RANKS, &err);
	assert_non_null(w);
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		x[rank] = (struct run){.p = &p, .rank = rank, .put = writer_put, .self = w};
		rng_init(&x[rank].rng, seed, "runs", seed % 2 ? 0 : rank);
		part_run(&x[rank], 0);
		if (rank % 2)
			assert_ok(trace_writer_rank_done(w, rank, &err), err);
	}
	assert_ok(trace_writer_commit(w, NULL, NULL, &err), err);
	t = trace_open(path, 0, &err);
	if (!t)
		fail_msg("%s", err.text);
	for (uint32_t rank = RANKS; rank-- > 0;) {
		rank_same(t, &x[rank]);
		str_release(&x[rank].text);
	}
	trace_close(t);
	folder_remove(dir);
}

static void programs(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		print_message("seed %llu\n", (unsigned long long)seed);
		program_check(seed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
