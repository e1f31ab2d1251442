/* prop_sink.c: random programs (program.h) go through what the tracer does with events, and come
 * out the same, line by line: merged up a tree of any arity as in MPI_Finalize, with as little
 * memory as makes many chapters; and of ranks that were killed, from the files that they leave, at
 * each of the moments between a chapter and the next log. The seed is printed. */
#include "../prop.h"

#include "property/trace/program.h"

#include "sink.h"
#include "trace/compressed/block_out.h"
#include "trace/compressed/pack.h"

static void nothing_forget(int64_t req)
{
	(void)req;
}

static void sink_take(void *self, uint32_t rank, const struct trace_event *ev)
{
	struct sink *s = self;
	struct err err;

	assert_ok(sink_put(&s[rank], ev, &err), err);
}

struct world {
	struct program p;
	struct run x[RANKS];
	struct sink *sink;
	char dir[64];
};

static void world_run(struct world *w, uint64_t seed, size_t memory)
{
	struct rng rng;
	struct err err;

	w->p = (struct program){.n = 0};
	w->sink = calloc(RANKS, sizeof *w->sink);
	assert_non_null(w->sink);
	rng_init(&rng, seed, "programs", 0);
	part_make(&w->p, &rng, 0);
	folder_make(w->dir);
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		assert_ok(sink_open(&w->sink[rank], w->dir, rank, RANKS, 5000, memory,
		                    nothing_forget, &err),
		          err);
		assert_ok(sink_note(&w->sink[rank], "orrery-trace 1", &err), err);
		assert_ok(sink_note(&w->sink[rank], "ranks 12", &err), err);
		w->x[rank] = (struct run){
		    .p = &w->p, .rank = rank, .put = sink_take, .self = w->sink};
		rng_init(&w->x[rank].rng, seed, "runs", seed % 2 ? 0 : rank);
		part_run(&w->x[rank], 0);
	}
}

static void world_end(struct world *w)
{
	for (uint32_t rank = 0; rank < RANKS; rank++)
		str_release(&w->x[rank].text);
	free(w->sink);
	folder_remove(w->dir);
}

/* --- merged --- */

static int write_out(void *self, const void *bytes, size_t n, struct err *err)
{
	return output_write(self, bytes, n, err);
}

/* The costs of a rank, as they are at `at` or below it. */
struct merged {
	struct bundle bundle;
	struct str own[RANKS];
};

/* Part i of the ranks from `at` to before `end`, merged by k. */
static void merge(struct world *w, uint32_t part, uint32_t at, uint32_t end, uint32_t k,
                  struct merged *m)
{
	struct sink *s = &w->sink[at];
	struct str packed = {0};
	struct err err;

	bundle_init(&m->bundle, 100);
	if (part < s->chapters) {
		assert_ok(sink_chapter(s, part, &packed, &err), err);
		assert_ok(bundle_merge(&m->bundle, (uint8_t *)packed.s, packed.n, NULL, &err), err);
	} else if (part == s->chapters && s->nest.events) {
		assert_ok(bundle_add(&m->bundle, at, &s->nest, &err), err);
	}
	if (m->bundle.members && m->bundle.member[0].own)
		str_putn(&m->own[at], (char *)m->bundle.member[0].own, m->bundle.member[0].bytes);
	for (uint32_t child = at + 1, n; child < end; child += n) {
		struct merged *below_it = calloc(1, sizeof *below_it);
		struct pack_map map;

		n = (end - child + k - 1) / k;
		merge(w, part, child, child + n, k, below_it);
		str_clear(&packed);
		bundle_pack(&below_it->bundle, 0, &packed);
		assert_ok(bundle_merge(&m->bundle, (uint8_t *)packed.s, packed.n, &map, &err), err);
		for (uint32_t r = child; r < child + n; r++) {
			struct str *own = &below_it->own[r];
			struct str moved = {0};

			if (own->n)
				assert_ok(bundle_own_moved(&m->bundle, r, &map, (uint8_t *)own->s,
				                           own->n, &moved, &err),
				          err);
			m->own[r] = moved.n ? moved : *own;
			if (moved.n)
				str_release(own);
			else
				str_release(&moved);
		}
		pack_map_release(&map);
		bundle_release(&below_it->bundle);
		free(below_it);
	}
	str_release(&packed);
}

