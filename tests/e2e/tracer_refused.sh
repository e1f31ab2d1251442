#!/bin/bash
# Calls that MPI refuses, with errors returned, are counted and not recorded: the trace holds what
# was done, and replays.
. "$(dirname "$0")/tracer.bash"

for f in "${families[@]}"; do
	build $f refused
	run $f 2 "$tmp/refused.$f" >"$tmp/bare" 2>&1 || { bad "$f: $(cat "$tmp/bare")"; continue; }
	trace $f 2 "$tmp/t" -- "$tmp/refused.$f" >"$tmp/traced" 2>"$tmp/err" ||
		bad "$f: $(cat "$tmp/err")"
	same "$f: output" "$(sort "$tmp/bare")" "$(sort "$tmp/traced")"
	has "$f" "$tmp/err" "calls that were not traced: "
	# three rounds of an irecv, an isend, a waitall and an allreduce, on two ranks
	same "$f: events" "6 allreduce 6 irecv 6 isend 6 waitall" \
		"$(events "$tmp/t" | awk '{ print $2 }' |
		grep -xE '(send|recv|isend|irecv|waitall|bcast|reduce|allreduce|probe|sendRecv)' |
		sort | uniq -c | xargs)"
	"$ORRERY" platform generate flat 2 -o "$tmp/m.xml" -q
	"$ORRERY" replay -q "$tmp/t" -p "$tmp/m.xml" >"$tmp/out" 2>&1 ||
		bad "$f: replay: $(cat "$tmp/out")"
done
exit $failed
