#!/bin/bash
# Rates of computation by region, from calibration to prediction, on traces made by hand for a
# counter of instructions.
#
# The program has two regions: `mem` (main.c:1>main.c:2) waits for memory, 5e8 instructions/s; `alu`
# (main.c:2>main.c:1) does arithmetic, 4e9/s. The small run that is calibrated on computes 1e6 of
# each ten times: 10 * (2 ms + 0.25 ms) = 22.5 ms, 2e7 / 22.5 ms = 8.889e8/s in all; off by
# |1e7/8.889e8 - 20 ms| + |1e7/8.889e8 - 2.5 ms| = 17.5 ms of 22.5 ms = 77.8 %. The run to predict
# computes `alu` three times for each `mem`, ten times: truth 10 * (2 ms + 3 * 0.25 ms) = 27.5 ms.
# One rate says 4e7 / 8.889e8 = 45 ms, 64 % too much; rates by region 27.5 ms.
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
bad() { printf 'FAILED: %s\n' "$*"; failed=1; }
has() { grep -qE -- "$2" "$tmp/out" || { bad "$1: not in the output: $2"; head -3 "$tmp/out"; }; }
say() { printf '%s\n' "$@"; }
# program RANKS ALU MEM_VOLUME MEM_TIME ALU_VOLUME ALU_TIME: a trace
program() {
	local r i k
	say '# orrery-trace 1'" ranks=$1"
	for ((r = 0; r < $1; r++)); do
		say "$r init" "$r region 4 main.c:1>main.c:2" "$r region 2 main.c:2>main.c:1"
		for ((i = 0; i < 10; i++)); do
			say "$r compute $3 region=4 t=$4" "$r barrier"
			for ((k = 0; k < $2; k++)); do say "$r compute $5 region=2 t=$6"; done
		done
		say "$r finalize"
	done
}
cat >"$tmp/host.xml" <<'XML'
<?xml version="1.0"?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full">
<host id="h.site.org" speed="1Gf" core="2"/></zone></platform>
XML
predict() { "$ORRERY" replay "$@" -p "$tmp/host.xml" --cfg smpi/barrier:ompi >"$tmp/out" 2>&1 ||
	bad "replay: $(cat "$tmp/out")"; sed -n 's/^simulated time: //p' "$tmp/out"; }
same() { [[ $2 == "$3" ]] || { bad "$1: expected '$2', found '$3'"; head -3 "$tmp/out"; }; }

program 1 1 1e6 2e-3 1e6 2.5e-4 >"$tmp/small"
program 1 3 1e6 1 1e6 1 >"$tmp/large"
"$ORRERY" calibrate cpu "$tmp/small" "$tmp/small" -o "$tmp/rates" >"$tmp/out" 2>&1 ||
	bad "calibrate"
has table '^main.c:1>main.c:2 +20 +0.040000 +5e\+08 +5e\+08 +5e\+08 +0.0%$'
has table '^main.c:2>main.c:1 +20 +0.005000 +4e\+09 '
has "one rate" 'one rate for all regions would be off by 77.8 %'
has speed '^speed: 8.88889e\+08$'
same "one rate" "0.045000000 s" \
	"$(sed -e '/region/d' "$tmp/rates" >"$tmp/one"; predict "$tmp/large" --rates "$tmp/one")"
has "notice" \
	'40 computations \(100.0 % of the time computed\) are of regions without calibrated rates'
same "by region" "0.027500000 s" "$(predict "$tmp/large" --rates "$tmp/rates" --profile)"
has "profile" '^main.c:1>main.c:2 +10 +1e\+07 +20 ms +72.7 %  calibrated$'
has "profile" '^main.c:2>main.c:1 +30 +3e\+07 +7.5 ms +27.3 %  calibrated$'
grep -q "without calibrated" "$tmp/out" && bad "a notice without reason"
same "as a setting" "0.027500000 s" "$(predict "$tmp/large" --cfg computation/rates:"$tmp/rates")"
same "twice the speed of the host changes nothing" "0.027500000 s" \
	"$(sed -i s/1Gf/2Gf/ "$tmp/host.xml"; predict "$tmp/large" --rates "$tmp/rates")"
