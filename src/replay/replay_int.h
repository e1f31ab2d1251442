/* replay_int.h: what the files of this room share. */
#ifndef ORRERY_REPLAY_INT_H
#define ORRERY_REPLAY_INT_H

#include "base/slots.h"
#include "replay.h"

#include <assert.h>

enum { ENTRY_NONE = 0xffffffffu };

enum entry_kind {
	ENTRY_ONCE,       /* its request is gone when it is complete */
	ENTRY_PERSISTENT, /* of which a start makes one, or partitioned */
	ENTRY_FOUND       /* persistent, and inactive: a test that may fail has completed it */
};

/* A request that the trace knows: by number (ours) or by (source, destination, tag) (SimGrid's), of
 * which one is the rank. Entries of a rank form a list in the order of posting. 32 bytes: two in a
 * line of the cache. */
struct entry {
	struct mp_request req; /* MP_REQUEST_NULL: a test that may fail has completed it; a later
	                          wait names it (in SimGrid's traces and ours) */
	uint32_t next, prev;   /* in the rank's list; next also chains the free list */
	int32_t peer;          /* from, or to: of the key */
	int64_t number;        /* of the trace, or -1 */
	int32_t tag;           /* of the key */
	uint8_t receive;       /* a receive (old traces' wait takes the latest receive) */
	uint8_t persistent;    /* an enum entry_kind */
	uint8_t indexed; /* in by_number, if it has one; in by_key, if the rank is keyed; else it
	                    is one of the latest (request.c) */
	uint8_t rising;  /* its number is above those of all before it in the list */
};

/* What remains to be done when a blocked operation of a rank is complete. */
enum after {
	AFTER_NOTHING,
	AFTER_PROBE,
	AFTER_PROBE_POST,
	AFTER_TEST,
	AFTER_LOOK,
	AFTER_WAITANY,
	AFTER_COMM,
	AFTER_MPROBE,
	AFTER_CHOICE,
	AFTER_SPAWN,
	AFTER_BRIDGE
};

struct cursor {               /* one rank; kept small: there may be a million */
	uint32_t first, last; /* entries */
	uint32_t saved;       /* event saved for `after`, index into saved[], or ENTRY_NONE */
	uint8_t after;        /* enum after */
	uint8_t op;           /* of the event in progress, for messages */
	uint8_t ending : 2;   /* 0: in the trace; 1: waiting for leftovers; 2: finalizing */
	uint8_t fresh : 6;    /* so many of its latest entries are not indexed */
	uint8_t ahead : 1;    /* events come from its struct ahead (order.c) */
	uint8_t keyed : 1;    /* entries that are indexed are in by_key, too */
	uint32_t event;       /* number of the event in progress, from 1 */
};
static_assert(sizeof(struct cursor) == 20, "there may be a million");

struct ahead;
struct segment;
struct step;

struct region_use {    /* of a region of the trace */
	int32_t rates; /* its index there, or RATES_ANY */
	uint32_t id;   /* in regions */
	uint64_t times;
	double volume, seconds; /* of a core for itself */
};

struct recorded { /* of the computations of a rank so far: what operators take goes by it */
	double volume, seconds;
};

struct replay {
	struct trace *trace;
	const struct config *cfg;
	const struct mp *mp; /* the simulation, once it has used a file */
	struct replay_options options;
	uint32_t ranks;
	struct cursor *cursor;
	struct slots entry;      /* struct entry */
	int numbers_differ;      /* of the requests of a rank, always: the trace says so */
	struct hash64 by_number; /* rank << 32 | number -> entry that is indexed */
	struct hash64 by_key;    /* mixed rank and key -> the oldest entry with it (key.c) */
	struct kin *kin;         /* of each entry, by its id; made when there is a keyed rank */
	uint32_t cap_kin;
	struct hash64 by_message; /* rank << 32 | number of a matched message -> its handle */
	struct hash64 windows;    /* rank << 32 | number of the trace -> mp's window */
	struct hash64 files;      /* the same for files */
	struct hash64 comm;       /* trace communicator -> mp communicator */
	struct hash64 joined;     /* trace communicator -> how its members agree (comm.c) */
	struct hash64 spawnings;  /* trace communicator -> index in spawning (spawn.c) */
	struct spawning *spawning;
	uint32_t n_spawning, cap_spawning;
	struct hash64 ahead_of; /* rank -> index in ahead */
	struct hash64 first_of; /* rank << 32 | peer -> the first segment of the peer in the row of
	                           the rank */
	struct slots ahead, segment, step; /* order.c */
	uint32_t steps;                    /* of segments */
	struct slots saved; /* events of blocked operations that have something left to do */
	struct mp_request *scratch; /* requests of one wait */
	uint32_t cap_scratch;
	uint32_t *scratch_entry; /* the entries they came from */
	uint32_t cap_scratch_entry;
	uint32_t *members;
	uint32_t cap_members;
	struct trace_regions regions;
	struct region_use *region; /* of each of them */
	uint32_t cap_region;
	int32_t *rates_host; /* of each rank, or RATES_ANY; made when first needed */
	uint64_t seed;       /* of the noise; 0: nothing is random */
	struct rng *stream;  /* of each rank, of its computations at calibrated rates; NULL: nothing
	                        is random */
	struct recorded *recorded; /* by rank; NULL: durations of the trace are not used */
	uint64_t unknown_regions, beyond, no_host;
	double unknown_seconds, beyond_seconds, rated_seconds;
	double recorded_seconds, unrecorded_seconds; /* computed, where durations are used */
	int compat, simulate_computation;
	int simulated_order; /* of receives from any source */
	uint64_t
	    moved; /* messages that were taken before one that came earlier in the traced run */
	uint64_t actions, unknown_waits, consumed, leftovers, no_duration, extra, late;
	char unknown_place[256];
	char extra_place[256], late_place[256]; /* the first of lines with too many fields; of ranks
	                                           that go on after finalize */
};

