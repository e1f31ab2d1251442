/* engine.h: the face of the engine: simulated time. It knows a clock, resources with a capacity,
 * and activities that end at a date. It knows no hosts, no routes, no MPI.
 *
 * Two kinds of activity:
 *   timer   ends after a delay;
 *   flow    waits `latency`, then transfers `amount` through a set of resources at the rate that
 *           sharing gives it. A computation is a flow through one resource (the CPU), bounded by
 *           the speed of one core.
 *
 * Sharing is weighted max-min fairness (Bertsekas and Gallager, Data Networks, 6.5.2) with per-use
 * coefficients and bounds:
 *   SHARED resource c:   sum over its active flows of coef * rate  <= capacity
 *   FATPIPE resource c:  each active flow's       coef * rate      <= capacity
 *   each flow:           rate <= bound
 *   and no flow can be given more without taking from one whose rate / weight is smaller or equal.
 * A flow in its latency phase uses nothing.
 *
 * Invariants
 *  1. Activities end in the order of (date, sequence number of their start or last change of date),
 *     never of addresses.
 *  2. All changes made at one date (starts, ends, capacities) are solved once, before the clock
 *     moves.
 *  3. Only flows whose rate changes are touched; the cost of an event follows that neighbourhood
 *     (share.c).
 *  4. When warm, nothing is allocated per event: ids are reused.
 *  5. Same calls, same dates, bit for bit.
 */
#ifndef ORRERY_ENGINE_H
#define ORRERY_ENGINE_H

#include "base/base.h"

#include <stdint.h>

struct engine;

struct resource_id {
	uint32_t v;
};
struct activity_id {
	uint32_t v;
};
#define ACTIVITY_NONE ((struct activity_id){0xffffffffu})

enum resource_kind { RESOURCE_SHARED, RESOURCE_FATPIPE };

struct engine *engine_new(struct err *err);
void engine_free(struct engine *e);
/* SimGrid 3.32's sharing instead of exact max-min (setting compat:simgrid-3.32; what differs:
 * docs/compat.md, selective.c). Call before the first activity. Slower: the cost of an event
 * follows the connected component. */
int engine_set_compat(struct engine *e, struct err *err);
/* After it: no flow is left out of the sharing (SimGrid's network/optim:Full). */
void engine_compat_whole(struct engine *e);
/* Compat: the flows on this resource are told anew when they end, before those of others that
 * change at this date: something that is no flow came to it, or left it. */
void engine_compat_mark(struct engine *e, struct resource_id r);
/* After it: SimGrid's surf/precision, s, instead of 1e-9, and maxmin/precision, instead of 1e-5. */
void engine_compat_precision(struct engine *e, double time, double share);

/* capacity: units/s (bytes/s, instructions/s), > 0 and finite. */
int engine_add_resource(struct engine *e, double capacity, enum resource_kind kind,
                        struct resource_id *out, struct err *err);
/* From the current date on. 0 stops the flows on it. */
void engine_set_capacity(struct engine *e, struct resource_id r, double capacity);
double engine_capacity(const struct engine *e, struct resource_id r);
enum resource_kind engine_kind(const struct engine *e, struct resource_id r);
/* It is asked for or used soon: fetched into the cache. */
void engine_fetch(const struct engine *e, struct resource_id r);

/* Ends `delay` seconds from now (>= 0). user comes back in the completion. */
int engine_timer(struct engine *e, double delay, uint64_t user, struct activity_id *out,
                 struct err *err);

struct flow_use {
	struct resource_id resource; /* each resource at most once per flow: merge before calling */
	float coef;                  /* > 0: units of the resource per unit of rate */
};

struct flow_spec {
	double amount;  /* units to transfer, >= 0; 0 ends with the latency */
	double latency; /* seconds before the transfer starts, >= 0 */
	double bound;   /* highest rate, units/s; 0 or less: none. With no uses it must be > 0, or
	                   amount 0 */
	double weight;  /* > 0: at a common bottleneck rates are proportional to weights */
	const struct flow_use *uses; /* copied; NULL if n_uses is 0 */
	uint32_t n_uses;
	uint64_t user;
	/* Compat: what it is counted in is amount x pace, and moves at rate x pace, as SimGrid
	 * counts bytes: so that rounding is SimGrid's. 0: 1. */
	double pace;
	/* Compat: SimGrid's penalty, of which the weight is the inverse: it may decide by its last
	 * bit who is stopped, and that is not always the last bit of 1 / weight. 0: 1 / weight. */
	double penalty;
};
int engine_flow(struct engine *e, const struct flow_spec *spec, struct activity_id *out,
                struct err *err);

/* Makes a flow whose latency is not over one like it more: all of them have the same rate at every
 * moment and end together, in one completion. It gets their weights, bounds and amounts together
 * (a FATPIPE resource gives to each flow what it has: such flows are not joined). 1; 0 when it
 * cannot be, and nothing has changed. */
int engine_flow_again(struct engine *e, struct activity_id a, uint64_t user);

/* Ends an activity now without a completion. */
void engine_cancel(struct engine *e, struct activity_id a);

double engine_now(const struct engine *e);

struct completion {
	uint64_t user;
	struct activity_id activity; /* already free for reuse */
};
/* The next activity to end: 1 with *out set and the clock at its date, 0 when nothing is running
 * any more, or only flows that cannot end (rate 0 for ever), -1 on error. Calls at one date return
 * all that ends at that date before anything is solved again: the caller reacts to each (starting
 * new activities) in between. */
