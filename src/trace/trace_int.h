/* trace_int.h: what the files of the trace room share.
 *
 * A trace is a container (folder, list of files, merged file: struct trace_format) of lines in a
 * dialect (struct dialect: which actions there are and what their arguments mean). The two are
 * independent: every container can hold every dialect. */
#ifndef ORRERY_TRACE_INT_H
#define ORRERY_TRACE_INT_H

#include "trace.h"

#include <assert.h>
#include <string.h>
#include <sys/types.h>

/* --- actions: one table drives reading, writing and the documentation of the positional arguments
 * --- */

/* args: one letter per positional argument, in order. Lower case letters fill one field, upper case
 * ones several.
 *   p destination (peer)      s source, may be ANY (peer)       q source (peer2)      t tag
 *   c count   k count2        f volume        r root            d type    e type2
 *   S counts  R counts2       K "src dst tag" of a wait, or nothing                   n how many
 *             requests (not kept)
 *   F file (text)  l line     o size that may be missing: any size   g region         * whatever
 *                  follows is of no meaning
 * '?' : all from here on may be missing. */
struct action {
	const char *name;
	const char *args;
	const char *mpi;
	uint8_t op; /* enum trace_op */
	uint16_t flags;
	uint64_t traits; /* enum trace_trait, enum key_trait; of trace_ops only */
};

/* Keys that an operation takes besides those that follow from what it is (key_parse.c): more bits
 * of its traits. Those from SITE on follow from
 * the letters of its arguments. */
#define TAKES_REGION (1ull << 32) /* region= */
#define TAKES_TAGS (1ull << 33)
#define TAKES_FOUND (1ull << 34)
#define TAKES_TAKE (1ull << 35)
#define TAKES_PARTS (1ull << 36)
#define TAKES_GROUP (1ull << 37)
#define TAKES_LOCK (1ull << 38)
#define TAKES_HOLES (1ull << 39)
#define TAKES_BLOCKS (1ull << 40) /* scounts=, rcounts= */
#define TAKES_BESIDE (1ull << 41)
#define TAKES_FILE (1ull << 42)
#define TAKES_SITE (1ull << 43) /* at= */
#define TAKES_TYPE (1ull << 44) /* dtsize= */
#define TAKES_TYPE2 (1ull << 45)
#define TAKES_CALL (1ull << 46) /* req=, comm= */

extern const struct action trace_ops[TRACE_OPS];
/* trace_op_has for where each line asks. */
static inline int op_has(uint8_t op, uint64_t traits)
{
	return (trace_ops[op].traits & traits) != 0;
}

struct dialect {
	const char *name;             /* for users: "SimGrid 3.20 or later" */
	const struct action *actions; /* n of them */
	size_t n;
	const struct action *aliases; /* other spellings of the same */
	size_t n_aliases;
	uint8_t strict;      /* ours: nothing is ignored, types are always written */
	uint8_t any_case;    /* "Irecv" is "irecv" */
	uint8_t named_ranks; /* "p3" is rank 3 */
	int32_t types; /* ids below this are known; others are errors, or the default type where
	                  lenient_types */
	uint8_t lenient_types;
	/* What rank 0 is called where a wait or test names a message, and as a partner of sendRecv:
	 * 1 where the writer put the number of its process. */
	uint8_t first_waited, first_partner;
};

enum {
	DIALECT_OURS,
	DIALECT_NOW,
	DIALECT_2021,
	DIALECT_2018,
	DIALECT_2013,
	DIALECT_2012,
	DIALECT_MSG,
	DIALECTS
};
extern const struct dialect trace_dialects[DIALECTS];

