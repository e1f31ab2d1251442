/* request.c: the pool of requests, and sets of requests that are waited for.
 *
 * Requests of a collective that are alike are one (segments.c), and parted here when one of them is
 * matched or waited for alone.
 *
 * A slot is handed out by req_new, and given back when nobody holds it (REQ_HELD) and nothing moves
 * for it (REQ_LIVE). The slot freed last is used first: it is the one in cache. */
#include "message.h"

static int reqs_grow(struct mp *mp, struct err *err)
{
	struct req *reqs = vec_grow(mp->reqs, &mp->reqs_cap, sizeof *reqs, (size_t)mp->n_reqs + 1,
	                            "requests", err);

	if (!reqs)
		return -1;
	mp->reqs = reqs;
	reqs[mp->n_reqs] = (struct req){.mate = NONE};
	mp->free_req = mp->n_reqs++;
	return 0;
}

uint32_t req_new(struct mp *mp, enum req_kind kind, uint32_t rank, uint16_t flags, struct err *err)
{
	struct req *q;
	uint32_t r;

	if (mp->free_req == NONE && reqs_grow(mp, err) < 0)
		return NONE;
	r = mp->free_req;
	q = &mp->reqs[r];
	mp->free_req = q->mate;
	if (q->mate != NONE)
		fetch(&mp->reqs[q->mate], sizeof *q); /* for the next one */
	q->rank = rank;
	q->kind = (uint8_t)kind & 0xf;
	q->stage = 0;
	q->data = DATA_ANY;
	q->flags = flags;
	q->mate = q->owner = NONE;
	q->side = kind == REQ_RECV ? 0 : NONE; /* more: it is one */
	q->posted = q->moved = engine_now(mp->engine);
	q->op = event_of(mp, rank);
	return r;
}

void req_release(struct mp *mp, uint32_t r, uint16_t flag)
{
	struct req *q = &mp->reqs[r];

	q->flags &= (uint16_t)~flag;
	if (q->flags & (REQ_HELD | REQ_LIVE))
		return;
	q->kind = REQ_FREE;
	q->mate = mp->free_req;
	mp->free_req = r;
}

int req_check(struct mp *mp, uint32_t rank, struct mp_request q, struct err *err)
{
	const struct req *r = &mp->reqs[q.v];

	if (q.v < mp->n_reqs && r->kind != REQ_FREE && r->rank == rank && (r->flags & REQ_HELD) &&
	    !(r->flags & (REQ_INTERNAL | REQ_STARTED)))
		return 0;
	return mp_error(mp, rank, err,
	                "request %u does not exist, or is not this rank's, or was completed before",
	                q.v);
}

/* Those left stand behind it in the list of its owner. */
static void receive_parted(struct mp *mp, uint32_t r, uint32_t rest)
{
	struct waitset *set = &op_at(mp, mp->reqs[r].owner)->set;

	mp->reqs[rest].before = r;
	mp->reqs[r].wnext = rest;
	if (set->last == r)
		set->last = rest;
}

int req_part(struct mp *mp, uint32_t r, struct err *err)
{
	uint32_t rest;

	if (mp->reqs[r].more == 0)
		return 0;
	rest = req_new(mp, (enum req_kind)mp->reqs[r].kind, mp->reqs[r].rank, 0, err);
	if (rest == NONE)
		return -1;
	mp->reqs[rest] = mp->reqs[r];
	mp->reqs[rest].more--;
	mp->reqs[rest].windex++;
	mp->reqs[r].more = 0;
	match_follow(mp, r, rest);
	if (mp->reqs[r].kind == REQ_RECV)
		receive_parted(mp, r, rest);
	else
		mp->reqs[rest].flags &= (uint16_t)~REQ_HELD; /* complete, in nobody's list */
	if ((mp->reqs[r].flags & (REQ_MOVING | REQ_ARRIVED)) == REQ_MOVING)
		mp->reqs[r].rider = rest;
	return 0;
}

void waitset_init(struct waitset *s)
{
	*s = (struct waitset){.first = NONE, .last = NONE};
}

void waitset_add(struct mp *mp, struct waitset *s, uint32_t r)
{
	mp->reqs[r].wnext = NONE;
	if (s->first == NONE)
		s->first = r;
	else
		mp->reqs[s->last].wnext = r;
	s->last = r;
}
