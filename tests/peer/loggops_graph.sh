#!/bin/bash
# loggops_graph.sh: the same makespans as LogGOPSim, to the nanosecond, on random schedules whose
# ranks have several processors and interfaces, simulated as the graphs that they are. The figures
# are those that LogGOPSim (github.com/spcl/LogGOPSim, commit 76451de) printed for the schedules
# that the program below writes. An operation waits for those of its own processor alone: LogGOPSim
# does not carry a date from one processor to another. (Where over 16 operations become ready at
# once, its order of equal ones is its sort's: seed 49 is left out.) Columns: seed, L, o, g, G, O
# (ns), S (bytes), makespan (ns).
set -u
cd "$SRC" || exit 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/p.xml" <<'XML'
<platform version="4.1">
<cluster id="c" prefix="h" suffix="" radical="0-11" speed="1Gf" bw="1GBps" lat="1us"/></platform>
XML
# Sends come before their receives, and what is waited for before what waits, so that all ends.
schedule() { # SEED
	awk -v seed="$1" '
	function draw(n) { state = state * 16807 % 2147483647
		return int(state / 4096) % n }
	function op(rank, text, cpu, nic,   i, k, last) {
		i = ++n[rank]
		on[rank, i] = cpu
		line[rank, i] = "l" i ": " text " cpu " cpu nic
		last = draw(3)
		for (k = i - 1; k > 0 && k >= i - 6 && last > 0; k--)
			if (on[rank, k] == cpu && draw(2) == 0) {
				last--
				word = draw(6) ? "requires" : "irequires"
				edge[rank] = edge[rank] "l" i " " word " l" k "\n"
			}
	}
	BEGIN {
		state = seed * 7919 + 17
		split("1 8 100 5000 100000", sizes); split("0 1 10 500 1000 3333", times)
		ranks = 2 + draw(10); cpus = 1 + draw(3); nics = 1 + draw(2)
		for (m = 10 + draw(60); m > 0; m--) {
			a = draw(ranks); b = draw(ranks); tag = draw(3)
			if (a == b || draw(3) == 0) {
				op(a, "calc " times[1 + draw(6)], draw(cpus))
				continue
			}
			cpu = (a * 5 + b + tag + seed) % cpus; nic = (a + b + tag) % nics
			size = sizes[1 + (a * 7 + b * 3 + tag + seed) % 5]
			op(a, "send " size "b to " b " tag " tag, cpu, " nic " nic)
			op(b, "recv " size "b from " a " tag " tag, cpu, " nic " nic)
		}
		print "num_ranks " ranks
		for (r = 0; r < ranks; r++) {
			print "rank " r " {"
			for (i = 1; i <= n[r]; i++) print line[r, i]
			printf "%s}\n", edge[r]
		}
	}'
}
failed=0 count=0
while read -r seed L o g G O S want; do
	schedule "$seed" >"$work/s.goal"
	model="loggps:L=${L}ns,o=${o}ns,g=${g}ns,G=${G}ns,O=${O}ns,S=$S"
	got=$("$ORRERY" replay "$work/s.goal" -p "$work/p.xml" --model "$model" 2>&1)
	want=$(printf 'simulated time: %d.%09d s' $((want / 1000000000)) $((want % 1000000000)))
	count=$((count + 1))
	[[ $got == *"simulated as a graph"*"$want"* ]] && continue
	echo "seed $seed, $model: not \"$want\" but:"
	echo "$got"
	failed=1
done <<'END'
1 2500 100 5000 1 2 65535 209094
2 100 0 5000 0 0 65535 20601
3 100 100 0 1 2 65535 1059061
4 2500 0 0 6 0 1000 1235024
5 100 0 1000 0 0 65535 4100
6 2500 1500 1000 0 0 65535 26666
7 0 0 0 0 0 1000 3333
8 100 0 5000 6 2 65535 140216
9 0 1500 0 1 0 65535 230003
10 100 100 0 0 0 65535 3735
11 100 100 5000 6 0 1000 1251461
12 0 100 1000 1 0 1000 322092
13 0 100 1000 6 0 65535 1861870
14 100 0 5000 1 0 65535 120694
15 2500 100 1000 1 2 65535 515726
16 100 0 5000 0 2 65535 438324
17 0 0 1000 1 2 1000 414039
18 2500 100 1000 0 2 1000 16992
19 100 0 1000 0 0 1000 8033
20 2500 1500 1000 0 0 1000 22333
21 2500 1500 0 1 2 1000 225996
22 100 0 0 6 0 1000 2430170
23 100 0 5000 0 0 1000 25100
24 0 0 5000 6 0 1000 599995
25 100 1500 1000 0 0 65535 20133
26 100 100 0 0 2 65535 479228
27 2500 100 0 0 0 1000 8833
28 0 0 1000 1 0 1000 115429
29 2500 0 5000 1 0 1000 477798
30 100 100 1000 1 0 65535 202305
31 0 100 5000 0 2 1000 400396
32 100 0 0 1 0 1000 319663
33 0 100 5000 6 2 65535 835570
34 100 100 5000 6 2 1000 1891206
35 100 100 5000 6 0 1000 1266596
36 2500 0 5000 0 0 1000 18353
37 100 1500 1000 1 0 1000 347342
38 100 100 5000 1 2 1000 621288
39 100 0 5000 1 0 1000 310097
40 2500 0 5000 0 0 1000 22500
41 100 100 5000 0 2 1000 200612
42 0 1500 5000 6 2 1000 1227260
43 100 1500 5000 6 0 65535 1234276
44 0 0 5000 1 2 65535 1468718
45 0 1500 0 6 2 65535 666038
46 100 0 0 0 0 65535 7166
47 100 0 1000 0 2 65535 401205
48 100 100 1000 1 2 65535 223005
50 100 100 1000 1 0 1000 201997
51 0 1500 5000 1 0 1000 324695
52 2500 1500 1000 6 0 1000 2559785
53 0 100 1000 6 2 1000 1233224
54 100 0 0 6 0 1000 1205422
55 0 0 5000 0 0 65535 25000
56 100 0 1000 6 2 65535 632088
57 100 1500 5000 1 0 1000 333195
58 0 100 1000 1 2 1000 625237
59 100 0 5000 6 0 1000 2511872
60 100 100 1000 0 0 1000 11933
END
echo "$count makespans compared"
exit $failed
