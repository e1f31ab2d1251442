/* outside.c: ranks that wait in the operating system: for a connection, a lock, somebody at the
 * terminal.
 *
 * The simulator waits for a rank that computes, and no simulated time passes. A rank that waits
 * for another one by way of the operating system (accept, a pipe, a lock of a file) would keep the
 * other one from ever coming. So one that has slept for a while, with all of its threads, is
 * held, and time goes on for the others. Before time passes each of these is looked at: it goes on
 * at the date at which it was woken, as whoever wakes it does so before it calls MPI again.
 *
 * How long is a while is no matter of simulated time, if the other ranks have nothing to do but
 * what ends the wait. Else what they do in between takes its time before this rank goes on. */
#include "live_int.h"

#include <errno.h>
#include <stdlib.h>

#define PATIENCE_FIRST 0.1 /* s; of a rank that did so before: */
#define PATIENCE 0.005
#define PAUSE 0.001
enum { TIMES = 3 };

double outside_patience(const struct lrank *r)
{
	return r->outside == OUTSIDE_NEVER ? PATIENCE_FIRST : PATIENCE;
}

static pid_t process_of(const struct lrank *r)
{
	return (pid_t)atomic_load(&r->c->pid);
}

int outside_check(struct live *l, uint32_t rank, uint32_t times, struct err *err)
{
	struct lrank *r = &l->rank[rank];
	uint32_t *list;

	if (times < TIMES || atomic_load(&r->c->state) != WIRE_INSIDE ||
	    !launch_sleeps(process_of(r)) || atomic_load(&r->c->bell) != r->seen)
		return 0;
	list = vec_grow(l->outside, &l->cap_outside, sizeof *list, (size_t)l->n_outside + 1,
	                "ranks that wait", err);
	if (!list)
		return -1;
	l->outside = list;
	list[l->n_outside++] = rank;
	r->outside = OUTSIDE_NOW;
	atomic_store(&r->c->passed, 1);
	return 1;
}

/* It rang, was woken, or ended: live_wait sees which. */
static int is_back(const struct lrank *r)
{
	return atomic_load(&r->c->bell) != r->seen || !launch_sleeps(process_of(r));
}

/* Until the first of them rings, a short while if there are more. */
static void first_await(struct live *l, double seconds)
{
	struct lrank *r = &l->rank[l->outside[0]];

	wakes_flush(l);
	atomic_store(&r->c->watched, 1);
	wire_wait(&r->c->bell, r->seen, seconds);
	atomic_store(&r->c->watched, 0);
}

int outside_pause(struct live *l)
{
	first_await(l, PAUSE);
	return 0;
}

int outside_look(void *live, int idle, struct err *err)
{
	struct live *l = live;
	uint32_t kept, n;

	(void)err;
	for (;;) {
		n = l->n_outside;
		kept = 0;
		for (uint32_t i = 0; i < n; i++) {
			struct lrank *r = &l->rank[l->outside[i]];

			if (!is_back(r)) {
				l->outside[kept++] = l->outside[i];
				continue;
			}
			r->outside = OUTSIDE_ONCE;
			l->waits_outside++;
			mp_go_on(l->mp, l->outside[i]);
		}
		l->n_outside = kept;
		if (kept < n || !idle || kept == 0)
			return kept < n;
		first_await(l, kept > 1 ? PATIENCE : PATIENCE_FIRST);
	}
}
