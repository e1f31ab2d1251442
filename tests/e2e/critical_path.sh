#!/bin/bash
# critical_path.sh: --explain critical-path adds up to the makespan, is what can be worked out by
# hand, and is what a walk back through the recording of the same run finds.
#
# By hand: the run of lib/two_messages.sh. Latency 0.1, 1 s as alone, 0.5 s lost to the other
# message, 1 s of computation.
#
# The walk, of programs that only compute, send and receive: from the end of the rank that ends last
# back to the last call that waited, through the message that ended the wait to the date at which it
# began to move, and on in the rank that came later to it.
set -u
. "$SRC/tests/need.bash"
need python3:python3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; exit 1; }
. "$SRC/tests/e2e/lib/two_messages.sh"
"$ORRERY" replay "$work/t" "${plain[@]}" --explain critical-path >"$work/text" || fail "text"
sed -n '/^critical/,/rank 1: /p' "$work/text" | sed 's/ on b.*//' >"$work/got"
cat >"$work/want" <<'TEXT'
critical path: 2.600000000 s, up to the end of rank 1
           1 s  38.5 %  computation (a rank computes for 250 ms in the mean)
           1 s  38.5 %  messages that move, as fast as alone
        500 ms  19.2 %  contention: messages that others slow down
        100 ms   3.8 %  latency of messages
on it, of the ranks' own time:
           1 s  38.5 %  rank 1
on it, in the calls:
         1.6 s  61.5 %  MPI_Recv
its longest stretches (--explain takes the messages):
  0.000000000 s         1.6 s  message:1, rank 0 to rank 1
  1.600000000 s           1 s  rank 1: computation
TEXT
diff "$work/want" "$work/got" || fail "by hand"

# What decides the time is known whether or not somebody asks for the path: were computations p
# longer, the run would be 1 p of 2.6 s. The recording says the same.
for explain in "--explain critical-path" ""; do
	# shellcheck disable=SC2086
	"$ORRERY" replay "$work/t" "${plain[@]}" $explain >"$work/text"
	grep -q '^trust: .*way of 38 % of the time);.*way of 62 % of the time);.* in all [^(]*$' \
		"$work/text" || fail "trust with '$explain': $(grep ^trust "$work/text")"
done
"$ORRERY" replay "$work/t" "${plain[@]}" -q -o "$work/r" >"$work/text"
"$ORRERY" export "$work/r" -q -o - >"$work/page"
grep -qF "$(sed -n 's/^trust: //p' "$work/text")" "$work/page" || fail "trust in a recording"

# A collective that the model decides as a whole begins with its last member: 2 s of rank 2, then
# two steps (4 ranks) of PSINS, 0.5 s each; what comes after it, 1 s, is on every path.
printf '%s\n' '0 barrier' '1 compute 1e9' '1 barrier' '2 compute 2e9' '2 barrier' '3 barrier' \
	'0 compute 1e9' >"$work/whole"
path() { # TRACE OPTIONS…: cause=seconds …, then messages; trust knows what of it is computation
	"$ORRERY" replay -q --json --explain critical-path "$@" >"$work/json" &&
		"$ORRERY" replay -q --json "$@" >"$work/plain" || fail "$*"
	python3 - "$work/json" "$work/plain" <<'PY'
import json, sys
j = json.load(open(sys.argv[1])); e = j["explain"]
total = sum(c["seconds"] for c in e["causes"])
assert abs(total - j["simulated_time"]) <= 1e-9 * total, (total, j["simulated_time"])
computed = sum(c["seconds"] for c in e["causes"] if c["cause"] == "computation")
trust = json.load(open(sys.argv[2]))["trust"]
share = sum(i["share"] for i in trust["items"] if i["what"] == "computation")
assert abs(share - computed / total) <= 1e-6, (share, computed, total)
print(*sorted("%s=%.6g" % (c["cause"], c["seconds"]) for c in e["causes"]), e["messages"])
PY
}
got=$(path "$work/whole" -p "$work/p.xml" --hostfile "$work/hosts" -n 4 --model psins-bus \
	--cfg psins/latency:0.5)
