/* complete.c: what is left to do with a folder when the traced program has ended.
 *
 * While it runs, the tracer writes a wildcard receive as it was posted, and a `resolve` line when
 * the request completes: it never holds events back. Here each resolve is carried back to its
 * receive, which then names the rank and tag that its message came with, and a last line that was
 * cut off (a process that was killed) is dropped. Two passes over a file: the first finds which
 * lines change, the second copies. A file in which nothing changes is not touched; one that changes
 * is replaced in one step.
 *
 * Tests of requests at which the program looked again later become such as do not say what they
 * completed (looks.h).
 *
 * Where the program has spawned processes (tracer/worlds.h), whose ranks follow those that it began
 * with, MPI_COMM_WORLD of the first ones is not all ranks: in their files it becomes a communicator
 * of its own.
 *
 * A request number can be used again: a resolve belongs to the last receive before it with that
 * number. Receives of a persistent request are resolved once per start; the request is patched only
 * if all agree, else it stays a wildcard. */
#include "counted.h"
#include "looks.h"
#include "scan.h"
#include "trace/trace_int.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COPY_TEXT = 64 << 10, READ_BUFFER = 64 << 10 };

static const char ranks_note[] = "# ranks ";

/* A wildcard receive that was resolved. */
struct patch {
	uint64_t line;
	int32_t peer, tag;
	uint8_t resolved, differs;
};
struct completion {
	const char *path;
	uint32_t rank;
	struct grammar grammar;
	struct lists lists;
	struct hash64 posted;  /* request -> patch of the receive that has it */
	struct patch *patches; /* in the order of their lines */
	uint32_t n, cap;
	struct looks looks;
	uint64_t resolves, dropped, resolved;
	uint64_t events; /* written */
	/* Ranks of MPI_COMM_WORLD, as the file says; 0: of all there are. Spawned ranks have
	 * named theirs themselves. */
	int64_t world;
	int spawned;
	struct trace_sites *sites; /* to be filled, or NULL */
};

static int is_receive(const struct trace_event *ev)
{
	return ev->op == TRACE_IRECV || ev->op == TRACE_RECV_INIT;
}

/* A receive: remembered if it is a wildcard; else its number stands for nothing to patch any
 * more. */
static int receive_note(struct completion *c, const struct trace_event *ev, uint64_t line,
                        struct err *err)
{
	struct patch *patches;

	if (ev->req < 0)
		return 0;
	if (ev->peer != TRACE_ANY && ev->tag != TRACE_ANY) {
		hash64_remove(&c->posted, (uint64_t)ev->req);
		return 0;
	}
	patches = vec_grow(c->patches, &c->cap, sizeof *patches, (size_t)c->n + 1,
	                   "wildcard receives", err);
	if (!patches)
		return -1;
	c->patches = patches;
	patches[c->n] = (struct patch){.line = line, .peer = ev->peer, .tag = ev->tag};
	return hash64_put(&c->posted, (uint64_t)ev->req, c->n++, err);
}

static void resolve_note(struct completion *c, const struct trace_event *ev)
{
	uint32_t i = ev->req < 0 ? HASH_NONE : hash64_find(&c->posted, (uint64_t)ev->req);
	struct patch *p;

	c->resolves++;
	if (i == HASH_NONE)
		return;
	p = &c->patches[i];
	p->differs |= p->resolved && (p->peer != ev->peer || p->tag != ev->tag);
	p->resolved = 1;
	p->peer = ev->peer;
	p->tag = ev->tag;
}

/* The event of a line: 1, 0 for a line without, -1. *end: its newline. */
static int line_read(struct completion *c, const struct lines *l, const char *line,
                     struct trace_event *ev, const char **end, struct err *err)
{
	struct parse ps = {.grammar = &c->grammar, .lists = &c->lists, .err = err};
	const char *p;
	uint32_t rank = 0;

	*end = line_end(line);
	if (line_is_empty(line))
		return 0;
	p = rank_parse(&ps, blanks_skip(line), &rank);
	if (p && rank != c->rank)
		p = parse_fault(&ps, blanks_skip(line), "rank %u, whose file this is", c->rank);
	if (p && event_parse(&ps, p, ev))
		return 1;
	return trace_line_error(&ps, c->path, l->lineno, line, err);
}

/* The last line, without newline: a process was killed while it wrote. */
static int is_cut_off(const struct lines *l, const char *end)
{
	return l->eof && end == l->buf + l->end;
}

