/* yield.c: preloaded into the ranks by lab/run, so that many ranks can share few processors.
 *
 * MPI libraries wait by asking again and again whether anything has come, which on a machine where
 * each rank has a processor costs nothing and sees a message at once. Here ranks share processors
 * with each other and with the kernel's own network threads. A rank that has asked a few times in
 * vain therefore sleeps in the kernel until one of its connections has something: it sees it when
 * it comes, as on such a machine, and takes no time from others meanwhile. (Before, ranks slept for
 * 20 us between questions: eight of them kept two processors busy by asking, a byte took 160 us
 * where it takes 30, and what came between two questions was seen together.)
 *
 * Open MPI asks by poll without time, then calls sched_yield (mpi_yield_when_idle); MPICH's UCX by
 * epoll_wait without time, over and over. UCX also goes on asking whether there is room to send
 * when it has nothing to send: a million answers "yes" in a second (1.13, eight ranks in a ring).
 * Connections that have said so, without anything else, for a few times in a row are not asked for
 * room while the rank sleeps.
 *
 * A program may ask as well (MPI_Test) and compute in between, and then must not sleep for long:
 * whoever was away between two questions starts anew. Nor may who also waits for shared memory
 * (LAB_SHARED, ranks of one host), which wakes nobody.
 *
 * With MPICH (LAB_MPICH), MPI_Finalize closes connections in order, which takes the other side's
 * help, and then waits in a barrier of the launcher that gives none: a rank whose peer is there
 * already waits for ever (seen in one run of two with four ranks). After a barrier nothing is under
 * way, and connections may be left as they are. */
#include <dlfcn.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <time.h>

enum {
	PATIENCE = 3,   /* questions in vain before a rank sleeps */
	AWAY = 10000,   /* ns between two questions: the rank has done something else */
	SHORT = 20000,  /* ns of the first sleep, and of every one with LAB_SHARED */
	LONG = 1000000, /* ns at most: what wakes nobody (timers, other threads) is seen by then */
	DESCRIPTORS = 4096
};

static bool shared_memory;

static __attribute__((constructor)) void start(void)
{
	prctl(PR_SET_TIMERSLACK, 1000ul, 0ul, 0ul, 0ul); /* ns; 50 us is usual */
	shared_memory = getenv("LAB_SHARED");
}

struct waiting {
	int times;    /* questions in vain since the last answer or pause */
	long sleep;   /* ns of the next sleep */
	long stopped; /* when the last question ended, ns */
};

static _Thread_local struct waiting waiting;

static long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000 + t.tv_nsec;
}

/* A question in vain: whether, and how long, to sleep. */
static long patience(void)
{
	if (now() - waiting.stopped > AWAY)
		waiting.times = 0;
	if (++waiting.times <= PATIENCE) {
		waiting.sleep = SHORT;
		return 0;
	}
	waiting.times = PATIENCE;
	return waiting.sleep;
}

static void wait_for(struct pollfd *fds, nfds_t n, long ns)
{
	struct timespec t = {0, ns};

	if (ns > 0 && ppoll(fds, n, &t, NULL) == 0 && !shared_memory && waiting.sleep < LONG)
		waiting.sleep *= 2;
	waiting.stopped = now();
}

static struct pollfd asked[DESCRIPTORS];
static nfds_t n_asked; /* of the thread that computes; others wait in the kernel */
static _Thread_local enum { NOT_ASKED, IN_VAIN, ANSWERED } question;

int poll(struct pollfd *fds, nfds_t n, int timeout)
{
	struct timespec t = {timeout / 1000, timeout % 1000 * 1000000L};
	int answers = ppoll(fds, n, timeout < 0 ? NULL : &t, NULL);

	if (timeout == 0) {
		question = answers == 0 && n <= DESCRIPTORS ? IN_VAIN : ANSWERED;
		if (question == ANSWERED) {
			waiting.times = 0;
		} else {
			memcpy(asked, fds, n * sizeof *fds);
			n_asked = n;
		}
	}
	return answers;
}

