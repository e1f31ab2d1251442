/* prop_outline.c: the outline of compressed random programs (program.h), taken at its word: each
 * rank is in one class, and the calls of its class, with every loop gone through as often as it
 * says, are those that the rank made, in their order. Costs that are told are those that were. The
 * seed is printed. */
#include "../prop.h"

#include "program_kept.h"

enum { PROGRAMS = 80, FEWER = 1500, ACTIONS = 40000, INDENT = 2 };

/* The calls of a class, unfolded: where their lines are in the outline. */
struct unfolded {
	const char *line[ACTIONS];
	int n, again; /* again: a loop does not say how often */
};

static size_t indent_of(const char *line)
{
	return strspn(line, " ");
}

static const char *line_after(const char *line)
{
	return line + strcspn(line, "\n") + 1;
}

/* "12 times" */
static int64_t times_of(const char *line)
{
	long long n;
	int used = 0;

	return sscanf(line, " %lld times%n", &n, &used) == 1 && line[used] == '\n' ? n : 0;
}

/* All lines from p on that stand at `indent`, what is in their loops unfolded; where they end. */
static const char *unfold(const char *p, size_t indent, struct unfolded *u)
{
	while (*p && indent_of(p) == indent) {
		int64_t times = times_of(p);
		const char *inside = line_after(p), *end = inside;
		int first = u->n, each;

		if (strncmp(p + indent, "again and again", 15) == 0) {
			u->again = 1;
			times = 1;
		}
		if (times == 0) { /* a call */
			assert_true(u->n < ACTIONS);
			u->line[u->n++] = p + indent;
			p = inside;
			continue;
		}
		end = unfold(inside, indent + INDENT, u);
		each = u->n - first;
		assert_true(end > inside && u->n + each * (times - 1) <= ACTIONS);
		for (int64_t i = 1; i < times; i++, u->n += each)
			memcpy(&u->line[u->n], &u->line[first], (size_t)each * sizeof *u->line);
		p = end;
	}
	return p;
}

/* "ranks 0-3,7: 5": the ranks that it says, as bits. */
static uint32_t ranks_of(const char *line)
{
	uint32_t ranks = 0;
	int n = 0, said = 0;
	char *p = (char *)(uintptr_t)line + strlen("ranks ");

	assert_int_equal(strncmp(line, "ranks ", 6), 0);
	while (*p != ':') {
		long from = strtol(p, &p, 10), to = *p == '-' ? strtol(p + 1, &p, 10) : from;

		assert_true(from >= 0 && from <= to && to < RANKS);
		for (; from <= to; from++, n++) {
			assert_false(ranks >> from & 1);
			ranks |= UINT32_C(1) << from;
		}
		p += *p == ',';
	}
	assert_int_equal(sscanf(p, ": %d", &said), 1);
	assert_int_equal(said, n);
	return ranks;
}

/* The word after a name such as "  volume ", or NULL. */
static const char *told(const char *line, const char *name)
{
	const char *end = line + strcspn(line, "\n"), *p = strstr(line, name);

	return p && p < end ? p + strlen(name) : NULL;
}

/* A cost that is said without "about" and "by rank" is the same each time, but for its digits. */
static void cost_is(const char *line, const char *name, double v)
{
	const char *p = told(line, name);

	if (p && *p >= '0' && *p <= '9')
		assert_close(strtod(p, NULL), v, 1e-5);
}

static void rank_is(const struct unfolded *u, const struct kept_rank *k)
{
	assert_int_equal(u->n, k->n);
	for (int i = 0; i < u->n; i++) {
		const struct kept_event *e = &k->event[i];
		const char *word = strchr(e->line, ' ') + 1;
		size_t n = strcspn(word, " \n");

		if (strncmp(u->line[i], word, n) != 0 || strcspn(u->line[i], " \n") != n)
			fail_msg("call %d: %.*s, not %.*s", i, (int)strcspn(u->line[i], "\n"),
			         u->line[i], (int)n, word);
		if (e->op == TRACE_COMPUTE)
			cost_is(u->line[i], "  volume ", e->volume);
		cost_is(u->line[i], "  takes ", e->duration);
	}
}

/* How many classes could be unfolded. */
static int outline_is(const char *text, const struct kept_program *k)
{
	static struct unfolded u;
	uint32_t seen = 0;
	int checked = 0;

	for (const char *p = text; *p;) {
		uint32_t ranks = ranks_of(p);

		assert_int_equal(seen & ranks, 0);
		seen |= ranks;
		u.n = u.again = 0;
		p = unfold(line_after(p), INDENT, &u);
		for (int rank = 0; rank < RANKS && !u.again; rank++)
			if (ranks >> rank & 1)
				rank_is(&u, &k->rank[rank]);
		checked += !u.again;
	}
	for (int rank = 0; rank < RANKS; rank++)
		assert_int_equal(seen >> rank & 1, k->rank[rank].n > 0);
	return checked;
}

static void outlines_are_taken_at_their_word(void **state)
{
	static struct kept_program k;
	char dir[64], path[256];
	int checked = 0;

	(void)state;
	folder_make(dir);
	snprintf(path, sizeof path, "%s/trace", dir);
	for (uint64_t seed = prop_seed(0); seed < prop_seed(PROGRAMS); seed++) {
		struct str out = {0};
		struct trace *t;
		struct err err;

		print_message("seed %llu\n", (unsigned long long)seed);
		program_write(&k, seed, seed, FEWER, path, 100);
		t = trace_open(path, 0, &err);
		if (!t)
			fail_msg("%s", err.text);
		assert_ok(trace_outline(t, &out, &err), err);
		checked += outline_is(out.s ? out.s : "", &k);
		trace_close(t);
		str_release(&out);
		program_release(&k);
		remove(path);
	}
	print_message("%d classes of ranks\n", checked);
	assert_true(checked > PROGRAMS);
	folder_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(outlines_are_taken_at_their_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
