#!/bin/bash
# What happens in another order than it is called in can be replayed (tests/programs/order.c): what
# the main thread was doing when another called MPI for the first time; a collective of a rank with
# threads and one without; a receive whose communicator is gone; persistent collectives that ranks
# start in different orders.
. "$(dirname "$0")/tracer.bash"

one_family() {
	local f=$1
	build "$f" order -pthread
	trace "$f" 2 "$tmp/t" -q -- "$tmp/order.$f" >"$tmp/out" 2>&1
	# mpirun.mpich may put two ranks' on one line
	same "$f: right" 2 "$(grep -o 'order: all right' "$tmp/out" | wc -l)"
	"$ORRERY" replay -q "$tmp/t" -p graphene >"$tmp/out" 2>&1 ||
		bad "$f: replay: $(head -5 "$tmp/out")"
	events "$tmp/t" >"$tmp/found"
	has "$f: from any source" "$tmp/found" "1 irecv 0 3 1 1 comm=1.0"
	if ! grep -q '^0 reduce ' "$tmp/found"; then # threads are there
		has "$f: matched" "$tmp/found" "0 imrecv"
		has "$f: beside" "$tmp/found" "0 ireduce 1 0 0 1 req=0 beside=1"
		has "$f: split beside" "$tmp/found" "0 comm_idup req=0 beside=split"
		has "$f: alone" "$tmp/found" "1 reduce 1 0 0 1"
	fi
	# MPI 4: each goes by a communicator of its own, which ends with its request.
	if events "$tmp/t" | grep -q 'ibcast'; then
		same "$f: broadcasts" 6 "$(events "$tmp/t" | grep -c ' ibcast .*comm=0\.')"
		same "$f: reductions" 6 "$(events "$tmp/t" | grep -c ' iallreduce .*comm=0\.')"
		same "$f: communicators" "4 8" "$(events "$tmp/t" |
			grep -c ' comm_dup .*agreed=1') $(events "$tmp/t" | grep -c ' comm_free ')"
	fi
}

for f in "${families[@]}"; do
	apart one_family "$f"
done
together
exit $failed
