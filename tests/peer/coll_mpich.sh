#!/bin/bash
# Messages and bytes from rank to rank inside collective calls of the real MPICH, counted where it
# hands them to UCX, beside what the selector mpich-4 chooses.
# Skipped (77) without an MPICH 4 of the sort ch4:ucx. ALL=1: on a grid of sizes around the bounds
# of its tables (minutes).
set -u
cd "${SRC:-$(dirname "$0")/../..}" || exit 1
ours=$(dirname "${ORRERY:-$PWD/build-dev/orrery}")/tests/peer_coll_messages
. tests/need.bash
need mpirun.mpich:mpich mpicc.mpich:libmpich-dev mpichversion:mpich
mpichversion 2>/dev/null | grep -q 'Version:[[:space:]]*4\.' && mpichversion | grep -q 'ch4:ucx' ||
	skip "no MPICH 4 of the sort ch4:ucx"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mpicc.mpich -rdynamic tests/peer/mpi/coll_calls.c -o "$work/calls" >"$work/log" 2>&1 &&
	${CC:-cc} -shared -fPIC -O1 tests/peer/mpi/count_ucx.c -o "$work/count.so" -ldl \
		>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
python3 -B tests/peer/coll_mpich.py "$ours" "$work/calls" "$work/count.so" ${ALL:+all}
