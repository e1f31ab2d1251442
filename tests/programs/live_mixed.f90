! live_mixed.f90: the main program of live_mixed.c. Of four ranks each half has two, in the reverse
! order: even ones add 0 and 2, odd ones 1 and 3. A look at a request completes nothing,
! and what was received is there then.
program live_mixed
    use mpi
    implicit none
    integer :: rank, half, place, total, ierr, request, status(MPI_STATUS_SIZE)
    integer, volatile :: got
    logical :: flag, kept

    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call half_make(MPI_COMM_WORLD, half)
    call MPI_Comm_rank(half, place, ierr)
    call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, half, ierr)
    call MPI_Irecv(got, 1, MPI_INTEGER, 1 - place, 4, half, request, ierr)
    call MPI_Send(rank, 1, MPI_INTEGER, 1 - place, 4, half, ierr)
    flag = .false.
    do while (.not. flag)
        call MPI_Request_get_status(request, flag, status, ierr)
    end do
    kept = request /= MPI_REQUEST_NULL
    print '(a, 5(i0, a), l1)', 'rank ', rank, ': place ', place, ', sum ', total, ', got ', got, &
        ' from ', status(MPI_SOURCE), ', still a request: ', kept
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call MPI_Comm_free(half, ierr)
    if (rank == 0) call attributes_set()
    call MPI_Finalize(ierr)
end program
