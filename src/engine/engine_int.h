/* engine_int.h: what the files of this room share: activities, resources and the engine itself.
 *
 * Words. The *level* of a flow is rate / weight. A flow is *limited* by one of the resources it
 * uses, its limiter, or by its own bound (a FATPIPE resource is a bound too, since it is not
 * shared). The members of a resource are the active flows that use it: first those it limits, all
 * at the resource's level, then the others.
 *
 * Invariants between solves (engine_check verifies 2 to 7)
 *  1. An active flow is once among the members of each resource that it uses, and that member tells
 *     which of its uses it is. A carried one is so on all but the one that carries it; of a
 *     contended resource the carried ones are the last members, and 4, 5 and 7 are of the others,
 *     among which the carriers' flows stand for them.
 *  2. members[0 … n_limited) are exactly the flows whose limiter is this resource.
 *  3. No flow's rate is above its *promise*, its bound or a power of 2^(1/4) below it. demand is
 *     the sum of part over the members (SHARED). A resource whose demand is more than DEMAND_FULL
 *     is contended: it has a book. One that is not can give all its members their promises, hence
 *     limits none, and nothing more is known of it.
 *  4. load is the exact sum of coef * rate over the members (book), and at most the capacity, up to
 *     rounding.
 *  5. A resource that limits flows is contended and full, and no member's level is above its level.
 *     4 and 5 hold up to ripple_end where that was more than 0 (ripple.c).
 *  6. A flow without limiter has the rate of its bound, or of its tightest FATPIPE resource.
 *  7. others_level is at least the level of every member that is not limited here (book).
 *
 * Life of an activity, with the function behind each arrow (engine.c, share.c):
 *      FREE --activity_new--> TIMER ------------------------------------------> FREE
 *      FREE --activity_new--> LATENCY --flow_settle---------------------> ACTIVE --flow_leave-->
 *      FREE
 *                                  LATENCY --flow_arrive--> ARRIVING --share_solve--> ACTIVE
 *                                                           ARRIVING --batch_take---> BATCH
 *                                                           BATCH --batch_open------> ACTIVE, or
 *                                                           ARRIVING in a crowd
 */
#ifndef ORRERY_ENGINE_INT_H
#define ORRERY_ENGINE_INT_H

#include "engine.h"
#include "pool.h"
#include "queue.h"
#include "sum2.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { NO_LIMITER = 0xffff, MAX_USES = 0xfffe };
enum { NO_ID = 0xffffffffu };

enum activity_state {
	ACTIVITY_FREE,
	ACTIVITY_TIMER,
	ACTIVITY_LATENCY,
	ACTIVITY_ARRIVING,
	ACTIVITY_ACTIVE,
	ACTIVITY_ENDED,     /* compat: over, but still among the members of its resources until the
	                       solve */
	ACTIVITY_CANCELLED, /* over before it became active; not in compat: in a row */
	ACTIVITY_MEMBER,    /* of a class (class.c), whose flow is active for it */
	ACTIVITY_CARRIED,   /* in virtual time (carrier.c): by the resource that limits it */
	ACTIVITY_BATCH,     /* it has a rate, and is a member of nothing (batch.c) */
};

/* 64 bytes, one cache line. */
struct activity {
	double rate;   /* ACTIVE: units/s; LATENCY, in a row behind another one: date of its end */
	double weight; /* flows */
	double bound;  /* flows: highest rate of its own; INFINITY if none */
	double remaining; /* flows: units left at date `since` */
	double since;     /* LATENCY: how many flows it is, less one (engine_flow_again) */
	uint64_t user;
	uint32_t
	    uses; /* flows: block in the pool of uses; FREE: next free slot; MEMBER: its class */
	uint16_t n_uses;
	uint16_t limiter; /* ACTIVE: index of a use, or NO_LIMITER */
	uint32_t moving;  /* ACTIVE: place in the repair under way, or NO_ID; CARRIED: in the ends
	                     of its carrier; LATENCY: the next of its row, or NO_ID */
	uint8_t state;
	uint8_t trim;          /* flows: the promise is bound * promises[trim] */
	uint8_t fatpipe : 1;   /* flows: 1 if it uses FATPIPE resources */
	uint8_t own_coefs : 1; /* flows: 1 if behind its uses there are coefficients of its own */
	uint8_t class : 1; /* flows: 1 if it stands for others: a class, whose number is its user */
	uint8_t carrier : 1; /* or, if this is 1 too, those that a carrier carries */
};
static_assert(sizeof(struct activity) == 64, "an activity is one cache line");

