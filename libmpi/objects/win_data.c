/* win_data.c: put, get, accumulate and their kin (MPI 4.0, 12.3). An operation first asks the
 * simulator, then moves its data: packed at the origin, gathered or scattered at the target. */
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core.h"
#include "errhandler.h"
#include "op.h"
#include "orr_mpi.h"
#include "remote.h"
#include "win.h"

/* --- the target's memory --- */

struct target {
	struct orr_win *w;
	int rank;
	uint64_t address; /* in its memory, displacement included */
	MPI_Count count;
	struct orr_type *type;
};

/* Where the target's data are in this process's memory, or NULL. */
static char *direct(const struct target *t)
{
	const struct orr_win *w = t->w;
	if (w->part)
		return (char *)orr_core_shared_at(w->part[t->rank]) +
		       (t->address - w->peer[t->rank].base);
	return t->rank == t->w->comm->rank ? (char *)(uintptr_t)t->address : NULL;
}

enum { VECTORS = 512 };
struct gather { /* pieces of the target's memory, until there are many */
	const struct target *t;
	int write;
	char *packed;
	struct iovec vector[VECTORS];
	size_t n;
	int64_t done, bytes;
	int code;
};

static int gather_flush(struct gather *g)
{
	struct iovec mine = {g->packed + g->done, (size_t)g->bytes};
	int process = g->t->w->comm->local->member[g->t->rank];
	int failed = g->n ? orr_core_peer_copy(process, g->write, &mine, 1, g->vector, g->n) : 0;
	if (failed > 0)
		g->code = orr_error_note(MPI_ERR_BUFFER,
		                         "it is no memory of the program, or not all of it");
	else if (failed < 0)
		g->code = MPI_ERR_RMA_RANGE;
	g->done += g->bytes;
	g->bytes = 0;
	g->n = 0;
	return g->code;
}

static int gather_run(void *self, int64_t disp, int64_t bytes)
{
	struct gather *g = self;
	if (g->n == VECTORS && gather_flush(g) != MPI_SUCCESS)
		return -1;
	g->vector[g->n++] = (struct iovec){(void *)(uintptr_t)(g->t->address + (uint64_t)disp),
	                                   (size_t)bytes};
	g->bytes += bytes;
	return 0;
}

/* Packed bytes to the target's memory, or from it. */
static int target_move(const struct target *t, int write, void *packed)
{
	int64_t bytes = t->count * t->type->size;
	char *there = direct(t);
	if (there)
		return (write ? orr_unpack(there, t->count, t->type, 0, bytes, packed)
		              : orr_pack(there, t->count, t->type, 0, bytes, packed)) < 0
		           ? MPI_ERR_NO_MEM
		           : MPI_SUCCESS;
	struct gather g = {.t = t, .write = write, .packed = packed};
	if (orr_walk(t->type, t->count, 0, bytes, gather_run, &g) == 0)
		gather_flush(&g);
	return g.code;
}

/* --- operations --- */

struct access {
	struct target t;
	const void *origin;
	MPI_Count origin_count;
	struct orr_type *origin_type;
	void *result;
	MPI_Count result_count;
	struct orr_type *result_type;
	const struct orr_op *op;
	int nobody; /* the target is MPI_PROC_NULL */
};

/* A displacement is not negative, whatever the type begins with; in dynamic windows it is an
 * address. */
static int range_check(const struct access *a, const struct orr_win_peer *p, int64_t disp)
{
	const struct orr_type *t = a->t.type;
	if (a->t.w->flavor == MPI_WIN_FLAVOR_DYNAMIC)
		return MPI_SUCCESS;
	if (disp < 0)
		return MPI_ERR_DISP;
	if (a->t.count == 0 || t->size == 0)
		return MPI_SUCCESS;
	int64_t at, low, high;
	return __builtin_mul_overflow(disp, p->unit, &at) ||
	               !orr_type_reach(t, a->t.count, &low, &high) ||
	               __builtin_add_overflow(at, low, &low) ||
	               __builtin_add_overflow(at, high, &high) || low < 0 || high > p->size
	           ? MPI_ERR_RMA_RANGE
	           : MPI_SUCCESS;
}

