/* file.c: files: those of MPI, which all members of a communicator open, and the operating
 * system's; and what their calls do:
 *
 *   on one's own   open, close, sync, set size, view, …: asks the file system; read, write: the
 *                  data, after one latency; at the shared pointer after two (it is fetched first)
 *   collective     a collective of a communicator of the file's own, of steps like any other
 *                  (collective.c) */
#include "file.h"
#include "file_int.h"
#include "mp/coll/collective.h"
#include "mp/comm/comm.h"
#include "mp/message/message.h"
#include "net/storage.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct file_side { /* of a member */
	struct store_id store;
	uint32_t calls; /* with holes, so far */
	uint8_t open;
};

struct file {
	uint32_t comm; /* of its own; NONE: of one rank */
	uint32_t rank; /* whose it is then */
	uint32_t n, joined, closed;
	uint32_t maker, event;  /* world rank that opened it first, and where */
	struct file_side *side; /* NULL: free */
	struct file_call *calls;
};

/* An access under way: what hears when all its parts are over. */
struct file_io {
	uint32_t parts;
	uint32_t rank; /* blocked */
	uint32_t req;  /* or NONE */
	struct mp_path path;
};

struct files {
	struct slots files, ios; /* struct file, struct file_io */
	struct hash64 opening;   /* communicator -> file that not all members have opened */
	uint64_t nowhere;
	int shared; /* a file was opened by the members of a communicator */
	char *first_nowhere;
};

static struct file *file_at(const struct files *fs, uint32_t id)
{
	return slots_at(&fs->files, id, sizeof(struct file));
}

static struct file_io *io_at(const struct files *fs, uint32_t id)
{
	return slots_at(&fs->ios, id, sizeof(struct file_io));
}

static struct files *files_get(struct mp *mp, struct err *err)
{
	if (mp->files)
		return mp->files;
	mp->files = calloc(1, sizeof *mp->files);
	if (!mp->files) {
		err_nomem(err, "files", sizeof *mp->files);
		return NULL;
	}
	slots_init(&mp->files->files, sizeof(struct file), offsetof(struct file, rank), "files");
	slots_init(&mp->files->ios, sizeof(struct file_io), offsetof(struct file_io, rank),
	           "accesses to files");
	hash64_init(&mp->files->opening);
	return mp->files;
}

void files_release(struct mp *mp)
{
	struct files *fs = mp->files;
	struct file_call *c, *next;

	if (!fs)
		return;
	for (uint32_t i = 0; i < fs->files.n; i++) {
		free(file_at(fs, i)->side);
		for (c = file_at(fs, i)->calls; c; c = next) {
			next = c->next;
			free(c);
		}
	}
	slots_release(&fs->files);
	slots_release(&fs->ios);
	free(fs->first_nowhere);
	hash64_release(&fs->opening);
	free(fs);
	mp->files = NULL;
}

uint32_t files_left(const struct mp *mp, uint32_t *first)
{
	uint32_t i, n = 0;

	for (i = 0; mp->files && i < mp->files->files.n; i++)
		if (file_at(mp->files, i)->side && n++ == 0)
			*first = i;
	return n;
}

const char *file_where(const struct mp *mp, uint32_t id, char *buf, size_t n)
{
	const struct file *f = file_at(mp->files, id);
	char where[WHERE_MAX];

	snprintf(buf, n, "opened by rank %u (its %s)", f->maker,
	         where_text(mp, f->maker, f->event, where, sizeof where));
	return buf;
}

uint64_t mp_files_nowhere(const struct mp *mp, const char **name, int *shared)
{
	*shared = mp->files && mp->files->shared;
	*name = mp->files ? mp->files->first_nowhere : NULL;
	return mp->files ? mp->files->nowhere : 0;
}

/* --- accesses --- */

