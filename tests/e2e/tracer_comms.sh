#!/bin/bash
# Communicators of all sorts: the same trace under every MPI library, complete, and it replays.
. "$(dirname "$0")/tracer.bash"

for f in "${families[@]}"; do
	build $f comms
	same "$f" "comms: all right" \
		"$(trace $f 4 "$tmp/t.$f" --counter fake -- "$tmp/comms.$f" 2>"$tmp/err")"
	same "$f complete" yes "$(complete "$tmp/t.$f")"
	grep -q "not traced" "$tmp/err" && bad "$f: $(cat "$tmp/err")"
	events "$tmp/t.$f" >"$tmp/found"
	[[ -f $tmp/first ]] || cp "$tmp/found" "$tmp/first"
	diff "$tmp/first" "$tmp/found" >"$tmp/diff" || bad "$f: $(head -20 "$tmp/diff")"
	has "$f grid" "$tmp/found" "2 comm_split comm=2.0 parent=0.0 members=2,3 dims=2 periods=1"
	has "$f ring" "$tmp/found" "2 comm_create comm=0.3 members=0-3 sources=1 dests=3"
	has "$f intercommunicator" "$tmp/found" \
		"3 intercomm_create comm=0.7 parent=1.0 members=1,3 remote=0,2 leader=0"
	has "$f leader" "$tmp/found" \
		"1 intercomm_create comm=0.7 parent=1.0 members=1,3 remote=0,2 leader=0,0"
	has "$f root" "$tmp/found" "2 gather 0 1 -3 1 1 comm=0.7"
	"$ORRERY" replay -q "$tmp/t.$f" -p graphene >"$tmp/out" 2>&1 ||
		bad "$f: replay: $(head -5 "$tmp/out")"
done
exit $failed
