#!/bin/bash
# parts: 3
# More ranks than processors; small buffers.
. "$(dirname "$0")/tracer.bash"
replay() { "$ORRERY" replay "$1" -p graphene -q | sed -n 's/^simulated time: //p'; }

ring() { # FAMILY RANKS
	local f=$1 n=$2
	build $f ring
	same "$f $n" "token $n" "$(trace $f $n "$tmp/t" -q --buffer 4096 -- "$tmp/ring.$f")"
	same "$f $n: complete" yes "$(complete "$tmp/t")"
	same "$f $n: sends" "$n" "$(events "$tmp/t" | grep -c ' send ')"
	[[ $(replay "$tmp/t") ]] || bad "$f $n: does not replay"
}
# The buffer's size changes nothing.
buffers() {
	local f=$1
	build $f ends
	trace $f 3 "$tmp/large" -q --counter fake -- "$tmp/ends.$f" >/dev/null
	trace $f 3 "$tmp/small" -q --counter fake --buffer 1 -- "$tmp/ends.$f" >/dev/null
	same "$f buffer" "$(events "$tmp/large")" "$(events "$tmp/small")"
}
for f in "${families[@]}"; do
	apart buffers $f
	sizes="8 64"
	[[ $f == mpich ]] && sizes="2 4" # Debian's MPICH polls
	for n in $sizes; do
		mine $((++calls)) && ring $f $n
	done
done
together
exit $failed
