/* issue_part.c: partitioned communication. Each side has a block for all its partitions, the
 * sender's filled before a partition is said to be ready; when mp says that a partition has
 * arrived, its bytes go from one block to the other. */
#include "live_int.h"

#include <string.h>

static int init(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	const struct wire_message *w = op_body(op);
	struct mp_message m;
	struct lreq *q;

	if (message_of(l, rank, op, w, &m, err) < 0)
		return MP_ERROR;
	if (w->partitions && w->bytes > l->size / w->partitions)
		return live_broken(l, rank, err, "the size of partitions");
	if (w->block && !wire_block_holds(l->head, w->block, w->bytes * w->partitions))
		return live_broken(l, rank, err, "the data of partitions");
	q = req_use(l, rank, w->request, LREQ_OTHER, err);
	if (!q)
		return MP_ERROR;
	q->persistent = 1;
	q->part = w->block;
	q->part_bytes = w->bytes * w->partitions;
	mp_data_next(l->mp, name_of(rank, w->request), name_of(rank, w->request));
	return mp_part_init(l->mp, rank, op->kind == WIRE_PSEND_INIT, &m, w->partitions, &q->mp,
	                    err);
}

static int ready(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	const int64_t *list = live_list(l, op, 0, op->n, sizeof *list);
	struct lreq *q = req_at(l, rank, op->a, err);

	if (!list)
		return live_broken(l, rank, err, "a list of partitions");
	return q ? mp_pready(l->mp, rank, q->mp, list, op->n, err) : MP_ERROR;
}

static int arrived(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	struct lreq *q = req_at(l, rank, op->a, err);
	int there = q ? mp_part_is_there(l->mp, rank, q->mp, op->b, err) : -1;

	if (there < 0)
		return MP_ERROR;
	l->rank[rank].value = (uint32_t)there;
	if (there) {
		l->rank[rank].peeks = 0;
		return mp_parrived(l->mp, rank, q->mp, op->b, err);
	}
	l->rank[rank].peeks++;
	return look_nap(l, rank, err);
}

int part_issue(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	switch (op->kind) {
	case WIRE_PREADY:
		return ready(l, rank, op, err);
	case WIRE_PARRIVED:
		return arrived(l, rank, op, err);
	default:
		return init(l, rank, op, err);
	}
}

/* mp_data.part */
int part_arrives(void *self, uint64_t send, uint64_t recv, double from, double bytes,
                 struct err *err)
{
	struct live *l = self;
	const struct lreq *s = &l->rank[send >> 32].req[(uint32_t)send],
	                  *r = &l->rank[recv >> 32].req[(uint32_t)recv];
	uint64_t at = (uint64_t)from, n = (uint64_t)bytes;

	(void)err;
	if (!s->part || !r->part || n == 0)
		return 0;
	BUG_ON(at + n > s->part_bytes || at + n > r->part_bytes);
	memcpy((char *)wire_at(l->head, r->part) + at, (char *)wire_at(l->head, s->part) + at, n);
	return 0;
}
