#!/bin/bash
# The n-th allocation, write or opening of a file in the tracer fails, n = 1, 2, 3, …, in a real MPI process: the application is
# unaffected, and if the trace has suffered, one message says so.
. "$(dirname "$0")/tracer.bash"
cc -w -shared -fPIC -o "$tmp/libfaulty.so" "$SRC/tests/programs/faulty.c" -ldl || { echo "no cc"; exit 77; }

# sweep FAMILY KIND MOST LEAST: up to MOST faults; the tracer must have asked at least LEAST times.
sweep() {
	local f=$1 kind=$2 most=$3 least=$4 n
	for ((n = 1; n <= most; n++)); do
		rm -rf "$tmp/t" "$tmp/mark"
		mkdir "$tmp/t"
		FAULTY_KIND=$kind FAULTY_N=$n FAULTY_MARK=$tmp/mark ORRERY_TRACE_DIR=$tmp/t ORRERY_BUFFER=500 \
			LD_PRELOAD=$ORRERY_TRACER_DIR/liborrery-trace-$f.so:$tmp/libfaulty.so "$tmp/solo.$f" >"$tmp/out" 2>"$tmp/err"
		same "$f $kind $n: exit code" 7 $?
		same "$f $kind $n: output" "solo: all right" "$(cat "$tmp/out")"
		[[ -e $tmp/mark ]] || break
		grep -q '^# end' "$tmp/t/rank-0.tit" 2>/dev/null && continue # it could do without
		same "$f $kind $n: messages" 1 "$(grep -c 'untraced\.$' "$tmp/err")"
	done
	((n > least)) || bad "$f $kind: only $n faults"
}

for f in "${families[@]}"; do
	build $f solo
	sweep $f open 3 1
	sweep $f write 4 4
	sweep $f alloc 20 16
done
exit $failed
