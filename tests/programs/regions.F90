! regions.F90: as regions.c, in Fortran: the two calls of the loop are on lines 11 and 12.
program regions
#ifdef F08
  use mpi_f08
#else
  use mpi
#endif
  integer :: ierr, i
  call MPI_Init(ierr)
  do i = 1, 5
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
  end do
  call MPI_Finalize(ierr)
end program
