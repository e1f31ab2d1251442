/* detect.c: which dialect a trace is written in, from as many of its first lines as that takes.
 *
 * Ours says so in its first line. The others are told apart by what only one of them can hold
 * (SimGrid's history, see dialect.c):
 *   MSG             processes with names
 *   3.20 or later   wait or test with three arguments, messages with four, a third argument that
 *                   is no datatype id
 *   before 3.20     capitals inside names (Irecv, allReduce), wait without arguments, messages
 *                   with two arguments
 *   3.10 to 3.19    of those before 3.20: datatypes, root arguments, gather and the like, more
 *                   waits than Irecvs
 * A trace without any of these reads the same in several of them, and is taken for the latest.
 * Of those since 3.20, numbers of processes, from 1, stand where ranks are meant:
 *   3.20 to 3.28    in waits: one of the two ends is the rank that waits, or its process; where
 *                   the other is the one before it or after it, that may be both
 *   3.20 to 3.29    in sendRecv
 * What this leaves open, the least and the greatest number tell: 0, or that of files.
 *
 * The default datatype is one global of SimGrid's replay, set by every `init`: the last one
 * executed wins. Ranks start in order, so that is the highest rank's. Here it is decided once, from
 * the init of the highest rank among the lines looked at, so that it depends on the files only and
 * not on the order in which ranks are asked. */
#include "scan.h"
#include "trace/trace_int.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* DECISIVE: after so many lines that all say the same, half a megabyte of others is not asked. */
enum { SAMPLE_BYTES = 64 << 10, SAMPLE_FILES = 8, KNOWN_NAMES = 16, DECISIVE = 256 };
/* So much tells whose file one of thousands is. */
enum { START_BYTES = 4 << 10, START_LINES = 16 };

/* What an action's name is, as far as that tells anything. */
enum {
	IS_OLD = 1 << 0,
	IS_WAIT = 1 << 1,
	IS_TEST = 1 << 2,
	IS_ISEND = 1 << 3,
	IS_IRECV = 1 << 4,
	IS_MESSAGE = 1 << 5, /* these two, and those that block */
	IS_SINCE_2013 = 1 << 6,
	IS_BCAST = 1 << 7,
	IS_REDUCE = 1 << 8, /* and allreduce */
	IS_INIT = 1 << 9
};

/* A name that was met. Half a million bytes are looked at before a replay begins, in which there
 * are few names. */
struct known_name {
	char text[14];
	uint16_t length, kind; /* length 0: none */
};

struct evidence {
	uint64_t lines, bytes;
	uint32_t old, now;     /* lines that can only be before 3.20, only 3.20 or later */
	uint32_t y2013;        /* lines that are not of 3.8 or 3.9, if the trace is old */
	uint32_t named, other; /* process names; lines that are no actions */
	uint32_t isends, irecvs, waits;
	uint32_t by_rank, by_process; /* waits that name their own rank, its process */
	struct range {
		int64_t least, most; /* most < 0: there is none */
	} waited, partners;          /* ends of waits, partners of sendRecv */
	int64_t init_rank;
	int init_typed, ours;
	uint32_t ranks;
	char start[256]; /* of the first action: its rank, as it is written */
	struct known_name names[KNOWN_NAMES];
};

struct sample { /* of a file: so much is looked at */
	size_t bytes;
	uint64_t lines;
};

struct tokens { /* of one line */
	const char *name;
	size_t name_length;
	uint32_t n; /* arguments */
	const char *third;
};

/* Names with their lengths: most differ in length or first letter. */
struct word {
	const char *text;
	size_t length;
};
#define WORD(text) ((struct word){(text), sizeof(text) - 1})

static inline int alike(const struct tokens *t, struct word w)
{
	return w.length == t->name_length && ((*w.text ^ *t->name) & ~32) == 0 &&
	       text_same_n(t->name, w.text, w.length);
}

static inline int alike_any(const struct tokens *t, const struct word *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (alike(t, words[i]))
			return 1;
	return 0;
}

static inline int is_any(const struct tokens *t, const struct word *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (words[i].length == t->name_length && *words[i].text == *t->name &&
		    memcmp(t->name, words[i].text, words[i].length) == 0)
			return 1;
	return 0;
}

#define W(text) \
	{ \
		(text), sizeof(text) - 1 \
	}
