"""coll_mpich.py OURS ONCE SHIM [all]: messages of one collective call, beside real MPICH's.

Messages and bytes from each rank to each other inside one collective call of the real MPICH, as
installed, are counted where it gives them to UCX (mpi/count_ucx.c). They stand beside those of the
algorithm that the selector mpich-4 chooses: every rank alone on its node (MPIR_CVAR_NOLOCAL), and
nodes that take turns (MPIR_CVAR_NUM_CLIQUES).

Not counted: what a rank sends to itself. Not compared: bytes of gather, where MPICH sends derived
types, of which it counts elements.

OURS: the program of coll_messages.c; ONCE: mpi/coll_once.c compiled with MPICH's mpicc; SHIM:
count_ucx.c as a library.
"coll_mpich.py cases" prints the calls of the large grid for OURS."""
import collections, concurrent.futures, glob, os, re, subprocess, sys, tempfile

ours, once, shim = (sys.argv + ["", ""])[1:4]
everything = len(sys.argv) > 4 or sys.argv[1] == "cases"
KINDS = ("allgather allgatherv allreduce alltoall alltoallv barrier bcast exscan gather reduce "
         "reduce_scatter reduce_scatter_block scan scatter").split()
ROOTED = ("bcast", "reduce", "gather", "scatter")


def theirs(work, kind, p, count, root, nodes):
    cliques = ["-env", "MPIR_CVAR_NUM_CLIQUES", str(nodes)]
    where = ["-env", "MPIR_CVAR_NOLOCAL", "1"] if nodes == p else cliques
    r = subprocess.run(["mpirun.mpich", "-np", str(p), "-env", "LD_PRELOAD", shim,
                        "-env", "COUNT_FILE", f"{work}/c"] + where +
                       [once, kind, str(count), str(root)],
                       capture_output=True, text=True, timeout=100)
    if r.returncode:
        return f"MPICH: {r.stderr[-600:]}"
    pairs = {}
    for name in glob.glob(f"{work}/c.*"):
        for line in open(name):
            source, to, messages, size = map(int, line.split())
            if source != to:
                pairs[source, to] = (messages, size if kind != "gather" else None)
    return pairs


def line_of(kind, p, count, root, nodes):
    return f"{kind} mpich-4 {p} {root} {count} 8 0 0 {-(p // nodes)}\n"


def mine(*case):
    line = line_of(*case)
    out = subprocess.run([ours], input=line, capture_output=True, text=True, timeout=60).stdout
    messages, size = collections.Counter(), collections.Counter()
    for l in out.splitlines()[1:]:
        m = re.match(r"(\d+):(.*)", l)
        if not m:
            return f"orrery: {l}"
        for to, n in re.findall(r"S(\d+):(\d+)", m.group(2)):
            pair = int(m.group(1)), int(to)
            messages[pair] += 1
            size[pair] += int(n)
    return {pair: (messages[pair], size[pair] if case[0] != "gather" else None)
            for pair in messages}


def compare(case):
    with tempfile.TemporaryDirectory(prefix="orrery-mpich-") as work:
        real, here = theirs(work, *case), mine(*case)
    if real == here:
        return case, None
    if isinstance(real, str) or isinstance(here, str):
        return case, f"{real if isinstance(real, str) else here}"
    bad = [f"{a}->{b}: MPICH {real.get((a, b))}, here {here.get((a, b))}"
           for a, b in sorted(set(real) | set(here)) if real.get((a, b)) != here.get((a, b))]
    return case, f"{len(bad)} pairs differ (messages, bytes): " + "; ".join(bad[:4])


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
    sys.exit(print("".join(line_of(*c) for c in cases), end=""))
part, parts = map(int, os.environ.get("PART", "1/1").split("/"))
cases = cases[part - 1::parts]
failed = 0
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    for case, wrong in pool.map(compare, cases):
        if wrong:
            failed += 1
            print("%s, %d ranks, %d elements, root %d, %d nodes:" % case, wrong)
print(f"{len(cases)} calls compared with MPICH, {failed} differ")
sys.exit(failed > 0)