[[ $got == 'computation=3 whole_collective='*' 0' ]] || fail "whole collective: $got"

# A ring of 127 rounds of 1 s, 32 of which are simulated, and the last: 94 take as long as those.
for ((i = 0; i < 128; i++)); do echo "$i allgather 1 1 6 6"; done >"$work/ring"
cat >"$work/ring.xml" <<'XML'
<platform version="4.1"><cluster id="c" prefix="h" suffix="" radical="0-127" speed="1Gf" bw="1GBps"
lat="500ms"/></platform>
XML
got=$(path "$work/ring" -p "$work/ring.xml" --cfg network/model:CM02 --cfg smpi/allgather:NTSLR \
	--cfg smpi/ring-messages:3000)
[[ $got == *'latency=33 ring_rounds=94.000'*' 33' ]] || fail "rounds of a ring: $got"
got=$("$ORRERY" replay -q --explain rank:7 "$work/ring" -p "$work/ring.xml" \
	--cfg network/model:CM02 --cfg smpi/allgather:NTSLR --cfg smpi/ring-messages:3000)
[[ $got == *'94 s  74.0 %  rounds of a ring that'* ]] || fail "rounds of a ring: $got"

# What goes on behind a rank's back: rank 1 forwards, in a broadcast that does not block, while it
# waits for something else; rank 2 waits for that. 1 s of rank 0, two messages of 1 s, 20 s of rank
# 2.
printf '%s\n' '# orrery-trace 1' '0 compute 1e9' '0 ibcast 1 0 6 req=0' '0 compute 1e10' \
	'0 send 1 0 1 6' '0 wait req=0' '1 ibcast 1 0 6 req=0' '1 recv 0 0 1 6' '1 wait req=0' \
	'2 ibcast 1 0 6 req=0' '2 wait req=0' '2 compute 2e10' >"$work/behind"
cat >"$work/three.xml" <<'XML'
<platform version="4.1"><zone id="z" routing="Full">
<cluster id="c" prefix="h" suffix="" radical="0-2" speed="1Gf" bw="1GBps" lat="500ms"/>
</zone></platform>
XML
got=$(path "$work/behind" -p "$work/three.xml" --model constant --cfg network/latency-factor:1 \
	--cfg smpi/bcast:ompi_pipeline)
[[ $got == 'computation=21 transfer=2 2' ]] || fail "behind a rank's back: $got"

# Of a record that ends early: what rank 0 sends after 1 s arrives 1 s later at rank 1, which waits
# for something else, as rank 0 does; neither was recorded. The run ends with that message.
printf '%s\n' '# orrery-trace 1 ranks=2' '# partial 0' '# partial 1' '0 compute 1e9' \
	'0 send 1 7 1 6' '0 recv 1 9 1 6' '1 irecv 0 7 1 6 req=0' '1 recv 0 8 1 6' '# end 5' \
	>"$work/partial"
machine=(-p "$work/three.xml" --model constant --cfg network/latency-factor:1)
got=$(path "$work/partial" "${machine[@]}" --cfg smpi/os:0:0:0 --cfg smpi/or:0:0:0) || fail "$got"
[[ $got == 'computation=1 transfer=1 1' ]] || fail "a partial trace: $got"
"$ORRERY" replay -q "$work/partial" "${machine[@]}" --explain critical-path >"$work/text" ||
	fail "text of a partial trace"
grep -q '^critical path: .* up to the end of what was recorded, at rank 1 on h1,' "$work/text" ||
	fail "a partial trace: $(grep '^critical' "$work/text")"

cat >"$work/walk.py" <<'PY'
import csv, json, os, random, subprocess, sys
orrery, work, seed = os.environ["ORRERY"], sys.argv[1], int(os.environ.get("PROP_SEED", "1"))
MODELS = [["--model", "CM02"], ["--model", "LV08"], [], ["--model", "constant"],
          ["--model", "CM02", "--cfg", "network/crosstraffic:no"]]
