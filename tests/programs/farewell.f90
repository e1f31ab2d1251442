! farewell.f90: as farewell.c, in Fortran: a barrier in MPI_FINALIZE.
module at_end
contains
	subroutine gone(comm, keyval, val, extra, ierror)
		use mpi
		integer :: comm, keyval, ierror
		integer(kind=MPI_ADDRESS_KIND) :: val, extra

		call MPI_Barrier(MPI_COMM_WORLD, ierror)
	end subroutine
end module

program farewell
	use mpi
	use at_end
	integer :: keyval, ierror
	integer(kind=MPI_ADDRESS_KIND) :: nothing = 0

	call MPI_Init(ierror)
	call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, gone, keyval, nothing, ierror)
	call MPI_Comm_set_attr(MPI_COMM_SELF, keyval, nothing, ierror)
	call MPI_Finalize(ierror)
end program
