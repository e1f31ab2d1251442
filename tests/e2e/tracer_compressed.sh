#!/bin/bash
# Traces of real programs through the compressed form: the same lines when they come back, the same
# manifest, and to the last bit the same predicted time; every example and every program of these
# tests that can be traced, in C and Fortran. What the ranks compress themselves (--form compressed)
# is what they write as text, for those that do the same each time. Of what is compressed, handlers
# and --profile see as many calls as there are lines.
# parts: 8
. "$(dirname "$0")/tracer.bash"

# predicted TRACE: to the last bit
predicted() { "$ORRERY" replay -q --json "$1" -p graphene --selector default 2>/dev/null |
	grep -o '"simulated_time":[^,]*'; }

# same_trace NAME FOLDER: the trace in FOLDER, there and back
same_trace() {
	local what=$1 folder=$2 time
	# Call sites are replaced by source lines when a trace is read: the text is that of a copy.
	"$ORRERY" convert --force "$folder" -o "$tmp/flat" || bad "$what: convert"
	"$ORRERY" convert -f compressed --force "$folder" -o "$tmp/one" &&
		"$ORRERY" convert --force "$tmp/one" -o "$tmp/back" || bad "$what: convert"
	same "$what: lines" "$(events "$tmp/flat" | md5sum)" "$(events "$tmp/back" | md5sum)"
	same "$what: manifest" "" "$(diff "$folder/manifest" "$tmp/back/manifest")"
	time=$(predicted "$folder")
	[[ $time ]] || bad "$what: no prediction"
	same "$what: predicted time" "$time" "$(predicted "$tmp/one")"
}

# lines_of TRACE: all ranks' lines
lines_of() { "$ORRERY" convert "$1" -f merged -o - | grep -v '^#'; }

# calls TRACE: what the example of handlers counts of a trace, and what its lines say
handled() { "$ORRERY" info "$1" --handlers "$tmp/h.so" 2>&1 |
	awk '/^blocking/ {b = $2 + r * $3} /^non-blocking/ {n = $2 + r * $3}
		/^collective/ {c = $2 + r * $3} END {print b + 0, n + 0, c + 0}' r=$(($2 - 1)); }
lined() { lines_of "$1" | awk '$2 ~ /^([sbr]?send|recv|sendRecv)$/ {b++}
	$2 ~ /^(i[sbr]?send|irecv)$/ {n++}
	$2 ~ /^(barrier|bcast|reduce|gather|scatter|scan|all(reduce|gatherv?|toallv?))$/ {c++}
	END {print b + 0, n + 0, c + 0}'; }

# form FAMILY NAME RANKS PROGRAM…: what ranks compress is what they write; twice the same run
form() {
	local f=$1 name=$2 n=$3 sum; shift 3
	trace "$f" "$n" "$tmp/text" -q --counter fake -- "$@" >"$tmp/out" 2>&1
	trace "$f" "$n" "$tmp/packed" -q --counter fake --form compressed -- "$@" >"$tmp/out" 2>&1
	[[ -f $tmp/packed/events ]] || bad "$f $name: not compressed: $(ls "$tmp/packed")"
	cmp -s <(lines_of "$tmp/text") <(lines_of "$tmp/packed") ||
		bad "$f $name: $(diff <(lines_of "$tmp/text") <(lines_of "$tmp/packed") | head -4)"
	same "$f $name: predicted of what ranks compress" "$(predicted "$tmp/text")" \
		"$(predicted "$tmp/packed")"
	[[ -f $tmp/h.so ]] || return
	same "$f $name: handlers" "$(lined "$tmp/text")" "$(handled "$tmp/packed" "$n")"
	trace "$f" "$n" "$tmp/profile" --profile --counter fake -- "$@" >"$tmp/out" 2>&1
	sum=$(awk '$1 ~ /^MPI_/ {n += $2} END {print n + 0}' "$tmp/profile/profile")
	same "$f $name: calls in the profile" "$(lines_of "$tmp/text" |
		grep -cvE '^[0-9]+ (compute|region|open|close|read|write|unlink|fsync) ?')" \
		"$sum"
}

# one FAMILY NAME RANKS PROGRAM…: with real counters
one() {
	local f=$1 name=$2 n=$3; shift 3
	trace "$f" "$n" "$tmp/t" -q -- "$@" >"$tmp/out" 2>&1 || bad "$f $name: $(cat "$tmp/out")"
	same_trace "$f $name" "$tmp/t"
}

examples() { # FAMILY
	local f=$1
	mpicc."$f" -w -O1 -o "$tmp/ring" "$SRC/examples/ring.c" &&
		mpicc."$f" -w -O1 -o "$tmp/stencil" "$SRC/examples/stencil2d.c" -lm ||
		{ bad "$f compiler"; return; }
	cmake --install "$(dirname "$ORRERY")" --prefix "$tmp/prefix" --component headers \
		>/dev/null 2>&1 && cc -std=gnu11 -shared -fPIC "-I$tmp/prefix/include" -o \
		"$tmp/h.so" "$SRC/examples/analysis/io_and_calls.c" || bad "the example of handlers"
	one "$f" ring 3 "$tmp/ring"
	one "$f" stencil 4 "$tmp/stencil" 64 40
	form "$f" ring 3 "$tmp/ring" 100 100
	form "$f" stencil 4 "$tmp/stencil" 64 40
	# what is computed between its calls is at times too short for the counter: its loop is one
	# all the same
	build "$f" cost
	trace "$f" 1 "$tmp/t" -q --form compressed --counter wall -- "$tmp/cost.$f" send 5000 \
		>"$tmp/out" 2>&1 || bad "$f cost: $(cat "$tmp/out")"
	same "$f cost: loops" "4999 times" "$("$ORRERY" info --structure "$tmp/t" 2>/dev/null |
		sed -n 's/^ *\([0-9]* times\)$/\1/p')"
}

