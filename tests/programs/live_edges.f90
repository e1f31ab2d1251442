! A graph without weights, by use mpi_f08: what stands for "no weights" is a variable of the Fortran
! library, which has to be that of the C library below it.
program live_edges
    use mpi_f08
    implicit none
    type(MPI_Comm) :: graph
    integer :: rank, n, in, out, sources(1), destinations(1), from(1), to(1)
    logical :: weighted

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, n)
    sources(1) = mod(rank + n - 1, n)
    destinations(1) = mod(rank + 1, n)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, sources, MPI_UNWEIGHTED, 1, &
        destinations, MPI_UNWEIGHTED, MPI_INFO_NULL, .false., graph)
    call MPI_Dist_graph_neighbors_count(graph, in, out, weighted)
    call MPI_Dist_graph_neighbors(graph, 1, from, MPI_UNWEIGHTED, 1, to, MPI_UNWEIGHTED)
    if (rank == 0) print '(2i2, l2, 2i2)', in, out, weighted, from, to
    call MPI_Finalize()
end program
