! live_sentinels.F90: the addresses and names that stand for no argument, in the three interfaces of
! Fortran: mpif.h (-DMPIFH), `use mpi` (-DMPI), `use mpi_f08`. Each is used where it changes what is
! done, and what the standard says comes out is compared (MPI 4.0, 2.5.4 and the functions' own
! sections). Prints "all fine" once for each of two ranks. An even number of ranks.
#if defined(MPIFH) || defined(MPI)
#define COMM integer
#define TYPE_ integer
#define REQUEST integer
#define STATUS integer, dimension(MPI_STATUS_SIZE)
#define STATUSES(n) integer, dimension(MPI_STATUS_SIZE, n)
#define SOURCE(s) s(MPI_SOURCE)
#define TAG(s) s(MPI_TAG)
#else
#define COMM type(MPI_Comm)
#define TYPE_ type(MPI_Datatype)
#define REQUEST type(MPI_Request)
#define STATUS type(MPI_Status)
#define SOURCE(s) s%MPI_SOURCE
#define TAG(s) s%MPI_TAG
#endif
program live_sentinels
#ifdef MPIFH
    implicit none
    include 'mpif.h'
#elif defined(MPI)
    use mpi
    implicit none
#else
    use mpi_f08
    implicit none
#endif
    integer :: rank, n, ierr, wrong
    COMM :: parent

    wrong = 0
    call MPI_Init(ierr)
    call MPI_Comm_get_parent(parent, ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)
    if (parent == MPI_COMM_NULL) then
        call in_place()
        call bottom()
        call statuses()
        call graphs()
        call children()
        if (wrong == 0) print '(a)', 'all fine'
    else
        call MPI_Barrier(parent, ierr)
    end if
    call MPI_Finalize(ierr)

