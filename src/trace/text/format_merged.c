/* format_merged.c: one file that all ranks share. It is read once from the front, by the rank that
 * needs to go further; what it passes of other ranks is noted as extents (where in the file, how
 * long), not as text:
 *
 *   file     0 0 0 1 1 0 2 2 …          rank 1 asks first: the scan stops after the first line of 1
 *   rank 0   [0, 3 lines)
 *   rank 1   (being read)
 *
 * Adjacent lines are one extent, so a file sorted by rank costs next to nothing, and a finely mixed
 * one four bytes per line that its rank has not come to yet.
 *
 * Their text is taken from the scan's buffer while it is still there, else read again through
 * windows that all ranks share (windows.c).
 * A compressed file is unpacked into an unnamed temporary file first. */
#include "counted.h"
#include "extents.h"
#include "scan.h"
#include "trace/trace_int.h"
#include "windows.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SCAN_BUFFER = 256 << 10 };

/* Of a rank that has come to lines that were passed, or whose event has lists. */
struct reader {
	struct extent now; /* being read */
	struct lists lists;
};
struct merged_rank { /* 48 bytes: there may be a million */
	struct extents queue;
	struct reader *reader; /* or NULL */
	uint64_t place;
};
static_assert(sizeof(struct merged_rank) == 48, "there may be a million");
struct merged {
	struct lines scan;
	struct windows windows;
	struct lists lists; /* of the event being read */
	struct merged_rank *ranks;
	uint32_t n;
	/* Of the last line that was scanned: what it begins with (line_prefix), and its rank. 0:
	 * nothing. */
	uint64_t prefix;
	uint32_t prefix_rank;
	uint32_t first; /* rank that is called 0: of a private file read alone, its own */
	struct counted counted;
	uint8_t *partial; /* by rank, or NULL: whether it said that its record ends early */
	uint8_t known,
	    checked; /* its first line says how many ranks it has; it was read to its end */
};

/* --- text of an extent --- */

/* Whole lines at `from` in memory, or NULL: ends at a newline that is there too. */
static const char *scan_text(const struct merged *m, uint64_t from)
{
	uint64_t first = m->scan.offset - m->scan.end;

	return from >= first && from < first + m->scan.start ? m->scan.buf + (from - first) : NULL;
}

static const char *extent_text(struct merged *m, const struct extent *x, struct err *err)
{
	const char *p = scan_text(m, x->from);

	return p ? p : windows_line(&m->windows, x->from, x->to, err);
}

/* --- readers --- */

static struct reader *reader_get(struct merged_rank *r, struct err *err)
{
	if (!r->reader && !(r->reader = calloc(1, sizeof *r->reader)))
		err_nomem(err, "a rank of a trace", sizeof *r->reader);
	return r->reader;
}

static void reader_drop(struct merged_rank *r)
{
	if (r->reader)
		lists_release(&r->reader->lists);
	free(r->reader);
	r->reader = NULL;
}

/* An event's lists are its rank's until its next event, whatever others read. */
static int lists_keep(struct merged *m, struct merged_rank *r, struct err *err)
{
	struct reader *reader = reader_get(r, err);
	struct lists before;

	if (!reader)
		return -1;
	before = reader->lists;
	reader->lists = m->lists;
	m->lists = before;
	lists_clear(&m->lists);
	return 0;
}

/* --- events --- */

static void parse_begin(struct parse *ps, const struct trace *t, struct err *err)
{
	struct merged *m = t->impl;

	ps->grammar = &t->grammar;
	ps->kept = NULL;
	ps->lists = &m->lists;
	ps->shares = t->shares;
	ps->err = err;
}

/* One line whose rank was seen before, and is this one. Where it ends, or NULL with *err set. */
static const char *line_event(struct trace *t, struct merged_rank *r, const char *line,
                              uint64_t lineno, struct trace_event *ev, struct err *err)
{
	struct merged *m = t->impl;
	struct parse ps;
	const char *p;

	parse_begin(&ps, t, err);
	p = event_parse(&ps, token_end(blanks_skip(line)), ev);
	if (!p)
		trace_line_error(&ps, m->scan.path, lineno, line, err);
	ev->place = (int64_t)lineno;
	r->place = lineno;
	return p && m->lists.n > 0 && lists_keep(m, r, err) < 0 ? NULL : p;
}

