/* manifest.c: what a trace folder says about itself: "key: value" lines. Unknown keys are passed
 * over, so that later versions can add some. The file is replaced in one step: a reader sees the
 * old one or the new one. A merged file has the same lines, each behind "# manifest ", before its
 * first event. */
#include "trace_int.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char first_line[] = "# orrery-manifest 1", merged_word[] = "# manifest ";

static const struct text_field {
	const char *key;
	size_t offset;
} text_fields[] = {
    {"program", offsetof(struct trace_manifest, program)},
    {"arguments", offsetof(struct trace_manifest, arguments)},
    {"hosts", offsetof(struct trace_manifest, hosts)},
    {"mpi", offsetof(struct trace_manifest, mpi)},
    {"counter", offsetof(struct trace_manifest, counter)},
    {"date", offsetof(struct trace_manifest, date)},
    {"tracer", offsetof(struct trace_manifest, tracer)},
    {"untraced", offsetof(struct trace_manifest, untraced)},
    {"run", offsetof(struct trace_manifest, run)},
    {"processor", offsetof(struct trace_manifest, processor)},
    {"unit", offsetof(struct trace_manifest, unit)},
};

static const struct number_field {
	const char *key;
	size_t offset;
	const char *expected;
	int always; /* it is written even if it is 0 */
} number_fields[] = {
    {"nominal_rate", offsetof(struct trace_manifest, nominal_rate), "a rate per second", 1},
    {"threads", offsetof(struct trace_manifest, threads), "seconds", 0},
    {"beside", offsetof(struct trace_manifest, beside), "seconds", 0},
};
enum { NUMBER_FIELDS = sizeof number_fields / sizeof *number_fields };
enum { TEXT_FIELDS = sizeof text_fields / sizeof *text_fields };

static char **text_field(struct trace_manifest *m, size_t i)
{
	return (char **)(void *)((char *)m + text_fields[i].offset);
}

void trace_manifest_release(struct trace_manifest *m)
{
	for (size_t i = 0; i < TEXT_FIELDS; i++)
		free(*text_field(m, i));
	*m = (struct trace_manifest){0};
}

/* "value" of a line "key: value", or NULL. */
static char *value_of(char *line, const char *key)
{
	size_t n = strlen(key);

	if (strncmp(line, key, n) != 0 || line[n] != ':')
		return NULL;
	line += n + 1;
	return line + (*line == ' ');
}

/* A manifest is a file of a folder, or a text in a compressed trace. */
struct lines_from {
	const char *name;
	long lineno;
};

static int value_error(const struct lines_from *in, const char *key, const char *value,
                       const char *expected, struct err *err)
{
	return err_at(err, in->name, in->lineno, 0, "%s: expected %s, found '%s'", key, expected,
	              value);
}

static int number_read(struct trace_manifest *m, const struct lines_from *in, char *line,
                       struct err *err)
{
	for (size_t i = 0; i < NUMBER_FIELDS; i++) {
		const struct number_field *f = &number_fields[i];
		const char *value = value_of(line, f->key);
		double v;

		if (!value)
			continue;
		if (num_parse_double(value, strlen(value), &v) < 0 || v < 0)
			return value_error(in, f->key, value, f->expected, err);
		memcpy((char *)m + f->offset, &v, sizeof v);
	}
	return 0;
}

static int word_read(struct trace_manifest *m, const struct lines_from *in, char *line,
                     struct err *err)
{
	char *value;
	int64_t v;

	if ((value = value_of(line, "ranks"))) {
		if (num_parse_i64(value, strlen(value), &v) < 0 || v <= 0 || v > INT32_MAX)
			return value_error(in, "ranks", value, "a number of ranks", err);
		m->ranks = (uint32_t)v;
	} else if ((value = value_of(line, "complete"))) {
		if (strcmp(value, "yes") != 0 && strcmp(value, "no") != 0)
			return value_error(in, "complete", value, "yes or no", err);
		m->complete = *value == 'y';
	}
	return number_read(m, in, line, err);
}

static int line_read(struct trace_manifest *m, const struct lines_from *in, char *line,
                     struct err *err)
{
	if (in->lineno == 1 && strcmp(line, first_line) != 0)
		return err_at(err, in->name, 1, 0, "not a manifest of this version: expected '%s'",
		              first_line);
	for (size_t i = 0; i < TEXT_FIELDS; i++) {
		const char *value = value_of(line, text_fields[i].key);
		char *copy;

		if (!value)
			continue;
		copy = strdup(value);
		if (!copy)
			return err_nomem(err, "a manifest", strlen(value) + 1);
		free(*text_field(m, i));
		*text_field(m, i) = copy;
		return 0;
	}
	return word_read(m, in, line, err);
}

/* Fields that the file does not have become "". */
static int fields_complete(struct trace_manifest *m, struct err *err)
{
	for (size_t i = 0; i < TEXT_FIELDS; i++) {
		if (!*text_field(m, i))
			*text_field(m, i) = strdup("");
		if (!*text_field(m, i))
			return err_nomem(err, "a manifest", 1);
	}
	return 0;
}

