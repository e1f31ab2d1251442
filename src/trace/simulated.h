/* simulated.h: what the MPI library of `orrery run` and the tracer tell each other, when the tracer
 * is loaded into a simulated rank. Neither is linked to the other: the library shows the object
 * `orrery_simulated`, the tracer looks for it.
 *
 * There the tracer measures nothing and asks nobody: computations are those that the library tells
 * the simulator, one line each, so that a replay computes the same numbers; who a communicator is
 * is known without a message. */
#ifndef ORRERY_TRACE_SIMULATED_H
#define ORRERY_TRACE_SIMULATED_H

#include <stdint.h>

enum { SIMULATED_VERSION = 5 };

/* The tracer's, called before the operation of MPI that stands behind them: a computation of this
 * volume; time that passes without one, s. */
struct simulated_trace {
	void (*compute)(double volume);
	void (*sleep)(double seconds);
};

struct simulated {
	int version;
	/* From stop to start, which may nest, the thread's time is nobody's. */
	void (*stop)(void);
	void (*start)(void);
	/* Where the program calls from, until it is NULL: told at each call, which the library sees
	 * come from the tracer, and would have to unwind the stack. */
	void (*called)(const void *site);
	/* What was computed and not told yet is told now. */
	void (*flush)(void);
	/* Who the communicator is that this thread made last (tracer/comms.h). */
	uint64_t (*made)(void);
	/* World rank of the i-th of that communicator's other group, if it has one. */
	int32_t (*remote)(int32_t i);
	/* That of the first of this rank's MPI_COMM_WORLD: over 0 where it was spawned. */
	int32_t (*first)(void);
	/* Then: the place among those who spawned it of the one who leads them (root). */
	int32_t (*spawner)(void);
	/* The volume of the program's own operator in the blocking collective that has just ended:
	 * the event says it, and no computation of it is told. 0 after a call that does not block,
	 * -1 where there is no such operator, or nothing is measured. Given once. */
	double (*operated)(void);
	/* NULL: no more. */
	void (*trace)(const struct simulated_trace *t);
};
#define SIMULATED_OBJECT "orrery_simulated"

#endif
