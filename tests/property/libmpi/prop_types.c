/* prop_types.c: laws of random datatypes, up to four constructors deep, beside their type maps
 * (type_map.h):
 *
 *   size, bounds, true bounds: from the map; an extent without marks is rounded up to the strictest
 *     alignment (MPI 4.0, 5.1.6);
 *   packing any part of any number of elements gives the bytes of the map in its order; unpacking
 *     puts them where the map says; leaves are the map's entries;
 *   as many elements as the map has, in any number of bytes; the signature is that of a struct of
 *     the map's entries.
 * PROP_SEED and PROP_CASES repeat or lengthen a run. */
#include "type_map.h"

#include "objects/type.h"

enum { MEMORY = 1 << 16, PACKED = 8 * 3 * MAP_MAX };

static uint64_t seed_now;

/* --- laws --- */

static void is(const char *what, int64_t got, int64_t expected)
{
	if (got != expected)
		fail_msg("seed %llu (%s): %s: %lld, not %lld", (unsigned long long)seed_now, how,
		         what, (long long)got, (long long)expected);
}

static void check_bounds(const struct made *m, const struct said *s)
{
	MPI_Count size, lb, extent, true_lb, true_extent;

	OK(orr_Type_size(m->type, &size));
	OK(orr_Type_get_extent(m->type, &lb, &extent));
	OK(orr_Type_get_true_extent(m->type, &true_lb, &true_extent));
	is("size", size, s->size);
	is("lower bound", lb, s->lb);
	is("extent", extent, s->ub - s->lb);
	is("true lower bound", true_lb, s->true_lb);
	is("true extent", true_extent, s->true_ub - s->true_lb);
}

static unsigned char memory[MEMORY], back[MEMORY], expected[MEMORY];

/* The packed form of count elements at the middle of memory. */
static int64_t pack_by_map(const struct map *m, int count, int64_t extent, unsigned char *out)
{
	int64_t n = 0;

	for (int c = 0; c < count; c++)
		for (int i = 0; i < m->n; i++) {
			memcpy(out + n, memory + MEMORY / 2 + c * extent + m->e[i].disp,
			       (size_t)sizes[m->e[i].what]);
			n += sizes[m->e[i].what];
		}
	return n;
}

static void unpack_by_map(const struct map *m, int count, int64_t extent, const unsigned char *in)
{
	for (int c = 0; c < count; c++)
		for (int i = 0; i < m->n; in += sizes[m->e[i++].what])
			memcpy(expected + MEMORY / 2 + c * extent + m->e[i].disp, in,
			       (size_t)sizes[m->e[i].what]);
}

static void check_packing(struct rng *r, const struct made *m, const struct said *s)
{
	static unsigned char packed[PACKED], got[PACKED];
	struct orr_type *t = orr_type_of(m->type);
	int count = (int)rng_below(r, 4);
	int64_t n = pack_by_map(&m->map, count, s->ub - s->lb, packed);

	for (int k = 0; k < 4; k++) {
		int64_t from = k ? (int64_t)rng_below(r, (uint64_t)n + 1) : 0,
		        to = k ? from + (int64_t)rng_below(r, (uint64_t)(n - from) + 1) : n;

		is("bytes packed", orr_pack(memory + MEMORY / 2, count, t, from, to, got),
		   to - from);
		if (memcmp(got, packed + from, (size_t)(to - from)) != 0)
			fail_msg("seed %llu: bytes %lld to %lld of %d elements differ",
			         (unsigned long long)seed_now, (long long)from, (long long)to,
			         count);
	}
	memset(back, 0, sizeof back);
	memset(expected, 0, sizeof expected);
	unpack_by_map(&m->map, count, s->ub - s->lb, packed);
	for (int64_t at = 0, to; at < n; at = to) {
		to = at + 1 + (int64_t)rng_below(r, 50);
		to = to < n ? to : n;
		orr_unpack(back + MEMORY / 2, count, t, at, to, packed + at);
	}
	if (memcmp(back, expected, sizeof back) != 0)
		fail_msg("seed %llu: unpacked elsewhere", (unsigned long long)seed_now);
}

