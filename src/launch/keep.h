/* keep.h: a process between us and what we start. For files of this room. */
#ifndef ORRERY_LAUNCH_KEEP_H
#define ORRERY_LAUNCH_KEEP_H

#include "launch.h"

#include <signal.h>

/* In a process that we have just forked, with the pid of the one that forked it: forks again.
 * Returns 0 in the new one, which is to become what is started and ends with the keeper; -1 with
 * errno: it could not. The process that called is the keeper from then on and does not return: it
 * ends as the new one does, and after all that is below. patience: milliseconds that the new one
 * has to end when it is told to; 0: half a minute. body: whose the new one is, or NULL. */
int keep(pid_t parent, int patience, const struct launch_body *body);

/* A body of ours that is run so. */
struct kept_body {
	const struct launch_body *body;
	struct kept_told { /* shared with the process that runs it */
		struct err err;
		int result;
	} * told;
};
/* Its keeper; -1 with *err set. self: the kept_body. */
pid_t kept_body_start(const void *self, struct err *err);

/* In a child, first of all: it ends with its parent. */
void keep_end_with(pid_t parent);

/* Terminate and hangup are never ignored by us: where they are, whoever started us (nohup) wants
 * that, of us and of what we start. */
int launch_is_spared(int sig);
/* A signal of the terminal, which reaches what we start by itself. */
int is_terminals(int sig, const siginfo_t *info);

#endif
