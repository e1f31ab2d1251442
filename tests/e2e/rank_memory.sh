#!/bin/bash
# What a rank takes in a collective: the memory of an allreduce beside that of the same ranks
# beginning and ending, by the figure that replay prints; and what it takes to begin and end, in a
# trace sorted by rank and in one in order of time. The bounds are a tenth above what was measured;
# they hold a change that costs memory, not a computer. Recursive doubling on a torus has the long
# ways.
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 2
grep -q '^ORRERY_SANITIZE:STRING=..*' "$(dirname "$ORRERY")/CMakeCache.txt" &&
	{ echo "a sanitizer takes memory of its own: not measured"; exit 0; }
failed=0
cluster() { # HOSTS ATTRIBUTES: m.xml
	printf '%s\n' '<?xml version="1.0"?>' \
		'<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">' \
		'<platform version="4.1"><cluster id="c" prefix="n" suffix=""' \
		" radical=\"0-$(($1 - 1))\" speed=\"1Gf\"" \
		" bw=\"125MBps\" lat=\"1us\" $2/></platform>" >m.xml
}
by_rank() { # RANKS LINE
	awk -v n="$1" -v line="$2" 'BEGIN { for (r = 0; r < n; r++) {
		print r " init"; if (line) print r " " line; print r " finalize" } }'
}
by_time() { # RANKS
	awk -v n="$1" 'BEGIN { for (i = 0; i < 4; i++) for (r = 0; r < n; r++)
		print r, i == 0 ? "init" : i == 3 ? "finalize" : "compute 1e6" }'
}
mebibytes() { # OPTIONS…: of a replay of t
	"$ORRERY" replay -q t -p m.xml "$@" | sed -n 's/.*, \([0-9.]*\) MiB$/\1/p'
}
bounded() { # NAME BYTES RANKS MIB WITHOUT: what each rank takes, WITHOUT being taken by none
	awk -v name="$1" -v most="$2" -v n="$3" -v a="$4" -v b="$5" 'BEGIN {
		if (a == "" || b == "") { print name ": no figure"; exit 1 }
		each = (a - b) * 1048576 / n
		if (each > 64 && each <= most) exit 0
		printf "%s: %d bytes a rank (%s MiB, %s without), ", name, each, a, b
		printf "at most %d\n", most
		exit 1 }' || failed=1
}
line="allreduce 1 0 0"
collective() { # NAME BYTES RANKS CLUSTER OPTIONS…
	local name=$1 most=$2 ranks=$3 idle
	cluster "$ranks" "$4"
	shift 4
	by_rank "$ranks" "" >t
	idle=$(mebibytes)
	by_rank "$ranks" "$line" >t
	bounded "$name" "$most" "$ranks" "$(mebibytes "$@")" "$idle"
}
collective "fat tree" 900 4096 'topology="FAT_TREE" topo_parameters="3;16,16,16;1,16,16;1,1,1"'
collective "torus, recursive doubling" 1600 16384 'topology="TORUS" topo_parameters="32,32,16"' \
	--cfg smpi/allreduce:rdb
# each rank's line tells all members: 4 bytes for each of them would be 16,384
line="comm_split comm=0.0 parent=world members=0-4095"
collective "members" 1450 4096 ""
cluster 65536 ""
by_rank 1 "" >t
one=$(mebibytes) # the program itself: 5.4 to 6 MiB, by how it is built
by_rank 65536 "" >t
bounded "sorted by rank" 205 65536 "$(mebibytes)" "$one"
by_time 65536 >t
bounded "in order of time" 570 65536 "$(mebibytes)" "$one" # of which windows on the file: 250
exit $failed
