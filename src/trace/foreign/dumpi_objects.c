/* dumpi_objects.c: communicators, windows and files (dumpi_put.h). */
#include "dumpi_put.h"

#include <stdlib.h>

/* --- communicators, windows --- */

static int comm_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	static const struct {
		const char *name;
		int parent, made;
	} at[] = {{"Comm_dup", 0, 1},    {"Comm_split", 0, 3}, {"Comm_create", 0, 2},
	          {"Cart_create", 0, 3}, {"Cart_sub", 1, 2},   {"Graph_create", 1, 4}};
	struct dumpi_made made;
	struct trace_event ev;
	uint32_t parent, i = 0;

	if (dumpi_comms_take(d->comms, d->rank, &made) == 0)
		return 0; /* a group */
	while (strcmp(at[i].name, c->name) != 0)
		i++;
	foreign_event(&ev, (enum trace_op)op);
	if (dumpi_comm_of(d, c->v[at[i].parent], &parent, err) < 0)
		return -1;
	ev.parent = d->f->comms[parent].id;
	if (made.comm >= 0) {
		const struct foreign_comm *f = &d->f->comms[made.comm];

		ev.comm = f->id;
		ev.members = f->members;
		ev.n_members = f->n;
		if (hash64_put(&d->comm_of, (uint64_t)c->v[at[i].made], (uint32_t)made.comm, err) <
		    0)
			return -1;
	} else
		ev.comm = 2;
	if (made.n_dims) {
		ev.flags |= TRACE_CART;
		ev.counts = made.dims;
		ev.counts2 = made.periods;
		ev.n_counts = ev.n_counts2 = made.n_dims;
	}
	return dumpi_event_put(d, &ev, err);
}

static int comm_free_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	uint32_t comm = hash64_find(&d->comm_of, (uint64_t)c->v[0]);
	struct trace_event ev;

	if (comm == HASH_NONE || comm < 2)
		return 0;
	foreign_event(&ev, (enum trace_op)op);
	ev.comm = d->f->comms[comm].id;
	return dumpi_event_put(d, &ev, err);
}

/* size, unit, info, communicator, window */
static int win_create_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	struct trace_event ev;
	uint32_t comm;

	foreign_event(&ev, (enum trace_op)op);
	if (dumpi_comm_of(d, c->v[3], &comm, err) < 0 ||
	    hash64_put(&d->win_comm, (uint64_t)c->v[4], comm, err) < 0)
		return -1;
	ev.comm = d->f->comms[comm].id;
	ev.count = c->v[0];
	ev.object = c->v[4];
	return dumpi_event_put(d, &ev, err);
}

static int win_peer(struct dumpi *d, int64_t win, int64_t target, struct trace_event *ev,
                    struct err *err)
{
	uint32_t comm = hash64_find(&d->win_comm, (uint64_t)win);

	ev->object = win;
	return comm == HASH_NONE
	           ? err_set(err, ERR_INPUT, "%s: rank %u uses window %lld, which it has not made",
	                     d->file.path, d->rank, (long long)win)
	           : dumpi_peer_put(d, comm, target, 0, &ev->peer, err);
}

/* count type target place count type [operator] window */
static int rma_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	struct trace_event ev;

	foreign_event(&ev, (enum trace_op)op);
	if (dumpi_type_put(d, c->v[1], &ev.type, &ev.type_size, err) < 0 ||
	    win_peer(d, c->v[op == TRACE_ACCUMULATE ? 7 : 6], c->v[2], &ev, err) < 0)
		return -1;
	ev.count = c->v[0];
	return dumpi_event_put(d, &ev, err);
}

/* Calls of which the window is the last number. */
static int win_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	static const struct {
		int op, win, target;
	} at[] = {{TRACE_WIN_FENCE, 1, -1}, {TRACE_WIN_FREE, 0, -1}, {TRACE_WIN_COMPLETE, 0, -1},
	          {TRACE_WIN_WAIT, 0, -1},  {TRACE_WIN_LOCK, 3, 1},  {TRACE_WIN_UNLOCK, 1, 0}};
	struct trace_event ev;
	int i = 0;

	while (at[i].op != op)
		i++;
	foreign_event(&ev, (enum trace_op)op);
	ev.object = c->v[at[i].win];
	if (at[i].target >= 0 && win_peer(d, ev.object, c->v[at[i].target], &ev, err) < 0)
		return -1;
	if (op == TRACE_WIN_LOCK && c->v[0] == 2)
		ev.flags |= TRACE_EXCLUSIVE;
	return dumpi_event_put(d, &ev, err);
}

static int win_group_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	struct dumpi_made made;
	struct trace_event ev;

	dumpi_comms_take(d->comms, d->rank, &made);
	foreign_event(&ev, (enum trace_op)op);
	ev.object = c->v[2];
	ev.members = made.members;
	ev.n_members = made.n;
	return dumpi_event_put(d, &ev, err);
}

static int group_take(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	struct dumpi_made made;

	(void)c, (void)op, (void)err;
	dumpi_comms_take(d->comms, d->rank, &made);
	return 0;
}

/* --- files --- */

static int file_open_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	struct trace_event ev;
	uint32_t comm;
	char *name;
	int r;

	foreign_event(&ev, (enum trace_op)op);
	if (dumpi_comm_of(d, c->v[0], &comm, err) < 0)
		return -1;
	name = strndup(c->text ? c->text : "", c->n_text);
	if (!name)
		return err_nomem(err, "a file name", c->n_text);
	ev.comm = d->f->comms[comm].id;
	ev.text = *name ? name : "?";
	ev.object = c->v[3];
	r = dumpi_event_put(d, &ev, err);
	free(name);
	return r;
}

