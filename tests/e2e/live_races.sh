#!/bin/bash
# run --checks: one-sided operations on the same bytes whose outcome is not defined, and buffers of
# such operations that change (live_races.c): told once, with both lines, which the program marks.
# What is right is not told. MPI 4.0, 12.7.
. "$SRC/tests/need.bash"
need_live
ways_to_hold
scratch
src=$SRC/tests/programs/live_races.c
"$ORRERY" cc -g -O1 -o program "$src" || exit 1
have mpicc.mpich && { mpicc.mpich -w -g -O1 -o mpich "$src" || exit 1; }
line() { echo "live_races.c:$(grep -n "/\* $1 \*/" "$src" | cut -d: -f1) "; }
run() { "$ORRERY" run -q -np 3 -p graphene --computation none "$@" >out 2>err </dev/null ||
	bad "exit code: $*: $(cat err)"; }
for hold in "${holds[@]}"; do
	for program in program mpich; do
		[[ -x $program ]] || continue
		run --checks --hold "$hold" -- ./$program right
		[[ ! -s err ]] || bad "what is right, $program, $hold: $(cat err)"
		while IFS='|' read -r name text; do
			run --checks --hold "$hold" -- ./$program "$name"
			grep -q 'live_races\.c' err ||
				skip "lines of calls are not known here: no libdw"
			# of a fence either is the first to be called
			grep "^orrery: at [0-9.e-]* s: rank [02], live_races.c:" err |
				grep "$text" | grep " $(line "$name second")" |
				grep -q " $(line "$name first")" &&
				[[ $(grep -c "^orrery" err) == 1 ]] ||
				bad "$name, $program, $hold: $(cat err)"
		done <<'LIST'
fence|MPI_Put to rank 1 writes bytes of its window that MPI_Put of rank [02], at .* writes
lock|MPI_Accumulate to rank 1 updates bytes of its window that MPI_Put of rank 0, at .* writes
origin|MPI_Put to rank 1 writes bytes of its window that MPI_Put of rank 0, at .* writes
own|MPI_Put reads bytes of this rank that MPI_Get at .* writes, which is not complete yet
free|frees a window while MPI_Put at .* is not complete: a fence is missing
store|a buffer of the one-sided operation that began at .* has changed before it was complete
LIST
	done
	run --hold "$hold" -- ./program fence
	[[ ! -s err ]] || bad "without --checks: $(cat err)"
done
exit $failed
