/* operands.c: what operations name (requests, lists, communicators, the sides of messages), and the
 * completions that answers hold. Nothing in the ring is trusted. */
#include "live_int.h"

/* --- requests --- */

enum { REQ_UNTOLD = 1 << 22 };

struct lreq *req_at(struct live *l, uint32_t rank, uint32_t number, struct err *err)
{
	struct lrank *r = &l->rank[rank];

	if (number < r->n_req)
		return &r->req[number];
	live_broken(l, rank, err, "a request that was not made");
	return NULL;
}

struct lreq *req_use(struct live *l, uint32_t rank, uint32_t number, enum lreq_kind kind,
                     struct err *err)
{
	struct lrank *r = &l->rank[rank];
	struct lreq *q;

	/* a rank gives numbers one after the other, and tells of most of them at once */
	if (number >= 1u << 28 || number > r->n_req + REQ_UNTOLD) {
		live_broken(l, rank, err, "the number of a request");
		return NULL;
	}
	q = vec_grow(r->req, &r->cap_req, sizeof *q, (size_t)number + 1, "requests", err);
	if (!q)
		return NULL;
	r->req = q;
	while (r->n_req <= number)
		q[r->n_req++] = (struct lreq){.mp = MP_REQUEST_NULL};
	q = &r->req[number];
	*q = (struct lreq){
	    .mp = MP_REQUEST_NULL, .kind = (uint8_t)kind, .source = WIRE_NOBODY, .tag = WIRE_ANY};
	return q;
}

const void *live_list(struct live *l, const struct wire_op *op, size_t body, size_t n,
                      size_t element)
{
	if (op->flags & WIRE_LENT)
		return l->coros ? (const void *)(uintptr_t)op->list : NULL;
	if (!(op->flags & WIRE_LISTED))
		return sizeof *op + body + n * element <= op->size ? (const char *)(op + 1) + body
		                                                   : NULL;
	return wire_block_holds(l->head, op->list, n * element) ? wire_at(l->head, op->list) : NULL;
}

void live_list_free(struct live *l, const struct wire_op *op)
{
	if (op->flags & WIRE_LISTED)
		wire_block_free(&l->heap, op->list);
}

int comm_check(struct live *l, uint32_t rank, uint32_t comm, struct mp_comm *out, struct err *err)
{
	const struct lrank *r = &l->rank[rank];
	uint32_t known;

	out->v = comm;
	if (comm == 0)
		return 0;
	if (comm != WIRE_SELF) {
		out->v = comm < r->n_comm ? r->comm[comm] : HASH_NONE;
		return out->v != HASH_NONE && mp_comm_rank(l->mp, *out, rank) >= 0
		           ? 0
		           : live_error(l, rank, err, "communicator %u is not there", comm);
	}
	known = hash64_find(&l->comm_of_self, rank);
	out->v = known;
	if (known != HASH_NONE)
		return 0;
	/* a name that no trace can write, as in replay */
	if (mp_comm_make(l->mp, rank, UINT64_MAX - rank, &rank, 1, out, err) < 0)
		return -1;
	return hash64_put(&l->comm_of_self, rank, out->v, err);
}

int message_of(struct live *l, uint32_t rank, const struct wire_op *op,
               const struct wire_message *w, struct mp_message *m, struct err *err)
{
	*m = (struct mp_message){.peer = w->peer,
	                         .tag = w->tag,
	                         .bytes = (double)w->bytes,
	                         .packed = !!(op->flags & WIRE_PACKED),
	                         .types = w->types <= TYPES_COMPLEX ? (uint8_t)w->types
	                                                            : TYPES_UNKNOWN};
	if (w->peer >= 0 && (uint32_t)w->peer >= l->ranks)
		return live_broken(l, rank, err, "a peer");
	return comm_check(l, rank, w->comm, &m->comm, err);
}

void done_set(struct wire_done *d, const struct lreq *q, uint32_t index)
{
	*d = (struct wire_done){.index = index,
	                        .flags = q->flags,
	                        .source = q->source,
	                        .tag = q->tag,
	                        .bytes = q->bytes,
	                        .block = q->block};
}

struct wire_done *dones_room(struct live *l, struct wire_answer *a, uint32_t n)
{
	a->list = n > WIRE_DONES ? wire_block_new(&l->heap, n * sizeof(struct wire_done)) : 0;
	if (n > WIRE_DONES && !a->list)
		return NULL;
	return a->list ? wire_at(l->head, a->list) : a->done;
}
