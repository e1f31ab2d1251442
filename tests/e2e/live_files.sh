#!/bin/bash
# Collective calls of MPI-IO whose members come at different dates take in a run what they take in
# its replay, to the last digit; the program checks its data, and errors that are told to all.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need_live
scratch
mpi=
for family in openmpi mpich; do
	have "mpicc.$family" || continue
	mpi+=" $family"
	"mpicc.$family" -O1 -rdynamic -o files "$SRC/tests/programs/live_files.c" || exit 1
	for n in 1 2 5; do
		"$ORRERY" run -q -np $n -p graphene --computation none -t traced -f -- ./files \
			>out 2>err || bad "$family, $n ranks: $(cat out err)"
		grep -q "all fine" out || bad "$family, $n ranks: $(cat out err)"
		"$ORRERY" replay -q -p graphene traced 2>&1 | grep "simulated time" >again
		diff <(grep "simulated time" out) again ||
			bad "$family, $n ranks: its replay differs"
	done
	"$ORRERY" run -q -np 4 -p graphene --computation none -t traced -f -- ./files file errors \
		>out 2>err
	grep -q "all fine" out || bad "$family: $(cat out err)"
	"$ORRERY" replay -q -p graphene traced 2>&1 | grep "simulated time" >again
	diff <(grep "simulated time" out) again || bad "$family: the replay of errors differs"
	"$ORRERY" run -q -np 4 -p graphene --computation none --hold processes -t traced -f -- \
		./files "$PWD/file" errors one >out 2>err
	grep -q "all fine" out || bad "$family, one fails: $(cat out err)"
	"$ORRERY" replay -q -p graphene traced 2>&1 | grep "simulated time" >again
	diff <(grep "simulated time" out) again ||
		bad "$family: the replay of one member's errors differs"
	"mpicc.$family" -O1 -o told "$SRC/tests/programs/told.c" || exit 1
	"$ORRERY" run -q -np 3 -p graphene --computation none --jobs 3 -- ./told "$PWD/told.f" \
		>out 2>err
	grep -q "fine" out || bad "$family, what a collective call wrote: $(cat out err)"
done
[[ $mpi ]] || skip "no mpicc.openmpi, mpicc.mpich (Debian: libopenmpi-dev libmpich-dev)"
exit "$failed"
