/* part.c: partitioned communication (MPI 4.0, chapter 4). The two sides meet once, when they are
 * made, in the order of their making; from then on they are a channel. A partition is one message:
 * it moves when its sender has said that it is ready and its receiver has started, which is what
 * libraries do that agree on the buffers at the start (Open MPI's part/persist, MPICH's
 * clear-to-send).
 *
 *   inactive --start--> active --all partitions of this start have arrived--> complete --wait,
 *   test--> inactive
 *
 * A side is a persistent request (persistent.c); started, it makes a request that is complete when
 * all partitions have arrived. The two sides may cut the same bytes differently: the sender's
 * partitions are what moves. */
#include "mp/message/message.h"
#include "mp/report/watch.h"
#include "p2p.h"

#include <stdlib.h>
#include <string.h>

/* PART_SAID: said to be ready; it is when its rank has paid for sending it. */
enum { PART_WAITING, PART_SAID, PART_READY, PART_SENT, PART_ARRIVED };

struct part {
	uint32_t rank, peer, ctx;
	int32_t tag;
	uint32_t n;       /* partitions */
	double bytes;     /* of one */
	uint32_t mate;    /* the other side, or NONE */
	uint32_t next;    /* of the same hash, not met yet */
	uint32_t active;  /* the request of the present start, or NONE */
	uint32_t starts;  /* so far */
	uint32_t arrived; /* partitions of the present start; the sender's count */
	uint8_t *state;   /* of each partition: the sender's side has it */
	uint64_t data;    /* its name (struct mp_data) */
	uint8_t send;
	uint8_t freed;   /* its request is; the slot is used again when both sides are */
	uint8_t watched; /* its rank is blocked in MPI_Parrived */
};

void parts_init(struct mp *mp)
{
	slots_init(&mp->parts.slots, sizeof(struct part), offsetof(struct part, next),
	           "partitioned requests");
	hash64_init(&mp->parts.by_hash);
}

static struct part *part_at(const struct mp *mp, uint32_t id)
{
	return slots_at(&mp->parts.slots, id, sizeof(struct part));
}

/* --- made --- */

static uint64_t envelope_hash(uint32_t ctx, uint32_t from, uint32_t to, int32_t tag)
{
	uint64_t x = ((uint64_t)from << 32 | to) * 0x9e3779b97f4a7c15u;

	x ^= ((uint64_t)ctx << 32 | (uint32_t)tag) * 0xc2b2ae3d27d4eb4fu;
	return x ^ x >> 31;
}

static uint64_t part_hash(const struct part *p)
{
	return p->send ? envelope_hash(p->ctx, p->rank, p->peer, p->tag)
	               : envelope_hash(p->ctx, p->peer, p->rank, p->tag);
}

static int meets(const struct part *a, const struct part *b)
{
	return a->send != b->send && a->rank == b->peer && a->peer == b->rank && a->ctx == b->ctx &&
	       a->tag == b->tag;
}

/* The first side that waits for this one, taken out of the table; or NONE: then this one is put
 * there, last. */
static int part_meet(struct mp *mp, uint32_t id, struct err *err)
{
	uint64_t hash = part_hash(part_at(mp, id));
	uint32_t first = hash64_find(&mp->parts.by_hash, hash),
	         at = first == HASH_NONE ? NONE : first, before = NONE, last = NONE;

	for (; at != NONE && !meets(part_at(mp, at), part_at(mp, id)); at = part_at(mp, at)->next)
		last = before = at;
	if (at == NONE) {
		if (last == NONE)
			return hash64_put(&mp->parts.by_hash, hash, id, err);
		part_at(mp, last)->next = id;
		return 0;
	}
	if (before != NONE)
		part_at(mp, before)->next = part_at(mp, at)->next;
	else if (part_at(mp, at)->next == NONE)
		hash64_remove(&mp->parts.by_hash, hash);
	else if (hash64_put(&mp->parts.by_hash, hash, part_at(mp, at)->next, err) < 0)
		return -1;
	part_at(mp, at)->next = NONE;
	part_at(mp, at)->mate = id;
	part_at(mp, id)->mate = at;
	return 0;
}

