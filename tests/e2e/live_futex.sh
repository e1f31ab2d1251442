#!/bin/bash
# Waits of C++ until a date that the kernel is asked for itself: std::future, semaphores. Called by
# a table, and by addresses. A coroutine's thread sleeps in real time, and wakes it before its date.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need mpicxx.mpich:libmpich-dev
need_live
scratch
ways_to_hold
for calls in plt no-plt; do
	mpicxx.mpich -std=c++20 -O1 -w -f$calls -o futex "$SRC/tests/programs/live_futex.cc" \
		-pthread || exit 2
	for hold in "${holds[@]}"; do
		timeout 20 "$ORRERY" run -q -n 1 -p graphene --computation none --hold $hold \
			-- ./futex >out 2>err || bad "$calls, $hold: $(cat err)"
		diff <(head -4 out) - >said <<-END || bad "$calls, $hold: $(cat said)"
		future of nobody 0 2.000000
		until a date of the day 0 3.000000
		semaphore 0 3.500000
		set by a thread 1 $([[ $hold == processes ]] && echo 5.0 || echo 3.5)00000
		END
	done
done
exit $failed
