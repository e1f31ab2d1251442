#!/bin/bash
# parts: 4
# Every call that the tracer records, in C and in the three Fortran bindings, under every MPI
# library: the same trace to the letter, and the one that tracer_calls.expected has, which was
# checked by hand against tests/programs/calls.c. How often a rank applies an operator of the
# program's own, which is the volume, is the library's (tracer_operators.sh).
. "$(dirname "$0")/tracer.bash"

check() { # NAME DIR
	events "$2" | sed -E 's/(allreduce 3) [0-9]+ (1 op=own_non)/\1 0 \2/' >"$tmp/found"
	diff "$SRC/tests/e2e/tracer_calls.expected" "$tmp/found" >"$tmp/diff" ||
		bad "$1: $(head -20 "$tmp/diff")"
	same "$1: complete" yes "$(complete "$2")"
	grep -q "untraced: [0-9]" "$2/manifest" && bad "$1: $(cat "$2/manifest")"
}

in_c() { # FAMILY
	local f=$1
	build $f calls
	same "C $f" "calls: all right" \
		"$(trace $f 4 "$tmp/t" --counter fake -- "$tmp/calls.$f" 2>/dev/null)"
	check "C $f" "$tmp/t"
}

for f in "${families[@]}"; do
	mine $((++calls)) && in_c $f
	command -v mpif90.$f >/dev/null || { echo "no Fortran for $f"; continue; }
	for binding in MPIF MODULE F08; do
		mine $((++calls)) || continue
		mpif90.$f -D$binding -w -O1 -ffree-line-length-none -fallow-argument-mismatch \
			-J"$tmp" -o "$tmp/calls_$binding" \
			"$SRC/tests/programs/calls.F90" ||
				{ bad "$binding does not compile with $f"; continue; }
		same "$binding $f" "calls: all right" \
			"$(trace $f 4 "$tmp/t" --counter fake -- "$tmp/calls_$binding" 2>/dev/null)"
		check "$binding $f" "$tmp/t"
	done
done
exit $failed
