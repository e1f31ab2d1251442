/* prop_mutated.c: nothing that a rank tells the simulator can make the simulator read or write
 * where it must not, or stop it (src/live/README.md): a program in which ranks use most of MPI is
 * run again and again, and each time one operation of one of them is changed before the simulator
 * sees it. It may say what is wrong, or go on; it may not be killed, find a bug in itself or go
 * round for ever. What becomes of the rank is the rank's affair: each run is a process of its own.
 */
#include "../../unit/ranks/ranks.h"

#include "base/rng.h"

#include <signal.h>
#include <sys/wait.h>

enum { RANKS = 3, CASES = 150 };
enum verdict { FINE, SIMULATOR_DIES, RANK_DIES, SIMULATOR_HANGS };

/* --- the program: what a call returns is nobody's business here --- */

static void messages(int rank, int n)
{
	int x[400] = {rank}, y[400], flag, index;
	MPI_Request q[4];
	MPI_Status s[4];

	orr_Irecv(y, 400, MPI_INT, (rank + 1) % n, 1, MPI_COMM_WORLD, &q[0]);
	orr_Isend(x, 400, MPI_INT, (rank + n - 1) % n, 1, MPI_COMM_WORLD, &q[1]);
	orr_Waitall(2, q, s);
	orr_Sendrecv(x, 3, MPI_INT, (rank + 1) % n, 2, y, 3, MPI_INT, (rank + n - 1) % n, 2,
	             MPI_COMM_WORLD, s);
	orr_Recv_init(y, 3, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &q[0]);
	orr_Send_init(x, 3, MPI_INT, (rank + 1) % n, 3, MPI_COMM_WORLD, &q[1]);
	orr_Startall(2, q);
	orr_Testany(2, q, &index, &flag, s);
	orr_Waitall(2, q, s);
	orr_Request_free(&q[0]);
	orr_Request_free(&q[1]);
	orr_Isend(x, 1, MPI_INT, rank, 4, MPI_COMM_WORLD, &q[0]);
	orr_Probe(rank, 4, MPI_COMM_WORLD, s);
	orr_Recv(y, 1, MPI_INT, rank, 4, MPI_COMM_WORLD, s);
	orr_Wait(&q[0], s);
	orr_Irecv(y, 1, MPI_INT, rank, 5, MPI_COMM_WORLD, &q[0]);
	orr_Cancel(&q[0]);
	orr_Wait(&q[0], s);
}

static void parts(int rank, int n)
{
	MPI_Request q[2];
	double x[8] = {0}, y[8];

	orr_Psend_init(x, 4, 2, MPI_DOUBLE, (rank + 1) % n, 6, MPI_COMM_WORLD, MPI_INFO_NULL,
	               &q[0]);
	orr_Precv_init(y, 4, 2, MPI_DOUBLE, (rank + n - 1) % n, 6, MPI_COMM_WORLD, MPI_INFO_NULL,
	               &q[1]);
	orr_Startall(2, q);
	orr_Pready_range(0, 3, q[0]);
	orr_Waitall(2, q, MPI_STATUSES_IGNORE);
	orr_Request_free(&q[0]);
	orr_Request_free(&q[1]);
}

static void collectives(int rank, int n)
{
	int x[64] = {rank}, y[192];
	MPI_Count counts[RANKS], mine[RANKS];
	MPI_Aint displs[RANKS];
	MPI_Request q;

	for (int i = 0; i < n; i++)
		counts[i] = i + 1, mine[i] = rank + 1, displs[i] = 8 * i;
	orr_Barrier(MPI_COMM_WORLD);
	orr_Bcast(x, 64, MPI_INT, 1, MPI_COMM_WORLD);
	orr_Allreduce(x, y, 64, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	orr_Reduce(x, y, 4, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	orr_Scan(x, y, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	orr_Gatherv(x, rank + 1, MPI_INT, y, counts, displs, MPI_INT, 2, MPI_COMM_WORLD);
	orr_Allgather(x, 64, MPI_INT, y, 64, MPI_INT, MPI_COMM_WORLD);
	orr_Alltoallv(x, counts, displs, MPI_INT, y, mine, displs, MPI_INT, MPI_COMM_WORLD);
	orr_Ireduce_scatter(x, y, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &q);
	orr_Wait(&q, MPI_STATUS_IGNORE);
}

static void communicators(int rank, int n)
{
	const int dims[] = {RANKS}, periods[] = {1};
	MPI_Comm c, grid;
	int x = rank, y[2];

	(void)n;
	orr_Comm_split(MPI_COMM_WORLD, rank & 1, 0, &c);
	orr_Allreduce(&x, y, 1, MPI_INT, MPI_SUM, c);
	orr_Comm_free(&c);
	orr_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &grid);
	orr_Neighbor_allgather(&x, 1, MPI_INT, y, 1, MPI_INT, grid);
	orr_Comm_free(&grid);
}

static void windows(int rank, int n)
{
	int x = rank, y, *base;
	MPI_Group g;
	MPI_Win w;

	orr_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &w);
	orr_Win_fence(0, w);
	orr_Put(&x, 1, MPI_INT, (rank + 1) % n, 0, 1, MPI_INT, w);
	orr_Win_fence(MPI_MODE_NOSUCCEED, w);
	orr_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w);
	orr_Fetch_and_op(&x, &y, MPI_INT, 0, 1, MPI_SUM, w);
	orr_Win_unlock(0, w);
	orr_Win_get_group(w, &g);
	orr_Win_post(g, 0, w);
	orr_Win_start(g, 0, w);
	orr_Win_complete(w);
	orr_Win_wait(w);
	orr_Group_free(&g);
	orr_Win_free(&w);
}

