/* player_comm.c: communicators and windows of a trace, on a real MPI. A communicator is made by its
 * members alone, whatever call made it: all that is known of those left out is that they are not
 * in it. Only MPI_Comm_idup is itself: its ranks may wait for several in different orders. */
#include "player.h"

#include <stdlib.h>

enum { TAGS = 32768 };

MPI_Comm player_comm_find(const struct player *p, uint64_t id, struct err *err)
{
	uint32_t slot;

	if (id <= 1)
		return id == 0 ? MPI_COMM_WORLD : MPI_COMM_SELF;
	slot = hash64_find(&p->comms, id);
	if (slot != HASH_NONE)
		return p->comm[slot];
	err_set(err, ERR_INPUT, "communicator %u.%u was not made by this rank",
	        (unsigned)(id >> 32), (unsigned)id - 2);
	return MPI_COMM_NULL;
}

static int comm_add(struct player *p, uint64_t id, MPI_Comm comm, struct err *err)
{
	MPI_Comm *all = vec_grow(p->comm, &p->cap_comms, sizeof *all, (size_t)p->n_comms + 1,
	                         "communicators", err);

	if (!all)
		return -1;
	p->comm = all;
	all[p->n_comms] = comm;
	return hash64_put(&p->comms, id, p->n_comms++, err);
}

static int members_comm(const int32_t *members, int64_t n, int tag, MPI_Comm *out)
{
	MPI_Group all, group;
	int r;

	MPI_Comm_group(MPI_COMM_WORLD, &all);
	MPI_Group_incl(all, (int)n, members, &group);
	r = MPI_Comm_create_group(MPI_COMM_WORLD, group, tag, out);
	MPI_Group_free(&group);
	MPI_Group_free(&all);
	return r;
}

/* Ints of a list of the event. */
static int *ints(const int64_t *v, int64_t n, struct err *err)
{
	int *out = malloc(((size_t)n + 1) * sizeof *out);

	for (int64_t i = 0; out && i < n; i++)
		out[i] = v[i] < 0 ? MPI_PROC_NULL : (int)v[i];
	if (!out)
		err_nomem(err, "a topology", (size_t)n * sizeof *out);
	return out;
}

/* A grid or graph over the same members. MPI_PROC_NULL is no neighbour of a distributed graph. */
static int topology_add(const struct trace_event *ev, MPI_Comm *comm, struct err *err)
{
	int *a = ints(ev->counts, ev->n_counts, err), *b = ints(ev->counts2, ev->n_counts2, err);
	int r = -1, n = 0, m = 0;
	MPI_Comm made = MPI_COMM_NULL;

	if (a && b && ev->flags & TRACE_CART) {
		r = MPI_Cart_create(*comm, (int)ev->n_counts, a, b, 0, &made);
	} else if (a && b) {
		for (int64_t i = 0; i < ev->n_counts; i++)
			if (a[i] != MPI_PROC_NULL)
				a[n++] = a[i];
		for (int64_t i = 0; i < ev->n_counts2; i++)
			if (b[i] != MPI_PROC_NULL)
				b[m++] = b[i];
		r = MPI_Dist_graph_create_adjacent(*comm, n, a, MPI_UNWEIGHTED, m, b,
		                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made);
	}
	free(a);
	free(b);
	if (r == MPI_SUCCESS) {
		MPI_Comm_free(comm);
		*comm = made;
	}
	return r;
}

static int inter_make(const struct trace_event *ev, int tag, MPI_Comm *out)
{
	MPI_Comm local;
	int r = members_comm(ev->members, ev->n_members, tag, &local);

	if (r == MPI_SUCCESS) {
		r = MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, ev->remote[0], tag, out);
		MPI_Comm_free(&local);
	}
	return r;
}

static int comm_make(struct player *p, const struct trace_event *ev, struct err *err)
{
	int tag = (int)(hash_mix(ev->comm) % TAGS), r;
	MPI_Comm comm;

	if (ev->n_members == 0)
		return 0;
	r = ev->n_remote > 0 ? inter_make(ev, tag, &comm)
	                     : members_comm(ev->members, ev->n_members, tag, &comm);
	if (r == MPI_SUCCESS && ev->flags & (TRACE_CART | TRACE_GRAPH) && ev->n_remote == 0)
		r = topology_add(ev, &comm, err);
	return r == MPI_SUCCESS ? comm_add(p, ev->comm, comm, err) : r;
}

