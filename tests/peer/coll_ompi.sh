#!/bin/bash
# Messages and bytes from rank to rank inside collective calls of the real Open MPI, by its
# monitoring, beside the step lists selected by the same dynamic-rules file.
# Skipped (77) without Open MPI. ALL=1: every algorithm, on a grid of sizes (minutes).
set -u
cd "${SRC:-$(dirname "$0")/../..}" || exit 1
ours=$(dirname "${ORRERY:-$PWD/build-dev/orrery}")/tests/peer_coll_messages
. tests/need.bash
need mpirun.openmpi:openmpi-bin mpicc.openmpi:libopenmpi-dev ompi_info:openmpi-bin
ompi_info --parsable 2>/dev/null | grep -q 'mca:pml:monitoring' ||
	skip "Open MPI without its monitoring component"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mpicc.openmpi -rdynamic tests/peer/mpi/coll_calls.c -o "$work/calls" 2>"$work/log" ||
	{ cat "$work/log"; exit 1; }
python3 -B tests/peer/coll_ompi.py "$ours" "$work/calls" ${ALL:+all}
