/* ledger.c: what the members of a collective said of it, each for itself. A collective is known by
 * its communicator and its number there: all members call theirs in the same order. */
#include "foreign.h"

#include <stdlib.h>

static int has_blocks(enum trace_op op)
{
	return op == TRACE_GATHERV || op == TRACE_SCATTERV || op == TRACE_ALLGATHERV ||
	       op == TRACE_REDUCE_SCATTER || op == TRACE_ALLTOALLV || op == TRACE_ALLTOALLW;
}

static struct ledger_entry *entry_get(struct foreign *f, uint32_t comm, uint32_t number,
                                      struct err *err)
{
	uint64_t key = (uint64_t)comm << 32 | number;
	uint32_t i = hash64_find(&f->ledger_index, key);
	struct ledger_entry *all;

	if (i != HASH_NONE)
		return &f->ledger[i];
	all = vec_grow(f->ledger, &f->cap_ledger, sizeof *all, f->n_ledger + 1, "collectives", err);
	if (!all)
		return NULL;
	f->ledger = all;
	if (hash64_put(&f->ledger_index, key, f->n_ledger, err) < 0)
		return NULL;
	all[f->n_ledger] = (struct ledger_entry){.root = -1};
	return &all[f->n_ledger++];
}

static int blocks_make(struct ledger_entry *e, uint32_t n, struct err *err)
{
	if (e->sent)
		return 0;
	e->sent = calloc((size_t)n * 2, sizeof *e->sent);
	if (!e->sent)
		return err_nomem(err, "blocks of a collective", (size_t)n * 16);
	e->received = e->sent + n;
	e->n = n;
	return 0;
}

int ledger_note(struct foreign *f, uint32_t comm, uint32_t number, uint32_t member,
                const struct foreign_coll *c, struct err *err)
{
	struct ledger_entry *e = entry_get(f, comm, number, err);

	if (!e)
		return -1;
	if (c->root >= 0)
		e->root = c->root;
	if (c->sent > e->most_sent)
		e->most_sent = c->sent;
	if (c->received > e->most_received)
		e->most_received = c->received;
	if (c->total > e->total)
		e->total = c->total;
	if (!has_blocks(c->op))
		return 0;
	if (blocks_make(e, f->comms[comm].n, err) < 0)
		return -1;
	e->sent[member] = c->sent < 0 ? 0 : c->sent;
	e->received[member] = c->received < 0 ? 0 : c->received;
	return 0;
}

const struct ledger_entry *ledger_find(const struct foreign *f, uint32_t comm, uint32_t number)
{
	uint32_t i = hash64_find(&f->ledger_index, (uint64_t)comm << 32 | number);

	return i == HASH_NONE ? NULL : &f->ledger[i];
}

void ledger_release(struct foreign *f)
{
	for (uint32_t i = 0; i < f->n_ledger; i++)
		free(f->ledger[i].sent);
	free(f->ledger);
	hash64_release(&f->ledger_index);
}
