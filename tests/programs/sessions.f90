! sessions.f90: MPI begun by two sessions at once (MPI 4.0, chapter 11), in Fortran.
program sessions
  use mpi_f08
  implicit none
  type(MPI_Session) :: first, second
  type(MPI_Group) :: all
  type(MPI_Comm) :: comm
  integer :: rank, total

  call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, first)
  call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, second)
  call MPI_Group_from_session_pset(first, 'mpi://WORLD', all)
  call MPI_Comm_create_from_group(all, 'first', MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, comm)
  call MPI_Group_free(all)
  call MPI_Session_finalize(second)
  call MPI_Comm_rank(comm, rank)
  call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, comm)
  call MPI_Comm_free(comm)
  call MPI_Session_finalize(first)
  print '(a)', 'sessions: all right'
end program
