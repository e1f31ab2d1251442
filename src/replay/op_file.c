/* op_file.c: files, of MPI and of the operating system. Both have their numbers in one table of
 * their rank. */
#include "replay_int.h"

static struct mp_file_access access_of(const struct trace_event *ev)
{
	static const struct {
		uint8_t way, write;
	} how[TRACE_OPS] = {
	    [TRACE_FILE_READ] = {MP_FILE_ALONE, 0},
	    [TRACE_FILE_READ_ALL] = {MP_FILE_ALL, 0},
	    [TRACE_FILE_READ_SHARED] = {MP_FILE_SHARED, 0},
	    [TRACE_FILE_READ_ORDERED] = {MP_FILE_ORDERED, 0},
	    [TRACE_FILE_WRITE] = {MP_FILE_ALONE, 1},
	    [TRACE_FILE_WRITE_ALL] = {MP_FILE_ALL, 1},
	    [TRACE_FILE_WRITE_SHARED] = {MP_FILE_SHARED, 1},
	    [TRACE_FILE_WRITE_ORDERED] = {MP_FILE_ORDERED, 1},
	    [TRACE_IO_READ] = {MP_FILE_ALONE, 0},
	    [TRACE_IO_WRITE] = {MP_FILE_ALONE, 1},
	};
	int of_mpi = trace_op_has(ev->op, TRACE_MPI_IO);

	return (struct mp_file_access){
	    .way = ev->flags & TRACE_HOLES ? MP_FILE_HOLES : (enum mp_file_way)how[ev->op].way,
	    .write = how[ev->op].write,
	    .bytes = (double)ev->count * (of_mpi ? (double)ev->type_size : 1)};
}

static int open_file(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
                     struct err *err)
{
	struct mp_file file;
	struct mp_comm comm;
	int s;

	if (ev->op == TRACE_IO_OPEN)
		s = mp_file_open_self(mp, rank, ev->text, &file, err);
	else if (comm_find(r, mp, rank, ev->comm, &comm, err) < 0)
		return MP_ERROR;
	else
		s = mp_file_open(mp, rank, comm, ev->text, &file, err);
	return s < 0 || object_add(r, rank, &r->files, ev, file.v, err) < 0 ? MP_ERROR : s;
}

static int access_file(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
                       struct mp_file file, struct err *err)
{
	struct mp_file_access a = access_of(ev);
	struct mp_request q;
	int s;

	if (ev->req < 0)
		return mp_file_access(mp, rank, file, &a, NULL, err);
	s = mp_file_access(mp, rank, file, &a, &q, err);
	return s < 0 || entry_add(r, rank, ev, q, 0, err) < 0 ? MP_ERROR : s;
}

int op_file(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
            struct err *err)
{
	struct mp_file file;

	r->mp = mp;
	if (ev->op == TRACE_IO_UNLINK)
		return mp_file_unlink(mp, rank, ev->text, err);
	if (ev->op == TRACE_FILE_OPEN || ev->op == TRACE_IO_OPEN)
		return open_file(r, mp, rank, ev, err);
	if (object_find(r, rank, &r->files, ev, &file.v, err) < 0)
		return MP_ERROR;
	if (trace_op_has(ev->op, TRACE_READS | TRACE_WRITES))
		return access_file(r, mp, rank, ev, file, err);
	if (ev->op == TRACE_FILE_SYNC || ev->op == TRACE_FILE_SET || ev->op == TRACE_IO_SYNC)
		return mp_file_sync(mp, rank, file, err);
	object_remove(rank, &r->files, ev);
	return mp_file_close(mp, rank, file, err);
}