static uint32_t io_new(struct mp *mp, uint32_t rank, uint32_t req, struct err *err)
{
	struct files *fs = files_get(mp, err);
	uint32_t id = fs ? slots_take(&fs->ios, err) : NONE;

	if (id != NONE)
		*io_at(fs, id) = (struct file_io){.rank = rank, .req = req, .path = *path_now(mp)};
	return id;
}

/* For a rank that then blocks (req NONE), or a request. 1: it takes no time; 0: begun; -1. */
static int access_begin(struct mp *mp, uint32_t rank, struct store_id store, int what, double bytes,
                        uint32_t asks, uint32_t req, struct err *err)
{
	struct store_access a = {.store = store,
	                         .client = mp->ranks[rank].host,
	                         .op = what == WHAT_ASK    ? STORE_ASK
	                               : what == WHAT_READ ? STORE_READ
	                                                   : STORE_WRITE,
	                         .asks = asks,
	                         .bytes = bytes};
	uint32_t id;

	if (store.v == STORE_NONE.v) {
		mp->files->nowhere++;
		return 1;
	}
	id = io_new(mp, rank, req, err);
	if (id == NONE)
		return -1;
	a.user = event_user(EVENT_FILE, id);
	return net_store_start(mp->net, &a, &io_at(mp->files, id)->parts, err);
}

int file_end(struct mp *mp, uint32_t id, struct err *err)
{
	struct files *fs = mp->files;
	const struct file_io io = *io_at(fs, id);

	if (--io_at(fs, id)->parts > 0)
		return 0;
	slots_give(&fs->ios, id);
	path_goes_on(mp, &io.path);
	if (io.req != NONE)
		return req_complete(mp, io.req, err);
	rank_wake(mp, io.rank);
	return 0;
}

static int store_find(struct mp *mp, uint32_t rank, const char *name, struct store_id *out,
                      struct err *err)
{
	struct files *fs = files_get(mp, err);

	if (!fs || net_store_find(mp->net, mp->ranks[rank].host, name, out, err) < 0)
		return -1;
	if (out->v == STORE_NONE.v && !fs->first_nowhere && !(fs->first_nowhere = strdup(name)))
		return err_nomem(err, "the name of a file", strlen(name));
	return 0;
}

/* --- the table --- */

static uint32_t file_new(struct mp *mp, uint32_t rank, uint32_t n, struct err *err)
{
	struct files *fs = files_get(mp, err);
	struct file_side *side = fs ? calloc(n, sizeof *side) : NULL;
	uint32_t id;

	if (!side) {
		err_nomem(err, "a file", n * sizeof *side);
		return NONE;
	}
	id = slots_take(&fs->files, err);
	if (id == NONE) {
		free(side);
		return NONE;
	}
	*file_at(fs, id) = (struct file){.comm = NONE,
	                                 .rank = NONE,
	                                 .n = n,
	                                 .maker = rank,
	                                 .event = event_of(mp, rank),
	                                 .side = side};
	return id;
}

static void file_drop(struct mp *mp, uint32_t id)
{
	struct file *f = file_at(mp->files, id);

	if (f->calls) /* a non-blocking call that nobody waited for still reads its record: the slot
	                 stays */
		return;
	free(f->side);
	f->side = NULL;
	slots_give(&mp->files->files, id);
}

/* This rank's side of a file; NULL: it has none. */
static struct file_side *side_get(struct mp *mp, uint32_t rank, struct mp_file file,
                                  struct err *err)
{
	struct file *f = mp->files && file.v < mp->files->files.n ? file_at(mp->files, file.v)
	                                                          : NULL;
	int32_t place = !f || !f->side    ? -1
	                : f->comm != NONE ? comm_place(comm_at(mp, f->comm), rank)
	                : f->rank == rank ? 0
	                                  : -1;

	if (place >= 0 && f->side[place].open)
		return &f->side[place];
	mp_error(mp, rank, err, "file %u was not opened by this rank, or is closed", file.v);
	return NULL;
}

