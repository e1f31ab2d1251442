#!/bin/bash
# critical_waits.sh: the critical path goes through whatever ranks wait for: one-sided operations,
# locks that others hold, partitions, messages that are probed for.
#
# By hand, with a model in which every message takes 1 s (the window is made before, in `made`
# seconds; a barrier of two goes there and back):
#   fence      rank 0 computes for 1 s, then puts: 1 s, and its word for the barrier: 1 s; rank 1
#              computes for 1 s
#   lock       rank 1 asks, is granted (2 s), holds the lock for 3 s; its release, and the grant of
#              rank 2, who has asked in vain: 2 s; rank 2 computes for 1 s
#   start      rank 1 computes for 2 s, then posts: 1 s; rank 0 puts, and says that it is complete
#              when that has arrived: 2 s; rank 1 computes for 1 s
#   ready      rank 0 computes for 2 s before its last partition: 1 s; rank 1 computes for 1 s
#   asks       the same, of a receiver that waits for this partition (MPI_Parrived)
#   receives   the same, of a receiver that starts after 3 s
#   probe      rank 0 computes for 2 s before it sends; who probes for that computes for 4 s before
#              it receives, which lets the message begin: 1 s
# A get from a rank that does nothing, over a link of 1 MB/s and 0.1 s that a long message shares
# all the while: 16 bytes there and 1 MB back, each with its latency, at half of the rate.
#
# What the path says is what it costs: programs drawn at random, on processors that are faster by a
# millionth, end earlier by a millionth of what the path computes; and so of what the line trust has
# of it without an explanation (src/mp/path.c).
set -u
. "$SRC/tests/need.bash"
need python3:python3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$SRC/tests/e2e/lib/two_messages.sh"
. "$SRC/tests/e2e/lib/four_hosts.sh"
cat >"$work/check.py" <<'PY'
import json, os, random, subprocess, sys
work, seed = sys.argv[1], int(os.environ.get("PROP_SEED", "1"))
CONSTANT = ["-p", work + "/four.xml", "--model", "constant", "--cfg", "network/latency-factor:1",
            "--cfg", "smpi/barrier:ompi_basic_linear", "--cfg", "smpi/init:0"]
FREE = CONSTANT + ["--cfg", "smpi/os:0:0:0", "--cfg", "smpi/or:0:0:0"]
def run(lines, options, explain="critical-path"):
    with open(work + "/trace", "w") as f:
        f.write("\n".join(["# orrery-trace 1"] + lines) + "\n")
    out = subprocess.run([os.environ["ORRERY"], "replay", "-q", work + "/trace", "--json"] +
                         (["--explain", explain] if explain else []) + options,
                         capture_output=True, text=True)
    assert out.returncode == 0, (out.stderr, lines)
    return json.loads(out.stdout)
def causes(j):
    c = {}
    for x in j["explain"]["causes"]:
        c[x["cause"]] = c.get(x["cause"], 0) + x["seconds"]
    assert abs(sum(c.values()) - j["explain"]["seconds"]) <= 1e-9 * sum(c.values()), c
    return c
def window(ranks):
    return ["%d win_create 8 win=0" % r for r in range(ranks)]
def trusted(lines, options):
    """Seconds of the time that the line trust, which no explanation is asked for, has computed."""
    j = run(lines, options, None)
    return j["simulated_time"] * sum(i["share"] for i in j["trust"]["items"]
                                     if i["what"] == "computation")
def near(got, want, what):
    for k in set(got) | set(want):
        assert abs(got.get(k, 0) - want.get(k, 0)) < 1e-9, (what, got, want)
def by_hand(name, ranks, lines, computes, moves, win=True):
    made = run(window(ranks), FREE)["simulated_time"] if win else 0
    lines = (window(ranks) if win else []) + lines
    j = run(lines, FREE)
    near({"end": j["simulated_time"]}, {"end": made + computes + moves}, name)
    near(causes(j), {"computation": computes, "transfer": made + moves}, name)
    near({"trust": trusted(lines, FREE)}, {"trust": computes}, name)
    for what, less in ((["--what-if", "speed=2x"], computes / 2),
                       (["--cfg", "network/latency-factor:0.5"], (made + moves) / 2)):
        got = run(lines, FREE + what, None)["simulated_time"]
        near({"end": got}, {"end": made + computes + moves - less}, (name, what))
    return lines, j
by_hand("fence", 2, ["0 compute 1e9", "0 put 1 8 6 win=0", "0 win_fence win=0", "1 win_fence win=0",
                     "1 compute 1e9"], 2, 2)
lock, j = by_hand("lock", 3, ["1 win_lock 0 win=0 lock=exclusive", "1 compute 3e9",
                              "1 win_unlock 0 win=0", "2 compute 5e8",
                              "2 win_lock 0 win=0 lock=exclusive", "2 win_unlock 0 win=0",
                              "2 compute 1e9"], 4, 4)
assert [r["rank"] for r in j["explain"]["ranks"]] == [1, 2], j["explain"]["ranks"]
assert {f["function"]: f["seconds"] for f in j["explain"]["functions"]}["MPI_Win_lock"] == 3
by_hand("start", 2, ["1 compute 2e9", "1 win_post win=0 group=0", "1 win_wait win=0",
                     "1 compute 1e9", "0 win_start win=0 group=1", "0 put 1 8 6 win=0",
                     "0 win_complete win=0"], 3, 3)
