#!/usr/bin/env python3
"""Platforms x traffic: SimGrid's replayer and Orrery, date by date.

usage: matrix.py [--quick] [--table FILE] [--keep DIR] [PLATFORM[:PATTERN]…]

Every platform of tests/platforms that SimGrid can run, every pattern below. With
compat:simgrid-3.32, every action of every rank must end at SimGrid's date, within 1e-4 of it. By
default, the simulated time must be SimGrid's within 1e-4, or CONSTRUCTS below name what makes the
difference: docs/compat.md has a row for it, and once it is taken out of the platform and the
settings, the two agree by default.

--quick: two of the patterns for each platform, by turns. --table: what docs/validation-simgrid.md
is. --keep: traces stay. Exit code 0: all agree; 1: not; 77: no SimGrid. Needs ORRERY, and
peer_platform_dump next to it.
"""
import concurrent.futures
import glob
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
from traces import EDGES, Program  # noqa: E402

LIMIT = 1e-4
TICK = 2e-9  # seconds: SimGrid puts events together that are 1 ns apart
ORRERY = os.environ.get("ORRERY", "build-dev/orrery")
DUMP = os.path.join(os.path.dirname(ORRERY), "tests/peer_platform_dump")


# --- the patterns ---
def ring(p):
    for size in (1, 5000, 100000):
        for rank in range(p.n):
            to, frm = (rank + 1) % p.n, (rank - 1) % p.n
            if rank:
                p.put(rank, "recv", frm, 0, size, 6)
            p.put(rank, "compute", 10**5)
            p.put(rank, "send", to, 0, size, 6)
            if rank == 0:
                p.put(rank, "recv", frm, 0, size, 6)


def exchange(p, partner, sizes):
    """Both ways at once between each rank and its partner(rank), which may be None."""
    for size in sizes:
        for rank in range(p.n):
            other = partner(rank)
            if other is not None and other < p.n:
                p.put(rank, "irecv", other, 0, size, 6)
                p.put(rank, "isend", other, 0, size, 6)
                p.put(rank, "waitall", 2)


def pairs(p):
    for k in range(p.n - 1):
        # a tournament: everybody meets everybody
        m = p.n - 1 + p.n % 2
        def meets(r, k=k, m=m):
            if r == m:
                return next((x for x in range(m) if (2 * x - k) % m == 0), None)
            other = (k - r) % m
            return m if other == r else other
        exchange(p, meets, [[2000, 70000, 300000][k % 3]])


def crowd(p, inwards):
    """All send to one, or one to all, at one date."""
    for root in (0, p.n - 1):
        for size in (100, 20000, 200000):
            for rank in (r for r in range(p.n) if r != root):
                one, other = (root, rank) if inwards else (rank, root)
                p.put(one, "irecv", other, 0, size, 6)
                p.put(other, "isend", one, 0, size, 6)
            p.all("waitall")


def edges(p):
    """Between random pairs, sizes around each threshold, one after the other and all at once;
    senders late, then receivers late."""
    for edge in EDGES:
        for size in sorted({max(0, edge + d) for d in (-17, -16, -15, -1, 0, 1)}):
            a, b = p.r.sample(range(p.n), 2)
            p.compute(p.r.choice([a, b]))
            p.put(a, "send", b, p.tag(), size, 6)
            p.put(b, "recv", a, p.last_tag, size, 6)
    for _ in range(2):
        p.exchange()


def alltoall(p):
    for size in (8, 3000, 50000):
        p.all("alltoall", size, size, 6, 6)


def tree(p):
    for size in (1, 3000, 100000):
        p.all("bcast", size, (size + 1) % p.n, 6)
        p.all("allreduce", size, 10 * size, 6)


def collectives(p):
    for name in ("barrier", "reduce", "allgather", "gather", "scatter", "gatherv", "scatterv",
                 "allgatherv", "reducescatter", "alltoallv", "scan"):
        p.collective(name)


