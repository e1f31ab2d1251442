/* test_foreign_dates.c: what is said of dates that go back, and of a computation far longer than
 * all others; nothing is said of what clocks and programs do. */
#include "foreign_text.h"

static struct tmp tmp;

/* One rank of Paraver, in nanoseconds: init, a barrier that is left at `left`, finalize. */
static const char *barrier_left(const char *name, long long left)
{
	char text[1024];

	snprintf(text, sizeof text,
	         "#Paraver (01/01/2026 at 00:00):20000_ns:1(1):1:1(1:1),0\n"
	         "2:1:1:1:1:0:50000003:31\n2:1:1:1:1:1000:50000003:0\n"
	         "2:1:1:1:1:5000:50000002:8\n2:1:1:1:1:%lld:50000002:0\n"
	         "2:1:1:1:1:8000:50000003:32\n2:1:1:1:1:9000:50000003:0\n",
	         left);
	return tmp_write(&tmp, name, text);
}

/* 6,000 ns, of which a digit became one of another place, or a clock's 600 ns too many. */
static void back(void **state)
{
	(void)state;
	foreign_notes(barrier_left("right.prv", 6000), "");
	foreign_notes(barrier_left("clock.prv", 8600), "");
	foreign_notes(
	    barrier_left("late.prv", 9000000000),
	    "dates that go back: 1, the first in rank 0 from 9 s to 8e-06 s: its clock was "
	    "set, or the trace is damaged there; what was computed around it is not "
	    "known\n");
	foreign_notes(
	    barrier_left("early.prv", 600),
	    "dates that go back: 1, the first in rank 0 from 5e-06 s to 6e-07 s: its clock "
	    "was set, or the trace is damaged there; what was computed around it is not "
	    "known\n");
}

/* Bursts of 1 us of two ranks of Dimemas, and one of other length on rank 1. */
static const char *bursts(const char *name, int n, const char *other)
{
	struct str s = {0};
	const char *path;

	str_puts(&s, "#DIMEMAS:\"x\":1,0:2(1,1),0,0,0\n");
	for (int i = 0; i < n; i++)
		str_printf(&s, "1:%d:0:0.000001\n20:%d:0:1:1\n", i % 2, i % 2);
	str_printf(&s, "1:1:0:%s\n", other);
	path = tmp_write(&tmp, name, s.s);
	str_release(&s);
	return path;
}

/* 100 us together: a thousand times that is a tenth of a second. */
static void longest(void **state)
{
	(void)state;
	foreign_notes(bursts("usual.dim", 100, "0.0999"), "");
	foreign_notes(bursts("few.dim", 99, "5"), "");
	foreign_notes(bursts("long.dim", 100, "0.1001"),
	              "one computation of rank 1 takes 0.1001 s, the other 100 of all ranks take "
	              "0.0001 s together: unless the program has one like that, the trace is "
	              "damaged there\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(back), cmocka_unit_test(longest)};
	int failed;

	tmp_init(&tmp);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	tmp_release(&tmp);
	return failed;
}