/* --- a step of a collective operation --- */

/* args.root is the file. */
static int file_step(struct mp *mp, uint32_t task, const struct coll_step *s, struct err *err)
{
	struct op *t = op_at(mp, task);
	const struct file *f = file_at(mp->files, t->args->root);
	uint32_t r = req_new(mp, REQ_HANDLE, t->rank, REQ_HELD | REQ_INTERNAL, err);
	int begun;

	if (r == NONE)
		return MP_ERROR;
	mp->reqs[r].owner = task;
	mp->reqs[r].peer = PEER_NULL;
	mp->reqs[r].call = t->call;
	mp->reqs[r].bytes = (double)s->len;
	t->wait = TASK_WAITS_ONE;
	t->target = r;
	t->bytes += (double)s->len;
	begun = access_begin(mp, t->rank, f->side[t->me].store, (int)s->n, (double)s->len, 1, r,
	                     err);
	return begun < 0 || (begun > 0 && req_complete(mp, r, err) < 0) ? MP_ERROR : MP_DONE;
}

/* --- what members of a call have in common --- */

static int64_t *call_enter(struct file *f, uint32_t member, const struct mp_file_access *a,
                           struct err *err)
{
	uint32_t number = f->side[member].calls++, n = f->n;
	struct file_call *c = f->calls;

	while (c && c->number != number)
		c = c->next;
	if (!c) {
		c = calloc(1, sizeof *c + n * sizeof *c->bytes);
		if (!c) {
			err_nomem(err, "a collective access", n * sizeof *c->bytes);
			return NULL;
		}
		c->number = number;
		c->n = n;
		c->next = f->calls;
		f->calls = c;
	}
	c->bytes[member] = (int64_t)a->bytes;
	c->holes += a->way == MP_FILE_HOLES;
	return c->bytes;
}

static void call_leave(struct file *f, const struct op *t)
{
	struct file_call **at = &f->calls, *c;

	while (*at && (*at)->bytes != t->args->each)
		at = &(*at)->next;
	c = *at;
	if (!c || ++c->left < c->n)
		return;
	*at = c->next;
	free(c);
}

/* A collective call on a file has ended. When all have closed it, the file and its communicator are
 * free again. */
static void file_task_ends(struct mp *mp, const struct op *t)
{
	struct file *f = file_at(mp->files, t->args->root);
	struct mp_comm comm = {f->comm};

	if (t->args->each) {
		call_leave(f, t);
		return;
	}
	if (t->call != CALL_FILE_CLOSE)
		return;
	BUG_ON(mp_comm_free(mp, t->rank, comm, NULL) < 0);
	if (++f->closed == f->n)
		file_drop(mp, t->args->root);
}

/* --- collective calls --- */

static const struct task_owner file_tasks = {file_step, file_task_ends};

static int call_all(struct mp *mp, uint32_t rank, uint32_t id, const struct coll_alg *alg,
                    enum mp_call call, struct coll_args *args, struct mp_request *out,
                    struct err *err)
{
	const struct coll_form form = {
	    .alg = alg, .call = call, .owner = &file_tasks, .nonblocking = out != NULL};
	struct mp_comm comm = {file_at(mp->files, id)->comm};

	args->kind = COLL_BARRIER;
	args->root = id;
	if (out)
		return icoll_begin(mp, rank, comm, args, 0, &form, out, err);
	return coll_begin(mp, rank, comm, args, 0, &form, err);
}

/* The keys of files' own communicators: no trace can write them (replay/comm.c has the other
 * end). */
#define FILE_KEY (UINT64_C(1) << 63)

static int own_comm(struct mp *mp, uint32_t rank, uint32_t id, const struct comm *c,
                    struct err *err)
{
	uint32_t n = c->n, i, *members = malloc(n * sizeof *members);
	struct mp_comm made;
	int s;