static int target_set(struct access *a, MPI_Win win, int rank, MPI_Aint disp, MPI_Count count,
                      MPI_Datatype datatype)
{
	struct orr_win *w = orr_win_of(win);
	if (!w)
		return MPI_ERR_WIN;
	a->t = (struct target){.w = w, .rank = rank, .count = count, .type = orr_type_of(datatype)};
	a->nobody = rank == MPI_PROC_NULL;
	if (!a->t.type || !a->t.type->committed)
		return MPI_ERR_TYPE;
	if (count < 0)
		return MPI_ERR_COUNT;
	int64_t bytes;
	int code = orr_type_bytes(a->t.type, count, &bytes);
	if (!code)
		code = orr_win_access(w, rank);
	if (code || a->nobody)
		return code;
	const struct orr_win_peer *p = &w->peer[rank];
	a->t.address = p->base + (uint64_t)disp * (uint64_t)p->unit;
	return range_check(a, p, disp);
}

static int origin_set(struct access *a, const void *addr, MPI_Count count, MPI_Datatype datatype)
{
	a->origin = addr;
	a->origin_count = count;
	a->origin_type = orr_type_of(datatype);
	int64_t bytes;
	if (count < 0)
		return MPI_ERR_COUNT;
	return a->origin_type && a->origin_type->committed
	           ? orr_type_bytes(a->origin_type, count, &bytes)
	           : MPI_ERR_TYPE;
}

static int ask(const struct access *a, enum orr_rma_kind kind, int64_t bytes, MPI_Request *request)
{
	const struct orr_win *w = a->t.w;
	int process = a->nobody ? MPI_PROC_NULL : w->comm->local->member[a->t.rank];
	/* Between fences, after start and under an exclusive lock nobody may look at what is being
	 * done: only operations under locks that others share follow simulated time one by one. */
	int ordered = !a->nobody &&
	              (w->locked_all || orr_win_locked(w, a->t.rank) == LOCKED_SHARED);
	return orr_core_rma(w->number, kind, process, bytes, ordered, request);
}

/* Room for packed data. */
static char *room_for(int64_t bytes)
{
	return malloc(bytes ? (size_t)bytes : 1);
}

static int put_data(const struct access *a)
{
	int64_t bytes = a->t.count * a->t.type->size, disp;
	if (a->origin_count * a->origin_type->size < bytes)
		return MPI_ERR_TRUNCATE;
	if (orr_is_contiguous(a->origin_type, a->origin_count, &disp))
		return target_move(&a->t, 1, (char *)(uintptr_t)a->origin + disp);
	char *packed = room_for(bytes);
	if (!packed)
		return MPI_ERR_NO_MEM;
	orr_pack(a->origin, a->origin_count, a->origin_type, 0, bytes, packed);
	int code = target_move(&a->t, 1, packed);
	free(packed);
	return code;
}

/* What is there, to `to`. */
static int get_data(const struct access *a, void *to, MPI_Count count, struct orr_type *type)
{
	int64_t bytes = a->t.count * a->t.type->size, disp;
	if (count * type->size < bytes)
		return MPI_ERR_TRUNCATE;
	if (orr_is_contiguous(type, count, &disp))
		return target_move(&a->t, 0, (char *)to + disp);
	char *packed = room_for(bytes);
	if (!packed)
		return MPI_ERR_NO_MEM;
	int code = target_move(&a->t, 0, packed);
	if (!code)
		orr_unpack(to, count, type, 0, bytes, packed);
	free(packed);
	return code;
}

static void target_lock(const struct target *t)
{
	_Atomic uint32_t *lock = &t->w->control[t->rank].lock;
	for (uint32_t free = 0; !atomic_compare_exchange_weak(lock, &free, 1); free = 0)
		syscall(SYS_sched_yield);
}

static void target_unlock(const struct target *t)
{
	atomic_store(&t->w->control[t->rank].lock, 0);
}

/* The operator between packed operands and what is there. */
static int combine(const struct access *a, const char *operand, char *there)
{
	int64_t bytes = a->t.count * a->t.type->size;
	size_t element = orr_basic_size(a->t.type->base);
	int code = target_move(&a->t, 0, there);
	if (code)
		return code;
	reduce_apply(a->op->o.handle, a->t.type->base, operand, there, bytes / (int64_t)element);
	return target_move(&a->t, 1, there);
}

static int accumulate_data(const struct access *a)
{
	int64_t bytes = a->t.count * a->t.type->size;
	if (a->op->o.handle == REDUCE_NO_OP || bytes == 0)
		return MPI_SUCCESS;
	if (a->op->o.handle == REDUCE_REPLACE)
		return put_data(a);
	if (a->origin_count * a->origin_type->size < bytes)
		return MPI_ERR_TRUNCATE;
	char *packed = bytes > INT64_MAX / 2 ? NULL : room_for(2 * bytes);
	if (!packed)
		return MPI_ERR_NO_MEM;
	orr_pack(a->origin, a->origin_count, a->origin_type, 0, bytes, packed);
	int code = combine(a, packed, packed + bytes);
	free(packed);
	return code;
}

