/* starting.h: what a rank's process is started with: words, environment, streams. */
#ifndef ORRERY_LIVE_STARTING_H
#define ORRERY_LIVE_STARTING_H

#include "launch/launch.h"
#include "live.h"
#include "wire.h"

struct starting;
/* ranks: of the world; universe: those that may be spawned included. host: number of each rank's
 * host. segment: the path of what ranks share. */
struct starting *starting_new(const struct live_options *o, uint32_t ranks, uint32_t universe,
                              const uint32_t *host, const char *segment, struct err *err);
void starting_free(struct starting *s);
/* Starts a rank: its process, or -1. */
pid_t starting_rank(struct starting *s, uint32_t rank, struct err *err);
/* A process that a rank spawns becomes this one; folder NULL: ours. Where output is marked by rank,
 * its own is not. */
struct spawned {
	const char *const *words;
	const char *folder;
	uint64_t world; /* place of its struct wire_world */
	uint32_t appnum;
};
pid_t starting_spawned(struct starting *s, uint32_t rank, const struct spawned *p, struct err *err);
/* All are started. */
int starting_done(struct starting *s, struct err *err);
/* The process that handles what they write; 0: none. */
pid_t starting_pump(const struct starting *s);
/* The ranks have ended: all that they wrote is written. */
void starting_end(struct starting *s);

#endif
