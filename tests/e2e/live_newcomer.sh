#!/bin/bash
# Programs that cannot be simulated, and are often tried first: each gets a message that says why
# and what to do, with an exit code, and nothing else.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need_live
need cc:gcc
scratch
cat >plain.c <<'C'
#include <signal.h>
int MPI_Init(int *argc, char ***argv) { return 0; } /* as if it had been linked statically */
int main(int argc, char **argv) { return MPI_Init(&argc, &argv); }
C
cc -w -o static plain.c || exit 2
sed 's/MPI_Init/begin/g' plain.c >none.c && cc -w -o none none.c || exit 2
cc -w -o loader plain.c -Wl,--dynamic-linker=/lib/ld-nowhere.so.1 || exit 2
# the header's processor: S/390, of no computer of ours; and 32 bits
cp none other && printf '\x16\x00' | dd of=other bs=1 seek=18 conv=notrunc 2>err || exit 2
cp none bits && printf '\x01' | dd of=bits bs=1 seek=4 conv=notrunc 2>err || exit 2
printf '#! /bin/nowhere -x\n' >script && chmod +x script
printf '#!/bin/sh\nexec env -i ./none\n' >clean && chmod +x clean
said() { # CODE PATTERN OPTIONS… -- WORDS…: one line of it
	local wanted=$1 pattern=$2
	shift 2
	timeout 30 "$ORRERY" run -np 2 -p graphene --computation none "$@" >out 2>err
	code=$?
	[[ $code == "$wanted" ]] && grep -q "$pattern" err && [[ $(wc -l <err) == 1 ]] ||
		bad "$*: exit code $code: $(cat err)"
}
said 2 "other is a program for another processor, IBM Z: compile it for this" -- ./other
said 2 "other is a program for another processor, IBM Z" --hold coroutines -- ./other
said 2 "bits is a program for another processor" -- ./bits
said 2 "script cannot be started: it is to be run by /bin/nowhere, which is not" -- ./script
said 2 "loader cannot be started: .* by /lib/ld-nowhere.so.1, which is not" -- ./loader
said 0 "no rank called MPI_Init: .* into ./static statically.* link it dynamically" -- ./static
# Of itself it has one rank, and says that it wants more.
printf 'int MPI_Init(void *a, void *b) { return 0; }\nint main(void) { return 3; }\n' >few.c
cc -w -o few few.c || exit 2
sed 's/MPI_Init/begin/' few.c >fails.c && cc -w -o fails fails.c || exit 2
ways_to_hold
for hold in "${holds[@]}"; do
	said 1 "code 3 before MPI_Init; if MPI is linked into it statically.*link it dynamically$" \
		--hold $hold -- ./few
	said 1 "code 3 before MPI_Init$" --hold $hold -- ./fails
done
said 0 "no rank called MPI_Init: .*clean needs no library of MPI.*environment" -- ./clean
"$ORRERY" can-run ./other >out 2>err && bad "can-run: $(cat out)"
grep -q "another processor, IBM Z" err || bad "can-run: $(cat err)"
"$ORRERY" can-run ./static | grep -q "names MPI_Init: if MPI is linked into it statically" ||
	bad "can-run: static"
mpicc=$(command -v mpicc.openmpi || command -v mpicc.mpich) || exit $failed
cat >ends.c <<'C'
#include <mpi.h>
#include <signal.h>
int main(int argc, char **argv)
{
	if (argc > 1)
		return 0;
	MPI_Init(&argc, &argv);
	raise(SIGKILL);
	MPI_Finalize();
}
C
"$mpicc" -w -o ends ends.c || exit 2
said 0 "no rank called MPI_Init: .*ends needs a library of MPI, and ended before" -- ./ends early
said 1 "signal 9 .*without MPI_Finalize; if nobody did that, the kernel did" -- ./ends
exit $failed
