#!/bin/bash
# Edges of the standard, found by mpi4py's tests and MPICH's: the class of an error that has a class
# of its own only since MPI 5, operations of no elements, graphs without weights in Fortran 2008.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need_live
scratch
families=0
for family in openmpi mpich; do
	have "mpicc.$family" || continue
	families=1
	"mpicc.$family" -O1 -o "edges.$family" "$SRC/tests/programs/live_edges.c" || exit 1
	"$ORRERY" run -q -np 1 -p graphene --computation none -- "./edges.$family" >out ||
		bad "$family"
	head -15 out | diff - <(printf '%s\n' \
		"no error handler is set: MPI_ERR_ARG" \
		"no error handler is freed: MPI_ERR_ARG" "no bytes are added: fine" \
		"the sum of a type made of MPI_INT: MPI_ERR_OP" \
		"the largest wide character: MPI_ERR_OP" "the largest character: fine" \
		"a result in place: MPI_ERR_BUFFER" \
		"what is reduced here in place: MPI_ERR_BUFFER" \
		"a result here in place: MPI_ERR_BUFFER" "no place for a size: MPI_ERR_ARG" \
		"no place for a request: MPI_ERR_ARG" \
		"a buffered send, no buffer: MPI_ERR_BUFFER" \
		"a small one, no buffer: MPI_ERR_BUFFER" \
		"a small one, a smaller buffer: MPI_ERR_BUFFER" \
		"a buffered send, too small a buffer: MPI_ERR_BUFFER") ||
		bad "$family: not as real libraries do (left)"
	printf '#include <mpi.h>\nint main(void) { int r; return MPI_Comm_rank(%s, &r); }\n' \
		MPI_COMM_WORLD >early.c
	"mpicc.$family" -o early early.c || exit 1
	ways_to_hold
	for hold in "${holds[@]}"; do
		"$ORRERY" run -np 2 -p graphene --hold $hold -- ./early >out 2>&1
		[[ $? == 1 ]] && grep -q "orrery: MPI_Comm_rank was called before MPI_Init" out ||
			bad "$family, $hold: a call before MPI_Init: $(cat out)"
	done
	have "mpif90.$family" || continue
	"mpif90.$family" -o "graph.$family" "$SRC/tests/programs/live_edges.f90" || exit 1
	"$ORRERY" run -q -np 4 -p graphene --computation none -- "./graph.$family" >out ||
		bad "$family: mpi_f08"
	[[ $(head -1 out) == " 1 1 F 3 1" ]] || bad "$family: mpi_f08: $(head -1 out)"
	# what a Fortran program wrote before it gave up, as MPICH's exit() has it written
	printf '%s\n' 'program gives_up' 'use mpi' 'integer :: code' 'call MPI_Init(code)' \
		"open(7, file='why')" "write(7, *) 'no such input'" "write(*, *) 'giving up'" \
		'call MPI_Abort(MPI_COMM_WORLD, 3, code)' 'end' >abort.f90
	"mpif90.$family" -o abort abort.f90 || exit 1
	"$ORRERY" run -q -np 1 -p graphene --computation none -- ./abort >out 2>err
	[[ $(cat why out) == ' no such input'$'\n'' giving up'* ]] ||
		bad "$family: written before MPI_Abort: $(cat why out err)"
	rm -f why
done
((families)) || skip "no mpicc.openmpi, mpicc.mpich (Debian: libopenmpi-dev libmpich-dev)"
exit "$failed"