/* Where the communicator of the request in this slot is to be. */
static MPI_Comm *later_place(struct player *p, uint32_t slot, struct err *err)
{
	MPI_Comm **all = vec_grow(p->later, &p->cap_later, sizeof *all, (size_t)slot + 1,
	                          "communicators that are being made", err);

	if (!all)
		return NULL;
	p->later = all;
	while (p->n_later <= slot)
		all[p->n_later++] = NULL;
	if (!all[slot])
		all[slot] = malloc(sizeof **all);
	if (!all[slot])
		err_nomem(err, "a communicator", sizeof **all);
	return all[slot];
}

static int idup_begin(struct player *p, const struct trace_event *ev, struct err *err)
{
	MPI_Request *q = player_request(p, ev->req, err);
	MPI_Comm parent, *place;

	if (!q)
		return -1;
	if (ev->flags & TRACE_BESIDE) /* no MPI_Comm_idup: its comm_dup says what came of it */
		return 0;
	parent = player_comm_find(p, ev->parent, err);
	place = parent != MPI_COMM_NULL ? later_place(p, (uint32_t)(q - p->request), err) : NULL;
	return place ? MPI_Comm_idup(parent, place, q) : -1;
}

static int idup_end(struct player *p, const struct trace_event *ev, MPI_Request *q, struct err *err)
{
	int r = MPI_Wait(q, MPI_STATUS_IGNORE);

	return r == MPI_SUCCESS ? comm_add(p, ev->comm, *p->later[q - p->request], err) : r;
}

int player_comm(struct player *p, const struct trace_event *ev, struct err *err)
{
	MPI_Request *q = ev->req >= 0 ? player_request(p, ev->req, err) : NULL;
	uint32_t slot;

	if (ev->req >= 0 && !q)
		return -1;
	if (ev->op == TRACE_COMM_IDUP)
		return idup_begin(p, ev, err);
	if (q && *q != MPI_REQUEST_NULL && ev->op != TRACE_COMM_FREE)
		return idup_end(p, ev, q, err);
	if (ev->op != TRACE_COMM_FREE)
		return comm_make(p, ev, err);
	slot = hash64_find(&p->comms, ev->comm);
	if (slot == HASH_NONE)
		return 0;
	hash64_remove(&p->comms, ev->comm);
	return ev->flags & TRACE_DISCONNECTS ? MPI_Comm_disconnect(&p->comm[slot])
	                                     : MPI_Comm_free(&p->comm[slot]);
}

/* --- windows: as large as the largest that any member wants; all is at its beginning --- */

static int win_make(struct player *p, const struct trace_event *ev, struct err *err)
{
	MPI_Win *all = vec_grow(p->win, &p->cap_wins, sizeof *all, (size_t)p->n_wins + 1, "windows",
	                        err);
	MPI_Comm comm = player_comm_find(p, ev->comm, err);
	long long mine = ev->count > 1 << 20 ? ev->count : 1 << 20, most = mine;
	void *base;

	if (!all || comm == MPI_COMM_NULL)
		return -1;
	p->win = all;
	if (hash64_put(&p->wins, (uint64_t)ev->object, p->n_wins, err) < 0)
		return -1;
	MPI_Allreduce(&mine, &most, 1, MPI_LONG_LONG, MPI_MAX, comm);
	return MPI_Win_allocate((MPI_Aint)most, 1, MPI_INFO_NULL, comm, &base, &all[p->n_wins++]);
}

/* The rank of the target in the window's group. */
static int target_of(MPI_Win win, int32_t world)
{
	MPI_Group all, group;
	int target;

	if (world == TRACE_PROC_NULL)
		return MPI_PROC_NULL;
	MPI_Comm_group(MPI_COMM_WORLD, &all);
	MPI_Win_get_group(win, &group);
	MPI_Group_translate_ranks(all, 1, &(int){world}, group, &target);
	MPI_Group_free(&all);
	MPI_Group_free(&group);
	return target;
}

