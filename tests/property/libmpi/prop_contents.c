/* prop_contents.c: random datatypes (type_map.h) taken apart as MPI 4.0, 5.1.13 has it
 * (MPI_Type_get_envelope, MPI_Type_get_contents, in both sizes) and made anew of what they say, all
 * the way down: the copy is the type, in size, bounds, packed form and name of each constructor.
 * PROP_SEED and PROP_CASES repeat or lengthen a run. */
#include "type_map.h"

#include "objects/type.h"

enum { CASES = 3000, NUMBERS = 64, MEMORY = 1 << 16 };

static uint64_t seed_now;

/* --- one type's contents, whichever form it has --- */

struct contents {
	int combiner, large;
	MPI_Count ints, addresses, counts, types; /* how many of each */
	int i[NUMBERS];
	MPI_Aint a[NUMBERS];
	MPI_Count c[NUMBERS];
	MPI_Datatype type[NUMBERS];
};

static void small_taken(MPI_Datatype t, struct contents *s)
{
	int ints, addresses, types;

	OK(orr_Type_get_envelope(t, &ints, &addresses, &types, &s->combiner));
	s->ints = ints, s->addresses = addresses, s->types = types, s->counts = 0;
	if (s->combiner == MPI_COMBINER_NAMED)
		return;
	assert_true(ints <= NUMBERS && addresses <= NUMBERS && types <= NUMBERS);
	/* less room than it takes is an error, and more is none */
	if (ints > 0)
		assert_int_equal(
		    orr_Type_get_contents(t, ints - 1, addresses, types, s->i, s->a, s->type),
		    MPI_ERR_ARG);
	OK(orr_Type_get_contents(t, NUMBERS, NUMBERS, NUMBERS, s->i, s->a, s->type));
}

static void large_taken(MPI_Datatype t, struct contents *s)
{
	OK(orr_Type_get_envelope_c(t, &s->ints, &s->addresses, &s->counts, &s->types,
	                           &s->combiner));
	if (s->combiner == MPI_COMBINER_NAMED)
		return;
	if (s->counts > 0)
		assert_int_equal(orr_Type_get_contents_c(t, s->ints, s->addresses, s->counts - 1,
		                                         s->types, s->i, s->a, s->c, s->type),
		                 MPI_ERR_ARG);
	OK(orr_Type_get_contents_c(t, s->ints, s->addresses, s->counts, s->types, s->i, s->a, s->c,
	                           s->type));
}

/* The numbers in the order in which a constructor takes them: the standard's tables have the same
 * order in both forms, but for what remains an int (dimensions, distributions, order). */
struct numbers {
	const struct contents *s;
	MPI_Count i, a, c;
};

static MPI_Count number(struct numbers *n)
{
	return n->s->large ? n->s->c[n->c++] : n->s->i[n->i++];
}

static int plain_int(struct numbers *n)
{
	return n->s->i[n->i++];
}

static MPI_Count address(struct numbers *n)
{
	return n->s->large ? n->s->c[n->c++] : n->s->a[n->a++];
}

static void all_used(const struct numbers *n)
{
	assert_int_equal(n->i, n->s->ints);
	assert_int_equal(n->a, n->s->addresses);
	assert_int_equal(n->c, n->s->counts);
}

/* --- making it anew --- */

struct list {
	MPI_Count n, length[NUMBERS], disp[NUMBERS];
};

static void list_take(struct numbers *n, struct list *l, int one_length, int in_bytes)
{
	l->n = number(n);
	for (MPI_Count k = 0; k < (one_length ? 1 : l->n); k++)
		l->length[k] = number(n);
	for (MPI_Count k = 0; k < l->n; k++)
		l->disp[k] = in_bytes ? address(n) : number(n);
}

static void subarray_anew(struct numbers *n, MPI_Datatype old, MPI_Datatype *out)
{
	int dims = plain_int(n);
	MPI_Count x[3][8];

	for (int k = 0; k < 3; k++)
		for (int d = 0; d < dims; d++)
			x[k][d] = number(n);
	OK(orr_Type_create_subarray(dims, x[0], x[1], x[2], plain_int(n), old, out));
}

static void darray_anew(struct numbers *n, MPI_Datatype old, MPI_Datatype *out)
{
	int size = plain_int(n), rank = plain_int(n), dims = plain_int(n), x[3][8];
	MPI_Count sizes_of[8];

	for (int d = 0; d < dims; d++)
		sizes_of[d] = number(n);
	for (int k = 0; k < 3; k++)
		for (int d = 0; d < dims; d++)
			x[k][d] = plain_int(n);
	OK(orr_Type_create_darray(size, rank, dims, sizes_of, x[0], x[1], x[2], plain_int(n), old,
	                          out));
}

