/* critical.h: what critical.c (which listens) and critical_text.c (which prints) share. */
#ifndef ORRERY_OBSERVE_CRITICAL_H
#define ORRERY_OBSERVE_CRITICAL_H

#include "explain_int.h"

/* A rank, and its path up to now. */
struct reach {
	uint32_t path;
	double until; /* s: the path's end */
	/* Of the call under way; call < 0: between two. */
	int call;
	double executing; /* since when it computes, or negative */
	uint8_t whole;    /* it is a collective that the model decides */
	uint8_t followed; /* a wait in it was put down to a message */
	/* Through the last message that it waited for, or through the rank that came last to a
	 * collective which the model decides; or PATH_NONE. */
	uint32_t got;
	uint8_t got_whole;
	double got_at;
	double computed; /* s, from 0 on */
	/* Of its looks in a row that found nothing: since when, or negative; their call; the end of
	 * its last sleep between them. */
	double looks, slept;
	int look;
	double entered; /* of the call under way */
};

/* A message under way, and the path to the date at which it began to move. */
struct flight {
	uint32_t path;
	uint32_t from, to;
	uint64_t number;
	double began, arrived; /* s; negative: not yet */
	double latency, alone; /* s, if nothing else were there; negative: not known */
	int call;              /* that it began in; negative: none */
};

struct critical {
	struct mp *mp;
	struct net *net;
	struct paths *paths;
	struct reach *ranks;
	uint32_t n_ranks;
	struct {
		struct flight *at; /* by slot */
		uint32_t n, cap;
	} flights[2]; /* messages; those that match nothing */
	uint64_t begun;
	struct explained_path told; /* its end and last rank underway, the rest at the end */
	int failed;
};

struct critical *critical_new(struct mp *mp, struct err *err);
void critical_free(struct critical *c);
struct mp_observer critical_observer(struct critical *c);
struct mp_watch critical_watch(struct critical *c);
int critical_end(struct critical *c, struct err *err);
/* critical_text.c */
void critical_text(const struct explained_path *p, struct str *out);
void critical_json(const struct explained_path *p, struct json *j); /* the fields of an object */

#endif