static int rma_issue(struct player *p, const struct trace_event *ev, MPI_Win win, struct err *err)
{
	int n = (int)(ev->count * ev->type_size > 1 << 20 ? 1 << 20 : ev->count * ev->type_size);
	char *buf = player_bytes(p, 2 << 20, 0, err), *result = player_bytes(p, 2 << 20, 1, err);
	MPI_Request *q = ev->req >= 0 ? player_request(p, ev->req, err) : NULL;
	int t = target_of(win, ev->peer);

	if (!buf || !result || (ev->req >= 0 && !q))
		return -1;
	switch (ev->op) {
	case TRACE_PUT:
		return q ? MPI_Rput(buf, n, MPI_BYTE, t, 0, n, MPI_BYTE, win, q)
		         : MPI_Put(buf, n, MPI_BYTE, t, 0, n, MPI_BYTE, win);
	case TRACE_GET:
		return q ? MPI_Rget(result, n, MPI_BYTE, t, 0, n, MPI_BYTE, win, q)
		         : MPI_Get(result, n, MPI_BYTE, t, 0, n, MPI_BYTE, win);
	case TRACE_ACCUMULATE:
		return q ? MPI_Raccumulate(buf, n, MPI_BYTE, t, 0, n, MPI_BYTE, MPI_BOR, win, q)
		         : MPI_Accumulate(buf, n, MPI_BYTE, t, 0, n, MPI_BYTE, MPI_BOR, win);
	case TRACE_GET_ACCUMULATE:
		return q ? MPI_Rget_accumulate(buf, n, MPI_BYTE, result, n, MPI_BYTE, t, 0, n,
		                               MPI_BYTE, MPI_BOR, win, q)
		         : MPI_Get_accumulate(buf, n, MPI_BYTE, result, n, MPI_BYTE, t, 0, n,
		                              MPI_BYTE, MPI_BOR, win);
	case TRACE_FETCH_AND_OP:
		return MPI_Fetch_and_op(buf, result, MPI_BYTE, t, 0, MPI_BOR, win);
	default:
		return MPI_Compare_and_swap(buf, buf, result, MPI_BYTE, t, 0, win);
	}
}

static int group_issue(const struct trace_event *ev, MPI_Win win)
{
	MPI_Group all, group;
	int r;

	MPI_Comm_group(MPI_COMM_WORLD, &all);
	MPI_Group_incl(all, (int)ev->n_members, ev->members, &group);
	r = ev->op == TRACE_WIN_POST ? MPI_Win_post(group, 0, win) : MPI_Win_start(group, 0, win);
	MPI_Group_free(&group);
	MPI_Group_free(&all);
	return r;
}

int player_window(struct player *p, const struct trace_event *ev, struct err *err)
{
	uint32_t slot = hash64_find(&p->wins, (uint64_t)ev->object);
	MPI_Win win;

	if (ev->op == TRACE_WIN_CREATE)
		return win_make(p, ev, err);
	if (slot == HASH_NONE)
		return err_set(err, ERR_INPUT, "window %lld was not made", (long long)ev->object);
	win = p->win[slot];
	switch (ev->op) {
	case TRACE_WIN_FREE:
		return MPI_Win_free(&p->win[slot]);
	case TRACE_WIN_FENCE:
		return MPI_Win_fence(0, win);
	case TRACE_WIN_POST:
	case TRACE_WIN_START:
		return group_issue(ev, win);
	case TRACE_WIN_COMPLETE:
		return MPI_Win_complete(win);
	case TRACE_WIN_WAIT:
		return MPI_Win_wait(win);
	case TRACE_WIN_LOCK:
		return MPI_Win_lock(ev->flags & TRACE_EXCLUSIVE ? MPI_LOCK_EXCLUSIVE
		                                                : MPI_LOCK_SHARED,
		                    target_of(win, ev->peer),
		                    ev->flags & TRACE_UNCHECKED ? MPI_MODE_NOCHECK : 0, win);
	case TRACE_WIN_UNLOCK:
		return MPI_Win_unlock(target_of(win, ev->peer), win);
	case TRACE_WIN_LOCK_ALL:
		return MPI_Win_lock_all(ev->flags & TRACE_UNCHECKED ? MPI_MODE_NOCHECK : 0, win);
	case TRACE_WIN_UNLOCK_ALL:
		return MPI_Win_unlock_all(win);
	case TRACE_WIN_FLUSH:
		return MPI_Win_flush(target_of(win, ev->peer), win);
	case TRACE_WIN_FLUSH_ALL:
		return MPI_Win_flush_all(win);
	case TRACE_WIN_FLUSH_LOCAL:
		return MPI_Win_flush_local(target_of(win, ev->peer), win);
	case TRACE_WIN_FLUSH_LOCAL_ALL:
		return MPI_Win_flush_local_all(win);
	default:
		return rma_issue(p, ev, win, err);
	}
}