/* --- a grammar: a dialect made ready for one trace --- */
enum { GRAMMAR_SLOTS = 256, TYPE_BYTE = 6, TYPE_DOUBLE = 0, TYPES = 60, TYPE_DERIVED = -1 };
struct grammar_slot {
	uint64_t head; /* the first eight letters of the name */
	const struct action *action;
	uint32_t length;
	uint8_t quick;   /* quick_parse.c knows its arguments */
	uint8_t message; /* they are those of a message */
	uint8_t kept;    /* enum kept: what quick_parse.c remembers of them */
};
static inline uint32_t name_slot(uint64_t head, size_t n)
{
	return (uint32_t)((head + n) * 0x9e3779b97f4a7c15u >> 56); /* eight bits: GRAMMAR_SLOTS */
}
struct grammar {
	const struct dialect *dialect;
	uint32_t ranks;       /* of the world: how many counts a vector collective has */
	int32_t peers;        /* peers are below this */
	int32_t default_type; /* of counts without a type */
	struct grammar_slot slots[GRAMMAR_SLOTS];
};
void grammar_init(struct grammar *g, const struct dialect *d);
/* The action named by the token at name (length n), or NULL; *flags gets TRACE_NONBLOCKING for
 * "ibcast" and its like. */
const struct action *grammar_find(const struct grammar *g, const char *name, size_t n,
                                  uint16_t *flags);
/* The known name that is nearest to a misspelt one, or NULL. */
const char *grammar_nearest(const struct grammar *g, const char *name, size_t n, char *buf,
                            size_t size);

/* --- one line --- */
/* shares.c: long lists of ranks, each kept once. */
struct shares;
struct shared_ranks;
struct shares *shares_new(struct err *err); /* NULL with *err set */
void shares_release(struct shares *s);      /* what is in use stays until it is left */
/* That list, in use once more, by its text in the line; NULL: it is not known, or *err is set. */
struct shared_ranks *shares_find(const struct shares *s, const char *text, size_t length);
struct shared_ranks *shares_add(struct shares *s, const char *text, size_t length,
                                const int32_t *ranks, int64_t n, struct err *err);
void shares_leave(struct shared_ranks *s); /* or of NULL */
const int32_t *shares_at(const struct shared_ranks *s, int64_t *n);

/* Arrays of one rank's event: valid until its next event. Events hold offsets while an array may
 * still move. */
struct lists {
	int64_t *items;
	uint32_t n, cap;
	struct shared_ranks *members; /* in place of items, or NULL */
};
void lists_clear(struct lists *l); /* forgets the items, and gives back much memory */
void lists_release(struct lists *l);
int lists_push(struct lists *l, int64_t value, struct err *err);
/* n bytes at *offset; NULL with *err set. */
char *lists_bytes(struct lists *l, size_t n, uint32_t *offset, struct err *err);

/* A line that was read before, by its text from the action on: programs say the same again and
 * again. */
enum kept { KEPT_NOT, KEPT_MESSAGE, KEPT_VOLUME, KEPT_KEY };
enum { KEPT_WORDS = 4 };
struct kept_line {
	uint64_t text[KEPT_WORDS]; /* with the newline, then zeros */
	int64_t number;            /* count or volume */
	int32_t peer, peer2, tag, type;
	uint16_t flags; /* of its action */
	uint8_t op;     /* enum trace_op */
	uint8_t kept;   /* enum kept */
	uint8_t length; /* with the newline; 0: there is no line here */
};
static_assert(sizeof(struct kept_line) == 64, "a line of a trace is one of the cache");
struct kept_lines {
	struct kept_line *lines; /* a power of two of them; NULL: none are kept */
	uint32_t mask;
	/* By line and rank, as far as there are places: the line that followed the last time. */
	uint16_t *next;
};
enum { KEPT_NEXT = 1 << 15 };
/* Where a rank is among them. */
struct kept_place {
	uint16_t latest;   /* in next: the place of its last line */
	uint16_t expected; /* the line that may be its next */
	uint32_t salt;     /* tells its places in next from those of others */
};

