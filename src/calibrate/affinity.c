/* affinity.c: see affinity.h. The kernel does not say how large its set is: one that is too small
 * is refused with EINVAL (sched_getaffinity(2)), so it is doubled until it is large enough. */
#include "affinity.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>

static int list_make(const cpu_set_t *set, int bits, int **cpu, int *n, struct err *err)
{
	size_t size = CPU_ALLOC_SIZE((size_t)bits);
	size_t bytes = ((size_t)CPU_COUNT_S(size, set) + 1) * sizeof **cpu; /* never 0 */

	*cpu = malloc(bytes);
	if (!*cpu)
		return err_nomem(err, "processors", bytes);
	for (int i = 0; i < bits; i++)
		if (CPU_ISSET_S((size_t)i, size, set))
			(*cpu)[(*n)++] = i;
	return 0;
}

int affinity_get(int **cpu, int *n, struct err *err)
{
	int failed = EINVAL, rc = -1;

	*cpu = NULL;
	*n = 0;
	for (int bits = CPU_SETSIZE; failed == EINVAL && bits <= AFFINITY_CPUS; bits *= 2) {
		size_t size = CPU_ALLOC_SIZE((size_t)bits);
		cpu_set_t *set = CPU_ALLOC((size_t)bits);

		if (!set)
			return err_nomem(err, "processors", size);
		CPU_ZERO_S(size, set);
		failed = sched_getaffinity(0, size, set) < 0 ? errno : 0;
		if (!failed)
			rc = list_make(set, bits, cpu, n, err);
		CPU_FREE(set);
	}
	if (failed)
		return err_sys(err, failed, "asking for the processors of this process");
	return rc;
}

int affinity_set(int cpu)
{
	size_t size = CPU_ALLOC_SIZE((size_t)cpu + 1);
	cpu_set_t *set = CPU_ALLOC((size_t)cpu + 1);
	int rc, why;

	if (!set) {
		errno = ENOMEM;
		return -1;
	}
	CPU_ZERO_S(size, set);
	CPU_SET_S((size_t)cpu, size, set);
	rc = sched_setaffinity(0, size, set);
	why = errno;
	CPU_FREE(set);
	errno = why;
	return rc;
}
