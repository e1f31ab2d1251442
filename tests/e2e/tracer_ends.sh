#!/bin/bash
# parts: 3
# Exit codes are kept, output is untouched, and a trace that was cut off says so and can be read.
. "$(dirname "$0")/tracer.bash"

# What the program itself prints, whatever the launcher adds.
output() { grep '^rank' "$1" | sort; }

# ends FAMILY HOW COMPLETE [signal races: the launcher's code may be another]
ends() {
	local f=$1 how=$2 bare traced lines
	run $f 3 "$built/ends.$f" "$how" 60 >"$tmp/bare" 2>/dev/null
	bare=$?
	trace $f 3 "$tmp/t" --buffer 2000 -- "$built/ends.$f" "$how" 60 >"$tmp/traced" 2>"$tmp/err"
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

built=$tmp
for f in "${families[@]}"; do
	build $f ends
	for how in finalize seven fork; do apart ends $f $how yes; done
	for how in abort kill term; do apart ends $f $how no; done
	apart ends $f exit no race
done
together
exit $failed