same "none" "0.020000000 s" "$(predict "$tmp/large")"
"$ORRERY" replay -q "$tmp/large" -p "$tmp/host.xml" --rates "$tmp/rates" --json >"$tmp/out"
region='\{"name":"main.c:1>main.c:2","times":10,"volume":10000000,'
has json '"regions":\['"$region"'"seconds":0.02[0-9]*,"calibrated":true\}'

# Two ranks on the two cores, then on one core that they share: twice as long.
program 2 3 1e6 1 1e6 1 | sed /barrier/d >"$tmp/two"
same "two cores" "0.027500000 s" "$(predict "$tmp/two" --rates "$tmp/rates")"
same "one core" "0.055000000 s" \
	"$(sed -i 's/core="2"/core="1"/' "$tmp/host.xml"; predict "$tmp/two" --rates "$tmp/rates" \
	--oversubscribe)"

# Sizes: computations of 1e6 at 4e9/s and of 1e8 at 1e9/s. One of 1e7 is half way in logarithms:
# 2.5e9/s, 4 ms; one of 1e9, ten times the largest, has the rate of that one: 1 s.
for v in '1e6 2.5e-4' '1e8 0.1'; do
	set -- $v
	say '# orrery-trace 1 ranks=1' '0 init' '0 region 0 a.c:1>a.c:2' \
		"0 compute $1 region=0 t=$2" '0 finalize' >"$tmp/size.$1"
done
"$ORRERY" calibrate cpu "$tmp/size.1e6" "$tmp/size.1e8" -o "$tmp/sizes" >"$tmp/out" 2>&1 ||
	bad "calibrate sizes: $(cat "$tmp/out")"
for v in '1e7 0.004000000' '1e9 1.000000000' '1e6 0.000250000'; do
	set -- $v
	sed "s/1e6/$1/" "$tmp/size.1e6" >"$tmp/t"
	same "a computation of $1" "$2 s" "$(predict "$tmp/t" --rates "$tmp/sizes")"
	grep -q "over twice as large or small" "$tmp/out" && [[ $1 != 1e9 ]] &&
		bad "$1: a notice without reason"
done
predict "$tmp/t" --rates "$tmp/sizes" >/dev/null
sed "s/1e6/1e9/" "$tmp/size.1e6" >"$tmp/t"
predict "$tmp/t" --rates "$tmp/sizes" >/dev/null
has beyond '1 computations \(100.0 % of the time computed\) are over twice as large or small'
# The same volume of 1e6 on working sets of 1 MB (4e9/s) and 100 MB (1e9/s): told the set of 10 MB,
# 2.5e9/s.
sed 's/1e8/1e6/; s/0\.1$/1e-3/' "$tmp/size.1e8" >"$tmp/big"
"$ORRERY" calibrate cpu "$tmp/size.1e6" "$tmp/big" --working-sets 1e6,1e8 -o "$tmp/sets" \
	>"$tmp/out" 2>&1 || bad "calibrate sets"
same "1 MB" "0.000250000 s" \
	"$(predict "$tmp/size.1e6" --rates "$tmp/sets" --cfg computation/working-set:1e6)"
same "10 MB" "0.000400000 s" \
	"$(predict "$tmp/size.1e6" --rates "$tmp/sets" --cfg computation/working-set:1e7)"
same "100 MB" "0.001000000 s" \
	"$(predict "$tmp/size.1e6" --rates "$tmp/sets" --cfg computation/working-set:1e8)"

# Hosts: rank 0 on h at 4e9/s, rank 1 on i at 2e9/s. A host of the machine is found by its name up
# to the dot.
mkdir "$tmp/pair"
say '# orrery-manifest 1' 'ranks: 2' 'hosts: h,i' 'counter: perf' 'complete: yes' \
	>"$tmp/pair/manifest"
say '# orrery-trace 1' '0 init' '0 region 0 a.c:1>a.c:2' '0 compute 1e6 region=0 t=2.5e-4' \
	'0 finalize' >"$tmp/pair/rank-0.tit"
say '# orrery-trace 1' '1 init' '1 region 0 a.c:1>a.c:2' '1 compute 1e6 region=0 t=5e-4' \
	'1 finalize' >"$tmp/pair/rank-1.tit"
