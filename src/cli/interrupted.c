/* interrupted.c: see interrupted.h. As in finishing.c, a thread waits for the signals, and for one
 * that nobody else sends it, which ends it: to cancel a thread takes a library that glibc loads
 * when it is wanted, and memory may be short then. */
#include "interrupted.h"

#include <stdio.h>
#include <unistd.h>

static const int ending[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
enum { ENDING = sizeof ending / sizeof *ending, OVER = SIGURG };

/* The second one comes to this thread, which does not keep it away any more. */
static void *watch(void *self)
{
	struct interrupted *i = self;
	sigset_t over;
	int sig;

	if (sigwait(&i->watched, &sig) != 0 || sig == OVER)
		return NULL;
	atomic_store(&i->stop, sig);
	sigemptyset(&over);
	sigaddset(&over, OVER);
	sigdelset(&i->watched, OVER);
	pthread_sigmask(SIG_UNBLOCK, &i->watched, NULL);
	sigwait(&over, &sig);
	return NULL;
}

/* Those that whoever started us ignores (nohup) stay ignored. */
void interrupted_begin(struct interrupted *i)
{
	struct sigaction now;

	*i = (struct interrupted){.watches = 0};
	sigemptyset(&i->watched);
	for (int k = 0; k < ENDING; k++)
		if (sigaction(ending[k], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
			sigaddset(&i->watched, ending[k]);
	sigaddset(&i->watched, OVER);
	pthread_sigmask(SIG_BLOCK, &i->watched, &i->before);
	i->watches = pthread_create(&i->thread, NULL, watch, i) == 0;
	if (!i->watches)
		pthread_sigmask(SIG_SETMASK, &i->before, NULL);
}

void interrupted_end(struct interrupted *i, int r)
{
	int sig = atomic_load(&i->stop);

	if (i->watches) {
		pthread_kill(i->thread, OVER);
		pthread_join(i->thread, NULL);
		pthread_sigmask(SIG_SETMASK, &i->before, NULL);
	}
	i->watches = 0;
	if (r < 0 || sig == 0)
		return;
	fflush(stdout);
	raise(sig);
}