PARTS = ["0 psend_init 1 0 2 8 6 req=0", "0 start reqs=0", "1 precv_init 0 0 2 8 6 req=0"]
READY = ["0 pready req=0 parts=0", "0 compute 2e9", "0 pready req=0 parts=1", "0 wait req=0"]
by_hand("ready", 2, PARTS + READY + ["1 start reqs=0", "1 wait req=0", "1 compute 1e9"], 3, 1,
        False)
by_hand("receives", 2, PARTS + READY + ["1 compute 3e9", "1 start reqs=0", "1 wait req=0",
                                        "1 compute 1e9"], 4, 1, False)
by_hand("asks", 2, PARTS + READY + ["1 start reqs=0", "1 parrived req=0 parts=1",
                                    "1 compute 1e9", "1 wait req=0"], 3, 1, False)
by_hand("probe", 2, ["0 compute 2e9", "0 send 1 0 8 6", "1 probe 0 0", "1 compute 4e9",
                     "1 recv 0 0 8 6"], 6, 1, False)
# Rank 2 waits for the lock for 6.5 s; for the last of them the grant moves. While the window is
# made it waits for rank 1 in two allreduces of three ranks, in which rank 1 hears of rank 0 first:
# 1 s.
late = [c for c in run(lock, FREE, "rank:2")["explain"]["causes"] if c.get("what") == "rank 1"]
assert [c["cause"] for c in late] == ["late_peer"], late
assert abs(late[0]["seconds"] - (2 + 5.5)) < 1e-9, late

wire = sys.argv[2:]
get = window(4) + ["2 send 3 0 50000000 6", "3 recv 2 0 50000000 6", "0 sleep 1"]
end = ["0 compute 1e11"]
without = causes(run(get + end, wire))
j = run(get + ["0 win_lock 1 win=0 lock=unchecked", "0 get 1 999984 6 win=0",
               "0 win_unlock 1 win=0"] + end, wire)
near({k: v - without.get(k, 0) for k, v in causes(j).items()},
     {"latency": .2, "alone": 1.000016, "contention": 1.000016}, "get")

def draw(rng):
    ranks, lines, parts = rng.randint(2, 4), [], 0
    lines = window(ranks)
    def computes(r):
        lines.append("%d compute %d" % (r, rng.randint(1, 4 * 10**9)))
    def access(r, to):
        for _ in range(rng.randint(0, 2)):
            lines.append("%d %s %d %d 6 win=0" % (r, rng.choice(["put", "get", "accumulate"]), to,
                                                  rng.randint(1, 10**6)))
    for _ in range(rng.randint(3, 12)):
        a, b = rng.sample(range(ranks), 2)
        kind = rng.randrange(7)
        computes(rng.randrange(ranks))
        if kind == 0:
            for r in range(ranks):
                access(r, (r + 1) % ranks)
                lines.append("%d win_fence win=0" % r)
        elif kind <= 2:
            for r in rng.sample(range(ranks), rng.randint(1, ranks)):
                lines.append("%d win_lock %d win=0%s" % (r, a, rng.choice([" lock=exclusive", ""])))
                access(r, a)
                computes(r)
                if rng.random() < .5:
                    lines.append("%d win_flush %d win=0" % (r, a))
                lines.append("%d win_unlock %d win=0" % (r, a))
        elif kind == 3:
            lines.append("%d win_post win=0 group=%d" % (a, b))
            lines.append("%d win_start win=0 group=%d" % (b, a))
            access(b, a)
            computes(b)
            lines.append("%d win_complete win=0" % b)
            lines.append("%d win_wait win=0" % a)
        elif kind == 4:
            parts += 1
            lines.append("%d psend_init %d %d 2 64 6 req=%d" % (a, b, parts, parts))
            lines.append("%d precv_init %d %d 2 64 6 req=%d" % (b, a, parts, parts))
            if rng.random() < .5:
                computes(b)
            for r in (a, b):
                lines.append("%d start reqs=%d" % (r, parts))
            for p in range(2):
                lines.append("%d pready req=%d parts=%d" % (a, parts, p))
                computes(a)
            for r in (a, b):
                lines.append("%d wait req=%d" % (r, parts))
        else:
            lines.append("%d send %d 0 %d 6" % (a, b, 10 ** rng.randint(0, 6)))
            if kind == 5:
                lines.append("%d probe %d 0" % (b, a))
                computes(b)
            lines.append("%d recv %d 0 1000000 6" % (b, a))
    return lines
for case in range(60):
    rng = random.Random(seed * 1000 + case)
    lines = draw(rng)
    options = CONSTANT + ["--cfg", "smpi/one-sided:" + rng.choice(["hardware", "messages"])]
    j = run(lines, options)
    c = causes(j)
    assert c.get("not_followed", 0) == 0, (seed, case, c, lines)
    near({"end": j["simulated_time"]}, {"end": sum(c.values())}, (seed, case))
    faster = run(lines, options + ["--what-if", "speed=1.000001x"], None)["simulated_time"]
    for computed in (c.get("computation", 0), trusted(lines, options)):
        less = computed * (1 - 1 / 1.000001)
        assert abs(j["simulated_time"] - faster - less) < 1e-2 * less + 1e-9, (
            seed, case, j["simulated_time"] - faster, less, c, computed, lines)
PY
python3 "$work/check.py" "$work" "${plain[@]}"
