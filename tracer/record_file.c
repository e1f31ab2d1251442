/* record_file.c: files of MPI. A file has a number in a table of its own (requests.h), and beside
 * it how many bytes of an access lie in one piece as its view is: all (the view has no holes), or
 * so many, where the pattern of the view would then begin again.
 *
 * The two halves of a split collective access are a non-blocking one and its wait: its request has
 * a number, but no handle of the library's; it is filed under the file's handle, made odd. */
#include "record.h"
#include "tracer.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t file_key(MPI_File f)
{
	return (uint64_t)(uintptr_t)f;
}

static uint64_t split_key(MPI_File f)
{
	return file_key(f) | 1;
}

/* The file's name from the root on, without what ROMIO may have before it ("ufs:"); buf is one of
 * PATH_MAX. */
static const char *whole_name(const struct call *c, char *buf, size_t size)
{
	size_t n = c->name_length >= 0 ? (size_t)c->name_length : strlen(c->name), used = 0;
	const char *name = c->name, *colon;

	while (c->name_length >= 0 && n > 0 && name[n - 1] == ' ')
		n--;
	colon = memchr(name, ':', n);
	if (colon && !memchr(name, '/', (size_t)(colon - name))) {
		n -= (size_t)(colon + 1 - name);
		name = colon + 1;
	}
	if (n == 0 || (*name != '/' && getcwd(buf, size - 2))) {
		used = n ? strlen(buf) : 0;
		buf[used++] = '/';
	}
	if (n > size - 1 - used)
		n = size - 1 - used;
	memcpy(buf + used, name, n);
	buf[used + n] = '\0';
	return buf;
}

/* One piece, whatever the size; kept where a request has something else, and a pointer could not
 * tell none from 0. */
static void *piece_pointer(int64_t bytes)
{
	return (void *)(uintptr_t)(bytes + 1);
}

static int64_t piece_bytes(uint32_t i)
{
	return (int64_t)(uintptr_t)tracer.files.slots[i].extra - 1;
}

#define NO_HOLES (INT64_MAX - 1)

/* Whose members open a file, or NULL. In `orrery run` they do where it cannot be opened, too, to
 * tell each other so (libmpi/objects/file.c). A real library's failure may be one rank's alone: it
 * is in no trace, for others might close a file that this one has not. */
static const struct comm *opening_comm(struct call *c)
{
	uint32_t i;

	if (call_succeeded(c) || !tracer.simulated || !c->name)
		return call_succeeded(c) ? call_comm(c) : NULL;
	i = comm_find(&tracer.comms, c->comm);
	return i == COMM_NONE || tracer.comms.items[i].remote ? NULL : &tracer.comms.items[i];
}

/* The same number may be another file's from here on. */
static void close_at_once(struct call *c, uint32_t i)
{
	struct trace_event ev;

	trace_event_init(&ev, TRACE_FILE_CLOSE);
	ev.object = i;
	event_put(c, &ev);
	request_remove(&tracer.files, i);
}

void record_file_open(struct call *c, enum trace_op op)
{
	const struct comm *comm = opening_comm(c);
	struct trace_event ev;
	char name[4096];
	struct err err;
	uint32_t i;

	if (!comm || !recording())
		return;
	i = request_add(&tracer.files, file_key(c->file), 0, &err);
	if (i == REQUEST_NONE) {
		tracer_mute(&err);
		return;
	}
	tracer.files.slots[i].extra = piece_pointer(NO_HOLES);
	trace_event_init(&ev, op);
	ev.comm = comm->id;
	ev.object = i;
	ev.text = whole_name(c, name, sizeof name);
	event_put(c, &ev);
	if (!call_succeeded(c))
		close_at_once(c, i);
}

static uint32_t file_number(const struct call *c)
{
	requests_pass(&tracer.files);
	return request_claim(&tracer.files, file_key(c->file));
}

