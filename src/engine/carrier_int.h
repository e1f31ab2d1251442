/* carrier_int.h: what the files of carriers share: carrier.c (who is carried, the clock, the
 * solve), carrier_heap.c (ends and caps in virtual time), carrier_uses.c (the other contended
 * resources of carried flows). */
#ifndef ORRERY_ENGINE_CARRIER_INT_H
#define ORRERY_ENGINE_CARRIER_INT_H

#include "engine_int.h"

struct carried {
	double ends; /* in virtual time */
	uint64_t seq;
	uint32_t flow;
};

/* Holds if the flow is still carried here and promise / weight is this. */
struct cap {
	double level;
	uint32_t flow;
};

/* What the carrier's flow uses: first the carrier's resource, then the other contended ones of the
 * flows that it carries. */
struct carrier_use {
	struct sum2 heft; /* of its flows there: the sum of coef * weight */
	double coef;      /* the same, as a number: what a level of 1 takes */
	uint32_t n;       /* flows; 0 only while the carrier's flow is open in a repair */
};

struct carrier {
	uint32_t flow; /* its activity, or NO_ID: it carries none now */
	uint32_t resource;
	uint32_t n, ends_cap, n_caps, caps_cap, uses_cap;
	uint8_t changed; /* it is in the list of changed ones */
	uint8_t grown;   /* and has taken flows that arrive: its rate is to be found */
	uint8_t block;   /* class of the flow's block of uses */
	uint8_t vain;    /* times in a row that it spared less than it cost */
	struct carried *ends;
	struct cap *caps;
	struct carrier_use *uses;
	struct hash64 places; /* of the uses but the first, by resource */
	double time;          /* at its flow's `since` */
	double longest;       /* of what was left / weight */
	/* Of the flows that came here at the last date at which any did: that date, the sum of
	 * coef * weight, their number; and the number of those of the date before it. */
	double came, coming;
	uint32_t together, before;
	uint64_t seq;
};

struct carriers {
	struct carrier *all;
	uint32_t n, cap, n_grown;
	struct id_list changed; /* room for all is reserved */
	struct id_list pressed; /* flows that went back with more than they promised */
	struct id_list scratch; /* carried flows of a resource */
};

static inline struct use *carried_use(const struct engine *e, const struct activity *a)
{
	return engine_uses(e, a) + a->limiter;
}

static inline struct carrier *carrier_at(const struct engine *e, uint32_t resource)
{
	return &e->carriers->all[e->books[e->resources[resource].book].carrier - 1];
}

/* Does the resource of this book have carried flows? */
static inline int carries(const struct engine *e, const struct book *b)
{
	return b->carrier && e->carriers->all[b->carrier - 1].flow != NO_ID;
}

static inline struct carrier *carrier_of(const struct engine *e, const struct activity *carried)
{
	return carrier_at(e, carried_use(e, carried)->resource);
}

static inline struct carrier *carrier_of_flow(const struct engine *e, const struct activity *flow)
{
	return &e->carriers->all[flow->user];
}

/* Its flow has weight 1, and so the level as its rate. */
static inline double carrier_level(const struct engine *e, const struct carrier *c)
{
	return e->activities[c->flow].rate;
}

static inline double carrier_time(const struct engine *e, const struct carrier *c)
{
	return c->time + carrier_level(e, c) * (e->now - e->activities[c->flow].since);
}

/* carrier_heap.c */
int ends_add(struct engine *e, struct carrier *c, struct carried x, struct err *err);
void ends_remove(struct engine *e, struct carrier *c, uint32_t at);
double cap_level(const struct engine *e, const struct activity *a);
int cap_holds(const struct engine *e, const struct carrier *c, const struct cap *x);
int caps_add(struct engine *e, struct carrier *c, uint32_t id, struct err *err);
void caps_pop(struct carrier *c);

/* carrier_uses.c. level: that of the carrier, which does not change by this; own: the load that the
 * flow takes from the resource for itself from now on, less what it took. */
/* The first use of a carrier's flow that is made. */
int carrier_uses_begin(struct engine *e, struct carrier *c, struct err *err);
/* A carried flow more, or less, on use k. */
void carrier_weigh(struct engine *e, struct carrier *c, uint32_t k, double heft, double level,
                   double own);
/* Its other contended resources, of a flow that is carried from now on: */
int carried_uses_join(struct engine *e, struct carrier *c, uint32_t id, double level,
                      struct err *err);
/* not any more, but goes on; or ends. */
void carried_uses_part(struct engine *e, struct carrier *c, uint32_t id, double level);
void carried_uses_leave(struct engine *e, struct carrier *c, uint32_t id, double level);
/* Uses of no flow go. */
void carrier_uses_tidy(struct engine *e, struct carrier *c);
/* Is there room for those of one more flow? */
int carrier_has_room(const struct engine *e, const struct carrier *c, uint32_t n_uses);

#endif