static const struct word old_names[] = {W("Isend"),         W("Irecv"),      W("allReduce"),
                                        W("waitAll"),       W("allToAll"),   W("allToAllV"),
                                        W("gatherV"),       W("allGatherV"), W("allGather"),
                                        W("reduceScatter"), W("scatterV")};
static const struct word names_since_2013[] = {
    W("gather"),  W("gatherv"), W("allgatherv"), W("reducescatter"), W("alltoallv"), W("alltoall"),
    W("waitall"), W("test"),    W("allgather"),  W("scatter"),       W("scatterv")};
#undef W
enum {
	OLD_NAMES = sizeof old_names / sizeof *old_names,
	NAMES_SINCE_2013 = sizeof names_since_2013 / sizeof *names_since_2013
};

/* A message: partner and two or three numbers. */
static void message_weigh(struct evidence *e, const struct tokens *t)
{
	int64_t third;

	if (t->n == 2)
		e->old++;
	else if (t->n >= 4)
		e->now++;
	else if (t->n == 3) {
		e->y2013++;
		if (!i64_scan(t->third, &third) || third >= TYPES || third < -1)
			e->now++;
	}
}

static uint16_t name_look(const struct tokens *t)
{
	unsigned kind = is_any(t, old_names, OLD_NAMES) ? IS_OLD : 0;

	if (alike_any(t, names_since_2013, NAMES_SINCE_2013))
		kind |= IS_SINCE_2013;
	if (alike(t, WORD("wait")))
		kind |= IS_WAIT;
	else if (alike(t, WORD("test")))
		kind |= IS_TEST;
	else if (alike(t, WORD("isend")))
		kind |= IS_ISEND | IS_MESSAGE;
	else if (alike(t, WORD("irecv")))
		kind |= IS_IRECV | IS_MESSAGE;
	else if (alike(t, WORD("send")) || alike(t, WORD("recv")))
		kind |= IS_MESSAGE;
	else if (alike(t, WORD("bcast")))
		kind |= IS_BCAST;
	else if (alike(t, WORD("reduce")) || alike(t, WORD("allreduce")))
		kind |= IS_REDUCE;
	else if (alike(t, WORD("init")))
		kind |= IS_INIT;
	return (uint16_t)kind;
}

static unsigned name_kind(struct evidence *e, const struct tokens *t)
{
	struct known_name
	    *k = &e->names[((unsigned char)*t->name * 5 + t->name_length) % KNOWN_NAMES];

	if (t->name_length == 0 || t->name_length > sizeof k->text)
		return name_look(t);
	if (k->length != t->name_length || memcmp(k->text, t->name, t->name_length) != 0) {
		memcpy(k->text, t->name, t->name_length);
		k->length = (uint16_t)t->name_length;
		k->kind = name_look(t);
	}
	return k->kind;
}

static void action_weigh(struct evidence *e, const struct tokens *t, unsigned kind)
{
	e->old += (kind & IS_OLD) != 0;
	if (kind & (IS_WAIT | IS_TEST)) {
		e->old += t->n == 0;
		e->now += t->n >= 3;
	}
	if (kind & IS_MESSAGE)
		message_weigh(e, t);
	e->isends += (kind & IS_ISEND) != 0;
	e->irecvs += (kind & IS_IRECV) != 0;
	e->waits += (kind & IS_WAIT) != 0;
	e->y2013 += (kind & IS_SINCE_2013) != 0;
	e->y2013 += (kind & IS_BCAST && t->n > 1) || (kind & IS_REDUCE && t->n > 2);
}

/* The rank, or -1 when the first token is a name, or -2 when it is neither. */
static int64_t rank_weigh(struct evidence *e, const char *p)
{
	const char *end = token_end(p);
	int64_t rank;

	if (i64_scan(p, &rank) && rank >= 0)
		return rank;
	if (is_letter(*p) && is_digit(end[-1])) {
		e->named++;
		return -1;
	}
	e->other++;
	return -2;
}

/* The arguments at p that are numbers: how many, up to n. */
static int numbers_scan(const char *p, int64_t *v, int n)
{
	for (int i = 0; i < n; i++) {
		p = i64_scan(blanks_skip(p), &v[i]);
		if (!p)
			return i;
	}
	return n;
}

static void range_add(struct range *r, int64_t v)
{
	if (v >= 0 && (r->most < 0 || v < r->least))
		r->least = v;
	if (v > r->most)
		r->most = v;
}

