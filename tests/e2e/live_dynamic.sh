#!/bin/bash
# Dynamic processes, threads that call MPI at once, partitioned messages: the programs check
# themselves. A spawned rank that dies ends the simulation, and leaves no process. Ranks that are
# coroutines spawn the same, in the same simulated time; but no other program.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need mpicc.mpich:libmpich-dev
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
bad() { echo "$*"; failed=1; }
runs() { # ranks, program, arguments
	local n=$1 program=$2
	shift 2
	timeout 30 "$ORRERY" run -q -n "$n" -p graphene --computation none -- "$dir/$program" "$@" \
		>"$dir/out" 2>"$dir/err" ||
		bad "$program: $(cat "$dir/err")"
	grep -q "all fine" "$dir/out" || bad "$program did not come to its end"
}
for program in live_spawn live_threads live_parts; do
	mpicc.mpich -O1 -pthread -o "$dir/$program" "$SRC/tests/programs/$program.c" || exit 1
done
runs 2 live_spawn
"$ORRERY" can-run "$dir/live_spawn" | grep -q "as coroutines only this program itself" ||
	bad "can-run says nothing of what is spawned"
"$ORRERY" can-run "$dir/live_threads" | grep -q "^threads: as coroutines the first one alone" ||
	bad "can-run says nothing of threads"
"$ORRERY" can-run "$dir/live_spawn" | grep "^threads:" &&
	bad "can-run says of threads what has none"
"$ORRERY" can-run "$dir/live_threads" | grep "as coroutines only" &&
	bad "can-run says that a program spawns which does not"
first=$(grep "simulated time" "$dir/out")
runs 2 live_spawn
[[ -n $first && $(grep "simulated time" "$dir/out") == "$first" ]] ||
	bad "two runs that spawn differ: $first"
runs 4 live_threads
runs 2 live_parts
# The key soft, with three places: the largest number that it allows and that there is room for
# (MPI 4.0, 11.3.4).
mpicc.mpich -O1 -o "$dir/soft" "$SRC/tests/programs/live_soft.c" || exit 1
timeout 30 "$ORRERY" run -n 1 --universe 4 -p graphene --computation none -- "$dir/soft" \
	>"$dir/out" 2>"$dir/err" || bad "soft: $(cat "$dir/err")"
# The world of spawned processes is made by no call, and none may free it.
grep "never freed" "$dir/err" && bad "soft frees all that it made"
diff - <(head -6 "$dir/out") <<-END || bad "soft"
	10: none, 0 of 0
	1:9:2: some, 3 of 3
	2,7:9: some, 2 of 2
	3:1,0:2:2: some, 2 of 2
	4:9: none, 0 of 0
	all: none, 0 of 0
END
# The trace of a run has what was spawned, as the tracer's of a real one has, and replays to the
# same time, compressed too: eight ranks in five worlds. A place is a rank of it and is used once.
time_of() { grep "simulated time" "$@"; }
for f in mpich openmpi; do
	command -v mpicc.$f >/dev/null || continue
	mpicc.$f -O1 -o "$dir/spawns" "$SRC/tests/programs/spawns.c" || exit 1
	timeout 30 "$ORRERY" run -n 2 -p graphene --trace "$dir/t" --computation none -- \
		"$dir/spawns" >"$dir/out" 2>"$dir/err" || bad "$f, spawns: $(cat "$dir/err")"
	same=$(time_of "$dir/out")
	said=$(grep -E "^(ranks|complete)" "$dir/t/manifest" | sort | xargs)
	[[ $said == "complete: yes ranks: 8" ]] ||
		bad "$f, spawns: the manifest: $(cat "$dir/t/manifest" "$dir/err")"
	grep -q "not traced" "$dir/err" && bad "$f, spawns: $(cat "$dir/err")"
	"$ORRERY" convert -q -f compressed "$dir/t" -o "$dir/c" || bad "$f: not compressed"
	for t in t c; do
		again=$("$ORRERY" replay -q "$dir/$t" -p graphene | time_of)
		[[ -n $same && $again == "$same" ]] || bad "$f, spawns, $t: $again instead of $same"
	done
	grep -v "^#" "$dir/t/rank-2.tit" | cut -d' ' -f2- | head -5 >"$dir/child"
	diff - "$dir/child" <<-END || bad "$f: a child"
		init
		comm_create_group comm=2.0 members=2-4 agreed=1
		intercomm_create comm=0.0 parent=2.0 members=2-4 remote=0,1 spawned=1
		barrier comm=2.0
		intercomm_merge comm=0.1 parent=0.0 members=0-4
	END
	rm -rf "$dir/t" "$dir/c"
