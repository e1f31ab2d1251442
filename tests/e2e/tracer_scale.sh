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
	# The programs of the demonstration, one of them in Fortran.
	mpicc.$f -w -O1 -o "$tmp/stencil2d.$f" "$SRC/examples/stencil2d.c" -lm || bad "stencil2d does not compile with $f"
	mpif90.$f -w -O1 -J"$tmp" -o "$tmp/cg.$f" "$SRC/examples/cg.f90" || cp "$tmp/ring.$f" "$tmp/cg.$f"
	for p in calls stencil2d cg; do
		run $f 4 "$tmp/$p.$f" >"$tmp/bare"
		trace $f 4 "$tmp/$p.$f.trace" -q --counter fake -- "$tmp/$p.$f" >"$tmp/traced"
		same "$f $p: output" "$(cat "$tmp/bare")" "$(cat "$tmp/traced")"
	done
	[[ $f == mpich ]] || for n in 8 16; do
		trace $f $n "$tmp/t" -q -- "$tmp/cg.$f" >/dev/null
		same "$f cg $n: exit code" 0 $?
		[[ $(replay "$tmp/t") ]] || bad "$f cg $n: does not replay"
	done
done
for p in calls stencil2d cg; do
	[[ ${#families[@]} -eq 2 ]] || break
	a=$(replay "$tmp/$p.openmpi.trace") b=$(replay "$tmp/$p.mpich.trace")
	[[ $a ]] || bad "the trace of $p does not replay"
	same "$p under the two libraries" "$a" "$b"
done
exit $failed
