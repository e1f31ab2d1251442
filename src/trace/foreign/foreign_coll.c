/* foreign_coll.c: collectives of foreign traces: their blocks and roots, from what all members
 * said. */
#include "foreign.h"

#include <stdlib.h>

static int call_number(struct foreign *f, const struct foreign_coll *c, uint32_t member,
                       uint32_t *out, struct err *err)
{
	uint64_t key = (uint64_t)c->comm << 32 | member;
	uint32_t n = hash64_find(&f->calls, key);

	*out = n == HASH_NONE ? 0 : n;
	return hash64_put(&f->calls, key, *out + 1, err);
}

/* The part of `bytes` that the i-th of n gets when it is split evenly. */
static int64_t split(int64_t bytes, uint32_t i, uint32_t n)
{
	return bytes / n + (i < bytes % n);
}

static int counts_split(struct foreign *f, uint32_t rank, uint32_t member,
                        const struct ledger_entry *e, int64_t *blocks, struct err *err)
{
	if (!f->even_split)
		return err_set(err, ERR_INPUT,
		               "%s: rank %u calls MPI_Alltoallv, and the format says how much it "
		               "sends in all, not how much to each. --even-split of 'orrery "
		               "convert' splits it evenly.",
		               f->path, rank);
	for (uint32_t i = 0; i < e->n; i++) {
		blocks[i] = split(e->sent[member], i, e->n);
		blocks[e->n + i] = split(e->sent[i], member, e->n);
	}
	return foreign_note(f, err,
	                    "what each rank sends in MPI_Alltoallv was split evenly over the "
	                    "others (--even-split)");
}

/* The blocks of all members, of which only the sum is told. */
static int total_split(struct foreign *f, uint32_t rank, uint32_t member, struct trace_event *ev,
                       const struct ledger_entry *e, int64_t *blocks, struct err *err)
{
	const char *name = trace_op_mpi((enum trace_op)ev->op);

	if (!f->even_split)
		return err_set(err, ERR_INPUT,
		               "%s: rank %u calls %s, and the format says how much all members "
		               "give in all, not how much each. --even-split of 'orrery convert' "
		               "splits it evenly.",
		               f->path, rank, name);
	for (uint32_t i = 0; i < e->n; i++)
		blocks[i] = split(e->total, i, e->n);
	if (ev->op == TRACE_SCATTERV) {
		ev->counts = blocks;
		ev->n_counts = e->n;
		ev->count2 = blocks[member];
	} else {
		ev->counts2 = blocks;
		ev->n_counts2 = e->n;
		ev->count = blocks[member];
	}
	return foreign_note(
	    f, err, "what the ranks give in %s was split evenly among them (--even-split)", name);
}

static int root_set(struct foreign *f, struct trace_event *ev, const struct foreign_coll *c,
                    const struct ledger_entry *e, struct err *err)
{
	ev->root = c->root != FOREIGN_ROOT_UNKNOWN ? c->root : e ? e->root : FOREIGN_ROOT_UNKNOWN;
	if (ev->root != FOREIGN_ROOT_UNKNOWN)
		return 0;
	ev->root = 0;
	return foreign_note(f, err, "%s: its root is not recorded and taken to be rank 0",
	                    trace_op_mpi(c->op));
}

/* Lists of blocks: blocks[0, n) and [n, 2n). */
static int lists_set(struct foreign *f, uint32_t rank, uint32_t member, struct trace_event *ev,
                     const struct ledger_entry *e, int64_t *blocks, struct err *err)
{
	if (e->total > 0 && ev->op != TRACE_ALLTOALLV)
		return total_split(f, rank, member, ev, e, blocks, err);
	switch (ev->op) {
	case TRACE_SCATTERV:
		ev->counts = e->received;
		ev->n_counts = e->n;
		ev->count2 = e->received[member];
		return 0;
	case TRACE_GATHERV:
	case TRACE_ALLGATHERV:
		ev->counts2 = e->sent;
		ev->n_counts2 = e->n;
		ev->count = e->sent[member];
		return 0;
	case TRACE_REDUCE_SCATTER:
		ev->counts2 = e->received;
		ev->n_counts2 = e->n;
		return 0;
	case TRACE_ALLTOALLV:
		if (counts_split(f, rank, member, e, blocks, err) < 0)
			return -1;
		ev->counts = blocks;
		ev->counts2 = blocks + e->n;
		ev->n_counts = ev->n_counts2 = e->n;
		ev->count = ev->count2 = 0;
		for (uint32_t i = 0; i < e->n; i++) { /* the sizes of the buffers */
			ev->count += blocks[i];
			ev->count2 += blocks[e->n + i];
		}
		return 0;
	default:
		return 0;
	}
}

