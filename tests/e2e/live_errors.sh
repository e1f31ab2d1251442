#!/bin/bash
# What failing calls of MPI return, and whose error handler they call
# (tests/programs/live_errors.c), with the standard's interface and those of both families, by
# processes and coroutines; and what C++ hears of them (tests/programs/live_thrown.cc): MPI_ERR_RANK
# is 6 in both, and a handler adds 100 times the size of the communicator. Then attributes: one copy
# of an intracommunicator's (1) and of a Cartesian one's (10), and twice that deleted.
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
# thrown FAMILY: each error is caught (or, of Open MPI, told by its code), or heard.
thrown() {
	mpicxx.$1 -w -g -O1 -o thrown "$SRC/tests/programs/live_thrown.cc" || exit 1
	for hold in "${holds[@]}"; do
		local line told="6 6"
		[[ $1-$hold == openmpi-coroutines ]] && told="0 0" # docs/run.md
		"$ORRERY" run -q -np 4 -p graphene --computation none --hold "$hold" -- ./thrown \
			>out 2>err </dev/null || bad "C++, $1, $hold: $(cat err)"
		for rank in 0 1 2 3; do
			line="$rank: 1 $told 602 6 11 22"
			grep -qx "$line" out || bad "C++, $1, $hold: no '$line' in: $(cat out)"
		done
	done
}
for mpi in mpich openmpi; do
	have mpicxx.$mpi && thrown $mpi
done
exit $failed
