/* test_region.c: the simulator's side of what ranks tell at call sites: regions of computation
 * (which calls they lie between, what belongs to each), and objects that were never freed (each
 * kind and place once, all ranks together). Call sites are known from the start, under names of the
 * test's: no program is read. */
#include "live/live_int.h"
#include "test.h"

enum { RANKS = 3, SITES = 3 };
enum { A = 0x100, B = 0x200, B_TOO = 0x300 }; /* addresses; two of them are the same line */

struct fixture {
	struct live l;
	struct lrank rank[RANKS];
	struct {
		uint32_t rank;
		int32_t id;
		double volume;
	} asked[8]; /* of struct live_regions.seconds */
	uint32_t n;
};

static int32_t find(void *self, const char *name)
{
	(void)self;
	return strcmp(name, "a.c:1>b.c:2") == 0 ? 7 : -1;
}

static double seconds(void *self, uint32_t rank, int32_t id, double volume)
{
	struct fixture *f = self;

	assert_true(f->n < 8);
	f->asked[f->n].rank = rank;
	f->asked[f->n].id = id;
	f->asked[f->n++].volume = volume;
	return 0; /* nothing is left for mp to do */
}

static void fixture_init(struct fixture *f)
{
	static const char *const names[] = {"a.c:1", "b.c:2"};
	static const uint64_t site[SITES] = {A, B, B_TOO};
	struct err err;

	*f = (struct fixture){.l = {.ranks = RANKS, .rank = f->rank}};
	f->l.o.regions.self = f;
	f->l.o.regions.find = find;
	f->l.o.regions.seconds = seconds;
	hash64_init(&f->l.region_by_ends);
	hash_str_init(&f->l.place_by_name);
	hash_str_init(&f->l.place_by_file);
	f->l.place = calloc(2, sizeof *f->l.place);
	f->l.cap_place = f->l.n_place = 2;
	for (int i = 0; i < 2; i++)
		f->l.place[i] = strdup(names[i]);
	for (uint32_t r = 0; r < RANKS; r++) {
		hash64_init(&f->rank[r].sites);
		for (uint32_t i = 0; i < SITES; i++)
			assert_ok(hash64_put(&f->rank[r].sites, site[i], i > 0, &err), err);
	}
}

static void fixture_release(struct fixture *f)
{
	regions_release(&f->l);
	places_release(&f->l);
	free(f->l.left);
}

static void computed(struct fixture *f, uint32_t rank, int kind, int flags, uint64_t site,
                     double volume)
{
	struct wire_op op = {.size = sizeof op,
	                     .kind = (uint8_t)kind,
	                     .flags = (uint8_t)flags,
	                     .site = site,
	                     .computed = volume};
	struct err err;

	assert_ok(region_computed(&f->l, rank, &op, &err), err);
}

static void a_region_is_from_call_to_call(void **state)
{
	struct fixture f;
	struct str s;

	(void)state;
	fixture_init(&f);
	computed(&f, 1, WIRE_INIT, WIRE_BEGINS, A, 64); /* before MPI_Init is no region */
	assert_int_equal(f.n, 0);
	computed(&f, 1, WIRE_CLOCK, 0, B, 4); /* held: the clock ends none */
	computed(&f, 1, WIRE_TEST, 0, B, 2);
	assert_int_equal(f.n, 0);
	computed(&f, 1, WIRE_TEST, WIRE_BEGINS, B, 1); /* a>b of 4 + 2 + 1 */
	computed(&f, 1, WIRE_TEST, WIRE_BEGINS, A, 8); /* b>a */
	computed(&f, 2, WIRE_INIT, WIRE_BEGINS, A, 0);
	computed(&f, 2, WIRE_TEST, WIRE_BEGINS, B_TOO, 16); /* a>b of another rank and address */
	assert_int_equal(f.n, 3);
	assert_int_equal(f.asked[0].rank, 1);
	assert_int_equal(f.asked[0].id, 7);
	assert_double_is(f.asked[0].volume, 7);
	assert_int_equal(f.asked[1].id, -1);
	assert_double_is(f.asked[1].volume, 8);
	assert_int_equal(f.asked[2].rank, 2);
	assert_int_equal(f.asked[2].id, 7);
	assert_double_is(f.asked[2].volume, 16);
	assert_int_equal(f.l.n_region, 2);
	str_init(&s);
	live_regions_text(&f.l, &s);
	/* both take nothing, so by name (with time: live_regions.sh); how often, and whether its
	 * time was given */
	assert_non_null(strstr(s.s, "times   which take nothing\na.c:1>b.c:2 "));
	assert_non_null(strstr(s.s, "            2  given\nb.c:2>a.c:1 "));
	assert_non_null(strstr(s.s, "            1  not given\n"));
	assert_null(strstr(s.s, "of it"));
	str_release(&s);
	fixture_release(&f);
}

struct leaves {
	struct wire_op op;
	struct wire_left left[3];
};

static void left(struct fixture *f, uint32_t rank, const struct wire_left *w, uint32_t n)
{
	struct leaves p = {.op = {.size = sizeof p, .kind = WIRE_LEFT, .n = n}};
	struct err err;

	memcpy(p.left, w, n * sizeof *w);
	assert_int_equal(left_issue(&f->l, rank, &p.op, &err), MP_DONE);
}

static void what_is_left_is_told_once(void **state)
{
	static const struct wire_left first[] = {
	    {A, WIRE_LEFT_COMM, 2}, {B, WIRE_LEFT_COMM, 1}, {A, WIRE_LEFT_TYPE, 1}};
	static const struct wire_left second[] = {{B, WIRE_LEFT_COMM, 4},
	                                          {B_TOO, WIRE_LEFT_COMM, 8}};
	struct fixture f;
	struct str s;

	(void)state;
	fixture_init(&f);
	str_init(&s);
	live_left_text(&f.l, &s);
	assert_int_equal(s.n, 0);
	left(&f, 2, first, 3);
	left(&f, 1, second, 2); /* the same line twice: one rank */
	left(&f, 0, second, 0);
	live_left_text(&f.l, &s);
	assert_string_equal(s.s, "never freed: 2 communicators, made at a.c:1, by rank 2\n"
	                         "never freed: 13 communicators, made at b.c:2, by 2 ranks\n"
	                         "never freed: 1 datatype, made at a.c:1, by rank 2\n");
	str_release(&s);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_region_is_from_call_to_call),
	                                   cmocka_unit_test(what_is_left_is_told_once)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
