/* yield.c: preloaded into the ranks by lab/run, so that many ranks can share few processors.
 *
 * MPI libraries wait by asking again and again whether anything has come. Open MPI calls sched_yield in between (mpi_yield_when_idle), MPICH's UCX
 * does not even that. A rank that waits here sleeps for 20 us instead: the processors stay free for the ranks that do something and for the kernel's
 * own network threads, which would otherwise wait behind ranks that only ask. It costs some 20 us of latency, which a calibration sees. UCX also
 * goes on asking whether there is room to send when it has nothing to send: a million answers "yes" in a second (1.13, eight ranks in a ring),
 * which is waiting too.
 *
 * With MPICH (LAB_MPICH), MPI_Finalize closes connections in order, which takes the other side's help, and then waits in a barrier of the launcher that
 * gives none: a rank whose peer is there already waits for ever (seen in one run of two with four ranks). After a barrier nothing is under
 * way, and connections may be left as they are. */
#include <dlfcn.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <time.h>

static __attribute__((constructor)) void precise_sleep(void)
{
	prctl(PR_SET_TIMERSLACK, 1000ul, 0ul, 0ul, 0ul); /* ns; 50 us is usual */
}

int sched_yield(void)
{
	struct timespec t = {0, 20000};

	nanosleep(&t, NULL);
	return 0;
}

#ifdef LAB_MPICH
#include <mpi.h>

typedef int epoll_wait_fn(int, struct epoll_event *, int, int);
typedef int finalize_fn(void);

enum { PATIENCE = 3 };

int epoll_wait(int epfd, struct epoll_event *events, int maxevents, int timeout)
{
	static _Atomic(epoll_wait_fn *) real;
	static _Thread_local int idle; /* calls in a row that found at most room to send */
	epoll_wait_fn *f = atomic_load(&real);
	int n;

	if (!f) {
		*(void **)&f = dlsym(RTLD_NEXT, "epoll_wait");
		atomic_store(&real, f);
	}
	n = f(epfd, events, maxevents, timeout);
	for (int i = 0; i < n; i++)
		if (events[i].events & ~(unsigned)EPOLLOUT)
			idle = -1;
	idle = idle < PATIENCE ? idle + 1 : idle;
	if (timeout == 0 && (n == 0 || idle == PATIENCE))
		sched_yield();
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

	*(void **)&f = dlsym(RTLD_NEXT, "MPI_Finalize");
	PMPI_Barrier(MPI_COMM_WORLD);
	return f();
}
#endif
