/* arena.c: a chain of blocks, each twice the size of the one before up to a megabyte; a request too
 * big for that gets a block of its own, chained behind the current one so that the space left there
 * stays in use. */
#include "arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ARENA_FIRST = 4096, ARENA_LARGEST = 1 << 20 };

struct arena_block {
	struct arena_block *next;
	size_t size, used; /* of data */
	alignas(max_align_t) char data[];
};

void arena_init(struct arena *a)
{
	*a = (struct arena){0};
}

static struct arena_block *block_new(size_t size, struct err *err)
{
	struct arena_block *b = size <= SIZE_MAX - sizeof *b ? calloc(1, sizeof *b + size) : NULL;

	if (!b) {
		err_nomem(err, "an arena", size);
		return NULL;
	}
	b->size = size;
	return b;
}

/* A block with at least `size` bytes free, placed in the chain. */
static struct arena_block *arena_room(struct arena *a, size_t size, struct err *err)
{
	struct arena_block *b = a->head;
	size_t wanted;

	if (b && b->size - b->used >= size)
		return b;
	wanted = !b ? ARENA_FIRST : b->size < ARENA_LARGEST ? 2 * b->size : ARENA_LARGEST;
	b = block_new(size > wanted / 4 ? size : wanted, err);
	if (!b)
		return NULL;
	if (a->head && size > wanted / 4) {
		b->next = a->head->next;
		a->head->next = b;
	} else {
		b->next = a->head;
		a->head = b;
	}
	return b;
}

void *arena_alloc(struct arena *a, size_t size, struct err *err)
{
	const size_t align = alignof(max_align_t);
	struct arena_block *b;
	void *p;

	if (size > SIZE_MAX - align) {
		err_nomem(err, "an arena", size);
		return NULL;
	}
	size = size == 0 ? align : (size + align - 1) / align * align;
	b = arena_room(a, size, err);
	if (!b)
		return NULL;
	p = b->data + b->used;
	b->used += size;
	a->used += size;
	return p;
}

char *arena_strndup(struct arena *a, const char *s, size_t n, struct err *err)
{
	char *copy = arena_alloc(a, n + 1, err);

	if (copy)
		memcpy(copy, s, n);
	return copy;
}

void arena_release(struct arena *a)
{
	struct arena_block *b = a->head, *next;

	for (; b; b = next) {
		next = b->next;
		free(b);
	}
	arena_init(a);
}
