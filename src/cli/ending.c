/* ending.c: see ending.h. The signals are kept away from the threads that work; another one waits
 * for them, as handlers have no context, and for one that nobody else sends it, which ends it: to
 * cancel a thread takes a library that glibc loads when it is wanted, and memory may be short then.
 */
#include "ending.h"

#include <stddef.h>

static const int ending[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
enum { ENDING = sizeof ending / sizeof *ending, OVER = SIGURG };

static void *watch(void *self)
{
	struct ending *e = self;
	sigset_t over, others = e->watched;
	int sig;

	if (sigwait(&e->watched, &sig) != 0 || sig == OVER)
		return NULL;
	sigdelset(&others, OVER);
	pthread_sigmask(SIG_UNBLOCK, &others, NULL);
	e->asked(e->self, sig);
	sigemptyset(&over);
	sigaddset(&over, OVER);
	sigwait(&over, &sig);
	return NULL;
}

/* Those that whoever started us ignores (nohup) stay ignored. */
void ending_begin(struct ending *e, void (*asked)(void *self, int sig), void *self)
{
	struct sigaction now;

	*e = (struct ending){.asked = asked, .self = self};
	sigemptyset(&e->watched);
	for (int i = 0; i < ENDING; i++)
		if (sigaction(ending[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
			sigaddset(&e->watched, ending[i]);
	sigaddset(&e->watched, OVER);
	pthread_sigmask(SIG_BLOCK, &e->watched, &e->before);
	e->watches = pthread_create(&e->thread, NULL, watch, e) == 0;
	if (!e->watches)
		pthread_sigmask(SIG_SETMASK, &e->before, NULL);
}

void ending_end(struct ending *e)
{
	if (e->watches) {
		pthread_kill(e->thread, OVER);
		pthread_join(e->thread, NULL);
		pthread_sigmask(SIG_SETMASK, &e->before, NULL);
	}
	e->watches = 0;
}