static void note_look(struct completion *c, const char *line)
{
	static const char spawned[] = "# spawned ";
	const char *value = line + sizeof ranks_note - 1;

	if (strncmp(line, ranks_note, sizeof ranks_note - 1) == 0)
		num_parse_i64(value, (size_t)(line_end(line) - value), &c->world);
	c->spawned |= strncmp(line, spawned, sizeof spawned - 1) == 0;
}

static int file_look(struct completion *c, struct err *err)
{
	struct lines l;
	const char *line, *end;
	struct trace_event ev = {0};
	int more;

	if (lines_open(&l, c->path, READ_BUFFER, 1, err) < 0)
		return -1;
	while ((more = lines_next(&l, &line, err)) > 0) {
		if (is_cut_off(&l, line_end(line))) {
			c->dropped = 1;
			more = 0;
			break;
		}
		more = line_read(c, &l, line, &ev, &end, err);
		if (more > 0 && looks_note(&c->looks, &ev, l.lineno, err) < 0)
			more = -1;
		if (more > 0 && is_receive(&ev))
			more = receive_note(c, &ev, l.lineno, err);
		else if (more > 0 && ev.op == TRACE_RESOLVE)
			resolve_note(c, &ev);
		else if (more > 0 && ev.op == TRACE_REGION)
			more = c->sites ? trace_sites_region(c->sites, ev.text, err) : 1;
		else if (more == 0 && *line == '#' && (note_look(c, line), 1))
			more = c->sites ? trace_sites_module(c->sites, line + 1, err) : 0;
		if (more < 0)
			break;
		lines_advance(&l, end);
	}
	c->dropped |= l.cut;
	lines_close(&l);
	looks_sort(&c->looks);
	return more < 0 ? -1 : 0;
}

static int text_pass(struct output *out, struct str *text, size_t most, struct err *err)
{
	if (text->failed)
		return err_nomem(err, "text of a trace", text->n);
	if (text->n <= most)
		return 0;
	if (output_write(out, text->s, text->n, err) < 0)
		return -1;
	str_clear(text);
	return 0;
}

/* "# end 12", with the number of events that there are now. */
static int end_copy(struct completion *c, const char *line, struct str *text)
{
	static const char word[] = "# end ";

	if (strncmp(line, word, sizeof word - 1) != 0)
		return 0;
	counted_end_put(text, c->events);
	return 1;
}

/* "# ranks 5", those that were spawned among them, when MPI_COMM_WORLD has its name: once. */
static int ranks_copy(const struct completion *c, const char *line, struct str *text)
{
	if (c->world == 0 || strncmp(line, ranks_note, sizeof ranks_note - 1) != 0)
		return 0;
	str_printf(text, "%s%u\n", ranks_note, c->grammar.ranks);
	return 1;
}

static uint64_t newlines(const struct str *text, size_t from)
{
	uint64_t n = 0;

	for (; !text->failed && from < text->n; from++)
		n += text->s[from] == '\n';
	return n;
}

/* A name that no rank gives (tracer/comms.c). */
static const uint64_t first_world = (uint64_t)1 << 29 | 2;

/* The first world is one of several: 1 if the event is another one now. */
static int world_name(const struct completion *c, struct trace_event *ev)
{
	int from_world = (trace_op_makes_comm(ev->op) || ev->op == TRACE_COMM_IDUP) &&
	                 ev->parent == 0;

	if (c->world == 0 ||
	    (!from_world && (ev->comm != 0 || !trace_op_has(ev->op, TRACE_IN_COMM))))
		return 0;
	*(from_world ? &ev->parent : &ev->comm) = first_world;
	return 1;
}

static void world_make(const struct completion *c, struct str *text)
{
	str_printf(text, "%u comm_create_group comm=0.%u members=0-%lld agreed=1\n", c->rank,
	           (unsigned)first_world - 2, (long long)c->world - 1);
}

