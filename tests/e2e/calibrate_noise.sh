#!/bin/bash
# orrery calibrate noise: measures this computer, whatever else runs on it, and writes settings that
# a replay draws from; kept measurements give the same fit again. orrery replay: detours and
# periodic noise add up over a computation as probability theory says.
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
same() { [ "$2" = "$3" ] || { echo "$1: expected '$2', got '$3'"; failed=1; }; }

cpu=$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')
"$ORRERY" calibrate noise -q --time 0.4 --quantum 200us --cpus "$cpu" --raw "$tmp/raw.csv" \
	--report "$tmp/page.html" -o "$tmp/settings" --json >"$tmp/a" || exit 1
"$ORRERY" calibrate noise -q --from "$tmp/raw.csv" --json >"$tmp/b" || exit 1
python3 - "$tmp" <<'END' || failed=1
import json, math, sys
a, b = (json.load(open(sys.argv[1] + "/" + f)) for f in "ab")
# A loaded computer has fewer quanta in the time, but the program does not wait for ever.
assert len(a["cpus"]) == 1 and a["cpus"][0]["quanta"] >= 100, a["cpus"]
assert 0 <= a["share"] < 1 and a["cpus"][0]["quiet"] > 50e-6 and a["sleep_late"] > 0, a
# The log-normal distribution with this median and this 95 % quantile, which is 1.6449 deviations
# above it.
sigma = math.log(a["sleep_late_95"] / a["sleep_late"]) / 1.6449
assert "noise/sleep:%.4g:%.3g\n" % (a["sleep_late"], sigma) in a["settings"], a["settings"]
for same in "share", "detours", "periodic", "settings":
    assert a[same] == b[same], (same, a, b)
kinds = {line.split(",")[0] for line in open(sys.argv[1] + "/raw.csv") if line[0] != "#"}
assert kinds == {"kind", "fwq", "ftq", "sleep"}, kinds
page = open(sys.argv[1] + "/page.html").read()
assert page.count("<svg") == page.count("</svg>") >= 2 and "nan" not in page, "page"
END
"$ORRERY" calibrate noise -q --cpus 4000 >/dev/null 2>&1; same "a processor that is not there" 2 $?
"$ORRERY" calibrate noise -q --from /dev/null >/dev/null 2>&1; same "no measurements" 2 $?

cat >"$tmp/m.xml" <<'END'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
	<cluster id="c" prefix="h" suffix="" radical="0-1" speed="1Gf" bw="1GBps" lat="1us"/>
</platform>
END
echo "0 compute 1e10" >"$tmp/one.trace" # 10 s
for i in $(seq 1000); do echo "0 compute 1e7"; echo "0 barrier"; done >"$tmp/many.trace"
run() { "$ORRERY" replay --cfg noise/model:no -q "$tmp/$1.trace" -p "$tmp/m.xml" --runs 200 --json \
	"${@:2}" >"$tmp/$1.$n" || failed=1; }
# 10 a second of 1 ms: in 10 s 100 +- 10 of them, one computation or a thousand: mean 10 s,
# deviation 0.01 s. Lengths of deviation s of their logarithm: the square of the deviation is rate *
# seconds * (mean of the square) = 100 * median^2 * exp(2 s^2), less the mean exp(s^2 / 2) of it
# from the work.
n=1 run one --cfg noise/detours:10:1ms:0
n=1 run many --cfg noise/detours:10:1ms:0
n=2 run one --cfg noise/detours:10:1ms:0.5
# A tick of 1 ms every 30 ms: 333 or 334 of them in 10 s, and the work is 1/30 less: 9.6667 + 0.333
# or 0.334.
n=3 run one --cfg noise/periodic:0.03:1ms
printf '# settings\nnoise/detours:10:1ms:0\n' >"$tmp/file"
n=4 run one --cfg "@$tmp/file"
python3 - "$tmp" <<'END' || failed=1
import json, math, sys
def law(name, mean, sd):
    r = json.load(open(sys.argv[1] + "/" + name))
    time, most = r["simulated_time"], 4 * sd / math.sqrt(200) + 1e-9
    assert abs(time - mean) < most, (name, time)
    # chi-square of 199: 1 in 10000 at each end
    assert 0.8 * sd < r["deviation"] < 1.22 * sd, (name, r["deviation"], sd)
law("one.1", 10, 0.01)
law("many.1", 10, 0.01)
law("one.2", 10, math.sqrt(100 * math.exp(0.5)) * 1e-3)
times = json.load(open(sys.argv[1] + "/one.3"))["times"]
low, high = 10 - 10 / 30 + 0.333, 10 - 10 / 30 + 0.334
assert all(min(abs(t - low), abs(t - high)) < 1e-9 for t in times), sorted(times)[:3]
assert len({round(t, 6) for t in times}) == 2, sorted(times)[:3]
a, b = (json.load(open(sys.argv[1] + "/one." + n))["times"] for n in "14")
assert a == b, "the same settings from a file"
END
for bad in noise/detours:0:1:1 noise/detours:10:1 noise/detours:100:0.1:0 noise/periodic:1:2 \
	noise/periodic:x:1 noise/sleep:1e-4 noise/sleep:0:1 noise/sleep:1e-4:6 \
	"noise/sleep:1e-4:1;1e-4:1" @"$tmp/none"; do
	"$ORRERY" replay -q "$tmp/one.trace" -p "$tmp/m.xml" --cfg noise/seed:1 --cfg "$bad" \
		>/dev/null 2>&1
	same "$bad" 2 $?
done
# measurements that are none are told with their file
: >"$tmp/nothing"
for kind in noise network; do
	"$ORRERY" calibrate $kind --from "$tmp/nothing" >"$tmp/out" 2>&1
	same "$kind, an empty file" 2 $?
	grep -q "nothing:.*no measurements" "$tmp/out" || { cat "$tmp/out"; failed=1; }
done
exit $failed