/* The tracer's counters (tracer/counter.c). */
static const struct {
	const char *name;
	enum volume_unit unit;
} counters[] = {{"perf", VOLUME_INSTRUCTIONS},
                {"papi", VOLUME_INSTRUCTIONS},
                {"cputime", VOLUME_SECONDS},
                {"wall", VOLUME_ELAPSED},
                {"fake", VOLUME_MADE_UP}};

const char *trace_counter(size_t i)
{
	return i < sizeof counters / sizeof *counters ? counters[i].name : NULL;
}

/* By counter, where a manifest of an earlier version does not say it. */
static enum volume_unit unit_of_counter(const char *counter)
{
	for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
		if (strcmp(counter, counters[i].name) == 0)
			return counters[i].unit;
	return VOLUME_UNKNOWN;
}

enum volume_unit trace_manifest_unit(const struct trace_manifest *m)
{
	enum volume_unit u = m->unit && *m->unit ? volume_unit_find(m->unit) : VOLUME_UNITS;

	if (u != VOLUME_UNITS)
		return u;
	return m->counter ? unit_of_counter(m->counter) : VOLUME_UNKNOWN;
}

static int lines_end(struct trace_manifest *m, const char *name, struct err *err)
{
	if (m->ranks == 0)
		return err_at(err, name, 0, 0, "no line 'ranks: <number>' in this manifest");
	return fields_complete(m, err);
}

static int lines_read(struct trace_manifest *m, struct input *in, struct err *err)
{
	struct lines_from from = {.name = input_name(in)};
	char *line;
	size_t n;
	int more;

	while ((more = input_line(in, &line, &n, err)) > 0) {
		from.lineno = input_lineno(in);
		if (line_read(m, &from, line, err) < 0)
			return -1;
	}
	return more < 0 ? -1 : lines_end(m, from.name, err);
}

static int text_read(struct trace_manifest *m, const char *name, char *text, struct err *err)
{
	struct lines_from from = {.name = name};

	for (char *end; *text; text = end) {
		end = text + strcspn(text, "\n");
		if (*end)
			*end++ = '\0';
		from.lineno++;
		if (line_read(m, &from, text, err) < 0)
			return -1;
	}
	return lines_end(m, name, err);
}

/* That of a compressed trace: 1, 0 if it is none or has none. */
static int compressed_read(const char *path, struct trace_manifest *out, struct err *err)
{
	struct trace_manifest m = {0};
	struct str text = {0};
	int result = compressed_text(path, &text, err);

	if (result > 0) {
		if (text_read(&m, path, text.s, err) < 0) {
			trace_manifest_release(&m);
			result = -1;
		} else {
			*out = m;
		}
	}
	str_release(&text);
	return result;
}

static const char merged_mark[] = "# orrery-trace 1 ranks=";

/* How many ranks a merged file says it has on its first line; 0: it is none that says so. -1. */
static int64_t merged_ranks(struct input *in, struct err *err)
{
	const size_t k = sizeof merged_mark - 1;
	const char *head;
	int64_t ranks;
	int n = input_peek(in, k + 20, &head, err);
	char text[sizeof merged_mark + 20] = "";

	if (n <= 0)
		return n;
	memcpy(text, head, (size_t)n);
	return strncmp(text, merged_mark, k) == 0 && num_take_digits(text + k, &ranks) &&
	               ranks <= INT32_MAX
	           ? ranks
	           : 0;
}

/* The lines before the first event: 1, 0: they have none of a manifest, -1. */
static int merged_lines(struct trace_manifest *m, struct input *in, struct err *err)
{
	const size_t k = sizeof merged_word - 1;
	struct lines_from from = {.name = input_name(in)};
	int64_t ranks = merged_ranks(in, err);
	int more, found = 0;
	char *line;
	size_t n;

	if (ranks <= 0)
		return (int)ranks;
	while ((more = input_line(in, &line, &n, err)) > 0 && (*line == '#' || *line == '\0')) {
		from.lineno = input_lineno(in);
		if (strncmp(line, merged_word, k) != 0)
			continue;
		found = 1;
		if (line_read(m, &from, line + k, err) < 0)
			return -1;
		if (m->ranks && m->ranks != ranks)
			return err_at(err, from.name, from.lineno, 0,
			              "%u ranks, but the first line says %lld", m->ranks,
			              (long long)ranks);
	}
	if (more < 0 || !found)
		return more < 0 ? -1 : 0;
	return lines_end(m, from.name, err) < 0 ? -1 : 1;
}

static int merged_read(const char *path, struct trace_manifest *out, struct err *err)
{
	struct trace_manifest m = {0};
	struct input *in;
	int result = there_is_file(path, err);

	if (result <= 0)
		return result;
	in = input_open(path, 4096, err);
	if (!in)
		return -1;
	input_allow_tail(in);
	result = merged_lines(&m, in, err);
	input_close(in);
	if (result > 0)
		*out = m;
	else
		trace_manifest_release(&m);
	return result;
}

