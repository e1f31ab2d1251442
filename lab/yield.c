/* yield.c: preloaded into MPICH's ranks by lab/run, against two habits of UCX 1.13 over TCP.
 *
 * It asks epoll_wait with no time-out whether anything has come, as fast as it can. A rank with a processor of its own may; many ranks on few
 * processors must let the others run.
 *
 * MPI_Finalize closes connections in order, which takes the other side's help, and then waits in a barrier of the launcher that gives none: a rank
 * whose peer is there already waits for ever (seen in one run of two with four ranks). After a barrier nothing is under way, and
 * connections may be dropped. */
#include <dlfcn.h>
#include <mpi.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/epoll.h>

typedef int epoll_wait_fn(int, struct epoll_event *, int, int);
typedef int finalize_fn(void);

int epoll_wait(int epfd, struct epoll_event *events, int maxevents, int timeout)
{
	static _Atomic(epoll_wait_fn *) real;
	epoll_wait_fn *f = atomic_load(&real);
	int n;

	if (!f) {
		*(void **)&f = dlsym(RTLD_NEXT, "epoll_wait");
		atomic_store(&real, f);
	}
	n = f(epfd, events, maxevents, timeout);
	if (n == 0 && timeout == 0)
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
