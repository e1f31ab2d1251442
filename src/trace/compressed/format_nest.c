/* format_nest.c: the compressed form as a container: each rank walks through the chapters
 * (chapters.h) that it is in. Costs are given back when their last rank is through.
 *
 * What is kept of a rank is made when a rank near it is first asked for: how many there are is only
 * what the head of the file says, which a few bytes can say of millions.
 *
 * A file that ends before its end is read as far as it goes: the error comes to the rank that has
 * come to what is missing. */
#include "chapters.h"
#include "file_name.h"
#include "stage.h"
#include "trace/trace_int.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
	RANKS_MOST = 1 << 26,
	PAGE_RANKS = 1 << 8,
	/* Of a trace whose messages are drawn, all ranks are there at once: so many whatever the
	 * file has, and so many more for each of its bytes. */
	DRAWN_MOST = 1 << 20,
	DRAWN_OF_BYTE = 64
};

struct nest_rank {
	struct walk walk;
	struct costs *costs; /* that the walk is in */
	uint64_t number;     /* of the last event */
	uint32_t part;       /* the next one */
	uint8_t ended;
};
/* Ranks that follow each other. */
struct page {
	struct nest_rank *rank;
	struct walk_frame *frames;
	char **name; /* of a file, put together: of each rank, when there is one */
};
struct pages {
	struct page *page; /* n of them */
	uint32_t n;
};
struct nest_file {
	struct chapters file;
	struct pages pages;
	struct pages ahead; /* of a trace whose messages are drawn: read a second time beside */
	struct stage *stage;
	uint8_t partial; /* the run did not come to its end */
	uint8_t unsaid;  /* something is missing, and what was said of the run with it */
};

/* --- pages --- */

static int pages_init(struct pages *p, uint32_t ranks, struct err *err)
{
	p->n = (ranks + PAGE_RANKS - 1) / PAGE_RANKS;
	p->page = calloc(p->n, sizeof *p->page);
	return p->page ? 0 : err_nomem(err, "the ranks of a trace", p->n * sizeof *p->page);
}

static void pages_release(struct pages *p)
{
	for (uint32_t i = 0; p->page && i < p->n; i++) {
		for (uint32_t k = 0; p->page[i].name && k < PAGE_RANKS; k++)
			free(p->page[i].name[k]);
		free(p->page[i].name);
		free(p->page[i].rank);
		free(p->page[i].frames);
	}
	free(p->page);
}

static __attribute__((noinline)) int page_make(const struct nest_file *f, struct page *g,
                                               struct err *err)
{
	size_t frames = (size_t)PAGE_RANKS * f->file.depth;

	g->rank = calloc(PAGE_RANKS, sizeof *g->rank);
	g->frames = calloc(frames, sizeof *g->frames);
	if (g->rank && g->frames)
		return 0;
	free(g->rank);
	free(g->frames);
	*g = (struct page){0};
	return err_nomem(err, "the ranks of a trace",
	                 PAGE_RANKS * sizeof *g->rank + frames * sizeof *g->frames);
}

/* NULL: there is no memory for it. */
static inline struct nest_rank *rank_of(const struct nest_file *f, const struct pages *p,
                                        uint32_t rank, struct err *err)
{
	struct page *g = &p->page[rank / PAGE_RANKS];

	return g->rank || page_make(f, g, err) == 0 ? &g->rank[rank % PAGE_RANKS] : NULL;
}

/* Of a rank that was asked for before. */
static int is_ahead(const struct nest_file *f, const struct nest_rank *r, uint32_t rank)
{
	return r != &f->pages.page[rank / PAGE_RANKS].rank[rank % PAGE_RANKS];
}

static struct walk_frame *frames_of(const struct nest_file *f, const struct nest_rank *r,
                                    uint32_t rank)
{
	const struct pages *p = is_ahead(f, r, rank) ? &f->ahead : &f->pages;

	return p->page[rank / PAGE_RANKS].frames + (size_t)(rank % PAGE_RANKS) * f->file.depth;
}

