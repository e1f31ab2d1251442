#!/bin/bash
# No text is accepted in part: what a number, a name or a line begins with is all of it, in every
# option, setting and file. Zero bytes hide nothing.
. "$SRC/tests/need.bash"
scratch
cp "$SRC/tests/golden/cases/two.trace" "$SRC/tests/golden/cases/two.xml" . || exit 2
long=$(printf '%0512d' 2)  # 512 digits, of which one counts
long1=$(printf '%0511d' 2) # the most that a number may have

# refused WHAT COMMAND…: exit code 2, with a message
refused() {
	local what=$1
	shift
	timeout 20 "$ORRERY" "$@" >out 2>err </dev/null
	[[ $? == 2 && -s err ]] || { echo "$what is accepted: ${*:0:200}"; head -c 300 err;
		failed=1; }
}
accepted() {
	local what=$1
	shift
	timeout 20 "$ORRERY" "$@" >out 2>err </dev/null ||
		{ echo "$what is refused: $(head -c 300 err)"; failed=1; }
}
replay=(replay -q two.trace -p two.xml)
# The ranks of --wrap are looked at where ranks can be simulated.
wraps() {
	"$ORRERY" run -q -np 1 -p two.xml -- true 2>&1 | grep -q "was not built" && return
	refused "$@"
}

# --- options ---
for option in --platform --map-by --ppn --what-if --hostfile --np --model --selector --cfg \
	--computation --cpu-ratio --rates --on \
	--on-computation --rate --csv --runs --seed --record --explain; do
	refused "an empty $option" "${replay[@]}" "$option" ""
done
for number in 0.9 2x 0x2 " 2" "2 " 1e400 nan "$long"; do
	refused "--ppn" "${replay[@]}" --ppn "$number"
	refused "--runs" "${replay[@]}" --runs "$number"
	refused "sizes of messages" coll bcast -p two.xml -n 2 --bytes "$number" -q
	refused "a shape" platform generate flat "$number"
	refused "a shape's last number" platform generate torus "2x$number"
	wraps "ranks that --wrap names" run -q -p two.xml -n 2 --wrap "$number:true" -- true
	wraps "the first of ranks that --wrap names" run -q -p two.xml -n 2 --wrap \
		"0,$number-3:true" -- true
done
for number in +2 -2; do
	refused "sizes of messages" coll bcast -p two.xml -n 2 --bytes "$number" -q
	refused "a shape" platform generate flat "$number"
	wraps "ranks that --wrap names" run -q -p two.xml -n 2 --wrap "0-$number:true" -- true
done
accepted "a number of 511 digits" coll bcast -p two.xml -n "$long1" --bytes 8 -q -j 1
refused "a range with blanks" coll bcast -p two.xml -n 2 --bytes "8.. 16" -q

# --- settings, of models in use and of others ---
while read -r name texts; do
	for text in $texts; do
		refused "setting $name" "${replay[@]}" --cfg "$name:$text"
	done
done <<'END'
network/weight-S 1junk 0x1 1B2
network/latency-factor 0:1;junk 1;;2 0:1:2:3x
psins/busses 0.9 2x -1
psins/in-links 1.5
psins/out-links 1.5
psins/curves allreduce:8 allreduce:8:1e6:x allreduces:8:1e6 allreduce:8:1e6:4:1e6 junk
psins/curve-fit line
psins/collectives bcast:log2 junk:log bcast
dimemas/collectives bcast:LOG:MAX:0 bcast:LOG:MAX:0:MIN:x bcast:LOGS:MAX:0:MIN junk
dimemas/duplex both
dimemas/local-buses 0.9
dimemas/local-in-links 0.9
dimemas/local-out-links 0.9
smpi/IB-penalty-factors 0.9;0.8 0.9;0.8;1.3;1 0.9;0.8;x 0.9;-1;1
loggps/S 1junk
storage/aggregators 1.5
memory/sockets 1.5
virtual-hosts/processors 1.5
noise/seed 1.5
noise/detours 10 10:1e-3:0.5;junk 10:1e-3:0.5:7
noise/periodic 4e-3 4e-3:1e-6;x
noise/sleep 6e-5 6e-5:0.5:1
END

# --- files ---
refused "garbage after the ranks of a first line" replay -q -p two.xml \
	<(printf '# orrery-trace 1 ranks=2 junk\n0 init\n1 init\n')
for head in 'ranks=abc' 'ranks=2x' 'ranks=0.9' 'ranks=' "ranks=$long" 'ranks=2 ranks=3'; do
	{ echo "# orrery-trace 1 $head"; cat two.trace; } >t
	refused "first line '${head:0:20}'" replay -q t -p two.xml
done
for line in '0 send 1 7 0.9 6' '0 send 1 0.9 5 6' '0 bcast 0.9 0 6' '0 compute 5x' \
	'0 compute 5 junk' '0 compute 0x5' \
	"0 send 1 7 $long 6" "0 compute $long" "$long compute 5"; do
	{ echo "# orrery-trace 1 ranks=2"; sed '2q' two.trace; echo "$line"; } >t
	refused "line '${line:0:30}'" replay -q t -p two.xml
done
for line in 'a:0.9' 'a junk' 'a:2 junk' 'a slots=0.9' 'a slots=2x' 'a:-1' "a:$long" \
	'a slots=2 max_slots=x'; do
	echo "$line" >hosts
	refused "hostfile '${line:0:30}'" replay -q two.trace -p two.xml --oversubscribe \
		--hostfile hosts
done
echo '# orrery-rates 1' >rates
echo 'speed 1e9' >>rates
accepted "rates" replay -q two.trace -p two.xml --rates rates
for line in 'speed 1e9x' 'speed 1e9 junk' 'junk'; do
	{ head -1 rates; echo "$line"; } >t
	refused "rates '$line'" replay -q two.trace -p two.xml --rates t
done
"$ORRERY" tune -q -p two.xml -n 2 --bytes 8 --operations bcast -f ompi -j 1 -o rules || exit 2
cp "$SRC/tests/fuzz/corpus/coll_rules/mpich" rules.mpich || exit 2
for file in rules rules.mpich; do
	accepted "$file" "${replay[@]}" --selector "file:$file"
	{ cat "$file"; printf '\0junk\n'; } >t
	refused "$file and what a zero byte hides" "${replay[@]}" --selector file:./t
done
printf 'network/weight-S:1\0junk' >t
refused "a setting and what a zero byte hides" "${replay[@]}" --cfg @t
printf 'network/weight-S:1\0junk\nsmpi/os:0:0:0\n' >t
refused "a setting and what a zero byte hides" "${replay[@]}" --cfg @t
for text in 'a\nb\0junk\n' 'a\nb\0junk'; do
	printf "$text" >t
	refused "a host and what a zero byte hides" "${replay[@]}" --hostfile t
done
{ cat rates; printf '\0junk\n'; } >t
refused "rates and what a zero byte hides" "${replay[@]}" --rates t
"$ORRERY" convert -q two.trace -o d || exit 2
printf 'd/rank-0.tit\nd/rank-1.tit\0junk\n' >t
refused "a list of files and what a zero byte hides" replay -q t -p two.xml
sed '2s/$/\x00junk/' d/manifest >t
cp t d/manifest
refused "a manifest and what a zero byte hides" replay -q d -p two.xml
sed '4s/$/\x00junk/' two.trace >t
refused "a line and what a zero byte hides" replay -q t -p two.xml
sed 's/<zone id="z"/<zone id="z\x00"/' two.xml >t.xml
refused "a machine with a zero byte" replay -q two.trace -p t.xml
exit $failed
