#!/bin/bash
# A program whose MPI is in a library that it loads with RTLD_DEEPBIND (MPItrampoline does so): its
# calls go past the tracer, which is said, and how to trace it: by a library in its place, which is
# linked with the tracer before it (docs/tracing.md). `orrery run` needs nothing of it.
. "$(dirname "$0")/tracer.bash"
gcc -o "$tmp/bound_deep" "$SRC/tests/programs/bound_deep.c" -ldl || exit 1

for f in "${families[@]}"; do
	tracer=$ORRERY_TRACER_DIR/liborrery-trace-$f.so
	if ldd "$tracer" | grep -q libasan; then
		echo "$f: not tried: the address sanitizer refuses RTLD_DEEPBIND"
		continue
	fi
	mpicc.$f -shared -fPIC -o "$tmp/bound.$f.so" "$SRC/tests/programs/bound.c" || exit 1
	rm -rf "$tmp/t"
	trace $f 2 "$tmp/t" -- "$tmp/bound_deep" "$tmp/bound.$f.so" >"$tmp/out" 2>&1
	same "$f, past it: exit code" 0 $?
	has "$f, past it" "$tmp/out" "no rank wrote a trace"
	has "$f, past it" "$tmp/out" "RTLD_DEEPBIND"
	has "$f, past it" "$tmp/out" "sum 3"

	gcc -shared -o "$tmp/traced.$f.so" -Wl,--no-as-needed "$tracer" "$tmp/bound.$f.so"
	trace $f 2 "$tmp/t" -- "$tmp/bound_deep" "$tmp/traced.$f.so" >"$tmp/out" 2>&1
	has "$f, by a library" "$tmp/out" "sum 3"
	calls=$(grep -v '^#\|compute\|region' "$tmp/t/rank-1.tit" | sed 's/ t=.*//' | paste -sd,)
	same "$f, by a library" "1 init,1 allreduce 1 0 1,1 finalize" "$calls"
done
exit $failed
