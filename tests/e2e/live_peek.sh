#!/bin/bash
# What a request received is in the program's buffer once MPI_Request_get_status says that it is
# complete, and is not written again when it is completed: receives, persistent and partitioned
# ones, collectives. The real library says the same of the program.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need_live
scratch
ways_to_hold
fine=$'all fine\nall fine\nall fine\nall fine'
tested=0
for family in openmpi mpich; do
	have mpicc.$family || continue
	tested=1
	mpicc.$family -O1 -w -o peek "$SRC/tests/programs/live_peek.c" || exit 1
	for hold in "${holds[@]}"; do
		timeout 30 "$ORRERY" run -q -np 4 -p graphene --computation none --hold $hold \
			-- ./peek >out 2>err || bad "$family, $hold: exit code $?: $(cat err)"
		grep -E '^(all fine|rank)' out | diff - <(echo "$fine") ||
			bad "$family, $hold: not so (left)"
	done
done
((tested)) || skip "no mpicc.openmpi, mpicc.mpich (Debian: libopenmpi-dev libmpich-dev)"
exit $failed
