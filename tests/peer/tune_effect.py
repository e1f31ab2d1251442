"""tune_effect.py LIBRARY FILE OURS ONCE [SHIM]: a tuning file that orrery tune wrote, loaded by the
real library (ompi, mpich).

What each rank sends to each other inside a call is what the same file selects here. In some calls
that is not what the library sends without the file, so that it is the file that made the
difference. Counted as in coll_ompi.py (Open MPI's monitoring) and coll_mpich.py (count_ucx.c,
SHIM).

OURS: the program of coll_messages.c; ONCE: mpi/coll_once.c compiled for the library."""
import collections, concurrent.futures, glob, os, re, subprocess, sys, tempfile

library, tuned, ours, once = sys.argv[1:5]
shim = (sys.argv + [""])[5]
RANKS = 4
# Elements of 8 bytes. Not those whose messages the library's counter does not see (alltoall's
# persistent requests; gather's derived types).
CALLS = [("bcast", 3000), ("bcast", 100000), ("allreduce", 5), ("allreduce", 100000),
         ("reduce", 3000), ("allgather", 3000), ("reduce_scatter", 3000)]


def command_ompi(work, file):
    rules = ["--mca", "coll_tuned_use_dynamic_rules", "1",
             "--mca", "coll_tuned_dynamic_rules_filename", file] if file else []
    return ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe",
            "--mca", "coll", "^han,adapt,sm", "--mca", "btl", "self,vader,tcp",
            "--mca", "pml_monitoring_enable", "2", "--mca", "pml_monitoring_enable_output", "3",
            "--mca", "pml_monitoring_filename", f"{work}/c"] + rules


def command_mpich(work, file):
    rules = ["-env", "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE", file] if file else []
    return ["mpirun.mpich", "-env", "LD_PRELOAD", shim, "-env", "COUNT_FILE", f"{work}/c",
            "-env", "MPIR_CVAR_NOLOCAL", "1"] + rules


def line_ompi(words):
    return (int(words[1]), int(words[2]), int(words[5]), int(words[3])) if words[0] == "I" else None


def line_mpich(words):
    return tuple(map(int, words)) if words[0] != words[1] else None


def real(kind, count, file):
    with tempfile.TemporaryDirectory(prefix="orrery-tune-") as work:
        command = (command_ompi if library == "ompi" else command_mpich)(work, file)
        r = subprocess.run(command + ["-np", str(RANKS), once, kind, str(count), "0"],
                           capture_output=True, text=True, timeout=100)
        if r.returncode:
            sys.exit(f"{library}, {kind} of {count} elements: {r.stderr[-600:]}")
        pairs = {}
        for name in glob.glob(f"{work}/c.*"):
            for line in open(name):
                found = (line_ompi if library == "ompi" else line_mpich)(line.split() or ["#"])
                if found:
                    pairs[found[0], found[1]] = found[2:]
    return pairs


def here(kind, count):
    line = f"{kind} file:{tuned} {RANKS} 0 {count} 8 0 0 1\n"
    out = subprocess.run([ours], input=line, capture_output=True, text=True, timeout=60).stdout
    pairs = collections.defaultdict(lambda: (0, 0))
    for l in out.splitlines()[1:]:
        m = re.match(r"(\d+):(.*)", l) or sys.exit(f"{kind} of {count} elements: {l}")
        for to, n in re.findall(r"S(\d+):(\d+)", m.group(2)):
            pair = int(m.group(1)), int(to)
            pairs[pair] = (pairs[pair][0] + 1, pairs[pair][1] + int(n))
    return dict(pairs), out.splitlines()[0]


failed = changed = 0
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    seen = list(pool.map(lambda call: (real(*call, None), real(*call, tuned), here(*call)), CALLS))
for (kind, count), (without, under, (expected, name)) in zip(CALLS, seen):
    changed += without != under
    if under != expected:
        failed += 1
        print(f"{kind} of {count} elements under {os.path.basename(tuned)} ({name}): "
              f"{library} {under}, here {expected}")
print(f"{library} loads what orrery tune writes: of {len(CALLS)} calls, {changed} send other "
      f"messages than without it, {failed} not those that it says")
sys.exit(failed > 0 or changed < 3)
