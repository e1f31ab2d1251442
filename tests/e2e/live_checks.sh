#!/bin/bash
# run --checks: mistakes are told at the call, before what the program does next, with all those who
# called, to main. What is expected are the lines that the program marks; without --checks they are
# told at the end.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need_live
failed=0
bad() { echo "$*"; sed 's/^/	/' "$dir/err"; failed=1; }
src=$SRC/tests/programs/live_checks.c
"$ORRERY" cc -g -O1 -o "$dir/c" "$src" || exit 1
line() { grep -n "/\* $1 \*/" "$src" | cut -d: -f1; }
stack() { echo \
	"live_checks.c:$(line "$1") ($2) < live_checks.c:$(line \
	"calls $2") (all) < live_checks.c:$(line 'calls all') (main)"; }
order() { # TEXT BEFORE, AFTER: where a text is told
	awk -v text="$1" -v from="$2" -v to="$3" '
		index($0, text) { at = NR }
		$0 == from { a = NR }
		$0 == to { b = NR }
		END { exit !(at && (from == "" || at > a) && (to == "" || at < b)) }' "$dir/err" ||
		bad "not told there: $1"
}
"$ORRERY" run -np 2 -p graphene --computation none -- "$dir/c" >/dev/null 2>"$dir/err" ||
	bad "exit code $?"
order "MPI_Send" "after operators" ""
order "has reals" "after operators" ""
# -q hides notices, not what was asked for: the same lines, those at the call and those of the end.
"$ORRERY" run -np 2 -p graphene --computation none --checks -- "$dir/c" >/dev/null 2>"$dir/err" ||
	bad "exit code $?"
grep '^orrery: .*live_checks.c' "$dir/err" >"$dir/loud"
"$ORRERY" run -q -np 2 -p graphene --computation none --checks -- "$dir/c" >/dev/null \
	2>"$dir/err" || bad "quiet: exit code $?"
grep '^orrery: ' "$dir/err" | diff "$dir/loud" - || bad "quiet with --checks: not the findings"
[[ -s $dir/loud ]] || skip "lines of calls are not known here: no libdw"
grep -q 'never received' "$dir/loud" || bad "of the end"
"$ORRERY" run -q -np 2 -p graphene --computation none -- "$dir/c" >/dev/null 2>"$dir/err" ||
	bad "quiet: exit code $?"
grep '^orrery: ' "$dir/err" && bad "quiet without --checks"
ways_to_hold
for hold in "${holds[@]}"; do
	"$ORRERY" run -np 2 -p graphene --computation none --checks --hold "$hold" -- "$dir/c" \
		>/dev/null 2>"$dir/err" || bad "$hold: exit code $?"
	grep -q 'live_checks.c' "$dir/err" || skip "lines of calls are not known here: no libdw"
	order "$(stack types types)" "" "after types"
	order "$(stack takes types)" "" "after types"
	grep -q "^orrery: at [0-9.e-]* s: MPI_Send of rank 0" "$dir/err" || bad "the date"
	order "$(stack counts counts)) sends 8 bytes to rank 0" "after types" "after counts"
	for what in "MPI_Allreduce MPI_SUM MPI_MAX" "MPI_Scan MPI_SUM an operator of the program's"
	do
		read -r call one other <<<"$what"
		grep -qE "$call .*do not fit: ($one, where the other has $other|$other, where the$(
			) other has $one)" "$dir/err" || bad "$hold: operators of $call"
	done
	grep -q "MPI_Reduce .*do not fit" "$dir/err" && bad "$hold: one operator is called two"
	order "MPI_MAX" "after counts" "after operators"
	for what in alltoallv allgatherv gatherv; do
		order "$(stack $what vectors)) do not fit: " "after operators" "after vectors"
	done
	[[ $(grep -cE "v as collective .*do not fit: (integers|reals), where the other has " \
		"$dir/err") == 3 ]] || bad "$hold: types of vector forms"
	order "$(stack lost lost)): never received" "after vectors" ""
done
exit $failed
