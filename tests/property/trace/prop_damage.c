/* prop_damage.c: traces of ours, of random programs (program.h), that were cut anywhere, that lost
 * a line or got one twice, or of which a byte is another one: what is not whole is never taken for
 * whole. Lines that say how many there are, and checksums, see to that. The seed is printed. */
#include "../prop.h"

#include "program_kept.h"

enum { PROGRAMS = 12, CUTS = 40, FEWER = 2350 };

static void events_write(const struct kept_program *k, enum trace_write_form form, const char *path)
{
	struct trace_manifest m = {.program = (char *)(uintptr_t) "x", .complete = 1};
	struct err err;
	struct trace_writer *w = trace_writer_open(path, form, RANKS, &err);
	struct trace_event ev;

	if (!w)
		fail_msg("%s", err.text);
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		struct reader r;

		reader_init(&r, DIALECT_OURS, RANKS);
		trace_event_init(&ev, TRACE_INIT);
		assert_ok(trace_writer_put(w, rank, &ev, &err), err);
		for (uint32_t i = 0; i < k->rank[rank].n; i++) {
			const char *line = strchr(k->rank[rank].event[i].line, ' ') + 1;
			char text[4000];

			snprintf(text, sizeof text, "%.*s", (int)strcspn(line, "\n"), line);
			assert_ok(trace_writer_put(w, rank, must_read(&r, text), &err), err);
		}
		lists_release(&r.lists);
	}
	assert_ok(trace_writer_commit(w, form == TRACE_WRITE_FOLDER ? &m : NULL, NULL, &err), err);
}

/* All lines, or NULL: it was refused; *partial: it was said that something is missing. */
static char *read_text(const char *path, int *partial)
{
	struct err err = {0};
	struct trace *t = trace_open(path, 0, &err);
	struct str s = {0};
	struct trace_event ev;
	int more = t ? 0 : -1;

	str_puts(&s, "");
	for (uint32_t i = 0; t && i < trace_ranks(t) && more == 0; i++)
		while ((more = trace_next(t, i, &ev, &err)) > 0)
			trace_event_format(&s, i, &ev);
	*partial = t && trace_partial(t) > 0;
	trace_close(t);
	if (more == 0)
		return s.s;
	assert_int_equal(err.kind, ERR_INPUT);
	assert_true(err.text[0] != '\0');
	str_release(&s);
	return NULL;
}

struct file {
	char *bytes;
	size_t n;
	char path[256];
};

static void file_read(struct file *f, const char *path)
{
	struct err err;

	snprintf(f->path, sizeof f->path, "%s", path);
	f->bytes = input_read_all(path, &f->n, &err);
	if (!f->bytes)
		fail_msg("%s", err.text);
}

/* As a new file: what is mapped of the old one stays. */
static void file_put(const struct file *f, const char *bytes, size_t n)
{
	FILE *out;

	remove(f->path);
	out = fopen(f->path, "wb");
	assert_non_null(out);
	assert_int_equal(fwrite(bytes, 1, n, out), n);
	assert_int_equal(fclose(out), 0);
}

static void is_refused(const char *trace, const char *what)
{
	int partial;
	char *text = read_text(trace, &partial);

	if (text && !partial)
		fail_msg("%s: was taken for whole", what);
	free(text);
}

/* Refused, or the same: what a byte says may not matter (in a remark, a name of a key's order). */
static void is_refused_or_the_same(const char *trace, const char *whole)
{
	int partial;
	char *text = read_text(trace, &partial);

	if (text && !partial)
		assert_string_equal(text, whole);
	free(text);
}

static void cut(const struct file *f, const char *trace, struct rng *r)
{
	for (int i = 0; i < CUTS; i++) {
		char what[64];
		/* a last line without its newline counts */
		size_t at = rng_below(r, f->n - 1);

		snprintf(what, sizeof what, "cut at %zu of %zu", at, f->n);
		file_put(f, f->bytes, at);
		is_refused(trace, what);
	}
	file_put(f, f->bytes, f->n);
}

/* Where line number i of a text begins. */
static const char *line_at(const char *text, size_t i)
{
	while (i-- > 0)
		text = strchr(text, '\n') + 1;
	return text;
}

/* A line of an event is left out, or comes twice. */
static void lines_lost(const struct file *f, const char *trace, struct rng *r)
{
	char *bytes = malloc(2 * f->n + 1);
	size_t lines = 0;

	assert_non_null(bytes);
	for (size_t i = 0; i < f->n; i++)
		lines += f->bytes[i] == '\n';
	for (int i = 0; i < CUTS / 2; i++) {
		const char *line = line_at(f->bytes, rng_below(r, lines)),
		           *end = strchr(line, '\n') + 1;
		size_t before = (size_t)(line - f->bytes), n = (size_t)(end - line);
		int twice = (int)rng_below(r, 2);

		if (*line == '#')
			continue;
		memcpy(bytes, f->bytes, before);
		memcpy(bytes + before, twice ? line : end, f->n - before - (twice ? 0 : n));
		if (twice) {
			memcpy(bytes + before, line, n);
			memcpy(bytes + before + n, line, f->n - before);
		}
		file_put(f, bytes, twice ? f->n + n : f->n - n);
		is_refused(trace, twice ? "a line twice" : "a line less");
	}
	file_put(f, f->bytes, f->n);
	free(bytes);
}

static void bytes_changed(const struct file *f, const char *trace, const char *whole, struct rng *r)
{
	for (int i = 0; i < CUTS; i++) {
		size_t at = rng_below(r, f->n);
		char was = f->bytes[at];

		f->bytes[at] = (char)(was ^ (1 << rng_below(r, 8)));
		file_put(f, f->bytes, f->n);
		is_refused_or_the_same(trace, whole);
		f->bytes[at] = was;
	}
	file_put(f, f->bytes, f->n);
}

static void damage(const struct kept_program *k, enum trace_write_form form, const char *dir,
                   struct rng *r)
{
	char trace[128], path[256];
	struct file f;
	char *whole;
	int partial;

	snprintf(trace, sizeof trace, "%s/%d", dir, (int)form);
	events_write(k, form, trace);
	snprintf(path, sizeof path, "%s", trace);
	if (form == TRACE_WRITE_FOLDER)
		snprintf(path, sizeof path, "%s/rank-%d.tit", trace, (int)rng_below(r, RANKS));
	whole = read_text(trace, &partial);
	assert_true(whole && !partial);
	file_read(&f, path);
	cut(&f, trace, r);
	if (form == TRACE_WRITE_COMPRESSED)
		bytes_changed(&f, trace, whole, r);
	else
		lines_lost(&f, trace, r);
	free(whole);
	free(f.bytes);
}

static void what_is_not_whole_is_told(void **state)
{
	static struct kept_program k;
	char dir[64];

	(void)state;
	folder_make(dir);
	for (uint64_t seed = prop_seed(0); seed < prop_seed(PROGRAMS); seed++) {
		static const enum trace_write_form forms[] = {
		    TRACE_WRITE_FOLDER, TRACE_WRITE_MERGED, TRACE_WRITE_COMPRESSED};
		struct rng r;

		print_message("seed %llu\n", (unsigned long long)seed);
		rng_init(&r, seed, "damage", 0);
		program_run(&k, seed, seed, FEWER);
		damage(&k, forms[seed % 3], dir, &r);
		program_release(&k);
	}
	folder_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_is_not_whole_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
