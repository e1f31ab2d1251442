#!/bin/bash
# orrery replay --runs: nothing random without it; with it, the same seeds give the same times,
# whatever the number of processes, and each is that of its seed alone; the spread of a sum of
# independent computations is the one that probability theory says.
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
# 100 computations of 0.01 s on one rank, with a deviation of 10 % each: 1 s, deviation 0.01 * 0.1 *
# sqrt(100) = 0.01 s
for i in $(seq 100); do echo "0 compute 1e7"; echo "0 barrier"; done >"$tmp/one.trace"
run() { "$ORRERY" replay --cfg noise/model:no -q "$tmp/one.trace" -p "$tmp/m.xml" "$@"; }
last() { tail -1 | awk '{ print $3 }'; }
same "no runs: no noise" 1.000000000 "$(run | last)"
run --runs 40 --seed 3 --json >"$tmp/a" || exit 1
taskset -c 0 "$ORRERY" replay --cfg noise/model:no -q "$tmp/one.trace" -p "$tmp/m.xml" --runs 40 \
	--seed 3 --json >"$tmp/b"
same "repeated, on one processor" "$(cat "$tmp/a")" "$(cat "$tmp/b")"
run --runs 40 --seed 4 --json >"$tmp/b"
[ "$(cat "$tmp/a")" != "$(cat "$tmp/b")" ] || { echo "another seed gives the same"; failed=1; }
for seed in 3 20 42; do # each run is in the list
	t=$(run --cfg noise/seed:$seed --json |
		python3 -c 'import json, sys; print(json.load(sys.stdin)["simulated_time"])')
	python3 -c 'import json, sys
sys.exit(float(sys.argv[2]) not in json.load(open(sys.argv[1]))["times"])' "$tmp/a" "$t" ||
		{ echo "the run with seed $seed is not among the runs"; failed=1; }
done
python3 - "$tmp/a" <<'END' || failed=1
import json, math, sys
r = json.load(open(sys.argv[1]))
mean, sd, n = r["simulated_time"], r["deviation"], r["runs"]
assert abs(mean - 1) < 4 * 0.01 / math.sqrt(n), mean  # four standard errors
assert 0.01 * 0.6 < sd < 0.01 * 1.5, sd  # chi-square of 39, 1 in 1000 at each end
# t(0.975) of 39 degrees: 2.0227
assert abs(r["mean_95"] - 2.0227 * sd / math.sqrt(n)) < 1e-4 * sd
assert r["low_95"] < r["quantiles"]["0.05"] < r["quantiles"]["0.50"] < r["high_95"]
END
# Two intervals stand beside each other: which is which is said.
"$ORRERY" replay -q "$tmp/one.trace" -p "$tmp/m.xml" --runs 3 >"$tmp/both"
grep -qx "  drawn in them: noise, and how far .*'In all' is of the latter alone, without noise" \
	"$tmp/both" || { echo "which interval is which"; cat "$tmp/both"; failed=1; }
run --runs 3 | grep -qx "  drawn in them: noise alone (noise/model:no)\. .*" ||
	{ echo "noise alone"; failed=1; }
"$ORRERY" replay -q "$tmp/one.trace" -p "$tmp/m.xml" --runs 3 --profile >/dev/null 2>&1
same "with --profile" 2 $?
"$ORRERY" replay -q "$tmp/one.trace" -p "$tmp/m.xml" --runs 3 --explain rank:0 >/dev/null 2>&1
same "with --explain" 2 $?
"$ORRERY" replay -q "$tmp/one.trace" -p "$tmp/m.xml" --seed 3 >/dev/null 2>&1
same "--seed without --runs" 2 $?
# 2^53: as a setting the seed after it would be the same number
run --runs 3 --seed 9007199254740992 >/dev/null 2>&1
same "a seed beyond what a setting holds" 2 $?
run --runs 3 --seed 4503599627370496 --json >"$tmp/far" || failed=1
python3 -c 'import json, sys; sys.exit(len(set(json.load(open(sys.argv[1]))["times"])) != 3)' \
	"$tmp/far" || { echo "large seeds: runs are the same"; failed=1; }

# Sleeps end late, log-normal, median 1e-4 s, sigma 0.5: mean 1e-4 e^(1/8) = 1.1331e-4 s, deviation
# of one 1.1331e-4 sqrt(e^(1/4) - 1) = 6.039e-5 s. 100 sleeps of 10 ms: mean 1.011331 s, deviation
# 6.039e-4 s. Computations of a trace counted by elapsed time (100 of 10 ms) hold the lateness of
# where they were recorded, from none to as much, common to a run: the mean is half of it later,
# 1.005666 s; deviation sqrt(6.039e-4^2 + 1.1331e-2^2 / 12) = 3.326e-3 s. Counted otherwise:
# nothing.
for i in $(seq 100); do echo "0 sleep 0.01"; done >"$tmp/sleeps.trace"
{ echo '# orrery-trace 1 ranks=1'; echo "0 init"; for i in $(seq 100); do echo "0 compute 1e7";
	echo "0 barrier"; done; echo "0 finalize"; } >"$tmp/elapsed"
