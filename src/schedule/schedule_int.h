/* schedule_int.h: what the files of this room share. */
#ifndef ORRERY_SCHEDULE_INT_H
#define ORRERY_SCHEDULE_INT_H

#include "schedule.h"

/* --- agenda.c: what happens when --- */

/* Dates are picoseconds, so that those which are equal are so whatever sums they are of. */
enum happening { HAPPEN_READY, HAPPEN_ARRIVE, HAPPEN_LOOK };

struct happening_at {
	uint64_t date;
	uint32_t op; /* HAPPEN_LOOK: the processor */
	uint32_t what : 2, rank : 30;
};

/* A radix heap (Ahuja, Mehlhorn, Orlin, Tarjan, "Faster algorithms for the shortest path problem",
 * JACM 1990): dates never go back, and what has one date comes out as it was put in. A part that
 * is used up gives its room to the next that needs some. */
struct agenda_part {
	struct happening_at *item;
	uint32_t n, cap;
};
struct agenda {
	uint64_t last;   /* date of what came out last */
	uint32_t taken;  /* of part[0] */
	uint64_t filled; /* parts 1 to 64 that are not empty: bits 0 to 63 */
	struct agenda_part part[65];
	struct agenda_part spare[65]; /* room that no part has now */
	uint32_t n_spare;
};
/* Room for one more. 0; -1: no memory. */
int agenda_grow(struct agenda *a, struct agenda_part *p, struct err *err);
static inline int agenda_add(struct agenda *a, const struct happening_at *h, struct err *err)
{
	uint64_t differ = h->date ^ a->last;
	int at = differ ? 64 - __builtin_clzll(differ) : 0;
	struct agenda_part *p = &a->part[at];

	if (p->n == p->cap && agenda_grow(a, p, err) < 0)
		return -1;
	p->item[p->n++] = *h;
	if (at > 0)
		a->filled |= 1ull << (at - 1);
	return 0;
}
/* Makes part[0] the next date's, when it is used up. 1; 0: there is nothing more; -1. */
int agenda_advance(struct agenda *a, struct err *err);
void agenda_release(struct agenda *a);

/* --- meet.c: messages and receives --- */

/* What waits at one rank for or from one source with one tag: the last receive that is posted, the
 * last message that has arrived, plus one; or 0. Each is a ring in the order in which they came. */
struct meeting {
	uint64_t key;
	uint32_t last[2]; /* messages, receives; both 0: an empty place */
};
struct meet {
	struct meeting *place; /* open addressing, linear probing */
	uint32_t n, mask;
	uint8_t *any; /* of each rank, if it receives of any source, or tag; NULL: none does */
};
int meet_init(struct meet *m, const struct trace_schedule *s, struct err *err);
void meet_release(struct meet *m);
/* A receive that is posted, or the send whose message has arrived: the other side, which waits no
 * longer; or SCHEDULE_NONE, and it waits. -1: memory. */
int meet(struct meet *m, struct trace_schedule *s, uint32_t op, uint32_t *other, struct err *err);
/* Will be called for op soon. */
void meet_soon(const struct meet *m, const struct schedule_op *op);

/* --- path.c: the critical path, going forward --- */

/* Whatever has a date has with it how much was computed up to then on its critical path (Yang and
 * Miller, 1988); that goes on to what it lets begin, as mp/path.c does it for ranks. So the last
 * date tells it of the run, and nothing is walked back along (trail.c tells more, of who asks).
 *
 * It is counted in units of what all ranks compute, of which 32 bits hold all. Each computation is
 * rounded to them: of n operations the part of the time is off by n / 2^33 at most. */
struct path {
	double units; /* in one of dates */
};
/* unit: as of schedule_run; second: in those of dates. */
void path_init(struct path *p, const struct trace_schedule *s, const double *unit, double second);
double path_dates(const struct path *p, uint32_t path);
static inline uint32_t path_units(const struct path *p, double dates)
{
	return (uint32_t)(int64_t)(dates * p->units + 0.5);
}

/* --- freed.c: what becomes ready --- */

/* Operations that what happens makes ready, until they are taken. */
struct freed {
	uint32_t *id;
	uint32_t n, cap;
	/* Of each operation that waits for several dates, the path of the latest that was told;
	 * NULL: dates are told in order. */
	uint32_t *paths;
	struct schedule_trail *trail; /* or NULL */
};
int freed_add(struct freed *f, uint32_t id, struct err *err);
/* Tells those that wait for the start of an operation (start), or for its end, which is at `date`,
 * with that path: they start no sooner, and are freed when they wait for nothing else, with the
 * path of what they waited for last. */
struct told {
	uint64_t date;
	uint32_t path;
	int start;
};
int freed_tell(struct freed *f, struct trace_schedule *s, uint32_t id, struct told told,
               struct err *err);
/* By ranks, of each its sends, receives, computations; of these as they were freed. Of more than
 * 16, all ranks but the lowest are one. */
int freed_sort(struct freed *f, const struct trace_schedule *s, struct err *err);
/* In LogGOPSim's order, which is another where more than 16 of a rank are ready; of two ranks at
 * most. */
int freed_sort_as_loggopsim(struct freed *f, const struct trace_schedule *s, struct err *err);
void freed_release(struct freed *f);

/* A schedule's receives have no limit; what is longer is told. */
static inline void longer_note(const struct trace_schedule *s, uint32_t send, uint32_t recv,
                               struct schedule_result *out)
{
	if (s->op[send].size <= s->op[recv].size)
		return;
	if (out->longer++ == 0) {
		out->long_send = send;
		out->long_receive = recv;
	}
}

/* --- trail.c: what is noted of a run --- */

/* It waited last for the start, or end, of `by`. */
void trail_freed(struct schedule_trail *t, uint32_t id, uint32_t by, int start);
/* It was ready at one date, and what it wants was its own, or a receive posted, at another: because
 * the processor was free then (cpu), or the interface. */
void trail_ready(struct schedule_trail *t, const struct trace_schedule *s, uint32_t id,
                 double ready, double posted, int cpu);
/* Who begins with an operation, or to take in its message, which has arrived (taking). for_cpu: if
 * that had waited, it was for the processor, not for the interface. */
struct trail_place {
	uint32_t rank, cpu;
	uint8_t taking, for_cpu;
};
void trail_begin(struct schedule_trail *t, const struct trace_schedule *s, uint32_t id,
                 const struct trail_place *on, double now);
/* late: because the receive was posted. */
void trail_met(struct schedule_trail *t, uint32_t send, uint32_t recv, int late);

/* --- busy.c: how long ranks compute, and are at messages --- */

/* Of a rank, in one unit of time: what is counted up to `upto`; until when what has begun lasts;
 * how many of its messages move, of which that is not known. */
struct busy {
	double upto, computing, working;
	uint32_t moving;
};
/* One of each rank. */
int busy_init(struct busy **all, const struct trace_schedule *s, struct err *err);
/* A processor begins to work now, until that date, or a message that the rank waits for to move;
 * until now: it has not ended yet. No date goes back. */
void busy_begin(struct busy *b, int computes, double now, double until,
                struct schedule_result *out);
/* A message that it waits for moves from now on (1), or no longer (-1). */
void busy_moves(struct busy *b, int more, double now, struct schedule_result *out);
/* All that is left, up to the end of the run. */
void busy_end(struct busy *all, uint32_t ranks, double end, struct schedule_result *out);

#endif
