! calls.F90: calls.c in Fortran, call by call. -DF08: mpi_f08 (without ierr, which is optional
! there); -DMODULE: use mpi; neither: mpif.h.
! MPI_INTEGER and MPI_DOUBLE_PRECISION stand in the trace as MPI_INT and MPI_DOUBLE.
#if defined(F08)
#define BINDING use mpi_f08
#define INCLUDE
#define COMM type(MPI_Comm)
#define GROUP type(MPI_Group)
#define REQUEST type(MPI_Request)
#define MESSAGE type(MPI_Message)
#define DATATYPE type(MPI_Datatype)
#define OP type(MPI_Op)
#define WIN type(MPI_Win)
#define STATUS(s) type(MPI_Status) :: s
#define STATUSES(s,n) type(MPI_Status) :: s(n)
#define SOURCE(s) s%MPI_SOURCE
#define TAG(s) s%MPI_TAG
#define TAG1(s) s(1)%MPI_TAG
#define IE
#else
#if defined(MODULE)
#define BINDING use mpi
#define INCLUDE
#else
#define BINDING
#define INCLUDE include 'mpif.h'
#endif
#define COMM integer
#define GROUP integer
#define REQUEST integer
#define MESSAGE integer
#define DATATYPE integer
#define OP integer
#define WIN integer
#define STATUS(s) integer :: s(MPI_STATUS_SIZE)
#define STATUSES(s,n) integer :: s(MPI_STATUS_SIZE,n)
#define SOURCE(s) s(MPI_SOURCE)
#define TAG(s) s(MPI_TAG)
#define TAG1(s) s(MPI_TAG,1)
#define IE , ierr
#endif

#define CHECK(x) call check(x, __LINE__)
! the mpi_f08 of MPICH 4.0 gives indices from 0
#if defined(F08)
#define INDEX_IS(i,n) (i == n .or. i == n - 1)
#else
#define INDEX_IS(i,n) (i == n)
#endif
#define DONE call MPI_Wait(r, MPI_STATUS_IGNORE IE)

module shared
  BINDING
  implicit none
  INCLUDE
  integer :: rank, nranks, right, left, ierr
  integer :: counts(4) = (/ 1, 2, 3, 4 /), displs(4) = (/ 0, 1, 3, 6 /)
  COMM :: world
contains
  subroutine check(ok, line)
    logical, intent(in) :: ok
    integer, intent(in) :: line
    if (ok) return
    print *, 'calls: rank', rank, 'got wrong data at line', line
    call MPI_Abort(MPI_COMM_WORLD, 3 IE)
  end subroutine

#if defined(F08)
  subroutine subtract(invec, inoutvec, length, datatype_of)
    use, intrinsic :: iso_c_binding
    type(c_ptr), value :: invec, inoutvec
    integer :: length
    type(MPI_Datatype) :: datatype_of
    integer, pointer :: x(:), y(:)
    call c_f_pointer(invec, x, (/ length /))
    call c_f_pointer(inoutvec, y, (/ length /))
    y = x - y
  end subroutine
#else
  subroutine subtract(invec, inoutvec, length, datatype_of)
    integer :: length, datatype_of, invec(length), inoutvec(length)
    inoutvec = invec - inoutvec
  end subroutine
#endif

  subroutine buffer_attach(memory)
    character :: memory(4096)
    call MPI_Buffer_attach(memory, 4096 IE)
  end subroutine

  subroutine buffer_detach(memory)
#if defined(F08)
    use, intrinsic :: iso_c_binding
#endif
    character :: memory(4096)
    integer :: n
#if defined(F08)
    type(c_ptr) :: where
    call MPI_Buffer_detach(where, n)
#else
    call MPI_Buffer_detach(memory, n, ierr)
