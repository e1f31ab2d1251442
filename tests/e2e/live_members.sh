#!/bin/bash
# Ranks that are coroutines share what they know of all members of a communicator, a group, a
# window: memory grows as the ranks, not as their square. Processes say the same.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
has_coroutines || skip "coroutines are for x86-64 and AArch64"
mpicc=$(command -v mpicc.mpich) || skip "no mpicc of MPICH (Debian: libmpich-dev)"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
bad() { echo "$*"; failed=1; }
"$mpicc" -O1 -w -o "$dir/members" "$SRC/tests/programs/live_members.c" || exit 1
"$ORRERY" platform generate flat 3000 >"$dir/m.xml" || exit 1
run() { # RANKS OPTIONS… -- WORDS…
	timeout 60 "$ORRERY" run -n "$1" -p "$dir/m.xml" --computation none "${@:2}" 2>"$dir/err"
}
run 12 -q --hold coroutines -- "$dir/members" >"$dir/out"
grep -q sanitizers "$dir/err" && skip "coroutines are not for a build with sanitizers"
for hold in processes coroutines; do
	run 12 -q --hold $hold -- "$dir/members" >"$dir/$hold"
	grep -qx "all right" "$dir/$hold" || bad "$hold: $(cat "$dir/$hold" "$dir/err")"
done
simulated() { grep -v " actions, " "$dir/$1"; }
cmp -s <(simulated processes) <(simulated coroutines) ||
	bad "$(diff "$dir/processes" "$dir/coroutines")"

mebibytes() { # WORDS…: of 3,000 ranks
	run 3000 --hold coroutines -- "$dir/members" "$@" >"$dir/out"
	sed -n 's/.* actions, .*, \([0-9.]*\) MiB$/\1/p' "$dir/out" "$dir/err"
}
none=$(mebibytes none)
all=$(mebibytes)
grep -qx "all right" "$dir/out" || bad "3,000 ranks: $(cat "$dir/out" "$dir/err" | tail -n 3)"
# 23 kB were measured, and 220 kB when each rank had its own.
awk -v a="$all" -v b="$none" 'BEGIN { each = (a - b) * 1048576 / 3000
	if (a == "" || b == "" || each > 35000) {
		printf "%s MiB, %s without: %d bytes a rank\n", a, b, each; exit 1 } }' || failed=1
exit $failed
