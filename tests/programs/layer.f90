! layer.f90: a profiling layer of the program's own, in Fortran: its mpi_barrier calls pmpi_barrier.
subroutine mpi_barrier(comm, ierr)
   implicit none
   integer, intent(in) :: comm
   integer, intent(out) :: ierr

   call pmpi_barrier(comm, ierr)
end subroutine

program layer
   implicit none
   include 'mpif.h'
   integer :: ierr, rank

   call mpi_init(ierr)
   call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
   call mpi_barrier(MPI_COMM_WORLD, ierr)
   call pmpi_bcast(rank, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
   call mpi_finalize(ierr)
   if (rank /= 0) stop 1
end program
