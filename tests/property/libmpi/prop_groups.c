/* prop_groups.c: groups beside plain arrays: the constructors as MPI 4.0, 7.3.2 defines them on
 * random members, and the laws of sets that follow: a union with itself, what two sets share and
 * what they do not, ranks translated there and back. */
#include "../prop.h"

#include "../../unit/libmpi/fake.h"

#include "base/rng.h"

enum { WORLD = 60, CASES = 800 };

struct list {
	int n, v[2 * WORLD];
};

static MPI_Group world;

static int place(const struct list *l, int x)
{
	for (int i = 0; i < l->n; i++)
		if (l->v[i] == x)
			return i;
	return MPI_UNDEFINED;
}

/* Some of the world, each once, in any order. */
static struct list list_draw(struct rng *r)
{
	struct list l = {.n = 0};
	int n = (int)rng_below(r, rng_below(r, 2) ? WORLD + 1 : 8);

	while (l.n < n) {
		int x = (int)rng_below(r, WORLD);

		if (place(&l, x) == MPI_UNDEFINED)
			l.v[l.n++] = x;
	}
	return l;
}

static MPI_Group group_of(const struct list *l)
{
	MPI_Group g;

	OK(orr_Group_incl(world, l->n, l->v, &g));
	return g;
}

/* The group has these members in this order; it goes. */
static void holds_and_goes(MPI_Group g, const struct list *l)
{
	const struct orr_group *o = orr_group_of(g);

	assert_int_equal(o->n, l->n);
	for (int i = 0; i < l->n; i++)
		assert_int_equal(o->member[i], l->v[i]);
	if (l->n == 0)
		assert_ptr_equal(g, MPI_GROUP_EMPTY);
	else
		OK(orr_Group_free(&g));
}

/* Those of a that are in b (or are not), behind those of `out`. */
static void pick(const struct list *a, const struct list *b, int in, struct list *out)
{
	for (int i = 0; i < a->n; i++)
		if ((place(b, a->v[i]) != MPI_UNDEFINED) == in)
			out->v[out->n++] = a->v[i];
}

static void sets(const struct list *a, const struct list *b)
{
	MPI_Group g = group_of(a), h = group_of(b), got, both, either;
	struct list all = *a, shared = {.n = 0}, rest = {.n = 0};
	int result;

	pick(b, a, 0, &all);
	OK(orr_Group_union(g, h, &got));
	holds_and_goes(got, &all);
	pick(a, b, 1, &shared);
	OK(orr_Group_intersection(g, h, &got));
	holds_and_goes(got, &shared);
	pick(a, b, 0, &rest);
	OK(orr_Group_difference(g, h, &got));
	holds_and_goes(got, &rest);
	/* a union a = a; a = (a intersection b) union (a difference b), but for the order */
	OK(orr_Group_union(g, g, &got));
	holds_and_goes(got, a);
	OK(orr_Group_intersection(g, h, &both));
	OK(orr_Group_difference(g, h, &either));
	OK(orr_Group_union(both, either, &got));
	OK(orr_Group_compare(g, got, &result));
	assert_true(result == MPI_IDENT || (result == MPI_SIMILAR && a->n > 1));
	for (MPI_Group *each[] = {&got, &both, &either, &g, &h}, **p = each; p < each + 5; p++)
		if (**p != MPI_GROUP_EMPTY)
			OK(orr_Group_free(*p));
}

/* MPI_IDENT: the same in the same order; MPI_SIMILAR: the same in another. */
static void compared(const struct list *a, const struct list *b)
{
	MPI_Group g = group_of(a), h = group_of(b);
	int result, again, same = a->n == b->n, in_order = same;

	for (int i = 0; i < a->n; i++) {
		same = same && place(b, a->v[i]) != MPI_UNDEFINED;
		in_order = in_order && a->v[i] == b->v[i];
	}
	OK(orr_Group_compare(g, h, &result));
	OK(orr_Group_compare(h, g, &again));
	assert_int_equal(result, in_order ? MPI_IDENT : same ? MPI_SIMILAR : MPI_UNEQUAL);
	assert_int_equal(again, result);
	for (MPI_Group *each[] = {&g, &h}, **p = each; p < each + 2; p++)
		if (**p != MPI_GROUP_EMPTY)
			OK(orr_Group_free(*p));
}