for kind in wall cputime; do
	mkdir -p "$tmp/$kind"
	cp "$tmp/elapsed" "$tmp/$kind/rank-0.tit"
	printf '%s\n' '# orrery-manifest 1' 'ranks: 1' "counter: $kind" \
		'nominal_rate: 1000000000' 'complete: yes' >"$tmp/$kind/manifest"
done
cat >"$tmp/quiet.xml" <<'END'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
<cluster id="c" prefix="h" suffix="" radical="0-1" speed="1Gf" bw="1GBps" lat="1us"/></platform>
END
many() { "$ORRERY" replay --cfg noise/model:no -q "$1" -p "$tmp/quiet.xml" --runs 200 --json \
	"${@:2}" >"$tmp/$(basename "$1").json" || { echo "runs of $1"; failed=1; }; }
many "$tmp/sleeps.trace" --cfg noise/sleep:1e-4:0.5
many "$tmp/wall" --cfg noise/sleep:1e-4:0.5
many "$tmp/cputime" --cfg noise/sleep:1e-4:0.5
# Rates: a run is off by 2 % as a whole, a computation by 10 %: 100 of 10 ms have a deviation of
# sqrt((1 * 0.02)^2 + (0.01 * 0.1)^2 * 100) = 0.02236 s. A region that is not known has the same, as
# the only row says. A host (h0) without rates of its own where two, at 0.9 and 1.1 of all, have:
# ln(1.1 / 0.9) / sqrt(2) = 0.1419 more.
printf '# orrery-rates 1\nspeed 1e9\nregion a.c:1>a.c:2 * 0 1e7 1e9 0.02 100 1 0.1\n' >"$tmp/rates"
{ cat "$tmp/rates"; printf 'host x1 0.9\nhost x2 1.1\n'; } >"$tmp/rates.hosts"
sed -e '/init/a 0 region 0 a.c:1>a.c:2' -e 's/compute 1e7/& region=0/' "$tmp/elapsed" \
	>"$tmp/regions"
cp "$tmp/regions" "$tmp/hosts"
many "$tmp/regions" --rates "$tmp/rates"
many "$tmp/elapsed" --rates "$tmp/rates"
many "$tmp/hosts" --rates "$tmp/rates.hosts"
# Computations of which few take most of the time: of one second, with a deviation of 300 %.
# Log-normal with that mean and deviation: median 1 / sqrt(1 + 9) s; that of 200 is within 4 *
# 1.2533 * sqrt(ln 10) / sqrt(200) = 0.538 of its logarithm.
printf '# orrery-rates 1\nspeed 1e9\nregion a.c:1>a.c:2 * 0 1e9 1e9 0 100 1 3\n' >"$tmp/rates.wild"
printf '%s\n' '# orrery-trace 1 ranks=1' '0 init' '0 region 0 a.c:1>a.c:2' \
	'0 compute 1e9 region=0' '0 finalize' >"$tmp/wild"
many "$tmp/wild" --rates "$tmp/rates.wild"
sed 's/ 3$/ 1e300/' "$tmp/rates.wild" >"$tmp/rates.none"
"$ORRERY" replay -q "$tmp/wild" -p "$tmp/quiet.xml" --rates "$tmp/rates.none" >"$tmp/none" 2>&1
same "a deviation that is none" 2 $?
grep -q 'rates.none:3:.*a relative deviation of 1e+300' "$tmp/none" ||
	{ cat "$tmp/none"; failed=1; }
python3 - "$tmp" <<'END' || failed=1
import json, math, sys
def check(name, mean, sd):
    r = json.load(open("%s/%s.json" % (sys.argv[1], name)))
    time, most = r["simulated_time"], 4 * sd / math.sqrt(r["runs"]) + 1e-9
    assert abs(time - mean) <= most, (name, time, mean)
    # chi-square of 199: 4 deviations
    assert 0.8 * sd <= r["deviation"] <= 1.2 * sd + 1e-12, (name, r["deviation"], sd)
