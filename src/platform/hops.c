/* hops.c: a table of declared ways, from (source, destination) to the links and gateways. */
#include "platform/platform_int.h"

#include <stdlib.h>

void hop_table_init(struct hop_table *t)
{
	*t = (struct hop_table){0};
	hash64_init(&t->index);
}

void hop_table_release(struct hop_table *t)
{
	hash64_release(&t->index);
	free(t->hops);
	*t = (struct hop_table){0};
}

static uint64_t key(struct point src, struct point dst)
{
	return (uint64_t)src.code << 32 | dst.code;
}

int hop_table_put(struct hop_table *t, struct point src, struct point dst, const struct hop *h, struct err *err)
{
	struct hop *grown = vec_grow(t->hops, &t->cap, sizeof *grown, (size_t)t->n + 1, "routes", err);
	if (!grown)
		return -1;
	t->hops = grown;
	t->hops[t->n] = *h;
	if (hash64_put(&t->index, key(src, dst), t->n, err) < 0)
		return -1;
	t->n++;
	return 0;
}

const struct hop *hop_table_find(const struct hop_table *t, struct point src, struct point dst)
{
	uint32_t i = hash64_find(&t->index, key(src, dst));
	return i == HASH_NONE ? NULL : &t->hops[i];
}
