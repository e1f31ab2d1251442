! copied.f90: as copied.c, in Fortran: a communicator is duplicated and freed with MPI_COMM_WORLD's
! duplicate.
module parts
contains
	subroutine copy(comm, keyval, extra, val, copied, flag, ierror)
		use mpi
		integer :: comm, keyval, ierror, part
		integer(kind=MPI_ADDRESS_KIND) :: extra, val, copied
		logical :: flag

		call MPI_Comm_dup(int(val), part, ierror)
		copied = part
		flag = .true.
	end subroutine

	subroutine gone(comm, keyval, val, extra, ierror)
		use mpi
		integer :: comm, keyval, ierror, part
		integer(kind=MPI_ADDRESS_KIND) :: val, extra

		part = int(val)
		call MPI_Comm_free(part, ierror)
	end subroutine
end module

program copied
	use mpi
	use parts
	integer :: keyval, ierror, rank, part, second, total
	integer(kind=MPI_ADDRESS_KIND) :: val, nothing = 0
	logical :: there

	call MPI_Init(ierror)
	call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
	call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, part, ierror)
	call MPI_Comm_create_keyval(copy, gone, keyval, nothing, ierror)
	val = part
	call MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, val, ierror)
	call MPI_Comm_dup(MPI_COMM_WORLD, second, ierror)
	call MPI_Comm_get_attr(second, keyval, val, there, ierror)
	call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, int(val), ierror)
	call MPI_Comm_free(second, ierror)
	if (rank == 0) print '(a, i0)', 'sum ', total
	call MPI_Finalize(ierror)
end program
