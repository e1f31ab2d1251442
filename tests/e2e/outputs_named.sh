#!/bin/bash
# Outputs that are inputs by a way round: the standard output, profiles that a machine names, the
# catalogue's own files, files beside another tool's trace; names of descriptors; descriptors that
# are closed, whose place no file takes. And what no verb passes over: words after "--", options of
# measuring beside measurements, figures that are too long, names that are.
. "$SRC/tests/need.bash"
scratch
verb_inputs

# --- the standard output is a file that is read: orrery … file >>file ---
# refused FILE WORDS…
refused() {
	local file=$1
	shift
	cp "$file" before
	timeout 20 "$ORRERY" "$@" >>"$file" 2>err
	[[ $? == 2 ]] && grep -qE "is to be written|two outputs" err ||
		bad ">>$file: $*: $(head -c 300 err)"
	cmp -s before "$file" || { bad "written to: >>$file: $*"; cp before "$file"; }
}
refused two.trace info two.trace
refused d/rank-1.tit info d
refused two.trace convert -q two.trace -f merged -o -
refused two.trace replay -q two.trace -p two.xml
refused two.xml replay -q two.trace -p two.xml
refused two.xml platform show two.xml
refused two.xml coll bcast -q -p two.xml -n 2 --bytes 8 -j 1
refused two.xml tune -q -p two.xml -n 2 --bytes 8 --operations bcast -j 1
refused run.rec export -q run.rec -f csv -o -
refused run.rec diff run.rec timed
refused network.csv calibrate network -q --from network.csv
refused timed calibrate cpu -q timed
echo old >x
refused x replay -q two.trace -p two.xml --csv x
refused x replay -q two.trace -p two.xml --csv ./x
"$ORRERY" info two.trace >>x || bad "a log is not an input"

