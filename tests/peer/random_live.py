#!/usr/bin/env python3
"""Random programs of MPI (live/), run for real, in simulations and in SimGrid's SMPI.

usage: random_live.py WHAT FIRST COUNT [STEPS [PARTS]]

data: what each rank receives, and what statuses say, is that of a real run, as processes and as
coroutines, with Open MPI and MPICH; --checks says nothing.
replay: the replay of a run's own trace takes the simulated time of the run to the last digit, on
random platforms under random settings.
smpi: with compat:simgrid-3.32 each step of each rank ends within 1e-6 of SMPI's date, on random
platforms under random settings. What SMPI aborts on is passed over. Left out is what docs/compat.md
has a row for: communicators, MPI_Testany, non-blocking collectives, sets-up of selectors.
PARTS: letters of live/main.c. Exit code 0: all agree; 1: not; 77: what is needed is missing.
"""
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import matrix  # noqa: E402
import random_replays  # noqa: E402

LIMIT, TICK, MOST, LIVE = 1e-6, 3e-9, 8, os.path.join(os.path.dirname(__file__), "live")
ALL, SMPI = "pfas0PQcvrmnigteFWLSDIO", "pfs0cvr"
ONE = ('<platform version="4.1"><zone id="z" routing="Full"><host id="h" speed="1Gf" core="16"/>'
       '</zone></platform>')
REAL = {"mpich": [], "openmpi": ["--oversubscribe", "--mca", "osc", "^rdma", "--mca", "btl",
                                 "self,vader,tcp"]}


def run(words, folder, more=None):
    """Exit code, output, and of (step, rank, part) what it said."""
    for k in range(MOST):
        os.makedirs("%s/%d" % (folder, k), exist_ok=True)
    env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
               **(more or {}))
    q = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                         errors="replace", env=env, start_new_session=True)
    try:
        text = q.communicate(timeout=60)[0]
        code = q.returncode
    except subprocess.TimeoutExpired:
        os.killpg(q.pid, signal.SIGKILL)  # smpirun and mpirun leave their ranks alone
        q.communicate()
        code, text = "no end", ""
    said = {}
    for k in range(MOST):
        name = "%s/said.%d" % (folder, k)
        for line in open(name) if os.path.exists(name) else []:
            word = line.split()
            said[tuple(word[:4])] = word[4:]
        if os.path.exists(name):
            os.remove(name)
    return code, text, said


def simulate(work, program, n, more=(), env=None):
    words = [matrix.ORRERY, "run", "-q", "-n", str(n), "--computation", "none", "--oversubscribe"]
    return run(words + list(more) + ["--"] + program, work, env)


def built(work, what):
    """Programs by the name of their library."""
    there = {}
    for name in ("openmpi", "mpich")[:1 if what == "smpi" else 2]:
        if shutil.which("mpicc." + name) and shutil.which("mpirun." + name):
            there[name] = "%s/play.%s" % (work, name)
    sources = [os.path.join(LIVE, f) for f in sorted(os.listdir(LIVE)) if f.endswith(".c")]
    for name, program in there.items():
        subprocess.run(["mpicc." + name, "-w", "-O1", "-o", program] + sources, check=True)
    if what == "smpi" and shutil.which("smpicc"):
        there["smpi"] = work + "/play.smpi"
        subprocess.run(["smpicc", "-w", "-O1", "-o", there["smpi"]] + sources, check=True)
    return there


def data(work, programs, args):
    """One real run of all seeds beside two simulations."""
    wrong = []
    with open(work + "/one.xml", "w") as f:
        f.write(ONE)
    for name in sorted(set(programs) - {"smpi"}):
        program = [programs[name]] + args
        real = run(["mpirun." + name, "-n", "4"] + REAL[name] + program, work)[2]
        if not real:
            wrong.append("%s: nothing was said by a real run" % name)
        for hold in ("processes", "coroutines"):
            code, text, said = simulate(work, program, 4, [
                "-p", work + "/one.xml", "--checks", "--hold", hold])
            bad = [k for k in sorted(real) if said.get(k) != real[k]]
            if code != 0 or bad or re.search("^(orrery|warning|rank)[^-]*:", text, re.M):
                wrong.append("%s, %s: exit code %s, seed step rank part %s; %s" % (
                    name, hold, code, [" ".join(k) for k in bad[:8]], text[-300:]))
    return wrong, True