static void events_write(struct world *w, const char *path, uint32_t parts, uint32_t k)
{
	struct output file;
	struct block_out out = {.write = write_out, .self = &file};
	struct err err;

	assert_ok(output_open(&file, path, &err), err);
	assert_ok(block_out_head(&out, RANKS, &err), err);
	for (uint32_t i = 0; i < parts; i++) {
		struct merged *m = calloc(1, sizeof *m);

		merge(w, i, 0, RANKS, k, m);
		assert_ok(block_out_bundle(&out, &m->bundle, RANKS, &err), err);
		for (uint32_t r = 0; r < RANKS; r++) {
			if (m->own[r].n)
				assert_ok(block_out_costs(&out, r, (uint8_t *)m->own[r].s,
				                          m->own[r].n, &err),
				          err);
			str_release(&m->own[r]);
		}
		assert_ok(block_out_costs_end(&out, &err), err);
		bundle_release(&m->bundle);
		free(m);
	}
	assert_ok(block_out_put(&out, BLOCK_END, NULL, 0, &err), err);
	assert_ok(output_commit(&file, &err), err);
	block_out_release(&out);
	output_release(&file);
}

static void merged_check(uint64_t seed, size_t memory, uint32_t k)
{
	struct world w;
	char path[256];
	uint32_t parts = 0;
	struct err err;
	struct trace *t;

	world_run(&w, seed, memory);
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		assert_ok(sink_end(&w.sink[rank], &err), err);
		if (w.sink[rank].chapters >= parts)
			parts = w.sink[rank].chapters + 1;
	}
	snprintf(path, sizeof path, "%s/" TRACE_EVENTS_FILE, w.dir);
	events_write(&w, path, parts, k);
	for (uint32_t rank = 0; rank < RANKS; rank++)
		sink_close(&w.sink[rank], 1);
	t = trace_open(w.dir, 0, &err);
	if (!t)
		fail_msg("%s", err.text);
	for (uint32_t rank = 0; rank < RANKS; rank++)
		rank_same(t, &w.x[rank]);
	trace_close(t);
	world_end(&w);
}

static void merged(void **state)
{
	(void)state;
	for (uint64_t seed = prop_seed(1); seed <= prop_seed(24); seed++) {
		print_message("seed %llu\n", (unsigned long long)seed);
		merged_check(seed, seed % 3 ? 16 << 20 : 1 << 15, 2 + (uint32_t)seed % 4);
	}
}

static void lines_same(const struct world *w, uint32_t rank)
{
	char path[256], *line;
	struct str text = {0};
	struct input *in;
	struct err err;
	size_t n;

	snprintf(path, sizeof path, "%s/rank-%u.tit", w->dir, rank);
	in = input_open(path, 0, &err);
	if (!in)
		fail_msg("%s", err.text);
	while (input_line(in, &line, &n, &err) > 0) {
		if (input_lineno(in) == 1) /* whose trace it is, before chapters too */
			assert_string_equal(line, "# orrery-trace 1");
		if (*line != '#')
			str_printf(&text, "%s\n", line);
	}
	input_close(in);
	assert_string_equal(str_of(&text, &text), str_of(&text, &w->x[rank].text));
	str_release(&text);
}

/* --- joined: as the ranks of a simulated run --- */

/* At the end of each rank's program: two communicators of the odd ranks (one more of the same rank
 * 0 between them, of which it is alone), by names that no one counted. */
static void comms_put(struct world *w, uint32_t rank, int as_counted)
{
	static const int32_t odd[] = {1, 3, 5, 7, 9, 11}, alone[] = {1};
	static const uint64_t any[] = {88, 7777, 123456};

	for (int i = 0; rank % 2 && i < 3; i++) {
		struct trace_event ev;
		struct err err;

		if (i == 1 && rank != 1)
			continue;
		trace_event_init(&ev, i == 1 ? TRACE_COMM_CREATE : TRACE_COMM_DUP);
		ev.comm = UINT64_C(1) << 32 | (as_counted ? (uint64_t)i + 2 : any[i]);
		ev.parent = i ? UINT64_C(1) << 32 | (as_counted ? 2 : any[0]) : 0;
		ev.members = i == 1 ? alone : odd;
		ev.n_members = i == 1 ? 1 : RANKS / 2;
		if (as_counted)
			trace_event_format(&w->x[rank].text, rank, &ev);
		else
			assert_ok(sink_put(&w->sink[rank], &ev, &err), err);
	}
}