# --- a machine's profiles, and the machine itself under its name in the catalogue ---
mkdir -p data/machines
cp "$SRC/data/machines/graphene.xml" data/machines/ || exit 2
sed 's#<host id="a"#<host id="a" speed_file="profile"#' two.xml >profiled.xml
printf '0 1\n10 0.5\n' >profile
kept() { # FILE WORDS…
	local file=$1
	shift
	cp "$file" before
	ORRERY_DATA=$tmp/data timeout 20 "$ORRERY" "$@" >out 2>err
	[[ $? == 2 ]] && grep -q "is to be written" err || bad "$*: $(head -c 300 err)"
	cmp -s before "$file" || { bad "lost: $*"; cp before "$file"; }
}
for name in profile:profiled.xml data/machines/graphene.xml:graphene; do
	file=${name%%:*} machine=${name#*:}
	kept $file replay -q two.trace -p $machine --csv $file
	kept $file replay -q two.trace -p $machine --record $file
	kept $file coll bcast -q -p $machine -n 2 --bytes 8 -j 1 --csv $file
	kept $file tune -q -p $machine -n 2 --bytes 8 --operations bcast -j 1 -o $file
	kept $file platform show $machine --svg $file
done

# --- files that are read with another tool's trace ---
printf '%s\n' '#Paraver (01/01/2020 at 00:00):100_ns:1(1):1:1(1:1)' '1:1:1:1:1:0:100:1' >x.prv
printf 'EVENT_TYPE\n0 50000001 MPI Point-to-point\n' >x.pcf
kept x.pcf convert -q x.prv -f merged --force -o x.pcf
for rank in 0 1; do printf '\xff\xaa\xddDUMPI' >"dumpi-000$rank.bin"; done
kept dumpi-0001.bin convert -q dumpi-0000.bin -f merged --force -o dumpi-0001.bin

# --- what the ranks of a run print is put beside their inputs, not over them ---
if "$ORRERY" run -q -n 1 -p two.xml --computation none -- true >out 2>&1 ||
	! grep -q 'was not built' out; then
	printf 'a\nb\n' >rank-0.out
	cp rank-0.out rank-0.err
	kept rank-0.out run -q -n 1 -p two.xml --hostfile rank-0.out --rank-output . -- true
	kept rank-0.err run -q -n 1 -p two.xml --rank-output . -- cat rank-0.err
	rm rank-0.out rank-0.err
fi

# --- in a sticky folder others' files stay, which is said before anything is run ---
if [[ $(id -u) == 0 ]] && have setpriv; then
	mkdir -m 1777 sticky && echo theirs >sticky/x && chmod 666 sticky/x && chmod a+rX . d
	for words in "replay -q two.trace -p two.xml --csv sticky/x" \
		"convert -q two.trace -f merged --force -o sticky/x" \
		"platform generate flat 4 -o sticky/x"; do
		setpriv --reuid 65534 --clear-groups "$ORRERY" $words >out 2>err
		[[ $? == 2 && $(cat sticky/x) == theirs ]] && grep -q 'another user' err ||
			bad "sticky: $words: $(cat err)"
	done
fi

# --- descriptors by their names: what others wrote there stays ---
for name in /dev/stderr /dev/fd/2 /dev/fd/1 /dev/fd/7 /dev/stdout /proc/self/fd/7; do
	echo precious >log
	"$ORRERY" replay -q two.trace -p two.xml --csv "$name" 2>>log 7>>log >>log ||
		bad "$name: exit code $?"
	[[ $(head -1 log) == precious ]] && grep -q '^rank,function' log ||
		bad "$name: $(head -3 log)"
done
for ((fd = 3; fd < 12; fd++)); do # none is open: ours are not written to
	cp two.trace before
	eval "exec $fd>&-" # what the test was started with may be open there
	"$ORRERY" replay -q two.trace -p two.xml --csv /dev/fd/$fd >out 2>err 3>&- 4>&- 5>&-
	[[ $? == 3 ]] && grep -q 'Bad file descriptor' err || bad "/dev/fd/$fd: $(cat err)"
	cmp -s before two.trace || bad "/dev/fd/$fd is the trace's"
done

# --- closed descriptors: the outputs are the same, and no message is in them ---
closed() { # NAME WORDS…
	local name=$1 way
	shift
	rm -rf "$name"
	"$ORRERY" "$@" >out 2>err || { bad "$*: $(cat err)"; return; }
	rm -rf ref && mv "$name" ref
	for way in '>&-' '2>&-' '<&-' '<&- >&-' '>&- 2>&-' '<&- >&- 2>&-'; do
		rm -rf "$name"
		eval '"$ORRERY" "$@"' ">out 2>err" "$way"
		diff -rq ref "$name" >diff || bad "$way: $*: $(cat diff)"
	done
}
closed x replay two.trace -p two.xml --csv x
closed x replay two.trace -p graphene --record x
closed x convert two.trace -f merged -o x
closed x export run.rec -f html -o x
closed x tune -p two.xml -n 2 --bytes 8 --operations bcast -j 1 -o x
closed x calibrate network --from network.csv -o x
"$ORRERY" info two.trace >&- 2>err
[[ $? == 3 ]] && grep -q 'cannot write' err || bad "closed standard output: $(cat err)"

# --- words after "--" are words, whatever they begin with; none is passed over ---
cp two.trace ./-dash
"$ORRERY" info -- -dash >out 2>err || bad "info -- -dash: $(cat err)"
for words in "info two.trace -- x" "replay -q two.trace -p two.xml -- x" "version x" \
	"help info x" "calibrate kernel --from kernel.csv -- x" "calibrate cpu timed -- x" \
	"calibrate noise --from noise.csv --time 3" "calibrate noise --from noise.csv --cpus x" \
	"calibrate noise --from noise.csv --once x" "calibrate processor --time 1 --once /" \
	"calibrate network --from network.csv -- x"; do
	"$ORRERY" $words >out 2>err
	[[ $? == 2 && -s err ]] || bad "accepted: $words"
done

# --- names: with blanks in a settings file's, too long, in circles ---
echo 'network/weight-S:1' >'my settings, new'
"$ORRERY" replay -q two.trace -p two.xml --cfg '@my settings, new' >out 2>err || bad "$(cat err)"
ln -s circle circle
for name in "$(printf 'x%.0s' {1..300})" circle; do
	for words in "info $name" "replay -q two.trace -p $name" \
		"replay -q two.trace -p two.xml --csv $name"; do
		"$ORRERY" $words >out 2>err
		[[ $? == 2 ]] || bad "exit code $?: ${words:0:60}: $(head -c 100 err)"
	done
done
digits=$(printf '9%.0s' {1..600})
for option in --loopback --backbone --limiter --bandwidth --latency --speed; do
	for figure in $digits ${digits}GBps 1GBps,$digits; do
		"$ORRERY" platform generate flat 4 $option $figure >out 2>err
		[[ $? == 2 ]] || bad "a figure in part: $option ${figure:0:20}: $(cat out)"
	done
done
exit $failed
