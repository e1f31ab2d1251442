/* io_and_calls.c: handlers for `orrery info --handlers`: how many collective, blocking and
 * non-blocking calls and calls on files rank 0 makes, and each of the others on average: tables 6.1
 * and 6.2 of K. Vijayakumar, Probabilistic Communication and I/O Tracing with Deterministic Replay
 * at Scale, 2010. cc -shared -fPIC -I<prefix>/include -o io_and_calls.so io_and_calls.c orrery info
 * TRACE --handlers $PWD/io_and_calls.so */
#include <orrery/analysis.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MPI_IO, SYSTEM_IO, COLLECTIVE, BLOCKING, NONBLOCKING, KINDS };

struct counts {
	uint32_t ranks;
	uint64_t first[KINDS], others[KINDS];
	void (*say)(void *to, const char *text);
	void *to;
};

static void *begin(uint32_t ranks, const char *arguments, void (*say)(void *, const char *),
                   void *to)
{
	struct counts *c = *arguments ? NULL : calloc(1, sizeof *c);

	if (c) {
		c->ranks = ranks;
		c->say = say;
		c->to = to;
	}
	return c;
}

static int kind_of(const struct orrery_analysis_call *c)
{
	static const char *const system[] = {"open", "close", "fsync", "read", "write", "unlink"};
	static const char *const blocking[] = {"send",  "ssend", "bsend",
	                                       "rsend", "recv",  "sendRecv"};
	static const char *const nonblocking[] = {"isend", "issend", "ibsend", "irsend", "irecv"};
	static const char *const collective[] = {"barrier", "bcast",     "reduce",    "allreduce",
	                                         "gather",  "allgather", "alltoall",  "scatter",
	                                         "scan",    "alltoallv", "allgatherv"};

	if (!strncmp(c->action, "file_", 5))
		return MPI_IO;
	for (size_t i = 0; i < sizeof system / sizeof *system; i++)
		if (!strcmp(c->action, system[i]))
			return SYSTEM_IO;
	for (size_t i = 0; i < sizeof blocking / sizeof *blocking; i++)
		if (!strcasecmp(c->action, blocking[i]))
			return BLOCKING;
	for (size_t i = 0; i < sizeof nonblocking / sizeof *nonblocking; i++)
		if (!strcasecmp(c->action, nonblocking[i]))
			return NONBLOCKING;
	for (size_t i = 0; i < sizeof collective / sizeof *collective; i++)
		if (!strcasecmp(c->action, collective[i]))
			return COLLECTIVE;
	return KINDS;
}

static int call(void *self, const struct orrery_analysis_call *c)
{
	struct counts *n = self;
	int kind = kind_of(c);

	if (kind < KINDS)
		(c->rank == 0 ? n->first : n->others)[kind] += c->times;
	return 0;
}

static int end(void *self)
{
	static const char *const names[KINDS] = {"MPI I/O", "system I/O", "collective", "blocking",
	                                         "non-blocking"};
	struct counts *n = self;
	char line[128];

	n->say(n->to, "calls              at 0      others\n");
	for (int k = 0; k < KINDS; k++) {
		snprintf(line, sizeof line, "%-12s %10llu %11.1f\n", names[k],
		         (unsigned long long)n->first[k],
		         n->ranks > 1 ? (double)n->others[k] / (n->ranks - 1) : 0);
		n->say(n->to, line);
	}
	free(n);
	return 0;
}

const struct orrery_analysis orrery_analysis_entry = {
    ORRERY_ANALYSIS_ABI, sizeof(struct orrery_analysis), "io_and_calls", begin, call, NULL, end};
