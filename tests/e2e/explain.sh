#!/bin/bash
# explain.sh: --explain tells what can be worked out by hand, adds up, and changes no date.
#
# The run is that of lib/two_messages.sh, where its dates are worked out.
# parts: 3
set -u
. "$SRC/tests/need.bash"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; exit 1; }
. "$SRC/tests/e2e/lib/two_messages.sh"
"$ORRERY" replay "$work/t" "${plain[@]}" --json --explain 'message:0-1' >"$work/m.json" ||
	fail "message"
"$ORRERY" replay "$work/t" "${plain[@]}" --json --explain rank:1 >"$work/r.json" || fail "rank"
"$ORRERY" replay "$work/t" "${plain[@]}" --json --explain rank:3 >"$work/r3.json" || fail "rank 3"
python3 - "$work" <<'PY' || exit 1
import json, sys
def load(n): return json.load(open(sys.argv[1] + "/" + n))
def near(a, b): assert abs(a - b) < 1e-9, (a, b)
m = load("m.json")["explain"]
assert m["protocol"] == "rendezvous", m["protocol"]
h = [(s["cause"], s.get("what"), s["from"], s["to"], s["rate"], s["others"]) for s in m["history"]]
want = [("latency", None, 0, .1, 0, 0), ("alone", "link wire", .1, .6, 1e6, 0),
        ("bandwidth", "link wire", .6, 1.6, 5e5, 1)]
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
near(c[("latency", None)], .1); near(c[("alone", "link wire")], .5)
near(c[("bandwidth", "link wire")], 1); near(c[("computation", None)], 1)
r = load("r3.json")["explain"]
c = {(x["cause"], x.get("what")): x["seconds"] for x in r["causes"]}
near(c[("late_peer", "rank 2")], .5)
near(c[("latency", None)], .1)
near(c[("bandwidth", "link wire")], 1)
assert load("m.json")["complete"] is None
PY
# 1.5 MB in 2.6 s at 1 MB/s; the link holds both messages back for 1 s, alone it is as fast as they.
"$ORRERY" replay "$work/t" "${plain[@]}" --explain links |
	grep -qx '  *1\.5 MB  57\.7 %          1 s  38\.5 %  wire' || fail "text of links"
"$ORRERY" replay "$work/t" "${plain[@]}" --json --explain links | python3 -c 'import json, sys
(l,) = json.load(sys.stdin)["explain"]["links"]
assert (l["link"], l["bytes"], l["bandwidth"]) == ("wire", 1.5e6, 1e6), l
assert abs(l["utilisation"] - 1.5 / 2.6) < 1e-9 and abs(l["held_back"] - 1) < 1e-9, l' ||
	fail "links as JSON"
"$ORRERY" replay "$work/t" "${plain[@]:0:6}" --model constant --explain links |
	grep -q 'no message went over one, or the model has none' || fail "a model without links"
"$ORRERY" replay "$work/t" "${plain[@]}" --explain message:1 |
	grep -q 'rendezvous: it moves when both sides are there' || fail "text of a message"
"$ORRERY" replay "$work/t" "${plain[@]}" --explain rank:3 |
	grep -q '500 ms .* waiting for a late rank 2' || fail "text of a rank"
"$ORRERY" replay "$work/t" "${plain[@]}" --explain message:9 2>&1 |
	grep -q 'there is no such message; 2 began to move' || fail "no such message"
for what in rank:4 rank: message:0 message:0-9 message:0-1#0 nothing; do
	"$ORRERY" replay "$work/t" "${plain[@]}" --explain "$what" >/dev/null 2>"$work/err"
	[ $? = 2 ] || fail "--explain $what: exit code"
done

# What a tuning file chose is told with its segments and the line that says so.
{ echo '# orrery-trace 1 ranks=4'; printf '%d allreduce 100000 0 6\n' {0..3}; } >"$work/ar"
printf '1\n2\n1\n2 1\n0 5 0 8192\n' >"$work/rules"
"$ORRERY" replay "$work/ar" -p graphene --selector "file:$work/rules" --explain rank:0 -q \
	>"$work/out" || fail "a tuning file"
