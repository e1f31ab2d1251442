/* win.h: windows.
 *
 * Data are moved by the origin, at once, into or out of the target's memory: what the standard lets
 * a program see of a window is decided by the calls that synchronise, and these wait, in the
 * simulation, for each other. A window's control block lies in memory that all share: a lock per
 * target, which makes accumulates atomic, and how many origins have completed their access.
 */
#ifndef ORRERY_LIBMPI_WIN_H
#define ORRERY_LIBMPI_WIN_H

#include <stdatomic.h>

#include "comm.h"
#include "type.h"

struct orr_win_peer {  /* told by each member, when the window is made */
	uint64_t base; /* its address, in its memory */
	int64_t size;
	int64_t unit;     /* of displacements */
	uint64_t control; /* of the first: the block that all share; 0: no memory */
};
struct orr_win_control {
	_Atomic uint32_t lock, completed;
	_Atomic uint64_t memory; /* of the first: the shared memory of all; 0: not there yet */
};
enum orr_locked { LOCKED_NOT, LOCKED_SHARED, LOCKED_EXCLUSIVE };
struct orr_attached {
	struct orr_attached *next;
	const char *base;
	MPI_Aint size;
};
struct orr_win {
	struct orr_object o;
	struct orr_comm *comm;
	uint32_t number; /* the simulator's */
	int flavor, model;
	void *base; /* attributes point to these */
	MPI_Aint size;
	int unit;
	void *own;      /* memory to be freed */
	uint64_t place; /* shared memory to be given back */
	uint64_t control_place;
	struct orr_win_control *control;
	const struct orr_win_peer *peer; /* by rank; all have one copy of it */
	uint64_t peer_kept;              /* for orr_core_taken */
	uint64_t *part;                  /* by rank: in shared memory; NULL: each has its own */
	struct orr_attached *attached;
	/* epochs */
	uint8_t fenced, locked_all, posted;
	uint8_t *locked; /* by rank: enum orr_locked; NULL: none ever was */
	uint32_t n_locked;
	struct orr_group *start, *post;
	uint32_t seen; /* of control->completed */
};

static inline struct orr_win *orr_win_of(MPI_Win win)
{
	return orr_object(ORR_WIN, win);
}
/* How this rank has locked that one. */
static inline enum orr_locked orr_win_locked(const struct orr_win *w, int rank)
{
	return w->n_locked > 0 ? w->locked[rank] : LOCKED_NOT;
}
/* An operation may go to this target now: MPI_SUCCESS or MPI_ERR_RMA_SYNC, MPI_ERR_RANK. */
int orr_win_access(const struct orr_win *w, int target);

#endif
