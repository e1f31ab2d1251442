#!/bin/bash
# Ranks that compute on one socket share its memory: k of them go at full speed up to bandwidth /
# traffic, and at bandwidth / (k traffic) of it beyond; sockets have memory of their own; a rank
# that has ended leaves its part; not told: nothing is shared, and trust says so.
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 2
failed=0
"$ORRERY" platform generate flat 2 --cores 8 --speed 1Gf --bandwidth 1GBps --latency 1us -o m.xml \
	-q || exit 1
trace() { # RANKS [OPERATIONS OF RANK 0]: 1 s of computation each
	echo "# orrery-trace 1 ranks=$1"
	for ((r = 0; r < $1; r++)); do
		echo "$r init"
		echo "$r compute $([ "$r" = 0 ] && echo "${2:-1e9}" || echo 1e9)"
		echo "$r finalize"
	done
}
same() { # NAME EXPECTED RANKS OPTIONS…
	local name=$1 expected=$2 ranks=$3 got
	trace $ranks ${FIRST:-} >t.trace
	shift 3
	got=$("$ORRERY" replay t.trace -p m.xml -q --computation volume --map-by ${MAP:-core} "$@" |
		sed -n 's/^simulated time: \(.*\) s$/\1/p')
	awk -v a="$got" -v b="$expected" \
		'BEGIN { exit !(a != "" && a / b - 1 < 1e-6 && b / a - 1 < 1e-6) }' ||
		{ echo "$name: expected $expected s, got '$got'"; failed=1; }
}
B="memory/bandwidth:20GBps" b="computation/memory-traffic:5GBps"
same "not told" 1 8
same "the bandwidth alone" 1 8 --cfg $B
same "four, as much as there is" 1 4 --cfg $B --cfg $b
same "eight, twice as much" 2 8 --cfg $B --cfg $b
same "two sockets, filled: four on each" 1 8 --cfg $B --cfg $b --cfg memory/sockets:2
same "two sockets, six ranks: four on one" 1.6 6 --cfg memory/bandwidth:12.5GBps --cfg $b --cfg \
	memory/sockets:2
MAP=socket same "round them: three on each" 1.2 6 --cfg memory/bandwidth:12.5GBps --cfg $b --cfg \
	memory/sockets:2
same "two hosts" 1 8 --cfg $B --cfg $b --ppn 4
# Rank 0 has half the work: at half speed until 1 s, then the other seven have 20 / 35 of it: 0.5 s
# of work left take 0.875 s.
FIRST=5e8 same "one ends" 1.875 8 --cfg $B --cfg $b
"$ORRERY" replay t.trace -p m.xml --map-by core | grep -q "not modelled: bandwidth of memory" ||
	{ echo "trust does not say that memory is not modelled"; failed=1; }
"$ORRERY" replay t.trace -p m.xml --map-by core --cfg $B --cfg $b | grep -q "bandwidth of memory" &&
	{ echo "trust says that memory is not modelled"; failed=1; }
"$ORRERY" replay t.trace -p m.xml --cfg memory/sockets:0 >out 2>&1
[ $? = 2 ] || { echo "no sockets"; failed=1; }
exit $failed
