/* repair_int.h: the scratch memory of one repair, shared by repair.c (which flows are open, what is
 * changed in the end) and sweep.c (their rates). Emptied after each repair, its memory kept.
 *
 * The open flows have their rates solved again; all others are background, their loads fixed. */
#ifndef ORRERY_ENGINE_REPAIR_INT_H
#define ORRERY_ENGINE_REPAIR_INT_H

#include "engine_int.h"

#include <math.h>

/* An open flow. */
struct moving {
	uint32_t activity;
	uint32_t steps;   /* its first step; one for each use of a contended resource */
	uint32_t limiter; /* that of its steps whose resource limits it, or NO_ID: its ceiling */
	uint16_t n_steps;
	uint8_t fixed;   /* it has its rate */
	uint8_t carrier; /* it is a carrier's: its steps are its uses */
	union {
		double top;  /* its ceiling, by its bound and FATPIPE resources, as a level */
		double rate; /* fixed: the new one; its activity has the old one until all are
		                known */
	};
};
static_assert(sizeof(struct moving) == 24, "a million may be open");

/* The highest rate of an open flow. */
static inline double moving_ceiling(const struct engine *e, const struct activity *a)
{
	return a->fatpipe ? flow_ceiling(e, a) : a->bound;
}

/* One use of a touched resource by an open flow. */
struct step {
	uint32_t touched, moving;
	uint32_t next; /* of the resource, or NO_ID */
	uint16_t use;  /* which one of the flow's */
	uint8_t coef;  /* as there */
	uint8_t gone;  /* of a carrier's flow that carries none any more there */
};
static_assert(sizeof(struct step) == 16, "a million flows may be open");

/* The coefficient of a step of activity a. */
static inline double step_coef(const struct engine *e, const struct activity *a,
                               const struct step *s)
{
	return __builtin_expect(s->coef != COEF_OWN, 1)
	           ? e->coefs[s->coef]
	           : coef_of_its_own(e, a, engine_uses(e, a) + s->use);
}

enum { ROOM, HEFT };

enum { KEYS_TOGETHER = 8 };
#define KEY_NONE INFINITY

/* A contended resource that open flows use, or that someone left. */
struct touched {
	uint32_t resource, book;
	uint32_t n;       /* number of its steps */
	uint32_t open;    /* how many of these have no rate yet */
	uint32_t first;   /* list of its steps; those of flows with a rate are taken out when met */
	uint32_t limited; /* background flows that it limits, at old_level */
	uint8_t stale;    /* its key is to be found again */
	uint8_t low;      /* its key is a lower bound only: flows through it were fixed since */
	uint8_t above;    /* a background flow may be above old_level */
	uint8_t crowd;    /* at the end: it limits so many flows that it may carry them, */
	uint8_t churned;  /* those that meet others elsewhere too */
	uint8_t deferred; /* it has waited for one that is tied with it */
	double capacity;
	double old_level;
	double level;   /* at which it was saturated, or -1 */
	double fills;   /* with its key: the level at which its open flows saturate it */
	double fastest; /* no open flow through it that is limited elsewhere has a higher level */
	double lowest;  /* no flow through it without a rate has a lower top */
	/* ROOM not given out; HEFT, sum of coef * weight, of the flows without a rate */
	struct sum2x2 left;
	uint32_t foreign; /* carriers' flows without a rate that stand here for some of theirs */
	uint32_t unused[3];
};
static_assert(sizeof(struct touched) == 128, "a touched resource is two cache lines");

struct repair {
	struct moving *moving;
	struct step *steps;
	struct touched *touched;
	/* By touched. The key: not above the level at which it is next to be looked at, or
	 * KEY_NONE: never. All behind the last are KEY_NONE, to a multiple of KEYS_TOGETHER. */
	double *keys;
	uint32_t *stale; /* those whose keys are to be found again */
	/* When there are many: a binary heap of touched by key, and the place of each in it. */
	uint32_t *heap, *place;
	int crowded; /* a touched resource limits so many flows that it may carry them */
	uint32_t n_moving, moving_cap, n_steps, steps_cap, n_touched, touched_cap, n_stale, n_heap;
	uint32_t keys_cap, stale_cap, heap_cap, place_cap;
};

/* repair.c: the open flows have the rates that were found, and none is open any more, but resources
 * that have given out more than they have are touched. */
int repair_commit(struct engine *e, struct err *err);

#endif
