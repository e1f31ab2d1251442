/* file_data.c: reading and writing (MPI 4.0, 14.4): all forms are one, which differ in where the
 * data are (explicit offset, own pointer, shared pointer), who calls (one, all) and who waits when.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "external32.h"
#include "file.h"
#include "front.h"
#include "orr_mpi.h"
#include "remote.h"
#include "status.h"

enum where { AT, OWN, SHARED };
enum who { ALONE, TOGETHER };

struct access {
	struct orr_file *f;
	int write;
	enum where where;
	enum who who;
	MPI_Offset offset; /* in etypes */
	void *buf;
	MPI_Count count;
	struct orr_type *type;
	int64_t bytes; /* in the file */
};

/* --- conversion between memory and file --- */

/* -1: they pass 2^63. */
static int64_t file_bytes(const struct access *a)
{
	int64_t bytes;
	MPI_Aint extent = a->type->size;
	if (a->f->view.representation == DATA_EXTERNAL32)
		return orr_external_size(a->type, a->count);
	if (a->f->view.representation == DATA_USER && a->f->view.user->extent)
		front_call_extent((MPI_Datarep_extent_function *)a->f->view.user->extent,
		                  orr_handle(a->type), &extent, a->f->view.user->extra);
	return __builtin_mul_overflow(a->count, extent, &bytes) ? -1 : bytes;
}

static int user_convert(const struct access *a, void *token, char *data)
{
	int failed = front_call_conversion((MPI_Datarep_conversion_function *)token, a->buf,
	                                   orr_handle(a->type), a->count, data, 0,
	                                   a->f->view.user->extra);
	return failed ? MPI_ERR_CONVERSION : MPI_SUCCESS;
}

static int to_file_form(const struct access *a, char *data)
{
	if (a->f->view.representation == DATA_EXTERNAL32)
		orr_external_pack(a->buf, a->count, a->type, data);
	else if (a->f->view.representation == DATA_USER && a->f->view.user->write)
		return user_convert(a, a->f->view.user->write, data);
	else
		orr_pack(a->buf, a->count, a->type, 0, a->count * a->type->size, data);
	return MPI_SUCCESS;
}

/* n bytes of the file's form were read. */
static int from_file_form(const struct access *a, char *data, int64_t n)
{
	if (a->f->view.representation == DATA_EXTERNAL32) {
		int64_t one = orr_external_size(a->type, 1);
		orr_external_unpack(a->buf, one ? n / one : 0, a->type, data);
	} else if (a->f->view.representation == DATA_USER && a->f->view.user->read) {
		return user_convert(a, a->f->view.user->read, data);
	} else {
		orr_unpack(a->buf, a->count, a->type, 0, n, data);
	}
	return MPI_SUCCESS;
}

/* Moves the data; *moved: bytes as the program counts them. */
static int data_move(const struct access *a, int64_t position, int64_t *moved)
{
	int64_t disp, n;
	int code = MPI_SUCCESS, native = a->f->view.representation == DATA_NATIVE;
	*moved = 0;
	if (a->bytes == 0)
		return MPI_SUCCESS;
	if (native && orr_is_contiguous(a->type, a->count, &disp)) {
		n = orr_view_move(a->f, a->write, position, (char *)a->buf + disp, a->bytes);
		*moved = n > 0 ? n : 0;
		return n < 0 ? orr_errno_class(errno) : MPI_SUCCESS;
	}
	char *data = malloc((size_t)a->bytes);
	if (!data)
		return MPI_ERR_NO_MEM;
	if (a->write)
		code = to_file_form(a, data);
	n = code ? 0 : orr_view_move(a->f, a->write, position, data, a->bytes);
	if (n < 0)
		code = orr_errno_class(errno);
	else if (!code && !a->write)
		code = from_file_form(a, data, n);
	free(data);
	if (n > 0)
		*moved = native ? n : n / (a->bytes / a->count) * a->type->size;
	return code;
}

/* --- pointers --- */

static int64_t etypes_of(const struct access *a)
{
	return a->bytes / a->f->view.unit;
}

static int pointer_move(struct orr_file *f, int64_t by)
{
	f->shared->ordered = atomic_fetch_add(&f->shared->position, by);
	return 0;
}

/* Where each rank's data begin, in the order of ranks; the shared pointer moves behind all. The
 * access has ended, so all have given. Nobody moves it again before all have called again. */
static int ordered_place(const struct access *a, const struct orr_giving *given, int64_t *at)
{
	struct orr_comm *c = a->f->comm;
	int64_t before = 0, total = 0;
	uint64_t kept;
	const int64_t *all = orr_core_take(c, given, &kept);
	for (int i = 0; i < c->size; i++) {
		before += i < c->rank ? all[i] : 0;
		total += all[i];
	}
	orr_core_taken(kept);
	orr_file_once(a->f, pointer_move, total);
	*at = a->f->shared->ordered + before;
	return MPI_SUCCESS;
}

