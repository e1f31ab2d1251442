#!/bin/bash
# Threads that sleep beside the first of a rank: the rank's time goes by what the others do, and by
# a sleep only where nobody does anything else.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need_live
scratch
mpicc=$(command -v mpicc.mpich || command -v mpicc.openmpi) ||
	skip "no mpicc of MPICH or Open MPI (Debian: libmpich-dev libopenmpi-dev)"
"$mpicc" -O1 -w -pthread -o sleepers "$SRC/tests/programs/live_sleepers.c" || exit 2
run() { # WORD COMPUTATION: what it prints
	local ranks=1
	[[ $1 != received ]] || ranks=2
	timeout 20 "$ORRERY" run -q -n $ranks -p graphene --hold processes --computation "$2" \
		-- ./sleepers "$1" 2>err | grep '^[0-9]*\.[0-9]\{6\}\b\|^[a-z]*$'
	[[ ${PIPESTATUS[0]} == 0 ]] || bad "$*: $(cat err)" >&2 # else it is a line of its answer
}
takes() { # WORD COMPUTATION FROM TO...: seconds, of each line
	local word=$1 computation=$2 lines
	shift 2
	mapfile -t lines < <(run "$word" "$computation")
	[[ ${#lines[@]} == $(($# / 2)) ]] || bad "$word, $computation: ${lines[*]}"
	for line in "${lines[@]}"; do
		awk -v t="$line" -v from="$1" -v to="$2" \
			'BEGIN { exit !(t + 0 >= from && t + 0 <= to) }' ||
			bad "$word, $computation: $line s, not from $1 to $2"
		shift 2
	done
}
takes nobody none 0 0
# 1,000 allreduces beside a thread that looks every 50 ms
takes watched none 0 0
takes watched measured 0 0.04
# 0.4 s of computation beside it, which takes no time
takes busy none 0 0
for computation in none measured; do
	takes joined $computation 5 5.01
	takes two $computation 2.999999 3.01 5 5.01 # 30 of 0.1 s beside 10 of 0.5 s
	takes both $computation 1 1.01
	takes sends $computation 1 1.01
	takes timed $computation 1 1.01 10 10.01 # a wait of 1 s beside a sleep of 10
	takes left $computation 0 0.04
done
# a thread that computes for 0.2 s, and the first looks every 0.1 ms whether it has ended: not in
# the 2 s that as many sleeps as there is time for would take
takes works none 0.0001 0.3
[[ $(run woken none | head -1) == interrupted ]] || bad "a signal ends no sleep: $(cat err)"
takes cancelled none 0 3600
# a sleep of 0.3 s beside a thread that waits in MPI until another rank has computed for 0.6:
# what it takes beyond that
takes received measured 0 0.1
exit $failed