/* --- place.c --- */
/* Where the rank is in its trace. */
const char *place_now(struct replay *r, uint32_t rank, char *buf, size_t n);
/* The same beside the number of its event. */
const char *place_beside(struct replay *r, uint32_t rank, char *buf, size_t n);
void count_action(struct replay *r);
/* Words an error at the rank's place in its trace. Returns -1. */
int replay_error(struct replay *r, uint32_t rank, struct err *err, const char *fmt, ...)
    __attribute__((cold, format(printf, 4, 5)));

/* --- saved.c: enum after --- */
static inline struct trace_event *saved_at(const struct replay *r, uint32_t i)
{
	return slots_at(&r->saved, i, sizeof(struct trace_event));
}
/* Keeps the event of a blocked operation for op_continue, */
int event_save(struct replay *r, uint32_t rank, const struct trace_event *ev, enum after after,
               struct err *err);
struct trace_event event_take(struct replay *r, uint32_t rank); /* and gives it back */

/* --- message.c --- */
uint8_t types_of(int32_t type); /* enum coll_types of a trace's type */
int event_peer_check(struct replay *r, uint32_t rank, int32_t peer, const char *what,
                     struct err *err);
double message_bytes(int64_t count, int64_t size); /* count < 0: HUGE_VAL */
/* What an event sends or receives, but for its communicator, */
void message_fields(const struct trace_event *ev, struct mp_message *m);
/* and with it. */
int event_message(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
                  int receive, struct mp_message *m, struct err *err);

/* --- key.c: outstanding requests by source, destination and tag, where there are many --- */
struct key {
	int32_t src, dst, tag;
};
static inline struct entry *entry_at(const struct replay *r, uint32_t e)
{
	return slots_at(&r->entry, e, sizeof(struct entry));
}
/* The entry of the rank has this key. */
static inline int key_is(const struct entry *p, uint32_t rank, const struct key *k)
{
	return p->tag == k->tag && (p->receive ? p->peer : (int32_t)rank) == k->src &&
	       (p->receive ? (int32_t)rank : p->peer) == k->dst;
}
/* Of a rank's entries, each younger than all that were added before. */
int key_add(struct replay *r, uint32_t rank, uint32_t e, struct err *err);
void key_remove(struct replay *r, uint32_t rank, uint32_t e);
/* The oldest of those added, or ENTRY_NONE. */
uint32_t key_find(const struct replay *r, uint32_t rank, const struct key *k);
/* The next younger one with the key of e, one of those added; or ENTRY_NONE. */
uint32_t key_next(const struct replay *r, uint32_t rank, uint32_t e, const struct key *k);
void keys_release(struct replay *r);

/* --- request.c --- */
void entries_init(struct replay *r);
int entry_add(struct replay *r, uint32_t rank, const struct trace_event *ev, struct mp_request req,
              int receive, struct err *err);
void entry_remove(struct replay *r, uint32_t rank, uint32_t e);
void unknown_wait_note(struct replay *r,
                       uint32_t rank); /* a wait or test for a request that does not exist */
uint32_t entry_by_number(const struct replay *r, uint32_t rank, int64_t number);
/* *out: the oldest with the key, ENTRY_NONE if none. */
int entry_by_key(struct replay *r, uint32_t rank, const struct key *k, uint32_t *out,
                 struct err *err);
/* SimGrid's replayer puts what a test has looked at behind the others with its key, unless an
 * earlier test had found it: then it is gone. */
int entry_tested(struct replay *r, uint32_t rank, uint32_t e, struct err *err);
void entry_consume(struct replay *r, uint32_t rank, uint32_t e);
uint32_t entry_latest(const struct replay *r, uint32_t rank, int receives_only);
/* Puts the requests into r->scratch and their entries into r->scratch_entry; returns how many, or
 * -1. Unknown ones are counted and skipped. */
int64_t entries_collect(struct replay *r, uint32_t rank, const int64_t *numbers, int64_t n,
                        struct err *err);
