"""Platforms of what Machine (random_replays.py) leaves out: Vivaldi zones and peers, regular
topologies of any shape, cables and backbones of every policy, hosts of a Cluster zone with links of
their own, routes of one direction, routes of a host to itself, bypasses, links without latency,
units, several speeds of a host (pstate), and speeds and bandwidths that change over time.

Left out besides is what docs/compat.md has a row for: latencies that change, bandwidths that do
unless network/weight-S is 0, probes where speeds change, dragonflies of more groups than routers,
narrow FATPIPE links."""
import re

import random_replays

ALGORITHMS = {
    "bcast": "binomial_tree flattree flattree_pipeline NTSB NTSL scatter_LR_allgather "
             "scatter_rdb_allgather ompi_pipeline",
    "reduce": "binomial flat_tree NTSL scatter_gather ompi_chain ompi_pipeline ompi_basic_linear "
              "ompi_in_order_binary ompi_binary ompi_binomial",
    "allreduce": "lr rab_rdb rdb redbcast ompi_ring_segmented",
    "reduce_scatter": "ompi_basic_recursivehalving ompi_ring mpich_pair mpich_rdb ompi_butterfly",
    "gather": "ompi_basic_linear ompi_binomial ompi_linear_sync",
    "scatter": "ompi_basic_linear ompi_linear_nb ompi_binomial",
    "allgather": "bruck NTSLR NTSLR_NB rdb ring spreading_simple ompi_neighborexchange",
    "allgatherv": "GB ring ompi_neighborexchange ompi_bruck mpich_rdb mpich_ring",
    "barrier": "ompi_basic_linear ompi_tree ompi_bruck ompi_recursivedoubling ompi_doublering "
               "mvapich2_pair",
    "alltoall": "basic_linear rdb ring ring_light_barrier ring_mpi_barrier ring_one_barrier "
                "mvapich2_scatter_dest",
    "alltoallv": "bruck ring ring_light_barrier ring_mpi_barrier ring_one_barrier "
                 "ompi_basic_linear"}


def algorithms(r):
    if r.random() < 0.5:
        return []
    kinds = r.sample(sorted(ALGORITHMS), r.randint(1, 4))
    return ["smpi/%s:%s" % (k, r.choice(ALGORITHMS[k].split())) for k in kinds]


