/* record_life.c: the first and the last call of a process, and those that are only counted. */
#include "record.h"
#include "tracer.h"

void record_init(struct call *c, int rc)
{
	int provided = MPI_THREAD_SINGLE;

	c->returned = tracer.simulated ? 0 : clock_ns();
	if (rc == MPI_SUCCESS) {
		PMPI_Query_thread(&provided);
		tracer.threaded = provided >= MPI_THREAD_SERIALIZED;
		tracer.multiple = provided == MPI_THREAD_MULTIPLE;
		tracer.world = MPI_COMM_WORLD;
		if (tracer.ended)
			tracer_tell_again();
		else
			tracer_start(c->entered, c->returned);
	}
	call_leave_init();
}

/* All is written before MPI_Finalize, not after it: launchers kill what still runs when one process
 * has ended with an exit code other than 0, and MPI_Finalize lets none go on before all are in it.
 * So its duration is not known. */
void before_finalize(struct call *c)
{
	struct trace_event ev;

	(void)c;
	if (session_goes_on())
		return;
	if (tracer.simulated)
		tracer.simulated->flush();
	if (tracer.first > 0 && tracer.worlds.met)
		comm_persistent_free(tracer.comms.items[COMM_WORLD].id);
	trace_event_init(&ev, TRACE_FINALIZE);
	event_put_more(&ev);
	tracer_stop();
	session_close();
}

void record_finalize(struct call *c, enum trace_op op)
{
	(void)c;
	(void)op;
}

/* What was put is in the file. */
void before_abort(struct call *c)
{
	(void)c;
	writer_rescue(&tracer.out);
}

void record_abort(struct call *c)
{
	(void)c; /* MPI_Abort has returned: nothing is known of what follows */
}

void record_other(struct call *c)
{
	tracer.counts[c->id]++;
	thread.polled = 0;
}
