/* lists.c: the arrays of a rank's current event: counts, requests, members. Most events have none;
 * a vector collective of thousands of ranks has tens of kilobytes, which are given back with the
 * next event, so that memory follows what ranks are doing now. */
#include "trace/trace_int.h"

#include <stdlib.h>

enum { LISTS_KEPT = 512 };

void lists_clear(struct lists *l)
{
	l->n = 0;
	if (l->members) {
		shares_leave(l->members);
		l->members = NULL;
	}
	if (l->cap > LISTS_KEPT)
		lists_release(l);
}

void lists_release(struct lists *l)
{
	free(l->items);
	shares_leave(l->members);
	*l = (struct lists){0};
}

int lists_push(struct lists *l, int64_t value, struct err *err)
{
	if (l->n == l->cap) {
		int64_t *items = vec_grow(l->items, &l->cap, sizeof *items, (size_t)l->n + 1,
		                          "the lists of an event", err);

		if (!items)
			return -1;
		l->items = items;
	}
	l->items[l->n++] = value;
	return 0;
}

char *lists_bytes(struct lists *l, size_t n, uint32_t *offset, struct err *err)
{
	*offset = l->n;
	for (size_t i = 0; i < n; i += sizeof *l->items)
		if (lists_push(l, 0, err) < 0)
			return NULL;
	return (char *)(l->items + *offset);
}
