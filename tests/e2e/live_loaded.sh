#!/bin/bash
# A program that loads its MPI library while it runs: a file that names MPICH's gets what MPICH
# decides; where nobody can know beforehand, which library was loaded is told at the end.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need_live
need cc:gcc
ways_to_hold
scratch
cat >loads.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#ifndef NAME
#define NAME argv[1]
#endif
int main(int argc, char **argv)
{
	void *l = dlopen(NAME, RTLD_NOW | RTLD_GLOBAL);
	int (*init)(int *, char ***), (*finalize)(void);

	if (!l)
		return puts(dlerror()), 1;
	init = (int (*)(int *, char ***))dlsym(l, "MPI_Init");
	finalize = (int (*)(void))dlsym(l, "MPI_Finalize");
	return init(&argc, &argv) || finalize();
}
C
cc -w -DNAME='"libmpich.so.12"' -o names loads.c -ldl && cc -w -o loads loads.c -ldl || exit 2
run() { timeout 30 "$ORRERY" run -np 2 -p graphene --computation none "$@" >out 2>err; }
for hold in "${holds[@]}"; do
	run --hold "$hold" -- ./names || bad "$hold, names: $(cat err out)"
	grep -q "^collectives: mpich-4" out && [[ ! -s err ]] ||
		bad "$hold, names: $(cat err out)"
	run --hold "$hold" --mpi mpich -- ./loads libmpich.so.12 &&
		grep -q "^collectives: mpich-4" out && [[ ! -s err ]] ||
		bad "$hold, --mpi mpich: $(cat err out)"
done
run --hold processes -- ./loads libmpich.so.12 || bad "loads: $(cat err out)"
grep -q "^orrery: the program loaded MPICH .* was taken from Open MPI: --mpi mpich$" err ||
	bad "loads: $(cat err)"
exit $failed
