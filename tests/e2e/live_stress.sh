#!/bin/bash
# A rank dies somewhere, somehow, or the simulator is killed: the run ends with exit code 1 and a
# message that names rank, host and cause; no process is left, nothing in /dev/shm. Random points;
# the seed is printed. Short here: 8 ranks, a few deaths; with ORRERY_PROVE=all 200 of them, of
# processes and of coroutines, with 64 ranks (make prove); ORRERY_STRESS, ORRERY_STRESS_RANKS,
# ORRERY_STRESS_HOLD (processes, coroutines): as you like.
set -u
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
[[ ${ORRERY_PROVE:-} == all ]] && many=200 wide=64
times=${ORRERY_STRESS:-${many:-7}} ranks=${ORRERY_STRESS_RANKS:-${wide:-8}}
RANDOM=${ORRERY_SEED:-$$}
echo "seed ${ORRERY_SEED:-$$}"
failed=0
bad() {
	printf 'FAILED: %s\n' "$*"
	failed=1
}
programs=()
for f in openmpi mpich; do
	command -v mpicc.$f >/dev/null || continue
	mpicc.$f -w -O1 -o "$dir/dies.$f" "$SRC/tests/programs/live_dies.c" ||
		bad "live_dies.c does not compile with mpicc.$f"
	programs+=("$dir/dies.$f")
done
((${#programs[@]})) || skip "no mpicc of MPICH or Open MPI (Debian: libmpich-dev libopenmpi-dev)"
left() { pgrep -f "^$dir/dies" >/dev/null; }
shm=$(ls /dev/shm | sort)
clean() { # what
	for _ in $(seq 30); do
		left || break
		sleep 0.1
	done
	left && bad "$1: a process is left" && pkill -9 -f "^$dir/dies"
	[[ $(comm -13 <(echo "$shm") <(ls /dev/shm | sort) | grep -i orrery) ]] &&
		bad "$1: something is left in /dev/shm"
}
go() { timeout 100 "$ORRERY" run -q -np "$ranks" -p graphene --oversubscribe --computation none \
	"$@"; }

hows=(segv exit write kill stack exec abort memory leave divide term bus fpe trap ill)
try() { # i holding
	local program=${programs[$((RANDOM % ${#programs[@]}))]} rank=$((RANDOM % ranks))
	local step=$((RANDOM % 10)) how=${hows[$((($1 - 1 + offset) % ${#hows[@]}))]}
	local what="$(basename "$program"), $2, rank $rank, step $step, $how" code
	go --hold "$2" -- "$program" $rank $step $how >/dev/null 2>"$dir/err"
	code=$?
	[[ $code == 1 ]] || bad "$what: exit code $code: $(cat "$dir/err")"
	# what a coroutine cannot (fork, exec, less memory for its process) is refused by name
	refused='(signal|exited with code|memory|its stack|calls (fork|exec|setrlimit))'
	grep -qE "rank $rank on graphene-[0-9]+.* at [0-9.e-]+ s[^:]*: .*$refused" "$dir/err" ||
		bad "$what: $(cat "$dir/err")"
	clean "$what"
}
coroutines=coroutines
"$ORRERY" run -q -np 1 -p graphene --hold coroutines -- "${programs[0]}" -1 0 none >/dev/null \
	2>"$dir/err" || coroutines=
grep -qE 'sanitizers|another processor' "$dir/err" &&
	echo "coroutines are not tried: $(cat "$dir/err")"
offset=$((RANDOM % ${#hows[@]})) # few tries are of other ways each time
for i in $(seq "$times"); do
	[[ ${ORRERY_STRESS_HOLD:-processes} == processes ]] && try "$i" processes
	[[ $coroutines && ${ORRERY_STRESS_HOLD:-coroutines} == coroutines ]] && try "$i" coroutines
done
for how in close fork none; do
	program=${programs[$((RANDOM % ${#programs[@]}))]}
	go -- "$program" $((RANDOM % ranks)) $((RANDOM % 10)) $how >/dev/null 2>"$dir/err" ||
		bad "$how: $(cat "$dir/err")"
	clean "$how"
done
# the simulator is killed, at some moment; a rank computes for ever
for i in $(seq $((2 + times / 20))); do
	holding=processes
	[[ $coroutines && $((i % 2)) == 0 ]] && holding=coroutines
	[[ ${ORRERY_STRESS_HOLD:-$holding} == "$holding" ]] || continue
	how=none
	[[ $((i % 4)) -ge 2 ]] && how=loop
	"$ORRERY" run -q -np "$ranks" -p graphene --oversubscribe --computation none --hold \
		$holding -- "${programs[0]}" 1 3 $how >/dev/null 2>&1 &
	pid=$!
	sleep 0.$((RANDOM % 5 + 1))
	kill -9 $pid 2>/dev/null
	wait $pid 2>/dev/null
	clean "killed simulator, $holding, $how"
done
exit $failed
