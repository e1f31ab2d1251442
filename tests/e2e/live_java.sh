#!/bin/bash
# Open MPI's library for Java (libmpi_java.so.40) as it is installed, which takes what it needs out
# of the inside of Open MPI: on top of ours, in a real run that is traced, and beside a machine of
# our own (live_java.c) for want of the classes of mpi.jar, which Debian does not have. Expected are
# the standard's results: sums and products over ranks, every other element of an array, the class
# of an error.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need mpicc.openmpi:libopenmpi-dev mpirun.openmpi:openmpi-bin
need_live
ways_to_hold
scratch
mpicc.openmpi -g -O1 -o java "$SRC/tests/programs/live_java.c" -ldl || exit 1
cat >expected <<'end'
0: sums 33 36, product 231, got 0 0 0, thrown 1: a rank, said so
1: sums 33 36, product 231, got 1 3 5, thrown 1: a rank, said so
2: sums 33 36, product 231, got 0 0 0, thrown 1: a rank, said so
end
for hold in "${holds[@]}"; do
	"$ORRERY" run -q -np 3 -p graphene --computation none --hold "$hold" --checks -- ./java \
		>out 2>err
	code=$?
	grep -q "^libmpi_java.so.40: cannot open" err && skip "no libmpi_java.so.40"
	[[ $code == 0 ]] || bad "$hold: exit code $code: $(cat out err)"
	grep ': sums' out | sort | diff - expected || bad "$hold: $(cat out err)"
	grep -v "never freed: 3 operators" err && bad "$hold: messages"
done
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PMIX_MCA_psec=native
timeout 60 "$ORRERY" trace -q -o trace -- mpirun.openmpi --oversubscribe -np 3 ./java >out 2>err ||
	bad "traced: $(cat out err)"
grep ': sums' out | sort | diff - expected || bad "traced: $(cat out err)"
"$ORRERY" replay -q -p graphene trace >out 2>err || bad "replayed: $(cat err)"
exit $failed
