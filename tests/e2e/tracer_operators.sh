#!/bin/bash
# Operators of the program's own, which burn 5 ms each time: their time is in the prediction, of a
# run that is simulated, by processes and by coroutines, and of its trace, and in the trace of a
# real run: the volume of a reduction, a computation after what is waited for. With the tests'
# counter an application is one reading, 1e6, to the digit; one within another is the other's. The
# replay of a simulated run is the run, with noise too, and with rates of reductions.
. "$(dirname "$0")/tracer.bash"
ways_to_hold

# applied CALL RANK FILE: how often
applied() { sed -n "s/^$2 $1 applied \([0-9]*\) .*/\1/p" "$3"; }
# takes WHAT CALL FILE: each rank was in it for as long as its operator (the simulator measures it
# by another clock, to a few hundredths), and for no more than four times what all ranks' took.
takes() {
	awk -v call="$2" '$2 == call { n++; sum += $4; less += $6 < 4.75 * $4 }
		$2 == call && $6 > most { most = $6 }
		END { exit !(n == 4 && sum > 0 && !less && most < 4 * 5 * sum) }' "$3" ||
		bad "$1: $2: $(grep " $2 " "$3")"
}

counted() { # FAMILY
	local rank n
	trace $1 4 "$tmp/t" --counter fake -- "$tmp/operators.$1" >"$tmp/out" 2>&1 ||
		bad "$1: $(cat "$tmp/out")"
	for rank in 0 1 2 3; do
		grep -v '^#' "$tmp/t/rank-$rank.tit" >"$tmp/events"
		n=$(applied allreduce $rank "$tmp/out")
		same "$1: volumes of allreduce" "$((n * 1000000)) 0" \
			"$(awk '$2 == "allreduce" { print $4 }' "$tmp/events" | xargs)"
		n=$(applied scan $rank "$tmp/out")
		same "$1: volume of scan" "$((n * 1000000))" \
			"$(awk '$2 == "scan" { print $4 }' "$tmp/events")"
		n=$(applied exscan $rank "$tmp/out")
		same "$1: volume of exscan" "$((n * 500000))" \
			"$(awk '$2 == "exscan" { print $4 }' "$tmp/events")"
		n=$(applied wait $rank "$tmp/out")
		same "$1: whose operators they are" \
			"allreduce-own iallreduce-own scan-own exscan-own allreduce" \
			"$(awk '$2 ~ /reduce|scan/ { print $2 (/ op=own/ ? "-own" : "") }' \
				"$tmp/events" | xargs)"
		same "$1: iallreduce and after its wait" "$(((n + 1) * 1000000))" \
			"$(awk '$2 == "iallreduce" { sum = $4 } last == "wait" { sum += $3 }
				{ last = $2 } END { printf "%d", sum }' "$tmp/events")"
		same "$1: other computations" 1000000 \
			"$(awk '$2 == "compute" && !waited { print $3 } { waited = $2 == "wait" }' \
				"$tmp/events" | sort -u | xargs)"
	done
}