/* The position in etypes. Pointers move on by what is asked for, also where the file ends before
 * (MPI 4.1, 14.4.1). */
static int place_find(const struct access *a, const struct orr_giving *given, int64_t *at)
{
	struct orr_file *f = a->f;
	if (a->where == AT) {
		*at = a->offset;
	} else if (a->where == OWN) {
		*at = f->position;
		f->position += etypes_of(a);
	} else if (a->who == ALONE) {
		*at = atomic_fetch_add(&f->shared->position, etypes_of(a));
	} else {
		return ordered_place(a, given, at);
	}
	return MPI_SUCCESS;
}

/* --- one access --- */

static int check(const struct access *a)
{
	if (!a->f)
		return MPI_ERR_FILE;
	if (a->count < 0)
		return MPI_ERR_COUNT;
	if (!a->type || !a->type->committed)
		return MPI_ERR_TYPE;
	if (a->where == AT && a->offset < 0)
		return MPI_ERR_ARG;
	if (a->write && (a->f->amode & MPI_MODE_RDONLY))
		return MPI_ERR_READ_ONLY;
	if (!a->write && (a->f->amode & MPI_MODE_WRONLY))
		return MPI_ERR_ACCESS;
	if (a->where != SHARED && (a->f->amode & MPI_MODE_SEQUENTIAL))
		return MPI_ERR_UNSUPPORTED_OPERATION;
	/* Whole etypes only (14.4.2): what is moved is a multiple of them. */
	int64_t size;
	int code = orr_type_bytes(a->type, a->count, &size);
	if (code)
		return code;
	return size % a->f->view.etype->size ? MPI_ERR_IO : MPI_SUCCESS;
}

/* An access that fits into one piece of its view is none with holes, whatever the view's pattern
 * goes on like: ROMIO looks at the places of this access alone. The tracer's rule, too. */
static enum orr_file_way way_of(const struct access *a)
{
	if (a->where == SHARED)
		return a->who == ALONE ? FILE_SHARED : FILE_ORDERED;
	if (a->who == ALONE)
		return FILE_ALONE;
	return a->count * a->type->size > a->f->view.piece ? FILE_HOLES : FILE_ALL;
}

/* Not before its place is known, and the simulator has answered. */
static int move(const struct access *a, const struct orr_giving *given, int64_t *moved)
{
	int64_t at = 0;
	int code = place_find(a, given, &at);
	return code ? code : data_move(a, at * a->f->view.unit, moved);
}

/* An access in the order of ranks that has begun: where its data are is known when all have called,
 * which nobody waits for here. MPI lets nobody touch the buffer before the end (14.4.5). */
struct orr_later {
	struct access a;
	struct orr_giving given;
};

static int later_keep(const struct access *a, const struct orr_giving *given)
{
	struct orr_later *later = malloc(sizeof *later);
	if (!later)
		return MPI_ERR_NO_MEM;
	*later = (struct orr_later){*a, *given};
	orr_object_keep(a->type);
	a->f->later = later;
	return MPI_SUCCESS;
}

static int later_move(struct orr_file *f, int64_t *moved)
{
	struct orr_later *later = f->later;
	int code = move(&later->a, &later->given, moved);
	orr_type_drop(later->a.type);
	free(later);
	f->later = NULL;
	return code;
}

/* Whether its data move when the simulator has answered, not at once. Of a blocking one of all that
 * is when all have called, as in real libraries, where all tell all where their data are first:
 * programs rely on finding what others wrote by the call of all before, and the size of the file as
 * it was. */
static int waits(const struct access *a, enum orr_file_way way, const MPI_Request *request)
{
	return a->f->atomic || way == FILE_SHARED || (a->who == TOGETHER && !request);
}

/* request: NULL: it blocks. *moved: bytes. */
static int run(struct access *a, MPI_Request *request, int64_t *moved)
{
	struct orr_giving given = {0};
	a->bytes = file_bytes(a);
	if (a->bytes < 0)
		return orr_type_too_many(a->type, a->count);
	orr_core_enter();
	enum orr_file_way way = way_of(a);
	int64_t mine = etypes_of(a);
	if (way == FILE_ORDERED)
		orr_core_give(a->f->comm, &mine, sizeof mine, &given);
	int code = orr_core_file_access(a->f->number, way, a->write, a->bytes,
	                                waits(a, way, request), request);
	if (!code && way == FILE_ORDERED && request)
		code = later_keep(a, &given);
	else if (!code)
		code = move(a, &given, moved);
	if (request && !code && way != FILE_ORDERED)
		orr_core_request_bytes(*request, *moved);
	orr_core_leave();
	return code;
}

