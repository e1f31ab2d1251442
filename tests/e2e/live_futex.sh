#!/bin/bash
# Waits of C++ until a date that the kernel is asked for itself: std::future, semaphores.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need mpicxx.mpich:libmpich-dev
need_live
scratch
mpicxx.mpich -std=c++20 -O1 -w -o futex "$SRC/tests/programs/live_futex.cc" -pthread || exit 2
timeout 20 "$ORRERY" run -q -n 1 -p graphene --computation none --hold processes -- ./futex \
	>out 2>err || bad "$(cat err)"
diff <(head -4 out) - >said <<-END || bad "$(cat said)"
	future of nobody 0 2.000000
	until a date of the day 0 3.000000
	semaphore 0 3.500000
	set by a thread 1 5.000000
END
exit $failed
