/* interrupted.c: see interrupted.h. */
#include "interrupted.h"

#include <stdio.h>

static void stop(void *self, int sig)
{
	struct interrupted *i = self;

	atomic_store(&i->stop, sig);
}

void interrupted_begin(struct interrupted *i)
{
	atomic_init(&i->stop, 0);
	ending_begin(&i->ending, stop, i);
}

void interrupted_end(struct interrupted *i, int r)
{
	int sig;

	ending_end(&i->ending);
	sig = atomic_load(&i->stop);
	if (r < 0 || sig == 0)
		return;
	fflush(stdout);
	raise(sig);
}
