"""tune_effect.py LIBRARY FILE OURS CALLS [SHIM]: a tuning file that orrery tune wrote, loaded by
the real library (ompi, mpich).

What each rank sends to each other inside a call is what the same file selects here. In some calls
that is not what the library sends without the file, so that it is the file that made the
difference. All calls are made in one start, with the file, and in one without. Counted as in
coll_ompi.py and coll_mpich.py.

OURS: the program of coll_messages.c; CALLS: mpi/coll_calls.c compiled for the library; SHIM:
mpi/count_ucx.c as a library."""
import os, sys

import real

name, tuned, ours, program = sys.argv[1:5]
shim = (sys.argv + [""])[5]
RANKS = 4
# Elements of 8 bytes. Not those whose messages the library's counter does not see (alltoall's
# persistent requests; gather's derived types).
CALLS = [("bcast", 3000), ("bcast", 100000), ("allreduce", 5), ("allreduce", 100000),
         ("reduce", 3000), ("allgather", 3000), ("reduce_scatter", 3000)]



def library(file):
    if name == "ompi":
        return real.OpenMpi(program, file, plain=True)
    rules = {"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE": file} if file else {}
    return real.Mpich(program, shim, MPIR_CVAR_NOLOCAL=1, **rules)


def sent(file):
    found = real.started(library(file), RANKS, [(kind, count, 0) for kind, count in CALLS])
    if isinstance(found, str):
        sys.exit(found)
    return [{pair: told for pair, told in call.items() if pair[0] != pair[1]} for call in found]


without, under = sent(None), sent(tuned)
here = real.step_lists(ours, [f"{kind} file:{tuned} {RANKS} 0 {count} 8 0 0 1"
                              for kind, count in CALLS])
failed = 0
changed = sum(a != b for a, b in zip(without, under))
for (kind, count), theirs, expected in zip(CALLS, under, here):
    if theirs != expected:
        failed += 1
        print(f"{kind} of {count} elements under {os.path.basename(tuned)}: "
              f"{real.said(name, theirs, expected)}")
print(f"{name} loads what orrery tune writes: of {len(CALLS)} calls, {changed} send other "
      f"messages than without it, {failed} not those that it says")
sys.exit(failed > 0 or changed < 3)
