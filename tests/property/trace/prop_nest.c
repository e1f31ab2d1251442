/* prop_nest.c: random programs (program.h) go through the compressed form and come out the same,
 * line by line, at any place of any rank; large ones as they are made, and 300 small ones (5,000
 * with ORRERY_PROVE=all: make prove) as text that is read, compressed, and written again. The seed
 * is printed. */
#include "../prop.h"

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

/* --- text, compressed, text --- */

enum { SMALL = 120, FEW = 300, MANY = 5000 };

static void nothing_put(void *self, uint32_t rank, const struct trace_event *ev)
{
	(void)self;
	(void)rank;
	(void)ev;
}

/* The lines of all ranks as one file, mixed as turns are. */
static void text_write(const char *path, struct run x[RANKS])
{
	struct str all = {0};
	struct err err;
	size_t at[RANKS] = {0};
	int more = 1;

	str_printf(&all, "# orrery-trace 1 ranks=%d\n", RANKS);
	while (more) {
		more = 0;
		for (uint32_t r = 0; r < RANKS; r++) {
			const char *line = x[r].text.s ? x[r].text.s + at[r] : "";
			size_t n = strcspn(line, "\n") + (*line != 0);

			str_putn(&all, line, *line ? n : 0);
			at[r] += *line ? n : 0;
			more |= *line != 0;
		}
	}
	assert_false(all.failed);
	assert_ok(output_file(path, all.s, all.n, &err), err);
	str_release(&all);
}

static void compress(const char *from, const char *to)
{
	struct trace_event ev;
	struct err err;
	struct trace *t = trace_open(from, 0, &err);
	struct trace_writer *w;
	int s = 0;

	if (!t)
		fail_msg("%s", err.text);
	w = trace_writer_open(to, TRACE_WRITE_COMPRESSED, RANKS, &err);
	assert_non_null(w);
	for (uint32_t r = 0; r < RANKS; r++) {
		while ((s = trace_next(t, r, &ev, &err)) > 0)
			assert_ok(trace_writer_put(w, r, &ev, &err), err);
		if (s < 0)
			fail_msg("%s", err.text);
	}
	assert_ok(trace_writer_commit(w, NULL, NULL, &err), err);
	trace_close(t);
}

static void small_check(uint64_t seed)
{
	struct program p = {.n = 0};
	struct run x[RANKS];
	struct trace_event ev;
	struct rng rng;
	struct err err;
	struct trace *t;
	char dir[64], text[256], packed[256];

	rng_init(&rng, seed, "small programs", 0);
	part_make(&p, &rng, 0);
	folder_make(dir);
	snprintf(text, sizeof text, "%s/text", dir);
	snprintf(packed, sizeof packed, "%s/packed", dir);
	for (uint32_t r = 0; r < RANKS; r++) {
		x[r] = (struct run){
		    .p = &p, .rank = r, .put = nothing_put, .fewer = EVENTS_MOST - SMALL};
		rng_init(&x[r].rng, seed, "runs", seed % 2 ? 0 : r);
		trace_event_init(&ev, TRACE_INIT);
		trace_event_format(&x[r].text, r, &ev);
		part_run(&x[r], 0);
	}
	text_write(text, x);
	compress(text, packed);
	t = trace_open(packed, 0, &err);
	if (!t)
		fail_msg("%s", err.text);
	for (uint32_t r = 0; r < RANKS; r++) {
		rank_same(t, &x[r]);
		str_release(&x[r].text);
	}
	trace_close(t);
	folder_remove(dir);
}

static void small_programs(void **state)
{
	const char *wanted = getenv("ORRERY_PROVE");
	uint64_t n = wanted && strcmp(wanted, "all") == 0 ? MANY : FEW;

	(void)state;
	for (uint64_t seed = prop_seed(1); seed <= prop_seed(n); seed++) {
		print_message("small seed %llu\n", (unsigned long long)seed);
		small_check(seed);
	}
}

static void programs(void **state)
{
	(void)state;
	for (uint64_t seed = prop_seed(1); seed <= prop_seed(40); seed++) {
		print_message("seed %llu\n", (unsigned long long)seed);
		program_check(seed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(programs),
	    cmocka_unit_test(small_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
