#!/bin/bash
# Small questions, answered: what-if, several machines, placement in mpirun's words, a model by
# hand, units, checks that warn. Times by formula.
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
same() { [ "$2" = "$3" ] || { echo "$1: expected '$2', got '$3'"; failed=1; }; }
has() { grep -q -- "$2" "$3" || { echo "$1: no '$2' in:"; cat "$3"; failed=1; }; }
cat >"$tmp/m.xml" <<'END'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
	<config>
		<prop id="smpi/os" value="0:0.5:0"/>
		<prop id="smpi/async-small-thresh" value="2000000000"/>
		<prop id="smpi/send-is-detached-thresh" value="2000000000"/>
	</config>
	<cluster id="c" prefix="h" suffix="" radical="0-3" speed="1Gf" core="4"
		bw="1GBps" lat="0.25s"/>
</platform>
END
printf '0 compute 1e9\n0 send 1 1 1000000000 6\n1 recv 0 1 1000000000 6\n' >"$tmp/t.trace"
run() { "$ORRERY" replay "$tmp/t.trace" -p "$tmp/m.xml" --map-by node --cfg network/model:CM02 \
	--cfg network/TCP-gamma:0,network/crosstraffic:no -q "$@"; }
last() { sed -n 's/^simulated time: \(.*\) s$/\1/p' | awk '{ printf "%.3f", $1 }'; }
# a computation of 1 s, the overhead of 0.5 s, two links of 0.25 s, a GB at 1 GB/s
same "as it is" 3.000 "$(run | last)"
same "latency=2x" 3.500 "$(run --what-if latency=2x | last)"
same "bandwidth=0.5x" 4.000 "$(run --what-if bandwidth=0.5x | last)"
same "speed=2x" 2.500 "$(run --what-if speed=2x | last)"
same "os=0" 2.500 "$(run --what-if os=0 | last)"
same "os=3x" 4.000 "$(run --what-if os=3x | last)"
same "all of it" 3.000 "$(run --what-if latency=0.5x,bandwidth=0.5x,speed=2x,os=0.5x | last)"
up=$("$ORRERY" platform show "$tmp/m.xml" --route h0,h1 -q | awk 'NR == 1 { print $1 }')
same "a link's bandwidth" 6.000 "$(run --what-if "link:$up.bandwidth=250MBps" | last)"
same "a link's latency" 3.750 "$(run --what-if "link:$up.latency=1s" | last)"
same "a link's factor" 4.000 "$(run --what-if "link:$up.bandwidth=0.5x" | last)"
# one slow host: the one that computes, which is the first, too; the other one; beside all
same "the slow host" 4.000 "$(run --what-if host:h0.speed=0.5x | last)"
same "the other host" 3.000 "$(run --what-if host:h1.speed=0.5x | last)"
same "a host beside all" 2.250 "$(run --what-if speed=2x,host:h0.speed=2x | last)"
for bad in latency=2 latency=-1x speed frequency=2x link:none.bandwidth=2x "link:$up.colour=2x" \
	"link:$up.latency=5" host:none.speed=2x host:h0.speed=2Gf host:h0.cores=2x; do
	run --what-if "$bad" >/dev/null 2>&1
	same "--what-if $bad" 2 $?
done
run --what-if latency=2x -m constant >/dev/null 2>&1
same "--what-if latency under a model without links" 2 $?
# What nothing meets changes nothing, and that is said; of what is met nothing is.
away=$("$ORRERY" platform show "$tmp/m.xml" --route h2,h3 -q | awk 'NR == 1 { print $1 }')
told() { "$ORRERY" replay "$1" -p "$tmp/m.xml" --map-by node --what-if "$2" 2>&1 >/dev/null |
	sed -n 's/.*--what-if \(.*\) changes nothing: /\1: /p' | cut -d'(' -f1; }
printf '0 sleep 1\n1 sleep 1\n' >"$tmp/alone.trace"
for change in latency=2x bandwidth=2x "link:$away.latency=1s" "link:$away.bandwidth=2x"; do
	why="no message crosses a link"
	[[ $change == link:* ]] && why="no message crosses this link"
	same "nothing meets $change" "$change: $why" "$(told "$tmp/alone.trace" "$change")"
done
same "nothing computes" "speed=2x: nothing computes at the speed of a host" \
	"$(told "$tmp/alone.trace" speed=2x)"
same "nothing computes there" "host:h1.speed=2x: nothing computes at the speed of this host" \
	"$(told "$tmp/t.trace" host:h1.speed=2x)"
change=latency=2x,speed=2x,os=2x,link:$up.latency=1s,link:$away.latency=1s
same "all is met but one" "link:$away.latency=1s: no message crosses this link" \
	"$(told "$tmp/t.trace" $change)"
grep -v smpi/os "$tmp/m.xml" >"$tmp/free.xml"
"$ORRERY" replay "$tmp/t.trace" -p "$tmp/free.xml" --what-if os=2x >/dev/null 2>"$tmp/err"
has "no overheads" "what-if os=2x changes nothing: the machine has no overheads" "$tmp/err"

