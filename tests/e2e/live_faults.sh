#!/bin/bash
# A rank's own handlers of faults, be it a process or a coroutine, in a place of its own or copied:
# they are left by a jump, mend and go on, call MPI, end the rank; each has its own mask, stack and
# floating-point exceptions. What cannot be handled ends the run.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need_live
mpicc=$(command -v mpicc.mpich || command -v mpicc.openmpi) ||
	skip "no mpicc of MPICH or Open MPI (Debian: libmpich-dev libopenmpi-dev)"
scratch
ways_to_hold
"$mpicc" -g -O1 -D_GNU_SOURCE -o own "$SRC/tests/programs/live_faults.c" -lm || exit 1
"$mpicc" -g -O1 -D_GNU_SOURCE -no-pie -o fixed "$SRC/tests/programs/live_faults.c" -lm || exit 1
ulimit -s 8192
ulimit -c 0
run() { # how: code, out, err
	timeout 20 "$ORRERY" run -q -np 3 -p graphene --computation none --hold "$hold" \
		-- "./$program" "$1" >out 2>err
	code=$?
}
lives() {
	run "$1"
	[[ $code == 0 && $(grep -c ": good$" out) == 3 ]] ||
		bad "$hold, $program, $1: exit code $code: $(cat out err)"
}
dies() { # how, expected text
	run "$1"
	[[ $code == 1 ]] && grep -q "^orrery: rank 1 on .*$2" err ||
		bad "$hold, $program, $1: exit code $code: $(cat err)"
}
for hold in "${holds[@]}"; do
	for program in own fixed; do
		lives jump
		lives mend
		lives talk
		lives number
		lives stack
		dies exit "exited with code 11 without MPI_Finalize"
		dies abort "MPI_Abort with code 41"
		dies tell "signal 11 "
		grep -q "^its handler$" out || bad "$hold, $program: its handler did not run"
		dies ignored "signal 11 "
		dies blocked "signal 11 "
		grep -q "its handler" out && bad "$hold, $program: its handler ran, blocked"
		dies full "\(signal 11 \|overflowed its stack\)"
		grep -q "its handler" out && bad "$hold, $program: its handler ran, without a stack"
	done
done
exit "$failed"
