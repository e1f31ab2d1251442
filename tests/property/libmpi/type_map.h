/* type_map.h: random datatypes with their type maps written out as the standard defines them (MPI
 * 4.0, 5.1): a sequence of (basic type, displacement), in which resized types leave a mark for each
 * bound. Nothing is made of a type without elements: where it lies counts for bounds in Open MPI
 * and MPICH (and here), and does not in the standard. Displacements in bytes are multiples of 8,
 * except of types with marks: what rounding inside a rounded type leaves is not the map's affair.
 */
#ifndef ORRERY_TESTS_TYPE_MAP_H
#define ORRERY_TESTS_TYPE_MAP_H

#include "../../unit/libmpi/fake.h"

#include "base/rng.h"

enum { MAP_MAX = 400, DEPTH = 4 };

enum what { CHAR, SHORT, INT, DOUBLE, LOW, HIGH }; /* LOW, HIGH: the marks */
static const int sizes[] = {1, 2, 4, 8, 0, 0};

struct entry {
	int64_t disp;
	enum what what;
};
struct map {
	struct entry e[MAP_MAX];
	int n, full; /* full: it would be longer */
};
struct made {
	MPI_Datatype type;
	struct map map;
};

static char how[DEPTH + 1]; /* the constructors, from the inside: places in `all` */

static MPI_Datatype basic_of(enum what w)
{
	const MPI_Datatype types[] = {MPI_CHAR, MPI_SHORT, MPI_INT, MPI_DOUBLE};

	return types[w];
}

/* --- what a map says --- */

struct said {
	int64_t lb, ub, true_lb, true_ub, size;
	int marked, basics;
};

static struct said said(const struct map *m)
{
	int64_t low = INT64_MAX, high = INT64_MIN, mark_low = low, mark_high = high;
	struct said s = {0};
	int align = 1;

	for (int i = 0; i < m->n; i++) {
		const struct entry *e = &m->e[i];

		if (e->what == LOW)
			mark_low = e->disp < mark_low ? e->disp : mark_low;
		if (e->what == HIGH)
			mark_high = e->disp > mark_high ? e->disp : mark_high;
		if (e->what >= LOW)
			continue;
		low = e->disp < low ? e->disp : low;
		high = e->disp + sizes[e->what] > high ? e->disp + sizes[e->what] : high;
		align = sizes[e->what] > align ? sizes[e->what] : align;
		s.size += sizes[e->what];
		s.basics++;
	}
	s.marked = mark_low != INT64_MAX;
	if (s.basics) {
		s.true_lb = s.lb = low, s.true_ub = high;
		s.ub = high + (align - (high - low) % align) % align;
	}
	if (s.marked)
		s.lb = mark_low, s.ub = mark_high;
	return s;
}

static void map_put(struct map *m, const struct map *old, int64_t disp)
{
	if (m->n + old->n > MAP_MAX) {
		m->full = 1;
		return;
	}
	for (int i = 0; i < old->n; i++)
		m->e[m->n++] = (struct entry){old->e[i].disp + disp, old->e[i].what};
}

/* n copies, an extent apart. */
static void map_block(struct map *m, const struct map *old, int64_t disp, int64_t n)
{
	struct said s = said(old);

	for (int64_t i = 0; i < n; i++)
		map_put(m, old, disp + i * (s.ub - s.lb));
}

/* --- constructors: each takes one type and makes another, with its map --- */

static int64_t bytes_draw(struct rng *r, const struct map *old)
{
	int64_t x = (int64_t)rng_below(r, 40) - 10;

	return said(old).marked ? x : 8 * x;
}

static void contiguous(struct rng *r, const struct made *old, struct made *out)
{
	int64_t n = (int64_t)rng_below(r, 5);

	map_block(&out->map, &old->map, 0, n);
	OK(orr_Type_contiguous(n, old->type, &out->type));
}

static void vector(struct rng *r, const struct made *old, struct made *out)
{
	int64_t n = (int64_t)rng_below(r, 4), length = (int64_t)rng_below(r, 4),
	        stride = (int64_t)rng_below(r, 9) - 3, bytes = bytes_draw(r, &old->map);
	struct said s = said(&old->map);
	int in_bytes = rng_below(r, 2) != 0;

	for (int64_t i = 0; i < n; i++)
		map_block(&out->map, &old->map, i * (in_bytes ? bytes : stride * (s.ub - s.lb)),
		          length);
	if (in_bytes)
		OK(orr_Type_create_hvector(n, length, bytes, old->type, &out->type));
	else
		OK(orr_Type_vector(n, length, stride, old->type, &out->type));
}