/* One line to the new file: patched, left out, or as it is. */
static int line_copy(struct completion *c, struct lines *l, const char *line, const char *end,
                     uint32_t *next, struct str *text, struct err *err)
{
	struct trace_event ev = {0};
	const struct patch *p = *next < c->n ? &c->patches[*next] : NULL;
	int is_patch = p && p->line == l->lineno, is_event, looked, renamed;
	size_t before = text->n;

	if (is_patch)
		++*next;
	is_event = line_read(c, l, line, &ev, &end, err);
	if (is_event < 0)
		return -1;
	if (is_event && ev.op == TRACE_RESOLVE)
		return 0;
	renamed = is_event && world_name(c, &ev);
	if (is_event && ev.op == TRACE_FINALIZE && c->world > 0)
		str_printf(text, "%u comm_free comm=0.%u\n", c->rank, (unsigned)first_world - 2);
	if (is_patch && p->resolved && !p->differs) {
		ev.flags |= (uint16_t)((ev.peer == TRACE_ANY ? TRACE_WILD_SOURCE : 0) |
		                       (ev.tag == TRACE_ANY ? TRACE_WILD_TAG : 0));
		ev.peer = p->peer;
		ev.tag = p->tag;
		trace_event_format(text, c->rank, &ev);
		c->resolved++;
		c->events++;
		return 0;
	}
	if (!is_event && (end_copy(c, line, text) || ranks_copy(c, line, text)))
		return 0;
	looked = is_event ? looks_apply(&c->looks, l->lineno, c->rank, &ev, text, err) : 0;
	if (looked == 0 && renamed)
		trace_event_format(text, c->rank, &ev);
	else if (looked == 0)
		str_putn(text, line, (size_t)(end + 1 - line));
	if (is_event && ev.op == TRACE_INIT && c->world > 0)
		world_make(c, text);
	if (is_event)
		c->events += newlines(text, before);
	return looked < 0 ? -1 : 0;
}

static int lines_copy(struct completion *c, struct output *out, struct lines *l, struct str *text,
                      struct err *err)
{
	const char *line;
	uint32_t next = 0;
	int more;

	while ((more = lines_next(l, &line, err)) > 0) {
		const char *end = line_end(line);

		if (is_cut_off(l, end)) {
			more = 0;
			break;
		}
		if (line_copy(c, l, line, end, &next, text, err) < 0 ||
		    text_pass(out, text, COPY_TEXT, err) < 0)
			return -1;
		lines_advance(l, end);
	}
	return more < 0 ? -1 : text_pass(out, text, 0, err);
}

static int file_rewrite(struct completion *c, struct err *err)
{
	struct output out;
	struct lines l;
	struct str text;
	int result;

	if (output_open(&out, c->path, err) < 0) {
		output_release(&out);
		return -1;
	}
	str_init(&text);
	result = lines_open(&l, c->path, READ_BUFFER, 1, err);
	if (result == 0) {
		result = lines_copy(c, &out, &l, &text, err);
		lines_close(&l);
	}
	if (result == 0)
		result = output_commit(&out, err);
	str_release(&text);
	output_release(&out);
	return result;
}

static int file_complete(struct completion *c, uint32_t ranks, struct err *err)
{
	int result;

	grammar_init(&c->grammar, &trace_dialects[DIALECT_OURS]);
	c->grammar.ranks = ranks;
	c->grammar.peers = (int32_t)ranks;
	hash64_init(&c->posted);
	looks_init(&c->looks);
	result = file_look(c, err);
	if (c->spawned || c->world < 0 || c->world >= (int64_t)ranks)
		c->world = 0;
	if (result == 0 && (c->world > 0 || c->resolves > 0 || c->dropped > 0 || c->looks.n > 0))
		result = file_rewrite(c, err);
	hash64_release(&c->posted);
	looks_release(&c->looks);
	lists_release(&c->lists);
	free(c->patches);
	return result;
}

int trace_folder_complete(const char *dir, uint32_t ranks, uint64_t *resolved, uint64_t *dropped,
                          struct trace_sites *sites, struct err *err)
{
	uint64_t all_resolved = 0, all_dropped = 0;

	for (uint32_t rank = 0; rank < ranks; rank++) {
		struct completion c = {.rank = rank, .sites = sites};
		char *path;
		int result;

		if (asprintf(&path, "%s/rank-%u.tit", dir, rank) < 0)
			return err_nomem(err, "a file name", strlen(dir));
		c.path = path;
		/* of a rank that never began to write there is nothing to complete */
		result = there_is(path, err);
		if (result > 0)
			result = file_complete(&c, ranks, err);
		free(path);
		if (result < 0)
			return -1;
		all_resolved += c.resolved;
		all_dropped += c.dropped;
	}
	if (resolved)
		*resolved = all_resolved;
	if (dropped)
		*dropped = all_dropped;
	return 0;
}
