/* traced.h: one traced process of a made-up MPI (fake/fake_mpi.h): it begins, calls MPI, ends, and
 * the lines of its trace are compared with what the test says that it did, one line for each call.
 * Computations are left out: under the counter for tests there is one before every line. */
#ifndef ORRERY_TESTS_TRACED_H
#define ORRERY_TESTS_TRACED_H

#include "tmp.h"

#include "fake/fake_mpi.h"

#include "base/str.h"
#include "tracer/tracer.h"

#include <stdarg.h>

struct traced {
	struct tmp tmp;
	int rank, cases;
	uint64_t seed;
	struct str want;     /* expected lines */
	const char *ignored; /* what is in lines that are not compared, or NULL */
};

static inline void traced_free_scratch(void)
{
	free(thread.handles);
	free(thread.statuses);
	free(thread.numbers);
	free(thread.numbers2);
	memset(&thread, 0, sizeof thread);
}

/* A line that the trace must have. */
__attribute__((format(printf, 2, 3))) static inline void traced_want(struct traced *t,
                                                                     const char *fmt, ...)
{
	char line[16384];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	str_printf(&t->want, "%d %s\n", t->rank, line);
}

static inline void traced_environment(const char *dir)
{
	setenv("ORRERY_TRACE_DIR", dir, 1);
	setenv("ORRERY_COUNTER", "fake", 1);
	setenv("ORRERY_FORM", "text", 1);
	setenv("ORRERY_SITES", "0", 1);
	unsetenv("ORRERY_BUFFER");
	unsetenv("ORRERY_MEMORY");
	unsetenv("ORRERY_RATE");
	unsetenv("ORRERY_TREE");
	unsetenv("ORRERY_PROFILE");
}

/* The process is new: nothing is known of an earlier one. The environment is set; level: of
 * threads. */
static inline void traced_start(struct traced *t, int rank, int ranks, uint64_t seed, int level)
{
	int provided;

	t->rank = rank;
	t->seed = seed;
	str_clear(&t->want);
	tracer = (struct tracer){.out.file.fd = -1, .fortran.index_base_f08 = -1};
	traced_free_scratch();
	fake_reset(rank, ranks, seed);
	assert_int_equal(MPI_Init_thread(NULL, NULL, level, &provided), MPI_SUCCESS);
	traced_want(t, "init");
}

static inline void traced_begin(struct traced *t, int rank, int ranks, uint64_t seed)
{
	tmp_init(&t->tmp);
	traced_environment(t->tmp.dir);
	traced_start(t, rank, ranks, seed, MPI_THREAD_SINGLE);
	assert_int_equal(tracer.state, TRACER_ON);
}

static inline int traced_counts(const struct traced *t, const char *line)
{
	return line[0] != '#' && !strstr(line, " compute ") &&
	       !(t->ignored && strstr(line, t->ignored));
}

/* The list "0-3,7,9-13:2,4-2:-1" written out: 0,1,2,3,7,9,11,13,4,3,2 (docs/trace-format.md). */
static inline void traced_list(struct str *out, const char *p)
{
	while (*p) {
		char *end;
		long long from = strtoll(p, &end, 10), to = from, step = 1;

		if (*end == '-')
			to = strtoll(end + 1, &end, 10);
		if (*end == ':')
			step = strtoll(end + 1, &end, 10);
		for (; step > 0 ? from <= to : from >= to; from += step)
			str_printf(out, "%lld,", from);
		p = *end ? end + 1 : end;
	}
}

static inline int traced_order(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A line without newline in the form in which it is compared: keys sorted, lists written out. */
static inline void traced_normal(struct str *out, char *line)
{
	char *keys[32], *save, *word = strtok_r(line, " ", &save);
	int n = 0;

	str_clear(out);
	for (; word; word = strtok_r(NULL, " ", &save))
		if (strncmp(word, "t=", 2) == 0)
			continue; /* how long it took is nobody's to say */
		else if (strchr(word, '='))
			keys[n++] = word;
		else
			str_printf(out, "%s ", word);
	qsort(keys, (size_t)n, sizeof *keys, traced_order);
	for (int i = 0; i < n; i++) {
		char *value = strchr(keys[i], '=') + 1;

		str_putn(out, keys[i], (size_t)(value - keys[i]));
		if (strspn(value, "0123456789,-:") == strlen(value) && *value != '-')
			traced_list(out, value);
		else
			str_puts(out, value);
		str_putc(out, ' ');
	}
}

/* The first line of what is wanted, normal, into out; where the next one begins. */
static inline const char *traced_next(const char *want, struct str *out)
{
	char line[16384];
	size_t n = strcspn(want, "\n");

	snprintf(line, sizeof line, "%.*s", (int)n, want);
	traced_normal(out, line);
	return want + n + (want[n] == '\n');
}

static inline FILE *traced_file(const struct traced *t)
{
	char name[128];
	FILE *f;

	snprintf(name, sizeof name, "%s/rank-%d.tit", t->tmp.dir, t->rank);
	f = fopen(name, "r");
	assert_non_null(f);
	return f;
}

static inline void traced_compare(const struct traced *t)
{
	const char *want = t->want.s;
	struct str found, wanted;
	FILE *f = traced_file(t);
	char line[16384];

	str_init(&found);
	str_init(&wanted);
	for (int n = 1; fgets(line, sizeof line, f);) {
		if (!traced_counts(t, line))
			continue;
		line[strcspn(line, "\n")] = '\0';
		traced_normal(&found, line);
		want = traced_next(want, &wanted);
		if (strcmp(found.s, wanted.s) != 0)
			fail_msg("seed %llu, line %d: the trace says\n  %s\nwhere was called\n  %s",
			         (unsigned long long)t->seed, n, found.s, wanted.s);
		n++;
	}
	fclose(f);
	str_release(&found);
	str_release(&wanted);
	if (*want)
		fail_msg("seed %llu: the trace ends before\n%s", (unsigned long long)t->seed, want);
}

/* How often a note "# untraced N NAME" or "# local N NAME" of the file says that NAME was called.
 */
static inline unsigned long long traced_untraced(const struct traced *t, const char *name)
{
	char line[16384], word[64], found[128];
	unsigned long long n, sum = 0;
	FILE *f = traced_file(t);

	while (fgets(line, sizeof line, f))
		if (sscanf(line, "# %63s %llu %127s", word, &n, found) == 3 &&
		    strcmp(found, name) == 0)
			sum += n;
	fclose(f);
	return sum;
}

/* MPI_Finalize; the trace is what was wanted. The folder stays until traced_release. */
static inline void traced_end(struct traced *t)
{
	traced_want(t, "finalize");
	assert_int_equal(MPI_Finalize(), MPI_SUCCESS);
	assert_int_equal(fake.finalized, 1);
	traced_compare(t);
	for (int i = 0; i < FAKE_COMMS; i++) /* the tracer frees its groups */
		assert_false(fake.group[i].used);
}

static inline void traced_release(struct traced *t)
{
	tmp_release(&t->tmp);
	str_release(&t->want);
	traced_free_scratch();
}

#endif
