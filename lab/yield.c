/* yield.c: preloaded into MPICH's ranks by lab/run. UCX's TCP transport asks epoll_wait with no time-out whether anything has come, as fast as it
 * can. A rank with a processor of its own may; many ranks on few processors must let the others run. */
#include <dlfcn.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/epoll.h>

typedef int epoll_wait_fn(int, struct epoll_event *, int, int);

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
