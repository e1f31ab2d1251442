/* prop_visit.c: what a compressed trace says of itself without being unfolded, beside its events
 * one by one: of random programs (program.h) each call as often as it was made, with what it cost
 * in all; and where two traces part. The seed is printed. */
#include "../prop.h"

#include "program_kept.h"

#include "trace/compressed/nest.h"

enum { PROGRAMS = 40, FEWER = 1800, PAIRS = 60, SHORT = 2300 };

/* --- visits --- */

struct seen_line {
	char *line;
	uint64_t times;
	double volume, seconds;
};
struct seen_lines {
	struct seen_line *all;
	size_t n, cap;
	uint32_t depth; /* loops that are open */
	uint64_t times[NEST_DEPTH + 2];
	uint32_t rank;
};

static void line_add(struct seen_lines *s, char *line, uint64_t times, double volume,
                     double seconds)
{
	if (s->n == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 256;
		s->all = realloc(s->all, s->cap * sizeof *s->all);
		assert_non_null(s->all);
	}
	s->all[s->n++] = (struct seen_line){line, times, volume, seconds};
}

/* Every loop is left as it was entered; a call is made once for each time around its loop, or is
 * told time by time. */
static int loop_seen(void *self, uint32_t rank, uint64_t times, int enters, struct err *err)
{
	struct seen_lines *s = self;

	(void)err;
	assert_true(times > 0 && (s->depth == 0 || rank == s->rank));
	s->rank = rank;
	if (enters) {
		assert_true(s->depth < NEST_DEPTH + 1);
		s->times[s->depth++] = times;
	} else {
		assert_true(s->depth > 0 && s->times[--s->depth] == times);
	}
	return 0;
}

static int call_seen(void *self, const struct trace_seen *x, struct err *err)
{
	struct seen_lines *s = self;

	(void)err;
	assert_int_equal(x->depth, s->depth);
	assert_true(x->times == 1 || x->times == (s->depth ? s->times[s->depth - 1] : 1));
	line_add(s, line_without_costs(x->rank, *x->ev), x->times, x->volume, x->seconds);
	return 0;
}

static int by_line(const void *a, const void *b)
{
	const struct seen_line *x = a, *y = b;

	return strcmp(x->line, y->line);
}

/* Each line once. */
static void lines_gather(struct seen_lines *s)
{
	size_t n = 0;

	if (s->n > 0)
		qsort(s->all, s->n, sizeof *s->all, by_line);
	for (size_t i = 0; i < s->n; i++) {
		if (n == 0 || strcmp(s->all[n - 1].line, s->all[i].line) != 0) {
			s->all[n++] = s->all[i];
			continue;
		}
		s->all[n - 1].times += s->all[i].times;
		s->all[n - 1].volume += s->all[i].volume;
		s->all[n - 1].seconds += s->all[i].seconds;
		free(s->all[i].line);
	}
	s->n = n;
}

static void lines_release(struct seen_lines *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->all[i].line);
	free(s->all);
}

static void sum_is(double got, double want)
{
	if (!(got >= want - 1e-9 * want && got <= want + 1e-9 * want))
		fail_msg("%.17g, not %.17g", got, want);
}

static void visit_is(const char *path, const struct kept_program *k)
{
	struct seen_lines got = {.n = 0}, want = {.n = 0};
	struct trace_visitor v = {.self = &got, .call = call_seen, .loop = loop_seen};
	struct err err;
	struct trace *t = trace_open(path, 0, &err);

	if (!t)
		fail_msg("%s", err.text);
	assert_ok(trace_visit(t, &v, &err), err);
	assert_int_equal(got.depth, 0);
	trace_close(t);
	for (uint32_t rank = 0; rank < RANKS; rank++)
		for (uint32_t i = 0; i < k->rank[rank].n; i++) {
			const struct kept_event *e = &k->rank[rank].event[i];

			line_add(&want, strdup(e->line), 1, e->volume,
			         e->duration > 0 ? e->duration : 0);
		}
	lines_gather(&got);
	lines_gather(&want);
	assert_int_equal(got.n, want.n);
	for (size_t i = 0; i < want.n; i++) {
		assert_string_equal(got.all[i].line, want.all[i].line);
		assert_int_equal(got.all[i].times, want.all[i].times);
		sum_is(got.all[i].volume, want.all[i].volume);
		sum_is(got.all[i].seconds, want.all[i].seconds);
	}
	lines_release(&got);
	lines_release(&want);
}

static void visits_come_to_the_events(void **state)
{
	static struct kept_program k;
	char dir[64], path[256];

	(void)state;
	folder_make(dir);
	snprintf(path, sizeof path, "%s/trace", dir);
	for (uint64_t seed = prop_seed(0); seed < prop_seed(PROGRAMS); seed++) {
		print_message("seed %llu\n", (unsigned long long)seed);
		program_write(&k, seed, seed, FEWER, path, 100);
		visit_is(path, &k);
		program_release(&k);
		remove(path);
	}
	folder_remove(dir);
}

/* --- differences --- */

