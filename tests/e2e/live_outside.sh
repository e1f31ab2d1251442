#!/bin/bash
# A rank that waits for another one by way of the operating system (a connection, a byte, a lock of
# a file) keeps nobody from going on, and comes back at the date of what it waited for: to 0.1 s, as
# the one who looks meanwhile goes on until the kernel has woken it; two runs agree. One that waits
# for ever there, beside one that looks for ever, is no livelock, and its death is told. Memory that
# ranks share past MPI.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need_live
scratch
echo "connected after 2.0 s, a byte after 5.0 s, the lock after 6.0 s" >dates
mpi=
for family in openmpi mpich; do
	have "mpicc.$family" || continue
	mpi=$family
	"mpicc.$family" -O1 -o "outside.$family" "$SRC/tests/programs/live_outside.c" || exit 1
	for run in 1 2; do
		timeout 60 "$ORRERY" run -q -np 4 -p graphene --computation none \
			-- "./outside.$family" >out 2>err || bad "$family: $(cat err)"
		grep connected out | diff - dates ||
			bad "$family: the dates are not those of the sleeps (left)"
		grep -o "simulated time: [0-9]*[.][0-9]" out >"time.$run"
	done
	[[ -s time.1 ]] && diff time.1 time.2 || bad "$family: two runs differ"
done
[[ $mpi ]] || skip "no mpicc.openmpi, mpicc.mpich (Debian: libopenmpi-dev libmpich-dev)"
# It is told: what moves there takes no time.
timeout 60 "$ORRERY" run -np 4 -p graphene --computation none -- "./outside.$mpi" >out 2>err
grep -q "^orrery: ranks waited past MPI .* times: what moves there takes no time" err ||
	bad "waits past MPI are not told: $(cat err)"
# Who waits by sched_yield for memory that another rank writes to lets time pass: it sees 10 ms, and
# up to a 64th of it more, by which its loop tells its time (life.c), or what its turns took.
"mpicc.$mpi" -O1 -o yields "$SRC/tests/programs/live_yields.c" || exit 1
ways_to_hold
for hold in "${holds[@]}"; do
	for computation in none measured; do
		head -c 4096 /dev/zero >shared
		timeout 30 "$ORRERY" run -q -np 3 -p graphene --computation $computation \
			--hold "$hold" -- ./yields "$PWD/shared" >out 2>err ||
			bad "yields, $hold, $computation: exit code $?: $(cat err)"
		[[ $(grep -c "^seen after 0[.]01" out) == 2 ]] ||
			bad "yields, $hold, $computation: $(grep seen out)"
	done
done
: >out # what the run before said must not be taken for this one's
timeout 60 "$ORRERY" run -q -np 4 -p graphene --computation none -- \
	sh -c '[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 0 ] && echo $$ >pid; exec "$@"' sh \
	"./outside.$mpi" wait >out 2>err &
run=$!
until grep -q connected out; do kill -0 $run 2>/dev/null || break; done
kill -SEGV "$(cat pid)"
wait $run
[[ $? == 1 ]] || bad "a rank was killed: exit code 1 wanted"
grep -q "rank 0 on graphene-0.*signal 11" err || bad "the killed rank is not named: $(cat err)"
exit "$failed"
