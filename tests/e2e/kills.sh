#!/bin/bash
# Verbs that write are killed (SIGKILL) at random moments: under the name of the output is what was there before, or all of the new.
# ORRERY_PROVE: a thousand times each; KILLS: so many.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need python3:python3
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 2
times=${KILLS:-$([[ ${ORRERY_PROVE:-} ]] && echo 1000 || echo 2)}
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
"$ORRERY" convert -q long.trace -o folder || exit 2
cp "$SRC/tests/fuzz/corpus/network/ours" network.csv
printf 'm,n,k,duration\n' >kernel.csv
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "$((i * 100)),$((i * i)),$((i * 7 % 13)),0.00$i"; done >>kernel.csv
printf '# orrery-trace 1 ranks=2\n0 init\n1 init\n0 compute 1e6 t=0.001\n0 barrier t=1e-6\n1 barrier t=2e-3\n1 compute 1e6 t=1e-3\n0 finalize\n1 finalize\n' >timed

# What was there before under each name that is written: a file "old", a folder of one.
old_make() {
	local name
	rm -rf out && mkdir out
	for name in $1; do
		case $name in
		x_files) mkdir out/x_files && echo old >out/x_files/rank-0.txt ;;
		folder) mkdir out/folder && echo old >out/folder/rank-0.tit ;;
		*) echo old >"out/$name" ;;
		esac
	done
}

# killed NAMES COMMAND…: writes these names to out/; under each is afterwards the old one or all of the new one.
killed() {
	local names=$1 i start took old=0 new=0 name
	shift
	rm -rf out ref prior
	old_make "$names"
	cp -r out prior
	start=$EPOCHREALTIME
	"$ORRERY" "$@" >/dev/null 2>&1 || {
		"$ORRERY" "$@" 2>&1 | grep -qE 'when orrery was built|was built without' && return # an optional library
		echo "$*: fails"
		failed=1
		return
	}
	took=$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }')
	mv out ref
	for ((i = 0; i < times; i++)); do
		old_make "$names"
		"$ORRERY" "$@" >/dev/null 2>&1 &
		sleep "$(awk -v t="$took" -v r=$RANDOM 'BEGIN { print t * 1.1 * r / 32768 }')"
		kill -9 $! 2>/dev/null
		wait $! 2>/dev/null
		for name in $names; do
			if diff -rq "ref/$name" "out/$name" >/dev/null 2>&1; then
				new=$((new + 1))
			elif diff -rq "prior/$name" "out/$name" >/dev/null 2>&1; then
				old=$((old + 1))
			else
				echo "half written: $*: $name"
				failed=1
			fi
		done
	done
	echo "$*: $old times the old one, $new times the new one"
}

killed x replay long.trace -p two.xml -o out/x
killed x replay long.trace -p two.xml --csv out/x
killed "x y" replay long.trace -p two.xml -o out/x --csv out/y
killed folder convert long.trace -o out/folder --force
for form in merged compressed; do
	killed x convert long.trace -f $form -o out/x --force
done
killed "x x_files" convert long.trace -f simgrid -o out/x --force
for format in html csv paje json messages; do
	killed x export run.rec -f $format -o out/x
done
killed x platform generate flat 1000 -o out/x
killed x platform show two.xml --svg out/x
killed "x y" coll bcast -p two.xml -n 2 --bytes 8 -j 1 --csv out/x --svg out/y
for form in ompi mpich; do
	killed x tune -p two.xml -n 2 --bytes 8 --operations bcast -f $form -j 1 -o out/x
done
killed "x y" calibrate network --from network.csv -o out/x --report out/y
killed x calibrate kernel --from kernel.csv -o out/x
killed x calibrate cpu timed -o out/x
exit $failed
