#!/bin/bash
# A program of 300 libraries (ParaView has over 400), whose ranks are coroutines.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
has_coroutines || skip "coroutines are for x86-64 and AArch64"
need mpicc.mpich:libmpich-dev
need_live
scratch
echo 'int shared_by_nobody;' >one.c
echo '#include <mpi.h>
int main(void) { MPI_Init(0, 0); MPI_Barrier(MPI_COMM_WORLD); return MPI_Finalize(); }' >main.c
cc -shared -fPIC -o one.so one.c || exit 2
for part in 1 2 3; do
	for i in {1..100}; do cp one.so "lib$part.$i.so"; done
	cc -shared -fPIC -o "libpart$part.so" one.c -Wl,--no-as-needed "-Wl,-rpath,$PWD" \
		lib$part.*.so || exit 2
done
mpicc.mpich -w -o main main.c -Wl,--no-as-needed "-Wl,-rpath,$PWD" libpart?.so || exit 2
[[ $(ldd main | grep -c "lib[123]\.[0-9]*\.so") == 300 ]] || bad "not 300 libraries"
"$ORRERY" run -q -n 2 -p graphene --computation none --hold coroutines -- ./main >out 2>err
code=$?
grep -q sanitizers err && skip "coroutines are not for a build with sanitizers"
[[ $code == 0 ]] && grep -q "^simulated time: 0.0000" out || bad "exit code $code: $(cat err)"
exit $failed
