#!/bin/bash
# Verbs that write are killed (SIGKILL, SIGTERM, SIGINT) at random moments: under the name of the
# output is what was there before, or all of the new; a trace may be a partial one that says so; and
# of what they started (launchers, programs, shells) nothing goes on. ORRERY_PROVE: a thousand times
# each; KILLS: so many. ONLY: those commands that match.
# parts: 3
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need python3:python3
scratch
times=${KILLS:-$([[ ${ORRERY_PROVE:-} ]] && echo 1000 || echo 2)}
commands=0 PART=${PART:-1/1}
cp "$SRC/tests/golden/cases/two.xml" .
python3 - <<'PY' || exit 1
import random
with open("long.trace", "w") as f:
    f.write("# orrery-trace 1 ranks=2\n")
    for i in range(20000):
        f.write(f"0 compute {random.randint(1, 10**6)}\n1 compute 5\n")
        f.write("0 send 1 7 100 6\n1 recv 0 7 100 6\n")
PY
"$ORRERY" replay -q long.trace -p two.xml -o run.rec >/dev/null || exit 2
"$ORRERY" convert -q long.trace -o folder || exit 2
cp "$SRC/tests/fuzz/corpus/network/ours" network.csv
printf 'm,n,k,duration\n' >kernel.csv
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	echo "$((i * 100)),$((i * i)),$((i * 7 % 13)),0.00$i"
done >>kernel.csv
printf '%s\n' '# orrery-trace 1 ranks=2' '0 init' '1 init' '0 compute 1e6 t=0.001' \
	'0 barrier t=1e-6' '1 barrier t=2e-3' '1 compute 1e6 t=1e-3' '0 finalize' \
	'1 finalize' >timed

# Files of a run, as the tracer leaves them: with notes, without a manifest.
mkdir left
for r in 0 1; do
	sed -e '2a # ranks 2' -e '2a # host h' "folder/rank-$r.tit" >"left/rank-$r.tit"
done
"$ORRERY" calibrate noise -q --time 0.1 --quantum 50us --raw noise.csv -o noise >/dev/null || exit 2
mpicc=$(command -v mpicc.mpich || command -v mpicc.openmpi)
[[ $mpicc ]] && "$mpicc" -w -O1 -o ring "$SRC/tests/programs/ring.c"

# launcher PROGRAM PLAN OUT SECONDS
cat >launcher <<'FAKE'
#!/bin/bash
bash "$SRC/tests/e2e/lib/two_hosts.sh" "$2" >"$3"
FAKE
chmod +x launcher

# Is what was written all of the new one? Of what is measured: but for its figures; of a trace: but
# for the run's number and date, or a part of it that says so.
written_exact() { diff -rq "$1" "$2" >/dev/null 2>&1; }
figures_cut() { sed -E 's/-?[0-9][0-9.e+-]*/N/g; s/(;N:N)+//g' "$1" | sort -u; }
written_measured() { # lines of the same kinds, half to twice as many, the last one whole
	local lines=$(wc -l <"$2") before=$(wc -l <"$1")
	[[ $(figures_cut "$1") == "$(figures_cut "$2")" && -z $(tail -c 1 "$2") ]] &&
		((2 * lines >= before && lines <= 2 * before))
}
# Of noise: which kinds of it were met differs from one run to the next; the last line is always
# that of sleep, and so are the last rows of the measurements.
written_noise() {
	local last=$(tail -n 1 "$2")
	[[ -z $(tail -c 1 "$2") ]] &&
		[[ $last =~ ^noise/sleep:[0-9] || $last =~ ^sleep,[0-9.,e-]+$ ]] &&
		! grep -qvE '^#|^noise/(detours|periodic|sleep):[0-9]|^[a-z]+,' "$2"
}
written_trace() {
	case $(trace_state prior/trace "$2" two.xml) in
	partial | nothing) ;;
	whole) cmp -s <("$ORRERY" convert -q "$1" -f merged -o - | grep -vE '^# (run|manifest) ') \
		<("$ORRERY" convert -q "$2" -f merged -o - | grep -vE '^# (run|manifest) ') ;;
	*) return 1 ;;
	esac
}
# Of a network: rows of measurements are kept, as far as they are whole lines; what is made of them
# ends as it should. The plan is drawn, and so are the rows.
written_network() {
	[[ $(tail -1 "$1") == "$(tail -1 "$2")" ]] && return
	"$ORRERY" calibrate network -q --from "$2" >/dev/null 2>notices || grep -q 'too few' notices
}
written=written_exact

