#!/bin/bash
# parts: 2
# player.sh: a trace replayed on a real MPI (`orrery replay --on`): every call is issued again. The
# player's own trace has the same messages as the one that it played; a trace of another size,
# launchers that are none, and both ways at once are refused.
. "${BASH_SOURCE[0]%/*}/tracer.bash"

# The messages of a trace, rank by rank, without times and requests' numbers.
messages() {
	"$ORRERY" convert "$1" -f merged -o "$2" --force >/dev/null || bad "convert $1"
	grep -E '^[0-9]+ (send|ssend|bsend|rsend|isend|issend|recv|irecv|sendRecv|mrecv) ' "$2" |
		sed -E 's/ (t|req|at|any|comm|message)=[^ ]*//g; s/ dtsize2?=[^ ]*//g' |
		awk '{
			if ($2 != "sendRecv") {
				size = ($6 == 0) ? 8 : ($6 == 1) ? 4 : 1
				$5 = $5 * size
				$6 = ""
			}
			print
		}' | sort -s -n -k1,1
}

play() {
	local f=$1
	build "$f" ring
	export ORRERY_COUNTER=cputime
	"$ORRERY" trace -o "$tmp/t" -- mpirun."$f" -np 4 "$tmp/ring.$f" >/dev/null 2>"$tmp/err" ||
		bad "$f: trace: $(cat "$tmp/err")"
	"$ORRERY" replay "$tmp/t" --on "mpirun.$f" --on-computation none >"$tmp/out" 2>"$tmp/err" ||
		bad "$f: $(cat "$tmp/err")"
	grep -qE '^real time: [0-9.]+ s$' "$tmp/out" || bad "$f: no real time: $(cat "$tmp/out")"
	has "$f" "$tmp/out" '4 ranks, '
	"$ORRERY" trace -o "$tmp/again" -- mpirun."$f" -np 4 "$ORRERY_TRACER_DIR/orrery-player-$f" \
		"$tmp/t" none >/dev/null 2>"$tmp/err" ||
		bad "$f: trace of the player: $(cat "$tmp/err")"
	same "$f: messages of the player" "$(messages "$tmp/t" "$tmp/t.merged")" \
		"$(messages "$tmp/again" "$tmp/again.merged")"
	[[ -n $(messages "$tmp/t" "$tmp/t.merged") ]] || bad "$f: the ring has no messages"
	# computation takes the time that it took: 0.2 s
	printf '%s\n' '# orrery-trace 1 ranks=2' '0 init' '0 compute 2e8 t=0.2' '0 barrier' \
		'0 finalize' '1 init' '1 barrier' '1 finalize' >"$tmp/sleep.trace"
	"$ORRERY" replay "$tmp/sleep.trace" --on "mpirun.$f" --on-computation sleep >"$tmp/out" \
		2>&1 || bad "$f: sleep: $(cat "$tmp/out")"
	awk '/^real time/ && $3 >= 0.2 && $3 < 20 { ok = 1 } END { exit !ok }' "$tmp/out" ||
		bad "$f: not 0.2 s: $(cat "$tmp/out")"
}

# Every kind of call: none may fail.
all_calls() {
	local f=$1 p
	for p in calls comms; do
		build "$f" "$p"
		timeout 60 "$ORRERY" trace -o "$tmp/$p" -- mpirun."$f" -np 4 "$tmp/$p.$f" \
			>/dev/null 2>&1
		timeout 60 "$ORRERY" replay "$tmp/$p" --on "mpirun.$f" --on-computation none \
			>"$tmp/out" 2>&1 || bad "$f: $p: $(head -5 "$tmp/out")"
	done
}

# Requests without numbers: what waits for one names it, or means the oldest or the latest. Each
# wait is for one only: to wait for all here would be for what is sent after it.
unnamed() {
	local f=$1 wait=$2 tag=$3 again=$4
	printf '%s\n' '# orrery-trace 1 ranks=2' '0 init' \
		'0 irecv 1 1 100 6' '0 irecv 1 2 100 6' \
		"0 wait $wait" '0 isend 1 3 300 6' '0 isend 1 3 300 6' \
		'0 wait 0 1 3' '0 wait 0 1 3' \
		"0 $again" '0 irecv 1 4 100 6' '0 irecv 1 4 100 6' '0 waitall 2' '0 finalize' \
		'1 init' "1 send 0 $tag 100 6" '1 recv 0 3 300 6' '1 recv 0 3 300 6' \
		"1 send 0 $((3 - tag)) 100 6" '1 send 0 4 100 6' '1 send 0 4 100 6' \
		'1 finalize' >"$tmp/unnamed.trace"
	timeout 60 "$ORRERY" replay "$tmp/unnamed.trace" --on "mpirun.$f" --on-computation none \
		>"$tmp/out" 2>&1 || bad "$f: wait $wait: $(head -5 "$tmp/out")"
	has "$f: wait $wait" "$tmp/out" '2 ranks, '
}

each_unnamed() {
	unnamed "$1" '1 0 2' 2 'wait 1 0 1'
	unnamed "$1" '1 0 1' 1 'wait 1 0 2'
	unnamed "$1" take=oldest 1 'wait take=oldest'
	unnamed "$1" take=latest 2 'wait take=latest'
	unnamed "$1" take=latest_recv 2 'wait take=latest_recv'
}

refused() {
	printf '# orrery-trace 1 ranks=1\n0 init\n0 finalize\n' >"$tmp/one.trace"
	"$ORRERY" replay "$tmp/one.trace" --on /bin/true 2>"$tmp/err";
		same "launcher that is none" 2 $?
	has "launcher that is none" "$tmp/err" 'not the mpirun of Open MPI or MPICH'
	PATH=/nonexistent "$ORRERY" replay "$tmp/one.trace" --on mpirun 2>"$tmp/err";
		same "launcher that is not there" 2 $?
	has "launcher that is not there" "$tmp/err" 'in PATH (Debian: openmpi-bin or mpich)'
	"$ORRERY" replay "$tmp/one.trace" --on mpirun -p graphene 2>"$tmp/err"; same "both" 2 $?
	"$ORRERY" replay "$tmp/one.trace" --on mpirun --on-computation fast 2>"$tmp/err";
		same "computation" 2 $?
}

mine 1 && refused
for f in "${families[@]}"; do
	apart play "$f"
done
for f in "${families[@]}"; do
	apart all_calls "$f"
done
for f in "${families[@]}"; do
	apart each_unnamed "$f"
done
together
exit $failed
