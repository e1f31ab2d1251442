/* chapter.h: the structure of a compressed trace, as it is read: looked at where it stands, nothing
 * is unfolded. A trace is one chapter or several (what did not fit into the memory of whoever wrote
 * it), in which the ranks go on one after the other.
 *
 * A walk is a cursor in a chapter for one rank: loops with their run, and which of their nodes is
 * next. It is small, may be copied (two copies do not know of each other), and gives the events in
 * their order. */
#ifndef ORRERY_TRACE_CHAPTER_H
#define ORRERY_TRACE_CHAPTER_H

#include "bundle.h"

struct chapter_slot {
	const uint8_t *p; /* over the members; of what is drawn in turn: over the turns */
	int64_t value;    /* if it is the same for all of them */
	const struct unfolded *unfolded; /* p, or of doubles what is behind their scale; or NULL */
	uint8_t field;                   /* enum call_field, or CALL_RUNS */
	uint8_t fixed;                   /* it is, and it is not drawn */
	uint32_t bins;  /* number + 1 of the histogram that it is drawn from (the first) */
	uint32_t turns; /* how many histograms it is drawn from in turn; 0: one */
};
struct chapter_node {
	uint32_t call; /* or NODE_NONE: a loop */
	uint32_t end;  /* behind the nodes in it */
	uint32_t slot; /* its first */
	uint8_t drawn; /* TRACE_DRAWN_… of its events */
};
/* A parameter that is not the same for all members. */
struct chapter_patch {
	const uint8_t *p;
	const struct unfolded *unfolded; /* or NULL */
	int64_t value; /* if it is: a rank that is told by how it follows from the member's */
	uint8_t fixed;
	uint8_t field, relation;
};
struct chapter_call {
	struct trace_event ev; /* with all parameters that are */
	struct chapter_patch *patch;
	uint8_t patches, columns;
	uint8_t field[CALL_FIELDS]; /* of the columns behind the first two */
};
struct chapter_class {
	const uint8_t *rank, *own; /* columns: the members; whether they have costs of their own */
	const struct unfolded *ranks; /* rank, or NULL */
	uint32_t members;
	uint32_t calls, nodes, slots, depth;
	struct chapter_call *call;
	struct chapter_node *node;
	struct chapter_slot *slot;
};
struct chapter_list {
	const uint8_t *p;
	uint32_t n;
	int64_t *wide; /* decoded when they are first wanted */
	int32_t *narrow;
};
struct chapter {
	struct arena arena;
	uint32_t ranks;
	uint64_t events;
	const char **text;
	uint32_t texts;
	struct chapter_list *list;
	uint32_t lists;
	uint64_t items;     /* of lists, decoded */
	size_t unfold_most; /* bytes that columns may still take that are unfolded */
	struct bins *bins;
	uint32_t n_bins;
	uint64_t seed; /* of what is drawn from them */
	int precision; /* under which they were made; 100: there are none */
	int drawn;     /* messages or loops are: only stage.h can tell what fits together */
	struct chapter_class *cls;
	uint32_t classes;
	uint32_t *class_of, *index_of; /* by rank, as far as it has some: CALL_NONE: not in it */
	uint32_t reach, cap[2];
	struct call_lists lookup;
};
static inline uint32_t chapter_class_of(const struct chapter *c, uint32_t rank)
{
	return rank < c->reach ? c->class_of[rank] : CALL_NONE;
}

/* Reads a structure; the bytes must stay. NULL, with *err set (name: of the file). */
struct chapter *chapter_read(const uint8_t *p, size_t n, uint32_t ranks, const char *name,
                             struct err *err);
/* The costs of which each rank has one value; the bytes must stay. To be called before a walk. */
int chapter_read_costs(struct chapter *c, const uint8_t *p, size_t n, const char *name,
                       struct err *err);
void chapter_free(struct chapter *c);
int chapter_has_costs(const struct chapter *c, uint32_t rank);
/* Whether the costs of a rank (a member's own columns) are whole: 0, or -1 with *err set. */
int chapter_costs_check(struct chapter *c, uint32_t rank, const uint8_t *own, size_t n,
                        struct err *err);

struct walk_frame {
	uint32_t end, at; /* node behind the loop's, next node */
	uint32_t loop;
	uint64_t run, runs; /* this one, and how many */
	uint64_t base;      /* of the run in all runs of the loop: where costs are */
};
struct walk {
	const struct chapter *chapter;
	const struct chapter_class *cls;
	const uint8_t *own; /* of the member, or NULL */
	uint32_t index;     /* of the member */
	uint32_t rank;
	uint32_t frames;
	struct walk_frame *frame; /* as many as the class is deep and one */
};
/* The histogram that a slot is drawn from for the i-th time. */
static inline const struct bins *chapter_bins(const struct chapter *c, const struct chapter_slot *s,
                                              uint64_t i)
{
	int64_t number = s->turns ? column_get(s->p, i % s->turns) : s->bins;

	return &c->bins[number - 1];
}
/* Begins at the first event of a rank. */
void walk_begin_at(struct walk *w, const struct chapter *c, uint32_t rank, const uint8_t *own,
                   struct walk_frame *frame);
/* The next event: 1, or 0 at the end. Its lists belong to the chapter. */
int walk_next(struct walk *w, struct trace_event *ev);
/* The event of a call when it is reached for the i-th time; what a slot has then (doubles by their
 * bits); where a member's own column of a slot is (0: it has none). */
void walk_event(const struct walk *w, const struct chapter_node *d, uint64_t i,
                struct trace_event *ev);
int64_t walk_slot(const struct walk *w, uint32_t slot, uint64_t i);
uint32_t walk_own_at(const struct walk *w, uint32_t slot);

/* same.c: whether two walks that are at their beginnings make the same calls, told by the
 * structure: 1; 0: not told (they may still, in other loops); -1 with *err set. Of what is not
 * drawn. */
int walk_same(const struct walk *a, const struct walk *b, struct err *err);

/* visit.c: the calls of a rank with what they come to, in the order of the structure (trace_visit).
 */
int chapter_visit(const struct chapter *c, uint32_t rank, const uint8_t *own,
                  const struct trace_visitor *v, struct err *err);

#endif
