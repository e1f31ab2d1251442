"""coll_ompi.py OURS CALLS [all|selector]: messages of collective calls, beside real Open MPI's.

Messages and bytes from each rank to each other, inside collective calls of the real Open MPI (its
monitoring of point-to-point messages), stand beside those of the step lists that the same
dynamic-rules file selects here. So the file is loaded by both, and took effect. After these come
the same calls without a file, as Open MPI is installed: what it decides itself beside the selector
ompi-4 ("selector": these only, on a large grid).

One file has one algorithm of each operation, so that their calls go into one start.

OURS: the program of coll_messages.c; CALLS: mpi/coll_calls.c compiled with Open MPI's mpicc."""
import sys, tempfile

import real

ours, program, grid = sys.argv[1], sys.argv[2], (sys.argv + [""])[3]
everything = grid == "all"
NUMBER = {"allgather": 0, "allgatherv": 1, "allreduce": 2, "alltoall": 3, "alltoallv": 4,
          "barrier": 6, "bcast": 7, "exscan": 8, "gather": 9, "reduce": 11, "reduce_scatter": 12,
          "reduce_scatter_block": 13, "scan": 14, "scatter": 15}
ALGS = {"allgather": 6, "allgatherv": 5, "allreduce": 6, "alltoall": 5, "alltoallv": 2,
        "barrier": 6, "bcast": 9, "exscan": 2, "gather": 3, "reduce": 7, "reduce_scatter": 4,
        "reduce_scatter_block": 4, "scan": 2, "scatter": 3}
TWO_ONLY = {("allgather", 6), ("allgatherv", 5), ("alltoall", 5), ("barrier", 5)}
# Known to differ, with the reason; docs/collectives.md says the same.
KNOWN = {("alltoall", 1): "persistent requests, which Open MPI's monitoring does not count",
         ("alltoallv", 1): "persistent requests, which Open MPI's monitoring does not count"}


def rules(path, some):
    """A file with the algorithms of cases, one of each operation."""
    with open(path, "w") as f:
        f.write(f"{len(some)}\n")
        for kind, alg, k, segment, *_ in some:
            f.write(f"{NUMBER[kind]}\n1\n1\n1\n0 {alg} {k} {segment}\n")


def same(own):
    # alltoall: persistent requests again
    return lambda call, theirs, here: theirs == here or (
        call[0] == "alltoall" and own and theirs == {})


def compare(p, own, some):
    """[(case, what is wrong with it)], of cases on so many ranks, with a file or without."""
    with tempfile.TemporaryDirectory(prefix="orrery-ompi-") as work:
        file = f"{work}/rules"
        if not own:
            rules(file, {c[:4]: c for c in some}.values())
        library = real.OpenMpi(program, None if own else file)
        lines = [f"{kind} {'ompi-4' if own else f'file:{file}'} {p} {root} {count} 8 0 0 1"
                 for kind, _, _, _, _, count, root in some]
        calls = [(kind, count, root) for kind, *_, count, root in some]
        return list(zip(some, real.compare(library, p, calls, lines, ours, same(own))))


def starts(cases):
    """Lists of cases that can be made in one start: the same ranks, and of each operation only one
    algorithm with its parameters."""
    found = []
    for case in cases:
        for some in found:
            others = {c[:4] for c in some if c[0] == case[0]}
            if (some[0][4] == case[4] and (some[0][1] == 0) == (case[1] == 0) and
                    others <= {case[:4]}):
                some.append(case)
                break
        else:
            found.append([case])
    return found


cases = []
for kind, n in ALGS.items():
    for alg in range(1, n + 1):
        rooted = kind in ("bcast", "reduce", "gather", "scatter")
        sizes = [0] if kind == "barrier" else [3, 2500] if everything else [700]
        for p in ([2] if (kind, alg) in TWO_ONLY else [4, 6, 7] if everything else [6]):
            for count in sizes:
                segments = [1024 if (kind, alg) == ("reduce", 2) else 0]
                if kind in ("bcast", "reduce") and 2 <= alg <= 7 and everything:
                    segments = [0, 1024]
                for segment in segments:
                    k = 3 if (kind, alg) in (("bcast", 2), ("bcast", 7), ("reduce", 2)) else 0
                    cases.append((kind, alg, k, segment, p, count, (p - 1) // 2 if rooted else 0))
if not everything:  # one of each operation, and those whose messages depend on parameters
    keep, seen = [], set()
    for c in cases:
        if c[:2] in (("bcast", 2), ("bcast", 6), ("allreduce", 3), ("reduce", 5), ("allgather", 2),
                     ("alltoall", 3), ("reduce_scatter", 4), ("gather", 2), ("scatter", 2),
                     ("barrier", 4), ("allgatherv", 3), ("scan", 2)):
            keep.append(c)
    cases = keep
# Algorithm 0: Open MPI's own decision. Sizes around the bounds of its tables.
GRID = {3: [3], 4: [1, 12, 70, 700, 3000, 20000, 50000, 140000], 2: [1, 700], 5: [40, 5000],
        6: [3, 300, 9000], 7: [1, 140000], 8: [2, 70, 1100, 20000, 140000], 9: [5, 2000],
        12: [100], 16: [1, 10, 200, 1500, 8000]}
if grid == "selector":
    cases = []
for kind in [k for k in ALGS if k not in ("alltoallv",)]:
    few = {4: [300], 5: [0], 6: [9000]}
    for p, counts in (GRID if grid == "selector" else few).items():
        for count in counts if kind != "barrier" else [0]:
            if count * p > 300000 and kind not in ("bcast", "reduce", "allreduce"):
                continue
            rooted = kind in ("bcast", "reduce", "gather", "scatter")
            cases.append((kind, 0, 0, 0, p, count, p // 2 if rooted else 0))
failed = 0
for some in starts(cases):
    for case, wrong in compare(some[0][4], some[0][1] == 0, some):
        known = KNOWN.get(case[:2])
        if wrong and not known:
            failed += 1
            print("%s algorithm %d, k %d, segment %d, %d ranks, %d elements, root %d:" % case,
                  wrong)
        if known and not wrong:
            print("%s algorithm %d no longer differs" % case[:2])
print(f"{len(cases)} calls compared with Open MPI, {failed} differ")
sys.exit(failed > 0)