/* 4 bytes: a long way has a hundred. */
struct use {
	uint32_t resource : 28;
	uint32_t
	    contended : 1; /* of a member: whether the resource is, known without looking there */
	uint32_t coef : 3; /* its place in engine.coefs, or COEF_OWN */
};
static_assert(sizeof(struct use) == 4, "there may be a hundred millions of uses");

/* Few coefficients are in use at a time: 1, that of acknowledgements, their sum. The first N_COEFS
 * that differ are numbered; a flow with another one has all of its own behind its uses, in the same
 * block of the pool, as float. */
enum { N_COEFS = 7, COEF_ONE = 0, COEF_OWN = 7 };

/* What a flow's promise could take of a resource, its *part*, is reckoned when it comes, changes or
 * goes: 1 in DEMAND_FULL of the capacity, rounded up, at most DEMAND_MOST. Whole numbers, so that
 * what is added and taken away a million times is exact. */
enum { DEMAND_FULL = 1 << 30 };
#define DEMAND_MOST (2u * DEMAND_FULL)

/* Rounding. Rates that differ by less than SAME_RATE are one rate computed twice; a resource with
 * less than FULL of its capacity left is full; levels that differ by less than SAME_LEVEL are tied.
 * All relative, a few ulps: nothing is held back from the flows. */
#define SAME_RATE 0x1p-48
#define FULL 0x1p-46
#define SAME_LEVEL 0x1p-43

/* 4 bytes: a flow is a member of all that is on its way. */
struct member {
	uint32_t k : 4; /* which of its uses, modulo MEMBER_USES: few ways are longer */
	uint32_t activity : 28;
};
enum { MEMBER_USES = 16 };
static_assert(sizeof(struct member) == 4 && EVENT_ID_BITS == 28, "there are as many as uses");

static inline struct member member_make(uint32_t activity, uint32_t k)
{
	return (struct member){.activity = activity & QUEUE_MAX_ID, .k = k % MEMBER_USES};
}

/* Promises are lowered when they are well above the rate, to a bit above it; so they change much
 * less often than rates do. */
enum { TRIM_MOST = 127 };
#define PROMISE_SLACK 1.05
#define PROMISE_LOOSE 1.3

enum resource_dirt {
	CLEAN,
	DIRTY_LIMITED,
	DIRTY_ALL
}; /* which members the next solve must reconsider */

/* 24 bytes: a big machine has millions. */
struct resource {
	double capacity;
	/* Of a SHARED one the sum of its members' parts, while it is not contended. Then that is in
	 * its book, and here is DEMAND_PLACES + its place in the repair under way. */
	uint32_t demand;
	union {
		struct member only; /* class 0: most have at most one flow, and it is here */
		uint32_t block;     /* in the pool of members; CROWD: which one */
	};
	uint32_t n : 28, class : 4;            /* of the block, or CROWD */
	uint32_t book : 28;                    /* 0 until it is contended for the first time */
	uint32_t dirt : 2, full : 1, kind : 1; /* full: it limits flows */
};
static_assert(sizeof(struct resource) == 24, "there may be millions of resources");
enum { MAX_RESOURCES = (1 << 28) - 1 };

/* Above what demand comes to before the resource is contended: full, and one part more. */
#define DEMAND_NONE (DEMAND_FULL + DEMAND_MOST + 1) /* of a FATPIPE resource */
#define DEMAND_BATCH (DEMAND_NONE + 1)              /* the flows of a batch are there (batch.c) */
#define DEMAND_PLACES (DEMAND_BATCH + 1)
#define NOWHERE (UINT32_MAX - DEMAND_PLACES) /* no place */
static_assert(NOWHERE > MAX_RESOURCES, "places of all resources");

/* SHARED, and not contended: its demand is here. */
static inline int resource_is_free(const struct resource *r)
{
	return r->demand < DEMAND_NONE;
}

static inline int resource_contended(const struct resource *r)
{
	return r->demand >= DEMAND_PLACES;
}

/* May a batch be there? Of a FATPIPE one it is not known. */
static inline int resource_may_be_batched(const struct resource *r)
{
	return r->demand == DEMAND_BATCH || r->demand == DEMAND_NONE;
}

/* Of one that is contended. */
static inline uint32_t resource_place(const struct resource *r)
{
	return r->demand - DEMAND_PLACES;
}

static inline void resource_set_place(struct resource *r, uint32_t place)
{
	r->demand = DEMAND_PLACES + place;
}

