"""real.py: messages inside collective calls of a real MPI, and of the step lists for the same.

A start of mpirun costs far more than a call, so all calls that can be are made in one start
(mpi/coll_calls.c). Messages are told as {(from, to): (messages, bytes)}, one such per call, or as
a text that says why there are none."""
import collections, glob, os, re, subprocess, tempfile


class OpenMpi:
    name = "Open MPI"

    def __init__(self, program, rules=None, plain=False):
        """rules: a file of dynamic rules; plain: without the components that would decide first."""
        self.program, self.options = program, []
        if rules or plain:
            self.options = ["--mca", "coll", "^han,adapt,sm"]
        if rules:
            self.options += ["--mca", "coll_tuned_use_dynamic_rules", "1",
                             "--mca", "coll_tuned_dynamic_rules_filename", rules]

    def command(self, p, count_file):
        return ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe",
                "--mca", "btl", "self,vader,tcp", "--mca", "pml_monitoring_enable", "1",
                "-x", f"COUNT_FILE={count_file}", *self.options, "-np", str(p), self.program]


class Mpich:
    name = "MPICH"

    def __init__(self, program, shim, **variables):
        """shim: count_ucx.c as a library."""
        self.program, self.variables = program, dict(variables, LD_PRELOAD=shim)

    def command(self, p, count_file):
        out = ["mpirun.mpich", "-np", str(p)]
        for name, value in dict(self.variables, COUNT_FILE=count_file).items():
            out += ["-env", name, str(value)]
        return out + [self.program]


def started(library, p, calls):
    """Messages of calls [(operation, elements, root)] made in one start; one text if it failed."""
    env = dict(os.environ, OMPI_MCA_rmaps_base_oversubscribe="1")
    with tempfile.TemporaryDirectory(prefix="orrery-real-") as work:
        words = [str(word) for call in calls for word in call]
        try:
            r = subprocess.run(library.command(p, f"{work}/c") + words, capture_output=True,
                               text=True, timeout=100, env=env)
        except subprocess.TimeoutExpired:
            return f"{library.name}: hangs"
        if r.returncode:
            return f"{library.name}: {r.stderr[-600:]}"
        out = [{} for _ in calls]
        for name in glob.glob(f"{work}/c.*"):
            for line in open(name):
                call, source, to, messages, size = map(int, line.split())
                out[call][source, to] = messages, size
    return out


def step_lists(program, lines):
    """The messages of each line, by coll_messages.c; a text where there are none."""
    out = subprocess.run([program], input="".join(line + "\n" for line in lines),
                         capture_output=True, text=True, timeout=60).stdout
    found = []
    for line in out.splitlines():
        m = re.match(r"(\d+):(.*)", line)
        if len(found) < len(lines) and line == lines[len(found)]:
            found.append({})
        elif not m:
            found[-1] = f"orrery: {line}"
        else:
            for to, n in re.findall(r"S(\d+):(\d+)", m.group(2)):
                many, size = found[-1].get((int(m.group(1)), int(to)), (0, 0))
                found[-1][int(m.group(1)), int(to)] = many + 1, size + int(n)
    return found + ["orrery: nothing"] * (len(lines) - len(found))


def said(name, real, here):
    """What is different."""
    if isinstance(real, str) or isinstance(here, str):
        return real if isinstance(real, str) else here
    bad = [f"{a}->{b}: {name} {real.get((a, b))}, here {here.get((a, b))}"
           for a, b in sorted(set(real) | set(here)) if real.get((a, b)) != here.get((a, b))]
    return f"{len(bad)} pairs differ (messages, bytes): " + "; ".join(bad[:4])


def compare(library, p, calls, lines, ours, same):
    """What is wrong with each of calls made in one start, beside its line of coll_messages.c.

    same(call, real, here): whether they agree. Nothing wrong: None. A call that does not agree is
    made once more in a start of its own, which decides."""
    here, real = step_lists(ours, lines), started(library, p, calls)
    wrong = []
    for i, call in enumerate(calls):
        found = real if isinstance(real, str) else real[i]
        if isinstance(found, dict) and len(calls) > 1 and not same(call, found, here[i]):
            found = started(library, p, [call])
            found = found if isinstance(found, str) else found[0]
        wrong.append(None if same(call, found, here[i]) else said(library.name, found, here[i]))
    return wrong
