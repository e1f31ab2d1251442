/* goal.c: schedules of LogGOPSim and ATLAHS in GOAL's text form (docs/foreign-traces.md has its
 * grammar). calc is in ns, sizes are bytes. Ranks are read one by one. */
#include "goal_graph.h"

#include <ctype.h>
#include <stdlib.h>

struct goal {
	struct input *in;
	struct goal_graph graph;
	struct hash_str labels;
	int64_t rank; /* being read, or -1 */
	int64_t next; /* the rank that comes next */
	int comment;  /* inside one of several lines */
};

/* Words of a line: a comment is blanked out before. */
struct words {
	const char *line, *p;
	const char *at; /* of the last word */
	size_t n;
};

static int goal_error(const struct goal *g, const struct words *w, const char *expected,
                      struct err *err)
{
	return err_at(err, input_name(g->in), input_lineno(g->in), (long)(w->at - w->line) + 1,
	              "expected %s, found '%.*s'", expected, (int)(w->n > 40 ? 40 : w->n), w->at);
}

static int word_next(struct words *w)
{
	static const uint8_t ends[256] = {
	    ['\0'] = 1, [' '] = 1, ['\t'] = 1, ['\r'] = 1, [':'] = 1, ['{'] = 1, ['}'] = 1};

	while (*w->p == ' ' || *w->p == '\t' || *w->p == '\r')
		w->p++;
	w->at = w->p;
	while (!ends[(uint8_t)*w->p])
		w->p++;
	if (w->p == w->at && *w->p)
		w->p++;
	w->n = (size_t)(w->p - w->at);
	return w->n > 0;
}

static int word_is(const struct words *w, const char *text)
{
	return w->n == strlen(text) && !memcmp(w->at, text, w->n);
}

static int number_next(struct goal *g, struct words *w, int64_t least, int64_t *out,
                       const char *what, struct err *err)
{
	*out = 0;
	if (!word_next(w) || num_parse_i64(w->at, w->n, out) < 0 || *out < least)
		return goal_error(g, w, what, err);
	return 0;
}

/* "100b", "100 b" */
static int bytes_next(struct goal *g, struct words *w, int64_t *out, struct err *err)
{
	int joined = word_next(w) && w->n > 1 && w->at[w->n - 1] == 'b';

	*out = 0;
	if (num_parse_i64(w->at, w->n - (size_t)joined, out) < 0 || *out < 0 ||
	    (!joined && (!word_next(w) || !word_is(w, "b"))))
		return goal_error(g, w, "bytes, such as 100b", err);
	return 0;
}

static int word_expect(struct goal *g, struct words *w, const char *text, struct err *err)
{
	return word_next(w) && word_is(w, text) ? 0 : goal_error(g, w, text, err);
}

/* [tag T] [cpu C] [nic N] */
static int clauses_read(struct goal *g, struct words *w, struct goal_node *node, struct err *err)
{
	int64_t v;

	while (word_next(w)) {
		int tag = word_is(w, "tag") && node->kind != GOAL_CALC, cpu = word_is(w, "cpu");

		if (!tag && !cpu && !word_is(w, "nic"))
			return goal_error(g, w, "tag, cpu, nic or the end of the line", err);
		if (number_next(g, w, tag ? -1 : 0, &v, "a number", err) < 0)
			return -1;
		if (v > INT32_MAX)
			return goal_error(g, w, "a number below 2147483648", err);
		if (tag)
			node->tag = (int32_t)v;
		if (cpu)
			node->cpu = (uint8_t)(v & 255);
		if (!cpu && !tag)
			node->nic = (uint8_t)(v & 255);
	}
	if (node->kind == GOAL_SEND && node->tag < 0)
		node->tag = 0;
	return 0;
}

static int message_read(struct foreign *f, struct words *w, struct goal_node *node, struct err *err)
{
	struct goal *g = f->impl;
	int send = node->kind == GOAL_SEND, mark;
	int64_t peer;

	if (bytes_next(g, w, &node->size, err) < 0 ||
	    word_expect(g, w, send ? "to" : "from", err) < 0 ||
	    number_next(g, w, send ? 0 : -1, &peer, "a rank", err) < 0)
		return -1;
	mark = goal_is_mark(f->ranks, node->kind, (uint64_t)peer);
	if (peer >= f->ranks && !mark)
		return goal_error(g, w, "a rank below num_ranks", err);
	node->peer = (int32_t)peer;
	if (clauses_read(g, w, node, err) < 0)
		return -1;
	return mark ? goal_mark(f, node, err) : 0;
}

