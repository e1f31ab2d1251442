"""goal_binary.py TEXT BINARY: do the two say the same?

A reader of GOAL's binary form made from docs/foreign-traces.md, and one of the text, which share
nothing with orrery's."""

import re
import struct
import sys

KINDS = {"send": 1, "recv": 2, "calc": 3}


def text_ranks(path):
    ranks, ops = [], None
    for line in open(path):
        word = line.split()
        if line.startswith("rank"):
            ops = []
            ranks.append(ops)
        elif len(word) > 1 and word[1] == "requires":
            ops[int(word[0][1:])][1].add(int(word[2][1:]))
        elif re.match(r"l\d+:", line):
            assert int(word[0][1:-1]) == len(ops)
            tag = int(word[word.index("tag") + 1]) if "tag" in word else 0
            peer = 0 if word[1] == "calc" else int(word[4])
            ops.append(((KINDS[word[1]], peer, int(word[2].rstrip("b")), tag), set()))
    return ranks


def binary_ranks(path):
    data = open(path, "rb").read()
    magic, ranks = struct.unpack_from("<QI", data)
    assert magic == 4223
    end, found = 14 + 16 * ranks, []
    for r in range(ranks):
        at, stop = (8 + x for x in struct.unpack_from("<QQ", data, 14 + 16 * r))
        assert at == end, "blocks follow each other"
        n, n_roots = struct.unpack_from("<II", data, at)
        roots = struct.unpack_from(f"<{n_roots}I", data, at + 8)
        at += 8 + 4 * n_roots
        listed = at + 39 * n
        rows = [struct.unpack_from("<IBIQIBBIIII", data, at + 39 * i) for i in range(n)]
        wait = [set() for _ in rows]
        behind = struct.unpack_from(f"<{(stop - listed) // 4}I", data, listed)
        for i, row in enumerate(rows):
            assert row[9] == 0, "nobody waits for a start"
            for k in behind[row[8] : row[8] + row[7]]:
                wait[k].add(i)
        assert sum(row[7] for row in rows) == len(behind), "all of the list is used"
        assert all(len(w) == row[0] for w, row in zip(wait, rows)), "how many are waited for"
        assert sorted(roots) == [i for i, w in enumerate(wait) if not w], "roots"
        found.append([((row[1], row[2], row[3], row[4]), w) for row, w in zip(rows, wait)])
        end = stop
    assert end == len(data)
    return found


text, binary = text_ranks(sys.argv[1]), binary_ranks(sys.argv[2])
assert len(text) == len(binary) > 0
for r, (a, b) in enumerate(zip(text, binary)):
    assert len(a) == len(b) > 0, f"rank {r}: {len(a)} and {len(b)} operations"
    for i, (x, y) in enumerate(zip(a, b)):
        assert x == y, f"rank {r}, operation {i}: {x} and {y}"
