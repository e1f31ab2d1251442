#!/bin/bash
# trust_path.sh: the share of the time that the line trust calls computation is that of the critical
# path, as --explain critical-path finds it in a run of its own: programs drawn at random, with
# messages of all sizes and forms, waits for all and any and some, collectives with messages and
# decided as a whole, on machines and with models that differ.
#
# The two are found in ways that have nothing in common but the dates: the explanation listens to
# each message, and keeps paths; the other carries two sums along with messages (src/mp/path.c), and
# takes all the shortcuts of a run that nobody watches.
set -u
. "$SRC/tests/need.bash"
need python3:python3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/check.py" <<'PY'
import json, os, random, subprocess, sys
orrery, src, work = os.environ["ORRERY"], os.environ["SRC"], sys.argv[1]
seed = int(os.environ.get("PROP_SEED", "1"))
MACHINES = ["graphene", "dahu", src + "/tests/platforms/torus_3d.xml",
            src + "/tests/platforms/mixed.psins"]
SETTINGS = ["", "compat:simgrid-3.32", "network/model:LV08", "network/model:constant",
            "smpi/collectives:analytic", "network/model:dimemas", "network/model:psins-bus",
            "smpi/progress:calls", "smpi/progress:async"]
PROGRAMS = [("ring", 8), ("stencil", 16), ("cg", 16), ("coll", 13), ("mix", 8), ("mix", 16),
            ("p2p", 12), ("any", 8)]
def run(options):
    out = subprocess.run([orrery, "replay", "-q", "--json", "--oversubscribe"] + options,
                         capture_output=True, text=True)
    assert out.returncode == 0, (out.stderr, options)
    return json.loads(out.stdout)
for case in range(40):
    rng = random.Random(seed * 1000 + case)
    kind, ranks = PROGRAMS[case % len(PROGRAMS)]
    folder = "%s/%d" % (work, case)
    subprocess.run([sys.executable, src + "/tests/peer/traces.py", kind, str(ranks),
                    str(seed * 1000 + case), folder], check=True)
    setting = SETTINGS[case % len(SETTINGS)]
    options = [folder + "/list", "-p", rng.choice(MACHINES)]
    options += ["--cfg", setting] if setting else []
    watched, plain = run(options + ["--explain", "critical-path"]), run(options)
    assert watched["simulated_time"] == plain["simulated_time"], options
    computed = sum(c["seconds"] for c in watched["explain"]["causes"]
                   if c["cause"] == "computation") / watched["simulated_time"]
    for j in (watched, plain):
        share = sum(i["share"] for i in j["trust"]["items"] if i["what"] == "computation")
        assert abs(share - computed) < 1e-6, (seed, case, options, share, computed)
PY
python3 "$work/check.py" "$work"
