#!/bin/bash
# What has no place in a trace goes on working: intercommunicators, spawned processes, threads.
. "$(dirname "$0")/tracer.bash"

for f in "${families[@]}"; do
	build $f outside
	build $f threads -pthread
	same "$f intercommunicator" "outside: all right" "$(trace $f 2 "$tmp/t" -- "$tmp/outside.$f" 2>"$tmp/err")"
	has "$f intercommunicator" "$tmp/err" "calls that were not traced: 2 MPI_Intercomm_create, 2 MPI_Sendrecv"
	same "$f merged" 2 "$(events "$tmp/t" | grep -c ' allreduce .*comm=')"
	if run $f 2 "$tmp/outside.$f" spawn >/dev/null 2>&1; then # Debian's MPICH cannot
		same "$f spawn" "outside: all right" "$(trace $f 2 "$tmp/t" -- "$tmp/outside.$f" spawn 2>"$tmp/err")"
		same "$f spawn: complete" yes "$(complete "$tmp/t")"
	fi
	trace $f 2 "$tmp/t" -- "$tmp/threads.$f" >"$tmp/out" 2>"$tmp/err"
	has "$f threads" "$tmp/out" "threads: all right"
	same "$f threads: messages" "2000 2000 2000" "$(for op in irecv isend waitall; do events "$tmp/t" | grep -c " $op "; done | xargs)"
	same "$f threads: wildcards" 0 "$(events "$tmp/t" | grep -c ' irecv -1')"
done
exit $failed
