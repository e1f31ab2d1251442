/* data.c: payload. What a send carries is a block; whoever mp says has met it gets the block. A
 * collective has its buffers here: the blocks that its rank gave and wants, and memory of ours for
 * what is temporary; its steps copy between them and reduce. */
#include "live_int.h"
#include "reduce.h"

#include <stdlib.h>
#include <string.h>

static struct lcoll *coll_at(const struct live *l, uint32_t index)
{
	return slots_at(&l->colls, index, sizeof(struct lcoll));
}

/* Of the data of a side or a collective: its index, + 1. */
static struct lcoll *coll_named(const struct live *l, uint64_t data)
{
	return coll_at(l, (uint32_t)(data - 1));
}

/* --- sides --- */

static struct lside *side_at(struct live *l, uint32_t slot, struct err *err)
{
	struct lside *p = vec_grow(l->side, &l->cap_side, sizeof *p, (size_t)slot + 1, "messages",
	                           err);

	if (!p)
		return NULL;
	l->side = p;
	while (l->n_side <= slot)
		p[l->n_side++] = (struct lside){0};
	return &p[slot];
}

/* A piece of a collective's buffer; an error where the counts of its members do not fit together,
 * so that the algorithm goes beyond one. */
static int piece_check(struct live *l, const struct lcoll *c, int buf, int64_t off, int64_t len,
                       struct err *err)
{
	if (off >= 0 && len >= 0 && (uint64_t)off + (uint64_t)len <= c->size[buf])
		return 0;
	return live_error(
	    l, c->rank, err,
	    "a collective whose members give counts that do not fit together (MPI_ERR_TRUNCATE): "
	    "bytes %lld to %lld of a buffer of %llu",
	    (long long)off, (long long)off + (long long)len, (unsigned long long)c->size[buf]);
}

static int step_sends(const struct coll_step *s)
{
	return s->kind == STEP_SEND || s->kind == STEP_ISEND;
}

static int side(void *self, uint32_t slot, uint64_t data, const struct coll_step *step, int leaves,
                struct err *err)
{
	struct live *l = self;
	struct lside *s = side_at(l, slot, err);
	const struct lcoll *c;

	if (!s)
		return -1;
	free(s->copy);
	*s = (struct lside){.name = data};
	if (!step)
		return 0;
	s->step = 1;
	s->counted = data && (!leaves || !step_sends(step));
	if (s->counted)
		coll_named(l, data)->unmet++;
	s->buf = step->buf;
	s->off = step->off;
	s->len = step->len;
	if (!data || !leaves || !step_sends(step) || step->buf == BUF_TOKEN || step->len <= 0)
		return 0;
	c = coll_named(l, data);
	if (!c->buf[step->buf]) /* a byte that matters by coming alone */
		return 0;
	s->copy = malloc((size_t)step->len);
	if (!s->copy)
		return err_nomem(err, "message of a collective", (unsigned long long)step->len);
	if (piece_check(l, c, step->buf, step->off, step->len, err) < 0)
		return -1;
	memcpy(s->copy, c->buf[step->buf] + step->off, (size_t)step->len);
	return 0;
}

/* A persistent send is named by its request, which has the block of this start. */
static int again(void *self, uint32_t slot, uint32_t pattern, struct err *err)
{
	struct live *l = self;
	struct lside *s = side_at(l, slot, err);
	uint64_t name;
	struct lreq *q;

	if (!s)
		return -1;
	name = l->side[pattern].name;
	s->step = 0;
	s->name = name;
	if (!(name >> 63))
		return 0;
	q = &l->rank[(name >> 32) & 0x7fffffffu].req[(uint32_t)name];
	s->name = q->block;
	q->block = 0;
	return 0;
}

/* The sender's collective may be over: then the message has a copy of its own. */
static int meet_steps(struct live *l, struct lside *from, struct lside *to, struct err *err)
{
	const struct lcoll *b = to->name ? coll_named(l, to->name) : NULL;
	const unsigned char *data = from->copy;
	int64_t n = from->len < to->len ? from->len : to->len;

	if (!b || !from->name || from->buf == BUF_TOKEN || to->buf == BUF_TOKEN || n <= 0)
		return 0;
	if (!data) {
		const struct lcoll *a = coll_named(l, from->name);

		if (!a->buf[from->buf])
			return 0;
		if (piece_check(l, a, from->buf, from->off, n, err) < 0)
			return -1;
		data = a->buf[from->buf] + from->off;
	}
	if (!b->buf[to->buf])
		return 0;
	if (piece_check(l, b, to->buf, to->off, n, err) < 0)
		return -1;
	memcpy(b->buf[to->buf] + to->off, data, (size_t)n);
	return 0;
}

static int acts(void *self, uint64_t data, const struct coll_step *s, struct err *err);

