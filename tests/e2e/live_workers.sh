#!/bin/bash
# Threads of a library of BLAS, which NumPy has made as it is loaded: they never call MPI, so that a
# rank under MPI_THREAD_MULTIPLE waits as one without threads does, in the same simulated time, and
# a wait until a date takes none of the user's.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need_live
scratch
families=0
for library in libopenblas-like.so.0; do
	gcc -O1 -shared -fPIC -pthread -DWORKERS -o "$library" \
		"$SRC/tests/programs/live_workers.c" || exit 2
done
run() { # FAMILY LIBRARY…: the simulated time
	timeout 60 "$ORRERY" run -q -np 2 -p graphene --computation none -- "./$1" "${@:2}" 2>err |
		sed -n 's/^simulated time: //p'
}
for family in openmpi mpich; do
	have "mpicc.$family" || continue
	families=1
	"mpicc.$family" -O1 -o "$family" "$SRC/tests/programs/live_workers.c" -ldl -lpthread ||
		exit 2
	alone=$(run $family)
	blas=$(run $family ./libopenblas-like.so.0)
	[[ $alone == 100.* ]] || bad "$family: $alone, not 100 s and some: $(cat err)"
	[[ $blas == "$alone" ]] || bad "$family: with threads of BLAS $blas, without $alone"
done
((families)) || skip "no mpicc.openmpi, mpicc.mpich (Debian: libopenmpi-dev libmpich-dev)"
exit "$failed"