/* --- ranks --- */

static void costs_leave(struct nest_rank *r)
{
	struct costs *c = r->costs;

	r->costs = NULL;
	if (!c || --c->users > 0)
		return;
	free(c->raw);
	c->raw = NULL;
}

/* `lost` is: the file ends there, or something in it is not what was written: in these costs, or
 * (NULL) where reading its blocks ended. */
static int lost_set(struct err *err, const struct trace *t, const struct costs *c, const char *lost)
{
	const struct chapters *f = &((const struct nest_file *)t->impl)->file;
	uint64_t at = c ? chapters_costs_at(f, c) : f->damage ? f->damage : f->size;

	if (!c && f->cut)
		return err_set(err, ERR_INPUT,
		               "%s: the trace was cut at byte %zu, in what begins at byte %llu: %s "
		               "is lost: copy it again from where it is whole, or make it again",
		               t->path, f->size, (unsigned long long)at, lost);
	return err_set(err, ERR_INPUT,
	               "%s: the trace is damaged at byte %llu or before: %s is lost: copy it again "
	               "from where it is whole, or make it again",
	               t->path, (unsigned long long)at, lost);
}

/* What is there cannot be read (*err says why, if it is this computer), or is not there: costs of
 * the rank that are damaged, or what should follow where it is. */
static int missing(const struct trace *t, const struct nest_rank *r, uint32_t rank, struct err *err)
{
	char lost[96];

	if (err->kind == ERR_LIMIT)
		return -1;
	if (r->ended && !r->costs)
		return lost_set(err, t, NULL,
		                "what it says of the run (counter, hosts, whether this is all)");
	snprintf(lost, sizeof lost, "what rank %u did after its event %llu", rank,
	         (unsigned long long)r->number);
	return lost_set(err, t, r->costs, lost);
}

/* The next chapter that a rank is in: 1, 0, -1. */
static int part_enter(struct trace *t, struct nest_rank *r, uint32_t rank, struct err *err)
{
	struct nest_file *f = t->impl;

	costs_leave(r);
	for (; r->part < f->file.n; r->part++) {
		struct part *p = &f->file.part[r->part];
		const uint8_t *own = NULL;
		size_t n = 0;
		int s;

		if (chapter_class_of(p->chapter, rank) == CALL_NONE)
			continue;
		err->kind = ERR_NONE;
		if (!p->whole)
			return missing(t, r, rank, err);
		s = part_costs(p, rank, t->path, &r->costs, &own, &n, err);
		if (s < (int)chapter_has_costs(p->chapter, rank) ||
		    chapter_costs_check(p->chapter, rank, own, n, err) < 0) {
			s = missing(t, r, rank, err);
			r->costs = NULL;
			return s;
		}
		if (r->costs)
			r->costs->users++;
		walk_begin_at(&r->walk, p->chapter, rank, own, frames_of(f, r, rank));
		r->part++;
		return 1;
	}
	return 0;
}

static int rank_end(struct trace *t, struct nest_rank *r, uint32_t rank, struct err *err)
{
	struct nest_file *f = t->impl;

	if (r->ended && !f->unsaid)
		return 0;
	if (f->file.damage)
		return missing(t, r, rank, err);
	r->ended = 1;
	if (f->partial && !is_ahead(f, r, rank))
		trace_cut(t, rank);
	return 0;
}

/* The names that have numbers, put together. */
static int name_join(struct trace *t, uint32_t rank, struct trace_event *ev, struct err *err)
{
	const struct nest_file *f = t->impl;
	struct page *g = &f->pages.page[rank / PAGE_RANKS];
	char **name;

	if (!file_name_has((enum trace_op)ev->op))
		return 0;
	if (!g->name && !(g->name = calloc(PAGE_RANKS, sizeof *g->name)))
		return err_nomem(err, "names of files", PAGE_RANKS * sizeof *g->name);
	name = &g->name[rank % PAGE_RANKS];
	if (!*name && !(*name = malloc(FILE_NAME_ROOM)))
		return err_nomem(err, "the name of a file", FILE_NAME_ROOM);
	file_name_join(ev, *name);
	return 0;
}

