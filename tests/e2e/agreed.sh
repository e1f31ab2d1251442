#!/bin/bash
# A communicator that some of its members do not wait for (agreed=1, of a rank whose threads make
# several at once), whichever comes first. Who waits gets what it waits for: it was a deadlock.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
scratch
# Rank 0 does not wait; it computes for so long before, and the others for a second.
make() { # NAME SECONDS MADE-BY-0 MADE-BY-1 MADE-BY-2
	local rank
	mkdir "$1" || exit 2
	for rank in 0 1 2; do
		{
			echo "$rank init"
			echo "$rank compute $((rank == 0 ? $2 : 1))e9"
			printf "$rank %b\n" "${@:rank + 3:1}"
			echo "$rank barrier"
			echo "$rank finalize"
		} >"$1/rank-$rank.tit"
		echo "$1/rank-$rank.tit" >>"$1/list"
	done
}
ends() { # NAME FROM TO
	local took
	took=$("$ORRERY" replay -q -p graphene "$1/list" "${@:4}" 2>err |
		sed -n 's/^simulated time: \(.*\) s/\1/p')
	awk -v t="${took:-0}" -v from="$2" -v to="$3" 'BEGIN { exit !(t >= from && t <= to) }' ||
		bad "$1 ${*:4}: ${took:-$(cat err)}"
}
mine='intercomm_create comm=0.0 parent=0.1 members=0 remote=1,2 agreed=1'
others='intercomm_create comm=0.0 parent=1.0 members=1,2 remote=0'
for late in 0 2; do
	make group$late $late 'comm_create_group comm=0.0 members=0-2 agreed=1' \
		'comm_create_group comm=0.0 members=0-2' 'comm_create_group comm=0.0 members=0-2'
	make inter$late $late \
		"comm_create_group comm=0.1 members=0 agreed=1\n0 $mine leader=0,1" \
		"comm_create_group comm=1.0 members=1,2\n1 $others leader=0,0" \
		"comm_create_group comm=1.0 members=1,2\n2 $others leader=0"
done
for selector in mpich-4 ompi-4; do
	for what in group inter; do
		for late in 0 2; do
			# 1e9 or 2e9 at 3.68 G/s, and what they exchange
			ends $what$late $((late ? 54 : 27))e-2 $((late ? 55 : 28))e-2 \
				--selector $selector
		done
	done
done
exit $failed
