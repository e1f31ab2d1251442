/* issue.c: an operation of a rank becomes operations of mp: the same ones, in the same order, as
 * replay issues for the event that stands for it in a trace (src/replay/op.c). What the rank is
 * told at its end is answer.c's. Nothing in the ring is trusted. */
#include "live_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
		return live_broken(l, rank, err, "a mode of a send");
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
			return live_broken(l, rank, err, "a message that no probe has found");
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
		return live_broken(l, rank, err, "a list of requests");
	if (op->mode > WIRE_SOME && !(op->kind == WIRE_TEST && op->mode == WIRE_PEEK))
		return live_broken(l, rank, err, "a way to wait");
	if (list_collect(l, rank, numbers, op->n, err) < 0)
		return MP_ERROR;
	if (op->kind == WIRE_TEST && op->mode == WIRE_PEEK) /* time passes, so that loops end */
		return look_nap(l, rank, err);
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
		return live_broken(l, rank, err, "a list of requests");
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

static int init_issue(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	l->family = op->a;
	l->rank[rank].inside = 1;
	return mp_init(l->mp, rank, err);
}

static int finalize_issue(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	(void)op;
	return mp_finalize(l->mp, rank, err);
}

static int abort_issue(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	const char *text = live_list(l, op, 0, op->n, 1);

	return live_error(l, rank, err, "%.*s", text ? (int)op->n : 0, text ? text : "");
}

/* What it computed has been charged before (op_go). */
static int compute_issue(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	(void)l, (void)rank, (void)op, (void)err;
	return MP_DONE;
}

/* A sleep, or what the reading of a clock takes. */
static int sleep_issue(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	if (op->kind == WIRE_CLOCK && op->a == 1)
		l->read += op->x;
	if (op->kind == WIRE_SLEEP && op->a == 1)
		return mp_nap(l->mp, rank, op->x, 1, err);
	return op->x > 0 ? mp_sleep(l->mp, rank, op->x, err) : MP_DONE;
}

static int detach_issue(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	(void)op;
	return mp_buffer_detach(l->mp, rank, err);
}

static int flush_issue(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	struct lreq *q = req_use(l, rank, op->a, LREQ_OTHER, err);

	return q ? mp_buffer_iflush(l->mp, rank, &q->mp, err) : MP_ERROR;
}

/* Nothing: its answer is what is there now. */
static int fill_issue(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	(void)l, (void)rank, (void)op, (void)err;
	return MP_DONE;
}

/* What is issued for each kind, and the bytes that follow the operation at least. */
static const struct {
	int (*issue)(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err);
	size_t body;
} kinds[WIRE_KINDS] = {
    [WIRE_INIT] = {init_issue, 0},
    [WIRE_FINALIZE] = {finalize_issue, 0},
    [WIRE_ABORT] = {abort_issue, 0},
    [WIRE_COMPUTE] = {compute_issue, 0},
    [WIRE_SLEEP] = {sleep_issue, 0},
    [WIRE_CLOCK] = {sleep_issue, 0},
    [WIRE_SEND] = {send_issue, sizeof(struct wire_message)},
    [WIRE_ISEND] = {send_issue, sizeof(struct wire_message)},
    [WIRE_SEND_INIT] = {send_issue, sizeof(struct wire_message)},
    [WIRE_RECV] = {recv_issue, sizeof(struct wire_message)},
    [WIRE_IRECV] = {recv_issue, sizeof(struct wire_message)},
    [WIRE_RECV_INIT] = {recv_issue, sizeof(struct wire_message)},
    [WIRE_SENDRECV] = {sendrecv_issue, 2 * sizeof(struct wire_message)},
    [WIRE_PROBE] = {probe_issue, sizeof(struct wire_message)},
    [WIRE_IPROBE] = {probe_issue, sizeof(struct wire_message)},
    [WIRE_MPROBE] = {probe_issue, sizeof(struct wire_message)},
    [WIRE_IMPROBE] = {probe_issue, sizeof(struct wire_message)},
    [WIRE_MRECV] = {mrecv_issue, sizeof(struct wire_message)},
    [WIRE_IMRECV] = {mrecv_issue, sizeof(struct wire_message)},
    [WIRE_PSEND_INIT] = {part_issue, sizeof(struct wire_message)},
    [WIRE_PRECV_INIT] = {part_issue, sizeof(struct wire_message)},
    [WIRE_PREADY] = {part_issue, 0},
    [WIRE_PARRIVED] = {part_issue, 0},
    [WIRE_START] = {start_issue, 0},
    [WIRE_WAIT] = {wait_issue, 0},
    [WIRE_TEST] = {wait_issue, 0},
    [WIRE_REQUEST_FREE] = {release_issue, 0},
    [WIRE_CANCEL] = {release_issue, 0},
    [WIRE_BUFFER_DETACH] = {detach_issue, 0},
    [WIRE_BUFFER_IFLUSH] = {flush_issue, 0},
    [WIRE_BUFFER_FILL] = {fill_issue, 0},
    [WIRE_COMM_AGREE] = {comm_issue, sizeof(struct wire_agree)},
    [WIRE_COMM_MAKE] = {comm_issue, sizeof(struct wire_comm)},
    [WIRE_COMM_FREE] = {comm_issue, 0},
    [WIRE_COMM_CART] = {comm_issue, 0},
    [WIRE_COMM_GRAPH] = {comm_issue, 0},
    [WIRE_COLL] = {coll_issue, sizeof(struct wire_coll)},
    [WIRE_WIN_MAKE] = {win_issue, 0},
    [WIRE_RMA] = {win_issue, sizeof(struct wire_rma)},
    [WIRE_WIN_SYNC] = {win_issue, 0},
    [WIRE_WIN_GROUP] = {win_issue, 0},
    [WIRE_FILE_OPEN] = {win_issue, 0},
    [WIRE_FILE_ACCESS] = {win_issue, sizeof(struct wire_access)},
    [WIRE_FILE_SYNC] = {win_issue, 0},
    [WIRE_FILE_CLOSE] = {win_issue, 0},
    [WIRE_FILE_UNLINK] = {win_issue, 0},
    [WIRE_SPAWN] = {spawn_issue, sizeof(struct wire_spawn)},
    [WIRE_PORT] = {spawn_issue, sizeof(struct wire_port)},
    [WIRE_SERVICE] = {spawn_issue, sizeof(struct wire_text)},
    [WIRE_LEFT] = {left_issue, 0},
};

int live_issue(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	uint32_t kind = op->kind;

	if (kind >= WIRE_KINDS || !kinds[kind].issue)
		return live_broken(l, rank, err, "a kind that is not known");
	if (op->size < sizeof *op + kinds[kind].body)
		return live_broken(l, rank, err, "it ends too early");
	return kinds[kind].issue(l, rank, op, err);
}
