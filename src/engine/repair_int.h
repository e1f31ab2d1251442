/* repair_int.h: the scratch memory of one repair, shared by repair.c (which flows are open, is the
 * result right) and fill.c (their rates). Emptied after each repair, its memory kept.
 *
 * The open flows have their rates solved again; all others are background, their loads fixed. */
#ifndef ORRERY_ENGINE_REPAIR_INT_H
#define ORRERY_ENGINE_REPAIR_INT_H

#include "engine_int.h"

/* An open flow. */
struct moving {
	uint32_t activity;
	uint32_t steps;   /* its first step; one for each use of a contended resource */
	uint32_t limiter; /* touched, or NO_ID: its ceiling */
	uint16_t n_steps;
	uint16_t in_vain; /* it met resources that are far from full */
	double weight;
	double ceiling; /* highest rate by its bound and FATPIPE resources */
	double old_rate, rate;
};

/* One use of a touched resource by an open flow. */
struct step {
	uint32_t touched;
	float coef;
};

enum { ROOM, HEFT };

/* A contended resource that open flows use. It is *suspect* if it may limit one of them: it limits
 * some flow already, or an earlier round gave out too much of it. Only suspects take part in
 * filling. */
struct touched {
	uint32_t resource, book;
	uint32_t n; /* number of its steps */
	uint32_t first,
	    end;       /* filling: its part of `through`, in the order in which flows were opened */
	uint32_t open; /* filling: how many of these have no rate yet */
	uint8_t limited_open; /* all flows limited here are open */
	uint8_t background;   /* filling: some flows through it are not open */
	double capacity;
	double level;   /* at which it became full, or -1: suspect */
	double fastest; /* suspect: no open flow through it that is limited elsewhere has a higher
	                   level */
	/* suspect: ROOM not given out; HEFT, sum of coef * weight, of the flows without a rate */
	struct sum2x2 left;
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
	/* By touched: what is looked at for every step of every flow, close together. */
	uint8_t *suspect;
	double *load; /* as the rates found would have it */
	struct candidate *heap;
	uint32_t *through; /* open flows, suspect by suspect: filling goes through these lists many
	                      times, mostly to find that a rate is fixed */
	uint32_t *fixed;   /* by moving: round in which its rate was last fixed */
	uint32_t n_moving, moving_cap, n_steps, steps_cap, n_touched, touched_cap, n_heap, heap_cap,
	    through_cap, fixed_cap;
	uint32_t suspect_cap, load_cap;
	uint32_t round;
};

/* fill.c: the rates of the open flows, by progressive filling of what the background leaves. */
int repair_fill(struct engine *e, struct err *err);

#endif
