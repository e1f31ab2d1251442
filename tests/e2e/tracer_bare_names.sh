#!/bin/bash
# A wrapper of MPI for another language has functions of its own under Fortran's names without an
# underscore: the tracer takes none of them for MPI's, and the calls behind them are in the trace.
. "$(dirname "$0")/tracer.bash"

for f in "${families[@]}"; do
	build $f bare_names -ldl
	mpicc.$f -w -O1 -shared -fPIC -DPLUGIN -o "$tmp/plugin.so" \
		"$SRC/tests/programs/bare_names.c" || { bad "$f: the plug-in"; continue; }
	trace $f 2 "$tmp/t" -q -- "$tmp/bare_names.$f" "$tmp/plugin.so" 2>"$tmp/err" ||
		bad "$f: $(cat "$tmp/err")"
	same "$f: allreduces" 2 "$(cat "$tmp"/t/*.tit | grep -c ' allreduce ')"
done
exit $failed
