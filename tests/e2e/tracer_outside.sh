#!/bin/bash
# Intercommunicators, threads and large counts go on working, and have their place in the trace.
. "$(dirname "$0")/tracer.bash"

for f in "${families[@]}"; do
	build $f outside
	build $f threads -pthread
	build $f large
	same "$f intercommunicator" "outside: all right" \
		"$(trace $f 2 "$tmp/t" -- "$tmp/outside.$f" 2>"$tmp/err")"
	same "$f intercommunicator: messages" 2 "$(events "$tmp/t" | grep -c ' sendRecv .* comm=0')"
	same "$f merged" 2 "$(events "$tmp/t" | grep -c ' allreduce .*comm=')"
	trace $f 2 "$tmp/t" -- "$tmp/threads.$f" >"$tmp/out" 2>"$tmp/err"
	has "$f threads" "$tmp/out" "threads: all right"
	# Whether the threads met or not: as many messages as the program sends, no sender unknown,
	# and an order that can be replayed.
	same "$f threads: messages" 2000 "$(events "$tmp/t" |
		awk '$2 ~ /^i?send$/ {n++} $2 == "sendRecv" {n++} END {print n}')"
	same "$f threads: wildcards" 0 "$(events "$tmp/t" | grep -cE ' (i?recv|sendRecv .*) -1')"
	same "$f threads: reductions" 800 "$(events "$tmp/t" | grep -cE ' i?allreduce ')"
	"$ORRERY" replay -q "$tmp/t" -p graphene >"$tmp/out" 2>&1 ||
		bad "$f threads: replay: $(head -5 "$tmp/out")"
	if [[ $("$tmp/large.$f") == *"all right" ]]; then # MPI 4
		same "$f large" "large: all right" \
			"$("$ORRERY" trace -q -f --counter fake -o "$tmp/t" -- "$tmp/large.$f")"
		calls="init, send -2 1 5000000000 0, irecv 0 2 1 1 req=0 any=source, send 0 2 1 1"
		calls+=", wait req=0, allgatherv 2 2 1 1, ibcast 5000000000 0 1 comm=self req=0"
		same "$f: events of large" "$calls, wait req=0, finalize" \
			"$(events "$tmp/t" | grep -v compute | cut -d' ' -f2- | paste -sd, |
			sed 's/,/, /g')"
	fi
done
exit $failed
