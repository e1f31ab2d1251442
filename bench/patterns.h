/* patterns.h: traces of known programs, made by rule, for benchmarks and tests of sizes: what the
 * tracer would write of them, with noise in volumes and durations if wanted.
 *   stencil    five points in two dimensions, at the edges MPI_PROC_NULL; torus: periodic
 *   lu         wavefronts plane by plane over a 2-D grid, forth and back (LU of NPB)
 *   mg         V-cycles on a 3-D torus: neighbours at 1, 2, 4, …; on coarse levels few ranks are
 *              active (MG of NPB)
 *   bt         multi-partition: six faces to all neighbours, then a pipeline in each dimension,
 *              with sizes that differ by cell (BT, SP of NPB)
 *   irregular  counts drawn anew for each message, below the number of steps
 *   strided    each rank writes its pieces of a file, with the system's calls and with MPI's, and
 *              now and then a file of its own, named by rank and step */
#ifndef ORRERY_BENCH_PATTERNS_H
#define ORRERY_BENCH_PATTERNS_H

#include "base/rng.h"
#include "trace/trace.h"

#include <stdio.h>
#include <string.h>

enum pattern {
	PATTERN_STENCIL,
	PATTERN_TORUS,
	PATTERN_LU,
	PATTERN_MG,
	PATTERN_BT,
	PATTERN_IRREGULAR,
	PATTERN_STRIDED,
	PATTERNS
};
static const char *const pattern_names[PATTERNS] = {"stencil", "torus",     "lu",     "mg",
                                                    "bt",      "irregular", "strided"};
enum { PATTERN_REGIONS = 32 };

struct pattern_run {
	void (*put)(void *self, uint32_t rank, const struct trace_event *ev);
	void *self;
	int ranks, steps, rank;
	int noise; /* volumes and durations are drawn */
	struct rng rng;
	uint32_t regions; /* bits of those defined */
};

static inline void pattern_put(struct pattern_run *p, struct trace_event *ev)
{
	if (p->noise)
		ev->duration = (double)(200 + (int64_t)rng_below(&p->rng, 300)) / 1e9 *
		               (rng_below(&p->rng, 20) == 0 ? 50 : 1);
	p->put(p->self, (uint32_t)p->rank, ev);
}

/* A computation of about so many instructions, in the region with this number. */
static inline void pattern_compute(struct pattern_run *p, int region, double volume)
{
	struct trace_event ev;
	char name[64];

	if (!(p->regions >> region & 1)) {
		p->regions |= UINT32_C(1) << region;
		trace_event_init(&ev, TRACE_REGION);
		ev.region = region;
		snprintf(name, sizeof name, "step@app.c:%d>step@app.c:%d", 100 + 7 * region,
		         107 + 7 * region);
		ev.text = name;
		p->put(p->self, (uint32_t)p->rank, &ev);
	}
	trace_event_init(&ev, TRACE_COMPUTE);
	ev.region = region;
	ev.volume = volume;
	if (p->noise)
		ev.volume += (double)rng_below(&p->rng, (uint64_t)(volume / 5) + 1);
	pattern_put(p, &ev);
}

static inline void pattern_message(struct pattern_run *p, enum trace_op op, int peer, int tag,
                                   int64_t count, int64_t req)
{
	struct trace_event ev;

	trace_event_init(&ev, op);
	ev.peer = peer;
	ev.tag = tag;
	ev.count = count;
	ev.type = 0;
	ev.type_size = 8;
	ev.req = req;
	pattern_put(p, &ev);
}

