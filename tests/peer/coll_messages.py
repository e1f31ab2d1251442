"""Compares the messages of the step lists with those that SimGrid's smpirun sends, algorithm by algorithm.

usage: coll_messages.py COLL_MESSAGES SIMGRID_PROGRAM PLATFORM [kind:algorithm ...]
COLL_MESSAGES: the program of coll_messages.c; SIMGRID_PROGRAM: coll_simgrid.c compiled with smpicc. What is compared is, per rank, the
sequence of (destination, bytes) in the order of posting."""
import collections, os, re, subprocess, sys, tempfile

KINDS = ("barrier bcast reduce allreduce gather gatherv scatter scatterv allgather allgatherv alltoall alltoallv alltoallw "
         "reduce_scatter reduce_scatter_block scan exscan").split()
ROOTED = {"bcast", "reduce", "gather", "gatherv", "scatter", "scatterv"}
VECTOR = {"gatherv", "scatterv", "allgatherv", "alltoallv", "alltoallw", "reduce_scatter"}
FIXED = set(KINDS) - {"gather", "allgather", "allgatherv", "allreduce", "reduce_scatter", "scatter", "barrier", "alltoall", "alltoallv",
                      "bcast", "reduce"}


def cases(kind):
    """(p, root, count, type size, shape of counts)"""
    for p in (1, 2, 3, 4, 5, 6, 8, 11, 16):
        counts = [(0, 1, 0)] if kind == "barrier" else [(7, 1, 0), (64 * p + 3, 8, 0), (20011, 8, 0)]
        if kind in VECTOR:
            counts += [(3, 8, 2), (9000, 4, 1)]
        if kind in ("bcast", "reduce", "allreduce"):
            counts += [(300007, 8, 0)]
        for count, size, shape in counts:
            for root in ({0, p // 2, p - 1} if kind in ROOTED else {0}):
                yield p, root, count, size, shape


def ours(program, lines):
    """{line: [sequence per rank] or what was said instead}"""
    out = subprocess.run([program], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True).stdout
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


def theirs(program, platform, kind, name, case, work):
    p, root, count, size, shape = case
    trace = os.path.join(work, "t.trace")
    cmd = ["smpirun", "-np", str(p), "-platform", platform, "-trace", "-trace-file", trace, "--cfg=tracing/smpi/internals:yes",
           "--cfg=tracing/smpi/display-sizes:yes", "--cfg=smpi/host-speed:1Gf", "--log=root.thresh:critical"]
    if kind not in FIXED:
        cmd.append(f"--cfg=smpi/{kind}:{name}")
    cmd += [program, str(KINDS.index(kind)), str(p), str(root), str(count), str(size), str(shape)]
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
                src, dst, tag, serial = re.fullmatch(r"(\d+)_(\d+)_(-?\d+)_(\d+)", w[6]).groups()
                sent.append((int(serial), int(src) - 1, int(dst) - 1, int(w[7])))
    seq = [[] for _ in range(p)]
    for _, src, dst, n in sorted(sent):
        seq[src].append((dst, n))
    return seq


def same_after_setup(ours, theirs):
    """SMPI's node-aware algorithms begin with small messages (4 bytes) that find out who shares a host; Orrery knows."""
    if isinstance(ours, str) or isinstance(theirs, str):
        return False
    for mine, his in zip(ours, theirs):
        extra = len(his) - len(mine)
        if extra < 0 or his[extra:] != mine or any(n != 4 for _, n in his[:extra]):
            return False
    return True


def main():
    program, simgrid, platform, wanted = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    bad = good = 0
    with tempfile.TemporaryDirectory() as work:
        for which in wanted:
            kind, name = which.split(":")
            lines = {f"{kind} {name} {c[0]} {c[1]} {c[2]} {c[3]} {c[4]} 1": c for c in cases(kind)}
            mine = ours(program, lines)
            wrong = collections.Counter()
            shown = 0
            for line, case in lines.items():
                his = theirs(simgrid, platform, kind, name, case, work)
                if mine[line] == his:
                    good += 1
                    continue
                if same_after_setup(mine[line], his):
                    good += 1
                    wrong["same after SMPI's messages to find the hosts"] += 1
                    continue
                wrong["refused here" if isinstance(mine[line], str) else his if isinstance(his, str) else "differs"] += 1
                if shown < 1 and not isinstance(his, str) and not isinstance(mine[line], str):
                    shown += 1
                    r = next(i for i in range(case[0]) if mine[line][i] != his[i])
                    print(f"{line}: rank {r}\n  ours   {mine[line][r][:12]}\n  theirs {his[r][:12]}")
            bad += wrong["differs"]
            print(f"{which}: {dict(wrong) or 'same'}")
    print(f"{good} calls agree message by message, {bad} differ")
    return 1 if bad else 0


sys.exit(main())
