#!/bin/bash
# The real MPICH loads the tuning file that orrery tune writes, and runs calls under it; that it
# reads the file is seen from one it cannot read, with which it stops, and, where messages can be
# counted (count_ucx.c: ch4:ucx), from what it sends: tune_effect.py. Skipped (77) without MPICH.
set -u
cd "${SRC:-$(dirname "$0")/../..}" || exit 1
orrery=${ORRERY:-$PWD/build-dev/orrery}
. tests/need.bash
need mpirun.mpich:mpich mpicc.mpich:libmpich-dev mpichversion:mpich
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mpicc.mpich -rdynamic tests/peer/mpi/coll_calls.c -o "$work/calls" 2>"$work/log" ||
	{ cat "$work/log"; exit 1; }
mpichversion | grep -q 'Version:.*4\.0' && format=mpich || format=mpich-4.3
"$orrery" tune -q -p graphene --np 2,4 --bytes 8..1Mi*64 -f $format -o "$work/tuned.json" || exit 1
echo '{"collective=bcast":{"colour=red":{"algorithm=MPIR_Bcast_intra_smp":{}}}}' >"$work/bad.json"
run() { # FILE CALL…
	local file=$1; shift
	MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=$file timeout 60 mpirun.mpich -np 4 \
		"$work/calls" "$@" >"$work/out" 2>&1
}
run "$work/bad.json" bcast 5 0 && { echo "MPICH did not read its tuning file"; exit 1; }
calls="allreduce 1000 0 bcast 5 1 alltoall 100 0 reduce_scatter 10 0 barrier 0 0"
run "$work/tuned.json" $calls ||
	{ cat "$work/out"; exit 1; }
mpichversion | grep -q 'ch4:ucx' ||
	{ echo "MPICH loads what orrery tune writes; its messages were not counted"; exit 0; }
${CC:-cc} -shared -fPIC -O1 tests/peer/mpi/count_ucx.c -o "$work/count.so" -ldl 2>"$work/log" ||
	{ cat "$work/log"; exit 1; }
python3 -B tests/peer/tune_effect.py mpich "$work/tuned.json" \
	"$(dirname "$orrery")/tests/peer_coll_messages" "$work/calls" "$work/count.so"
