/* rank_files.c: a private file per rank. Memory: a buffer per rank that still has something to
 * read, smaller when there are many. */
#include "counted.h"
#include "scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* With more ranks than this their lines are too many to be found in a fast cache. */
enum { KEPT_RANKS = 512, KEPT_LINES = 4096 };
enum { LOOKS = 256 }; /* files whose size is looked at beforehand */
enum {
	BUFFER_MOST = 64 << 10,
	BUFFER_FAIR = 8 << 10, /* smaller ones are read for more than they hold */
	BUFFER_LEAST = 2 << 10,
	BUFFERS_CACHED = 512 << 10, /* all together, where they are not many: what was read is still
	                               in the cache when its rank comes to it */
	BUFFERS_ALL = 32 << 20
};

struct rank_file {
	/* The rank and a blank, as nearly all lines begin, in the lower bytes that mask keeps; mask
	 * 0: the rank has too many digits. */
	uint64_t prefix, mask;
	struct kept_place kept;
	struct lines lines;
	struct lists lists;
	uint64_t place; /* line of the last event */
	struct counted counted;
	uint8_t ended;
};
struct rank_files {
	struct rank_file *files;
	uint32_t n;
	struct kept_lines kept;
};

static size_t buffer_size(uint32_t n)
{
	size_t cached = BUFFERS_CACHED / (n > 0 ? n : 1), all = BUFFERS_ALL / (n > 0 ? n : 1);

	if (cached >= BUFFER_FAIR)
		return cached > BUFFER_MOST ? BUFFER_MOST : cached;
	return all > BUFFER_FAIR ? BUFFER_FAIR : all < BUFFER_LEAST ? BUFFER_LEAST : all;
}

/* Lines in all, judged from the sizes of some files, evenly spread. A guess: what of them cannot be
 * looked at is told when they are opened. */
static uint64_t actions_guess(char **paths, uint32_t n, double line_bytes)
{
	uint32_t looks = n < LOOKS ? n : LOOKS;
	double bytes = 0;
	struct stat st;

	for (uint32_t i = 0; i < looks; i++)
		if (stat(paths[(uint64_t)i * n / looks], &st) == 0)
			bytes += (double)st.st_size;
	return line_bytes > 0 && looks > 0 ? (uint64_t)(bytes / looks * n / line_bytes) : 0;
}

static void prefix_set(struct rank_file *f, uint32_t rank)
{
	char text[16];
	int n = snprintf(text, sizeof text, "%u ", rank);

	if (n > (int)sizeof f->prefix)
		return;
	memcpy(&f->prefix, text, sizeof f->prefix);
	f->mask = ~UINT64_C(0) >> 8 * ((int)sizeof f->prefix - n);
	f->prefix &= f->mask;
}

/* Each in a line of the cache of its own. */
static int kept_lines_make(struct kept_lines *kept, struct err *err)
{
	size_t bytes = KEPT_LINES * sizeof *kept->lines;

	kept->lines = aligned_alloc(64, bytes);
	if (!kept->lines)
		return err_nomem(err, "a trace", bytes);
	memset(kept->lines, 0, bytes);
	kept->next = calloc(KEPT_NEXT, sizeof *kept->next);
	if (!kept->next)
		return err_nomem(err, "a trace", KEPT_NEXT * sizeof *kept->next);
	kept->mask = KEPT_LINES - 1;
	return 0;
}

static int files_init(struct trace *t, char **paths, uint32_t n, struct err *err)
{
	struct rank_files *rf = calloc(1, sizeof *rf);
	uint32_t kept = files_kept_open();
	int there;

	if (!rf)
		return err_nomem(err, "a trace", sizeof *rf);
	t->impl = rf;
	if (n <= KEPT_RANKS && kept_lines_make(&rf->kept, err) < 0)
		return -1;
	rf->files = calloc(n, sizeof *rf->files);
	if (!rf->files)
		return err_nomem(err, "the files of a trace", n * sizeof *rf->files);
	for (; rf->n < n; rf->n++) {
		prefix_set(&rf->files[rf->n], rf->n);
		rf->files[rf->n].kept.salt = rf->n * 0x9e3b;
		if (lines_open(&rf->files[rf->n].lines, paths[rf->n], buffer_size(n), rf->n < kept,
		               err) < 0)
			return -1;
		there = t->whole ? 1 : there_is(paths[rf->n], err);
		if (there < 0) {
			rf->n++; /* to be closed */
			return -1;
		}
		if (there == 0) { /* it was killed before */
			rf->files[rf->n].ended = rf->files[rf->n].lines.eof = 1;
			trace_cut(t, rf->n);
		}
	}
	return 0;
}

int rank_files_open(struct trace *t, const char *path, char **paths, uint32_t n, uint32_t np,
                    struct err *err)
{
	struct trace_head head = {0};
	int result = detect_files(&head, paths, n, err);

	if (result == 0 && head.kind == HEAD_EMPTY)
		result = err_set(err, ERR_INPUT, "%s: the trace is empty: no action in %s", path,
		                 paths[0]);
	if (result == 0 && (result = trace_begin(t, path, &head, n, np, err)) == 0) {
		t->actions = actions_guess(paths, n, head.line_bytes);
		result = files_init(t, paths, n, err);
	}
	for (uint32_t i = 0; i < n; i++)
		free(paths[i]);
	free(paths);
	return result;
}

