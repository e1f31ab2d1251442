/* answer.c: an operation of a rank is complete (issue.c): what its rank is told. */
#include "live_int.h"

static void request_ends(struct live *l, struct lreq *q)
{
	if (q->coll) {
		coll_end(l, q->coll - 1);
		q->coll = 0;
	}
	q->block = 0;
	q->flags = 0;
	q->met = 0;
	if (!q->persistent)
		q->mp = MP_REQUEST_NULL;
}

/* What is complete stays so; its data are the rank's from now on (libmpi/core/look.c). */
static int peek_answer(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	const uint32_t *numbers = live_list(l, op, 0, op->n, sizeof *numbers);
	struct lrank *r = &l->rank[rank];
	struct wire_answer *a = &r->c->answer;
	struct wire_done *d = dones_room(l, a, op->n);

	if (!d)
		return err_set(err, ERR_LIMIT, "%u requests have no room", op->n);
	a->n = 0;
	for (uint32_t i = 0; i < op->n; i++) {
		struct lreq *q = numbers[i] == WIRE_NONE ? NULL : &r->req[numbers[i]];

		if (!q || !mp_request_is_complete(l->mp, q->mp))
			continue;
		done_set(&d[a->n++], q, i);
		q->block = 0;
	}
	r->peeks = a->n > 0 ? 0 : r->peeks + 1;
	live_list_free(l, op);
	return MP_DONE;
}

static int completions_answer(struct live *l, uint32_t rank, const struct wire_op *op,
                              struct err *err)
{
	const struct mp_result *res = mp_result(l->mp, rank);
	const uint32_t *numbers = live_list(l, op, 0, op->n, sizeof *numbers);
	struct wire_answer *a = &l->rank[rank].c->answer, none;
	int asks = op->flags & WIRE_ASKS && !l->rank[rank].early;
	struct wire_done *d;

	if (!asks)
		a = &none;
	a->flag = (uint32_t)res->flag;
	a->n = res->n;
	d = asks ? dones_room(l, a, res->n) : NULL;
	if (asks && !d)
		return err_set(err, ERR_LIMIT, "%u completed requests have no room", res->n);
	for (uint32_t i = 0; i < res->n; i++) {
		struct lreq *q = &l->rank[rank].req[numbers[res->indices[i]]];

		if (d)
			done_set(&d[i], q, res->indices[i]);
		else
			wire_block_free(&l->heap, q->block);
		request_ends(l, q);
	}
	live_list_free(l, op);
	return MP_DONE;
}

static int probe_answer(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	const struct mp_result *res = mp_result(l->mp, rank);
	const struct wire_message *w = op_body(op);
	struct lrank *r = &l->rank[rank];
	struct wire_answer *a = &r->c->answer;
	struct lreq *q;

	a->flag = op->kind == WIRE_PROBE || op->kind == WIRE_MPROBE || res->flag;
	a->done[0] = (struct wire_done){
	    .source = res->source, .tag = res->tag, .bytes = (uint64_t)res->bytes};
	if (op->kind == WIRE_IMPROBE && res->flag && r->stage == 0) {
		struct mp_message m;
		int status;

		r->stage = 1; /* what was found is taken, in no time */
		if (message_of(l, rank, op, w, &m, err) < 0)
			return MP_ERROR;
		status = mp_mprobe(l->mp, rank, &m, err);
		if (status != MP_DONE)
			return status;
		return probe_answer(l, rank, op, err);
	}
	if ((op->kind != WIRE_MPROBE && r->stage == 0) || res->message.v == MP_REQUEST_NULL.v) {
		a->value = WIRE_NONE;
		return MP_DONE;
	}
	a->flag = 1;
	q = req_use(l, rank, w->request, LREQ_MESSAGE, err);
	if (!q)
		return MP_ERROR;
	q->mp = res->message;
	a->value = w->request;
	return MP_DONE;
}