/* Parsing one line. Everything but grammar and lists is filled by event_parse. */
struct parse {
	const struct grammar *grammar;
	struct lists *lists;
	struct shares *shares;         /* or NULL: each list is its rank's own */
	const struct kept_lines *kept; /* or NULL */
	struct kept_place *kept_place; /* of the rank, if lines are kept */
	struct err *err;
	struct trace_event *ev;
	const char *at; /* where it went wrong; NULL when memory ran out (*err is set) */
	char text[512]; /* what was expected, what was found */
	uint32_t counts, counts2, reqs, done, members, remote, file; /* offsets in lists */
	int64_t type_size, type_size2; /* dtsize=, dtsize2=; -1: not given */
	uint32_t keys;                 /* KEY_ bits: which were given */
};
/* Parses the rank at the start of a line: where it ends, or NULL with ps->at and ps->text set. */
const char *rank_parse(struct parse *ps, const char *p, uint32_t *rank);
/* Parses the rest of a line, from the action on. The line ends with '\n', and eight more bytes can
 * be read. Returns where the '\n' is, or NULL with ps->at and ps->text set, or ps->at NULL and
 * *ps->err set. */
const char *event_parse(struct parse *ps, const char *p, struct trace_event *ev);
/* Counts below 2 to this power are taken without a look at the size of their type. */
enum { COUNT_QUICK = 32 };
/* The same for the commonest lines; NULL: event_parse must look. */
const char *quick_parse(struct parse *ps, const char *p, struct trace_event *ev);
/* What followed a rank's line the last time, if it stands at p, where its action is: as
 * event_parse, or NULL. */
const char *expected_parse(const struct kept_lines *kept, struct kept_place *place,
                           struct lists *lists, const char *p, struct trace_event *ev);
int action_is_quick(
    const struct action *a); /* its arguments are such that quick_parse may be asked */
int action_is_message(const struct action *a);
enum kept action_kept(const struct action *a);
/* One positional argument. */
const char *argument_parse(struct parse *ps, char letter, const char *p);
const char *region_parse(struct parse *ps, const char *p);
/* A word up to end, kept in lists with a final NUL; "%20" and its like are decoded in our form. */
const char *word_parse(struct parse *ps, const char *p, const char *end);
/* Trailing "key=value" tokens. */
const char *keys_parse(struct parse *ps, const char *p);
enum {
	KEY_REQ = 1,
	KEY_REQS = 2,
	KEY_DONE = 4,
	KEY_TAKE = 8,
	KEY_FOUND = 16,
	HAS_TEXT = 32,
	KEY_MEMBERS = 64
};
/* "expected …, found …" at p; returns NULL. */
const char *parse_fault(struct parse *ps, const char *p, const char *expected, ...)
    __attribute__((cold, format(printf, 3, 4)));
/* The line says nothing: blank or comment. */
int line_is_empty(const char *p);

/* --- lines of a file (lines.c) --- */
struct lines {
	char *buf;           /* [start, limit) whole lines, [limit, end) the beginning of one */
	size_t start, limit; /* what each line needs comes first, near together */
	uint64_t lineno;     /* of the line last given, from 1 */
	size_t end, cap;
	uint64_t offset;  /* in the file, of buf[end] */
	uint64_t size;    /* of the file when it was first read */
	struct input *gz; /* compressed: lines come from there; NULL: pread */
	char *path;
	int fd; /* -1: opened for each read */
	uint8_t keep, eof, known;
	uint8_t cut; /* its writer was killed: what was reserved and not written follows */
};
/* The first n bytes of a file, or as many as it has: how many, or -1. */
ssize_t file_head(int fd, const char *path, void *head, size_t n, struct err *err);
/* How many files of a trace may stay open: at most half of what this process may open. */
uint32_t files_kept_open(void);
/* See trace_files_each: those of a folder. */
int folder_files_each(const char *path, int (*each)(void *self, const char *file), void *self,
                      struct err *err);
/* Those whose names are ones, as `how` says. */
int folder_files_like(const char *path, int (*is_one)(const char *name, const void *how),
                      const void *how, int (*each)(void *self, const char *file), void *self,
                      struct err *err);
/* Those that another tool's trace is read from besides the one that is given. */
int foreign_files_each(const char *path, int (*each)(void *self, const char *file), void *self,
                       struct err *err);
/* Those that a list names; none if it is no list. */
int list_files_each(const char *path, int (*each)(void *self, const char *file), void *self,
                    struct err *err);
