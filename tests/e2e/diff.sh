#!/bin/bash
# orrery diff: two ranks by hand. Simulated (1 Gf/s, 1 MB/s, no latency, CM02): rank 0 computes 1 s
# and sends 999,984 bytes in 1 s (and 16 of envelope); rank 1 waits 1 s and receives 1 s; then both
# compute 0.5 s: 2.5 s. Real: the first computation took 0.1 s longer; the threshold is 0.15 s and
# ten times the simulated time must be exceeded where there are fewer than four calls to compare
# with, so the outlier is a computation of 0.01 s that took 0.21 s. Then twelve messages, late in
# several ways.
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
has() {
	grep -qE -- "$1" "$tmp/out" && return
	echo "not in the output: $1"
	cat "$tmp/out"
	failed=1
}
usual='longer than simulated and than is usual for such calls'
cat >"$tmp/m.xml" <<'END'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
	<config>
		<prop id="network/model" value="CM02"/>
		<prop id="network/crosstraffic" value="no"/>
		<prop id="network/TCP-gamma" value="0"/>
	</config>
	<zone id="z" routing="Full">
		<host id="a" speed="1Gf"/><host id="b" speed="1Gf"/>
		<link id="l" bandwidth="1MBps" latency="0s"/>
		<route src="a" dst="b"><link_ctn id="l"/></route>
	</zone>
</platform>
END
cat >"$tmp/real.trace" <<'END'
# orrery-trace 1
# ranks 2
0 init t=0.3
0 compute 1e9 t=1.1
0 send 1 7 999984 6 t=1
0 compute 5e8 t=0.5
0 compute 1e7 t=0.21
0 finalize t=0.1
1 init t=0.3
1 recv 0 7 999984 6 t=2.1
1 compute 5e8 t=0.5
1 finalize t=0.1
END
"$ORRERY" replay -q "$tmp/real.trace" -p "$tmp/m.xml" -o "$tmp/run" >"$tmp/out" || exit 1
has '^simulated time: 2.510000000 s'
"$ORRERY" diff "$tmp/run" "$tmp/real.trace" --outlier 0.15 >"$tmp/out" 2>&1 || failed=1
has '^real 2.810000 s, simulated 2.510000 s: -10.68 %'                         # 2.51 / 2.81 - 1
# computations: 1.1 + 0.5 + 0.21 + 0.5 against 1 + 0.5 + 0.01 + 0.5
has '^computation +4 +4 +2.310000 +2.010000 +-0.300000'
has '^MPI_Recv +1 +1 +2.100000 +2.000000'
has '^0 +2.810000 +2.510000 +-10.7% +0.200000'
has "^1 call was over 0.15 s $usual, by 0.200000 s in all"
# 200 ms, but no packet was waited for
has '^  1 event \(1 call, 0.200 to 0.200 s\) in computations'
has 'they made rank 0, which ends last, 0.200000 s later: 67 % of the difference of 0.300000 s'
has 'without them the error would be about -3.8 %'                             # 2.51 / 2.61 - 1
has '  rank 0, computation number 2, at 2.600000 s: 0.210000 s instead of 0.010000'
# Two recordings: with twice the bandwidth the message takes 0.5 s, so that rank 0 ends after
# 1 + 0.5 + 0.5 + 0.01 s, and rank 1 waits 1 s and receives 0.5 s.
"$ORRERY" replay -q "$tmp/real.trace" -p "$tmp/m.xml" --what-if bandwidth=2x -o "$tmp/run2" \
	>"$tmp/out" || exit 1
