#!/bin/bash
# One-sided communication: the same trace under every MPI library, complete, and it replays.
. "$(dirname "$0")/tracer.bash"

for f in "${families[@]}"; do
	build $f rma
	same "$f" "rma: all right" \
		"$(trace $f 3 "$tmp/t" --counter fake -- "$tmp/rma.$f" 2>"$tmp/err")"
	grep -q "not traced" "$tmp/err" && bad "$f: $(cat "$tmp/err")"
	events "$tmp/t" | grep -v compute >"$tmp/found"
	[[ -f $tmp/first ]] || cp "$tmp/found" "$tmp/first"
	diff "$tmp/first" "$tmp/found" >"$tmp/diff" || bad "$f: $(head -20 "$tmp/diff")"
	has "$f window" "$tmp/found" "2 win_create 12 comm=0.0 win=0"
	same "$f puts" "2 put 0 1 1 win=0, 2 put -2 1 1 win=0, 2 put 1 1 1 win=0" \
		"$(grep '^2 put' "$tmp/found" | paste -sd, | sed 's/,/, /g')"
	has "$f lock" "$tmp/found" "2 win_lock 0 win=0 lock=exclusive"
	has "$f post" "$tmp/found" "1 win_post win=0 group=0,2"
	has "$f request" "$tmp/found" "2 get 0 1 1 req=1 win=0"
	"$ORRERY" replay -q "$tmp/t" -p graphene >"$tmp/out" 2>&1 ||
		bad "$f: replay: $(head -5 "$tmp/out")"
	grep -q "passed over\|never" "$tmp/out" && bad "$f: replay: $(cat "$tmp/out")"
done
exit $failed
