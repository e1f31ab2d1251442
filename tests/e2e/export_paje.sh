#!/bin/bash
# export_paje.sh: pj_dump (package pajeng) accepts an exported trace, and finds in it what the
# recording holds.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need pj_dump:pajeng
. "$SRC/tests/e2e/lib/recorded_run.sh"
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT
fail() { echo "FAILED: $*"; exit 1; }

recorded_run 6 10 "$dir/run" || fail "replay"
"$ORRERY" export "$dir/run" -o "$dir/run.paje" || fail "export"
pj_dump "$dir/run.paje" > "$dir/dump" 2> "$dir/errors" ||
	fail "pj_dump refuses the trace: $(cat "$dir/errors")"
[[ -s $dir/errors ]] && fail "pj_dump warns: $(cat "$dir/errors")"

count() { grep -c "^$1," "$dir/dump"; }
[[ $(count Container) == 8 ]] ||
	fail "$(count Container) containers, not 6 ranks, their root and pj_dump's own"
[[ $(count State) == 312 ]] || fail "$(count State) states, not 6 x (10 x 5 + 2)"
"$ORRERY" export "$dir/run" -f messages -o "$dir/messages.csv" || fail "export of messages"
[[ $(count Link) == $(($(wc -l < "$dir/messages.csv") - 1)) ]] || fail "$(count Link) links"
[[ $(grep -c '^State, rank 3, call,.* MPI_Allreduce' "$dir/dump") == 10 ]] ||
	fail "the reductions of rank 3"
grep -q '^Link, .*, point-to-point, rank 5, rank 0, ' "$dir/dump" || fail "no message from 5 to 0"

# Dates never decrease in the file, and no state or link ends before it begins.
awk '/^%/ { next }
	$1 >= 4 {
		if ($2 + 0 < last) { print "line " NR ": date " $2 " after " last; exit 1 }
		last = $2 + 0
	}' "$dir/run.paje" || fail "order of dates"
awk -F', ' '$1 == "State" || $1 == "Link" { if ($5 + 0 < $4 + 0) { print; exit 1 } }' "$dir/dump" ||
	fail "negative duration"
# The same run in pj_dump's eyes and in the CSV: seconds of waiting calls agree to what pj_dump
# prints.
"$ORRERY" export "$dir/run" -o "$dir/run.csv" || fail "export of csv"
paje=$(awk -F', ' '$1 == "State" && $8 == "MPI_Waitall" { s += $6 } END { printf "%.4f", s }' \
	"$dir/dump")
csv=$(awk -F, '$2 == "MPI_Waitall" { s += $4 - $3 } END { printf "%.4f", s }' "$dir/run.csv")
[[ $paje == "$csv" ]] || fail "MPI_Waitall lasts $paje s in Paje, $csv s in CSV"
echo "ok"
