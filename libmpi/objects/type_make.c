/* type_make.c: types made of types: what is common to all combiners. A constructor looks at its
 * arguments, makes a type with orr_type_new, writes its contents, and says what it is with
 * orr_type_blocks or orr_type_strided. */
#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "errhandler.h"
#include "front.h"
#include "orr_mpi.h"
#include "type.h"

struct orr_type *orr_type_new(int combiner)
{
	struct orr_type *t = orr_object_new(ORR_TYPE, sizeof *t);
	if (t) {
		t->c.combiner = combiner;
		t->align = 1;
	}
	return t;
}

void orr_type_keep(struct orr_type *t)
{
	orr_object_keep(t);
}

void orr_type_drop(struct orr_type *t)
{
	if (!orr_object_drop(t))
		return;
	for (MPI_Count i = 0; i < t->c.n_types; i++)
		if (t->c.types[i])
			orr_type_drop(t->c.types[i]);
	for (uint32_t i = 0; i < t->n_owned; i++)
		free(t->owned[i]);
	free(t->owned);
	orr_object_end(t);
}

void orr_type_set_large(MPI_Datatype datatype)
{
	struct orr_type *t = orr_type_of(datatype);
	if (t && !orr_is_predefined(&t->o))
		t->c.large = 1;
}

int orr_contents_new(struct orr_type *t, MPI_Count n_ints, MPI_Count n_addresses, MPI_Count n_types)
{
	t->c.ints = orr_type_own(t, (size_t)n_ints * sizeof *t->c.ints);
	t->c.addresses = orr_type_own(t, (size_t)n_addresses * sizeof *t->c.addresses);
	t->c.types = orr_type_own(t, (size_t)n_types * sizeof *t->c.types);
	if (!t->c.ints || !t->c.addresses || !t->c.types)
		return MPI_ERR_NO_MEM;
	t->c.n_ints = n_ints;
	t->c.n_addresses = n_addresses;
	t->c.n_types = n_types;
	return MPI_SUCCESS;
}

/* --- sizes and bounds ---
 *
 * The standard (MPI 4.0, 5.1.6): explicit bounds are kept by the types that are made of a type, and
 * an extent without one is rounded up to the alignment of what is in it. Open MPI does so. MPICH 4
 * keeps explicit bounds of marks only (MPI_LB), and rounds only structs, of several basic types.
 * Programs see these numbers: under the ABI of MPICH they are MPICH's. */

struct bounds {
	int64_t low, high;
	int any, set; /* set: from marks only */
};

static void bounds_add(struct bounds *b, int64_t low, int64_t high, int set)
{
	if (b->set && !set)
		return;
	if (!b->any || (set && !b->set)) {
		*b = (struct bounds){low, high, 1, set};
		return;
	}
	if (low < b->low)
		b->low = low;
	if (high > b->high)
		b->high = high;
}

struct whole {
	struct bounds lower, upper, truth;
	int base_known;
};

int orr_type_too_large(void)
{
	return orr_error_note(MPI_ERR_ARG, "the new datatype's size, extent or bounds would pass "
	                                   "2^63 bytes");
}

/* Where copies of c are from low to high, whatever else of them is between the two sums made. */
static int bounds_fit(int64_t low, int64_t high, const struct orr_type *c)
{
	int64_t least = c->lb < c->ub ? c->lb : c->ub, most = c->lb < c->ub ? c->ub : c->lb, sum;
	if (c->true_lb < least)
		least = c->true_lb;
	if (c->true_ub > most)
		most = c->true_ub;
	return !__builtin_add_overflow(low, least, &sum) &&
	       !__builtin_add_overflow(high, most, &sum);
}

/* Of `count` copies (more than 0), `step` bytes apart, of c from disp on: the displacements of the
 * lowest and the highest. 1: all fit. */
