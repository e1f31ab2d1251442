/* test_own_locale.c: the language of ranks that share a process (own_locale.c), beside the C
 * library in the same process before and after: what one rank sets another does not see, what the C
 * library tells of it (setlocale, uselocale) is told. And threads of a rank (own_thread.c): they
 * compute in its memory, and are stopped when it ends. */
#include "own.h"

#include <langinfo.h>
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const char *utf8; /* a locale that the computer has beside "C" */

static int begin(void **state)
{
	(void)state;
	ranks_begin();
	pthread_mutex_init(&all.threads, NULL);
	runs(0);
	return 0;
}

static int end(void **state)
{
	(void)state;
	ranks_end();
	return 0;
}

static const char *codes(void)
{
	return nl_langinfo(CODESET);
}

static void each_its_own(void **state)
{
	char kept[64];

	(void)state;
	snprintf(kept, sizeof kept, "%s", codes());
	assert_string_equal(own_setlocale(LC_ALL, NULL), "C"); /* C17, 7.11.1.1: at the beginning */
	assert_string_equal(own_setlocale(LC_NUMERIC, NULL), "C");
	assert_string_equal(own_setlocale(LC_ALL, utf8), utf8);
	assert_string_equal(codes(), "UTF-8");
	runs(1);
	assert_string_equal(codes(), kept);
	assert_string_equal(own_setlocale(LC_ALL, NULL), "C");
	assert_string_equal(own_setlocale(LC_CTYPE, utf8), utf8);
	assert_string_equal(codes(), "UTF-8");
	assert_string_equal(own_setlocale(LC_TIME, NULL), "C");
	runs(0);
	assert_string_equal(codes(), "UTF-8");
	assert_string_equal(own_setlocale(LC_ALL, "C"), "C");
	runs(1);
	assert_string_equal(codes(), "UTF-8");
	nobody_runs();
	assert_string_equal(codes(), kept); /* the simulator's is as it was */
}

/* One name if all categories have it, else one for each, which setlocale takes again. */
static void mixed(void **state)
{
	char name[512], *told;

	(void)state;
	assert_string_equal(own_setlocale(LC_CTYPE, utf8), utf8);
	told = own_setlocale(LC_ALL, NULL);
	assert_non_null(strstr(told, "LC_NUMERIC=C"));
	assert_non_null(strstr(told, utf8));
	assert_true(strncmp(told, "LC_CTYPE=", 9) == 0);
	assert_true(strlen(told) < sizeof name);
	snprintf(name, sizeof name, "%s", told);
	runs(2);
	assert_non_null(own_setlocale(LC_ALL, name));
	assert_string_equal(own_setlocale(LC_CTYPE, NULL), utf8);
	assert_string_equal(own_setlocale(LC_MONETARY, NULL), "C");
	assert_string_equal(own_setlocale(LC_ALL, NULL), name);
}

/* No such language, no such category: nothing changes. */
static void none(void **state)
{
	(void)state;
	own_setlocale(LC_ALL, utf8);
	assert_null(own_setlocale(LC_ALL, "of nowhere"));
	assert_null(own_setlocale(LC_CTYPE, "of nowhere"));
	assert_string_equal(own_setlocale(LC_ALL, NULL), utf8);
	errno = 0;
	assert_null(own_setlocale(-1, "C"));
	assert_null(own_setlocale(1000, "C"));
	assert_int_equal(errno, EINVAL);
}

/* POSIX: the locale of the first thread goes before that of the process, until it is left. */
static void of_the_thread(void **state)
{
	locale_t mine = newlocale(LC_ALL_MASK, utf8, NULL), copy, was;

	(void)state;
	assert_true(mine != NULL);
	assert_true(own_uselocale(NULL) == LC_GLOBAL_LOCALE);
	was = own_uselocale(mine);
	assert_true(was == LC_GLOBAL_LOCALE);
	assert_string_equal(codes(), "UTF-8");
	assert_true(own_uselocale(NULL) == mine);
	runs(1);
	assert_true(own_uselocale(NULL) == LC_GLOBAL_LOCALE);
	assert_string_not_equal(codes(), "UTF-8");
	runs(0);
	assert_string_equal(codes(), "UTF-8");
	assert_string_equal(own_setlocale(LC_ALL, NULL), "C"); /* which is the process's */
	assert_true(own_uselocale(LC_GLOBAL_LOCALE) == mine);
	assert_string_not_equal(codes(), "UTF-8");
	/* a copy of the process's is of the rank's */
	own_setlocale(LC_ALL, utf8);
	copy = own_duplocale(LC_GLOBAL_LOCALE);
	assert_true(copy != NULL);
	assert_string_equal(nl_langinfo_l(CODESET, copy), "UTF-8");
	freelocale(copy);
	freelocale(mine);
}

/* --- threads --- */

struct work {
	uint32_t rank;
	int sum, of_language;
	_Atomic int begun, stop;
};

static void *works(void *argument)
{
	struct work *w = argument;

	w->rank = coro_rank(); /* whoever's turn it is: its own */
	w->of_language = strcmp(codes(), "UTF-8") == 0;
	for (int i = 1; i <= 100; i++)
		w->sum += i;
	return &w->sum;
}

static void threads(void **state)
{
	struct work w = {0};
	pthread_t t;
	void *value;

	(void)state;
	runs(2);
	own_now();
	own_setlocale(LC_ALL, utf8);
	assert_int_equal(own_thread_start(&t, NULL, works, &w), 0);
	runs(1);
	assert_int_equal(pthread_join(t, &value), 0);
	assert_ptr_equal(value, &w.sum);
	assert_int_equal(w.sum, 5050);
	assert_int_equal(w.rank, 2);
	assert_true(w.of_language);   /* it began with its rank's */
	assert_null(coro[2].threads); /* and is none of its threads any more */
}

static void *spins(void *argument)
{
	struct work *w = argument;

	atomic_store(&w->begun, 1);
	while (!atomic_load(&w->stop))
		w->sum++;
	return NULL;
}

/* The rank ends: its thread goes no further, wherever it is. */
static void stopped(void **state)
{
	static struct work w; /* the thread is there to the end of the test program */
	pthread_t t;
	int was;

	(void)state;
	own_now();
	assert_int_equal(own_thread_start(&t, NULL, spins, &w), 0);
	while (!atomic_load(&w.begun))
		usleep(100);
	own_threads_stop(&coro[0]);
	assert_int_equal(coro[0].stopped, 1);
	was = *(volatile int *)&w.sum;
	usleep(20000);
	assert_int_equal(*(volatile int *)&w.sum, was);
	coro[0].threads = NULL;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
int main(void)
{
	static const char *const names[] = {"C.UTF-8", "C.utf8", "en_US.UTF-8"};
	const struct CMUnitTest tests[] = {TEST(each_its_own),  TEST(mixed),   TEST(none),
	                                   TEST(of_the_thread), TEST(threads), TEST(stopped)};

	for (size_t i = 0; i < sizeof names / sizeof *names && !utf8; i++) {
		locale_t l = newlocale(LC_ALL_MASK, names[i], NULL);

		if (l) {
			utf8 = names[i];
			freelocale(l);
		}
	}
	if (!utf8)
		return 77; /* there is but one language here */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