/* The next event from what was passed. */
static int event_from_queue(struct trace *t, struct merged_rank *r, struct trace_event *ev,
                            struct err *err)
{
	struct extent *now = &r->reader->now;
	const char *line = extent_text(t->impl, now, err), *end;

	end = line ? line_event(t, r, line, now->line, ev, err) : NULL;
	if (!end)
		return -1;
	now->from += (uint64_t)(end + 1 - line);
	now->line++;
	return 1;
}

/* Whether the rank has lines that were passed: 1, 0, -1. Its event before is over. */
static int rank_reads(struct merged_rank *r, struct err *err)
{
	struct extent x;

	if (r->reader && r->reader->now.from < r->reader->now.to)
		return 1;
	if (!extents_take(&r->queue, &x)) {
		reader_drop(r);
		return 0;
	}
	if (!reader_get(r, err))
		return -1;
	r->reader->now = x;
	return 1;
}

/* The rank of the line in the scan's buffer: 1, 0 for a line without, -1. */
static int scan_rank(struct trace *t, const char *line, uint32_t *rank, struct err *err)
{
	struct merged *m = t->impl;
	uint64_t prefix = line_prefix(line);
	struct parse ps;

	if (prefix && prefix == m->prefix) {
		*rank = m->prefix_rank;
		return 1;
	}
	if (line_is_empty(line))
		return 0;
	ps.grammar = &t->grammar;
	ps.err = err;
	line = blanks_skip(line);
	if (!rank_parse(&ps, line, rank))
		return trace_line_error(&ps, m->scan.path, m->scan.lineno, line, err);
	*rank -= m->first;
	if (*rank < m->n) {
		m->prefix = prefix;
		m->prefix_rank = *rank;
		return 1;
	}
	return err_at(err, m->scan.path, (long)m->scan.lineno, 1,
	              "expected a rank below %u, the number of ranks of this trace, found %u", m->n,
	              *rank + m->first);
}

/* At the end of the file: is all of it there? What convert wrote is whole; files of ranks that
 * somebody put together may be of processes that were killed. */
static int scan_end(struct trace *t, struct err *err)
{
	struct merged *m = t->impl;
	enum counted_state state = counted_end(&m->counted, &m->scan);

	if (m->checked)
		return 0;
	m->checked = 1;
	if (state != COUNTED_WHOLE && m->known)
		return counted_error(&m->counted, m->scan.path, state,
		                     "Convert again, or take out its line '# run …', to have it "
		                     "replayed up to there",
		                     err);
	if (state != COUNTED_WHOLE)
		t->partial += m->counted.runs > m->counted.ends ? m->counted.runs - m->counted.ends
		                                                : 1;
	return 0;
}

/* A line that begins with '#'. */
static int note_take(struct trace *t, const char *line, struct err *err)
{
	struct merged *m = t->impl;
	uint64_t rank;

	if (counted_is_partial(line, &rank) && rank < m->n) {
		if (!m->partial && !(m->partial = calloc(m->n, 1)))
			return err_nomem(err, "the ranks of a trace", m->n);
		m->partial[rank] = 1;
	}
	return counted_note(&m->counted, t, &m->scan, line, err);
}

/* Goes on in the file until a line of this rank. */
static int event_from_scan(struct trace *t, uint32_t rank, struct trace_event *ev, struct err *err)
{
	struct merged *m = t->impl;
	const char *line, *end;
	int more;

	while ((more = lines_next(&m->scan, &line, err)) > 0) {
		uint32_t of = 0;
		int is = scan_rank(t, line, &of, err);
		uint64_t from;

		if (is < 0 || (!is && *line == '#' && note_take(t, line, err) < 0))
			return -1;
		m->counted.events += is > 0;
		if (is && of == rank) {
			end = line_event(t, &m->ranks[rank], line, m->scan.lineno, ev, err);
			if (!end)
				return -1;
			lines_advance(&m->scan, end);
			return 1;
		}
		end = line_end(line);
		from = lines_offset(&m->scan, line);
		lines_advance(&m->scan, end);
		if (is && extents_add(&m->ranks[of].queue, from, from + (uint64_t)(end + 1 - line),
		                      m->scan.lineno, err) < 0)
			return -1;
	}
	return more < 0 ? -1 : scan_end(t, err);
}

