#!/usr/bin/env python3
"""Random platforms, zones of all kinds inside each other, in SimGrid and in Orrery.

usage: random_platforms.py [FIRST [COUNT]]

With compat:simgrid-3.32 hosts, links and ways must be the same, link by link, the latencies of ways
to the last bit, and messages between all pairs end at SimGrid's dates within 1e-4. By default they
do so too, where only flows that start or end at one date may differ (network/optim:Full). FATPIPE
links are wide: where one is the narrowest of a way rounding decides in SimGrid (docs/compat.md).

Exit code 0: all agree; 1: not; 77: no SimGrid.
"""
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import matrix  # noqa: E402


class Platform:
    """A tree of zones. Each function gives the XML of a zone, its id, and points by which it may be
    reached."""

    def __init__(self, seed):
        self.r, self.n = random.Random(seed), 0

    def name(self, prefix):
        self.n += 1
        return "%s%d" % (prefix, self.n)

    def links(self, n):
        policies = ["SHARED", "SHARED", "FATPIPE", "SPLITDUPLEX"]
        return [(self.name("L"), self.r.choice(policies)) for _ in range(n)]

    def declare(self, links):
        r, text = self.r, '<link id="%s" bandwidth="%dMBps" latency="%dus" sharing_policy="%s"/>'
        return "".join(text % (i, r.randint(5, 900) + (5000 if policy == "FATPIPE" else 0),
                               r.randint(1, 900), policy) for i, policy in links)

    def way(self, links, most):
        def one(i, policy):
            side = ' direction="%s"' % r.choice(["UP", "DOWN"]) if policy == "SPLITDUPLEX" else ""
            return '<link_ctn id="%s"%s/>' % (i, side)
        r = self.r
        return "".join(one(*link) for link in r.sample(links, r.randint(1, most)))

    def flat(self):
        i, r = self.name("z"), self.r
        more = ' bb_bw="1GBps" bb_lat="%dus"' % r.randint(1, 50) if r.random() < 0.5 else ""
        more += ' limiter_link="150MBps"' if r.random() < 0.3 else ""
        more += ' loopback_bw="5GBps" loopback_lat="1us"' if r.random() < 0.5 else ""
        return ('<cluster id="%s" prefix="%sn" suffix=".s" radical="0-2,5" speed="1Gf" '
                'bw="%dMBps" lat="%dus" sharing_policy="%s"%s/>' % (
                    i, i, r.randint(50, 200), r.randint(5, 50),
                    r.choice(["SHARED", "SPLITDUPLEX"]), more), i, ["%sn%s_router.s" % (i, i)])

    def regular(self):
        i, r = self.name("z"), self.r
        kind, shape, n = r.choice([
            ("TORUS", "2,2", 4), ("TORUS", "3,2", 6), ("TORUS", "2,2,2", 8), ("TORUS", "5", 5),
            ("FAT_TREE", "2;2,3;1,2;1,1", 6), ("FAT_TREE", "1;4;1;1", 4),
            ("DRAGONFLY", "2,1;1,1;2,1;2", 8), ("DRAGONFLY", "1,1;1,1;3,2;2", 6)])
        return ('<cluster id="%s" prefix="%sn" suffix="" radical="0-%d" speed="1Gf" bw="%dMBps" '
                'lat="%dus" topology="%s" topo_parameters="%s" loopback_bw="5GBps" '
                'loopback_lat="1us"/>' % (
                    i, i, n - 1, r.randint(50, 200), r.randint(5, 50), kind, shape),
                i, ["%sn%d" % (i, r.randrange(n))])

    def cluster_zone(self):
        i, r = self.name("z"), self.r
        text = '<zone id="%s" routing="Cluster"><router id="%sr"/>' % (i, i)
        text += ('<cabinet id="%sc" prefix="%sn" suffix="" radical="0-2" speed="1Gf" bw="%dMBps" '
                 'lat="10us"/>' % (i, i, r.randint(50, 200)))
        if r.random() < 0.5:
            text += '<backbone id="%sbb" bandwidth="500MBps" latency="3us"/>' % i
        return text + "</zone>", i, ["%sr" % i]

    def hosts(self):
        i, r = self.name("z"), self.r
        kind = r.choice(["Full", "Floyd", "Dijkstra", "DijkstraCache"])
        hosts = ["%sh%d" % (i, k) for k in range(r.randint(2, 4))]
        links = self.links(4)
        text = '<zone id="%s" routing="%s">' % (i, kind)
        text += "".join('<host id="%s" speed="1Gf" core="%d"/>' % (h, r.randint(1, 2))
                        for h in hosts)
        text += self.declare(links)
        for a, b in self.pairs(kind, len(hosts)):
            text += '<route src="%s" dst="%s">%s</route>' % (hosts[a], hosts[b], self.way(links, 3))
        return text + "</zone>", i, hosts

    def pairs(self, kind, n):
        if kind == "Full":
            return [(a, b) for a in range(n) for b in range(a + 1, n)]
        return [(self.r.randrange(b), b) for b in range(1, n)]  # a tree

    def zone(self, depth):
        r = self.r
        if depth == 0 or r.random() < 0.25:
            return r.choice([self.flat, self.regular, self.cluster_zone, self.hosts, self.hosts])()
        i, kind = self.name("z"), r.choice(["Full", "Full", "Floyd", "Dijkstra", "DijkstraCache"])
        inner = [self.zone(depth - 1) for _ in range(r.randint(2, 3))]
        links, gates = self.links(3), [r.choice(points) for _, _, points in inner]
        text = '<zone id="%s" routing="%s">' % (i, kind)
        text += "".join(t for t, _, _ in inner) + self.declare(links)
        for a, b in self.pairs(kind, len(inner)):
            # (SimGrid crashes where the gateways of successive Dijkstra steps differ)
            apart = kind in ("Full", "Floyd")
            src, dst = (r.choice(inner[k][2]) if apart else gates[k] for k in (a, b))
            text += '<zoneRoute src="%s" dst="%s" gw_src="%s" gw_dst="%s">%s</zoneRoute>' % (
                inner[a][1], inner[b][1], src, dst, self.way(links, 2))
        return text + "</zone>", i, [p for _, _, points in inner for p in points]

    def text(self):
        return "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform version='4.1'>\n%s\n</platform>\n" % (
            self.zone(3)[0].replace("><", ">\n<"))


