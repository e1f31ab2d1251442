#!/usr/bin/env python3
"""Random programs on random platforms under random settings, in SimGrid and in Orrery.

usage: random_replays.py [FIRST [COUNT [wide]]]

With compat:simgrid-3.32 the simulated time, and the date at which each call of each rank ends, are
SimGrid's within 1e-6. Settings are those of the network models, of the protocols and of the
selectors of collectives. wide: on platforms of random_wide.py. Left out is what docs/compat.md has
a row for: several sends of one date to a receive from any source, what selectors send first where
nothing is detached. What SimGrid's replayer aborts on (selectors that look at who shares a host) is
passed over. Exit code 0: all agree; 1: not; 77: no SimGrid.
"""
import bisect
import os
import random
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import matrix  # noqa: E402
from random_platforms import Platform  # noqa: E402
from traces import Program  # noqa: E402

LIMIT, TICK = 1e-6, 3e-9
POSTS = ("compute", "sleep", "test", "init", "finalize")  # no date of theirs is looked for


class Machine(Platform):
    """One zone or several, with limiters, backbones, loopbacks, cores."""

    def flat(self):
        i, r = self.name("z"), self.r
        more = ' bb_bw="%s" bb_lat="%dus"' % (r.choice(["1GBps", "60MBps"]), r.randint(0, 50))
        more = more if r.random() < 0.5 else ""
        more += ' limiter_link="%dMBps"' % r.randint(30, 300) if r.random() < 0.3 else ""
        more += ' loopback_bw="5GBps" loopback_lat="1us"' if r.random() < 0.5 else ""
        more += ' core="%d"' % r.randint(1, 4) if r.random() < 0.4 else ""
        return ('<cluster id="%s" prefix="%sn" suffix=".s" radical="%s" speed="%s" bw="%dMBps" '
                'lat="%dus" sharing_policy="%s"%s/>' % (
                    i, i, r.choice(["0-2,5", "0-7", "3,9,1"]), r.choice(["1Gf", "500Mf"]),
                    r.randint(20, 1500), r.randint(0, 80),
                    r.choice(["SHARED", "SPLITDUPLEX"]), more), i, ["%sn%s_router.s" % (i, i)])

    def zone(self, depth):
        if depth == 3 and self.r.random() < 0.5:
            body = self.r.choice([self.flat, self.regular])()[0]
            return ('<zone id="w" routing="Full">%s</zone>' % body,)
        return super().zone(min(depth, 2))


def table(r, low, high):
    """size:number;… of one to four sections."""
    at = [0] + sorted(int(10 ** r.uniform(1, 5)) for _ in range(r.randint(0, 3)))
    return ";".join("%d:%.4g" % (a, r.uniform(low, high)) for a in at)


def overhead(r):
    at = [0] + sorted(int(10 ** r.uniform(1, 5)) for _ in range(r.randint(0, 2)))
    return ";".join("%d:%.3g:%.3g" % (a, 10 ** r.uniform(-6.5, -4.3), 10 ** r.uniform(-11, -8.5))
                    for a in at)


def settings(r):
    model = r.choice(["", "", "", "", "LV08", "CM02", "IB"])
    plain = model in ("LV08", "CM02")  # SimGrid's factors are numbers there
    eager, detached = r.choice([(0, 65536)] * 3 + [(900, 65536), (100, 1000), (0, 100), (0, 10**7)])
    at_random = [
        ("network/TCP-gamma", ["0", "65536", "20000", "1e6", "-1", "123456.5"]),
        ("network/weight-S", ["0", "8775", "20537", "1e5", "1"]),
        ("network/crosstraffic", ["no", "yes"]),
        ("network/latency-factor" if plain else "smpi/lat-factor",
         ["%.3g" % r.uniform(0.5, 14) if plain else table(r, 0.5, 9)]),
        ("network/bandwidth-factor" if plain else "smpi/bw-factor",
         ["%.3g" % r.uniform(0.3, 1) if plain else table(r, 0.3, 1)]),
        ("smpi/os", [overhead(r)]), ("smpi/or", [overhead(r)]), ("smpi/ois", [overhead(r)]),
        ("smpi/coll-selector", ["default", "mpich", "ompi", "mvapich2", "impi"]),
        ("smpi/test", ["%.3g" % 10 ** r.uniform(-6, -3)]),
        ("smpi/init", ["%.3g" % 10 ** r.uniform(-5, -1)]),
        ("smpi/grow-injected-times", ["no", "yes"]),
        ("smpi/simulate-computation", ["no", "yes"]),
        ("network/loopback-bw", ["%g" % 10 ** r.uniform(8, 10.5)]),
        ("network/loopback-lat", ["%g" % 10 ** r.uniform(-8, -5)]),
        ("network/optim", ["Full", "Full", "Lazy"]),
    ]
    chosen = ["network/model:" + model] if model else []
    chosen += ["smpi/async-small-thresh:%d" % eager] if eager else []
    chosen += ["smpi/send-is-detached-thresh:%d" % detached] if detached != 65536 else []
    return chosen + [n + ":" + r.choice(v) for n, v in at_random if r.random() < 0.25]


