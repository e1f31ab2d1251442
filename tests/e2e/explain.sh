#!/bin/bash
# explain.sh: --explain tells what can be worked out by hand, adds up, and changes no date.
#
# Two hosts on one link of 1 MB/s, 0.1 s (model CM02 without acknowledgements and window). Rank 0 sends 999,984 bytes (with the envelope 1 MB) to rank 1 at
# 0; rank 2, on rank 0's host, 499,984 to rank 3, on rank 1's, at 0.5. The first: latency to 0.1, alone at 1 MB/s to 0.6 (0.5 MB left), then half of the
# link. Both have 0.5 MB left at 0.6 and arrive at 1.6.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; exit 1; }
cat >"$work/p.xml" <<'XML'
<platform version="4.1"><zone id="z" routing="Full">
<host id="a" speed="1Gf" core="2"/><host id="b" speed="1Gf" core="2"/><link id="wire" bandwidth="1MBps" latency="100ms"/>
<route src="a" dst="b"><link_ctn id="wire"/></route></zone></platform>
XML
printf '0 send 1 0 999984 6\n1 recv 0 0 999984 6\n1 compute 1e9\n2 sleep 0.5\n2 send 3 0 499984 6\n3 recv 2 0 499984 6\n' >"$work/t"
printf 'a\nb\na\nb\n' >"$work/hosts"
plain=(-p "$work/p.xml" --hostfile "$work/hosts" -n 4 --model CM02 --cfg network/crosstraffic:no --cfg network/TCP-gamma:0
	--cfg smpi/async-small-thresh:0)
"$ORRERY" replay "$work/t" "${plain[@]}" --json --explain 'message:0-1' >"$work/m.json" || fail "message"
"$ORRERY" replay "$work/t" "${plain[@]}" --json --explain rank:1 >"$work/r.json" || fail "rank"
"$ORRERY" replay "$work/t" "${plain[@]}" --json --explain rank:3 >"$work/r3.json" || fail "rank 3"
python3 - "$work" <<'PY' || exit 1
import json, sys
def load(n): return json.load(open(sys.argv[1] + "/" + n))
def near(a, b): assert abs(a - b) < 1e-9, (a, b)
m = load("m.json")["explain"]
assert m["protocol"] == "rendezvous", m["protocol"]
h = [(s["cause"], s.get("what"), s["from"], s["to"], s["rate"], s["others"]) for s in m["history"]]
want = [("latency", None, 0, .1, 0, 0), ("alone", "link wire, alone", .1, .6, 1e6, 0), ("bandwidth", "link wire", .6, 1.6, 5e5, 1)]
assert len(h) == 3, h
for got, w in zip(h, want):
    assert got[0] == w[0] and got[5] == w[5], (got, w)
    assert w[0] != "bandwidth" or got[1] == w[1], got
    for i in (2, 3, 4): near(got[i], w[i])
s = m["sharers"]
assert len(s) == 1 and (s[0]["from"], s[0]["to"]) == (2, 3), s
near(s[0]["seconds"], 1.0)
r = load("r.json")["explain"]
c = {(x["cause"], x.get("what")): x["seconds"] for x in r["causes"]}
near(r["seconds"], 2.6); near(sum(c.values()), 2.6)
near(c[("latency", None)], .1); near(c[("alone", "link wire, alone")], .5); near(c[("bandwidth", "link wire")], 1); near(c[("computation", None)], 1)
r = load("r3.json")["explain"]
c = {(x["cause"], x.get("what")): x["seconds"] for x in r["causes"]}
near(c[("late_peer", "rank 2")], .5); near(c[("latency", None)], .1); near(c[("bandwidth", "link wire")], 1)
assert load("m.json")["complete"] is None
PY
"$ORRERY" replay "$work/t" "${plain[@]}" --explain message:1 | grep -q 'rendezvous: it moves when both sides are there' || fail "text of a message"
"$ORRERY" replay "$work/t" "${plain[@]}" --explain rank:3 | grep -q '500 ms .* waiting for a late rank 2' || fail "text of a rank"
"$ORRERY" replay "$work/t" "${plain[@]}" --explain message:9 2>&1 | grep -q 'there is no such message; 2 began to move' || fail "no such message"
for what in rank:4 rank: message:0 message:0-9 message:0-1#0 nothing; do
	"$ORRERY" replay "$work/t" "${plain[@]}" --explain "$what" >/dev/null 2>"$work/err"
	[ $? = 2 ] || fail "--explain $what: exit code"
done

# A window of 100 kB over 0.2 s: 500 kB/s, which nobody shares.
"$ORRERY" replay "$work/t" -p "$work/p.xml" --hostfile "$work/hosts" -n 4 --model CM02 --cfg network/crosstraffic:no --cfg network/TCP-gamma:100000 \
	--explain message:0-1 | grep -q 'as fast as alone: TCP window, 500 kB/s' || fail "TCP window"

# Real programs, models, settings: the same time to the last digit, and causes that add up to the rank's time.
python3 "$SRC/tests/peer/traces.py" stencil 8 0 "$work/stencil" || fail "traces.py"
python3 "$SRC/tests/peer/traces.py" cg 8 0 "$work/cg" || fail "traces.py"
for trace in stencil cg; do
	for set in "--model hybrid" "--model LV08 --selector ompi" "--model loggps" "--model constant --cfg network/latency-factor:1e-5" "--model loggps:S=100 --selector mpich" \
		"--cfg smpi/os:0:1e-5:1e-10 --cfg smpi/or:0:1e-5:0 --cfg smpi/ois:0:1e-6:0 --selector mvapich2" "--model hybrid --cfg smpi/collectives:analytic" \
		"--model psins-bus" "--cfg compat:simgrid-3.32"; do
		# shellcheck disable=SC2086
		"$ORRERY" replay "$work/$trace" -p graphene --json -q $set >"$work/without" || fail "$trace $set"
		for what in rank:3 message:5 message:2-3; do
			# shellcheck disable=SC2086
			"$ORRERY" replay "$work/$trace" -p graphene --json -q $set --explain $what >"$work/with" 2>"$work/err" ||
				{ grep -q 'no such message' "$work/err" && continue; cat "$work/err"; fail "$trace $set $what"; }
			python3 - "$work/without" "$work/with" <<'PY' || fail "$trace $set $what"
import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:])
assert a["simulated_time"] == b["simulated_time"], (a["simulated_time"], b["simulated_time"])
e = b["explain"]
if "causes" in e:
    total = sum(c["seconds"] for c in e["causes"])
    assert abs(total - e["seconds"]) <= 1e-9 * e["seconds"], (total, e["seconds"])
    assert all(c["seconds"] >= -1e-12 for c in e["causes"]), e["causes"]
PY
		done
	done
done