# What still runs of what was started: all of it has this variable.
left() {
	grep -lazF "KILLS_OF=$tmp" /proc/[0-9]*/environ 2>/dev/null |
		sed 's#/proc/\([0-9]*\)/.*#\1#'
}
nothing_left() { # WORDS…
	local k
	for ((k = 0; k < 100; k++)); do
		[[ $(left) ]] || return 0
		read -rt 0.2 -u "$never"
	done
	bad "$*: goes on: $(ps -o pid,args -p "$(left | paste -sd,)" | tail -n +2)"
	left | xargs -r kill -9
}
starts= # the commands of now start others
signals=(KILL TERM INT)

# What was there before under each name that is written: a file "old", a folder of one.
old_make() {
	local name
	rm -rf out && mkdir out
	for name in $1; do
		case $name in
		x_files) mkdir out/x_files && echo old >out/x_files/rank-0.txt ;;
		folder) mkdir out/folder && echo old >out/folder/rank-0.tit ;;
		trace) cp -r folder out/trace ;;
		*) echo old >"out/$name" ;;
		esac
	done
}

# killed NAMES COMMAND…: writes these names to out/; under each is afterwards the old one or all of
# the new one.
mkfifo never && exec {never}<>never
killed() {
	local names=$1 start moments delay signal old=0 new=0 name
	shift
	[[ $* =~ ${ONLY:-.} ]] || return
	((++commands % ${PART#*/} == ${PART%/*} % ${PART#*/})) || return
	rm -rf out ref prior
	old_make "$names"
	cp -r out prior
	start=$EPOCHREALTIME
	"$ORRERY" "$@" >/dev/null 2>&1 || {
		# an optional library
		"$ORRERY" "$@" 2>&1 | grep -qE 'when orrery was built|was built without' && return
		echo "$*: fails"
		failed=1
		return
	}
	moments=$(awk -v t="$EPOCHREALTIME" -v t0="$start" -v n="$times" -v r=$RANDOM 'BEGIN {
		srand(r)
		while (n-- > 0) printf "%.6f\n", 1e-6 + (t - t0) * 1.1 * rand()
	}')
	mv out ref
	while read -r delay; do
		old_make "$names"
		signal=${signals[RANDOM % 3]}
		KILLS_OF=$tmp env --default-signal=INT "$ORRERY" "$@" >/dev/null 2>&1 </dev/null &
		read -rt "$delay" -u "$never" # a sleep without a process, which would take longer
		kill -$signal $! 2>/dev/null
		wait $! 2>/dev/null
		[[ $starts ]] && nothing_left "$@, SIG$signal"
		for name in $names; do
			if written_exact "prior/$name" "out/$name"; then
				old=$((old + 1))
			elif $written "ref/$name" "out/$name"; then
				new=$((new + 1))
			else
				bad "half written: SIG$signal after $delay s: $*: $name"
			fi
		done
	done <<<"$moments"
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
killed "x y" calibrate noise --from noise.csv -o out/x --report out/y
starts=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1
[[ $("$ORRERY" replay timed --on true 2>&1) == *'was not built'* ]] ||
	for launcher in mpirun.mpich mpirun.openmpi; do
		have $launcher && killed "" replay timed --on $launcher
	done
written=written_network
killed "x y" calibrate network -o out/x --raw out/y --mpicc true --samples 200 -- ./launcher
written=written_trace
killed trace gather left -o out/trace --force --orrery "'$ORRERY'"
[[ $mpicc ]] && killed trace run -n 2 -p two.xml --computation none -t out/trace -f -- ./ring
starts=
written=written_measured
killed x calibrate memory --time 0.1 --largest 256 -o out/x
killed x calibrate processor --time 0.1 -o out/x
written=written_noise
killed "x y" calibrate noise --time 0.1 --quantum 50us -o out/x --raw out/y
exit $failed
