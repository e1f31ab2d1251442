#!/bin/bash
# Programs that poll end, and at the date at which a wait would end: by MPI_Request_get_status, by
# MPI_Iprobe between pieces of work, on their own memory while a window is locked without a check.
# Looks that a program makes between its sends take 0.1 us each, in the run and in its trace. A call
# that has waited for long before takes few looks.
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
		# 20 ms, the n-th look n x 0.1 us: 632. By now it is known how long that call waits:
		# 1 to 8 units, 16 to 2^13, then 2^14 each: 30 looks. By the clock they are 141, as
		# if nothing were known; that row gave up. A thousand in vain: 141 of one unit and
		# 16,404 + 16 x 2^14 + 825 x 826 / 2, and give up: the next take one unit each
		"$ORRERY" run -q -np 2 -p graphene --computation none --hold $hold -t looks -f \
			-- "./polls.$family" waits >out 2>&1 || bad "$family, $hold: $(cat out)"
		sed -n 's/^looks //p' out | awk -v n="632 30 141 1000 1030" \
			-v ms="20 20 1 61.93 20" '{ split(n, looks, " "); split(ms, time, " ") }
			$1 > looks[NR] * 1.02 + 1 || $1 < looks[NR] * 0.98 - 1 ||
			$2 > time[NR] * 1.01 + 0.1 || $2 < time[NR] * 0.99 { wrong = 1 }
			END { exit wrong || NR != 5 }' || bad "$family, $hold: $(grep looks out)"
		on=$(sed -n 's/^simulated time: //p' out)
		off=$("$ORRERY" replay -q -p graphene looks | sed -n 's/^simulated time: //p')
		[[ $on && $on == "$off" ]] || bad "$family, $hold: $on, from the trace $off"
	done
done
[[ $mpi ]] || skip "no mpicc.openmpi, mpicc.mpich (Debian: libopenmpi-dev libmpich-dev)"
exit "$failed"
