/* prop_fit_order.c: the steps of the fit of a network say what they need (network_fit.c): run in
 * any other order that their needs allow, they give the same fit, to the last bit. So no step reads
 * what another one leaves without saying so. PROP_SEED and PROP_CASES repeat or lengthen a run. */
#include "../../unit/calibrate/made_up.h"
#include "test.h"

#include "calibrate/network/network_int.h"

#include <stdio.h>

enum { STEPS_MOST = 64, ORDERS = 4 };

/* An order that the needs allow: each time one at random of the steps that may come next. */
static void order_draw(struct rng *r, int *order)
{
	unsigned given = 0;
	uint64_t done = 0;

	assert_true(net_fit_steps_n <= STEPS_MOST);
	for (int i = 0; i < net_fit_steps_n; i++) {
		int ready[STEPS_MOST], n = 0;

		for (int k = 0; k < net_fit_steps_n; k++)
			if (!(done >> k & 1) && !(net_fit_steps[k].needs & ~given))
				ready[n++] = k;
		assert_true(n > 0);
		order[i] = ready[rng_below(r, (uint64_t)n)];
		done |= UINT64_C(1) << order[i];
		given |= net_fit_steps[order[i]].gives;
	}
}

/* The order of warnings is that of the steps: their lines are compared as a set. */
static int line_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static struct str lines_sorted(const struct str *s)
{
	char *line[64], *text = strdup(s->s ? s->s : ""), *save;
	struct str out;
	int n = 0;

	assert_non_null(text);
	for (char *p = strtok_r(text, "\n", &save); p && n < 64; p = strtok_r(NULL, "\n", &save))
		line[n++] = p;
	qsort(line, (size_t)n, sizeof *line, line_compare);
	str_init(&out);
	for (int i = 0; i < n; i++)
		str_printf(&out, "%s\n", line[i]);
	free(text);
	return out;
}

static void compare(struct net_fit *a, struct net_fit *b)
{
	struct str x = lines_sorted(&a->warnings), y = lines_sorted(&b->warnings);

	assert_string_equal(x.s ? x.s : "", y.s ? y.s : "");
	str_release(&x);
	str_release(&y);
	str_release(&a->warnings);
	str_release(&b->warnings);
	memset(&a->warnings, 0, sizeof a->warnings);
	memset(&b->warnings, 0, sizeof b->warnings);
	assert_memory_equal(a, b, sizeof *a);
}

/* Another order beside the usual one. */
static void order_try(const struct net_raw *raw, struct rng *r, uint64_t seed)
{
	int order[STEPS_MOST];
	struct net_fit a, b;
	struct err err;

	order_draw(r, order);
	assert_ok(net_fit_make(raw, 0, &a, &err), err);
	if (net_fit_ordered(raw, 0, order, &b, &err) < 0)
		fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
	compare(&a, &b);
}

static void orders(void **state)
{
	const char *seed = getenv("PROP_SEED"), *cases = getenv("PROP_CASES");
	uint64_t from = seed ? strtoull(seed, NULL, 10) : 1;
	uint64_t n = cases ? strtoull(cases, NULL, 10) : 8;

	(void)state;
	for (uint64_t i = from; i < from + n; i++) {
		struct truth t = usual;
		struct net_raw raw;
		struct rng r;

		rng_init(&r, i, "orders", 0);
		t.exchange = 1.15 + 0.4 * rng_unit(&r);
		t.pairs_efficiency = i % 2 ? 0.6 : 1;
		t.threshold = i % 4 < 2 ? 65536 : 1e6; /* 1e6: exchanges below it are told apart */
		t.ring = i % 8 < 4 ? 1.05 : 0;
		t.buffer = i % 8 < 4 ? 30000 : 0;
		t.setup = i % 8 < 4 ? 5e-3 : 0;
		t.burst = i % 3 == 0 ? 9000 : 0;
		t.header = t.burst > 0 ? 100 : 0;
		t.processors = i % 3 == 1 ? 2 : 0;
		t.crowd = t.processors ? 2e-5 : 0;
		measured(&t, i, 120, &raw);
		for (int k = 0; k < ORDERS; k++)
			order_try(&raw, &r, i);
		net_raw_release(&raw);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(orders)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
