/* issue.c: an operation of a rank becomes operations of mp: the same ones, in the same order, as
 * replay issues for the event that stands for it in a trace (src/replay/op.c); and what is told to
 * the rank when it is complete. Nothing in the ring is trusted. */
#include "live_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PEEK_SECONDS 1e-7

static int broken(struct live *l, uint32_t rank, struct err *err, const char *what)
{
	return live_error(l, rank, err, "what it told the simulator makes no sense (%s)", what);
}

/* --- point-to-point --- */

static int send_issue(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	const struct wire_message *w = op_body(op);
	struct mp_message m;
	struct lreq *q;
	int status;

	if (message_of(l, rank, op, w, &m, err) < 0)
		return MP_ERROR;
	if (op->mode > WIRE_READY)
		return broken(l, rank, err, "a mode of a send");
	if (op->kind == WIRE_SEND) {
		mp_data_next(l->mp, w->block, 0);
		return mp_send(l->mp, rank, &m, (enum mp_mode)op->mode, err);
	}
	q = req_use(l, rank, w->request, LREQ_SEND, err);
	if (!q)
		return MP_ERROR;
	if (op->kind == WIRE_ISEND) {
		mp_data_next(l->mp, w->block, 0);
		status = mp_isend(l->mp, rank, &m, (enum mp_mode)op->mode, &q->mp, err);
	} else {
		q->persistent = 1;
		mp_data_next(l->mp, (uint64_t)1 << 63 | name_of(rank, w->request), 0);
		status = mp_send_init(l->mp, rank, &m, (enum mp_mode)op->mode, &q->mp, err);
	}
	return status;
}

static int recv_issue(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	const struct wire_message *w = op_body(op);
	struct lrank *r = &l->rank[rank];
	struct mp_message m;
	struct lreq *q;

	if (message_of(l, rank, op, w, &m, err) < 0)
		return MP_ERROR;
	if (op->kind == WIRE_RECV) {
		r->own.capacity = w->bytes;
		r->own.source = WIRE_NOBODY;
		r->own.tag = WIRE_ANY;
		early_receive(l, rank, op);
		mp_data_next(l->mp, 0, name_of(rank, NUMBER_OWN));
		return mp_recv(l->mp, rank, &m, err);
	}
	q = req_use(l, rank, w->request, LREQ_RECV, err);
	if (!q)
		return MP_ERROR;
	q->capacity = w->bytes;
	mp_data_next(l->mp, 0, name_of(rank, w->request));
	if (op->kind == WIRE_IRECV)
		return mp_irecv(l->mp, rank, &m, &q->mp, err);
	q->persistent = 1;
	return mp_recv_init(l->mp, rank, &m, &q->mp, err);
}

/* A message that its sender takes back at once moves by itself; mp has the time. */
static int sendrecv_issue(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	const struct wire_message *w = op_body(op);
	struct lrank *r = &l->rank[rank];
	struct mp_message send, recv;
	int self = w[0].peer == (int32_t)rank && w[1].peer == (int32_t)rank;

	if (message_of(l, rank, op, &w[0], &send, err) < 0 ||
	    message_of(l, rank, op, &w[1], &recv, err) < 0)
		return MP_ERROR;
	r->own.capacity = w[1].bytes;
	r->own.source = WIRE_NOBODY;
	r->own.tag = WIRE_ANY;
	if (self) {
		r->own.block = w[0].block;
		r->own.source = (int32_t)rank;
		r->own.tag = w[0].tag;
		r->own.bytes = w[0].bytes;
		r->own.flags = w[0].bytes > w[1].bytes ? WIRE_TRUNCATED : 0;
		if (recv.bytes < send.bytes)
			recv.bytes = send.bytes;
	}
	early_receive(l, rank, op);
	if (self)
		early_met(l, rank, &r->own);
	mp_data_next(l->mp, w[0].block, name_of(rank, NUMBER_OWN));
	return mp_sendrecv(l->mp, rank, &send, &recv, err);
}

