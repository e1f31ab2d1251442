#!/bin/bash
# A disk that is full, a file that may not grow, a folder that cannot be written: one message, and
# the application goes on.
. "$(dirname "$0")/tracer.bash"

# stops NAME FAMILY DIR TEXT: traced to DIR, the program must end well, and the message must come
# once.
stops() {
	local name=$1 f=$2 dir=$3 text=$4
	shift 4
	"$@" >"$tmp/out" 2>"$tmp/err"
	same "$name: exit code" 7 $?
	same "$name: output" "$(grep -c '^rank' "$tmp/out")" 3
	has "$name" "$tmp/err" "$text"
	# a launcher may join lines of several processes
	same "$name: messages" 1 "$(grep -o 'untraced\.' "$tmp/err" | wc -l)"
}

for f in "${families[@]}"; do
	build $f ends
	# Files may not grow beyond 8 KiB: the signal that the kernel sends must not reach the
	# program.
	stops "limit $f" $f "$tmp/t" "File too large" trace $f 3 "$tmp/t" --buffer 1000 -- \
		"$tmp/ends.$f" limit 400
	same "limit $f: complete" no "$(complete "$tmp/t")"
	"$ORRERY" info -q "$tmp/t" >"$tmp/info" 2>&1 || bad "limit $f: info: $(cat "$tmp/info")"
	# No such folder; /proc takes no files even from root.
	export ORRERY_TRACE_DIR=/proc
	if [[ $f == openmpi ]]; then
		stops "/proc $f" $f /proc "no tracing" mpirun.$f -x \
			LD_PRELOAD="$ORRERY_TRACER_DIR/liborrery-trace-$f.so" -np 3 "$tmp/ends.$f" \
			seven
	else
		stops "/proc $f" $f /proc "no tracing" mpirun.$f -genv LD_PRELOAD \
			"$ORRERY_TRACER_DIR/liborrery-trace-$f.so" -np 3 "$tmp/ends.$f" seven
	fi
	unset ORRERY_TRACE_DIR
	# A full disk, where we may make one.
	mkdir -p "$tmp/small"
	if mount -t tmpfs -o size=64k none "$tmp/small" 2>/dev/null; then
		stops "disk $f" $f "$tmp/small/t" "No space left on device" trace $f 3 \
			"$tmp/small/t" --buffer 1000 -- "$tmp/ends.$f" seven 400
		same "disk $f: complete" no "$(complete "$tmp/small/t")"
		"$ORRERY" info -q "$tmp/small/t" >"$tmp/info" 2>&1 ||
			bad "disk $f: info: $(cat "$tmp/info")"
		umount "$tmp/small"
	fi
done
exit $failed
