"""coll_times.py OPERATION COUNT RANKS FOLDER: a trace in SimGrid's plain form of one call of a
collective, of about COUNT doubles a rank."""
import os, random, sys

kind, count, n, folder = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
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
os.makedirs(folder, exist_ok=True)
with open(f"{folder}/list", "w") as f:
    f.writelines(f"{folder}/{i}.txt\n" for i in range(n))
for i in range(n):
    with open(f"{folder}/{i}.txt", "w") as f:
        f.write("\n".join(lines[i]) + "\n")
