/* win.c: windows are made, asked about, freed (MPI 4.0, 12.2). */
#include "win.h"

#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "core.h"
#include "info.h"
#include "orr_mpi.h"
#include "remote.h"

/* --- memory --- */

enum { LINE = 64 };

static int64_t rounded(int64_t bytes)
{
	return (bytes + LINE - 1) / LINE * LINE;
}

static int own_memory(struct orr_win *w)
{
	if (w->size == 0)
		return MPI_SUCCESS;
	if (posix_memalign(&w->own, LINE, (size_t)rounded(w->size)))
		return MPI_ERR_NO_MEM;
	memset(w->own, 0, (size_t)w->size);
	w->base = w->own;
	return MPI_SUCCESS;
}

/* Whoever comes first makes it, all zero; a member that came at once gives its own back. */
static uint64_t shared_take(struct orr_win *w, int64_t bytes)
{
	_Atomic uint64_t *memory = &w->control[0].memory;
	uint64_t place = atomic_load(memory), none = 0;
	if (place)
		return place;
	place = orr_core_shared_new(bytes);
	if (!place)
		return 0;
	memset(orr_core_shared_at(place), 0, (size_t)bytes);
	if (atomic_compare_exchange_strong(memory, &none, place)) {
		w->place = place;
		return place;
	}
	orr_core_shared_free(place);
	return none;
}

/* One piece of memory for all, a part for each, in the order of ranks. All know the sizes since the
 * window was made, so nobody waits for anybody. */
static int shared(struct orr_win *w, MPI_Info info)
{
	const char *hint = orr_info_find(orr_info_of(info), "alloc_shared_noncontig");
	int apart = hint && strcmp(hint, "true") == 0, n = w->comm->size;
	int64_t total = 0;
	w->part = malloc((size_t)n * sizeof *w->part);
	if (!w->part)
		return MPI_ERR_NO_MEM;
	for (int i = 0; i < n; i++)
		total += apart ? rounded(w->peer[i].size) : w->peer[i].size;
	uint64_t place = shared_take(w, total + LINE);
	if (!place)
		return MPI_ERR_NO_MEM;
	for (int i = 0; i < n; i++) {
		w->part[i] = place;
		place += (uint64_t)(apart ? rounded(w->peer[i].size) : w->peer[i].size);
	}
	/* Where a member has nothing, MPI_Win_shared_query says that it has no memory: so is it
	 * told itself, as by MPICH, and by Open MPI of parts that lie apart; DASH relies on it. */
	w->base = w->size > 0 ? orr_core_shared_at(w->part[w->comm->rank]) : NULL;
	return MPI_SUCCESS;
}

/* --- making --- */

/* Of the first member: the block that all share. */
static uint64_t control_new(struct orr_win *w)
{
	size_t bytes = (size_t)w->comm->size * sizeof *w->control;
	if (w->comm->rank == 0)
		w->control_place = orr_core_shared_new((int64_t)bytes);
	if (w->control_place)
		memset(orr_core_shared_at(w->control_place), 0, bytes);
	return w->control_place;
}

static int attributes(struct orr_win *w)
{
	int code = orr_attr_predefined(&w->o, MPI_WIN_BASE, w->base);
	if (!code)
		code = orr_attr_predefined(&w->o, MPI_WIN_SIZE, &w->size);
	if (!code)
		code = orr_attr_predefined(&w->o, MPI_WIN_DISP_UNIT, &w->unit);
	if (!code)
		code = orr_attr_predefined(&w->o, MPI_WIN_CREATE_FLAVOR, &w->flavor);
	if (!code)
		code = orr_attr_predefined(&w->o, MPI_WIN_MODEL, &w->model);
	return code;
}

/* The hints that the standard knows, with their defaults, then the program's. */
static int hints(struct orr_win *w, MPI_Info info)
{
	static const char *const known[][2] = {{"no_locks", "false"},
	                                       {"accumulate_ordering", "rar,raw,war,waw"},
	                                       {"accumulate_ops", "same_op_no_op"},
	                                       {"mpi_accumulate_granularity", "0"},
	                                       {"same_size", "false"},
	                                       {"same_disp_unit", "false"},
	                                       {"alloc_shm", "false"}};
	struct orr_info *i = orr_info_copy(NULL);
	if (!i)
		return MPI_ERR_NO_MEM;
	w->o.info = i;
	int code = MPI_SUCCESS;
	for (size_t k = 0; !code && k < sizeof known / sizeof known[0]; k++)
		code = orr_info_put(i, known[k][0], known[k][1]);
	if (!code && w->flavor == MPI_WIN_FLAVOR_SHARED)
		code = orr_info_put(i, "alloc_shared_noncontig", "false");
	return code ? code : orr_object_info_set_known(&w->o, info, NULL);
}

