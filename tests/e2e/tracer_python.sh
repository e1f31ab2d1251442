#!/bin/bash
# A Python program with mpi4py: its call sites are file and line, not addresses in mpi4py; with more
# frames, who called too; the modules that the interpreter loads are no files of the program.
. "$(dirname "$0")/tracer.bash"
python=
for p in /usr/bin/python3 python3; do
	"$p" -c "import mpi4py.MPI" 2>/dev/null && { python=$p; break; }
done
[[ $python ]] || skip "no mpi4py (Debian: python3-mpi4py)"
family=$("$python" -c "from mpi4py import MPI
print('openmpi' if 'Open MPI' in MPI.Get_library_version() else 'mpich')")
[[ " ${families[*]} " == *" $family "* ]] ||
	skip "no mpirun.$family, for which mpi4py was built (Debian: ${family/openmpi/openmpi-bin})"

regions() { "$ORRERY" info "$1" | sed -n '/^computation from call to call/,/^$/p' |
	awk 'NR > 1 {print $1, $2}'; }

trace $family 2 "$tmp/t" --sites 1 -q -- "$python" "$SRC/tests/programs/python_sites.py" \
	"$tmp/out." >"$tmp/out" 2>&1 || bad "$(cat "$tmp/out")"
regions "$tmp/t" >"$tmp/regions"
# lines of the program: the ring in 11, the barrier in 17; it computes from the import (3) on
has "import to the ring" "$tmp/regions" "python_sites.py:3>python_sites.py:11 2"
has "ring to ring" "$tmp/regions" "python_sites.py:11>python_sites.py:11 "
has "ring to barrier" "$tmp/regions" "python_sites.py:11>python_sites.py:17 2"
"$ORRERY" info "$tmp/t" >"$tmp/out"
# no word names a program of MPI: the launcher stands for it, once
has "the command" "$tmp/out" \
	"program    mpirun.$family -np 2 $python $SRC/tests/programs/python_sites.py $tmp/out."
same "files: opened, written" "2 2" \
	"$(awk '$1 == "open" {o = $2} $1 == "write" {w = $2} END {print o, w}' "$tmp/out")"
"$ORRERY" replay "$tmp/t" -p graphene >"$tmp/out" 2>&1
grep "\.py" "$tmp/out" && bad "modules are told of"

trace $family 2 "$tmp/t" --sites 2 -q -- "$python" "$SRC/tests/programs/python_sites.py" \
	"$tmp/out." >"$tmp/out" 2>&1 || bad "$(cat "$tmp/out")"
regions "$tmp/t" >"$tmp/regions"
has "ring of the loop" "$tmp/regions" \
	"python_sites.py:11<python_sites.py:15>python_sites.py:11<python_sites.py:15 "
has "the last ring" "$tmp/regions" \
	"python_sites.py:11<python_sites.py:15>python_sites.py:11<python_sites.py:16 2"
exit $failed