static void rank_end(struct merged *m, uint32_t rank)
{
	reader_drop(&m->ranks[rank]);
	extents_release(&m->ranks[rank].queue);
	if (m->partial)
		m->partial[rank] = 0;
}

static int merged_next(struct trace *t, uint32_t rank, struct trace_event *ev, struct err *err)
{
	struct merged *m = t->impl;
	struct merged_rank *r = &m->ranks[rank];
	int more = rank_reads(r, err);

	if (more != 0)
		return more < 0 ? -1 : event_from_queue(t, r, ev, err);
	more = event_from_scan(t, rank, ev, err);
	if (more != 0)
		return more;
	if (m->partial && m->partial[rank])
		trace_cut(t, rank);
	if (r->place == 0 && t->partial == 0)
		return err_set(err, ERR_INPUT,
		               "%s: %u ranks are wanted, but there is no action of rank %u",
		               m->scan.path, m->n, rank);
	rank_end(m, rank);
	return 0;
}

static void merged_close(struct trace *t)
{
	struct merged *m = t->impl;

	if (!m)
		return;
	for (uint32_t i = 0; m->ranks && i < m->n; i++)
		rank_end(m, i);
	free(m->partial);
	windows_release(&m->windows);
	lists_release(&m->lists);
	lines_close(&m->scan);
	free(m->ranks);
	free(m);
}

static const char *merged_place(const struct trace *t, uint32_t rank, uint64_t *line)
{
	const struct merged *m = t->impl;

	*line = m->ranks[rank].place;
	return m->scan.path;
}

static void merged_soon(const struct trace *t, uint32_t rank, uint32_t then)
{
	const struct merged *m = t->impl;
	const struct merged_rank *r = &m->ranks[rank];

	if (then < m->n)
		__builtin_prefetch(&m->ranks[then], 1);
	__builtin_prefetch(r->reader ? (const void *)r->reader : r->queue.code);
}

/* --- opening --- */

static int is_compressed(const char *path, struct err *err)
{
	char magic[4];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n;

	if (fd < 0)
		return err_sys(err, errno, "cannot open %s", path);
	n = file_head(fd, path, magic, sizeof magic, err);
	close(fd);
	return n < 0 ? -1 : n > 0 && input_is_packed(magic, (size_t)n);
}

/* Takes fd. */
static int merged_adopt(struct trace *t, const char *name, int fd, uint32_t first, struct err *err)
{
	struct merged *m = calloc(1, sizeof *m);

	if (!m) {
		close(fd);
		return err_nomem(err, "a trace", sizeof *m);
	}
	t->impl = m;
	m->scan.fd = -1;
	if (lines_adopt(&m->scan, name, fd, SCAN_BUFFER, err) < 0)
		return -1;
	m->first = first;
	m->n = t->ranks;
	if (windows_init(&m->windows, fd, m->scan.path, m->n, err) < 0)
		return -1;
	m->ranks = calloc(m->n, sizeof *m->ranks);
	return m->ranks ? 0 : err_nomem(err, "the ranks of a trace", m->n * sizeof *m->ranks);
}

static int merged_init(struct trace *t, const char *path, uint32_t first, struct err *err)
{
	int compressed = is_compressed(path, err), fd;

	if (compressed < 0)
		return -1;
	fd = compressed ? unpack(path, err) : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return compressed ? -1 : err_sys(err, errno, "cannot open %s", path);
	return merged_adopt(t, path, fd, first, err);
}

