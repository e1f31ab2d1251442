"""format_reader.py FILE PAGE: a reader of compressed traces.

It is made from PAGE (docs/formats/compressed-trace.md) alone, without anything of orrery's. It
prints "rank action ..." of every event, rank by rank: of messages the peer, tag, elements, bytes of
one, request; of computations the volume; of all, the duration in nanoseconds. The forms of columns
that it met go to standard error."""

import re
import struct
import subprocess
import sys
import zlib

M64 = (1 << 64) - 1


def signed(v):
    v &= M64
    return v - (1 << 64) if v >> 63 else v


class Bytes:
    forms = set()

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def take(self, n):
        self.at += n
        assert self.at <= len(self.data), "read behind the end"
        return self.data[self.at - n : self.at]

    def byte(self):
        return self.take(1)[0]

    def varint(self):
        v = shift = 0
        while True:
            b = self.byte()
            v |= (b & 127) << shift
            if b < 128:
                return v & M64
            shift += 7

    def zigzag(self):
        v = self.varint()
        return -((v + 1) // 2) if v & 1 else v // 2

    def bits(self, n, w):
        whole = int.from_bytes(self.take((n * w + 7) // 8), "little")
        return [whole >> i * w & ((1 << w) - 1) for i in range(n)]

    def column(self, n):
        if n == 0:
            return []
        form = self.byte()
        Bytes.forms.add(form)
        if form == 0:
            return [self.zigzag()] * n
        if form == 1:
            a, b = self.zigzag(), self.zigzag()
            return [signed(a + b * i) for i in range(n)]
        if form == 2:
            t = self.varint()
            part = self.column(t)
            return [part[i % t] for i in range(n)]
        if form == 3:
            r = self.varint()
            e, a, b = self.column(r), self.column(r), self.column(r)
            start = [0] + e
            return [signed(a[k] + b[k] * (i - start[k]))
                    for k in range(r) for i in range(start[k], e[k])]
        if form == 4:
            d = self.column(self.varint())
            return [d[k] for k in self.bits(n, self.varint())]
        if form == 5:
            a, w = self.zigzag(), self.varint()
            return [signed(a + k) for k in self.bits(n, w)]
        if form == 8:
            return self.rising(n)
        if form == 9:
            r = self.varint()
            at, there = self.column(r), self.column(r)
            rest = self.column(n)
            for i, v in zip(at, there):
                rest[i] = v
            return rest
        assert form == 6, f"no form {form} of a column"
        return list(struct.unpack(f"<{n}q", self.take(8 * n)))

    def rising(self, n):
        a, w, m = self.zigzag(), self.varint(), self.varint()
        before = self.bits((m - 1) // 512, m.bit_length())
        row, low = self.bits(m, 1), self.bits(n, w)
        assert before == [sum(row[: 512 * (k + 1)]) for k in range(len(before))]
        ones = [i for i in range(m) if row[i]]
        return [signed(a + ((ones[k] - k) << w | low[k])) for k in range(n)]

    def doubles(self, n):
        if n == 0:
            return []
        scale = self.byte()
        v = self.column(n)
        if scale == 0:
            return [struct.unpack("<d", struct.pack("<q", x))[0] for x in v]
        return [float(x) if scale == 1 else x / 1e9 for x in v]


VOLUME, DURATION, RUNS = 27, 28, 29
LISTS = range(21, 27)


def blocks(data):
    assert data[:16] == b"\x89orrery-trace\r\n\x1a", "no compressed trace"
    version, ranks, nothing, check = struct.unpack("<4I", data[16:32])
    assert version in (2, 3, 4) and nothing == 0 and check == zlib.crc32(data[:28])
    at, found = 32, []
    while at < len(data):
        head = data[at : at + 40]
        first, last, raw, stored, check, own = struct.unpack("<8x2I2Q2I", head)
        assert head[:4] == b"BLK\n" and own == zlib.crc32(head[:36])
        body = data[at + 40 : at + 40 + stored]
        assert len(body) == stored and zlib.crc32(body) == check
        if head[5] == 1:
            body = subprocess.run(["zstd", "-dcq"], input=body, stdout=subprocess.PIPE,
                                  check=True).stdout
        elif head[5] == 2:
            body = zlib.decompress(body)
        assert len(body) == raw
        found.append((head[4], first, last, body))
        at += 40 + stored
    assert found[-1][0] == 5, "cut off"
    return ranks, found


class Class:
    def __init__(self, b):
        self.members = b.column(b.varint())
        m = len(self.members)
        self.calls = []
        for _ in range(b.varint()):
            given, opened = b.varint(), b.varint()
            fields = {}
            for f in range(27):
                if given >> f & 1:
                    relation = b.byte() if f in (2, 4) else 0
                    fields[f] = (relation, b.column(m))
            self.calls.append((fields, [f for f in range(27) if opened >> f & 1]))
        self.top, n = b.varint(), b.varint()
        self.nodes = [b.varint() for _ in range(n)]
        self.slots, self.first = [], []
        for v in self.nodes:
            self.first.append(len(self.slots))
            self.slots += [RUNS] if v & 1 else [VOLUME, DURATION] + self.calls[v // 2][1]
        self.runs = [b.column(m) if v & 1 else None for v in self.nodes]

    def shared(self, b):
        m = len(self.members)
        self.has_own = b.column(m)
        self.value = [None if f == RUNS else
                      b.doubles(m) if f in (VOLUME, DURATION) else b.column(m)
                      for f in self.slots]


class Walk:
    def __init__(self, chapter, cls, index, own, say):
        self.chapter, self.cls, self.index, self.own, self.say = chapter, cls, index, own, say
        self.column = {}

    def where(self, slot):
        return struct.unpack_from("<I", self.own, 4 * slot)[0] if self.own else 0

    def own_column(self, slot, n):
        if slot not in self.column:
            b = Bytes(self.own, self.where(slot))
            is_double = self.cls.slots[slot] in (VOLUME, DURATION)
            self.column[slot] = b.doubles(n) if is_double else b.column(n)
        return self.column[slot]

    def run(self, node, nodes, times, i):
        """`nodes` nodes from `node` on, which are reached `times` times in all, now for the i-th
        time. Returns the node behind them."""
        for _ in range(nodes):
            is_loop = self.cls.nodes[node] & 1
            node = self.loop(node, times, i) if is_loop else self.call(node, times, i)
        return node

    def loop(self, node, times, i):
        slot, inside = self.cls.first[node], (self.cls.nodes[node] - 1) // 2
        if self.where(slot):
            ends = self.own_column(slot, times)
            begin, end, within = ends[i - 1] if i else 0, ends[i], ends[-1]
        else:
            n = self.cls.runs[node][self.index]
            begin, end, within = i * n, (i + 1) * n, times * n
        behind = self.skip(node)
        for k in range(begin, end):
            self.run(node + 1, inside, within, k)
        return behind

    def skip(self, node):
        v = self.cls.nodes[node]
        node += 1
        for _ in range((v - 1) // 2 if v & 1 else 0):
            node = self.skip(node)
        return node

    def call(self, node, times, i):
        fields, opened = self.cls.calls[self.cls.nodes[node] // 2]
        rank = self.cls.members[self.index]
        event = {f: -1 if 15 <= f <= 18 else 0 for f in range(27)}
        for f, (relation, values) in fields.items():
            v = values[self.index]
            event[f] = (v, rank + v, (rank + v) % self.chapter.ranks, rank ^ v)[relation]
        for k, f in enumerate([VOLUME, DURATION] + opened):
            slot = self.cls.first[node] + k
            event[f] = (self.own_column(slot, times)[i] if self.where(slot) else
                        self.cls.value[slot][self.index])
        for f in LISTS:
            event[f] = self.chapter.lists[event[f]]
        self.say(rank, event)
        return node + 1


class Chapter:
    def __init__(self, ranks, body):
        b = Bytes(body)
        self.ranks, self.events = ranks, b.varint()
        self.texts = [b""] + [b.take(b.varint()) for _ in range(b.varint())]
        self.lists = [[]] + [b.column(b.varint()) for _ in range(b.varint())]
        self.classes = [Class(b) for _ in range(b.varint())]
        assert b.at == len(body)
        self.own = {}

    def shared(self, body):
        b = Bytes(body)
        assert b.varint() == 0, "histograms: what is drawn from them is not for this reader"
        for c in self.classes:
            c.shared(b)
        assert b.at == len(body)

    def costs(self, body):
        b = Bytes(body)
        while b.at < len(body):
            rank, n = struct.unpack("<2I", b.take(8))
            self.own[rank] = b.take(n)

    def walk(self, rank, say):
        for c in self.classes:
            if rank in c.members:
                i = c.members.index(rank)
                assert (rank in self.own) == bool(c.has_own[i])
                Walk(self, c, i, self.own.get(rank), say).run(0, c.top, 1, 0)


def main():
    names, expected = [], 0
    for line in open(sys.argv[2], encoding="utf-8"):
        row = re.match(r"\| (\d+) \| ([a-z_A-Z ]+) \|$", line)
        if row and int(row[1]) == len(names):
            names += row[2].split()
    assert len(names) > 100, "the page's table of operations"
    ranks, found = blocks(open(sys.argv[1], "rb").read())
    chapters = []
    for kind, _, _, body in found:
        if kind == 2:
            chapters.append(Chapter(ranks, body))
            expected += chapters[-1].events
        elif kind == 3:
            chapters[-1].shared(body)
        elif kind == 4:
            chapters[-1].costs(body)
    seen = 0

    def say(rank, e):
        nonlocal seen
        seen += 1
        name = names[e[0]]
        text = [str(rank), ("i" if e[1] & 1 else "") + name]
        if name in ("send", "ssend", "isend", "irecv", "recv"):
            text += [f"peer={e[2]} tag={e[3]} count={e[7]} type={e[9]} size={e[11]} req={e[15]}"]
        if name in ("waitall", "waitany", "waitsome"):
            text += ["reqs=" + ",".join(map(str, e[25]))]
        if name == "compute":
            text += [f"volume={e[VOLUME]!r}"]
        text += [f"ns={round(e[DURATION] * 1e9)}" if e[DURATION] >= 0 else "ns=?"]
        print(*text)

    for rank in range(ranks):
        for c in chapters:
            c.walk(rank, say)
    assert seen == expected, (seen, expected)
    print("forms", *sorted(Bytes.forms), file=sys.stderr)


main()
