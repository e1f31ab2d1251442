#!/bin/bash
# goal_graph.sh: a GOAL schedule is simulated as the graph that it is, in the LogGOPS model and with
# messages that share links; text and binary the same; with profile, recording, critical path,
# links, changed machines. What a graph cannot be simulated for goes as a sequence, and says so.
. tests/need.bash
cd "$SRC" || exit 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
bad() { echo "$*"; failed=1; }

cat >"$work/p.xml" <<'XML'
<platform version="4.1">
<cluster id="c" prefix="h" suffix="" radical="0-15" speed="1Gf" bw="1GBps" lat="1us"/></platform>
XML
cat >"$work/s.goal" <<'GOAL'
num_ranks 2
rank 0 {
a: calc 3000
b: calc 5000 cpu 1
s: send 101b to 1 cpu 1
s requires b
}
rank 1 {
r: recv 101b from 0 cpu 1
}
GOAL
model=loggps:L=2us,o=1us,g=4us,G=10ns
replay() { "$ORRERY" replay -p "$work/p.xml" --model "$model" "$@" 2>&1; }
# expect WHAT WANTED ARGUMENTS…: the output has all lines of WANTED, as parts
expect() {
	local what=$1 wanted=$2 got line
	shift 2
	got=$(replay "$@")
	while IFS= read -r line; do
		[[ $got == *"$line"* ]] || { bad "$what: no \"$line\" in:"; echo "$got"; return; }
	done <<<"$wanted"
}

# 5 us on the second processor, then 1 + 2 + 1 + 1 (o, L, o, 100 G); as a sequence the first one's
# 3 us come before. Of 2 ranks' 20 us rank 0 computes 5, sends for 1 and is at its end; rank 1 waits
# for 5, for the message another 3, and takes it in for 2.
expect "graph" $'simulated as a graph
computation 25.0 %, point-to-point 30.0 %, waiting 25.0 %, idle at the end 20.0 %
4 actions, 1 message\nsimulated time: 0.000010000 s' "$work/s.goal"
expect "sequence" $'on several processors (cpu) at a time: their computations are put one after
as --explain of a rank or a message is for MPI calls, the schedule is simulated as a sequence
simulated time: 0.000013000 s' --explain rank:0 "$work/s.goal"
expect "profile" $'computation 25.0 %, point-to-point 30.0 %, waiting 25.0 %, idle at the end 20.0 %
simulated time: 0.000010000 s' --profile "$work/s.goal"
expect "path" $'0.000010000 s, up to the end of rank 1 on h1, through 1 message;
5 us  50.0 %  computation (a rank computes for 2.5 us in the mean)\n2 us  20.0 %  latency
2 us  20.0 %  overheads\n1 us  10.0 %  messages that move
6 us  60.0 %  rank 0 on h0\n2 us  20.0 %  rank 1 on h1' --explain critical-path "$work/s.goal"
# What decides the time is the path, whether or not somebody asks for it: 5 of 10 us are computed on
# it; of the sequence's, 8 of 13 us.
expect "path" "way of 50 % of the time); network: " "$work/s.goal"
expect "path, asked for" "way of 50 % of the time); network: " --explain critical-path \
	"$work/s.goal"
expect "path of runs" "way of 50 % of the time); network: " --runs 3 "$work/s.goal"
expect "path of the sequence" "way of 62 % of the time); network: " --explain rank:0 "$work/s.goal"
gzip -k "$work/s.goal"
expect "gzip" "simulated time: 0.000010000 s" -q "$work/s.goal.gz"
expect "JSON" $'"simulated_time":1e-05\n"profile":null\n"messages":1' --json "$work/s.goal"
expect "a faster processor" "simulated time: 0.000007500 s" --cpu-ratio 2 "$work/s.goal"
expect "a setting of MPI" $'setting smpi/init is for MPI calls\nsimulated time: 0.000014000 s' \
	--cfg smpi/init:1e-6 "$work/s.goal"
expect "what if" "simulated time: 0.000007500 s" --what-if speed=2x "$work/s.goal"
[[ $(replay --what-if host:h0.speed=2x "$work/s.goal") != *"changes nothing"* ]] ||
	bad "what if: a host that computes"
expect "what if, a host" "changes nothing: nothing computes at the speed of this host" \
	--what-if host:h9.speed=2x "$work/s.goal"
expect "more ranks than cores" "one after" --hostfile <(echo h0; echo h0) --oversubscribe \
	"$work/s.goal"

# A schedule of one processor: the sequence says the same, and its binary form.
printf '%s\n' "num_ranks 2" "rank 0 {" "a: calc 700" "s: send 2001b to 1 tag 4" "s requires a" \
	"t: send 5b to 1" "t requires s" "}" "rank 1 {" "r: recv 2001b from 0 tag -1" \
	"q: recv 5b from 0" "q requires r" "}" >"$work/o.goal"
"$ORRERY" convert "$work/o.goal" -f goal-binary -o "$work/o.bin" 2>"$work/err" ||
	bad "convert: $(<"$work/err")"
