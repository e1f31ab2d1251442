/* bsend.c: the buffers that programs attach for MPI_Bsend: of the process, of a communicator, of a
 * session (MPI 4.1, 3.6). Data that are sent are kept elsewhere: what matters is how much the
 * program has allowed, and that a detached buffer has been emptied. */
#include "bsend.h"

#include <stdlib.h>

#include "core.h"
#include "errhandler.h"
#include "orr_mpi.h"

struct orr_buffer {
	struct orr_buffer *next;
	const struct orr_object *owner; /* NULL: the process */
	void *start;
	MPI_Count size;
	MPI_Count most; /* bytes that may be in it: of all that was put there since it was asked */
};

static struct orr_buffer **place_of(const struct orr_object *owner)
{
	struct orr_buffer **p = &orr_local()->buffers;
	while (*p && (*p)->owner != owner)
		p = &(*p)->next;
	return p;
}

static struct orr_buffer *buffer_of(const struct orr_object *comm)
{
	struct orr_buffer *b = *place_of(comm);
	return b ? b : *place_of(NULL);
}

/* What has gone is known to the simulator, which is asked where there may be no room. It knows of
 * one buffer: with several, nothing that fits in one is refused. */
int orr_buffer_take(const struct orr_object *comm, int64_t bytes, int64_t before)
{
	struct orr_buffer *b = buffer_of(comm);
	int code = orr_buffer_check(comm, bytes);
	if (code || b->start == MPI_BUFFER_AUTOMATIC || orr_local()->buffers != b || b->next)
		return code;
	if (bytes > b->size - b->most)
		b->most = orr_core_buffer_fill(BUFFERED_FREE) + before;
	if (bytes > b->size - b->most)
		return orr_error_note(
		    MPI_ERR_BUFFER,
		    "%lld bytes, and of the %lld of MPI_Buffer_attach %lld are in use",
		    (long long)bytes, (long long)b->size, (long long)b->most);
	b->most += bytes;
	return MPI_SUCCESS;
}

int orr_buffer_check(const struct orr_object *comm, int64_t bytes)
{
	const struct orr_buffer *b = buffer_of(comm);
	if (b && b->start == MPI_BUFFER_AUTOMATIC)
		return MPI_SUCCESS;
	if (!b)
		return orr_error_note(MPI_ERR_BUFFER,
		                      "a buffered send needs one: there was no MPI_Buffer_attach");
	return bytes <= b->size
	           ? MPI_SUCCESS
	           : orr_error_note(MPI_ERR_BUFFER,
	                            "%lld bytes, and MPI_Buffer_attach gave room for %lld",
	                            (long long)bytes, (long long)b->size);
}

static int attach(const struct orr_object *owner, void *buffer, MPI_Count size)
{
	struct orr_buffer **p = place_of(owner);
	if (*p)
		return MPI_ERR_BUFFER;
	if (size < 0 || (!buffer && size > 0))
		return MPI_ERR_ARG;
	struct orr_buffer *b = malloc(sizeof *b);
	if (!b)
		return MPI_ERR_NO_MEM;
	*b = (struct orr_buffer){NULL, owner, buffer, size, 0};
	*p = b;
	return MPI_SUCCESS;
}

static int detach(const struct orr_object *owner, void *address, MPI_Count *size)
{
	struct orr_buffer **p = place_of(owner), *b = *p;
	if (!b)
		return MPI_ERR_BUFFER;
	int code = orr_core_buffer_wait();
	if (code)
		return code;
	*(void **)address = b->start;
	*size = b->size;
	*p = b->next;
	free(b);
	return MPI_SUCCESS;
}

int orr_Buffer_attach(void *buffer, MPI_Count size)
{
	return attach(NULL, buffer, size);
}

int orr_Buffer_detach(void *buffer_addr, MPI_Count *size)
{
	return detach(NULL, buffer_addr, size);
}

int orr_Buffer_flush(void)
{
	return orr_core_buffer_wait();
}

int orr_Buffer_iflush(MPI_Request *request)
{
	return orr_core_buffer_iflush(request);
}

int orr_Comm_attach_buffer(MPI_Comm comm, void *buffer, MPI_Count size)
{
	const struct orr_object *o = orr_object(ORR_COMM, comm);
	return o ? attach(o, buffer, size) : MPI_ERR_COMM;
}

int orr_Comm_detach_buffer(MPI_Comm comm, void *buffer_addr, MPI_Count *size)
{
	const struct orr_object *o = orr_object(ORR_COMM, comm);
	return o ? detach(o, buffer_addr, size) : MPI_ERR_COMM;
}

int orr_Comm_flush_buffer(MPI_Comm comm)
{
	return orr_object(ORR_COMM, comm) ? orr_core_buffer_wait() : MPI_ERR_COMM;
}

int orr_Comm_iflush_buffer(MPI_Comm comm, MPI_Request *request)
{
	return orr_object(ORR_COMM, comm) ? orr_core_buffer_iflush(request) : MPI_ERR_COMM;
}

int orr_Session_attach_buffer(MPI_Session session, void *buffer, MPI_Count size)
{
	const struct orr_object *o = orr_object(ORR_SESSION, session);
	return o ? attach(o, buffer, size) : MPI_ERR_SESSION;
}

int orr_Session_detach_buffer(MPI_Session session, void *buffer_addr, MPI_Count *size)
{
	const struct orr_object *o = orr_object(ORR_SESSION, session);
	return o ? detach(o, buffer_addr, size) : MPI_ERR_SESSION;
}

int orr_Session_flush_buffer(MPI_Session session)
{
	return orr_object(ORR_SESSION, session) ? orr_core_buffer_wait() : MPI_ERR_SESSION;
}

int orr_Session_iflush_buffer(MPI_Session session, MPI_Request *request)
{
	return orr_object(ORR_SESSION, session) ? orr_core_buffer_iflush(request) : MPI_ERR_SESSION;
}
