/* comm.c: the communicators of the trace, under mp's ids. */
#include "replay_int.h"

enum { TRACE_COMM_SELF = 1 };

/* MPI_COMM_SELF is another communicator on every rank: it is made when first used, under a key that no trace can write. */
static int comm_self(struct replay *r, struct mp *mp, uint32_t rank, struct mp_comm *out, struct err *err)
{
	uint64_t key = UINT64_MAX - rank;
	uint32_t known = hash64_find(&r->comm, key);

	if (known != HASH_NONE) {
		out->v = known;
		return 0;
	}
	if (mp_comm_make(mp, rank, key, &rank, 1, out, err) < 0)
		return -1;
	return hash64_put(&r->comm, key, out->v, err);
}

int comm_find(struct replay *r, struct mp *mp, uint32_t rank, uint64_t id, struct mp_comm *out, struct err *err)
{
	uint32_t known;

	if (id == 0) {
		*out = MP_COMM_WORLD;
		return 0;
	}
	if (id == TRACE_COMM_SELF)
		return comm_self(r, mp, rank, out, err);
	known = hash64_find(&r->comm, id);
	out->v = known;
	if (known == HASH_NONE || mp_comm_rank(mp, *out, rank) < 0)
		return replay_error(r, rank, err, "communicator %u.%u was not made by this rank", (unsigned)(id >> 32),
		                    (unsigned)id);
	return 0;
}

static int members_copy(struct replay *r, uint32_t rank, const struct trace_event *ev, struct err *err)
{
	uint32_t *m = vec_grow(r->members, &r->cap_members, sizeof *m, (size_t)ev->n_members, "members of a communicator", err);

	if (!m)
		return -1;
	r->members = m;
	for (int64_t i = 0; i < ev->n_members; i++) {
		if (ev->members[i] < 0 || (uint32_t)ev->members[i] >= r->ranks)
			return replay_error(r, rank, err, "member %d of the communicator is not a rank: there are %u",
			                    ev->members[i], r->ranks);
		m[i] = (uint32_t)ev->members[i];
	}
	return 0;
}

static int comm_make(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev, struct err *err)
{
	struct mp_comm c;

	if (ev->n_members == 0) /* MPI_COMM_NULL on this rank, or SimGrid's form, which names nobody */
		return MP_DONE;
	if (members_copy(r, rank, ev, err) < 0)
		return MP_ERROR;
	if (mp_comm_make(mp, rank, ev->comm, r->members, (uint32_t)ev->n_members, &c, err) < 0)
		return MP_ERROR;
	return hash64_put(&r->comm, ev->comm, c.v, err);
}

int comm_event(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev, struct err *err)
{
	struct mp_comm c;

	if (ev->op != TRACE_COMM_FREE)
		return comm_make(r, mp, rank, ev, err);
	if (ev->comm <= TRACE_COMM_SELF)
		return MP_DONE;
	if (comm_find(r, mp, rank, ev->comm, &c, err) < 0)
		return MP_ERROR;
	return mp_comm_free(mp, rank, c, err);
}
