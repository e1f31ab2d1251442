#!/bin/bash
# A traced run is told to end, and then again while `orrery trace` makes a trace of what the ranks
# left: it says how the user comes by that, and so it is. Making it takes as long as there is much;
# where it was too fast for us, there is more the next time.
. "$(dirname "$0")/tracer.bash"
need pgrep:procps
unset ORRERY_FORM
f=${families[0]}
build $f endless

# told_twice BYTES: at so many of the log
told_twice() {
	local pid k
	rm -rf "$tmp/t"
	"$ORRERY" trace -o "$tmp/t" -- mpirun.$f -np 1 "$tmp/endless.$f" >"$tmp/out" 2>&1 &
	pid=$!
	for ((k = 0; k < 600; k++)); do
		[[ $(stat -c %s "$tmp/t/rank-0.part" 2>/dev/null || echo 0) -gt $1 ]] && break
		sleep 0.1
	done
	kill -TERM $pid
	for ((k = 0; k < 3000; k++)); do
		pgrep -P $pid >/dev/null || break
		sleep 0.01
	done
	sleep 0.02
	kill -TERM $pid 2>/dev/null
	wait $pid
	code=$?
}

for bytes in 4000000 16000000 64000000; do
	told_twice $bytes
	[[ -e $tmp/t/manifest ]] || break
done
same "exit code" $((128 + 15)) $code
has "what is said" "$tmp/out" "before there was a trace: 'orrery gather $tmp/t -o FOLDER' makes one"
"$ORRERY" gather "$tmp/t" -o "$tmp/whole" >"$tmp/gathered" 2>&1 ||
	bad "gather: $(cat "$tmp/gathered")"
"$ORRERY" info "$tmp/whole" >"$tmp/info" 2>&1
awk '$1 == "actions" { ok = $2 > 100000 } END { exit !ok }' "$tmp/info" ||
	bad "gathered: $(cat "$tmp/info")"
exit $failed