# A table: the second one is the first with half the computation.
sed -e 's/1Gf/2Gf/' -e 's/id="c"/id="d"/' "$tmp/m.xml" >"$tmp/n.xml"
run -p "$tmp/n.xml" >"$tmp/table"
same "two machines" "m 3.000 1.00;n 2.500 0.83;" \
	"$(awk 'NR > 1 { printf "%s %.3f %s;", $1, $2, $3 }' "$tmp/table")"
run -p "$tmp/n.xml" --json | python3 -c 'import json, sys
a = json.load(sys.stdin)
assert [round(m["simulated_time"], 6) for m in a] == [3, 2.5], a' || failed=1
run -p "$tmp/n.xml" --profile >/dev/null 2>&1
same "a profile of two machines" 2 $?

# Placement: who fills hosts is said.
mkdir "$tmp/p"
for r in 0 1 2 3 4 5; do printf '%d init\n%d finalize\n' $r $r >"$tmp/p/rank-$r.tit"; done
printf '# orrery-manifest 1\nranks: 6\nmpi: Open MPI v4.1.4\ncomplete: yes\n' >"$tmp/p/manifest"
"$ORRERY" replay "$tmp/p" -p "$tmp/m.xml" >"$tmp/out"
has "default of Open MPI" "ranks placed filling hosts, as the trace's MPI library does" "$tmp/out"
"$ORRERY" replay "$tmp/p" -p "$tmp/m.xml" --map-by node >"$tmp/out"
has "--map-by node" "ranks placed round the hosts, as asked for" "$tmp/out"
"$ORRERY" replay "$tmp/p" -p "$tmp/m.xml" --map-by moon >/dev/null 2>&1
same "--map-by moon" 2 $?
"$ORRERY" replay "$tmp/p" -p "$tmp/m.xml" --ppn 1 >/dev/null 2>&1
same "six ranks on four places" 2 $?

# The model by hand leaves the machine's factors out, and says so.
"$ORRERY" replay "$tmp/t.trace" -p graphene -m CM02 >"$tmp/out" 2>&1
has "-m CM02" "the factors of graphene, which are for the hybrid model, are left out" "$tmp/out"
# Whatever the case of its name, and in every verb that takes it: what the machine has without
# factors. Two links of 0.25 s and a GB at 1 GB/s: 1.5 s; with CM02's own factors, which are 1.
sed 's#<config>#&<prop id="network/latency-factor" value="3"/>\
	<prop id="network/bandwidth-factor" value="0.5"/>#' "$tmp/m.xml" >"$tmp/factors.xml"
printf '0 send 1 1 1000000000 6\n1 recv 0 1 1000000000 6\n' >"$tmp/one.trace"
plain="network/TCP-gamma:0,network/crosstraffic:no"
for model in CM02 cm02 Cm02; do
	"$ORRERY" replay "$tmp/one.trace" -p "$tmp/factors.xml" --map-by node -m $model \
		--cfg "$plain,smpi/os:0:0:0" >"$tmp/out" 2>&1
	same "-m $model" 1.500 "$(last <"$tmp/out")"
	has "-m $model" "model CM02 was asked for: the factors" "$tmp/out"
	"$ORRERY" coll bcast -p "$tmp/factors.xml" -n 2 --bytes 1000000 -j 1 --csv "$tmp/csv" \
		--cfg "$plain,smpi/os:0:0:0,network/model:$model" >"$tmp/out" 2>&1
	same "coll with $model" 0.501 \
		"$(awk -F, '$4 == "ompi_chain" { printf "%.3f", $5 }' "$tmp/csv")"
	has "coll with $model" "model CM02 was asked for: the factors" "$tmp/out"
done
for model in loggps LogGPS loggp constant CONSTANT; do
	"$ORRERY" replay "$tmp/one.trace" -p "$tmp/m.xml" -m $model --what-if latency=2x \
		>/dev/null 2>&1
	same "--what-if latency under $model, which has no links" 2 $?
done
"$ORRERY" replay "$tmp/one.trace" -p "$tmp/factors.xml" -m constant >"$tmp/out" 2>&1
has "-m constant" "every message lasts 1 s, unless" "$tmp/out"
"$ORRERY" replay "$tmp/one.trace" -p "$tmp/factors.xml" -m constant \
	--cfg network/latency-factor:0.25,smpi/os:0:0:0 >"$tmp/out" 2>&1
same "-m constant of 0.25 s" 0.250 "$(last <"$tmp/out")"
grep -q "every message lasts" "$tmp/out" && { echo "a duration that was given is told"; failed=1; }