"$ORRERY" calibrate cpu "$tmp/pair" -o "$tmp/hosts" >"$tmp/out" 2>&1 || bad "calibrate hosts"
has host '^h +0.000250 +4e\+09$'
same "on h" "0.000250000 s" "$(predict "$tmp/size.1e6" --rates "$tmp/hosts")"
same "on i" "0.000500000 s" "$(sed -i 's/id="h/id="i/' "$tmp/host.xml"; predict "$tmp/size.1e6" \
	--rates "$tmp/hosts")"
# a region that was not measured: 2e6 in 0.75 ms in all, on i at 0.75 of that (0.375 ms expected,
# 0.5 ms measured): 1e6 in 0.5 ms
sed 's/a.c:1>a.c:2/b.c:1>b.c:2/' "$tmp/size.1e6" >"$tmp/t"
same "another region on i" "0.000500000 s" "$(predict "$tmp/t" --rates "$tmp/hosts")"
has "hosts: notice" '1 computations .* regions without'
sed -i 's/id="i/id="k/' "$tmp/host.xml"
predict "$tmp/size.1e6" --rates "$tmp/hosts" >/dev/null
has "unknown host" '1 ranks are on hosts without calibrated rates'
cp -r "$tmp/pair" "$tmp/wall"
sed -i s/perf/wall/ "$tmp/wall/manifest"
"$ORRERY" replay "$tmp/wall" -p graphene --rates "$tmp/hosts" >"$tmp/out" 2>&1 &&
	bad "another counter was accepted"
has "another counter" \
	"rates of volumes counted by 'perf', but those of the trace were counted by 'wall'"

# No counter of instructions: volumes are CPU time of the machine traced on (1e9 a second). On the
# machine to predict `mem` takes half of it, `alu` as long. What is predicted from a large trace of
# the first machine: 10 * (2 ms / 2 + 3 * 0.25 ms) = 17.5 ms.
program 1 1 2e6 2e-3 2.5e5 2.5e-4 >"$tmp/source"
program 1 1 1e6 1e-3 2.5e5 2.5e-4 >"$tmp/target"
program 1 3 2e6 2e-3 2.5e5 2.5e-4 >"$tmp/large"
"$ORRERY" calibrate cpu "$tmp/target" --volumes "$tmp/source" -o "$tmp/ratio" >"$tmp/out" 2>&1 ||
	bad "calibrate with volumes"
has "ratio" '^main.c:1>main.c:2 +10 +0.010000 +2e\+09 '
same "ratio" "0.017500000 s" "$(predict "$tmp/large" --rates "$tmp/ratio")"
# a run with other polls has other numbers of computations: their sums count
say '0 compute 0 region=4 t=0' >>"$tmp/target"
"$ORRERY" calibrate cpu "$tmp/target" --volumes "$tmp/source" -o "$tmp/ratio" >"$tmp/out" 2>&1 ||
	bad "calibrate with other numbers"
same "other numbers" "0.017500000 s" "$(predict "$tmp/large" --rates "$tmp/ratio" |
	sed 's/0.0175[0-9]*/0.017500000/')"

# What is wrong is told with its place.
wrong() { # TEXT MESSAGE
	printf '%b' "$1" >"$tmp/wrong"
	"$ORRERY" replay "$tmp/small" -p "$tmp/host.xml" --rates "$tmp/wrong" >"$tmp/out" 2>&1
	[[ $? == 2 ]] || bad "exit code: $1"
	has "$1" "$2"
}
wrong '' 'its first line should be .# orrery-rates 1'
wrong '# orrery-rates 1' 'no line .speed RATE'
wrong 'hello\n' 'wrong:1: not a file of rates'
wrong '# orrery-rates 1\nspeed x\n' "wrong:2:7: expected a rate above 0, found 'x'"
wrong '# orrery-rates 1\nspeed nan\n' "wrong:2:7: expected a rate"
wrong '# orrery-rates 1\nspeed 1e9\nregion a>b * 0 1 0 0 1 1\n' \
	'wrong:3: a volume and a rate above 0'
wrong '# orrery-rates 1\nspeed 1e9\nregion a>b * 0 1 1 0 1\n' \
	"wrong:3:1: expected .*found 'region' with other fields"
wrong '# orrery-rates 1\r\nspeed 1e9\nhost a -1\n' "wrong:3:8: expected a factor above 0"
exit $failed
