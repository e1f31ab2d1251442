#!/bin/bash
# More ranks than processors; small buffers; two libraries' traces of one program replay to the same time.
. "$(dirname "$0")/tracer.bash"
replay() { "$ORRERY" replay "$1" -p graphene -q | sed -n 's/^simulated time: //p'; }

for f in "${families[@]}"; do
	build $f ring
	build $f ends
	build $f calls
	sizes="8 16 64"
	[[ $f == mpich ]] && sizes="2 8" # Debian's MPICH polls
	for n in $sizes; do
		same "$f $n" "token $n" "$(trace $f $n "$tmp/t" -q --buffer 4096 -- "$tmp/ring.$f")"
		same "$f $n: complete" yes "$(complete "$tmp/t")"
		same "$f $n: sends" "$n" "$(events "$tmp/t" | grep -c ' send ')"
		[[ $(replay "$tmp/t") ]] || bad "$f $n: does not replay"
	done
	# The buffer's size changes nothing.
	trace $f 3 "$tmp/large" -q --counter fake -- "$tmp/ends.$f" >/dev/null
	trace $f 3 "$tmp/small" -q --counter fake --buffer 1 -- "$tmp/ends.$f" >/dev/null
	same "$f buffer" "$(events "$tmp/large")" "$(events "$tmp/small")"
	trace $f 4 "$tmp/$f" -q --counter fake -- "$tmp/calls.$f" >/dev/null
done
if [[ ${#families[@]} -eq 2 ]]; then
	a=$(replay "$tmp/openmpi") b=$(replay "$tmp/mpich")
	[[ $a ]] || bad "the trace of calls.c does not replay"
	same "the two libraries" "$a" "$b"
fi
exit $failed
