#!/bin/bash
# A deadlock in a collective call that makes windows, files or communicators names that call.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need_live
ways_to_hold
scratch
"$ORRERY" cc -g -O1 -o stuck "$SRC/tests/programs/live_stuck.c" 2>err || skip "$(cat err)"
for hold in "${holds[@]}"; do
	for call in MPI_Win_{create,allocate,create_dynamic} MPI_File_open \
		MPI_Comm_{dup,split,create,create_group} \
		MPI_{Cart_create,Dist_graph_create_adjacent}; do
		timeout 30 "$ORRERY" run -q -np 2 -p graphene --computation none --hold "$hold" -- \
			./stuck $call >out 2>err
		code=$?
		[[ $code == 1 ]] && grep -q "^orrery: deadlock" err &&
			grep -q "^  rank 0, $call since " err &&
			grep -q "^  rank 1, MPI_Recv since " err ||
			bad "$hold, $call: exit code $code: $(cat err)"
	done
done
exit $failed
