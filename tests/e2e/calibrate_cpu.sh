#!/bin/bash
# orrery calibrate cpu: two runs by hand. In the first, 3e9 instructions in 1.5 s before the barrier
# and 1e9 in 1 s after it; in the second, larger, 8e9 in 8 s before it. Weighted rates: 11e9 / 9.5 s
# and 1e9 / 1 s; all: 12e9 / 10.5 s. Deviation of 2e9 and 1e9: 0.707e9 / 1.5e9 = 47.1 %.
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
has() {
	grep -qE -- "$1" "$tmp/out" && return
	echo "not in the output: $1"
	cat "$tmp/out"
	failed=1
}
printf '%s\n' '# orrery-trace 1' '# ranks 1' '0 init t=0.1' '0 compute 1e9 t=0.5' \
	'0 compute 2e9 t=1' '0 barrier t=0.1' '0 compute 1e9 t=1' '0 finalize t=0.1' >"$tmp/a.trace"
printf '%s\n' '# orrery-trace 1' '# ranks 1' '0 init t=0.1' '0 compute 8e9 t=8' \
	'0 barrier t=0.1' '0 finalize t=0.1' >"$tmp/b.trace"
"$ORRERY" calibrate cpu "$tmp/a.trace" "$tmp/b.trace" >"$tmp/out" 2>&1 || failed=1
has '^MPI_Init to MPI_Barrier +2 +9.500000 +1.15789e\+09 +1e\+09 +2e\+09 +47.1%$'
has '^MPI_Barrier to MPI_Finalize +1 +1.000000 +1e\+09 '
has '^speed: 1.14286e\+09$'
"$ORRERY" calibrate cpu "$tmp/a.trace" "$tmp/b.trace" --json >"$tmp/out" 2>&1 || failed=1
region='"name":"MPI_Init to MPI_Barrier","times":2,"seconds":9.5,"rate":1157894736.8421052'
has "$region"',"deviation":0.4714045207910317,"by_volume":\[\]'
sed -i -e '/init/a 0 region 0 x:1>x:2' -e 's/\(compute [38].*\) t=/\1 region=0 t=/' \
	-e 's/compute [12]e9 t=\(0.5\|1\)$/compute 1.5e9 region=0 t=0.75/' \
	"$tmp/a.trace" "$tmp/b.trace"
"$ORRERY" calibrate cpu "$tmp/a.trace" "$tmp/b.trace" --json >"$tmp/out" 2>&1 || failed=1
volume() { echo "\\{\"volume\":$1,\"rate\":$2,\"deviation\":0,\"scatter\":0\\}"; }
has "\"by_volume\":\\[$(volume 1500000000 2000000000),$(volume 8000000000 1000000000)\\]"
# Two computations of 9 and 11 ms where the rate says 10: a deviation of one of sqrt((1 + 1) * 2 / 1
# / (100 + 100)) = 0.1414; in the file too.
printf '%s\n' '# orrery-trace 1' '# ranks 1' '0 init' '0 region 0 x:1>x:2' \
	'0 compute 1e7 region=0 t=9e-3' '0 barrier' '0 compute 1e7 region=0 t=11e-3' \
	'0 finalize' >"$tmp/c.trace"
"$ORRERY" calibrate cpu "$tmp/c.trace" --json -o "$tmp/c.rates" >"$tmp/out" 2>&1 || failed=1
has '"scatter":0.1414'
cp "$tmp/c.rates" "$tmp/out"
has '^region x:1>x:2 \* 0 10000000 1e\+09 0 2 0.02 0.1414$'
# Volumes of processor time, 1e9 a second: 2 s of it in 8 s, others had the processor, which is
# told; 2 s in 2.1 s: nothing to tell.
mkdir "$tmp/d"
printf '%s\n' '# orrery-manifest 1' 'ranks: 1' 'counter: cputime' 'nominal_rate: 1000000000' \
	'complete: yes' >"$tmp/d/manifest"
for seconds in 8 2.1; do
	printf '# orrery-trace 1 ranks=1\n0 init\n0 compute 2e9 t=%s\n0 finalize\n' $seconds \
		>"$tmp/d/rank-0.tit"
	"$ORRERY" calibrate cpu "$tmp/d" >"$tmp/out" 2>&1 || failed=1
	if [ $seconds = 8 ]; then
		has 'computations had a processor for 25 % of theirs'
	elif grep -q 'had a processor' "$tmp/out"; then
		echo "$seconds s: processors were not shared"
		failed=1
	fi
done
printf '# orrery-trace 1\n# ranks 1\n0 init\n0 compute 8e9\n0 finalize\n' >"$tmp/b.trace"
"$ORRERY" calibrate cpu "$tmp/b.trace" >"$tmp/out" 2>&1
[ $? = 2 ] || { echo "no durations: exit code"; failed=1; }
has 'has a volume and a duration'
exit $failed
