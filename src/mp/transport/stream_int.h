/* stream_int.h: what connections keep: stream_state.c makes it, stream.c moves messages with it. */
#ifndef ORRERY_MP_STREAM_INT_H
#define ORRERY_MP_STREAM_INT_H

#include "first_contact.h"
#include "mp/mp_int.h"

enum piece_kind { PIECE_REQUEST, PIECE_REPLY, PIECE_FIRST, PIECE_REST };
struct piece {
	uint32_t send, next;
	uint8_t kind;
	double bytes;         /* of data */
	double since;         /* date at which it was handed to the connection */
	double factor;        /* noise */
	uint8_t worked;       /* processors have done their part of its latency */
	double polling_delay; /* s that it is there before the progress engine polls it */
	double short_;        /* s that a reaction to it takes longer than its latency */
};
struct stream {
	uint32_t first, last;
	uint32_t data;          /* messages that are posted and have not passed */
	uint32_t to, next_held; /* rank; next of those that it has not seen yet */
	uint8_t held;           /* it has not seen it */
	double open;            /* date from which on it is there */
};
struct streams {
	double buffer, setup;
	double period; /* s between a rank's looks for connections, as long as it has none */
	double work;   /* s of a processor that virtual hosts share, for each message that does not
	                  follow another; 0: none */
	struct hash64 by_pair; /* from << 32 | to */
	struct stream *stream;
	uint32_t n, cap;
	struct slots pieces;           /* struct piece */
	struct first_contact *contact; /* by rank */
	uint32_t *unpolled; /* by rank: requests and replies that have come, not polled yet */
	double notice;      /* s from what comes to the reaction of a rank that waits; 0: none */
	double notice_deviation; /* of its logarithm */
	struct reaction {
		double until; /* it has reacted to what came last */
		int let_go;   /* that came in the wait that it is in */
	} * reacts;           /* by rank */
	struct rng *delays; /* by rank: random stream of its polling delays; NULL: each is `notice`
	                     */
};

static inline struct streams *streams_of(const struct mp *mp)
{
	return mp->transport_state;
}

static inline struct piece *piece_at(const struct streams *s, uint32_t id)
{
	return slots_at(&s->pieces, id, sizeof(struct piece));
}

/* stream_state.c: init and release of the transport. */
int streams_init(struct mp *mp, const struct host_id *host, struct err *err);
void streams_release(struct mp *mp);

#endif
