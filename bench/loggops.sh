#!/bin/bash
# loggops.sh: the LogGPS model on the patterns on which LogGOPSim was measured (docs/models.md
# quotes its figures): makespan, messages, LogGOPSim's events (three for a message: send, receive,
# arrival) per second of processor time. As a trace of each message, in a file for each rank and in
# one file for all; what reading the latter takes alone is told. As a GOAL file, which is what
# LogGOPSim reads. And as a collective that the trace only names, which a traced program has.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc -O2 -o "$work/gen" "$SRC/bench/gen_trace.c" || exit 1
machine() { # RANKS
	echo "<platform version=\"4.1\"><cluster id=\"c\" prefix=\"h\" suffix=\"\"" \
		"radical=\"0-$(($1 - 1))\" speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\"/></platform>"
}
run() { # WORDS TRACE SETTINGS…
	local words=$1 trace=$2 line user start
	shift 2
	start=$(mktemp "$work/t.XXXX")
	line=$( { time "$ORRERY" replay "$trace" -p "$work/p.xml" --model loggps --json "$@" \
		>"$start"; } 2>&1 | sed -n 's/^user.*m\(.*\)s/\1/p')
	user=$line
	python3 - "$start" "$user" "$words" <<'PY'
import json, sys
r = json.load(open(sys.argv[1]))
user = float(sys.argv[2])
rate = 3e-6 * r["messages"] / user if user else 0
print("%-34s makespan %.9f s  %9d messages  %6.2f s user  "
      "%5.2f million LogGOPSim events/s  %7.1f MiB" % (
          sys.argv[3], r["simulated_time"], r["messages"], user, rate, r["peak_rss_kib"] / 1024))
PY
}
pattern() { # NAME RANKS BYTES
	machine "$2" >"$work/p.xml"
	"$work/gen" "$1" "$2" "$3" "$work/$1" || exit 1
	run "$1 $2 ranks, trace" "$work/$1/list"
	xargs cat <"$work/$1/list" >"$work/$1.tit"
	run "$1 $2 ranks, one file" "$work/$1.tit"
	reading "$work/$1.tit"
	"$ORRERY" convert -q "$work/$1.tit" -f goal-binary -o "$work/$1.bin" || exit 1
	run "$1 $2 ranks, GOAL, as a graph" "$work/$1.bin" --oversubscribe
	rm -rf "${work:?}/$1" "$work/$1.tit"
}
reading() { # TRACE: nothing but reading it
	( time "$ORRERY" info -q "$1" >/dev/null ) 2>&1 | awk '/^user/ {
		sub(/^.*m/, "", $2)
		printf "%-34s %s user\n", "  of which reading", $2
	}'
}
collective() { # WORDS RANKS ACTION SETTING
	machine "$2" >"$work/p.xml"
	for ((i = 0; i < $2; i++)); do
		printf '%d init\n%d %s\n%d finalize\n' "$i" "$i" "$3" "$i"
	done >"$work/c.tit"
	run "$1 $2 ranks, collective" "$work/c.tit" --cfg "$4"
}
pattern dissemination 16384 8192
collective "dissemination (1 byte)" 16384 barrier smpi/barrier:ompi_bruck
pattern binomial 65536 8192
collective binomial 65536 "bcast 8192 0 6" smpi/bcast:binomial_tree
collective ring 1024 "allreduce 8388608 0 6" smpi/allreduce:lr
pattern linear 512 8192
collective linear 512 "alltoall 8192 8192 6 6" smpi/alltoall:basic_linear