static inline void resource_forget_place(struct resource *r)
{
	if (resource_contended(r))
		resource_set_place(r, NOWHERE);
}

/* Of a resource that is contended, or was; what is in it counts while it is. The first one is
 * nobody's. */
struct book {
	struct sum2 load;
	double level;        /* of the members it limits, if any */
	double others_level; /* no other member is above */
	uint64_t demand;
	uint32_t n_limited;
	uint32_t n_carried; /* members that others carry: the last ones; 0 if it is not contended */
	uint32_t carrier;   /* of flows that it limits (carrier.c): its number + 1; 0: never */
	/* Rates of a crowd that repairs have found here. While flows are carried: those that they
	 * were spared, less what it costs that flows go back. */
	uint32_t churn;
};

/* Members of a resource that are too many for the pool, where blocks of half and a quarter of their
 * size would be left behind. */
enum { CROWD = 15, CROWD_CLASS = 12 };
struct crowd {
	struct member *items;
	struct hash64 places; /* members.c: its index; empty: none */
	uint64_t looked;      /* members that were looked at in vain, */
	uint32_t found;       /* and the place where somebody was found the last time */
	uint32_t cap;
};

struct profiles;  /* sources of changes of profile.c */
struct repair;    /* scratch memory of repair.c */
struct groups;    /* scratch memory of groups.c */
struct classes;   /* of class.c */
struct carriers;  /* of carrier.c */
struct selective; /* state of selective.c */

struct id_list {
	uint32_t *ids;
	uint32_t n, cap;
};

/* Of batch.c: flows that arrived at one date and have their rates, and where they are. */
struct batch {
	struct id_list flows, resources;
	double
	    *levels; /* by resource: capacity / the weights of its flows, each times coefficient */
	double *lowest; /* uneven: by resource, the lowest rate / weight of its flows */
	uint32_t levels_cap, lowest_cap;
	int uneven;           /* not all flows have one rate / weight */
	uint32_t n;           /* flows that have not ended */
	uint32_t from;        /* fewer flows are none */
	int left;             /* some have ended, and others have not */
	int together;         /* all end at one date: only the next of them is in the queue, */
	uint32_t next;        /* which has this place, */
	uint64_t number;      /* and the first one had this sequence number */
	double end;           /* at this date */
	double date;          /* what arrives at this date */
	int waits;            /* is for a batch */
	uint32_t skip, pause; /* dates whose arrivals are not; the same after the next vain one */
};

/* Flows that began one after the other and whose latencies end at one date: the first is in the
 * queue, each knows the next. */
struct row {
	double date;   /* of the one that may go on */
	uint32_t last; /* of it, or NO_ID */
};

struct engine {
	double now;
	double together; /* compat: SimGrid's surf/precision, s */
	double until;    /* events up to this date happen now: now plus the tolerance */
	struct queue queue;
	struct meter *meters; /* of meter.c, by resource; NULL: nobody asked */
	uint32_t meters_cap;
	struct activity *activities;
	uint32_t n_activities, activities_cap, free_activity, n_live;
	struct resource *resources;
	uint32_t *touched; /* compat, by resource: place in the solve under way, or NO_ID */
	uint32_t n_resources, resources_cap, touched_cap;
	struct book
	    *books; /* room for all is reserved: memory that nobody writes to takes no place */
	uint32_t n_books, books_cap;
	struct pool uses, members;
	double coefs[N_COEFS];
	float coefs_short[N_COEFS]; /* the same */
	uint32_t n_coefs;
	uint32_t parts_cap;
	uint32_t *parts; /* of the uses of the flow that starts; room for all of any flow */
	struct crowd *crowds;
	uint32_t n_crowds, crowds_cap;
	double promises[TRIM_MOST + 1]; /* 2^(-i/4) */
	struct id_list arriving;        /* flows that the next solve lets in */
	struct id_list dirty; /* resources whose sharing the next solve must reconsider; room for
	                         all is reserved */
	double change_at;     /* date of the next change of a profile; INFINITY: none */
	struct profiles *profiles; /* or NULL */
	struct repair *repair;
	struct groups *groups;
	struct classes *classes;
	struct carriers *carriers;
	struct batch batch;
	struct row row;
	uint32_t n_latency; /* flows with something to move, in their latency; not in compat */
	/* Levels may be wrong by this share of them: 0, but while a crowd is large (ripple.c). */
	double ripple_end;
	uint64_t repair_uses; /* of contended resources by open flows, in the solve under way */
	double tied;          /* levels that differ by less than this factor are */
	struct ripples {
		double share;         /* then; 0: never */
		double uses, changes; /* of a solve, on average over the last ones */
		uint64_t exact;       /* uses in large solves that were exact */
		int at_once;          /* for tests: always */
	} ripples;
	uint32_t carry_from;  /* flows that a resource must limit to carry them */
	uint32_t carry_after; /* times that rates must be found of those that meet others */
	uint32_t n_carried;
	struct selective *selective; /* compat: SimGrid's sharing instead of share.c's; else NULL */
	int broken; /* memory ran out in the middle of a solve: broken_err says so at the next call
	               that can fail */
	struct err broken_err;
	struct engine_stats stats;
	void (*settled)(void *self, double date); /* or NULL: engine_watch */
	void *settled_self;
};