static int copies_place(const struct orr_type *c, int64_t disp, int64_t count, int64_t step,
                        int64_t *low, int64_t *high)
{
	int64_t far;
	if (__builtin_mul_overflow(count - 1, step, &far) ||
	    __builtin_add_overflow(disp, far, &far))
		return 0;
	*low = far < disp ? far : disp;
	*high = far < disp ? disp : far;
	return bounds_fit(*low, *high, c);
}

int orr_type_check_copies(const struct orr_type *old, int64_t n)
{
	int64_t low, high, product;
	return n == 0 || (copies_place(old, 0, n, orr_type_span(old), &low, &high) &&
	                  !__builtin_mul_overflow(n, orr_type_span(old), &product) &&
	                  !__builtin_mul_overflow(n, old->size, &product))
	           ? MPI_SUCCESS
	           : orr_type_too_large();
}

int orr_type_too_many(const struct orr_type *t, MPI_Count count)
{
	return orr_error_note(MPI_ERR_COUNT, "%lld elements of %lld bytes each pass 2^63 bytes",
	                      (long long)count, (long long)t->size);
}

/* `count` copies, `step` bytes apart, of a type from disp on. */
static int whole_add(struct whole *w, struct orr_type *t, int64_t disp, int64_t count, int64_t step,
                     const struct orr_type *c)
{
	int64_t low, high, bytes;
	if (count == 0)
		return MPI_SUCCESS;
	if (!copies_place(c, disp, count, step, &low, &high) ||
	    __builtin_mul_overflow(count, c->size, &bytes) ||
	    __builtin_add_overflow(t->size, bytes, &t->size))
		return orr_type_too_large();
	int mark = c->size == 0 && c->lb_set != c->ub_set; /* MPI_LB is no upper bound */
	int kept = mark || !orr_local()->as_mpich;
	if (!mark || c->lb_set)
		bounds_add(&w->lower, low + c->lb, high + c->lb, kept && c->lb_set);
	if (!mark || c->ub_set)
		bounds_add(&w->upper, low + c->ub, high + c->ub, kept && c->ub_set);
	if (c->size)
		bounds_add(&w->truth, low + c->true_lb, high + c->true_ub, 0);
	if (c->align > t->align)
		t->align = c->align;
	if (c->size == 0)
		return MPI_SUCCESS;
	if (!w->base_known)
		t->base = c->base;
	else if (t->base != c->base)
		t->base = BASIC_NONE;
	w->base_known = 1;
	return MPI_SUCCESS;
}

static int is_rounded(const struct orr_type *t)
{
	if (!orr_local()->as_mpich)
		return 1;
	if (t->c.combiner != MPI_COMBINER_STRUCT)
		return 0;
	for (MPI_Count i = 1; i < t->c.n_types; i++) /* also of blocks of length 0 */
		if (t->c.types[i]->base != t->c.types[0]->base)
			return 1;
	return t->base == BASIC_NONE;
}

static int whole_end(const struct whole *w, struct orr_type *t)
{
	int64_t span, rest;
	t->lb = w->lower.low;
	t->ub = w->upper.high;
	t->lb_set = (uint8_t)w->lower.set;
	t->ub_set = (uint8_t)w->upper.set;
	t->true_lb = w->truth.low;
	t->true_ub = w->truth.high;
	if (__builtin_sub_overflow(t->true_ub, t->true_lb, &span) ||
	    __builtin_sub_overflow(t->ub, t->lb, &span))
		return orr_type_too_large();
	rest = !t->ub_set && is_rounded(t) ? span % t->align : 0;
	if (rest && (__builtin_add_overflow(t->ub, t->align - rest, &t->ub) ||
	             __builtin_sub_overflow(t->ub, t->lb, &span)))
		return orr_type_too_large();
	return MPI_SUCCESS;
}

