/* test_polls.c: tests of tracer/polls.c: rows of looks that are waits, and rows that are work. */
#include "test.h"

#include "tracer/polls.h"

static const char a, b; /* call sites */
static struct polls p;

/* A look that finds nothing, so many ns after the one before; how much of them is held. */
static int64_t look(const void *site, int64_t ns)
{
	return polls_take(&p, site, (struct poll_piece){ns, ns}) ? ns : 0;
}

/* A row of n looks, the turn before the i-th being ns[i % k]; how much is held. */
static int64_t row(const void *site, int n, const int64_t *ns, int k)
{
	int64_t held = 0;

	p.last = NULL;
	for (int i = 0; i < n; i++)
		held += look(site, ns[i % k]);
	return held;
}

/* What of it was computation; -1: all of it is wait, and half a turn is to come. */
static int64_t ended(const void *found, int64_t turn)
{
	struct poll_piece rest, c = {0, 0};

	if (!p.row)
		return 0;
	c = polls_end(&p, found, &rest);
	assert_int_equal(c.units, c.ns);
	assert_int_equal(rest.units, c.units == 0 ? turn / 2 : 0);
	return c.units == 0 ? -1 : c.units;
}

static void waits(void **state)
{
	static const int64_t five[] = {5000},
	                     nearly[] = {5000, 5500, 4500, 6000, 0, 5100, 5200, 5300};

	(void)state;
	polls_release(&p);
	assert_int_equal(row(&a, POLLS_SEEN, five, 1), (POLLS_SEEN - 1) * 5000);
	assert_int_equal(ended(&a, 5000), (POLLS_SEEN - 1) * 5000); /* not enough is known */
	assert_int_equal(row(&a, 3, five, 1), 10000);
	assert_true(polls_waits(&p, &a) && !polls_waits(&p, &b));
	assert_int_equal(ended(&a, 5000), -1);
	/* one in eight was measured badly: up to one in four */
	polls_release(&p);
	assert_true(row(&a, 100, nearly, 8) > 0);
	assert_int_equal(ended(&a, 6000), -1);
	/* a turn that works is none */
	assert_int_equal(row(&a, 4, (int64_t[]){5000, 5000, 80000, 5000}, 4), 10000);
	assert_int_equal(ended(&a, 5000), -1);
	/* another site's look finds something: nothing is learned, and all was computation */
	assert_int_equal(row(&a, 4, five, 1), 15000);
	assert_int_equal(ended(&b, 0), 15000);
	assert_int_equal(row(&a, 4, five, 1), 15000);
	assert_int_equal(ended(&a, 5000), -1);
}

/* A row that is left without a find is work, and so are all later ones of its site. */
static void works(void **state)
{
	static const int64_t five[] = {5000}, eleven[] = {11000};
	static const int64_t unlike[] = {2000, 4000, 8000, 3000, 6000};

	(void)state;
	polls_release(&p);
	assert_int_equal(row(&a, 50, five, 1), 49 * 5000);
	assert_int_equal(ended(NULL, 0), 49 * 5000);
	assert_int_equal(row(&a, 50, five, 1), 0);
	/* for another loop */
	polls_release(&p);
	row(&a, 50, five, 1);
	look(&b, 5000); /* the first: it may look once in each turn */
	assert_int_equal(look(&a, 5000), 0);
	look(&b, 5000);
	assert_int_equal(look(&b, 5000), 0);
	assert_int_equal(ended(&b, 0), 49 * 5000);
	assert_int_equal(row(&a, 50, five, 1), 0);
	/* too long, or of all lengths */
	polls_release(&p);
	assert_int_equal(row(&a, 50, eleven, 1), 0);
	row(&b, 50, unlike, 5);
	assert_true(ended(&b, 0) >= 0);
	polls_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(waits), cmocka_unit_test(works)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
