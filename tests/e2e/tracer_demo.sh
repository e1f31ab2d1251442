#!/bin/bash
# The programs of the demonstration, one of them in Fortran, and one that calls much: traced, they
# print what they print alone; two libraries' traces of one program replay to the same time; also
# with more ranks than processors.
. "$(dirname "$0")/tracer.bash"
replay() { "$ORRERY" replay "$1" -p graphene --selector default -q |
	sed -n 's/^simulated time: //p'; }
kept=$tmp

programs() { # FAMILY
	local f=$1 p
	build $f calls
	mpicc.$f -w -O1 -o "$tmp/stencil2d.$f" "$SRC/examples/stencil2d.c" -lm ||
		bad "stencil2d does not compile with $f"
	mpif90.$f -w -O1 -J"$tmp" -o "$tmp/cg.$f" "$SRC/examples/cg.f90" ||
		bad "cg does not compile with $f"
	for p in calls stencil2d cg; do
		run $f 4 "$tmp/$p.$f" >"$tmp/bare"
		trace $f 4 "$kept/$p.$f.trace" -q --counter fake -- "$tmp/$p.$f" >"$tmp/traced"
		same "$f $p: output" "$(cat "$tmp/bare")" "$(cat "$tmp/traced")"
	done
	[[ $f == mpich ]] && return
	trace $f 16 "$tmp/t" -q -- "$tmp/cg.$f" >/dev/null
	same "$f cg 16: exit code" 0 $?
	[[ $(replay "$tmp/t") ]] || bad "$f cg 16: does not replay"
}
for f in "${families[@]}"; do
	have mpif90.$f gfortran ||
		skip "no mpif90.$f (Debian: gfortran, with the MPI's -dev package)"
done
for f in "${families[@]}"; do
	apart programs $f
done
together
for p in calls stencil2d cg; do
	[[ ${#families[@]} -eq 2 ]] || break
	a=$(replay "$tmp/$p.openmpi.trace") b=$(replay "$tmp/$p.mpich.trace")
	[[ $a ]] || bad "the trace of $p does not replay"
	same "$p under the two libraries" "$a" "$b"
done
exit $failed