class Replayed(Program):
    """More of what SimGrid's replayer knows."""

    def typed(self, size):
        count, kind = super().typed(size)
        return count or 1, kind  # without elements it passes over some gathers and scatters

    def alone(self):
        self.all("comm_size", self.n)
        self.all(self.r.choice(["comm_dup", "comm_split"]))
        for rank in range(self.n):
            self.put(rank, "sleep", "%.3g" % 10 ** self.r.uniform(-5, -2))
            self.put(rank, "location", "a.c", 7)

    def chain(self):
        tag, (count, kind), order = self.tag(), self.typed(self.size()), list(range(self.n))
        self.r.shuffle(order)
        for k, rank in enumerate(order):
            if k:
                self.put(rank, "recv", order[k - 1], tag, count, kind)
            if k + 1 < self.n:
                self.put(rank, self.r.choice(["send", "isend"]), order[k + 1], tag, count, kind)
        self.all("waitall")

    def several(self):
        """Messages of one source, destination and tag."""
        a, b = self.r.sample(range(self.n), 2)
        tag, (count, kind), n = self.tag(), self.typed(self.size()), self.r.randint(2, 6)
        for _ in range(n):
            self.put(a, "isend", b, tag, count, kind)
            self.put(b, self.r.choice(["recv", "irecv"]), a, tag, count, kind)
        self.put(a, "waitall")
        self.put(b, "waitall")

    def flood(self):
        tag, (count, kind) = self.tag(), self.typed(min(self.size(), 200000))
        for rank in range(self.n):
            for call in ("irecv", "isend"):
                others = [k for k in range(self.n) if k != rank]
                self.r.shuffle(others)
                for other in others:
                    self.put(rank, call, other, tag, count, kind)
            self.put(rank, "waitall")

    def probed(self):
        a, b = self.r.sample(range(self.n), 2)
        tag, (count, kind) = self.tag(), self.typed(self.size())
        self.compute(self.r.choice([a, b]))
        self.put(a, "send", b, tag, count, kind)
        self.put(b, "recv", a, tag, -1, kind)


def program(r, ranks, probes=True):
    p = Replayed(ranks, r.random())
    parts = [p.exchange, p.pairs, p.shift, p.late, p.polled, p.alone, p.chain, p.several, p.flood,
             p.probed] + [p.collective] * 4
    if not probes:
        parts.remove(p.probed)
    for _ in range(r.randint(1, 8)):
        for rank in range(ranks):
            if r.random() < 0.3:
                p.compute(rank)
        r.choice(parts)()
    return p


def theirs(args, chosen):
    """As matrix.simgrid; of each date also whether an action ends there that took time."""
    platform, hosts, trace, ranks = args
    words = ["smpirun", "-replay", trace, "-np", str(ranks), "-platform", platform, "-hostfile",
             hosts, "--cfg=smpi/display-timing:1", "--cfg=smpi/host-speed:1Gf",
             "--log=smpi_replay.thres:verbose", "--log=root.fmt:%.15d|%i|%m%n"]
    code, out, err = matrix.shell(words + ["--cfg=" + s for s in chosen])
    dates, end = {}, None
    for line in (out + err).splitlines():
        got = re.match(r"([0-9.]+)\|\d+\|(\d+) (\w+).* ([0-9.]+)$", line)
        if got:
            took = float(got[4]) > 0 and got[3] not in POSTS
            dates.setdefault(int(got[2]), []).append((float(got[1]), took))
        got = re.match(r"([0-9.]+)\|\d+\|Simulat\w+ time", line)
        end = float(got[1]) if got else end
    return (dates, end) if code == 0 and end is not None else (None, None)