static int probe_issue(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	const struct wire_message *w = op_body(op);
	struct mp_message m;

	if (message_of(l, rank, op, w, &m, err) < 0)
		return MP_ERROR;
	switch (op->kind) {
	case WIRE_PROBE:
		return mp_probe(l->mp, rank, &m, err);
	case WIRE_MPROBE:
		return mp_mprobe(l->mp, rank, &m, err);
	default:
		return mp_iprobe(l->mp, rank, &m, err);
	}
}

/* The handle of a matched message is a request that nobody waits for. */
static int mrecv_issue(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	const struct wire_message *w = op_body(op);
	struct lrank *r = &l->rank[rank];
	struct mp_request message = MP_REQUEST_NULL;
	struct lreq *q;

	if (w->block != WIRE_NONE) {
		q = req_at(l, rank, (uint32_t)w->block, err);
		if (!q)
			return MP_ERROR;
		if (q->kind != LREQ_MESSAGE || q->mp.v == MP_REQUEST_NULL.v)
			return broken(l, rank, err, "a message that no probe has found");
		message = q->mp;
		q->mp = MP_REQUEST_NULL;
	}
	if (op->kind == WIRE_MRECV) {
		r->own.capacity = w->bytes;
		r->own.source = WIRE_NOBODY;
		r->own.tag = WIRE_ANY;
		early_receive(l, rank, op);
		mp_data_next(l->mp, 0, name_of(rank, NUMBER_OWN));
		return mp_mrecv(l->mp, rank, message, (double)w->bytes, err);
	}
	q = req_use(l, rank, w->request, LREQ_RECV, err);
	if (!q)
		return MP_ERROR;
	q->capacity = w->bytes;
	mp_data_next(l->mp, 0, name_of(rank, w->request));
	return mp_imrecv(l->mp, rank, message, (double)w->bytes, &q->mp, err);
}

/* --- completion --- */

static int list_collect(struct live *l, uint32_t rank, const uint32_t *numbers, uint32_t n,
                        struct err *err)
{
	struct lrank *r = &l->rank[rank];
	struct mp_request *p = vec_grow(r->list, &r->cap_list, sizeof *p, (size_t)n + 1, "requests",
	                                err);

	if (!p)
		return -1;
	r->list = p;
	for (uint32_t i = 0; i < n; i++) {
		struct lreq *q = numbers[i] == WIRE_NONE ? NULL : req_at(l, rank, numbers[i], err);

		if (numbers[i] != WIRE_NONE && !q)
			return -1;
		p[i] = q ? q->mp : MP_REQUEST_NULL;
	}
	return 0;
}

static int wait_issue(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	const uint32_t *numbers = live_list(l, op, 0, op->n, sizeof *numbers);

	if (!numbers)
		return broken(l, rank, err, "a list of requests");
	if (op->mode > WIRE_SOME && !(op->kind == WIRE_TEST && op->mode == WIRE_PEEK))
		return broken(l, rank, err, "a way to wait");
	if (list_collect(l, rank, numbers, op->n, err) < 0)
		return MP_ERROR;
	if (op->kind == WIRE_TEST && op->mode == WIRE_PEEK) /* time passes, so that loops end */
		return mp_nap(l->mp, rank, PEEK_SECONDS * (1 + l->rank[rank].peeks), err);
	if (op->kind == WIRE_WAIT && op->mode <= WIRE_ALL)
		early_wait(l, rank, op, numbers);
	return op->kind == WIRE_WAIT ? mp_wait(l->mp, rank, (enum mp_wait_kind)op->mode,
	                                       l->rank[rank].list, op->n, err)
	                             : mp_test(l->mp, rank, (enum mp_test_kind)op->mode,
	                                       l->rank[rank].list, op->n, err);
}

static int start_issue(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	const struct wire_start *s = live_list(l, op, 0, op->n, sizeof *s);
	struct lrank *r = &l->rank[rank];
	struct mp_request *p;

	if (!s)
		return broken(l, rank, err, "a list of requests");
	p = vec_grow(r->list, &r->cap_list, sizeof *p, (size_t)op->n + 1, "requests", err);
	if (!p)
		return MP_ERROR;
	r->list = p;
	for (uint32_t i = 0; i < op->n; i++) {
		struct lreq *q = req_at(l, rank, s[i].request, err);

		if (!q)
			return MP_ERROR;
		p[i] = q->mp;
		q->flags = 0;
		q->met = 0;
		q->block = s[i].block;
		q->source = WIRE_NOBODY;
		q->tag = WIRE_ANY;
		q->bytes = 0;
	}
	return op->n ? mp_start(l->mp, rank, p, op->n, err) : MP_DONE;
}