fortran() { # FAMILY
	local f=$1
	have mpifort."$f" gfortran || { echo "no Fortran for $f"; return; }
	fort=(mpifort."$f" -w -O1 -ffree-line-length-none -fallow-argument-mismatch -J"$tmp")
	"${fort[@]}" -o "$tmp/cg" "$SRC/examples/cg.f90" &&
		"${fort[@]}" -o "$tmp/layer" "$SRC/tests/programs/layer.f90" ||
		bad "$f: Fortran does not compile"
	one "$f" cg 4 "$tmp/cg" 64 10
	form "$f" cg 4 "$tmp/cg" 64 5
	one "$f" layer.f90 2 "$tmp/layer"
}

bindings() { # FAMILY
	local f=$1 binding
	have mpifort."$f" gfortran || return
	fort=(mpifort."$f" -w -O1 -ffree-line-length-none -fallow-argument-mismatch -J"$tmp")
	for binding in MPIF MODULE F08; do
		"${fort[@]}" -D$binding -o "$tmp/calls_$binding" "$SRC/tests/programs/calls.F90" ||
			bad "$f: $binding does not compile"
		one "$f" "calls.F90, $binding" 4 "$tmp/calls_$binding"
	done
	"${fort[@]}" -DF08 -o "$tmp/regions" "$SRC/tests/programs/regions.F90" || bad "$f: regions"
	one "$f" regions.F90 1 "$tmp/regions"
}

programs() { # FAMILY
	local f=$1 p n
	mkdir "$tmp/data"
	for p in calls:4 rma:3 comms:4 requests:2 order:2 layer:3 large:1 overlap:2 files:2; do
		n=${p#*:} p=${p%:*}
		[[ $p$f == largeopenmpi ]] && continue # MPI 4.0
		build "$f" "$p" -pthread
		case $p in
		files) one "$f" "$p" "$n" "$tmp/$p.$f" "$tmp/data" ;;
		overlap) one "$f" "$p" "$n" "$tmp/$p.$f" wait ;;
		*) one "$f" "$p" "$n" "$tmp/$p.$f" ;;
		esac
	done
}

k=0
for what in examples fortran bindings programs; do
	for f in "${families[@]}"; do
		mine $((++k)) || continue
		rm -rf "$tmp"/*
		$what "$f"
	done
done
exit $failed