static void joined_check(uint64_t seed, size_t memory, int all_end)
{
	struct world w;
	struct trace *t;
	struct err err;

	world_run(&w, seed, memory);
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		comms_put(&w, rank, 0);
		comms_put(&w, rank, 1);
		if (all_end || rank != 5) {
			assert_ok(sink_end(&w.sink[rank], &err), err);
			assert_ok(sink_leave(&w.sink[rank], &err), err);
		}
		sink_close(&w.sink[rank], 0);
	}
	assert_int_equal(trace_folder_join(w.dir, RANKS, &err), all_end);
	t = all_end ? trace_open(w.dir, 0, &err) : NULL;
	if (all_end && !t)
		fail_msg("%s", err.text);
	for (uint32_t rank = 0; rank < RANKS; rank++)
		if (t)
			rank_same(t, &w.x[rank]);
		else
			lines_same(&w, rank);
	trace_close(t);
	world_end(&w);
}

static void joined(void **state)
{
	(void)state;
	for (uint64_t seed = prop_seed(50); seed < prop_seed(62); seed++) {
		print_message("seed %llu\n", (unsigned long long)seed);
		joined_check(seed, seed % 2 ? 16 << 20 : 1 << 15, seed % 3 != 0);
	}
}

/* --- killed --- */

/* The log as it was before the last chapter was put away is there too, or instead. */
static void log_copy(const struct world *w, uint32_t rank, const char *from, const char *to)
{
	char a[256], b[256];
	FILE *in, *out;
	int c;

	snprintf(a, sizeof a, "%s/rank-%u.%s", w->dir, rank, from);
	snprintf(b, sizeof b, "%s/rank-%u.%s", w->dir, rank, to);
	in = fopen(a, "rb");
	out = fopen(b, "wb");
	assert_non_null(in);
	assert_non_null(out);
	while ((c = getc(in)) != EOF)
		putc(c, out);
	fclose(in);
	fclose(out);
}

static void killed_check(uint64_t seed, size_t memory)
{
	struct world w;
	struct err err;

	world_run(&w, seed, memory);
	for (uint32_t rank = 0; rank < RANKS; rank++)
		sink_close(&w.sink[rank], 0);
	assert_int_equal(trace_folder_restore(w.dir, &err), RANKS);
	for (uint32_t rank = 0; rank < RANKS; rank++)
		lines_same(&w, rank);
	world_end(&w);
}

static void killed(void **state)
{
	(void)state;
	for (uint64_t seed = prop_seed(30); seed < prop_seed(46); seed++) {
		print_message("seed %llu\n", (unsigned long long)seed);
		killed_check(seed, seed % 2 ? 16 << 20 : 1 << 15);
	}
}

/* A new log has been made, with nothing but its head, or with half of it, or not at all; the one
 * before is still there. */
static void killed_between(void **state)
{
	static const char nothing[] = LOG_MAGIC;
	struct sink s;
	struct trace_event ev;
	struct world w = {.sink = NULL};
	struct str expected = {0};
	struct err err;
	char path[256];

	(void)state;
	for (int moment = 0; moment < 3; moment++) {
		uint32_t chapters = 0;

		folder_make(w.dir);
		str_clear(&expected);
		assert_ok(sink_open(&s, w.dir, 0, 1, 5000, 1 << 15, nothing_forget, &err), err);
		assert_ok(sink_note(&s, "orrery-trace 1", &err), err);
		trace_event_init(&ev, TRACE_COMPUTE);
		for (int i = 0; s.chapters < 3; i++) {
			ev.volume = i * 7919 % 1001;
			trace_event_format(&expected, 0, &ev);
			/* the log before a chapter is put away, which is looked at every 256 events
			 */
			if (s.chapters == chapters && s.events % 256 == 255)
				log_copy(&w, 0, s.other ? "log2" : "log", "kept");
			assert_ok(sink_put(&s, &ev, &err), err);
			chapters = s.chapters;
		}
		sink_close(&s, 0);
		log_copy(&w, 0, "kept", s.other ? "log" : "log2"); /* the old one */
		snprintf(path, sizeof path, "%s/rank-0.%s", w.dir, s.other ? "log2" : "log");
		if (moment == 1)
			assert_int_equal(truncate(path, sizeof nothing - 1), 0);
		if (moment == 2)
			assert_int_equal(unlink(path), 0);
		snprintf(path, sizeof path, "%s/rank-0.kept", w.dir);
		unlink(path);
		w.x[0].text = expected;
		assert_int_equal(trace_folder_restore(w.dir, &err), 1);
		lines_same(&w, 0);
		folder_remove(w.dir);
	}
	str_release(&expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(merged),
	    cmocka_unit_test(joined),
	    cmocka_unit_test(killed),
	    cmocka_unit_test(killed_between),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
