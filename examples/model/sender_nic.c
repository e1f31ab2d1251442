/* sender_nic.c: a communication model for Orrery: a message waits until its sender's network
 * interface is free, keeps it for bytes / bandwidth, and is there a latency later. Nothing else is
 * shared. Messages inside a host do not need the interface.
 *
 *   cc -shared -fPIC -I<prefix>/include -o sender_nic.so sender_nic.c
 *   orrery replay TRACE -p MACHINE --model $PWD/sender_nic.so:latency=2us,bandwidth=10GBps
 *
 * Without these settings latency and bandwidth are those of the route, at the date of sending: of
 * links that change nothing else is followed. */
#include <orrery/model.h>
#include <stdio.h>
#include <stdlib.h>

struct sender_nic {
	double latency, bandwidth; /* negative: the route's */
	double *free_at;           /* s: by host, the date at which its interface is free */
};

static int start(struct orrery_net *net, void **state)
{
	struct sender_nic *m = calloc(1, sizeof *m);

	*state = m;
	if (!m)
		return orrery_fail(net, "not enough memory");
	m->latency = m->bandwidth = -1;
	if (orrery_setting(net, "latency") &&
	    orrery_number(net, "latency", ORRERY_UNIT_TIME, 0, &m->latency) < 0)
		return -1;
	if (orrery_setting(net, "bandwidth") &&
	    orrery_number(net, "bandwidth", ORRERY_UNIT_BANDWIDTH, 0, &m->bandwidth) < 0)
		return -1;
	if (m->bandwidth == 0)
		return orrery_fail(net, "bandwidth=0: nothing would ever arrive");
	m->free_at = calloc(orrery_hosts(net), sizeof *m->free_at);
	return m->free_at ? 0 : orrery_fail(net, "not enough memory");
}

static void stop(void *state)
{
	struct sender_nic *m = state;

	free(m->free_at);
	free(m);
}

/* Latency, and the time that the bytes take. */
static int cost(struct orrery_net *net, const struct sender_nic *m, uint32_t from, uint32_t to,
                double bytes, double *latency, double *transfer)
{
	struct orrery_route route;
	double bandwidth = m->bandwidth;

	if (orrery_route_find(net, from, to, &route) < 0)
		return -1;
	if (bandwidth < 0)
		bandwidth = route.bandwidth; /* 0: no link at all, no transfer */
	*latency = m->latency < 0 ? route.latency : m->latency;
	*transfer = bandwidth > 0 ? bytes / bandwidth : 0;
	return 0;
}

static int message(struct orrery_net *net, void *state, uint32_t from, uint32_t to, double bytes,
                   uint64_t ticket)
{
	struct sender_nic *m = state;
	double latency, transfer, now = orrery_now(net), begin = now;

	if (cost(net, m, from, to, bytes, &latency, &transfer) < 0)
		return -1;
	latency *= orrery_noise(net);
	transfer *= orrery_noise(net);
	if (from != to) {
		if (m->free_at[from] > now)
			begin = m->free_at[from];
		m->free_at[from] = begin + transfer;
	}
	if (begin > now)
		orrery_part(net, ticket, now, "waits for the sender's interface");
	orrery_part(net, ticket, begin, "on the sender's interface");
	orrery_part(net, ticket, begin + transfer, "latency");
	return orrery_start_timer(net, begin - now + transfer + latency, ticket);
}

static void explain(struct orrery_net *net, void *state, uint32_t from, uint32_t to, double bytes,
                    char *buf, size_t n)
{
	double latency, transfer;
	char name[128];

	if (cost(net, state, from, to, bytes, &latency, &transfer) < 0)
		return;
	snprintf(buf, n,
	         "the interface of %s is busy with it for %g s, then it is there after %g s.",
	         orrery_host_name(net, from, name, sizeof name), transfer, latency);
}

const struct orrery_model orrery_model_entry = {
    .abi = ORRERY_MODEL_ABI,
    .size = sizeof(struct orrery_model),
    .name = "sender-nic",
    .help = "messages queue at their sender's network interface",
    .init = start,
    .release = stop,
    .message = message,
    .explain = explain,
    .follows = ORRERY_FOLLOWS_NOISE,
};
