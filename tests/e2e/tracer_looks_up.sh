#!/bin/bash
# A program that loads MPI and looks its functions up there, in C and by Python's ctypes (as Julia's
# MPI.jl does): it is traced as one that is linked with it, and finds all else that it looks up.
. "$(dirname "$0")/tracer.bash"
gcc -o "$tmp/looks_up" "$SRC/tests/programs/looks_up.c" -ldl || exit 1
echo 'int MPI_Init(int *, char ***); int main(void) { return MPI_Init(0, 0); }' >"$tmp/linked.c"
cat >"$tmp/looks_up.py" <<'END'
import ctypes, sys
mpi = ctypes.CDLL(sys.argv[1])
mpi.MPI_Init(None, None)
try:
    world = ctypes.byref(ctypes.c_char.in_dll(mpi, "ompi_mpi_comm_world"))
except ValueError:
    world = 0x44000000
mpi.MPI_Barrier(world)
mpi.MPI_Finalize()
print("done")
END

traced() { # what, words of the command
	local what=$1 calls
	shift
	rm -rf "$tmp/t"
	trace $f 2 "$tmp/t" -- "$@" >"$tmp/out" 2>&1
	same "$f, $what: exit code" 0 $?
	has "$f, $what" "$tmp/out" "done"
	calls=$(grep -v '^#\|compute\|region' "$tmp/t/rank-1.tit" | sed 's/ t=.*//' | paste -sd,)
	same "$f, $what" "1 init,1 barrier,1 finalize" "$calls"
}
case $(uname -m) in
x86_64 | aarch64) ;;
*) skip "the tracer stands before dlsym on x86-64 and AArch64 alone" ;;
esac
for f in "${families[@]}"; do
	mpicc.$f -o "$tmp/linked" "$tmp/linked.c" || exit 1
	library=$(ldd "$tmp/linked" | awk '$1 ~ /^libmpi(ch)?\.so/ { print $3; exit }')
	traced "C" "$tmp/looks_up" "$library"
	have python3 && traced "ctypes" python3 "$tmp/looks_up.py" "$library"
done
exit $failed
