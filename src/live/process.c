/* process.c: the processes of the ranks: started, waited for one at a time, their deaths.
 *
 * The segment is a memory file without a name, which ranks open through /proc: nothing is left
 * however the simulator ends. A rank dies with the simulator (PR_SET_PDEATHSIG); what its command
 * starts is inherited by the simulator (PR_SET_CHILD_SUBREAPER) and killed at the end. */
#include "live_int.h"
#include "starting.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- the segment --- */

static void names_fill(struct live *l)
{
	char *name = wire_at(l->head, l->head->names);

	for (uint32_t i = 0; i < l->ranks; i++, name += WIRE_NAME)
		if (l->o.host_name)
			l->o.host_name(l->o.self, i, name, WIRE_NAME);
}

/* What a rank may have under way before it waits: a GiB in all, but room for a few large messages
 * each. */
static uint64_t payload_of(uint32_t ranks)
{
	uint64_t share = ((uint64_t)1 << 30) / ranks, least = (uint64_t)4 << 20,
	         most = (uint64_t)64 << 20;

	return share < least ? least : share > most ? most : share;
}

static void segment_fill(struct live *l)
{
	l->head->simulator = (uint32_t)getpid();
	l->head->computation = l->o.computation == LIVE_NONE ? WIRE_COMPUTES_NOTHING
	                                                     : WIRE_MEASURED;
	l->head->thread_cores = l->o.thread_cores;
	l->head->payload = payload_of(l->ranks);
	l->head->world = l->ranks - l->o.spare;
	wire_heap_init(&l->heap, l->head, l->ranks);
	for (uint32_t i = 0; i < l->ranks; i++) {
		l->rank[i].c = wire_channel(l->head, i);
		l->rank[i].head = l->head;
		l->rank[i].over = l->rank[i].spawned = i >= l->head->world;
	}
}

