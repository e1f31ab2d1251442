/* finishing.c: see finishing.h. The signals are kept away from the thread that works; another one
 * waits for them, as handlers have no context, and for one that nobody else sends it, which ends
 * it. */
#include "finishing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int ending[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
enum { ENDING = sizeof ending / sizeof *ending, OVER = SIGURG };

static void *watch(void *self)
{
	const struct finishing *f = self;
	int sig;

	if (sigwait(&f->watched, &sig) != 0 || sig == OVER)
		return NULL;
	fprintf(stderr,
	        "orrery: ended by signal %d (%s) before there was a trace: 'orrery gather %s -o "
	        "FOLDER' makes one of what the ranks left\n",
	        sig, strsignal(sig), f->folder);
	signal(sig, SIG_DFL);
	pthread_sigmask(SIG_UNBLOCK, &f->watched, NULL);
	raise(sig);
	return NULL;
}

/* Those that whoever started us ignores (nohup) stay ignored. */
void finishing_begin(struct finishing *f, const char *folder)
{
	struct sigaction now;

	*f = (struct finishing){.folder = folder ? strdup(folder) : NULL};
	if (!f->folder)
		return;
	sigemptyset(&f->watched);
	for (int i = 0; i < ENDING; i++)
		if (sigaction(ending[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
			sigaddset(&f->watched, ending[i]);
	sigaddset(&f->watched, OVER);
	pthread_sigmask(SIG_BLOCK, &f->watched, &f->before);
	f->watches = pthread_create(&f->thread, NULL, watch, f) == 0;
	if (!f->watches)
		pthread_sigmask(SIG_SETMASK, &f->before, NULL);
}

void finishing_end(struct finishing *f)
{
	if (f->watches) {
		pthread_kill(f->thread, OVER);
		pthread_join(f->thread, NULL);
		pthread_sigmask(SIG_SETMASK, &f->before, NULL);
	}
	free(f->folder);
	*f = (struct finishing){.folder = NULL};
}
