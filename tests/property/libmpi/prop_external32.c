/* prop_external32.c: packing in the form of external32 (MPI 4.0, 5.3 and 14.5.2) beside its
 * definition: the elements of the type map in order, each with its most significant byte first, no
 * byte between them. Random types of all constructors (type_map.h); counts, places and rooms that
 * are too small. The four basic types here have the same size there. */
#include "type_map.h"

enum { MEMORY = 1 << 14, PACKED = 1 << 15, CASES = 4000 };

static unsigned char memory[MEMORY], back[MEMORY], want[PACKED], got[PACKED];
static uint64_t seed_now;

/* `count` elements of the type lie in memory, from its middle on. */
static int fits(const struct said *s, int count)
{
	int64_t extent = s->ub - s->lb, far = count * (extent < 0 ? -extent : extent),
	        low = s->true_lb < 0 ? -s->true_lb : s->true_lb,
	        high = s->true_ub < 0 ? -s->true_ub : s->true_ub;

	return far + low + high + 64 < MEMORY / 2;
}

static int64_t reversed_pack(const struct map *m, int count, int64_t extent, unsigned char *out)
{
	int64_t n = 0;

	for (int c = 0; c < count; c++)
		for (int i = 0; i < m->n; i++) {
			const struct entry *e = &m->e[i];
			const unsigned char *p = memory + MEMORY / 2 + c * extent + e->disp;

			for (int k = sizes[e->what] - 1; k >= 0; k--)
				out[n++] = p[k];
		}
	return n;
}

/* The places that a type names, and no others, are written. */
static void same_places(const struct map *m, int count, int64_t extent)
{
	static unsigned char named[MEMORY];

	memset(named, 0, sizeof named);
	for (int c = 0; c < count; c++)
		for (int i = 0; i < m->n; i++)
			memset(named + MEMORY / 2 + c * extent + m->e[i].disp, 1,
			       (size_t)sizes[m->e[i].what]);
	for (int i = 0; i < MEMORY; i++)
		if (back[i] != (named[i] ? memory[i] : 0xee))
			fail_msg("seed %llu: byte %d is %02x, not %02x",
			         (unsigned long long)seed_now, i - MEMORY / 2, back[i],
			         named[i] ? memory[i] : 0xee);
}

/* Elements that lie on each other are written in the order of the map: not what this is about. */
static int are_apart(const struct map *m, int count, int64_t extent)
{
	static unsigned char named[MEMORY];

	memset(named, 0, sizeof named);
	for (int c = 0; c < count; c++)
		for (int i = 0; i < m->n; i++)
			for (int k = 0; k < sizes[m->e[i].what]; k++) {
				unsigned char *p = named + MEMORY / 2 + c * extent + m->e[i].disp +
				                   k;

				if (*p)
					return 0;
				*p = 1;
			}
	return 1;
}

static void there_and_back(struct rng *r, const struct made *m, const struct said *s)
{
	int count = (int)rng_below(r, 4);
	int64_t extent = s->ub - s->lb, n = reversed_pack(&m->map, count, extent, want);
	MPI_Count size, start = (MPI_Count)rng_below(r, 40), position = start;

	OK(orr_Pack_external_size("external32", count, m->type, &size));
	assert_int_equal(size, n);
	memset(got, 0xee, sizeof got);
	OK(orr_Pack_external("external32", memory + MEMORY / 2, count, m->type, got, start + n,
	                     &position));
	assert_int_equal(position, start + n);
	if (memcmp(got + start, want, (size_t)n) != 0)
		fail_msg("seed %llu: other bytes", (unsigned long long)seed_now);
	for (MPI_Count i = 0; i < start; i++)
		assert_int_equal(got[i], 0xee);
	assert_int_equal(got[start + n], 0xee);
	if (!are_apart(&m->map, count, extent))
		return;
	memset(back, 0xee, sizeof back);
	position = start;
	OK(orr_Unpack_external("external32", got, start + n, &position, back + MEMORY / 2, count,
	                       m->type));
	assert_int_equal(position, start + n);
	same_places(&m->map, count, extent);
}

