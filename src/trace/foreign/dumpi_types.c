/* dumpi_types.c: datatypes of a DUMPI trace: how many bytes each has. */
#include "dumpi_int.h"

#include <stdlib.h>

/* DUMPI's predefined types, from its number 2 on. */
static const struct {
	const char *name; /* as SimGrid's table has it, or NULL */
	int64_t size;
} predefined[] = {{"MPI_CHAR", 1},
                  {"MPI_SIGNED_CHAR", 1},
                  {"MPI_UNSIGNED_CHAR", 1},
                  {"MPI_BYTE", 1},
                  {"MPI_WCHAR", 4},
                  {"MPI_SHORT", 2},
                  {"MPI_UNSIGNED_SHORT", 2},
                  {"MPI_INT", 4},
                  {"MPI_UNSIGNED", 4},
                  {"MPI_LONG", 8},
                  {"MPI_UNSIGNED_LONG", 8},
                  {"MPI_FLOAT", 4},
                  {"MPI_DOUBLE", 8},
                  {"MPI_LONG_DOUBLE", 16},
                  {NULL, 8},
                  {"MPI_UNSIGNED_LONG_LONG", 8},
                  {"MPI_LONG_LONG", 8},
                  {"MPI_PACKED", 1},
                  {NULL, 0},
                  {NULL, 0},
                  {NULL, 8},
                  {NULL, 12},
                  {NULL, 12},
                  {NULL, 6},
                  {NULL, 8},
                  {NULL, 20}};
enum { FIRST = 2, PREDEFINED = sizeof predefined / sizeof *predefined };

static int type_set(struct dumpi *d, int64_t id, int32_t type, int64_t size, struct err *err)
{
	struct dumpi_type *all = vec_grow(d->type, &d->cap_types, sizeof *all,
	                                  (size_t)d->n_types + 1, "datatypes", err);

	if (!all)
		return -1;
	d->type = all;
	all[d->n_types] = (struct dumpi_type){.type = type, .size = size};
	return hash64_put(&d->type_of, (uint64_t)id, d->n_types++, err);
}

/* The file may say the sizes, by number: they are the program's own. */
int dumpi_types_begin(struct dumpi *d, struct err *err)
{
	struct bytes b = {.end = (unsigned char *)d->file.data + d->file.n, .big = 1};
	uint64_t told = 0;

	b.at = b.end;
	if (d->file.sizes_at > 0 && d->file.sizes_at < d->file.n) {
		b.at = (unsigned char *)d->file.data + d->file.sizes_at;
		told = bytes_take(&b, 4);
	}
	for (uint64_t i = 0; i < told || i < FIRST + PREDEFINED; i++) {
		int64_t size = i < told && !b.over ? (int32_t)bytes_take(&b, 4) : 0;
		int known = i >= FIRST && i < FIRST + PREDEFINED;
		const char *name = known ? predefined[i - FIRST].name : NULL;
		int32_t type = name ? trace_type_find(name) : TYPE_DERIVED;

		if (b.over && i >= FIRST + PREDEFINED)
			break;
		if (size <= 0 && known)
			size = predefined[i - FIRST].size;
		if (i < FIRST || size < 0 || (!known && size == 0))
			continue;
		if (type_set(d, (int64_t)i, type < 0 ? TYPE_DERIVED : type, size, err) < 0)
			return -1;
	}
	return 0;
}

int dumpi_type_find(struct dumpi *d, int64_t id, struct dumpi_type *out, struct err *err)
{
	uint32_t at = hash64_find(&d->type_of, (uint64_t)id);

	*out = (struct dumpi_type){.type = TYPE_BYTE, .size = 1};
	if (at != HASH_NONE) {
		*out = d->type[at];
		return 0;
	}
	return err_set(err, ERR_INPUT,
	               "%s: datatype %lld is used, and how it was made is not in the file",
	               d->file.path, (long long)id);
}

static int too_large(const struct dumpi *d, struct err *err)
{
	return err_set(err, ERR_INPUT, "%s: a datatype of more bytes than 64 bits can tell",
	               d->file.path);
}

static int64_t sum(const struct dumpi_array *a)
{
	int64_t s = 0;

	for (uint32_t i = 0; i < a->n; i++)
		s += a->at[i];
	return s;
}

static int struct_size(struct dumpi *d, const struct dumpi_call *c, int64_t *out, struct err *err)
{
	*out = 0;
	for (uint32_t i = 0; i < c->a[0].n && i < c->a[2].n; i++) {
		struct dumpi_type t;
		int64_t bytes;

		if (dumpi_type_find(d, c->a[2].at[i], &t, err) < 0)
			return -1;
		if (__builtin_mul_overflow(c->a[0].at[i], t.size, &bytes) ||
		    __builtin_add_overflow(*out, bytes, out))
			return too_large(d, err);
	}
	return 0;
}

/* Elements of the old type in the new one; old, new: where their numbers stand. */
static const struct {
	const char *name;
	int old, made;
	enum { COUNT, BLOCKS, LENGTHS, PRODUCT, ONE, STRUCT } how;
} makers[] = {{"Type_contiguous", 1, 2, COUNT},        {"Type_vector", 3, 4, BLOCKS},
              {"Type_hvector", 3, 4, BLOCKS},          {"Type_create_hvector", 3, 4, BLOCKS},
              {"Type_indexed", 1, 2, LENGTHS},         {"Type_hindexed", 1, 2, LENGTHS},
              {"Type_create_hindexed", 1, 2, LENGTHS}, {"Type_create_indexed_block", 2, 3, BLOCKS},
              {"Type_struct", -1, 1, STRUCT},          {"Type_create_struct", -1, 1, STRUCT},
              {"Type_create_resized", 0, 3, ONE},      {"Type_dup", 0, 1, ONE},
              {"Type_create_subarray", 2, 3, PRODUCT}};

/* *n; 1: it is more than that holds. Each number of a call has 32 bits, so that a product of two,
 * and a sum, is not. */
static int elements(const struct dumpi_call *c, int how, int64_t *n)
{
	*n = how == COUNT     ? c->v[0]
	     : how == BLOCKS  ? c->v[0] * c->v[1]
	     : how == LENGTHS ? sum(&c->a[0])
	                      : 1;
	for (uint32_t i = 0; how == PRODUCT && i < c->a[1].n;
	     i++) /* of the part: the second list */
		if (__builtin_mul_overflow(*n, c->a[1].at[i], n))
			return 1;
	return 0;
}

/* 1 if the call is about types, and is dealt with. */
int dumpi_type_call(struct dumpi *d, const struct dumpi_call *c, struct err *err)
{
	for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
		struct dumpi_type old = {.size = 0};
		int64_t size;

		if (strcmp(makers[i].name, c->name) != 0)
			continue;
		if (makers[i].how == STRUCT) {
			if (struct_size(d, c, &size, err) < 0)
				return -1;
		} else {
			if (dumpi_type_find(d, c->v[makers[i].old], &old, err) < 0)
				return -1;
			if (elements(c, (int)makers[i].how, &size) ||
			    __builtin_mul_overflow(size, old.size, &size))
				return too_large(d, err);
		}
		return type_set(d, c->v[makers[i].made], TYPE_DERIVED, size, err) < 0 ? -1 : 1;
	}
	if (!strcmp(c->name, "Type_size")) /* the library itself says it */
		return hash64_find(&d->type_of, (uint64_t)c->v[0]) == HASH_NONE &&
		               type_set(d, c->v[0], TYPE_DERIVED, c->v[1], err) < 0
		           ? -1
		           : 1;
	return 0;
}
