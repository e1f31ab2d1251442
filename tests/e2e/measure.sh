#!/bin/bash
# The measuring program of `orrery calibrate network` performs every experiment of a plan, under
# every MPI, and writes a row for each value; plans that cannot be are refused, before anybody waits
# for them.
. "$(dirname "$0")/tracer.bash"

# By operation, on four ranks: what data/measure/measure.c says of each. pingpong: its own, and the
# first one of recv, late and order. first: pairs of four.
cat >"$tmp/plan" <<'END'
pingpong 0 1 100 1
isend 0 1 100 1
recv 0 1 100 1
late 0 1 100 1
exchange 0 1 100 1
order 0 1 100000 1
self 0 1 100 1
stream 0 1 100 1
train 0 1 100 1
flow 0 1 1000 2
flow 2 3 1000 2
ring 0 1 1000 4
ring 1 2 1000 4
ring 2 3 1000 4
ring 3 0 1000 4
load 0 3 1000 1003
load 1 3 1000 1003
load 2 3 1000 1003
mesh 1 1 50 0
mesh 0 1 100 0
mesh 1 0 100 1
react 0 1 100000 1002
react 3 2 100000 1002
crowd 0 1 8 2
crowd 2 3 8 2
END
wanted="crowd 2,exchange 1,first 6,flow 2,gap 2,isend 1,late_recv 1,late_send 1,load 9,mesh 2,\
order 1,pause 1,pingpong 4,react 2,recv 1,ring 4,self 1,send 4,stream 1,stream_send 1,train 1"
# 22 hosts of a cabinet send to the only one of another, three messages each.
for i in $(seq 22); do echo "load $i 0 200000 22"; done >"$tmp/many"
for f in "${families[@]}"; do
	mpicc."$f" -O2 -Wall -Werror -o "$tmp/measure.$f" "$SRC"/data/measure/*.c ||
		{ bad "$f: does not compile"; continue; }
	run $f 4 "$tmp/measure.$f" "$tmp/plan" "$tmp/out" 5 >"$tmp/err" 2>&1 ||
		bad "$f: $(cat "$tmp/err")"
	same "$f rows" "$wanted" "$(grep -v '^#' "$tmp/out" | tail -n +2 | cut -d, -f1 | sort |
		uniq -c | awk '{ print $2, $1 }' | paste -sd,)"
done
for wrong in "flow 0 1 100 0" "load 0 1 100 1000" "isend 0 1 3000000000 1"; do
	echo "$wrong" >"$tmp/wrong"
	run "${families[0]}" 2 "$tmp/measure.${families[0]}" "$tmp/wrong" "$tmp/none" 5 \
		>"$tmp/err" 2>&1 && bad "'$wrong' is taken"
	has "$wrong" "$tmp/err" "measure: a line of the plan is wrong"
done
# Open MPI can be told that a rank that waits leaves the processor to the others.
if [[ ${families[0]} == openmpi ]]; then
	timeout 60 mpirun.openmpi --mca mpi_yield_when_idle 1 -np 23 "$tmp/measure.openmpi" \
		"$tmp/many" "$tmp/out" 5 >"$tmp/err" 2>&1 ||
		bad "many to one: $(tail -3 "$tmp/err")"
	same "many to one" 66 "$(grep -c ^load "$tmp/out")"
fi
exit $failed