/* The first event at which they part, from 1, or 0. */
static uint32_t parting(const struct kept_rank *a, const struct kept_rank *b)
{
	uint32_t n = a->n < b->n ? a->n : b->n;

	for (uint32_t i = 0; i < n; i++)
		if (strcmp(a->event[i].line, b->event[i].line) != 0)
			return i + 1;
	return a->n == b->n ? 0 : n + 1;
}

/* All events of a program as text of ours. */
static void text_write(const struct kept_program *k, const char *path)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fprintf(f, "# orrery-trace 1 ranks=%d\n", RANKS);
	for (uint32_t rank = 0; rank < RANKS; rank++)
		for (uint32_t i = 0; i < k->rank[rank].n; i++)
			fputs(k->rank[rank].event[i].line, f);
	assert_int_equal(fclose(f), 0);
}

static void difference_is(const char *a, const char *b, const struct kept_program *x,
                          const struct kept_program *y)
{
	enum { RANKS_TOLD = 10 }; /* and no more */
	uint32_t differ = 0;
	struct str out = {0};
	struct err err;
	struct trace *t[2] = {trace_open(a, 0, &err), trace_open(b, 0, &err)};
	int result;
	char line[128];

	assert_true(t[0] && t[1]);
	result = trace_diff(t[0], t[1], &out, &err);
	if (result < 0)
		fail_msg("%s", err.text);
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		uint32_t at = parting(&x->rank[rank], &y->rank[rank]);

		snprintf(line, sizeof line, at ? "rank %u parts at its event %u:\n" : "rank %u p",
		         rank, at);
		differ += at > 0;
		if (!at || differ <= RANKS_TOLD)
			assert_int_equal(strstr(out.s, line) != NULL, at > 0);
	}
	snprintf(line, sizeof line, "%u of %u ranks differ%s\n", differ, RANKS,
	         differ == 1 ? "s" : "");
	assert_int_equal(result, differ > 0);
	assert_non_null(strstr(out.s, differ ? line : "the same structure"));
	trace_close(t[0]);
	trace_close(t[1]);
	str_release(&out);
}

/* An event of some rank becomes another one, comes twice or is left out. */
static void program_change(struct kept_program *k, struct rng *r)
{
	struct kept_rank *rank = &k->rank[rng_below(r, RANKS)];
	uint32_t i = rank->n ? (uint32_t)rng_below(r, rank->n) : 0;

	if (rank->n < 2)
		return;
	if (rng_below(r, 2)) {
		free(rank->event[i].line);
		rank->event[i].line = strdup(rank->event[(i + 1) % rank->n].line);
	} else {
		free(rank->event[i].line);
		memmove(&rank->event[i], &rank->event[i + 1],
		        (--rank->n - i) * sizeof *rank->event);
	}
}

/* What a text says, compressed. */
static void compress(const char *from, const char *to)
{
	struct trace_event ev;
	struct err err;
	struct trace *t = trace_open(from, 0, &err);
	struct trace_writer *w = trace_writer_open(to, TRACE_WRITE_COMPRESSED, RANKS, &err);

	assert_true(t && w);
	for (uint32_t rank = 0; rank < RANKS; rank++)
		while (trace_next(t, rank, &ev, &err) > 0)
			assert_ok(trace_writer_put(w, rank, &ev, &err), err);
	assert_ok(trace_writer_commit(w, NULL, NULL, &err), err);
	trace_close(t);
}

static int has_lines(const struct kept_program *k)
{
	for (uint32_t rank = 0; rank < RANKS; rank++)
		if (k->rank[rank].n == 0)
			return 0;
	return 1;
}

/* The same program at other costs is the same (where nothing else is drawn anew); with an event
 * changed, it parts there: compressed or not. */
static void traces_part_where_they_do(void **state)
{
	static struct kept_program a, b;
	char dir[64], path[4][256];

	(void)state;
	folder_make(dir);
	for (int i = 0; i < 4; i++)
		snprintf(path[i], sizeof path[i], "%s/%d", dir, i);
	for (uint64_t seed = prop_seed(0); seed < prop_seed(PAIRS); seed++) {
		struct rng r;

		print_message("pair seed %llu\n", (unsigned long long)seed);
		rng_init(&r, seed, "changes", 0);
		program_write(&a, seed, seed, SHORT, path[0], 100);
		program_run(&b, seed, seed + (rng_below(&r, 3) == 0), SHORT);
		if (rng_below(&r, 4))
			program_change(&b, &r);
		if (has_lines(&a) && has_lines(&b)) {
			text_write(&a, path[1]);
			text_write(&b, path[2]);
			compress(path[2], path[3]);
			difference_is(path[0], path[3], &a, &b);
			difference_is(path[3], path[0], &b, &a);
			difference_is(path[0], path[2], &a, &b);
			difference_is(path[1], path[3], &a, &b);
			difference_is(path[0], path[1], &a, &a);
		}
		for (int i = 0; i < 4; i++)
			remove(path[i]);
		program_release(&a);
		program_release(&b);
	}
	folder_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(visits_come_to_the_events),
	    cmocka_unit_test(traces_part_where_they_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
