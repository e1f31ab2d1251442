#!/bin/bash
# forms.sh: a trace of SimGrid with all actions that its replayer knows, each in all forms that it
# takes (with and without root and datatypes, numbers such as 1e5, tabs, blank lines, comments):
# smpirun and orrery give the same time within 1e-6, from one file and from one for each rank.
. "$SRC/tests/need.bash"
need smpirun:libsimgrid-dev
scratch
cat >machine.xml <<'EOF'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="w" routing="Full">
    <cluster id="c" prefix="h" suffix="" radical="0-3" speed="1Gf" bw="125MBps" lat="50us"
             bb_bw="1.25GBps" bb_lat="5us"/>
  </zone>
</platform>
EOF
printf 'h%d\n' 0 1 2 3 >hosts
for r in 0 1 2 3; do
	next=$(((r + 1) % 4)) prev=$(((r + 3) % 4)) mine=$((10 + r))
	printf '%s\tinit\n' $r
	printf "$r %s\n" 'comm_size 4' ' comm_dup' 'comm_split more words' 'location foo.c 12' \
		'sleep 0.001' 'compute 1e6  '
	echo $'\n# comment'
	printf "$r %s\n" "isend $next 5 1e5" "irecv $prev 5 1e5" "wait $prev $r 5" \
		"wait $r $next 5" "isend $next 6 20000 0" "irecv $prev 6 20000 0" \
		'compute 100000.7' 'waitall 2' "irecv $prev 7 10" "isend $next 7 10" \
		'compute 1e7' "test $prev $r 7" "wait $prev $r 7" waitall \
		"sendRecv 1000 $next 1000 $prev 1 1" barrier 'bcast 5e5' 'bcast 100 2' \
		'bcast 100 3 0' 'reduce 1000 1e5' 'reduce 1000 1e5 1 4' \
		'allreduce 1000 5.5e4' 'allreduce 1000 0 1' 'alltoall 100 100' \
		'alltoall 100 100 0 0' 'gather 10 10' 'gather 10 10 2 0 0' \
		"gatherv $mine 10 11 12 13" "gatherv $mine 10 11 12 13 3 1 1" \
		'allgather 10 10' 'allgather 10 10 1 1' "allgatherv $mine 10 11 12 13" \
		"allgatherv $mine 10 11 12 13 1 1" "allgatherv $mine 10 11 12 13 0 10 21 33" \
		"allgatherv $mine 10 11 12 13 1 1 0 10 21 33" 'scatter 10 10' \
		'scatter 10 10 1 0 0' "scatterv 10 11 12 13 $mine" \
		"scatterv 10 11 12 13 $mine 3 1 1" 'reducescatter 10 11 12 13 1e5' \
		'reducescatter 10 11 12 13 1e5 1' 'scan 100 1e4' 'scan 100 1e4 0' \
		'exscan 100 1e4 0'
	block=(1 7 10 12)
	own=${block[r]}
	echo "$r alltoallv 100 ${block[*]} 100 $own $own $own $own 1 1"
	if ((r % 2 == 0)); then
		printf "$r %s\n" "send $next 9 8" "recv $prev 9 -1" finalize
	else
		printf "$r %s\n" "recv $prev 9 8" "send $next 9 8 1" finalize
	fi
done >all.tit
echo all.tit >one
for r in 0 1 2 3; do
	grep -E "^($r|#|\$)" all.tit >"rank$r"
	echo "rank$r"
done >four
peer=$(smpirun -replay one -np 4 -hostfile hosts -platform machine.xml --log=no_loc 2>&1 |
	grep 'Simulation time' | sed 's/.*Simulation time //')
[[ $peer ]] || bad "smpirun does not replay it"
for list in one four all.tit; do
	ours=$("$ORRERY" replay -q $list -p machine.xml --hostfile hosts -m smpi \
		--cfg compat:simgrid-3.32 | sed -n 's/simulated time: \(.*\) s/\1/p')
	awk -v a="${peer:-0}" -v b="${ours:-1}" 'BEGIN {exit !(a - b < 1e-6 && b - a < 1e-6)}' ||
		bad "$list: smpirun says $peer, orrery $ours"
done
exit $failed