/* The first event of the next chapter that has one. */
static __attribute__((noinline)) int rank_enter(struct trace *t, struct nest_rank *r, uint32_t rank,
                                                struct trace_event *ev, struct err *err)
{
	int s;

	do {
		s = part_enter(t, r, rank, err);
		if (s < 0)
			return -1;
		err->kind = ERR_NONE;
		if (s == 0)
			return rank_end(t, r, rank, err);
	} while (!walk_next(&r->walk, ev));
	return 1;
}

static inline int rank_next(struct trace *t, struct nest_rank *r, uint32_t rank,
                            struct trace_event *ev, struct err *err)
{
	if (r->walk.frames == 0 || !walk_next(&r->walk, ev)) {
		int s = rank_enter(t, r, rank, ev, err);
		if (s <= 0)
			return s;
	}
	r->ended = ev->op == TRACE_FINALIZE;
	ev->place = (int64_t)++r->number;
	if (!ev->text || is_ahead(t->impl, r, rank))
		return 1; /* ahead: no name is looked at, and the room is the other's */
	return name_join(t, rank, ev, err) < 0 ? -1 : 1;
}

/* Whether what its ranks do ends in MPI_Finalize. */
static int ends_well(const struct chapter_class *cls)
{
	uint32_t call = cls && cls->nodes ? cls->node[cls->nodes - 1].call : NODE_NONE;

	return call != NODE_NONE && cls->call[call].ev.op == TRACE_FINALIZE;
}

int compressed_visit(struct trace *t, uint32_t rank, const struct trace_visitor *v, struct err *err)
{
	struct nest_file *f = t->impl;
	struct nest_rank *r = rank_of(f, &f->pages, rank, err);
	int s, found = 0;

	if (!r)
		return -1;
	while ((s = part_enter(t, r, rank, err)) > 0 && found == 0)
		found = chapter_visit(r->walk.chapter, rank, r->walk.own, v, err);
	costs_leave(r);
	if (s < 0 || found)
		return s < 0 ? -1 : found;
	if (f->partial)
		trace_cut(t, rank);
	r->ended = ends_well(r->walk.cls);
	return f->file.damage && (f->unsaid || !r->ended) ? missing(t, r, rank, err) : 0;
}

/* The next chapters of a rank in two traces: 1 the same, 2 none is left, 0, -1. */
static int parts_same(struct trace *t[2], uint32_t rank, struct err *err)
{
	struct nest_rank *r[2];
	int more[2];

	for (int i = 0; i < 2; i++) {
		const struct nest_file *f = t[i]->impl;

		r[i] = rank_of(f, &f->pages, rank, err);
		if (!r[i])
			return -1;
		more[i] = part_enter(t[i], r[i], rank, err);
		if (more[i] < 0)
			return -1;
	}
	if (!more[0] || !more[1])
		return more[0] == more[1] ? 2 : 0;
	return walk_same(&r[0]->walk, &r[1]->walk, err);
}

int compressed_same(struct trace *a, struct trace *b, uint32_t rank, struct err *err)
{
	struct trace *t[2] = {a, b};
	int s;

	for (int i = 0; i < 2; i++) {
		const struct nest_file *f = t[i]->impl;

		if (t[i]->format != &trace_format_nest || f->stage || f->file.damage)
			return 0;
	}
	while ((s = parts_same(t, rank, err)) == 1)
		;
	for (int i = 0; i < 2; i++) {
		const struct nest_file *f = t[i]->impl;
		struct nest_rank *r = rank_of(f, &f->pages, rank, err);

		if (!r)
			return -1;
		costs_leave(r);
		if (s == 2 && f->partial)
			trace_cut(t[i], rank);
		*r = (struct nest_rank){.part = s == 2 ? f->file.n : 0};
	}
	return s == 2 ? 1 : s;
}

