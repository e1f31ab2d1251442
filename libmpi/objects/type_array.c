/* type_array.c: parts of arrays: subarray, and distributed arrays (MPI 4.0, 5.1.4). Both are loops
 * over dimensions, the innermost first; their extent is that of the whole array. */
#include <stdlib.h>
#include <string.h>

#include "orr_mpi.h"
#include "type.h"

/* Where the bytes of a node lie. */
static void node_bounds(const struct orr_node *n, int64_t base, int64_t *low, int64_t *high)
{
	base += n->disp;
	if (n->op == NODE_LEAF) {
		*low = base < *low ? base : *low;
		*high = base + n->size > *high ? base + n->size : *high;
	} else if (n->op == NODE_LOOP) {
		node_bounds(n->child, base, low, high);
		node_bounds(n->child, base + (n->count - 1) * n->stride, low, high);
	} else {
		for (int64_t i = 0; i < n->count; i++)
			node_bounds(n->entry[i].node, base + n->entry[i].disp, low, high);
	}
}

/* The type is this node of an array of `elements` old ones. */
static int array_end(struct orr_type *t, const struct orr_node *map, int64_t elements,
                     const struct orr_type *old)
{
	if (!map)
		return MPI_ERR_NO_MEM;
	t->map = map;
	t->size = map->size;
	t->align = old->align;
	t->base = old->base;
	t->ub = elements * orr_type_span(old);
	t->lb_set = t->ub_set = 1;
	if (t->size) {
		t->true_lb = INT64_MAX;
		t->true_ub = INT64_MIN;
		node_bounds(map, 0, &t->true_lb, &t->true_ub);
	}
	return MPI_SUCCESS;
}

/* Its extent, and all within, are 64-bit numbers if those of so many old ones are. */
static int elements_check(int ndims, const MPI_Count *sizes, const struct orr_type *old)
{
	MPI_Count elements = 1;
	for (int i = 0; i < ndims; i++)
		if (__builtin_mul_overflow(elements, sizes[i], &elements))
			return orr_type_too_large();
	return orr_type_check_copies(old, elements);
}

static int inner(int order, int ndims, int step) /* the dimension that is step-th from inside */
{
	return order == MPI_ORDER_C ? ndims - 1 - step : step;
}

static int subarray_check(int ndims, const MPI_Count *sizes, const MPI_Count *subsizes,
                          const MPI_Count *starts, int order)
{
	if (ndims < 1 || !sizes || !subsizes || !starts)
		return MPI_ERR_ARG;
	for (int i = 0; i < ndims; i++)
		if (sizes[i] < 1 || subsizes[i] < 1 || subsizes[i] > sizes[i] || starts[i] < 0 ||
		    starts[i] > sizes[i] - subsizes[i])
			return MPI_ERR_ARG;
	return order == MPI_ORDER_C || order == MPI_ORDER_FORTRAN ? MPI_SUCCESS : MPI_ERR_ARG;
}

static struct orr_type *array_new(int combiner, MPI_Count n_ints, struct orr_type *old)
{
	struct orr_type *t = orr_type_new(combiner);
	if (t && orr_contents_new(t, n_ints, 0, 1)) {
		orr_type_drop(t);
		return NULL;
	}
	if (t) {
		orr_type_keep(old);
		t->c.types[0] = old;
	}
	return t;
}

int orr_Type_create_subarray(int ndims, const MPI_Count array_of_sizes[],
                             const MPI_Count array_of_subsizes[], const MPI_Count array_of_starts[],
                             int order, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	int code = subarray_check(ndims, array_of_sizes, array_of_subsizes, array_of_starts, order);
	struct orr_type *old = orr_type_of(oldtype);
	if (code || !old || !newtype)
		return code ? code : old ? MPI_ERR_ARG : MPI_ERR_TYPE;
	code = elements_check(ndims, array_of_sizes, old);
	if (code)
		return code;
	struct orr_type *t = array_new(MPI_COMBINER_SUBARRAY, 2 + 3 * (MPI_Count)ndims, old);
	if (!t)
		return MPI_ERR_NO_MEM;
	MPI_Count *to = t->c.ints, elements = 1;
	*to++ = ndims;
	memcpy(to, array_of_sizes, (size_t)ndims * sizeof *to);
	memcpy(to + ndims, array_of_subsizes, (size_t)ndims * sizeof *to);
	memcpy(to + 2 * (ptrdiff_t)ndims, array_of_starts, (size_t)ndims * sizeof *to);
	to[3 * (ptrdiff_t)ndims] = order;
	const struct orr_node *n = old->map;
	for (int i = 0; i < ndims; i++) {
		int d = inner(order, ndims, i);
		int64_t stride = elements * orr_type_span(old);
		n = orr_node_loop(t, n, array_of_subsizes[d], stride, array_of_starts[d] * stride);
		elements *= array_of_sizes[d];
	}
	return orr_type_finish(t, array_end(t, n, elements, old), newtype);
}

/* --- distributed arrays --- */

struct share { /* of one dimension */
	MPI_Count size;
	int distribution, argument, processes, place;
};

static const struct orr_node *share_block(struct orr_type *t, const struct share *s,
                                          const struct orr_node *n, int64_t stride)
{
	int64_t block = s->argument == MPI_DISTRIBUTE_DFLT_DARG ? (s->size - 1) / s->processes + 1
	                                                        : s->argument;
	int64_t start = block * s->place, left = s->size - start;
	int64_t mine = left < 0 ? 0 : left < block ? left : block;
	return orr_node_loop(t, n, mine, stride, mine ? start * stride : 0);
}