/* indexed, hindexed, and both with blocks of one length. */
static void lists(struct rng *r, const struct made *old, struct made *out)
{
	MPI_Count n = (MPI_Count)rng_below(r, 4), length[4], disp[4];
	int in_bytes = rng_below(r, 2) != 0, alike = rng_below(r, 2) != 0;
	struct said s = said(&old->map);

	for (MPI_Count i = 0; i < n; i++) {
		length[i] = alike && i ? length[0] : (MPI_Count)rng_below(r, 4);
		disp[i] = in_bytes ? bytes_draw(r, &old->map) : (MPI_Count)rng_below(r, 12) - 3;
		map_block(&out->map, &old->map, disp[i] * (in_bytes ? 1 : s.ub - s.lb), length[i]);
	}
	if (alike && n > 0)
		OK((in_bytes ? orr_Type_create_hindexed_block : orr_Type_create_indexed_block)(
		    n, length[0], disp, old->type, &out->type));
	else
		OK((in_bytes ? orr_Type_create_hindexed : orr_Type_indexed)(n, length, disp,
		                                                            old->type, &out->type));
}

/* Of the type and of basic ones. */
static void structure(struct rng *r, const struct made *old, struct made *out)
{
	MPI_Count n = 1 + (MPI_Count)rng_below(r, 3), length[3], disp[3];
	MPI_Datatype types[3];

	for (MPI_Count i = 0; i < n; i++) {
		enum what w = (enum what)rng_below(r, LOW);
		struct map basic = {.e = {{0, w}}, .n = 1};
		int own = rng_below(r, 2) != 0;

		types[i] = own ? old->type : basic_of(w);
		length[i] = (MPI_Count)rng_below(r, 3);
		disp[i] = 8 * ((MPI_Count)rng_below(r, 20) - 5);
		map_block(&out->map, own ? &old->map : &basic, disp[i], length[i]);
	}
	OK(orr_Type_create_struct(n, length, disp, types, &out->type));
}

/* The marks that were there go (5.1.7). */
static void resized(struct rng *r, const struct made *old, struct made *out)
{
	int64_t lb = (int64_t)rng_below(r, 20) - 8, extent = (int64_t)rng_below(r, 60);

	for (int i = 0; i < old->map.n; i++)
		if (old->map.e[i].what < LOW)
			out->map.e[out->map.n++] = old->map.e[i];
	if (out->map.n + 2 > MAP_MAX) {
		out->map.full = 1;
		out->map.n -= 2;
	}
	out->map.e[out->map.n++] = (struct entry){lb, LOW};
	out->map.e[out->map.n++] = (struct entry){lb + extent, HIGH};
	OK(orr_Type_create_resized(old->type, lb, extent, &out->type));
}

static void duplicate(struct rng *r, const struct made *old, struct made *out)
{
	(void)r;
	out->map = old->map;
	OK(orr_Type_dup(old->type, &out->type));
}

/* The elements of an array that a process has, in the order of memory, and marks at the ends of
 * the array. has: of dimension d, is index i its own? */
struct part {
	int dims, order;
	MPI_Count size[3];
	char has[3][8];
};

static void array_map(const struct part *p, const struct map *old, struct map *out)
{
	struct said s = said(old);
	int64_t all = 1;

	for (int d = 0; d < p->dims; d++)
		all *= p->size[d];
	for (int64_t at = 0; at < all; at++) {
		int64_t rest = at;
		int mine = 1;

		for (int k = 0; k < p->dims; k++) { /* the fastest dimension first */
			int d = p->order == MPI_ORDER_C ? p->dims - 1 - k : k;

			mine = mine && p->has[d][rest % p->size[d]];
			rest /= p->size[d];
		}
		for (int i = 0; mine && i < old->n; i++) {
			if (old->e[i].what >= LOW)
				continue;
			if (out->n + 3 > MAP_MAX) {
				out->full = 1;
				return;
			}
			out->e[out->n++] = (struct entry){old->e[i].disp + at * (s.ub - s.lb),
			                                  old->e[i].what};
		}
	}
	out->e[out->n++] = (struct entry){0, LOW};
	out->e[out->n++] = (struct entry){all * (s.ub - s.lb), HIGH};
}

