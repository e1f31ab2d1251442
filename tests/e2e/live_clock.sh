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
	slept 5.000, clocks apart 0
	polled
	got 5
	alarm 1 after 2.000, 3 left
	alarm 3 after 3.000
	every 2 s, 2 left
	0 left of an ignored one
	END
	time=$(tail -1 "$dir/out" | cut -d' ' -f3)
	awk -v t="$time" 'BEGIN { exit !(t >= 12.01 && t < 12.1) }' ||
		{ echo "$kind: simulated time $time"; exit 1; }
done
# where computation is measured a reading of the clock does not ask the simulator each time: that
# would take longer than what is measured
"$ORRERY" run -n 1 -p graphene --host-speed 1e9 -- "$dir/clock" reads >"$dir/out" 2>&1
grep -qx "0 readings went back, time passed" "$dir/out" ||
	{ echo "reads: $(cat "$dir/out")"; exit 1; }
asked=$(grep -o '^[0-9]* actions' "$dir/out" | cut -d' ' -f1)
((asked < 5000)) || { echo "20000 readings of the clock: $asked questions"; exit 1; }
# where it is not, the k-th reading in a row takes floor(k / 64) * 1e-7 s: 20000 of them take 0.3115
# s; the loop that waits takes 0.01 s. Of 5.3 s, with the sleeps, that is told
"$ORRERY" run -n 1 -p graphene --computation none -- "$dir/clock" reads >"$dir/out" 2>&1
told=$(sed -n "s/^orrery: readings of clocks took \([0-9.]*\) s, [0-9]* % of .*/\1/p" "$dir/out")
awk -v t="${told:-0}" 'BEGIN { exit !(t > 0.3205 && t < 0.3225) }' ||
	{ echo "20000 readings without computation: $(cat "$dir/out")"; exit 1; }
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
