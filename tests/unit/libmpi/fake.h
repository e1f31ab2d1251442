/* fake.h: what the objects of libmpi need of those below (core.h) and above (front.h), for one
 * process that is alone or pretends to be one of several. Include once per test program. */
#ifndef ORRERY_TESTS_LIBMPI_FAKE_H
#define ORRERY_TESTS_LIBMPI_FAKE_H

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

#include "fake_front.h"
#include "objects/comm.h"
#include "objects/core.h"
#include "objects/object.h"
#include "orr_mpi.h"
#include "status.h"

#define OK(call) assert_int_equal(call, MPI_SUCCESS)

static struct {
	int process, processes;
	int ended;     /* communicators that ended */
	uint64_t site; /* of the call that is under way */
	char *message; /* in memory that a child shares: what it said when it was aborted */
} fake = {.processes = 1};
enum { FAKE_MESSAGE = 4096, FAKE_ABORTED = 99 };

void orr_core_abort(const char *message, int code)
{
	snprintf(fake.message, FAKE_MESSAGE, "%d: %s", code, message);
	_exit(FAKE_ABORTED);
}

char *const *orr_core_words(void)
{
	return NULL;
}

int orr_core_process(void)
{
	return fake.process;
}

const char *orr_core_host(void)
{
	return "fake-1.example";
}

const int *orr_core_universe(void)
{
	return NULL;
}

const int *orr_core_appnum(void)
{
	static const int first = 0;

	return &first;
}

int orr_core_running(void)
{
	return 1;
}

int orr_core_comm_make(struct orr_comm *parent, struct orr_group *members, enum orr_agreement what,
                       struct orr_comm **out)
{
	(void)parent;
	(void)what;
	*out = members->rank == MPI_UNDEFINED ? NULL : orr_comm_new(members, NULL, 7);
	return MPI_SUCCESS;
}

void orr_core_comm_end(struct orr_comm *c)
{
	(void)c;
	fake.ended++;
}

void orr_core_give(struct orr_comm *c, const void *mine, size_t n, struct orr_giving *g)
{
	(void)c;
	(void)mine;
	(void)n;
	*g = (struct orr_giving){0};
}

/* Nothing is kept of what was given. */
const void *orr_core_take(struct orr_comm *c, const struct orr_giving *g, uint64_t *kept)
{
	static const char nothing[4096];

	(void)c;
	(void)g;
	*kept = 0;
	return nothing;
}

void orr_core_taken(uint64_t kept)
{
	free((void *)(uintptr_t)kept);
}

/* Everybody gives what this process gives. */
const void *orr_core_edges(struct orr_comm *c, const void *mine, size_t n, size_t *total,
                           uint64_t *kept)
{
	char *all = malloc(n * (size_t)c->size + 1);

	*total = n * (size_t)c->size;
	for (int i = 0; i < c->size; i++)
		memcpy(all + (size_t)i * n, mine, n);
	*kept = (uint64_t)(uintptr_t)all;
	return all;
}

void orr_core_edges_told(struct orr_comm *c)
{
	(void)c;
}

void orr_core_attach(void)
{
}

int orr_core_processes(void)
{
	return fake.processes;
}

int orr_core_level(int required)
{
	return required;
}

int orr_core_session_begin(void)
{
	return MPI_SUCCESS;
}

int orr_core_session_end(void)
{
	return MPI_SUCCESS;
}

uint64_t orr_core_site(void)
{
	return fake.site;
}

int orr_Initialized(int *flag)
{
	*flag = 1;
	return MPI_SUCCESS;
}

int orr_core_buffer_wait(void)
{
	return MPI_SUCCESS;
}

/* What a test says is in the buffer. */
static int64_t fake_fill;

int64_t orr_core_buffer_fill(uint32_t least)
{
	(void)least;
	return fake_fill;
}

int orr_core_buffer_iflush(MPI_Request *request)
{
	*request = MPI_REQUEST_NULL;
	return MPI_SUCCESS;
}

/* What the program says when this aborts it. */
static inline const char *aborts(void (*f)(void))
{
	fake.message = mmap(NULL, FAKE_MESSAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
	                    -1, 0);
	assert_ptr_not_equal(fake.message, MAP_FAILED);
	pid_t child = fork();
	if (child == 0) {
		f();
		_exit(0);
	}
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(WEXITSTATUS(status), FAKE_ABORTED);
	return fake.message;
}

/* --- a world of so many processes, of which this is one --- */

static void world_start(int processes, int process)
{
	fake.processes = processes;
	fake.process = process;
	OK(orr_local_start());
	struct orr_group *g = orr_group_new(processes, NULL);
	assert_non_null(g);
	for (int i = 0; i < processes; i++)
		g->member[i] = i;
	orr_group_ready(g);
	OK(orr_comms_start(g, 0, 1));
	orr_group_drop(g);
}

static void world_end(void)
{
	OK(orr_comms_end());
	orr_local_end();
}

#endif
