/* record_life.c: the first and the last call of a process, and those that are only counted. */
#include "record.h"
#include "tracer.h"

/* All is written before MPI_Finalize is over, not after it: launchers kill what still runs when one
 * process has ended with an exit code other than 0, and MPI_Finalize lets none go on before all are
 * in it. So its duration is not known. */
static void trace_end(void)
{
	struct trace_event ev;

	if (tracer.simulated)
		tracer.simulated->flush();
	if (tracer.first > 0 && tracer.worlds.met)
		comm_persistent_free(tracer.comms.items[COMM_WORLD].id);
	trace_event_init(&ev, TRACE_FINALIZE);
	event_put_more(&ev);
	tracer_stop();
	session_close();
}

/* --- an attribute of MPI_COMM_SELF, the first one set and so the last one deleted --- */

static int self_not_copied(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
	(void)comm;
	(void)keyval;
	(void)extra;
	(void)in;
	(void)out;
	*flag = 0;
	return MPI_SUCCESS;
}

/* The program has made its last call. */
static int self_deleted(MPI_Comm comm, int keyval, void *value, void *extra)
{
	struct call c;

	(void)comm;
	(void)keyval;
	(void)value;
	(void)extra;
	if (tracer.finalizes && call_enter(&c, CALL_Finalize, tracer.finalizes))
		trace_end();
	return MPI_SUCCESS;
}

static void self_watch(void)
{
	int keyval;

	if (PMPI_Comm_create_keyval(self_not_copied, self_deleted, &keyval, NULL) != MPI_SUCCESS)
		return;
	tracer.self_watched = PMPI_Comm_set_attr(MPI_COMM_SELF, keyval, NULL) == MPI_SUCCESS;
	PMPI_Comm_free_keyval(&keyval); /* it lasts as long as the attribute */
}

static int self_has_attributes(void)
{
	return tracer.counts[CALL_Comm_set_attr] + tracer.counts[CALL_Attr_put] > 0;
}

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
		if (tracer.state != TRACER_OFF)
			self_watch();
	}
	call_leave_init();
}

/* MPI_Finalize begins with the deletion of MPI_COMM_SELF's attributes, whose functions may call MPI
 * (11.2.4): what was put there is in the trace, which ends with the first attribute set. That is
 * ours. Where the program set none, the library is not waited for. */
void before_finalize(struct call *c)
{
	(void)c;
	if (session_goes_on())
		return;
	if (tracer.self_watched && self_has_attributes()) {
		if (!tracer.finalizes) /* Fortran's function calls that of C */
			tracer.finalizes = thread.site;
		call_suspend();
	} else {
		trace_end();
	}
}

/* Still tracing: MPI_Finalize failed. */
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