static void win_end(struct orr_win *w)
{
	free(w->own);
	orr_core_shared_free(w->place);
	orr_core_shared_free(w->control_place);
	while (w->attached) {
		struct orr_attached *a = w->attached;
		w->attached = a->next;
		free(a);
	}
	if (w->start)
		orr_group_drop(w->start);
	if (w->post)
		orr_group_drop(w->post);
	orr_core_taken(w->peer_kept);
	free(w->part);
	free(w->locked);
	if (w->comm)
		orr_comm_drop(w->comm);
	if (orr_object_drop(w))
		orr_object_end(w);
}

static struct orr_win *win_new(struct orr_comm *c, int flavor, void *base, MPI_Aint size, int unit)
{
	struct orr_win *w = orr_object_new(ORR_WIN, sizeof *w);
	if (!w)
		return NULL;
	w->comm = orr_object_keep(c);
	w->flavor = flavor;
	w->model = MPI_WIN_UNIFIED;
	w->base = base;
	w->size = size;
	w->unit = unit;
	return w;
}

/* All members are at it: the simulated window is made between what they tell each other. */
static int together(struct orr_win *w)
{
	struct orr_comm *c = w->comm;
	int dynamic = w->flavor == MPI_WIN_FLAVOR_DYNAMIC;
	struct orr_win_peer mine = {.base = dynamic ? 0 : (uint64_t)(uintptr_t)w->base,
	                            .size = w->size,
	                            .unit = w->unit,
	                            .control = control_new(w)};
	struct orr_giving g;
	orr_core_give(c, &mine, sizeof mine, &g);
	int code = orr_core_win_make(c, &w->number);
	w->peer = orr_core_take(c, &g, &w->peer_kept);
	if (!code && !w->peer[0].control)
		code = MPI_ERR_NO_MEM;
	if (!code)
		w->control = orr_core_shared_at(w->peer[0].control);
	return code;
}

static int make(struct orr_comm *c, int flavor, void *base, MPI_Aint size, MPI_Aint unit,
                MPI_Info info, struct orr_win **out)
{
	if (!c || c->remote)
		return MPI_ERR_COMM;
	if (size < 0)
		return MPI_ERR_SIZE;
	if (unit < 1)
		return MPI_ERR_DISP;
	struct orr_win *w = win_new(c, flavor, base, size, (int)unit);
	if (!w)
		return MPI_ERR_NO_MEM;
	orr_core_peer_allow();
	int own = flavor == MPI_WIN_FLAVOR_ALLOCATE ? own_memory(w) : MPI_SUCCESS;
	int code = together(w);
	if (!code)
		code = own;
	if (!code && flavor == MPI_WIN_FLAVOR_SHARED)
		code = shared(w, info);
	if (!code)
		code = attributes(w);
	if (!code)
		code = hints(w, info);
	*out = w;
	if (code)
		win_end(w);
	return code;
}

int orr_Win_create(void *base, MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm,
                   MPI_Win *win)
{
	struct orr_win *w;
	int code = make(orr_comm_of(comm), MPI_WIN_FLAVOR_CREATE, base, size, disp_unit, info, &w);
	if (!code)
		*win = orr_handle(w);
	return code;
}

int orr_Win_allocate(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr,
                     MPI_Win *win)
{
	struct orr_win *w;
	int code = make(orr_comm_of(comm), MPI_WIN_FLAVOR_ALLOCATE, NULL, size, disp_unit, info,
	                &w);
	if (code)
		return code;
	*(void **)baseptr = w->base;
	*win = orr_handle(w);
	return MPI_SUCCESS;
}

int orr_Win_allocate_shared(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm,
                            void *baseptr, MPI_Win *win)
{
	struct orr_win *w;
	struct orr_comm *c = orr_comm_of(comm);
	if (c && !orr_core_one_host(c))
		return MPI_ERR_RMA_SHARED;
	int code = make(c, MPI_WIN_FLAVOR_SHARED, NULL, size, disp_unit, info, &w);
	if (code)
		return code;
	*(void **)baseptr = w->base;
	*win = orr_handle(w);
	return MPI_SUCCESS;
}

int orr_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
	struct orr_win *w;
	int code = make(orr_comm_of(comm), MPI_WIN_FLAVOR_DYNAMIC, MPI_BOTTOM, 0, 1, info, &w);
	if (!code)
		*win = orr_handle(w);
	return code;
}

int orr_Win_free(MPI_Win *win)
{
	struct orr_win *w = win ? orr_win_of(*win) : NULL;
	if (!w)
		return MPI_ERR_WIN;
	if (w->locked_all || w->n_locked || w->start || w->post)
		return MPI_ERR_RMA_SYNC;
	int code = orr_attrs_delete(&w->o);
	if (!code)
		code = orr_core_win_sync(w->number, WIN_FREE, -1);
	if (code)
		return code;
	win_end(w);
	*win = MPI_WIN_NULL;
	return MPI_SUCCESS;
}

