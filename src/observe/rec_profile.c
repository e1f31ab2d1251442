/* rec_profile.c: the profile of a recorded run: its states, told again to the observer of the
 * profile. */
#include "observe.h"

/* A call that never ended has waiting only where nothing moved any more (recorder_stuck). */
static void tell(struct profile *p, const struct mp_observer *o, const struct rec_state *s)
{
	o->enter(o->self, s->rank, s->call, s->enter);
	if (!(s->flags & STATE_OPEN))
		o->leave(o->self, s->rank, s->call, s->leave, s->partner, s->bytes, s->wait);
	else if (s->wait > 0)
		profile_stuck(p);
}

struct profile *recording_profile(struct recording *r, struct err *err)
{
	struct profile *p = profile_new(recording_info(r)->ranks, err);
	struct mp_observer o;
	struct recording_totals totals;
	struct record rec;
	int got;

	if (!p)
		return NULL;
	o = profile_observer(p);
	recording_totals(r, &totals);
	recording_rewind(r);
	while ((got = recording_next(r, &rec, err)) > 0)
		if (rec.kind == REC_STATE)
			tell(p, &o, &rec.u.state);
	if (got < 0 || profile_end(p, totals.makespan, err) < 0) {
		profile_free(p);
		return NULL;
	}
	return p;
}