static struct part part_draw(struct rng *r)
{
	struct part p = {.dims = 1 + (int)rng_below(r, 3),
	                 .order = rng_below(r, 2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN};

	for (int d = 0; d < p.dims; d++)
		p.size[d] = 1 + (MPI_Count)rng_below(r, 5);
	return p;
}

static void subarray(struct rng *r, const struct made *old, struct made *out)
{
	struct part p = part_draw(r);
	MPI_Count sub[3], start[3];

	for (int d = 0; d < p.dims; d++) {
		sub[d] = 1 + (MPI_Count)rng_below(r, (uint64_t)p.size[d]);
		start[d] = (MPI_Count)rng_below(r, (uint64_t)(p.size[d] - sub[d] + 1));
		memset(&p.has[d][start[d]], 1, (size_t)sub[d]);
	}
	array_map(&p, &old->map, &out->map);
	OK(orr_Type_create_subarray(p.dims, p.size, sub, start, p.order, old->type, &out->type));
}

/* 5.1.4: index i of a dimension is of process i / b (block), i / b mod p (cyclic); b is the
 * argument, which of a dimension that is not distributed is ignored; the process grid is
 * row-major in either order. */
static void darray(struct rng *r, const struct made *old, struct made *out)
{
	struct part p = part_draw(r);
	int distrib[3], arg[3], procs[3], place[3], all = 1, rank = 0;

	for (int d = 0; d < p.dims; d++) {
		uint64_t kind = rng_below(r, 3);
		MPI_Count b = 1 + (MPI_Count)rng_below(r, 3);
		int usual = rng_below(r, 2) != 0;

		procs[d] = kind ? 1 + (int)rng_below(r, 3) : 1;
		place[d] = (int)rng_below(r, (uint64_t)procs[d]);
		distrib[d] = kind == 0   ? MPI_DISTRIBUTE_NONE
		             : kind == 1 ? MPI_DISTRIBUTE_BLOCK
		                         : MPI_DISTRIBUTE_CYCLIC;
		if (kind == 1 && (usual || b * procs[d] < p.size[d]))
			usual = 1, b = (p.size[d] + procs[d] - 1) / procs[d];
		else if (kind == 2 && usual)
			b = 1;
		arg[d] = usual ? MPI_DISTRIBUTE_DFLT_DARG : (int)b;
		for (MPI_Count i = 0; i < p.size[d]; i++)
			p.has[d][i] = kind == 0 || i / b % (kind == 1 ? 8 : procs[d]) == place[d];
		all *= procs[d];
		rank = rank * procs[d] + place[d];
	}
	array_map(&p, &old->map, &out->map);
	OK(orr_Type_create_darray(all, rank, p.dims, p.size, distrib, arg, procs, p.order,
	                          old->type, &out->type));
}

typedef void constructor(struct rng *r, const struct made *old, struct made *out);

/* A type of the drawn depth; 0: its map would be too long. */
static int type_draw(struct rng *r, struct made *out)
{
	static constructor *const all[] = {contiguous, vector,    lists,    structure,
	                                   resized,    duplicate, subarray, darray};
	static struct made m[2];
	int depth = 1 + (int)rng_below(r, DEPTH), at = 0;
	enum what w = (enum what)rng_below(r, LOW);

	m[0] = (struct made){basic_of(w), {.e = {{0, w}}, .n = 1}};
	for (int i = 0; i < depth; i++, at = !at) {
		m[!at] = (struct made){.map = {.n = 0}};
		uint64_t k = rng_below(r, sizeof all / sizeof *all);
		how[i] = (char)('0' + k);
		how[i + 1] = '\0';
		all[k](r, &m[at], &m[!at]);
		if (i)
			OK(orr_Type_free(&m[at].type)); /* those made of it go on */
		if (m[!at].map.full) {
			OK(orr_Type_free(&m[!at].type));
			return 0;
		}
		if (!said(&m[!at].map).basics) /* nothing is made of it */
			depth = i + 1;
	}
	*out = m[at];
	return 1;
}

#endif
