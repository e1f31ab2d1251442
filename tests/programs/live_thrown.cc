/* MPI's C++ interface: attributes of communicators; errors by the handler that throws, and by
 * handlers that are functions of C++. Prints what each call came to: the interface throws where it
 * was built to (MPICH's in Debian), and else returns, with the code in MPI::mpi_errno (Open MPI's).
 */
#include <mpi.h>

#include <cstdio>

static int heard;

static void listen(MPI::Comm &comm, int *code, ...)
{
	int size = comm.Get_size();

	heard = MPI::Get_error_class(*code) * 100 + size;
}

static void listen_win(MPI::Win &, int *code, ...)
{
	heard = MPI::Get_error_class(*code);
}

static int error_of_send(MPI::Comm &comm)
{
	char byte = 0;

	try {
		comm.Send(&byte, 1, MPI::CHAR, comm.Get_size() + 3, 0);
#ifdef OPEN_MPI
		return MPI::mpi_errno;
#endif
	} catch (MPI::Exception &e) {
		return e.Get_error_class();
	}
	return 0;
}

/* Attributes of communicators: 1 for each of one group, 10 for each that is Cartesian. */
static int copied, deleted;

static int class_of(MPI::Comm &comm)
{
	return comm.Is_inter() ? 100 : dynamic_cast<MPI::Cartcomm *>(&comm) ? 10 : 1;
}

static int copies(const MPI::Comm &comm, int, void *, void *in, void *out, bool &flag)
{
	copied += class_of(const_cast<MPI::Comm &>(comm));
	*(void **)out = in;
	flag = true;
	return MPI::SUCCESS;
}

static int deletes(MPI::Comm &comm, int, void *, void *)
{
	deleted += class_of(comm);
	return MPI::SUCCESS;
}

static void attributes(MPI::Intracomm &half)
{
	int key = MPI::Comm::Create_keyval(copies, deletes, NULL), two = 2;
	bool periodic = false;
	MPI::Cartcomm line = half.Create_cart(1, &two, &periodic, false);

	half.Set_attr(key, &two);
	line.Set_attr(key, &two);
	MPI::Intracomm again = half.Dup();
	MPI::Cartcomm line_again = line.Dup();
	again.Free();
	line_again.Free();
	line.Free();
	half.Delete_attr(key);
	MPI::Comm::Free_keyval(key);
}

int main(int argc, char **argv)
{
	MPI::Init(argc, argv);
	MPI::Intracomm world = MPI::COMM_WORLD, half = world.Split(world.Get_rank() % 2, 0);
	int rank = world.Get_rank();

	world.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
	world.Barrier();
	int is_it = world.Get_errhandler() == MPI::ERRORS_THROW_EXCEPTIONS;
	int thrown = error_of_send(world);
	int again = error_of_send(world);

	MPI::Errhandler mine = MPI::Comm::Create_errhandler(listen);
	half.Set_errhandler(mine);
	mine.Free();
	char byte = 0;
	half.Send(&byte, 1, MPI::CHAR, 99, 0);
	int told = heard;

	double room[4];
	MPI::Win win = MPI::Win::Create(room, sizeof room, 8, MPI::INFO_NULL, world);
	MPI::Errhandler of_win = MPI::Win::Create_errhandler(listen_win);
	win.Set_errhandler(of_win);
	of_win.Free();
	win.Fence(0);
	win.Put(room, 1, MPI::DOUBLE, 99, 0, 1, MPI::DOUBLE);
	int told_win = heard;
	win.Fence(0);
	win.Free();

	attributes(half);
	half.Free();
	std::printf("%d: %d %d %d %d %d %d %d\n", rank, is_it, thrown, again, told, told_win,
	            copied, deleted);
	MPI::Finalize();
	return 0;
}
