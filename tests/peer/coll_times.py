"""coll_times.py OPERATION RANKS FOLDER COUNT...: traces in SimGrid's plain form of one call of a
collective each, of about COUNT doubles a rank: FOLDER/OPERATION.COUNT."""
import os, random, sys

kind, n, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]


def trace(count):
    """The lines of each rank."""
    r = random.Random(f"{kind} {n}")
    lines = [[f"{i} init"] for i in range(n)]

    def call(*words, own=lambda i: ()):
        for i in range(n):
            said = (w(i) if callable(w) else w for w in words)
            lines[i].append(" ".join(map(str, (i, *said, *own(i)))))

    root, block = r.randrange(n), count // 4
    if kind == "barrier":
        call(kind)
    elif kind == "bcast":
        call(kind, count, root, 0)
    elif kind == "reduce":
        call(kind, count, 0, root, 0)
    elif kind == "allreduce":
        call(kind, count, 0, 0)
    elif kind in ("alltoall", "allgather"):
        call(kind, block, block, 0, 0)
    elif kind in ("gather", "scatter"):
        call(kind, block, block, root, 0, 0)
    elif kind == "allgatherv":
        c = [r.randrange(0, count) for _ in range(n)]
        call(kind, lambda i: c[i], *c, 0, 0)
    elif kind == "reduce_scatter":
        call("reducescatter", *[r.randrange(1, count) for _ in range(n)], 0, 0)
    elif kind == "alltoallv":
        m = [[r.randrange(0, count) for _ in range(n)] for _ in range(n)]
        got = [[m[s][i] for s in range(n)] for i in range(n)]
        call(kind, own=lambda i: (sum(m[i]), *m[i], sum(got[i]), *got[i], 0, 0))
    call("finalize")
    return lines


for count in sys.argv[4:]:
    into = f"{folder}/{kind}.{count}"
    os.makedirs(into)
    with open(f"{into}/list", "w") as f:
        f.writelines(f"{into}/{i}.txt\n" for i in range(n))
    for i, lines in enumerate(trace(int(count))):
        with open(f"{into}/{i}.txt", "w") as f:
            f.write("\n".join(lines) + "\n")