static int file_read(const char *path, struct trace_manifest *out, struct err *err)
{
	struct trace_manifest m = {0};
	struct input *in = input_open(path, 4096, err);
	int result;

	if (!in)
		return -1;
	input_allow_tail(in);
	result = lines_read(&m, in, err);
	input_close(in);
	if (result == 0)
		*out = m;
	else
		trace_manifest_release(&m);
	return result < 0 ? -1 : 1;
}

void manifest_missing(struct trace *t)
{
	str_printf(&t->notices,
	           "%s has no manifest: with which MPI library, counter and processor it was "
	           "traced is not known\n",
	           t->path);
}

int trace_manifest_find(const char *dir, struct trace_manifest *out, struct err *err)
{
	int result = compressed_read(dir, out, err);
	char *path;

	if (result == 0)
		result = merged_read(dir, out, err);
	if (result != 0)
		return result;
	if (asprintf(&path, "%s/manifest", dir) < 0)
		return err_nomem(err, "a file name", strlen(dir) + sizeof "/manifest");
	*out = (struct trace_manifest){0};
	result = there_is(path, err);
	if (result > 0)
		result = file_read(path, out, err);
	free(path);
	return result;
}

int trace_manifest_read(const char *dir, struct trace_manifest *out, struct err *err)
{
	int result = trace_manifest_find(dir, out, err);

	return result == 0 ? err_sys(err, ENOENT, "%s/manifest", dir) : result < 0 ? -1 : 0;
}

/* What counted is all that a foreign trace tells of its run. */
int trace_manifest_foreign(const char *counter, uint32_t ranks, struct trace_manifest *out,
                           struct err *err)
{
	struct trace_manifest m = {.ranks = ranks, .nominal_rate = 1e9, .complete = 1};

	m.counter = strdup(counter);
	if (!m.counter || fields_complete(&m, err) < 0) {
		trace_manifest_release(&m);
		return m.counter ? -1 : err_nomem(err, "a manifest", strlen(counter));
	}
	*out = m;
	return 1;
}

/* 1, or 0: there was none. */
static int told_manifest(const struct trace *t, struct trace_manifest *out, struct err *err)
{
	struct trace_manifest m = {0};
	char *text = strdup(t->manifest);
	int r = !text        ? err_nomem(err, "a manifest", strlen(t->manifest))
	        : *text == 0 ? 0
	        : text_read(&m, t->path, text, err) < 0 ? -1
	                                                : 1;

	free(text);
	if (r < 0)
		trace_manifest_release(&m);
	*out = m;
	return r;
}

int trace_manifest_get(const struct trace *t, struct trace_manifest *out, struct err *err)
{
	if (t->manifest)
		return told_manifest(t, out, err);
	return t->counter ? trace_manifest_foreign(t->counter, t->ranks, out, err)
	                  : trace_manifest_find(t->path, out, err);
}

/* One line: what would break it becomes blanks. */
static void line_put(struct str *s, const char *key, const char *value)
{
	str_puts(s, key);
	str_puts(s, ": ");
	for (; value && *value; value++)
		str_putc(s, *value == '\n' || *value == '\r' ? ' ' : *value);
	str_putc(s, '\n');
}

void manifest_format(struct str *s, const struct trace_manifest *m)
{
	str_puts(s, first_line);
	str_putc(s, '\n');
	for (size_t i = 0; i < TEXT_FIELDS; i++)
		line_put(s, text_fields[i].key,
		         *(char *const *)(const void *)((const char *)m + text_fields[i].offset));
	str_printf(s, "ranks: %u\n", m->ranks);
	for (size_t i = 0; i < NUMBER_FIELDS; i++) {
		double v;

		memcpy(&v, (const char *)m + number_fields[i].offset, sizeof v);
		if (v == 0 && !number_fields[i].always)
			continue;
		str_printf(s, "%s: ", number_fields[i].key);
		str_put_double(s, v);
		str_putc(s, '\n');
	}
	str_printf(s, "complete: %s\n", m->complete ? "yes" : "no");
}

void manifest_format_merged(struct str *s, const struct trace_manifest *m)
{
	struct str text;

	str_init(&text);
	manifest_format(&text, m);
	s->failed |= text.failed;
	for (const char *line = text.s ? strchr(text.s, '\n') : NULL, *end;
	     line && (end = strchr(line + 1, '\n')); line = end) {
		str_puts(s, merged_word);
		str_putn(s, line + 1, (size_t)(end - line));
	}
	str_release(&text);
}

int trace_manifest_write(const char *dir, const struct trace_manifest *m, struct err *err)
{
	struct str s;
	char *path = NULL;
	int result;

	str_init(&s);
	manifest_format(&s, m);
	if (s.failed || asprintf(&path, "%s/manifest", dir) < 0)
		result = err_nomem(err, "a manifest", s.n);
	else
		result = output_file(path, s.s, s.n, err);
	free(path);
	str_release(&s);
	return result;
}