/* Both under the target's lock: what was there, then the operator. */
static int fetch_data(const struct access *a)
{
	target_lock(&a->t);
	int code = a->result ? get_data(a, a->result, a->result_count, a->result_type)
	                     : MPI_SUCCESS;
	if (!code)
		code = accumulate_data(a);
	target_unlock(&a->t);
	return code;
}

static int op_set(struct access *a, MPI_Op op)
{
	a->op = orr_op_of(op);
	if (!a->op || a->op->token)
		return MPI_ERR_OP;
	return a->t.count == 0 ? MPI_SUCCESS : orr_op_check(a->op, a->t.type, 1);
}

/* --- the functions of MPI --- */

static int swap_data(struct access *a, const void *compare)
{
	target_lock(&a->t);
	int code = get_data(a, a->result, 1, a->t.type);
	if (!code && memcmp(a->result, compare, (size_t)a->t.type->size) == 0)
		code = put_data(a);
	target_unlock(&a->t);
	return code;
}

/* What a call does, but for its arguments: asked, then moved; a request that came to nothing but an
 * error is the simulator's alone. */
enum what { DO_PUT, DO_GET, DO_ACCUMULATE, DO_FETCH, DO_SWAP };

static void touches_tell(const struct access *a, enum orr_rma_kind kind)
{
	const struct orr_win *w = a->t.w;
	struct orr_touch t[3] = {{a->t.address, a->t.count, a->t.type}};
	if (kind != RMA_GET && a->origin_type)
		t[1] = (struct orr_touch){(uintptr_t)a->origin, a->origin_count, a->origin_type};
	if (a->result)
		t[2] = (struct orr_touch){(uintptr_t)a->result, a->result_count, a->result_type};
	orr_core_touches(w->number, kind, w->comm->local->member[a->t.rank], t);
}

static int perform(struct access *a, enum what what, const void *compare, MPI_Request *request)
{
	static const enum orr_rma_kind kind[] = {RMA_PUT, RMA_GET, RMA_ACCUMULATE, RMA_FETCH,
	                                         RMA_FETCH};
	orr_core_enter();
	int code = ask(a, kind[what], a->t.count * a->t.type->size, request);
	if (!code && !a->nobody) {
		if (what == DO_PUT)
			code = put_data(a);
		else if (what == DO_GET)
			code = get_data(a, a->result, a->result_count, a->result_type);
		else if (what == DO_SWAP)
			code = swap_data(a, compare);
		else
			code = fetch_data(a);
	}
	if (!code && !a->nobody && !request && orr_core_watches())
		touches_tell(a, kind[what]);
	orr_core_leave();
	return code;
}

static int put(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
               int target_rank, MPI_Aint target_disp, MPI_Count target_count,
               MPI_Datatype target_datatype, MPI_Win win, MPI_Request *request)
{
	struct access a = {0};
	int code = target_set(&a, win, target_rank, target_disp, target_count, target_datatype);
	if (!code)
		code = origin_set(&a, origin_addr, origin_count, origin_datatype);
	return code ? code : perform(&a, DO_PUT, NULL, request);
}

int orr_Put(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
            int target_rank, MPI_Aint target_disp, MPI_Count target_count,
            MPI_Datatype target_datatype, MPI_Win win)
{
	return put(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
	           target_count, target_datatype, win, NULL);
}

int orr_Rput(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
             int target_rank, MPI_Aint target_disp, MPI_Count target_count,
             MPI_Datatype target_datatype, MPI_Win win, MPI_Request *request)
{
	return put(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
	           target_count, target_datatype, win, request);
}

static int get(void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
               int target_rank, MPI_Aint target_disp, MPI_Count target_count,
               MPI_Datatype target_datatype, MPI_Win win, MPI_Request *request)
{
	struct access a = {.result = origin_addr, .result_count = origin_count};
	int code = target_set(&a, win, target_rank, target_disp, target_count, target_datatype);
	if (!code)
		code = origin_set(&a, origin_addr, origin_count, origin_datatype);
	a.result_type = a.origin_type;
	return code ? code : perform(&a, DO_GET, NULL, request);
}

int orr_Get(void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
            int target_rank, MPI_Aint target_disp, MPI_Count target_count,
            MPI_Datatype target_datatype, MPI_Win win)
{
	return get(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
	           target_count, target_datatype, win, NULL);
}

