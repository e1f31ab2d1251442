#!/bin/bash
# Calls that MPI refuses, with errors returned, are counted and not recorded: the trace holds what
# was done, and replays. So does one of receives that were too short, where the program handled
# that, and a line says which; where it is not known that the program went on, it is an error.
. "$(dirname "$0")/tracer.bash"

too_short() { # FAMILY
	build $1 truncated
	trace $1 2 "$tmp/t" -f -- "$tmp/truncated.$1" >"$tmp/out" 2>"$tmp/err"
	has "$1: too short, traced" "$tmp/out" "5 of 5"
	"$ORRERY" replay "$tmp/t" -p "$tmp/m.xml" >"$tmp/out" 2>"$tmp/err" ||
		bad "$1: too short, replay: $(cat "$tmp/err")"
	same "$1: too short, told" 5 \
		"$(grep -c 'MPI_ERR_TRUNCATE, which the program has handled' "$tmp/err")"
	has "$1: too short, told" "$tmp/err" "has 16 bytes, MPI_Irecv of rank 1"
	sed -i 's/^complete: yes/complete: no/' "$tmp/t/manifest"
	"$ORRERY" replay -q "$tmp/t" -p "$tmp/m.xml" >"$tmp/out" 2>&1
	same "$1: too short, not known to have ended" 1 $?
	has "$1: too short, not known to have ended" "$tmp/out" "would be truncated"
	"$ORRERY" run -q -np 2 -p "$tmp/m.xml" --computation none --trace "$tmp/own" -f -- \
		"$tmp/truncated.$1" >"$tmp/out" 2>"$tmp/err" </dev/null ||
		bad "$1: too short, run: $(cat "$tmp/err")"
	has "$1: too short, run" "$tmp/out" "5 of 5"
	same "$1: too short, replay of the run" "$(grep '^simulated time' "$tmp/out")" \
		"$("$ORRERY" replay -q "$tmp/own" -p "$tmp/m.xml" 2>&1 | grep '^simulated time')"
}

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
	too_short $f
done
exit $failed
