/* win_sync.c: epochs (MPI 4.0, 12.5): which operations are allowed when, and who waits for whom.
 * The waiting is the simulator's. */
#include <stdlib.h>

#include "core.h"
#include "orr_mpi.h"
#include "remote.h"
#include "win.h"

static int process_of(const struct orr_win *w, int rank)
{
	return w->comm->local->member[rank];
}

static int is_member(const struct orr_win *w, struct orr_group *g, int rank)
{
	return g && orr_group_find(g, process_of(w, rank)) != MPI_UNDEFINED;
}

int orr_win_access(const struct orr_win *w, int target)
{
	if (target == MPI_PROC_NULL)
		return MPI_SUCCESS;
	if (target < 0 || target >= w->comm->size)
		return MPI_ERR_RANK;
	if (w->locked_all || orr_win_locked(w, target) || is_member(w, w->start, target) ||
	    w->fenced)
		return MPI_SUCCESS;
	return MPI_ERR_RMA_SYNC;
}

static int passive(const struct orr_win *w)
{
	return w->locked_all || w->n_locked > 0;
}

/* --- fence --- */

int orr_Win_fence(int assert, MPI_Win win)
{
	struct orr_win *w = orr_win_of(win);
	if (!w)
		return MPI_ERR_WIN;
	if (assert & ~(MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED))
		return MPI_ERR_ASSERT;
	if (w->start || w->posted || passive(w))
		return MPI_ERR_RMA_SYNC;
	int code = orr_core_win_sync(w->number, WIN_FENCE, -1);
	w->fenced = !(assert &MPI_MODE_NOSUCCEED);
	return code;
}

/* --- post, start, complete, wait --- */

static struct orr_group *group_kept(const struct orr_group *g)
{
	return orr_group_new(g->n, g->n ? g->member : NULL);
}

static int group_check(const struct orr_win *w, const struct orr_group *g)
{
	if (!g)
		return MPI_ERR_GROUP;
	for (int i = 0; i < g->n; i++)
		if (orr_group_find(w->comm->local, g->member[i]) == MPI_UNDEFINED)
			return MPI_ERR_GROUP;
	return MPI_SUCCESS;
}

int orr_Win_post(MPI_Group group, int assert, MPI_Win win)
{
	struct orr_win *w = orr_win_of(win);
	const struct orr_group *g = orr_group_of(group);
	if (!w)
		return MPI_ERR_WIN;
	if (assert & ~(MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT))
		return MPI_ERR_ASSERT;
	int code = group_check(w, g);
	if (code || w->posted)
		return code ? code : MPI_ERR_RMA_SYNC;
	w->post = group_kept(g);
	if (!w->post)
		return MPI_ERR_NO_MEM;
	w->posted = 1;
	w->fenced = 0;
	return orr_core_win_group(w->number, 1, g);
}

int orr_Win_start(MPI_Group group, int assert, MPI_Win win)
{
	struct orr_win *w = orr_win_of(win);
	const struct orr_group *g = orr_group_of(group);
	if (!w)
		return MPI_ERR_WIN;
	if (assert & ~MPI_MODE_NOCHECK)
		return MPI_ERR_ASSERT;
	int code = group_check(w, g);
	if (code || w->start || passive(w))
		return code ? code : MPI_ERR_RMA_SYNC;
	w->start = group_kept(g);
	if (!w->start)
		return MPI_ERR_NO_MEM;
	w->fenced = 0;
	return orr_core_win_group(w->number, 0, g);
}

int orr_Win_complete(MPI_Win win)
{
	struct orr_win *w = orr_win_of(win);
	if (!w)
		return MPI_ERR_WIN;
	if (!w->start)
		return MPI_ERR_RMA_SYNC;
	for (int i = 0; i < w->start->n; i++) {
		int rank = orr_group_find(w->comm->local, w->start->member[i]);
		atomic_fetch_add(&w->control[rank].completed, 1);
	}
	int code = orr_core_win_sync(w->number, WIN_COMPLETE, -1);
	orr_group_drop(w->start);
	w->start = NULL;
	return code;
}

static int exposure_end(struct orr_win *w)
{
	int code = orr_core_win_sync(w->number, WIN_WAIT, -1);
	w->seen += (uint32_t)w->post->n;
	orr_group_drop(w->post);
	w->post = NULL;
	w->posted = 0;
	return code;
}

int orr_Win_wait(MPI_Win win)
{
	struct orr_win *w = orr_win_of(win);
	if (!w)
		return MPI_ERR_WIN;
	return w->posted ? exposure_end(w) : MPI_ERR_RMA_SYNC;
}

int orr_Win_test(MPI_Win win, int *flag)
{
	struct orr_win *w = orr_win_of(win);
	if (!w)
		return MPI_ERR_WIN;
	if (!w->posted)
		return MPI_ERR_RMA_SYNC;
	int code = orr_core_poll();
	uint32_t completed = atomic_load(&w->control[w->comm->rank].completed) - w->seen;
	*flag = !code && completed >= (uint32_t)w->post->n;
	return *flag ? exposure_end(w) : code;
}

