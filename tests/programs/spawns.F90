! spawns.F90: a process that spawns two others with arguments, then one without, then, with one
! call, one with arguments and two without, at last two more without. Each sends the number that it
! was given, or 1. -DF08: mpi_f08. One process.
program spawns
#ifdef F08
  use mpi_f08
#else
  use mpi
#endif
  implicit none
#ifdef F08
  type(MPI_Comm) :: parent, some, one, several, more
  type(MPI_Info) :: infos(2)
#else
  integer :: parent, some, one, several, more, infos(2)
#endif
  character(len=512) :: self, word, selves(2)
  character(len=12) :: words(3), rows(2, 3)
  integer :: ierr, codes(3), value, total

  call MPI_Init(ierr)
  call MPI_Comm_get_parent(parent, ierr)
  if (parent /= MPI_COMM_NULL) then
    value = 1
    if (command_argument_count() == 2) then
      call get_command_argument(2, word)
      read (word, *) value
    end if
    call MPI_Send(value, 1, MPI_INTEGER, 0, 5, parent, ierr)
    call MPI_Comm_disconnect(parent, ierr)
  else
    call get_command_argument(0, self)
    words = [character(len=12) :: 'two words', '20', ' ']
    rows(1, :) = [character(len=12) :: 'other words', '300', ' ']
    rows(2, :) = ' '
    selves = self
    infos = MPI_INFO_NULL
    call MPI_Comm_spawn(self, words, 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, some, codes, ierr)
    call MPI_Comm_spawn(self, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, one, codes, ierr)
    call MPI_Comm_spawn_multiple(2, selves, rows, [1, 2], infos, 0, MPI_COMM_SELF, several, &
                                 codes, ierr)
    call MPI_Comm_spawn_multiple(2, selves, MPI_ARGVS_NULL, [1, 1], infos, 0, MPI_COMM_SELF, &
                                 more, codes, ierr)
    total = sum_of(some, 2) + sum_of(one, 1) + sum_of(several, 3) + sum_of(more, 2)
    print '(a)', merge('spawns: all right', 'spawns: wrong    ', total == 345)
  end if
  call MPI_Finalize(ierr)

contains

  integer function sum_of(children, n)
#ifdef F08
    type(MPI_Comm) :: children
#else
    integer :: children
#endif
    integer :: n, i

    sum_of = 0
    do i = 0, n - 1
      call MPI_Recv(value, 1, MPI_INTEGER, i, 5, children, MPI_STATUS_IGNORE, ierr)
      sum_of = sum_of + value
    end do
    call MPI_Comm_disconnect(children, ierr)
  end function
end program spawns
