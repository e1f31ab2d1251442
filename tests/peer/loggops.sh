#!/bin/bash
# loggops.sh: the same makespans as LogGOPSim, to the nanosecond, on the patterns of its schedgen.
# The figures are those that LogGOPSim (github.com/spcl/LogGOPSim, commit 76451de) printed;
# bench/gen_trace.c writes the same programs as traces. Columns: pattern, ranks, bytes, L, o, g, G,
# O (ns), S (bytes), makespan (ns).
set -u
cd "$SRC" || exit 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc -O1 -o "$work/gen" bench/gen_trace.c || exit 1
cat >"$work/p.xml" <<'XML'
<platform version="4.1">
<cluster id="c" prefix="h" suffix="" radical="0-63" speed="1Gf" bw="1GBps" lat="1us"/></platform>
XML
failed=0 count=0
while read -r pattern n bytes L o g G O S want; do
	"$work/gen" "$pattern" "$n" "$bytes" "$work/t" || exit 1
	model="loggps:L=${L}ns,o=${o}ns,g=${g}ns,G=${G}ns,O=${O}ns,S=$S"
	got=$("$ORRERY" replay "$work/t/list" -p "$work/p.xml" -q --model "$model" |
		sed -n 's/^simulated time: \(.*\) s$/\1/p')
	want=$(printf '%d.%09d' $((want / 1000000000)) $((want % 1000000000)))
	count=$((count + 1))
	[ "$got" = "$want" ] && continue
	echo "$pattern, $n ranks, $bytes bytes, L=$L o=$o g=$g G=$G O=$O S=$S:" \
		"$got s, LogGOPSim $want s"
	failed=1
done <<'END'
dissemination 16 8192 2500 1500 1000 6 0 65535 218584
dissemination 37 100 2500 1500 1000 6 0 65535 36564
dissemination 24 1000 2500 1500 1000 6 9 500 104910
dissemination 16 1 2500 100 5000 6 0 65535 17700
dissemination 64 2000 100000 5000 1000 6 0 65535 731964
binomial 16 8192 2500 1500 1000 6 0 65535 218584
binomial 37 100 2500 1500 1000 6 0 65535 30470
binomial 24 1000 2500 1500 1000 6 9 500 68455
binomial 16 1 2500 100 5000 6 0 65535 17700
binomial 64 2000 100000 5000 1000 6 0 65535 731964
reduce 16 8192 2500 1500 1000 6 0 65535 218584
reduce 37 100 2500 1500 1000 6 0 65535 30470
reduce 24 1000 2500 1500 1000 6 9 500 68455
reduce 16 1 2500 100 5000 6 0 65535 17700
reduce 64 2000 100000 5000 1000 6 0 65535 731964
gather 16 8192 2500 1500 1000 6 0 65535 763690
gather 37 100 2500 1500 1000 6 0 65535 79384
gather 24 1000 2500 1500 1000 6 9 500 245293
gather 16 1 2500 100 5000 6 0 65535 72700
gather 64 2000 100000 5000 1000 6 0 65535 1175622
scatter 16 8192 2500 1500 1000 6 0 65535 756690
scatter 37 100 2500 1500 1000 6 0 65535 61884
scatter 24 1000 2500 1500 1000 6 9 500 245293
scatter 16 1 2500 100 5000 6 0 65535 72700
scatter 64 2000 100000 5000 1000 6 0 65535 927622
linear 16 8192 2500 1500 1000 6 0 65535 819690
linear 37 100 2500 1500 1000 6 0 65535 129572
linear 24 1000 2500 1500 1000 6 9 500 482586
linear 16 1 2500 100 5000 6 0 65535 72700
linear 64 2000 100000 5000 1000 6 0 65535 1449574
ring 8 8192 2500 1500 1000 6 0 65535 162932
recdoub 16 8192 2500 1500 1000 6 0 65535 136112
recdoub 64 65536 2500 1500 1000 1 3 65535 810072
END
echo "$count makespans compared"
exit $failed
