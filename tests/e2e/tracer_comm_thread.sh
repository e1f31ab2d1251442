#!/bin/bash
# A thread that waits in MPI while the first one computes: in the trace that computation stands
# before the wait, as both were at once. It stood after it, so that a replay took both.
. "$(dirname "$0")/tracer.bash"
cd "$tmp" || exit 1
for f in "${families[@]}"; do
	mpicc.$f -O1 -w -pthread -o "comm.$f" "$SRC/tests/programs/comm_thread.c" || exit 2
	for how in both alone; do
		rm -f file
		words=()
		[[ $how == both ]] || words=(alone)
		timeout 60 "$ORRERY" trace -q -f -o "t.$how" -- mpirun.$f -np 2 "./comm.$f" \
			"$tmp/file" "${words[@]}" >out 2>&1 || bad "$f, $how: $(cat out)"
		took=$("$ORRERY" replay -q -p graphene "t.$how" |
			sed -n 's/^simulated time: \(.*\) s/\1/p')
		printf -v "$how" %s "${took:-0}"
	done
	awk -v both="$both" -v alone="$alone" 'BEGIN { exit !(both > 0.9 * alone &&
		both < 1.5 * alone && alone > 0.2) }' ||
		bad "$f: $both s, without the thread $alone"
done
exit $failed
