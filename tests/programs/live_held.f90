! live_held.f90: Fortran in a rank of its own: a common block, saved variables, units, MPI_IN_PLACE.
program live_held
	use mpi
	implicit none
	integer :: rank, ierr, i
	integer, save :: calls = 7
	integer :: first
	real(8) :: block(100), a(1000)
	common /shared/ block, first
	character(len=40) :: line

	call mpi_init(ierr)
	call mpi_comm_rank(mpi_comm_world, rank, ierr)
	first = rank
	block = rank * 1d0
	calls = calls + rank
	do i = 1, 1000
		a(i) = rank * i
	end do
	open(unit=10, status='scratch')
	write(10, *) rank * 11
	call mpi_barrier(mpi_comm_world, ierr)
	call mpi_allreduce(mpi_in_place, a, 1000, mpi_double_precision, mpi_sum, &
		mpi_comm_world, ierr)
	rewind(10)
	read(10, *) i
	write(line, '(i3,1x,i3,1x,f8.2)') rank, first, block(7)
	print *, 'rank', rank, first, calls, i, a(10), trim(line)
	call mpi_finalize(ierr)
end program live_held