static int release_issue(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	struct lreq *q = req_at(l, rank, op->a, err);
	struct mp_request mine;

	if (!q)
		return MP_ERROR;
	mine = q->mp;
	if (op->kind == WIRE_REQUEST_FREE) {
		q->mp = MP_REQUEST_NULL;
		return mp_request_free(l->mp, rank, mine, err);
	}
	if (mp_cancel(l->mp, rank, mine, err) < 0)
		return MP_ERROR;
	if (mp_result(l->mp, rank)->flag) {
		q->flags |= WIRE_CANCELLED;
		q->met = 1;
	}
	return MP_DONE;
}

/* --- the rest --- */

static int abort_issue(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	const char *text = live_list(l, op, 0, op->n, 1);

	return live_error(l, rank, err, "%.*s", text ? (int)op->n : 0, text ? text : "");
}

static int finalize_issue(struct live *l, uint32_t rank, struct err *err)
{
	return mp_finalize(l->mp, rank, err);
}

/* What follows an operation of a kind, at least. */
static size_t body_least(const struct wire_op *op)
{
	switch (op->kind) {
	case WIRE_SENDRECV:
		return 2 * sizeof(struct wire_message);
	case WIRE_COMM_AGREE:
		return sizeof(struct wire_agree);
	case WIRE_COMM_MAKE:
		return sizeof(struct wire_comm);
	case WIRE_COLL:
		return sizeof(struct wire_coll);
	case WIRE_RMA:
		return sizeof(struct wire_rma);
	case WIRE_FILE_ACCESS:
		return sizeof(struct wire_access);
	case WIRE_SPAWN:
		return sizeof(struct wire_spawn);
	case WIRE_PORT:
		return sizeof(struct wire_port);
	case WIRE_SERVICE:
		return sizeof(struct wire_text);
	default:
		return op->kind >= WIRE_SEND && op->kind <= WIRE_PRECV_INIT
		           ? sizeof(struct wire_message)
		           : 0;
	}
}

int live_issue(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	if (op->size < sizeof *op + body_least(op))
		return broken(l, rank, err, "an operation that ends too early");
	switch (op->kind) {
	case WIRE_INIT:
		l->rank[rank].inside = 1;
		return mp_init(l->mp, rank, err);
	case WIRE_FINALIZE:
		return finalize_issue(l, rank, err);
	case WIRE_ABORT:
		return abort_issue(l, rank, op, err);
	case WIRE_COMPUTE:
		return MP_DONE;
	case WIRE_SLEEP:
		if (op->a == 1)
			return mp_nap(l->mp, rank, op->x, err);
		return op->x > 0 ? mp_sleep(l->mp, rank, op->x, err) : MP_DONE;
	case WIRE_CLOCK:
		return op->x > 0 ? mp_sleep(l->mp, rank, op->x, err) : MP_DONE;
	case WIRE_SEND:
	case WIRE_ISEND:
	case WIRE_SEND_INIT:
		return send_issue(l, rank, op, err);
	case WIRE_RECV:
	case WIRE_IRECV:
	case WIRE_RECV_INIT:
		return recv_issue(l, rank, op, err);
	case WIRE_SENDRECV:
		return sendrecv_issue(l, rank, op, err);
	case WIRE_PROBE:
	case WIRE_IPROBE:
	case WIRE_MPROBE:
	case WIRE_IMPROBE:
		return probe_issue(l, rank, op, err);
	case WIRE_MRECV:
	case WIRE_IMRECV:
		return mrecv_issue(l, rank, op, err);
	case WIRE_PSEND_INIT:
	case WIRE_PRECV_INIT:
	case WIRE_PREADY:
	case WIRE_PARRIVED:
		return part_issue(l, rank, op, err);
	case WIRE_START:
		return start_issue(l, rank, op, err);
	case WIRE_WAIT:
	case WIRE_TEST:
		return wait_issue(l, rank, op, err);
	case WIRE_REQUEST_FREE:
	case WIRE_CANCEL:
		return release_issue(l, rank, op, err);
	case WIRE_LEFT:
		return left_issue(l, rank, op, err);
	case WIRE_BUFFER_DETACH:
		return mp_buffer_detach(l->mp, rank, err);
	case WIRE_COLL:
		return coll_issue(l, rank, op, err);
	case WIRE_COMM_AGREE:
	case WIRE_COMM_MAKE:
	case WIRE_COMM_FREE:
	case WIRE_COMM_CART:
	case WIRE_COMM_GRAPH:
		return comm_issue(l, rank, op, err);
	case WIRE_WIN_MAKE:
	case WIRE_RMA:
	case WIRE_WIN_SYNC:
	case WIRE_WIN_GROUP:
	case WIRE_FILE_OPEN:
	case WIRE_FILE_ACCESS:
	case WIRE_FILE_SYNC:
	case WIRE_FILE_CLOSE:
	case WIRE_FILE_UNLINK:
		return win_issue(l, rank, op, err);
	case WIRE_SPAWN:
	case WIRE_PORT:
	case WIRE_SERVICE:
		return spawn_issue(l, rank, op, err);
	default:
		return broken(l, rank, err, "an operation that is not known");
	}
}

