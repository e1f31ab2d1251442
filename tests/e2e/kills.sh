#!/bin/bash
# Verbs that write are killed (SIGKILL) at random moments: under the name of the output is what was there before, or all of the new.
# ORRERY_PROVE: a thousand times each.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need python3:python3
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 2
times=$([[ ${ORRERY_PROVE:-} ]] && echo 1000 || echo 12)
failed=0
cp "$SRC/tests/golden/cases/two.xml" .
python3 - <<'PY' || exit 1
import random
with open("long.trace", "w") as f:
    f.write("# orrery-trace 1 ranks=2\n")
    for i in range(20000):
        f.write(f"0 compute {random.randint(1, 10**6)}\n1 compute 5\n0 send 1 7 100 6\n1 recv 0 7 100 6\n")
PY
"$ORRERY" replay -q long.trace -p two.xml -o run.rec >/dev/null || exit 2

# killed NAME COMMAND…: writes to out/x. The old one is a file, or a folder, that says "old".
killed() {
	local kind=$1 i start took old=0 new=0
	shift
	rm -rf out ref && mkdir out
	start=$EPOCHREALTIME
	"$ORRERY" "$@" >/dev/null 2>&1 || { echo "$*: fails"; failed=1; return; }
	took=$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }')
	mv out ref
	for ((i = 0; i < times; i++)); do
		rm -rf out && mkdir out
		if [[ $kind == folder ]]; then
			mkdir out/x && echo old >out/x/rank-0.tit
		else
			echo old >out/x
		fi
		"$ORRERY" "$@" >/dev/null 2>&1 &
		sleep "$(awk -v t="$took" -v r=$RANDOM 'BEGIN { print t * 1.1 * r / 32768 }')"
		kill -9 $! 2>/dev/null
		wait $! 2>/dev/null
		if diff -rq ref/x out/x >/dev/null; then
			new=$((new + 1))
		elif [[ $kind == file && $(<out/x) == old ]] || [[ $kind == folder && $(ls out/x) == rank-0.tit && $(<out/x/rank-0.tit) == old ]]; then
			old=$((old + 1))
		else
			echo "half written: $*"
			failed=1
		fi
	done
	echo "$*: $old times the old one, $new times the new one"
}

killed file replay long.trace -p two.xml -o out/x
killed file replay long.trace -p two.xml --csv out/x
killed folder convert long.trace -o out/x --force
killed file convert long.trace -f merged -o out/x --force
killed file export run.rec -f html -o out/x
killed file export run.rec -f paje -o out/x
killed file platform generate flat 1000 -o out/x
killed file tune -p two.xml -n 2 --bytes 8 --operations bcast -o out/x
exit $failed
