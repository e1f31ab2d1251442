/* spawn.c: MPI_Comm_spawn, an intercomm_create by the spawning and the spawned group, as `orrery
 * run` has it (src/live/spawn.c):
 *
 * 1. What is spawned begins when the root comes to it.
 * 2. The spawning group goes on when all of it have come to it.
 * 3. Then both agree on the communicator, which takes what it takes (comm.c). */
#include "replay_int.h"

#include <stdlib.h>

struct spawning {
	uint64_t comm;
	int64_t awaited; /* of the spawning group */
	int root_came;
	uint32_t *held, n_held, cap_held; /* rank << 1 | it is of the spawning group */
};

static struct spawning *spawning_get(struct replay *r, const struct trace_event *ev,
                                     struct err *err)
{
	uint32_t i = hash64_find(&r->spawnings, ev->comm);
	struct spawning *p;

	if (i != HASH_NONE)
		return &r->spawning[i];
	p = vec_grow(r->spawning, &r->cap_spawning, sizeof *p, (size_t)r->n_spawning + 1,
	             "spawned groups", err);
	if (!p)
		return NULL;
	r->spawning = p;
	if (hash64_put(&r->spawnings, ev->comm, r->n_spawning, err) < 0)
		return NULL;
	p += r->n_spawning++;
	*p = (struct spawning){.comm = ev->comm,
	                       .awaited = ev->flags & TRACE_SPAWNS ? ev->n_members : ev->n_remote};
	return p;
}

/* Those who wait for what has come now. */
static void held_release(struct spawning *s, struct mp *mp)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < s->n_held; i++)
		if (s->held[i] & 1 ? s->awaited == 0 : s->root_came)
			mp_go_on(mp, s->held[i] >> 1);
		else
			s->held[kept++] = s->held[i];
	s->n_held = kept;
}

static int hold(struct replay *r, struct spawning *s, uint32_t rank, const struct trace_event *ev,
                struct err *err)
{
	uint32_t *p = vec_grow(s->held, &s->cap_held, sizeof *p, (size_t)s->n_held + 1,
	                       "spawned groups", err);

	if (!p)
		return MP_ERROR;
	s->held = p;
	p[s->n_held++] = rank << 1 | ((ev->flags & TRACE_SPAWNS) != 0);
	return event_save(r, rank, ev, AFTER_SPAWN, err) < 0 ? MP_ERROR : REPLAY_HELD;
}

int spawn_meet(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
               struct err *err)
{
	int spawns = (ev->flags & TRACE_SPAWNS) != 0;
	struct spawning *s;

	if (ev->root < 0 || ev->root >= (spawns ? ev->n_members : ev->n_remote))
		return replay_error(r, rank, err, "is spawned by member %d of %lld", (int)ev->root,
		                    (long long)(spawns ? ev->n_members : ev->n_remote));
	s = spawning_get(r, ev, err);
	if (!s)
		return MP_ERROR;
	if (spawns) {
		s->root_came |= ev->members[ev->root] == (int32_t)rank;
		s->awaited -= s->awaited > 0;
		held_release(s, mp);
	}
	return (spawns ? s->awaited == 0 : s->root_came) ? MP_DONE : hold(r, s, rank, ev, err);
}

void spawns_release(struct replay *r)
{
	for (uint32_t i = 0; i < r->n_spawning; i++)
		free(r->spawning[i].held);
	free(r->spawning);
	hash64_release(&r->spawnings);
}