/* --- answers --- */

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

/* What is complete stays so. */
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
		const struct lreq *q = numbers[i] == WIRE_NONE ? NULL : &r->req[numbers[i]];

		if (!q || !mp_request_is_complete(l->mp, q->mp))
			continue;
		done_set(&d[a->n], q, i);
		d[a->n++].block = 0;
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

int live_tell(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	struct lrank *r = &l->rank[rank];
	struct wire_answer *a = &r->c->answer;
	int status = MP_DONE;

	switch (op->kind) {
	case WIRE_FINALIZE:
		r->over = 1;
		break;
	case WIRE_RECV:
	case WIRE_MRECV:
	case WIRE_SENDRECV:
		if (r->early)
			break;
		a->n = 1;
		a->list = 0;
		done_set(&a->done[0], &r->own, 0);
		break;
	case WIRE_PROBE:
	case WIRE_IPROBE:
	case WIRE_MPROBE:
	case WIRE_IMPROBE:
		status = probe_answer(l, rank, op, err);
		break;
	case WIRE_WAIT:
	case WIRE_TEST:
		status = op->kind == WIRE_TEST && op->mode == WIRE_PEEK
		             ? peek_answer(l, rank, op, err)
		             : completions_answer(l, rank, op, err);
		break;
	case WIRE_START:
	case WIRE_PREADY:
	case WIRE_LEFT:
		live_list_free(l, op);
		break;
	case WIRE_PARRIVED:
		a->flag = r->value;
		break;
	case WIRE_COLL:
		if (r->coll && !(op->flags & WIRE_RESTS)) {
			coll_end(l, r->coll - 1);
			r->coll = 0;
		}
		live_list_free(l, op);
		break;
	case WIRE_COMM_AGREE:
	case WIRE_COMM_MAKE:
	case WIRE_COMM_CART:
	case WIRE_COMM_GRAPH:
		status = comm_answer(l, rank, op, err);
		break;
	case WIRE_SPAWN:
	case WIRE_PORT:
	case WIRE_SERVICE:
		status = spawn_tell(l, rank, op, err);
		break;
	case WIRE_WIN_MAKE:
	case WIRE_WIN_GROUP:
	case WIRE_FILE_OPEN:
	case WIRE_FILE_UNLINK:
		a->value = r->value;
		live_list_free(l, op);
		break;
	default:
		break;
	}
	if (op->flags & WIRE_ASKS && !r->early && status == MP_DONE) {
		a->error = r->error;
		a->date = mp_now(l->mp);
		a->early = 0;
	}
	return status;
}
