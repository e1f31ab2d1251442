/* test_complete.c: a folder that the tracer left: resolved wildcards, a last line cut off. */
#include "unit/trace/trace_test.h"

static void completed(const char *before, const char *after, uint64_t resolved, uint64_t dropped)
{
	char dir[64], path[256], *text;
	uint64_t r, d;
	struct err err;

	folder_make(dir);
	file_make(path, dir, "rank-0.tit", before);
	assert_ok(trace_folder_complete(dir, 1, &r, &d, NULL, &err), err);
	text = file_text(path);
	assert_string_equal(text, after);
	free(text);
	assert_int_equal(r, resolved);
	assert_int_equal(d, dropped);
	assert_ok(trace_folder_complete(dir, 1, NULL, NULL, NULL, &err),
	          err); /* twice is the same */
	text = file_text(path);
	assert_string_equal(text, after);
	free(text);
	folder_remove(dir);
}

static void wildcards_are_patched(void **state)
{
	(void)state;
	completed("# orrery-trace 1\n0 irecv -1 -1 8 6 req=0 t=0.5\n0 irecv -1 3 8 6 req=1\n0 "
	          "compute  5\n0 resolve 0 9 req=0\n"
	          "0 wait req=0\n0 resolve 0 3 req=1\n0 wait req=1\n",
	          "# orrery-trace 1\n0 irecv 0 9 8 6 req=0 any=both t=0.5\n0 irecv 0 3 8 6 req=1 "
	          "any=source\n0 compute  5\n0 wait "
	          "req=0\n0 wait req=1\n",
	          2, 0);
}

static void numbers_are_used_again(void **state)
{
	(void)state;
	completed("0 irecv -1 1 8 6 req=0\n0 resolve 0 1 req=0\n0 wait req=0\n0 irecv -1 2 8 6 "
	          "req=0\n0 resolve 0 2 req=0\n0 wait "
	          "req=0\n",
	          "0 irecv 0 1 8 6 req=0 any=source\n0 wait req=0\n0 irecv 0 2 8 6 req=0 "
	          "any=source\n0 wait req=0\n",
	          2, 0);
	/* The second has no wildcard: a resolve with its number does not reach back to the
	 * first. */
	completed(
	    "0 irecv -1 1 8 6 req=0\n0 irecv 0 2 8 6 req=0\n0 resolve 0 2 req=0\n0 wait req=0\n",
	    "0 irecv -1 1 8 6 req=0\n0 irecv 0 2 8 6 req=0\n0 wait req=0\n", 0, 0);
}

static void persistent_requests(void **state)
{
	(void)state;
	completed("0 recv_init -1 1 8 6 req=0\n0 start 1 reqs=0\n0 resolve 0 1 req=0\n0 start 1 "
	          "reqs=0\n0 resolve 0 1 req=0\n",
	          "0 recv_init 0 1 8 6 req=0\n0 start 1 reqs=0\n0 start 1 reqs=0\n", 1, 0);
	completed("0 recv_init 0 -1 8 6 req=0\n0 start 1 reqs=0\n0 resolve 0 1 req=0\n0 start 1 "
	          "reqs=0\n0 resolve 0 2 req=0\n",
	          "0 recv_init 0 -1 8 6 req=0\n0 start 1 reqs=0\n0 start 1 reqs=0\n", 0, 0);
}

/* A request completed several times without being given anew: all but the last are tests that may
 * fail. */
static void later_looks_complete(void **state)
{
	(void)state;
	completed("0 irecv 0 1 8 6 req=0\n0 test req=0 done=0\n0 test req=0\n0 test req=0 done=0 "
	          "t=1e-06\n0 wait req=0\n",
	          "0 irecv 0 1 8 6 req=0\n0 test req=0\n0 test req=0\n0 test req=0 t=1e-6\n0 wait "
	          "req=0\n",
	          0, 0);
	/* the last may be a test, and one with a choice */
	completed("0 irecv 0 1 8 6 req=0\n0 irecv 0 2 8 6 req=1\n0 testall 2 reqs=0,1 done=0,1\n0 "
	          "testany 2 reqs=1,0 done=1,0\n",
	          "0 irecv 0 1 8 6 req=0\n0 irecv 0 2 8 6 req=1\n0 testall 2 reqs=0,1\n0 testany 2 "
	          "reqs=1,0 done=1,0\n",
	          0, 0);
	/* some of those that it completed, later ones first: two tests, the second with what the
	 * one took */
	completed(
	    "0 testsome 4 reqs=0,1,2,3 done=2,0,1 t=0.5\n0 wait req=1\n0 waitall 2 reqs=2,3\n",
	    "0 testsome 2 reqs=1,2\n0 testsome 2 reqs=0,3 done=0 t=0.5\n0 wait req=1\n0 waitall 2 "
	    "reqs=2,3\n",
	    0, 0);
	/* another request, another start, after a wait: nothing changes */
	completed(
	    "0 irecv 0 1 8 6 req=0\n0 test req=0 done=0\n0 irecv 0 1 8 6 req=0\n0 wait req=0\n",
	    "0 irecv 0 1 8 6 req=0\n0 test req=0 done=0\n0 irecv 0 1 8 6 req=0\n0 wait req=0\n", 0,
	    0);
	completed(
	    "0 test req=0 done=0\n0 start 1 reqs=0\n0 wait req=0\n0 testall 1 reqs=0 done=0\n",
	    "0 test req=0 done=0\n0 start 1 reqs=0\n0 wait req=0\n0 testall 1 reqs=0 done=0\n", 0,
	    0);
	/* beside wildcards */
	completed(
	    "0 irecv -1 1 8 6 req=0\n0 resolve 0 1 req=0\n0 test req=0 done=0\n0 wait req=0\n",
	    "0 irecv 0 1 8 6 req=0 any=source\n0 test req=0\n0 wait req=0\n", 1, 0);
}

