#!/bin/bash
# parts: 2
# What the ranks of a run left on two hosts that share no folder, gathered: of a program that was
# killed, logs and chapters (`rank-*.log`, `rank-*.part`); without those of a rank; of one that came
# to its end, the one file that rank 0 wrote.
. "$(dirname "$0")/tracer.bash"
# Messages that each rank passes on: few, as MPICH polls for each; chapters, at the least memory,
# are only written of more.
rounds=100

# two FAMILY HOW SETTINGS…: four ranks, two on each "host", in folders of their own
two() {
	local f=$1 how=$2 lib=$ORRERY_TRACER_DIR/liborrery-trace-$1.so of=()
	shift 2
	rm -rf "$tmp/h0" "$tmp/h1" "$tmp/all"
	mkdir "$tmp/h0" "$tmp/h1"
	for host in h0 h1; do
		of+=(-np 2 env LD_PRELOAD="$lib" ORRERY_TRACE_DIR="$tmp/$host" "$@"
			"$tmp/ends.$f" "$how" $rounds)
		[[ $host == h0 ]] && of+=(:)
	done
	timeout 60 mpirun."$f" "${of[@]}" >"$tmp/out" 2>&1
}
gather() { "$ORRERY" gather "$tmp/h0" "$tmp/h1" -o "$tmp/all" --force --shell false --orrery \
	"'$ORRERY'" >"$tmp/said" 2>&1; }
# of RANK: how many calls of each kind
of() {
	awk -v r="$1" '$1 == r && $2 !~ /compute|region/ { print $2 }' "$tmp/lines" | sort |
		uniq -c | awk '{ print $2 " " $1 }' | paste -sd,
}
lines() {
	"$ORRERY" convert -q "$tmp/all" -f merged -o - 2>/dev/null | grep -v '^#' >"$tmp/lines"
}
predicted() { "$ORRERY" replay "$tmp/all" -p graphene -q --selector default 2>/dev/null |
	sed -n 's/^simulated time: //p'; }
# The last rank kills itself behind the barrier, the others sleep then: all that was called before
# is recorded, by each.
before() { echo "barrier 1,comm_size 1,init 1,sendRecv $rounds"; }

one_family() {
	local f=$1 rank whole
	export ORRERY_FORM=compressed
	build $f ends
	two $f finalize ORRERY_COUNTER=fake || bad "$f: $(cat "$tmp/out")"
	same "$f, to its end: left" "h0/events" "$(cd "$tmp" && echo h[01]/*[a-z])"
	gather || bad "$f, to its end: $(cat "$tmp/said")"
	same "$f, to its end: complete" yes "$(complete "$tmp/all")"
	whole=$(predicted)
	for memory in 16777216 1; do
		[[ $memory != 1 ]] || rounds=300
		two $f kill ORRERY_COUNTER=wall ORRERY_MEMORY=$memory && bad "$f: exit code"
		compgen -G "$tmp/h*/rank-*.log*" >/dev/null || bad "$f: no logs: $(ls "$tmp"/h*)"
		[[ $memory != 1 ]] || compgen -G "$tmp/h1/rank-*.part" >/dev/null ||
			bad "$f: no chapters: $(ls "$tmp"/h*)"
		gather || bad "$f, $memory: $(cat "$tmp/said")"
		has "$f, $memory" "$tmp/said" "no end of rank 0, 1, 2, 3"
		same "$f, $memory: complete" no "$(complete "$tmp/all")"
		lines
		for rank in 0 1 2 3; do
			same "$f, $memory: rank $rank" "$(before)" "$(of $rank)"
		done
	done
	rounds=100
	# With the volumes of `fake`, all but the end is predicted as of the whole run.
	two $f kill ORRERY_COUNTER=fake
	gather
	awk -v a="$whole" -v b="$(predicted)" 'BEGIN { exit !(b > 0.98 * a && b <= a) }' ||
		bad "$f: predicted: $(predicted), of the whole run $whole"
	# The files of rank 1 are lost: that is an error which names it, and the others are read.
	rm -rf "$tmp"/h0/rank-1.* "$tmp/all"
	gather && bad "$f, without rank 1: exit code 0"
	has "$f, without rank 1" "$tmp/said" "no file of rank 1"
	lines
	same "$f, without rank 1" "$(before)||$(before)" "$(of 0)|$(of 1)|$(of 2)"
	"$ORRERY" replay "$tmp/all" -p graphene >"$tmp/out" 2>&1
	has "$f, without rank 1" "$tmp/out" "trace is partial"
}

for f in "${families[@]}"; do
	apart one_family "$f"
done
together
exit $failed
