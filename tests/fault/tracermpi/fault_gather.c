/* fault_gather.c: the traces of several ranks become one in MPI_Finalize: each rank a process,
 * random programs, trees of any width. Read back, the merged trace has the lines that each rank's
 * text has. Then one rank's allocations or writes fail in turn while it merges: no other waits for
 * it, all programs end well, and there is either the whole trace or what each rank left. */
#include "fault/fault.h"
#include "property/prop.h"
#include "unit/tracermpi/traced.h"

#include "trace/trace.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RANKS_MOST = 9, SECONDS = 20, REACHED = 8, NOT_REACHED = 7 };

static struct tmp tmp;
static int irregular; /* so many calls that nothing repeats: more than memory holds, in chapters */
static int wires[FAKE_RANKS][FAKE_RANKS];

/* What fails, where; rank -1: nothing. */
struct failing {
	int rank;
	enum fault_kind kind;
	long n;
};

/* Loops, so that there is something to compress, and what only one rank does. */
static void program(struct rng *r, int rank, int ranks)
{
	int turns = (int)prop_from(r, 1, 30), odd = (int)prop_from(r, 0, 5);
	MPI_Request q[2];

	for (int i = 0; i < irregular; i++)
		MPI_Send(NULL, (int)prop_from(r, 0, 1u << 30), MPI_INT, (int)prop_from(r, 0, 3),
		         (int)prop_from(r, 0, 32767), MPI_COMM_WORLD);
	for (int i = 0; i < turns; i++) {
		MPI_Irecv(NULL, 10, MPI_INT, (rank + 1) % ranks, i % 3, MPI_COMM_WORLD, &q[0]);
		MPI_Isend(NULL, 10, MPI_INT, (rank + ranks - 1) % ranks, i % 3, MPI_COMM_WORLD,
		          &q[1]);
		MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
		for (int k = 0; k < odd && rank % 3 == 1; k++)
			MPI_Send(NULL, i + k, MPI_DOUBLE, 0, k, MPI_COMM_WORLD);
		MPI_Barrier(MPI_COMM_WORLD);
	}
}

/* A rank's process: exit code REACHED or NOT_REACHED if all was as it should be. */
static void rank_run(int rank, int ranks, uint64_t seed, const struct failing *f)
{
	struct rng r;
	int reached = 0;

	alarm(SECONDS);
	dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
	rng_init(&r, seed, "program", (uint64_t)rank % 2);
	tracer = (struct tracer){.out.file.fd = -1, .fortran.index_base_f08 = -1};
	fake_reset(rank, ranks, seed);
	fake_wires_use(wires);
	MPI_Init(NULL, NULL);
	program(&r, rank, ranks);
	if (f->rank == rank)
		fault_start(f->kind, f->n);
	MPI_Finalize();
	if (f->rank == rank)
		reached = fault_stop();
	_exit(fake.finalized != 1 ? 1 : reached ? REACHED : NOT_REACHED);
}

/* All of them; whether the fault was reached. */
static int run(int ranks, uint64_t seed, const struct failing *f)
{
	pid_t pid[RANKS_MOST];
	int reached = 0, status;

	fake_wires_make(wires, ranks);
	for (int i = 0; i < ranks; i++) {
		pid[i] = fork();
		assert_true(pid[i] >= 0);
		if (pid[i] == 0)
			rank_run(i, ranks, seed, f);
	}
	for (int i = 0; i < ranks; i++)
		for (int k = 0; k < ranks; k++)
			if (i != k)
				close(wires[i][k]);
	for (int i = 0; i < ranks; i++) {
		assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
		if (!WIFEXITED(status) || WEXITSTATUS(status) < NOT_REACHED ||
		    WEXITSTATUS(status) > REACHED)
			fail_msg(
			    "seed %llu: rank %d of %d ended with status %#x (fault %ld of rank "
			    "%d)",
			    (unsigned long long)seed, i, ranks, status, f->n, f->rank);
		reached |= WEXITSTATUS(status) == REACHED;
	}
	return reached;
}

static void environment(const char *form, int tree)
{
	char text[16];

	traced_environment(tmp.dir);
	setenv("ORRERY_FORM", form, 1);
	setenv("ORRERY_BUFFER", "16384", 1);
	setenv("ORRERY_MEMORY", "65536", 1);
	snprintf(text, sizeof text, "%d", tree);
	setenv("ORRERY_TREE", text, 1);
}

/* The lines of a rank's text, or of the merged trace. */
static void text_lines(int rank, struct str *out)
{
	struct traced t = {.tmp = tmp, .rank = rank};
	char line[4096];
	FILE *f = traced_file(&t);

	str_clear(out);
	str_puts(out, "");
	while (fgets(line, sizeof line, f))
		if (*line != '#')
			str_puts(out, line);
	fclose(f);
}

