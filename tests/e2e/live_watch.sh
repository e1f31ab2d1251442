#!/bin/bash
# parts: 8
# What is told of a program: loops that look for ever, leaks with --checks by the line, counts that
# do not fit; and what the computation of a rank's threads takes.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need mpicc.mpich:libmpich-dev
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
bad() { echo "$*"; failed=1; }
mpicc.mpich -g -O1 -pthread -o "$dir/watch" "$SRC/tests/programs/live_watch.c" || exit 1
run() { # ranks, mode, options
	local n=$1 mode=$2
	shift 2
	timeout 60 "$ORRERY" run -n "$n" -p graphene "$@" -- "$dir/watch" "$mode" >"$dir/out" \
		2>"$dir/err"
}
# the caller computes 20 ms, two threads 200 and 100: the longest; the caller; all shared by two
# cores
takes() { # from, to (ms), options
	local from=$1 to=$2
	shift 2
	run 1 "${kind:-threads}" --cfg computation/cpu-ratio:1 "$@" ||
		bad "threads: $(cat "$dir/err")"
	ms=$(sed -n 's/ ms$//p' "$dir/out")
	((ms >= from && ms <= to)) || bad "${kind:-threads} $*: $ms ms, $from to $to wanted"
}
threads() {
	takes 198 260
	kind=c11 takes 198 260
	takes 19 80 --threads caller
	takes 158 220 --threads 2
	run 1 threads --threads some && bad "--threads some is taken"
}
endless() {
	run 2 poll --computation none
	[[ $? == 1 ]] || bad "poll: exit code 1 wanted"
	grep -q "livelock: .*rank 0.*rank 1" "$dir/err" || bad "poll: $(cat "$dir/err")"
}
# A thread waits for one that waits for ever in MPI; and where that is only for long.
awaits() {
	run 2 await --computation none
	[[ $? == 1 ]] || bad "await: exit code 1 wanted"
	grep -q "deadlock of threads: .*rank 0.*rank 1" "$dir/err" || bad "await: $(cat "$dir/err")"
	run 2 late --computation none || bad "late: $(cat "$dir/err")"
	grep -qx "came" "$dir/out" || bad "late: $(cat "$dir/out")"
}
turns() {
	mpicc.mpich -g -O1 -w -o "$dir/watch" \
		"$SRC/tests/programs/live_turns.c" || exit 1
	run 2 work --computation none || bad "work between looks is no livelock: $(cat "$dir/err")"
}
# who looks between two pieces of work, beside one who works for long, is no livelock
pollers() {
	ways_to_hold
	"$ORRERY" cc -O1 -o "$dir/pollers" "$SRC/tests/programs/live_pollers.c" || exit 1
	for hold in "${holds[@]}"; do
		# 400,000 looks, and what processes do in a second
		[[ $hold == coroutines ]] && n=64 || n=8
		"$ORRERY" run -q -np $n -p graphene --computation none --hold $hold -- \
			"$dir/pollers" >"$dir/out" 2>"$dir/err" && grep -qx "came: 7" "$dir/out" ||
			bad "pollers, $hold: $(cat "$dir/err")"
	done
}
told() {
	run 2 leak --checks --computation none || bad "leak: $(cat "$dir/err")"
	grep -q "never received" "$dir/err" ||
		bad "leak: the message is not told: $(cat "$dir/err")"
	if grep -q "live_watch.c:" "$dir/err"; then # orrery has libdw
		grep -q "live_watch.c:80 (leak).*never received" "$dir/err" ||
			bad "the line of the message: $(cat "$dir/err")"
		grep -q "never freed: 2 communicators, made at live_watch.c:78, by 2 ranks" \
			"$dir/err" || bad "the line of the communicator: $(cat "$dir/err")"
	fi
	[[ $(grep -c "never freed" "$dir/err") == 1 ]] ||
		bad "what was never freed is not told once: $(cat "$dir/err")"
	run 4 counts --computation none
	[[ $? == 1 ]] || bad "counts: exit code 1 wanted"
	grep -q "rank [0-9] .*\(MPI_ERR_TRUNCATE\|truncated\)" "$dir/err" ||
		bad "counts: $(cat "$dir/err")"
}
# A rank that waits without a call in memory that it shares: it is told of, as it never ends; with
# sched_yield it does.
loops() {
	local hold i
	"$ORRERY" cc -g -O1 -o "$dir/loop" "$SRC/tests/programs/live_loop.c" || exit 1
	ways_to_hold
	loop=("$ORRERY" run -q -np 3 -p graphene --computation none --cfg run/told-after:4 --hold)
	for hold in "${holds[@]}"; do
		head -c 4096 /dev/zero >"$dir/shared"
		timeout 30 "${loop[@]}" $hold -- "$dir/loop" "$dir/shared" yield >"$dir/out" \
			2>"$dir/err" && grep -qx came "$dir/out" ||
			bad "loop, $hold, yield: $(cat "$dir/err")"
		[[ ! -s $dir/err ]] || bad "loop, $hold, yield: $(cat "$dir/err")"
	done
	head -c 4096 /dev/zero >"$dir/shared"
	"${loop[@]}" processes -- "$dir/loop" "$dir/shared" >/dev/null 2>"$dir/err" &
	for ((i = 0; i < 1000; i++)); do
		[[ ! -s $dir/err ]] || break
		sleep 0.1
	done
	kill -TERM $!
	wait
	grep "^orrery: rank 0 on graphene-0\..* has computed for [4-9] s without a call" \
		"$dir/err" | grep "rank 1 is in MPI_[BR]" | grep "rank 2 is in MPI_[BSF]" |
		grep -q "If it only computes, .*If it waits .*: call sched_yield in the loop" ||
		bad "loop: $(cat "$dir/err")"
}
# A rank that waits in its window's memory without a call: it is told of, as it never ends.
keeps() {
	local hold made i
	"$ORRERY" cc -g -O1 -o "$dir/turn" "$SRC/tests/programs/live_turn.c" || exit 1
	ways_to_hold
	for hold in "${holds[@]}"; do
		timeout 30 "$ORRERY" run -q -np 2 -p graphene --computation none --hold $hold -- \
			"$dir/turn" sync >"$dir/out" 2>"$dir/err" && grep -qx came "$dir/out" ||
			bad "turn, $hold, sync: $(cat "$dir/err")"
		[[ ! -s $dir/err ]] || bad "turn, $hold, sync: $(cat "$dir/err")"
		"$ORRERY" run -q -np 2 -p graphene --computation none --cfg run/told-after:9 \
			--hold $hold -- "$dir/turn" >/dev/null 2>"$dir/err.$hold" &
	done
	for hold in "${holds[@]}"; do
		for ((i = 0; i < 600; i++)); do
			[[ ! -s $dir/err.$hold ]] || break
			sleep 0.1
		done
	done
	# shellcheck disable=SC2046 # words
	kill -TERM $(jobs -p)
	wait
	for hold in "${holds[@]}"; do
		made="by its call [0-9]* of MPI"
		[[ $hold == coroutines ]] || made="\($made\|at \(live_turn.c:14\|.*turn+0x\)\)"
		grep "^orrery: rank 0 on graphene-0\..* has computed for [3-9] s without a call" \
			"$dir/err.$hold" | grep "it has 1 window, the last one made $made" |
			grep -q ": call MPI_Win_sync in the loop" ||
			bad "turn, $hold: $(cat "$dir/err.$hold")"
	done
}
# A rank that waits for another one past MPI: a process gets what it waits for; of coroutines it is
# told that they sleep.
asleep() {
	local pipe i
	ways_to_hold
	"$ORRERY" cc -O1 -o "$dir/asleep" "$SRC/tests/programs/live_asleep.c" || exit 1
	mkfifo "$dir/fifo" && exec {pipe}<>"$dir/fifo"
	timeout 30 "$ORRERY" run -q -np 2 -p graphene --computation none --hold processes -- \
		"$dir/asleep" $pipe $pipe >"$dir/out" 2>&1 && grep -qx came "$dir/out" ||
		bad "asleep, processes: $(cat "$dir/out")"
	[[ ${holds[*]} == *coroutines* ]] || return
	"$ORRERY" run -q -np 2 -p graphene --computation none --hold coroutines -- "$dir/asleep" \
		$pipe $pipe >/dev/null 2>"$dir/err" &
	for ((i = 0; i < 600; i++)); do
		[[ ! -s $dir/err ]] || break
		sleep 0.1
	done
	kill -TERM $!
	wait
	grep -q "^orrery: the process of all ranks ([0-9]*) has slept for 5 s" "$dir/err" ||
		bad "asleep: $(cat "$dir/err")"
}
mine 1 && threads
mine 2 && endless
mine 7 && awaits
mine 3 && told
mine 3 && pollers
mine 8 && turns
mine 4 && keeps
mine 5 && asleep
mine 6 && loops
exit $failed
