#!/bin/bash
# The trace that `orrery run` writes: its replay takes the simulated time of the run, to the last digit,
# with nothing computed, with processor time, and with a speed told; and it is the trace that the tracer
# writes under the real MPI, but for volumes and times. Examples and the laboratory's patterns, both families.
. "$(dirname "$0")/tracer.bash"

build_all() { # FAMILY
	local cc=mpicc.$1 fc=mpif90.$1
	$cc -w -O1 -o "$tmp/ring" "$SRC/examples/ring.c" || exit 1
	$cc -w -O1 -o "$tmp/stencil2d" "$SRC/examples/stencil2d.c" -lm || exit 1
	$cc -w -O1 -o "$tmp/patterns" "$SRC/lab/programs/patterns.c" -lm || exit 1
	command -v $fc >/dev/null && $fc -w -O1 -J "$tmp" -o "$tmp/cg" "$SRC/examples/cg.f90"
}

# equal NAME OPTIONS -- PROGRAM...
equal() {
	local what=$1 opts=() on off
	shift
	while [[ $1 != -- ]]; do opts+=("$1") && shift; done
	shift
	on=$("$ORRERY" run -q -n 4 -p graphene "${opts[@]}" -t "$tmp/t" -f -- "$@" 2>"$tmp/err" | grep 'simulated time')
	[[ $on ]] || bad "$what: $(cat "$tmp/err")"
	off=$("$ORRERY" replay -q -p graphene "$tmp/t" 2>&1 | grep 'simulated time')
	same "$what ${opts[*]}" "$on" "$off"
}

plain() { sed -E 's/ t=[^ ]*//; s/ region=[0-9]*//' "$1" | grep -vE '^#|^[0-9]+ (compute|sleep|region) '; }

# The tracer's, of a real run.
like_real() { # FAMILY PROGRAM
	local f=$1 p=$2
	"$ORRERY" run -q -n 3 -p graphene --computation none -t "$tmp/sim" -f -- "$p" >/dev/null 2>"$tmp/err" || bad "$(cat "$tmp/err")"
	trace "$f" 3 "$tmp/real" -f --counter fake -- "$p" >/dev/null 2>&1
	for r in 0 1 2; do
		diff <(plain "$tmp/sim/rank-$r.tit") <(plain "$tmp/real/rank-$r.tit") >"$tmp/diff" || bad "$f $p: $(head -8 "$tmp/diff")"
	done
}

one_family() {
	local f=$1
	build_all "$f"
	for p in ring stencil2d cg; do
		[[ -x $tmp/$p ]] || continue
		equal "$f $p" --computation none -- "$tmp/$p"
		equal "$f $p" -- "$tmp/$p"
	done
	equal "$f speed" --host-speed 2e9 -- "$tmp/ring"
	for p in cg lu is collectives master; do
		equal "$f $p" --computation none -- "$tmp/patterns" $p 1e8
	done
	like_real "$f" "$tmp/ring"
	like_real "$f" "$tmp/stencil2d"
	build "$f" comms
	"$ORRERY" run -q -n 4 -p graphene --computation none -t "$tmp/sim" -f -- "$tmp/comms.$f" >/dev/null 2>&1
	plain "$tmp/sim/rank-2.tit" >"$tmp/found"
	has "$f grid" "$tmp/found" "2 comm_split comm=2.0 parent=0.0 members=2,3 dims=2 periods=1"
	has "$f ring" "$tmp/found" "2 comm_create comm=0.3 members=0-3 sources=1 dests=3"
}

for f in "${families[@]}"; do apart one_family "$f"; done
together
exit $failed
