#!/bin/bash
# The real Open MPI loads the dynamic-rules file that orrery tune writes, and runs the algorithms
# that it says: by the messages that its monitoring counts, tune_effect.py. Skipped (77) without
# Open MPI.
set -u
cd "${SRC:-$(dirname "$0")/../..}" || exit 1
orrery=${ORRERY:-$PWD/build-dev/orrery}
ours=$(dirname "$orrery")/tests/peer_coll_messages
. tests/need.bash
need mpirun.openmpi:openmpi-bin mpicc.openmpi:libopenmpi-dev ompi_info:openmpi-bin
ompi_info --parsable 2>/dev/null | grep -q 'mca:pml:monitoring' ||
	skip "Open MPI without its monitoring component"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mpicc.openmpi -rdynamic tests/peer/mpi/coll_calls.c -o "$work/calls" 2>"$work/log" ||
	{ cat "$work/log"; exit 1; }
"$orrery" tune -q -p graphene --np 2,4 --bytes 8..1Mi*64 -f ompi -o "$work/tuned.rules" || exit 1
python3 -B tests/peer/tune_effect.py ompi "$work/tuned.rules" "$ours" "$work/calls"