chosen="ompi_ring_segmented in segments of 8192 bytes, by $work/rules:5 "
grep -qF "1 x MPI_Allreduce on 4 ranks: $chosen" "$work/out" ||
	fail "a tuning file: $(grep MPI_Allreduce "$work/out")"

# A window of 100 kB over 0.2 s: 500 kB/s, which nobody shares.
"$ORRERY" replay "$work/t" -p "$work/p.xml" --hostfile "$work/hosts" -n 4 --model CM02 --cfg \
	network/crosstraffic:no --cfg network/TCP-gamma:100000 \
	--explain message:0-1 | grep -q 'alone on its way, limited by TCP window, 500 kB/s' ||
		fail "TCP window"

# The link has half of its bandwidth from 0.3 on: latency to 0.1, 0.2 MB at
# 1 MB/s, the other 0.8 MB at 500 kB/s.
sed 's/latency="100ms"/& bandwidth_file="slower"/' "$work/p.xml" >"$work/slower.xml"
echo '0.3 5e5' >"$work/slower"
printf '0 send 1 0 999984 6\n1 recv 0 0 999984 6\n2 init\n3 init\n' >"$work/alone"
history=$("$ORRERY" replay "$work/alone" -p "$work/slower.xml" "${plain[@]:2}" \
	--explain message:0-1 |
	grep -o '[0-9.]* ms  .*\|[0-9.]* s  alone.*')
