/* prop_mutated.c: nothing that a rank tells the simulator can make the simulator read or write
 * where it must not, or stop it (src/live/README.md): a program in which ranks use most of MPI is
 * run again and again, and each time one operation of one of them is changed before the simulator
 * sees it. It may say what is wrong, or go on; it may not be killed, find a bug in itself or go
 * round for ever. What becomes of the rank is the rank's affair: each run is a process of its own.
 */
#include "../../unit/ranks/ranks.h"

#include "../../unit/ranks/program.h"

#include "base/rng.h"

#include <signal.h>
#include <sys/wait.h>

enum { CASES = 150 };
enum verdict { FINE, SIMULATOR_DIES, RANK_DIES, SIMULATOR_HANGS };

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
 * But for a list that is lent: that is an address in the simulator's own memory, which a coroutine
 * may write to as it likes. */
static void op_change(void *self, uint32_t rank, struct wire_op *op)
{
	struct change *c = self;
	unsigned char *p = (unsigned char *)op;
	struct rng r;

	(void)rank;
	if (c->seen++ != c->at || op->flags & WIRE_LENT)
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
	op->flags &= (uint8_t)~WIRE_LENT;
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
	struct ranks run = {.n = PROGRAM_RANKS,
	                    .body = program,
	                    .bare = 1,
	                    .op = op_change,
	                    .self = &c,
	                    .checks = (int)(c.seed & 1),
	                    .arg = NULL};
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
	struct ranks run = {.n = PROGRAM_RANKS,
	                    .body = program,
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
