/* room.h: whether this computer has room for many processes, for who is about to start them: one
 * that is full is hard to stop, and a start that fails half-way has taken its time. */
#ifndef ORRERY_LAUNCH_ROOM_H
#define ORRERY_LAUNCH_ROOM_H

#include "base/base.h"

/* How many more processes there may be by each limit; UINT64_MAX: as many as wanted. */
struct room {
	uint64_t computer; /* kernel.pid_max, kernel.threads-max */
	uint64_t user;     /* RLIMIT_NPROC, which does not hold for root */
	uint64_t group;    /* pids.max of the control group */
	uint64_t memory;   /* bytes */
};
struct room room_now(void);
/* How many more processes the texts of pids.max and pids.current leave; NULL: there is none. */
uint64_t room_of_group(const char *most, const char *used);
/* n processes of at least `bytes` each: 0, or -1 and an error that names the least limit that
 * forbids them, and how it is raised. */
int room_check(const struct room *room, uint64_t n, uint64_t bytes, struct err *err);

#endif