/* No message of the collective is under way any more, nor will be: its rank may have the result. */
static int coll_ahead(struct live *l, uint64_t data, struct err *err)
{
	struct lcoll *c = coll_named(l, data);
	struct coll_steps steps;
	uint32_t i = c->first;

	if (!c->last || c->unmet > 0 || !early_may_end(l, c->rank))
		return 0;
	for (; coll_next(c->alg, c->args, c->me, &c->rest, &steps) != COLL_END; i = 0)
		for (; i < steps.n; i++)
			if (steps.s[i].kind >= STEP_REDUCE && acts(l, data, &steps.s[i], err) < 0)
				return -1;
	c->done = 1;
	early_end(l, c->rank);
	return 0;
}

/* The program's own operator is the rank's to apply: it waits until its time. */
static int last(void *self, uint64_t data, const struct coll_cursor *rest, uint32_t first,
                struct err *err)
{
	struct live *l = self;
	struct lcoll *c = data ? coll_named(l, data) : NULL;

	if (!c || c->user || c->last || c->done)
		return 0;
	c->last = 1;
	c->rest = *rest;
	c->first = first;
	return coll_ahead(l, data, err);
}

static int side_met(struct live *l, struct lside *s, struct err *err)
{
	struct lcoll *c;

	if (!s->counted)
		return 0;
	s->counted = 0;
	c = coll_named(l, s->name);
	c->unmet--;
	return coll_ahead(l, s->name, err);
}

static int meet(void *self, uint32_t send, uint32_t recv, uint32_t source, int32_t tag,
                double bytes, struct err *err)
{
	struct live *l = self;
	struct lside *from = &l->side[send], *to = &l->side[recv];
	struct lrank *r;
	struct lreq *q;

	if (to->step) {
		int status = meet_steps(l, from, to, err);

		free(from->copy);
		from->copy = NULL;
		if (status == 0)
			status = side_met(l, from, err);
		return status == 0 ? side_met(l, to, err) : status;
	}
	r = &l->rank[to->name >> 32];
	q = (uint32_t)to->name == NUMBER_OWN ? &r->own : &r->req[(uint32_t)to->name];
	q->block = from->name;
	from->name = 0;
	q->source = (int32_t)source;
	q->tag = tag;
	q->bytes = (uint64_t)bytes;
	q->flags = (uint8_t)(q->bytes > q->capacity ? WIRE_TRUNCATED : 0);
	early_met(l, (uint32_t)(to->name >> 32), q);
	return 0;
}

/* --- collectives --- */

int coll_is_empty(const struct wire_coll *w)
{
	return !w->send && !w->recv && w->send_bytes + w->recv_bytes > 0;
}

int coll_new(struct live *l, uint32_t rank, const struct wire_coll *w, uint32_t *index,
             struct err *err)
{
	uint32_t i = slots_take(&l->colls, err);
	struct lcoll *c;

	if (i == SLOTS_NONE)
		return -1;
	c = coll_at(l, i);
	*c = (struct lcoll){.rank = rank,
	                    .send = w->send,
	                    .recv = w->recv,
	                    .op = w->op,
	                    .element = w->element,
	                    .user = w->user,
	                    .type_size = (uint32_t)w->type_size};
	c->empty = coll_is_empty(w);
	if (w->send) {
		c->buf[BUF_SEND] = wire_at(l->head, w->send);
		c->size[BUF_SEND] = w->send_bytes;
	}
	if (w->recv) {
		c->buf[BUF_RECV] = wire_at(l->head, w->recv);
		c->size[BUF_RECV] = w->recv_bytes;
	}
	*index = i;
	return 0;
}

void coll_end(struct live *l, uint32_t index)
{
	struct lcoll *c = coll_at(l, index);

	free(c->buf[BUF_TMP]);
	c->buf[BUF_TMP] = NULL;
	slots_give(&l->colls, index);
}

static int begins(void *self, uint64_t data, const struct coll_alg *alg, const struct coll_args *a,
                  uint32_t me, struct err *err)
{
	struct live *l = self;
	struct lcoll *c;
	int64_t n;

	if (!data)
		return 0;
	c = coll_named(l, data);
	c->alg = alg;
	c->args = a;
	c->me = me;
	if (!alg && (c->send || c->recv))
		return live_error(
		    l, c->rank, err,
		    "this model decides collectives as a whole, without the messages that move "
		    "data: --cfg smpi/collectives:simulated lets it time these");
	if (!alg)
		return 0;
	n = c->empty ? 0 : coll_tmp_bytes(alg, a, me);
	if (n <= 0)
		return 0;
	c->buf[BUF_TMP] = malloc((size_t)n);
	if (!c->buf[BUF_TMP])
		return err_nomem(err, "buffer of a collective", (unsigned long long)n);
	c->size[BUF_TMP] = (uint64_t)n;
	return 0;
}

static int copy(struct live *l, const struct lcoll *c, const struct coll_step *s, struct err *err)
{
	for (uint32_t i = 0; i < s->n && s->len > 0; i++) {
		int64_t to = s->off + i * s->stride, from = s->src_off + i * s->src_stride;

		if (piece_check(l, c, s->buf, to, s->len, err) < 0 ||
		    piece_check(l, c, s->src_buf, from, s->len, err) < 0)
			return -1;
		memmove(c->buf[s->buf] + to, c->buf[s->src_buf] + from, (size_t)s->len);
	}
	return 0;
}