#endif
  end subroutine

  subroutine blocking
    character :: memory(4096)
    integer :: a(1), b(1)
    STATUS(s)
    a = rank
    b = -1
    if (rank == 0) then
      call MPI_Send(a, 1, MPI_INTEGER, 1, 1, world IE)
      call MPI_Ssend(a, 1, MPI_INTEGER, 1, 2, world IE)
      call buffer_attach(memory)
      call MPI_Bsend(a, 1, MPI_INTEGER, 1, 3, world IE)
      call buffer_detach(memory)
    else if (rank == 1) then
      call MPI_Recv(b, 1, MPI_INTEGER, 0, 1, world, s IE)
      CHECK(b(1) == 0 .and. SOURCE(s) == 0 .and. TAG(s) == 1)
      call MPI_Recv(b, 1, MPI_INTEGER, MPI_ANY_SOURCE, 2, world, MPI_STATUS_IGNORE IE)
      call MPI_Recv(b, 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, world, s IE)
      CHECK(SOURCE(s) == 0 .and. TAG(s) == 3)
    end if
    call MPI_Sendrecv(a, 1, MPI_INTEGER, right, 4, b, 1, MPI_INTEGER, left, 4, world, &
                      MPI_STATUS_IGNORE IE)
    CHECK(b(1) == left)
    call MPI_Sendrecv(a, 1, MPI_INTEGER, right, 4, b, 1, MPI_INTEGER, MPI_ANY_SOURCE, &
                      MPI_ANY_TAG, world, MPI_STATUS_IGNORE IE)
    call MPI_Sendrecv_replace(a, 1, MPI_INTEGER, right, 5, left, 5, world, s IE)
    CHECK(a(1) == left)
    call MPI_Send(a, 1, MPI_INTEGER, MPI_PROC_NULL, 6, world IE)
    call MPI_Recv(b, 1, MPI_INTEGER, MPI_PROC_NULL, 6, world, MPI_STATUS_IGNORE IE)
  end subroutine

  subroutine non_blocking
    character :: memory(4096)
    double precision, asynchronous :: a(3), b(4)
    REQUEST :: r(4)
    a = (/ 1, 2, 3 /)
    b = 0
    if (rank == 0) then
      call MPI_Isend(a, 3, MPI_DOUBLE_PRECISION, 1, 10, world, r(1) IE)
      call MPI_Issend(a, 1, MPI_DOUBLE_PRECISION, 1, 11, world, r(2) IE)
      call MPI_Isend(a, 1, MPI_DOUBLE_PRECISION, MPI_PROC_NULL, 12, world, r(3) IE)
      call MPI_Waitall(3, r, MPI_STATUSES_IGNORE IE)
      call buffer_attach(memory)
      call MPI_Ibsend(a, 1, MPI_DOUBLE_PRECISION, 1, 13, world, r(1) IE)
      call MPI_Wait(r(1), MPI_STATUS_IGNORE IE)
      call buffer_detach(memory)
    else if (rank == 1) then
      call MPI_Irecv(b, 3, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 10, world, r(1) IE)
      call MPI_Irecv(b(4), 1, MPI_DOUBLE_PRECISION, 0, MPI_ANY_TAG, world, r(2) IE)
      call MPI_Waitall(2, r, MPI_STATUSES_IGNORE IE)
      CHECK(b(3) == 3 .and. b(4) == 1)
      call MPI_Irecv(b, 1, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, MPI_ANY_TAG, world, r(1) IE)
      call MPI_Wait(r(1), MPI_STATUS_IGNORE IE)
    end if
    if (rank == 1) call MPI_Irecv(b, 1, MPI_DOUBLE_PRECISION, 0, 14, world, r(1) IE)
    call MPI_Barrier(world IE)
    if (rank == 0) then
      call MPI_Rsend(a, 1, MPI_DOUBLE_PRECISION, 1, 14, world IE)
    else if (rank == 1) then
      call MPI_Wait(r(1), MPI_STATUS_IGNORE IE)
      call MPI_Irecv(b, 1, MPI_DOUBLE_PRECISION, 0, 15, world, r(1) IE)
    end if
    call MPI_Barrier(world IE)
    if (rank == 0) then
      call MPI_Irsend(a, 1, MPI_DOUBLE_PRECISION, 1, 15, world, r(1) IE)
      call MPI_Wait(r(1), MPI_STATUS_IGNORE IE)
    else if (rank == 1) then
      call MPI_Wait(r(1), MPI_STATUS_IGNORE IE)
    end if
  end subroutine

  subroutine some_and_any
    integer, asynchronous :: a(1), b(3)
    integer :: where, n, t, indices(3)
    logical :: flag
    REQUEST :: r(3)
    STATUS(s)
    STATUSES(ss,3)
    a = rank
    r = MPI_REQUEST_NULL
    if (rank == 0) then
      do t = 20, 27
        call MPI_Send(a, 1, MPI_INTEGER, 1, t, world IE)
      end do
    else if (rank == 1) then
      call MPI_Irecv(b(2), 1, MPI_INTEGER, MPI_ANY_SOURCE, 20, world, r(2) IE)
      call MPI_Waitany(3, r, where, MPI_STATUS_IGNORE IE)
      CHECK(INDEX_IS(where, 2) .and. r(2) == MPI_REQUEST_NULL)
      call MPI_Irecv(b(3), 1, MPI_INTEGER, MPI_ANY_SOURCE, 21, world, r(3) IE)
      call MPI_Waitsome(3, r, n, indices, MPI_STATUSES_IGNORE IE)
      CHECK(n == 1 .and. INDEX_IS(indices(1), 3))
      call MPI_Irecv(b(1), 1, MPI_INTEGER, 0, 22, world, r(1) IE)
      flag = .false.
      do while (.not. flag)
        call MPI_Test(r(1), flag, s IE)
      end do
      CHECK(SOURCE(s) == 0 .and. TAG(s) == 22)
      call MPI_Irecv(b(1), 1, MPI_INTEGER, 0, 23, world, r(1) IE)
      flag = .false.
      do while (.not. flag)
        call MPI_Testall(3, r, flag, ss IE)
      end do
      call MPI_Irecv(b(1), 1, MPI_INTEGER, 0, 24, world, r(1) IE)
      flag = .false.
      do while (.not. flag)
        call MPI_Testany(3, r, where, flag, s IE)
      end do
      CHECK(INDEX_IS(where, 1))
      call MPI_Irecv(b(2), 1, MPI_INTEGER, MPI_ANY_SOURCE, 25, world, r(2) IE)
      n = 0
      do while (n == 0)
        call MPI_Testsome(3, r, n, indices, ss IE)
      end do
      CHECK(n == 1 .and. INDEX_IS(indices(1), 2) .and. TAG1(ss) == 25)
      call MPI_Waitall(3, r, MPI_STATUSES_IGNORE IE)
      call MPI_Probe(MPI_ANY_SOURCE, 26, world, s IE)
      call MPI_Recv(b, 1, MPI_INTEGER, SOURCE(s), TAG(s), world, MPI_STATUS_IGNORE IE)
      flag = .false.
      do while (.not. flag)
        call MPI_Iprobe(0, MPI_ANY_TAG, world, flag, s IE)
      end do
      CHECK(TAG(s) == 27)
      call MPI_Recv(b, 1, MPI_INTEGER, 0, 27, world, MPI_STATUS_IGNORE IE)
    end if
  end subroutine

  subroutine matched
    integer, asynchronous :: a(1), b(1)
    logical :: flag
    MESSAGE :: m
    REQUEST :: r
    STATUS(s)
    a = rank
    flag = .false.
    if (rank == 0) then
      call MPI_Send(a, 1, MPI_INTEGER, 1, 30, world IE)
      call MPI_Send(a, 1, MPI_INTEGER, 1, 31, world IE)
    else if (rank == 1) then
      call MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world, m, MPI_STATUS_IGNORE IE)
      call MPI_Mrecv(b, 1, MPI_INTEGER, m, s IE)
      CHECK(b(1) == 0 .and. TAG(s) == 30)
      do while (.not. flag)
        call MPI_Improbe(0, 31, world, flag, m, s IE)
      end do
      call MPI_Imrecv(b, 1, MPI_INTEGER, m, r IE)
      call MPI_Wait(r, MPI_STATUS_IGNORE IE)
    end if
  end subroutine

  subroutine persistent
    integer, asynchronous :: a(1), b(2)
    integer :: i
    REQUEST :: r(2)
    a = rank
    b = -1
    if (rank == 0) then
      call MPI_Send_init(a, 1, MPI_INTEGER, 1, 40, world, r(1) IE)
      call MPI_Ssend_init(a, 1, MPI_INTEGER, 1, 41, world, r(2) IE)
    else if (rank == 1) then
      call MPI_Recv_init(b(1), 1, MPI_INTEGER, 0, 40, world, r(1) IE)
      call MPI_Recv_init(b(2), 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, world, r(2) IE)
    end if
    if (rank < 2) then
      do i = 1, 2
        call MPI_Startall(2, r IE)
        call MPI_Waitall(2, r, MPI_STATUSES_IGNORE IE)
        CHECK(rank == 0 .or. (b(1) == 0 .and. b(2) == 0))
      end do
      call MPI_Start(r(1) IE)
      call MPI_Wait(r(1), MPI_STATUS_IGNORE IE)
      call MPI_Request_free(r(1) IE)
      call MPI_Request_free(r(2) IE)
    end if
    if (rank == 2) then
      call MPI_Irecv(b, 1, MPI_INTEGER, MPI_ANY_SOURCE, 49, world, r(1) IE)
      call MPI_Cancel(r(1) IE)
      call MPI_Wait(r(1), MPI_STATUS_IGNORE IE)
    end if
  end subroutine

  subroutine collectives
    integer :: a(16), b(16), c(16), mine(4), at(4), ones(4), bytes(4), i
    DATATYPE :: pair, types(4)
    OP :: minus
    a = rank
    b = 0
    c = rank
    ones = 1
    types = MPI_INTEGER
    mine = rank + 1
    at = (/ (i * (rank + 1), i = 0, 3) /)
    bytes = (/ 0, 4, 8, 12 /)
    call MPI_Type_contiguous(2, MPI_INTEGER, pair IE)
    call MPI_Type_commit(pair IE)
    call MPI_Op_create(subtract, .false., minus IE)
    call MPI_Barrier(world IE)
    call MPI_Bcast(a, 2, pair, 2, world IE)
    CHECK(a(1) == 2)
    call MPI_Reduce(c, b, 3, MPI_INTEGER, MPI_SUM, 1, world IE)
    CHECK(rank /= 1 .or. b(3) == 6)
    call MPI_Allreduce(c, b, 3, MPI_INTEGER, minus, world IE)
    call MPI_Allreduce(MPI_IN_PLACE, b, 3, MPI_INTEGER, MPI_MAX, world IE)
    call MPI_Gather(c, 1, MPI_INTEGER, b, 1, MPI_INTEGER, 3, world IE)
    CHECK(rank /= 3 .or. b(3) == 2)
    if (rank == 0) then
      b(1) = 0
      call MPI_Gather(MPI_IN_PLACE, 0, MPI_INTEGER, b, 1, MPI_INTEGER, 0, world IE)
    else
      call MPI_Gather(c, 1, MPI_INTEGER, b, 0, MPI_INTEGER, 0, world IE)
    end if
    CHECK(rank /= 0 .or. b(4) == 3)
    call MPI_Gatherv(c, counts(rank + 1), MPI_INTEGER, b, counts, displs, MPI_INTEGER, 1, world IE)
    CHECK(rank /= 1 .or. (b(1) == 0 .and. b(10) == 3))
    call MPI_Scatter(b, 1, MPI_INTEGER, c, 1, MPI_INTEGER, 1, world IE)
    call MPI_Scatterv(b, counts, displs, MPI_INTEGER, c, counts(rank + 1), MPI_INTEGER, 1, world IE)
    CHECK(c(1) == rank)
    call MPI_Allgather(c, 1, MPI_INTEGER, b, 1, MPI_INTEGER, world IE)
    CHECK(b(4) == 3)
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_INTEGER, b, 1, MPI_INTEGER, world IE)
    call MPI_Allgatherv(c, counts(rank + 1), MPI_INTEGER, b, counts, displs, MPI_INTEGER, world IE)
    call MPI_Alltoall(a, 2, MPI_INTEGER, b, 2, MPI_INTEGER, world IE)
    call MPI_Alltoallv(b, counts, displs, MPI_INTEGER, a, mine, at, MPI_INTEGER, world IE)
    call MPI_Alltoallw(b, ones, bytes, types, a, ones, bytes, types, world IE)
    call MPI_Reduce_scatter(b, a, counts, MPI_INTEGER, MPI_SUM, world IE)
    call MPI_Reduce_scatter_block(b, a, 2, MPI_INTEGER, MPI_SUM, world IE)
    call MPI_Scan(c, b, 1, MPI_INTEGER, MPI_SUM, world IE)
    call MPI_Exscan(c, b, 1, MPI_INTEGER, MPI_SUM, world IE)
    call MPI_Op_free(minus IE)
    call MPI_Type_free(pair IE)
  end subroutine

  subroutine non_blocking_collectives
    integer, asynchronous :: a(16), b(16)
    integer :: mine(4), at(4), ones(4), bytes(4), i
    DATATYPE :: types(4)
    REQUEST :: r
    a = 0
    ones = 1
    types = MPI_INTEGER
    mine = rank + 1
    at = (/ (i * (rank + 1), i = 0, 3) /)
    bytes = (/ 0, 4, 8, 12 /)
    call MPI_Ibarrier(world, r IE)
    DONE
    call MPI_Ibcast(a, 4, MPI_INTEGER, 1, world, r IE)
    DONE
    call MPI_Ireduce(a, b, 4, MPI_INTEGER, MPI_SUM, 1, world, r IE)
    DONE
    call MPI_Iallreduce(a, b, 4, MPI_INTEGER, MPI_SUM, world, r IE)
    DONE
    call MPI_Igather(a, 1, MPI_INTEGER, b, 1, MPI_INTEGER, 2, world, r IE)
    DONE
    call MPI_Igatherv(a, counts(rank + 1), MPI_INTEGER, b, counts, displs, MPI_INTEGER, 2, world, &
                      r IE)
    DONE
    call MPI_Iscatter(a, 1, MPI_INTEGER, b, 1, MPI_INTEGER, 2, world, r IE)
    DONE
    call MPI_Iscatterv(a, counts, displs, MPI_INTEGER, b, counts(rank + 1), MPI_INTEGER, 2, world, &
                       r IE)
    DONE
    call MPI_Iallgather(a, 1, MPI_INTEGER, b, 1, MPI_INTEGER, world, r IE)
    DONE
    call MPI_Iallgatherv(a, counts(rank + 1), MPI_INTEGER, b, counts, displs, MPI_INTEGER, world, &
                         r IE)
    DONE
    call MPI_Ialltoall(a, 1, MPI_INTEGER, b, 1, MPI_INTEGER, world, r IE)
    DONE
    call MPI_Ialltoallv(a, counts, displs, MPI_INTEGER, b, mine, at, MPI_INTEGER, world, r IE)
    DONE
    call MPI_Ialltoallw(a, ones, bytes, types, b, ones, bytes, types, world, r IE)
    DONE
    call MPI_Ireduce_scatter(a, b, counts, MPI_INTEGER, MPI_SUM, world, r IE)
    DONE
    call MPI_Ireduce_scatter_block(a, b, 2, MPI_INTEGER, MPI_SUM, world, r IE)
    DONE
    call MPI_Iscan(a, b, 1, MPI_INTEGER, MPI_SUM, world, r IE)
    DONE
    call MPI_Iexscan(a, b, 1, MPI_INTEGER, MPI_SUM, world, r IE)
    DONE
  end subroutine

  subroutine communicators
    COMM :: dup, half, odd, group_comm, cart, row, later
    GROUP :: everyone, few
    REQUEST :: r
    integer :: a(1), b(1), me, n, dims(2), color
    logical :: periods(2), keep(2)
    a = rank
    b = -1
    call MPI_Comm_dup(world, dup IE)
    call MPI_Comm_split(dup, mod(rank, 2), -rank, half IE)
    call MPI_Comm_rank(half, me IE)
    call MPI_Comm_size(half, n IE)
    CHECK(n == 2 .and. (me == 1 .eqv. rank < 2))
    if (me == 0) then
      call MPI_Send(a, 1, MPI_INTEGER, 1, 50, half IE)
    else
      call MPI_Recv(b, 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, half, MPI_STATUS_IGNORE IE)
    end if
    call MPI_Bcast(a, 1, MPI_INTEGER, 1, half IE)
    CHECK(a(1) == mod(rank, 2))
    color = 1
    if (rank == 3) color = MPI_UNDEFINED
    call MPI_Comm_split(dup, color, 0, odd IE)
    if (odd /= MPI_COMM_NULL) then
      call MPI_Barrier(odd IE)
      call MPI_Comm_free(odd IE)
    end if
    call MPI_Comm_group(world, everyone IE)
    call MPI_Group_incl(everyone, 2, (/ 3, 1 /), few IE)
    call MPI_Comm_create(world, few, group_comm IE)
    if (group_comm /= MPI_COMM_NULL) then
      call MPI_Allreduce(a, b, 1, MPI_INTEGER, MPI_SUM, group_comm IE)
      call MPI_Comm_free(group_comm IE)
      call MPI_Comm_create_group(world, few, 9, group_comm IE)
      call MPI_Barrier(group_comm IE)
      call MPI_Comm_free(group_comm IE)
    end if
    call MPI_Group_free(few IE)
    call MPI_Group_free(everyone IE)
    dims = 2
    periods = .false.
    keep = (/ .false., .true. /)
    call MPI_Cart_create(world, 2, dims, periods, .false., cart IE)
    call MPI_Cart_sub(cart, keep, row IE)
    call MPI_Barrier(row IE)
    call MPI_Comm_idup(row, later, r IE)
    call MPI_Wait(r, MPI_STATUS_IGNORE IE)
    call MPI_Barrier(later IE)
    call MPI_Barrier(MPI_COMM_SELF IE)
    call MPI_Comm_free(later IE)
    call MPI_Comm_free(row IE)
    call MPI_Comm_free(cart IE)
    call MPI_Comm_free(half IE)
    call MPI_Comm_free(dup IE)
  end subroutine

  subroutine not_traced
    integer, asynchronous :: cell(1), one(1)
    integer(kind=MPI_ADDRESS_KIND) :: bytes, at
    WIN :: w
    cell = 0
    one = 1
    bytes = 4
    at = 0
    call MPI_Win_create(cell, bytes, 1, MPI_INFO_NULL, world, w IE)
    call MPI_Win_fence(0, w IE)
    if (rank == 0) call MPI_Put(one, 1, MPI_INTEGER, 1, at, 1, MPI_INTEGER, w IE)
    call MPI_Win_fence(0, w IE)
#if !defined(F08)
    CHECK(cell(1) == merge(1, 0, rank == 1)) ! MPICH 4.0's mpi_f08 puts it elsewhere
#endif
    call MPI_Win_free(w IE)
  end subroutine
end module

program calls
  use shared
  implicit none
  call MPI_Init(ierr)
  world = MPI_COMM_WORLD
  call MPI_Comm_rank(world, rank IE)
  call MPI_Comm_size(world, nranks IE)
  CHECK(nranks == 4)
  right = mod(rank + 1, nranks)
  left = mod(rank + nranks - 1, nranks)
  call blocking()
  call non_blocking()
  call some_and_any()
  call matched()
  call persistent()
  call collectives()
  call non_blocking_collectives()
  call communicators()
  call not_traced()
  if (rank == 0) print '(a)', 'calls: all right'
  call MPI_Finalize(ierr)
end program
