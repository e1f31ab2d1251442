/* window.c: windows: made, found, let go. The calls on them: epoch.c, access.c.
 *
 * A window is the first of its communicator that this rank has not made yet: all members make them
 * in the same order. */
#include "rma_int.h"

#include <stdio.h>
#include <stdlib.h>

uint32_t windows_left(const struct mp *mp, uint32_t *first)
{
	uint32_t i, k, n = 0;

	for (i = 0; i < mp->rma.windows.n; i++) {
		const struct window *w = window_at(mp, i);

		for (k = 0; w->side && k < w->n && w->side[k].left; k++)
			;
		if (w->side && k < w->n && n++ == 0)
			*first = i;
	}
	return n;
}

const char *window_where(const struct mp *mp, uint32_t win, char *buf, size_t n)
{
	const struct window *w = window_at(mp, win);
	char where[WHERE_MAX];

	snprintf(buf, n, "made by rank %u (its %s)", w->maker,
	         where_text(mp, w->maker, w->event, where, sizeof where));
	return buf;
}

void window_release(struct window *w)
{
	for (uint32_t k = 0; w->side && k < w->n; k++) {
		free(w->side[k].touched);
		free(w->side[k].group);
		free(w->side[k].notified);
	}
	free(w->side);
	w->side = NULL;
}

int window_get(struct mp *mp, uint32_t rank, struct mp_win win, uint32_t *member, struct err *err)
{
	struct window *w = win.v < mp->rma.windows.n ? window_at(mp, win.v) : NULL;
	int32_t place = w && w->side ? comm_place(comm_at(mp, w->comm), rank) : -1;

	if (place < 0 || !w->side[place].joined || w->side[place].left)
		return mp_error(mp, rank, err, "window %u was not made by this rank, or is freed",
		                win.v);
	*member = (uint32_t)place;
	return 0;
}

int window_target(struct mp *mp, uint32_t rank, const struct window *w, int32_t world,
                  uint32_t *out, struct err *err)
{
	int32_t place = world < 0 ? -1 : comm_place(comm_at(mp, w->comm), (uint32_t)world);

	if (place < 0)
		return mp_error(mp, rank, err, "rank %d is not in this window's communicator",
		                world);
	*out = (uint32_t)place;
	return 0;
}

/* Those of a communicator that all have freed are no more: 1 if it has none left. */
static int windows_settle(struct mp *mp, uint32_t comm)
{
	uint32_t *at = &comm_at(mp, comm)->windows, id;

	while (*at != 0) {
		struct window *w = window_at(mp, *at - 1);

		if (w->left < w->n || w->live > 0) {
			at = &w->next;
			continue;
		}
		id = *at - 1;
		*at = w->next;
		window_release(w);
		slots_give(&mp->rma.windows, id);
	}
	return comm_at(mp, comm)->windows == 0;
}

/* The slot of one that is no more, or a new one; or NONE. */
static uint32_t window_slot(struct mp *mp, uint32_t comm, struct err *err)
{
	windows_settle(mp, comm);
	return slots_take(&mp->rma.windows, err);
}

static uint32_t window_new(struct mp *mp, uint32_t rank, uint32_t comm, struct err *err)
{
	uint32_t n = comm_at(mp, comm)->n, i, *at, id;
	struct win_side *side = calloc(n, sizeof *side);

	if (!side) {
		err_nomem(err, "a window", n * sizeof *side);
		return NONE;
	}
	id = window_slot(mp, comm, err);
	if (id == NONE) {
		free(side);
		return NONE;
	}
	for (i = 0; i < n; i++)
		side[i].first = side[i].queue = NONE;
	*window_at(mp, id) = (struct window){
	    .comm = comm, .n = n, .side = side, .maker = rank, .event = event_of(mp, rank)};
	comm_at(mp, comm)->let_go = windows_settle;
	for (at = &comm_at(mp, comm)->windows; *at != 0; at = &window_at(mp, *at - 1)->next)
		;
	*at = id + 1;
	return id;
}

int mp_win_make(struct mp *mp, uint32_t rank, struct mp_comm comm, struct mp_win *out,
                struct err *err)
{
	const struct coll_args args = {.kind = COLL_BARRIER};
	const struct coll_form form = {.alg = window_setup(mp), .call = CALL_WIN};
	struct comm *c = comm_get(mp, rank, comm, err);
	uint32_t place, at;

	if (!c)
		return MP_ERROR;
	if (c->split)
		return mp_error(mp, rank, err, "a window on an intercommunicator");
	place = (uint32_t)comm_place(c, rank);
	for (at = c->windows; at != 0 && window_at(mp, at - 1)->side[place].joined;
	     at = window_at(mp, at - 1)->next)
		;
	out->v = at ? at - 1 : window_new(mp, rank, comm.v, err);
	if (out->v == NONE)
		return MP_ERROR;
	window_at(mp, out->v)->side[place].joined = 1;
	return coll_begin(mp, rank, comm, &args, 0, &form, err);
}

uint32_t window_side(const struct mp *mp, const struct op *op)
{
	return (uint32_t)comm_place(comm_at(mp, window_at(mp, op->cursor)->comm), op->rank);
}
