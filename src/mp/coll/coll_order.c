/* coll_order.c: all members of a communicator call the same collectives in the same order (MPI 4.0,
 * 6.14): the k-th call of each is compared with the first k-th call. Only calls that some members
 * have not begun yet are kept.
 *
 * Another operation or root ends the simulation, which could not go on. Other bytes, operators or
 * types than the first one's are told at the end (report.c). Bytes are what MPI wants alike at all
 * members: of a broadcast or a reduction the buffer; of a gathering what one sends and what the
 * root, or each, has room for; of vector forms nothing: their messages are compared one by one
 * (transfer.c), and of these forms only types that the caller knows to meet the first one's. What
 * is MPI_IN_PLACE or not significant is not compared, nor are derived types with others.
 *
 * Ranks of a broadcast may have a (count, datatype) each, and those of an allgather or allgatherv a
 * type to receive with, as long as the type signatures are equal (MPI 4.0, 6.4 and 6.7). Algorithms
 * that cut elements would cut the data at other bytes at each rank: all take the first caller's.
 * (For broadcasts MPICH packs, and cuts bytes. Open MPI's pipelines and scatter_allgather cut each
 * rank's own elements and fail: its issues 199, 1763 and 10523; so does MPICH's ring.) */
#include "coll_int.h"

#include <stdio.h>
#include <stdlib.h>

static const char *call_text(const struct coll_call *call)
{
	return mp_call_name((enum mp_call)call->call);
}

static int calls_differ(struct mp *mp, const struct comm *c, uint32_t number,
                        const struct coll_call *mine, const struct coll_call *first,
                        struct err *err)
{
	uint32_t slot = c->ctx & CTX_SLOT;
	char where[WHERE_MAX];

	where_text(mp, first->rank, first->event, where, sizeof where);
	if (mine->call != first->call)
		return mp_error(mp, mine->rank, err,
		                "calls %s as collective %u on communicator %u, "
		                "where rank %u called %s (its %s)",
		                call_text(mine), number + 1, slot, first->rank, call_text(first),
		                where);
	return mp_error(mp, mine->rank, err,
	                "calls %s with root %u as collective %u on communicator %u, "
	                "where rank %u called it with root %u (its %s)",
	                call_text(mine), mine->root, number + 1, slot, first->rank, first->root,
	                where);
}

/* What does not stop a simulation, though MPI has it wrong. */
static void arguments_compare(struct mp *mp, const struct comm *c, uint32_t number,
                              const struct coll_call *mine, const struct coll_call *first)
{
	char here[WHERE_MAX], there[WHERE_MAX], what[160];

	if (mine->bytes >= 0 && first->bytes >= 0 && mine->bytes != first->bytes)
		snprintf(what, sizeof what, "%.0f bytes, where the other has %.0f", mine->bytes,
		         first->bytes);
	else if (mine->operator&& first->operator&& mine->operator!= first->operator)
		snprintf(what, sizeof what, "an operator that %s, where the other's %s",
		         mine->operator== OPERATOR_COMMUTES ? "commutes" : "does not commute",
		         mine->operator== OPERATOR_COMMUTES ? "does not" : "does");
	else if (mine->operator_name && first->operator_name &&
	         mine->operator_name != first->operator_name)
		snprintf(what, sizeof what, "%s, where the other has %s", mine->operator_name,
		         first->operator_name);
	else if (mine->bytes != 0 && mine->types && first->types && mine->types != first->types)
		snprintf(what, sizeof what, "%s, where the other has %s",
		         coll_types_text(mine->types), coll_types_text(first->types));
	else
		return;
	mp_wrong(mp,
	         "%s as collective %u on communicator %u: "
	         "rank %u (its %s) and rank %u (its %s) do not fit: %s",
	         call_text(mine), number + 1, c->ctx & CTX_SLOT, mine->rank,
	         where_text(mp, mine->rank, mine->event, here, sizeof here), first->rank,
	         where_text(mp, first->rank, first->event, there, sizeof there), what);
}

/* A collective that some members have called and others have not, when all is over. */
void coll_order_report(struct mp *mp, struct comm *c, struct str *out, uint32_t *lines,
                       uint32_t most)
{
	char where[WHERE_MAX];
	uint32_t i;

	for (i = 0; i < c->ring_n; i++) {
		const struct coll_call *call = &c->ring[(c->ring_first + i) % c->ring_cap];

		if ((*lines)++ < most)
			str_printf(
			    out,
			    "%s as collective %u on communicator %u: called by %u of %u ranks, "
			    "by rank %u first (its %s)\n",
			    call_text(call), c->base + i + 1, c->ctx & CTX_SLOT, call->begun, c->n,
			    call->rank,
			    where_text(mp, call->rank, call->event, where, sizeof where));
	}
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

/* All cut as the first does who has data. */
static void pair_share(struct coll_call *mine, struct coll_call *first)
{
	if (mine->count < 0)
		return;
	if (first->count < 0) {
		first->count = mine->count;
		first->type_size = mine->type_size;
	} else if (mine->count * mine->type_size == first->count * first->type_size) {
		mine->count = first->count;
		mine->type_size = first->type_size;
	}
}

int coll_call_begin(struct mp *mp, struct comm *c, uint32_t member, struct coll_call *call,
                    uint32_t *number, struct err *err)
{
	struct coll_call *first;
	uint32_t at;

	if (!c->calls) {
		c->calls = calloc(c->n, sizeof *c->calls);
		if (!c->calls)
			return err_nomem(err, "collectives of a communicator",
			                 c->n * sizeof *c->calls);
	}
	at = c->calls[member] - c->base;
	if (at == c->ring_n && ring_push(c, call, err) < 0)
		return -1;
	first = ring_at(c, at);
	if (first->root == COLL_NO_ROOT)
		first->root = call->root;
	if (first->call != call->call || (call->root != COLL_NO_ROOT && first->root != call->root))
		return calls_differ(mp, c, c->calls[member], call, first, err);
	if (first->begun > 0)
		arguments_compare(mp, c, c->calls[member], call, first);
	if (first->bytes < 0)
		first->bytes = call->bytes;
	pair_share(call, first);
	*number = c->calls[member]++ & INT32_MAX;
	first->begun++;
	while (c->ring_n > 0 && ring_at(c, 0)->begun == c->n) {
		c->ring_first = (c->ring_first + 1) % c->ring_cap;
		c->ring_n--;
		c->base++;
	}
	return 0;
}
