/* fault_network.c: every allocation of a fit of a network fails in turn: an error that says so, or
 * the same fit. Memory that lacks is never taken for "not measured". */
#include "../../unit/calibrate/made_up.h"
#include "fault/fault.h"
#include "test.h"

struct both {
	struct net_raw raw;
	struct net_fit right;
};

static int fit_again(void *arg, struct err *err)
{
	struct both *b = arg;
	struct net_fit f;

	if (net_fit_make(&b->raw, 0, &f, err) < 0)
		return -1;
	assert_string_equal(f.warnings.s ? f.warnings.s : "",
	                    b->right.warnings.s ? b->right.warnings.s : "");
	str_release(&f.warnings);
	memcpy(&f.warnings, &b->right.warnings, sizeof f.warnings);
	assert_memory_equal(&f, &b->right, sizeof f);
	return 0;
}

static void fit(void **state)
{
	struct truth t = usual;
	struct both b;
	struct err err;

	(void)state;
	t.ring = 1.05;
	t.buffer = 30000;
	t.processors = 2;
	t.crowd = 2e-5;
	measured(&t, 1, 60, &b.raw);
	assert_ok(net_fit_make(&b.raw, 0, &b.right, &err), err);
	assert_true(b.right.processors == 2 && b.right.ordered && b.right.n_noise > 0);
	assert_true(fault_sweep(FAULT_ALLOC, fit_again, &b) > 40);
	net_fit_release(&b.right);
	net_raw_release(&b.raw);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(fit)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
