#!/bin/bash
# A simulated program's clocks and sleeps: five simulated seconds in a moment, and loops that poll come to an end.
set -e
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
mpicc=$(command -v mpicc.mpich || command -v mpicc.openmpi) || skip "no mpicc of MPICH or Open MPI (Debian: libmpich-dev libopenmpi-dev)"
"$mpicc" -O1 -o "$dir/clock" "$SRC/tests/programs/live_clock.c"
for kind in none measured; do
	"$ORRERY" run -q -n 1 -p graphene --computation $kind -- "$dir/clock" >"$dir/out"
	diff <(head -3 "$dir/out") - <<-END
	slept 5.000, clocks apart 0
	polled
	got 5
	END
	time=$(tail -1 "$dir/out" | cut -d' ' -f3)
	awk -v t="$time" 'BEGIN { exit !(t >= 5.01 && t < 5.1) }' || { echo "$kind: simulated time $time"; exit 1; }
done