static struct access access_of(MPI_File fh, int write, enum where where, enum who who,
                               MPI_Offset offset, const void *buf, MPI_Count count,
                               MPI_Datatype datatype)
{
	return (struct access){.f = orr_file_of(fh),
	                       .write = write,
	                       .where = where,
	                       .who = who,
	                       .offset = offset,
	                       .buf = (void *)(uintptr_t)buf,
	                       .count = count,
	                       .type = orr_type_of(datatype)};
}

static void status_fill(MPI_Status *status, int64_t bytes)
{
	if (!status)
		return;
	int error = status->MPI_ERROR;
	status_set_empty(status);
	status_set_bytes(status, bytes);
	status->MPI_ERROR = error;
}

static int blocking(struct access a, MPI_Status *status)
{
	int64_t moved;
	int code = check(&a);
	if (code)
		return code;
	code = run(&a, NULL, &moved);
	if (!code)
		status_fill(status, moved);
	return code;
}

static int nonblocking(struct access a, MPI_Request *request)
{
	int64_t moved;
	int code = check(&a);
	return code ? code : run(&a, request, &moved);
}

static int begin(struct access a, enum orr_split split)
{
	int code = check(&a);
	if (code)
		return code;
	if (a.f->split != SPLIT_NONE)
		return MPI_ERR_OTHER;
	code = nonblocking(a, &a.f->pending);
	if (!code)
		a.f->split = split;
	return code;
}

static int end(MPI_File fh, enum orr_split split, MPI_Status *status)
{
	struct orr_file *f = orr_file_of(fh);
	if (!f)
		return MPI_ERR_FILE;
	if (f->split != split)
		return MPI_ERR_OTHER;
	f->split = SPLIT_NONE;
	int code = orr_Wait(&f->pending, status);
	if (!f->later)
		return code;
	orr_core_enter();
	int64_t moved = 0;
	code = code ? code : later_move(f, &moved);
	orr_core_leave();
	if (!code)
		status_fill(status, moved);
	return code;
}

/* --- the functions of MPI: names and arguments only --- */

int orr_File_read(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype,
                  MPI_Status *status)
{
	return blocking(access_of(fh, 0, OWN, ALONE, 0, buf, count, datatype), status);
}

int orr_File_iread(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype,
                   MPI_Request *request)
{
	return nonblocking(access_of(fh, 0, OWN, ALONE, 0, buf, count, datatype), request);
}

int orr_File_read_all(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype,
                      MPI_Status *status)
{
	return blocking(access_of(fh, 0, OWN, TOGETHER, 0, buf, count, datatype), status);
}

int orr_File_iread_all(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype,
                       MPI_Request *request)
{
	return nonblocking(access_of(fh, 0, OWN, TOGETHER, 0, buf, count, datatype), request);
}

int orr_File_read_all_begin(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype)
{
	return begin(access_of(fh, 0, OWN, TOGETHER, 0, buf, count, datatype), SPLIT_READ_ALL);
}

int orr_File_read_all_end(MPI_File fh, void *buf, MPI_Status *status)
{
	(void)buf;
	return end(fh, SPLIT_READ_ALL, status);
}

int orr_File_read_at(MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count,
                     MPI_Datatype datatype, MPI_Status *status)
{
	return blocking(access_of(fh, 0, AT, ALONE, offset, buf, count, datatype), status);
}

int orr_File_iread_at(MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count,
                      MPI_Datatype datatype, MPI_Request *request)
{
	return nonblocking(access_of(fh, 0, AT, ALONE, offset, buf, count, datatype), request);
}

int orr_File_read_at_all(MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count,
                         MPI_Datatype datatype, MPI_Status *status)
{
	return blocking(access_of(fh, 0, AT, TOGETHER, offset, buf, count, datatype), status);
}

int orr_File_iread_at_all(MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count,
                          MPI_Datatype datatype, MPI_Request *request)
{
	return nonblocking(access_of(fh, 0, AT, TOGETHER, offset, buf, count, datatype), request);
}

int orr_File_read_at_all_begin(MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count,
                               MPI_Datatype datatype)
{
	return begin(access_of(fh, 0, AT, TOGETHER, offset, buf, count, datatype), SPLIT_READ_AT);
}

int orr_File_read_at_all_end(MPI_File fh, void *buf, MPI_Status *status)
{
	(void)buf;
	return end(fh, SPLIT_READ_AT, status);
}

int orr_File_read_shared(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype,
                         MPI_Status *status)
{
	return blocking(access_of(fh, 0, SHARED, ALONE, 0, buf, count, datatype), status);
}

