/* file_view.c: views (MPI 4.0, 14.3) and moving their data. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "external32.h"
#include "file.h"
#include "front.h"
#include "info.h"
#include "orr_mpi.h"
#include "remote.h"

int orr_view_default(struct orr_view *v)
{
	struct orr_type *byte = orr_type_of(MPI_BYTE);
	*v = (struct orr_view){.etype = orr_object_keep(byte),
	                       .filetype = orr_object_keep(byte),
	                       .unit = 1,
	                       .plain = 1,
	                       .piece = INT64_MAX,
	                       .name = "native"};
	return MPI_SUCCESS;
}

void orr_view_end(struct orr_view *v)
{
	if (v->etype)
		orr_type_drop(v->etype);
	if (v->filetype)
		orr_type_drop(v->filetype);
	v->etype = v->filetype = NULL;
}

/* --- positions and places --- */

struct first {
	int64_t disp;
};

static int first_run(void *self, int64_t disp, int64_t bytes)
{
	(void)bytes;
	((struct first *)self)->disp = disp;
	return 1;
}

/* The place in the file of a position of the view's data, in bytes. */
static int64_t orr_view_place(const struct orr_view *v, int64_t position)
{
	struct first f = {0};
	if (v->plain || v->filetype->size == 0)
		return v->disp + position;
	int64_t size = v->filetype->size, tile = position / size, rest = position % size;
	orr_walk(v->filetype, 1, rest, rest + 1, first_run, &f);
	return v->disp + tile * orr_type_span(v->filetype) + f.disp;
}

struct before { /* bytes of a tile that lie before a place */
	int64_t place, bytes;
};

static int before_run(void *self, int64_t disp, int64_t bytes)
{
	struct before *b = self;
	if (disp < b->place)
		b->bytes += disp + bytes <= b->place ? bytes : b->place - disp;
	return 0;
}

/* How many bytes of the view's data are before this place. */
static int64_t orr_view_position(const struct orr_view *v, int64_t place)
{
	place -= v->disp;
	if (place <= 0 || v->filetype->size == 0)
		return 0;
	if (v->plain)
		return place;
	int64_t span = orr_type_span(v->filetype), size = v->filetype->size, tile = place / span;
	struct before b = {.place = place - tile * span};
	orr_walk(v->filetype, 1, 0, size, before_run, &b);
	return tile * size + b.bytes;
}

/* --- moving --- */

struct mover {
	const struct orr_file *f;
	int write;
	char *data;
	int64_t done;
	int error;
	/* what was read ahead: pieces that lie close to each other come in one read */
	char *ahead;
	int64_t ahead_at, ahead_n;
};
enum { AHEAD = 1 << 18 };

