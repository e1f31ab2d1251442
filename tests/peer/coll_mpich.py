"""coll_mpich.py OURS CALLS SHIM [all]: messages of collective calls, beside real MPICH's.

Messages and bytes from each rank to each other inside collective calls of the real MPICH, as
installed, are counted where it gives them to UCX (mpi/count_ucx.c). They stand beside those of the
algorithm that the selector mpich-4 chooses: every rank alone on its node (MPIR_CVAR_NOLOCAL), and
nodes that take turns (MPIR_CVAR_NUM_CLIQUES).

Not counted: what a rank sends to itself. Not compared: bytes of gather, where MPICH sends derived
types, of which it counts elements.

OURS: the program of coll_messages.c; CALLS: mpi/coll_calls.c compiled with MPICH's mpicc;
SHIM: count_ucx.c as a library.
"coll_mpich.py cases" prints the calls of the large grid for OURS."""
import itertools, sys

import real

ours, program, shim = (sys.argv + ["", ""])[1:4]
everything = len(sys.argv) > 4 or sys.argv[1] == "cases"
KINDS = ("allgather allgatherv allreduce alltoall alltoallv barrier bcast exscan gather reduce "
         "reduce_scatter reduce_scatter_block scan scatter").split()
ROOTED = ("bcast", "reduce", "gather", "scatter")


def line_of(kind, p, count, root, nodes):
    return f"{kind} mpich-4 {p} {root} {count} 8 0 0 {-(p // nodes)}"


def same(call, theirs, here):
    if isinstance(theirs, str) or isinstance(here, str):
        return False
    theirs = {pair: told for pair, told in theirs.items() if pair[0] != pair[1]}
    if call[0] == "gather": # the messages only
        theirs, here = ({pair: told[0] for pair, told in x.items()} for x in (theirs, here))
    return theirs == here


def compare(layout, cases):
    """[(case, what is wrong with it)], of cases on so many ranks and nodes."""
    p, nodes = layout
    library = real.Mpich(program, shim, **({"MPIR_CVAR_NOLOCAL": 1} if nodes == p else
                                           {"MPIR_CVAR_NUM_CLIQUES": nodes}))
    calls = [(kind, count, root) for kind, _, count, root, _ in cases]
    return zip(cases, real.compare(library, p, calls, [line_of(*c) for c in cases], ours, same))


# Elements of 8 bytes around the bounds of MPICH's tables: {(ranks, nodes): counts}.
FEW = {(5, 5): [300], (8, 8): [1700], (6, 2): [300]}
ALL = {(2, 2): [1, 700], (3, 3): [40, 5000], (4, 4): [1, 12, 700, 5000, 70000],
       (5, 5): [3, 300, 5000, 70000], (6, 6): [7, 2100], (7, 7): [1, 20, 3000],
       (8, 8): [1, 20, 40, 300, 1536, 1537, 5000, 65535, 65536, 70000],
       (9, 9): [1, 40, 1400, 1600, 5000], (12, 12): [30, 5000],
       (4, 2): [1, 300, 40000], (6, 3): [1, 300, 3000], (8, 4): [1, 300, 2000, 70000],
       (8, 2): [1, 2000, 65536], (9, 3): [1, 300, 3000]}
cases = []
for (p, nodes), counts in (ALL if everything else FEW).items():
    for kind in KINDS:
        for count in counts if kind != "barrier" else [0]:
            if count * p > 300000 and kind not in ("bcast", "reduce", "allreduce"):
                continue
            for root in ({0, p - 1} if kind in ROOTED else {0}):
                cases.append((kind, p, count, root, nodes))
if ours == "cases":
    sys.exit(print("\n".join(line_of(*c) for c in cases)))
failed = 0
for layout, some in itertools.groupby(cases, lambda case: (case[1], case[4])):
    for case, wrong in compare(layout, list(some)):
        if wrong:
            failed += 1
            print("%s, %d ranks, %d elements, root %d, %d nodes:" % case, wrong)
print(f"{len(cases)} calls compared with MPICH, {failed} differ")
sys.exit(failed > 0)