static void merged_lines(int rank, struct str *out)
{
	struct err err = {0};
	struct trace *t = trace_open(tmp_path(&tmp, "events"), 0, &err);
	struct trace_event ev;
	int more;

	if (!t)
		fail_msg("%s", err.text);
	str_clear(out);
	str_puts(out, "");
	while ((more = trace_next(t, (uint32_t)rank, &ev, &err)) > 0)
		trace_event_format(out, (uint32_t)rank, &ev);
	if (more < 0)
		fail_msg("%s", err.text);
	trace_close(t);
}

static int is_merged(void)
{
	return access(tmp_path(&tmp, "events"), F_OK) == 0;
}

static int is_left(int rank)
{
	static const char *const names[] = {"log", "log2", "part"};
	char name[32];
	int left = 0;

	for (int i = 0; i < 3; i++) {
		snprintf(name, sizeof name, "rank-%d.%s", rank, names[i]);
		left |= access(tmp_path(&tmp, name), F_OK) == 0;
	}
	return left;
}

static void folder_begin(void)
{
	tmp_init(&tmp);
}

/* What each rank of the programs does, as text. */
static void texts_make(struct str *text, int ranks, uint64_t seed)
{
	folder_begin();
	environment("text", 2);
	run(ranks, seed, &(struct failing){.rank = -1});
	for (int i = 0; i < ranks; i++) {
		str_init(&text[i]);
		text_lines(i, &text[i]);
	}
	tmp_release(&tmp);
}

static void texts_release(struct str *text, int ranks)
{
	for (int i = 0; i < ranks; i++)
		str_release(&text[i]);
}

/* The merged trace has them, and the files of the ranks are gone. */
static void merged_check(const struct str *text, int ranks)
{
	struct str merged;

	str_init(&merged);
	for (int i = 0; i < ranks; i++) {
		merged_lines(i, &merged);
		assert_string_equal(merged.s, text[i].s);
		assert_false(is_left(i));
	}
	str_release(&merged);
}

/* Of what the ranks left, 'orrery trace' makes the same lines; that of the rank where something
 * failed may end before its last one. */
static void left_check(const struct str *text, int ranks, int failed)
{
	struct str found;
	struct err err;

	str_init(&found);
	for (int i = 0; i < ranks; i++)
		assert_true(is_left(i));
	assert_ok(trace_folder_restore(tmp.dir, &err), err);
	for (int i = 0; i < ranks; i++) {
		text_lines(i, &found);
		if (i != failed)
			assert_string_equal(found.s, text[i].s);
		else
			assert_memory_equal(found.s, text[i].s, found.n);
	}
	str_release(&found);
}

static void merge_and_compare(int ranks, int tree, uint64_t seed)
{
	struct str text[RANKS_MOST];

	texts_make(text, ranks, seed);
	folder_begin();
	environment("compressed", tree);
	run(ranks, seed, &(struct failing){.rank = -1});
	assert_true(is_merged());
	merged_check(text, ranks);
	tmp_release(&tmp);
	texts_release(text, ranks);
}

static void test_trees_of_all_widths(void **state)
{
	struct prop_run cases = prop_begin(9);

	(void)state;
	for (uint64_t i = 0; i < cases.cases; i++)
		merge_and_compare(1 + (int)(i % RANKS_MOST), 2 + (int)(i % 4), cases.seed + i);
}

/* How many faults there were to be met. */
static int fail_one(int ranks, int rank, enum fault_kind kind, long step)
{
	struct str text[RANKS_MOST];
	int reached = 1, met = 0;

	texts_make(text, ranks, 3);
	for (long n = 1; reached; n += step) {
		folder_begin();
		environment("compressed", 2);
		reached = run(ranks, 3, &(struct failing){rank, kind, n});
		met += reached;
		if (is_merged())
			merged_check(text, ranks);
		else
			left_check(text, ranks, rank);
		tmp_release(&tmp);
	}
	texts_release(text, ranks);
	return met;
}

static void test_chapters(void **state)
{
	(void)state;
	irregular = 1500;
	merge_and_compare(3, 2, 5);
	irregular = 0;
}

static void test_memory_runs_out(void **state)
{
	(void)state;
	assert_true(fail_one(5, 0, FAULT_ALLOC, 17) > 1);
	assert_true(fail_one(4, 2, FAULT_ALLOC, 17) > 1);
	assert_true(fail_one(4, 1, FAULT_ALLOC, 17) > 0);
}

static void test_the_disk_is_full(void **state)
{
	(void)state;
	assert_true(fail_one(4, 0, FAULT_WRITE, 1) > 0);
	fail_one(4, 2, FAULT_WRITE, 1);
	assert_true(fail_one(4, 0, FAULT_OPEN, 1) > 0);
}

/* Chapters that were put away are read again. */
static void test_reads_fail(void **state)
{
	(void)state;
	irregular = 1500;
	assert_true(fail_one(3, 2, FAULT_READ, 150) > 0);
	irregular = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_trees_of_all_widths), cmocka_unit_test(test_chapters),
	    cmocka_unit_test(test_memory_runs_out),     cmocka_unit_test(test_the_disk_is_full),
	    cmocka_unit_test(test_reads_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
