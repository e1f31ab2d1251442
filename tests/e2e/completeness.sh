#!/bin/bash
# The count of events that the tracer and convert write is verified by every reader: a trace that
# says that it is complete, and of which a rank's file was cut, lengthened or exchanged, is used by
# no verb; one that says that it is partial is used up to there, and that is told. The same for the
# merged form and the compressed one, which is cut anywhere. What is partial stays so in every form.
. "$SRC/tests/need.bash"
scratch
cp "$SRC/tests/golden/cases/two.xml" . || exit 2
{
	echo '# orrery-trace 1 ranks=2'
	for r in 0 1; do
		printf "$r %s\n" init
		for ((k = 0; k < 60; k++)); do
			printf "$r %s\n" "compute $((1000 + k * 7 % 13)) t=1e-3" 'barrier t=1e-6'
		done
		printf "$r %s\n" finalize
	done
} >plain
"$ORRERY" convert -q plain -o whole || exit 2
for r in 0 1; do
	[[ $(tail -1 whole/rank-$r.tit) == '# end 122' ]] || bad "convert writes no count: rank $r"
	sed -i -e '2a # ranks 2' -e '2a # host h' whole/rank-$r.tit # as the tracer does
done
"$ORRERY" convert -q whole -f merged -o flat || exit 2
"$ORRERY" convert -q whole -f compressed -o packed || exit 2
"$ORRERY" replay -q whole -p two.xml --record whole.rec >out || exit 2

