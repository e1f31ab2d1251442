#!/bin/bash
# Fortran: what stands for no argument (MPI_IN_PLACE, MPI_BOTTOM, MPI_STATUS_IGNORE and the like) in
# its three interfaces; a program of objects in C and in Fortran. What comes out is what MPI says,
# as processes and as coroutines, in the same time.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need_live
scratch
ways_to_hold
# tried WHAT PROGRAM LINES: what four ranks print, sorted
tried() {
	local hold took first=
	for hold in "${holds[@]}"; do
		timeout 30 "$ORRERY" run -np 4 --universe 8 -p graphene --computation none \
			--hold $hold -- "$2" >out 2>err || bad "$1, $hold: exit code $?: $(cat err)"
		took=$(sed -n 's/^simulated time: //p' out)
		[[ -n $took && ${first:=$took} == "$took" ]] ||
			bad "$1: $first as processes, $took as coroutines"
		grep -E '^(all fine|rank|deleted)' out | sort >lines
		diff - lines <<<"$3" || bad "$1, $hold: not so (left)"
	done
}
fine=$'all fine\nall fine\nall fine\nall fine'
mixed='deleted 0: 2
deleted 1: 1
deleted 2: 0
rank 0: place 1, sum 2, got 2 from 0, still a request: T
rank 1: place 1, sum 4, got 3 from 0, still a request: T
rank 2: place 0, sum 2, got 0 from 1, still a request: T
rank 3: place 0, sum 4, got 1 from 1, still a request: T'
tested=0
for family in openmpi mpich; do
	have mpif90.$family mpicc.$family || continue
	tested=1
	for way in MPIFH MPI F08; do
		mpif90.$family -w -fallow-argument-mismatch -D$way -o sentinels \
			"$SRC/tests/programs/live_sentinels.F90" ||
			{ bad "$family, $way: not built"; continue; }
		tried "$family $way" ./sentinels "$fine"
	done
	mpicc.$family -O1 -c -o mixed_c.o "$SRC/tests/programs/live_mixed.c" &&
		mpif90.$family -O1 -o mixed "$SRC/tests/programs/live_mixed.f90" mixed_c.o ||
		{ bad "$family: C and Fortran are not built"; continue; }
	tried "$family, C and Fortran" ./mixed "$mixed"
done
((tested)) || skip "no mpif90 of MPICH or Open MPI (Debian: libmpich-dev, libopenmpi-dev, gfortran)"
exit $failed
