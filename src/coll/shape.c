/* shape.c: which ranks of a communicator share a host. */
#include "coll.h"

#include <stdlib.h>

void coll_shape_release(struct coll_shape *s)
{
	free(s->node);
	free(s->local);
	free(s->first);
	free(s->member);
	free(s->leader);
	*s = (struct coll_shape){0};
}

static int shape_alloc(struct coll_shape *s, uint32_t p, struct err *err)
{
	s->node = calloc(p, sizeof *s->node);
	s->local = calloc(p, sizeof *s->local);
	s->first = calloc((size_t)p + 1, sizeof *s->first);
	s->member = calloc(p, sizeof *s->member);
	s->leader = calloc(p, sizeof *s->leader);
	if (s->node && s->local && s->first && s->member && s->leader)
		return 0;
	coll_shape_release(s);
	return err_nomem(err, "the shape of a communicator", 5ull * p * sizeof(uint32_t));
}

/* Numbers hosts by their lowest ranks; counts the ranks of node i in first[i]. */
static int number_nodes(struct coll_shape *s, const uint32_t *host, uint32_t p, struct err *err)
{
	struct hash64 seen;
	int r = 0;
	hash64_init(&seen);
	for (uint32_t i = 0; i < p && r == 0; i++) {
		uint32_t n = hash64_find(&seen, host[i]);
		if (n == HASH_NONE) {
			n = s->nodes++;
			s->leader[n] = i;
			r = hash64_put(&seen, host[i], n, err);
		}
		s->node[i] = n;
		s->local[i] = s->first[n]++;
	}
	hash64_release(&seen);
	return r < 0 ? -1 : 0;
}

int coll_shape_init(struct coll_shape *s, const uint32_t *host, uint32_t p, struct err *err)
{
	*s = (struct coll_shape){0};
	if (shape_alloc(s, p, err) < 0)
		return -1;
	if (number_nodes(s, host, p, err) < 0) {
		coll_shape_release(s);
		return -1;
	}
	s->per_node = s->first[0];
	uint32_t before = 0;
	for (uint32_t n = 0; n < s->nodes; n++) {
		uint32_t ranks = s->first[n];
		s->per_node = ranks == s->per_node ? ranks : 0;
		s->first[n] = before;
		before += ranks;
	}
	s->first[s->nodes] = before;
	s->blocked = 1;
	for (uint32_t i = 0; i < p; i++) {
		s->member[s->first[s->node[i]] + s->local[i]] = i;
		s->blocked &= s->leader[s->node[i]] + s->local[i] == i;
	}
	return 0;
}
