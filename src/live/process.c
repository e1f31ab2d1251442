/* process.c: the processes of the ranks: started, waited for one at a time, their deaths. Starting,
 * reaping and what is left behind are launch's affair; here is what an end means to the run. */
#include "live_int.h"
#include "starting.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WAKES = 16 }; /* so many are told to go on before they are woken */

/* --- starting --- */

static int process_start(struct live *l, uint32_t rank, struct err *err)
{
	l->rank[rank].child = starting_rank(l->starting, rank, err);
	return l->rank[rank].child < 0 ? -1 : 0;
}

int process_spawn(struct live *l, uint32_t rank, const struct spawned *s, struct err *err)
{
	pid_t child;

	if (l->coros)
		return coros_spawn(l->coros, rank, s, err);
	child = starting_spawned(l->starting, rank, s, err);
	if (child < 0)
		return -1;
	l->rank[rank].child = child;
	return 0;
}

static void on_child(int signal_number)
{
	(void)signal_number; /* it interrupts a wait */
}

/* Ranks that are processes open the segment by its name, which they have in their environment. */
static int segment_check(const char *segment, struct err *err)
{
	if (access(segment, R_OK | W_OK) == 0)
		return 0;
	return err_set(err, ERR_LIMIT,
	               "%s: %s: ranks that are processes find the simulator there; mount /proc, "
	               "or hold them as coroutines (--hold coroutines)",
	               segment, strerror(errno));
}

int processes_start(struct live *l, struct err *err)
{
	struct sigaction act = {.sa_handler = on_child};
	char segment[64];
	int status = 0;

	sigaction(SIGCHLD, &act, NULL);
	launch_adopt();
	l->started = 1;
	snprintf(segment, sizeof segment, "/proc/%d/fd/%d", (int)getpid(), l->fd);
	if (!l->coros && segment_check(segment, err) < 0)
		return -1;
	l->starting = starting_new(&l->o, l->head->world, l->ranks,
	                           wire_at(l->head, l->head->hosts), segment, err);
	if (!l->starting)
		return -1;
	for (uint32_t i = 0; status == 0 && i < l->head->world; i++)
		status = process_start(l, i, err);
	if (status == 0)
		status = starting_done(l->starting, err);
	return status;
}

/* --- the end --- */

static int reap(struct lrank *r)
{
	int ended = launch_ended(r->child, 0, &r->end);

	if (ended)
		r->child = 0;
	return ended;
}

/* The rank has nothing more to do but end; nobody waits to be woken. */
static void await_end(struct live *l, uint32_t rank)
{
	const struct timespec look = {.tv_nsec = 100000000};
	struct lrank *r = &l->rank[rank];
	sigset_t child, before;

	/* SIGCHLD, which comes at its end and when it is stopped, ends the wait if it is blocked */
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, &before);
	while (r->child > 0 && !reap(r)) {
		sigtimedwait(&child, NULL, &look);
		stopped_look(l, rank);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
}

/* The process that is the rank, perhaps not the one we started. */
static int is_alive(struct lrank *r)
{
	pid_t pid = (pid_t)atomic_load(&r->c->pid);

	reap(r);
	if (r->child > 0)
		return 1;
	return pid > 0 && kill(pid, 0) == 0;
}

/* A rank that a signal killed while others waited for it by way of the operating system: it is why
 * they end. */
static uint32_t first_to_die(struct live *l, uint32_t rank)
{
	for (uint32_t i = 0; l->rank[rank].end.signal == 0 && i < l->n_outside; i++) {
		struct lrank *r = &l->rank[l->outside[i]];

		if (r->child > 0 && reap(r) && r->end.signal)
			return l->outside[i];
	}
	return rank;
}

/* Ended as whoever writes when nobody reads any more is: so are we to end, as if the program had
 * run in our place (EPIPE says that to who ends). Another pipe of its own is told of. */
static int unread(const struct launch_end *end, struct err *err)
{
	struct pollfd out = {.fd = STDOUT_FILENO};

	if (end->signal == SIGPIPE && poll(&out, 1, 0) > 0 && out.revents & POLLERR)
		err->number = EPIPE;
	return -1;
}

static void end_text(const struct live *l, uint32_t rank, char *text, size_t n)
{
	const struct lrank *r = &l->rank[rank];
	uint64_t stack = atomic_load(&r->c->overflow);
	char at[512];

	if (r->end.signal == SIGSEGV && stack > 0)
		snprintf(text, n, "overflowed its stack of %llu KiB (ulimit -s gives it more)",
		         (unsigned long long)(stack >> 10));
	else
		launch_end_text(&r->end, text, n);
	if (r->end.signal)
		snprintf(text + strlen(text), n - strlen(text), "%s",
		         fault_where(l, rank, r->end.signal, at, sizeof at));
}