static void list_anew(struct numbers *n, int combiner, MPI_Datatype old, MPI_Datatype *out)
{
	struct list l;
	int blocks = combiner == MPI_COMBINER_INDEXED_BLOCK ||
	             combiner == MPI_COMBINER_HINDEXED_BLOCK,
	    bytes = combiner == MPI_COMBINER_HINDEXED || combiner == MPI_COMBINER_HINDEXED_BLOCK;

	list_take(n, &l, blocks, bytes);
	if (blocks)
		OK((bytes ? orr_Type_create_hindexed_block
		          : orr_Type_create_indexed_block)(l.n, l.length[0], l.disp, old, out));
	else
		OK((bytes ? orr_Type_create_hindexed : orr_Type_indexed)(l.n, l.length, l.disp, old,
		                                                         out));
}

static void of_numbers(struct numbers *n, const MPI_Datatype *child, MPI_Datatype *out)
{
	MPI_Count x, y, z;
	struct list l;

	switch (n->s->combiner) {
	case MPI_COMBINER_DUP:
		OK(orr_Type_dup(child[0], out));
		return;
	case MPI_COMBINER_CONTIGUOUS:
		OK(orr_Type_contiguous(number(n), child[0], out));
		return;
	case MPI_COMBINER_VECTOR:
		x = number(n), y = number(n), z = number(n);
		OK(orr_Type_vector(x, y, z, child[0], out));
		return;
	case MPI_COMBINER_HVECTOR:
		x = number(n), y = number(n), z = address(n);
		OK(orr_Type_create_hvector(x, y, z, child[0], out));
		return;
	case MPI_COMBINER_STRUCT:
		list_take(n, &l, 0, 1);
		assert_int_equal(n->s->types, l.n);
		OK(orr_Type_create_struct(l.n, l.length, l.disp, child, out));
		return;
	case MPI_COMBINER_SUBARRAY:
		subarray_anew(n, child[0], out);
		return;
	case MPI_COMBINER_DARRAY:
		darray_anew(n, child[0], out);
		return;
	case MPI_COMBINER_RESIZED:
		x = address(n), y = address(n);
		OK(orr_Type_create_resized(child[0], x, y, out));
		return;
	default:
		list_anew(n, n->s->combiner, child[0], out);
	}
}

static int is_named(MPI_Datatype t)
{
	MPI_Count a, b, c, d;
	int combiner;

	OK(orr_Type_get_envelope_c(t, &a, &b, &c, &d, &combiner));
	return combiner == MPI_COMBINER_NAMED;
}

/* A copy of a derived type, made of what it says of itself; of a named one itself. */
static MPI_Datatype anew(MPI_Datatype t, int large)
{
	struct contents *s = calloc(1, sizeof *s);
	MPI_Datatype child[NUMBERS], out = MPI_DATATYPE_NULL;
	struct numbers n = {.s = s};

	assert_non_null(s);
	s->large = large;
	if (large)
		large_taken(t, s);
	else
		small_taken(t, s);
	if (s->combiner == MPI_COMBINER_NAMED) {
		free(s);
		return t;
	}
	for (MPI_Count k = 0; k < s->types; k++)
		child[k] = anew(s->type[k], 0);
	of_numbers(&n, child, &out);
	all_used(&n);
	for (MPI_Count k = 0; k < s->types;
	     k++) { /* 5.1.13: derived ones are the program's to free */
		if (is_named(s->type[k])) {
			assert_int_equal(orr_Type_free(&s->type[k]), MPI_ERR_TYPE);
			continue;
		}
		OK(orr_Type_free(&child[k]));
		OK(orr_Type_free(&s->type[k]));
	}
	free(s);
	return out;
}

/* --- the copy is the type --- */

static unsigned char memory[MEMORY], packed[2][1 << 14];

static void same_numbers(MPI_Datatype a, MPI_Datatype b)
{
	MPI_Count x[2][5];
	const MPI_Datatype t[2] = {a, b};

	for (int i = 0; i < 2; i++) {
		OK(orr_Type_size(t[i], &x[i][0]));
		OK(orr_Type_get_extent(t[i], &x[i][1], &x[i][2]));
		OK(orr_Type_get_true_extent(t[i], &x[i][3], &x[i][4]));
	}
	if (memcmp(x[0], x[1], sizeof x[0]) != 0)
		fail_msg("seed %llu (%s): sizes or bounds differ", (unsigned long long)seed_now,
		         how);
}

