#!/bin/bash
# `orrery run` is told to end in the middle of the program (Ctrl-C, a batch system), or its
# simulator is killed: the trace of what the ranks did until then is there, as a partial one, in the
# place of the one that was there before; what is written at the end only is said not to be; and
# nothing is left beside.
. "$(dirname "$0")/tracer.bash"
cd "$tmp" || exit 1
family=${families[0]}
mpicc.$family -w -O1 -o cut "$SRC/tests/programs/live_cut.c" || exit 1
mpicc.$family -w -O1 -o ring "$SRC/examples/ring.c" || exit 1

# The process that simulates: below the keeper, which is below orrery.
below() { cat "/proc/$1/task/$1/children"; }
simulator() {
	local keeper
	read -r keeper < <(below "$1")
	below "$keeper"
}

# ended SIGNAL CODE HOLD [simulator]
ended() {
	local what="SIG$1 $3 ${4:-}" pid code
	"$ORRERY" run -q -n 4 -p graphene -t t -f -- ./ring >/dev/null || bad "$what: before"
	"$ORRERY" run -n 4 -p graphene --hold "$3" -t t -f -o run.rec --csv run.csv -- ./cut \
		>out 2>err &
	pid=$!
	until grep -qs "under way" out || ! kill -0 $pid 2>/dev/null; do sleep 0.05; done
	if [[ ${4:-} ]]; then kill -"$1" $(simulator $pid); else kill -"$1" $pid; fi
	wait $pid 2>/dev/null
	code=$?
	same "$what: exit code" "$2" "$code"
	has "$what" err "/t: 4 ranks, "
	has "$what" err "the trace is incomplete: no end of rank 0, 1, 2, 3"
	has "$what" err "run.csv is not written"
	has "$what" err "run.rec is not written"
	same "$what: left" "cut err out ring t" "$(echo $(ls -A))"
	"$ORRERY" replay t -p graphene >replayed 2>&1 || bad "$what: $(cat replayed)"
	has "$what" replayed "by an unknown amount"
	"$ORRERY" info t >told 2>&1 || bad "$what: $(cat told)"
	[[ $(grep -c allreduce t/rank-0.tit) -ge 100 ]] || bad "$what: what was done is not there"
	rm -rf t out err replayed told
}
ways_to_hold
ended INT 130 processes
ended TERM 143 "${holds[-1]}"
ended KILL 3 processes simulator
# Before MPI_Init: nothing is said of a launcher, as there is none.
"$ORRERY" run -n 2 -p graphene -t t -- sh -c 'echo under way; exec sleep 60' >out 2>err &
pid=$!
until grep -qs "under way" out || ! kill -0 $pid 2>/dev/null; do sleep 0.05; done
kill $pid
wait $pid 2>/dev/null
same "before MPI_Init: exit code" 143 $?
has "before MPI_Init" err "no rank wrote a trace to $tmp/t: none came to MPI_Init before"
exit $failed
