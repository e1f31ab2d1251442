"""The messages of collective algorithms, written down from their descriptions (docs/collectives.md), apart from the simulator's code and in another
style: all ranks at once, step by step. Compares them with what the step lists say.

usage: coll_expected.py COLL_MESSAGES       (the program of tests/peer/coll_messages.c)
Compared per rank: the sequence of (destination, bytes) in the order of posting."""
import math, re, subprocess, sys
from collections import defaultdict

SHAPES = range(4)


class Call:
    """One call: p ranks, root, elements, bytes of an element, shape of the counts of vector forms. Collects what each rank sends."""

    def __init__(self, p, root, count, size, shape):
        self.p, self.root, self.count, self.size, self.shape = p, root, count, size, shape
        self.n = count * size                                       # bytes of a whole buffer, or of a block
        self.counts = [self.elements(i) for i in range(p)]
        self.sent = defaultdict(list)

    def elements(self, i):
        return [self.count, 0 if i % 3 == 1 else self.count + i % 5, self.count + i, self.count + 3 if i == self.p // 2 else 0][self.shape]

    def block(self, i):                                             # bytes for or of rank i, vector forms
        return self.counts[i] * self.size

    def pair(self, i, j):                                           # bytes from i to j, alltoallv
        return self.elements(min(i, j) * 7 + max(i, j)) * self.size

    def send(self, src, dst, n):
        if src != dst:
            self.sent[src].append((dst, n))

    def all(self, src, dsts, n):
        for d in dsts:
            self.send(src, d, n(d) if callable(n) else n)


def log2_ceil(p):
    return (p - 1).bit_length()


ALGS = {}


def alg(*names):
    def register(f):
        for name in names:
            ALGS[name] = f
        return f
    return register


# --- trees, on virtual ranks ---

def binomial(p):
    """(parent, child) pairs; a rank serves its children from the farthest to the nearest."""
    for v in range(p):
        low = (v & -v) if v else 1 << log2_ceil(p)
        mask = low >> 1
        while mask:
            if v + mask < p:
                yield v, v + mask
            mask >>= 1


def subtree(p, v):
    return min(p - v, v & -v) if v else p


# --- barrier ---

@alg("barrier:ompi_basic_linear")
def _(c):
    for r in range(1, c.p):
        c.send(r, 0, 0)
    c.all(0, range(1, c.p), 0)


@alg("barrier:ompi_bruck")
def _(c):
    for k in range(log2_ceil(c.p)):
        for r in range(c.p):
            c.send(r, (r + 2 ** k) % c.p, 0)


@alg("barrier:ompi_recursivedoubling", "barrier:mvapich2_pair")
def _(c):
    pof2 = 1 << (c.p.bit_length() - 1)
    for r in range(pof2, c.p):
        c.send(r, r - pof2, 0)
    mask = 1
    while mask < pof2:
        for r in range(pof2):
            c.send(r, r ^ mask, 0)
        mask *= 2
    for r in range(c.p - pof2):
        c.send(r, r + pof2, 0)


@alg("barrier:ompi_tree")
def _(c):
    jumps = [2 ** k for k in range(log2_ceil(c.p))]
    for j in jumps:
        for r in range(j, c.p, 2 * j):
            c.send(r, r - j, 0)
    for j in reversed(jumps):
        for r in range(0, c.p - j, 2 * j):
            c.send(r, r + j, 0)


# --- bcast ---

def real(c, v):
    return (v + c.root) % c.p


@alg("bcast:binomial_tree")
def _(c):
    for parent, child in binomial(c.p):
        c.send(real(c, parent), real(c, child), c.n)


@alg("bcast:flattree", "bcast:linear_nb")
def _(c):
    c.all(c.root, range(c.p), c.n)


def pieces(count, each):
    return [min(each, count - i) for i in range(0, count, each)]


@alg("bcast:flattree_pipeline")
def _(c):
    each = max(1, 8192 // c.size)
    if c.count < each:
        return c.all(c.root, range(c.p), c.n)
    for d in range(c.p):
        for s in pieces(c.count, each):
            c.send(c.root, d, s * c.size)


def star(c, children):
    """Segments of 8 KiB down a tree rooted at 0; the rest by the selected broadcast, which is this one again."""
    each = max(1, 8192 // c.size)
    whole = c.count // each if c.count > each else 0
    for part in [[each] * whole, [c.count - whole * each]]:
        if not part or (whole and part == [0]):
            continue
        total = sum(part) if part[0] != each or not whole else c.count
        c.send(c.root, 0, total * c.size)
        for r in range(c.p):
            for s in part:
                c.all(r, children(r), s * c.size)


@alg("bcast:NTSL", "bcast:NTSL_Isend", "bcast:SMP_linear")
def _(c):
    star(c, lambda r: range(r + 1, min(r + 2, c.p)))


@alg("bcast:NTSB")
def _(c):
    star(c, lambda r: [d for d in (2 * r + 1, 2 * r + 2) if d < c.p])


@alg("bcast:mvapich2_knomial_intra_node")
def _(c):
    for v in range(c.p):
        digit = 1
        while digit < c.p and v % (4 * digit) == 0:
            digit *= 4
        while digit >= 1:
            digit //= 4
            for k in range(1, 4) if digit else []:
                if v + k * digit < c.p:
                    c.send(real(c, v), real(c, v + k * digit), c.n)


def scatter_for_bcast(c):
    s = -(-c.n // c.p)
    for parent, child in binomial(c.p):
        part = min(c.n, (child + (child & -child)) * s) - min(c.n, child * s)
        if part:
            c.send(real(c, parent), real(c, child), part)
    return s


@alg("bcast:scatter_LR_allgather")
def _(c):
    s = scatter_for_bcast(c)
    for i in range(c.p - 1):
        for v in range(c.p):
            part = (v - i) % c.p
            c.send(real(c, v), real(c, (v + 1) % c.p), min(c.n, (part + 1) * s) - min(c.n, part * s))


# --- gather and scatter ---

@alg("gather:linear_nb", "gather:ompi_basic_linear", "reduce:linear_nb", "reduce:ompi_basic_linear", "reduce:flat_tree")
def _(c):
    for r in range(c.p):
        c.send(r, c.root, c.n)


@alg("gatherv:linear_nb")
def _(c):
    for r in range(c.p):
        c.send(r, c.root, c.block(r))


@alg("scatter:linear_nb", "scatter:ompi_basic_linear", "scatter:ompi_linear_nb")
def _(c):
    c.all(c.root, range(c.p), c.n)


@alg("scatterv:linear_nb")
def _(c):
    c.all(c.root, range(c.p), c.block)


@alg("gather:ompi_binomial")
def _(c):
    for v in range(1, c.p):
        c.send(real(c, v), real(c, v & (v - 1)), subtree(c.p, v) * c.n)


@alg("scatter:ompi_binomial")
def _(c):
    for v in range(c.p):
        mask = 1
        while mask < (v & -v if v else c.p):
            if v + mask < c.p:
                c.send(real(c, v), real(c, v + mask), subtree(c.p, v + mask) * c.n)
            mask *= 2


def ompi_segment(count, size, bytes_):
    if bytes_ >= size and bytes_ < size * count:
        return bytes_ // size + (bytes_ % size > size // 2)
    return count


@alg("gather:ompi_linear_sync")
def _(c):
    first = ompi_segment(c.count, c.size, 32768 if c.n > 92160 else 1024)
    for r in range(c.p):
        c.send(c.root, r, 0)
        c.send(r, c.root, first * c.size)
        c.send(r, c.root, c.n - first * c.size)


# --- allgather ---

@alg("allgather:linear_nb")
def _(c):
    for r in range(c.p):
        c.all(r, range(c.p), c.n)


@alg("allgatherv:linear_nb")
def _(c):
    for r in range(c.p):
        c.all(r, range(c.p), c.block(r))


@alg("allgather:ring", "allgather:spreading_simple")
def _(c):
    for r in range(c.p):
        c.all(r, [(r + i) % c.p for i in range(1, c.p)], c.n)


@alg("allgatherv:ring")
def _(c):
    for r in range(c.p):
        c.all(r, [(r + i) % c.p for i in range(1, c.p)], c.block(r))


@alg("allgather:NTSLR", "allgather:NTSLR_NB")
def _(c):
    for r in range(c.p):
        for i in range(c.p - 1):
            c.send(r, (r + 1) % c.p, c.n)


@alg("allgather:bruck")
def _(c):
    d = 1
    while d < c.p:
        for r in range(c.p):
            c.send(r, (r - d) % c.p, min(d, c.p - d) * c.n)
        d *= 2


@alg("allgatherv:ompi_bruck")
def _(c):
    d = 1
    while d < c.p:
        for r in range(c.p):
            c.send(r, (r - d) % c.p, sum(c.block((r + i) % c.p) for i in range(min(d, c.p - d))))
        d *= 2


@alg("allgather:ompi_neighborexchange")
def _(c):
    if c.p % 2:
        return ALGS["allgather:NTSLR"](c)             # Open MPI's ring; SimGrid's, in compat, is the rotating exchange
    for r in range(c.p):
        first, other = (r + 1, r - 1) if r % 2 == 0 else (r - 1, r + 1)
        c.send(r, first % c.p, c.n)
        for i in range(1, c.p // 2):
            c.send(r, (other if i % 2 else first) % c.p, 2 * c.n)


@alg("allgather:rdb")
def _(c):
    have = [{r} for r in range(c.p)]                  # blocks that each rank has
    mask = 1
    while mask < c.p:
        group = lambda r: r & -mask
        before = [set(h) for h in have]
        for r in range(c.p):
            if r ^ mask < c.p:
                c.send(r, r ^ mask, len(before[r]) * c.n)
                have[r] |= before[r ^ mask]
        half = mask // 2
        while half:                                   # those without a partner get the data inside their group
            snapshot = [set(h) for h in have]
            for r in range(c.p):
                d, other = r ^ half, group(r) ^ mask
                news = {b for b in snapshot[r] if group(b) == other}
                if d > r and d < c.p and news and not news <= snapshot[d]:
                    c.send(r, d, len(news) * c.n)
                    have[d] |= news
            half //= 2
        mask *= 2


# --- alltoall ---

@alg("alltoall:basic_linear")
def _(c):
    for r in range(c.p):
        c.all(r, [(r - i) % c.p for i in range(1, c.p)], c.n)


@alg("alltoall:ring")
def _(c):
    for r in range(c.p):
        c.all(r, [(r + i) % c.p for i in range(1, c.p)], c.n)


@alg("alltoall:pair", "allgather:pair")
def _(c):
    power = c.p & (c.p - 1) == 0
    for r in range(c.p):
        c.all(r, [r ^ i if power else (r + i) % c.p for i in range(1, c.p)], c.n)


@alg("alltoall:bruck")
def _(c):
    d = 1
    while d < c.p:
        blocks = sum(1 for b in range(c.p) if b & d)
        for r in range(c.p):
            c.send(r, (r + d) % c.p, blocks * c.n)
        d *= 2


@alg("alltoallv:linear_nb", "alltoallv:ompi_basic_linear")
def _(c):
    for r in range(c.p):
        c.all(r, range(c.p), lambda d: c.pair(r, d))


@alg("alltoallv:pair", "alltoallv:ring")
def _(c):
    power = c.p & (c.p - 1) == 0
    for r in range(c.p):
        c.all(r, [r ^ i if power else (r + i) % c.p for i in range(1, c.p)], lambda d: c.pair(r, d))


@alg("alltoallw:linear_nb")
def _(c):
    for r in range(c.p):
        c.all(r, range(c.p), lambda d: c.pair(r, d) // c.size)


# --- reductions ---

@alg("reduce:binomial")
def _(c):
    for v in range(1, c.p if c.count else 1):
        c.send(real(c, v), real(c, v & (v - 1)), c.n)


def fold(c):
    """(old ranks of the new numbers, those that dropped out with their partners): even ones of the first pairs drop out."""
    pof2 = 1 << (c.p.bit_length() - 1)
    rem = c.p - pof2
    return [2 * i + 1 if i < rem else i + rem for i in range(pof2)], [(2 * i, 2 * i + 1) for i in range(rem)]


@alg("allreduce:rdb")
def _(c):
    old, out = fold(c)
    for even, odd in out:
        c.send(even, odd, c.n)
    mask = 1
    while mask < len(old):
        for i, r in enumerate(old):
            c.send(r, old[i ^ mask], c.n)
        mask *= 2
    for even, odd in out:
        c.send(odd, even, c.n)


@alg("allreduce:rab_rdb")
def _(c):
    old, out = fold(c)
    units = len(old)
    size = [c.count // units] * (units - 1) + [c.count - c.count // units * (units - 1)]
    for even, odd in out:
        c.send(even, odd, c.n)
    have = [range(units)] * units
    history, mask = [], 1
    while mask < units:
        history.append(list(have))
        for i, r in enumerate(old):
            h = have[i]
            low, high = h[:len(h) // 2], h[len(h) // 2:]
            give = low if i & mask else high
            c.send(r, old[i ^ mask], sum(size[u] for u in give) * c.size)
            history[-1][i] = high if i & mask else low
        have = history[-1]
        mask *= 2
    for have in reversed(history):
        mask //= 2
        for i, r in enumerate(old):
            c.send(r, old[i ^ mask], sum(size[u] for u in have[i]) * c.size)
    for even, odd in out:
        c.send(odd, even, c.n)


@alg("allreduce:default")
def _(c):
    for r in range(1, c.p):
        c.send(r, 0, c.n)
    for parent, child in binomial(c.p):
        c.send(parent, child, c.n)


@alg("allreduce:linear_nb")
def _(c):
    for r in range(c.p):
        c.all(r, range(c.p), c.n)


@alg("allreduce:lr")
def _(c):
    each = c.count // c.p
    if each == 0:
        return ALGS["allreduce:default"](c)
    for r in range(c.p):
        for i in range(2 * (c.p - 1)):
            c.send(r, (r + 1) % c.p, each * c.size)
    if c.count % c.p:
        rest = Call(c.p, 0, c.count % c.p, c.size, 0)
        ALGS["allreduce:default"](rest)
        for r in range(c.p):
            c.sent[r] += rest.sent[r]


@alg("reduce_scatter:default")
def _(c):
    total = sum(c.counts) * c.size
    for r in range(1, c.p):
        c.send(r, 0, total)
    c.all(0, range(c.p), c.block)


@alg("reduce_scatter:linear_nb")
def _(c):
    for r in range(c.p):
        c.all(r, range(c.p), c.block)


@alg("reduce_scatter:mpich_pair")
def _(c):
    for r in range(c.p):
        c.all(r, [(r + i) % c.p for i in range(1, c.p)], c.block)


@alg("reduce_scatter:ompi_ring")
def _(c):
    for r in range(c.p):
        for k in range(1, c.p):
            c.send(r, (r + 1) % c.p, c.block((r - k) % c.p))


@alg("scan:linear", "scan:linear_nb", "exscan:linear", "exscan:linear_nb")
def _(c):
    for r in range(c.p):
        c.all(r, range(r + 1, c.p), c.n)


# --- the comparison ---

ROOTED = {"bcast", "reduce", "gather", "gatherv", "scatter", "scatterv"}
VECTOR = {"gatherv", "scatterv", "allgatherv", "alltoallv", "alltoallw", "reduce_scatter"}


def cases(which):
    kind = which.split(":")[0]
    for p in [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 31, 32]:
        for root in sorted({0, 1 % p, p // 2, p - 1}) if kind in ROOTED else [0]:
            for count, size in [(0, 1)] if kind == "barrier" else [(0, 4), (1, 8), (p - 1, 3), (p + 1, 8), (61, 1), (30011, 8), (131072, 4)]:
                # The default of reduce_scatter is another algorithm where counts differ.
                for shape in SHAPES if kind in VECTOR and which != "reduce_scatter:default" else [0]:
                    yield p, root, count, size, shape


def main():
    lines = []
    for which in ALGS:
        kind, name = which.split(":")
        lines += [f"{kind} {name} {p} {root} {count} {size} {shape} 0 1" for p, root, count, size, shape in cases(which)]
    out = subprocess.run([sys.argv[1]], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True).stdout
    found, last, asked = {}, None, set(lines)
    for line in out.splitlines():
        if line in asked:
            last = found.setdefault(line, [])
        else:
            last.append([tuple(map(int, m)) for m in re.findall(r" S(\d+):(-?\d+)", line)] if re.match(r"\d+:", line) else line)
    bad, shown = 0, set()
    for line in lines:
        kind, name, *numbers = line.split()
        p, root, count, size, shape, _, _ = map(int, numbers)
        call = Call(p, root, count, size, shape)
        ALGS[f"{kind}:{name}"](call)
        wanted = [call.sent[r] for r in range(p)]
        if found.get(line) != wanted:
            bad += 1
            if (kind, name) not in shown:
                shown.add((kind, name))
                r = next((i for i in range(p) if len(found[line]) <= i or found[line][i] != wanted[i]), 0)
                print(f"{line}: rank {r}\n  expected {wanted[r][:10]}\n  found    {found[line][r][:10] if len(found[line]) > r else found[line]}")
    print(f"{len(ALGS)} algorithms, {len(lines)} calls compared, {bad} differ")
    return 1 if bad or not lines else 0


sys.exit(main())
