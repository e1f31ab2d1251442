/* simulated.c: the tracer in a rank of `orrery run` (src/trace/simulated.h): what is computed, and
 * time that passes without computation, are written when the library tells the simulator. */
#include "trace/simulated.h"
#include "mpi_late.h"
#include "record.h"
#include "tracer.h"

static void event_write(enum trace_op op, double amount)
{
	struct trace_event ev;

	if (!recording())
		return;
	trace_event_init(&ev, op);
	ev.volume = amount;
	tracer_lock();
	event_bare(&ev);
	tracer_unlock();
}

static void computed(double volume)
{
	event_write(TRACE_COMPUTE, volume);
}

static void slept(double seconds)
{
	event_write(TRACE_SLEEP, seconds);
}

void simulated_find(void)
{
	const struct simulated *s = mpi_object(SIMULATED_OBJECT);

	if (s && s->version == SIMULATED_VERSION)
		tracer.simulated = s;
}

void simulated_start(void)
{
	static const struct simulated_trace trace = {computed, slept};

	thread.opened = 1;
	tracer.simulated->trace(&trace);
}

void simulated_stop(void)
{
	tracer.simulated->trace(NULL);
}
