/* nest.h: what a rank did, compressed as it is said: a nest of loops (regular section descriptors,
 * nested) whose leaves are calls, with the costs of each leaf, and how often each loop was gone
 * through, as columns beside it.
 *
 * A loop is found when what came last repeats what came before it; from then on it is walked: the
 * next event is compared with the one that comes next in the loop, and only its costs are kept. The
 * loop ends with the first event that does not fit; what had been walked of a further iteration is
 * taken out of it again. Inner loops may run any number of times, none included, each time.
 *
 * Lossless: the events come out as they went in, in their order. */
#ifndef ORRERY_TRACE_NEST_H
#define ORRERY_TRACE_NEST_H

#include "call.h"

enum { NEST_DEPTH = 12 };
enum { NODE_NONE = 0xffffffffu };

/* A leaf: one call, `columns` columns, an item each for every time it was made. A loop: one column,
 * how often it ran each time it was reached. */
struct node {
	uint64_t hash; /* of its structure: neither costs nor how often a loop ran */
	uint32_t call; /* or NODE_NONE: a loop */
	uint32_t kids; /* of a loop */
	uint32_t *kid;
	uint32_t next_free; /* of a node that is free */
	uint32_t size;      /* nodes below it, and itself */
	uint16_t depth;     /* 0: a leaf */
	uint16_t columns;
	struct column *column; /* `columns` of them: own, or the two first in `few` */
	struct column few[2];
};

struct frame {
	uint32_t loop, kid, times;
};

struct nest {
	struct calls calls;
	struct node *node;
	uint32_t n_node, cap_node, free_node;
	/* What has been closed, with what finding a repetition takes. */
	uint32_t *list;
	uint64_t *prefix; /* hash of the list up to each place */
	uint32_t *before; /* the place of the last node with the same hash before */
	uint32_t n, cap_list, cap_prefix, cap_before;
	struct hash64 last; /* hash of a node -> its last place */
	uint64_t *power;
	uint32_t powers, cap_power;
	/* The loop that is being walked: frame[0] is at it, the others in loops inside it. */
	struct frame frame[NEST_DEPTH + 1];
	uint32_t frames;
	uint32_t *queue; /* nodes to be taken up, the next one last */
	uint32_t queued, cap_queue;
	uint64_t events, bytes; /* bytes: of columns, nearly */
};

void nest_init(struct nest *n);
void nest_release(struct nest *n);
/* Takes an event. */
int nest_put(struct nest *n, const struct trace_event *ev, struct err *err);
/* The same of an event that is known as one of n->calls, with what of it is open. */
int nest_put_call(struct nest *n, uint32_t call, const int64_t *value, struct err *err);
/* The same of a call of which nothing but its costs is open (the bits of doubles): a few
 * instructions where it is the one that comes next in the loop that is walked. */
static inline int nest_put_costs(struct nest *n, uint32_t call, int64_t volume, int64_t duration,
                                 struct err *err)
{
	const int64_t value[2] = {volume, duration};
	struct node *loop, *leaf;
	struct frame *f;

	if (n->frames == 0)
		return nest_put_call(n, call, value, err);
	f = &n->frame[n->frames - 1];
	if (f->kid == 0 && n->frames > 1)
		return nest_put_call(n, call, value, err);
	loop = &n->node[f->loop];
	leaf = &n->node[loop->kid[f->kid]];
	if (leaf->call != call)
		return nest_put_call(n, call, value, err);
	n->events++;
	if (column_push(&leaf->few[0], volume, err) < 0 ||
	    column_push(&leaf->few[1], duration, err) < 0)
		return -1;
	n->bytes += sizeof(int64_t) * (uint64_t)(!!leaf->few[0].v + !!leaf->few[1].v);
	if (++f->kid == loop->kids) {
		f->kid = 0;
		f->times++;
	}
	return 0;
}
/* Nothing more comes (until nest_clear): the list is all there is. */
int nest_close(struct nest *n, struct err *err);
/* Forgets the events, keeps the calls. */
void nest_clear(struct nest *n);

#endif
