/* test_own_process.c: what a program finds of its process that is its own though ranks share one
 * (own*.c): numbers that look random, tokens, options, keys, working directory, rights of new
 * files, handlers at exit; and what ends it. Expected values are the C library's where that is told
 * whose state it works on (random_r and its like), the C standard's and POSIX's. */
#include "own.h"

#include <stdlib.h>

#include "tmp.h"

#include <fcntl.h>
#include <getopt.h>
#include <string.h>
#include <sys/stat.h>

static int begin(void **state)
{
	(void)state;
	ranks_begin();
	runs(0);
	return 0;
}

static int end(void **state)
{
	(void)state;
	ranks_end();
	return 0;
}

/* --- numbers --- */

static long (*rank_random)(void);
static int (*rank_rand)(void);
static void (*rank_srandom)(unsigned seed);

/* As each would draw alone, whoever draws in between: random's first seed is 1. */
static void randoms(void **state)
{
	static const unsigned seed[RANKS] = {1, 42, 7};
	struct random_data plain[RANKS];
	char states[RANKS][128];

	(void)state;
	rank_random = own_named("random");
	rank_rand = own_named("rand");
	rank_srandom = own_named("srand");
	memset(plain, 0, sizeof plain);
	for (uint32_t i = 0; i < RANKS; i++) {
		initstate_r(seed[i], states[i], sizeof states[i], &plain[i]);
		runs(i);
		if (i)
			rank_srandom(seed[i]);
	}
	for (int k = 0; k < 300; k++) {
		uint32_t i = (uint32_t)(k * 7 + k / 5) % RANKS;
		int32_t want;

		runs(i);
		random_r(&plain[i], &want);
		assert_int_equal(k % 2 ? rank_random() : rank_rand(), want);
	}
	runs(0);
	rank_srandom(1); /* from the beginning */
	initstate_r(1, states[0], sizeof states[0], &plain[0]);
	for (int k = 0; k < 10; k++) {
		int32_t want;

		random_r(&plain[0], &want);
		assert_int_equal(rank_random(), want);
	}
}

/* A state that is left is gone on with when it is set again. */
static void states_of_random(void **state)
{
	char *(*init)(unsigned, char *, size_t) = own_named("initstate");
	char *(*set)(char *) = own_named("setstate");
	char mine[64], *first;
	long a, b, c;

	(void)state;
	rank_random = own_named("random");
	first = init(5, mine, sizeof mine);
	assert_non_null(first);
	a = rank_random();
	b = rank_random();
	assert_ptr_equal(set(first), mine);
	c = rank_random();
	assert_int_equal(c, 1804289383); /* glibc's first of seed 1 */
	assert_ptr_equal(set(mine), first);
	init(5, mine, sizeof mine);
	assert_int_equal(rank_random(), a);
	assert_int_equal(rank_random(), b);
	errno = 0;
	assert_null(init(5, mine, 4)); /* less than 8 bytes */
	assert_int_equal(errno, EINVAL);
}

/* X(n+1) = (a X(n) + c) mod 2^48, a = 0x5deece66d, c = 0xb: POSIX's page of drand48. */
static uint64_t step(uint64_t x)
{
	return (0x5deece66dull * x + 0xb) & ((1ull << 48) - 1);
}