static int finalize_answer(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	(void)op, (void)err;
	l->rank[rank].over = 1;
	return MP_DONE;
}

static int receive_answer(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	struct lrank *r = &l->rank[rank];
	struct wire_answer *a = &r->c->answer;

	(void)op, (void)err;
	if (r->early)
		return MP_DONE;
	a->n = 1;
	a->list = 0;
	done_set(&a->done[0], &r->own, 0);
	return MP_DONE;
}

static int wait_answer(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	return op->kind == WIRE_TEST && op->mode == WIRE_PEEK
	           ? peek_answer(l, rank, op, err)
	           : completions_answer(l, rank, op, err);
}

static int flag_answer(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	(void)op, (void)err;
	l->rank[rank].c->answer.flag = l->rank[rank].value;
	return MP_DONE;
}

static int list_answer(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	(void)rank, (void)err;
	live_list_free(l, op);
	return MP_DONE;
}

static int coll_answer(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	struct lrank *r = &l->rank[rank];

	if (r->coll && !(op->flags & WIRE_RESTS)) {
		coll_end(l, r->coll - 1);
		r->coll = 0;
	}
	return list_answer(l, rank, op, err);
}

static int sync_answer(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	return l->o.checks && race_synced(l, rank, op, err) < 0 ? MP_ERROR : MP_DONE;
}

static int value_answer(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	l->rank[rank].c->answer.value = l->rank[rank].value;
	return list_answer(l, rank, op, err);
}

static int fill_answer(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	(void)err;
	l->rank[rank].c->answer.done[0] = (struct wire_done){
	    .bytes = (uint64_t)mp_buffer_fill(l->mp, rank, op->a)};
	return MP_DONE;
}

/* Of the other kinds there is no more to tell than that they are complete, and when. */
static int (*const answers[WIRE_KINDS])(struct live *l, uint32_t rank, const struct wire_op *op,
                                        struct err *err) = {
    [WIRE_FINALIZE] = finalize_answer, [WIRE_RECV] = receive_answer,
    [WIRE_MRECV] = receive_answer,     [WIRE_SENDRECV] = receive_answer,
    [WIRE_PROBE] = probe_answer,       [WIRE_IPROBE] = probe_answer,
    [WIRE_MPROBE] = probe_answer,      [WIRE_IMPROBE] = probe_answer,
    [WIRE_WAIT] = wait_answer,         [WIRE_TEST] = wait_answer,
    [WIRE_START] = list_answer,        [WIRE_PREADY] = list_answer,
    [WIRE_LEFT] = list_answer,         [WIRE_PARRIVED] = flag_answer,
    [WIRE_COLL] = coll_answer,         [WIRE_COMM_AGREE] = comm_answer,
    [WIRE_COMM_MAKE] = comm_answer,    [WIRE_COMM_CART] = comm_answer,
    [WIRE_COMM_GRAPH] = comm_answer,   [WIRE_SPAWN] = spawn_answer,
    [WIRE_PORT] = spawn_answer,        [WIRE_SERVICE] = spawn_answer,
    [WIRE_WIN_MAKE] = value_answer,    [WIRE_WIN_GROUP] = value_answer,
    [WIRE_FILE_OPEN] = value_answer,   [WIRE_FILE_UNLINK] = value_answer,
    [WIRE_BUFFER_FILL] = fill_answer,  [WIRE_WIN_SYNC] = sync_answer,
};

int live_tell(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	struct lrank *r = &l->rank[rank];
	struct wire_answer *a = &r->c->answer;
	uint32_t kind = op->kind; /* a rank may have overwritten it since it was issued */
	int status = kind < WIRE_KINDS && answers[kind] ? answers[kind](l, rank, op, err) : MP_DONE;

	if (op->flags & WIRE_ASKS && !r->early && status == MP_DONE) {
		a->error = r->error;
		a->date = mp_now(l->mp);
		look_answer(l, rank, op);
		a->early = 0;
	}
	return status;
}
