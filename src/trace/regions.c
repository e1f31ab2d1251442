/* regions.c: the regions of a trace under one number each. Every rank numbers its own, in the order
 * in which it came to them; what they have in common is the name. */
#include "trace_int.h"

#include <stdlib.h>

static int64_t name_add(struct trace_regions *r, const char *name, struct err *err)
{
	char **names = vec_grow(r->name, &r->cap, sizeof *names, (size_t)r->n + 1, "regions", err);

	if (!names)
		return -1;
	r->name = names;
	names[r->n] = strdup(name);
	if (!names[r->n])
		return err_nomem(err, "the name of a region", strlen(name));
	r->n++; /* released from now on */
	return hash_str_put(&r->index, name, r->n - 1, err) < 0 ? -1 : (int64_t)r->n - 1;
}

int trace_regions_define(struct trace_regions *r, uint32_t rank, const struct trace_event *ev,
                         struct err *err)
{
	uint32_t known = hash_str_find(&r->index, ev->text);
	int64_t id = known == HASH_NONE ? name_add(r, ev->text, err) : (int64_t)known;

	return id < 0 ? -1
	              : hash64_put(&r->local, (uint64_t)rank << 32 | (uint64_t)ev->region,
	                           (uint32_t)id, err);
}

int64_t trace_regions_find(const struct trace_regions *r, uint32_t rank,
                           const struct trace_event *ev)
{
	uint32_t id = ev->region < 0
	                  ? HASH_NONE
	                  : hash64_find(&r->local, (uint64_t)rank << 32 | (uint64_t)ev->region);

	return id == HASH_NONE ? -1 : (int64_t)id;
}

void trace_regions_release(struct trace_regions *r)
{
	for (uint32_t i = 0; i < r->n; i++)
		free(r->name[i]);
	free(r->name);
	hash_str_release(&r->index);
	hash64_release(&r->local);
	*r = (struct trace_regions){0};
}
