#!/bin/bash
# Slips of those who are new are told as what they are, or do what was meant: one dash before a long
# option, as smpirun and mpirun have it; one file of a trace in the place of its folder; a trace
# whose manifest is lost; one rank to be drawn; MPI's name of a collective; help on a setting; an
# output that is called as a word of the command is.
. "$SRC/tests/need.bash"
scratch
verb_inputs
# refused WORDS BY…: exit code 2, and this is said.
refused() {
	local words=$1
	shift
	timeout 20 "$ORRERY" "$@" >out 2>err </dev/null
	[[ $? == 2 ]] && grep -qF -- "$words" err || bad "$*: $(cat err)"
}
# said WORDS BY…: done, and this is said.
said() {
	local words=$1
	shift
	timeout 20 "$ORRERY" "$@" >out 2>err </dev/null && grep -qF -- "$words" out err ||
		bad "$*: $(cat out err)"
}

# --- one dash ---
for option in platform hostfile profile ppn cfg record json; do
	refused "'-$option': did you mean '--$option'? One dash is for one letter." replay \
		two.trace -$option two.xml
done
refused "'-platform=two.xml': did you mean '--platform'?" replay two.trace -platform=two.xml
refused "'-output': did you mean '--output'?" export run.rec -output page.html
refused "'-quiet': did you mean '--quiet'?" info -quiet two.trace
[[ ! -e utput ]] || bad "-output wrote a file"
said "simulated time" replay two.trace -np 2 -p two.xml # every mpirun has that
said "simulated time" replay two.trace -ptwo.xml        # what is behind a letter is its value

# --- text as PowerShell writes it ---
python3 -c "open('wide.trace', 'wb').write(open('two.trace').read().encode('utf-16'))" &&
	refused 'its text is UTF-16: `iconv' replay wide.trace -p two.xml

# --- one file of a trace ---
# The events alone do not tell what they were traced with: by themselves they would be replayed with
# another library's collectives, and volumes of another unit.
mkdir whole
cp c whole/events
printf '%s\n' '# orrery-manifest 1' 'ranks: 2' 'mpi: Open MPI v4.1.4' 'complete: yes' \
	>whole/manifest
cp -r whole lost
rm lost/manifest
said "as the trace's Open MPI v4.1.4" replay whole -p two.xml
for verb in "replay -p two.xml" info "convert -o new"; do
	refused "whole/events is one file of a trace: give its folder, whole, where" $verb \
		whole/events
	said "lost has no manifest: with which MPI library, counter and processor it was" $verb lost
	rm -rf new
done
# So it is of the text form; who writes such a folder by hand needs no manifest.
mkdir told untold
for r in 0 1; do
	printf '%s\n' '# orrery-trace 1' "$r init" "$r compute 1000" "$r finalize" \
		>untold/rank-$r.tit
	printf '%s\n' '# orrery-trace 1' '# run e128fcefb365708b' "$r init" "$r compute 1000" \
		"$r finalize" '# end 3' >told/rank-$r.tit
done
said "told has no manifest: with which MPI library, counter" replay told -p two.xml
"$ORRERY" replay untold -p two.xml 2>&1 | grep -q 'has no manifest' && bad "a folder made by hand"
(cd whole && refused "events is one file of a trace: give its folder, ., where" info events)
grep -q . whole/err 2>/dev/null && rm whole/out whole/err
said "simulated time" replay lost/events -p two.xml # which has nothing beside it
cp c events
said "simulated time" replay events -p two.xml
"$ORRERY" replay whole -p two.xml 2>&1 | grep -q 'has no manifest' && bad "a manifest that is there"

