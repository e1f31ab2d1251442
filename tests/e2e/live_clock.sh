#!/bin/bash
# A simulated program's clocks and sleeps: five simulated seconds in a moment, and loops that poll
# come to an end.
set -e
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
mpicc=$(command -v mpicc.mpich || command -v mpicc.openmpi) ||
	skip "no mpicc of MPICH or Open MPI (Debian: libmpich-dev libopenmpi-dev)"
"$mpicc" -O1 -o "$dir/clock" "$SRC/tests/programs/live_clock.c"
for kind in none measured; do
	"$ORRERY" run -q -n 1 -p graphene --computation $kind -- "$dir/clock" alarms >"$dir/out"
	diff <(head -7 "$dir/out") - <<-END
	slept 5.00, clocks apart 0
	polled
	got 5
	alarm 1 after 2.00, 3 left
	alarm 3 after 3.00
	every 2 s, 2 left
	0 left of an ignored one
	END
	time=$(tail -1 "$dir/out" | cut -d' ' -f3)
	awk -v t="$time" 'BEGIN { exit !(t >= 12.01 && t < 12.1) }' ||
		{ echo "$kind: simulated time $time"; exit 1; }
done
# time-outs of what waits for nothing, and clocks that few read
ways_to_hold
for hold in "${holds[@]}"; do
	"$ORRERY" run -q -n 1 -p graphene --computation none --hold $hold -- "$dir/clock" pauses \
		>"$dir/out" || { echo "pauses: $?"; exit 1; }
	diff <(sed -n 4,16p "$dir/out") - <<-END
	ppoll 0.500
	ppoll with a mask 1.000
	select 1.500
	pselect 2.000
	thrd_sleep 2.500
	epoll_wait 3.000
	epoll_pwait 3.500
	sigtimedwait 4.000
	poll of a pipe 4.100
	select of a pipe 4.200
	epoll_wait of a pipe 4.300
	what has come 4.300
	ftime 10, times 10.0
	END
done
# a thread beside the rank's, whose time-outs expire: not where its threads go by turns, which the
# loop that waits for it would never let it have
"$ORRERY" run -q -n 1 -p graphene --computation none -- "$dir/clock" watched >"$dir/out" ||
	{ echo "watched: $?"; exit 1; }
grep -qx "watched 0.000" "$dir/out" || { echo "watched: $(cat "$dir/out")"; exit 1; }
# where computation is measured a reading of the clock does not ask the simulator each time: that
# would take longer than what is measured
"$ORRERY" run -n 1 -p graphene --host-speed 1e9 -- "$dir/clock" reads >"$dir/out" 2>&1
grep -qx "0 readings went back, time passed" "$dir/out" ||
	{ echo "reads: $(cat "$dir/out")"; exit 1; }
asked=$(grep -o '^[0-9]* actions' "$dir/out" | cut -d' ' -f1)
((asked < 5000)) || { echo "20000 readings of the clock: $asked questions"; exit 1; }
# where it is not, each reading in a row after the 64th takes 1e-7 s, and no more however many they
# are; the simulator is not asked each time, and who is sent the last date does not have it before
# that. 20000 readings and a wait of 0.01 s are
# a four-hundredth of a run of five seconds, which is not told
"$mpicc" -O1 -o "$dir/readings" "$SRC/tests/programs/live_readings.c"
for n in 64 1000 200000; do
	"$ORRERY" run -n 2 -p graphene --computation none --trace "$dir/readings.$n" -- \
		"$dir/readings" $n >"$dir/out" 2>&1
	read -r passed back < <(sed -n 's/^passed \([0-9]*\), back /\1 /p' "$dir/out")
	((passed <= n && passed >= n - 66 && back == 0)) &&
		grep -qx "sent before it came: yes" "$dir/out" ||
		{ echo "$n readings: $(cat "$dir/out")"; exit 1; }
	diff <(grep "^simulated" "$dir/out") \
		<("$ORRERY" replay -q -p graphene "$dir/readings.$n" | grep "^simulated") ||
		{ echo "$n readings: their replay takes another time"; exit 1; }
