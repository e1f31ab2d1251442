/* stopped.c: ranks that a signal has stopped, their own or somebody's: the simulation waits for
 * them as for one that computes, and says so, as nobody else would.
 *
 * A rank that the terminal stops together with the simulator (Ctrl-Z) is continued with it: only
 * one that is found stopped twice in a row is told of, once until it goes on. */
#include "live_int.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { FOUND = 2 };

void stopped_text(char *text, size_t n, uint32_t rank, const char *host, int signal, pid_t pid)
{
	const char *why = signal == SIGTTIN   ? ", as it reads from a terminal that is not its own"
	                  : signal == SIGTTOU ? ", as it writes to a terminal that is not its own"
	                                      : "";

	snprintf(text, n,
	         "rank %u on %s is stopped by signal %d (%s)%s, and the simulation waits for it: "
	         "'kill -CONT %ld' lets it go on%s",
	         rank, host, signal, strsignal(signal), why, (long)pid,
	         signal == SIGTTIN ? "; '</dev/null' keeps it from reading there" : "");
}

void stopped_look(struct live *l, uint32_t rank)
{
	struct lrank *r = &l->rank[rank];
	pid_t pid = (pid_t)atomic_load(&r->c->pid);
	char text[512];
	int signal;

	if (pid <= 0)
		pid = r->child;
	signal = launch_stopped(pid);
	if (signal == 0)
		r->stopped = 0;
	if (signal == 0 || r->stopped > FOUND || ++r->stopped != FOUND)
		return;
	r->stopped = FOUND + 1;
	stopped_text(text, sizeof text, rank, live_host(l, rank), signal, pid);
	if (l->o.stopped)
		l->o.stopped(l->o.self, text);
}