static void half_lines_are_dropped(void **state)
{
	(void)state;
	completed("# orrery-trace 1\n0 init\n0 comp", "# orrery-trace 1\n0 init\n", 0, 1);
	completed("0 init\n0 finalize\n", "0 init\n0 finalize\n", 0, 0);
	completed("", "", 0, 0);
}

static void wrong_lines_leave_the_file(void **state)
{
	char dir[64], path[256], *text;
	struct err err;

	(void)state;
	folder_make(dir);
	file_make(path, dir, "rank-0.tit",
	          "0 irecv -1 1 8 6 req=0\n0 resolve 0 1 req=0\n0 nonsense\n");
	assert_fails(trace_folder_complete(dir, 1, NULL, NULL, NULL, &err), err, ERR_INPUT,
	             "rank-0.tit:3:3: expected an action of Orrery");
	file_make(path, dir, "rank-0.tit", "1 init\n");
	assert_fails(trace_folder_complete(dir, 1, NULL, NULL, NULL, &err), err, ERR_INPUT,
	             "rank-0.tit:1:1: expected rank 0, whose file this is");
	text = file_text(path);
	assert_string_equal(text, "1 init\n");
	free(text);
	assert_fails(trace_folder_complete(dir, 2, NULL, NULL, NULL, &err), err, ERR_INPUT,
	             "rank-0.tit:1:1");
	folder_remove(dir);
}

/* Two ranks, the second of which was spawned by the first: what the first calls MPI_COMM_WORLD is
 * not both. */
static void worlds_have_names(void **state)
{
	static const char child[] = "# ranks 2\n# spawned 1\n1 init\n1 barrier comm=1.0\n"
	                            "1 send 0 3 1 1 comm=0.0\n1 finalize\n";
	char dir[64], path[256], *text;
	struct err err;

	(void)state;
	folder_make(dir);
	file_make(path, dir, "rank-1.tit", child);
	file_make(path, dir, "rank-0.tit",
	          "# ranks 1\n0 init\n0 compute 5\n0 barrier\n"
	          "0 intercomm_create comm=0.0 members=0 remote=1\n0 recv 1 3 1 1 comm=0.0\n"
	          "0 bcast 1 0 1 comm=self\n0 comm_free comm=0.0\n0 finalize\n# end 8\n");
	for (int i = 0; i < 2; i++) { /* twice is the same */
		assert_ok(trace_folder_complete(dir, 2, NULL, NULL, NULL, &err), err);
		text = file_text(path);
		assert_string_equal(
		    text, "# ranks 2\n0 init\n"
		          "0 comm_create_group comm=0.536870912 members=0-0 agreed=1\n0 compute 5\n"
		          "0 barrier comm=0.536870912\n"
		          "0 intercomm_create comm=0.0 parent=0.536870912 members=0 remote=1\n"
		          "0 recv 1 3 1 1 comm=0.0\n0 bcast 1 0 1 comm=self\n0 comm_free comm=0.0\n"
		          "0 comm_free comm=0.536870912\n0 finalize\n# end 10\n");
		free(text);
	}
	folder_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(wildcards_are_patched),      cmocka_unit_test(numbers_are_used_again),
	    cmocka_unit_test(persistent_requests),        cmocka_unit_test(half_lines_are_dropped),
	    cmocka_unit_test(wrong_lines_leave_the_file), cmocka_unit_test(later_looks_complete),
	    cmocka_unit_test(worlds_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
