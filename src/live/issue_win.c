/* issue_win.c: windows and files: each operation is one of mp. Names of files are those of the
 * program; where they are, and what they hold, is the rank's affair. */
#include "live_int.h"

#include <stdlib.h>
#include <string.h>

static int rma_issue(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	const struct wire_rma *w = op_body(op);
	struct mp_win win = {w->win};
	struct lreq *q = NULL;

	if (w->kind > MP_GET_ACCUMULATE || (w->target >= 0 && (uint32_t)w->target >= l->ranks))
		return live_broken(l, rank, err, "an operation on a window");
	if (w->request != WIRE_NONE) {
		q = req_use(l, rank, w->request, LREQ_OTHER, err);
		if (!q)
			return MP_ERROR;
	}
	return mp_rma(l->mp, rank, win, (enum mp_rma)w->kind, w->target, (double)w->bytes,
	              q ? &q->mp : NULL, err);
}

static int sync_issue(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	struct mp_win win = {op->a};

	if (op->mode > MP_WIN_FREE)
		return live_broken(l, rank, err, "a synchronisation of a window");
	if (op->mode == MP_WIN_FREE)
		turn_window(l, rank, op);
	if (l->o.checks && race_sync(l, rank, op, err) < 0)
		return MP_ERROR;
	return mp_win_sync(l->mp, rank, win, (enum mp_win_sync)op->mode, (int32_t)op->b, err);
}

static int group_issue(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	const int32_t *members = live_list(l, op, 0, op->n, sizeof *members);
	struct mp_win win = {op->a};

	if (!members)
		return live_broken(l, rank, err, "a list of ranks");
	return mp_win_group(l->mp, rank, win, (int)op->b, members, op->n, err);
}

static int file_open(struct live *l, uint32_t rank, const struct wire_op *op, const char *name,
                     struct err *err)
{
	struct mp_file file = {0};
	struct mp_comm comm;
	int status;

	if (op->a == WIRE_NONE) {
		status = mp_file_open_self(l->mp, rank, name, &file, err);
	} else {
		if (comm_check(l, rank, op->a, &comm, err) < 0)
			return MP_ERROR;
		status = mp_file_open(l->mp, rank, comm, name, &file, err);
	}
	l->rank[rank].value = file.v;
	return status;
}

/* Those that have a name. */
static int named_issue(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	const char *text = live_list(l, op, 0, op->n, 1);
	char *name = text ? strndup(text, op->n) : NULL;
	int status;

	if (!text)
		return live_error(l, rank, err, "a file without a name");
	if (!name)
		return err_nomem(err, "the name of a file", op->n);
	status = op->kind == WIRE_FILE_OPEN ? file_open(l, rank, op, name, err)
	                                    : mp_file_unlink(l->mp, rank, name, err);
	free(name);
	return status;
}

static int access_issue(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	const struct wire_access *w = op_body(op);
	struct mp_file file = {w->file};
	struct mp_file_access a = {
	    .way = (enum mp_file_way)w->way, .write = w->write != 0, .bytes = (double)w->bytes};
	struct lreq *q = NULL;

	if (w->way > MP_FILE_HOLES)
		return live_broken(l, rank, err, "an access to a file");
	if (w->request != WIRE_NONE) {
		q = req_use(l, rank, w->request, LREQ_OTHER, err);
		if (!q)
			return MP_ERROR;
	}
	return mp_file_access(l->mp, rank, file, &a, q ? &q->mp : NULL, err);
}

int win_issue(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	struct mp_file file = {op->a};
	struct mp_win win = {0};
	struct mp_comm comm;
	int status;

	switch (op->kind) {
	case WIRE_WIN_MAKE:
		if (comm_check(l, rank, op->a, &comm, err) < 0)
			return MP_ERROR;
		turn_window(l, rank, op);
		status = mp_win_make(l->mp, rank, comm, &win, err);
		l->rank[rank].value = win.v;
		return status;
	case WIRE_RMA:
		return rma_issue(l, rank, op, err);
	case WIRE_WIN_SYNC:
		return sync_issue(l, rank, op, err);
	case WIRE_WIN_GROUP:
		return group_issue(l, rank, op, err);
	case WIRE_FILE_OPEN:
	case WIRE_FILE_UNLINK:
		return named_issue(l, rank, op, err);
	case WIRE_FILE_ACCESS:
		return access_issue(l, rank, op, err);
	case WIRE_FILE_SYNC:
		return mp_file_sync(l->mp, rank, file, err);
	default:
		return mp_file_close(l->mp, rank, file, err);
	}
}
