#!/bin/bash
# The messages of every collective algorithm that SimGrid has under the same name, against those its
# smpirun sends.
# parts: 4
# Skipped (77) without SimGrid. Arguments: which (kind:algorithm); without, all, on a small grid;
# FULL=1: on a large one (an hour).
set -u
cd "${SRC:-$(dirname "$0")/../..}" || exit 1
ours=$(dirname "${ORRERY:-$PWD/build-dev/orrery}")/tests/peer_coll_messages
. tests/need.bash
need smpirun:libsimgrid-dev smpicc:libsimgrid-dev
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
smpicc -Isrc -Itests tests/peer/mpi/coll_simgrid.c -o "$work/theirs" >"$work/log" 2>&1 ||
	{ cat "$work/log"; exit 1; }
python3 tests/peer/coll_messages.py "$ours" "$work/theirs" $PWD/tests/peer/platforms/coll.xml "$@"
