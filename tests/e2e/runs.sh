#!/bin/bash
# orrery replay --runs: nothing random without it; with it, the same seeds give the same times, whatever the number of processes, and each is that
# of its seed alone; the spread of a sum of independent computations is the one that probability theory says.
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
same() { [ "$2" = "$3" ] || { echo "$1: expected '$2', got '$3'"; failed=1; }; }
cat >"$tmp/m.xml" <<'END'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
	<config><prop id="noise/compute" value="0:1:1:0.1"/></config>
	<cluster id="c" prefix="h" suffix="" radical="0-1" speed="1Gf" bw="1GBps" lat="1us"/>
</platform>
END
# 100 computations of 0.01 s on one rank, with a deviation of 10 % each: 1 s, deviation 0.01 * 0.1 * sqrt(100) = 0.01 s
for i in $(seq 100); do echo "0 compute 1e7"; echo "0 barrier"; done >"$tmp/one.trace"
run() { "$ORRERY" replay -q "$tmp/one.trace" -p "$tmp/m.xml" "$@"; }
last() { tail -1 | awk '{ print $3 }'; }
same "no runs: no noise" 1.000000000 "$(run | last)"
run --runs 40 --seed 3 --json >"$tmp/a" || exit 1
taskset -c 0 "$ORRERY" replay -q "$tmp/one.trace" -p "$tmp/m.xml" --runs 40 --seed 3 --json >"$tmp/b"
same "repeated, on one processor" "$(cat "$tmp/a")" "$(cat "$tmp/b")"
run --runs 40 --seed 4 --json >"$tmp/b"
[ "$(cat "$tmp/a")" != "$(cat "$tmp/b")" ] || { echo "another seed gives the same"; failed=1; }
for seed in 3 20 42; do # each run is in the list
	t=$(run --cfg noise/seed:$seed --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["simulated_time"])')
	python3 -c 'import json, sys; sys.exit(float(sys.argv[2]) not in json.load(open(sys.argv[1]))["times"])' "$tmp/a" "$t" ||
		{ echo "the run with seed $seed is not among the runs"; failed=1; }
done
python3 - "$tmp/a" <<'END' || failed=1
import json, math, sys
r = json.load(open(sys.argv[1]))
mean, sd, n = r["simulated_time"], r["deviation"], r["runs"]
assert abs(mean - 1) < 4 * 0.01 / math.sqrt(n), mean            # four standard errors
assert 0.01 * 0.6 < sd < 0.01 * 1.5, sd                         # chi-square of 39, 1 in 1000 at each end
assert abs(r["mean_95"] - 2.0227 * sd / math.sqrt(n)) < 1e-4 * sd   # t(0.975) of 39 degrees: 2.0227
assert r["low_95"] < r["quantiles"]["0.05"] < r["quantiles"]["0.50"] < r["high_95"]
END
"$ORRERY" replay -q "$tmp/one.trace" -p "$tmp/m.xml" --runs 3 --profile >/dev/null 2>&1
same "with --profile" 2 $?
"$ORRERY" replay -q "$tmp/one.trace" -p "$tmp/m.xml" --seed 3 >/dev/null 2>&1
same "--seed without --runs" 2 $?
exit $failed
