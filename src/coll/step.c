/* step.c: writing steps. */
#include "coll_int.h"

static struct coll_step *step_add(struct coll_steps *out, enum coll_step_kind kind)
{
	BUG_ON(out->n >= COLL_STEPS_MAX);
	struct coll_step *s = &out->s[out->n++];
	*s = (struct coll_step){.kind = (uint8_t)kind, .n = 1};
	return s;
}

static void step_message(struct coll_steps *out, enum coll_step_kind kind, uint32_t peer,
                         struct piece p, uint32_t req)
{
	struct coll_step *s = step_add(out, kind);
	s->peer = peer;
	s->buf = (uint8_t)p.buf;
	s->off = p.off;
	s->len = p.len;
	s->req = req;
}

void step_send(struct coll_steps *out, uint32_t peer, struct piece p)
{
	step_message(out, STEP_SEND, peer, p, 0);
}

void step_recv(struct coll_steps *out, uint32_t peer, struct piece p)
{
	step_message(out, STEP_RECV, peer, p, 0);
}

void step_isend(struct coll_steps *out, uint32_t peer, struct piece p, uint32_t req)
{
	step_message(out, STEP_ISEND, peer, p, req);
}

void step_irecv(struct coll_steps *out, uint32_t peer, struct piece p, uint32_t req)
{
	step_message(out, STEP_IRECV, peer, p, req);
}

void step_wait(struct coll_steps *out, uint32_t req)
{
	step_add(out, STEP_WAIT)->req = req;
}

void step_waitall(struct coll_steps *out)
{
	step_add(out, STEP_WAITALL);
}

void step_sendrecv(struct coll_steps *out, uint32_t rank, uint32_t to, struct piece sent,
                   uint32_t from, struct piece received)
{
	if (to == rank && from == rank) {
		step_copy(out, received, sent);
		return;
	}
	step_isend(out, to, sent, 0);
	step_irecv(out, from, received, 1);
	step_waitall(out);
}

void step_copy_strided(struct coll_steps *out, struct piece dst, int64_t stride, struct piece src,
                       int64_t src_stride, uint32_t n)
{
	if (src.len == 0 || n == 0 || (n == 1 && dst.buf == src.buf && dst.off == src.off))
		return;
	struct coll_step *s = step_add(out, STEP_COPY);
	s->buf = (uint8_t)dst.buf;
	s->off = dst.off;
	s->stride = stride;
	s->src_buf = (uint8_t)src.buf;
	s->src_off = src.off;
	s->src_stride = src_stride;
	s->len = src.len;
	s->n = n;
}

void step_copy(struct coll_steps *out, struct piece dst, struct piece src)
{
	step_copy_strided(out, dst, 0, src, 0, 1);
}

static void step_combine(struct coll_steps *out, struct piece dst, struct piece src, int left)
{
	if (src.len == 0)
		return;
	struct coll_step *s = step_add(out, STEP_REDUCE);
	s->buf = (uint8_t)dst.buf;
	s->off = dst.off;
	s->src_buf = (uint8_t)src.buf;
	s->src_off = src.off;
	s->len = src.len;
	s->reduce_left = (uint8_t)left;
}

void step_reduce(struct coll_steps *out, struct piece dst, struct piece src)
{
	step_combine(out, dst, src, 0);
}

void step_reduce_left(struct coll_steps *out, struct piece dst, struct piece src)
{
	step_combine(out, dst, src, 1);
}

void step_fold(struct coll_steps *out, int first, struct piece dst, struct piece src)
{
	if (first)
		step_copy(out, dst, src);
	else
		step_reduce(out, dst, src);
}
