#!/bin/bash
# A process whose first thread has ended goes on: messages, one-sided communication, its trace.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need_live
scratch
for mpicc in mpicc.mpich mpicc.openmpi; do
	have $mpicc || continue
	$mpicc -w -g -O1 -pthread -o first "$SRC/tests/programs/live_first.c" || exit 2
	for options in "" --checks "--trace t -f"; do
		# shellcheck disable=SC2086 # words
		timeout 60 "$ORRERY" run -q -np 3 -p graphene --computation none $options -- \
			./first >out 2>err && grep -qx "done" out && [[ ! -s err ]] ||
			bad "$mpicc, $options: $(cat out err)"
	done
	"$ORRERY" replay -q t -p graphene >out 2>err || bad "$mpicc: replay: $(cat err)"
	grep -q . err && bad "$mpicc: replay: $(cat err)"
done
exit $failed
