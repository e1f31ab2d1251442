/* finishing.h: a verb that is told to end while it makes a trace of what the ranks left, which it
 * cannot do in no time, says how the user comes by that trace all the same. */
#ifndef ORRERY_CLI_FINISHING_H
#define ORRERY_CLI_FINISHING_H

#include "ending.h"

struct finishing {
	char *folder;
	struct ending ending;
};

/* From here to its end a signal that ends the process has it say so. folder: where the ranks wrote;
 * NULL: nothing is done. */
void finishing_begin(struct finishing *f, const char *folder);
void finishing_end(struct finishing *f);

#endif
