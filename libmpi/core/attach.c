/* attach.c: the rank finds the segment that it shares with the simulator, and attaches to it. Whose
 * process is none of a simulation is told how to begin one. */
#include "base/num.h"
#include "link.h"
#include "measure.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

static _Noreturn void refuse(const char *why)
{
	fprintf(stderr,
	        "orrery: %s. This MPI library runs programs in a simulation: "
	        "orrery run -np N -p MACHINE -- PROGRAM\n",
	        why);
	exit(2);
}

static void *map(const char *path, size_t *size)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	struct stat s;
	void *p;

	if (fd < 0 || fstat(fd, &s) < 0)
		refuse("the simulator is not there");
	*size = (size_t)s.st_size;
	p = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	close(fd);
	if (p == MAP_FAILED)
		refuse("the memory shared with the simulator cannot be mapped");
	madvise(p, *size, MADV_DONTDUMP); /* a core has the program's memory */
	return p;
}

/* A child of the rank is no rank. */
static void forked(void)
{
	link_now->running = 0;
	link_now->ended = LINK_FORKED;
	link_now->lock = (struct ticket_lock){0}; /* whoever had it is not here */
	measure_forked();
}

int link_open(void)
{
	const char *path = getenv(WIRE_ENV_SEGMENT), *rank = getenv(WIRE_ENV_RANK);
	int64_t number;
	size_t size;

	if (link_now->head)
		return MPI_SUCCESS;
	if (!path || !rank)
		refuse("the program was not started by 'orrery run'");
	if (num_parse_i64(rank, strlen(rank), &number) < 0 || number < 0 || number > UINT32_MAX)
		refuse("its rank in the environment is no number");
	link_now->rank = (uint32_t)number;
	link_now->head = map(path, &size);
	if (link_now->head->magic != WIRE_MAGIC || link_now->head->version != WIRE_VERSION ||
	    link_now->rank >= link_now->head->ranks)
		refuse("the simulator is of another version");
	link_now->ranks = link_now->head->world;
	link_now->c = wire_channel(link_now->head, link_now->rank);
	link_now->heap = &link_now->own_heap;
	wire_heap_init(link_now->heap, link_now->head, link_now->rank);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	link_now->first = pthread_self();
	if (atomic_load(&link_now->c->pid) != 0)
		refuse("this rank's place is taken: a process that it started calls MPI_Init too");
	pthread_atfork(NULL, NULL, forked);
	overflow_watch(link_now);
	if (link_measured())
		measure_start(link_now->head->tick);
	atomic_store(&link_now->c->state, WIRE_INSIDE);
	atomic_store(&link_now->c->pid, (uint32_t)getpid());
	return MPI_SUCCESS;
}