int orr_Rget(void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
             int target_rank, MPI_Aint target_disp, MPI_Count target_count,
             MPI_Datatype target_datatype, MPI_Win win, MPI_Request *request)
{
	return get(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
	           target_count, target_datatype, win, request);
}

static int accumulate(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                      int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                      MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request *request)
{
	struct access a = {0};
	int code = target_set(&a, win, target_rank, target_disp, target_count, target_datatype);
	if (!code)
		code = origin_set(&a, origin_addr, origin_count, origin_datatype);
	if (!code)
		code = op_set(&a, op);
	return code ? code : perform(&a, DO_ACCUMULATE, NULL, request);
}

int orr_Accumulate(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                   int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                   MPI_Datatype target_datatype, MPI_Op op, MPI_Win win)
{
	return accumulate(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
	                  target_count, target_datatype, op, win, NULL);
}

int orr_Raccumulate(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                    int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                    MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request *request)
{
	return accumulate(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
	                  target_count, target_datatype, op, win, request);
}

static int get_accumulate(const void *origin_addr, MPI_Count origin_count,
                          MPI_Datatype origin_datatype, void *result_addr, MPI_Count result_count,
                          MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp,
                          MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
                          MPI_Win win, MPI_Request *request)
{
	struct access a = {
	    .result = result_addr,
	    .result_count = result_count,
	    .result_type = orr_type_of(result_datatype),
	};
	int code = target_set(&a, win, target_rank, target_disp, target_count, target_datatype);
	if (!code && op != MPI_NO_OP)
		code = origin_set(&a, origin_addr, origin_count, origin_datatype);
	if (!code && (!a.result_type || !a.result_type->committed))
		code = MPI_ERR_TYPE;
	int64_t bytes;
	if (!code)
		code = result_count < 0 ? MPI_ERR_COUNT
		                        : orr_type_bytes(a.result_type, result_count, &bytes);
	if (!code)
		code = op_set(&a, op);
	return code ? code : perform(&a, DO_FETCH, NULL, request);
}

int orr_Get_accumulate(const void *origin_addr, MPI_Count origin_count,
                       MPI_Datatype origin_datatype, void *result_addr, MPI_Count result_count,
                       MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp,
                       MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win)
{
	return get_accumulate(origin_addr, origin_count, origin_datatype, result_addr, result_count,
	                      result_datatype, target_rank, target_disp, target_count,
	                      target_datatype, op, win, NULL);
}

int orr_Rget_accumulate(const void *origin_addr, MPI_Count origin_count,
                        MPI_Datatype origin_datatype, void *result_addr, MPI_Count result_count,
                        MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp,
                        MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
                        MPI_Win win, MPI_Request *request)
{
	return get_accumulate(origin_addr, origin_count, origin_datatype, result_addr, result_count,
	                      result_datatype, target_rank, target_disp, target_count,
	                      target_datatype, op, win, request);
}

int orr_Fetch_and_op(const void *origin_addr, void *result_addr, MPI_Datatype datatype,
                     int target_rank, MPI_Aint target_disp, MPI_Op op, MPI_Win win)
{
	const struct orr_type *t = orr_type_of(datatype);
	if (t && t->basic == BASIC_NONE)
		return MPI_ERR_TYPE;
	return get_accumulate(origin_addr, 1, datatype, result_addr, 1, datatype, target_rank,
	                      target_disp, 1, datatype, op, win, NULL);
}

/* Types that compare by their bytes: integers, logicals, bytes (MPI 4.0, 12.3.4). */
static int is_comparable(const struct orr_type *t)
{
	return t->basic != BASIC_NONE && (t->basic <= BASIC_ULONG ||
	                                  (t->basic >= BASIC_BOOL && t->basic <= BASIC_LOGICAL128));
}

int orr_Compare_and_swap(const void *origin_addr, const void *compare_addr, void *result_addr,
                         MPI_Datatype datatype, int target_rank, MPI_Aint target_disp, MPI_Win win)
{
	struct access a = {.result = result_addr, .result_count = 1};
	int code = target_set(&a, win, target_rank, target_disp, 1, datatype);
	if (!code)
		code = origin_set(&a, origin_addr, 1, datatype);
	a.result_type = a.origin_type;
	if (!code && !is_comparable(a.t.type))
		code = MPI_ERR_TYPE;
	return code ? code : perform(&a, DO_SWAP, compare_addr, NULL);
}
