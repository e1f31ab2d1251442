/* count_ucx.c: preloaded into a process of an MPICH of the sort ch4:ucx: counts the messages and
 * bytes that MPICH gives to UCX for each other rank, while orrery_count(1) holds (coll_once.c calls
 * it around the collective), and adds lines "from to messages bytes" to COUNT_FILE.<rank> at the
 * end. MPICH opens its endpoints in the order of ranks when it starts (ucx_init.c). Needs no header
 * of UCX: only pointers pass through. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { RANKS_MAX = 256 };
static void *endpoints[RANKS_MAX];
static long messages[RANKS_MAX], bytes[RANKS_MAX];
static int n_endpoints, is_on;

void orrery_count(int on)
{
	is_on = on;
}

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
	if (is_on && i < n_endpoints) {
		messages[i]++;
		bytes[i] += (long)n;
	}
	return real(ep, buffer, n, tag, params);
}

__attribute__((destructor)) static void report(void)
{
	const char *file = getenv("COUNT_FILE"), *rank = getenv("PMI_RANK");
	char path[4096];
	if (!file || !rank || n_endpoints == 0)
		return;
	snprintf(path, sizeof path, "%s.%s", file, rank);
	FILE *f = fopen(path, "a");
	if (!f)
		return;
	for (int i = 0; i < n_endpoints; i++)
		if (messages[i])
			fprintf(f, "%s %d %ld %ld\n", rank, i, messages[i], bytes[i]);
	fclose(f);
}
