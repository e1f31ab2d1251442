/* fortran.c: what differs when a call comes from Fortran: where the real function is, the addresses
 * with a meaning, statuses.
 *
 * The wrappers pass every argument on untouched, so that MPI_IN_PLACE, MPI_BOTTOM and their like
 * need no translation: they are only recognised. Under Open MPI nothing of a Fortran call can be
 * seen in C; under MPICH most calls come by the C functions, whose wrappers find themselves inside
 * a call and stay out of it. */
#include "call.h"
#include "tracer.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

void *fortran_next(const char *symbol)
{
	void *next = dlsym(RTLD_NEXT, symbol);

	if (!next && *symbol == 'p') /* not every library has all under both names */
		next = dlsym(RTLD_NEXT, symbol + 1);
	if (next)
		return next;
	/* cannot happen: the program would not have linked */
	fprintf(stderr, "orrery: the MPI library has no Fortran function %s\n", symbol);
	abort();
}

/* The value of a pointer variable of the library, or NULL. */
static const void *pointed(const char *variable)
{
	void **p = mpi_object(variable);

	return p ? *p : NULL;
}

static void sentinels_find(void)
{
#if defined(OPEN_MPI)
	tracer.fortran.in_place = tracer.fortran.in_place_f08 = mpi_object("mpi_fortran_in_place_");
	tracer.fortran.status[1] = mpi_object("mpi_fortran_status_ignore_");
	tracer.fortran.statuses[1] = mpi_object("mpi_fortran_statuses_ignore_");
#else
	tracer.fortran.in_place = pointed("MPIR_F_MPI_IN_PLACE");
	tracer.fortran.in_place_f08 = mpi_object("MPIR_F08_MPI_IN_PLACE");
	tracer.fortran.status[1] = mpi_object("MPIR_F08_MPI_STATUS_IGNORE_OBJ");
	tracer.fortran.statuses[1] = mpi_object("MPIR_F08_MPI_STATUSES_IGNORE_OBJ");
#endif
	tracer.fortran.status[0] = pointed("MPI_F_STATUS_IGNORE");
	tracer.fortran.statuses[0] = pointed("MPI_F_STATUSES_IGNORE");
	tracer.fortran.known = 1;
}

int fortran_in_place(const void *buf, int is_descriptor)
{
	if (!tracer.fortran.known)
		sentinels_find();
	if (is_descriptor) /* every compiler's descriptor begins with the address of the data */
		return *(const void *const *)buf == tracer.fortran.in_place_f08;
	return buf && buf == tracer.fortran.in_place;
}

void *fortran_status(void *given, void *own)
{
	if (!tracer.fortran.known)
		sentinels_find();
	return given == tracer.fortran.status[0] || given == tracer.fortran.status[1] ? own : given;
}

MPI_Status *call_status_fortran(struct call *c, void *status)
{
	PMPI_Status_f2c(status, &c->status_copy);
	return &c->status_copy;
}

void *call_statuses_fortran(struct call *c, void *given)
{
	if (!tracer.fortran.known)
		sentinels_find();
	c->fortran_statuses = NULL;
	if (given == tracer.fortran.statuses[0] || given == tracer.fortran.statuses[1]) {
		if (tracer.requests.wildcards > 0 && c->count > 0)
			c->fortran_statuses = thread_statuses(c->count);
		return c->fortran_statuses ? c->fortran_statuses : given;
	}
	return c->fortran_statuses = given;
}

/* --- indices --- */

#if defined(OPEN_MPI)
int fortran_index_base_f08(void)
{
	return 1;
}
#else
static int request_query(void *extra, MPI_Status *status)
{
	(void)extra;
	PMPI_Status_set_elements(status, MPI_BYTE, 0);
	PMPI_Status_set_cancelled(status, 0);
	return MPI_SUCCESS;
}

static int request_free(void *extra)
{
	(void)extra;
	return MPI_SUCCESS;
}

static int request_cancel(void *extra, int complete)
{
	(void)extra;
	(void)complete;
	return MPI_SUCCESS;
}

/* MPICH 4.0's mpi_f08 gives C's indices, from 0 (waitany, waitsome, testany, testsome), its other
 * bindings Fortran's. So it is asked: which index has the only request there is? */
int fortran_index_base_f08(void)
{
	void (*testany)(void *, void *, void *, void *, void *, void *);
	MPI_Fint one = 1, index = 1, flag = 0, ierr, status[FORTRAN_STATUS_INTS], handle;
	MPI_Request request;

	if (tracer.fortran.index_base_f08 >= 0)
		return tracer.fortran.index_base_f08;
	PMPI_Grequest_start(request_query, request_free, request_cancel, NULL, &request);
	PMPI_Grequest_complete(request);
	handle = PMPI_Request_c2f(request);
	testany = (void (*)(void *, void *, void *, void *, void *, void *))fortran_next(
	    "mpi_testany_f08_");
	testany(&one, &handle, &index, &flag, status, &ierr);
	return tracer.fortran.index_base_f08 = flag && index == 0 ? 0 : 1;
}
#endif
