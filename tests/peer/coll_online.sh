#!/bin/bash
# Selectors in SimGrid's on-line mode, where its replayer aborts or does otherwise: each case was
# once chosen differently. PEER_FULL=1: 60 random programs of 13 calls besides. Skipped (77) without
# SimGrid.
cd "${SRC:-$(dirname "$0")/../..}" || exit 1
. tests/need.bash
need smpirun:libsimgrid-dev smpicc:libsimgrid-dev
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
smpicc -O1 -w -o "$work/many" tests/peer/mpi/coll_many.c || exit 1
# Levels that nobody has chosen tables for: recursive doubling among leaders.
set -- flat:64:1:impi:"allreduce 8192 0 0 1" flat:32:1:impi:"allreduce 44239 0 6 1" \
	flat:13:1:impi:"allreduce 9000 0 0 1"
# Nothing to do, nothing sent.
set -- "$@" flat:8:1:mvapich2:"bcast 0 2 0 1" torus:8:2:mvapich2:"reduce 0 2 0 1" \
	flat:5:1:mvapich2:"allreduce 0 0 0 1"
set -- "$@" flat:13:1:mpich:"allgatherv 0 0 0 1" flat:8:2:mpich:"allgatherv 0 0 6 1" \
	flat:5:1:impi:"reduce 0 3 0 1"
# "default" of reduce_scatter with unequal counts.
set -- "$@" flat:32:1:impi:"reducescatter 11516 0 0 334249" \
	flat:3:2:mvapich2:"reducescatter 10 0 6 1021569" \
	crossbar:5:2:impi:"reducescatter 15402 0 1 881264"
python3 -B tests/peer/coll_online.py "$work/many" "$@" || exit 1
[ "${PEER_FULL:-0}" = 0 ] || python3 -B tests/peer/coll_online.py "$work/many" random 60 1
