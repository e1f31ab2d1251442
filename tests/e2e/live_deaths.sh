#!/bin/bash
# Every way a rank can die ends the simulation with a message that names rank and cause, exit code
# 1, and leaves no process.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
mpicc=$(command -v mpicc.mpich || command -v mpicc.openmpi) ||
	skip "no mpicc of MPICH or Open MPI (Debian: libmpich-dev libopenmpi-dev)"
"$mpicc" -g -O1 -o "$dir/deaths" "$SRC/tests/programs/live_deaths.c" || exit 1
failed=0
ulimit -s 8192
bad() { echo "$*"; failed=1; }
left() { pgrep -f "^$dir/deaths" >/dev/null; }
dies() { # how, expected text, options
	timeout 20 "$ORRERY" run -q -n 4 -p graphene --computation none "${@:3}" -- \
		"$dir/deaths" "$1" >"$dir/out" 2>"$dir/err"
	code=$?
	[[ $code == 1 ]] || bad "$1: exit code $code, 1 wanted"
	grep -q "$2" "$dir/err" || bad "$1: '$2' wanted, got: $(cat "$dir/err")"
	left && bad "$1: a process is left"
}
lives() { # how, options
	timeout 20 "$ORRERY" run -q -n 4 -p graphene --computation none "${@:2}" -- \
		"$dir/deaths" "$1" >"$dir/out" 2>"$dir/err" || bad "$1: $(cat "$dir/err")"
	left && bad "$1: a process is left"
}
dies exit "rank 1 on graphene-1.*exited with code 0 without MPI_Finalize"
dies exit3 "rank 1 .*exited with code 3 without MPI_Finalize"
dies crash "rank 1 .*signal 11.*without MPI_Finalize"
dies wild "rank 1 .*signal 11.*without MPI_Finalize"
dies stack "rank 1 .*overflowed its stack of 8192 KiB (ulimit -s.*without MPI_Finalize"
(ulimit -s 1024 && dies stack "overflowed its stack of 1024 KiB"; exit $failed) || failed=1
dies early "rank [0-3] .*signal 11.*before MPI_Init"
grep -q "no rank called" "$dir/err" && bad "early: what it did not call is told, too"
dies kill "rank 1 .*signal 9.*without MPI_Finalize"
dies abort "rank 1 .*signal 6.*without MPI_Finalize"
dies exec "rank 1 .*exited with code 0 without MPI_Finalize"
dies mpi "rank 1 .*MPI_Abort with code 7$"
ways_to_hold
# where: with libdw, and without; not of a signal that was sent
place='\(live_deaths.c:[0-9]* (\|.*deaths+0x\)'
for hold in "${holds[@]}"; do
	dies wild "(Segmentation fault) at $place" --hold $hold
	dies call "(Segmentation fault) in what $place.* called without" --hold $hold
	for what in given listed get; do
		dies $what "(Segmentation fault) in the call of MPI at $place.* no memory" \
			--hold $hold
	done
	dies trap "signal [45] ([A-Za-z/ ]*) at $place" --hold $hold
	dies crash "(Segmentation fault) without" --hold $hold
	dies handled "signal 6 (Aborted) without" --hold $hold
done
# the simulator waits for an operator; where nobody else has a part in it, real libraries copy by a
# message, as DTCMP does
for hold in "${holds[@]}"; do
	dies operator-ends "rank [0-3] .*MPI_Abort with code 7$" --hold $hold
	dies operator-meets "rank [0-3] .*communicates within an operator of its own" --hold $hold
	dies operator-sends "rank [0-3] .*communicates within an operator of its own" --hold $hold
	lives operator-copies --hold $hold
done
dies truncate "rank 1 .*MPI_ERR_TRUNCATE"
dies deadlock "deadlock at .*4 of 4 ranks"
grep -q 'MPI_Recv since .* s, \(live_deaths.c:[0-9]* (\|.*deaths+0x\)' "$dir/err" ||
	bad "deadlock: no place of the call: $(cat "$dir/err")"
dies late "rank 1 .*exited with code 4 after MPI_Finalize"
dies after "rank 1 calls MPI after MPI_Finalize"
lives close
lives fork
lives child
grep -q "a child of rank 1 calls MPI" "$dir/err" || bad "child: $(cat "$dir/err")"
lives none
# nobody reads what ranks write: as any program ends, and nothing is wrong
for hold in "${holds[@]}"; do
	for output in "" "--rank-output prefix"; do
		timeout 20 "$ORRERY" run -q -n 4 -p graphene --computation none --hold $hold \
			$output -- "$dir/deaths" write 2>"$dir/err" | head -1 >"$dir/out"
		code=${PIPESTATUS[0]}
		[[ $code == 141 && ! -s $dir/err ]] ||
			bad "no reader, $hold $output: exit code $code: $(cat "$dir/err")"
		grep -q "a line" "$dir/out" || bad "no reader, $hold $output: $(cat "$dir/out")"
		left && bad "no reader, $hold $output: a process is left"
	done
done
# of another pipe it is told; who wants no signal gets none
for hold in "${holds[@]}"; do
	dies pipe "rank 1 .*signal 13.*without MPI_Finalize" --hold $hold
	lives pipe0 --hold $hold
	grep -q "a pipe: Broken pipe" "$dir/err" || bad "pipe0, $hold: $(cat "$dir/err")"
done
# a rank that is stopped is waited for, which is told, quiet or not; who does what is told ends that
set -m # in a group of its own: in one that nobody controls a terminal stops none
for hold in "${holds[@]}"; do
	for how in stop:19 stop-tty:21 stop-late:19; do
		: >"$dir/err" # the shell that opens it anew may come late
		timeout 20 "$ORRERY" run -q -n 4 -p graphene --computation none --hold $hold -- \
			"$dir/deaths" "${how%:*}" >"$dir/out" 2>"$dir/err" &
		run=$!
		told=
		until [[ $told ]] || ! kill -0 $run 2>/dev/null; do
			sleep 0.05
			told=$(grep "^orrery: rank 1 on graphene-1.* stopped by signal ${how#*:} " \
				"$dir/err" | grep -o "kill -CONT [0-9]*")
		done
		sleep 0.3 # it is told once
		[[ $told ]] && kill -CONT "${told##* }"
		wait $run || bad "$how, $hold: exit code $?: $(cat "$dir/err")"
		[[ $(grep -c . "$dir/err") == 1 ]] || bad "$how, $hold: $(cat "$dir/err")"
	done
done
set +m
# the simulator itself is killed
"$ORRERY" run -q -n 4 -p graphene -- "$dir/deaths" hang >/dev/null 2>&1 &
pid=$!
for _ in $(seq 50); do
	[[ $(pgrep -fc "^$dir/deaths") == 4 ]] && break
	sleep 0.1
done
sleep 0.3
kill -9 $pid
wait $pid 2>/dev/null
for _ in $(seq 50); do
	left || break
	sleep 0.1
done
left && bad "the simulator was killed, and a rank lives on"
exit $failed
