"""Compares the messages of the step lists with those that SimGrid's smpirun sends, algorithm by
algorithm.

usage: coll_messages.py COLL_MESSAGES SIMGRID_PROGRAM PLATFORM [kind:algorithm ...]
COLL_MESSAGES: the program of coll_messages.c; SIMGRID_PROGRAM: coll_simgrid.c compiled with smpicc.

What is compared is, per rank, the sequence of (destination, bytes) in the order of posting.

A start of smpirun costs more than a call. So one algorithm of each operation, and all of their
calls on the same ranks and hosts, go into one start; if that fails, half of them into one. A call
that does not agree there is made once more in a start of its own, which decides: an algorithm that
calls another operation gets that one's algorithm."""
import collections, os, re, subprocess, sys, tempfile

KINDS = ("barrier bcast reduce allreduce gather gatherv scatter scatterv allgather allgatherv "
         "alltoall alltoallv alltoallw reduce_scatter reduce_scatter_block scan exscan").split()
ROOTED = {"bcast", "reduce", "gather", "gatherv", "scatter", "scatterv"}
VECTOR = {"gatherv", "scatterv", "allgatherv", "alltoallv", "alltoallw", "reduce_scatter"}
FIXED = set(KINDS) - {"gather", "allgather", "allgatherv", "allreduce", "reduce_scatter", "scatter",
                      "barrier", "alltoall", "alltoallv", "bcast", "reduce"}