static void forty_eight(void **state)
{
	double (*rank_drand48)(void) = own_named("drand48");
	long (*rank_lrand48)(void) = own_named("lrand48"),
	     (*rank_mrand48)(void) = own_named("mrand48");
	void (*rank_srand48)(long) = own_named("srand48");
	unsigned short *(*rank_seed48)(unsigned short *) = own_named("seed48");
	void (*rank_lcong48)(unsigned short *) = own_named("lcong48");
	uint64_t x[RANKS];
	unsigned short given[3] = {1, 2, 3}, other[7] = {4, 5, 6, 0xe66d, 0xdeec, 5, 0xb}, *old;

	(void)state;
	for (uint32_t i = 0; i < RANKS; i++) {
		runs(i);
		rank_srand48(1000 + (long)i);
		x[i] = (uint64_t)(1000 + i) << 16 | 0x330e;
	}
	for (int k = 0; k < 90; k++) {
		uint32_t i = (uint32_t)(k + k / 4) % RANKS;

		runs(i);
		x[i] = step(x[i]);
		if (k % 3 == 0)
			assert_true(rank_drand48() == (double)x[i] / (double)(1ull << 48));
		else if (k % 3 == 1)
			assert_int_equal(rank_lrand48(), (long)(x[i] >> 17));
		else
			assert_int_equal(rank_mrand48(), (long)(int32_t)(x[i] >> 16));
	}
	runs(1);
	old = rank_seed48(given); /* the state that is left */
	for (int i = 0; i < 3; i++)
		assert_int_equal(old[i], (unsigned short)(x[1] >> 16 * i));
	x[1] = step(3ull << 32 | 2ull << 16 | 1);
	assert_int_equal(rank_lrand48(), (long)(x[1] >> 17));
	rank_lcong48(other);
	x[1] = step(6ull << 32 | 5ull << 16 | 4);
	assert_int_equal(rank_lrand48(), (long)(x[1] >> 17));
	runs(2);
	x[2] = step(x[2]);
	assert_int_equal(rank_lrand48(), (long)(x[2] >> 17));
}

/* --- tokens and options --- */

static void tokens(void **state)
{
	char *(*rank_strtok)(char *, const char *) = own_named("strtok");
	char a[] = "one two  three", b[] = ";x;;y;z";

	(void)state;
	assert_string_equal(rank_strtok(a, " "), "one");
	runs(1);
	assert_string_equal(rank_strtok(b, ";"), "x");
	assert_string_equal(rank_strtok(NULL, ";"), "y");
	runs(0);
	assert_string_equal(rank_strtok(NULL, " "), "two");
	assert_string_equal(rank_strtok(NULL, "e"), " thr"); /* others may be between */
	runs(1);
	assert_string_equal(rank_strtok(NULL, ";"), "z");
	assert_null(rank_strtok(NULL, ";"));
	runs(0);
	assert_null(rank_strtok(NULL, "e"));
}

/* Each rank reads its options from the beginning, whoever read some in between. */
static void options(void **state)
{
	int (*rank_getopt)(int, char *const *, const char *) = own_named("getopt");
	int (*rank_long)(int, char *const *, const char *, const struct option *,
	                 int *) = own_named("getopt_long");
	static const struct option names[] = {
	    {"size", required_argument, NULL, 's'}, {"fast", no_argument, NULL, 'f'}, {0}};
	char *word[RANKS][6] = {
	    {(char *)(uintptr_t) "p", (char *)(uintptr_t) "-a", (char *)(uintptr_t) "-b",
	     (char *)(uintptr_t) "7", (char *)(uintptr_t) "rest", NULL},
	    {(char *)(uintptr_t) "p", (char *)(uintptr_t) "-b", (char *)(uintptr_t) "9",
	     (char *)(uintptr_t) "-a", NULL, NULL},
	    {(char *)(uintptr_t) "p", (char *)(uintptr_t) "--size=12", (char *)(uintptr_t) "--fast",
	     (char *)(uintptr_t) "x", NULL, NULL}};
	int index = -1;

	(void)state;
	assert_int_equal(rank_getopt(5, word[0], "ab:"), 'a');
	runs(1);
	assert_int_equal(rank_getopt(4, word[1], "ab:"), 'b');
	assert_string_equal(optarg, "9");
	runs(2);
	assert_int_equal(rank_long(4, word[2], "", names, &index), 's');
	assert_string_equal(optarg, "12");
	assert_int_equal(index, 0);
	runs(0);
	assert_int_equal(rank_getopt(5, word[0], "ab:"), 'b');
	assert_string_equal(optarg, "7");
	runs(1);
	assert_int_equal(rank_getopt(4, word[1], "ab:"), 'a');
	assert_int_equal(rank_getopt(4, word[1], "ab:"), -1);
	assert_int_equal(optind, 4);
	runs(0);
	assert_int_equal(rank_getopt(5, word[0], "ab:"), -1);
	assert_int_equal(optind, 4);
	assert_string_equal(word[0][optind], "rest");
	runs(2);
	assert_int_equal(rank_long(4, word[2], "", names, &index), 'f');
	assert_int_equal(rank_long(4, word[2], "", names, &index), -1);
}