static inline struct use *engine_uses(const struct engine *e, const struct activity *a)
{
	return (struct use *)e->uses.items + a->uses;
}

static inline struct member *resource_members(struct engine *e, struct resource *r)
{
	if (r->class == 0)
		return &r->only;
	if (r->class == CROWD)
		return e->crowds[r->block].items;
	return (struct member *)e->members.items + r->block;
}

static inline struct book *resource_book(const struct engine *e, const struct resource *r)
{
	return &e->books[r->book];
}

/* Members that nobody carries: the first ones. */
static inline uint32_t resource_uncarried(const struct engine *e, const struct resource *r)
{
	return r->n - resource_book(e, r)->n_carried;
}

/* What is for and against carrying flows here, in rates that need not be found. */
static inline void book_earns(struct book *b, uint32_t rates)
{
	b->churn += rates < UINT32_MAX - b->churn ? rates : UINT32_MAX - b->churn;
}

static inline void book_pays(struct book *b, uint32_t rates)
{
	b->churn -= rates < b->churn ? rates : b->churn;
}

/* Members that it limits. */
static inline uint32_t resource_limits(const struct engine *e, const struct resource *r)
{
	return r->full ? e->books[r->book].n_limited : 0;
}

static inline struct use *use_at(const struct engine *e, uint32_t i)
{
	return (struct use *)e->uses.items + i;
}

double coef_of_its_own(const struct engine *e, const struct activity *a, const struct use *u);

/* The coefficient of one of a flow's uses. */
static inline double coef_at(const struct engine *e, const struct activity *a, const struct use *u)
{
	return __builtin_expect(u->coef != COEF_OWN, 1) ? e->coefs[u->coef]
	                                                : coef_of_its_own(e, a, u);
}

/* Of use k. */
static inline double use_coef(const struct engine *e, const struct activity *a, uint32_t k)
{
	return coef_at(e, a, engine_uses(e, a) + k);
}

uint32_t member_far(const struct engine *e, const struct resource *r, struct member m);

/* The use of a resource by a member, its index in the pool. */
static inline uint32_t member_use(const struct engine *e, const struct resource *r, struct member m)
{
	const struct activity *a = &e->activities[m.activity];

	return a->uses +
	       (__builtin_expect(a->n_uses <= MEMBER_USES, 1) ? m.k : member_far(e, r, m));
}

static inline double member_coef(const struct engine *e, const struct resource *r, struct member m)
{
	return coef_at(e, &e->activities[m.activity], use_at(e, member_use(e, r, m)));
}

static inline uint64_t resource_demand(const struct engine *e, const struct resource *r)
{
	return resource_contended(r) ? resource_book(e, r)->demand : r->demand;
}

/* Of a SHARED one. Less is more than 2^63. */
static inline void resource_ask(struct engine *e, struct resource *r, uint64_t parts)
{
	if (resource_contended(r))
		resource_book(e, r)->demand += parts;
	else
		r->demand += (uint32_t)parts;
}

/* fmax of numbers, without a call. */
static inline double larger(double a, double b)
{
	return b > a ? b : a;
}

/* x, or 0: without a branch, for conditions that cannot be foretold. */
static inline double number_if(int condition, double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof bits);
	bits &= -(uint64_t)(condition != 0);
	memcpy(&x, &bits, sizeof x);
	return x;
}

/* a or b, likewise. */
static inline double number_of(int condition, double a, double b)
{
	uint64_t one, other;

	memcpy(&one, &a, sizeof one);
	memcpy(&other, &b, sizeof other);
	other ^= (one ^ other) & -(uint64_t)(condition != 0);
	memcpy(&a, &other, sizeof a);
	return a;
}

