#!/bin/bash
# two_hosts.sh PLAN: what the measuring program would write of two hosts for a plan of
# `orrery calibrate network`: round trips of 50 us and 100 MB/s; a late send blocks from 64 KiB on.
echo "# hosts: a,b"
echo op,src,dst,pairs,size,start,duration
awk '$1 == "pingpong" {
		seconds = 2 * (50e-6 + $4 / 1e8)
		printf "pingpong,0,1,1,%d,%.6f,%.9g\n", $4, NR * 1e-3, seconds
	}
	$1 == "late" {
		seconds = $4 < 65536 ? 3e-6 : 1e-2 + $4 / 1e7
		printf "late_send,0,1,1,%d,%.6f,%.9g\n", $4, NR * 1e-3, seconds
	}' "$1"