static int stage_read(void *self, int reading, uint32_t rank, struct trace_event *ev,
                      struct err *err)
{
	struct trace *t = self;
	const struct nest_file *f = t->impl;
	struct nest_rank *r = rank_of(f, &f->pages, rank, err);

	if (r && !reading)
		r = rank_of(f, &f->ahead, rank, err);
	return r ? rank_next(t, r, rank, ev, err) : -1;
}

static int compressed_next(struct trace *t, uint32_t rank, struct trace_event *ev, struct err *err)
{
	const struct nest_file *f = t->impl;
	struct nest_rank *r;

	if (f->stage)
		return stage_next(f->stage, rank, ev, err);
	r = rank_of(f, &f->pages, rank, err);
	return r ? rank_next(t, r, rank, ev, err) : -1;
}

static void compressed_soon(const struct trace *t, uint32_t rank, uint32_t then)
{
	const struct nest_file *f = t->impl;
	const struct page *g = &f->pages.page[rank / PAGE_RANKS];

	if (then < t->ranks) {
		const struct nest_rank *first = f->pages.page[then / PAGE_RANKS].rank;
		const struct nest_rank *r = first ? first + then % PAGE_RANKS : NULL;

		if (r) {
			__builtin_prefetch(r, 1);
			__builtin_prefetch((const char *)(r + 1) - 1, 1);
		}
	}
	if (g->rank && g->rank[rank % PAGE_RANKS].walk.frames > 0) {
		const struct walk *w = &g->rank[rank % PAGE_RANKS].walk;

		__builtin_prefetch(&w->frame[w->frames - 1], 1);
	}
}

static const char *compressed_place(const struct trace *t, uint32_t rank, uint64_t *line)
{
	const struct nest_file *f = t->impl;
	const struct page *g = &f->pages.page[rank / PAGE_RANKS];

	*line = g->rank ? g->rank[rank % PAGE_RANKS].number : 0;
	return t->path;
}

int compressed_text(const char *path, struct str *text, struct err *err)
{
	int is = there_is_folder(path, err);

	return is == 0 ? compressed_block(path, BLOCK_TEXT, text, err) : is < 0 ? -1 : 0;
}

uint32_t compressed_chapters(const struct trace *t)
{
	return ((const struct nest_file *)t->impl)->file.n;
}

const struct chapter *compressed_chapter(const struct trace *t, uint32_t i)
{
	return ((const struct nest_file *)t->impl)->file.part[i].chapter;
}

int compressed_is_whole(const struct trace *t, struct err *err)
{
	const struct nest_file *f = t->impl;

	for (uint32_t i = 0; i < f->file.n; i++)
		if (!f->file.part[i].whole)
			return lost_set(err, t, NULL, "what the calls of its structure take");
	return 0;
}

void compressed_only(struct trace *t, uint32_t rank)
{
	const struct nest_file *f = t->impl;

	if (f->stage)
		stage_only(f->stage, rank);
}

void compressed_seed(struct trace *t, uint64_t seed)
{
	const struct nest_file *f = t->impl;

	for (uint32_t i = 0; i < f->file.n; i++)
		f->file.part[i].chapter->seed = seed;
}

/* What is drawn needs all ranks to be read twice. */
static int stage_make(struct trace *t, struct nest_file *f, struct err *err)
{
	int drawn = 0;

	for (uint32_t i = 0; i < f->file.n; i++)
		drawn |= f->file.part[i].chapter->drawn;
	if (!drawn)
		return 0;
	if (t->ranks > DRAWN_MOST && (t->ranks - DRAWN_MOST) / DRAWN_OF_BYTE > f->file.size)
		return err_set(err, ERR_INPUT,
		               "%s: the trace is damaged: it claims %u ranks, more than so small a "
		               "file has",
		               t->path, t->ranks);
	if (pages_init(&f->ahead, t->ranks, err) < 0)
		return -1;
	f->stage = stage_new(t->ranks, stage_read, t, err);
	return f->stage ? 0 : -1;
}

