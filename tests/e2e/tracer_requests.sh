#!/bin/bash
# Matched probes; partitioned requests and persistent collectives where the library has MPI 4:
# traced as the program makes them, and replayed.
. "$(dirname "$0")/tracer.bash"

for f in "${families[@]}"; do
	build $f requests
	same "$f" "requests: all right" \
		"$(trace $f 2 "$tmp/t" --counter fake -- "$tmp/requests.$f" 2>"$tmp/err")"
	grep -q "not traced" "$tmp/err" && bad "$f: $(cat "$tmp/err")"
	events "$tmp/t" >"$tmp/found"
	calls="mprobe 0 5 message=0, recv 0 5 10 0, imrecv 0 5 100 0 req=0 message=0, wait req=0"
	same "$f matched" "$calls" \
		"$(grep -v compute "$tmp/found" | grep '^1' | sed -n 2,5p | cut -d' ' -f2- |
			paste -sd, | sed 's/,/, /g')"
	if grep -q psend_init "$tmp/found"; then
		same "$f both ways" "irecv isend wait wait" \
			"$(grep -v compute "$tmp/found" | grep '^1' | grep -A3 ' irecv 0 8 4 0' |
			cut -d' ' -f2 | paste -sd' ')"
		has "$f partitions" "$tmp/found" "0 psend_init 1 6 8 10 0 req=0"
		same "$f ready" 3 "$(grep -c '^0 pready req=0 parts=1-5$' "$tmp/found")"
		same "$f arrived" 3 "$(grep -c '^1 parrived req=0 parts=3$' "$tmp/found")"
		# on a communicator of its own, the first that counts from 2^31 - 1 down: started in
		# any order
		same "$f collectives" 3 \
			"$(grep -c '^1 iallgatherv 2 1 2 1 1 comm=0.2147483647 req=' "$tmp/found")"
	fi
	"$ORRERY" replay -q "$tmp/t" -p graphene >"$tmp/out" 2>&1 ||
		bad "$f: replay: $(head -5 "$tmp/out")"
	grep -q "passed over\|never" "$tmp/out" && bad "$f: replay: $(cat "$tmp/out")"
done
exit $failed