int64_t entries_collect_all(struct replay *r, uint32_t rank, struct err *err);
/* Forgets those of scratch_entry[0..n) that are not persistent. */
void entries_forget(struct replay *r, uint32_t rank, int64_t n);

/* Waits for a request, enum mp_status; one that is not known is counted and passed over. */
int entry_wait(struct replay *r, struct mp *mp, uint32_t rank, uint32_t e, struct err *err);
int wait_number(struct replay *r, struct mp *mp, uint32_t rank, int64_t number, struct err *err);

/* --- order.c: the order in which receives from any source get their messages --- */
/* The event is such a receive or probe, of which the trace says who answered. */
static inline int event_may_move(const struct replay *r, const struct trace_event *ev)
{
	return ev->flags & TRACE_WILD_SOURCE && r->simulated_order &&
	       (ev->op == TRACE_RECV || ev->op == TRACE_PROBE || ev->op == TRACE_IPROBE) &&
	       ev->peer >= 0;
}
/* The rank's next event is this one, which may move: from here on its events come from
 * ahead_next. */
void ahead_init(struct replay *r);
void ahead_release(struct replay *r);
int ahead_begin(struct replay *r, uint32_t rank, const struct trace_event *ev, struct err *err);
/* As trace_next, of the row of receives that the rank is at; AHEAD_CHOOSES: ahead_choose is to be
 * called first. The event that comes after the row ends it: the cursor is no longer ahead. */
enum { AHEAD_CHOOSES = 2 };
int ahead_next(struct replay *r, uint32_t rank, struct trace_event *ev, struct err *err);
int ahead_choose(struct replay *r, struct mp *mp, uint32_t rank,
                 struct err *err); /* enum mp_status; when done: ahead_chosen */
int ahead_chosen(struct replay *r, uint32_t rank, int32_t source, struct err *err);
/* mp_program.takes */
int ahead_takes(void *self, uint32_t rank, uint32_t source, int32_t tag, struct mp_message *m);

/* --- comm.c --- */
int comm_find(struct replay *r, struct mp *mp, uint32_t rank, uint64_t id, struct mp_comm *out,
              struct err *err);
int comm_event(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
               struct err *err);
/* What it leaves to do when its members have agreed, or have met. */
int comm_after(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
               struct err *err);
/* MPI_Intercomm_create goes on. */
int comm_bridge(struct replay *r, struct mp *mp, uint32_t rank, struct trace_event *ev,
                struct err *err);
int comm_join(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
              struct err *err);

/* --- spawn.c: MP_DONE, or REPLAY_HELD: the rank waits for others, without an operation --- */
enum { REPLAY_HELD = 2 };
int spawn_meet(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
               struct err *err);
void spawns_release(struct replay *r);

/* --- op.c: one event to operations of mp; returns enum mp_status --- */
int op_issue(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
             struct err *err);
/* What is left after the blocked operation of rank is complete. */
int op_continue(struct replay *r, struct mp *mp, uint32_t rank, struct err *err);
/* op_match.c */
int op_mprobe(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
              const struct mp_message *m, struct err *err);
int mprobe_found(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
                 struct err *err);
int op_mrecv(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
             struct err *err);
int op_part_init(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
                 const struct mp_message *m, struct err *err);
int op_part(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
            struct err *err);
/* op_win.c; and the numbers that ranks give to windows and files */
int op_window(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
              struct err *err);
int object_find(struct replay *r, uint32_t rank, const struct hash64 *table,
                const struct trace_event *ev, uint32_t *out, struct err *err);
int object_add(struct replay *r, uint32_t rank, struct hash64 *table, const struct trace_event *ev,
               uint32_t id, struct err *err);
void object_remove(uint32_t rank, struct hash64 *table, const struct trace_event *ev);
/* op_file.c */
int op_file(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
            struct err *err);
/* region.c: a definition; the seconds of a computation at calibrated rates; what a region took;
 * what the user should know */
int region_event(struct replay *r, uint32_t rank, const struct trace_event *ev, struct err *err);
int region_seconds(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
                   double *seconds, struct err *err);
void region_count(struct replay *r, uint32_t rank, const struct trace_event *ev, double seconds);
void region_notices(const struct replay *r, struct str *out);
/* op_coll.c */
int op_collective(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
                  struct err *err);
/* operator.c: a duration of the traced run, on the processor that the rank runs on here; of a
 * computation, for the operators that come later; mp_program.operates */
double duration_here(struct mp *mp, uint32_t rank, double duration);
static inline void recorded_add(struct replay *r, uint32_t rank, const struct trace_event *ev,
                                double seconds)
{
	if (!r->recorded)
		return;
	r->recorded_seconds += seconds;
	r->recorded[rank].volume += ev->volume;
	r->recorded[rank].seconds += ev->duration;
}
int operates(void *self, struct mp *mp, uint32_t rank, double volume, double *seconds,
             struct err *err);

#endif
