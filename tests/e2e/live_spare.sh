#!/bin/bash
# live_spare.sh: a program that may spawn others has places for 64 more ranks, as every program in
# C++ of Open MPI's mpicxx has, whose header names MPI_Comm_spawn. What no rank took is no rank: not
# in the recording's page, its profile, its pictures or a comparison, nor in shares of time.
set -u
. "$SRC/tests/need.bash"
need python3:python3
mpicc=$(command -v mpicc.mpich || command -v mpicc.openmpi) ||
	skip "no mpicc of MPICH or Open MPI (Debian: libmpich-dev libopenmpi-dev)"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "FAILED: $*"; exit 1; }
ways_to_hold
run() { # HOLD, RECORDING, program and arguments
	timeout 60 "$ORRERY" run -n 2 -p graphene --computation none --hold "$1" -o "$dir/$2" -- \
		"${@:3}" >"$dir/out" 2>"$dir/err" || fail "$*: $(cat "$dir/err")"
}
# Rank 0 reads its clock 200,000 times while rank 1 waits: half of the ranks' time.
"$mpicc" -O1 -w -Wl,-u,MPI_Comm_spawn -o "$dir/may" "$SRC/tests/programs/live_readings.c" ||
	exit 1
ranks_of() { # RECORDING: as its page, its profile and its timeline in JSON say
	for form in html json; do
		"$ORRERY" export "$dir/$1" -o "$dir/$1.$form" || fail "export of $1 as $form"
	done
	python3 - "$dir/$1.html" "$dir/$1.json" <<-'PY'
	import json, re, sys
	page = open(sys.argv[1]).read()
	events = json.load(open(sys.argv[2]))
	events = events["traceEvents"] if isinstance(events, dict) else events
	print(re.search(r'"all_ranks":(\d+)', page)[1],
	      re.search(r'"profile":\{"ranks":(\d+)', page)[1],
	      sum(e.get("name") == "thread_name" for e in events))
	PY
}
for hold in "${holds[@]}"; do
	run "$hold" rec "$dir/may" 200000
	grep -q "readings of clocks took 0.02 s, 50 % of the ranks' time" "$dir/err" ||
		fail "$hold: $(cat "$dir/err")"
	[[ $(ranks_of rec) == "2 2 2" ]] || fail "$hold: ranks of the page: $(ranks_of rec)"
	rows=$("$ORRERY" diff "$dir/rec" "$dir/rec" | sed -n '/^rank  /,/^$/p' | grep -c '^[0-9]')
	[[ $rows == 2 ]] || fail "$hold: $rows ranks compared"
done
asked() { # what is explained of the program
	"$ORRERY" run -q -n 2 -p graphene --computation none --explain "$1" -- "$dir/may" 1 2>&1
}
asked rank:20 | grep -qx "rank 20: never spawned, there were 2 ranks" ||
	fail "rank:20: $(asked rank:20)"
asked rank:66 | grep -q "there are 66 ranks, from 0 (2 and above: if they are spawned)" ||
	fail "rank:66: $(asked rank:66)"
# Eight ranks are there in its course where each takes a place of its own.
"$mpicc" -O1 -w -o "$dir/spawns" "$SRC/tests/programs/spawns.c" || exit 1
timeout 60 "$ORRERY" run -q -n 2 -p graphene --computation none --trace "$dir/trace" \
	-o "$dir/all" -- "$dir/spawns" >"$dir/out" 2>"$dir/err" || fail "spawns: $(cat "$dir/err")"
[[ $(ranks_of all) == "8 8 8" ]] || fail "ranks of a program that spawns: $(ranks_of all)"