/* It was found, or it would not have been started (launch/start.c): a shell ends so, and the
 * system's loader. */
static int not_started(struct live *l, const char *command, struct err *err)
{
	l->failed = 1;
	return err_set(
	    err, ERR_INPUT,
	    "%s: exited with code 127 before MPI_Init: a library that it needs, a name in "
	    "one, or a program that it starts was not found; 'orrery can-run' says of a "
	    "program which libraries and which names of MPI are missing",
	    command);
}

#define UNASKED \
	"; if nobody did that, the kernel did, for want of memory ('dmesg' tells): fewer ranks " \
	"(-np), or --fold-memory"

static int death(struct live *l, uint32_t found, struct err *err)
{
	uint32_t rank = first_to_die(l, found), state;
	struct lrank *r = &l->rank[rank];
	char text[640];

	state = atomic_load(&r->c->state);
	end_text(l, rank, text, sizeof text);
	if (state == WIRE_OUTSIDE && launch_end_is_good(&r->end)) {
		r->over = 1; /* it never called MPI */
		return 0;
	}
	if (state == WIRE_OUTSIDE && r->end.signal == 0 && r->end.code == 127)
		return not_started(l, l->o.command[0], err);
	live_error(l, rank, err, "%s %s%s%s", text,
	           state == WIRE_OUTSIDE ? "before MPI_Init" : "without MPI_Finalize",
	           state == WIRE_OUTSIDE ? live_within(l) : "",
	           r->end.signal == SIGKILL ? UNASKED : "");
	return unread(&r->end, err);
}

/* --- waiting --- */

/* Ranks that were told to go on are woken together: when the simulator has to wait for one, or
 * when there are many. To wake one at a time costs a system call each, and the processor, which the
 * kernel gives to who is woken. */
void wakes_flush(struct live *l)
{
	for (uint32_t i = 0; i < l->n_woken; i++) {
		uint32_t group = l->woken[i];

		wire_ring(wire_bell(l->head, group * WIRE_GROUP), l->wakes[group]);
		l->wakes[group] = 0;
	}
	l->n_woken = l->n_wakes = 0;
}

static void wake_later(struct live *l, const struct lrank *r)
{
	uint32_t rank = (uint32_t)(r - l->rank), group = rank / WIRE_GROUP;

	if (l->wakes[group] == 0)
		l->woken[l->n_woken++] = group;
	l->wakes[group] |= wire_group_bit(rank);
	if (++l->n_wakes >= WAKES || l->n_wakes >= l->jobs)
		wakes_flush(l);
}

static int rests(const struct wire_channel *c)
{
	return atomic_load(&c->head) != atomic_load_explicit(&c->tail, memory_order_relaxed) ||
	       atomic_load(&c->state) == WIRE_OVER;
}

static void turn_wait(struct live *l, uint32_t rank, uint32_t silent)
{
	turn_look(l, rank, silent * outside_patience(&l->rank[rank]));
}

int live_wait(struct live *l, uint32_t rank, struct err *err)
{
	struct lrank *r = &l->rank[rank];
	struct wire_channel *c = r->c;
	uint32_t silent = 0; /* times */
	int is_outside = 0;

	if (atomic_load(&c->full)) { /* there is room now */
		atomic_store(&c->full, 0);
		wake_later(l, r);
	}
	while (is_outside == 0 && atomic_load(&c->bell) == r->seen) {
		wakes_flush(l);
		atomic_store(&c->watched, 1);
		if (wire_wait(&c->bell, r->seen, outside_patience(r)) == 0)
			continue;
		if (is_alive(r)) {
			stopped_look(l, rank);
			is_outside = outside_check(l, rank, ++silent, err);
			turn_wait(l, rank, silent);
		} else if (atomic_load(&c->bell) == r->seen) {
			atomic_store(&c->watched, 0);
			if (rests(c))
				break;
			return death(l, rank, err);
		}
	}
	if (is_outside != 0) {
		atomic_store(&c->watched, 0);
		return is_outside < 0 ? -1 : LIVE_HELD;
	}
	atomic_store(&c->watched, 0);
	r->seen = atomic_load(&c->bell);
	if (atomic_load(&c->state) == WIRE_OVER && !wire_op_next(c))
		r->over = 1;
	return 0;
}