/* The program's own operator runs in the program: inout = in op inout. */
static int reduce_user(struct live *l, const struct lcoll *c, const void *in, void *inout,
                       uint64_t n, struct err *err)
{
	struct wire_order *o = &l->rank[c->rank].c->order;
	int status;

	o->what = WIRE_REDUCE;
	o->user = c->user - 1;
	o->bytes = n;
	o->element = c->element;
	o->in = wire_block_new(&l->heap, n);
	o->inout = wire_block_new(&l->heap, n);
	if (!o->in || !o->inout)
		return err_set(err, ERR_LIMIT, "operands of %llu bytes have no room",
		               (unsigned long long)n);
	memcpy(wire_at(l->head, o->in), in, n);
	memcpy(wire_at(l->head, o->inout), inout, n);
	status = live_order(l, c->rank, err);
	memcpy(inout, wire_at(l->head, o->inout), n);
	wire_block_free(&l->heap, o->in);
	wire_block_free(&l->heap, o->inout);
	return status;
}

static int reduce_one(struct live *l, const struct lcoll *c, const void *in, void *inout,
                      uint64_t n, struct err *err)
{
	size_t size = reduce_basic_size(c->element);

	if (c->user)
		return reduce_user(l, c, in, inout, n, err);
	if (size == 0 || reduce_apply(c->op, c->element, in, inout, (int64_t)(n / size)) < 0)
		return live_error(l, c->rank, err, "operator 0x%x on elements of kind %u", c->op,
		                  c->element);
	return 0;
}

/* dst = src op dst, or dst = dst op src. */
static int reduce(struct live *l, const struct lcoll *c, const struct coll_step *s, struct err *err)
{
	uint64_t n = (uint64_t)s->len;
	unsigned char *dst = c->buf[s->buf] + s->off, *src = c->buf[s->src_buf] + s->src_off, *t;
	int status;

	if (n == 0)
		return 0;
	if (piece_check(l, c, s->buf, s->off, s->len, err) < 0 ||
	    piece_check(l, c, s->src_buf, s->src_off, s->len, err) < 0)
		return -1;
	if (s->reduce_left)
		return reduce_one(l, c, src, dst, n, err);
	t = malloc(n);
	if (!t)
		return err_nomem(err, "operand of a reduction", n);
	memcpy(t, src, n);
	status = reduce_one(l, c, dst, t, n, err);
	memcpy(dst, t, n);
	free(t);
	return status;
}

static int is_there(void *self, uint64_t data)
{
	const struct lcoll *c = coll_named(self, data);

	return !c->empty && (c->buf[BUF_SEND] || c->buf[BUF_RECV]);
}

static struct lside side_of(uint64_t data, const struct coll_step *s)
{
	return (struct lside){.name = data, .step = 1, .buf = s->buf, .off = s->off, .len = s->len};
}

static int carry(void *self, uint64_t from, const struct coll_step *send, uint64_t to,
                 const struct coll_step *recv, struct err *err)
{
	struct lside sent = side_of(from, send), received = side_of(to, recv);

	return meet_steps(self, &sent, &received, err);
}

static int acts(void *self, uint64_t data, const struct coll_step *s, struct err *err)
{
	struct live *l = self;
	struct lcoll *c = data ? coll_named(l, data) : NULL;

	if (!c || c->done)
		return 0;
	c->last = 0; /* told again when it waits again */
	if (c->empty || s->buf == BUF_TOKEN || s->src_buf == BUF_TOKEN)
		return 0;
	if (s->kind == STEP_REDUCE)
		return reduce(l, c, s, err);
	if (s->kind == STEP_COPY)
		return copy(l, c, s, err);
	return 0;
}

void data_init(struct live *l)
{
	slots_init(&l->colls, sizeof(struct lcoll), offsetof(struct lcoll, next), "collectives");
	slots_init(&l->meetings, sizeof(struct meeting), offsetof(struct meeting, next),
	           "agreements");
	l->data = (struct mp_data){.self = l,
	                           .side = side,
	                           .again = again,
	                           .meet = meet,
	                           .begins = begins,
	                           .acts = acts,
	                           .is_there = is_there,
	                           .carry = carry,
	                           .part = part_arrives};
}

void data_release(struct live *l)
{
	for (uint32_t i = 0; i < l->n_side; i++)
		free(l->side[i].copy);
	free(l->side);
	for (uint32_t i = 0; i < l->colls.n; i++)
		free(coll_at(l, i)->buf[BUF_TMP]);
	slots_release(&l->colls);
}

int live_attach(struct live *l, struct mp *mp, struct err *err)
{
	l->mp = mp;
	l->head->bridge_turns = mp_bridge_turns(mp);
	l->data.last = l->jobs > 0 ? last : NULL;
	return mp_set_data(mp, &l->data, err);
}
