/* finishing.c: see finishing.h. */
#include "finishing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void tell(void *self, int sig)
{
	const struct finishing *f = self;

	fprintf(stderr,
	        "orrery: ended by signal %d (%s) before there was a trace: 'orrery gather %s -o "
	        "FOLDER' makes one of what the ranks left\n",
	        sig, strsignal(sig), f->folder);
	raise(sig);
}

void finishing_begin(struct finishing *f, const char *folder)
{
	*f = (struct finishing){.folder = folder ? strdup(folder) : NULL};
	if (f->folder)
		ending_begin(&f->ending, tell, f);
}

void finishing_end(struct finishing *f)
{
	if (f->folder)
		ending_end(&f->ending);
	free(f->folder);
	f->folder = NULL;
}