static int sizes_check(struct mp *mp, uint32_t id, struct err *err)
{
	const struct part *p = part_at(mp, id), *q = p->mate == NONE ? NULL : part_at(mp, p->mate);

	if (!q || p->bytes * p->n == q->bytes * q->n)
		return 0;
	return mp_error(
	    mp, p->rank, err,
	    "a partitioned request of %.0f bytes; rank %u made its other side with %.0f bytes",
	    p->bytes * p->n, q->rank, q->bytes * q->n);
}

static void part_drop(struct mp *mp, uint32_t id)
{
	free(part_at(mp, id)->state);
	part_at(mp, id)->state = NULL;
	slots_give(&mp->parts.slots, id);
}

/* The request is freed, inactive as MPI wants. A side that has not met the other one stays: that
 * may still come. */
void part_free(struct mp *mp, uint32_t id)
{
	struct part *p = part_at(mp, id);

	p->freed = 1;
	if (p->peer == PEER_NULL) {
		part_drop(mp, id);
	} else if (p->mate != NONE && part_at(mp, p->mate)->freed) {
		part_drop(mp, p->mate);
		part_drop(mp, id);
	}
}

void parts_release(struct mp *mp)
{
	uint32_t i;

	for (i = 0; i < mp->parts.slots.n; i++)
		free(part_at(mp, i)->state);
	slots_release(&mp->parts.slots);
	hash64_release(&mp->parts.by_hash);
}

int mp_part_init(struct mp *mp, uint32_t rank, int send, const struct mp_message *m,
                 uint32_t partitions, struct mp_request *out, struct err *err)
{
	uint32_t r, id;
	struct part *p;

	if (m->peer == MP_ANY || (m->tag < 0 && m->peer != MP_PROC_NULL))
		return mp_error(mp, rank, err, "a partitioned request without a rank or a tag");
	r = message_make(mp, rank, send ? REQ_SEND : REQ_RECV, m, send ? CALL_PSEND : CALL_PRECV,
	                 err);
	id = r == NONE ? NONE : slots_take(&mp->parts.slots, err);
	if (id == NONE)
		return MP_ERROR;
	p = part_at(mp, id);
	*p = (struct part){.rank = rank,
	                   .peer = mp->reqs[r].peer,
	                   .ctx = mp->reqs[r].ctx,
	                   .tag = m->tag,
	                   .n = partitions,
	                   .bytes = m->bytes,
	                   .mate = NONE,
	                   .next = NONE,
	                   .active = NONE,
	                   .data = send ? mp->names.send : mp->names.recv,
	                   .send = (uint8_t)send};
	mp->reqs[r].kind = REQ_PERSISTENT;
	mp->reqs[r].side = id;
	if (send && !(p->state = calloc(partitions ? partitions : 1, 1)))
		return err_nomem(err, "partitions", partitions);
	out->v = r;
	if (p->peer == PEER_NULL)
		return MP_DONE;
	return part_meet(mp, id, err) < 0 || sizes_check(mp, id, err) < 0 ? MP_ERROR : MP_DONE;
}

/* --- moving --- */

static int side_complete(struct mp *mp, struct part *p, struct err *err)
{
	uint32_t active = p->active;

	p->active = NONE;
	return req_complete(mp, active, err);
}

/* A partition has arrived: the rank may wait for it, or look. */
static void receiver_tell(struct mp *mp, struct part *r)
{
	if (r->watched) {
		r->watched = 0;
		watch_released(mp, r->rank);
		rank_released(mp, r->rank);
	} else {
		if (mp->ranks[r->rank].looking)
			watch_released(mp, r->rank);
		rank_event(mp, r->rank);
	}
}