# --- a trace of another tool that was cut ---
# Of two tasks of Paraver's one has MPI_Finalize: the other's records were cut.
prv()
{
	printf '%s\n' '#Paraver (01/01/2026 at 00:00):9000_ns:1(2):1:2(1:1,1:1),1' 'c:1:1:2:1:2'
	for task in 1 2; do
		printf "2:1:1:$task:1:%s\n" 0:50000003:31 1000:50000003:0
	done
	for task in "$@"; do
		printf "2:1:1:$task:1:%s\n" 5000:50000003:32 6000:50000003:0
	done
}
prv 1 >cut.prv
prv 1 2 >whole.prv
said "the trace is partial: the record of 1 of 2 ranks ends before the program did (rank 1)" \
	replay cut.prv -p two.xml
said "complete   no: the program ended before MPI_Finalize" info cut.prv
said "complete   yes" info whole.prv
"$ORRERY" replay whole.prv -p two.xml 2>&1 | grep -q 'is partial' && bad "a whole trace"

# --- what SimGrid's own tracer writes ---
# Communicators are not in its traces: their collectives are of unlike calls.
printf '%s\n' '0 init' '1 init' '2 init' '0 allreduce 1 1 0' '1 allreduce 1 1 0' '0 barrier' \
	'1 barrier' '2 barrier' >rows
"$ORRERY" platform generate flat 4 -o flat.xml
"$ORRERY" replay -q rows -p flat.xml >out 2>err
[[ $? == 1 ]] && grep -q "MPI_Barrier as collective 1 .*\. SimGrid's traces do not say which" err ||
	bad "communicators: $(cat err)"
sed '1i # orrery-trace 1 ranks=3' rows >ours
"$ORRERY" replay -q ours -p flat.xml >out 2>err
grep -q "calls MPI_Barrier as collective 1" err && ! grep -q "SimGrid" err ||
	bad "communicators of ours: $(cat err)"
# Nor is what a persistent request is: its replayer does not know this action either.
printf '%s\n' '0 init' '1 init' '0 Start 1 0 10 1' '1 recv 0 0 10 1' >persistent
refused "persistent:3:3: expected an action that SimGrid replays (its tracer writes of MPI_Start" \
	replay persistent -p two.xml
# Its reduce_scatter has a number for each element: 400,000 that mean nothing are passed over in no
# time (each was looked for from the beginning of the line: minutes).
{ printf '%s\n' '0 init' '1 init' && for r in 0 1; do
	printf '%s' "$r reducescatter 4 4 5 1 "
	yes 0 | head -n 400000 | tr '\n' ' '
	echo
done; } >long
said "simulated time" replay long -p two.xml

# --- one rank ---
"$ORRERY" export run.rec -q -f csv --ranks 1-1 -o range && "$ORRERY" export run.rec -q -f csv \
	--ranks 1 -o one && cmp range one || bad "--ranks 1"
refused "--ranks 2: the run has ranks 0 to 1" export run.rec --ranks 2 -o x
refused "--ranks wants FIRST-LAST" export run.rec --ranks 1x -o x

# --- a factor beyond all machines ---
for change in speed=1e-300x bandwidth=1e300x latency=0x; do
	refused "--what-if $change: expected a factor such as 2x (1e-30x to 1e30x)" \
		replay two.trace -p two.xml --what-if $change
done

# --- a kind of calibration ---
refused "calibrate: 'netwrok' is none of" calibrate netwrok -- mpirun -np 2
refused "did you mean network?" calibrate netwrok -- mpirun -np 2
refused "did you mean noise?" calibrate niose --time 1
refused "calibrate memory: 'cpu' is one word too many" calibrate memory cpu

# --- a program is given by its path ---
printf '#!/bin/sh\n' >a_program && chmod +x a_program
for verb in "run -p two.xml" "trace -o away"; do
	[[ $verb == trace* ]] || has_live || continue
	refused "there is no such command in PATH; the file in this folder is ./a_program" \
		$verb -- a_program
done