/* Before the call: afterwards the handle is null. */
void before_file_close(struct call *c)
{
	tracer_lock();
	c->freed = file_number(c);
	tracer_unlock();
}

void record_file_close(struct call *c, enum trace_op op)
{
	struct trace_event ev;

	if (c->freed == REQUEST_NONE || !call_succeeded(c)) {
		tracer.counts[c->id]++;
		return;
	}
	trace_event_init(&ev, op);
	ev.object = c->freed;
	event_put(c, &ev);
	request_remove(&tracer.files, c->freed);
}

void record_file_delete(struct call *c, enum trace_op op)
{
	struct trace_event ev;
	char name[4096];

	if (!call_succeeded(c))
		return;
	trace_event_init(&ev, op);
	ev.text = whole_name(c, name, sizeof name);
	event_put(c, &ev);
}

/* The fields that all share; 0 when it has no place in the trace: then it is counted. */
static int file_event(struct call *c, enum trace_op op, struct trace_event *ev)
{
	uint32_t i = call_succeeded(c) ? file_number(c) : REQUEST_NONE;

	if (i == REQUEST_NONE) {
		tracer.counts[c->id]++;
		return 0;
	}
	trace_event_init(ev, op);
	ev->object = i;
	return 1;
}

void record_file_all(struct call *c, enum trace_op op)
{
	struct trace_event ev;

	if (file_event(c, op, &ev))
		event_put(c, &ev);
}

/* Bytes in one piece from where the view begins. */
static int64_t view_piece(MPI_Datatype type)
{
	MPI_Aint lb, extent, true_lb, true_extent;
	int size;

	PMPI_Type_size(type, &size);
	PMPI_Type_get_extent(type, &lb, &extent);
	PMPI_Type_get_true_extent(type, &true_lb, &true_extent);
	return true_extent != size ? 0 : extent == size ? NO_HOLES : size;
}

void record_file_view(struct call *c, enum trace_op op)
{
	struct trace_event ev;

	if (!file_event(c, op, &ev))
		return;
	tracer.files.slots[ev.object].extra = piece_pointer(view_piece(c->type2));
	event_put(c, &ev);
}

static int data_event(struct call *c, enum trace_op op, struct trace_event *ev)
{
	if (!file_event(c, op, ev))
		return 0;
	ev->count = c->count;
	type_get(&tracer.types, c->type, &ev->type, &ev->type_size);
	if ((op == TRACE_FILE_READ_ALL || op == TRACE_FILE_WRITE_ALL) &&
	    ev->count * ev->type_size > piece_bytes((uint32_t)ev->object))
		ev->flags |= TRACE_HOLES;
	return 1;
}

void record_file_data(struct call *c, enum trace_op op)
{
	struct trace_event ev;

	if (data_event(c, op, &ev))
		event_put(c, &ev);
}

void record_file_idata(struct call *c, enum trace_op op)
{
	struct trace_event ev;

	if (!data_event(c, op, &ev))
		return;
	ev.req = call_add_request(c, REQUEST_ACTIVE);
	event_put(c, &ev);
}

void record_file_begin(struct call *c, enum trace_op op)
{
	struct trace_event ev;
	struct err err;
	uint32_t i;

	if (!data_event(c, op, &ev) || !recording())
		return;
	i = request_add(&tracer.requests, split_key(c->file), REQUEST_ACTIVE, &err);
	if (i == REQUEST_NONE) {
		tracer_mute(&err);
		return;
	}
	ev.req = i;
	event_put(c, &ev);
}

void record_file_end(struct call *c, enum trace_op op)
{
	struct trace_event ev;
	uint32_t i;

	requests_pass(&tracer.requests);
	i = request_claim(&tracer.requests, split_key(c->file));
	if (i == REQUEST_NONE || !call_succeeded(c)) {
		tracer.counts[c->id]++;
		return;
	}
	trace_event_init(&ev, op);
	ev.req = i;
	event_put(c, &ev);
	request_remove(&tracer.requests, i);
}