int orr_File_iread_shared(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype,
                          MPI_Request *request)
{
	return nonblocking(access_of(fh, 0, SHARED, ALONE, 0, buf, count, datatype), request);
}

int orr_File_read_ordered(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype,
                          MPI_Status *status)
{
	return blocking(access_of(fh, 0, SHARED, TOGETHER, 0, buf, count, datatype), status);
}

int orr_File_read_ordered_begin(MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype)
{
	return begin(access_of(fh, 0, SHARED, TOGETHER, 0, buf, count, datatype),
	             SPLIT_READ_ORDERED);
}

int orr_File_read_ordered_end(MPI_File fh, void *buf, MPI_Status *status)
{
	(void)buf;
	return end(fh, SPLIT_READ_ORDERED, status);
}

int orr_File_write(MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype,
                   MPI_Status *status)
{
	return blocking(access_of(fh, 1, OWN, ALONE, 0, buf, count, datatype), status);
}

int orr_File_iwrite(MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype,
                    MPI_Request *request)
{
	return nonblocking(access_of(fh, 1, OWN, ALONE, 0, buf, count, datatype), request);
}

int orr_File_write_all(MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype,
                       MPI_Status *status)
{
	return blocking(access_of(fh, 1, OWN, TOGETHER, 0, buf, count, datatype), status);
}

int orr_File_iwrite_all(MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype,
                        MPI_Request *request)
{
	return nonblocking(access_of(fh, 1, OWN, TOGETHER, 0, buf, count, datatype), request);
}

int orr_File_write_all_begin(MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype)
{
	return begin(access_of(fh, 1, OWN, TOGETHER, 0, buf, count, datatype), SPLIT_WRITE_ALL);
}

int orr_File_write_all_end(MPI_File fh, const void *buf, MPI_Status *status)
{
	(void)buf;
	return end(fh, SPLIT_WRITE_ALL, status);
}

int orr_File_write_at(MPI_File fh, MPI_Offset offset, const void *buf, MPI_Count count,
                      MPI_Datatype datatype, MPI_Status *status)
{
	return blocking(access_of(fh, 1, AT, ALONE, offset, buf, count, datatype), status);
}

int orr_File_iwrite_at(MPI_File fh, MPI_Offset offset, const void *buf, MPI_Count count,
                       MPI_Datatype datatype, MPI_Request *request)
{
	return nonblocking(access_of(fh, 1, AT, ALONE, offset, buf, count, datatype), request);
}

int orr_File_write_at_all(MPI_File fh, MPI_Offset offset, const void *buf, MPI_Count count,
                          MPI_Datatype datatype, MPI_Status *status)
{
	return blocking(access_of(fh, 1, AT, TOGETHER, offset, buf, count, datatype), status);
}

int orr_File_iwrite_at_all(MPI_File fh, MPI_Offset offset, const void *buf, MPI_Count count,
                           MPI_Datatype datatype, MPI_Request *request)
{
	return nonblocking(access_of(fh, 1, AT, TOGETHER, offset, buf, count, datatype), request);
}

int orr_File_write_at_all_begin(MPI_File fh, MPI_Offset offset, const void *buf, MPI_Count count,
                                MPI_Datatype datatype)
{
	return begin(access_of(fh, 1, AT, TOGETHER, offset, buf, count, datatype), SPLIT_WRITE_AT);
}

int orr_File_write_at_all_end(MPI_File fh, const void *buf, MPI_Status *status)
{
	(void)buf;
	return end(fh, SPLIT_WRITE_AT, status);
}

int orr_File_write_shared(MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype,
                          MPI_Status *status)
{
	return blocking(access_of(fh, 1, SHARED, ALONE, 0, buf, count, datatype), status);
}

int orr_File_iwrite_shared(MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype,
                           MPI_Request *request)
{
	return nonblocking(access_of(fh, 1, SHARED, ALONE, 0, buf, count, datatype), request);
}

int orr_File_write_ordered(MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype datatype,
                           MPI_Status *status)
{
	return blocking(access_of(fh, 1, SHARED, TOGETHER, 0, buf, count, datatype), status);
}

int orr_File_write_ordered_begin(MPI_File fh, const void *buf, MPI_Count count,
                                 MPI_Datatype datatype)
{
	return begin(access_of(fh, 1, SHARED, TOGETHER, 0, buf, count, datatype),
	             SPLIT_WRITE_ORDERED);
}

int orr_File_write_ordered_end(MPI_File fh, const void *buf, MPI_Status *status)
{
	(void)buf;
	return end(fh, SPLIT_WRITE_ORDERED, status);
}