/* --- keys of threads --- */

static void keys(void **state)
{
	void *(*get)(pthread_key_t) = own_named("pthread_getspecific");
	int (*set)(pthread_key_t, const void *) = own_named("pthread_setspecific");
	pthread_key_t key, many[CORO_KEYS + 4];
	int a, b, n = 0;

	(void)state;
	assert_int_equal(pthread_key_create(&key, NULL), 0);
	assert_null(get(key));
	assert_int_equal(set(key, &a), 0);
	runs(1);
	assert_null(get(key));
	assert_int_equal(set(key, &b), 0);
	runs(0);
	assert_ptr_equal(get(key), &a);
	assert_null(pthread_getspecific(key)); /* the simulator's thread has nothing of it */
	runs(1);
	assert_ptr_equal(get(key), &b);
	while (n < CORO_KEYS + 4 && pthread_key_create(&many[n], NULL) == 0)
		n++;
	assert_int_equal(set(many[n - 1], &a), 0); /* more than a rank has places for */
	assert_ptr_equal(get(many[n - 1]), &a);
	pthread_setspecific(many[n - 1], NULL);
	for (int i = 0; i < n; i++)
		pthread_key_delete(many[i]);
	pthread_key_delete(key);
}

/* --- what the kernel keeps --- */

static void is_in(const char *folder)
{
	char here[4096];
	struct stat a, b;

	assert_non_null(getcwd(here, sizeof here));
	assert_int_equal(stat(here, &a), 0);
	assert_int_equal(stat(folder, &b), 0);
	assert_true(a.st_ino == b.st_ino && a.st_dev == b.st_dev);
}

static void folders(void **state)
{
	int (*rank_chdir)(const char *) = own_named("chdir"),
	                             (*rank_fchdir)(int) = own_named("fchdir");
	char home[4096], sub[160];
	struct tmp t;
	FILE *dir;

	(void)state;
	tmp_init(&t);
	assert_non_null(getcwd(home, sizeof home));
	snprintf(sub, sizeof sub, "%s/sub", t.dir);
	assert_int_equal(mkdir(sub, 0700), 0);
	errno = 0;
	assert_int_equal(rank_chdir("/nowhere/at/all"), -1);
	assert_int_equal(errno, ENOENT);
	is_in(home);
	assert_int_equal(rank_chdir(t.dir), 0);
	is_in(t.dir);
	runs(1);
	is_in(home);
	assert_int_equal(rank_chdir(sub), 0);
	runs(0);
	is_in(t.dir);
	assert_int_equal(rank_chdir("sub"), 0); /* from where it is */
	is_in(sub);
	runs(2);
	is_in(home);
	dir = fopen(t.dir, "r");
	assert_non_null(dir);
	assert_int_equal(rank_fchdir(fileno(dir)), 0);
	fclose(dir);
	is_in(t.dir);
	assert_int_equal(rank_fchdir(-1), -1);
	nobody_runs();
	is_in(home); /* the simulator has not moved */
	runs(1);
	is_in(sub);
	runs(0);
	is_in(sub);
	nobody_runs();
	rmdir(sub);
	tmp_release(&t);
}

static void masks(void **state)
{
	mode_t (*rank_umask)(mode_t) = own_named("umask");
	mode_t of_all = umask(022);

	(void)state;
	umask(of_all);
	assert_int_equal(rank_umask(077), of_all);
	assert_int_equal(rank_umask(027), 077);
	runs(1);
	assert_int_equal(rank_umask(0), of_all);
	runs(0);
	assert_int_equal(rank_umask(027), 027);
	runs(2);
	assert_int_equal(rank_umask(of_all), of_all);
	nobody_runs();
	assert_int_equal(umask(of_all), of_all);
}