static int is_portals(const struct words *w)
{
	for (unsigned kind = GOAL_CALC + 1; goal_portals(kind); kind++)
		if (word_is(w, goal_portals(kind)))
			return 1;
	return 0;
}

static int op_read(struct foreign *f, struct words *w, struct err *err)
{
	struct goal *g = f->impl;
	struct goal_node node = {0};
	int r;

	if (word_is(w, "send") || word_is(w, "recv")) {
		node.kind = word_is(w, "send") ? GOAL_SEND : GOAL_RECV;
		r = message_read(f, w, &node, err);
	} else if (word_is(w, "calc")) {
		node.kind = GOAL_CALC;
		r = number_next(g, w, 0, &node.size, "nanoseconds", err) < 0
		        ? -1
		        : clauses_read(g, w, &node, err);
	} else if (is_portals(w))
		r = err_at(err, input_name(g->in), input_lineno(g->in), (long)(w->at - w->line) + 1,
		           "%.*s %s", (int)w->n, w->at, goal_portals_remedy);
	else
		r = goal_error(g, w, "send, recv or calc", err);
	return r < 0 ? -1 : goal_node_add(&g->graph, &node, err);
}

static int edge_read(struct goal *g, struct words *w, uint32_t to, int start, struct err *err)
{
	uint32_t from;

	if (!word_next(w))
		return goal_error(g, w, "a label", err);
	from = hash_str_findn(&g->labels, w->at, w->n);
	if (from == HASH_NONE)
		return goal_error(g, w, "a label that was defined before in this rank", err);
	return goal_edge_add(&g->graph, from, to, start, err);
}

static int statement_read(struct foreign *f, struct words *w, struct err *err)
{
	struct goal *g = f->impl;
	struct words label = *w;
	char name[256];
	uint32_t at;

	if (word_is(w, "send") || word_is(w, "recv") || word_is(w, "calc"))
		return op_read(f, w, err);
	if (is_portals(w) && strspn(w->p, " \t") > 0 && w->p[strspn(w->p, " \t")] != ':' &&
	    hash_str_findn(&g->labels, w->at, w->n) == HASH_NONE)
		return op_read(f, w, err);
	if (w->n >= sizeof name || !letter_is(*w->at))
		return goal_error(g, w, "an operation, or a label", err);
	memcpy(name, w->at, w->n);
	name[w->n] = '\0';
	if (!word_next(w))
		return goal_error(g, w, "':', requires or irequires", err);
	if (word_is(w, ":")) {
		if (hash_str_find(&g->labels, name) != HASH_NONE)
			return goal_error(g, &label, "a label that is new in this rank", err);
		if (hash_str_put(&g->labels, name, g->graph.n, err) < 0)
			return -1;
		return word_next(w) ? op_read(f, w, err)
		                    : goal_error(g, w, "send, recv or calc", err);
	}
	at = hash_str_find(&g->labels, name);
	if (at == HASH_NONE)
		return goal_error(g, &label, "a label that was defined before in this rank", err);
	if (!word_is(w, "requires") && !word_is(w, "irequires"))
		return goal_error(g, w, "':', requires or irequires", err);
	return edge_read(g, w, at, word_is(w, "irequires"), err);
}

static int rank_begin(struct foreign *f, struct words *w, struct err *err)
{
	struct goal *g = f->impl;

	if (number_next(g, w, 0, &g->rank, "a rank", err) < 0)
		return -1;
	if (g->rank >= f->ranks || g->rank != g->next)
		return goal_error(g, w, "the ranks in order from 0 to num_ranks - 1", err);
	g->next++;
	hash_str_release(&g->labels);
	hash_str_init(&g->labels);
	return word_expect(g, w, "{", err);
}

static int line_read(struct foreign *f, struct words *w, struct err *err)
{
	struct goal *g = f->impl;
	int64_t n;

	if (!word_next(w))
		return 0;
	if (g->rank >= 0 && !word_is(w, "}"))
		return statement_read(f, w, err);
	if (g->rank >= 0) {
		n = g->rank;
		g->rank = -1;
		return goal_graph_put(f, (uint32_t)n, &g->graph, err);
	}
	if (word_is(w, "num_ranks")) {
		if (number_next(g, w, 1, &n, "how many ranks there are", err) < 0)
			return -1;
		if (n > INT32_MAX)
			return goal_error(g, w, "at most 2147483647 ranks", err);
		return f->ranks ? 0 : foreign_ranks_said(f, (uint32_t)n, err);
	}
	if (!word_is(w, "rank"))
		return goal_error(g, w, "num_ranks or rank", err);
	return f->ranks ? rank_begin(f, w, err) : goal_error(g, w, "num_ranks first", err);
}

