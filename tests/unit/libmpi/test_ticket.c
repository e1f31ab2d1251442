/* The lock of a rank's threads: one has it at a time, first come, first served. */
#include "core/ticket.h"
#include "test.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 40, TIMES = 2000 }; /* more than there are bits to wake them by */

static struct ticket_lock lock;
static int count;

static void *counts(void *none)
{
	for (int i = 0; i < TIMES; i++) {
		ticket_take(&lock);
		ticket_take(&lock); /* calls nest */
		count++;
		ticket_leave(&lock);
		ticket_leave(&lock);
	}
	return none;
}

static void test_one_at_a_time(void **state)
{
	pthread_t thread[THREADS];
	(void)state;
	count = 0;
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, counts, NULL), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	assert_int_equal(count, THREADS * TIMES);
	assert_false(ticket_wanted(&lock));
	assert_true(ticket_try(&lock));
	ticket_leave(&lock);
}

static void *tries(void *none)
{
	int *got = none;

	*got = ticket_try(&lock);
	ticket_leave(&lock); /* of one that has it not: nothing */
	return none;
}

static void test_try(void **state)
{
	pthread_t thread;
	int got = 1;
	(void)state;
	ticket_take(&lock);
	assert_true(ticket_mine(&lock));
	assert_int_equal(pthread_create(&thread, NULL, tries, &got), 0);
	pthread_join(thread, NULL);
	assert_int_equal(got, 0);
	assert_true(ticket_mine(&lock));
	ticket_leave(&lock);
	assert_false(ticket_mine(&lock));
}

static atomic_int came, served_at[3];

static void *waits(void *place)
{
	ticket_take(&lock);
	*(atomic_int *)place = atomic_fetch_add(&came, 1);
	ticket_leave(&lock);
	return NULL;
}

/* Until so many wait. */
static void wait_for(uint32_t n)
{
	while (atomic_load(&lock.next) - atomic_load(&lock.served) != n + 1)
		nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

/* Who leaves it and takes it again is behind those that waited, in their order. */
static void test_first_come(void **state)
{
	pthread_t thread[3];
	(void)state;
	atomic_store(&came, 0);
	ticket_take(&lock);
	assert_false(ticket_wanted(&lock));
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(pthread_create(&thread[i], NULL, waits, &served_at[i]), 0);
		wait_for(i + 1);
	}
	assert_true(ticket_wanted(&lock));
	ticket_leave(&lock);
	ticket_take(&lock);
	assert_int_equal(atomic_load(&came), 3);
	ticket_leave(&lock);
	for (int i = 0; i < 3; i++) {
		pthread_join(thread[i], NULL);
		assert_int_equal(atomic_load(&served_at[i]), i);
	}
}

static atomic_int handled;

static void handler(int number)
{
	(void)number;
	ticket_take(&lock);
	atomic_fetch_add(&handled, 1);
	ticket_leave(&lock);
}

/* A handler that takes it while its thread waits has it before its thread. */
static void test_handler(void **state)
{
	struct sigaction a = {.sa_handler = handler};
	pthread_t thread;
	(void)state;
	atomic_store(&came, 0);
	assert_int_equal(sigaction(SIGUSR1, &a, NULL), 0);
	ticket_take(&lock);
	assert_int_equal(pthread_create(&thread, NULL, waits, &served_at[0]), 0);
	wait_for(1);
	pthread_kill(thread, SIGUSR1);
	nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); /* it waits in the handler */
	ticket_leave(&lock);
	pthread_join(thread, NULL);
	assert_int_equal(atomic_load(&handled), 1);
	assert_int_equal(atomic_load(&came), 1);
	assert_true(ticket_try(&lock));
	ticket_leave(&lock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_one_at_a_time),
	    cmocka_unit_test(test_try),
	    cmocka_unit_test(test_first_come),
	    cmocka_unit_test(test_handler),
	};

	alarm(60);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
