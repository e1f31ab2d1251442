/* selective_int.h: what the files of SimGrid's sharing have in common: the flows, uses and
 * resources of a solve as SimGrid counts them. See selective.c. */
#ifndef ORRERY_ENGINE_SELECTIVE_INT_H
#define ORRERY_ENGINE_SELECTIVE_INT_H

#include "engine_int.h"

enum {
	VISITED =
	    0xfffffffeu, /* value of activity.moving: reached in this solve, no variable yet */
	CHANGED = 0x80000000u, /* in the lists of a date: the flow has another bound or weight */
};

/* Of a cell with one flow at most, besides enum resource_kind: it is full when that has a rate. */
enum { ALONE = RESOURCE_FATPIPE + 1 };

/* A marked resource; engine.touched is its place here. */
struct cell {
	uint32_t resource;
	uint32_t light; /* place among those that can still become full, or NO_ID */
	uint8_t kind;   /* of resource, or ALONE */
	uint8_t stale;  /* its level is to be found again */
	double left, usage;
	double little; /* what counts as nothing left of its capacity */
};

/* A flow of a marked resource; activity.moving is its place here. */
struct variable {
	uint32_t activity;
	uint32_t uses;
	uint16_t n_uses;
	uint8_t fixed, saturated;
	double penalty, bound; /* penalty_of; its bound as a level */
	double value;
};

/* Where a walk from resource to resource is. */
struct step {
	const struct member *members;
	uint32_t n;   /* members not yet looked at */
	uint32_t use; /* of the member under way: the next one */
};

/* A flow as SimGrid counts it: what is left, in bytes, of which one unit of rate moves pace. */
struct counted {
	double left, pace;
	double penalty;
	uint64_t number; /* whole: in the queue, that of its start */
};

/* A use as SimGrid counts it, in the place that the use has in the pool: found once for a flow,
 * since they are divided and rounded at each solve otherwise. */
struct element {
	double coef;
	double heft; /* coef / penalty */
};

struct selective {
	struct counted *counted;  /* by activity */
	struct element *elements; /* by use */
	uint32_t counted_cap, elements_cap;
	double tolerance;      /* SimGrid's maxmin/precision */
	double left_tolerance; /* … times its surf/precision: bytes */
	double coefs[N_COEFS]; /* coef_of of the engine's */
	uint32_t n_coefs;
	int changed; /* something is in these lists */
	int whole;   /* a flow that becomes active, or ends, marks all its resources, and messages
	                of one date end in the order in which they began */
	struct id_list marked; /* resources: first of all */
	struct id_list started, enabled, ended, timers;
	uint32_t n_lone; /* the first of `enabled`: alone on all that they use, not marked yet */
	struct step *walk;
	uint32_t walk_cap;
	struct cell *cells;
	struct variable *vars;
	uint32_t *light;                     /* places in cells */
	double *levels;                      /* of these, left / usage */
	uint32_t *stale;                     /* cells whose levels are to be found again */
	uint32_t *full;                      /* variables on the resources that become full next */
	uint32_t n_unfixed;                  /* variables */
	uint32_t room_resources, room_flows; /* there is room for so many */
	uint32_t n_cells, cells_cap, n_vars, vars_cap, n_light, light_cap, levels_cap, n_stale,
	    stale_cap, n_full, full_cap;
};

static inline double less(double x, double by, double tolerance)
{
	x -= by;
	return x < tolerance ? 0 : x;
}

/* selective.c */
/* flow_set_rate, with SimGrid's rounding: of two dates that differ in the last bit, the earlier is
 * first, and who is first decides what is marked. */
void selective_rate(struct engine *e, uint32_t id, double rate);

/* selective_mark.c: which resources a solve is about */
/* All that changed at this date, in SimGrid's order, is applied: 0 or -1. */
__attribute__((noinline)) int selective_apply(struct engine *e, struct err *err);
/* Flows that became active alone are marked after all. */
void lone_mark(struct engine *e);

/* selective_fill.c: the rates of the flows of marked resources */
/* Finds them, as the value of each variable. Not in line, nor is the marking: that all is one
 * function costs 2 %. */
__attribute__((noinline)) void selective_fill(struct engine *e);
/* Gives them to the flows; nothing is marked any more. */
void selective_finish(struct engine *e);

#endif
