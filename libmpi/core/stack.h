/* stack.h: from where a call is (site.c finds out, stack.c numbers it). */
#ifndef ORRERY_LIBMPI_STACK_H
#define ORRERY_LIBMPI_STACK_H

#include <stdint.h>

enum { STACK_DEPTH = 24 };
struct frames { /* return addresses in the program, the innermost first */
	int n;
	uint64_t at[STACK_DEPTH];
};
/* The call that begins is from there. */
void stack_is(const struct frames *f);
struct stacks;
void stacks_free(struct stacks *s);

#endif
