#!/bin/bash
# Dynamic processes, threads that call MPI at once, partitioned messages: the programs check
# themselves. A spawned rank that dies ends the simulation, and leaves no process.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need mpicc.mpich:libmpich-dev
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
bad() { echo "$*"; failed=1; }
runs() { # ranks, program, arguments
	local n=$1 program=$2
	shift 2
	timeout 30 "$ORRERY" run -q -n "$n" -p graphene --computation none -- "$dir/$program" "$@" \
		>"$dir/out" 2>"$dir/err" ||
		bad "$program: $(cat "$dir/err")"
	grep -q "all fine" "$dir/out" || bad "$program did not come to its end"
}
for program in live_spawn live_threads live_parts; do
	mpicc.mpich -O1 -pthread -o "$dir/$program" "$SRC/tests/programs/$program.c" || exit 1
done
runs 2 live_spawn
first=$(grep "simulated time" "$dir/out")
runs 2 live_spawn
[[ -n $first && $(grep "simulated time" "$dir/out") == "$first" ]] ||
	bad "two runs that spawn differ: $first"
runs 4 live_threads
runs 2 live_parts
timeout 20 "$ORRERY" run -q -n 2 -p graphene -- "$dir/live_spawn" die >/dev/null 2>"$dir/err"
[[ $? == 1 ]] || bad "a spawned rank died: exit code 1 wanted"
grep -q "rank 2 on graphene-.*signal 6" "$dir/err" || bad "a spawned rank died: $(cat "$dir/err")"
pgrep -f "^$dir/" >/dev/null && bad "a process is left"
exit $failed
