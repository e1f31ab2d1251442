#!/bin/bash
# parts: 4
# `orrery tune` told to end by each signal writes what it measured until then, in both forms of
# file: it says how much that is, ends of the signal, and what was not measured is the library's
# own decision: a replay that uses the file has the time of one without.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
scratch
set -m # without it bash starts commands with SIGINT and SIGQUIT ignored
large=(-p graphene -n 4..128 --bytes 8..16Mi*2 --operations bcast,allreduce -j 2)

# interrupt SIGNAL WORD…: starts the verb, sends the signal after some measurements; $code
interrupt() {
	local signal=$1 pid
	shift
	rm -f out err
	"$ORRERY" tune "$@" >out 2>err &
	pid=$!
	sleep "$wait"
	kill -s "$signal" "$pid"
	wait "$pid"
	code=$?
}

forms=(ompi mpich)
"$ORRERY" tune -p graphene -n 2 --bytes 8 --operations bcast -f mpich -o forms 2>err ||
	{ grep -q libcjson err && forms=(ompi); } || bad "mpich: $(cat err)"
# MPICH's file has no comments: with -q, too, it is told that its rules mean little
for form in "${forms[@]}"; do
	"$ORRERY" tune -p "$SRC/tests/golden/cases/two.xml" -q -n 2 --bytes 8 \
		--operations bcast -f $form -o forms 2>err
	cat forms >>err
	[[ $(grep -c 'rules mean little' err) == 1 ]] || bad "$form -q: $(cat err)"
done

signals=(INT TERM HUP)
for part in 1 2 3; do
	mine $part || continue
	signal=${signals[part - 1]}
	for form in "${forms[@]}"; do
		own=ompi-4
		[[ $form == mpich ]] && own=mpich
		rm -f rules
		for wait in 1 0.3 3 6; do
			interrupt "$signal" "${large[@]}" -f $form -o rules
			# until it was in time, and something was measured
			((code >= 128)) && [[ -s rules ]] && break
		done
		[[ $code == $((128 + $(kill -l "$signal"))) ]] ||
			bad "$signal $form: exit code $code: $(cat err)"
		grep -qE 'tune: interrupted: [0-9]+ of [0-9]+ combinations' err ||
			bad "$signal $form: not told: $(cat err)"
		[[ $form != ompi ]] || grep -q '^# Interrupted: ' rules ||
			bad "$form: not in the file"
		# 3 ranks: the smallest that are tuned, which are measured last; Open MPI takes its
		# first rule for fewer, too
		for ranks in 4 3; do
			for ((r = 0; r < ranks; r++)); do echo "$r bcast 8 0 6"; done >small.trace
			how=(-q small.trace -p graphene --json --selector)
			"$ORRERY" replay "${how[@]}" file:rules >with 2>err ||
				bad "$form: cannot be read: $(cat err)"
			"$ORRERY" replay "${how[@]}" $own >without 2>err ||
				bad "$own: $(cat err)"
			time_of() { grep -o '"simulated_time":[^,]*' "$1"; }
			[[ $(time_of with) == "$(time_of without)" ]] ||
				bad "$form, $ranks ranks: $(time_of with), not $(time_of without)"
		done
	done
done

mine 4 || exit $failed
# A part does not take the place of a file that may be whole.
echo mine >old
wait=1
interrupt INT "${large[@]}" -o old
[[ $code == 130 && $(cat old) == mine ]] || bad "an old file was replaced by a part: $code"
grep -q 'old was there before, and is as it was' err || bad "that was not told: $(cat err)"
# Without -o the part is the standard output.
for wait in 1 3 6; do
	interrupt TERM "${large[@]}"
	[[ -s out ]] && break
done
[[ $code == 143 ]] && grep -q '^# Interrupted: ' out || bad "standard output: $code: $(cat err)"
exit $failed
