/* explain_int.h: what explain.c and explain_track.c, which listen, and explain_text.c, which
 * prints, share. */
#ifndef ORRERY_OBSERVE_EXPLAIN_INT_H
#define ORRERY_OBSERVE_EXPLAIN_INT_H

#include "observe.h"

enum { NOBODY = 0xffffffffu };
struct amount {
	enum cause cause;
	uint32_t which;
	double seconds;
};
struct amounts {
	struct amount *all;
	uint32_t n, cap;
	struct hash64 places; /* by cause and which */
};

/* A stretch of a message's life, up to the next one. */
struct segment {
	double from;
	enum cause cause;
	uint32_t which;
	/* Of a message that is explained itself: its rate, and the flows that use the resource
	 * besides. Else 0: they change at every date, which a rank's time does not ask for. */
	uint32_t others;
	double rate;
};

struct sharer {
	uint32_t from, to;
	double seconds;
	uint32_t resource;
	uint32_t next;         /* of the same ranks on another resource, or NOBODY */
	uint8_t present, acks; /* acks: it is there with its acknowledgements alone */
};

/* A message that is followed. */
struct track {
	struct mp_transfer t;
	double began, arrived, done; /* s; negative: not yet */
	struct segment *segs;
	uint32_t n, cap;
	uint32_t place; /* among the live ones */
	uint32_t next_free;
};

struct choice {
	char text[320]; /* "MPI_Allreduce on 16 ranks: rdb, chosen by …" */
	uint64_t times;
	double seconds;
};

struct critical; /* of critical.h */
struct explainer {
	uint8_t is_path;            /* the critical path is asked for, */
	struct explained_path path; /* and critical is NULL: it was found without MPI */
	uint8_t of_links; /* what went over links is asked for, which the engine counts, and nothing
	                     of what follows */
	double links_end; /* of links without mp: s */
	struct critical *critical; /* the critical path is asked for, and nothing of what follows;
	                              or NULL */
	struct mp *mp;
	struct engine *engine;
	struct net *net;
	struct mp_watch watch;
	/* what */
	int of_message;
	uint32_t rank;          /* of a rank */
	uint32_t from, to;      /* of a message: NOBODY: of any */
	uint64_t number, begun; /* which of them, from 1; how many have begun */
	/* messages under way that are followed */
	struct track_slots {
		uint32_t *track, n; /* by slot: track + 1, or 0 */
	} slots[2];                 /* messages; those that match nothing */
	struct track *tracks;
	uint32_t n_tracks, tracks_cap, free_track;
	uint32_t *live, n_live, live_cap;
	/* of a rank */
	struct track last; /* what its wait got last */
	int has_last;
	double released;     /* when it got that */
	struct track before; /* what a message that begins answers to */
	struct amounts amounts;
	double entered, executing; /* of the call under way; executing < 0: no */
	double waits, late;        /* of it: attributed so far, of which to late peers */
	enum mp_call call;
	int whole;
	int loose; /* of a wait in it nothing is known */
	struct {
		double missed;      /* s of its looks in a row that found nothing, */
		double last, since; /* and of the last one, of which nothing is known yet */
		int row;
	} looks;
	uint32_t call_choice;
	uint32_t came_last; /* to its collective that the model decides, or NOBODY */
	double end, longest_wait[8];
	struct choice *choices;
	uint32_t n_choices, choices_cap;
	char (*bounds)[160]; /* names of bounds and parts */
	uint32_t n_bounds, bounds_cap;
	/* of a message */
	struct track found;
	int has_found;
	struct sharer *sharers;
	uint32_t n_sharers, sharers_cap, users_cap;
	struct hash64 sharers_at;    /* by their ranks: the last that was added */
	struct resource_user *users; /* of a link that is looked at */
	double looked;               /* date of the last look at who shares */
	int failed;                  /* memory ran out */
};

/* Of a rank that looks again and again (struct mp_watch: looked). MPI_Improbe is a look, and then
 * takes what it found. */
static inline int call_is_look(enum mp_call c)
{
	return (c >= CALL_TEST && c <= CALL_TESTSOME) || c == CALL_IPROBE || c == CALL_MPROBE ||
	       c == CALL_PARRIVED;
}
/* Between two looks of a row it may sleep, and compute no longer than this, s: more is work. */
#define LOOKS_APART 1e-6

/* explain_track.c: the track of a message under way, or NULL; what the run tells of messages. */
struct track *track_of(struct explainer *x, uint32_t slot);
void track_copy(struct explainer *x, struct track *to, const struct track *from);
void track_drop(struct explainer *x, struct track *t);
void track_begins(void *self, const struct mp_transfer *m, double date);
void track_moves(void *self, uint32_t slot, struct activity_id a);
void track_part(void *self, uint64_t user, double from, const char *name); /* of struct net_parts */
void track_matched(void *self, uint32_t slot, double posted, double date);
void track_arrived(void *self, uint32_t slot, double date);
void track_settled(void *self, double date); /* of the engine: at the end of a date */

/* links.c: of a run that lasted so long. */
void links_text(struct net *n, double makespan, struct str *out);
void links_json(struct net *n, double makespan, struct json *j); /* a key of an open object */
double explain_total(const struct explainer *x);

#endif