done
timeout 30 "$ORRERY" run -q -n 1 --universe 4 -p graphene --trace "$dir/t" --computation none -- \
	"$dir/soft" >/dev/null 2>"$dir/err"
grep -q "spawns more processes in all than --universe has places for" "$dir/err" ||
	bad "a place used again in a trace: $(cat "$dir/err")"
# MPI_UNIVERSE_SIZE is what --universe says, for all; without it, what there is at first.
for f in mpich openmpi; do
	command -v mpicc.$f >/dev/null || continue
	mpicc.$f -O1 -o "$dir/universe" "$SRC/tests/programs/live_universe.c" || exit 1
	holds=processes
	has_coroutines && ! "$ORRERY" run -q -n 1 -p graphene --hold coroutines -- \
		"$dir/universe" 2>&1 | grep -q sanitizers && holds+=" coroutines"
	for hold in $holds; do
		for said in 5 2 ""; do
			timeout 30 "$ORRERY" run -q -n 2 ${said:+--universe $said} -p graphene \
				--computation none --hold $hold -- "$dir/universe" 2>"$dir/err" |
				grep universe | sort >"$dir/out"
			for ((i = 0, n = ${said:-2}; i < n; i++)); do
				echo "$i of $n: a universe of $n"
			done | diff - "$dir/out" ||
				bad "$f, $hold, --universe $said: $(cat "$dir/err")"
		done
	done
done
timeout 20 "$ORRERY" run -q -n 2 -p graphene -- "$dir/live_spawn" die >/dev/null 2>"$dir/err"
[[ $? == 1 ]] || bad "a spawned rank died: exit code 1 wanted"
grep -q "rank 2 on graphene-.*signal 6" "$dir/err" || bad "a spawned rank died: $(cat "$dir/err")"
pgrep -f "^$dir/" >/dev/null && bad "a process is left"
# as coroutines: what they write, and the time, are those of processes; also where ranks take turns
mpicc.mpich -O1 -o "$dir/places" "$SRC/tests/programs/live_places.c" || exit 1
cd "$dir" && mkdir sub || exit 1
spawns() { # PROGRAM RANKS OPTIONS: what it writes, and the time
	timeout 30 "$ORRERY" run -q -n "$2" -p graphene --computation none "${@:3}" -- \
		"$dir/$1" 2>err |
		grep -v " actions, "
	[[ ${PIPESTATUS[0]} == 0 ]] || bad "$*: $(cat err)"
}
if has_coroutines && ! "$ORRERY" run -q -n 1 -p graphene --hold coroutines -- \
	"$dir/places" 2>&1 | grep -q sanitizers; then
	mpicc.mpich -O1 -no-pie -o "$dir/fixed" "$SRC/tests/programs/live_places.c" || exit 1
	diff - <(spawns places 1 --universe 3 --hold coroutines | head -6) <<-END || bad "places"
		0.0 in ${dir##*/}: 7 0 0
		0.1 in ${dir##*/}: 7 0 0
		1.0 in sub: 7 0 0
		1.1 in sub: 7 0 0
		2.0 in ${dir##*/}: 7 0 0
		2.1 in ${dir##*/}: 7 0 0
	END
	for options in "" "--slots 2"; do # places are used again: there are two, three
		for program in "live_spawn 2" "soft 1 --universe 4" "places 1 --universe 3" \
			"places 1" "fixed 1"; do
			diff <(spawns $program) <(spawns $program --hold coroutines $options) ||
				bad "$program as coroutines $options"
		done
	done
	if have mpicc.openmpi; then
		mpicc.openmpi -O1 -o "$dir/openmpi" "$SRC/tests/programs/live_spawn.c" || exit 1
		diff <(spawns openmpi 2) <(spawns openmpi 2 --hold coroutines) || bad "Open MPI's"
	fi
	held() { timeout 20 "$ORRERY" run -q -p graphene --hold coroutines "$@"; }
	held -n 2 -- "$dir/live_spawn" die >/dev/null 2>err
	[[ $? == 1 ]] && grep -q "rank 2 on graphene-.*signal 6" err ||
		bad "a spawned coroutine died: $(cat err)"
	held -n 1 -- "$dir/places" "$dir/soft" >out 2>err ||
		bad "another program: $(cat err)"
	grep -qx "another program: MPI_ERR_SPAWN" out &&
		grep -q "cannot spawn .*/soft.*one program" err ||
		bad "another program: $(cat out err)"
	held -n 1 --rank-output files -- "$dir/live_spawn" die >/dev/null 2>&1
	ls files >out
	[[ $(sort out | xargs) == *1.err*1.out* && $(wc -l <out) == 4 ]] ||
		bad "files of ranks: $(cat out)"
fi
exit $failed
