/* How long a kernel takes: M-0, M-1, M-2 by hand; the moments and the lower end of the half-normal
 * distribution that deviations have: mean mu, deviation sigma, at least
 * mu - sigma sqrt(2 / (pi - 2)). */
#include "guest/model.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

enum { DRAWS = 20000 };

static double takes(const char *text, double m, double n, double k)
{
	struct model model;

	assert_true(model_read(&model, "f", 0, text));
	return model_seconds(&model, m, n, k);
}

static void means_are_sums_of_terms(void **state)
{
	(void)state;
	assert_true(takes("0,0,0,0,0.5", 2, 3, 4) == 0.5);    /* M-0 */
	assert_true(takes("0.25,0,0,0,0.5", 2, 3, 4) == 6.5); /* M-1: 24 / 4 + 1 / 2 */
	assert_true(takes("1,10,100,1000,5", 2, 3, 4) == 24 + 60 + 800 + 12000 + 5); /* M-2 */
	assert_true(takes("0,0,0,0,-1", 2, 3, 4) == 0); /* of a fit beyond its range */
}

static void what_is_no_model_is_refused(void **state)
{
	static const char *const wrong[] = {"", "1,2,3,4", "1,2,3,4,x", "1,2,3,4,5:1,2,3,4#1",
	                                    "1,2,3,4,5:1,2,3,4,5"};
	struct model m;

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		assert_false(model_read(&m, "f", 0, wrong[i]));
}

/* N-2: at m = n = k = 1 the deviation is the sum of its terms, 0.5. */
static void deviations_are_half_normal(void **state)
{
	double sum = 0, squares = 0, least = 100, mean, deviation;
	struct model m;

	(void)state;
	assert_true(model_read(&m, "f", 0, "0,0,0,0,2:0.125,0.125,0.125,0,0.125#1"));
	for (int i = 0; i < DRAWS; i++) {
		double x = model_seconds(&m, 1, 1, 1);

		sum += x;
		squares += x * x;
		least = x < least ? x : least;
	}
	mean = sum / DRAWS;
	deviation = sqrt(squares / DRAWS - mean * mean);
	assert_true(fabs(mean - 2) < 4 * 0.5 / sqrt(DRAWS));
	assert_true(fabs(deviation - 0.5) < 0.02);
	assert_true(least >= 2 - 0.5 * sqrt(2 / (M_PI - 2)) && least < 1.35);
}

static void a_rank_and_a_kernel_draw_their_own(void **state)
{
	static const char text[] = "0,0,0,0,2:0,0,0,0,0.5#1";
	struct model a, b, c, d;

	(void)state;
	assert_true(model_read(&a, "f", 3, text) && model_read(&b, "f", 3, text));
	assert_true(model_read(&c, "g", 3, text));
	assert_true(model_read(&d, "f", 4, text));
	for (int i = 0; i < 100; i++) {
		double x = model_seconds(&a, 1, 1, 1);

		assert_true(x == model_seconds(&b, 1, 1, 1));
		assert_true(x != model_seconds(&c, 1, 1, 1));
		assert_true(x != model_seconds(&d, 1, 1, 1));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(means_are_sums_of_terms),
	    cmocka_unit_test(what_is_no_model_is_refused),
	    cmocka_unit_test(deviations_are_half_normal),
	    cmocka_unit_test(a_rank_and_a_kernel_draw_their_own),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