/* --- memory of dynamic windows --- */

int orr_Win_attach(MPI_Win win, void *base, MPI_Aint size)
{
	struct orr_win *w = orr_win_of(win);
	if (!w)
		return MPI_ERR_WIN;
	if (w->flavor != MPI_WIN_FLAVOR_DYNAMIC)
		return MPI_ERR_RMA_FLAVOR;
	if (size < 0)
		return MPI_ERR_SIZE;
	for (const struct orr_attached *a = w->attached; a; a = a->next)
		if (size > 0 && (const char *)base < a->base + a->size &&
		    a->base < (const char *)base + size)
			return MPI_ERR_RMA_ATTACH;
	struct orr_attached *a = malloc(sizeof *a);
	if (!a)
		return MPI_ERR_NO_MEM;
	*a = (struct orr_attached){w->attached, base, size};
	w->attached = a;
	return MPI_SUCCESS;
}

int orr_Win_detach(MPI_Win win, const void *base)
{
	struct orr_win *w = orr_win_of(win);
	if (!w)
		return MPI_ERR_WIN;
	if (w->flavor != MPI_WIN_FLAVOR_DYNAMIC)
		return MPI_ERR_RMA_FLAVOR;
	struct orr_attached **p = &w->attached;
	while (*p && (*p)->base != base)
		p = &(*p)->next;
	if (!*p)
		return MPI_ERR_BASE;
	struct orr_attached *a = *p;
	*p = a->next;
	free(a);
	return MPI_SUCCESS;
}

/* --- questions --- */

/* A window that nobody was promised to share: of its members' memory each sees its own, and of the
 * others none (MPI 4.1, 12.2.3). */
static void only_own(const struct orr_win *w, int rank, MPI_Aint *size, MPI_Aint *disp_unit,
                     void *baseptr)
{
	int own = rank == MPI_PROC_NULL || rank == w->comm->rank;
	*size = own ? w->size : 0;
	*disp_unit = own ? w->unit : 0;
	*(void **)baseptr = *size ? w->base : NULL;
}

int orr_Win_shared_query(MPI_Win win, int rank, MPI_Aint *size, MPI_Aint *disp_unit, void *baseptr)
{
	const struct orr_win *w = orr_win_of(win);
	if (!w)
		return MPI_ERR_WIN;
	if (w->flavor == MPI_WIN_FLAVOR_DYNAMIC)
		return MPI_ERR_RMA_FLAVOR;
	if (rank != MPI_PROC_NULL && (rank < 0 || rank >= w->comm->size))
		return MPI_ERR_RANK;
	if (w->flavor != MPI_WIN_FLAVOR_SHARED) {
		only_own(w, rank, size, disp_unit, baseptr);
		return MPI_SUCCESS;
	}
	if (rank == MPI_PROC_NULL) /* the first that has some */
		for (rank = 0; rank < w->comm->size - 1 && w->peer[rank].size == 0; rank++)
			;
	*size = w->peer[rank].size;
	*disp_unit = w->peer[rank].unit;
	*(void **)baseptr = *size ? orr_core_shared_at(w->part[rank]) : NULL;
	return MPI_SUCCESS;
}

int orr_Win_get_group(MPI_Win win, MPI_Group *group)
{
	const struct orr_win *w = orr_win_of(win);
	if (!w)
		return MPI_ERR_WIN;
	*group = orr_handle_show(w->comm->local);
	return *group ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

int orr_Win_set_info(MPI_Win win, MPI_Info info)
{
	struct orr_win *w = orr_win_of(win);
	return w ? orr_object_info_set_known(&w->o, info, NULL) : MPI_ERR_WIN;
}

int orr_Win_get_info(MPI_Win win, MPI_Info *info_used)
{
	const struct orr_win *w = orr_win_of(win);
	return w ? orr_object_info_get(&w->o, info_used) : MPI_ERR_WIN;
}

int orr_Win_set_name(MPI_Win win, const char *win_name)
{
	struct orr_win *w = orr_win_of(win);
	if (!w)
		return MPI_ERR_WIN;
	return win_name ? orr_name_set(&w->o, win_name) : MPI_ERR_ARG;
}

int orr_Win_get_name(MPI_Win win, char *win_name, int *resultlen)
{
	static const struct orr_object none = {.kind = ORR_WIN};
	const struct orr_win *w = orr_win_of(win);
	if (!w && win != MPI_WIN_NULL)
		return MPI_ERR_WIN;
	orr_name_get(w ? &w->o : &none, w ? "" : "MPI_WIN_NULL", win_name, resultlen);
	return MPI_SUCCESS;
}
