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
