/* test_cputime.c: the CPU time of a thread by ticks between the kernel's answers. */
#include "base/cputime.h"

#include "test.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int64_t kernels(void)
{
	struct timespec t;

	syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void work(int64_t ns)
{
	int64_t end = kernels() + ns;

	while (kernels() < end)
		;
}

/* What ticks tell may be ahead of the kernel, by what a virtual machine was kept waiting: after a
 * fraction of a millisecond that is forgotten. */
static void what_ticks_told_wrongly_is_forgotten(void **state)
{
	struct ticks ticks;
	struct cputime t;
	int64_t before, after, told;

	(void)state;
	ticks_start(&ticks); /* where it cannot, there is no page */
	cputime_open(&t, &ticks);
	if (!t.page)
		skip();
	for (int i = 0; i < 20; i++) {
		cputime_read(&t, &ticks, ticks_read());
		t.base += 50000000;
		work(1000000);
		before = kernels();
		told = cputime_read(&t, &ticks, ticks_read());
		after = kernels();
		assert_true(told >= before && told <= after);
	}
	cputime_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(what_ticks_told_wrongly_is_forgotten)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