# Whose collectives: what was asked for is assumed, whoever published it; an operation with an
# algorithm of its own is named; where a formula decides, no library does.
cat >"$tmp/known.trace" <<'END'
# orrery-trace 1 ranks=2
# manifest ranks: 2
# manifest complete: yes
# manifest mpi: Open MPI v4.1.4
0 init
0 allreduce 1000 0 6
0 finalize
1 init
1 allreduce 1000 0 6
1 finalize
# end 6
END
whose() { # STATE WHO OPTIONS…
	local state=$1 who=$2
	shift 2
	"$ORRERY" replay "$tmp/known.trace" -p "$tmp/m.xml" -q "$@" >"$tmp/out" 2>&1
	has "whose collectives, $*" "^collectives: $who; ranks placed" "$tmp/out"
	has "trust in collectives, $*" "collectives: $state, $who; in all" "$tmp/out"
}
library="as the trace's Open MPI v4.1.4"
whose published "ompi-4, $library"
whose assumed "mpich-4, as asked for" --selector mpich-4
whose assumed "ompi-4, $library, but smpi/allreduce:rdb" --cfg smpi/allreduce:rdb
whose assumed "analytic, as asked for" --cfg smpi/collectives:analytic
whose assumed "analytic, as model dimemas decides them" -m dimemas
whose published "ompi-4, $library" -m dimemas --cfg smpi/collectives:simulated
"$ORRERY" replay "$tmp/known.trace" -p "$tmp/m.xml" -q --json -m dimemas >"$tmp/out"
has "JSON" '"selector":"analytic"' "$tmp/out"

# The ratio of two processors is of recorded durations: a trace that has none is not called
# published. 3.68e9 instructions/s is graphene's speed.
cat >"$tmp/untimed.trace" <<'END'
# orrery-trace 1 ranks=1
# manifest ranks: 1
# manifest complete: yes
# manifest counter: cputime
# manifest processor: AMD EPYC 7763 64-Core Processor
0 init
0 compute 3.68e9
0 finalize
# end 3
END
"$ORRERY" replay "$tmp/untimed.trace" -p graphene -q >"$tmp/out" 2>&1
same "no durations" 1.000 "$(last <"$tmp/out")"
has "no durations" "^trust: computation: assumed, without a recorded duration" "$tmp/out"
grep -q "AMD EPYC" "$tmp/out" && { echo "a ratio that was not used is told"; failed=1; }
"$ORRERY" replay "$tmp/untimed.trace" -p griffon --cpu-ratio 2 -q >"$tmp/out" 2>&1
has "a ratio of no durations" "^trust: computation: assumed, without" "$tmp/out"

# Ranks of one host share its memory, wherever they stand in the order: what is not known of it is
# told.
printf '%d compute 1e9\n' 0 1 2 3 >"$tmp/four.trace"
memory="not modelled: bandwidth of memory"
for where in "--ppn 2" "--ppn 2 --map-by node" "--hostfile $tmp/turns"; do
	printf 'h0\nh1\nh0\nh1\n' >"$tmp/turns"
	"$ORRERY" replay "$tmp/four.trace" -p "$tmp/m.xml" $where >"$tmp/out" 2>&1
	has "memory shared by $where" "$memory" "$tmp/out"
done
# A hostfile that gives a host more ranks than its 4 cores is followed, and told: 6 on 4 cores take
# 6/4 s, as long as a core does a thousand million a second.
printf '%d compute 1e9\n' 0 1 2 3 4 5 >"$tmp/six.trace"
echo 'h2:6' >"$tmp/crowd"
"$ORRERY" replay "$tmp/six.trace" -p "$tmp/m.xml" --hostfile "$tmp/crowd" >"$tmp/out" 2>&1
has "six on four cores" "6 ranks on host h2, which has 4 cores: ranks take turns" "$tmp/out"
same "six on four cores" 1.500 "$(last <"$tmp/out")"
echo 'h2:4 h3:4' | tr ' ' '\n' >"$tmp/roomy"
"$ORRERY" replay "$tmp/six.trace" -p "$tmp/m.xml" --hostfile "$tmp/roomy" >"$tmp/out" 2>&1
grep -q "take turns" "$tmp/out" && { echo "a core for each rank is told as turns"; failed=1; }
"$ORRERY" replay "$tmp/four.trace" -p "$tmp/m.xml" --map-by node >"$tmp/out" 2>&1
grep -q "$memory" "$tmp/out" && { echo "a rank alone on its host shares memory"; failed=1; }

"$ORRERY" platform generate flat 4 --latency 5 >"$tmp/out" 2>&1
same "--latency 5" 2 $?
has "--latency 5" "of which unit" "$tmp/out"

# A pair without a route is told, and no more.
cat >"$tmp/none.xml" <<'END'
<?xml version='1.0'?>
<platform version='4.1'><zone id='z' routing='Full'>
	<host id='a' speed='1Gf'/><host id='b' speed='1Gf'/>
</zone></platform>
END
"$ORRERY" platform check "$tmp/none.xml" >"$tmp/out" 2>&1
same "check of a platform with pairs without a route" 0 $?
has "check" "2 of 4 pairs of hosts without a route" "$tmp/out"
exit $failed
