#!/bin/bash
# What the README tells a newcomer to type, as it stands there, with a C, a Fortran and a Python
# program in the place of my_program: each command ends well and says what it is there to say. (That
# it says what is right is for other tests.)
. "$(dirname "$0")/tracer.bash"
unset ORRERY_FORM
need_live
f=openmpi
have mpirun.$f mpicc.$f mpif90.$f ||
	skip "no Open MPI with Fortran (Debian: openmpi-bin libopenmpi-dev gfortran)"
work=$tmp/work
mkdir -p "$work/build" "$tmp/bin"
ln -s "$ORRERY" "$work/build/orrery"
ln -s "$(command -v mpirun.$f)" "$tmp/bin/mpirun"
PATH=$tmp/bin:$PATH

# The commands of the block under "Try it", without their comments. Measuring this machine takes
# minutes: calibrate_all.sh does it.
sed -n '/^## Try it/,/^## Packages/p' "$SRC/README.md" | grep '^build/orrery' | sed 's/ *# .*//' |
	grep -v 'orrery calibrate' >"$tmp/commands"
same "commands in the README" 9 "$(wc -l <"$tmp/commands")"

shows() { # command: what its output has to have
	case $1 in
	*'orrery trace'*) echo "orrery: .*4 ranks, [0-9]* events" ;;
	*'orrery platform list'*) echo "^dahu" ;;
	*-p*-p*-p*) echo "^stampede .*[0-9]" ;;
	*'orrery coll'*) echo "[0-9]" ;;
	*--explain*) echo "rank 0 on .*, of which" ;;
	*'orrery help'*) echo "orrery replay" ;;
	*) echo "^simulated time: [0-9.]* s$" ;;
	esac
}
newcomer() { # program
	local line
	cd "$work" || exit 1
	rm -rf my.trace
	while IFS= read -r line; do
		line=${line//np 16/np 4}
		line=${line//.\/my_program/$1}
		timeout 60 bash -c "$line" >"$tmp/out" 2>&1 ||
			bad "$line: exit code $?: $(cat "$tmp/out")"
		grep -q -e "$(shows "$line")" "$tmp/out" ||
			bad "$line: no '$(shows "$line")' in: $(cat "$tmp/out")"
		grep -iE "not implemented|\.pyc|assert|bug" "$tmp/out" && bad "$line"
	done <"$tmp/commands"
}

mpicc.$f -O1 -w -o "$tmp/stencil2d" "$SRC/examples/stencil2d.c" -lm || exit 1
mpif90.$f -O1 -w -o "$tmp/cg" "$SRC/examples/cg.f90" || exit 1
newcomer "$tmp/stencil2d"
newcomer "$tmp/cg"
if /usr/bin/python3 -c "import mpi4py.MPI" 2>/dev/null; then
	newcomer "/usr/bin/python3 $SRC/tests/programs/python_sites.py $tmp/written."
fi
exit $failed
