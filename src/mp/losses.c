/* losses.c: what a program loses when the machine turns a host or a link off: the run ends, with
 * who, where and when. Fault-tolerant MPI is not simulated, so nobody would go on. */
#include "mp/report/report.h"

static int host_off(void *self, struct host_id h, const char *by, struct err *err)
{
	struct mp *mp = self;
	char name[256];

	for (uint32_t i = 0; i < mp->n_ranks; i++) {
		if (mp->ranks[i].host.v == h.v && !mp->ranks[i].ended)
			return mp_error(
			    mp, i, err, "its host '%s' is off (%s)",
			    platform_host_name(net_platform(mp->net), h, name, sizeof name), by);
	}
	return 0;
}

static int message_lost(void *self, uint64_t user, const char *why, struct err *err)
{
	struct mp *mp = self;
	uint32_t send = (uint32_t)user;
	char text[REQ_TEXT_MAX];

	return mp_error(mp, mp->reqs[send].rank, err, "%s while a message crosses it: %s", why,
	                req_describe(mp, send, text, sizeof text));
}

int losses_init(struct mp *mp, struct err *err)
{
	const struct net_watch watch = {mp, host_off, message_lost};

	return net_watch(mp->net, &watch, err);
}

int message_refused(struct mp *mp, uint32_t send, struct err *err)
{
	struct err why = *err;
	char text[REQ_TEXT_MAX];

	if (why.kind != ERR_PROGRAM)
		return -1;
	return mp_error(mp, mp->reqs[send].rank, err, "%s and a message would cross it: %s",
	                why.text, req_describe(mp, send, text, sizeof text));
}
