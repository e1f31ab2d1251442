#!/bin/bash
# The programs of the demonstration, one of them in Fortran, and one that calls much: traced, they
# print what they print alone; two libraries' traces of one program replay to the same time; also
# with more ranks than processors.
# parts: 3
. "$(dirname "$0")/tracer.bash"
replay() { "$ORRERY" replay "$1" -p graphene --selector default -q |
	sed -n 's/^simulated time: //p'; }
kept=$tmp

compiled() { # FAMILY PROGRAM
	case $2 in
	calls) build $1 calls ;;
	stencil2d) mpicc.$1 -w -O1 -o "$tmp/$2.$1" "$SRC/examples/$2.c" -lm ;;
	cg) mpif90.$1 -w -O1 -J"$tmp" -o "$tmp/$2.$1" "$SRC/examples/$2.f90" ;;
	esac || bad "$2 does not compile with $1"
}
program() { # FAMILY PROGRAM
	local f=$1 p=$2
	compiled $f $p
	run $f 4 "$tmp/$p.$f" >"$tmp/bare"
	trace $f 4 "$kept/$p.$f.trace" -q --counter fake -- "$tmp/$p.$f" >"$tmp/traced"
	same "$f $p: output" "$(cat "$tmp/bare")" "$(cat "$tmp/traced")"
	[[ $f == openmpi && $p == cg ]] || return
	trace $f 16 "$tmp/t" -q -- "$tmp/cg.$f" >/dev/null
	same "$f cg 16: exit code" 0 $?
	[[ $(replay "$tmp/t") ]] || bad "$f cg 16: does not replay"
}
for f in "${families[@]}"; do
	have mpif90.$f gfortran ||
		skip "no mpif90.$f (Debian: gfortran, with the MPI's -dev package)"
done
programs=$(printf '%s\n' calls stencil2d cg | my_part)
for p in $programs; do
	for f in "${families[@]}"; do
		PART=1/1 apart program $f $p
	done
done
together
for p in $programs; do
	[[ ${#families[@]} -eq 2 ]] || break
	a=$(replay "$tmp/$p.openmpi.trace") b=$(replay "$tmp/$p.mpich.trace")
	[[ $a ]] || bad "the trace of $p does not replay"
	same "$p under the two libraries" "$a" "$b"
done
exit $failed
