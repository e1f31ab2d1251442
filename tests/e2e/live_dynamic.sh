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
# The key soft, with three places: the largest number that it allows and that there is room for (MPI 4.0, 11.3.4)
mpicc.mpich -O1 -o "$dir/soft" "$SRC/tests/programs/live_soft.c" || exit 1
timeout 30 "$ORRERY" run -q -n 1 --universe 4 -p graphene --computation none -- "$dir/soft" >"$dir/out" 2>"$dir/err" || bad "soft: $(cat "$dir/err")"
diff - <(head -6 "$dir/out") <<-END || bad "soft"
	10: none, 0 of 0
	1:9:2: some, 3 of 3
	2,7:9: some, 2 of 2
	3:1,0:2:2: some, 2 of 2
	4:9: none, 0 of 0
	all: none, 0 of 0
END
timeout 20 "$ORRERY" run -q -n 2 -p graphene -- "$dir/live_spawn" die >/dev/null 2>"$dir/err"
[[ $? == 1 ]] || bad "a spawned rank died: exit code 1 wanted"
grep -q "rank 2 on graphene-.*signal 6" "$dir/err" || bad "a spawned rank died: $(cat "$dir/err")"
pgrep -f "^$dir/" >/dev/null && bad "a process is left"
exit $failed
