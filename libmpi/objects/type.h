/* type.h: datatypes.
 *
 * A type has three faces:
 *  - its contents: combiner, integers, addresses and types that it was made of (type_contents.c);
 *  - its map: a tree of nodes over basic elements in the order of the type map (type_map.c): for
 *    signatures, element counts, external32, reductions;
 *  - its plan: the same tree over bytes, made simpler (runs joined, loops merged) when it is
 *    committed or first needed (type_plan.c): for packing.
 * A node knows its packed size, so any position within the packed form is found by division and
 * bisection: packing has no state and can go on anywhere (type_pack.c). Nodes of a type point into
 * those of the types it was made of, which it keeps alive.
 */
#ifndef ORRERY_LIBMPI_TYPE_H
#define ORRERY_LIBMPI_TYPE_H

#include "live/reduce.h"
#include "object.h"

enum orr_node_op {
	NODE_LEAF, /* count elements of basic, one after another */
	NODE_LOOP, /* count times child, stride bytes apart */
	NODE_LIST  /* count entries */
};
struct orr_node;
struct orr_entry {
	int64_t disp;
	const struct orr_node *node;
	int64_t before;   /* packed bytes of the entries before */
	int64_t elements; /* elements of the entries before */
};
struct orr_node {
	uint8_t op, basic;
	int64_t disp; /* of the whole, added to the base */
	int64_t count, stride;
	int64_t size;     /* packed bytes of all */
	int64_t elements; /* basic elements of all */
	const struct orr_node *child;
	struct orr_entry *entry;
};

/* What basic elements are (enum orr_basic): the unit of conversion and of reduction. */
static inline size_t orr_basic_size(uint32_t basic)
{
	return reduce_basic_size(basic);
}

struct orr_contents {
	int combiner;
	uint8_t large; /* made by a function of large counts */
	MPI_Count n_ints, n_addresses, n_types;
	MPI_Count *ints;      /* in the order of the small form */
	MPI_Count *addresses; /* MPI_Aint there */
	struct orr_type **types;
};

struct orr_type {
	struct orr_object o;
	struct orr_contents c;
	int64_t size, lb, ub, true_lb, true_ub;
	int32_t align;
	uint8_t basic; /* of a predefined type, BASIC_NONE otherwise */
	uint8_t base;  /* the basic (or pair) that all of it is made of, BASIC_NONE if several */
	uint8_t lb_set, ub_set; /* markers hold: resized */
	uint8_t committed;
	uint8_t dense; /* packed bytes are the memory from true_lb on, extent == size */
	/* NULL, or the predefined type that a parametric one stands for */
	const struct orr_type *f90;
	struct orr_type *next; /* in the list of parametric ones */
	const struct orr_node *map;
	const struct orr_node *plan; /* NULL: not made yet */
	void **owned;                /* what nodes of this type take, and how many */
	uint32_t n_owned;
};

static inline struct orr_type *orr_type_of(MPI_Datatype datatype)
{
	return orr_object(ORR_TYPE, datatype);
}
static inline int64_t orr_type_span(const struct orr_type *t) /* the extent */
{
	return t->ub - t->lb;
}
void orr_type_keep(struct orr_type *t);
void orr_type_drop(struct orr_type *t);

/* --- making (type_make.c) --- */
struct orr_block { /* count copies of type from disp on */
	int64_t disp, count;
	struct orr_type *type;
};
struct orr_type *orr_type_new(int combiner);
void *orr_type_own(struct orr_type *t, size_t bytes);
/* Memory for the contents: n of each; types are to be kept by the caller. */
int orr_contents_new(struct orr_type *t, MPI_Count n_ints, MPI_Count n_addresses,
                     MPI_Count n_types);
/* Fills t (map, sizes, bounds) as n blocks. */
int orr_type_blocks(struct orr_type *t, const struct orr_block *b, int64_t n);
/* The same for count blocks that are stride bytes apart. */
int orr_type_strided(struct orr_type *t, int64_t count, int64_t stride, int64_t blocklength,
                     struct orr_type *old);
int orr_type_finish(struct orr_type *t, int code, MPI_Datatype *newtype);
/* The error of a type whose size, extent or bounds are no 64-bit numbers: it is not made. */
int orr_type_too_large(void);
/* MPI_SUCCESS, or that error, of n copies of old one after another. */
int orr_type_check_copies(const struct orr_type *old, int64_t n);
/* The error of so many elements of a type, whose bytes together pass 2^63. */
int orr_type_too_many(const struct orr_type *t, MPI_Count count);
/* The bytes that count elements (0 or more) have, or that error. */
static inline int orr_type_bytes(const struct orr_type *t, MPI_Count count, int64_t *bytes)
{
	return __builtin_mul_overflow(count, t->size, bytes) ? orr_type_too_many(t, count)
	                                                     : MPI_SUCCESS;
}

/* From where to where the memory of count elements (1 or more) lies, in bytes from their buffer on.
 * 0: these are no 64-bit numbers. */
static inline int orr_type_reach(const struct orr_type *t, MPI_Count count, int64_t *low,
                                 int64_t *high)
{
	int64_t far;

	return !__builtin_mul_overflow(count - 1, orr_type_span(t), &far) &&
	       !__builtin_add_overflow(far < 0 ? far : 0, t->true_lb, low) &&
	       !__builtin_add_overflow(far > 0 ? far : 0, t->true_ub, high);
}

/* --- nodes (type_map.c) --- */
const struct orr_node *orr_node_leaf(struct orr_type *owner, enum orr_basic basic, int64_t count);
const struct orr_node *orr_node_loop(struct orr_type *owner, const struct orr_node *child,
                                     int64_t count, int64_t stride, int64_t disp);
const struct orr_node *orr_node_list(struct orr_type *owner, struct orr_entry *entry, int64_t n);
/* The type's plan, made now if it was not (NULL: no memory). */
const struct orr_node *orr_type_plan(struct orr_type *t);

/* --- packing (type_pack.c): positions are bytes of the packed form of `count` elements --- */
/* Packs bytes [from, to) of the packed form into out; returns how many. */
int64_t orr_pack(const void *buf, int64_t count, struct orr_type *t, int64_t from, int64_t to,
                 void *out);
int64_t orr_unpack(void *buf, int64_t count, struct orr_type *t, int64_t from, int64_t to,
                   const void *in);
/* Where the data are: if the packed form is one piece of memory, its displacement from buf; the
 * return value is 1 then. */
int orr_is_contiguous(struct orr_type *t, int64_t count, int64_t *disp);
/* Calls run for each piece of memory of bytes [from, to), in order; it returns 0 to go on. */
typedef int orr_run(void *self, int64_t disp, int64_t bytes);
int orr_walk(struct orr_type *t, int64_t count, int64_t from, int64_t to, orr_run *run, void *self);
/* The same over leaves of the map: whole elements of one basic type, in order. */
typedef int orr_leaf(void *self, int64_t disp, enum orr_basic basic, int64_t n);
int orr_leaves(struct orr_type *t, int64_t count, orr_leaf *leaf, void *self);

/* --- signatures (type_signature.c) --- */
/* A number that is the same for equal sequences of basic types, whatever the grouping. */
uint64_t orr_signature(struct orr_type *t, int64_t count);
/* How many basic elements the first `bytes` of the packed form have; *whole: they end on one. */
int64_t orr_elements_of(struct orr_type *t, int64_t bytes, int *whole);
int64_t orr_bytes_of(struct orr_type *t, int64_t elements);

#endif