int sched_yield(void)
{
	struct timespec t = {0, SHORT};

	if (question == IN_VAIN)
		wait_for(asked, n_asked, patience());
	else if (question == NOT_ASKED) /* waits for something else than connections */
		nanosleep(&t, NULL);
	question = NOT_ASKED;
	return 0;
}

#ifdef LAB_MPICH
#include <mpi.h>

typedef int epoll_wait_fn(int, struct epoll_event *, int, int);
typedef int epoll_ctl_fn(int, int, int, struct epoll_event *);
typedef int finalize_fn(void);

/* What is watched: by descriptor, the set it is in, what it is asked for, and who it is. */
static struct watch {
	int set;
	uint32_t events;
	uint64_t who;
	int room; /* answers in a row: there is room to send, and nothing else */
} watches[DESCRIPTORS];
static _Atomic int n_watches; /* above the greatest */

static void *next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

int epoll_ctl(int set, int op, int fd, struct epoll_event *e)
{
	static _Atomic(epoll_ctl_fn *) real;
	epoll_ctl_fn *f = atomic_load(&real);
	int r;

	if (!f) {
		*(void **)&f = next("epoll_ctl");
		atomic_store(&real, f);
	}
	r = f(set, op, fd, e);
	if (r == 0 && fd >= 0 && fd < DESCRIPTORS) {
		watches[fd] = op == EPOLL_CTL_DEL ? (struct watch){0}
		                                  : (struct watch){set, e->events, e->data.u64, 0};
		if (fd >= n_watches)
			n_watches = fd + 1;
	}
	return r;
}

/* Only room to send, again and again. */
static bool idle(int set, const struct epoll_event *events, int n)
{
	bool only_room = true;

	for (int fd = 0; fd < n_watches; fd++) {
		struct watch *w = &watches[fd];
		bool room = false;

		for (int i = 0; i < n; i++)
			if (w->events && w->set == set && events[i].data.u64 == w->who)
				room = events[i].events == EPOLLOUT;
		w->room = room ? w->room + 1 : 0;
	}
	for (int i = 0; i < n; i++)
		only_room = only_room && events[i].events == EPOLLOUT;
	return only_room;
}

static void sleep_on(int set, long ns)
{
	static _Thread_local struct pollfd fds[DESCRIPTORS];
	nfds_t n = 0;

	for (int fd = 0; fd < n_watches; fd++) {
		const struct watch *w = &watches[fd];
		short events = 0;

		if (w->set != set || !w->events)
			continue;
		if (w->events & EPOLLIN)
			events |= POLLIN;
		if (w->events & EPOLLOUT && w->room < PATIENCE)
			events |= POLLOUT;
		fds[n++] = (struct pollfd){fd, events, 0};
	}
	wait_for(fds, n, ns);
}

int epoll_wait(int set, struct epoll_event *events, int most, int timeout)
{
	static _Atomic(epoll_wait_fn *) real;
	epoll_wait_fn *f = atomic_load(&real);
	int n;

	if (!f) {
		*(void **)&f = next("epoll_wait");
		atomic_store(&real, f);
	}
	n = f(set, events, most, timeout);
	if (timeout != 0 || n < 0)
		return n;
	if (idle(set, events, n))
		sleep_on(set, patience());
	else
		waiting.times = 0;
	return n;
}

/* NULL: done. The end of the process closes its connections. */
void *ucp_disconnect_nb(void *endpoint);
void *ucp_disconnect_nb(void *endpoint)
{
	(void)endpoint;
	return NULL;
}

int MPI_Finalize(void)
{
	finalize_fn *f;

	*(void **)&f = next("MPI_Finalize");
	PMPI_Barrier(MPI_COMM_WORLD);
	return f();
}
#endif