/* Room for a byte less is refused, and nothing is written. */
static void too_small(const struct made *m, const struct said *s)
{
	int64_t n = s->size;
	MPI_Count position = 0;

	if (n == 0)
		return;
	memset(got, 0xee, sizeof got);
	assert_int_not_equal(
	    orr_Pack_external("external32", memory + MEMORY / 2, 1, m->type, got, n - 1, &position),
	    MPI_SUCCESS);
	assert_int_equal(position, 0);
	for (int64_t i = 0; i < n; i++)
		assert_int_equal(got[i], 0xee);
	assert_int_not_equal(
	    orr_Unpack_external("external32", got, n - 1, &position, back + MEMORY / 2, 1, m->type),
	    MPI_SUCCESS);
	assert_int_equal(position, 0);
}

static void random_types(void **state)
{
	const char *seed = getenv("PROP_SEED");
	uint64_t from = seed ? strtoull(seed, NULL, 10) : 1, n = seed ? 1 : CASES, done = 0;
	static struct made m;

	(void)state;
	for (int i = 0; i < MEMORY; i++)
		memory[i] = (unsigned char)(i * 7919 >> 3);
	for (seed_now = from; seed_now < from + n; seed_now++) {
		struct rng r;
		struct said s;

		rng_init(&r, seed_now, "external32", 0);
		if (!type_draw(&r, &m))
			continue;
		s = said(&m.map);
		if (fits(&s, 3)) {
			there_and_back(&r, &m, &s);
			too_small(&m, &s);
			done++;
		}
		OK(orr_Type_free(&m.type));
	}
	assert_true(seed || done > n / 2);
}

/* Table 14.2: sizes of basic types there, whatever they are here. */
static void sizes_of_basic_types(void **state)
{
	static const struct {
		MPI_Datatype type;
		int bytes;
	} table[] = {{MPI_PACKED, 1},
	             {MPI_BYTE, 1},
	             {MPI_CHAR, 1},
	             {MPI_UNSIGNED_CHAR, 1},
	             {MPI_SIGNED_CHAR, 1},
	             {MPI_WCHAR, 2},
	             {MPI_SHORT, 2},
	             {MPI_UNSIGNED_SHORT, 2},
	             {MPI_INT, 4},
	             {MPI_UNSIGNED, 4},
	             {MPI_LONG, 4},
	             {MPI_UNSIGNED_LONG, 4},
	             {MPI_LONG_LONG, 8},
	             {MPI_UNSIGNED_LONG_LONG, 8},
	             {MPI_FLOAT, 4},
	             {MPI_DOUBLE, 8},
	             {MPI_LONG_DOUBLE, 16},
	             {MPI_C_BOOL, 1},
	             {MPI_INT8_T, 1},
	             {MPI_INT16_T, 2},
	             {MPI_INT32_T, 4},
	             {MPI_INT64_T, 8},
	             {MPI_UINT8_T, 1},
	             {MPI_UINT16_T, 2},
	             {MPI_UINT32_T, 4},
	             {MPI_UINT64_T, 8},
	             {MPI_AINT, 8},
	             {MPI_COUNT, 8},
	             {MPI_OFFSET, 8},
	             {MPI_C_FLOAT_COMPLEX, 8},
	             {MPI_C_DOUBLE_COMPLEX, 16},
	             {MPI_C_LONG_DOUBLE_COMPLEX, 32},
	             {MPI_CHARACTER, 1},
	             {MPI_LOGICAL, 4},
	             {MPI_INTEGER, 4},
	             {MPI_REAL, 4},
	             {MPI_DOUBLE_PRECISION, 8},
	             {MPI_COMPLEX, 8},
	             {MPI_DOUBLE_COMPLEX, 16}};
	MPI_Count size;

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		OK(orr_Pack_external_size("external32", 3, table[i].type, &size));
		if (size != 3 * table[i].bytes)
			fail_msg("type %zu of the table: %lld bytes", i, (long long)size);
	}
	assert_int_equal(orr_Pack_external_size("native?", 1, MPI_INT, &size), MPI_ERR_ARG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(random_types),
	                                   cmocka_unit_test(sizes_of_basic_types)};

	world_start(1, 0);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	world_end();
	return failed;
}
