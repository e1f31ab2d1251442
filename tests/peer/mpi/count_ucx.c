/* count_ucx.c: preloaded into a process of an MPICH of the sort ch4:ucx, tells coll_calls.c what
 * MPICH gives to UCX for each other rank. MPICH opens its endpoints in the order of ranks when it
 * starts (ucx_init.c). Needs no header of UCX: only pointers pass through. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

enum { RANKS_MAX = 256 };
static void *endpoints[RANKS_MAX];
static int n_endpoints;

extern void orrery_sent(int to, size_t size) __attribute__((weak)); /* not in the launcher */

int8_t ucp_ep_create(void *worker, const void *params, void **ep)
{
	int8_t (*real)(void *, const void *, void **) = (int8_t(*)(
	    void *, const void *, void **))dlsym(RTLD_NEXT, "ucp_ep_create");
	int8_t r = real(worker, params, ep);
	if (r == 0 && n_endpoints < RANKS_MAX)
		endpoints[n_endpoints++] = *ep;
	return r;
}

void *ucp_tag_send_nbx(void *ep, const void *buffer, size_t n, uint64_t tag, const void *params)
{
	static void *(*real)(void *, const void *, size_t, uint64_t, const void *);
	int i = 0;
	if (!real)
		real = (void *(*)(void *, const void *, size_t, uint64_t, const void *))dlsym(
		    RTLD_NEXT, "ucp_tag_send_nbx");
	while (i < n_endpoints && endpoints[i] != ep)
		i++;
	if (orrery_sent && i < n_endpoints)
		orrery_sent(i, n);
	return real(ep, buffer, n, tag, params);
}