/* Ranks of this process: no rings, and all use one channel, as one of them runs at a time. */
static int memory_make(struct live *l, uint64_t heap, struct err *err)
{
	const uint64_t most = (uint64_t)1 << 42;

	if (heap > most)
		heap = most;
	l->size = wire_size(1, heap);
	l->head = mmap(NULL, l->size, PROT_READ | PROT_WRITE,
	               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (l->head == MAP_FAILED) {
		l->head = NULL;
		return err_sys(err, errno, "memory of messages, %llu bytes",
		               (unsigned long long)l->size);
	}
	wire_layout(l->head, 1, heap);
	l->head->ranks = l->ranks;
	l->head->stride = 0;
	segment_fill(l);
	return 0;
}

int segment_make(struct live *l, struct err *err)
{
	uint64_t heap = ((uint64_t)4 << 30) + ((uint64_t)16 << 20) * l->ranks;

	if (l->o.holding == LIVE_COROUTINES)
		return memory_make(l, heap, err);
	l->size = wire_size(l->ranks, heap);
	l->fd = memfd_create("orrery-live", MFD_CLOEXEC);
	if (l->fd < 0 || ftruncate(l->fd, (off_t)l->size) < 0)
		return err_sys(err, errno, "the memory that ranks share, %llu bytes",
		               (unsigned long long)l->size);
	l->head = mmap(NULL, l->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, l->fd, 0);
	if (l->head == MAP_FAILED) {
		l->head = NULL;
		return err_sys(err, errno, "the memory that ranks share, %llu bytes",
		               (unsigned long long)l->size);
	}
	wire_layout(l->head, l->ranks, heap);
	segment_fill(l);
	names_fill(l);
	return 0;
}

void segment_release(struct live *l)
{
	if (l->head)
		munmap(l->head, l->size);
	if (l->fd >= 0)
		close(l->fd);
}

/* --- starting --- */

static int process_start(struct live *l, uint32_t rank, struct err *err)
{
	l->rank[rank].child = starting_rank(l->starting, rank, err);
	return l->rank[rank].child < 0 ? -1 : 0;
}

int process_spawn(struct live *l, uint32_t rank, const struct spawned *s, struct err *err)
{
	pid_t child = starting_spawned(l->starting, rank, s, err);

	if (child < 0)
		return -1;
	l->rank[rank].child = child;
	return 0;
}

static void on_child(int signal_number)
{
	(void)signal_number; /* it interrupts a wait */
}

int processes_start(struct live *l, struct err *err)
{
	struct sigaction act = {.sa_handler = on_child};
	char segment[64];
	int status = 0;

	sigaction(SIGCHLD, &act, NULL);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	l->started = 1;
	snprintf(segment, sizeof segment, "/proc/%d/fd/%d", (int)getpid(), l->fd);
	l->starting = starting_new(&l->o, l->head->world, wire_at(l->head, l->head->hosts), segment,
	                           err);
	if (!l->starting)
		return -1;
	for (uint32_t i = 0; status == 0 && i < l->head->world; i++)
		status = process_start(l, i, err);
	if (status == 0)
		status = starting_done(l->starting, err);
	return status;
}

/* --- the end --- */

static void status_text(int status, char *buf, size_t n)
{
	if (WIFSIGNALED(status))
		snprintf(buf, n, "was killed by signal %d (%s)%s", WTERMSIG(status),
		         strsignal(WTERMSIG(status)), WCOREDUMP(status) ? ", and left a core" : "");
	else
		snprintf(buf, n, "exited with code %d", WEXITSTATUS(status));
}

static int reap(struct lrank *r)
{
	int status;

	if (r->child <= 0 || waitpid(r->child, &status, WNOHANG) != r->child)
		return 0;
	r->child = 0;
	r->status = status;
	return 1;
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

static int death(struct live *l, uint32_t rank, struct err *err)
{
	struct lrank *r = &l->rank[rank];
	uint32_t state = atomic_load(&r->c->state);
	char text[160];

	status_text(r->status, text, sizeof text);
	if (state == WIRE_OUTSIDE && WIFEXITED(r->status) && WEXITSTATUS(r->status) == 0) {
		r->over = 1; /* it never called MPI */
		return 0;
	}
	if (state == WIRE_OUTSIDE && WIFEXITED(r->status) && WEXITSTATUS(r->status) == 127)
		return err_set(err, ERR_INPUT, "%s: not found, or not a program", l->o.command[0]);
	if (state == WIRE_OUTSIDE)
		return live_error(l, rank, err, "%s before MPI_Init", text);
	return live_error(l, rank, err, "%s without MPI_Finalize", text);
}

/* --- waiting --- */

static int rests(const struct wire_channel *c)
{
	return atomic_load(&c->head) != atomic_load_explicit(&c->tail, memory_order_relaxed) ||
	       atomic_load(&c->state) == WIRE_OVER;
}

int live_wait(struct live *l, uint32_t rank, struct err *err)
{
	struct lrank *r = &l->rank[rank];
	struct wire_channel *c = r->c;

	if (atomic_load(&c->full)) { /* there is room now */
		atomic_store(&c->full, 0);
		atomic_fetch_add(&c->rank_bell, 1);
		wire_wake(&c->rank_bell);
	}
	while (atomic_load(&c->bell) == r->seen) {
		atomic_store(&c->watched, 1);
		if (wire_wait(&c->bell, r->seen, 0.1) < 0 && !is_alive(r) &&
		    atomic_load(&c->bell) == r->seen) {
			atomic_store(&c->watched, 0);
			if (rests(c))
				break;
			return death(l, rank, err);
		}
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

	(void)l;
	r->seen = atomic_load(&c->bell);
	atomic_store(&c->answered, atomic_load(&c->asked));
	atomic_fetch_add(&c->rank_bell, 1);
	wire_wake(&c->rank_bell);
}

int live_order(struct live *l, uint32_t rank, struct err *err)
{
	struct lrank *r = &l->rank[rank];
	struct wire_channel *c = r->c;
	uint32_t seen = atomic_load(&c->bell);

	if (l->coros)
		return held_order(l, rank, err);
	atomic_store(&c->command, c->order.what);
	atomic_fetch_add(&c->rank_bell, 1);
	wire_wake(&c->rank_bell);
	atomic_store(&c->watched, 1);
	while (atomic_load(&c->command) != WIRE_NO_COMMAND) {
		if (wire_wait(&c->bell, seen, 0.1) < 0 && !is_alive(r))
			return death(l, rank, err) < 0
			           ? -1
			           : live_error(l, rank, err, "ended in an operator of its own");
		seen = atomic_load(&c->bell);
	}
	atomic_store(&c->watched, 0);
	r->seen = seen;
	return 0;
}

int process_is_free(struct live *l, uint32_t rank)
{
	struct lrank *r = &l->rank[rank];
	uint32_t cap_req = r->cap_req, cap_list = r->cap_list, cap_comm = r->cap_comm;
	int status;

	if (!r->spawned || !r->over)
		return 0;
	if (r->child > 0) {
		while (waitpid(r->child, &status, 0) < 0 && errno == EINTR)
			;
		if (status != 0)
			return 0; /* it is told at the end */
	}
	if (r->status != 0)
		return 0;
	free(r->maps);
	memset(r->c, 0, offsetof(struct wire_channel, ring));
	*r = (struct lrank){.c = r->c,
	                    .head = r->head,
	                    .spawned = 1,
	                    .over = 1,
	                    .req = r->req,
	                    .list = r->list,
	                    .comm = r->comm,
	                    .calls = r->calls,
	                    .site = r->site,
	                    .cap_site = r->cap_site,
	                    .cap_req = cap_req,
	                    .cap_list = cap_list,
	                    .cap_comm = cap_comm};
	return 1;
}

/* --- all ends --- */

/* Those that our children left behind, ours now. */
static void orphans_kill(pid_t but)
{
	char path[64];
	int pid, found = 1;

	for (int round = 0; found && round < 1000; round++) {
		FILE *f;

		snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)getpid(),
		         (int)getpid());
		f = fopen(path, "r");
		found = 0;
		while (f && fscanf(f, "%d", &pid) == 1) {
			if (pid == but)
				continue;
			found = 1;
			kill(pid, SIGKILL);
			waitpid(pid, NULL, 0);
		}
		if (f)
			fclose(f);
	}
}

/* Nobody is left, and all that they wrote is written. */
static void rest_end(struct live *l)
{
	orphans_kill(l->starting ? starting_pump(l->starting) : 0);
	starting_end(l->starting);
}

/* Ranks go on after MPI_Finalize; their exit codes are the program's. */
int processes_end(struct live *l, struct err *err)
{
	uint32_t bad = 0, first = 0;
	char text[160];

	if (l->coros)
		fflush(NULL); /* what ranks printed comes before the prediction */
	for (uint32_t i = 0; i < l->ranks; i++)
		if (!l->rank[i].over) /* the run failed */
			return 0;
	for (uint32_t i = 0; i < l->ranks; i++) {
		struct lrank *r = &l->rank[i];
		int status;

		if (r->child > 0) {
			while (waitpid(r->child, &status, 0) < 0 && errno == EINTR)
				;
			r->child = 0;
			r->status = status;
		}
		if (r->status != 0 && bad++ == 0)
			first = i;
	}
	rest_end(l);
	if (bad == 0)
		return 0;
	status_text(l->rank[first].status, text, sizeof text);
	err_set(err, ERR_PROGRAM, "rank %u on %s %s after MPI_Finalize", first, live_host(l, first),
	        text);
	if (bad > 1)
		err_append(err, "; so did %u more ranks", bad - 1);
	return -1;
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
		if (l->rank[i].child > 0)
			waitpid(l->rank[i].child, NULL, 0);
		l->rank[i].child = 0;
	}
	rest_end(l);
	starting_free(l->starting);
	l->starting = NULL;
}