static void files(int rank, const char *path)
{
	MPI_File f;
	int x = rank;

	orr_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &f);
	if (f == MPI_FILE_NULL)
		return;
	orr_File_write_at_all(f, 4 * rank, &x, 1, MPI_INT, MPI_STATUS_IGNORE);
	orr_File_read_shared(f, &x, 1, MPI_INT, MPI_STATUS_IGNORE);
	orr_File_close(&f);
}

static void body(int rank, void *arg)
{
	if (orr_Init(NULL, NULL) != MPI_SUCCESS)
		return;
	messages(rank, RANKS);
	parts(rank, RANKS);
	collectives(rank, RANKS);
	communicators(rank, RANKS);
	windows(rank, RANKS);
	files(rank, arg);
	orr_Wtime();
	orr_Finalize();
}

/* --- one operation is changed --- */

struct change {
	uint64_t seed;
	int at, seen; /* which operation, of those of all ranks; how many so far */
};

static uint64_t odd_number(struct rng *r)
{
	static const uint64_t odd[] = {0,          1,          2,          3,
	                               7,          63,         255,        65536,
	                               INT32_MAX,  UINT32_MAX, 0x80000000, (uint64_t)INT64_MAX,
	                               UINT64_MAX, 1ull << 63, 1ull << 40, 4096};

	return rng_below(r, 4) ? odd[rng_below(r, sizeof odd / sizeof *odd)] : rng_u64(r);
}

/* Its size is the channel's (an operation is made of so many bytes); all else is the rank's word.
 */
static void op_change(void *self, uint32_t rank, struct wire_op *op)
{
	struct change *c = self;
	unsigned char *p = (unsigned char *)op;
	struct rng r;

	(void)rank;
	if (c->seen++ != c->at)
		return;
	rng_init(&r, c->seed, "change", 0);
	for (uint64_t n = 1 + rng_below(&r, 2); n > 0; n--) {
		uint64_t x = odd_number(&r), width = (uint64_t)1 << rng_below(&r, 4);
		uint64_t place = 4 + rng_below(&r, (op->size - 4 - width) / width + 1) * width;

		if (rng_below(&r, 8) == 0) {
			op->kind = (uint8_t)rng_below(&r, WIRE_KINDS + 2);
			continue;
		}
		if (place + width <= op->size)
			memcpy(p + place, &x, width);
	}
}

/* --- one run --- */

static void dies(int number)
{
	_exit(ranks_now.in_rank ? RANK_DIES : number == SIGALRM ? SIMULATOR_HANGS : SIMULATOR_DIES);
}

static void sanitizer_dies(void)
{
	dies(0);
}

/* Of the address sanitizer's, where the test was built with it. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static enum verdict child_run(const struct change *change, const char *path)
{
	static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL, SIGALRM};
	static char stack[1 << 16];
	const stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
	struct change c = *change;
	struct ranks run = {
	    .n = RANKS, .body = body, .bare = 1, .op = op_change, .self = &c, .arg = NULL};
	struct sigaction act = {.sa_handler = dies, .sa_flags = SA_ONSTACK | SA_NODEFER};
	char own[160];

	snprintf(own, sizeof own, "%s", path);
	run.arg = own;
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(sanitizer_dies);
	sigaltstack(&alternative, NULL);
	for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
		sigaction(fatal[i], &act, NULL);
	alarm(10);
	ranks_run(&run);
	return FINE;
}

/* What a run prints when it goes wrong is not what is looked at. */
static enum verdict one_run(const struct change *c, const char *path)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0) {
		if (!getenv("PROP_SEED"))
			assert_non_null(freopen("/dev/null", "w", stderr));
		_exit(child_run(c, path));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? (enum verdict)WEXITSTATUS(status) : RANK_DIES;
}

/* How many operations the program has. */
static int operations(const char *path)
{
	struct change none = {.at = -1};
	struct ranks run = {.n = RANKS,
	                    .body = body,
	                    .bare = 1,
	                    .op = op_change,
	                    .self = &none,
	                    .arg = (void *)(uintptr_t)path};

	if (ranks_run(&run) < 0)
		fail_msg("unchanged: %s", run.err.text);
	assert_true(none.seen > 3 * 60);
	return none.seen;
}

static void changed(void **state)
{
	static const char *const what[] = {"", "was killed", "", "went round for ever"};
	const char *one = getenv("PROP_SEED"), *cases = getenv("PROP_CASES");
	uint64_t from = one ? strtoull(one, NULL, 10) : 1, to = one     ? from
	                                                        : cases ? strtoull(cases, NULL, 10)
	                                                                : CASES;
	int n, wrong = 0;
	struct tmp t;

	(void)state;
	tmp_init(&t);
	tmp_path(&t, "file");
	n = operations(t.path);
	for (uint64_t seed = from; seed <= to; seed++) {
		struct rng r;
		struct change c = {.seed = seed};
		enum verdict v;

		rng_init(&r, seed, "operation", 0);
		c.at = (int)rng_below(&r, (uint64_t)n);
		v = one_run(&c, t.path);
		if (*what[v])
			print_error("seed %llu: the simulator %s\n", (unsigned long long)seed,
			            what[v]);
		wrong += *what[v] != '\0';
	}
	tmp_release(&t);
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(changed)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
