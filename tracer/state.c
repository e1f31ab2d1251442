/* state.c: what a process and each of its threads know; its lock; saying that tracing has stopped.
 */
#include "tracer.h"

#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct tracer tracer = {.out.file.fd = -1, .fortran.index_base_f08 = -1};
_Thread_local struct tracer_thread thread;

void tracer_lock(void)
{
	if (tracer.threaded)
		pthread_mutex_lock(&tracer.lock);
}

void tracer_unlock(void)
{
	if (tracer.threaded)
		pthread_mutex_unlock(&tracer.lock);
}

/* --- saying that tracing has stopped, once per run --- */

static enum trace_stop why(const struct err *err)
{
	if (!err)
		return TRACE_STOP_AGAIN;
	return err->number == ENOSPC || err->number == EDQUOT ? TRACE_STOP_ROOM
	       : err->number == EEXIST                        ? TRACE_STOP_NEXT
	                                                      : TRACE_STOP_OTHER;
}

int tracer_speaks_first(const struct err *err)
{
	const char *dir = getenv("ORRERY_TRACE_DIR");
	char path[4096], kept[4096];
	int fd;

	if (!dir || (size_t)snprintf(path, sizeof path, "%s/" TRACE_STOPPED, dir) >= sizeof path ||
	    (size_t)snprintf(kept, sizeof kept, "%s/" TRACE_GOES_ON, dir) >= sizeof kept)
		return 1;
	if (rename(kept, path) == 0)
		fd = open(path, O_WRONLY | O_CLOEXEC);
	else
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return errno != EEXIST;
	(void)!ftruncate(fd, why(err)); /* which takes no room */
	close(fd);
	return 1;
}

void tracer_tell_again(void)
{
	if (tracer_speaks_first(NULL))
		fprintf(stderr,
		        "orrery: the program begins MPI again after it had ended all of it: "
		        "the trace ends where it ended first.\n");
}

void tracer_mute(const struct err *err)
{
	if (tracer.state != TRACER_ON)
		return;
	tracer.state = TRACER_MUTE;
	writer_drop(&tracer.out);
	if (tracer_speaks_first(err))
		fprintf(stderr,
		        "orrery: tracing stops at rank %d: %s. The application goes on untraced.\n",
		        tracer.rank, err->text);
}

/* --- scratch memory --- */

void *thread_statuses(int64_t n)
{
	struct err err;
	void *p = vec_grow(thread.statuses, &thread.statuses_cap, sizeof(MPI_Status), (size_t)n,
	                   "statuses", &err);

	if (p)
		thread.statuses = p;
	else
		tracer_mute(&err);
	return p;
}

int64_t *thread_numbers(int which, int64_t n)
{
	int64_t **items = which ? &thread.numbers2 : &thread.numbers;
	uint32_t *cap = which ? &thread.numbers2_cap : &thread.numbers_cap;
	struct err err;
	int64_t *p = vec_grow(*items, cap, sizeof *p, n > 0 ? (size_t)n : 1, "numbers", &err);

	if (p)
		*items = p;
	else
		tracer_mute(&err);
	return p;
}