int engine_next(struct engine *e, struct completion *out, struct err *err);
/* The same, but 0 when nothing more ends at the present date: for a caller that first takes note of
 * all that ends at a date, then reacts. */
int engine_more(struct engine *e, struct completion *out);

/* What changes resources at dates of its own (profile.c). next: date of its next change in s, never
 * before the one before; INFINITY: none. change: makes it, the clock standing there (what is due
 * when the source is added is made at once); it may set capacities and change flows, start and end
 * nothing; -1 with *err set ends the simulation. A source does not keep a simulation alive. self
 * must outlive the engine. */
struct engine_source {
	void *self;
	double (*next)(void *self);
	int (*change)(void *self, struct err *err);
};
int engine_add_source(struct engine *e, const struct engine_source *s, struct err *err);

/* For the rare change: the flows that use a resource and have not ended, those in their latency
 * too, in the order of their ids. The cost is that of looking at all activities. visit may call
 * engine_change_flow; -1 stops. */
struct engine_flow_state {
	struct activity_id id;
	uint64_t user;
	double bound; /* 0: none */
	double weight;
	double penalty; /* compat: as in flow_spec; elsewhere 0 */
	float coef;     /* of its use of the resource */
};
typedef int engine_flow_fn(void *self, const struct engine_flow_state *flow, struct err *err);
int engine_flows_on(struct engine *e, struct resource_id r, engine_flow_fn *visit, void *self,
                    struct err *err);
/* From the current date on, a flow has this bound (0 or less: none; it must not have been the only
 * thing that limits it) and weight (> 0). */
void engine_change_flow(struct engine *e, struct activity_id id, double bound, double weight);
/* Compat: the same, by its penalty (> 0). */
void engine_compat_change_flow(struct engine *e, struct activity_id id, double bound,
                               double penalty);

/* From how many flows on that a resource limits they are counted in virtual time (carrier.c): 16
 * unless told; and when their rates have been found how often those of them that meet others on
 * more resources: 4 unless told. For tests: no rate depends on it. */
void engine_set_carry(struct engine *e, uint32_t from, uint32_t after);

/* From how many flows on that arrive at one date where nobody is they are tried as a batch
 * (batch.c): 16 unless told. For tests: no rate depends on it. */
void engine_set_batches(struct engine *e, uint32_t from);

/* In a crowd whose exact solves have cost some seconds, levels may be wrong by this share of them:
 * a resource gives out up to that much more than its capacity, or less than its flows could have
 * (ripple.c). 0, as before this is called: never. at_once, for tests: everywhere and always. */
void engine_set_ripples(struct engine *e, double share, int at_once);

/* From now on what goes over each resource is counted. */
int engine_meter(struct engine *e, struct err *err);
struct engine_metered {
	double moved; /* units of all flows that began, times their coefficients */
	double held;  /* s in which it limited flows (not with engine_set_compat: 0) */
};
/* Up to now. All 0 without engine_meter. */
void engine_metered(const struct engine *e, struct resource_id r, struct engine_metered *out);

/* Explanation (not on the hot path). Rates are solved first if something changed. */
double flow_rate(struct engine *e, struct activity_id a);      /* units/s; 0 in the latency phase */
double flow_remaining(struct engine *e, struct activity_id a); /* units */
enum flow_limit { FLOW_LATENCY, FLOW_AT_BOUND, FLOW_AT_RESOURCE };
enum flow_limit flow_limited_by(struct engine *e, struct activity_id a,
                                struct resource_id *bottleneck);

/* Of a flow that has just begun: what is left of its latency, and how long it would move after that
 * if there were no other flow (s; INFINITY where nothing limits it to more than 0). 0, or -1: it is
 * not under way, or moves already as one of a crowd. */
int flow_alone(const struct engine *e, struct activity_id a, double *latency, double *seconds);

/* What ends next, as likely as not, and what comes nearer to that by it: how many are known, with
 * their users. For who fetches into the cache what they need. Right after a completion. */
enum { ENGINE_LIKELY = 4 };
int engine_likely(const struct engine *e, uint64_t user[ENGINE_LIKELY]);
/* From now on calls settled whenever the clock is about to leave a date: all rates are those of the
 * time from there on. It may ask, not change. NULL: no more. */
void engine_watch(struct engine *e, void (*settled)(void *self, double date), void *self);
/* 1: the activity is a flow under way, *user its user; or 0. */
int flow_user(const struct engine *e, struct activity_id a, uint64_t *user);
struct resource_user {
	uint64_t user;
	double rate, remaining; /* units a second; units */
	float coef;
};
/* The active flows that use a resource: how many; the first `max` of them in out. Rates are solved
 * first. */
uint32_t resource_users(struct engine *e, struct resource_id r, struct resource_user *out,
                        uint32_t max);

struct engine_stats {
	uint64_t activities, flows, solves,
	    rate_changes; /* started; started; dates solved; rates given */
	uint64_t rippled; /* dates solved with levels that may be wrong (engine_set_ripples) */
	uint64_t batched; /* flows that were solved at once (batch.c) */
	uint64_t carried; /* flows that came to be counted in virtual time, each time again */
	uint32_t active, active_peak; /* activities at present; most at once */
};
void engine_stats(const struct engine *e, struct engine_stats *out);

/* Checks every invariant of the sharing (capacities, bounds, a bottleneck for each flow): 0, or -1
 * with what is wrong. For tests. */
int engine_check(struct engine *e, struct err *err);

#endif
