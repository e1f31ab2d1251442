#!/usr/bin/env python3
"""Writes time-independent traces in SimGrid's plain form, for comparisons with SimGrid itself.

usage: traces.py KIND RANKS SEED DIR
KIND: ring stencil cg mix p2p coll poll any marks twins noughts early
DIR/list names DIR/<rank>.txt; every rank's actions are in its own file. The programs cannot
deadlock whatever the thresholds: a blocking exchange is ordered, everything else is posted before
it is waited for.
"""
import os
import random
import sys

# Around every threshold of the hybrid model's factor tables (16 bytes of envelope are added), of
# the protocols' defaults and of graphene.
EDGES = [0, 257, 732, 1426, 3484, 5776, 9376, 15424, 65472, 1420, 32768, 65536, 327680]
TYPES = {0: 8, 1: 4, 2: 1, 3: 2, 5: 4, 6: 1}


class Program:
    def __init__(self, ranks, seed):
        self.n = ranks
        self.r = random.Random(seed)
        self.last_tag = 1000
        self.lines = [["%d init" % i] for i in range(ranks)]

    def put(self, rank, *words):
        self.lines[rank].append(" ".join(str(w) for w in (rank,) + words))

    def tag(self):
        """A tag never used before.

        SimGrid 3.32 may match a small and a large message of one tag out of order
        (MPI_ERR_TYPE)."""
        self.last_tag += 1
        return self.last_tag

    def all(self, *words):
        for rank in range(self.n):
            self.put(rank, *words)

    def size(self):
        """Bytes of a message: mostly around an edge, sometimes anywhere on a log scale."""
        if self.r.random() < 0.6:
            return max(0, self.r.choice(EDGES) + self.r.choice([-17, -16, -15, -1, 0, 1, 2]))
        return int(10 ** self.r.uniform(0, 6.3))

    def compute(self, rank):
        n = self.r.choice(["%d" % self.r.randrange(1, 10**7), "%.3e" % 10**self.r.uniform(3, 7.5)])
        self.put(rank, "compute", n)

    def typed(self, size):
        """(count, type) of about that many bytes."""
        t = self.r.choice(list(TYPES))
        return size // TYPES[t], t

    # --- point to point ---
    def exchange(self):
        """Random messages: receives posted, then sends of all forms, then all waits, in orders
        that differ by rank."""
        n, r = self.n, self.r
        posts, sends, waits = [[] for _ in range(n)], [[] for _ in range(n)], [[] for _ in range(n)]
        for _ in range(r.randrange(n, 3 * n)):
            tag = self.tag()
            s, d = r.randrange(n), r.randrange(n)
            if s == d:
                continue
            count, t = self.typed(self.size())
            posts[d].append(("irecv", s, tag, count, t))
            waits[d].append(("wait", s, d, tag))
            if r.random() < 0.5:
                sends[s].append(("isend", d, tag, count, t))
                waits[s].append(("wait", s, d, tag))
            else:
                sends[s].append(("send", d, tag, count, t))
        for rank in range(n):
            for line in posts[rank]:
                self.put(rank, *line)
            for line in sends[rank]:
                if r.random() < 0.3:
                    self.compute(rank)
                self.put(rank, *line)
            if r.random() < 0.5:
                self.put(rank, "waitall")
            else:
                r.shuffle(waits[rank])
                for line in waits[rank]:
                    self.put(rank, *line)

    def pairs(self):
        """Blocking sends and receives between disjoint pairs, both ways."""
        order = list(range(self.n))
        self.r.shuffle(order)
        for a, b in zip(order[::2], order[1::2]):
            for _ in range(self.r.randrange(1, 4)):
                tag = self.tag()
                there, back = self.typed(self.size()), self.typed(self.size())
                self.put(a, "send", b, tag, *there)
                self.put(b, "recv", a, tag, *there)
                self.compute(b)
                self.put(b, "send", a, tag, *back)
                self.put(a, "recv", b, tag, *back)

    def shift(self):
        """Everybody at once: sendRecv with the neighbours at a distance."""
        d = self.r.randrange(1, self.n)
        count, t = self.typed(self.size())
        for rank in range(self.n):
            self.put(rank, "sendRecv", count, (rank + d) % self.n, count, (rank - d) % self.n, t, t)

    def wildcards(self):
        """One rank collects what all others send, from any source, sometimes with any tag; half of
        the time they all send at one date."""
        n, r = self.n, self.r
        collector, tag, together = r.randrange(n), self.tag(), r.random() < 0.5
        any_tag, messages = r.random() < 0.3, 0
        for rank in (i for i in range(n) if i != collector):
            self.put(rank, "compute", 10**6 if together else r.randrange(100, 3 * 10**6))
            for _ in range(r.randrange(1, 4)):
                kind, size = r.choice(["send", "isend"]), min(self.size(), 400000)
                self.put(rank, kind, collector, tag, size, 6)
                messages += 1
                if r.random() < 0.3:
                    self.put(rank, "compute", r.randrange(1000, 100000))
        for _ in range(messages):
            if r.random() < 0.2:
                self.put(collector, "compute", r.randrange(1000, 200000))
            self.put(collector, "recv", -555, -444 if any_tag else tag, 400000, 6)
        self.all("waitall")
        self.all("barrier")

    def polled(self):
        """A test before the wait (SimGrid's replayer forgets the request at the second test after
        a success)."""
        for a in range(0, self.n - 1, 2):
            count, t = self.typed(self.size())
            tag = self.tag()
            self.put(a, "isend", a + 1, tag, count, t)
            self.put(a + 1, "irecv", a, tag, count, t)
            self.compute(a)
            self.put(a + 1, "test", a, a + 1, tag)
            self.compute(a + 1)
            self.put(a + 1, "wait", a, a + 1, tag)
            self.put(a, "wait", a, a + 1, tag)

    def late(self):
        """Receivers late, then senders late: the same message the two ways."""
        a, b = self.r.sample(range(self.n), 2)
        count, t = self.typed(self.size())
        self.compute(b)
        self.put(a, "send", b, 1, count, t)
        self.put(b, "recv", a, 1, count, t)
        self.compute(a)
        self.put(a, "send", b, 2, count, t)
        self.put(b, "recv", a, 2, count, t)

    # --- collectives on the world ---
    def collective(self, kind=None):
        n, r = self.n, self.r
        count, t = self.typed(self.size() // (n if r.random() < 0.7 else 1))
        root = r.randrange(n)
        kind = kind or r.choice(COLLECTIVES)
        flops = r.choice([0, r.randrange(10**6)])
        counts = [r.randrange(0, 2 * count + 1) for _ in range(n)]
        if kind == "barrier":
            self.all("barrier")
        elif kind == "bcast":
            self.all("bcast", count, root, t)
        elif kind == "reduce":
            self.all("reduce", count, flops, root, t)
        elif kind in ("allreduce", "scan", "exscan"):
            self.all(kind, count, flops, t)
        elif kind == "alltoall":
            self.all("alltoall", count, count, t, t)
        elif kind == "allgather":
            self.all("allgather", count, count, t, t)
        elif kind in ("gather", "scatter"):
            self.all(kind, count, count, root, t, t)
        elif kind == "gatherv":
            for rank in range(n):
                self.put(rank, "gatherv", counts[rank], *counts, root, t, t)
        elif kind == "scatterv":
            for rank in range(n):
                self.put(rank, "scatterv", *counts, counts[rank], root, t, t)
        elif kind == "allgatherv":
            for rank in range(n):
                self.put(rank, "allgatherv", counts[rank], *counts, t, t)
        elif kind == "reducescatter":
            same = r.random() < 0.5
            self.all("reducescatter", *([count] * n if same else counts), flops, t)
        elif kind == "alltoallv":
            m = [[r.randrange(0, 2 * count + 1) for _ in range(n)] for _ in range(n)]
            for rank in range(n):
                got = [m[s][rank] for s in range(n)]
                self.put(rank, "alltoallv", sum(m[rank]), *m[rank], sum(got), *got, t, t)

    def write(self, folder):
        self.all("finalize")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "list"), "w") as f:
            for rank in range(self.n):
                f.write(os.path.join(folder, "%d.txt" % rank) + "\n")
        for rank in range(self.n):
            with open(os.path.join(folder, "%d.txt" % rank), "w") as f:
                f.write("\n".join(self.lines[rank]) + "\n")


