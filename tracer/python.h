/* python.h: where a Python program makes a call: file and line of the frame that is being executed,
 * as the interpreter in this process says. To the tracer all calls of a Python program come from
 * one place in an extension module (mpi4py's) or in the interpreter itself.
 *
 * The interpreter is asked through its C interface, found by name when it is there: nothing is
 * linked to it. A frame may only be looked at under the interpreter's lock (GIL), which mpi4py
 * gives back during a call; it is taken again only if there is no other thread that could hold it
 * and wait for us. Otherwise the place is not known, and the address of the call stands for it. */
#ifndef ORRERY_TRACER_PYTHON_H
#define ORRERY_TRACER_PYTHON_H

#include "base/base.h"

struct python {
	struct hash64 kind;     /* address of a call -> whether it is of Python */
	struct hash_str places; /* "file.py:12" -> index */
	char **name;            /* of each place; ours */
	uint32_t n, cap;
};

void python_init(struct python *p);
void python_release(struct python *p);
/* The call in progress returns to `address`: its place and those of its callers, from the inside
 * out, up to `most`, into out (indices into p->name). Returned: how many; 0: not of Python, or not
 * known; -1: memory ran out. */
int python_places(struct python *p, const void *address, uint32_t *out, int most, struct err *err);

#endif