# --- outputs with the names of words ---
# named FILE WORDS…: the standard output, which is FILE; twice, so that it is there.
named() {
	local i
	for i in 1 2; do
		timeout 60 "$ORRERY" "${@:2}" >"$1" 2>err && [[ -s $1 ]] || bad "$*: $(cat err)"
	done
}
mkdir names && cp two.trace two.xml run.rec names && cd names || exit 2
named list platform list
named flat platform generate flat 4
named 4 platform generate flat 4
named generate platform generate flat 4
named coll coll bcast -q -j 1 -p two.xml -n 2 --bytes 8
named bcast coll bcast -q -j 1 -p two.xml -n 2 --bytes 8
named 8 coll bcast -q -j 1 -p two.xml -n 2 --bytes 8
named bcast tune -q -j 1 -p two.xml -n 2 --bytes 8 --operations bcast
named links replay two.trace -p two.xml --explain links
named node replay two.trace -p two.xml --map-by node
named 4 replay two.trace -p two.xml --runs 4
named latency=2x replay two.trace -p two.xml --what-if latency=2x
named csv export run.rec -f csv -o -
named memory calibrate memory --time 0.05 --largest 4096
for i in 1 2; do
	"$ORRERY" export run.rec -q -f csv -o csv || bad "export -f csv -o csv"
	"$ORRERY" convert two.trace -q -f merged -o merged --force || bad "-f merged -o merged"
	"$ORRERY" platform generate flat 4 -o flat || bad "generate flat -o flat"
	"$ORRERY" coll bcast -q -j 1 -p two.xml -n 2 --bytes 8 --csv bcast >out || bad "--csv bcast"
done
# What is read is not written over all the same.
cp two.xml list
refused "is what is read as list" platform show list --svg list
refused "is what is read as two.trace" replay two.trace -p two.xml --csv two.trace
cd ..

# --- MPI's names ---
for name in allreduce MPI_Allreduce mpi_allreduce Allreduce; do
	"$ORRERY" coll $name -q -j 1 -p two.xml -n 2 --bytes 8 >"$name" 2>&1
	cmp "$name" allreduce || bad "coll $name"
	"$ORRERY" tune -q -j 1 -p two.xml -n 2 --bytes 8 --operations $name -o "$name.rules" 2>err
	cmp "$name.rules" allreduce.rules || bad "tune $name: $(cat err)"
done
refused 'there is no operation "MPI_Recv"' coll MPI_Recv -p two.xml

# --- help on a setting ---
"$ORRERY" help settings >all
for name in network/TCP-gamma network/TCP_gamma; do
	"$ORRERY" help $name >one || bad "help $name"
	[[ $(head -n 1 one) == "  network/TCP-gamma" ]] && grep -q 'default: 4194304 bytes' one &&
		[[ $(grep -c '^  [^ ]' one) == 1 ]] || bad "help $name: $(cat one)"
done
for name in memory memory/; do
	"$ORRERY" help $name >one || bad "help $name"
	diff <(grep '^  memory/' all) <(grep '^  [^ ]' one) || bad "help $name"
done
for name in nothing memo memory/none /; do
	refused "no help on '$name'" help "$name"
done
refused "no help on 'replya': did you mean replay? There is help on each verb" help replya
refused "no help on 'smpi/oss': did you mean smpi/os?" help smpi/oss

# --- what is printed ---
# Nothing has no sign, and no line ends in a blank.
for i in {1..30}; do
	for r in 0 1; do
		printf "$r %s\n" "compute 123457" "irecv $((1 - r)) $i 1000 6" \
			"isend $((1 - r)) $i 1000 6" "waitall 2"
	done
done >turns
"$ORRERY" replay -q turns -p two.xml -o a.rec >out
"$ORRERY" replay -q turns -p two.xml -o b.rec --what-if latency=1.37x >out
for pair in "a.rec b.rec" "b.rec a.rec"; do
	"$ORRERY" diff $pair >out || bad "diff $pair"
	grep -q '^computation .* +0\.000000$' out || bad "the same computations: $(cat out)"
	grep -q -- '-0\.000000' out && bad "a sign before nothing: $(cat out)"
done
for what in critical-path links rank:0 rank:1 message:1; do
	"$ORRERY" replay -q two.trace -p two.xml --explain $what | grep ' $' &&
		bad "a blank at the end of a line: $what"
done
exit $failed
