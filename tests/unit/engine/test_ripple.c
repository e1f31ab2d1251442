/* test_ripple.c: changes that end before they are nothing (engine_set_ripples): levels worked by
 * hand. Flow x[i] shares a thin link with a[i], 30/s each of its 60, and a thick one of 10,000/s
 * with N others, which have what x leaves. When a[i] ends, x[i] gets 60: the others lose 0.3 each
 * of 99.4, which is 0.3 %. */
#include "lib.h"

enum { N = 100, PAIRS = 2 };

static struct activity_id x[PAIRS], others[N];

static struct activity_id start(double amount, uint64_t user, const struct flow_use *uses,
                                uint32_t n_uses)
{
	struct activity_id a;

	assert_ok(
	    engine_flow(
	        e,
	        &(struct flow_spec){
	            .amount = amount, .weight = 1, .uses = uses, .n_uses = n_uses, .user = user},
	        &a, &err),
	    err);
	return a;
}

/* a[i] ends at i + 1. */
static void flows_start(void)
{
	struct resource_id thick = resource(10000);

	for (uint32_t i = 0; i < PAIRS; i++) {
		struct flow_use uses[] = {{resource(60), 1}, {thick, 1}};

		x[i] = start(1e6, 1000, uses, 2);
		start(30 * (i + 1), i, uses, 1);
	}
	for (uint32_t i = 0; i < N; i++)
		others[i] = start(1e6, 1000, &(struct flow_use){thick, 1}, 1);
}

/* All the others have this rate, each x[i] that of `of_x`. */
static void rates_are(double of_others, const double of_x[PAIRS])
{
	for (uint32_t i = 0; i < N; i++)
		assert_close(flow_rate(e, others[i]), of_others, 1e-9);
	for (uint32_t i = 0; i < PAIRS; i++)
		assert_close(flow_rate(e, x[i]), of_x[i], 1e-9);
	assert_ok(engine_check(e, &err), err);
}

static void small_changes_end(void **state)
{
	(void)state;
	engine_set_ripples(e, 0.005, 1);
	flows_start();
	rates_are(99.4, (double[]){30, 30});
	/* 10,030 of 10,000 are given out: 0.3 % more than there is */
	expect(0, 1);
	rates_are(99.4, (double[]){60, 30});
	/* what was left undone is not forgotten: together it is 0.6 % */
	expect(1, 2);
	rates_are(98.8, (double[]){60, 60});
}

static void larger_ones_do_not(void **state)
{
	(void)state;
	engine_set_ripples(e, 0.002, 1);
	flows_start();
	expect(0, 1);
	rates_are(99.1, (double[]){60, 30});
	expect(1, 2);
	rates_are(98.8, (double[]){60, 60});
}

/* Where solves are small all is exact, whatever is allowed in large crowds. */
static void small_crowds_are_exact(void **state)
{
	struct engine_stats s;

	(void)state;
	engine_set_ripples(e, 0.005, 0);
	flows_start();
	expect(0, 1);
	rates_are(99.1, (double[]){60, 30});
	engine_stats(e, &s);
	assert_int_equal(s.rippled, 0);
}

/* A link with more room than before is not used by those who could gain little. They gain when it
 * is worth while: 100 flows on 10,000/s have 100 each; one of 10,000 on the way ends. */
static void room_may_be_left(void **state)
{
	struct resource_id thick;

	(void)state;
	engine_set_ripples(e, 0.05, 1);
	thick = resource(10000);
	for (uint32_t i = 0; i < N; i++)
		others[i] = start(i < 10 ? 100 * (i + 1) : 1e6, i, &(struct flow_use){thick, 1}, 1);
	for (uint32_t i = 0; i < 4; i++) { /* 1 of 99, …, 4 of 96 are within 5 % of what is had */
		expect(i, i + 1);
		assert_close(flow_rate(e, others[N - 1]), 100, 1e-9);
		assert_ok(engine_check(e, &err), err);
	}
	expect(4, 5); /* 5 of 95: 5.3 % */
	assert_close(flow_rate(e, others[N - 1]), 10000.0 / 95, 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(small_changes_end), TEST(larger_ones_do_not),
	                                   TEST(small_crowds_are_exact), TEST(room_may_be_left)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
