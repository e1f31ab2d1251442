#!/bin/bash
# What a rank takes in a collective: the memory of an allreduce beside that of the same ranks beginning and ending, by the figure that replay prints.
# The bounds are a tenth above what was measured; they hold a change that costs memory, not a computer. Recursive doubling on a torus has the long ways.
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 2
grep -q '^ORRERY_SANITIZE:STRING=..*' "$(dirname "$ORRERY")/CMakeCache.txt" && { echo "a sanitizer takes memory of its own: not measured"; exit 0; }
failed=0
mebibytes() { # RANKS LINE OPTIONS…
	local ranks=$1 line=$2
	shift 2
	awk -v n="$ranks" -v line="$line" 'BEGIN { for (r = 0; r < n; r++) { print r " init"; if (line) print r " " line; print r " finalize" } }' >t
	"$ORRERY" replay -q t "$@" | sed -n 's/.*, \([0-9.]*\) MiB$/\1/p'
}
bounded() { # NAME BYTES RANKS CLUSTER OPTIONS…
	local name=$1 most=$2 ranks=$3 idle at_work
	printf '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n<platform version="4.1"><cluster id="c" prefix="n" suffix="" radical="0-%d" speed="1Gf" bw="125MBps" lat="1us" %s/></platform>\n' \
		$((ranks - 1)) "$4" >m.xml
	shift 4
	idle=$(mebibytes "$ranks" "" -p m.xml)
	at_work=$(mebibytes "$ranks" "allreduce 1 0 0" -p m.xml "$@")
	awk -v a="$at_work" -v b="$idle" -v n="$ranks" -v most="$most" -v name="$name" 'BEGIN {
		if (a == "" || b == "") { print name ": no figure"; exit 1 }
		each = (a - b) * 1048576 / n
		if (each > 64 && each <= most) exit 0
		printf "%s: %d bytes a rank (%s MiB, %s idle), at most %d\n", name, each, a, b, most; exit 1 }' || failed=1
}
bounded "fat tree" 1800 4096 'topology="FAT_TREE" topo_parameters="3;16,16,16;1,16,16;1,1,1"'
bounded "torus, recursive doubling" 4700 16384 'topology="TORUS" topo_parameters="32,32,16"' --cfg smpi/allreduce:rdb
exit $failed