static int part_arrived(struct mp *mp, uint32_t send, uint32_t index, struct err *err)
{
	struct part *s = part_at(mp, send), *r = part_at(mp, s->mate);

	s->state[index] = PART_ARRIVED;
	s->arrived++;
	if (mp->data &&
	    mp->data->part(mp->data->self, s->data, r->data, index * s->bytes, s->bytes, err) < 0)
		return -1;
	receiver_tell(mp, r);
	if (s->arrived < s->n)
		return 0;
	if (side_complete(mp, s, err) < 0)
		return -1;
	r = part_at(mp, s->mate);
	return r->n == 0 ? 0 : side_complete(mp, r, err); /* else it was, when it started */
}

/* Sends what is ready, if the receiver has started as often. */
static int part_push(struct mp *mp, uint32_t send, struct err *err)
{
	struct part *s = part_at(mp, send);
	struct leg_call call = {.arrived = part_arrived,
	                        .owner = send,
	                        .from = s->rank,
	                        .to = s->peer,
	                        .tag = s->tag,
	                        .ctx = s->ctx,
	                        .bytes = s->bytes};
	uint32_t i;

	if (s->mate == NONE || s->active == NONE || part_at(mp, s->mate)->starts < s->starts)
		return 0;
	for (i = 0; i < s->n; i++) {
		if (s->state[i] != PART_READY)
			continue;
		s->state[i] = PART_SENT;
		call.index = i;
		if (leg_start(mp, &call, err) < 0)
			return -1;
	}
	return 0;
}

/* A sender may have no partition and its receiver some, all without a byte: these have arrived when
 * both have started as often. */
static int nothing_comes(struct mp *mp, uint32_t id, struct err *err)
{
	struct part *p = part_at(mp, id), *q = part_at(mp, p->mate), *s = p->send ? p : q,
	            *r = p->send ? q : p;

	if (s->n > 0 || r->active == NONE || s->starts < r->starts)
		return 0;
	receiver_tell(mp, r);
	return side_complete(mp, r, err);
}

/* What a start of the pattern does besides making request r (persistent.c). */
int part_start(struct mp *mp, uint32_t pattern, uint32_t r, struct err *err)
{
	uint32_t id = mp->reqs[pattern].side;
	struct part *p = part_at(mp, id);

	p->active = r;
	p->starts++;
	if (p->send && p->n > 0) {
		memset(p->state, PART_WAITING, p->n);
		p->arrived = 0;
	}
	if ((p->peer == PEER_NULL || p->n == 0) && side_complete(mp, p, err) < 0)
		return -1;
	if (p->peer == PEER_NULL || p->mate == NONE)
		return 0;
	if (nothing_comes(mp, id, err) < 0)
		return -1;
	return p->send ? 0 : part_push(mp, p->mate, err);
}

/* --- MPI_Pready, MPI_Parrived --- */

static int part_get(struct mp *mp, uint32_t rank, struct mp_request q, int send, uint32_t *out,
                    struct err *err)
{
	const struct req *r;

	if (req_check(mp, rank, q, err) < 0)
		return -1;
	r = &mp->reqs[q.v];
	if (r->kind != REQ_PERSISTENT || r->call != (send ? CALL_PSEND : CALL_PRECV))
		return mp_error(mp, rank, err, "request %u is no partitioned %s", q.v,
		                send ? "send" : "receive");
	*out = r->side;
	return 0;
}

static int index_check(struct mp *mp, uint32_t rank, const struct part *p, int64_t part,
                       struct err *err)
{
	if (part < 0 || part >= p->n)
		return mp_error(mp, rank, err, "partition %lld of %u", (long long)part, p->n);
	if (p->send && p->peer != PEER_NULL &&
	    (p->active == NONE || p->state[part] != PART_WAITING))
		return mp_error(mp, rank, err,
		                "partition %lld is ready twice, or its request was not started",
		                (long long)part);
	return 0;
}

