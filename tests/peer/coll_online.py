"""Collective calls in SimGrid's on-line mode (smpirun) and in Orrery's replay (compat), one by one.

usage: coll_online.py PROGRAM CASE…
       CASE: PLATFORM:RANKS:PER_HOST:SELECTOR:"operation elements root type seed"
       coll_online.py PROGRAM random COUNT SEED
PROGRAM: mpi/coll_many.c, compiled with smpicc.

Selections differ by factors. The order of equal dates moves some calls by up to 1e-2
(docs/compat.md), so a call agrees within 1e-4, and of random ones within 2e-2. Left out: what the
replayer itself does otherwise (allgatherv GB, whose replay is SimGrid's replay's), and what SimGrid
cannot run (it says which)."""
import math, os, random, re, subprocess, sys, tempfile

ORRERY = os.environ.get("ORRERY", "build-dev/orrery")
SIZE = {0: 8, 1: 4, 6: 1}
OPS = ("barrier bcast reduce allreduce gather gatherv scatter scatterv allgather allgatherv "
       "alltoall alltoallv reducescatter").split()
CLUSTER = ('<cluster id="c" prefix="n" suffix="" radical="0-63" speed="1Gf" bw="1.25GBps" '
           'lat="5us" loopback_bw="10GBps" loopback_lat="1us" %s/>')
PLATFORMS = {
    "flat": CLUSTER % 'bb_bw="10GBps" bb_lat="1us"',
    "crossbar": CLUSTER % "",
    "torus": CLUSTER % 'topology="TORUS" topo_parameters="4,4,4"',
    "fat": CLUSTER % 'topology="FAT_TREE" topo_parameters="2;8,8;1,4;1,1"',
    "dragonfly": CLUSTER % 'topology="DRAGONFLY" topo_parameters="4,2;2,2;4,1;2"',
}
HEAD = '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n<platform version="4.1"><zone id="w" routing="Full">'


def irregular(seed, i, j, n):
    state = seed * 1000003 + i * 1009 + j
    for _ in range(3):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
    return (state >> 33) % (2 * n + 1) if n else 0


def action(case, p, i):
    op, n, root, t, seed = case
    counts = [irregular(seed, k, 0, n) for k in range(p)]
    words = {
        "barrier": [], "bcast": [n, root, t], "reduce": [n, 0, root, t], "allreduce": [n, 0, t],
        "gather": [n, n, root, t, t], "scatter": [n, n, root, t, t],
        "allgather": [n, n, t, t], "alltoall": [n, n, t, t],
        "gatherv": [counts[i], *counts, root, t, t], "scatterv": [*counts, counts[i], root, t, t],
        "allgatherv": [counts[i], *counts, t, t], "reducescatter": [*counts, 0, t]}
    if op == "alltoallv":
        to = [irregular(seed, i, k, n) for k in range(p)]
        got = [irregular(seed, k, i, n) for k in range(p)]
        words[op] = [sum(to), *to, sum(got), *got, t, t]
    return " ".join(map(str, (i, op, *words[op])))


def theirs(program, platform, hosts, p, selector, cases, work):
    with open(f"{work}/cases", "w") as f:
        f.writelines(" ".join(map(str, c)) + "\n" for c in cases)
    out = subprocess.run(["smpirun", "-np", str(p), "-platform", platform, "-hostfile", hosts,
                          "--cfg=smpi/host-speed:1Gf", "--cfg=smpi/wtime:0",
                          "--cfg=smpi/simulate-computation:no",
                          f"--cfg=smpi/coll-selector:{selector}", program, f"{work}/cases"],
                         capture_output=True, text=True, timeout=250)
    return {int(i): float(s) for i, s in re.findall(r"^R (\d+) (\S+)", out.stdout, re.M)}


def ours(platform, hosts, p, selector, case, work):
    with open(f"{work}/t.tit", "w") as f:
        for i in range(p):
            f.write(f"{i} init\n{action(case, p, i)}\n{i} finalize\n")
    out = subprocess.run([ORRERY, "replay", f"{work}/t.tit", "-p", platform, "--hostfile", hosts,
                          "-n", str(p), "-q", "--oversubscribe", "--cfg", "compat:simgrid-3.32",
                          "--cfg", f"smpi/coll-selector:{selector}"],
                         capture_output=True, text=True)
    found = re.search(r"^simulated time: (\S+) s$", out.stdout, re.M)
    return float(found[1]) if found else print(out.stderr)


def compare(program, name, p, per, selector, cases, limit):
    """(how many were compared, how many differ)"""
    with tempfile.TemporaryDirectory() as work:
        with open(f"{work}/p.xml", "w") as f:
            f.write(HEAD + PLATFORMS[name] + "</zone></platform>\n")
        with open(f"{work}/hosts", "w") as f:
            f.writelines(f"n{i // per}\n" for i in range(p))
        wrong, got = 0, theirs(program, f"{work}/p.xml", f"{work}/hosts", p, selector, cases, work)
        if len(got) < len(cases):
            print(f"SimGrid cannot run {cases[len(got)]} with {selector} on {p} ranks, "
                  f"{per} a host")
        for i in got:
            mine = ours(f"{work}/p.xml", f"{work}/hosts", p, selector, cases[i], work)
            if mine is None or abs(mine - got[i]) > limit * max(mine, got[i]) + 2e-9:
                wrong += 1
                case = " ".join(map(str, cases[i]))
                print(f'DIFFERENT {name}:{p}:{per}:{selector}:"{case}" '
                      f'SimGrid {got[i]} orrery {mine}')
        return len(got), wrong


def drawn(r, p, n):
    for i in range(n):
        op, t = OPS[i % len(OPS)], r.choice(list(SIZE))
        most = 2**24 // p // (p if op in ("alltoall", "alltoallv") else 1)
        elements = int(2 ** r.uniform(0, math.log2(most))) // SIZE[t]
        yield op, elements, r.randrange(p), t, r.randrange(2**20)


def leaves_out(selector, case, per):
    # impi: GB; SMP_linear, which loses messages
    return ((selector == "impi" and case[0] in ("allgatherv", "bcast")) or
            (selector == "mvapich2" and case[0] == "gather") or  # by what was called before
            (selector == "ompi" and (case[1] == 0 or (per > 1 and case[0] == "allgatherv"))))


def main(program, *what):
    count = wrong = 0
    if what[0] == "random":
        r = random.Random(int(what[2]))
        for _ in range(int(what[1])):
            name, p = r.choice(list(PLATFORMS)), r.choice([3, 5, 8, 13, 16, 24, 33, 64])
            per = r.choice([1, 2, 4])
            selector = r.choice(["impi", "mvapich2", "mpich", "ompi", "default"])
            cases = [c for c in drawn(r, p, 13) if not leaves_out(selector, c, per)]
            n, bad = compare(program, name, p, per, selector, cases, 2e-2)
            count, wrong = count + n, wrong + bad
    else:
        for one in what:
            name, p, per, selector, text = one.split(":")
            op, *numbers = text.split()
            case = (op, *map(int, numbers))
            n, bad = compare(program, name, int(p), int(per), selector, [case], 1e-4)
            count, wrong = count + n, wrong + bad + (n == 0)
    print(f"{count} calls compared, {wrong} differ")
    return wrong > 0


sys.exit(main(*sys.argv[1:]))