def work(p):
    """Computations that overlap messages and each other: ranks share cores when they are more than
    those."""
    for step in range(4):
        for rank in range(p.n):
            size = [1000, 40000, 66000, 150000][(rank + step) % 4]
            to, frm = (rank + 1 + step) % p.n, (rank - 1 - step) % p.n
            got = [1000, 40000, 66000, 150000][(frm + step) % 4]
            if to == rank:
                continue
            p.put(rank, "irecv", frm, step, got, 6)
            p.compute(rank)
            p.put(rank, "isend", to, step, size, 6)
            p.compute(rank)
            p.put(rank, "waitall", 2)


def inside(p):
    """Ranks of one host among themselves (ranks come round the hosts by turns), then all
    together."""
    half = p.n // 2
    exchange(p, lambda r: (r + half) % (2 * half) if r < 2 * half else None, (500, 64000, 400000))
    p.shift()
    p.exchange()


# name: (program, ranks per host, settings)
PATTERNS = {
    "ring": (ring, 1, []),
    "pairs": (pairs, 1, []),
    "incast": (lambda p: crowd(p, True), 1, []),
    "outcast": (lambda p: crowd(p, False), 1, []),
    "edges": (edges, 1, []),
    "one way": (edges, 1, ["network/crosstraffic:no"]),
    "eager": (edges, 1, ["smpi/async-small-thresh:6000", "smpi/os:0:1e-5:1e-10;4096:2e-5:2e-10",
                         "smpi/or:0:2e-5:3e-10", "smpi/ois:0:5e-6:1e-10"]),
    "alltoall": (alltoall, 1, []),
    "tree": (tree, 1, []),
    "others": (collectives, 1, []),
    "work": (work, 3, []),
    "inside": (inside, 2, []),
    "LV08": (edges, 1, ["network/model:LV08"]),
    "CM02": (pairs, 1, ["network/model:CM02"]),
}

# What makes the default's times differ, as docs/compat.md names it, and how to take it out of a
# platform (its text) and of settings, changing nothing else that the two would take differently. A
# cell is explained by the fewest of them, in this order, whose removal makes the two agree.
def drop(pattern, by=""):
    """Replaces text of the platform."""
    return lambda text, settings: (re.sub(pattern, by, text), settings)


def one_chassis(text, settings):
    """All routers of a group in one chassis: there is no second one to be in."""
    def flat(m):
        return '%s%s;1,%s;%d,%s;%s"' % (m[1], m[2], m[4], int(m[3]) * int(m[5]), m[6], m[7])
    text = re.sub(r'(topology="DRAGONFLY" topo_parameters=")'
                  r'(\d+,\d+);(\d+),(\d+);(\d+),(\d+);(\d+)"', flat, text)
    return re.sub(r'<link_ctn id="green_link[^"]*"/>', '<link_ctn id="x"/>', text), settings


def one_level_parallel(text, settings):
    def one(m):
        return m[1] + ",".join(["1"] * m[2].count(",") + [m[2].split(",")[-1]]) + '"'
    return re.sub(r'(topology="FAT_TREE" topo_parameters="[^"]*;)([\d,]+)"', one, text), settings


def no_tables(text, settings):
    text = re.sub(r'<prop id="smpi/o(s|r|is)"[^>]*/>', "", text)
    return text, [s for s in settings if not re.match("smpi/o(s|r|is):", s)]


SHARING = "flows that start or end at one date"  # taken out by network/optim:Full
CONSTRUCTS = {
    '`<cluster sharing_policy="FATPIPE">`':
        drop(r'(<cluster[^>]*sharing_policy=)"FATPIPE"', r'\1"SHARED"'),
    "fat tree, parallel cables on several levels": one_level_parallel,
    "several fat trees in one platform":
        drop(r'topology="FAT_TREE" topo_parameters="2;2,3;[^"]*"',
             'topology="TORUS" topo_parameters="2,3"'),
    "dragonfly, ways inside a group": one_chassis,
    "torus, a host to itself without `loopback_*`":
        drop(r'(topology="TORUS"(?![^>]*loopback_bw))',
             r'loopback_bw="6GBps" loopback_lat="1us" \1'),
    "`<bypassZoneRoute>`, an end that is itself the gateway":
        drop(r"<bypassZoneRoute.*?</bypassZoneRoute>"),
    "message without latency phase (links of latency 0, or factor 0)":
        drop(r'latency="0"', 'latency="1us"'),
    "flows of different weights on a FATPIPE link":
        drop(r'(<link [^>]*sharing_policy=)"FATPIPE"', r'\1"SHARED"'),
    "os, or, ois of a size up to the first threshold of the table": no_tables,
}
# Settings of a file that the two read differently under this model: `network/latency-factor`, … in
# docs/compat.md.
SKIPPED = {("config", "LV08"), ("config", "CM02")}