void rank_files_soon(const struct trace *t, uint32_t rank, uint32_t then)
{
	const struct rank_files *rf = t->impl;
	const struct lines *l = &rf->files[rank].lines;

	if (then < rf->n) {
		__builtin_prefetch(&rf->files[then], 1);
		__builtin_prefetch((const char *)&rf->files[then] + 64, 1);
	}
	if (l->buf)
		__builtin_prefetch(l->buf + l->start);
}

void rank_files_close(struct trace *t)
{
	struct rank_files *rf = t->impl;

	for (uint32_t i = 0; rf && i < rf->n; i++) {
		lines_close(&rf->files[i].lines);
		lists_release(&rf->files[i].lists);
	}
	if (rf) {
		free(rf->files);
		free(rf->kept.lines);
		free(rf->kept.next);
	}
	free(rf);
}

/* Is all there that the rank did? */
static int file_check(struct trace *t, const struct rank_file *f, uint32_t rank, struct err *err)
{
	enum counted_state state = counted_end(&f->counted, &f->lines);

	if (state == COUNTED_WHOLE)
		return 0;
	trace_cut(t, rank);
	return !t->whole ? 0
	                 : counted_error(&f->counted, f->lines.path, state,
	                                 "The manifest says that the trace is complete: trace "
	                                 "again, or write 'complete: no' into the manifest, to "
	                                 "have it replayed up to there",
	                                 err);
}

/* The rank's file is done: its buffers are given back, its name stays for messages. */
static int file_end(struct trace *t, struct rank_file *f, uint32_t rank, struct err *err)
{
	if (!f->ended && file_check(t, f, rank, err) < 0)
		return -1;
	if (!f->ended && f->place == 0 && t->partial == 0)
		return err_set(err, ERR_INPUT, "%s: no action of rank %u in this file",
		               f->lines.path, rank);
	f->ended = 1;
	free(f->lines.buf);
	f->lines.buf = NULL;
	f->lines.start = f->lines.limit = f->lines.end = 0;
	lists_release(&f->lists);
	return 0;
}

/* The line from the blank before the action on, when it begins with this very rank and a blank; or
 * NULL. */
static const char *own_line(const struct rank_file *f, const char *line)
{
	uint64_t head;

	memcpy(&head, line, sizeof head);
	return f->mask && (head & f->mask) == f->prefix ? line + (63 - __builtin_clzll(f->mask)) / 8
	                                                : NULL;
}

/* An event was read up to the newline at p. */
static inline int event_read(struct rank_file *f, const char *p, struct trace_event *ev)
{
	lines_advance(&f->lines, p);
	ev->place = (int64_t)f->lines.lineno;
	f->place = f->lines.lineno;
	f->counted.events++;
	return 1;
}

static __attribute__((noinline)) int line_read(struct trace *t, uint32_t rank,
                                               struct trace_event *ev, struct err *err)
{
	const struct rank_files *rf = t->impl;
	struct rank_file *f = &rf->files[rank];
	struct parse ps;
	const char *line, *p;
	uint32_t found;
	int more;

	ps.grammar = &t->grammar;
	ps.lists = &f->lists;
	ps.shares = t->shares;
	ps.kept = rf->kept.lines ? &rf->kept : NULL;
	ps.kept_place = &f->kept;
	ps.err = err;
	while ((more = lines_next(&f->lines, &line, err)) > 0) {
		p = own_line(f, line);
		if (!p && line_is_empty(line)) {
			if (*line == '#' && counted_note(&f->counted, t, &f->lines, line, err) < 0)
				return -1;
			lines_advance(&f->lines, line_end(line));
			continue;
		}
		if (!p) {
			p = rank_parse(&ps, blanks_skip(line), &found);
			if (p && found != rank)
				p = parse_fault(&ps, blanks_skip(line),
				                "rank %u, whose private file this is", rank);
		}
		p = p ? event_parse(&ps, p, ev) : NULL;
		if (!p)
			return trace_line_error(&ps, f->lines.path, f->lines.lineno, line, err);
		return event_read(f, p, ev);
	}
	return more < 0 ? -1 : file_end(t, f, rank, err);
}

/* Most lines are those that are expected. */
int rank_files_next(struct trace *t, uint32_t rank, struct trace_event *ev, struct err *err)
{
	const struct rank_files *rf = t->impl;
	struct rank_file *f = &rf->files[rank];
	struct lines *l = &f->lines;
	const char *p = NULL;

	if (rf->kept.lines && l->start != l->limit && (p = own_line(f, l->buf + l->start)) &&
	    (p = expected_parse(&rf->kept, &f->kept, &f->lists, p, ev))) {
		l->lineno++;
		return event_read(f, p, ev);
	}
	return line_read(t, rank, ev, err);
}

const char *rank_files_place(const struct trace *t, uint32_t rank, uint64_t *line)
{
	const struct rank_file *f = &((const struct rank_files *)t->impl)->files[rank];

	*line = f->place;
	return f->lines.path;
}