/* The uses of a member from `from` on, USES_MASK at most, have a bit each: is the resource
 * contended? Which of them are cannot be foretold, but mostly they are few: one walks the bits. */
enum { USES_MASK = 32 };
static inline uint32_t uses_contended(const struct engine *e, const struct activity *a,
                                      uint32_t from)
{
	enum { TOGETHER = POOL_SPARE + 1 };
	const struct use *u = engine_uses(e, a) + from;
	uint32_t mask = 0, n = a->n_uses - from;

	for (uint32_t k = 0; k < n && k < USES_MASK; k += TOGETHER, u += TOGETHER)
		mask |= (uint32_t)(u[0].contended | u[1].contended << 1 | u[2].contended << 2 |
		                   u[3].contended << 3)
		        << k;
	return n < USES_MASK ? mask & (((uint32_t)1 << n) - 1) : mask;
}

static inline double activity_level(const struct activity *a)
{
	return a->rate / a->weight;
}

static inline double flow_promise(const struct engine *e, const struct activity *a)
{
	return a->bound * e->promises[a->trim];
}

static inline int promise_is_loose(const struct engine *e, const struct activity *a)
{
	return (a->rate * PROMISE_LOOSE < flow_promise(e, a)) & (a->trim < TRIM_MOST) &
	       (a->bound < INFINITY);
}

/* The last date that is the same: relative, 32 ulps. */
static inline double date_together(double date)
{
	return date + date * 0x1p-47;
}

/* Of a caller: under way, and not a class's. */
static inline int activity_is_flow(const struct activity *a)
{
	return !a->class && (a->state == ACTIVITY_LATENCY || a->state == ACTIVITY_ARRIVING ||
	                     a->state == ACTIVITY_ACTIVE || a->state == ACTIVITY_MEMBER ||
	                     a->state == ACTIVITY_CARRIED || a->state == ACTIVITY_BATCH);
}

/* activity.c */
int activity_new(struct engine *e, uint32_t *id, struct err *err);
void activity_release(struct engine *e, uint32_t id);      /* gives the slot back */
int engine_break(struct engine *e, const struct err *why); /* -1: every later call fails */
int ids_widen(struct id_list *l, struct err *err);         /* for one more */
static inline int ids_add(struct id_list *l, uint32_t id, struct err *err)
{
	if (l->n == l->cap && ids_widen(l, err))
		return -1;
	l->ids[l->n++] = id;
	return 0;
}

/* engine.c */
int engine_settle(struct engine *e); /* solves what is pending: 0, or -1 with e->broken_err set */

/* profile.c */
void profiles_free(struct profiles *p);
int profiles_change(struct engine *e, struct err *err); /* makes the changes that are due */
int profiles_hope(
    const struct engine *e); /* may a change still give a rate to flows that have none? */

/* share.c: starts, ends, and the solve of a date */
int share_solve(struct engine *e, struct err *err); /* all that changed at this date: 0 or -1 */
int flow_arrive(struct engine *e,
                uint32_t id); /* its latency is over: 0, or -1 with e->broken_err */
int flow_wait(struct engine *e, uint32_t id, struct err *err); /* the next solve lets it in */
/* Its promise, if it takes from others, by the rate that is expected of it, and its parts. */
void flow_expect(struct engine *e, struct activity *a, double rate);

/* meter.c: what goes over each resource; of an engine that has meters */
int meter_widen(struct engine *e, struct err *err);          /* for one more resource */
void meter_flow(struct engine *e, const struct activity *a); /* one that begins */
void meter_full(struct engine *e, const struct resource *r, int full);

/* Whether it limits flows. */
static inline void resource_set_full(struct engine *e, struct resource *r, int full)
{
	if (__builtin_expect(e->meters != NULL, 0))
		meter_full(e, r, full);
	r->full = full & 1;
}

/* uses.c: what a flow uses, in the pool */
/* n uses in a new block: 1 with coefficients of its own, 0 without, -1. */
int flow_copy_uses(struct engine *e, const struct flow_use *from, uint32_t n, uint32_t *block,
                   struct err *err);
/* As another's. */
int flow_share_uses(struct engine *e, const struct activity *from, struct activity *a,
                    struct err *err);
void flow_give_uses(struct engine *e, const struct activity *a); /* its block goes back */

/* book.c: who uses what */
/* What a rate of 1 takes of a resource. */
static inline double part_unit(const struct resource *r, double coef)
{
	return coef * (DEMAND_FULL * (1 - SAME_RATE)) / r->capacity;
}

