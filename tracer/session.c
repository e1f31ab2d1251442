/* session.c: programs that begin MPI with sessions instead of MPI_Init (MPI 4.0, 11.3). There
 * MPI_COMM_WORLD is not to be used: the tracer has a session of its own and a communicator of all
 * processes made in it, which is its world. It ends before the program's last session does. */
#include "record.h"
#include "tracer.h"

#include <stdio.h>
#include <string.h>

#ifdef MPI_SESSION_NULL

static void thread_level(MPI_Session session, char *level, int size)
{
	MPI_Info info;
	int found;

	snprintf(level, (size_t)size, "MPI_THREAD_SINGLE");
	if (PMPI_Session_get_info(session, &info) != MPI_SUCCESS)
		return;
	PMPI_Info_get_string(info, "thread_level", &size, level, &found);
	PMPI_Info_free(&info);
}

/* The tracer's world, in a session that allows as many threads as the program's. */
static int world_open(const char *level)
{
	MPI_Group all;
	MPI_Info info;
	int made;

	PMPI_Info_create(&info);
	PMPI_Info_set(info, "thread_level", level);
	made = PMPI_Session_init(info, MPI_ERRORS_RETURN, &tracer.session) == MPI_SUCCESS;
	PMPI_Info_free(&info);
	if (!made)
		return -1;
	if (PMPI_Group_from_session_pset(tracer.session, "mpi://WORLD", &all) == MPI_SUCCESS) {
		made = PMPI_Comm_create_from_group(all, "org.orrery.tracer", MPI_INFO_NULL,
		                                   MPI_ERRORS_RETURN, &tracer.world) == MPI_SUCCESS;
		PMPI_Group_free(&all);
		if (made)
			return 0;
	}
	PMPI_Session_finalize(&tracer.session);
	return -1;
}

static void world_close(void)
{
	PMPI_Comm_free(&tracer.world);
	PMPI_Session_finalize(&tracer.session);
	tracer.in_session = 0;
}

static void begin(struct call *c, MPI_Session session)
{
	char level[64];

	thread_level(session, level, (int)sizeof level);
	tracer.multiple = strcmp(level, "MPI_THREAD_MULTIPLE") == 0;
	tracer.threaded = tracer.multiple || strcmp(level, "MPI_THREAD_SERIALIZED") == 0;
	if (tracer.simulated)
		tracer.world = MPI_COMM_WORLD;
	else if (world_open(level) < 0)
		return;
	tracer.in_session = 1;
	tracer_start(c->entered, c->returned);
	if (tracer.state == TRACER_OFF && !tracer.simulated)
		world_close();
}

void record_session_init(struct call *c, int rc, MPI_Session session)
{
	if (!c && thread.inside) /* our own */
		return;
	if (rc == MPI_SUCCESS)
		__atomic_add_fetch(&tracer.sessions, 1, __ATOMIC_RELAXED);
	if (!c)
		return;
	c->returned = tracer.simulated ? 0 : clock_ns();
	if (rc == MPI_SUCCESS && tracer.ended)
		tracer_tell_again();
	else if (rc == MPI_SUCCESS)
		begin(c, session);
	call_leave_init();
}

/* A further session from Fortran, whose library may call its own C functions: counted once. */
int session_enter(void)
{
	if (thread.inside)
		return 0;
	thread.inside = THREAD_IN_LOCAL;
	return 1;
}

void session_leave(void)
{
	thread.inside = 0;
}

static int mpi_is_on(void)
{
	int begun = 0, ended = 0;

	PMPI_Initialized(&begun);
	PMPI_Finalized(&ended);
	return begun && !ended;
}

void before_session_finalize(struct call *c)
{
	int left = __atomic_sub_fetch(&tracer.sessions, 1, __ATOMIC_RELAXED);

	if (tracer.in_session && left == 0 && !mpi_is_on())
		before_finalize(c);
}

void record_session_finalize(struct call *c)
{
	record_finalize(c, TRACE_FINALIZE);
}

void session_close(void)
{
	if (tracer.in_session && !tracer.simulated)
		world_close();
}

#else

void session_close(void)
{
}

#endif

int session_goes_on(void)
{
	return tracer.in_session && tracer.sessions > 0;
}