/* --- locks --- */

int orr_Win_lock(int lock_type, int rank, int assert, MPI_Win win)
{
	struct orr_win *w = orr_win_of(win);
	if (!w)
		return MPI_ERR_WIN;
	if (lock_type != MPI_LOCK_EXCLUSIVE && lock_type != MPI_LOCK_SHARED)
		return MPI_ERR_LOCKTYPE;
	if (assert & ~MPI_MODE_NOCHECK)
		return MPI_ERR_ASSERT;
	if (rank == MPI_PROC_NULL)
		return MPI_SUCCESS;
	if (rank < 0 || rank >= w->comm->size)
		return MPI_ERR_RANK;
	if (w->locked_all || orr_win_locked(w, rank) || w->start)
		return MPI_ERR_RMA_SYNC;
	if (!w->locked)
		w->locked = calloc((size_t)w->comm->size, 1);
	if (!w->locked)
		return MPI_ERR_NO_MEM;
	int code = orr_core_win_sync(w->number,
	                             assert &MPI_MODE_NOCHECK          ? WIN_LOCK_UNCHECKED
	                             : lock_type == MPI_LOCK_EXCLUSIVE ? WIN_LOCK_EXCLUSIVE
	                                                               : WIN_LOCK,
	                             process_of(w, rank));
	if (!code) {
		w->locked[rank] = lock_type == MPI_LOCK_EXCLUSIVE ? LOCKED_EXCLUSIVE
		                                                  : LOCKED_SHARED;
		w->n_locked++;
	}
	w->fenced = 0;
	return code;
}

int orr_Win_unlock(int rank, MPI_Win win)
{
	struct orr_win *w = orr_win_of(win);
	if (!w)
		return MPI_ERR_WIN;
	if (rank == MPI_PROC_NULL)
		return MPI_SUCCESS;
	if (rank < 0 || rank >= w->comm->size)
		return MPI_ERR_RANK;
	if (!orr_win_locked(w, rank))
		return MPI_ERR_RMA_SYNC;
	w->locked[rank] = LOCKED_NOT;
	w->n_locked--;
	return orr_core_win_sync(w->number, WIN_UNLOCK, process_of(w, rank));
}

int orr_Win_lock_all(int assert, MPI_Win win)
{
	struct orr_win *w = orr_win_of(win);
	if (!w)
		return MPI_ERR_WIN;
	if (assert & ~MPI_MODE_NOCHECK)
		return MPI_ERR_ASSERT;
	if (w->start || passive(w))
		return MPI_ERR_RMA_SYNC;
	int code = orr_core_win_sync(w->number,
	                             assert &MPI_MODE_NOCHECK ? WIN_LOCK_UNCHECKED : WIN_LOCK, -1);
	w->locked_all = code == MPI_SUCCESS;
	w->fenced = 0;
	return code;
}

int orr_Win_unlock_all(MPI_Win win)
{
	struct orr_win *w = orr_win_of(win);
	if (!w)
		return MPI_ERR_WIN;
	if (!w->locked_all)
		return MPI_ERR_RMA_SYNC;
	w->locked_all = 0;
	return orr_core_win_sync(w->number, WIN_UNLOCK, -1);
}

static int flush(MPI_Win win, int rank, enum orr_win_sync what)
{
	const struct orr_win *w = orr_win_of(win);
	if (!w)
		return MPI_ERR_WIN;
	if (rank == MPI_PROC_NULL)
		return MPI_SUCCESS;
	if (rank < 0 || rank >= w->comm->size)
		return MPI_ERR_RANK;
	if (!w->locked_all && !orr_win_locked(w, rank))
		return MPI_ERR_RMA_SYNC;
	return orr_core_win_sync(w->number, what, process_of(w, rank));
}

static int flush_all(MPI_Win win, enum orr_win_sync what)
{
	const struct orr_win *w = orr_win_of(win);
	if (!w)
		return MPI_ERR_WIN;
	return passive(w) ? orr_core_win_sync(w->number, what, -1) : MPI_ERR_RMA_SYNC;
}

int orr_Win_flush(int rank, MPI_Win win)
{
	return flush(win, rank, WIN_FLUSH);
}

int orr_Win_flush_local(int rank, MPI_Win win)
{
	return flush(win, rank, WIN_FLUSH_LOCAL);
}

int orr_Win_flush_all(MPI_Win win)
{
	return flush_all(win, WIN_FLUSH);
}

int orr_Win_flush_local_all(MPI_Win win)
{
	return flush_all(win, WIN_FLUSH_LOCAL);
}

int orr_Win_sync(MPI_Win win)
{
	if (!orr_win_of(win))
		return MPI_ERR_WIN;
	atomic_thread_fence(memory_order_seq_cst);
	return orr_core_poll();
}