for file in o.goal o.bin; do
	graph=$(replay -q "$work/$file") sequence=$(replay -q --explain rank:0 "$work/$file")
	[[ $graph == *"as a graph"* && $sequence == *"collectives:"* ]] || bad "$file: roads"
	[[ ${graph##*simulated time:} == "${sequence##*simulated time:}" ]] ||
		bad "$file: graph: $graph, sequence: $sequence"
done

# With flows (CM02): a message of 1,000,000 and 16 bytes over two links of 1 GB/s and 1 us arrives
# at 1.002016 ms, whatever the first processor does; rank 1 computes 4 ms then. As a sequence rank 0
# ends its 5 ms before it looks for the message's end and computes 2 ms more.
printf '%s\n' "num_ranks 2" "rank 0 {" "a: calc 5000000" "s: send 1000000b to 1 cpu 1" \
	"b: calc 2000000 cpu 1" "b requires s" "}" "rank 1 {" "r: recv 1000000b from 0" \
	"c: calc 4000000" "c requires r" "}" >"$work/f.goal"
model=CM02
expect "flows" $'simulated as a graph\ncomputation 90.0 %, point-to-point 10.0 %,
simulated time: 0.005002016 s' "$work/f.goal"
expect "flows, sequence" $'put one after the other\nsimulated time: 0.007000000 s' \
	--explain message:1 "$work/f.goal"
# Rank 0 computes on one of its processors up to 5 ms and is idle for 2.016 us, rank 1 gets the
# message and computes.
expect "flows, profile" $'computation 90.0 %, point-to-point 10.0 %,
MPI_Isend              1    0.0 %            0            0            0
0.0 %       1 MB\nsimulated time: 0.005002016 s' --profile "$work/f.goal"
expect "flows, path" $'0.005002016 s, up to the end of rank 1 on h1, through 1 message;
4 ms  80.0 %  computation (a rank computes for 4.5 ms in the mean)
1 ms  20.0 %  messages that move, as fast as alone\n2 us   0.0 %  latency
0.001002016 s          4 ms  rank 1: computation
0.000000000 s      1.002 ms  message:1, rank 0 to rank 1' --explain critical-path "$work/f.goal"
expect "flows, links" $'1 MB  20.0 %\nsimulated time: 0.005002016 s' --explain links "$work/f.goal"
expect "half the bandwidth" "simulated time: 0.006002032 s" --what-if bandwidth=0.5x \
	"$work/f.goal"
replay --record "$work/f.rec" --csv "$work/f.csv" "$work/f.goal" >/dev/null
grep -q '^1,MPI_Wait,p2p,1,0.001002016,0,' "$work/f.csv" || bad "table: $(<"$work/f.csv")"
"$ORRERY" export "$work/f.rec" -f csv -o "$work/f.rec.csv" >/dev/null 2>&1 ||
	bad "the recording is not exported"
grep -q '^1,computation,0.001002016,0.005002016,' "$work/f.rec.csv" ||
	bad "recorded: $(<"$work/f.rec.csv")"
sed 's/ cpu 1//' "$work/f.goal" >"$work/f1.goal"
expect "one processor" $'simulated as a graph\nsimulated time: 0.007000000 s' "$work/f1.goal"
# Two chains of one processor: what comes first goes first, 1 ms of a message of 1,000 bytes, then
# that of 1,000,000 and 2 ms. A sequence waits for the messages in the order of the file.
printf '%s\n' "num_ranks 2" "rank 0 {" "s: send 1000000b to 1 tag 1" "t: send 1000b to 1 tag 2" \
	"}" "rank 1 {" "r: recv 1000000b from 0 tag 1" "b: calc 2000000" "b requires r" \
	"q: recv 1000b from 0 tag 2" "c: calc 3000000" "c requires q" "}" >"$work/two.goal"
# 1,016 bytes share the way for 2,032 of 1,001,032: at 4.032 us the small one is there.
expect "two chains" $'simulated as a graph\nsimulated time: 0.005004032 s' "$work/two.goal"
expect "two chains, sequence" $'simulated as a sequence\nsimulated time: 0.006003032 s' \
	--explain rank:1 "$work/two.goal"
# Posting takes 1 us of the sender's processor, taking in 2 us of the receiver's, before 4 ms.
sed -i 's/1000000b/1000b/' "$work/f.goal"
expect "overheads" "simulated time: 0.005000000 s" --cfg smpi/ois:0:1e-6:0 --cfg smpi/or:0:2e-6:0 \
	"$work/f.goal"
# Noise of a machine is drawn by --runs alone: without, it is in nobody's way.
expect "noise that is not drawn" "simulated as a graph" --cfg noise/compute:0:1:1:0.1 "$work/f.goal"
expect "noise" "as setting noise/compute is for MPI calls" --cfg noise/compute:0:1:1:0.1 \
	--cfg noise/seed:1 "$work/f.goal"
sed -i '/^[ab]/d' "$work/f.goal"
expect "overheads of a message" "simulated time: 0.004006016 s" --cfg smpi/ois:0:1e-6:0 \
	--cfg smpi/or:0:2e-6:0 "$work/f.goal"

# Between ranks of one host overheads of their own: 3 us and 5 us, not 1. Its way is up and down:
# 2 us, and 1.016 for 1,016 bytes.
printf 'h0\nh0\n' >"$work/h0"
sed '/^c/d' "$work/f.goal" >"$work/g.goal"
inside=(--hostfile "$work/h0" --oversubscribe --cfg network/crosstraffic:no
	--cfg smpi/ois:0:1e-6:0 --cfg smpi/or:0:1e-6:0 --cfg smpi/ois-local:0:3e-6:0
	--cfg smpi/or-local:0:5e-6:0)
expect "one host" $'simulated as a graph\nsimulated time: 0.000011016 s' "${inside[@]}" \
	"$work/g.goal"
expect "one host, sequence" "simulated time: 0.000011016 s" "${inside[@]}" --explain rank:0 \
	"$work/g.goal"

# Whole programs end when their sequences do, where nothing is done at a time: another processor
# computes for no time.
cc -O1 -o "$work/gen" bench/gen_trace.c || exit 1
for pattern in "lu 16 10" "cg 16 10" "alltoall 8 3"; do
	read -r name ranks steps <<<"$pattern"
	"$work/gen" "$name" "$ranks" "$steps" "$work/$name"
	"$ORRERY" convert -q "$work/$name/list" -f goal -o "$work/$name.goal"
	sed -i '0,/^rank 0 {/s//rank 0 {\nzz: calc 0 cpu 1/' "$work/$name.goal"
	for with in "hybrid" "LV08 --cfg smpi/async-small-thresh:1000" \
		"hybrid --cfg smpi/ois:0:1e-6:1e-9 --cfg smpi/or:0:2e-6:1e-10"; do
		IFS=' ' read -ra words <<<"$with"
		model=${words[0]}
		args=("${words[@]:1}" "$work/$name.goal")
		graph=$(replay "${args[@]}")
		sequence=$(replay --explain rank:0 "${args[@]}")
		[[ $graph == *"as a graph"* && ${graph##*simulated time:} == \
			"${sequence##*simulated time:}" ]] ||
			bad "$name, $with: graph: $graph, sequence: $sequence"
		[[ $(grep "^time of" <<<"$graph") == "$(replay --profile "${args[@]}" |
			grep "^time of")" ]] || bad "$name, $with: another profile"
	done
done
model=loggps:L=2us,o=1us,g=4us,G=10ns

# A mark of htsim's takes no time, and a line says so, in both forms.
printf '%s\n' "num_ranks 1" "rank 0 {" "a: calc 7000" "m: send 1b to 9999999" "m requires a" "}" \
	>"$work/m.goal"
# What txt2bin writes of it: 4223, a rank from byte 28 to its end, two operations.
marks=(m.goal)
have python3 && marks+=(m.bin) && python3 - "$work/m.bin" <<'PY'
import struct, sys
node = lambda waits, kind, peer, size, outs: struct.pack(
    "<IBIQIBBIIII", waits, kind, peer, size, 0, 0, 0, outs, 0, 0, 0)
rank = struct.pack("<III", 2, 1, 0) + node(0, 3, 0, 7000, 1) + node(1, 1, 9999999, 1, 0)
rank += struct.pack("<I", 1)
head = struct.pack("<QIH", 4223, 1, 0)
at = 14 + 16 - 8
open(sys.argv[1], "wb").write(head + struct.pack("<QQ", at, at + len(rank)) + rank)
PY
for file in "${marks[@]}"; do
	expect "$file" $'take no time\nsimulated as a graph\nsimulated time: 0.000007000 s' \
		"$work/$file"
done

# Circles, damage: as a sequence.
printf '%s\n' "num_ranks 1" "rank 0 {" "a: calc 1" "b: calc 1" "a requires b" "b requires a" "}" \
	>"$work/c.goal"
expect "circle" "operations wait for each other in a circle" "$work/c.goal"
printf '%s\n' "num_ranks 2" "rank 0 {" "s: send 9b to 1" "}" "rank 1 {" "r: recv 8b from 0" "}" \
	>"$work/t.goal"
# A receive has no limit, but what is longer is told, of both.
expect "longer" $'1 message is longer than the receive, as one of rank 0 to rank 1
simulated time: 0.000004080 s' "$work/t.goal"
expect "longer, sequence" $'takes at most 8 (a schedule\'s receives have no limit)
simulated time: 0.000004080 s' --explain rank:0 "$work/t.goal"
head -c 60 "$work/o.bin" >"$work/d.bin"
expect "damage" "rank 0" "$work/d.bin"
sed -i 's/recv 101b/recv 101x/' "$work/s.goal"
expect "a word" "s.goal:9:9: expected bytes" "$work/s.goal"
exit $failed