check("sleeps.trace", 1.011331, 6.039e-4)
check("wall", 1.005666, 3.326e-3)
check("cputime", 1, 0)
check("regions", 1 + 0.02**2 / 2, 0.02236)
check("elapsed", 1 + 0.02**2 / 2, 0.02236)
sd = math.hypot(0.02, 0.1419)
wild = json.load(open(sys.argv[1] + "/wild.json"))["quantiles"]["0.50"]
assert abs(math.log(wild * math.sqrt(10))) < 0.538, wild
mean = math.exp(sd**2 / 2)
check("hosts", mean, math.hypot(mean * math.sqrt(math.expm1(sd**2)), 0.01))
END

# What is common to a run: two messages of 1 GB, 1 s each, as the only thing that takes time;
# factors of 41 consecutive seeds are spread evenly, so that their median is that of the
# distribution, and so are the quantiles: 1, and with deviations of 0.1 below and 0.4 above
# e^(-1.645 * 0.1) = 0.8483 and e^(1.645 * 0.4) = 1.9309 at 5 and 95 %.
for i in 1 2; do
	echo "0 send 1 $i 1000000000 6"
	echo "1 recv 0 $i 1000000000 6"
done >"$tmp/large.trace"
sed -e '/config/d' -e 's/lat="1us"/lat="0s"/' "$tmp/quiet.xml" >"$tmp/large.xml"
large() { "$ORRERY" replay --cfg noise/model:no -q "$tmp/large.trace" -p "$tmp/large.xml" --cfg \
	network/model:CM02 --cfg network/TCP-gamma:0 --json "$@"; }
large >"$tmp/once"
large --runs 41 --cfg noise/network:0:1:1:0 --cfg noise/run-network:0:0.1:0.4 >"$tmp/both" ||
	failed=1
# Noise of which a run has a part, from a half to all: messages are all twice as long, so 1.5 to 2
# times, evenly.
large --runs 41 --cfg noise/network:0:1:2:0 --cfg noise/network-least:0.5 >"$tmp/part" || failed=1
python3 - "$tmp" <<'END' || failed=1
import json, sys
once, both, part = (json.load(open(sys.argv[1] + "/" + f)) for f in ("once", "both", "part"))
t = once["simulated_time"]
for q, v in ("0.50", 1), ("0.05", 0.8483), ("0.95", 1.9309):
    assert abs(both["quantiles"][q] / t / v - 1) < 0.06, (q, both["quantiles"][q] / t, v)
for q, v in ("0.50", 1.75), ("0.05", 1.525), ("0.95", 1.975):
    assert abs(part["quantiles"][q] / t / v - 1) < 0.02, (q, part["quantiles"][q] / t, v)
END
# What is common to a run is noise by itself.
for some in noise/run-network:0.1 noise/run-compute:0.1; do
	large --runs 3 --cfg "$some" >/dev/null || { echo "$some alone"; failed=1; }
done
large --runs 3 >/dev/null 2>&1
same "no noise at all" 2 $?
for bad in noise/network-least:2 noise/run-network:0:1:1:1 noise/run-network:0:-1 \
	noise/run-network:x "noise/run-network:$(seq -s';' -f '%g:0.1' 0 13)"; do
	large --cfg noise/seed:1 --cfg "$bad" >/dev/null 2>&1
	same "$bad" 2 $?
done
# Virtual hosts share their computer's processors, but not for what was counted as elapsed time,
# perhaps asleep: two ranks, one processor.
for kind in cputime wall; do
	mkdir -p "$tmp/virtual-$kind"
	printf '%s\n' '# orrery-manifest 1' 'ranks: 2' "counter: $kind" \
		'nominal_rate: 1000000000' 'complete: yes' >"$tmp/virtual-$kind/manifest"
	for r in 0 1; do printf '%d init\n%d compute 1e9\n%d finalize\n' $r $r $r \
		>"$tmp/virtual-$kind/rank-$r.tit"; done
done
virtual() { "$ORRERY" replay -q "$tmp/virtual-$1" -p "$tmp/m.xml" --cfg virtual-hosts/processors:1 |
	last; }
same "computations on a processor that two hosts share" 2.000000000 "$(virtual cputime)"
same "elapsed time on hosts that share a processor" 1.000000000 "$(virtual wall)"
# Detours that take nine tenths of the time, now and then less, and sleeps whose lateness is taken
# off what is left: no computation takes less than nothing.
"$ORRERY" replay -q "$tmp/wall" -p "$tmp/quiet.xml" --runs 50 --cfg noise/detours:900:1e-3:0 --cfg \
	noise/sleep:5e-4:2 >"$tmp/less" 2>&1
same "computations shorter than the lateness of sleeps" 0 $?
"$ORRERY" replay -q "$tmp/one.trace" -p "$tmp/m.xml" --runs 2 --seed 9007199254740991 >/dev/null \
	2>&1
same "a seed beyond what doubles tell apart" 2 $?
exit $failed
