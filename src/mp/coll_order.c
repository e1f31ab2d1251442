/* coll_order.c: all members of a communicator call the same collectives in the same order (MPI 4.0, 6.14): the k-th call of each is compared with
 * the first k-th call. Only calls that some members have not begun yet are kept. */
#include "mp_int.h"

#include <stdlib.h>

static const char *call_text(const struct coll_call *call)
{
	return mp_call_name((enum mp_call)call->call);
}

static int calls_differ(struct mp *mp, const struct comm *c, uint32_t number, const struct coll_call *mine,
                        const struct coll_call *first, struct err *err)
{
	uint32_t slot = c->ctx & CTX_SLOT;

	if (mine->call != first->call)
		return mp_error(mp, mine->rank, err, "calls %s as collective %u on communicator %u, where rank %u called %s",
		                call_text(mine), number + 1, slot, first->rank, call_text(first));
	return mp_error(mp, mine->rank, err,
	                "calls %s with root %u as collective %u on communicator %u, where rank %u called it with root %u",
	                call_text(mine), mine->root, number + 1, slot, first->rank, first->root);
}

static struct coll_call *ring_at(const struct comm *c, uint32_t i)
{
	return &c->ring[(c->ring_first + i) % c->ring_cap];
}

static int ring_push(struct comm *c, const struct coll_call *call, struct err *err)
{
	struct coll_call *ring;
	uint32_t i, cap;

	if (c->ring_n == c->ring_cap) {
		cap = c->ring_cap ? c->ring_cap * 2 : 4;
		ring = malloc(cap * sizeof *ring);
		if (!ring)
			return err_nomem(err, "collectives under way", cap * sizeof *ring);
		for (i = 0; i < c->ring_n; i++)
			ring[i] = *ring_at(c, i);
		free(c->ring);
		c->ring = ring;
		c->ring_cap = cap;
		c->ring_first = 0;
	}
	*ring_at(c, c->ring_n++) = *call;
	return 0;
}

int coll_call_begin(struct mp *mp, struct comm *c, uint32_t member, const struct coll_call *call, uint32_t *number, struct err *err)
{
	struct coll_call *first;
	uint32_t at;

	if (!c->calls) {
		c->calls = calloc(c->n, sizeof *c->calls);
		if (!c->calls)
			return err_nomem(err, "collectives of a communicator", c->n * sizeof *c->calls);
	}
	at = c->calls[member] - c->base;
	if (at == c->ring_n && ring_push(c, call, err) < 0)
		return -1;
	first = ring_at(c, at);
	if (first->root == COLL_NO_ROOT)
		first->root = call->root;
	if (first->call != call->call || (call->root != COLL_NO_ROOT && first->root != call->root))
		return calls_differ(mp, c, c->calls[member], call, first, err);
	*number = c->calls[member]++ & INT32_MAX;
	first->begun++;
	while (c->ring_n > 0 && ring_at(c, 0)->begun == c->n) {
		c->ring_first = (c->ring_first + 1) % c->ring_cap;
		c->ring_n--;
		c->base++;
	}
	return 0;
}
