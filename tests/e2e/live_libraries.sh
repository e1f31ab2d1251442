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
# A program whose file names no library of MPI, and which loads that of MPICH: Open MPI is expected,
# and what to say instead is told by whoever cannot go on: the tracer, and the one process in which
# all ranks are.
echo '#include <mpi.h>
int run(void) { MPI_Init(0, 0); MPI_Barrier(MPI_COMM_WORLD); return MPI_Finalize(); }' >plug.c
echo '#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
int main(int n, char **word) {
	void *plug = dlopen(word[1], RTLD_NOW);
	if (!plug)
		return fprintf(stderr, "%s\n", dlerror()), 1;
	return ((int (*)(void))(uintptr_t)dlsym(plug, "run"))();
}' >loads.c
mpicc.mpich -w -shared -fPIC -o plug.so plug.c || exit 2
cc -w -o loads loads.c -ldl || exit 2
for way in "--trace traced" "--hold coroutines"; do
	"$ORRERY" run -q -n 2 -p graphene --computation none $way -- ./loads "$PWD/plug.so" \
		>out 2>err && bad "$way: exit code 0 where another library of MPI was expected"
	grep -q -e "--mpi" err || bad "$way: no remedy: $(cat err)"
	"$ORRERY" run -q -n 2 -p graphene --computation none --mpi mpich $way -- ./loads \
		"$PWD/plug.so" >out 2>err || bad "$way --mpi mpich: exit code $?: $(cat err)"
done
exit $failed
