/* operator.c: what operators of reductions take whose volume the trace has: as long as a
 * computation of the rank's with that volume. Traces have no durations of them; where durations are
 * replayed an operator goes at the rate of its rank's computations so far. */
#include "replay_int.h"

double duration_here(struct mp *mp, uint32_t rank, double duration)
{
	const struct platform *p = net_platform(mp_net(mp));
	const struct host_id h = mp_host(mp, rank);

	return duration / (platform_host_ratio(p, h) * platform_speed_scale(p, h));
}

/* -1: there were no computations. */
static double recorded_seconds(struct replay *r, uint32_t rank, double volume)
{
	const struct recorded *own = r->recorded ? &r->recorded[rank] : NULL;

	if (own && own->volume > 0)
		return volume * (own->seconds / own->volume);
	r->no_duration++;
	return -1;
}

static int operator_by_rates(struct replay *r, struct mp *mp, uint32_t rank, double volume,
                             double *seconds, struct err *err)
{
	struct trace_event ev;

	trace_event_init(&ev, TRACE_COMPUTE); /* of no region */
	ev.volume = volume;
	if (region_seconds(r, mp, rank, &ev, seconds, err) < 0)
		return -1;
	*seconds /= platform_speed_scale(net_platform(mp_net(mp)), mp_host(mp, rank));
	return 1;
}

int operates(void *self, struct mp *mp, uint32_t rank, double volume, double *seconds,
             struct err *err)
{
	struct replay *r = self;
	const struct basis *b = r->options.basis;
	int recorded = r->options.computation == REPLAY_RECORDED;
	double duration = -1;

	if (r->compat)
		return 0;
	if (recorded || (b && b->kind == BASIS_DURATION))
		duration = recorded_seconds(r, rank, volume);
	if (recorded) {
		*seconds = duration < 0 ? -1 : duration_here(mp, rank, duration);
		return duration < 0 ? 0 : 2;
	}
	if (r->options.rates)
		return operator_by_rates(r, mp, rank, volume, seconds, err);
	*seconds = b ? basis_seconds(b, net_platform(mp_net(mp)), mp_host(mp, rank), volume,
	                             duration)
	             : -1;
	return *seconds >= 0;
}