/* buffer: bytes wanted. keep: whether the descriptor may stay open. Refuses what is not a regular
 * file. */
int lines_open(struct lines *l, const char *path, size_t buffer, int keep, struct err *err);
/* The same over a descriptor, which is closed with it. */
int lines_adopt(struct lines *l, const char *path, int fd, size_t buffer, struct err *err);
int lines_fill(struct lines *l, struct err *err);
void lines_close(struct lines *l);
/* The next line: 1, 0 at the end, -1. It ends with '\n', also if it was the last and had none. To
 * be followed by lines_advance. */
static inline int lines_next(struct lines *l, const char **line, struct err *err)
{
	if (l->start == l->limit) {
		int more = lines_fill(l, err);

		if (more <= 0)
			return more;
	}
	*line = l->buf + l->start;
	l->lineno++;
	return 1;
}
/* newline: where the line ends. */
static inline void lines_advance(struct lines *l, const char *newline)
{
	l->start = (size_t)(newline + 1 - l->buf);
}
/* Offset in the file of a place in the buffer (not of compressed files). */
static inline uint64_t lines_offset(const struct lines *l, const char *p)
{
	return l->offset - (l->end - (size_t)(p - l->buf));
}
static inline const char *line_end(const char *p)
{
	return rawmemchr(p, '\n');
}

/* --- what a trace is written in (detect.c) --- */
struct evidence;
struct trace_head { /* what the first lines of some files told */
	enum trace_head_kind { HEAD_EMPTY, HEAD_TRACE, HEAD_OTHER } kind;
	int dialect;          /* DIALECT_… */
	int32_t default_type; /* what the init of the highest rank says */
	uint32_t ranks;       /* "ranks=" of our first line, or 0 */
	double line_bytes;    /* mean length of a line */
};
/* Looks at the beginnings of some of n files. -1: not readable, or a version of ours that we do not
 * know. */
int detect_files(struct trace_head *head, char *const *paths, uint32_t n, struct err *err);
/* The rank of the first action of a file, which may be one of thousands: 1, 0 when it has none or
 * is no trace, -1. */
int detect_rank(const char *path, uint32_t *rank, struct err *err);

/* --- containers --- */
struct trace_format {
	const char *name; /* for users: "folder" */
	/* Whether this is one: 1, 0, or -1 with *err set. */
	int (*probe)(const char *path, struct err *err);
	/* Fills t->ranks, t->impl and the grammar; np as in trace_open. */
	int (*open)(struct trace *t, const char *path, uint32_t np, struct err *err);
	int (*next)(struct trace *t, uint32_t rank, struct trace_event *ev, struct err *err);
	void (*soon)(const struct trace *t, uint32_t rank, uint32_t then); /* trace_soon; or NULL */
	void (*close)(struct trace *t);
	/* File and line of a rank's last event; without lines: the number of the event. */
	const char *(*place)(const struct trace *t, uint32_t rank, uint64_t *line);
	uint8_t unlined; /* it has no lines, or they are not the events' */
};
/* manifest.c: notes what is not known of a folder that has none. */
void manifest_missing(struct trace *t);
/* The record of this rank ends before the program did. */
void trace_cut(struct trace *t, uint32_t rank);

extern const struct trace_format *const trace_formats[]; /* NULL-terminated; asked in this order */

struct trace {
	const struct trace_format *format;
	struct grammar grammar;
	uint32_t ranks;
	uint64_t actions; /* estimate */
	char name[128];
	void *impl;
	struct shares *shares;    /* of members, once the trace has begun */
	struct site_names *sites; /* what call sites are called, or NULL */
	char run[24];  /* that the files are of: as the manifest says, else the first; "": not known
	                */
	uint8_t whole; /* the manifest says so: what is missing is an error */
	uint8_t requests_differ; /* see trace_requests_differ */
	uint32_t partial;        /* ranks found so far whose record ends before the program did */
	uint8_t *cut;            /* which of them these are, a bit each; NULL: not known */
	struct str notices;      /* what the format could not tell, a line each */
	uint8_t even_split;      /* of trace_open_options */
	uint64_t seed;           /* of what is drawn */
	const char *counter;     /* of a foreign trace: what counted, as in a manifest; else NULL */
	char *manifest;          /* of one that tells all of it: its text, "" if there was none */
	/* trace_place_of: the same trace once more, and how far each rank has been read there */
	char *path;
	struct trace *again;
	uint64_t *passed;
};
/* Takes the dialect and the number of ranks that were found; checks np against them. */
int trace_begin(struct trace *t, const char *path, const struct trace_head *head, uint32_t ranks,
                uint32_t np, struct err *err);
