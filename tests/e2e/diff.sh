#!/bin/bash
# orrery diff: two ranks by hand. Simulated (1 Gf/s, 1 MB/s, no latency, CM02): rank 0 computes 1 s and sends 999,984 bytes in 1 s (and 16 of envelope);
# rank 1 waits 1 s and receives 1 s; then both compute 0.5 s: 2.5 s. Real: the receive and the send took 1.2 s longer (0.2 s is TCP's time-out; here the
# threshold is 0.15 s and ten times the simulated time must be exceeded, so the outlier is a computation of 0.01 s that took 0.21 s).
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
has() { grep -qE -- "$1" "$tmp/out" || { echo "not in the output: $1"; cat "$tmp/out"; failed=1; }; }
cat >"$tmp/m.xml" <<'END'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
	<config><prop id="network/model" value="CM02"/><prop id="network/crosstraffic" value="no"/><prop id="network/TCP-gamma" value="0"/></config>
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
has '^computation +4 +4 +2.310000 +2.010000 +-0.300000'                        # 1.1 + 0.5 + 0.21 + 0.5 against 1 + 0.5 + 0.01 + 0.5
has '^MPI_Recv +1 +1 +2.100000 +2.000000'
has '^0 +2.810000 +2.510000 +-10.7% +0.200000'
has '^1 calls were over 0.15 s longer than simulated, by 0.200000 s in all; 1 of them by some 200 ms'
has 'without them the error would be about -3.8 %'                             # 2.51 / 2.61 - 1
has '  rank 0, computation number 2, at 2.600000 s: 0.210000 s instead of 0.010000'
# Perfect computation: measured durations replayed; communication is what is left.
"$ORRERY" replay -q "$tmp/real.trace" -p "$tmp/m.xml" --computation recorded -o "$tmp/run" >"$tmp/out" || exit 1
has '^simulated time: 2.810000000 s'                                           # 1.1 + 1 + 0.5 + 0.21
"$ORRERY" diff "$tmp/run" "$tmp/real.trace" --json >"$tmp/out" || failed=1
has '"name":"computation","calls":4,"real_calls":4,"real":2.31[0-9]*,"simulated":2.31'
has '"outliers":\{"calls":0'
"$ORRERY" diff "$tmp/run" >"$tmp/out" 2>&1
[ $? = 2 ] || { echo "one argument: exit code"; failed=1; }
exit $failed