static inline uint32_t part_of(double unit, double rate)
{
	double parts = unit * rate;

	return (uint32_t)(int64_t)(parts < DEMAND_MOST - 1 ? parts : DEMAND_MOST - 1) + 1;
}

/* The part of a flow of this rate. A few ulps less than the whole capacity is the whole
 * (SAME_RATE). */
static inline uint32_t use_part(const struct resource *r, double rate, double coef)
{
	return part_of(part_unit(r, coef), rate);
}

/* Will it be contended, or is it not free, when a flow has started? */
static inline int use_meets(const struct resource *r, uint32_t part)
{
	return (uint64_t)r->demand + part > DEMAND_FULL;
}
static_assert(DEMAND_NONE > DEMAND_FULL, "what is not free is met");

/* Does it come to be contended, which it is not, by a flow that is to start? */
static inline int use_contends(const struct resource *r, uint32_t part)
{
	return use_meets(r, part) & !resource_contended(r);
}

void resource_relax(struct engine *e, struct resource *r); /* and not any more, if it may be */
void flow_leave(struct engine *e, uint32_t id); /* an active flow gives back what it uses */
/* What it uses but this, and but what is contended. */
void flow_leave_others(struct engine *e, uint32_t id, uint16_t but);
void resource_recount(
    struct engine *e,
    struct resource *r); /* after a change of capacity: demand, and whether it is contended */
void resource_mark(struct engine *e, uint32_t r, enum resource_dirt dirt);
void flow_limit(struct engine *e, uint32_t id,
                uint16_t limiter); /* moves it between limited members and others */
void flow_set_rate(struct engine *e, uint32_t id,
                   double rate); /* and the date of its end; loads are the caller's */
/* An arriving flow gets its first rate, an active one a new one, with its limiter. Only full books
 * are kept; that it is right is the caller's business. */
int flow_enter(struct engine *e, uint32_t id,
               struct err *err); /* an arriving flow is a member of its resources, at rate 0 */
int flow_take(struct engine *e, uint32_t id, double rate, uint16_t limiter, struct err *err);
/* As flow_take, of one that has this rate and its end. */
int flow_place(struct engine *e, uint32_t id, double rate, uint16_t limiter, struct err *err);
void flow_change(struct engine *e, uint32_t id, double rate, uint16_t limiter);
int resource_join(struct engine *e, uint32_t id, uint32_t k,
                  struct err *err); /* a flow becomes a member, by its use k */
void resource_contend(struct engine *e, struct resource *r); /* its load is kept from now on */
/* What it asks for of its resource. */
uint32_t member_part(const struct engine *e, const struct resource *r, struct member m);
uint8_t flow_trim(const struct engine *e, double bound, double rate);
void resource_part(struct engine *e, struct resource *r, struct member of,
                   int limited); /* a member goes, that the resource limits or not */
/* Gives an active flow the promise that fits this rate, which must not be open in a repair unless
 * it is higher than what was promised: 1 if a resource is contended now that was not, else 0. */
int flow_promise_for(struct engine *e, uint32_t id, double rate);
/* Its bound is this one from now on, its trim stays. */
void flow_repromise(struct engine *e, uint32_t id, double bound);
double fatpipe_room(const struct engine *e, const struct activity *a,
                    const struct resource *r); /* the most that a FATPIPE resource gives */
double flow_ceiling(const struct engine *e,
                    const struct activity *a); /* its bound and its FATPIPE resources */

/* squeeze.c: a start that takes from one other flow on its use `at`. 1 when it was settled, 0 when
 * it is not so simple (nothing changed), -1. */
int flow_squeeze(struct engine *e, uint32_t id, uint16_t at, struct err *err);

/* class.c: equal flows in a crowd */
struct classes *classes_new(struct err *err);
void classes_free(struct classes *c);
/* A flow arrives: 1 when it is of a class now, 0 when it is to go its own way, -1. *made: the flow
 * of a new class, which is to arrive in its place, or NO_ID. Mostly its first resource has few
 * flows, which is all that is looked at. */
