#!/bin/bash
# run --checks: a buffer that changes while its operation is under way (live_intact.c) is told
# once, with the lines where the operation began and was complete, which the program marks; what is
# right is not told. Threads that call where the level of MPI_Init_thread does not let them
# (live_strays.c), and those that only sleep are not. MPI 4.0, 3.7.2, 6.12, 11.6.2.
. "$SRC/tests/need.bash"
need_live
ways_to_hold
scratch
src=$SRC/tests/programs/live_intact.c
"$ORRERY" cc -g -O1 -o program "$src" || exit 1
"$ORRERY" cc -g -O1 -pthread -o strays "$SRC/tests/programs/live_strays.c" || exit 1
have mpicc.mpich && { mpicc.mpich -w -g -O1 -o mpich "$src" || exit 1; }
line() { grep -n "/\* $1 \*/" "$src" | cut -d: -f1; }
run() { "$ORRERY" run -q -np 2 -p graphene --computation none "$@" >out 2>err </dev/null ||
	bad "exit code: $*: $(cat err)"; }
for hold in "${holds[@]}"; do
	for program in program mpich; do
		[[ -x $program ]] || continue
		run --checks --hold "$hold" -- ./$program right
		[[ ! -s err ]] && ! grep "comes again" out ||
			bad "what is right, $program, $hold: $(cat out err)"
		for what in "send send" "recv receive" "over receive" "start send" \
			"coll collective MPI_Allreduce"; do
			read -r name kind <<<"$what"
			run --checks --hold "$hold" -- ./$program "$name"
			grep -q 'live_intact\.c' err ||
				skip "lines of calls are not known here: no libdw"
			begins=$(line "$name begins") ends=$(line "$name ends")
			grep "at [0-9.e-]* s: rank [01], live_intact.c:$ends " err |
				grep "a buffer of the $kind that began at live_intact.c:$begins " |
				grep -q "has changed" &&
				[[ $(grep -c changed err) == 1 ]] ||
				bad "$name, $program, $hold: $(cat err)"
		done
	done
	run --hold "$hold" -- ./program send
	[[ ! -s err ]] || bad "without --checks: $(cat err)"
done
told() { # WHAT LEVEL TEXT: of each rank, at one line
	run --checks --hold processes -- ./strays "$1" "$2"
	[[ $(grep -c . err) == 1 ]] && grep -q "rank [01], live_strays.c:.*$3" err ||
		bad "threads: $1 $2: $(cat err)"
}
told stray 0 "calls MPI from another thread .* MPI_THREAD_SINGLE does not allow"
told stray 1 "calls MPI from another thread .* MPI_THREAD_FUNNELED does not allow"
told meet 2 "while another thread of the rank is in MPI, which MPI_THREAD_SERIALIZED does not"
for right in "stray 2" "stray 3" "meet 3" "sleep 0" "sleep 1" "sleep 2"; do
	run --checks --hold processes -- ./strays $right
	[[ ! -s err ]] || bad "threads: $right: $(cat err)"
done
run --hold processes -- ./strays stray 0
[[ ! -s err ]] || bad "threads, without --checks: $(cat err)"
exit $failed
