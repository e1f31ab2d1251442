/* fault_coll.c: memory runs out, or a tuning file cannot be read, at any point of what the room of
 * collectives allocates: the shape of a communicator, policies and their files, the verifier. The
 * error is worded, and nothing leaks. */
#include "fault/fault.h"

#include "coll/coll.h"
#include "tmp.h"

static struct tmp tmp;

static int shape_made(void *arg, struct err *err)
{
	static const uint32_t host[] = {7, 7, 3, 9, 3,  7,  1000000, 3, 2,
	                                2, 5, 6, 8, 10, 11, 12,      13};
	struct coll_shape s;

	(void)arg;
	if (coll_shape_init(&s, host, sizeof host / sizeof *host, err) < 0)
		return -1;
	coll_shape_release(&s);
	return 0;
}

static int policy_made(void *arg, struct err *err)
{
	const char *const *file = arg;
	struct coll_policy p = {.selector = NULL};
	char name[300];
	int r;

	snprintf(name, sizeof name, "file:%s/%s", tmp.dir, *file);
	r = coll_policy_set(&p, COLL_BCAST, name, err);
	if (r == 0)
		r = coll_policy_select(&p, name, err);
	if (r == 0)
		r = coll_policy_set(&p, COLL_ALLREDUCE, "rdb", err);
	coll_policy_release(&p);
	return r;
}

/* Proven on four ranks; when memory fails it is not found wrong. */
static int proven(void *arg, struct err *err)
{
	const struct coll_alg *alg = coll_alg_find(COLL_ALLREDUCE, arg);
	struct coll_args args[4];

	for (uint32_t i = 0; i < 4; i++)
		args[i] = (struct coll_args){.kind = COLL_ALLREDUCE,
		                             .size = 4,
		                             .count = 9,
		                             .count2 = 9,
		                             .type_size = 8,
		                             .type_size2 = 8,
		                             .commutative = 1,
		                             .basic_type = 1};
	return coll_verify(alg, args, err);
}

static void memory_runs_out(void **state)
{
	static const char *const files[] = {"rules.conf", "rules.json"};
	static char rdb[] = "rdb", ring[] = "ompi_ring", composed[] = "redbcast";
	char *algs[] = {rdb, ring, composed};

	(void)state;
	assert_true(fault_sweep(FAULT_ALLOC, shape_made, NULL) >= 5);
	for (size_t i = 0; i < 2; i++)
		assert_true(fault_sweep(FAULT_ALLOC, policy_made, (void *)(uintptr_t)&files[i]) >
		            0);
	for (size_t i = 0; i < 3; i++)
		assert_true(fault_sweep(FAULT_ALLOC, proven, algs[i]) > 0);
}

static void files_cannot_be_read(void **state)
{
	static const char *const files[] = {"rules.conf", "rules.json"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		assert_true(fault_sweep(FAULT_READ, policy_made, (void *)(uintptr_t)&files[i]) > 0);
		assert_true(fault_sweep(FAULT_OPEN, policy_made, (void *)(uintptr_t)&files[i]) > 0);
	}
}

/* The first is Open MPI's kind of file, the other MPICH's. */
static int files_make(void **state)
{
	(void)state;
	tmp_init(&tmp);
	tmp_write(&tmp, "rules.conf",
	          "1 # collectives\n7 # broadcast\n1 # communicator sizes\n4 2\n0 6 0 0\n"
	          "65536 5 0 8192\n");
	tmp_write(&tmp, "rules.json",
	          "{ \"collective=bcast\": { \"comm_type=intra\": {\n"
	          "  \"comm_size<8\": { \"algorithm=MPIR_Bcast_intra_binomial\": {} },\n"
	          "  \"comm_size=any\": {\"algorithm=MPIR_Bcast_intra_binomial\": {}}}}}\n");
	return 0;
}

static int files_remove(void **state)
{
	(void)state;
	tmp_release(&tmp);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(memory_runs_out),
	    cmocka_unit_test(files_cannot_be_read),
	};
	return cmocka_run_group_tests(tests, files_make, files_remove);
}