def ours(args, chosen, recording):
    platform, hosts, trace, ranks = args
    words = [matrix.ORRERY, "replay", trace, "-p", platform, "--hostfile", hosts, "-n", str(ranks),
             "-q", "--oversubscribe", "--cfg", "compat:simgrid-3.32", "-o", recording]
    code, out, err = matrix.shell(words + [w for s in chosen for w in ("--cfg", s)])
    got = re.search(r"^simulated time: (\S+) s$", out, re.M)
    if code or not got:
        return None, err or out
    dates = {}
    words = [matrix.ORRERY, "export", recording, "-f", "csv", "-o", "-", "-q"]
    for line in matrix.shell(words)[1].splitlines()[1:]:
        rank, call, start, end = line.split(",")[:4]
        took = float(end) > float(start) and re.match("MPI_(?!Init|Probe|Test|Comm|Final)", call)
        dates.setdefault(int(rank), []).append((float(end), bool(took)))
    return dates, float(got[1])


def worst_of(a, b):
    """Dates of a that took time, beside the nearest of b."""
    there, worst = sorted(d for d, _ in b), (0, "")
    for date in (d for d, took in a if took):
        k = bisect.bisect(there, date)
        near = min(there[max(k - 1, 0):k + 1], key=lambda d, date=date: abs(d - date), default=0)
        if abs(near - date) > TICK:
            worst = max(worst, (matrix.apart(near, date), "%r, %r" % (date, near)))
    return worst


def places(r, file):
    """Hosts with ways to each other, some with several ranks."""
    hosts, loops = matrix.places(file)
    hosts = r.sample(hosts, r.randint(min(2, len(hosts)), len(hosts)))
    if len(hosts) > 1 and loops and r.random() < 0.35:
        hosts = [r.choice(hosts) for _ in range(len(hosts) * 2)]
    return hosts


def machine_write(seed, wide, base):
    """The platform, and what it wants of the settings."""
    if not wide:
        text, files, wants = Machine("machine %d" % seed).text(), {}, []
    else:
        import random_wide
        m = random_wide.Wide("wide %d" % seed)
        text = m.text()
        files, wants = m.files, random_wide.algorithms(m.r) + m.settings()
    for name, content in {"p.xml": text, **files}.items():
        with open(os.path.join(base, name), "w") as f:
            f.write(content)
    return wants


def compare(seed, work, wide=False):
    """None: agreed; "": nothing to compare; else what is wrong."""
    r, base = random.Random("replay %d" % seed), os.path.join(work, str(seed))
    os.makedirs(base)
    args = base + "/p.xml", base + "/hosts", base + "/t/list"
    wants = machine_write(seed, wide, base)
    hosts = places(r, args[0])
    if len(hosts) < 2:
        return ""
    with open(args[1], "w") as f:
        f.write("\n".join(hosts) + "\n")
    changing = any(name.endswith(".speed") for name in os.listdir(base))
    program(r, len(hosts), not changing).write(base + "/t")
    chosen, args = settings(r) + wants, args + (len(hosts),)
    their_dates, their_end = theirs(args, chosen)
    if their_dates is None:
        return ""
    our_dates, our_end = ours(args, chosen, base + "/rec")
    if our_dates is None:
        return "%s: %s" % (chosen, our_end)
    worst = (matrix.apart(their_end, our_end), "end: %r, %r" % (their_end, our_end))
    worst = worst if abs(their_end - our_end) > TICK else (0, "")
    for rank in range(len(hosts)):
        a, b = their_dates.get(rank, []), our_dates.get(rank, [])
        worst = max(worst, worst_of(a, b), worst_of(b, a))
    return "%s: %.1e, %s" % (" ".join(chosen), *worst) if worst[0] > LIMIT else None


def main():
    first = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    if not shutil.which("smpirun"):
        print("SimGrid's smpirun is not installed: skipped")
        return 77
    for program in (matrix.ORRERY, matrix.DUMP):
        if not shutil.which(program):
            sys.exit("random_replays.py: %s is missing: ninja -C %s orrery peer_platform_dump, or "
                     "set ORRERY to the program of another build" % (
                         program, os.path.dirname(matrix.ORRERY) or "."))
    agreed, failed, wide = 0, 0, sys.argv[3:] == ["wide"]
    for seed in range(first, first + count):
        work = tempfile.mkdtemp()
        wrong = compare(seed, work, wide)
        shutil.rmtree(work)
        agreed += wrong is None
        failed += bool(wrong)
        if wrong:
            print("seed %d: %s" % (seed, wrong), flush=True)
    print("%d agree, %d do not, of %d" % (agreed, failed, count))
    return 1 if failed or not agreed else 0


if __name__ == "__main__":
    sys.exit(main())