def dump(words):
    done = subprocess.run(words, capture_output=True, text=True, timeout=100)
    return sorted(done.stdout.splitlines()) if done.returncode == 0 else [done.stderr]


def main():
    first = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 12
    if not shutil.which("smpirun"):
        print("SimGrid's smpirun is not installed: skipped")
        return 77
    work, failed = tempfile.mkdtemp(), 0
    made = subprocess.run(["tests/peer/simgrid_dump"], stdout=subprocess.PIPE, text=True)
    if made.returncode:
        return made.returncode
    theirs = made.stdout.strip()
    for seed in range(first, first + count):
        file = os.path.join(work, "random%d.xml" % seed)
        with open(file, "w") as f:
            f.write(Platform(seed).text())
        a = dump([theirs, file, "--log=root.thres:critical"])
        b = dump([matrix.DUMP, file, "compat:simgrid-3.32"])
        cell = matrix.compare(matrix.Cell(file, "pairs"), work)
        wrong = (a != b or cell.compat is None or cell.compat > matrix.LIMIT or
                 cell.default > matrix.LIMIT and cell.reasons != [matrix.SHARING])
        if wrong:
            failed += 1
            way = next(("%s, not %s" % (y, x) for x, y in zip(a, b) if x != y), "same ways")
            print("seed %d: %s; compat %s, default %s %s %s" % (
                seed, way, cell.compat, cell.default, cell.reasons, cell.words))
    shutil.rmtree(work)
    print("%d platforms, %d failed" % (count, failed))
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