/* Comments become blanks. */
static void comments_blank(struct goal *g, char *p)
{
	for (; *p; p++) {
		if (!g->comment && p[0] == '/' && p[1] == '/') {
			*p = '\0';
			return;
		}
		if (!g->comment && p[0] == '/' && p[1] == '*') {
			g->comment = 1;
			*p++ = ' ';
			*p = ' ';
		} else if (g->comment && p[0] == '*' && p[1] == '/') {
			g->comment = 0;
			*p++ = ' ';
			*p = ' ';
		} else if (g->comment)
			*p = ' ';
	}
}

static int reopen(struct foreign *f, struct err *err)
{
	struct goal *g = f->impl;

	input_close(g->in);
	g->in = input_open(f->path, 0, err);
	g->rank = -1;
	g->next = 0;
	g->comment = 0;
	return g->in ? 0 : -1;
}

/* 0; 1: all again; -1. */
static int lines_read(struct foreign *f, struct err *err)
{
	struct goal *g = f->impl;
	char *line;
	size_t n;
	int more, r;

	while ((more = input_line(g->in, &line, &n, err)) > 0) {
		struct words w;

		comments_blank(g, line);
		w.line = w.p = w.at = line;
		r = line_read(f, &w, err);
		if (r != 0)
			return r;
	}
	if (more < 0)
		return -1;
	if (g->rank >= 0 || g->next < f->ranks)
		return err_at(err, f->path, input_lineno(g->in), 0,
		              "the file ends in or before rank %lld of %u",
		              (long long)(g->rank >= 0 ? g->rank : g->next), f->ranks);
	return goal_graph_end(f, &g->graph, err);
}

static int goal_read(struct foreign *f, struct err *err)
{
	int r;

	while ((r = lines_read(f, err)) > 0)
		if (reopen(f, err) < 0)
			return -1;
	return r;
}

/* The first line that is no comment is num_ranks. */
static int goal_open(struct foreign *f, struct err *err)
{
	struct goal *g = f->impl = calloc(1, sizeof *g);
	char *line;
	size_t n;

	if (!g)
		return err_nomem(err, "a schedule", sizeof *g);
	g->rank = -1;
	hash_str_init(&g->labels);
	g->in = input_open(f->path, 0, err);
	while (g->in && f->ranks == 0) {
		struct words w;
		int more = input_line(g->in, &line, &n, err);

		if (more <= 0)
			return more < 0
			           ? -1
			           : err_set(err, ERR_INPUT, "%s: the schedule is empty", f->path);
		comments_blank(g, line);
		w.line = w.p = w.at = line;
		if (line_read(f, &w, err) < 0)
			return -1;
	}
	return g->in ? 0 : -1;
}

static void goal_close(struct foreign *f)
{
	struct goal *g = f->impl;

	if (!g)
		return;
	input_close(g->in);
	goal_graph_release(&g->graph);
	hash_str_release(&g->labels);
	free(g);
}

/* After blanks and comments: "num_ranks". */
static int goal_probe(const char *path, const unsigned char *head, size_t n, struct err *err)
{
	static const char mark[] = "num_ranks";
	size_t i = 0;

	(void)path;
	(void)err;
	while (i + 1 < n) {
		if (isspace(head[i])) {
			i++;
		} else if (head[i] == '/' && head[i + 1] == '/') {
			while (i < n && head[i] != '\n')
				i++;
		} else if (head[i] == '/' && head[i + 1] == '*') {
			for (i += 2; i + 1 < n && !(head[i] == '*' && head[i + 1] == '/');)
				i++;
			i += 2;
		} else
			break;
	}
	return i < n && n - i >= sizeof mark - 1 && !memcmp(head + i, mark, sizeof mark - 1);
}

const struct foreign_format foreign_goal = {
    .name = "GOAL",
    .probe = goal_probe,
    .open = goal_open,
    .read = goal_read,
    .close = goal_close,
    .passes = 1,
    .requests_differ = 1,
};
