#!/bin/bash
# Traced programs are killed at random moments (SIGKILL, SIGTERM, SIGINT): orrery, the keeper of its
# command, the launcher, or one of the ranks. Under the trace's name is then what was there before,
# or all of the new one, or a partial trace that says so and replays; and nothing of the run goes
# on. KILLS: how many times (ORRERY_PROVE: a thousand, at 2 to 64 ranks; else three at 2).
. "$(dirname "$0")/tracer.bash"
need pgrep:procps
kills=${KILLS:-$([[ ${ORRERY_PROVE:-} ]] && echo 1000 || echo 4)}
sizes=(${RANKS:-$([[ ${ORRERY_PROVE:-} ]] && echo 2 4 8 16 32 64 || echo 2)})
rounds=50
declare -A took
count_old=0 count_new=0 count_partial=0 count_nothing=0

# Events of a whole run of n ranks: Init, Sendrecv_replace, Barrier, Finalize and what is between.
whole() { "$ORRERY" convert -q "$1" -f merged -o - 2>/dev/null |
	grep -cE '^[0-9]+ (sendRecv|sendrecv|barrier|finalize)'; }
of_rank=$((rounds + 2))

wait_for_end() {
	for ((k = 0; k < 400; k++)); do
		pgrep -f "^$tmp/ends" >"$tmp/pids" || return 0
		sleep 0.1
	done
	bad "$1: goes on: $(ps -o pid,args -p "$(paste -sd, "$tmp/pids")" | tail -n +2 | head -3)"
	xargs kill -9 <"$tmp/pids" 2>/dev/null
}

judge() { # WHAT RANKS
	local state
	state=$(trace_state "$tmp/old" "$tmp/t" "$machine")
	case $state in
	old) count_old=$((count_old + 1)) ;;
	nothing) count_nothing=$((count_nothing + 1)) ;;
	partial) count_partial=$((count_partial + 1)) ;;
	whole)
		same "$1: called whole: events" $((of_rank * $2)) "$(whole "$tmp/t")"
		count_new=$((count_new + 1))
		;;
	*) bad "$1: $state" ;;
	esac
}

one() { # FAMILY RANKS FORM WHO SIGNAL
	local f=$1 n=$2 what="$1, $2 ranks, $3, $4 gets SIG$5" pid victim
	rm -rf "$tmp/t"
	cp -r "$tmp/old" "$tmp/t"
	# A job of the background ignores SIGINT, and so would all below it.
	ORRERY_FORM=$3 env --default-signal=INT timeout 120 "$ORRERY" trace -f -q -o "$tmp/t" \
		-- mpirun.$f -np "$n" "$tmp/ends.$f" finalize $rounds >/dev/null 2>&1 &
	pid=$!
	sleep "$(awk -v t="${took[$f.$n]}" -v r=$RANDOM 'BEGIN { print t * 0.9 * r / 32768 }')"
	victim=$(pgrep -P "$pid" | head -1) # orrery, below timeout
	case $4 in
	keeper) victim=$(pgrep -P "${victim:-$pid}" | head -1) ;;
	launcher) for _ in 1 2; do victim=$(pgrep -P "${victim:-$pid}" | head -1); done ;;
	rank) victim=$(pgrep -f "^$tmp/ends" | shuf -n 1) ;;
	esac
	[[ $victim ]] && kill -$5 "$victim" 2>/dev/null
	wait $pid 2>/dev/null
	wait_for_end "$what"
	judge "$what" "$n"
}

cd "$tmp" || exit 1
"$ORRERY" platform generate flat 64 -o cluster.xml -q || exit 1
machine=$tmp/cluster.xml
for f in "${families[@]}"; do
	build $f ends
	ORRERY_FORM=compressed trace $f 2 "$tmp/old" -- "$tmp/ends.$f" finalize 7 >"$tmp/out" 2>&1 \
		|| bad "$f: $(cat "$tmp/out")"
	for n in "${sizes[@]}"; do
		start=$EPOCHREALTIME
		for _ in 1 2 3; do # Open MPI's launcher may lose ranks when many share a processor
			ORRERY_FORM=compressed trace $f $n "$tmp/t" -- "$tmp/ends.$f" finalize \
				$rounds >"$tmp/out" 2>&1 && break
		done || bad "$f: $n ranks: $(cat "$tmp/out")"
		took[$f.$n]=$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }')
		same "$f: events of $n ranks" $((of_rank * n)) "$(whole "$tmp/t")"
	done
done
forms=(compressed text) who=(orrery rank launcher keeper) signals=(KILL TERM INT)
for ((i = 0; i < kills && failed < 1; i++)); do
	f=${families[i % ${#families[@]}]} n=${sizes[RANDOM % ${#sizes[@]}]}
	one "$f" "$n" "${forms[RANDOM % 2]}" "${who[i / ${#families[@]} % 4]}" \
		"${signals[RANDOM % 3]}"
done
echo "$i kills: $count_old times the old trace, $count_new times the new one," \
	"$count_partial times a partial one, $count_nothing times one that says it has nothing"
exit $failed
