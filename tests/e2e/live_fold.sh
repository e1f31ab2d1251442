#!/bin/bash
# --fold-memory: a message of folded and other memory arrives as a whole, whoever holds the ranks.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need_live
failed=0
"$ORRERY" cc -O1 -o "$dir/f" "$SRC/tests/programs/live_fold.c" || exit 1
for hold in processes coroutines; do
	[[ $hold = coroutines && $(uname -m) != x86_64 ]] && continue
	"$ORRERY" run -q -np 2 -p graphene --computation none --fold-memory 1MiB --hold $hold -- "$dir/f" >"$dir/out" || failed=1
	grep -qx 'came: 42' "$dir/out" || { echo "$hold"; cat "$dir/out"; failed=1; }
done
exit $failed
