/* observe.c: tells the observers. Never called when there are none. */
#include "mp/comm/comm.h"
#include "report.h"

#include <stdlib.h>

int mp_observe(struct mp *mp, const struct mp_observer *o, struct err *err)
{
	struct mp_observer *all = vec_grow(mp->observers.at, &mp->observers.cap, sizeof *all,
	                                   (size_t)mp->observers.n + 1, "observers", err);

	if (!all)
		return -1;
	mp->observers.at = all;
	all[mp->observers.n++] = *o;
	mp->observers.of_messages += o->message != NULL;
	return 0;
}

void observe_begin(struct mp *mp)
{
	for (uint32_t i = 0; i < mp->observers.n; i++) {
		const struct mp_observer *o = &mp->observers.at[i];

		if (o->begin)
			o->begin(o->self);
	}
}

void observe_enter(struct mp *mp, uint32_t rank, enum mp_call call)
{
	double now = engine_now(mp->engine);
	uint32_t i;

	for (i = 0; i < mp->observers.n; i++) {
		const struct mp_observer *o = &mp->observers.at[i];

		if (o->enter)
			o->enter(o->self, rank, call, now);
	}
}

void observe_leave(struct mp *mp, uint32_t rank, enum mp_call call, int32_t partner, double bytes,
                   double waited)
{
	double now = engine_now(mp->engine);
	uint32_t i;

	for (i = 0; i < mp->observers.n; i++) {
		const struct mp_observer *o = &mp->observers.at[i];

		if (o->leave)
			o->leave(o->self, rank, call, now, partner, bytes, waited);
	}
}

static void arrival_tell(struct mp *mp, const struct mp_arrival *m)
{
	for (uint32_t i = 0; i < mp->observers.n; i++) {
		const struct mp_observer *o = &mp->observers.at[i];

		if (o->message)
			o->message(o->self, m);
	}
}

void observe_message(struct mp *mp, uint32_t send)
{
	const struct req *s = &mp->reqs[send];

	arrival_tell(mp, &(struct mp_arrival){.from = s->rank,
	                                      .to = s->peer,
	                                      .tag = s->tag,
	                                      .comm = {s->ctx & CTX_SLOT},
	                                      .bytes = s->bytes,
	                                      .sent = s->posted,
	                                      .moved = s->moved,
	                                      .received = engine_now(mp->engine),
	                                      .transfer = send,
	                                      .coll = (s->ctx & CTX_COLL) != 0});
}

void observe_leg(struct mp *mp, uint32_t slot, const struct leg_call *leg, double posted,
                 double moved)
{
	arrival_tell(mp, &(struct mp_arrival){.from = leg->from,
	                                      .to = leg->to,
	                                      .tag = leg->tag,
	                                      .comm = {leg->ctx & CTX_SLOT},
	                                      .bytes = leg->bytes,
	                                      .sent = posted,
	                                      .moved = moved,
	                                      .received = engine_now(mp->engine),
	                                      .transfer = slot});
}

int observe_comm(struct mp *mp, struct mp_comm comm, struct err *err)
{
	const struct comm *c = comm_at(mp, comm.v);
	uint32_t i, *members = malloc(c->n * sizeof *members);

	if (!members)
		return err_nomem(err, "members of a communicator", c->n * sizeof *members);
	for (i = 0; i < c->n; i++)
		members[i] = comm_member(c, i);
	for (i = 0; i < mp->observers.n; i++) {
		const struct mp_observer *o = &mp->observers.at[i];

		if (o->comm)
			o->comm(o->self, comm, members, c->n);
	}
	free(members);
	return 0;
}