def cases(kind):
    """(p, root, count, type size, shape of counts, ranks per host)"""
    for p, count, size, shape, per_host in (
            (3, 7, 1, 0, 1), (5, 20011, 8, 0, 1), (8, 300, 8, 2, 1), (8, 50, 8, 0, 2),
            (8, 3000, 8, 0, 2), (16, 5000, 4, 0, 4), (16, 3, 4, 0, 4), (8, 0, 8, 0, 2)):
        root = p // 2 if kind in ROOTED else 0
        count = count if kind != "barrier" else 0
        yield p, root, count, size, shape if kind in VECTOR else 0, per_host
    if not os.environ.get("FULL"):
        return
    for p in (1, 2, 3, 4, 5, 6, 8, 11, 16):
        counts = [(7, 1, 0), (64 * p + 3, 8, 0), (20011, 8, 0)]
        if kind == "barrier":
            counts = [(0, 1, 0)]
        if kind in VECTOR:
            counts += [(3, 8, 2), (9000, 4, 1)]
        if kind in ("bcast", "reduce", "allreduce"):
            counts += [(300007, 8, 0)]
        for count, size, shape in counts:
            for root in ({0, p // 2, p - 1} if kind in ROOTED else {0}):
                yield p, root, count, size, shape, 1


def calls(kind, name):
    """The cases of an algorithm, each once.

    Algorithms that wait for arrivals are called with root 0.

    Where rank 0 looks at who is there, all are taken to be. With another root SMPI's finds the root
    later than the others."""
    late = name.startswith("arrival")
    return list(dict.fromkeys((c[0], 0, *c[2:]) if late else c for c in cases(kind)))


def ours(program, lines):
    """{line: [sequence per rank] or what was said instead}"""
    out = subprocess.run([program], input="\n".join(lines) + "\n", capture_output=True, text=True,
                         check=True).stdout
    result, last = {}, None
    for line in out.splitlines():
        if line in lines:
            last = line
            result[last] = []
        elif re.match(r"\d+:", line):
            result[last].append([tuple(map(int, m)) for m in re.findall(r" S(\d+):(\d+)", line)])
        else:
            result[last] = line
    return result


MARK = 20000  # of coll_simgrid.c


def started(program, platform, layout, jobs, work):
    """The messages of calls [(kind, algorithm, case)] made in one start; one text if it failed."""
    p, per_host = layout
    trace = os.path.join(work, "t.trace")
    cmd = ["smpirun", "-np", str(p), "-platform", platform, "-trace", "-trace-file", trace,
           "--cfg=tracing/smpi/internals:yes", "--cfg=tracing/smpi/display-sizes:yes",
           "--cfg=smpi/host-speed:1Gf", "--log=root.thresh:critical"]
    with open(os.path.join(work, "hosts"), "w") as f:
        f.writelines(f"h{i // per_host}\n" for i in range(p))
    cmd += ["-hostfile", os.path.join(work, "hosts")]
    cmd += [f"--cfg=smpi/{k}:{a}" for k, a in sorted({j[:2] for j in jobs}) if k not in FIXED]
    cmd.append(program)
    for kind, _, (_, root, count, size, shape, _) in jobs:
        cmd += map(str, (KINDS.index(kind), root, count, size, shape))
    try:
        run = subprocess.run(cmd, capture_output=True, text=True, cwd=work, timeout=60)
    except subprocess.TimeoutExpired:
        return "hangs"
    if run.returncode:
        return "fails: " + (run.stderr.strip().splitlines() or ["?"])[-1][:120]
    sent = []
    with open(trace) as f:
        for line in f:
            if line.startswith("15 "):
                w = line.split()
                src, dst, tag, serial = map(int, re.fullmatch(r"(\d+)_(\d+)_(-?\d+)_(\d+)",
                                                              w[6]).groups())
                sent.append((serial, src - 1, dst - 1, tag - MARK, int(w[7])))
    calls = [[[] for _ in range(p)] for _ in jobs]
    now = [calls[0][r] if len(jobs) == 1 else None for r in range(p)]
    for _, src, dst, mark, n in sorted(sent):
        if mark >= 0:
            now[src] = calls[mark // 2][src] if mark % 2 == 0 else None
        elif now[src] is not None:
            now[src].append((dst, n))
    return calls


def same_after_setup(ours, theirs):
    """SMPI's node-aware algorithms begin with messages of at most 4 bytes that find out who shares
    a host; Orrery knows."""
    if isinstance(ours, str) or isinstance(theirs, str):
        return False
    for mine, his in zip(ours, theirs):
        extra = len(his) - len(mine)
        if extra < 0 or his[extra:] != mine or any(n > 4 for _, n in his[:extra]):
            return False
    return True


def agree(ours, theirs):
    return ours == theirs or same_after_setup(ours, theirs)


def likely_fails(kind, name, case):
    """Whether SimGrid is likely to fail in a call, which then is not worth a start with others.

    Pairs on no power of two, no elements in segments, what gets stuck or writes where it must not.
    """
    p, count = case[0], case[2]
    return ("pair" in name and p & (p - 1) != 0 or
            count == 0 and kind in ("bcast", "reduce", "allreduce") and
            ("pipeline" in name or name.startswith("ompi_")) or
            name in ("arrival_scatter", "SMP_linear", "rab", "ompi_split_bintree"))


def theirs(program, platform, jobs, mine, work):
    """{(kind, algorithm, case): sequence per rank, or what was said instead}: of calls with one
    algorithm per operation."""
    his, layouts = {}, collections.defaultdict(list)

    def settle(layout, some):
        found = started(program, platform, layout, some, work)
        if len(some) == 1:
            his[some[0]] = found if isinstance(found, str) else found[0]
        elif isinstance(found, str):
            settle(layout, some[:len(some) // 2])
            settle(layout, some[len(some) // 2:])
        else:
            for job, one in zip(some, found):
                if agree(mine[job], one):
                    his[job] = one
                else:
                    settle(layout, [job])

    for job in jobs:
        layout = job[2][0], job[2][5]
        if likely_fails(*job):
            settle(layout, [job])
        else:
            layouts[layout].append(job)
    for layout, some in layouts.items():
        settle(layout, some)
    return his


# SimGrid 3.32's names, but for its selectors (ompi, mpich, …).
SIMGRID = {
    "gather": "ompi_basic_linear ompi_binomial ompi_linear_sync mvapich2_two_level",
    "allgather": "2dmesh 3dmesh bruck GB loosely_lr NTSLR NTSLR_NB pair rdb rhv ring SMP_NTS "
                 "smp_simple spreading_simple ompi_neighborexchange mvapich2_smp",
    "allgatherv": "GB pair ring ompi_neighborexchange ompi_bruck mpich_rdb mpich_ring",
    "allreduce": "lr rab1 rab2 rab_rdb rdb smp_binomial smp_binomial_pipeline smp_rdb smp_rsag "
                 "smp_rsag_lr smp_rsag_rab redbcast ompi_ring_segmented mvapich2_rs "
                 "mvapich2_two_level rab",
    "reduce_scatter": "ompi_basic_recursivehalving ompi_ring mpich_pair mpich_rdb mpich_noncomm "
                      "ompi_butterfly",
    "scatter": "ompi_basic_linear ompi_linear_nb ompi_binomial mvapich2_two_level_binomial "
               "mvapich2_two_level_direct",
    "barrier": "ompi_basic_linear ompi_two_procs ompi_tree ompi_bruck ompi_recursivedoubling "
               "ompi_doublering mpich_smp mvapich2_pair",
    "alltoall": "2dmesh 3dmesh basic_linear bruck pair pair_rma pair_light_barrier "
                "pair_mpi_barrier pair_one_barrier rdb ring ring_light_barrier "
                "ring_mpi_barrier ring_one_barrier mvapich2_scatter_dest",
    "alltoallv": "bruck pair pair_light_barrier pair_mpi_barrier pair_one_barrier ring "
                 "ring_light_barrier ring_mpi_barrier ring_one_barrier ompi_basic_linear",
    "bcast": "arrival_pattern_aware arrival_pattern_aware_wait arrival_scatter binomial_tree "
             "flattree flattree_pipeline NTSB NTSL NTSL_Isend scatter_LR_allgather "
             "scatter_rdb_allgather SMP_binary SMP_binomial SMP_linear ompi_split_bintree "
             "ompi_pipeline mvapich2_inter_node mvapich2_intra_node mvapich2_knomial_intra_node",
    "reduce": "arrival_pattern_aware binomial flat_tree NTSL scatter_gather ompi_chain "
              "ompi_pipeline ompi_basic_linear ompi_in_order_binary ompi_binary ompi_binomial "
              "mvapich2_knomial mvapich2_two_level rab",
}


def common_names(program):
    """Algorithms that both have; the default of every operation."""
    told = subprocess.run([program, "names"], capture_output=True, text=True, check=True).stdout
    ours = set(told.split())
    theirs = [f"{k}:{name}" for k, names in SIMGRID.items() for name in names.split()]
    return [f"{k}:default" for k in KINDS] + [a for a in theirs if a in ours]


def batches(names):
    """One algorithm of each operation in each."""
    rows = []
    for which in names:
        kind = which.split(":")[0]
        row = next((r for r in rows if all(w.split(":")[0] != kind for w in r)), None)
        if row is None:
            rows.append(row := [])
        row.append(which)
    return rows


def line_of(kind, name, case):
    return " ".join(str(w) for w in (kind, name, *case[:5], 1, case[5]))


def judge(which, cases, mine, his):
    """How many calls agree, and {what is wrong with others: how many}."""
    kind, name = which.split(":")
    good, wrong, shown = 0, collections.Counter(), False
    for case in cases:
        here, there = mine[kind, name, case], his.get((kind, name, case))
        if here == there:
            good += 1
        elif isinstance(here, str):
            wrong["refused here"] += 1
        elif same_after_setup(here, there):
            good += 1
            wrong["same after SMPI's messages to find the hosts"] += 1
        elif isinstance(there, str):
            wrong[there] += 1
        elif name.startswith("arrival"):
            wrong["other groups of ranks, by date of arrival"] += 1
        else:
            wrong["differs"] += 1
            if not shown:
                shown = True
                r = next(i for i in range(case[0]) if here[i] != there[i])
                print(f"{line_of(kind, name, case)}: rank {r}")
                print(f"  ours   {here[r][:12]}\n  theirs {there[r][:12]}")
    return good, wrong


def main():
    program, simgrid, platform, wanted = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    bad = good = 0
    part, parts = map(int, os.environ.get("PART", "1/1").split("/"))
    rows = batches(wanted or common_names(program))[part - 1::parts]
    with tempfile.TemporaryDirectory() as work:
        for row in rows:
            jobs = [(*which.split(":"), case) for which in row
                    for case in calls(*which.split(":"))]
            said = ours(program, {line_of(*job): job for job in jobs})
            mine = {job: said[line_of(*job)] for job in jobs}
            told = [job for job in jobs if not isinstance(mine[job], str)]
            his = theirs(simgrid, platform, told, mine, work)
            for which in row:
                fine, wrong = judge(which, calls(*which.split(":")), mine, his)
                good, bad = good + fine, bad + wrong["differs"]
                if wrong:
                    print(f"{which}: {dict(wrong)}")
    print(f"{good} calls agree message by message, {bad} differ")
    return 1 if bad else 0


sys.exit(main())
