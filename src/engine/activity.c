/* activity.c: slots of activities, and what becomes of an engine whose memory ran out. */
#include "engine_int.h"

int activity_new(struct engine *e, uint32_t *id, struct err *err)
{
	if (e->free_activity != NO_ID) {
		*id = e->free_activity;
		e->free_activity = e->activities[*id].uses;
		if (e->free_activity != NO_ID)
			__builtin_prefetch(&e->activities[e->free_activity], 1);
	} else {
		void *p = vec_grow(e->activities, &e->activities_cap, sizeof *e->activities,
		                   (size_t)e->n_activities + 1, "activities", err);
		if (!p)
			return -1;
		e->activities = p;
		if (queue_reserve(&e->queue, e->n_activities, err))
			return -1;
		*id = e->n_activities++;
		e->activities[*id].class = e->activities[*id].carrier = 0;
	}
	e->stats.activities++;
	if (++e->n_live > e->stats.active_peak)
		e->stats.active_peak = e->n_live;
	return 0;
}

void activity_release(struct engine *e, uint32_t id)
{
	struct activity *a = &e->activities[id];

	if (a->state != ACTIVITY_TIMER && a->n_uses > 0)
		flow_give_uses(e, a);
	a->state = ACTIVITY_FREE;
	a->class = a->carrier = 0;
	a->uses = e->free_activity;
	e->free_activity = id;
	e->n_live--;
}

__attribute__((noinline)) int ids_widen(struct id_list *l, struct err *err)
{
	void *p = vec_grow(l->ids, &l->cap, sizeof *l->ids, (size_t)l->n + 1, "flows", err);

	if (!p)
		return -1;
	l->ids = p;
	return 0;
}

/* After a failure in the middle of a change (memory) nothing can be trusted: it is remembered, and
 * every later call fails. */
int engine_break(struct engine *e, const struct err *why)
{
	if (!e->broken) /* the first is the reason; those that only passed it on have none */
		e->broken_err = *why;
	e->broken = 1;
	return -1;
}
