#!/bin/bash
# Exit codes are kept, output is untouched, and a trace that was cut off says so and can be read.
. "$(dirname "$0")/tracer.bash"

# What the program itself prints, whatever the launcher adds.
output() { grep '^rank' "$1" | sort; }

# ends FAMILY HOW COMPLETE [signal races: the launcher's code may be another]
ends() {
	local f=$1 how=$2 bare traced lines
	run $f 3 "$tmp/ends.$f" "$how" 60 >"$tmp/bare" 2>/dev/null
	bare=$?
	trace $f 3 "$tmp/t" --buffer 2000 -- "$tmp/ends.$f" "$how" 60 >"$tmp/traced" 2>"$tmp/err"
	traced=$?
	[[ ${4:-} ]] || same "$f $how: exit code" $bare $traced
	same "$f $how: output" "$(output "$tmp/bare")" "$(output "$tmp/traced")"
	same "$f $how: complete" "$3" "$(complete "$tmp/t")"
	"$ORRERY" info -q "$tmp/t" >"$tmp/info" 2>&1 || bad "$f $how: info: $(cat "$tmp/info")"
	# nothing is lost of some 375
	lines=$(events "$tmp/t" | wc -l)
	((lines > 360)) || bad "$f $how: only $lines events are left"
	[[ $3 == yes ]] || has "$f $how" "$tmp/err" "the trace is incomplete"
}

quietly() { # FAMILY
	build $1 ends
	ends $1 finalize yes
	ends $1 seven yes
	ends $1 fork yes
}
violently() {
	build $1 ends
	ends $1 abort no
	ends $1 kill no
	ends $1 term no
	ends $1 exit no race
}
for f in "${families[@]}"; do
	apart quietly $f
	apart violently $f
done
together
exit $failed