	if (!members)
		return err_nomem(err, "members of a file", n * sizeof *members);
	for (i = 0; i < n; i++)
		members[i] = comm_member(c, i);
	s = mp_comm_make(mp, rank, FILE_KEY | id, members, n, &made, err);
	free(members);
	file_at(mp->files, id)->comm = made.v;
	return s;
}

int mp_file_open(struct mp *mp, uint32_t rank, struct mp_comm comm, const char *name,
                 struct mp_file *out, struct err *err)
{
	struct files *fs = files_get(mp, err);
	struct comm *c = fs ? comm_get(mp, rank, comm, err) : NULL;
	struct coll_args args = {0};
	struct file_side *side;
	uint32_t id;

	if (!c)
		return MP_ERROR;
	if (c->split)
		return mp_error(mp, rank, err, "opens a file on an intercommunicator");
	fs->shared = 1;
	id = hash64_find(&fs->opening, comm.v);
	if (id == HASH_NONE) {
		id = file_new(mp, rank, c->n, err);
		if (id == NONE || hash64_put(&fs->opening, comm.v, id, err) < 0)
			return MP_ERROR;
	}
	if (own_comm(mp, rank, id, comm_at(mp, comm.v), err) < 0) /* making one moves them */
		return MP_ERROR;
	side = &file_at(fs, id)->side[comm_place(comm_at(mp, comm.v), rank)];
	side->open = 1;
	if (store_find(mp, rank, name, &side->store, err) < 0)
		return MP_ERROR;
	if (++file_at(fs, id)->joined == file_at(fs, id)->n)
		hash64_remove(&fs->opening, comm.v);
	out->v = id;
	return call_all(mp, rank, id, &file_asked, CALL_FILE_OPEN, &args, NULL, err);
}

static int access_all(struct mp *mp, uint32_t rank, uint32_t id, const struct mp_file_access *a,
                      struct mp_request *out, struct err *err)
{
	struct coll_args args = {
	    .count = (int64_t)a->bytes, .type_size = 1, .in_place = (uint8_t)a->write};
	struct file *f = file_at(mp->files, id);
	const struct coll_alg *alg = a->way == MP_FILE_ORDERED ? &file_ordered
	                             : a->write                ? &file_write_all
	                                                       : &file_read_all;
	struct comm *c = comm_at(mp, f->comm);
	double most = config_number(mp->cfg, CFG_STORAGE_AGGREGATORS);

	if (a->way != MP_FILE_ORDERED) {
		args.each = call_enter(f, (uint32_t)comm_place(c, rank), a, err);
		if (!args.each || (!c->shape && comm_shape_make(mp, c, err) < 0))
			return MP_ERROR;
		args.fanout = most >= 1 && most < c->shape->nodes ? (uint32_t)most
		                                                  : c->shape->nodes;
	}
	return call_all(mp, rank, id, alg, a->write ? CALL_FILE_WRITE_ALL : CALL_FILE_READ_ALL,
	                &args, out, err);
}

/* --- on one's own: op->cursor is the request or NONE, op->given the store, op->flag whether it
 * writes, op->mode the asks --- */

enum { BEGINS, MOVES };

static int alone_go(struct mp *mp, struct op *op, struct err *err)
{
	int what = op->call == CALL_OPEN ? WHAT_ASK : op->flag ? WHAT_WRITE : WHAT_READ, begun;

	if (op->stage == MOVES)
		return MP_DONE;
	op->stage = MOVES;
	begun = access_begin(mp, op->rank, (struct store_id){op->given}, what, op->bytes, op->mode,
	                     op->cursor, err);
	if (begun < 0)
		return MP_ERROR;
	if (op->cursor == NONE)
		return begun ? MP_DONE : MP_BLOCKED;
	return begun && req_complete(mp, op->cursor, err) < 0 ? MP_ERROR : MP_DONE;
}