void live_answer(struct live *l, struct lrank *r)
{
	struct wire_channel *c = r->c;

	r->seen = atomic_load(&c->bell);
	atomic_store(&c->answered, atomic_load(&c->asked));
	wake_later(l, r);
}

int order_ended(struct live *l, uint32_t rank, struct err *err)
{
	const struct wire_order *o = &l->rank[rank].c->order;

	return live_error(l, rank, err, "%.*s", (int)sizeof o->text - 1, o->text);
}

int live_order(struct live *l, uint32_t rank, struct err *err)
{
	struct lrank *r = &l->rank[rank];
	struct wire_channel *c = r->c;
	uint32_t seen = atomic_load(&c->bell);

	if (l->coros)
		return held_order(l, rank, err);
	atomic_store(&c->command, c->order.what);
	wake_later(l, r);
	wakes_flush(l);
	atomic_store(&c->watched, 1);
	while (atomic_load(&c->command) != WIRE_NO_COMMAND) {
		if (wire_wait(&c->bell, seen, 0.1) < 0) {
			if (is_alive(r)) {
				stopped_look(l, rank);
				continue;
			}
			return death(l, rank, err) < 0
			           ? -1
			           : live_error(l, rank, err, "ended in an operator of its own");
		}
		seen = atomic_load(&c->bell);
	}
	atomic_store(&c->watched, 0);
	r->seen = seen;
	return c->order.ended ? order_ended(l, rank, err) : 0;
}

int process_is_free(struct live *l, uint32_t rank)
{
	struct lrank *r = &l->rank[rank];
	uint32_t cap_req = r->cap_req, cap_list = r->cap_list, cap_comm = r->cap_comm;

	if (!r->spawned || !r->over)
		return 0;
	wakes_flush(l);
	await_end(l, (uint32_t)(r - l->rank));
	if (!launch_end_is_good(&r->end))
		return 0; /* it is told at the end */
	if (l->coros && !coros_is_free(l->coros, rank))
		return 0;
	free(r->maps);
	stacks_release(r);
	if (!l->coros) /* which have one, of the rank that asks */
		memset(r->c, 0, offsetof(struct wire_channel, ring));
	*r = (struct lrank){.c = r->c,
	                    .head = r->head,
	                    .rates = r->rates,
	                    .spawned = 1,
	                    .over = 1,
	                    .req = r->req,
	                    .list = r->list,
	                    .comm = r->comm,
	                    .calls = r->calls,
	                    .call = r->call,
	                    .cap_call = r->cap_call,
	                    .cap_req = cap_req,
	                    .cap_list = cap_list,
	                    .cap_comm = cap_comm};
	if (!l->coros)
		segment_rates(l, rank);
	return 1;
}

/* --- all ends --- */

/* Nobody is left, and all that they wrote is written. */
static void rest_end(struct live *l)
{
	launch_orphans_kill(l->starting ? starting_pump(l->starting) : 0);
	starting_end(l->starting);
}

/* Ranks go on after MPI_Finalize; their exit codes are the program's. */
int processes_end(struct live *l, struct err *err)
{
	uint32_t bad = 0, first = 0;
	char text[480];

	if (l->coros)
		fflush(NULL); /* what ranks printed comes before the prediction */
	wakes_flush(l);
	for (uint32_t i = 0; i < l->ranks; i++)
		if (!l->rank[i].over) /* the run failed */
			return 0;
	for (uint32_t i = 0; i < l->ranks; i++) {
		struct lrank *r = &l->rank[i];

		await_end(l, i);
		if (!launch_end_is_good(&r->end) && bad++ == 0)
			first = i;
	}
	rest_end(l);
	if (bad == 0)
		return 0;
	end_text(l, first, text, sizeof text);
	err_set(err, ERR_PROGRAM, "rank %u on %s %s after MPI_Finalize", first, live_host(l, first),
	        text);
	if (bad > 1)
		err_append(err, "; so did %u more rank%s", bad - 1, plural(bad - 1));
	return unread(&l->rank[first].end, err);
}

void processes_kill(struct live *l)
{
	if (!l->started)
		return;
	l->started = 0;
	for (uint32_t i = 0; i < l->ranks; i++) {
		pid_t pid = (pid_t)atomic_load(&l->rank[i].c->pid);

		if (l->rank[i].child > 0)
			kill(l->rank[i].child, SIGKILL);
		if (pid > 0 && pid != l->rank[i].child && l->rank[i].child > 0)
			kill(pid, SIGKILL);
	}
	for (uint32_t i = 0; i < l->ranks; i++) {
		await_end(l, i);
	}
	rest_end(l);
	starting_free(l->starting);
	l->starting = NULL;
}
