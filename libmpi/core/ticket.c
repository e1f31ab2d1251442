/* ticket.c: a lock by tickets (Mellor-Crummey and Scott 1991, 2.2), whose waiters sleep. See
 * ticket.h.
 *
 * A signal's handler that calls MPI while its thread waits, though the standard forbids it, waits
 * with its thread's ticket: with one of its own it would wait for ever. */
#include "ticket.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static __thread uint32_t ticket;
static __thread volatile int waits;

static uintptr_t self(void)
{
	return (uintptr_t)pthread_self();
}

/* Waiters sleep by their tickets, so that one is woken. */
static uint32_t bit_of(uint32_t of)
{
	return UINT32_C(1) << of % 32;
}

int ticket_mine(const struct ticket_lock *t)
{
	return atomic_load_explicit(&t->of, memory_order_relaxed) == self();
}

int ticket_wanted(const struct ticket_lock *t)
{
	return (int32_t)(atomic_load(&t->next) - atomic_load(&t->served)) > 1;
}

static void have(struct ticket_lock *t)
{
	atomic_store_explicit(&t->of, self(), memory_order_relaxed);
	t->deep = 1;
}

int ticket_try(struct ticket_lock *t)
{
	uint32_t served = atomic_load(&t->served);

	if (ticket_mine(t)) {
		t->deep++;
		return 1;
	}
	if (!atomic_compare_exchange_strong(&t->next, &served, served + 1))
		return 0;
	have(t);
	return 1;
}

static void ticket_wait(struct ticket_lock *t)
{
	uint32_t served;

	while ((served = atomic_load(&t->served)) != ticket)
		syscall(SYS_futex, &t->served, FUTEX_WAIT_BITSET_PRIVATE, served, NULL, NULL,
		        bit_of(ticket));
	if (!ticket_mine(t)) /* a handler has had it, and left it to us */
		have(t);
}

void ticket_take(struct ticket_lock *t)
{
	if (ticket_try(t))
		return;
	if (waits) {
		ticket_wait(t);
		t->deep++;
		return;
	}
	ticket = atomic_fetch_add(&t->next, 1);
	waits = 1;
	ticket_wait(t);
	waits = 0;
}

void ticket_leave(struct ticket_lock *t)
{
	uint32_t next;

	if (!ticket_mine(t) || --t->deep > 0)
		return;
	atomic_store_explicit(&t->of, 0, memory_order_relaxed);
	next = atomic_fetch_add(&t->served, 1) + 1;
	if (atomic_load(&t->next) != next)
		syscall(SYS_futex, &t->served, FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, NULL, NULL,
		        bit_of(next));
}