/* The root of Extrae's gathers and scatters has the sum of all blocks on one side. */
static int64_t own_block(const struct foreign_coll *c, const struct ledger_entry *e)
{
	int64_t sent = e ? e->most_sent : 0, received = e ? e->most_received : 0;

	switch (c->op) {
	case TRACE_BCAST:
		return sent > received ? sent : received;
	case TRACE_GATHER:
		return sent > 0 ? sent : received;
	case TRACE_SCATTER:
		return received > 0 ? received : sent;
	default:
		return c->sent > 0 ? c->sent : c->received > 0 ? c->received : 0;
	}
}

static int64_t elements(int64_t bytes, int64_t size)
{
	return bytes > 0 ? bytes / size : bytes;
}

/* Bytes become elements of a type that is known. */
static void typed(const struct foreign_coll *c, struct trace_event *ev, int64_t *blocks)
{
	int64_t *counts = blocks, *counts2 = blocks ? blocks + ev->n_counts : NULL;

	if (c->type_size < 1)
		return;
	ev->type = ev->type2 = c->type;
	ev->type_size = ev->type_size2 = c->type_size;
	ev->count = elements(ev->count, c->type_size);
	ev->count2 = elements(ev->count2, c->type_size);
	for (int64_t i = 0; blocks && i < ev->n_counts; i++)
		counts[i] = elements(ev->counts[i], c->type_size);
	for (int64_t i = 0; blocks && i < ev->n_counts2; i++)
		counts2[i] = elements(ev->counts2[i], c->type_size);
	ev->counts = ev->n_counts ? counts : NULL;
	ev->counts2 = ev->n_counts2 ? counts2 : NULL;
}

static int coll_write(struct foreign *f, uint32_t rank, uint32_t member, uint32_t number,
                      const struct foreign_coll *c, struct err *err)
{
	const struct ledger_entry *e = c->comm == 1 ? NULL : ledger_find(f, c->comm, number);
	struct trace_event ev;
	int64_t *blocks = NULL;
	int r = 0;

	foreign_event(&ev, c->op == TRACE_ALLTOALLW ? TRACE_ALLTOALLV : c->op);
	ev.flags = c->flags;
	ev.comm = f->comms[c->comm].id;
	ev.count = ev.count2 = own_block(c, e);
	ev.req = c->req;
	ev.duration = c->duration;
	if (c->req >= 0)
		ev.flags |= TRACE_NONBLOCKING;
	if (trace_op_has(c->op, TRACE_ROOTED) && root_set(f, &ev, c, e, err) < 0)
		return -1;
	if (e && e->sent) {
		blocks = malloc(2 * (size_t)e->n * sizeof *blocks);
		if (!blocks)
			return err_nomem(err, "blocks of a collective", 16 * (size_t)e->n);
		r = lists_set(f, rank, member, &ev, e, blocks, err);
	}
	typed(c, &ev, blocks);
	if (r == 0)
		r = foreign_put(f, rank, &ev, err);
	free(blocks);
	return r;
}

int foreign_not_in(const struct foreign *f, uint32_t rank, enum trace_op op, struct err *err)
{
	return err_set(err, ERR_INPUT, "%s: rank %u calls %s on a communicator that it is not in",
	               f->path, rank, trace_op_mpi(op));
}

int foreign_collective(struct foreign *f, uint32_t rank, const struct foreign_coll *c,
                       struct err *err)
{
	int32_t member = foreign_rank_in(f, c->comm, rank);
	uint32_t number;

	if (c->comm == 1) /* alone: nothing is sent */
		return c->req < 0 || f->pass == 1 ? 0 : coll_write(f, rank, 0, 0, c, err);
	if (member < 0)
		return foreign_not_in(f, rank, c->op, err);
	if (c->root >= 0 && (uint32_t)c->root >= f->comms[c->comm].n)
		return err_set(
		    err, ERR_INPUT,
		    "%s: rank %u calls %s with the root %d of a communicator of %u ranks", f->path,
		    rank, trace_op_mpi(c->op), c->root, f->comms[c->comm].n);
	if (call_number(f, c, (uint32_t)member, &number, err) < 0)
		return -1;
	return f->pass == 1 ? ledger_note(f, c->comm, number, (uint32_t)member, c, err)
	                    : coll_write(f, rank, (uint32_t)member, number, c, err);
}
