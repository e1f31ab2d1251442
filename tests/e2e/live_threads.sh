#!/bin/bash
# Threads of ranks that are coroutines: their variables, locks and ends are their own, in C++ and
# under OpenMP; the simulated time is that of processes. What they cannot do is said by name.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
has_coroutines || skip "coroutines are for x86-64 and AArch64"
need mpicxx.mpich:libmpich-dev
need_live
scratch
run() { # HOLD RANKS OPTIONS -- PROGRAM: what it writes, and the time
	timeout 20 "$ORRERY" run -q -p graphene --computation none --hold "$1" -n "${@:2}" 2>err |
		grep '^[0-9]:\|^simulated' | sort
	return "${PIPESTATUS[0]}"
}
mpicxx.mpich -O1 -w -o threads "$SRC/tests/programs/live_threads.cc" -lpthread || exit 2
run coroutines 1 -- ./threads >out
grep -q sanitizers err && skip "coroutines are not for a build with sanitizers"
# a round of rank r: of each of 4 threads 7 + 1000 (r + i), and r + i
want() {
	for r in 0 1 2; do
		echo "$r: $((28 + 1001 * (4 * r + 6))) of 30114, gone $((3 * (4 * r + 6)))," \
			"ended $((3 * (4 * r + 6))), mine 7"
	done
}
run processes 3 -- ./threads >processes || bad "as processes: $(cat err)"
run coroutines 3 -- ./threads >out || bad "as coroutines: $(cat err)"
diff processes out >said || bad "coroutines beside processes: $(cat said)"
diff <(want) <(grep '^[0-9]:' out) >said || bad "by hand: $(cat said)"
if mpicc.mpich -O1 -w -fopenmp -o openmp "$SRC/tests/programs/live_openmp.c" 2>err; then
	for hold in processes coroutines; do # the sum of 0 to 20; 3 rounds of 4 threads
		OMP_NUM_THREADS=4 run $hold 3 -- ./openmp >out || bad "$hold: $(cat err)"
		[[ $(grep -c ': 210 of 4, 12$' out) == 3 ]] || bad "OpenMP, $hold: $(cat out err)"
		# how its library says that threads wait: asleep, if nobody asked for something else
		for said in "PASSIVE 0" "ACTIVE 30000000000 OMP_WAIT_POLICY=active" \
			"[A-Z]* 70 GOMP_SPINCOUNT=70"; do
			read -r policy spins asked <<<"$said"
			(
				[[ -z $asked ]] || export "${asked?}"
				OMP_DISPLAY_ENV=verbose run $hold 1 -- ./openmp >out
			)
			grep -q "OMP_WAIT_POLICY = '$policy'" err &&
				grep -q "GOMP_SPINCOUNT = '$spins'" err ||
				bad "threads that wait, $hold, '$asked': $(cat err)"
		done
	done
else
	echo "OpenMP is not tried: $(cat err)"
fi
# one that computes for ever ends with its rank, as a process does
run coroutines 3 -- ./threads loop >out || bad "a thread that does not end: $(cat err)"
# the level of threads: what holds; of a program that makes none, any
level() { # WANTED HOLD -- PROGRAM ARGUMENTS
	[[ $(run "$2" 1 "${@:3}" | head -1) == "0: $1" ]] || bad "level, $*: $(cat err)"
}
level "multiple 1" processes -- ./threads level
level "funneled 1" coroutines -- ./threads level
level "single 1" coroutines -- ./threads level 0
# who gives up as it got less than it asked for is told how it gets that
for how in quits aborts dies; do
	run coroutines 1 -- ./threads $how >out && bad "$how: exit code 0"
	grep -q "MPI_THREAD_FUNNELED, less than it had asked for.*--hold processes" err ||
		bad "$how: $(cat err)"
	run processes 1 -- ./threads $how >out || bad "$how: $(cat err)"
done
mpicc.mpich -O1 -w -o level "$SRC/tests/programs/live_level.c" || exit 2
level multiple coroutines -- ./level
dies() { # HOW TEXT OPTIONS
	run coroutines 3 "${@:3}" -- ./threads "$1" >out
	[[ $? == 1 ]] || bad "$1: exit code $?, not 1"
	grep -q "$2" err || bad "$1: '$2' wanted, got: $(cat err)"
}
dies mpi "rank 1 on graphene-1.*a thread of it calls MPI.*--hold processes"
dies crash "rank 1 on graphene-1.*a thread of it was killed by signal 11"
dies exit "rank 1 on graphene-1.*a thread of it exited with code 5"
dies none "rank 0 on graphene-0.*makes a thread, .*take turns.*--hold processes" --slots 1
exit $failed