/* Words what event_parse or rank_parse found, at its place. line: the start of the line. */
int trace_line_error(const struct parse *ps, const char *file, uint64_t lineno, const char *line,
                     struct err *err);

/* The file `sites` of a folder (sites.c): *out stays NULL where there is none. */
int site_names_read(struct site_names **out, const char *dir, struct err *err);
void site_names_free(struct site_names *s);
/* The name of a region with its sites replaced; kept by s. NULL with *err set. */
const char *site_names_region(struct site_names *s, const char *region, struct err *err);
/* Takes the sites in the name of a region; a note "module ring /home/x/ring" (others are passed
 * over): where the file of that name was, the first of a name counts. */
int trace_sites_region(struct trace_sites *s, const char *name, struct err *err);
int trace_sites_module(struct trace_sites *s, const char *note, struct err *err);

/* The text of a manifest (manifest.c); that in a compressed trace (format_nest.c): 1, 0 if it is
 * none or has none, -1. */
void manifest_format(struct str *s, const struct trace_manifest *m);
/* As lines of a merged file. */
void manifest_format_merged(struct str *s, const struct trace_manifest *m);
int compressed_text(const char *path, struct str *text, struct err *err);
/* The first block of a kind (block.h) of a compressed file, or of a folder with one: likewise. */
enum block_kind;
int compressed_block(const char *path, enum block_kind kind, struct str *text, struct err *err);

/* The structures of a compressed trace (chapter.h). */
struct chapter;
uint32_t compressed_chapters(const struct trace *t);
/* 0, or -1 with *err set: a chapter's costs are missing, its slots are not filled. */
int compressed_is_whole(const struct trace *t, struct err *err);
void compressed_only(struct trace *t, uint32_t rank);
int compressed_visit(struct trace *t, uint32_t rank, const struct trace_visitor *v,
                     struct err *err);
/* Whether the structures of two traces say that a rank makes the same calls: 1, both are then at
 * the rank's end; 0: not told, both are at its beginning; -1. */
int compressed_same(struct trace *a, struct trace *b, uint32_t rank, struct err *err);
void compressed_seed(struct trace *t, uint64_t seed);
const struct chapter *compressed_chapter(const struct trace *t, uint32_t i);

/* One private file per rank (rank_files.c): what folders and lists come down to. Takes the paths
 * (freed in any case). */
int rank_files_open(struct trace *t, const char *path, char **paths, uint32_t n, uint32_t np,
                    struct err *err);
int rank_files_next(struct trace *t, uint32_t rank, struct trace_event *ev, struct err *err);
void rank_files_soon(const struct trace *t, uint32_t rank, uint32_t then);
void rank_files_close(struct trace *t);
const char *rank_files_place(const struct trace *t, uint32_t rank, uint64_t *line);
/* A pass over a file: the ranks and actions that it has. */
struct census {
	uint64_t actions;
	uint32_t least, most; /* ranks seen */
};
int census_take(struct census *c, const struct grammar *g, const char *path, struct err *err);
/* An unnamed temporary file in TMPDIR: a descriptor, or -1. */
int temporary_open(struct err *err);
/* The unpacked text of a compressed file: a descriptor, or -1. */
int unpack(const char *path, struct err *err);
/* A file that all ranks share (format_merged.c): what a list of one name comes down to. */
extern const struct trace_format trace_format_nest, trace_format_folder, trace_format_list,
    trace_format_merged;
/* Traces of other tools (foreign/). */
extern const struct trace_format trace_format_foreign;

#endif