static int file_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	struct trace_event ev;

	foreign_event(&ev, (enum trace_op)op);
	ev.object = c->v[0];
	return dumpi_event_put(d, &ev, err);
}

/* file [offset] count type */
static int file_access_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	int at = strstr(c->name, "_at") != NULL;
	struct trace_event ev;

	foreign_event(&ev, (enum trace_op)op);
	if (dumpi_type_put(d, c->v[2 + at], &ev.type, &ev.type_size, err) < 0)
		return -1;
	ev.object = c->v[0];
	ev.count = c->v[1 + at];
	if (c->name[strlen("File_")] != 'i')
		return dumpi_event_put(d, &ev, err);
	ev.flags |= TRACE_NONBLOCKING;
	return dumpi_request_put(d, &ev, c->v[3 + at], 0, HASH_NONE, err);
}

/* clang-format off */
const struct dumpi_row dumpi_object_rows[] = {
    {"Comm_dup", comm_put, TRACE_COMM_DUP}, {"Comm_split", comm_put, TRACE_COMM_SPLIT},
    {"Comm_create", comm_put, TRACE_COMM_CREATE}, {"Cart_create", comm_put, TRACE_COMM_CREATE},
    {"Cart_sub", comm_put, TRACE_COMM_SPLIT}, {"Graph_create", comm_put, TRACE_COMM_CREATE},
    {"Comm_free", comm_free_put, TRACE_COMM_FREE},
    {"Comm_disconnect", comm_free_put, TRACE_COMM_FREE}, {"Comm_group", group_take, 0},
    {"Group_union", group_take, 0}, {"Group_intersection", group_take, 0},
    {"Group_difference", group_take, 0}, {"Group_incl", group_take, 0},
    {"Group_excl", group_take, 0}, {"Group_range_incl", group_take, 0},
    {"Group_range_excl", group_take, 0}, {"Win_create", win_create_put, TRACE_WIN_CREATE},
    {"Win_free", win_put, TRACE_WIN_FREE}, {"Win_fence", win_put, TRACE_WIN_FENCE},
    {"Win_complete", win_put, TRACE_WIN_COMPLETE}, {"Win_wait", win_put, TRACE_WIN_WAIT},
    {"Win_lock", win_put, TRACE_WIN_LOCK}, {"Win_unlock", win_put, TRACE_WIN_UNLOCK},
    {"Win_post", win_group_put, TRACE_WIN_POST}, {"Win_start", win_group_put, TRACE_WIN_START},
    {"Put", rma_put, TRACE_PUT}, {"Get", rma_put, TRACE_GET},
    {"Accumulate", rma_put, TRACE_ACCUMULATE}, {"File_open", file_open_put, TRACE_FILE_OPEN},
    {"File_close", file_put, TRACE_FILE_CLOSE}, {"File_sync", file_put, TRACE_FILE_SYNC},
    {"File_set_size", file_put, TRACE_FILE_SET}, {"File_set_view", file_put, TRACE_FILE_SET},
    {"File_set_atomicity", file_put, TRACE_FILE_SET},
    {"File_preallocate", file_put, TRACE_FILE_SET},
    {"File_seek_shared", file_put, TRACE_FILE_SET},
    {"File_read", file_access_put, TRACE_FILE_READ},
    {"File_read_at", file_access_put, TRACE_FILE_READ},
    {"File_read_all", file_access_put, TRACE_FILE_READ_ALL},
    {"File_read_at_all", file_access_put, TRACE_FILE_READ_ALL},
    {"File_read_shared", file_access_put, TRACE_FILE_READ_SHARED},
    {"File_read_ordered", file_access_put, TRACE_FILE_READ_ORDERED},
    {"File_write", file_access_put, TRACE_FILE_WRITE},
    {"File_write_at", file_access_put, TRACE_FILE_WRITE},
    {"File_write_all", file_access_put, TRACE_FILE_WRITE_ALL},
    {"File_write_at_all", file_access_put, TRACE_FILE_WRITE_ALL},
    {"File_write_shared", file_access_put, TRACE_FILE_WRITE_SHARED},
    {"File_write_ordered", file_access_put, TRACE_FILE_WRITE_ORDERED},
    {"File_read_all_begin", file_access_put, TRACE_FILE_READ_ALL},
    {"File_read_at_all_begin", file_access_put, TRACE_FILE_READ_ALL},
    {"File_read_ordered_begin", file_access_put, TRACE_FILE_READ_ORDERED},
    {"File_write_all_begin", file_access_put, TRACE_FILE_WRITE_ALL},
    {"File_write_at_all_begin", file_access_put, TRACE_FILE_WRITE_ALL},
    {"File_write_ordered_begin", file_access_put, TRACE_FILE_WRITE_ORDERED},
    {"File_iread", file_access_put, TRACE_FILE_READ},
    {"File_iread_at", file_access_put, TRACE_FILE_READ},
    {"File_iread_shared", file_access_put, TRACE_FILE_READ_SHARED},
    {"File_iwrite", file_access_put, TRACE_FILE_WRITE},
    {"File_iwrite_at", file_access_put, TRACE_FILE_WRITE},
    {"File_iwrite_shared", file_access_put, TRACE_FILE_WRITE_SHARED},
    {NULL, NULL, 0},
};
/* clang-format on */