/* The file of a trace's folder alone would be replayed as if nobody knew what it was traced with.
 */
static int folder_alone(const char *path, struct err *err)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char beside[PATH_MAX];
	int is;

	if (strcmp(name, TRACE_EVENTS_FILE) != 0 ||
	    snprintf(beside, sizeof beside, "%.*smanifest", (int)(name - path), path) >=
	        (int)sizeof beside)
		return 0;
	is = there_is_file(beside, err);
	if (is <= 0)
		return is;
	return err_set(err, ERR_INPUT,
	               "%s is one file of a trace: give its folder, %.*s, where the manifest says "
	               "what it was traced with",
	               path, slash ? (int)(slash - path) : 1, slash ? path : ".");
}

/* What a folder's manifest would say. */
static int untold(struct trace *t, struct err *err)
{
	int is = there_is_folder(t->path, err);

	if (is > 0)
		manifest_missing(t);
	return is < 0 ? -1 : folder_alone(t->path, err);
}

/* Of a run that did not come to its end, ranks may end anywhere. */
static int whole_know(struct nest_file *f, struct trace *t, struct err *err)
{
	struct trace_manifest m;
	int known = trace_manifest_find(t->path, &m, err);

	f->unsaid = known == 0 && f->file.damage != 0;
	if (known <= 0)
		return known < 0 ? -1 : untold(t, err);
	f->partial = !m.complete;
	t->whole = m.complete != 0;
	snprintf(t->run, sizeof t->run, "%s", m.run);
	trace_manifest_release(&m);
	return 0;
}

static int compressed_open(struct trace *t, const char *path, uint32_t np, struct err *err)
{
	struct nest_file *f = calloc(1, sizeof *f);
	struct trace_head head = {.dialect = DIALECT_OURS, .default_type = TYPE_BYTE};
	uint32_t ranks;
	int s;

	if (!f)
		return err_nomem(err, "a trace", sizeof *f);
	t->impl = f;
	f->file.depth = 1;
	if (chapters_map(&f->file, path, err) < 0)
		return -1;
	s = head_get(f->file.map, f->file.size, path, &ranks, err);
	if (s <= 0)
		return -1;
	if (ranks == 0 || ranks > RANKS_MOST)
		return err_set(err, ERR_INPUT, "%s: a trace of %u ranks", path, ranks);
	if (trace_begin(t, path, &head, ranks, np, err) < 0)
		return -1;
	s = chapters_scan(&f->file, path, ranks, err);
	if (s < 0)
		return -1;
	if (s > 0)
		f->file.damage = 0;
	if (f->file.n == 0 && f->file.damage)
		return lost_set(err, t, NULL, "all that the ranks did");
	for (uint32_t i = 0; i < f->file.n; i++)
		t->actions += f->file.part[i].chapter->events;
	if (whole_know(f, t, err) < 0 || pages_init(&f->pages, ranks, err) < 0 ||
	    site_names_read(&t->sites, path, err) < 0) /* of a folder */
		return -1;
	return stage_make(t, f, err);
}

static void compressed_close(struct trace *t)
{
	struct nest_file *f = t->impl;

	if (!f)
		return;
	stage_free(f->stage);
	pages_release(&f->pages);
	pages_release(&f->ahead);
	chapters_release(&f->file);
	free(f);
}

const struct trace_format trace_format_nest = {
    .name = "compressed",
    .probe = chapters_probe,
    .open = compressed_open,
    .next = compressed_next,
    .soon = compressed_soon,
    .close = compressed_close,
    .place = compressed_place,
    .unlined = 1,
};