static void same_bytes(MPI_Datatype a, MPI_Datatype b)
{
	struct orr_type *t[2] = {orr_type_of(a), orr_type_of(b)};
	int64_t bytes = 2 * t[0]->size;

	int64_t far = llabs(t[0]->true_lb) + llabs(t[0]->true_ub) + llabs(orr_type_span(t[0]));

	if (bytes > (int64_t)sizeof packed[0] || far > MEMORY / 2)
		return;
	for (int i = 0; i < 2; i++)
		assert_int_equal(orr_pack(memory + MEMORY / 2, 2, t[i], 0, bytes, packed[i]),
		                 bytes);
	if (memcmp(packed[0], packed[1], (size_t)bytes) != 0)
		fail_msg("seed %llu (%s): packed forms differ", (unsigned long long)seed_now, how);
}

static void contents(void **state)
{
	const char *one = getenv("PROP_SEED"), *cases = getenv("PROP_CASES");
	uint64_t from = one ? strtoull(one, NULL, 10) : 1, to = one     ? from
	                                                        : cases ? strtoull(cases, NULL, 10)
	                                                                : CASES;
	static struct made m;

	(void)state;
	for (int i = 0; i < MEMORY; i++)
		memory[i] = (unsigned char)(i * 167 + (i >> 8));
	for (seed_now = from; seed_now <= to; seed_now++) {
		MPI_Datatype copy;
		struct rng r;
		int large;

		rng_init(&r, seed_now, "contents", 0);
		if (!type_draw(&r, &m))
			continue;
		large = (int)rng_below(&r, 2);
		if (large) {
			int x[4];

			orr_type_set_large(m.type); /* as the functions with _c have it */
			if (orr_type_of(m.type)->c.combiner != MPI_COMBINER_DUP) /* no numbers */
				assert_int_equal(
				    orr_Type_get_envelope(m.type, &x[0], &x[1], &x[2], &x[3]),
				    MPI_ERR_TYPE);
		}
		copy = anew(m.type, large);
		same_numbers(m.type, copy);
		same_bytes(m.type, copy);
		assert_int_equal(orr_type_of(copy)->c.combiner, orr_type_of(m.type)->c.combiner);
		OK(orr_Type_free(&copy));
		OK(orr_Type_free(&m.type));
	}
}

/* Those of Fortran's precisions say what was asked for, are made once, and are not to be freed
 * (19.1.9). */
static void parametric(void **state)
{
	static const int p[] = {1, 6, 7, 15, 16, MPI_UNDEFINED}, r[] = {MPI_UNDEFINED, 30, 300};
	int i[2], n[4];
	MPI_Datatype t, again, types[1];
	MPI_Aint a[1];

	(void)state;
	for (int k = 0; k < 6; k++)
		for (int q = 0; q < 3; q++) {
			if (p[k] == MPI_UNDEFINED && r[q] == MPI_UNDEFINED) {
				assert_int_equal(orr_Type_create_f90_real(p[k], r[q], &t),
				                 MPI_ERR_ARG);
				continue;
			}
			OK(orr_Type_create_f90_real(p[k], r[q], &t));
			OK(orr_Type_create_f90_real(p[k], r[q], &again));
			assert_ptr_equal(t, again);
			OK(orr_Type_get_envelope(t, &n[0], &n[1], &n[2], &n[3]));
			assert_int_equal(n[0], 2);
			assert_int_equal(n[1] + n[2], 0);
			assert_int_equal(n[3], MPI_COMBINER_F90_REAL);
			OK(orr_Type_get_contents(t, 2, 0, 0, i, a, types));
			assert_int_equal(i[0], p[k]);
			assert_int_equal(i[1], r[q]);
			assert_int_equal(orr_Type_free(&again), MPI_ERR_TYPE);
		}
	OK(orr_Type_create_f90_integer(9, &t));
	OK(orr_Type_get_envelope(t, &n[0], &n[1], &n[2], &n[3]));
	assert_int_equal(n[0], 1);
	assert_int_equal(n[3], MPI_COMBINER_F90_INTEGER);
	OK(orr_Type_get_contents(t, 1, 0, 0, i, a, types));
	assert_int_equal(i[0], 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(contents),
	                                   cmocka_unit_test(parametric)};
	int failed;

	world_start(1, 0);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	world_end();
	return failed;
}