COLLECTIVES = ["barrier", "bcast", "reduce", "allreduce", "alltoall", "allgather", "gather",
               "scatter", "gatherv", "scatterv", "allgatherv", "reducescatter", "alltoallv", "scan",
               "exscan"]


def ring(p):
    for size in (1000, 40000, 100000, 1000000):
        for rank in range(p.n):
            to, frm = (rank + 1) % p.n, (rank - 1) % p.n
            if rank:
                p.put(rank, "recv", frm, 0, size)
            p.put(rank, "compute", "1e6")
            p.put(rank, "send", to, 0, size)
            if rank == 0:
                p.put(rank, "recv", frm, 0, size)


def grid(n):
    rows = max(d for d in range(1, int(n ** 0.5) + 1) if n % d == 0)
    return rows, n // rows


def stencil(p):
    rows, cols = grid(p.n)
    for step in range(10):
        for rank in range(p.n):
            i, j = divmod(rank, cols)
            near = [((i + a) * cols + j + b, 1 if a else 0)
                    for a, b in ((-1, 0), (1, 0), (0, -1), (0, 1))
                    if 0 <= i + a < rows and 0 <= j + b < cols]
            for other, vertical in near:
                p.put(rank, "irecv", other, 0, 8192 if vertical else 90000, 6)
            for other, vertical in near:
                p.put(rank, "isend", other, 0, 8192 if vertical else 90000, 6)
            p.put(rank, "waitall", 2 * len(near))
            p.put(rank, "compute", 10**6 + 1000 * rank)
        if step % 5 == 0:
            p.all("allreduce", 1, 0, 0)


