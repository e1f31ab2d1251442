/* repair_int.h: the scratch memory of one repair, shared by repair.c (which flows are open, is the result right) and fill.c (their
 * rates). Emptied after each repair, its memory kept.
 *
 * The open flows have their rates solved again; all others are background, their loads fixed. */
#ifndef ORRERY_ENGINE_REPAIR_INT_H
#define ORRERY_ENGINE_REPAIR_INT_H

#include "engine_int.h"

/* An open flow. */
struct moving {
	uint32_t activity;
	uint32_t steps; /* its first step; one for each use */
	uint16_t n_steps;
	uint16_t limiter;
	double weight;
	double ceiling; /* highest rate by its bound and FATPIPE resources */
	double old_rate, rate;
};

/* One use of a touched resource by an open flow. */
struct step {
	uint32_t touched; /* NO_ID: the resource does not share (FATPIPE), it is in the ceiling */
	uint32_t moving;
	float coef;
};

/* One open flow through a touched resource: filling goes through these lists many times, mostly to find that a rate is fixed. */
struct through {
	uint32_t moving;
	uint32_t step;
};

enum { ROOM, HEFT };

/* A resource that open flows use. */
struct touched {
	uint32_t resource;
	uint32_t n;           /* number of its steps */
	uint32_t first, end;  /* filling: its part of `through`, in the order in which flows were opened */
	uint32_t open;        /* filling: how many of these have no rate yet */
	uint8_t limited_open; /* all flows limited here are open */
	double capacity;
	double level;   /* at which it became full, or -1 */
	double fastest; /* no open flow through it that is limited elsewhere has a higher level */
	struct sum2x2
	    before; /* ROOM: capacity less the load of the members that are not open; HEFT: sum of coef * weight of the open */
	struct sum2x2 left; /* filling: ROOM not given out; HEFT of the flows without a rate */
};

/* Lower bounds of the levels at which touched resources become full: a binary heap. */
struct candidate {
	double level;
	uint32_t touched;
};

struct repair {
	struct moving *moving;
	struct step *steps;
	struct touched *touched;
	struct candidate *heap;
	struct through *through;
	uint32_t *fixed; /* by moving: round in which its rate was last fixed */
	uint32_t n_moving, moving_cap, n_steps, steps_cap, n_touched, touched_cap, n_heap, heap_cap, through_cap, fixed_cap;
	uint32_t round;
};

/* fill.c: the rates of the open flows, by progressive filling of what the background leaves. */
int repair_fill(struct engine *e, struct err *err);

#endif
