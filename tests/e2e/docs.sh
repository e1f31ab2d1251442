#!/bin/bash
# parts: 6
# What the pages tell a newcomer to type, as it stands there: each command ends well, and says what
# is shown of it (documented.py; the pages' comments tell what goes before, and what cannot be
# tried). The README with a C, a Fortran and a Python program. (That what is said is right is for
# other tests.)
. "$(dirname "$0")/tracer.bash"
unset ORRERY_FORM
need_live
need python3:python3
f=openmpi
have mpirun.$f mpicc.$f mpif90.$f ||
	skip "no Open MPI with Fortran (Debian: openmpi-bin libopenmpi-dev gfortran)"

mkdir -p "$tmp/bin" "$tmp/made"
ln -s "$ORRERY" "$tmp/bin/orrery"
for command in mpirun mpicc; do
	ln -s "$(command -v $command.$f)" "$tmp/bin/$command"
done
PATH=$tmp/bin:$PATH
export C_INCLUDE_PATH=$SRC/include # the model that a page compiles finds the header there
mpicc.$f -O1 -w -o "$tmp/made/my_program" "$SRC/examples/stencil2d.c" -lm || exit 1
cp "$tmp/made/my_program" "$tmp/made/app"

typed() { # PAGE [NAME=WORD…]: in a folder that has what a reader has
	local page=$1 folder
	shift
	folder=$(mktemp -d "$tmp/page-XXXXXX")
	mkdir "$folder/build"
	ln -s "$ORRERY" "$folder/build/orrery"
	cp "$tmp"/made/* "$folder"
	cp "$SRC/examples/stencil2d.c" "$folder/my_program.c"
	cp "$SRC/examples/cg.f90" "$folder/my_solver.f90"
	(cd "$folder" && python3 "$SRC/tests/e2e/documented.py" "$SRC/$page" "$@") || failed=1
	rm -rf "$folder"
}

cd "$SRC" || exit 2
mapfile -t pages < <(find ./*.md docs examples -name '*.md' ! -path ./README.md |
	xargs grep -l '[ `]orrery [a-z]* \|^orrery ' | sort | my_part)
for page in "${pages[@]}"; do
	typed "$page"
done
mine 1 && typed README.md
if mine 2; then
	mpif90.$f -O1 -w -o "$tmp/cg" "$SRC/examples/cg.f90" || exit 1
	typed README.md "./my_program=$tmp/cg"
fi
if mine 3 && /usr/bin/python3 -c "import mpi4py.MPI" 2>/dev/null; then
	typed README.md "./my_program=/usr/bin/python3 $SRC/tests/programs/python_sites.py $tmp/w."
fi
exit $failed
