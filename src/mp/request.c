/* request.c: the pool of requests, and sets of requests that are waited for.
 *
 * A collective in segments posts the receives of all of them at once, a million of one message
 * cut into pieces of 8 KiB. They are one request as long as they are alike: same sender, same size,
 * posted at one date, numbered on (coll_exec.c). It stands for them in its queue and in the list of
 * its owner, and is parted when the first of them is matched or waited for alone: memory is taken
 * by what is under way, not by what is to come.
 *
 * A slot is handed out by req_new, and given back when nobody holds it (REQ_HELD) and nothing moves
 * for it (REQ_LIVE). The slot freed last is used first: it is the one in cache. */
#include "mp_int.h"

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
	q->rank = rank;
	q->kind = (uint8_t)kind & 0xf;
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

int req_part(struct mp *mp, uint32_t r, struct err *err)
{
	uint32_t rest;
	struct waitset *set;

	if (mp->reqs[r].more == 0)
		return 0;
	rest = req_new(mp, REQ_RECV, mp->reqs[r].rank, 0, err);
	if (rest == NONE)
		return -1;
	mp->reqs[rest] = mp->reqs[r];
	mp->reqs[rest].more--;
	mp->reqs[rest].windex++;
	mp->reqs[r].more = 0;
	match_follow(mp, r, rest);
	mp->reqs[r].wnext = rest;
	set = &mp->ops[mp->reqs[r].owner].set;
	if (set->last == r)
		set->last = rest;
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
