/* ending.h: signals that end the process (interrupt, quit, terminate, hangup) while a verb does
 * what must not be left half done. */
#ifndef ORRERY_CLI_ENDING_H
#define ORRERY_CLI_ENDING_H

#include <pthread.h>
#include <signal.h>

struct ending {
	void (*asked)(void *self, int sig);
	void *self;
	sigset_t watched, before;
	pthread_t thread;
	int watches;
};

/* From here to its end the first of these signals has `asked` called, in another thread; from then
 * on they end the process, as at other times. Threads that are started later are left alone, too.
 */
void ending_begin(struct ending *e, void (*asked)(void *self, int sig), void *self);
void ending_end(struct ending *e);

#endif
