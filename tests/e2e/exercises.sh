#!/bin/bash
# docs/exercises.md: the solutions hold.
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
cd "$tmp" || exit 2
# 1: linear: on the tree 15 messages of 1 MiB through the root's cable; on the torus, where routes
# go along x first, 8 through its busiest (those to x = 1 and 2); binomial about 4 one after the
# other, scatter-ring about 2
"$ORRERY" platform generate torus 4x4 --bandwidth 1GBps --latency 1us -o torus.xml -q || exit 1
"$ORRERY" platform generate fat-tree 4x4 --bandwidth 1GBps --latency 1us -o tree.xml -q || exit 1
for m in torus:8 tree:15; do
	"$ORRERY" coll bcast -p ${m%:*}.xml --np 16 --bytes 1Mi --full --json -q 2>/dev/null |
		python3 -c '
import json, sys
a = json.load(sys.stdin)["cells"][0]["algorithms"]
one = 1048576 / 1e9
assert a["flattree"] > float(sys.argv[1]) * one * 0.95, a["flattree"]
assert 3 * one < a["binomial_tree"] < 8 * one, a["binomial_tree"]
assert a["binomial_tree"] < a["flattree"]
assert a["scatter_LR_allgather"] < a["binomial_tree"], a' "${m#*:}" ||
		{ echo "exercise 1 on $m"; failed=1; }
done
# 2: the same grid on 2, 4 and 8 ranks, 20 Mflop a step in all, and edges of 92682 / sqrt(p)
# doubles: the time falls, and the share of messages rises; a grid in proportion to the ranks takes
# about as long on all of them.
stencil() { # RANKS SIDE OPERATIONS: a ring of two neighbours, 20 steps
	local p=$1 bytes=$((8 * $2)) work=$(($3 / $1)) r s
	echo "# orrery-trace 1 ranks=$p"
	for ((r = 0; r < p; r++)); do
		echo "$r init"
		for ((s = 0; s < 20; s++)); do
			echo "$r compute $work"
			echo "$r sendRecv $bytes $(((r + 1) % p)) $bytes $(((r + p - 1) % p)) 6 6"
		done
		echo "$r finalize"
	done
}
"$ORRERY" platform generate flat 8 --bandwidth 125MBps --latency 20us --speed 1Gf -o flat.xml -q ||
	exit 1
scaling() { # RANKS SIDE OPERATIONS: time, share of computation
	stencil "$@" >st.trace
	"$ORRERY" replay st.trace -p flat.xml --json --profile -q | python3 -c 'import json, sys
d = json.load(sys.stdin)
print(d["simulated_time"], d["profile"]["classes"]["compute"]["share"])'
}
{ scaling 2 65536 20000000; scaling 4 46341 20000000; scaling 8 32768 20000000; for p in 2 4 8;
	do scaling $p 4096 $((5000000 * p)); done; } >scaling
python3 - scaling <<'END' || { echo "exercise 2"; cat scaling; failed=1; }
import sys
rows = [list(map(float, l.split())) for l in open(sys.argv[1])]
(t2, c2), (t4, c4), (t8, c8) = rows[:3]
assert t2 > t4 > t8 and c2 > c4 > c8, "strong scaling"
assert t2 / t8 < 4, "the messages do not get cheaper"
weak = [t for t, c in rows[3:]]
assert max(weak) / min(weak) < 1.05, "weak scaling"
END
# 4: four ranks, 5 Mflop a step of 20 at 1 Gf: a host half as fast takes 0.1 s longer,
# and so do all, as its messages do not come while it computes.
# It waits no more; the others wait for what it computes longer, and the path's computation is its.
stencil 4 46341 20000000 >st.trace
slow_node() { "$ORRERY" replay st.trace -p flat.xml --json --per-rank --explain critical-path -q \
	"$@"; }
slow_node >all.json && slow_node --what-if host:node-3.speed=0.5x >one.json || failed=1
python3 - all.json one.json <<'END' || { echo "exercise 4"; failed=1; }
import json, sys
all_, one = [json.load(open(f)) for f in sys.argv[1:]]
assert abs(one["simulated_time"] - all_["simulated_time"] - 0.1) < 0.002
waits = [r["wait"] for r in sorted(one["profile"]["per_rank"], key=lambda r: r["rank"])]
assert waits[3] < 0.001 and all(abs(w - 0.1) < 0.005 for w in waits[:3]), waits
path = {c["cause"]: c["seconds"] for c in one["explain"]["causes"]}
assert abs(path["computation"] - 0.2) < 1e-9, path
assert one["explain"]["ranks"][0]["rank"] == 3
END
# 3: hosts around a switch, the cable of one of them a tenth as fast
cp "$SRC/examples/course/slow.xml" "$SRC/examples/course/ring.trace" . || exit 1
sec() { "$ORRERY" replay ring.trace -q --map-by node "$@" |
	sed -n 's/^simulated time: \(.*\) s$/\1/p'; }
slow=$(sec -p slow.xml) || failed=1
links=$("$ORRERY" platform show slow.xml --route f0,s0 -q |
	awk '$1 ~ /^slow_link/ { printf "link:%s.bandwidth=125MBps,", $1 }')
back=$("$ORRERY" platform show slow.xml --route s0,f0 -q |
	awk '$1 ~ /^slow_link/ { printf "link:%s.bandwidth=125MBps,", $1 }')
mended=$(sec -p slow.xml --what-if "$links${back%,}")
sed 's/12.5MBps/125MBps/' slow.xml >fast.xml
fast=$(sec -p fast.xml)
"$ORRERY" replay ring.trace -q --map-by node -p slow.xml --explain rank:0 | grep -q slow ||
	{ echo "exercise 3: the slow cable is not named"; failed=1; }
python3 -c 'import re, sys
s, m, f = map(float, sys.argv[2:])
assert s > 3 * m, (s, m)
assert abs(m / f - 1) < 1e-6, (m, f)
said = re.search(r"(\S+) ms\s+instead\s+of\s+(\S+):", open(sys.argv[1], encoding="utf-8").read())
assert said.groups() == ("%.1f" % (1000 * m), "%.0f" % (1000 * s)), (said, m, s)' \
	"$SRC/docs/exercises.md" "$slow" "$mended" "$fast" ||
	{ echo "exercise 3"; failed=1; }
exit $failed
