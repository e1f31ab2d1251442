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

static int hop_table_put(struct hop_table *t, const struct hop *h, struct err *err)
{
	struct hop *grown = vec_grow(t->hops, &t->cap, sizeof *grown, (size_t)t->n + 1, "routes",
	                             err);
	if (!grown)
		return -1;
	t->hops = grown;
	t->hops[t->n] = *h;
	if (hash64_put(&t->index, key(h->src, h->dst), t->n, err) < 0)
		return -1;
	t->n++;
	return 0;
}

static int put_once(struct hop_table *t, const struct build *b, const struct hop *h,
                    struct place at, struct err *err)
{
	char x[256], y[256];
	if (!hop_table_find(t, h->src, h->dst))
		return hop_table_put(t, h, err);
	point_name(b->p, h->src, x, sizeof x);
	point_name(b->p, h->dst, y, sizeof y);
	return build_error(b, at, err,
	                   "the route from '%s' to '%s' is already declared (routes are "
	                   "symmetrical unless symmetrical=\"NO\")",
	                   x, y);
}

int hop_table_declare(struct hop_table *t, const struct build *b, const struct declared *d,
                      struct err *err)
{
	if (put_once(t, b, &d->hop, d->at, err) < 0)
		return -1;
	if (!d->symmetrical || point_same(d->hop.src, d->hop.dst))
		return 0;
	return put_once(t, b, &d->back, d->at, err);
}

const struct hop *hop_table_find(const struct hop_table *t, struct point src, struct point dst)
{
	uint32_t i = hash64_find(&t->index, key(src, dst));
	return i == HASH_NONE ? NULL : &t->hops[i];
}
