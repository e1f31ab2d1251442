/* port.c: messages through ports: models in which a message takes time of the processors and
 * interfaces of its two ranks (LogGPS). A rank asks its port before it sends or computes, and goes
 * on when the port has done its part; overheads and the threshold are the model's. */
#include "mp/message/message.h"
#include "mp/noise/noise.h"
#include "mp/report/watch.h"
#include "mp/transport_int.h"
#include "net/ports.h"

#include <stdlib.h>

struct ports {
	const struct net_ports *model;
	void *state; /* the model's */
};

/* A model with ports has overheads and a threshold of its own: a user's are refused, those of a
 * platform are for the other models. */
static int settings_check(struct mp *mp, const struct ports *p, struct err *err)
{
	static const enum config_id others[] = {
	    CFG_SMPI_EAGER, CFG_SMPI_DETACHED, CFG_SMPI_OS,       CFG_SMPI_OR,
	    CFG_SMPI_OIS,   CFG_SMPI_OS_LOCAL, CFG_SMPI_OR_LOCAL, CFG_SMPI_OIS_LOCAL};

	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
		if (config_from(mp->cfg, others[i]) == CFG_FROM_USER)
			return err_set(err, ERR_INPUT,
			               "setting %s has no effect under model %s, "
			               "which has its own overheads and threshold",
			               config_table[others[i]].name,
			               config_text(mp->cfg, CFG_NET_MODEL));
	}
	mp->eager = mp->detached = p->model->eager(p->state) + 1; /* sizes are whole bytes */
	return 0;
}

static int ports_init(struct mp *mp, const struct host_id *host, struct err *err)
{
	struct ports *p;

	if (!net_ports(mp->net))
		return 0;
	mp->transport_state = p = malloc(sizeof *p);
	if (!p)
		return err_nomem(err, "ports", sizeof *p);
	*p = (struct ports){net_ports(mp->net), net_state(mp->net)};
	if (settings_check(mp, p, err) < 0 ||
	    p->model->add(mp->net, p->state, host, mp->n_ranks, err) < 0)
		return -1;
	return 1;
}

static void ports_release(struct mp *mp)
{
	free(mp->transport_state);
}

static int port_send(struct mp *mp, uint32_t r, int wakes, struct err *err)
{
	const struct ports *p = mp->transport_state;
	struct req *q = &mp->reqs[r];
	struct port_send s = {
	    .slot = r,
	    .from = q->rank,
	    .to = q->peer,
	    .stretch = mp->noise ? noise_message(mp->noise, q->rank, q->bytes) : 1,
	    .bytes = q->bytes,
	    .sent = wakes ? event_user(EVENT_RANK, q->rank) : 0,
	    .arrived = event_user(EVENT_MESSAGE, r),
	    .complete = q->flags & REQ_DETACHED ? 0 : event_user(EVENT_SENT, r),
	    .batch = (q->flags & REQ_ISEND) != 0,
	};

	q->flags |= REQ_MOVING;
	q->moved = engine_now(mp->engine);
	mp->stats.messages++;
	mp->stats.bytes += q->bytes;
	q->path = *path_now(mp);
	q->posted = q->moved; /* which it is in a moment; the watch wants it now */
	watch_begins(mp, r);
	return p->model->send(mp->net, p->state, &s, err) < 0 ? -1 : transfer_post(mp, r, err);
}

/* It moves since it was sent. */
static int port_post(struct mp *mp, uint32_t send, uint32_t mate, struct err *err)
{
	(void)mp, (void)send, (void)mate, (void)err;
	return 0;
}

static int port_matched(struct mp *mp, uint32_t send, struct err *err)
{
	const struct ports *p = mp->transport_state;
	int waited = mp->reqs[send].flags & REQ_DETACHED
	                 ? 0
	                 : p->model->matched(mp->net, p->state, send, err);

	if (waited > 0)
		mp->reqs[send].path = *path_now(mp);
	return waited < 0 ? -1 : 0;
}

static void port_received(struct mp *mp, uint32_t rank)
{
	const struct ports *p = mp->transport_state;

	p->model->received(p->state, rank);
}

static int port_event(struct mp *mp, enum event_kind kind, uint32_t send, struct err *err)
{
	return kind == EVENT_SENT ? transfer_sent(mp, send, err) : transfer_end(mp, send, 0, err);
}

static int port_compute(struct mp *mp, uint32_t rank, double volume, struct err *err)
{
	const struct ports *p = mp->transport_state;

	return p->model->compute(mp->net, p->state, rank, volume, event_user(EVENT_RANK, rank),
	                         err);
}

static int port_keeps(const struct mp *mp, uint32_t send)
{
	return (mp->reqs[send].flags & (REQ_MOVING | REQ_ARRIVED)) == REQ_MOVING;
}

const struct mp_transport transport_ports = {
    .init = ports_init,
    .release = ports_release,
    .send = port_send,
    .post = port_post,
    .matched = port_matched,
    .received = port_received,
    .event = port_event,
    .compute = port_compute,
    .keeps = port_keeps,
    .own_overheads = 1,
    .short_way = 1,
};