/* Where the walk over leaves is in the map. */
struct walk {
	const struct map *map;
	int64_t base;
	int at, bad;
};

static int leaf_seen(void *self, int64_t disp, enum orr_basic basic, int64_t n)
{
	struct walk *w = self;

	for (int64_t i = 0; i < n; i++, w->at++) {
		while (w->at < w->map->n && w->map->e[w->at].what >= LOW)
			w->at++;
		if (w->at == w->map->n)
			return w->bad = 1;
		const struct entry *e = &w->map->e[w->at];
		size_t size = orr_basic_size(basic);
		w->bad |= size != (size_t)sizes[e->what] || disp + i * (int64_t)size != e->disp;
	}
	return w->bad;
}

static void check_elements(const struct made *m, const struct said *s)
{
	struct orr_type *t = orr_type_of(m->type);
	struct walk w = {.map = &m->map};
	int64_t bytes = 0, elements = 0;
	MPI_Count one[MAP_MAX], disp[MAP_MAX];
	MPI_Datatype types[MAP_MAX], flat;
	int whole;

	orr_leaves(t, 1, leaf_seen, &w);
	is("leaves that are not the map's", w.bad, 0);
	for (int i = 0; i < m->map.n; i++) {
		enum what what = m->map.e[i].what;

		if (what >= LOW)
			continue;
		is("elements", orr_elements_of(t, bytes, &whole), elements);
		is("ends on one", whole, 1);
		one[elements] = 1, disp[elements] = m->map.e[i].disp;
		types[elements++] = basic_of(what);
		if (sizes[what] > 1) {
			is("elements begun", orr_elements_of(t, bytes + 1, &whole), elements - 1);
			is("ends in the midst", whole, 0);
		}
		bytes += sizes[what];
		is("bytes", orr_bytes_of(t, elements), bytes);
	}
	is("basic elements", elements, s->basics);
	OK(orr_Type_create_struct(elements, one, disp, types, &flat));
	if (orr_signature(t, 1) != orr_signature(orr_type_of(flat), 1))
		fail_msg("seed %llu: another signature", (unsigned long long)seed_now);
	OK(orr_Type_free(&flat));
}

/* Everything of it three times over lies in memory. */
static int fits(const struct said *s)
{
	int64_t extent = s->ub - s->lb, far = 3 * (extent < 0 ? -extent : extent),
	        low = s->true_lb < 0 ? -s->true_lb : s->true_lb,
	        high = s->true_ub < 0 ? -s->true_ub : s->true_ub;

	return far + low + high + 64 < MEMORY / 2;
}

static void laws(void **state)
{
	const char *seed = getenv("PROP_SEED"), *cases = getenv("PROP_CASES");
	uint64_t from = seed ? strtoull(seed, NULL, 10) : 1, done = 0,
	         n = cases ? strtoull(cases, NULL, 10) : 20000;
	static struct made m;

	(void)state;
	for (int i = 0; i < MEMORY; i++)
		memory[i] = (unsigned char)(i * 7919 >> 3);
	for (seed_now = from; seed_now < from + n; seed_now++) {
		struct rng r;
		struct said s;

		rng_init(&r, seed_now, "types", 0);
		if (!type_draw(&r, &m))
			continue;
		s = said(&m.map);
		check_bounds(&m, &s);
		if (rng_below(&r, 2))
			OK(orr_Type_commit(&m.type));
		if (fits(&s)) {
			check_packing(&r, &m, &s);
			done++;
		}
		check_elements(&m, &s);
		OK(orr_Type_free(&m.type));
	}
	assert_true(seed || done > n / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(laws)};

	world_start(1, 0);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	world_end();
	return failed;
}
