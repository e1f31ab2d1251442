! spawns.F90: a process that spawns two others with arguments, then one without. Each sends the
! number that it was given, or 1. -DF08: mpi_f08. One process.
program spawns
#ifdef F08
  use mpi_f08
#else
  use mpi
#endif
  implicit none
#ifdef F08
  type(MPI_Comm) :: parent, some, one
#else
  integer :: parent, some, one
#endif
  character(len=512) :: self, word
  character(len=12) :: words(3)
  integer :: ierr, codes(2), value, total, i

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
    call MPI_Comm_spawn(self, words, 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, some, codes, ierr)
    call MPI_Comm_spawn(self, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, one, codes, ierr)
    total = 0
    do i = 0, 1
      call MPI_Recv(value, 1, MPI_INTEGER, i, 5, some, MPI_STATUS_IGNORE, ierr)
      total = total + value
    end do
    call MPI_Recv(value, 1, MPI_INTEGER, 0, 5, one, MPI_STATUS_IGNORE, ierr)
    total = total + value
    call MPI_Comm_disconnect(some, ierr)
    call MPI_Comm_disconnect(one, ierr)
    print '(a)', merge('spawns: all right', 'spawns: wrong    ', total == 41)
  end if
  call MPI_Finalize(ierr)
end program spawns
