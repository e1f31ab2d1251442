/* type_simple.c: the constructors of chapter 5.1.2: contiguous to struct, and resized.
 * Displacements in extents and displacements in bytes are the same thing, multiplied. */
#include <stdlib.h>
#include <string.h>

#include "orr_mpi.h"
#include "type.h"

static int check(MPI_Count count, MPI_Count blocklength, const struct orr_type *old,
                 const MPI_Datatype *newtype)
{
	if (count < 0)
		return MPI_ERR_COUNT;
	if (blocklength < 0 || !newtype)
		return MPI_ERR_ARG;
	return old ? MPI_SUCCESS : MPI_ERR_TYPE;
}

/* A new type of one old type. */
static struct orr_type *of_one(int combiner, MPI_Count n_ints, MPI_Count n_addresses,
                               struct orr_type *old)
{
	struct orr_type *t = orr_type_new(combiner);
	if (!t)
		return NULL;
	if (orr_contents_new(t, n_ints, n_addresses, 1)) {
		orr_type_drop(t);
		return NULL;
	}
	orr_type_keep(old);
	t->c.types[0] = old;
	return t;
}

int orr_Type_contiguous(MPI_Count count, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	struct orr_type *old = orr_type_of(oldtype);
	int code = check(count, 0, old, newtype);
	if (code)
		return code;
	struct orr_type *t = of_one(MPI_COMBINER_CONTIGUOUS, 1, 0, old);
	if (!t)
		return MPI_ERR_NO_MEM;
	t->c.ints[0] = count;
	return orr_type_finish(t, orr_type_strided(t, count, orr_type_span(old), 1, old), newtype);
}

static int vector(int combiner, MPI_Count count, MPI_Count blocklength, MPI_Count stride,
                  MPI_Count bytes, struct orr_type *old, MPI_Datatype *newtype)
{
	int in_bytes = combiner == MPI_COMBINER_HVECTOR;
	struct orr_type *t = of_one(combiner, in_bytes ? 2 : 3, in_bytes, old);
	if (!t)
		return MPI_ERR_NO_MEM;
	t->c.ints[0] = count;
	t->c.ints[1] = blocklength;
	*(in_bytes ? t->c.addresses : t->c.ints + 2) = stride;
	return orr_type_finish(t, orr_type_strided(t, count, bytes, blocklength, old), newtype);
}

int orr_Type_vector(MPI_Count count, MPI_Count blocklength, MPI_Count stride, MPI_Datatype oldtype,
                    MPI_Datatype *newtype)
{
	struct orr_type *old = orr_type_of(oldtype);
	int code = check(count, blocklength, old, newtype);
	int64_t bytes = 0;
	/* of one block, or none, the stride says nothing */
	if (!code && count > 1 && blocklength &&
	    __builtin_mul_overflow(stride, orr_type_span(old), &bytes))
		code = orr_type_too_large();
	return code ? code
	            : vector(MPI_COMBINER_VECTOR, count, blocklength, stride, bytes, old, newtype);
}

int orr_Type_create_hvector(MPI_Count count, MPI_Count blocklength, MPI_Count stride,
                            MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	struct orr_type *old = orr_type_of(oldtype);
	int code = check(count, blocklength, old, newtype);
	return code
	           ? code
	           : vector(MPI_COMBINER_HVECTOR, count, blocklength, stride, stride, old, newtype);
}

/* --- lists of blocks --- */

struct list {
	int combiner;
	MPI_Count count;
	const MPI_Count *lengths; /* NULL: all are `length` */
	MPI_Count length;
	const MPI_Count *disps;
	int64_t unit; /* of displacements: bytes */
	int in_bytes; /* they are addresses in the contents */
};

static void list_contents(struct orr_type *t, const struct list *l)
{
	size_t n = (size_t)l->count;
	t->c.ints[0] = l->count;
	if (l->lengths && n)
		memcpy(t->c.ints + 1, l->lengths, n * sizeof *l->lengths);
	else if (!l->lengths)
		t->c.ints[1] = l->length;
	MPI_Count *disps = t->c.ints + 1 + (l->lengths ? n : 1);
	if (n)
		memcpy(l->in_bytes ? t->c.addresses : disps, l->disps, n * sizeof *l->disps);
}

/* Where a block of nothing is, is not looked at. */
static int list_blocks(const struct list *l, struct orr_type *old, struct orr_block *b)
{
	for (MPI_Count i = 0; i < l->count; i++) {
		b[i] = (struct orr_block){.count = l->lengths ? l->lengths[i] : l->length,
		                          .type = old};
		if (b[i].count && __builtin_mul_overflow(l->disps[i], l->unit, &b[i].disp))
			return orr_type_too_large();
	}
	return MPI_SUCCESS;
}

static int list_make(const struct list *l, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
	struct orr_type *old = orr_type_of(oldtype);
	int code = check(l->count, l->length, old, newtype);
	for (MPI_Count i = 0; !code && l->lengths && i < l->count; i++)
		code = l->lengths[i] < 0 ? MPI_ERR_ARG : MPI_SUCCESS;
	if (code)
		return code;
	MPI_Count n = l->count, ints = 1 + (l->lengths ? n : 1) + (l->in_bytes ? 0 : n);
	struct orr_type *t = of_one(l->combiner, ints, l->in_bytes ? n : 0, old);
	struct orr_block *b = malloc((size_t)(n ? n : 1) * sizeof *b);
	if (!t || !b) {
		free(b);
		return orr_type_finish(t, MPI_ERR_NO_MEM, newtype);
	}
	list_contents(t, l);
	code = list_blocks(l, old, b);
	if (!code)
		code = orr_type_blocks(t, b, n);
	free(b);
	return orr_type_finish(t, code, newtype);
}