static void translated(const struct list *a, const struct list *b)
{
	MPI_Group g = group_of(a), h = group_of(b);
	int ranks[WORLD + 1], there[WORLD + 1], back[WORLD + 1];

	for (int i = 0; i < a->n; i++)
		ranks[i] = i;
	ranks[a->n] = MPI_PROC_NULL;
	OK(orr_Group_translate_ranks(g, a->n + 1, ranks, h, there));
	for (int i = 0; i < a->n; i++) {
		assert_int_equal(there[i], place(b, a->v[i]));
		if (there[i] == MPI_UNDEFINED)
			continue;
		OK(orr_Group_translate_ranks(h, 1, &there[i], g, &back[i]));
		assert_int_equal(back[i], i);
	}
	assert_int_equal(there[a->n], MPI_PROC_NULL);
	for (MPI_Group *each[] = {&g, &h}, **p = each; p < each + 2; p++)
		if (**p != MPI_GROUP_EMPTY)
			OK(orr_Group_free(*p));
}

/* Ranges of strides up and down that do not overlap: those of the group that they name, in their
 * order; and the others, in the group's. */
static void ranged(struct rng *r, const struct list *a)
{
	int ranges[4][3], n = 0;
	struct list named = {.n = 0}, kept = {.n = 0}, members = {.n = 0};
	MPI_Group g = group_of(a), got;

	for (int tries = 0; tries < 4 && a->n > 0; tries++) {
		int first = (int)rng_below(r, (uint64_t)a->n),
		    last = (int)rng_below(r, (uint64_t)a->n), stride = 1 + (int)rng_below(r, 7),
		    twice = 0, before = named.n;

		stride = first <= last ? stride : -stride;
		for (int x = first; stride > 0 ? x <= last : x >= last; x += stride) {
			twice = twice || place(&named, x) != MPI_UNDEFINED;
			named.v[named.n++] = x;
		}
		if (twice)
			named.n = before;
		else
			ranges[n][0] = first, ranges[n][1] = last, ranges[n++][2] = stride;
	}
	for (int i = 0; i < named.n; i++)
		members.v[members.n++] = a->v[named.v[i]];
	pick(a, &members, 0, &kept);
	OK(orr_Group_range_incl(g, n, ranges, &got));
	holds_and_goes(got, &members);
	OK(orr_Group_range_excl(g, n, ranges, &got));
	holds_and_goes(got, &kept);
	OK(orr_Group_incl(g, named.n, named.v, &got));
	holds_and_goes(got, &members);
	OK(orr_Group_excl(g, named.n, named.v, &got));
	holds_and_goes(got, &kept);
	if (g != MPI_GROUP_EMPTY)
		OK(orr_Group_free(&g));
}

static void laws(void **state)
{
	struct rng r;

	(void)state;
	OK(orr_Comm_group(MPI_COMM_WORLD, &world));
	rng_init(&r, prop_seed(1), "groups", 0);
	for (int i = 0; i < CASES; i++) {
		struct list a = list_draw(&r), b = list_draw(&r);

		if (rng_below(&r, 4) == 0) /* the same, turned round at one place */
			b = a;
		if (b.n > 1 && rng_below(&r, 2)) {
			int k = (int)rng_below(&r, (uint64_t)b.n - 1), x = b.v[k];

			b.v[k] = b.v[k + 1], b.v[k + 1] = x;
		}
		sets(&a, &b);
		compared(&a, &b);
		translated(&a, &b);
		ranged(&r, &a);
	}
	OK(orr_Group_free(&world));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(laws)};

	world_start(WORLD, 3);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	world_end();
	return failed;
}