int orr_type_blocks(struct orr_type *t, const struct orr_block *b, int64_t n)
{
	struct whole w = {.base_known = 0};
	struct orr_entry *e = orr_type_own(t, (size_t)n * sizeof *e);
	if (!e)
		return MPI_ERR_NO_MEM;
	for (int64_t i = 0; i < n; i++) {
		const struct orr_type *c = b[i].type;
		int code = whole_add(&w, t, b[i].disp, b[i].count, orr_type_span(c), c);
		if (code)
			return code;
		e[i].disp = b[i].disp;
		e[i].node = orr_node_loop(t, c->map, b[i].count, orr_type_span(c), 0);
	}
	int code = whole_end(&w, t);
	if (code)
		return code;
	t->map = orr_node_list(t, e, n);
	return t->map ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

int orr_type_strided(struct orr_type *t, int64_t count, int64_t stride, int64_t blocklength,
                     struct orr_type *old)
{
	struct whole w = {.base_known = 0};
	struct orr_type one = {.align = 1};
	/* a block: not rounded */
	int code = whole_add(&w, &one, 0, blocklength, orr_type_span(old), old);
	if (code)
		return code;
	one.lb = w.lower.low;
	one.ub = w.upper.high;
	one.lb_set = (uint8_t)w.lower.set;
	one.ub_set = (uint8_t)w.upper.set;
	one.true_lb = w.truth.low;
	one.true_ub = w.truth.high;
	w = (struct whole){.base_known = 0};
	code = whole_add(&w, t, 0, blocklength ? count : 0, stride, &one);
	if (!code)
		code = whole_end(&w, t);
	if (code)
		return code;
	t->map = orr_node_loop(t, orr_node_loop(t, old->map, blocklength, orr_type_span(old), 0),
	                       count, stride, 0);
	return t->map ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

int orr_type_finish(struct orr_type *t, int code, MPI_Datatype *newtype)
{
	if (!code)
		*newtype = orr_handle(t);
	else if (t)
		orr_type_drop(t);
	return code;
}

/* --- life --- */

int orr_Type_commit(MPI_Datatype *datatype)
{
	struct orr_type *t = datatype ? orr_type_of(*datatype) : NULL;
	if (!t)
		return datatype ? MPI_ERR_TYPE : MPI_ERR_ARG;
	if (!orr_type_plan(t))
		return MPI_ERR_NO_MEM;
	t->committed = 1;
	return MPI_SUCCESS;
}

int orr_Type_free(MPI_Datatype *datatype)
{
	struct orr_type *t = datatype ? orr_type_of(*datatype) : NULL;
	if (!t)
		return datatype ? MPI_ERR_TYPE : MPI_ERR_ARG;
	if (orr_is_predefined(&t->o) || t->f90)
		return MPI_ERR_TYPE;
	int code = t->o.shown > 1 ? MPI_SUCCESS : orr_attrs_delete(&t->o);
	if (code)
		return code;
	orr_handle_hide(t);
	orr_type_drop(t);
	*datatype = MPI_DATATYPE_NULL;
	return MPI_SUCCESS;
}

int orr_Type_dup(MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	struct orr_type *old = orr_type_of(oldtype);
	if (!old || !newtype)
		return old ? MPI_ERR_ARG : MPI_ERR_TYPE;
	*newtype = MPI_DATATYPE_NULL; /* also where a callback fails */
	struct orr_type *t = orr_type_new(MPI_COMBINER_DUP);
	if (!t || orr_contents_new(t, 0, 0, 1))
		return orr_type_finish(t, MPI_ERR_NO_MEM, newtype);
	orr_type_keep(old);
	t->c.types[0] = old;
	t->size = old->size;
	t->lb = old->lb;
	t->ub = old->ub;
	t->true_lb = old->true_lb;
	t->true_ub = old->true_ub;
	t->align = old->align;
	t->base = old->base;
	t->lb_set = old->lb_set;
	t->ub_set = old->ub_set;
	t->committed = old->committed;
	t->dense = old->dense;
	t->map = old->map;
	t->plan = old->plan;
	return orr_type_finish(t, orr_attrs_copy(&old->o, &t->o), newtype);
}
