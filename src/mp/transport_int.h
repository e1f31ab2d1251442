/* transport_int.h: the seam between what a message means and how it travels. */
#ifndef ORRERY_MP_TRANSPORT_INT_H
#define ORRERY_MP_TRANSPORT_INT_H

#include "mp_int.h"

/* How messages travel: by themselves (transport/plain.c), over connections (transport/stream.c),
 * through ports (transport/port.c). Chosen once, by settings and model (mp.c). Functions return 0,
 * or -1 with *err set; what is optional is NULL where there is nothing to do. */
struct mp_transport {
	/* 1: this one, its state is made; 0: not under these settings and this model. */
	int (*init)(struct mp *mp, const struct host_id *host, struct err *err);
	void (*release)(struct mp *mp); /* optional */
	/* Optional: a send goes to its rank's port, which posts it at once, and takes the rank's
	 * time in place of overheads; wakes: the rank is blocked until the port has done its part.
	 */
	int (*send)(struct mp *mp, uint32_t send, int wakes, struct err *err);
	/* A send is posted. It has found its receive (mate), `matched` comes next; or it is queued.
	 */
	int (*post)(struct mp *mp, uint32_t send, uint32_t mate, struct err *err);
	/* Its two sides are there. It has not arrived, but may move. */
	int (*matched)(struct mp *mp, uint32_t send, struct err *err);
	void (*received)(struct mp *mp, uint32_t rank); /* optional: a rank posts a receive */
	int (*event)(struct mp *mp, enum event_kind kind, uint32_t slot, struct err *err);
	/* Optional: a rank is in a call, and sees what has come for it. */
	int (*looks)(struct mp *mp, uint32_t rank, struct err *err);
	/* Optional: a rank that has waited goes on, and sees what came while it reacted. */
	int (*reacts)(struct mp *mp, uint32_t rank, struct err *err);
	/* Optional: a computation, where it is not the host's affair alone. EVENT_RANK ends it. */
	int (*compute)(struct mp *mp, uint32_t rank, double volume, struct err *err);
	/* Optional: EVENT_SENT ends the part of the message that its sender waits for. */
	int (*splits)(const struct mp *mp, uint32_t send);
	/* Optional: a send that has no receive yet cannot be cancelled. */
	int (*keeps)(const struct mp *mp, uint32_t send);
	uint8_t own_overheads; /* the model has them, and the threshold */
	uint8_t ordered;   /* what a pair sends goes in order: eager messages too may have to wait,
	                      and of a sendrecv the receive is posted first, as libraries do */
	uint8_t short_way; /* calls may take it (short.c) */
	uint8_t alike;     /* messages that begin together may be one (segments.c) */
};
extern const struct mp_transport transport_plain, transport_streams, transport_ports;

static inline int rank_looks(struct mp *mp, uint32_t rank, struct err *err)
{
	return mp->transport->looks ? mp->transport->looks(mp, rank, err) : 0;
}
static inline int rank_reacts(struct mp *mp, uint32_t rank, struct err *err)
{
	return mp->transport->reacts ? mp->transport->reacts(mp, rank, err) : 0;
}

#endif
