! cg.f90: conjugate gradient for A x = b, A a symmetric positive definite matrix cut into blocks
! over a grid of processes. A process multiplies its block by the part of the vector that its column
! of the grid holds. Partial results are summed along the row of the grid, then gathered along the
! column, from which each process takes its part again: communicators made by MPI_Comm_split.
! usage: cg [n [iterations]]
program cg
  use mpi
  implicit none
  integer :: ierr, rank, size, row, col, n, mr, mc, iterations, it, i, j, rows, cols, dims(2)
  double precision, allocatable :: a(:, :), x(:), r(:), p(:), q(:), part(:), strip(:), whole(:)
  double precision :: rho, rho_old, alpha, first
  character(len=32) :: word

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  n = 840
  iterations = 25
  if (command_argument_count() >= 1) then
    call get_command_argument(1, word)
    read (word, *) n
  end if
  if (command_argument_count() >= 2) then
    call get_command_argument(2, word)
    read (word, *) iterations
  end if

  dims = 0
  call MPI_Dims_create(size, 2, dims, ierr)
  row = rank/dims(2)
  col = mod(rank, dims(2))
  ! the processes of my row, in the order of columns; those of my column, in the order of rows
  call MPI_Comm_split(MPI_COMM_WORLD, row, col, rows, ierr)
  call MPI_Comm_split(MPI_COMM_WORLD, col, row, cols, ierr)
  n = size*((n + size - 1)/size) ! a multiple of both sides of the grid
  mr = n/dims(1)
  mc = n/dims(2)
  allocate (a(mr, mc), x(mc), r(mc), p(mc), q(mc), part(mr), strip(mr), whole(n))
  do j = 1, mc
    do i = 1, mr
      a(i, j) = entry(row*mr + i, col*mc + j)
    end do
  end do

  x = 0
  r = 1
  p = r
  rho = dot(r, r)
  first = rho
  do it = 1, iterations
    part = matmul(a, p)
    call MPI_Allreduce(part, strip, mr, MPI_DOUBLE_PRECISION, MPI_SUM, rows, ierr)
    call MPI_Allgather(strip, mr, MPI_DOUBLE_PRECISION, whole, mr, MPI_DOUBLE_PRECISION, cols, ierr)
    q = whole(col*mc + 1:(col + 1)*mc)
    alpha = rho/dot(p, q)
    x = x + alpha*p
    r = r - alpha*q
    rho_old = rho
    rho = dot(r, r)
    p = r + rho/rho_old*p
  end do
  if (rank == 0) then
    print '(a,i0,a,i0,a,i0,a,es10.3,a)', 'cg: order ', n, ' on ', dims(1), ' x ', dims(2), &
      ' processes, residual ', sqrt(rho), merge(' (right)', ' (WRONG)', rho < 1d-12*first)
  end if
  call MPI_Comm_free(rows, ierr)
  call MPI_Comm_free(cols, ierr)
  call MPI_Finalize(ierr)

contains

  ! A symmetric, positive definite matrix.
  double precision function entry(i, j)
    integer, intent(in) :: i, j
    if (i == j) then
      entry = 3.0d0 + dble(mod(i, 7))
    else
      entry = 1.0d0/(1.0d0 + dble((i - j)**2))
    end if
  end function entry

  ! Scalar product of two vectors of which each process holds the part of its column.
  double precision function dot(u, v)
    double precision, intent(in) :: u(:), v(:)
    double precision :: mine(1), total(1)
    mine(1) = dot_product(u, v)
    call MPI_Allreduce(mine, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, rows, ierr)
    dot = total(1)
  end function dot

end program cg