def program(rng, ranks):
    lines = []
    for _ in range(rng.randint(5, 60)):
        if rng.random() < 0.5:
            lines.append("%d compute %d" % (rng.randrange(ranks), rng.randint(1, 10**8)))
            continue
        a, b = rng.sample(range(ranks), 2)
        size = int(10 ** rng.uniform(0, 6))
        lines.append("%d send %d 0 %d 6" % (a, b, size))
        lines.append("%d recv %d 0 %d 6" % (b, a, size))
    return lines + ["%d finalize" % r for r in range(ranks)]
def table(fmt):
    text = subprocess.run([orrery, "export", "-q", work + "/rec", "-f", fmt, "-o", "-"],
                          capture_output=True, text=True, check=True).stdout
    return list(csv.DictReader(text.splitlines()))
def walk():
    calls, messages = table("csv"), table("messages")
    end = {}
    for c in calls:
        end[c["rank"]] = max(end.get(c["rank"], 0), float(c["end"]))
    rank = max(end, key=lambda r: (end[r], -int(r)))
    at, computed, n = end[rank], {}, 0
    while at > 0:
        mine = [c for c in calls if c["rank"] == rank and float(c["start"]) < float(c["end"])
                and float(c["start"]) < at]
        if not mine:
            break
        last = max(mine, key=lambda c: float(c["end"]))
        start, stop = float(last["start"]), min(at, float(last["end"]))
        if last["call"] == "computation":
            computed[rank] = computed.get(rank, 0) + stop - start
            at = start
            continue
        ways = [m for m in messages if float(m["received"]) == float(last["end"]) and
                rank == m["to" if last["call"] == "MPI_Recv" else "from"]]
        if float(last["end"]) > at or not ways:
            at = start # it had not waited yet, or for nobody
            continue
        m = max(ways, key=lambda m: float(m["moved"]))
        at, n = float(m["moved"]), n + 1
        rank = m["from"] if float(m["sent"]) >= at else m["to"]
    return end, computed, n
for case in range(40):
    rng = random.Random(seed * 1000 + case)
    ranks = rng.randint(2, 6)
    with open(work + "/random", "w") as f:
        f.write("\n".join(program(rng, ranks)) + "\n")
    with open(work + "/random.xml", "w") as f:
        f.write('<platform version="4.1"><zone id="z" routing="Full">'
                '<cluster id="c" prefix="h" suffix="" radical="0-5" speed="1Gf" bw="10MBps" '
                'lat="%dus"/></zone></platform>\n' % rng.choice([1, 100, 5000]))
    base = [orrery, "replay", "-q", work + "/random", "-p", work + "/random.xml"]
    base += ["-n", str(ranks), "--cfg", "smpi/os:0:0:0", "--cfg", "smpi/or:0:0:0"]
    base += rng.choice(MODELS)
    subprocess.run(base + ["-o", work + "/rec"], check=True, capture_output=True)
    out = subprocess.run(base + ["--json", "--explain", "critical-path"], check=True,
                         capture_output=True, text=True).stdout
    j = json.loads(out)
    e = j["explain"]
    end, computed, n = walk()
    where = "seed %d case %d: %s" % (seed, case, base)
    assert abs(e["seconds"] - max(end.values())) <= 1e-9 * e["seconds"], where
    total = sum(c["seconds"] for c in e["causes"])
    assert abs(total - j["simulated_time"]) <= 1e-9 * total, where
    out = subprocess.run(base + ["--json"], check=True, capture_output=True, text=True).stdout
    share = sum(i["share"] for i in json.loads(out)["trust"]["items"]
                if i["what"] == "computation")
    got = sum(c["seconds"] for c in e["causes"] if c["cause"] == "computation")
    assert abs(got - sum(computed.values())) <= 1e-9 * total, (got, computed, where)
    assert abs(got - share * total) <= 1e-6 * total, (got, share, total, where)
    assert e["messages"] == n, (e["messages"], n, where)
    own = {str(r["rank"]): r["seconds"] for r in e["ranks"]}
    for r, seconds in computed.items():
        assert own.get(r, 0) >= seconds - 1e-9 * total, (r, own, computed, where)
PY
python3 "$work/walk.py" "$work" || fail "the walk back"
