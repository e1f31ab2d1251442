#!/bin/bash
# parts: 6
# A disk that is full, a file that may not grow, a folder that cannot be written: one message, and
# the application goes on. At the end it is said again, and is exit code 3 unless the program's own
# was another; the same of the trace of a simulated run.
. "$(dirname "$0")/tracer.bash"

# stops NAME FAMILY DIR TEXT: traced to DIR, the program must end well, and the message must come
# once.
code=7
stops() {
	local name=$1 f=$2 dir=$3 text=$4
	shift 4
	"$@" >"$tmp/out" 2>"$tmp/err"
	same "$name: exit code" $code $?
	same "$name: output" "$(grep -c '^rank' "$tmp/out")" 3
	has "$name" "$tmp/err" "$text"
	# a launcher may join lines of several processes
	same "$name: messages" 1 "$(grep -o 'untraced\.' "$tmp/err" | wc -l)"
}

# simulated FAMILY HOW ROUNDS CODE: of what a run's trace cannot hold nothing is taken for whole.
simulated() {
	local f=$1 name="run $1 $2" hold
	code=$4
	"$ORRERY" run -q -np 1 -p graphene -- true >/dev/null 2>&1 || return
	ways_to_hold
	for hold in "${holds[@]}"; do
		rm -rf "$tmp/small"/*
		head -c 40000 /dev/zero >"$tmp/small/fill"
		stops "$name $hold" $f "$tmp/small/t" "No space left on device" "$ORRERY" run \
			-np 3 -p graphene --computation none --hold $hold -t "$tmp/small/t" -- \
			"$tmp/ends.$f" $2 $3
		has "$name $hold" "$tmp/err" ": a rank stopped tracing before its end"
		"$ORRERY" replay "$tmp/small/t" -p graphene >"$tmp/whole" 2>&1 &&
			! grep -qE 'is partial|is incomplete|ends before' "$tmp/whole" &&
			bad "$name $hold: it is replayed as if it were whole: $(cat "$tmp/whole")"
	done
}

limits() { # FAMILY
	local f=$1
	# Files may not grow beyond 8 KiB: the signal that the kernel sends must not reach the
	# program.
	stops "limit $f" $f "$tmp/t" "File too large" trace $f 3 "$tmp/t" --buffer 1000 -- \
		"$tmp/ends.$f" limit 400
	same "limit $f: complete" no "$(complete "$tmp/t")"
	has "limit $f" "$tmp/err" "a rank stopped tracing before its end, or did not begin to"
	grep -q "make room" "$tmp/err" && bad "limit $f: no room is missing: $(cat "$tmp/err")"
	# A counter that no tracer has, told of past `orrery trace`: not for want of room, either.
	code=3
	stops "counter $f" $f "$tmp/t" "no tracing" trace $f 3 "$tmp/t" -f -- \
		env ORRERY_COUNTER=sundial "$tmp/ends.$f" finalize
	code=7
	has "counter $f" "$tmp/err" "/t: there is no trace: a rank stopped tracing"
	grep -q "make room" "$tmp/err" && bad "counter $f: no room is missing: $(cat "$tmp/err")"
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
}

disk() { # FAMILY
	local f=$1
	# A full disk, where we may make one.
	mkdir -p "$tmp/small"
	if mount -t tmpfs -o size=64k none "$tmp/small" 2>/dev/null; then
		stops "disk $f" $f "$tmp/small/t" "No space left on device" trace $f 3 \
			"$tmp/small/t" --buffer 1000 -- "$tmp/ends.$f" seven 400
		same "disk $f: complete" no "$(complete "$tmp/small/t")"
		"$ORRERY" info -q "$tmp/small/t" >"$tmp/info" 2>&1 ||
			bad "disk $f: info: $(cat "$tmp/info")"
		has "disk $f" "$tmp/err" "small/t: the trace is incomplete: a rank stopped"
		code=3
		rm -r "$tmp/small/t"
		stops "disk $f, and all is well" $f "$tmp/small/t" "No space left on device" \
			trace $f 3 "$tmp/small/t" --buffer 1000 -- "$tmp/ends.$f" finalize 400
		has "disk $f, and all is well" "$tmp/err" "make room there, or choose another"
		# nothing fits: that is why, and no guess at the program
		rm -rf "$tmp/small"/*
		head -c 70000 /dev/zero >"$tmp/small/fill" 2>/dev/null
		stops "disk $f, full before" $f "$tmp/small/t" "No space left on device" \
			trace $f 3 "$tmp/small/t" -- "$tmp/ends.$f" finalize 400
		has "disk $f, full before" "$tmp/err" "there is no trace: a rank stopped"
		has "disk $f, full before" "$tmp/err" "make room there"
		grep -q 'no rank wrote' "$tmp/err" && bad "disk $f, full before: $(cat "$tmp/err")"
		# … and an older trace, which -f lets replace, is not replaced by nothing
		rm -rf "$tmp/small"/*
		mkdir "$tmp/small/t" && echo '0 compute 5' >"$tmp/small/t/rank-0.tit"
		head -c 70000 /dev/zero >"$tmp/small/fill" 2>/dev/null
		stops "disk $f, full, -f" $f "$tmp/small/t" "No space left on device" \
			trace $f 3 "$tmp/small/t" -f -- "$tmp/ends.$f" finalize 400
		same "disk $f, full, -f: the old trace" rank-0.tit "$(ls -A "$tmp/small/t")"
		same "disk $f, full, -f: its line" '0 compute 5' "$(cat "$tmp/small/t/rank-0.tit")"
		simulated $f finalize 400 3
		simulated $f seven 400 1 # the program failed
		code=7
		umount "$tmp/small"
	fi
}

kept() { # FAMILY
	local f=$1
	# A folder that cannot be replaced once the run is over: the trace is kept beside.
	rm -rf "$tmp/over" && mkdir "$tmp/over" && echo '0 compute 5' >"$tmp/over/rank-0.tit"
	if unshare -m true 2>/dev/null; then
		unshare -m bash -c '(sleep 1; mount --bind "$0" "$0") & "$@"' "$tmp/over" \
			"$ORRERY" trace -q -f -o "$tmp/over" -- mpirun.$f -np 1 \
			sh -c 'sleep 2; "$@"' - "$tmp/ends.$f" finalize >"$tmp/out" 2>"$tmp/err"
		same "over $f: exit code" 3 $?
		has "over $f" "$tmp/err" "kept as $tmp/over.kept-1"
		same "over $f: the old one" rank-0.tit "$(ls -A "$tmp/over")"
		"$ORRERY" info -q "$tmp/over.kept-1" >"$tmp/info" || bad "over $f: no trace is kept"
		rm -rf "$tmp/over.kept-1"
	fi
	# No inode beyond those of the ranks' files, either.
	if mount -t tmpfs -o size=64k,nr_inodes=7 none "$tmp/small" 2>/dev/null; then
		stops "inodes $f" $f "$tmp/small/t" "No space left on device" trace $f 3 \
			"$tmp/small/t" --buffer 1000 -- "$tmp/ends.$f" seven 400
		has "inodes $f" "$tmp/err" "small/t: the trace is incomplete: a rank stopped"
		umount "$tmp/small"
	fi
}

n=0
for f in "${families[@]}"; do
	build $f ends
	mkdir -p "$tmp/small"
	for what in limits disk kept; do
		mine $((++n)) && $what $f
	done
done
exit $failed