# --- running ---
class Cell:
    def __init__(self, platform, pattern):
        self.platform, self.pattern = platform, pattern
        self.compat = self.default = None  # relative differences
        self.reasons = None  # constructs that make the default's
        self.words = ""  # what went wrong


def shell(words):
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


def places(file):
    """Hosts that have a way to each other and to themselves, as SimGrid sees it: at most 8, spread
    over the platform."""
    code, out, err = shell([DUMP, file, "compat:simgrid-3.32"])
    if code:
        raise RuntimeError(err)
    order, way = [], {}
    for line in out.splitlines():
        words = line.split()
        if words[0] == "place":
            order.append(words[2])
        elif words[0] == "route":
            way[words[1], words[2]] = words[3] != "none"
    order = order[:: max(1, len(order) // 8)]
    chosen = []
    for host in order:
        # (routes of large platforms are sampled: what was not seen is taken to exist)
        ways = [pair for other in chosen for pair in ((host, other), (other, host))]
        if all(way.get(pair, True) for pair in ways) and len(chosen) < 8:
            chosen.append(host)
    return chosen, all(way.get((host, host), True) for host in chosen)


def simgrid(platform, hosts, trace, ranks, settings):
    """Dates of the ends of each rank's actions, and the simulated time, in SimGrid; or what it
    said."""
    words = ["smpirun", "-replay", trace, "-np", str(ranks), "-platform", platform,
             "-hostfile", hosts, "--cfg=smpi/display-timing:1", "--cfg=smpi/host-speed:1Gf"]
    words += ["--cfg=" + s for s in settings]
    words += ["--log=smpi_replay.thres:verbose", "--log=root.fmt:%.15d|%i|%m%n"]
    code, out, err = shell(words)
    dates, end = {}, None
    for line in (out + err).splitlines():
        got = re.match(r"([0-9.]+)\|(\d+)\|(\d+) (?!init|finalize)\w+ .*", line)
        if got:
            dates.setdefault(int(got[3]), []).append(float(got[1]))
        got = re.match(r"([0-9.]+)\|\d+\|Simulat\w+ time", line)
        if got:
            end = float(got[1])
    if code or end is None:
        return None, None, (out + err)[-600:]
    return dates, end, ""


def orrery(platform, hosts, trace, ranks, settings, recording=None):
    words = [ORRERY, "replay", trace, "-p", platform, "--hostfile", hosts, "-n", str(ranks), "-q",
             "--oversubscribe"]
    words += [w for s in settings for w in ("--cfg", s)] + (["-o", recording] if recording else [])
    code, out, err = shell(words)
    got = re.search(r"^simulated time: (\S+) s$", out, re.M)
    if code or not got:
        return None, None, err or out
    dates = {}
    if recording:
        code, out, err = shell([ORRERY, "export", recording, "-f", "csv", "-o", "-", "-q"])
        for line in out.splitlines()[1:]:
            rank, call, _, end = line.split(",")[:4]
            if call not in ("MPI_Init", "MPI_Finalize"):
                dates.setdefault(int(rank), []).append(float(end))
    return dates, float(got[1]), ""


def steps(dates):
    """Without repetitions: calls that take no time are not told alike by the two."""
    return [d for i, d in enumerate(dates) if i == 0 or d - dates[i - 1] > 2e-9]


def apart(a, b):
    return abs(a - b) / max(abs(a), abs(b)) if a != b else 0.0


def compare(cell, work):
    program, per_host, settings = PATTERNS[cell.pattern]
    name = os.path.splitext(os.path.basename(cell.platform))[0]
    base = os.path.join(work, "%s.%s" % (name, cell.pattern.replace(" ", "_")))
    hosts, loops = places(cell.platform)
    if len(hosts) < 2 or (per_host > 1 and not loops):
        cell.words = "no way"
        return cell
    ranks = len(hosts) * per_host
    p = Program(ranks, "%s %s" % (name, cell.pattern))
    program(p)
    p.write(base)
    with open(base + ".hosts", "w") as f:
        f.write("\n".join(hosts) + "\n")
    args = (cell.platform, base + ".hosts", base + "/list", ranks)
    theirs, their_end, words = simgrid(*args, settings)
    if theirs is None:
        cell.words = "SimGrid fails: " + words
        return cell
    ours, our_end, words = orrery(*args, settings + ["compat:simgrid-3.32"], base + ".rec")
    if ours is None:
        cell.words = "Orrery fails: " + words
        return cell
    cell.compat, where = apart(their_end, our_end), "end %r %r" % (their_end, our_end)
    for rank in range(ranks):
        a, b = steps(theirs.get(rank, [])), steps(ours.get(rank, []))
        if len(a) != len(b):
            cell.compat, where = 1.0, "rank %d: %d actions and %d" % (rank, len(a), len(b))
            continue
        for i, (x, y) in enumerate(zip(a, b)):
            if apart(x, y) > cell.compat and abs(x - y) > TICK:
                cell.compat, where = apart(x, y), "rank %d, action %d: %r %r" % (rank, i, x, y)
    if cell.compat > LIMIT:
        cell.words = "DIFFERENT: %.1e, %s" % (cell.compat, where)
    _, default_end, words = orrery(*args, settings)
    if default_end is None:
        cell.words += " by default: " + words
    else:
        cell.default = apart(their_end, default_end)
        if cell.default > LIMIT:
            cell.reasons = reasons(args, settings, base)
    return cell


def agrees(args, settings):
    """Whether the two agree by default: [] or [SHARING] (with network/optim:Full); None: they do
    not."""
    _, ours, _ = orrery(*args, settings)
    for more, why in ([], []), (["network/optim:Full"], [SHARING]):
        _, theirs, _ = simgrid(*args, settings + more)
        if ours is not None and theirs is not None and apart(ours, theirs) <= LIMIT:
            return why
    return None


def reasons(args, settings, base):
    """The fewest constructs whose removal makes the two agree by default, at most two and SHARING;
    None: there are none."""
    with open(args[0]) as f:
        text = f.read()
    there = [name for name, remove in CONSTRUCTS.items()
             if remove(text, settings) != (text, settings)]
    for n in range(3):
        for names in itertools.combinations(there, n):
            less, kept = text, settings
            for name in names:
                less, kept = CONSTRUCTS[name](less, kept)
            with open(base + ".less.xml", "w") as f:
                f.write(less)
            rest = agrees((base + ".less.xml",) + args[1:], kept)
            if rest is not None:
                return list(names) + rest
    return None


def stem(cell):
    return os.path.splitext(os.path.basename(cell.platform))[0]


def reason(cell):
    """What explains the default's difference, once the documentation has a row for each; or
    None."""
    with open("docs/compat.md") as f:
        rows = re.sub(r" +", " ", f.read())
    known = cell.reasons and all("| %s |" % why in rows for why in cell.reasons)
    return "; ".join(cell.reasons) if known else None


HEAD = """# Orrery and SimGrid 3.32, platform by platform

Made by `make peer` (`tests/peer/matrix.py --table`): %d replays of %d platform files
(`tests/platforms`) under %d kinds of traffic, in SimGrid and in Orrery.

## With compat:simgrid-3.32

The greatest relative difference between the dates at which an action of any rank ends: one number
for each platform and traffic. 1e-8 is what remains of rounding and of the digits that SimGrid
prints; over 1e-4 would be a failure. `-`: the traffic needs a way from a host to itself, or two
hosts with a way, and there is none, or the model does not read the file's settings as SimGrid does.

"""

TRAFFIC = """
| traffic | what |
|---|---|
| ring | a token of 1 B, 5 kB, 100 kB goes round, computations between |
| pairs | everybody meets everybody, both ways at once, 2 to 300 kB |
| incast, outcast | all send to one, one to all, at one date: 100 B, 20 kB, 200 kB |
| edges | sizes around every threshold of factors and protocols, alone, late, and in random crowds |
| one way | the same without cross-traffic |
| eager | the same with eager messages and overheads |
| alltoall, tree, others | collectives: alltoall; bcast and allreduce; eleven more |
| work | computations and messages overlapped, three ranks a host: they share its cores |
| inside | two ranks a host: among themselves, then all together |
| LV08, CM02 | `edges` and `pairs` under these models |

## Without compat

Where the simulated time differs by more than 1e-4 by default, and the constructs of `compat.md`
that make the difference: each has been taken out of the platform or of the settings, and the two
agreed (`flows that start or end at one date`: with SimGrid's network/optim:Full). Everywhere else
they agree.

| platform | traffic | up to | because of |
|---|---|---|---|
"""


def table_write(path, cells):
    platforms = sorted({stem(c) for c in cells})
    with open(path, "w") as f:
        f.write(HEAD % (sum(c.compat is not None for c in cells), len(platforms), len(PATTERNS)))
        f.write("| platform | %s |\n|---|%s\n" % (" | ".join(PATTERNS), "---|" * len(PATTERNS)))
        for name in platforms:
            row = {c.pattern: c for c in cells if stem(c) == name}
            known = [p for p in PATTERNS if p in row and row[p].compat is not None]
            texts = ["%.0e" % row[p].compat if p in known else "-" for p in PATTERNS]
            f.write("| %s | %s |\n" % (name, " | ".join(texts)))
        f.write(TRAFFIC)
        for name in platforms:
            found = {}
            for c in cells:
                if stem(c) == name and c.default is not None and c.default > LIMIT:
                    found.setdefault(reason(c), []).append(c)
            for why, those in found.items():
                f.write("| %s | %s | %.0e | %s |\n" % (
                    name, ", ".join(c.pattern for c in those), max(c.default for c in those), why))


def main():
    args = sys.argv[1:]
    quick, table, keep, named = False, None, None, []
    while args:
        a = args.pop(0)
        if a == "--quick":
            quick = True
        elif a == "--table":
            table = args.pop(0)
        elif a == "--keep":
            keep = args.pop(0)
        else:
            named.append(a)
    if not shutil.which("smpirun"):
        print("SimGrid's smpirun is not installed: skipped")
        return 77
    cells = []
    for i, file in enumerate(sorted(glob.glob("tests/platforms/*.xml"))):
        with open(file) as f:
            if "SimGrid refuses" in f.read():
                continue
        for j, pattern in enumerate(PATTERNS):
            cell = Cell(file, pattern)
            own = (stem(cell), stem(cell) + ":" + pattern, ":" + pattern)
            if named and not any(n in own for n in named):
                continue
            if (quick and (3 * i - j) % len(PATTERNS) > 1) or (stem(cell), pattern) in SKIPPED:
                continue
            cells.append(cell)
    part, parts = map(int, os.environ.get("PART", "1/1").split("/"))
    cells = cells[part - 1::parts]
    work = keep or tempfile.mkdtemp()
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for cell in pool.map(lambda c: compare(c, work), cells):
            wrong = bool(cell.words) and cell.words != "no way"
            if cell.default is not None and cell.default > LIMIT and not reason(cell):
                wrong = True
                cell.words += " by default %.1e, unexplained" % cell.default
            failed += wrong
            if wrong or named:
                print("%s:%s compat %s default %s %s" % (
                    stem(cell), cell.pattern, cell.compat, cell.default, cell.words), flush=True)
    if not keep:
        shutil.rmtree(work)
    if table and not failed:
        table_write(table, cells)
    ran = sum(c.compat is not None for c in cells)
    print("%d comparisons, %d failed" % (ran, failed))
    return 1 if failed or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
