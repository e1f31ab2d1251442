/* simgrid_comm.c: communicators where there is only the world. Those that hold all ranks in the
 * world's order are the world; one with a single rank communicates nothing. On the others, messages
 * go on between world ranks, with a tag for each (communicator, tag), so that they match nothing
 * else; collectives cannot be said. */
#include "simgrid_int.h"

#include <stdlib.h>

void simgrid_comms_release(struct simgrid_comms *c)
{
	hash64_release(&c->index);
	hash64_release(&c->tags);
	free(c->kinds);
}

static enum simgrid_comm members_kind(const struct trace_event *ev, uint32_t ranks)
{
	if (ev->n_members == 1)
		return COMM_SINGLE;
	if (ev->n_members != ranks)
		return COMM_SUB;
	for (int64_t i = 0; i < ev->n_members; i++)
		if (ev->members[i] != i)
			return COMM_SUB;
	return COMM_WORLD_LIKE;
}

/* The place of a communicator in kinds; HASH_NONE with *err set. */
static uint32_t comm_place(struct simgrid_comms *c, uint64_t comm, struct err *err)
{
	uint32_t place = hash64_find(&c->index, comm);
	uint8_t *kinds;

	if (place != HASH_NONE)
		return place;
	kinds = vec_grow(c->kinds, &c->cap, 1, (size_t)c->n + 1, "communicators", err);
	if (!kinds)
		return HASH_NONE;
	c->kinds = kinds;
	kinds[c->n] = COMM_SUB;
	if (hash64_put(&c->index, comm, c->n, err) < 0)
		return HASH_NONE;
	return c->n++;
}

int simgrid_comm_note(struct simgrid_comms *c, const struct trace_event *ev, uint32_t ranks,
                      struct err *err)
{
	uint32_t place;

	if (ev->n_members == 0 || ev->comm <= 1)
		return 0;
	place = comm_place(c, ev->comm, err);
	if (place == HASH_NONE)
		return -1;
	c->kinds[place] = (uint8_t)members_kind(ev, ranks);
	return 0;
}

enum simgrid_comm simgrid_comm_kind(const struct simgrid_comms *c, uint64_t comm)
{
	uint32_t place;

	if (comm <= 1)
		return comm == 0 ? COMM_WORLD_LIKE : COMM_SINGLE;
	place = hash64_find(&c->index, comm);
	return place == HASH_NONE ? COMM_SUB : (enum simgrid_comm)c->kinds[place];
}

/* A duplicate of the world is another world for messages: it gets tags of its own too. */
int simgrid_tag(struct simgrid_comms *c, uint64_t comm, int32_t tag, int32_t *out, struct err *err)
{
	uint32_t place, number;
	uint64_t key;

	*out = tag;
	if (comm == 0 || tag == TRACE_ANY)
		return 0;
	place = comm_place(c, comm, err);
	if (place == HASH_NONE)
		return -1;
	key = (uint64_t)place << 32 | (uint32_t)tag;
	number = hash64_find(&c->tags, key);
	if (number == HASH_NONE) {
		number = c->n_tags;
		if (number >= INT32_MAX - SIMGRID_TAGS)
			return err_set(err, ERR_LIMIT,
			               "more than %d different tags on sub-communicators",
			               INT32_MAX - SIMGRID_TAGS);
		if (hash64_put(&c->tags, key, number, err) < 0)
			return -1;
		c->n_tags++;
	}
	*out = SIMGRID_TAGS + (int32_t)number;
	return 0;
}