enum { CLASS_CROWD = 8 };
int class_meets(struct engine *e, uint32_t id, uint32_t *made, struct err *err);
static inline int class_join(struct engine *e, uint32_t id, uint32_t *made, struct err *err)
{
	const struct activity *a = &e->activities[id];

	return a->n_uses == 0 || e->resources[engine_uses(e, a)->resource].n < CLASS_CROWD
	           ? 0
	           : class_meets(e, id, made, err);
}
/* The event of a class's flow: its first member ends, and is to be released. */
int class_end(struct engine *e, uint32_t flow, uint32_t *member, struct err *err);
int class_part(struct engine *e, uint32_t member, struct err *err); /* before it ends */
void class_set_rate(struct engine *e, uint32_t flow, double rate);
int classes_changed(const struct engine *e);
void classes_leave(struct engine *e); /* those that are empty end */
/* The others that changed: what they are worth now. All before any is open: a resource that comes
 * to be contended is then seen by each. */
void classes_weigh(struct engine *e);
int classes_open(struct engine *e, struct err *err); /* in the repair: those of them that count */
const struct activity *class_flow(const struct engine *e, const struct activity *member);
double class_rate(const struct engine *e, const struct activity *member); /* of each member */
double class_remaining(const struct engine *e, uint32_t member);
uint32_t class_size(const struct engine *e, const struct activity *flow); /* flows it stands for */
uint32_t class_members(const struct engine *e, const struct activity *flow);
uint64_t class_user(const struct engine *e, const struct activity *flow, uint32_t i);
double class_left(const struct engine *e, const struct activity *flow, uint32_t i); /* of it */

/* carrier.c: flows limited by one resource, in virtual time */
/* Have the flows that it limits been given rates so often that those that meet others may as well
 * be carried? */
int book_churned(const struct engine *e, const struct book *b);
struct carriers *carriers_new(struct err *err);
void carriers_free(struct carriers *c);
/* An active flow is carried from now on, if it may be. Neither this nor its opposite changes rates.
 * Not to be called while a repair has opened flows; the opposite may be, if one of these is the
 * carrier's, whose books are then the caller's (sweep.c). */
int flow_carry(struct engine *e, uint32_t id, struct err *err);
int flow_uncarry(struct engine *e, uint32_t id, struct err *err);
/* A repair that opened this carrier's flow has given it its rate: uses of no flow go. When the
 * promises fit the rates, it goes itself if it carries nothing any more. */
void carrier_closed(struct engine *e, uint32_t flow);
void carrier_end_if_empty(struct engine *e, uint32_t flow);
/* carrier_uses.c: a resource comes to be contended: before that, and when the others are counted;
 * or ceases to be. */
int carriers_spare(struct engine *e, struct resource *r, struct err *err);
int carriers_contend(struct engine *e, struct resource *r, struct err *err);
void carriers_uncontend(struct engine *e, struct resource *r);
/* The carried flows that use a contended resource, for which this carrier's flow stands there:
 * *flows, until the next call of this kind, and how many in *n. */
int carried_on(struct engine *e, const struct activity *flow, uint32_t resource,
               const uint32_t **flows, uint32_t *n, struct err *err);
/* The use of a carrier's flow of this resource, its number; NO_LIMITER: there is none. */
uint32_t carrier_use_of(const struct engine *e, const struct activity *flow, uint32_t resource);
/* Flows for which it stands there. */
uint32_t carrier_use_flows(const struct engine *e, const struct activity *flow, uint32_t k);
int carriers_check(const struct engine *e, struct err *err);     /* of engine_check */
void carried_leave(struct engine *e, uint32_t id);               /* gives back what it uses */
void carrier_end(struct engine *e, uint32_t flow, uint32_t *id); /* the first ends: as above */
void carrier_set_rate(struct engine *e, uint32_t flow, double rate);
int carriers_changed(const struct engine *e);
/* A flow comes, and is counted on the resources that have carried flows. 1 if many come to one of
 * them at this date, or did at the one before: what it can have is best told when all are there. */
int carriers_meet(struct engine *e, const struct activity *a);
/* The most that they can give a flow that arrives, and at which of its uses; INFINITY: it meets
 * none. */
double carriers_share(const struct engine *e, const struct activity *a, uint16_t *at);
/* An arriving flow, whose parts are reckoned, is carried from the first: 1; 0 if it may not be, -1.
 * Its rate is that of the carrier's flow, which is to be opened. */
int carrier_take(struct engine *e, uint32_t id, uint16_t at, struct err *err);
int carriers_grown(const struct engine *e);
int carriers_open(struct engine *e, struct err *err); /* in the repair: those that took flows */
/* After a solve: *again 1 when some flows are open, because they have more than they promised. */
int carriers_raise(struct engine *e, int *again, struct err *err);
void carriers_schedule(struct engine *e); /* then, when all is solved */
double carried_rate(const struct engine *e, const struct activity *a);
double carried_remaining(const struct engine *e, const struct activity *a);
uint32_t carrier_size(const struct engine *e, const struct activity *flow);
const struct activity *carrier_nth(const struct engine *e, const struct activity *flow, uint32_t i);