/* --- the end --- */

static char said[64];

static void say(const char *what)
{
	size_t n = strlen(said);

	snprintf(said + n, sizeof said - n, "%s", what);
}

static void first(void *unused, int code)
{
	(void)unused;
	(void)code;
	say("first ");
}

static void second(void *unused, int code)
{
	(void)unused;
	(void)code;
	say("second ");
}

static void with_code(int code, void *argument)
{
	char text[32];

	snprintf(text, sizeof text, "%d:%s ", code, (const char *)argument);
	say(text);
}

static int (*rank_atexit)(void (*)(void *, int));

/* A handler may add another one, which is then the next: C17, 7.22.4.2. */
static void adds(void *unused, int code)
{
	(void)unused;
	(void)code;
	say("adds ");
	rank_atexit(second);
}

static int exits;

static void library_exits(void)
{
	exits++;
}

static void leaves(void *code)
{
	void (*rank_exit)(int) = own_named("exit");

	rank_exit((int)(intptr_t)code);
}

static void leaves_now(void *code)
{
	void (*rank_exit_now)(int) = own_named("_exit");

	rank_exit_now((int)(intptr_t)code);
}

static void leaves_quickly(void *code)
{
	void (*rank_quick)(int) = own_named("quick_exit");

	rank_quick((int)(intptr_t)code);
}

static void exits_with(void (*f)(void *), int code, int want, const char *calls)
{
	said[0] = '\0';
	assert_int_equal(ends(f, (void *)(intptr_t)code), CORO_EXITED);
	assert_false(ending.returned);
	assert_int_equal(coro[all.rank].code, want);
	assert_string_equal(said, calls);
	coro[all.rank].phase = CORO_LIVES;
}

/* In the reverse order of their registration, once; only exit calls them. */
static void handlers(void **state)
{
	int (*rank_on_exit)(void (*)(int, void *), void *) = own_named("on_exit");
	int (*rank_at_quick)(void (*)(void *, int), void *) = own_named("__cxa_at_quick_exit");
	char text[] = "x";

	(void)state;
	rank_atexit = own_named("atexit");
	all.library.exits = library_exits;
	exits = 0;
	rank_atexit(first);
	rank_on_exit(with_code, text);
	rank_atexit(adds);
	runs(1);
	rank_atexit(second);
	runs(0);
	exits_with(leaves, 3, 3, "adds second 3:x first ");
	assert_int_equal(exits, 1);          /* MPI's end comes after them */
	exits_with(leaves, 0x1ff, 0xff, ""); /* as much of it as a parent gets */
	runs(1);
	rank_at_quick(first, NULL);
	rank_at_quick(second, NULL);
	exits_with(leaves_quickly, 4, 4, "second first ");
	exits_with(leaves_now, 5, 5, "");
	exits_with(leaves, 6, 6, "second ");
}

/* What a library has registered goes when the library goes (Itanium C++ ABI, 3.3.6). */
static void of_a_library(void **state)
{
	int (*add)(void (*)(void *, int), void *, void *) = own_named("__cxa_atexit");
	void (*finalize)(void *) = own_named("__cxa_finalize");
	int a, b;

	(void)state;
	all.library.exits = library_exits;
	add(first, NULL, &a);
	add(second, NULL, &b);
	add(first, NULL, &a);
	said[0] = '\0';
	finalize(&a);
	assert_string_equal(said, "first first ");
	finalize(&a);
	finalize(NULL); /* of all: at exit */
	assert_string_equal(said, "first first ");
	exits_with(leaves, 0, 0, "second ");
}

/* --- what ranks that share a process cannot do: the run ends and says which and what can --- */

static void calls(void *f)
{
	((int (*)(void))f)();
}

static void refused(void **state)
{
	static const char *const names[] = {
	    "fork",   "vfork",   "clone", "execve", "execv",   "execvp",       "execl",  "execlp",
	    "execle", "execvpe", "_Fork", "daemon", "dlmopen", "timer_create", "fexecve"};
	char why[64];

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(why, sizeof why, "calls %s,", names[i]);
		is_killed(calls, own_named(names[i]), SIGSYS, why);
		assert_non_null(strstr(all.reason, "--hold processes"));
	}
}

