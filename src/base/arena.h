/* arena.h: memory that is given back all at once. */
#ifndef ORRERY_BASE_ARENA_H
#define ORRERY_BASE_ARENA_H

#include "err.h"

#include <stddef.h>

struct arena_block;
struct arena {
	struct arena_block *head;
	size_t used; /* bytes handed out */
};

void arena_init(struct arena *a);
/* Zeroed memory aligned for any type, owned by the arena; NULL with *err set when memory is
 * exhausted. */
void *arena_alloc(struct arena *a, size_t size, struct err *err);
/* A copy of the n bytes at s, with a final NUL. */
char *arena_strndup(struct arena *a, const char *s, size_t n, struct err *err);
void arena_release(struct arena *a);

#endif