static int alone(struct mp *mp, uint32_t rank, enum mp_call call, struct store_id store,
                 const struct mp_file_access *a, struct mp_request *out, struct err *err)
{
	struct op *op = op_begin(mp, rank, call, alone_go, err);
	uint32_t r = NONE;

	if (!op || (out && (r = req_new(mp, REQ_HANDLE, rank, REQ_HELD, err)) == NONE))
		return MP_ERROR;
	if (out) {
		mp->reqs[r].peer = PEER_NULL;
		mp->reqs[r].call = (uint8_t)call;
		mp->reqs[r].bytes = a->bytes;
		out->v = r;
	}
	op->cursor = r;
	op->given = store.v;
	op->flag = a->write != 0;
	op->mode = a->way == MP_FILE_SHARED ? 2 : 1;
	op->bytes = a->bytes;
	return op_start(mp, op, err);
}

int mp_file_access(struct mp *mp, uint32_t rank, struct mp_file file,
                   const struct mp_file_access *a, struct mp_request *out, struct err *err)
{
	struct file_side *side = side_get(mp, rank, file, err);
	enum mp_call call = a->write ? CALL_FILE_WRITE : CALL_FILE_READ;

	if (!side)
		return MP_ERROR;
	if (a->way >= MP_FILE_ORDERED && file_at(mp->files, file.v)->comm != NONE)
		return access_all(mp, rank, file.v, a, out, err);
	if (file_at(mp->files, file.v)->comm == NONE)
		call = a->write ? CALL_WRITE : CALL_READ;
	return alone(mp, rank, call, side->store, a, out, err);
}

int mp_file_open_self(struct mp *mp, uint32_t rank, const char *name, struct mp_file *out,
                      struct err *err)
{
	const struct mp_file_access nothing = {0};
	uint32_t id = file_new(mp, rank, 1, err);
	struct file_side *side;

	if (id == NONE)
		return MP_ERROR;
	file_at(mp->files, id)->rank = rank;
	side = file_at(mp->files, id)->side;
	side->open = 1;
	out->v = id;
	if (store_find(mp, rank, name, &side->store, err) < 0)
		return MP_ERROR;
	return alone(mp, rank, CALL_OPEN, side->store, &nothing, NULL, err);
}

int mp_file_unlink(struct mp *mp, uint32_t rank, const char *name, struct err *err)
{
	const struct mp_file_access nothing = {0};
	struct store_id store;

	if (store_find(mp, rank, name, &store, err) < 0)
		return MP_ERROR;
	return alone(mp, rank, CALL_OPEN, store, &nothing, NULL, err);
}

int mp_file_sync(struct mp *mp, uint32_t rank, struct mp_file file, struct err *err)
{
	struct file_side *side = side_get(mp, rank, file, err);
	const struct mp_file_access nothing = {0};
	struct coll_args args = {0};

	if (!side)
		return MP_ERROR;
	if (file_at(mp->files, file.v)->comm == NONE)
		return alone(mp, rank, CALL_OPEN, side->store, &nothing, NULL, err);
	return call_all(mp, rank, file.v, &file_asked, CALL_FILE_SYNC, &args, NULL, err);
}

int mp_file_close(struct mp *mp, uint32_t rank, struct mp_file file, struct err *err)
{
	struct file_side *side = side_get(mp, rank, file, err);
	const struct mp_file_access nothing = {0};
	struct coll_args args = {0};
	struct file *f;
	struct store_id store;

	if (!side)
		return MP_ERROR;
	f = file_at(mp->files, file.v);
	if (f->comm != NONE && comm_free_prepare(comm_at(mp, f->comm), err) < 0)
		return MP_ERROR;
	store = side->store;
	side->open = 0;
	if (f->comm != NONE)
		return call_all(mp, rank, file.v, &file_asked, CALL_FILE_CLOSE, &args, NULL, err);
	file_drop(mp, file.v);
	return alone(mp, rank, CALL_OPEN, store, &nothing, NULL, err);
}