/* Whether these are processes, from 1; n: how many files there are, one of each. */
static int range_is_of_processes(const struct range *r, uint32_t n)
{
	return n > 1 && r->least > 0 && r->most == (int64_t)n;
}

/* Whether ranks or processes are named in a wait or a sendRecv. */
static void naming_weigh(struct evidence *e, const char *p)
{
	static const char wait[] = "wait ", sendrecv[] = "sendRecv ";
	int64_t rank, v[4];

	p = i64_scan(blanks_skip(p), &rank);
	if (!p)
		return;
	p = blanks_skip(p);
	if (strncmp(p, wait, sizeof wait - 1) == 0 &&
	    numbers_scan(p + sizeof wait - 1, v, 3) == 3) {
		int of_rank = v[0] == rank || v[1] == rank;
		int of_process = v[0] == rank + 1 || v[1] == rank + 1;

		e->by_rank += of_rank && !of_process;
		e->by_process += of_process && !of_rank;
		range_add(&e->waited, v[0]);
		range_add(&e->waited, v[1]);
	} else if (strncmp(p, sendrecv, sizeof sendrecv - 1) == 0 &&
	           numbers_scan(p + sizeof sendrecv - 1, v, 4) == 4) {
		range_add(&e->partners, v[1]);
		range_add(&e->partners, v[3]);
	}
}

static void line_weigh(struct evidence *e, const char *p)
{
	struct tokens t = {0};
	int64_t rank;

	p = blanks_skip(p);
	if (*p == '\n' || *p == '#')
		return;
	e->lines++;
	rank = rank_weigh(e, p);
	t.name = blanks_skip(token_end(p));
	p = token_end(t.name);
	t.name_length = (size_t)(p - t.name);
	if (!is_letter(*t.name))
		e->other++;
	for (p = blanks_skip(p); !is_end(*p) && *p != '#'; p = blanks_skip(token_end(p)))
		if (++t.n == 3)
			t.third = p;
	unsigned kind = name_kind(e, &t);
	if (kind & IS_INIT && rank >= e->init_rank) {
		e->init_rank = rank;
		e->init_typed = t.n > 0;
		e->y2013 += t.n > 0;
	}
	action_weigh(e, &t, kind);
}

static int line_ends(const char *p)
{
	return *p == '\n' || *p == '\r';
}

/* "# orrery-trace 1 [ranks=8]": 1, 0 if it is something else, -1 for another version. */
static int first_line(struct evidence *e, const char *file, const char *p, struct err *err)
{
	static const char mark[] = "# orrery-trace ";
	const char *end;
	int64_t version, ranks;

	if (strncmp(p, mark, sizeof mark - 1) != 0)
		return 0;
	end = i64_scan(p + sizeof mark - 1, &version);
	if (!end || version != 1)
		return err_at(err, file, 1, (long)sizeof mark,
		              "a trace of version %.*s: this program reads version 1",
		              (int)(token_end(p + sizeof mark - 1) - (p + sizeof mark - 1)),
		              p + sizeof mark - 1);
	e->ours = 1;
	end = blanks_skip(end);
	if (line_ends(end))
		return 1;
	p = strncmp(end, "ranks=", 6) == 0 ? i64_scan(end + 6, &ranks) : NULL;
	if (!p || !line_ends(blanks_skip(p)) || ranks <= 0 || ranks > INT32_MAX)
		return err_at(
		    err, file, 1, 0,
		    "expected nothing more on the first line, or 'ranks=' and their number, "
		    "found '%.*s'",
		    (int)(token_end(end) - end), end);
	e->ranks = (uint32_t)ranks;
	return 1;
}

/* Ours says so, and the lines only tell how long they are; a program that writes what only 3.20 or
 * later can read does not begin to write what these cannot. (The `init` that decides about the
 * default datatype matters in traces of earlier releases alone.) */
static int is_settled(const struct evidence *e)
{
	if (e->ours)
		return e->lines >= DECISIVE;
	return e->now >= DECISIVE && e->old == 0 && e->named == 0 && e->other == 0;
}

/* Ours names ranks, always; of SimGrid's the first wait tells. */
static int naming_is_known(const struct evidence *e)
{
	return e->ours || e->by_rank + e->by_process > 0;
}

