#!/bin/bash
# What failing calls of MPI return, and whose error handler they call
# (tests/programs/live_errors.c), with the standard's interface and those of both families, by
# processes and coroutines.
. "$SRC/tests/need.bash"
need_live
ways_to_hold
scratch
src=$SRC/tests/programs/live_errors.c
"$ORRERY" cc -w -g -O1 -o standard "$src" || exit 1
for mpi in mpich openmpi; do
	have mpicc.$mpi && { mpicc.$mpi -w -g -O1 -o $mpi "$src" || exit 1; }
done
for program in standard mpich openmpi; do
	[[ -x $program ]] || continue
	for hold in "${holds[@]}"; do
		mkdir files
		"$ORRERY" run -q -np 2 -p graphene --computation none --hold "$hold" -- \
			"./$program" files >out 2>err </dev/null
		[[ $? == 0 && $(head -1 out) == fine ]] ||
			bad "$program, $hold: $(cat out err)"
		"$ORRERY" run -q --checks -np 2 -p graphene --computation none --hold "$hold" -- \
			"./$program" files checks >out 2>err </dev/null
		[[ $? == 0 && $(head -1 out) == fine ]] ||
			bad "$program, $hold, checks: $(cat out err)"
		rm -r files
	done
done
exit $failed