has 'simulated time: 2.010000000 s'
"$ORRERY" diff "$tmp/run" "$tmp/run2" >"$tmp/out" 2>&1 || failed=1
has '^first 2.510000 s, second 2.010000 s: -19.92 %' # 2.01 / 2.51 - 1
has '^what-if: none; then bandwidth=2x'
has '^computation +4 +4 +2.010000 +2.010000 +[+-]0.000000'
has '^MPI_Send +1 +1 +1.000000 +0.500000 +-0.500000'
has '^MPI_Recv +1 +1 +2.000000 +1.500000 +-0.500000'
has '^0 +2.510000 +2.010000 +-0.500000'
has '^1 +2.500000 +2.000000 +-0.500000'
has '^2 of 6 calls of both runs take another time'
has '^  rank 0, MPI_Send number 0, at 1.000000 s of the first: 1 s, then 0.5$'
has '^  rank 1, MPI_Recv number 0, at 0.000000 s of the first: 2 s, then 1.5$'
! grep -q '^machine' "$tmp/out" || { echo "one machine differs from itself"; failed=1; }
"$ORRERY" diff "$tmp/run" "$tmp/run" >"$tmp/out" 2>&1 || failed=1
has '^no call of both runs takes another time'
"$ORRERY" diff "$tmp/run" "$tmp/run2" --json | python3 -c '
import json, sys
c = json.load(sys.stdin)
assert abs(c["first"] - 2.51) < 1e-9 and abs(c["second"] - 2.01) < 1e-9
assert c["differences"] == [{"what": "what-if", "first": "", "second": "bandwidth=2x"}]
assert c["changes"]["calls"] == 2 and c["changes"]["of"] == 6
calls = [(x["rank"], x["function"]) for x in c["changes"]["list"]]
assert calls == [(0, "MPI_Send"), (1, "MPI_Recv")]
' || { echo "two recordings as JSON"; failed=1; }
"$ORRERY" diff "$tmp/run" "$tmp/run2" --outlier 1 >"$tmp/out" 2>&1
[[ $? == 2 ]] || failed=1
has 'outlier is for a recording beside a real run'
"$ORRERY" diff "$tmp/real.trace" "$tmp/run" >"$tmp/out" 2>&1
[[ $? == 2 ]] || failed=1
has 'run is a recording, and goes before the trace of the real run'
ln -s other "$tmp/circle" && ln -s circle "$tmp/other"
"$ORRERY" convert "$tmp/real.trace" -f merged --force -o "$tmp/circle" >"$tmp/out" 2>&1
[[ $? == 2 ]] || failed=1
has 'circle: Too many levels of symbolic links'
"$ORRERY" replay -q "$tmp/real.trace" -p "$tmp/m.xml" --csv "$tmp/circle" >"$tmp/out" 2>&1
[[ $? == 2 ]] || failed=1
has 'cannot write .*circle: Too many levels of symbolic links'
! grep -q 'no duration' "$tmp/out" || { echo "all calls have durations"; failed=1; }
# A call without a duration is told, and the ones after it are still compared with their own: 0.5
# and 0.21 s are the second and third of rank 0.
sed 's/compute 1e9 t=1.1/compute 1e9/' "$tmp/real.trace" >"$tmp/part.trace"
"$ORRERY" diff "$tmp/run" "$tmp/part.trace" --outlier 0.15 >"$tmp/out" 2>&1 || failed=1
has '^1 real call has no duration'
has '^computation +4 +3 '
has '  rank 0, computation number 2, at 1.500000 s: 0.210000 s instead of 0.010000'
# Perfect computation: measured durations replayed; communication is what is left.
"$ORRERY" replay -q "$tmp/real.trace" -p "$tmp/m.xml" --computation recorded -o "$tmp/run" \
	>"$tmp/out" || exit 1
