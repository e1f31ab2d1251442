/* launch.h: the face of the room that starts processes: the one runner of all commands and of our
 * own helpers. It knows nothing of simulation.
 *
 * Rules
 *  1. A child ends with its parent: the kernel sends it SIGTERM when we die, however we die
 *     (PR_SET_PDEATHSIG; the thread that started it must live as long as it is wanted). So does all
 *     that a command started, if it is kept (keep.c).
 *  2. A command that cannot be started is told by the start, with errno's words, not by an exit
 *     code.
 *  3. Nothing that we have open reaches a command but what it is given: our descriptors are
 *     close-on-exec. */
#ifndef ORRERY_LAUNCH_H
#define ORRERY_LAUNCH_H

#include "base/base.h"
#include "binary.h"
#include "elf.h"

#include <stdio.h>
#include <sys/types.h>

/* A command to be started. Zero but for words: with our own streams, folder and environment. */
struct launch_command {
	const char *const *words;       /* NULL-terminated; the first is looked for in PATH */
	const char *const *environment; /* NULL-terminated "NAME=VALUE" added to ours; NULL: none */
	const char *folder;             /* to be run in; NULL: ours */
	/* Its streams: a descriptor of ours + 1, or 0: ours; LAUNCH_NULL: /dev/null. */
	int in, out, err;
	const int *keep; /* further descriptors that it inherits, under their numbers */
	uint32_t n_keep;
	uint8_t own_group; /* leads a process group of its own (launch_kill reaches all of it); the
	                      terminal's signals then do not reach it by themselves */
	uint8_t kept; /* nothing that it starts outlives us, nor itself if it ends badly (keep.c) */
	int patience; /* kept: milliseconds to end in when told to, before it is killed with all
	                 that it started; 0: half a minute */
};
enum { LAUNCH_NULL = -1 };

/* Its process id, or -1: it could not be started. */
pid_t launch_start(const struct launch_command *c, struct err *err);
/* -1: the command is not in PATH; which package of Debian brings it, if we know, or that it is a
 * file here. */
int launch_not_there(const char *command, struct err *err);
/* A process of ours that runs body and ends with what it returns (0 to 125) as its exit code,
 * without flushing what we had buffered. */
pid_t launch_body(int (*body)(void *self), void *self, struct err *err);
/* Runs a body of ours to its end in a process of its own, kept as a command is: what its processes
 * started does not outlive us either. What it returns: 0 or an exit code, or -1 with *err set, its
 * own too; the exit code of one that calls _exit. Where it dies of a fault or an alarm, an error of
 * the program that it has put there before is why. */
struct launch_body {
	int (*run)(void *self, struct err *err);
	/* It has ended before `run` did, with all below it, by the signal or (0) by _exit; this
	 * process ends after it, of a signal that asks it to in the same way. Or NULL. */
	void (*cut)(void *self, int signal);
	/* Told once, in its keeper: `pid`, which runs it, has slept for so many seconds, all its
	 * threads, and nothing that it started is there. Or NULL. */
	void (*asleep)(void *self, pid_t pid, int seconds);
	void *self;
};
int launch_kept(const struct launch_body *body, struct err *err);
/* Ends such a process at once, on whatever thread and whoever holds what: says why, exit code 1. */
_Noreturn void launch_dies(const char *text);
/* Waits for it: its exit code, or 128 + the signal that ended it. */
int launch_wait(pid_t pid);
/* How a child ended. Zero: well. */
struct launch_end {
	int code;   /* its exit code, */
	int signal; /* or the signal that ended it; 0: none did */
	int core;   /* and left a core */
};
/* 1, and how it ended; 0: it has not ended yet, where we do not wait, or it is no child of ours. */
int launch_ended(pid_t pid, int wait, struct launch_end *end);
int launch_end_is_good(const struct launch_end *end);
/* Its exit code, or 128 + the signal. */
int launch_end_code(const struct launch_end *end);
/* Of what waitpid tells. */
struct launch_end launch_end_of(int status);
/* "exited with code 3", "was killed by signal 9 (Killed)". */
void launch_end_text(const struct launch_end *end, char *buf, size_t n);

/* 1: it waits for somebody else: all of its threads sleep, and it has no living child that it may
 * wait for. 0: it does not, or is no more. */
int launch_sleeps(pid_t pid);
/* 1: its first thread reads its standard input, or writes, which may take as long as somebody
 * likes; or the kernel does not tell in which call it is. */
int launch_is_at_streams(pid_t pid);
/* The signal that stopped it (SIGSTOP where nobody knows: it is not our child); 0: it is not
 * stopped, or by a debugger alone. */
int launch_stopped(pid_t pid);

/* From now on those whose parents, below us, end become our children (PR_SET_CHILD_SUBREAPER). */
void launch_adopt(void);
/* Kills all of our children, and theirs as they come to us, but one (0: none is spared). */
void launch_orphans_kill(pid_t but);
/* The same, but they have half a second to end by themselves, and one when asked to. */
void launch_orphans_end(void);

/* Sends a signal to a child, and to its group if it leads one. */
void launch_kill(pid_t pid, int sig);

/* Signals while children run: what somebody sends to us is forwarded to the children given, and to
 * their groups if they lead one. Interrupt and quit of the terminal, which reach its whole
 * foreground group by themselves, are ignored by us; so are terminate and hangup where whoever
 * started us ignores them (nohup). One at a time in a process: signals have no context but a global
 * one. children must live until given back. */
struct launch_signals {
	struct sigaction_kept *kept;
};
int launch_signals_take(struct launch_signals *s, const pid_t *children, uint32_t n,
                        struct err *err);
void launch_signals_give_back(struct launch_signals *s);

/* Runs a command to its end, kept (keep.c); signals as above. Its exit code, 128 + signal, or -1:
 * it could not be started. */
int launch_run(const struct launch_command *c, struct err *err);
/* The same, and an exit code other than 0 is an error. */
int launch_must(const struct launch_command *c, struct err *err);
/* The first n-1 bytes of what a command prints on its standard output, NUL-terminated (with its
 * standard error: c->err = LAUNCH_WITH_OUT), without input. Its exit code, or -1. */
enum { LAUNCH_WITH_OUT = -2 };
int launch_output(const struct launch_command *c, char *out, size_t n, struct err *err);

#endif
