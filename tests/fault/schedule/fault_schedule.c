/* fault_schedule.c: memory runs out at any point of a schedule's simulation: what comes of
 * it is the same, or an error, and nothing leaks. */
#include "fault/fault.h"
#include "test.h"
#include "tmp.h"

#include "schedule/schedule.h"

/* 40 ranks send to all others, the messages of each of another size, and compute after each receive
 * on another processor. */
static void text_make(struct str *s)
{
	enum { RANKS = 24 };

	str_printf(s, "num_ranks %d\n", RANKS);
	for (int i = 0; i < RANKS; i++) {
		str_printf(s, "rank %d {\n", i);
		for (int k = 0; k < RANKS; k++) {
			str_printf(s, "s%d: send %db to %d\n", k, 1 + 10 * i, k);
			str_printf(s, "r%d: recv %db from %d\n", k, 1 + 10 * k, k);
			str_printf(s, "c%d: calc %d cpu 1\nc%d requires r%d\n", k, 5 * k, k, k);
		}
		str_puts(s, "}\n");
	}
}

static int simulate(void *arg, struct err *err)
{
	static const struct schedule_model model = {
	    .L = 2e-6, .o = 1e-6, .g = 4e-6, .G = 10e-9, .O = 1e-9, .S = 300};
	double unit[24];
	struct trace_schedule s;
	struct schedule_result out;
	int r = trace_schedule_read(arg, &s, err);

	if (r <= 0) /* 0: whoever makes a sequence of it is to tell */
		return r < 0 ? -1 : err_set(err, ERR_LIMIT, "it is left to others");
	for (int i = 0; i < 24; i++)
		unit[i] = 1e-9;
	r = schedule_run(&s, &model, unit, &out, err);
	trace_schedule_release(&s);
	if (r < 0)
		return -1;
	assert_int_equal(r, 1);
	fault_told(&out, sizeof out);
	return 0;
}

static void sweeps(void **state)
{
	struct tmp tmp;
	struct str s;
	const char *path;

	(void)state;
	tmp_init(&tmp);
	str_init(&s);
	text_make(&s);
	path = tmp_write(&tmp, "s.goal", s.s);
	assert_true(fault_sweep(FAULT_ALLOC, simulate, (void *)(uintptr_t)path) > 20);
	str_release(&s);
	tmp_release(&tmp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(sweeps)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