static inline void pattern_waitall(struct pattern_run *p, int n)
{
	static const int64_t reqs[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
	struct trace_event ev;

	trace_event_init(&ev, TRACE_WAITALL);
	ev.reqs = reqs;
	ev.n_reqs = n;
	pattern_put(p, &ev);
}

static inline void pattern_wait(struct pattern_run *p, int64_t req)
{
	struct trace_event ev;

	trace_event_init(&ev, TRACE_WAIT);
	ev.req = req;
	pattern_put(p, &ev);
}

static inline void pattern_simple(struct pattern_run *p, enum trace_op op, int64_t count)
{
	struct trace_event ev;

	trace_event_init(&ev, op);
	ev.count = count;
	ev.type = 0;
	ev.type_size = count ? 8 : 0;
	pattern_put(p, &ev);
}

static inline void pattern_grid(int n, int *rows, int *cols)
{
	*rows = 1;
	for (int r = 1; r * r <= n; r++)
		if (n % r == 0)
			*rows = r;
	*cols = n / *rows;
}

static inline int pattern_at(int i, int j, int rows, int cols, int periodic)
{
	if (periodic)
		return (i + rows) % rows * cols + (j + cols) % cols;
	return i < 0 || j < 0 || i >= rows || j >= cols ? TRACE_PROC_NULL : i * cols + j;
}

static inline void pattern_stencil(struct pattern_run *p, int periodic)
{
	static const int di[] = {-1, 1, 0, 0}, dj[] = {0, 0, -1, 1};
	int rows, cols, i, j;

	pattern_grid(p->ranks, &rows, &cols);
	i = p->rank / cols;
	j = p->rank % cols;
	for (int s = 0; s < p->steps; s++) {
		for (int k = 0; k < 4; k++)
			pattern_message(p, TRACE_IRECV,
			                pattern_at(i + di[k], j + dj[k], rows, cols, periodic), k,
			                256, k);
		for (int k = 0; k < 4; k++) {
			pattern_compute(p, k, 200);
			pattern_message(p, TRACE_ISEND,
			                pattern_at(i + di[k], j + dj[k], rows, cols, periodic),
			                k ^ 1, 256, 4 + k);
		}
		pattern_waitall(p, 8);
		pattern_compute(p, 4, 1e6);
		if (s % 10 == 9)
			pattern_simple(p, TRACE_ALLREDUCE, 1);
	}
}

static inline void pattern_sweep(struct pattern_run *p, int rows, int cols, int d)
{
	int i = p->rank / cols, j = p->rank % cols;

	for (int k = 0; k < 10; k++) {
		if (i - d >= 0 && i - d < rows)
			pattern_message(p, TRACE_RECV, p->rank - d * cols, 1, 60, -1);
		if (j - d >= 0 && j - d < cols)
			pattern_message(p, TRACE_RECV, p->rank - d, 2, 60, -1);
		pattern_compute(p, d > 0 ? 0 : 1, 9e4);
		if (i + d >= 0 && i + d < rows)
			pattern_message(p, TRACE_SEND, p->rank + d * cols, 1, 60, -1);
		if (j + d >= 0 && j + d < cols)
			pattern_message(p, TRACE_SEND, p->rank + d, 2, 60, -1);
	}
}

static inline void pattern_lu(struct pattern_run *p)
{
	int rows, cols;

	pattern_grid(p->ranks, &rows, &cols);
	for (int s = 0; s < p->steps; s++) {
		pattern_compute(p, 2, 2e6);
		pattern_sweep(p, rows, cols, 1);
		pattern_sweep(p, rows, cols, -1);
		for (int k = 0; k < 4; k++) { /* faces, both ways */
			int i = p->rank / cols, j = p->rank % cols;
			int to = pattern_at(i + (k < 2 ? 2 * k - 1 : 0),
			                    j + (k < 2 ? 0 : 2 * k - 5), rows, cols, 0);
			int from = pattern_at(i - (k < 2 ? 2 * k - 1 : 0),
			                      j - (k < 2 ? 0 : 2 * k - 5), rows, cols, 0);

			if (from >= 0)
				pattern_message(p, TRACE_IRECV, from, 3 + k, 2000, 0);
			if (to >= 0)
				pattern_message(p, TRACE_SEND, to, 3 + k, 2000, -1);
			if (from >= 0)
				pattern_wait(p, 0);
		}
		if (s % 5 == 4)
			pattern_simple(p, TRACE_ALLREDUCE, 5);
	}
}

/* The neighbour at a distance along an axis of a cube. */
static inline int pattern_along(const struct pattern_run *p, int side, int axis, int by)
{
	int at[3] = {p->rank % side, p->rank / side % side, p->rank / side / side};

	at[axis] = (at[axis] + by + side) % side;
	return (at[2] * side + at[1]) * side + at[0];
}

/* The halo of a level: along each axis, both ways; ranks at multiples of the distance only. */
static inline void pattern_halo(struct pattern_run *p, int side, int level, int region)
{
	int by = 1;
	int64_t count = 4 + (INT64_C(4096) >> 2 * level);

	for (int l = 1; l < level && by < side; l++)
		by *= 2;
	if (p->rank % side % by || p->rank / side % side % by || p->rank / side / side % by)
		return;
	for (int axis = 0; axis < 3; axis++) {
		if (by >= side)
			break;
		for (int way = -1; way <= 1; way += 2)
			pattern_message(p, TRACE_IRECV, pattern_along(p, side, axis, -way * by),
			                axis * 2 + (way > 0), count, way > 0);
		for (int way = -1; way <= 1; way += 2)
			pattern_message(p, TRACE_SEND, pattern_along(p, side, axis, way * by),
			                axis * 2 + (way > 0), count, -1);
		for (int k = 0; k < 2; k++)
			pattern_wait(p, k);
	}
	pattern_compute(p, region, 10.0 * (double)count);
}

static inline void pattern_mg(struct pattern_run *p)
{
	int side = 1;

	while ((side + 1) * (side + 1) * (side + 1) <= p->ranks)
		side++;
	for (int s = 0; s < p->steps; s++) {
		for (int level = 0; level < 6; level++)
			pattern_halo(p, side, level, level);
		for (int level = 5; level >= 0; level--) {
			pattern_halo(p, side, level, 6 + level);
			pattern_halo(p, side, level, 12 + level);
		}
		if (s % 5 == 0) {
			pattern_simple(p, TRACE_ALLREDUCE, 1);
			pattern_simple(p, TRACE_ALLREDUCE, 1);
		}
	}
}

static inline int64_t pattern_cell(int side, int c)
{
	return 102 / side + (c % side < 102 % side);
}

/* What `rank` sends, or gets into, in a stage of a pipeline: a side of its cell. */
static inline int64_t pattern_piece(int side, int rank, int cell, int dim, int way)
{
	int64_t a = pattern_cell(side, cell + rank / side),
	        b = pattern_cell(side, cell + rank % side + dim);

	return (a + 1) * (b + 1) * (way ? 5 : 22);
}

/* What `rank` sends through face k of all its cells. */
static inline int64_t pattern_face(int side, int rank, int k)
{
	int64_t count = 0;

	for (int c = 0; c < side; c++)
		count += 10 * pattern_cell(side, c + rank / side) *
		         pattern_cell(side, c + rank % side + k / 2);
	return count;
}

static inline void pattern_solve(struct pattern_run *p, int side, int dim, int next, int before)
{
	for (int way = 0; way < 2; way++)
		for (int c = 0; c < side; c++) {
			int from = way ? next : before, at = way ? side - 1 - c : c,
			    then = way ? at - 1 + side : at + 1;

			if (c > 0) {
				pattern_message(p, TRACE_IRECV, from, 10 + dim,
				                pattern_piece(side, from, at, dim, way), 0);
				pattern_wait(p, 0);
			}
			pattern_compute(p, 2 + 2 * dim + way, 3e4);
			if (c < side - 1) {
				pattern_message(p, TRACE_ISEND, way ? before : next, 10 + dim,
				                pattern_piece(side, p->rank, then, dim, way), 0);
				pattern_wait(p, 0);
			}
		}
}

static inline void pattern_bt(struct pattern_run *p)
{
	int side = 1, i, j, next[3], before[3];

	while ((side + 1) * (side + 1) <= p->ranks)
		side++;
	i = p->rank / side;
	j = p->rank % side;
	for (int d = 0; d < 3; d++) {
		next[d] = pattern_at(i + (d == 0) + (d == 2), j + (d == 1) - (d == 2), side, side,
		                     1);
		before[d] = pattern_at(i - (d == 0) - (d == 2), j - (d == 1) + (d == 2), side, side,
		                       1);
	}
	for (int s = 0; s < p->steps; s++) {
		for (int k = 0; k < 6; k++) {
			int from = k % 2 ? next[k / 2] : before[k / 2];

			pattern_message(p, TRACE_IRECV, from, k, pattern_face(side, from, k), k);
		}
		pattern_compute(p, 0, 1e5);
		for (int k = 0; k < 6; k++)
			pattern_message(p, TRACE_ISEND, k % 2 ? before[k / 2] : next[k / 2], k,
			                pattern_face(side, p->rank, k), 6 + k);
		pattern_waitall(p, 12);
		pattern_compute(p, 1, 1e6);
		for (int d = 0; d < 3; d++)
			pattern_solve(p, side, d, next[d], before[d]);
	}
}

/* Below p->steps, with p->steps messages: the entropy of a count is log2(steps) bits. */
static inline void pattern_irregular(struct pattern_run *p)
{
	struct rng counts;

	rng_init(&counts, 1, "counts", (uint64_t)p->rank);
	for (int s = 0; s < p->steps; s++)
		pattern_message(p, TRACE_SEND, (p->rank + 1) % p->ranks, 0,
		                (int64_t)rng_below(&counts, (uint64_t)p->steps), -1);
}

static inline void pattern_io(struct pattern_run *p, enum trace_op op, int64_t count)
{
	struct trace_event ev;

	trace_event_init(&ev, op);
	ev.object = op >= TRACE_IO_OPEN;
	ev.count = count;
	ev.type = count ? 6 : 0;
	ev.type_size = count ? 1 : 0;
	if (op == TRACE_IO_OPEN || op == TRACE_FILE_OPEN)
		ev.text = op == TRACE_IO_OPEN ? "checkpoint" : "checkpoint.mpi";
	pattern_put(p, &ev);
}

static inline void pattern_dump(struct pattern_run *p, int step)
{
	static const enum trace_op ops[] = {TRACE_IO_OPEN, TRACE_IO_WRITE, TRACE_IO_CLOSE};
	struct trace_event ev;
	char name[64];

	snprintf(name, sizeof name, "dump/part.%d.%06d", p->rank, step);
	for (int i = 0; i < 3; i++) {
		trace_event_init(&ev, ops[i]);
		ev.object = 2;
		if (ops[i] == TRACE_IO_OPEN)
			ev.text = name;
		if (ops[i] == TRACE_IO_WRITE) {
			ev.count = 8192;
			ev.type = 6;
			ev.type_size = 1;
		}
		pattern_put(p, &ev);
	}
}

static inline void pattern_strided(struct pattern_run *p)
{
	pattern_io(p, TRACE_FILE_OPEN, 0);
	pattern_io(p, TRACE_IO_OPEN, 0);
	for (int s = 0; s < p->steps; s++) {
		pattern_compute(p, 0, 1e5);
		pattern_io(p, TRACE_IO_WRITE, 4096 + p->rank % 3);
		pattern_io(p, TRACE_IO_READ, 4096);
	}
	for (int s = 0; s < p->steps / 10; s++) {
		pattern_io(p, TRACE_FILE_WRITE_ALL, 65536);
		pattern_dump(p, 10 * s);
	}
	pattern_io(p, TRACE_IO_CLOSE, 0);
	pattern_io(p, TRACE_FILE_CLOSE, 0);
}

/* What one rank does, from MPI_Init to MPI_Finalize. */
static inline void pattern_rank(struct pattern_run *p, enum pattern kind, int rank)
{
	p->rank = rank;
	p->regions = 0;
	rng_init(&p->rng, 7, "noise", (uint64_t)rank);
	pattern_simple(p, TRACE_INIT, 0);
	switch (kind) {
	case PATTERN_STENCIL:
	case PATTERN_TORUS:
		pattern_stencil(p, kind == PATTERN_TORUS);
		break;
	case PATTERN_LU:
		pattern_lu(p);
		break;
	case PATTERN_MG:
		pattern_mg(p);
		break;
	case PATTERN_BT:
		pattern_bt(p);
		break;
	case PATTERN_IRREGULAR:
		pattern_irregular(p);
		break;
	default:
		pattern_strided(p);
		break;
	}
	pattern_simple(p, TRACE_FINALIZE, 0);
}

#endif