# 1.1 + 1 + 0.5 + 0.21
has '^simulated time: 2.810000000 s'
"$ORRERY" diff "$tmp/run" "$tmp/real.trace" --json >"$tmp/out" || failed=1
has '"name":"computation","calls":4,"real_calls":4,"real":2.31[0-9]*,"simulated":2.31'
has '"outliers":\{"calls":0'
# Twelve messages of 1 s each (999,984 bytes and 16 of envelope at 1 MB/s), send and receive. more
# FUNCTION: by how much the i-th took longer.
messages() {
	{
		printf '# orrery-trace 1\n# ranks 2\n'
		for r in 0 1; do
			echo "$r init t=0.1"
			for i in 0 1 2 3 4 5 6 7 8 9 10 11; do
				echo "$r $([ $r = 0 ] && echo send 1 ||
					echo recv 0) 7 999984 6 t=$($1 $i)"
			done
			echo "$r finalize t=0.1"
		done
	} >"$tmp/real.trace"
	"$ORRERY" replay -q "$tmp/real.trace" -p "$tmp/m.xml" -o "$tmp/run" >"$tmp/out" || exit 1
	has '^simulated time: 12.000000000 s'
	"$ORRERY" diff "$tmp/run" "$tmp/real.trace" >"$tmp/out" 2>&1 || failed=1
}
# Every message takes 0.3 s more: the model is wrong, none is strange.
all_late() { echo 1.3; }
messages all_late
has '^real 15.600000 s, simulated 12.000000 s: -23.08 %'                       # 12 / 15.6 - 1
has '^no call was 0.05 s longer'
# All 1 ms late, which is usual; the fourth 0.211, 0.21 beyond it; the eighth 0.631, 0.2 and 0.4 s
# and a little. Send and receive end together.
lost() { case $1 in 3) echo 1.211 ;; 7) echo 1.631 ;; *) echo 1.001 ;; esac; }
messages lost
# by 2 * (0.21 + 0.63)
has "^4 calls were over 0.05 s $usual, by 1.680000 s in all"
looks="what TCP's least retransmission time-out looks like"
has "^  1 event \\(2 calls, 0.210 to 0.210 s\\) some 200 ms: $looks"
has '^  1 event \(2 calls, 0.630 to 0.630 s\) some 600 ms: .* lost twice'
# of 0.012 + 0.84
has 'they made rank 0, which ends last, 0.840000 s later: 99 % of the difference of 0.852000 s'
has 'without them the error would be about -0.1 %'                             # 12 / 12.012 - 1
# at 7.007 + 0.21
at='at 7.217000 s: 1.631000 s instead of 1.000000 \(event 2\)'
has "  rank [01], MPI_(Send|Recv) number 7, $at"
has '^MPI_Send +12 +12 +12.852000 +12.000000 +-0.852000 +0.840000'
# calls 3 and 7 of 12 are in the tenths 10 * 3 / 12 = 2 and 10 * 7 / 12 = 5; the third tenth has
# calls 3 only, the sixth 6 (10 * 6 / 12 = 5) and 7.
has '^ +20 to +30 % +1.211000 +1.000000 +-0.211000 +0.210000'
has '^ +50 to +60 % +2.632000 +2.000000 +-0.632000 +0.630000'
# Two thirds of all have a time-out: 8 of 12. They are no less strange for that.
most_late() { [ $1 -lt 4 ] && echo 1.00$1 || echo 1.21; }
messages most_late
has '^  8 events \(16 calls, 0.20[0-9] to 0.2[01][0-9] s\) some 200 ms'
# Of lengths all over: 60 to 500 ms, one of them near 200: no time-out.
various() { case $1 in 3) echo 1.08 ;; 5) echo 1.12 ;; 7) echo 1.15 ;; 9) echo 1.21 ;; 10) echo \
	1.5 ;; *) echo 1 ;; esac; }
messages various
has '^  5 events \(10 calls, 0.080 to 0.500 s\) of other lengths'
# Another program, with as many ranks.
printf '%s\n' '# orrery-trace 1' '# ranks 2' '0 init' '0 barrier t=1' '0 finalize' \
	'1 init' '1 barrier t=1' '1 finalize' >"$tmp/other.trace"
"$ORRERY" diff "$tmp/run" "$tmp/other.trace" >"$tmp/out" 2>&1
[ $? = 2 ] || { echo "another program: exit code"; failed=1; }
has 'not the same program'
"$ORRERY" diff "$tmp/run" >"$tmp/out" 2>&1
[ $? = 2 ] || { echo "one argument: exit code"; failed=1; }
exit $failed