/* The first action's rank as it is written, if a process may have such a name. */
static void start_take(struct evidence *e, const char *line)
{
	size_t n = (size_t)(token_end(line) - line);

	memcpy(e->start, line, n < sizeof e->start - 1 ? n : 0);
}

static int is_known(const struct evidence *e)
{
	return is_settled(e) && naming_is_known(e);
}

/* A line of n bytes: how many of them count. What has been settled is not asked of it again. */
static size_t line_look(struct evidence *e, const char *line, size_t n)
{
	if (*line == '#' && e->ours)
		n = 0;
	if (!is_settled(e)) {
		line_weigh(e, line);
		e->bytes += n;
		if (e->lines == 1 && !*e->start)
			start_take(e, blanks_skip(line));
	}
	if (!e->ours)
		naming_weigh(e, line);
	return n;
}

static int file_weigh(struct evidence *e, const char *path, int first, struct sample most,
                      struct err *err)
{
	struct lines l;
	const char *line, *end;
	uint64_t looked = 0;
	int more = 0;

	if (lines_open(&l, path, most.bytes, 1, err) < 0)
		return -1;
	while (looked < most.bytes && e->lines < most.lines && !is_known(e) &&
	       (more = lines_next(&l, &line, err)) > 0) {
		end = line_end(line);
		more = first && l.lineno == 1 ? first_line(e, path, line, err) : 0;
		if (more < 0)
			break;
		looked += line_look(e, line, (size_t)(end + 1 - line));
		lines_advance(&l, end);
	}
	lines_close(&l);
	return more < 0 ? -1 : 0;
}

/* Of those since 3.20; n: files. */
static int release_choose(const struct evidence *e, uint32_t n)
{
	if (e->by_process > e->by_rank || (e->by_rank == 0 && range_is_of_processes(&e->waited, n)))
		return DIALECT_2018;
	return range_is_of_processes(&e->partners, n) ? DIALECT_2021 : DIALECT_NOW;
}

static int dialect_choose(const struct evidence *e, uint32_t n)
{
	if (e->ours)
		return DIALECT_OURS;
	if (e->named > e->lines / 2)
		return DIALECT_MSG;
	if (e->now >= e->old)
		return release_choose(e, n);
	return e->y2013 > 0 || e->isends == 0 || e->waits > e->irecvs ? DIALECT_2013 : DIALECT_2012;
}

static enum trace_head_kind kind_choose(const struct evidence *e)
{
	if (e->ours)
		return HEAD_TRACE;
	return e->lines == 0 ? HEAD_EMPTY : e->other * 2 > e->lines ? HEAD_OTHER : HEAD_TRACE;
}

int detect_rank(const char *path, uint32_t *rank, struct err *err)
{
	static const struct sample some_lines = {START_BYTES, START_LINES};
	struct evidence e = {.init_rank = -1, .waited.most = -1, .partners.most = -1};
	struct grammar g = {0};
	struct parse ps = {.grammar = &g};

	if (file_weigh(&e, path, 1, some_lines, err) < 0)
		return -1;
	if (kind_choose(&e) != HEAD_TRACE)
		return 0;
	g.dialect = &trace_dialects[dialect_choose(&e, 1)];
	return rank_parse(&ps, e.start, rank) != NULL;
}

int detect_files(struct trace_head *head, char *const *paths, uint32_t n, struct err *err)
{
	static const struct sample all_lines = {SAMPLE_BYTES, UINT64_MAX};
	struct evidence e = {.init_rank = -1, .waited.most = -1, .partners.most = -1};
	int known = 0; /* a partial trace need not have all files */

	for (uint32_t i = 0; i < n; i++)
		if ((i < SAMPLE_FILES || i == n - 1 || !known) && !is_known(&e)) {
			int there = there_is(paths[i], err);

			if (there < 0 ||
			    (there > 0 && file_weigh(&e, paths[i], !known, all_lines, err) < 0))
				return -1;
			known |= there;
		}
	if (!known)
		return err_sys(err, ENOENT, "cannot open the trace %s", paths[0]);
	head->dialect = dialect_choose(&e, n);
	head->kind = kind_choose(&e);
	head->default_type = e.init_typed && head->dialect <= DIALECT_2013 ? TYPE_DOUBLE
	                                                                   : TYPE_BYTE;
	head->ranks = e.ranks;
	head->line_bytes = e.lines > 0 ? (double)e.bytes / (double)e.lines : 0;
	return 0;
}