simulated() { # FAMILY HOLD
	local call
	# where nothing else is known an element takes longer than all that takes() allows
	local rate=(--cfg smpi/reduce-rate:2)
	local noise=(--cfg noise/seed:7 --cfg noise/compute:0:1:1:0.1
		--cfg noise/detours:100:1e-3:0.5 --cfg noise/periodic:1e-2:1e-4)
	"$ORRERY" run -q -n 4 -p "$tmp/m.xml" "${noise[@]}" --hold "$2" -t "$tmp/t" -f -- \
		"$tmp/operators.$1" >"$tmp/out" 2>&1 || bad "$1, $2, noise: $(cat "$tmp/out")"
	"$ORRERY" replay -q -p "$tmp/m.xml" "${noise[@]}" "$tmp/t" >"$tmp/replay" 2>&1
	same "$1, $2: replay with noise" "$(grep 'simulated time' "$tmp/out")" \
		"$(grep 'simulated time' "$tmp/replay")"
	"$ORRERY" run -q -n 4 -p "$tmp/m.xml" "${rate[@]}" --hold "$2" -t "$tmp/t" -f -- \
		"$tmp/operators.$1" >"$tmp/out" 2>&1 || bad "$1, $2: $(cat "$tmp/out")"
	for call in allreduce wait scan local; do
		takes "$1, $2" $call "$tmp/out"
	done
	"$ORRERY" replay -q -p "$tmp/m.xml" "${rate[@]}" "$tmp/t" >"$tmp/replay" 2>&1
	same "$1, $2: replay" "$(grep 'simulated time' "$tmp/out")" \
		"$(grep 'simulated time' "$tmp/replay")"
	"$ORRERY" convert -q "$tmp/t" -o "$tmp/text" --force
	# in ns: the first allreduce has what the operator took, the other one nothing
	cat "$tmp"/text/rank-*.tit | awk '$2 == "allreduce" && $4 > 0 { n++; sum += $4 }
		$2 == "allreduce" && $4 == 0 { none++ } END { print n, none, sum }' >"$tmp/volumes"
	awk '$2 == "allreduce" && $4 > 0 { n++; sum += $4 } END { print n, 8 - n, sum * 5e6 }' \
		"$tmp/out" | paste -d' ' - "$tmp/volumes" >"$tmp/both"
	awk '{ exit !($1 == $4 && $2 == $5 && $6 >= $3 && $6 < 4 * $3) }' "$tmp/both" ||
		bad "$1, $2: volumes: $(cat "$tmp/both")"
	"$ORRERY" run -q -n 4 -p "$tmp/m.xml" --hold "$2" --computation none -- \
		"$tmp/operators.$1" >"$tmp/out" 2>&1 || bad "$1, $2: $(cat "$tmp/out")"
	awk '$3 == "applied" && $6 >= 1 { exit 1 }' "$tmp/out" ||
		bad "$1, $2, nothing computed: $(cat "$tmp/out")"
}

# What a replay of a real run takes has all that the busiest rank's operators took.
replayed() { # FAMILY
	local least
	trace $1 4 "$tmp/t" --counter cputime -- "$tmp/operators.$1" >"$tmp/out" 2>&1 ||
		bad "$1: $(cat "$tmp/out")"
	least=$(awk '$3 == "applied" { n[$1] += $4 } END {
		for (r in n) if (n[r] > most) most = n[r]; print most * 5e-3 }' "$tmp/out")
	"$ORRERY" replay -q -p "$tmp/m.xml" "$tmp/t" >"$tmp/replay" 2>&1
	awk -v least="$least" '/simulated time: / { ok = $3 >= least && $3 < 20 * least }
		END { exit !ok }' "$tmp/replay" ||
		bad "$1: operators take $least s: $(cat "$tmp/replay")"
}

# More functions than there is room for: so many are told.
many() { # FAMILY
	trace $1 4 "$tmp/t" --counter fake -- "$tmp/operators.$1" many >"$tmp/out" 2>&1 ||
		bad "$1: $(cat "$tmp/out")"
	has "$1: many operators" "$tmp/out" \
		"calls that were not traced: $((4 * 44)) MPI_Op_create: a prediction lacks"
	same "$1: the first and the last of many" "$(applied first 2 "$tmp/out")000000 own 0" \
		"$(awk '$2 == "allreduce" { v[++n] = $4; own[n] = / op=own/ ? " own" : "" }
			END { printf "%d%s %d%s", v[1], own[1], v[2], own[2] }' \
			"$tmp/t/rank-2.tit")"
}

"$ORRERY" platform generate flat 4 -o "$tmp/m.xml" -q
for f in "${families[@]}"; do
	build $f operators
	counted $f
	many $f
	replayed $f
	for hold in "${holds[@]}"; do
		simulated $f "$hold"
	done
done
exit $failed
