/* sessions.c: MPI begun by sessions (MPI 4.0, chapter 11): two libraries of a program, each with
 * its own, one of which ends while the other works. "init": the program calls MPI_Init between
 * them. "again": a third session when all have ended. "meet": no session, but MPI_Comm_accept and
 * MPI_Comm_connect between the two halves of MPI_COMM_WORLD. Two ranks and more. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int wrong;

static void reduces(MPI_Comm comm)
{
	int rank, size, sum = 0;

	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &size);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
	wrong += sum != size * (size - 1) / 2;
}

#ifdef MPI_SESSION_NULL /* of Open MPI 5, too, which is of MPI 3.1 by its own account */
struct library {
	MPI_Session session;
	MPI_Comm comm;
};

static void begin(struct library *l, const char *tag)
{
	MPI_Group all;

	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &l->session);
	MPI_Group_from_session_pset(l->session, "mpi://WORLD", &all);
	MPI_Comm_create_from_group(all, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &l->comm);
	MPI_Group_free(&all);
}

static void end(struct library *l)
{
	MPI_Comm_free(&l->comm);
	MPI_Session_finalize(&l->session);
}

static void sessions(const char *how)
{
	struct library first, second;

	begin(&first, "first");
	reduces(first.comm);
	if (strcmp(how, "init") == 0)
		MPI_Init(NULL, NULL);
	begin(&second, "second");
	end(&first);
	reduces(second.comm);
	end(&second);
	if (strcmp(how, "init") == 0) {
		reduces(MPI_COMM_WORLD);
		MPI_Finalize();
	}
	if (strcmp(how, "again") == 0) {
		begin(&first, "third");
		reduces(first.comm);
		end(&first);
	}
}
#else
static void sessions(const char *how)
{
	(void)how;
	printf("sessions: none\n");
}
#endif

static void meet(void)
{
	char port[MPI_MAX_PORT_NAME] = "";
	MPI_Comm half, other, all;
	int rank, size;

	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank == 0)
		MPI_Open_port(MPI_INFO_NULL, port);
	MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
	MPI_Comm_split(MPI_COMM_WORLD, rank >= size / 2, rank, &half);
	if (rank < size / 2)
		MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &other);
	else
		MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &other);
	MPI_Intercomm_merge(other, rank >= size / 2, &all);
	reduces(all);
	MPI_Comm_free(&all);
	MPI_Comm_disconnect(&other);
	if (rank == 0)
		MPI_Close_port(port);
	MPI_Finalize();
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	if (strcmp(how, "meet") == 0)
		meet();
	else
		sessions(how);
	printf("sessions: %s\n", wrong ? "wrong" : "all right");
	return wrong != 0;
}
