/* replay.h: the face of the replay room: drives mp from a trace. One small state machine per rank, no stack: a rank is a cursor over its
 * events and the list of its outstanding requests. It knows no file format (trace does) and no cost (net does). */
#ifndef ORRERY_REPLAY_H
#define ORRERY_REPLAY_H

#include "mp/mp.h"
#include "trace/trace.h"

struct replay;

/* Where the time of a computation comes from. */
enum replay_computation {
	REPLAY_VOLUME, /* its volume, executed at the speed of the simulated host */
	REPLAY_RECORDED, /* its measured duration, as it was in the traced run ("perfect computation", thesis 4.3.1), divided by the CPU ratio
	                  * of its host, where the machine has one (time-scaled prediction: PSINS, Dimemas) */
	REPLAY_NONE /* nothing: computations take no time */
};

struct replay_options {
	enum replay_computation computation;
	double scale;              /* volumes are multiplied by it; 1 */
	struct progress *progress; /* its `done` counts actions; NULL if unwanted */
};

/* trace and the options' progress must outlive it. ranks: those of the simulation; the trace must have as many. */
struct replay *replay_new(struct trace *trace, uint32_t ranks, const struct config *cfg, const struct replay_options *o,
                          struct err *err);
void replay_free(struct replay *r);
/* The program to give to mp_run. */
struct mp_program replay_program(struct replay *r);
uint64_t replay_actions(const struct replay *r); /* events executed so far */
/* Things a user should know, one line each with counts (waits on requests that do not exist, …), appended to *out. */
void replay_notices(const struct replay *r, struct str *out);

#endif
