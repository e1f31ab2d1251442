#!/bin/bash
# Traces of real programs through the compressed form: the same lines when they come back, the same
# manifest, and to the last bit the same predicted time.
. "$(dirname "$0")/tracer.bash"

# same_trace NAME FOLDER: the trace in FOLDER, there and back
same_trace() {
	local what=$1 folder=$2
	# Call sites are replaced by source lines when a trace is read: the text is that of a copy.
	"$ORRERY" convert --force "$folder" -o "$tmp/flat" || bad "$what: convert"
	"$ORRERY" convert -f compressed --force "$folder" -o "$tmp/one" &&
		"$ORRERY" convert --force "$tmp/one" -o "$tmp/back" || bad "$what: convert"
	same "$what: lines" "$(events "$tmp/flat" | md5sum)" "$(events "$tmp/back" | md5sum)"
	same "$what: manifest" "" "$(diff "$folder/manifest" "$tmp/back/manifest")"
	same "$what: predicted time" "$("$ORRERY" replay -q --json "$folder" -p graphene |
		grep -v '"trace"' | tr , '\n' | grep time)" \
		"$("$ORRERY" replay -q --json "$tmp/one" -p graphene | grep -v '"trace"' |
			tr , '\n' | grep time)"
}

one_family() {
	local f=$1
	mpicc."$f" -w -O1 -o "$tmp/ring" "$SRC/examples/ring.c" &&
		mpicc."$f" -w -O1 -o "$tmp/stencil" "$SRC/examples/stencil2d.c" -lm ||
		{ bad "$f compiler"; return; }
	trace "$f" 3 "$tmp/t" -q -- "$tmp/ring" >"$tmp/out" 2>&1 || bad "$f ring: $(cat "$tmp/out")"
	same_trace "$f ring" "$tmp/t"
	trace "$f" 4 "$tmp/t" -q -- "$tmp/stencil" 64 40 >"$tmp/out" 2>&1 ||
		bad "$f stencil: $(cat "$tmp/out")"
	same_trace "$f stencil" "$tmp/t"
	if mpifort."$f" -w -O1 -o "$tmp/cg" "$SRC/examples/cg.f90" 2>/dev/null; then
		trace "$f" 4 "$tmp/t" -q -- "$tmp/cg" >"$tmp/out" 2>&1 ||
			bad "$f cg: $(cat "$tmp/out")"
		same_trace "$f cg" "$tmp/t"
	fi
	# what is computed between its calls is at times too short for the counter: its loop is one
	# all the same
	build "$f" cost
	trace "$f" 1 "$tmp/t" -q --form compressed --counter wall -- "$tmp/cost.$f" send 5000 \
		>"$tmp/out" 2>&1 || bad "$f cost: $(cat "$tmp/out")"
	same "$f cost: loops" "4999 times" "$("$ORRERY" info --structure "$tmp/t" 2>/dev/null |
		sed -n 's/^ *\([0-9]* times\)$/\1/p')"
	build "$f" calls
	trace "$f" 4 "$tmp/t" -q -- "$tmp/calls.$f" >"$tmp/out" 2>&1 ||
		bad "$f calls: $(cat "$tmp/out")"
	same_trace "$f calls" "$tmp/t"
}

for f in "${families[@]}"; do
	apart one_family "$f"
done
together
exit $failed
