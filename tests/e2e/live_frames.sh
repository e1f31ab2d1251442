#!/bin/bash
# Whoever looks for the frames of a function among thousands of ranks that are coroutines finds
# them at once: an exception, also of a program that has libgcc in itself; and a traced run looks
# for none. Lines of calls are told without the list of what is mapped for all ranks. What was
# looked for one rank after the other took 30 times as long.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
has_coroutines || skip "coroutines are for x86-64 and AArch64"
need mpicc.mpich:libmpich-dev
scratch
failed=0
bad() { echo "$*"; failed=1; }
"$ORRERY" platform generate flat 3000 >m.xml || exit 1
took() { # SECONDS WHAT RANKS OPTIONS… -- PROGRAM…: at most so much processor time
	local most=$1 what=$2 TIMEFORMAT='%U %S' seconds
	seconds=$({ time timeout 100 "$ORRERY" run -q -n "$3" -p m.xml --hold coroutines \
		--computation none "${@:4}" >out 2>err; } 2>&1) || bad "$what: $(cat err)"
	awk -v s="$seconds" -v most="$most" 'BEGIN { split(s, t); exit t[1] + t[2] > most }' ||
		bad "$what: $seconds s, at most $most"
}
mpicc.mpich -O1 -w -o members "$SRC/tests/programs/live_members.c" || exit 1
timeout 60 "$ORRERY" run -q -n 2 -p m.xml --hold coroutines -- ./members none >out 2>&1
grep -q sanitizers out && skip "coroutines are not for a build with sanitizers"
took 15 "a trace" 600 --trace t -- ./members # 1 s; was 33
grep -q "^all right" out || bad "a trace: $(cat out err)"
"$ORRERY" replay -q t -p m.xml >replayed 2>err || bad "the trace: $(cat err)"
[[ $(grep "^simulated" out) == "$(grep "^simulated" replayed)" ]] ||
	bad "the trace: $(cat out replayed)"
[[ $(echo t/*) == "t/events t/manifest"* && ! -e t/rank-0.tit && ! -e t/rank-0.log ]] ||
	bad "the trace has $(ls t | head)"

took 5 "lines of calls" 1000 --checks -- ./members # 0.6 s; was 14
took 5 "names of computations" 1000 --profile -- ./members # 0.5 s; was 24
if have mpicxx.mpich g++; then
	mpicxx.mpich -O1 -w -o throws "$SRC/tests/programs/live_throws.cc" || exit 1
	took 6 "exceptions" 3000 -- ./throws 10 # 0.6 s; was 23
	grep -qx "caught 30000" out || bad "exceptions: $(cat out err)"
	mpicxx.mpich -O1 -w -static-libgcc -static-libstdc++ -o itself \
		"$SRC/tests/programs/live_throws.cc" || exit 1
	took 6 "exceptions of one with libgcc" 100 -- ./itself 10
	grep -qx "caught 1000" out || bad "exceptions of one with libgcc: $(cat out err)"
fi
exit $failed