/* How many ranks: asked for, told by the first line, or counted. */
static int ranks_count(struct trace *t, const struct trace_head *head, const char *path,
                       uint32_t np, struct census *c, struct err *err)
{
	struct grammar g = {.dialect = &trace_dialects[head->dialect]};

	c->least = 0;
	c->most = (head->ranks ? head->ranks : np) - 1;
	if (c->most != UINT32_MAX)
		return 0;
	if (census_take(c, &g, path, err) < 0)
		return -1;
	if (c->actions == 0)
		return err_set(err, ERR_INPUT, "%s: the trace is empty: no action in it", path);
	t->actions = c->actions;
	if (c->least < c->most && c->most >= c->actions)
		return err_set(
		    err, ERR_INPUT,
		    "%s: ranks go up to %u, but there are only %llu actions: some ranks have none",
		    path, c->most, (unsigned long long)c->actions);
	return 0;
}

/* A private file alone: a trace of one rank, which talks to ranks that are not there. SimGrid's
 * needs the others to be understood: how many counts a vector collective has is the number of
 * ranks. */
static int alone_begin(struct trace *t, const char *path, const struct trace_head *head,
                       uint32_t rank, struct err *err)
{
	if (head->dialect != DIALECT_OURS)
		return err_set(
		    err, ERR_INPUT,
		    "%s: all actions are of rank %u: give the folder or the list that this "
		    "private file belongs to",
		    path, rank);
	if (trace_begin(t, path, head, 1, 0, err) < 0)
		return -1;
	t->grammar.peers = INT32_MAX;
	return 0;
}

/* A rank has at least one line, and that four bytes: tells a wrong number of ranks before memory is
 * asked for it. */
static int is_large_enough(const char *path, uint32_t ranks, struct err *err)
{
	enum { LINE_LEAST = 4, PACKED_MOST = 1100 /* how much zlib can pack, and then some */ };
	struct stat st;

	if (stat(path, &st) < 0 ||
	    (uint64_t)st.st_size * PACKED_MOST >= (uint64_t)ranks * LINE_LEAST)
		return 1;
	err_set(err, ERR_INPUT,
	        "%s: a file of %lld bytes cannot hold %u ranks: some have no action", path,
	        (long long)st.st_size, ranks);
	return 0;
}

static int merged_open(struct trace *t, const char *path, uint32_t np, struct err *err)
{
	char *paths[1] = {strdup(path)};
	struct trace_head head = {0};
	struct census c = {0};
	struct stat st;
	int result;

	if (!paths[0])
		return err_nomem(err, "a file name", strlen(path));
	result = detect_files(&head, paths, 1, err);
	free(paths[0]);
	if (result < 0)
		return -1;
	if (head.kind == HEAD_EMPTY && head.dialect != DIALECT_OURS)
		return err_set(err, ERR_INPUT, "%s: the trace is empty: no action in it", path);
	if (stat(path, &st) == 0 && head.line_bytes > 0)
		t->actions = (uint64_t)((double)st.st_size / head.line_bytes);
	if (ranks_count(t, &head, path, np, &c, err) < 0)
		return -1;
	if (np == 0 && !head.ranks && c.least == c.most &&
	    (c.most > 0 || head.dialect == DIALECT_OURS))
		result = alone_begin(t, path, &head, c.most, err);
	else
		result = trace_begin(t, path, &head, c.most + 1, np, err);
	if (result < 0 || !is_large_enough(path, t->ranks, err))
		return -1;
	if (merged_init(t, path, t->ranks == 1 ? c.most : 0, err) < 0)
		return -1;
	((struct merged *)t->impl)->known = head.ranks > 0;
	return 0;
}

static int merged_probe(const char *path, struct err *err)
{
	char *paths[1] = {strdup(path)};
	struct trace_head head = {0};
	int result;

	if (!paths[0])
		return err_nomem(err, "a file name", strlen(path));
	result = detect_files(&head, paths, 1, err);
	free(paths[0]);
	return result < 0 ? -1 : head.kind != HEAD_OTHER;
}

const struct trace_format trace_format_merged = {
    .name = "merged file",
    .probe = merged_probe,
    .open = merged_open,
    .next = merged_next,
    .close = merged_close,
    .place = merged_place,
    .soon = merged_soon,
};
