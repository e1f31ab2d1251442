/* beside.c: see beside.h. */
#include "beside.h"

#include "tracer.h"

#include <time.h>

/* Less is not worth a word: an MPI library has threads of its own, which mostly sleep. */
enum { WORTH_MS = 10, WORTH_PART = 10 };

static int64_t used(clockid_t clock)
{
	struct timespec now = {0};

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Elapsed time is that of all threads, and what is made up is nobody's. */
static int counts_a_thread(void)
{
	const struct counter *c = tracer.counter.counter;

	return c != &counter_wall && c != &counter_fake && c != &counter_simulated;
}

void beside_begin(void)
{
	tracer.used.process = used(CLOCK_PROCESS_CPUTIME_ID);
	tracer.used.thread = used(CLOCK_THREAD_CPUTIME_ID);
}

/* Of several threads in MPI all computations are in the trace, and which are not is unknown. */
int beside_put(struct err *err)
{
	int64_t process = used(CLOCK_PROCESS_CPUTIME_ID) - tracer.used.process,
	        others = process - (used(CLOCK_THREAD_CPUTIME_ID) - tracer.used.thread),
	        ms = others / 1000000;

	if (tracer.threads > 1 || !counts_a_thread() || ms < WORTH_MS ||
	    others < process / WORTH_PART)
		return 0;
	return writer_note(&tracer.out, err, "%s %lld ms",
	                   others_any(&tracer.others) ? "threads" : "beside", (long long)ms);
}
