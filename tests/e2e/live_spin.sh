#!/bin/bash
# live_spin.sh: who waits in a loop of looks (MPI_Test and its family, MPI_Iprobe, MPI_Improbe,
# MPI_Request_get_status, MPI_Parrived) waits for the message: its time, the critical path and the
# profile say the same as of the program that calls MPI_Wait or MPI_Probe.
#
# By hand, with a model in which every message takes 1 s: rank 0 sleeps for 2 s and sends; rank 1,
# which has looked all the while, sleeps for 1 s. The path is 2 s of rank 0, the message and 1 s of
# rank 1; rank 1 has waited for 2 s for rank 0, who was late.
#
# Programs drawn at random: the causes and the ranks on the path are those of the program that
# waits, add up to its time, and are what they cost: all sleeps longer by a thousandth, or messages
# faster by that, move the end by a thousandth of what the path says of them.
set -u
. "$SRC/tests/need.bash"
need python3:python3
mpicc=$(command -v mpicc.mpich || command -v mpicc.openmpi) ||
	skip "no mpicc of MPICH or Open MPI (Debian: libmpich-dev libopenmpi-dev)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$mpicc" -O1 -w -o "$work/spin" "$SRC/tests/programs/live_spin.c" || exit 1
. "$SRC/tests/e2e/lib/four_hosts.sh"
ways_to_hold
export HOLD=${holds[-1]}
cat >"$work/check.py" <<'PY'
import json, os, random, subprocess, sys
work, seed = sys.argv[1], int(os.environ.get("PROP_SEED", "1"))
WAITS = ["test", "testany", "testall", "testsome", "status"]
PROBES = ["iprobe", "improbe"]
def run(ranks, words, explain, latency="1"):
    out = subprocess.run(
        [os.environ["ORRERY"], "run", "-q", "-n", str(ranks), "-p", work + "/four.xml", "--model",
         "constant", "--cfg", "network/latency-factor:" + latency, "--cfg", "smpi/init:0", "--cfg",
         "smpi/os:0:0:0", "--cfg", "smpi/or:0:0:0", "--computation", "none", "--json", "--profile",
         "--hold", os.environ["HOLD"] if ranks > 2 else "processes", "--cfg", "smpi/iprobe:1e-5"] +
        (["--explain", explain] if explain else []) + ["--", work + "/spin"] + words,
        capture_output=True, text=True)
    assert out.returncode == 0, (out.returncode, out.stderr, words)
    return json.loads(out.stdout)
def causes(j):
    c = {}
    for x in j["explain"]["causes"]:
        c[x["cause"]] = c.get(x["cause"], 0) + x["seconds"]
    assert abs(sum(c.values()) - j["explain"]["seconds"]) <= 1e-9 * sum(c.values()), c
    return c
def near(got, want, what, error=1e-9):
    for k in set(got) | set(want):
        assert abs(got.get(k, 0) - want.get(k, 0)) < error, (what, got, want)
def owners(j):
    return {r["rank"]: r["seconds"] for r in j["explain"]["ranks"]}

for way in ["wait", "probe", "ibarrier", "parrived"] + WAITS + PROBES:
    if way == "parrived" and sys.argv[2] != "4":
        continue
    j = run(2, [way], "critical-path")
    near({"end": j["simulated_time"]}, {"end": 4}, way)
    near(causes(j), {"sleep": 3, "transfer": 1}, way)
    near(owners(j), {0: 2, 1: 1}, way)
    late = causes(run(2, [way], "rank:1"))
    near(late, {"late_peer": 2, "sleep": 1, "transfer": 1}, way)
# A hundred looks in vain, the n-th of which takes n * 1e-5 s, are overhead. In the profile all but
# the first of them are waiting, as the receive is while rank 0 sleeps.
near(causes(run(2, ["vain"], "rank:1")), {"overhead": 0.0505, "late_peer": 1.9495, "sleep": 1,
                                          "transfer": 1}, "vain")
near({"wait": run(2, ["vain"], None)["profile"]["classes"]["wait"]["seconds"]}, {"wait": 2 - 1e-5},
     "vain")
for case in range(3):
    rng = random.Random(seed * 1000 + case)
    drawn = str(rng.randrange(1 << 30))
    for calm, ways in (("wait", WAITS), ("probe", PROBES)):
        want, way = run(4, [calm, drawn], "critical-path"), rng.choice(ways)
        j, where = run(4, [way, drawn], "critical-path"), "live_spin %s %s" % (way, drawn)
        error = 12e-7 if way == "status" else 1e-9 # 12 rounds, in which a look takes 1e-7 s
        total = j["simulated_time"]
        near({"end": total}, {"end": want["simulated_time"]}, where, error)
        near({"end": sum(causes(j).values())}, {"end": total}, where)
        near(causes(j), causes(want), where, error)
        near(owners(j), owners(want), where, error)
        rank = "rank:%d" % rng.randrange(4)
        near(causes(run(4, [way, drawn], rank)), causes(run(4, [calm, drawn], rank)), where,
             error)
        c = causes(j)
        longer = run(4, [way, drawn, "1.001"], None)["simulated_time"]
        near({"longer": longer - total}, {"longer": 1e-3 * c.get("sleep", 0)}, where, 1e-6)
        faster = run(4, [way, drawn], None, "0.999")["simulated_time"]
        near({"faster": total - faster}, {"faster": 1e-3 * c.get("transfer", 0)}, where, 1e-6)
PY
cat >"$work/version.c" <<'C'
#include <mpi.h>
version MPI_VERSION
C
version=$("$mpicc" -E "$work/version.c" | sed -n 's/^version //p')
python3 "$work/check.py" "$work" "$version"
