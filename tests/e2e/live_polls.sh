#!/bin/bash
# Programs that poll end, and at the date at which a wait would end: by MPI_Request_get_status, by
# MPI_Iprobe between pieces of work, on their own memory while a window is locked without a check.
# Looks that a program makes between its sends take 0.1 us each, in the run and in its trace.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need_live
scratch
mpi=
for family in openmpi mpich; do
	have "mpicc.$family" || continue
	mpi+=" $family"
	"mpicc.$family" -O1 -o "polls.$family" "$SRC/tests/programs/live_polls.c" || exit 1
	ways_to_hold
	for hold in "${holds[@]}"; do
		"$ORRERY" run -q -np 2 -p graphene --computation none --hold $hold \
			-- "./polls.$family" >out 2>err ||
			{ bad "$family, $hold: $(cat err)"; continue; }
		# the thousand sleeps take 5 ms, 100 ms, a look 0.1 us
		sed -nE 's/^(between 0) 10[0-2] ms/\1 100 ms/; s/^(event 1) 11 /\1 10 /; / ms$/p' \
			out >got
		printf '%s\n' "status 7 1000 ms" "brief 0 5 ms" "between 0 100 ms" \
			"event 1 10 ms" | diff - got ||
			bad "$family, $hold: not as the sleeps say (left)"
		# 400 rows of 99 naps of 0.1 us (the first look after news takes none): 3.96 ms,
		# and the first row, before it has shown what it is, n x 0.1 us: 0.5 ms in all
		"$ORRERY" run -q -np 2 -p graphene --computation none --hold $hold -t rows -f \
			-- "./polls.$family" alone >out 2>&1 || bad "$family, $hold: $(cat out)"
		grep -qx "rows 400 4 ms" out ||
			bad "$family, $hold: $(grep rows out)"
		on=$(sed -n 's/^simulated time: //p' out)
		off=$("$ORRERY" replay -q -p graphene rows | sed -n 's/^simulated time: //p')
		[[ $on && $on == "$off" ]] || bad "$family, $hold: $on, from the trace $off"
	done
done
[[ $mpi ]] || skip "no mpicc.openmpi, mpicc.mpich (Debian: libopenmpi-dev libmpich-dev)"
exit "$failed"