verbs() { # each reads the trace @
	cat <<'END'
replay -q @ -p two.xml
replay -q @ -p two.xml --runs 2 --cfg noise/detours:10:1ms:0.5
info @
info @ --json
convert -q @ -o new --force
convert -q @ -f merged -o new --force
convert -q @ -f compressed -o new --force
convert -q @ -f simgrid -o new --force
convert -q @ -f otf2 -o new --force
convert -q @ -f goal -o new --force
convert -q @ -f dimemas -o new --force
diff @ whole
diff whole @
diff whole.rec @
calibrate cpu @
calibrate cpu whole --volumes @
END
}
asked=0
# refuses WHAT TRACE: every verb, with exit code 2 and a message; nothing is written.
refuses() {
	local words code
	while read -r words; do
		asked=$((asked + 1))
		rm -rf new new_files
		timeout 20 "$ORRERY" ${words//@/$2} >out 2>err </dev/null
		code=$?
		grep -qE 'built without|when orrery was built' err && continue
		# diff has found a difference
		[[ $code == 1 && $words == diff* && $1 == *taken* ]] && continue
		[[ $code == 2 ]] || bad "$1: exit code $code: $words: $(head -c 300 err)"
		lost='was cut|was damaged|is damaged|is lost|do not belong together'
		lost+='|expected an action'
		grep -qE "$lost" err || bad "$1: $words: $(head -c 300 err)"
		[[ ! -e new ]] || bad "$1: written all the same: $words"
	done < <(verbs)
}
# What is whole is used by all; else nothing below says anything.
while read -r words; do
	rm -rf new new_files
	timeout 20 "$ORRERY" ${words//@/whole} >out 2>err </dev/null ||
		grep -qE 'built without|when orrery was built' err ||
		bad "whole: $words: $(head -c 300 err)"
done < <(verbs)

for lines in 30 91 122; do # before the end, in the middle of rounds: after a barrier
	rm -rf cut && cp -r whole cut
	head -$lines whole/rank-1.tit >cut/rank-1.tit
	refuses "cut after line $lines" cut
done
rm -rf cut && cp -r whole cut
head -c -30 whole/rank-0.tit >cut/rank-0.tit
refuses "cut in a line" cut
rm -rf cut && cp -r whole cut
sed -i '40,41d' cut/rank-0.tit
refuses "two events taken out" cut
rm -rf cut && cp -r whole cut
sed -i 's/^# run .*/# run 1234567890abcdef/' cut/rank-1.tit
refuses "a file of another run" cut
size=$(stat -c %s packed)
for part in 2 3 5; do
	head -c $((size * (part - 1) / part)) packed >cut.packed
	refuses "the compressed form, cut" cut.packed
done
# The merged form: its lines are those of rank 0, then of rank 1.
for lines in 30 124 246; do
	head -$lines flat >cut.flat
	refuses "the merged form, cut after line $lines" cut.flat
done
head -c -30 flat >cut.flat
refuses "the merged form, cut in a line" cut.flat
sed '40,41d' flat >cut.flat
refuses "the merged form, two events taken out" cut.flat
gzip -c flat >whole.gz && zcat whole.gz | head -200 | gzip >cut.gz
"$ORRERY" replay -q whole.gz -p two.xml >out 2>err || bad "gzip: $(cat err)"
refuses "the merged form, cut and packed" cut.gz
# The tracer's files one after the other in one: nobody says that they are all of it.
cat whole/rank-?.tit >together
"$ORRERY" replay together -p two.xml >out 2>err || bad "together: $(cat err)"
grep -q 'is partial' err && bad "together: $(cat err)"
head -91 whole/rank-1.tit | cat whole/rank-0.tit - >together
"$ORRERY" replay together -p two.xml >out 2>err || bad "together, cut: $(cat err)"
grep -q 'the trace is partial: the record of 1 of 2 ranks' err || bad "together, cut: $(cat err)"
# One text file says of a traced program what its folder says.
cp -r whole traced
sed -i -e 's/^mpi: .*/mpi: Open MPI v4.1.4/; s/^counter: .*/counter: cputime/' traced/manifest
grep -q '^mpi: Open' traced/manifest || echo 'mpi: Open MPI v4.1.4' >>traced/manifest
grep -q '^counter: cputime' traced/manifest || echo 'counter: cputime' >>traced/manifest
"$ORRERY" convert traced -f merged -o traced.flat >out 2>err || bad "merged: $(cat err)"
for t in traced traced.flat; do
	"$ORRERY" replay $t -p two.xml >$t.out 2>$t.err || bad "$t: $(cat $t.err)"
	grep -q "as the trace's Open MPI v4.1.4" $t.out || bad "$t, its library: $(cat $t.out)"
	grep -q 'computation takes as long as where it was traced' $t.err ||
		bad "$t, its volumes are times: $(cat $t.err)"
done
[[ $(grep simulated traced.out) == "$(grep simulated traced.flat.out)" ]] ||
	bad "$(grep simulated traced.out) became $(grep simulated traced.flat.out)"
"$ORRERY" convert traced.flat -o traced.back || bad "back to text"
cmp -s <(grep -v nominal_rate traced/manifest | sort) \
	<(grep -v nominal_rate traced.back/manifest | sort) ||
	bad "the manifest: $(diff traced/manifest traced.back/manifest)"
# Remarks of somebody's own are no counts.
for remark in '# run of Tuesday' '# run' '# end' '# end of it all' '# run nightly' \
	'# end 3 of them'; do
	sed "2i $remark" plain >remarks
	"$ORRERY" replay remarks -p two.xml >out 2>err || bad "$remark: $(cat err)"
	grep -q 'is partial' err && bad "$remark: $(cat err)"
done
# Said to be partial: used up to there, and told.
rm -rf cut && cp -r whole cut
head -91 whole/rank-1.tit >cut/rank-1.tit
sed -i 's/^complete: .*/complete: no/' cut/manifest
"$ORRERY" replay cut -p two.xml >out 2>err || bad "partial: $(cat err)"
grep -q 'partial: the record of 1 of 2 ranks ends before the program did (rank 1)' err ||
	bad "partial, and not told: $(cat err)"
# What its end leaves undone is no fault of the program's; of a whole trace it is told.
for partial in '' '# partial 1'; do
	printf '%s\n' '# orrery-trace 1 ranks=2' ${partial:+"$partial"} '0 compute 1e6' \
		'0 send 1 7 1000 6' '0 irecv 1 8 1000 6 req=0' '0 wait req=0' \
		'0 irecv 1 9 1000 6' '1 compute 1e6' '1 isend 0 8 1000 6 req=0' \
		'1 send 0 9 1000 6' '# end 8' >left
	"$ORRERY" replay left -p two.xml >out 2>err || bad "left undone: $(cat err)"
	told=$(grep -cE 'never (received|waited for)' err)
	[[ $told == $([[ $partial ]] && echo 0 || echo 2) ]] || bad "left undone: $(cat err)"
	said=$([[ $partial ]] && echo 'in what was recorded' || echo 'by the program')
	grep -q "^orrery: 1 request was not completed $said" err || bad "left: $(cat err)"
done
# What a rank waits in for what was not recorded is told (1e9 and 5e9 at 1e9 a second); of a rank
# that has ended nothing is. Rank 0 waits for 4 of 10 s. The page says that there is more to come.
printf '%s\n' '# orrery-trace 1 ranks=2' '# partial 1' '0 compute 1e9' '0 recv 1 7 8 6' \
	'1 compute 5e9' '# end 3' >stuck
in='MPI_Recv since 1 s, event 2, stuck:4 (recv): waits for a message from rank 1, tag 7; the record'
"$ORRERY" replay -q stuck -p two.xml --explain rank:0 >out 2>err || bad "stuck: $(cat err)"
grep -qF "then, up to the end of what was recorded: $in of rank 1 has ended" out ||
	bad "stuck: not told: $(cat out)"
"$ORRERY" replay -q stuck -p two.xml --explain rank:0 --json >out 2>err
grep -qF "\"unfinished\":\"$in" out || bad "stuck: JSON: $(cat out)"
"$ORRERY" replay -q stuck -p two.xml --record stuck.rec >out && "$ORRERY" export stuck.rec \
	-o stuck.html
grep -q 'computation 60.0 %.*waiting 40.0 %' out || bad "stuck: no waiting: $(cat out)"
grep -q 'of what was recorded: the whole program takes longer' stuck.html ||
	bad "stuck: the page does not say that it is partial"
"$ORRERY" export stuck.rec -f csv -o stuck.csv
grep -q '^0,MPI_Recv,1,5,,0,4,0$' stuck.csv || bad "stuck: recorded as: $(cat stuck.csv)"
"$ORRERY" replay -q stuck -p two.xml --explain rank:1 >out 2>err
grep -q 'then, up to' out && bad "not stuck: $(cat out)"
# Its time is a lower bound, which each form of a prediction says; one of a whole trace does not.
lower='of what was recorded: the whole program takes longer'
grep -q "^trust: .*in all about -[0-9]* to +[0-9]* % $lower" out ||
	bad "partial, no lower bound: $(cat out)"
"$ORRERY" replay -q cut -p two.xml --record cut.rec >out && "$ORRERY" export cut.rec -o cut.html &&
	grep -q "$lower" cut.html || bad "partial: the page does not say it"
"$ORRERY" replay -q cut -p two.xml --runs 2 >out 2>err
grep -q "^trust: .*$lower" out || bad "partial, no lower bound of runs: $(cat out err)"
"$ORRERY" replay -q cut -p two.xml -p two.xml >out
grep -q '^trust: of what was recorded only: the whole program takes longer' out ||
	bad "partial, no lower bound in a table: $(cat out)"
for trace in cut:true whole:false; do
	"$ORRERY" replay -q ${trace%:*} -p two.xml --json >out
	grep -q "\"lower_bound\": *${trace#*:}" out || bad "partial: JSON of $trace: $(cat out)"
	"$ORRERY" replay -q ${trace%:*} -p two.xml --json --runs 2 >out
	grep -q "\"lower_bound\": *${trace#*:}" out || bad "partial: JSON of runs of $trace"
done
"$ORRERY" replay -q whole -p two.xml -p two.xml >out
grep -q trust out && bad "whole, with a line of what is partial: $(cat out)"
"$ORRERY" info cut >out 2>err || bad "partial: info: $(cat err)"
grep -qE '^complete +no' out || bad "partial: info does not say it: $(cat out)"
# Nothing that takes time is recorded: no prediction of 0 s, but a program that failed, as a
# running one that calls MPI_Abort at once. With something before that it is a lower bound.
rm -rf first && mkdir first
for r in 0 1; do
	printf '%s\n' '# orrery-trace 1' '# run 8f7d4abdf34820ec' "$r init" >first/rank-$r.tit
done
"$ORRERY" replay -q first -p two.xml >out 2>err
[[ $? == 1 ]] && grep -q 'nothing to predict: the record ends before the program did' err ||
	bad "nothing recorded: $(cat out err)"
grep -q 'simulated time' out && bad "nothing recorded, and a time: $(cat out)"
echo '1 sleep 2' >>first/rank-1.tit
"$ORRERY" replay -q first -p two.xml >out 2>err && grep -q '^simulated time: 2' out ||
	bad "a sleep recorded: $(cat out err)"
# Where all wait for what was not recorded, the time is that up to there: sleeps of 2 s and 3 s,
# then two receives of messages that nobody is known to send.
for r in 0 1; do
	printf '%s\n' '# orrery-trace 1' '# run 8f7d4abdf34820ec' "$r init" \
		"$r sleep $((r + 2))" "$r recv $((1 - r)) 0 8 0" >first/rank-$r.tit
done
"$ORRERY" replay first -p two.xml --explain critical-path >out 2>err &&
	grep -q '^simulated time: 3.000000000 s' out &&
	grep -q '^critical path: 3.000000000 s' out &&
	grep -q 'from 3 s on others wait for what was not recorded' err ||
	bad "all wait for what was not recorded: $(cat out err)"
rm -rf first
# It stays partial, whatever it becomes, and says which rank it is.
partial='the trace is partial: the record of 1 of 2 ranks ends before the program did (rank 1)'
mv cut short
for form in folder merged compressed; do
	"$ORRERY" convert short -f $form -o short.$form >out 2>err ||
		bad "partial to $form: $(cat err)"
	grep -q "$partial" err || bad "partial to $form: not told: $(cat err)"
	"$ORRERY" replay short.$form -p two.xml >out 2>err || bad "partial in $form: $(cat err)"
	grep -qF "$partial" err || bad "partial in $form: not told: $(cat err)"
	grep -q 'is incomplete' err && bad "partial in $form: told twice: $(cat err)"
	"$ORRERY" convert -q short.$form -o back --force || bad "partial back from $form"
	[[ $form == compressed ]] || diff -r short.folder back || bad "partial back from $form"
	grep -q '^complete: no' back/manifest || bad "partial back from $form: complete"
done
# A manifest that says of how many ranks files are missing takes no memory for each.
cp -r short many && sed -i 's/^ranks: .*/ranks: 2000000000/' many/manifest
timeout 20 "$ORRERY" info many >out 2>err
[[ $? == 2 ]] && grep -q 'are not taken for a partial trace' err ||
	bad "two thousand million ranks: $(cat err)"
rm short/manifest # nor if nobody says anything
"$ORRERY" convert -q short -f compressed -o unsaid || bad "partial without manifest: not converted"
"$ORRERY" replay unsaid -p two.xml >out 2>err
grep -q 'the trace is partial' err || bad "partial without manifest: not told: $(cat err)"
# gather looks at what is there.
rm -rf cut && cp -r whole cut && rm cut/manifest
head -91 whole/rank-1.tit >cut/rank-1.tit
"$ORRERY" gather cut -o new --force --orrery "'$ORRERY'" >out 2>err
grep -qE 'no end of rank 1|incomplete' err || bad "gather: not told: $(cat out err)"
((asked > 100)) || bad "$asked questions"
exit $failed