static int64_t unit_of(MPI_Datatype oldtype)
{
	const struct orr_type *old = orr_type_of(oldtype);
	return old ? orr_type_span(old) : 1;
}

int orr_Type_indexed(MPI_Count count, const MPI_Count array_of_blocklengths[],
                     const MPI_Count array_of_displacements[], MPI_Datatype oldtype,
                     MPI_Datatype *newtype)
{
	static const MPI_Count none[1];
	struct list l = {.combiner = MPI_COMBINER_INDEXED,
	                 .count = count,
	                 .lengths = array_of_blocklengths ? array_of_blocklengths : none,
	                 .disps = array_of_displacements,
	                 .unit = unit_of(oldtype)};
	return list_make(&l, oldtype, newtype);
}

int orr_Type_create_hindexed(MPI_Count count, const MPI_Count array_of_blocklengths[],
                             const MPI_Count array_of_displacements[], MPI_Datatype oldtype,
                             MPI_Datatype *newtype)
{
	static const MPI_Count none[1];
	struct list l = {.combiner = MPI_COMBINER_HINDEXED,
	                 .count = count,
	                 .lengths = array_of_blocklengths ? array_of_blocklengths : none,
	                 .disps = array_of_displacements,
	                 .unit = 1,
	                 .in_bytes = 1};
	return list_make(&l, oldtype, newtype);
}

int orr_Type_create_indexed_block(MPI_Count count, MPI_Count blocklength,
                                  const MPI_Count array_of_displacements[], MPI_Datatype oldtype,
                                  MPI_Datatype *newtype)
{
	struct list l = {.combiner = MPI_COMBINER_INDEXED_BLOCK,
	                 .count = count,
	                 .length = blocklength,
	                 .disps = array_of_displacements,
	                 .unit = unit_of(oldtype)};
	return list_make(&l, oldtype, newtype);
}

int orr_Type_create_hindexed_block(MPI_Count count, MPI_Count blocklength,
                                   const MPI_Count array_of_displacements[], MPI_Datatype oldtype,
                                   MPI_Datatype *newtype)
{
	struct list l = {.combiner = MPI_COMBINER_HINDEXED_BLOCK,
	                 .count = count,
	                 .length = blocklength,
	                 .disps = array_of_displacements,
	                 .unit = 1,
	                 .in_bytes = 1};
	return list_make(&l, oldtype, newtype);
}

/* --- struct --- */

static int struct_fill(struct orr_type *t, struct orr_block *b, MPI_Count count,
                       const MPI_Count *lengths, const MPI_Count *disps, const MPI_Datatype *types)
{
	t->c.ints[0] = count;
	for (MPI_Count i = 0; i < count; i++) {
		struct orr_type *old = orr_type_of(types[i]);
		if (!old)
			return MPI_ERR_TYPE;
		if (lengths[i] < 0)
			return MPI_ERR_ARG;
		orr_type_keep(old);
		t->c.types[i] = old;
		t->c.ints[1 + i] = lengths[i];
		t->c.addresses[i] = disps[i];
		b[i] = (struct orr_block){disps[i], lengths[i], old};
	}
	return orr_type_blocks(t, b, count);
}

int orr_Type_create_struct(MPI_Count count, const MPI_Count array_of_blocklengths[],
                           const MPI_Count array_of_displacements[],
                           const MPI_Datatype array_of_types[], MPI_Datatype *newtype)
{
	if (count < 0)
		return MPI_ERR_COUNT;
	if (!newtype)
		return MPI_ERR_ARG;
	struct orr_type *t = orr_type_new(MPI_COMBINER_STRUCT);
	struct orr_block *b = malloc((size_t)(count ? count : 1) * sizeof *b);
	int code = t && b ? orr_contents_new(t, 1 + count, count, count) : MPI_ERR_NO_MEM;
	if (!code)
		code = struct_fill(t, b, count, array_of_blocklengths, array_of_displacements,
		                   array_of_types);
	free(b);
	return orr_type_finish(t, code, newtype);
}

int orr_Type_create_resized(MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent,
                            MPI_Datatype *newtype)
{
	struct orr_type *old = orr_type_of(oldtype);
	int code = check(0, 0, old, newtype);
	if (code)
		return code;
	struct orr_type *t = of_one(MPI_COMBINER_RESIZED, 0, 2, old);
	if (!t)
		return MPI_ERR_NO_MEM;
	t->c.addresses[0] = lb;
	t->c.addresses[1] = extent;
	code = orr_type_strided(t, 1, 0, 1, old);
	t->lb = lb;
	if (!code && __builtin_add_overflow(lb, extent, &t->ub))
		code = orr_type_too_large();
	t->lb_set = t->ub_set = 1;
	return orr_type_finish(t, code, newtype);
}
