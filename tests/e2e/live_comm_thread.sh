#!/bin/bash
# A thread that communicates while the first one computes, where computation is measured: what both
# do at once takes as long as the longer of them. It took half as much again.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need_live
scratch
mpicc=$(command -v mpicc.mpich || command -v mpicc.openmpi) ||
	skip "no mpicc of MPICH or Open MPI (Debian: libmpich-dev libopenmpi-dev)"
"$mpicc" -O1 -w -pthread -o comm "$SRC/tests/programs/live_comm_thread.c" || exit 2
run() { # WORD
	timeout 60 "$ORRERY" run -q -n 2 -p graphene --hold processes -- ./comm "$1" 2>err |
		grep -x '[0-9.]*' || bad "$1: $(cat err)"
}
alone=$(run alone)
for word in waits looks; do
	both=$(run $word)
	awk -v both="$both" -v alone="$alone" 'BEGIN { exit !(both > 0.98 * alone &&
		both < 1.35 * alone) }' || bad "$word: $both s, $alone without the thread"
done
# looks of all kinds beside calls of the first thread, which has its turn: it never had, which was
# called a livelock
"$mpicc" -O1 -w -pthread -o poller "$SRC/tests/programs/live_poller.c" || exit 2
for computation in none measured; do # none: its looks pass beside computation
	[[ $computation == none ]] && most=100 || most=2
	for way in alone ""; do
		timeout 60 "$ORRERY" run -q -n 2 -p graphene --hold processes \
			--computation $computation -- ./poller $way >all 2>err ||
			bad "poller, $computation: $(cat err)"
		head -1 all >"out$way"
	done
	awk -v most=$most 'NR == 1 { alone = $1 }
		END { exit !($1 > 0.95 * alone && $1 < most * alone) }' outalone out ||
		bad "poller, $computation: $(cat out) s, $(cat outalone) without the thread"
done
exit $failed