def cg(p):
    rows, cols = grid(p.n)
    for step in range(10):
        for rank in range(p.n):
            p.put(rank, "compute", 2 * 10**6)
            i, j = divmod(rank, cols)
            other = rank
            if rows * (cols // rows) == cols:
                other = (j % rows) * cols + (i + (j // rows) * rows) % cols
            if other != rank:
                p.put(rank, "irecv", other, 1, 14000, 0)
                p.put(rank, "send", other, 1, 14000, 0)
                p.put(rank, "wait", other, rank, 1)
        p.all("allreduce", 1400, 1400, 0)
        p.all("allreduce", 1, 1, 0)


def tiny(p):
    """Computations of less than the nanosecond within which SimGrid's events are one."""
    for step in range(2000):
        for rank in range(p.n):
            p.put(rank, "compute", 0.25 * (1 + (step + rank) % 4))
    p.all("allreduce", 1, 0, 0)


def marks(p):
    """On three hosts, rank 0 beside 3, 1 beside 4, 2 beside 5: 0 and 1 compute the same; meanwhile
    3 begins to sleep. Who of 0 and 1 sends first has to wait less for 2; 0 has more to do then."""
    for rank in (0, 1):
        p.put(rank, "compute", "1e6")
        p.put(rank, "send", 2, 7, 100000, 6)
    p.put(0, "sleep", 1)
    for rank in (3, 4):
        p.put(rank, "recv", 5, 1, 10, 6)
    p.put(3, "sleep", "0.1")
    p.put(5, "sleep", "2e-4")
    for rank in (4, 3):
        p.put(5, "send", rank, 1, 10, 6)
    p.put(2, "recv", -555, 7, 100000, 6)
    p.put(2, "compute", "5e8")
    p.put(2, "recv", -555, 7, 100000, 6)


def twins(p):
    """Requests of one source, destination and tag, tested before they are waited for; those of a
    message to oneself are both ends of it."""
    for call in ("isend", "irecv", "test", "test", "wait", "wait"):
        p.put(3, call, 3, *([5, 0, 6] if call[0] == "i" else [3, 5]))
    p.all("barrier")
    for _ in range(3):
        p.put(0, "send", 1, 7, 1000, 6)
        p.put(0, "compute", "2e8")
        p.put(1, "irecv", 0, 7, 1000, 6)
    p.put(1, "compute", "5e6")  # the first has come: it is found, the others are looked for
    for _ in range(7):
        p.put(1, "test", 0, 1, 7)
    for _ in range(2):
        p.put(1, "wait", 0, 1, 7)
        p.put(1, "compute", "1.5e8")


def noughts(p):
    """Rank 0 computes nothing: with a surf/precision of 1e-6 the others' end when that does."""
    for rank in range(p.n):
        p.put(rank, "compute", 150 * rank)
    p.all("barrier")
    p.all("sleep", "0.01")  # so that the time has as many digits as its limit wants


def early(p):
    """What begins at date 0 and is over soon; a wait for several small messages."""
    h = p.n // 2
    for rank in range(h):
        p.put(h + rank, "send", rank, 0, 10, 6)
        p.put(rank, "recv", h + rank, 0, 10, 6)
    for rank in range(1, p.n):
        p.put(rank, "isend", 0, rank, 100, 6)
        p.put(0, "irecv", rank, rank, 100, 6)
    p.all("waitall")
    p.all("barrier")


def mix(p, parts):
    for _ in range(12):
        for rank in range(p.n):
            if p.r.random() < 0.5:
                p.compute(rank)
        p.r.choice(parts)()
    p.put(0, "sleep", "0.01")


def main():
    kind, ranks, seed, folder = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    p = Program(ranks, seed)
    p2p = [p.exchange, p.pairs, p.shift, p.late]
    whole = {"ring": ring, "stencil": stencil, "cg": cg, "tiny": tiny, "marks": marks,
             "twins": twins, "noughts": noughts,
             "early": early}
    if kind in whole:
        whole[kind](p)
    elif kind == "coll":
        for name in COLLECTIVES:
            p.collective(name)
    else:
        mix(p, {"p2p": p2p, "poll": [p.polled, p.pairs], "any": [p.wildcards],
                "mix": p2p + [p.collective] * 3}[kind])
    p.write(folder)


if __name__ == "__main__":
    main()
