/* player.h: replaying a trace on a real MPI. Part of the face. */
#ifndef ORRERY_LAUNCH_PLAYER_H
#define ORRERY_LAUNCH_PLAYER_H

#include "base/base.h"

struct launch_player {
	const char *trace;
	const char *launcher; /* "mpirun.mpich", "mpirun --hostfile f": words between blanks */
	uint32_t ranks;
	const char *computation; /* "spin", "sleep", "none" */
	double rate; /* volume units per second where the trace has no durations; 0: as it says */
};
/* Starts it on as many ranks as the trace has; it prints what it measured. Its exit code, or -1: it
 * could not be started (no launcher of an MPI, no player for it). */
int launch_player_run(const struct launch_player *p, struct err *err);

#endif