contains
    subroutine check(is_right, what)
        logical, intent(in) :: is_right
        character(len=*), intent(in) :: what

        if (is_right) return
        wrong = wrong + 1
        print '(a, i0, 2a)', 'rank ', rank, ': ', what
    end subroutine

    ! Each operation whose send or receive buffer may be MPI_IN_PLACE.
    subroutine in_place()
        integer :: x(n), one(1), i, counts(n), displs(n)

        one = rank + 1
        call MPI_Allreduce(MPI_IN_PLACE, one, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
        call check(one(1) == n * (n + 1) / 2, 'allreduce')
        one = rank + 1
        call MPI_Scan(MPI_IN_PLACE, one, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
        call check(one(1) == (rank + 1) * (rank + 2) / 2, 'scan')
        x = -1
        x(rank + 1) = rank
        call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, x, 1, MPI_INTEGER, &
            MPI_COMM_WORLD, ierr)
        call check(all(x == [(i, i = 0, n - 1)]), 'allgather')
        x = [(10 * rank + i, i = 0, n - 1)]
        call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, x, 1, MPI_INTEGER, &
            MPI_COMM_WORLD, ierr)
        call check(all(x == [(10 * i + rank, i = 0, n - 1)]), 'alltoall')
        counts = 1
        displs = [(i, i = 0, n - 1)]
        x = -1
        x(rank + 1) = rank
        if (rank == 0) then
            call MPI_Gatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, x, counts, displs, &
                MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
            call check(all(x == displs), 'gatherv')
            x = 7 * displs
            call MPI_Scatter(x, 1, MPI_INTEGER, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 0, &
                MPI_COMM_WORLD, ierr)
            call check(all(x == 7 * displs), 'scatter at the root')
            one = 1
            call MPI_Reduce(MPI_IN_PLACE, one, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, &
                ierr)
            call check(one(1) == n, 'reduce')
        else
            call MPI_Gatherv(x(rank + 1), 1, MPI_INTEGER, x, counts, displs, MPI_INTEGER, 0, &
                MPI_COMM_WORLD, ierr)
            call MPI_Scatter(x, 1, MPI_INTEGER, one, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
            call check(one(1) == 7 * rank, 'scatter')
            one = 1
            call MPI_Reduce(one, x, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
        end if
    end subroutine

    ! A type of absolute addresses.
    subroutine bottom()
        integer, target, volatile :: a(2), b
        integer(kind=MPI_ADDRESS_KIND) :: at(2)
        TYPE_ :: both

        call MPI_Get_address(a, at(1), ierr)
        call MPI_Get_address(b, at(2), ierr)
        call MPI_Type_create_hindexed(2, [2, 1], at, MPI_INTEGER, both, ierr)
        call MPI_Type_commit(both, ierr)
        a = -1
        b = -1
        if (rank == 0) then
            a = [3, 4]
            b = 5
        end if
        call MPI_Bcast(MPI_BOTTOM, 1, both, 0, MPI_COMM_WORLD, ierr)
        call check(all(a == [3, 4]) .and. b == 5, 'bottom')
        call MPI_Type_free(both, ierr)
    end subroutine

    subroutine statuses()
        integer :: in(2), other, i
        REQUEST :: r(4)
        STATUS :: s
        logical :: flag

        other = ieor(rank, 1)
        call MPI_Sendrecv(rank, 1, MPI_INTEGER, other, 5, in(1), 1, MPI_INTEGER, other, 5, &
            MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
        call check(ierr == MPI_SUCCESS .and. in(1) == other, 'status ignored')
        do i = 1, 2
            call MPI_Irecv(in(i), 1, MPI_INTEGER, other, i, MPI_COMM_WORLD, r(i), ierr)
            call MPI_Isend(rank, 1, MPI_INTEGER, other, i, MPI_COMM_WORLD, r(2 + i), ierr)
        end do
        call MPI_Waitall(4, r, MPI_STATUSES_IGNORE, ierr)
        call check(ierr == MPI_SUCCESS .and. all(in == other), 'statuses ignored')
        call check(all([(r(i) == MPI_REQUEST_NULL, i = 1, 4)]), 'requests are null')
        call MPI_Isend(rank, 1, MPI_INTEGER, other, 9, MPI_COMM_WORLD, r(1), ierr)
        call MPI_Recv(in, 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, s, ierr)
        call check(SOURCE(s) == other .and. TAG(s) == 9, 'a status')
        call MPI_Wait(r(1), MPI_STATUS_IGNORE, ierr)
        call MPI_Testall(4, r, flag, MPI_STATUSES_IGNORE, ierr)
        call check(flag, 'testall of null requests')
    end subroutine

    ! A ring, without weights; then no edge at odd ranks, whose weights are MPI_WEIGHTS_EMPTY.
    subroutine graphs()
        COMM :: ring
        integer :: in, out, from(1), to(1), d
        logical :: weighted

        call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [modulo(rank - 1, n)], &
            MPI_UNWEIGHTED, 1, [modulo(rank + 1, n)], MPI_UNWEIGHTED, MPI_INFO_NULL, .false., &
            ring, ierr)
        call MPI_Dist_graph_neighbors_count(ring, in, out, weighted, ierr)
        call check(in == 1 .and. out == 1 .and. .not. weighted, 'unweighted')
        call MPI_Dist_graph_neighbors(ring, 1, from, MPI_UNWEIGHTED, 1, to, MPI_UNWEIGHTED, &
            ierr)
        call check(from(1) == modulo(rank - 1, n) .and. to(1) == modulo(rank + 1, n), &
            "neighbours")
        call MPI_Comm_free(ring, ierr)
        d = merge(1, 0, modulo(rank, 2) == 0)
        if (d == 1) then
            call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [rank], [2], 1, [rank], [3], &
                MPI_INFO_NULL, .false., ring, ierr)
        else
            call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, from, MPI_WEIGHTS_EMPTY, 0, &
                to, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, .false., ring, ierr)
        end if
        call MPI_Dist_graph_neighbors_count(ring, in, out, weighted, ierr)
        call check(in == d .and. out == d .and. weighted, 'weights')
        call MPI_Comm_free(ring, ierr)
    end subroutine

    ! No arguments, no codes.
    subroutine children()
        COMM :: made
        character(len=512) :: self
        integer :: remote

        call get_command_argument(0, self)
        call MPI_Comm_spawn(self, MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, made, &
            MPI_ERRCODES_IGNORE, ierr)
        call MPI_Comm_remote_size(made, remote, ierr)
        call check(remote == 2, 'spawned')
        call MPI_Barrier(made, ierr)
    end subroutine
end program
