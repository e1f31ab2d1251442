#!/bin/bash
# parts: 5
# What a trace holds when its program ended badly: all that its processes did, whatever ended them;
# and what is missing is told,
# by whoever reads it. The tracer writes into no file of the program's.
. "$(dirname "$0")/tracer.bash"

# A program that closes the tracer's descriptors and opens its own files.
closes() { # FAMILY
	build $1 closes
	"$ORRERY" trace -f -o "$tmp/t" --buffer 4096 -- "$tmp/closes.$1" "$tmp/mine" 3000 \
		>"$tmp/out" 2>&1
	same "$1: closes: exit code" 7 $?
	same "$1: closes: its file" mine "$(cat "$tmp/mine")"
	same "$1: closes: events" 3000 "$(events "$tmp/t" | grep -c sendRecv)"
	same "$1: closes: complete" no "$(complete "$tmp/t")"
}

# Each of many ranks passes messages and synchronises; the last calls MPI_Abort, or is killed. Few
# messages: MPICH waits for each by polling, on all processors that there are.
ended() { # FAMILY RANKS HOW ROUNDS
	build $1 ends
	trace $1 $2 "$tmp/t" -- "$tmp/ends.$1" $3 $4 >"$tmp/out" 2>"$tmp/err"
	same "$1 $3 on $2: complete" no "$(complete "$tmp/t")"
	same "$1 $3 on $2: ranks without events" "" "$(grep -Lv '^#' "$tmp"/t/rank-*.tit)"
	"$ORRERY" replay "$tmp/t" -p "$machine" --oversubscribe >"$tmp/out" 2>"$tmp/err" ||
		bad "$1 $3 on $2: replay: $(cat "$tmp/err")"
	has "$1 $3 on $2: replay" "$tmp/err" "the trace is partial"
	"$ORRERY" info -q "$tmp/t" >"$tmp/out" 2>&1 || bad "$1 $3 on $2: info: $(cat "$tmp/out")"
}

# One rank's file is cut, in the midst and after a line; or is another run's; or is not there.
cut() { # FAMILY
	local f=$1
	build $f ends
	for run in t u; do
		trace $f 3 "$tmp/$run" -- "$tmp/ends.$f" finalize 60 >"$tmp/out" 2>&1 ||
			bad "$f: cut: $(cat "$tmp/out")"
	done
	"$ORRERY" replay -q "$tmp/t" -p "$machine" >"$tmp/whole" 2>&1 ||
		bad "$f: whole: $(cat "$tmp/whole")"
	file=$tmp/t/rank-1.tit
	cp "$file" "$tmp/kept"
	for lines in 20 40 60; do
		head -n $lines "$tmp/kept" >"$file"
		refused "$f: cut after line $lines" "it was cut"
		truncate -s -3 "$file"
		refused "$f: cut in line $lines" ""
		head -n $lines "$tmp/kept" >"$file"
		head -c 5000 /dev/zero >>"$file"
		refused "$f: zeros after line $lines" "it was cut"
		sed -i 's/^complete: yes/complete: no/' "$tmp/t/manifest"
		"$ORRERY" replay "$tmp/t" -p "$machine" --json >"$tmp/out" 2>"$tmp/err" ||
			bad "$f: partial: $(cat "$tmp/err")"
		has "$f: partial" "$tmp/err" "1 of 3 ranks ends before the program did"
		has "$f: partial" "$tmp/out" '"complete":false'
		sed -i 's/^complete: no/complete: yes/' "$tmp/t/manifest"
	done
	sed '60d' "$tmp/kept" >"$file"
	refused "$f: a line less" "was damaged"
	cp "$tmp/u/rank-1.tit" "$file"
	refused "$f: another run's" "do not belong"
	rm "$file"
	refused "$f: no file" "missing"
	sed -i 's/^complete: yes/complete: no/' "$tmp/t/manifest"
	"$ORRERY" replay "$tmp/t" -p "$machine" >"$tmp/out" 2>"$tmp/err" ||
		bad "$f: without a file: $(cat "$tmp/err")"
	has "$f: without a file" "$tmp/err" "the trace is partial"
}
refused() { # NAME TEXT
	"$ORRERY" replay "$tmp/t" -p "$machine" >"$tmp/out" 2>"$tmp/err"
	same "$1: exit code" 2 $?
	has "$1" "$tmp/err" "$2"
}

cd "$tmp" || exit 1
"$ORRERY" platform generate flat 64 -o cluster.xml -q || exit 1
machine=$tmp/cluster.xml
for f in "${families[@]}"; do
	apart closes $f
	apart cut $f
	for form in text compressed; do
		ORRERY_FORM=$form apart ended $f 3 kill 60
		ORRERY_FORM=$form apart ended $f 32 abort 20
	done
done
together
exit $failed