/* Bytes moved, fewer at the end of the file; -1 with errno. */
static int64_t move_piece(int fd, int write, char *data, int64_t bytes, int64_t place)
{
	int64_t done = 0;
	while (done < bytes) {
		ssize_t n = write ? pwrite(fd, data + done, (size_t)(bytes - done), place + done)
		                  : pread(fd, data + done, (size_t)(bytes - done), place + done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		done += n;
	}
	return done;
}

static int64_t read_ahead(struct mover *m, char *data, int64_t bytes, int64_t place)
{
	if (place < m->ahead_at || place + bytes > m->ahead_at + m->ahead_n) {
		int64_t n = move_piece(m->f->fd, 0, m->ahead, AHEAD, place);
		if (n < 0)
			return -1;
		m->ahead_at = place;
		m->ahead_n = n;
		bytes = bytes < n ? bytes : n;
	}
	memcpy(data, m->ahead + (place - m->ahead_at), (size_t)bytes);
	return bytes;
}

static int move_run(void *self, int64_t disp, int64_t bytes)
{
	struct mover *m = self;
	int64_t place = m->f->view.disp + disp, n;
	if (m->ahead && bytes < AHEAD / 16)
		n = read_ahead(m, m->data + m->done, bytes, place);
	else
		n = move_piece(m->f->fd, m->write, m->data + m->done, bytes, place);
	if (n < 0) {
		m->error = errno;
		return -1;
	}
	m->done += n;
	return n < bytes;
}

/* Other processes of this file write no part of what this one writes in pieces. */
static void lock(const struct orr_file *f, int yes)
{
	if (!f->atomic)
		return;
	if (!yes) {
		atomic_store(&f->shared->lock, 0);
		return;
	}
	for (uint32_t free = 0; !atomic_compare_exchange_weak(&f->shared->lock, &free, 1); free = 0)
		orr_core_poll();
}

int64_t orr_view_move(const struct orr_file *f, int write, int64_t position, char *data,
                      int64_t bytes)
{
	const struct orr_view *v = &f->view;
	struct mover m = {.f = f, .write = write, .data = data};
	if (bytes == 0 || v->filetype->size == 0)
		return 0;
	if (v->plain)
		return move_piece(f->fd, write, data, bytes, v->disp + position);
	if (!write)
		m.ahead = malloc(AHEAD);
	lock(f, 1);
	int64_t tiles = (position + bytes) / v->filetype->size + 1;
	orr_walk(v->filetype, tiles, position, position + bytes, move_run, &m);
	lock(f, 0);
	free(m.ahead);
	errno = m.error;
	return m.error ? -1 : m.done;
}

/* --- the functions of MPI --- */

static const struct orr_datarep *datarep_find(const char *name)
{
	const struct orr_datarep *d = orr_local()->datareps;
	while (d && strcmp(d->name, name) != 0)
		d = d->next;
	return d;
}

int orr_Register_datarep(const char *datarep, MPI_Datarep_conversion_function *read_conversion_fn,
                         MPI_Datarep_conversion_function *write_conversion_fn,
                         MPI_Datarep_extent_function *dtype_file_extent_fn, void *extra_state)
{
	if (!datarep || strnlen(datarep, MPI_MAX_DATAREP_STRING) >= MPI_MAX_DATAREP_STRING)
		return MPI_ERR_ARG;
	if (datarep_find(datarep) || strcmp(datarep, "native") == 0 ||
	    strcmp(datarep, "internal") == 0 || strcmp(datarep, "external32") == 0)
		return MPI_ERR_DUP_DATAREP;
	struct orr_datarep *d = calloc(1, sizeof *d);
	char *name = strdup(datarep);
	if (!d || !name) {
		free(d);
		free(name);
		return MPI_ERR_NO_MEM;
	}
	*d = (struct orr_datarep){.next = orr_local()->datareps,
	                          .name = name,
	                          .read = (void *)read_conversion_fn,
	                          .write = (void *)write_conversion_fn,
	                          .extent = (void *)dtype_file_extent_fn,
	                          .extra = extra_state};
	orr_local()->datareps = d;
	return MPI_SUCCESS;
}

static int representation_set(struct orr_view *v, const char *datarep)
{
	v->unit = v->etype->size;
	strncpy(v->name, datarep, sizeof v->name - 1);
	if (strcmp(datarep, "native") == 0 || strcmp(datarep, "internal") == 0)
		return MPI_SUCCESS;
	if (strcmp(datarep, "external32") == 0) {
		v->representation = DATA_EXTERNAL32;
		v->unit = orr_external_size(v->etype, 1);
		/* Types whose elements have another size there: only where the view has no holes.
		 */
		if (v->unit != v->etype->size && !v->plain)
			return MPI_ERR_UNSUPPORTED_DATAREP;
		return MPI_SUCCESS;
	}
	v->user = datarep_find(datarep);
	if (!v->user)
		return MPI_ERR_UNSUPPORTED_DATAREP;
	v->representation = v->user->read || v->user->write ? DATA_USER : DATA_NATIVE;
	MPI_Aint extent = v->unit;
	if (v->representation == DATA_USER && v->user->extent &&
	    front_call_extent((MPI_Datarep_extent_function *)v->user->extent, orr_handle(v->etype),
	                      &extent, v->user->extra))
		return MPI_ERR_CONVERSION;
	v->unit = extent;
	return extent != v->etype->size && !v->plain ? MPI_ERR_UNSUPPORTED_DATAREP : MPI_SUCCESS;
}

struct rising {
	int64_t least; /* where the next run may begin */
	int may_overlap;
};

static int monotonic_run(void *self, int64_t disp, int64_t bytes)
{
	struct rising *r = self;
	if (disp < r->least)
		return 1;
	r->least = r->may_overlap ? disp : disp + bytes;
	return 0;
}

/* A member without any data of the file has a type of files that holds nothing. */
static int view_check(const struct orr_type *e, struct orr_type *t, int writes)
{
	struct rising r = {.may_overlap = !writes};
	if (!e || !t || !e->committed || !t->committed)
		return MPI_ERR_TYPE;
	if (e->size == 0 || t->size % e->size != 0)
		return MPI_ERR_ARG;
	/* MPI 4.0, 14.3: displacements are not negative and never decrease, and nothing is written
	 * twice. The class is ROMIO's. */
	return orr_walk(t, 1, 0, t->size, monotonic_run, &r) ? MPI_ERR_IO : MPI_SUCCESS;
}

static int pointer_set(struct orr_file *f, int64_t to)
{
	atomic_store(&f->shared->position, to);
	return 0;
}

static int64_t piece_of(const struct orr_type *t)
{
	if (t->true_ub - t->true_lb != t->size)
		return 0;
	return orr_type_span(t) == t->size ? INT64_MAX : t->size;
}

int orr_File_set_view(MPI_File fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype,
                      const char *datarep, MPI_Info info)
{
	struct orr_file *f = orr_file_of(fh);
	struct orr_type *e = orr_type_of(etype), *t = orr_type_of(filetype);
	if (!f)
		return MPI_ERR_FILE;
	int code = view_check(e, t, !(f->amode & MPI_MODE_RDONLY));
	int current = disp == MPI_DISPLACEMENT_CURRENT;
	if (!code && current != !!(f->amode & MPI_MODE_SEQUENTIAL))
		code = MPI_ERR_DISP;
	if (!code && disp < 0 && !current)
		code = MPI_ERR_DISP;
	if (code || !datarep)
		return code ? code : MPI_ERR_ARG;
	if (current)
		disp = orr_view_place(&f->view, f->shared->position * f->view.unit);
	struct orr_view v = {.disp = disp, .etype = e, .filetype = t};
	v.plain = t->size > 0 && t->size == orr_type_span(t) && t->true_lb == 0 &&
	          orr_type_plan(t)->op == NODE_LEAF;
	v.piece = piece_of(t);
	code = representation_set(&v, datarep);
	if (code)
		return code;
	orr_object_keep(e);
	orr_object_keep(t);
	code = orr_core_file_sync(f->number);
	orr_view_end(&f->view);
	f->view = v;
	f->position = 0;
	if (!code)
		orr_file_once(f, pointer_set, 0);
	return code ? code : orr_object_info_set(&f->o, info);
}

static MPI_Datatype type_show(struct orr_type *t)
{
	return orr_is_predefined(&t->o) || t->f90 ? orr_handle(t) : orr_handle_show(t);
}

int orr_File_get_view(MPI_File fh, MPI_Offset *disp, MPI_Datatype *etype, MPI_Datatype *filetype,
                      char *datarep)
{
	const struct orr_file *f = orr_file_of(fh);
	if (!f)
		return MPI_ERR_FILE;
	*disp = f->view.disp;
	*etype = type_show(f->view.etype);
	*filetype = type_show(f->view.filetype);
	memcpy(datarep, f->view.name, strlen(f->view.name) + 1);
	return *etype && *filetype ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

int orr_File_get_byte_offset(MPI_File fh, MPI_Offset offset, MPI_Offset *disp)
{
	const struct orr_file *f = orr_file_of(fh);
	if (!f)
		return MPI_ERR_FILE;
	if (offset < 0)
		return MPI_ERR_ARG;
	*disp = orr_view_place(&f->view, offset * f->view.unit);
	return MPI_SUCCESS;
}

int orr_File_get_type_extent(MPI_File fh, MPI_Datatype datatype, MPI_Count *extent)
{
	const struct orr_file *f = orr_file_of(fh);
	struct orr_type *t = orr_type_of(datatype);
	if (!f || !t)
		return f ? MPI_ERR_TYPE : MPI_ERR_FILE;
	*extent = orr_type_span(t);
	if (f->view.representation == DATA_EXTERNAL32 && orr_external_size(t, 1) != t->size)
		*extent = orr_external_size(t, 1);
	MPI_Aint user = *extent;
	if (f->view.representation == DATA_USER && f->view.user->extent) {
		if (front_call_extent((MPI_Datarep_extent_function *)f->view.user->extent, datatype,
		                      &user, f->view.user->extra))
			return MPI_ERR_CONVERSION;
		*extent = user;
	}
	return MPI_SUCCESS;
}

/* --- pointers --- */

/* A place to seek to, in etypes. */
static int seek_to(const struct orr_file *f, MPI_Offset offset, int whence, int64_t current,
                   int64_t *to)
{
	MPI_Offset size;
	if (whence == MPI_SEEK_SET) {
		*to = offset;
	} else if (whence == MPI_SEEK_CUR) {
		*to = current + offset;
	} else if (whence == MPI_SEEK_END) {
		int code = orr_File_get_size(orr_handle(f), &size);
		if (code)
			return code;
		int64_t bytes = orr_view_position(&f->view, size), unit = f->view.unit;
		*to = (bytes + unit - 1) / unit + offset;
	} else {
		return MPI_ERR_ARG;
	}
	return *to < 0 ? MPI_ERR_ARG : MPI_SUCCESS;
}

int orr_File_seek(MPI_File fh, MPI_Offset offset, int whence)
{
	struct orr_file *f = orr_file_of(fh);
	if (!f)
		return MPI_ERR_FILE;
	if (f->amode & MPI_MODE_SEQUENTIAL)
		return MPI_ERR_UNSUPPORTED_OPERATION;
	int64_t to;
	int code = seek_to(f, offset, whence, f->position, &to);
	if (!code)
		f->position = to;
	return code;
}

int orr_File_seek_shared(MPI_File fh, MPI_Offset offset, int whence)
{
	struct orr_file *f = orr_file_of(fh);
	if (!f)
		return MPI_ERR_FILE;
	if (f->amode & MPI_MODE_SEQUENTIAL)
		return MPI_ERR_UNSUPPORTED_OPERATION;
	int64_t to;
	int code = seek_to(f, offset, whence, f->shared->position, &to);
	if (code)
		return code;
	code = orr_core_file_sync(f->number);
	return code ? code : orr_file_once(f, pointer_set, to);
}

int orr_File_get_position(MPI_File fh, MPI_Offset *offset)
{
	const struct orr_file *f = orr_file_of(fh);
	if (!f)
		return MPI_ERR_FILE;
	if (f->amode & MPI_MODE_SEQUENTIAL)
		return MPI_ERR_UNSUPPORTED_OPERATION;
	*offset = f->position;
	return MPI_SUCCESS;
}

int orr_File_get_position_shared(MPI_File fh, MPI_Offset *offset)
{
	const struct orr_file *f = orr_file_of(fh);
	if (!f)
		return MPI_ERR_FILE;
	*offset = f->shared->position;
	return orr_core_poll();
}
