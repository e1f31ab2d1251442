#!/bin/bash
# A mistake at a call of MPI is told with the call, its line, and what was given beside what would
# have been right (tests/programs/live_wrong.c); one buffer for both sides of a collective is
# refused where MPICH refuses it, and under --checks; what is right is not told.
. "$SRC/tests/need.bash"
need_live
ways_to_hold
scratch
src=$SRC/tests/programs/live_wrong.c
"$ORRERY" cc -g -O1 -o program "$src" || exit 1
have mpicc.mpich && mpicc.mpich -g -O1 -o mpich "$src"

# told PROGRAM WHAT LINE TEXT [OPTION]: the run ends with code 1 and says that
told() {
	local program=$1 what=$2 line=$3 text=$4 hold
	shift 4
	for hold in "${holds[@]}"; do
		"$ORRERY" run -q -np 2 -p graphene --computation none --hold "$hold" "$@" -- \
			"./$program" "$what" >out 2>err </dev/null
		[[ $? == 1 ]] || bad "exit code: $program, $what, $hold: $(cat err)"
		grep -qF "$text" err || bad "$program, $what, $hold: $(cat err)"
		[[ -z $line ]] || ! grep -q 'live_wrong\.c:' err ||
			grep -q "live_wrong\.c:$line (main): MPI_" err ||
			bad "the line: $program, $what, $hold: $(cat err)"
	done
}
line() { grep -n "\"$1\"" "$src" | head -1 | cut -d: -f1; }
while IFS='|' read -r what text; do
	told program "$what" "$(line "$what")" "$text"
done <<'LIST'
init|MPI_Init: error 16: MPI_ERR_OTHER: other error: MPI has begun
again|MPI_ERR_OTHER: other error: MPI cannot begin again after MPI_Finalize
count|MPI_ERR_COUNT: invalid count: -1 (on MPI_COMM_WORLD)
rank|MPI_ERR_RANK: invalid rank: 99, where there are 0 to 1
negative|MPI_ERR_RANK: invalid rank: a negative one, where there are 0 to 1
tag|MPI_ERR_TAG: invalid tag: a tag is 0 or more
type|MPI_ERR_TYPE: invalid datatype: there was no MPI_Type_commit of it
root|MPI_ERR_ROOT: invalid root: 2, where there are 0 to 1
send|MPI_Send: error 1: MPI_ERR_BUFFER: invalid buffer pointer: a null pointer, for 16 bytes
eight|invalid buffer pointer: address 8, which is no memory: a null pointer's offset? For 16 bytes
recv|MPI_Recv: error 1: MPI_ERR_BUFFER: invalid buffer pointer: a null pointer, for 16 bytes
bcast|MPI_Bcast: error 1: MPI_ERR_BUFFER: invalid buffer pointer: a null pointer, for 16 bytes
LIST
# of no object: nothing is said of the one whose handler was called
told program comm "$(line comm)" "MPI_Barrier: error 5: MPI_ERR_COMM: invalid communicator"
grep -q '(on MPI_COMM' err && bad "an invalid communicator: $(cat err)"
told program truncate "" "truncated: 40 bytes from rank 0 with tag 7, and room for 16"
for what in reduce alltoall; do
	"$ORRERY" run -q -np 2 -p graphene --computation none -- ./program $what >out 2>err ||
		bad "$what without checks: $(cat err)"
	told program $what "$(line $what)" "the send buffer is the receive buffer" --checks
	[[ ! -x mpich ]] || told mpich $what "$(line $what)" "the send buffer is the receive buffer"
done
for program in program mpich; do
	[[ ! -x $program ]] || "$ORRERY" run -q -np 2 -p graphene --computation none --checks -- \
		./$program right >out 2>err || bad "what is right: $program: $(cat err)"
done
exit $failed