done
asked=$(grep -o '^[0-9]* actions' "$dir/out" | cut -d' ' -f1)
((asked < 1000)) || { echo "200000 readings of the clock: $asked questions"; exit 1; }
told=$(sed -n "s/^orrery: readings of clocks took \([0-9.]*\) s, [0-9]* % of .*/\1/p" "$dir/out")
awk -v t="${told:-0}" 'BEGIN { exit !(t > 0.01998 && t < 0.02001) }' ||
	{ echo "200000 readings without computation: $(cat "$dir/out")"; exit 1; }
# a loop that waits a second for a date: the 63 readings that take nothing, and ten million tenths
# of a microsecond; a timer rings in it at its date
ways_to_hold
for kind in MPI_Wtime gettimeofday clock_gettime; do
	for hold in "${holds[@]}"; do
		"$ORRERY" run -q -n 1 -p graphene --computation none --hold $hold -- \
			"$dir/readings" until $kind >"$dir/out" || { echo "until: $?"; exit 1; }
		[[ $(head -1 "$dir/out") =~ ^"waited 1.000000 in 1000006"[0-9]" readings, rang \
after 0.500000"$ ]] ||
			{ echo "$kind, $hold: $(head -1 "$dir/out")"; exit 1; }
	done
done
# smpi/wtime: a reading takes so long, after it has been made; with compat 10 ns, SimGrid's default,
# unless told: 999 of 1000 readings are before the last
reads_pass() { # tenths of a microsecond, settings…
	"$ORRERY" run -q -n 1 -p graphene --computation none "${@:2}" -- "$dir/readings" 1000 \
		>"$dir/out"
	grep -qx "passed $1, back 0" "$dir/out" || { echo "$*: $(cat "$dir/out")"; exit 1; }
}
reads_pass 99900 --cfg smpi/wtime:1e-5
reads_pass 100 --cfg compat:simgrid-3.32
reads_pass 9990 --cfg compat:simgrid-3.32 --cfg smpi/wtime:1e-6
"$ORRERY" run -n 1 -p graphene --computation none -- "$dir/clock" reads >"$dir/out" 2>&1
grep "readings of clocks" "$dir/out" && { echo "a four-hundredth of the run is told"; exit 1; }
# who looks into its own window until something is there lets time pass; the replay of its trace
# takes as long
"$mpicc" -O1 -w -o "$dir/looks" "$SRC/tests/programs/live_looks.c"
timeout 8 "$ORRERY" run -q -n 2 -p graphene --computation none --trace "$dir/trace" -- \
	"$dir/looks" >"$dir/out" || { echo "looks: exit code $?"; exit 1; }
for how in 0 1 2; do
	grep -qx "seen $how: 1" "$dir/out" || { echo "looks: $(cat "$dir/out")"; exit 1; }
done
diff <(grep "^simulated" "$dir/out") \
	<("$ORRERY" replay -q -p graphene "$dir/trace" | grep "^simulated") ||
	{ echo "looks: its replay takes another time"; exit 1; }
# waits for other threads until a date
"$mpicc" -O1 -pthread -o "$dir/waits" "$SRC/tests/programs/live_waits.c"
ways_to_hold
for hold in "${holds[@]}"; do
	how="$hold -- $dir/waits"
	[[ $hold == coroutines ]] || how+=" threads"
	# shellcheck disable=SC2086
	timeout 8 "$ORRERY" run -q -n 2 -p graphene --computation none --hold $how \
		>"$dir/out" 2>&1 || { echo "waits, $how: exit code $?"; cat "$dir/out"; exit 1; }
	(($(grep -cx "waits: all right" "$dir/out") == 2)) ||
		{ echo "waits, $how: $(cat "$dir/out")"; exit 1; }
done