[ "$history" = '100 ms  latency
200 ms  alone on its way, limited by link wire, 1 MB/s
1.6 s  alone on its way, limited by link wire, 500 kB/s' ] || fail "a link that changes: $history"

# Models without rates name their parts. LogGPS with L = 10, o = 1, G (k - 1) = 10 s. Ranks 0 and 2
# send 1001 bytes to rank 1 at 0, rank 0 a second one. g = 5: o to 1, L to 11, o to 12, G to 22. The
# second of rank 0, which it sends at 1, waits for its interface to 15, o to 16, L to 26; rank 1's
# interface is kept by the first to 26, by that of rank 2 to 41: o to 42, G to 52. g = 0: that of
# rank 2 waits for rank 1's interface to 21, for its processor to 22.
printf '%s\n' '0 isend 1 0 1001 6' '0 isend 1 1 1001 6' '0 waitall' '2 send 1 0 1001 6' \
	'1 irecv 0 0 1001 6' '1 irecv 0 1 1001 6' '1 irecv 2 0 1001 6' '1 waitall' \
	'3 init' >"$work/parts"
parts() { # MESSAGE WANT OPTIONS…: "name from to|…"
	local message=$1 want=$2 got
	shift 2
	got=$("$ORRERY" replay -q "$work/parts" -p "$work/p.xml" --hostfile "$work/hosts" -n 4 \
		--json --explain "message:$message" "$@" | python3 -c 'import json, sys
for s in json.load(sys.stdin)["explain"]["history"]:
    cause = "" if s["cause"] == "transfer" else s["cause"] + " "
    print("%s%s %.6g %.6g" % (cause, s.get("what"), s["from"], s["to"]), end="|")')
	[ "$got" = "$want" ] || fail "parts of $message, $*: '$got', not '$want'"
}
parts '0-1#1' 'o of the sender 0 1|L 1 11|o of the receiver 11 12|G (k - 1) 12 22|' --model \
	loggps:L=10,o=1,g=5,G=10ms
sender="waits for the sender's interface (g, G) 1 15|o of the sender 15 16|L 16 26|"
receiver="waits for the receiver's interface (g, G) 26 41|o of the receiver 41 42|"
parts '0-1#2' "$sender${receiver}G (k - 1) 42 52|" --model loggps:L=10,o=1,g=5,G=10ms
sender="o of the sender 0 1|L 1 11|waits for the receiver's interface (g, G) 11 21|"
receiver="waits for the receiver's processor 21 22|o of the receiver 22 23|"
parts '2-1' "$sender${receiver}G (k - 1) 23 33|" --model loggps:L=10,o=1,g=0,G=10ms
parts '0-1#1' 'what every message lasts 0 3|' --model constant --cfg network/latency-factor:3
# PSINS and Dimemas: 1001 bytes at 1001 bytes/s, 0.5 s of latency, one bus
bus=(--cfg psins/latency:0.5 --cfg psins/bandwidth:1001 --cfg psins/busses:1)
parts '0-1#1' 'its bytes / bandwidth 0 1|latency 1 1.5|' --model psins-bus "${bus[@]}"
parts '2-1' 'waits for a bus 0 2|its bytes / bandwidth 2 3|latency 3 3.5|' --model psins-bus \
	"${bus[@]}"
parts '0-1#2' \
	"waits for a link out of the sender's node 0 1|its bytes / bandwidth 1 2|latency 2 2.5|" \
	--model psins-out "${bus[@]}"
parts '0-1#2' \
	"waits for a link into the receiver's node 0 1|its bytes / bandwidth 1 2|latency 2 2.5|" \
	--model psins-in "${bus[@]}"
out="waits for a link out of the sender's node 0.5 1.5"
parts '0-1#2' "latency 0 0.5|$out|its bytes / bandwidth 1.5 2.5|" --model dimemas "${bus[@]}"
# the third that begins shares one bus with two others, and keeps it
parts '2-1' 'its bytes / (its share of the bandwidth) 0 3|latency 3 3.5|' --model psins-pmac \
	"${bus[@]}" --cfg psins/in-links:0 --cfg psins/out-links:0
# IB is a flow model: two leave a host at a penalty of 1.85
printf '0 send 1 0 999984 6\n1 recv 0 0 999984 6\n2 send 3 0 999984 6\n3 recv 2 0 999984 6\n' \
	>"$work/parts"
ib=(--model IB --cfg network/crosstraffic:no --cfg network/TCP-gamma:0 --cfg \
	network/latency-factor:1 --cfg network/bandwidth-factor:1)
parts '0-1' 'latency None 0 0.1|alone link wire, under a penalty of 3.7 0.1 3.8|' \
	"${ib[@]}" --cfg 'smpi/IB-penalty-factors:1;1.85;1'

# Real programs, models, settings: the same time to the last digit, and causes that add up to the
# rank's time.
python3 "$SRC/tests/peer/traces.py" stencil 8 0 "$work/stencil" || fail "traces.py"
python3 "$SRC/tests/peer/traces.py" cg 8 0 "$work/cg" || fail "traces.py"
nth=0
for trace in stencil cg; do
	for set in "--model hybrid" "--model LV08 --selector ompi" "--model loggps" \
		"--model constant --cfg network/latency-factor:1e-5" \
		"--model loggps:S=100 --selector mpich" \
		"--cfg smpi/os:0:1e-5:1e-10 --cfg smpi/or:0:1e-5:0 --cfg smpi/ois:0:1e-6:0 \
			--selector mvapich2" \
		"--model hybrid --cfg smpi/collectives:analytic" \
		"--model psins-bus" "--cfg compat:simgrid-3.32"; do
		nth=$((nth + 1))
		mine $nth || continue
		# shellcheck disable=SC2086
		"$ORRERY" replay "$work/$trace" -p graphene --json -q $set >"$work/without" ||
			fail "$trace $set"
		for what in rank:3 message:5 message:2-3; do
			# shellcheck disable=SC2086
			"$ORRERY" replay "$work/$trace" -p graphene --json -q $set --explain $what \
				>"$work/with" 2>"$work/err" ||
				{ grep -q 'no such message' "$work/err" &&
					continue; cat "$work/err"; fail "$trace $set $what"; }
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
