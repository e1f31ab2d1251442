#!/bin/bash
# run --checks: objects of MPI that were never freed, by kind and by the call that made them. What
# is expected is what the program does: of three types on two ranks one each is freed; rank 1
# overwrites the handle of an info by that of its copy.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need_live
failed=0
src=$SRC/tests/programs/live_left.c
"$ORRERY" cc -g -O0 -o "$dir/l" "$src" || exit 1
"$ORRERY" run -np 2 -p graphene --computation none -- "$dir/l" >"$dir/out" 2>"$dir/err" || exit 1
grep -q '^orrery: never freed: ' "$dir/err" && { echo "told without --checks"; failed=1; }
"$ORRERY" run -np 2 -p graphene --computation none --checks -- "$dir/l" >"$dir/out" 2>"$dir/err" ||
	exit 1
grep -q 'live_left.c' "$dir/err" || skip "lines of calls are not known here: no libdw"
at() { echo "live_left.c:$(grep -n "/\* $1 \*/" "$src" | cut -d: -f1)"; }
sed -n 's/^orrery: never freed: //p' "$dir/err" | sort >"$dir/told"
sort >"$dir/wanted" <<END
2 communicators, made at $(at comm), by 2 ranks
4 datatypes, made at $(at type), by 2 ranks
2 groups, made at $(at group), by 2 ranks
1 info, made at live_left.c:$(grep -n 'MPI_Info_create' "$src" | cut -d: -f1), by rank 1
1 info, made at $(at info), by rank 1
2 requests, made at $(at request), by 2 ranks
2 windows, made at $(at win), by 2 ranks
END
diff "$dir/wanted" "$dir/told" || failed=1
# who asked for it is told, quiet or not
"$ORRERY" run -q -np 2 -p graphene --computation none --checks -- "$dir/l" 2>&1 >"$dir/out" |
	sed -n 's/^orrery: never freed: //p' | sort | diff "$dir/wanted" - || failed=1
exit $failed