/* They are marked at once, and leave when the overhead of sending them has been paid: not before,
 * should the receiver start meanwhile. */
static int pready_go(struct mp *mp, struct op *op, struct err *err)
{
	struct part *p = part_at(mp, op->cursor);

	if (op->stage == 0 && op->volume > 0) {
		op->stage = 1;
		return op_sleep(mp, op, op->volume, err);
	}
	for (uint32_t i = 0; i < p->n && p->peer != PEER_NULL; i++)
		if (p->state[i] == PART_SAID)
			p->state[i] = PART_READY;
	return part_push(mp, op->cursor, err) < 0 ? MP_ERROR : MP_DONE;
}

int mp_pready(struct mp *mp, uint32_t rank, struct mp_request req, const int64_t *parts, uint32_t n,
              struct err *err)
{
	const struct part *p;
	struct op *op;
	uint32_t id, i;

	if (part_get(mp, rank, req, 1, &id, err) < 0)
		return MP_ERROR;
	p = part_at(mp, id);
	for (i = 0; i < n; i++) {
		if (index_check(mp, rank, p, parts[i], err) < 0)
			return MP_ERROR;
		if (p->peer != PEER_NULL)
			p->state[parts[i]] = PART_SAID; /* before the next: it may be the same */
	}
	op = op_begin(mp, rank, CALL_PREADY, pready_go, err);
	if (!op)
		return MP_ERROR;
	op->cursor = id;
	op->volume = n * isend_overhead(mp, rank, p->bytes);
	op->bytes = n * p->bytes;
	op->partner = p->peer == PEER_NULL ? -1 : (int32_t)p->peer;
	return op_start(mp, op, err);
}

/* Whether the sender's partitions that make up partition i of the receiver are there: of n, each is
 * the n-th part of the whole, be that of no byte. */
static int is_there(const struct mp *mp, const struct part *r, uint32_t i)
{
	const struct part *s = r->mate == NONE ? NULL : part_at(mp, r->mate);
	uint64_t k, from, to;

	if (r->peer == PEER_NULL || r->active == NONE)
		return 1;
	if (!s || s->starts < r->starts)
		return 0;
	from = (uint64_t)i * s->n;
	to = from + s->n;
	for (k = 0; k < s->n; k++) {
		if (k * r->n < to && (k + 1) * r->n > from && s->state[k] != PART_ARRIVED)
			return 0;
	}
	return 1;
}

int mp_part_is_there(struct mp *mp, uint32_t rank, struct mp_request req, uint32_t partition,
                     struct err *err)
{
	uint32_t id;

	if (part_get(mp, rank, req, 0, &id, err) < 0 ||
	    index_check(mp, rank, part_at(mp, id), partition, err) < 0)
		return -1;
	return is_there(mp, part_at(mp, id), partition);
}

static int parrived_go(struct mp *mp, struct op *op, struct err *err)
{
	struct part *p = part_at(mp, op->cursor);

	(void)err;
	if (is_there(mp, p, op->given)) {
		watch_waited(mp, op->rank, op->since);
		op->waited = engine_now(mp->engine) - op->since;
		return MP_DONE;
	}
	p->watched = 1;
	return MP_BLOCKED;
}

int mp_parrived(struct mp *mp, uint32_t rank, struct mp_request req, uint32_t partition,
                struct err *err)
{
	struct op *op;
	uint32_t id;

	if (part_get(mp, rank, req, 0, &id, err) < 0 ||
	    index_check(mp, rank, part_at(mp, id), partition, err) < 0)
		return MP_ERROR;
	op = op_begin(mp, rank, CALL_PARRIVED, parrived_go, err);
	if (!op)
		return MP_ERROR;
	op->cursor = id;
	op->given = partition;
	op->partner = part_at(mp, id)->peer == PEER_NULL ? -1 : (int32_t)part_at(mp, id)->peer;
	return op_start(mp, op, err);
}