static const struct orr_node *share_cyclic(struct orr_type *t, const struct share *s,
                                           const struct orr_node *n, int64_t stride)
{
	int64_t block = s->argument == MPI_DISTRIBUTE_DFLT_DARG ? 1 : s->argument;
	int64_t start = block * s->place, round = block * s->processes, left = s->size - start;
	int64_t rounds = left > 0 ? left / round : 0, rest = left > 0 ? left % round : 0;
	if (rest >= block) { /* the last round has a whole block for this process */
		rounds++;
		rest = 0;
	}
	struct orr_entry *e = orr_type_own(t, 2 * sizeof *e);
	if (!e)
		return NULL;
	/* what is not there has no place: it would be beyond the array */
	e[0].disp = rounds ? start * stride : 0;
	e[0].node = orr_node_loop(t, orr_node_loop(t, n, rounds ? block : 0, stride, 0), rounds,
	                          rounds > 1 ? round * stride : 0, 0);
	e[1].disp = rest ? (start + rounds * round) * stride : 0;
	e[1].node = orr_node_loop(t, n, rest, stride, 0);
	return orr_node_list(t, e, 2);
}

static int share_check(const struct share *s)
{
	int given = s->argument != MPI_DISTRIBUTE_DFLT_DARG;
	if (s->size < 1 || s->processes < 1 || (given && s->argument < 1))
		return MPI_ERR_ARG;
	switch (s->distribution) {
	case MPI_DISTRIBUTE_NONE:
		return s->processes == 1 ? MPI_SUCCESS : MPI_ERR_ARG;
	case MPI_DISTRIBUTE_BLOCK:
		return given && (int64_t)s->argument * s->processes < s->size ? MPI_ERR_ARG
		                                                              : MPI_SUCCESS;
	case MPI_DISTRIBUTE_CYCLIC:
		return MPI_SUCCESS;
	default:
		return MPI_ERR_ARG;
	}
}

struct darray {
	int size, rank, ndims, order;
	const MPI_Count *gsizes;
	const int *distribs, *dargs, *psizes;
};

static void darray_contents(const struct darray *a, MPI_Count *to)
{
	*to++ = a->size;
	*to++ = a->rank;
	*to++ = a->ndims;
	for (int i = 0; i < a->ndims; i++) {
		to[i] = a->gsizes[i];
		to[a->ndims + i] = a->distribs[i];
		to[2 * a->ndims + i] = a->dargs[i];
		to[3 * a->ndims + i] = a->psizes[i];
	}
	to[4 * (ptrdiff_t)a->ndims] = a->order;
}

static struct share share_of(const struct darray *a, int d)
{
	int below = 1; /* processes in later dimensions: the grid is row-major in either order */
	for (int i = d + 1; i < a->ndims; i++)
		below *= a->psizes[i];
	int place = below > 0 && a->psizes[d] > 0 ? a->rank / below % a->psizes[d] : 0;
	struct share s = {a->gsizes[d], a->distribs[d], a->dargs[d], a->psizes[d], place};
	if (s.distribution == MPI_DISTRIBUTE_NONE)
		s.argument = MPI_DISTRIBUTE_DFLT_DARG; /* whatever is said is ignored */
	return s;
}

static int darray_check(const struct darray *a)
{
	int64_t processes = 1;
	if (a->ndims < 1 || a->size < 1 || a->rank < 0 || a->rank >= a->size || !a->gsizes)
		return MPI_ERR_ARG;
	for (int d = 0; d < a->ndims; d++) {
		struct share s = share_of(a, d);
		if (share_check(&s))
			return MPI_ERR_ARG;
		processes *= s.processes;
	}
	int order_known = a->order == MPI_ORDER_C || a->order == MPI_ORDER_FORTRAN;
	return processes == a->size && order_known ? MPI_SUCCESS : MPI_ERR_ARG;
}

static int darray_make(const struct darray *a, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	int code = darray_check(a);
	struct orr_type *old = orr_type_of(oldtype);
	if (code || !old || !newtype)
		return code ? code : old ? MPI_ERR_ARG : MPI_ERR_TYPE;
	code = elements_check(a->ndims, a->gsizes, old);
	if (code)
		return code;
	struct orr_type *t = array_new(MPI_COMBINER_DARRAY, 4 + 4 * (MPI_Count)a->ndims, old);
	if (!t)
		return MPI_ERR_NO_MEM;
	darray_contents(a, t->c.ints);
	const struct orr_node *n = old->map;
	int64_t elements = 1;
	for (int i = 0; i < a->ndims && n; i++) {
		struct share s = share_of(a, inner(a->order, a->ndims, i));
		int64_t stride = elements * orr_type_span(old);
		if (s.distribution == MPI_DISTRIBUTE_CYCLIC)
			n = share_cyclic(t, &s, n, stride);
		else
			n = share_block(t, &s, n, stride);
		elements *= s.size;
	}
	return orr_type_finish(t, array_end(t, n, elements, old), newtype);
}

int orr_Type_create_darray(int size, int rank, int ndims, const MPI_Count array_of_gsizes[],
                           const int array_of_distribs[], const int array_of_dargs[],
                           const int array_of_psizes[], int order, MPI_Datatype oldtype,
                           MPI_Datatype *newtype)
{
	struct darray a = {
	    size,           rank,           ndims, order, array_of_gsizes, array_of_distribs,
	    array_of_dargs, array_of_psizes};
	return darray_make(&a, oldtype, newtype);
}