static void ends_its_thread(void *unused)
{
	void (*rank_pthread_exit)(void *) = own_named("pthread_exit");

	(void)unused;
	rank_pthread_exit(NULL);
}

static void makes_a_thread(void *unused)
{
	int (*make)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
	            void *) = own_named("pthread_create");
	pthread_t t;

	(void)unused;
	make(&t, NULL, NULL, NULL);
}

static void threads_refused(void **state)
{
	(void)state;
	is_killed(ends_its_thread, NULL, SIGSYS, "pthread_exit");
	all.n_slots = 1; /* ranks take turns in it */
	is_killed(makes_a_thread, NULL, SIGSYS, "--slots");
	all.image.module[0].is_fixed = 1;
	is_killed(makes_a_thread, NULL, SIGSYS, "-pie");
	all.image.module[0].is_fixed = 0;
	all.n_slots = RANKS;
}

/* --- what a program is begun with: the stack as the System V ABI (x86-64, 3.4.1) has it --- */

static void arguments(void **state)
{
	static unsigned char stack[512] __attribute__((aligned(16)));
	char *words[] = {(char *)(uintptr_t) "prog", (char *)(uintptr_t) "",
	                 (char *)(uintptr_t) "a b", NULL};
	uint64_t *p;

	(void)state;
	coro[0].words = words;
	memset(stack, 0xaa, sizeof stack);
	p = own_arguments(&all, 0, stack + sizeof stack - 3);
	assert_int_equal((uintptr_t)p % 16, 0);
	assert_int_equal(p[0], 3);
	for (int i = 0; i < 3; i++) {
		const char *text = (const char *)(uintptr_t)p[1 + i];

		assert_true((const unsigned char *)text >= (unsigned char *)(p + 7));
		assert_true((const unsigned char *)text < stack + sizeof stack - 3);
		assert_string_equal(text, words[i]);
	}
	assert_int_equal(p[4], 0); /* end of the words, of the environment, of the table */
	assert_int_equal(p[5], 0);
	assert_int_equal(p[6], 0);
	assert_int_equal(stack[sizeof stack - 3], 0xaa);
	coro[0].words = NULL;
}

/* --- the number of a process --- */

static void to_another(void *unused)
{
	(void)unused;
	own_kill((1 << 22) + 2, SIGTERM);
}

/* No two ranks have the same, nor one that Linux may give (PID_MAX_LIMIT is 2^22); to the kernel
 * they are the process that they share. */
static void numbers(void **state)
{
	pid_t (*own_pid)(void) = own_named("getpid");
	cpu_set_t set, want;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof want, &want), 0);
	for (uint32_t i = 0; i < RANKS; i++) {
		runs(i);
		assert_int_equal(own_pid(), (1 << 22) + 1 + (int)i);
		assert_int_equal(own_gettid(), own_pid());
		assert_int_equal(own_kill(own_pid(), 0), 0);
		assert_int_equal(own_kill((1 << 22) + 1, 0), 0);
		assert_int_equal(own_kill((1 << 22) + 1 + RANKS, 0), -1);
		assert_int_equal(errno, ESRCH);
		assert_int_equal(own_sched_getaffinity(own_pid(), sizeof set, &set), 0);
		assert_true(CPU_EQUAL(&set, &want));
		assert_int_equal(own_sched_setaffinity(own_pid(), sizeof set, &set), 0);
	}
	runs(0);
	is_killed(to_another, NULL, SIGSYS, "another rank");
	nobody_runs();
	assert_int_equal(own_pid(), getpid());
	runs(0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(randoms),         TEST(states_of_random),
	    TEST(forty_eight),     TEST(tokens),
	    TEST(options),         TEST(keys),
	    TEST(folders),         TEST(masks),
	    TEST(refused),         TEST(handlers),
	    TEST(arguments),       TEST(of_a_library),
	    TEST(threads_refused), TEST(numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