def place(seed, work):
    """Number of ranks, options of a machine and settings."""
    r = random.Random("live %d" % seed)
    n = r.randint(2, 5)
    with open(work + "/p.xml", "w") as f:
        f.write(random_replays.Machine("machine %d" % seed).text())
    hosts = random_replays.places(r, work + "/p.xml")
    if len(hosts) < 2:
        return None
    with open(work + "/hosts", "w") as f:
        f.write("".join(hosts[i % len(hosts)] + "\n" for i in range(n)))
    return n, [s for s in random_replays.settings(r) if "simulate-comp" not in s]


def time_of(text):
    got = re.search(r"^simulated time: (\S+) s", text, re.M)
    return got and got[1]


def replay(seed, work, programs, args):
    n, chosen = place(seed, work) or (0, [])
    options = ["-p", work + "/p.xml", "--hostfile", work + "/hosts"]
    options += [w for s in chosen if "network/optim" not in s for w in ("--cfg", s)]
    for name in sorted(set(programs) - {"smpi"}) if n else []:
        live = simulate(work, [programs[name]] + args, n, options + [
            "--hold", "coroutines", "--trace", work + "/t", "--force"], {"PLAY_NO_PEEKS": "1"})
        words = [matrix.ORRERY, "replay", "-q", "-n", str(n), "--oversubscribe"]
        off = run(words + options + [work + "/t"], work)
        if not time_of(live[1]) or time_of(live[1]) != time_of(off[1]):
            return "%s %s: %s, %s" % (name, " ".join(chosen), time_of(live[1]) or live[1][-300:],
                                      time_of(off[1]) or off[1][-300:])
    return None if n else ""


def smpi(seed, work, programs, args):
    n, chosen = place(seed, work) or (0, [])
    if not n:
        return ""
    chosen = [s for s in chosen if not re.search("selector:(mpich|impi|mvapich2)", s)]
    chosen.append("smpi/wtime:0")
    args, env = args + ["times"], {"PLAY_SMPI": "1"}
    code, _, theirs = run(["smpirun", "-np", str(n), "-platform", work + "/p.xml", "-hostfile",
                           work + "/hosts", "--cfg=smpi/simulate-computation:no",
                           "--cfg=smpi/host-speed:1Gf", "--log=root.thres:critical"] +
                          ["--cfg=" + s for s in chosen] + [programs["smpi"]] + args, work, env)
    if code != 0:
        return ""
    options = ["-p", work + "/p.xml", "--hostfile", work + "/hosts", "--hold", "coroutines"]
    options += [w for s in ["compat:simgrid-3.32"] + chosen for w in ("--cfg", s)]
    code, text, said = simulate(work, [programs["openmpi"]] + args, n, options, env)
    if code != 0:
        return text[-300:]
    for k in sorted(theirs):
        a, b = (float(x[k][1]) if k in x else -1 for x in (theirs, said))
        if abs(a - b) > TICK and matrix.apart(a, b) > LIMIT:
            return "%s: %s: %.9g, %.9g" % (" ".join(chosen), " ".join(k), a, b)
    return None


def main():
    what, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    steps = sys.argv[4] if len(sys.argv) > 4 else "12"
    letters = sys.argv[5] if len(sys.argv) > 5 else SMPI if what == "smpi" else ALL
    work = tempfile.mkdtemp()
    programs = built(work, what)
    wrong, agreed = [], 0
    if not set(programs) - {"smpi"} or (what == "smpi" and len(programs) < 2):
        print("MPI libraries, or SimGrid's smpirun, are not installed: skipped")
        shutil.rmtree(work)
        return 77
    if what == "data":
        wrong, agreed = data(work, programs, [str(first), str(count), steps, work, letters])
    for seed in range(first, first + count) if what != "data" else []:
        one = (replay if what == "replay" else smpi)(
            seed, work, programs, [str(seed), "1", steps, work, letters])
        agreed += one is None
        wrong += ["seed %d: %s" % (seed, one)] if one else []
    shutil.rmtree(work)
    for line in wrong:
        print(line)
    print("%s: %d agree, %d do not" % (what, agreed, len(wrong)))
    return 1 if wrong or not agreed else 0


if __name__ == "__main__":
    sys.exit(main())