/* batch.c: flows that arrive together where nobody is */
void batch_free(struct batch *b);
/* Many flows arrive, or many events are due: do flows wait for all that arrive at this date? */
int batch_begins(struct engine *e);
static inline int batch_waits(struct engine *e)
{
	const uint32_t second = 4 *
	                        (QUEUE_ROOT - 2); /* children of the root: they and it are five */
	const event *next = e->queue.events + second;

	if (e->batch.date == e->now)
		return e->batch.waits;
	return e->queue.end >= second + 4 && event_date(next[0]) <= e->until &&
	       event_date(next[1]) <= e->until && event_date(next[2]) <= e->until &&
	       event_date(next[3]) <= e->until && batch_begins(e);
}
/* What has arrived is a batch, if it may be: 0 or -1. */
int batch_take(struct engine *e, struct err *err);
void batch_part(struct engine *e); /* one of its flows has ended */
/* Its flows, but those that end at this date, become flows as all others. */
int batch_open(struct engine *e, struct err *err);
/* Each of its flows is in the queue from now on: one may leave it that is not the next to end. */
void batch_scatter(struct engine *e);
/* A flow arrives: if it meets it, it is opened. */
void batch_meets(struct engine *e, const struct activity *a);
uint16_t batch_limiter(const struct engine *e, const struct activity *a); /* of one of its flows */
int batch_check(struct engine *e, struct err *err);                       /* of engine_check */

/* groups.c: the changes of a date, numbered: the arriving flows, then the dirty resources */
struct groups *groups_new(struct err *err);
void groups_free(struct groups *g);
/* 1: all changes are of one group, of which the other functions need not be asked; 0, or -1. */
int groups_make(struct engine *e, struct err *err);
int groups_leads(const struct engine *e, uint32_t i);     /* is change i the first of its group? */
uint32_t groups_next(const struct engine *e, uint32_t i); /* the next of its group, or NO_ID */

/* selective.c: SimGrid's sharing, for compat. Changes of a date are told as they come and applied
 * by selective_solve. */
struct selective *selective_new(struct err *err);
void selective_free(struct selective *s);
void selective_whole(struct selective *s); /* engine_compat_whole */
void selective_precision(struct selective *s, double time, double share);
int selective_start(struct engine *e, uint32_t id, const struct flow_spec *spec,
                    struct err *err); /* a flow begins, with or without latency */
int selective_enable(struct engine *e, uint32_t id, struct err *err); /* its latency is over */
int selective_end(struct engine *e, uint32_t id,
                  struct err *err); /* it is over: its slot is given back by the solve */
uint32_t selective_ended(const struct engine *e); /* whose slots are not free yet */
/* It has another bound or penalty. */
int selective_change(struct engine *e, uint32_t id, double bound, double penalty, struct err *err);
double selective_penalty(const struct engine *e, uint32_t id);
int selective_mark(struct engine *e, uint32_t resource, struct err *err); /* engine_compat_mark */
int selective_timer(struct engine *e, uint32_t id, double date,
                    struct err *err); /* a timer begins, to end at that date */
int selective_pending(const struct engine *e);
int selective_solve(struct engine *e, struct err *err);

/* ripple.c: a solve for so many changes is over, which was not small, or with rates that may be
 * wrong. */
enum { RIPPLE_SMALL = 128 };
void ripples_learn(struct engine *e, uint32_t changes);

/* repair.c: the general case */
struct repair *repair_new(struct err *err);
void repair_free(struct repair *p);
int repair_add(struct engine *e, uint32_t id, struct err *err); /* this flow's rate is open */
int repair_add_all(struct engine *e, uint32_t r,
                   struct err *err); /* so are those of all flows on r */
/* r lost a member: those that it limits may gain. */
int repair_touch(struct engine *e, uint32_t r, struct err *err);
/* The resources of a flow that have given out more than they have. */
int repair_touch_over(struct engine *e, uint32_t id, struct err *err);
uint32_t repair_size(const struct engine *e); /* flows opened so far */
/* 0, or -1; *size: flows that were open in the end. */
int repair_run(struct engine *e, uint32_t *size, struct err *err);

#endif
