"""coll_evidence.py COLL_MESSAGES <TABLE: adds to each row of the table of docs/collectives.md what
its algorithm has been compared with, found in the tests themselves.

L: its messages are written down independently (coll_expected.py). S: SimGrid's messages, T:
SimGrid's times (tests/peer/coll_messages.py, coll_times.sh). O: the real Open MPI, M: the real
MPICH (coll_ompi.py, coll_mpich.py). That it is proven goes without saying.

COLL_MESSAGES: the program of tests/peer/coll_messages.c."""
import os, re, subprocess, sys

program = sys.argv[1]
here = os.path.dirname(os.path.abspath(__file__))
peer = os.path.join(here, "..", "peer")


def read(*path):
    with open(os.path.join(*path)) as f:
        return f.read()


def lines_of(*command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return done.stdout.split()


def written_down():
    scope = {}
    text = read(here, "coll_expected.py").replace("sys.exit(main())", "")
    exec(compile(text, "coll_expected.py", "exec"), scope)
    return set(scope["ALGS"])


def simgrid_messages():
    scope = {}
    text = read(peer, "coll_messages.py")
    exec(re.search(r"^SIMGRID = \{.*?^\}", text, re.M | re.S).group(), scope)
    return {f"{kind}:{name}" for kind, names in scope["SIMGRID"].items() for name in names.split()}


def simgrid_times():
    kind, found = None, set()
    text = read(peer, "coll_times.sh")
    for word in re.search(r'^all="(.*?)"', text, re.M | re.S).group(1).split():
        kind = word[:-1] if word.endswith(":") else kind
        found.add(f"{kind}:{word}")
    return found


def mpich():
    cases = subprocess.run([sys.executable, os.path.join(peer, "coll_mpich.py"), "cases"],
                           capture_output=True, text=True, check=True).stdout
    return set(lines_of(program, "chosen", text=cases))


marks = [("L", written_down()), ("S", simgrid_messages()), ("T", simgrid_times()),
         ("O", set(lines_of(program, "ompi"))), ("M", mpich())]
for row in sys.stdin:
    m = re.match(r"\| (\w+) \| `(\w+)` \|", row)
    which = f"{m.group(1)}:{m.group(2)}" if m else None
    found = "".join(c for c, names in marks if which in names)
    print(row.rstrip("\n") + (f" {found} |" if m else ""))
