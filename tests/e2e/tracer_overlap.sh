#!/bin/bash
# Requests that are tested while the program computes: only the last look at each completes it, the
# others are tests that may fail. The lines expected are the calls of rank 1 in
# tests/programs/overlap.c, one by one.
. "$(dirname "$0")/tracer.bash"

# looks FAMILY WAY EXPECTED: the waits and tests of rank 1
looks() {
	local dir=$tmp/$1-$2
	trace "$1" 2 "$dir" -q --counter wall --sites 0 -- "$tmp/overlap.$1" "$2" >"$dir.out" 2>&1 \
		|| bad "$1 $2: $(cat "$dir.out")"
	sed -n -e 's/^1 \(\(wait\|test\).*\) t=.*/\1/p' -e 's/^1 \(\(wait\|test\)[^t]*\)$/\1/p' \
		"$dir/rank-1.tit" >"$dir.found"
	same "$1 $2" "$3" "$(paste -sd, <"$dir.found" | sed 's/,\([wt]\)/; \1/g')"
	"$ORRERY" replay -q "$dir" -p graphene >"$dir.out" 2>&1 ||
		bad "$1 $2: replay: $(head -5 "$dir.out")"
	grep -q "passed over\|never\|not complete" "$dir.out" &&
		bad "$1 $2: replay: $(cat "$dir.out")"
	"$ORRERY" convert -q "$dir" -o "$dir.list" -f simgrid >"$dir.out" 2>&1 ||
		bad "$1 $2: convert: $(cat "$dir.out")"
}

family() {
	local f=$1 all="testall 2 reqs=0,1; testall 2 reqs=0,1; testall 2 reqs=0,1"
	all+="; waitall 2 reqs=0,1"
	build "$f" overlap
	looks "$f" testall "$all; $all"
	local each="test req=0; test req=1"
	looks "$f" test "$each; $each; test req=0 done=0; test req=1 done=1"
	each="testany 1 reqs=0; testany 1 reqs=1; testany 2 reqs=0,1"
	looks "$f" testany "$each; waitany 2 reqs=0,1 done=0,1"
	looks "$f" testsome "testsome 1 reqs=1; testsome 1 reqs=0 done=0; wait req=1"
	looks "$f" persistent \
		"testall 2 reqs=0,1; waitall 2 reqs=0,1; testall 2 reqs=0,1; waitall 2 reqs=0,1"
	looks "$f" until "test req=0 done=0; wait req=1"
	looks "$f" late "test req=0; test req=0; wait req=0"
}

for f in "${families[@]}"; do
	apart family "$f"
done
together
exit $failed