class Wide(random_replays.Machine):
    def __init__(self, seed):
        super().__init__(seed)
        self.files = {}  # profiles, beside the platform
        self.changing = self.r.random() < 0.25

    def settings(self):
        links = any(name.endswith(".bandwidth") for name in self.files)
        return ["network/weight-S:0"] if links else []

    def zone(self, depth):
        """Between some zones of a parent a bypass, over some of the links of their route."""
        r, (text, *rest) = self.r, super().zone(depth)
        found = re.findall(r"<zoneRoute ([^>]*)>(.*?)</zoneRoute>", text) if depth == 3 else []
        for ends, way in r.sample(found, min(len(found), r.choice([0, 0, 1, 2]))):
            links = re.findall("<link_ctn[^>]*>", way)
            links = "".join(r.sample(links, r.randint(1, len(links))))
            text = text.replace("<zoneRoute %s>" % ends, "<bypassZoneRoute %s>%s</bypassZoneRoute>"
                                "<zoneRoute %s>" % (ends, links, ends))
        return (text, *rest)

    def bandwidth(self, low, high):
        r = self.r
        b = r.uniform(low, high)
        return r.choice(["%dMBps" % b, "%.3gGBps" % (b / 1e3), "%.4gMbps" % (8 * b),
                         "%.4gGbps" % (8 * b / 1e3), "%.5gMiBps" % b, "%.6gBps" % (b * 1e6),
                         "%dkBps" % (b * 1e3)])

    def latency(self, most):
        r = self.r
        us = r.uniform(0.1, most)
        return r.choice(["%dus" % (1 + us), "%.3gus" % us, "%.4gms" % (us / 1e3), "%.6gs" %
                         (us / 1e6), "%dns" % (us * 1e3), "%.9g" % (us / 1e6)])

    def speed(self):
        return self.r.choice(["1Gf", "1Gf", "500Mf", "1.5Gf", "2.5e9f", "800000kf"])

    def profile(self, name, low):
        r, date = self.r, 0
        lines = ["PERIODICITY %.3g" % 10 ** r.uniform(-1, 0)] if r.random() < 0.4 else []
        for _ in range(r.randint(1, 4)):
            date += 10 ** r.uniform(-4, -1.7)
            lines.append("%.6g %.4g" % (date, low * r.uniform(0.3, 1.6)))
        if lines[0].startswith("P"):
            lines[0] = "PERIODICITY %.3g" % (date + 10 ** r.uniform(-2, -1))
        self.files[name] = "\n".join(lines) + "\n"
        return name

    def host(self, name):
        r = self.r
        text = '<host id="%s" core="%d"' % (name, r.randint(1, 4))
        if r.random() < 0.2:
            text += ' speed="1Gf,600Mf,300Mf" pstate="%d"' % r.randint(0, 2)
        else:
            text += ' speed="%s"' % self.speed()
        if self.changing and r.random() < 0.5:
            text += ' speed_file="%s"' % self.profile(name + ".speed", 1)
        return text + "/>"

    def declare(self, links):
        r, text = self.r, ""
        for i, policy in links:
            wide = 5000 if policy == "FATPIPE" else 0
            low = 5 + wide
            text += '<link id="%s" bandwidth="%s" latency="%s" sharing_policy="%s"' % (
                i, self.bandwidth(low, 900 + wide), "0" if r.random() < 0.04 else
                self.latency(900), policy)
            if self.changing and policy == "SHARED" and r.random() < 0.3:
                text += ' bandwidth_file="%s"' % self.profile(i + ".bandwidth", 1e8)
            text += "/>"
        return text

    def regular(self):
        i, r = self.name("z"), self.r
        kind = r.choice(["TORUS", "FAT_TREE", "DRAGONFLY"])
        if kind == "TORUS":
            shape = [r.randint(1, 4) for _ in range(r.randint(1, 4))] + [r.randint(2, 3)]
            n, words = self.product(shape), ",".join(map(str, shape))
        elif kind == "FAT_TREE":
            levels = r.randint(1, 3)
            down = [r.randint(1, 4) for _ in range(levels - 1)] + [r.randint(2, 4)]
            up = [1] + [r.randint(1, 3) for _ in range(levels - 1)]
            cables = [r.choice([1, 1, 2]) for _ in range(levels)]
            n, lists = self.product(down), (down, up, cables)
            words = ";".join([str(levels)] + [",".join(map(str, x)) for x in lists])
        else:
            chassis, routers, nodes = r.randint(1, 3), r.randint(1, 4), r.randint(2, 3)
            groups = r.randint(1, routers)
            n = groups * chassis * routers * nodes
            words = "%d,%d;%d,%d;%d,%d;%d" % (groups, r.randint(1, 3), chassis, r.randint(1, 3),
                                              routers, r.randint(1, 3), nodes)
        more = ' limiter_link="%s"' % self.bandwidth(50, 300) if r.random() < 0.25 else ""
        more += ' sharing_policy="%s"' % r.choice(["SHARED", "SPLITDUPLEX", "FATPIPE"])
        return ('<cluster id="%s" prefix="%sn" suffix="" radical="0-%d" speed="%s" bw="%s" '
                'lat="%s" topology="%s" topo_parameters="%s" loopback_bw="5GBps" '
                'loopback_lat="1us"%s/>' % (
                    i, i, n - 1, self.speed(), self.bandwidth(50, 200), self.latency(50), kind,
                    words, more), i, ["%sn%d" % (i, r.randrange(n))])

    @staticmethod
    def product(numbers):
        n = 1
        for x in numbers:
            n *= x
        return n

    def flat(self):
        text, i, points = super().flat()
        r = self.r
        if r.random() < 0.3:
            text = text.replace('sharing_policy="SHARED"', 'sharing_policy="FATPIPE"')
        if "bb_bw" in text and r.random() < 0.4:
            text = re.sub(' bb_bw="[^"]*"', ' bb_bw="6GBps" bb_sharing_policy="FATPIPE"', text)
        return text, i, points

    def cluster_zone(self):
        i, r = self.name("z"), self.r
        hosts = ["%sh%d" % (i, k) for k in range(r.randint(2, 4))]
        text = '<zone id="%s" routing="Cluster">' % i
        for h in hosts:
            kind = r.choice(["SHARED", "SPLITDUPLEX"])
            text += self.host(h)
            text += '<link id="%sl" bandwidth="%s" latency="%s" sharing_policy="%s"/>' % (
                h, self.bandwidth(20, 900), self.latency(90), kind)
            ends = ("%sl_UP" % h, "%sl_DOWN" % h) if kind == "SPLITDUPLEX" else ("%sl" % h,) * 2
            text += '<host_link id="%s" up="%s" down="%s"/>' % (h, *ends)
        text += '<router id="%sr"/>' % i
        if r.random() < 0.5:
            text += '<backbone id="%sbb" bandwidth="%s" latency="%s"/>' % (
                i, self.bandwidth(60, 900), self.latency(9))
        return text + "</zone>", i, ["%sr" % i]

    def hosts(self):
        if self.r.random() < 0.25:
            return self.vivaldi()
        i, r = self.name("z"), self.r
        kind = r.choice(["Full", "Full", "Floyd", "Dijkstra", "DijkstraCache"])
        hosts = ["%sh%d" % (i, k) for k in range(r.randint(2, 4))]
        points = hosts + ["%sr%d" % (i, k) for k in range(r.randint(0, 2))]
        links = self.links(5)
        text = '<zone id="%s" routing="%s">' % (i, kind)
        text += "".join(map(self.host, hosts))
        text += "".join('<router id="%s"/>' % p for p in points[len(hosts):])
        text += self.declare(links)
        for a, b in self.pairs(kind, len(points)):
            ways = [(a, b), (b, a)] if r.random() < 0.3 else [(a, b)]
            one = ' symmetrical="NO"' if len(ways) == 2 else ""
            for a, b in ways:
                text += '<route src="%s" dst="%s"%s>%s</route>' % (
                    points[a], points[b], one, self.way(links, 3))
        for h in hosts:
            if kind == "Full" and r.random() < 0.2:
                text += '<route src="%s" dst="%s" symmetrical="NO">%s</route>' % (
                    h, h, self.way(links, 1))
        if r.random() < 0.25:
            text += '<bypassRoute src="%s" dst="%s">%s</bypassRoute>' % (
                *r.sample(hosts, 2), self.way(links, 2))
        return text + "</zone>", i, hosts

    def vivaldi(self):
        i, r = self.name("z"), self.r
        names = ["%sp%d" % (i, k) for k in range(r.randint(2, 5))]
        text = '<zone id="%s" routing="Vivaldi">' % i
        for name in names:
            at = [r.choice([0, r.uniform(-30, 30)]), r.uniform(-30, 30), r.uniform(0, 5)]
            text += '<peer id="%s" coordinates="%.5g %.5g %.5g" speed="%s" bw_in="%s" ' % (
                name, *at, self.speed(), self.bandwidth(20, 900))
            text += 'bw_out="%s"/>' % self.bandwidth(20, 900)
        return text + "</zone>", i, names
