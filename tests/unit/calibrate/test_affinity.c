/* The processors of a process on a machine of more than 1,024: a kernel that is made up refuses
 * sets that are too small, as sched_getaffinity(2) has it. */
#include "calibrate/affinity.h"
#include "calibrate/osnoise/osnoise.h"
#include "calibrate/processor.h"

#include "test.h"

#include <errno.h>
#include <sched.h>

static int kernel_bits, asked;
static const int there[] = {0, 1023, 1024, 1500, 2047};

int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
	(void)pid;
	asked++;
	if (size * 8 < (size_t)kernel_bits) {
		errno = EINVAL;
		return -1;
	}
	CPU_ZERO_S(size, set);
	for (size_t i = 0; i < sizeof there / sizeof *there; i++)
		if (there[i] < kernel_bits)
			CPU_SET_S((size_t)there[i], size, set);
	return 0;
}

static void all_of_a_large_machine(void **state)
{
	struct os_cpus c = {0};
	struct err err = {0};
	int *cpu, n;

	(void)state;
	kernel_bits = 2048;
	assert_ok(affinity_get(&cpu, &n, &err), err);
	assert_int_equal(n, 5);
	assert_memory_equal(cpu, there, sizeof there);
	free(cpu);
	assert_ok(os_cpus_all(&c, &err), err);
	assert_int_equal(c.n, 5);
	assert_memory_equal(c.cpu, there, sizeof there);
	free(c.cpu);
	c = (struct os_cpus){0};
	assert_ok(os_cpus_parse(&c, "1023-1025,2047", &err), err);
	assert_int_equal(c.n, 4);
	assert_int_equal(c.cpu[3], 2047);
	free(c.cpu);
}

static void a_thread_on_each(void **state)
{
	struct processor_rates p;
	struct err err = {0};

	(void)state;
	kernel_bits = 2048;
	assert_ok(processor_measure(&p, 0.03, &err), err);
	assert_int_equal(p.processors, 5);
}

static void a_small_machine_is_asked_once(void **state)
{
	struct err err = {0};
	int *cpu, n;

	(void)state;
	kernel_bits = 64;
	asked = 0;
	assert_ok(affinity_get(&cpu, &n, &err), err);
	assert_int_equal(asked, 1);
	assert_int_equal(n, 1);
	assert_int_equal(cpu[0], 0);
	free(cpu);
}

/* No set is large enough: told, not asked for ever. */
static void no_end_of_processors(void **state)
{
	struct err err = {0};
	int *cpu, n;

	(void)state;
	kernel_bits = 1 << 30;
	assert_int_equal(affinity_get(&cpu, &n, &err), -1);
	assert_int_equal(err.number, EINVAL);
	assert_null(cpu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(all_of_a_large_machine),
	    cmocka_unit_test(a_thread_on_each),
	    cmocka_unit_test(a_small_machine_is_asked_once),
	    cmocka_unit_test(no_end_of_processors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
