/* format_given.c: a trace that the caller gives line by line (trace_open_given), as if each rank
 * had a file of ours. */
#include "trace/trace_int.h"

#include <stdio.h>
#include <stdlib.h>

enum { LINE_SLACK = 9 }; /* '\n', and eight bytes that the parser may read beyond it */

struct given {
	struct trace_given g;
	struct given_rank {
		struct lists lists;
		uint64_t line;
	} * rank;
	char *text; /* the line being read */
	uint32_t cap;
};

static int given_error(const struct parse *ps, const struct given *d, uint32_t rank,
                       struct err *err)
{
	char name[512];

	snprintf(name, sizeof name, "%s, rank %u", d->g.name, rank);
	return trace_line_error(ps, name, d->rank[rank].line, d->text, err);
}

static int line_copy(struct given *d, const char *line, size_t n, struct err *err)
{
	char *text = vec_grow(d->text, &d->cap, 1, n + LINE_SLACK, "a line of a trace", err);

	if (!text)
		return -1;
	d->text = text;
	memcpy(text, line, n);
	memset(text + n, '\n', LINE_SLACK);
	return 0;
}

static int given_next(struct trace *t, uint32_t rank, struct trace_event *ev, struct err *err)
{
	struct given *d = t->impl;
	struct given_rank *r = &d->rank[rank];
	struct parse ps = {
	    .grammar = &t->grammar, .lists = &r->lists, .shares = t->shares, .err = err};
	const char *line;
	size_t n;
	int more;

	while ((more = d->g.next(d->g.self, rank, &line, &n, err)) > 0) {
		r->line++;
		if (line_copy(d, line, n, err) < 0)
			return -1;
		if (line_is_empty(d->text))
			continue;
		const char *end = event_parse(&ps, d->text, ev);
		if (end && (size_t)(end - d->text) < n) /* a newline within: it was two lines */
			end = parse_fault(&ps, end, "one action a line");
		if (!end)
			return given_error(&ps, d, rank, err);
		ev->place = (int64_t)r->line;
		return 1;
	}
	return more;
}

static void given_close(struct trace *t)
{
	struct given *d = t->impl;

	if (!d)
		return;
	for (uint32_t i = 0; d->rank && i < t->ranks; i++)
		lists_release(&d->rank[i].lists);
	free(d->rank);
	free(d->text);
	free(d);
}

static const char *given_place(const struct trace *t, uint32_t rank, uint64_t *line)
{
	const struct given *d = t->impl;

	*line = d->rank[rank].line;
	return d->g.name;
}

static const struct trace_format trace_format_given = {
    .name = "given line by line",
    .next = given_next,
    .close = given_close,
    .place = given_place,
};

struct trace *trace_open_given(const struct trace_given *g, struct err *err)
{
	const struct trace_head head = {.dialect = DIALECT_OURS, .ranks = g->ranks};
	struct trace *t = calloc(1, sizeof *t);
	struct given *d = calloc(1, sizeof *d);

	if (t && d)
		d->rank = calloc(g->ranks, sizeof *d->rank);
	if (!t || !d || !d->rank) {
		free(t);
		free(d);
		err_nomem(err, "a trace", (unsigned long long)g->ranks * sizeof *d->rank);
		return NULL;
	}
	d->g = *g;
	t->format = &trace_format_given;
	t->impl = d;
	t->actions = g->actions;
	t->ranks = g->ranks;
	if (trace_begin(t, g->name, &head, g->ranks, 0, err) == 0)
		return t;
	trace_close(t);
	return NULL;
}
