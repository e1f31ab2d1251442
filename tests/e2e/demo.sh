#!/bin/bash
# demo.sh: the whole road: the demo's programs are built, traced under both MPI libraries and
# predicted; the table is complete, the page is there; what SimGrid can hold of the traces replays
# there to the same time. Skipped (77) where an MPI library is missing.
# parts: 3
set -u
cd "$SRC" || exit 2
. tests/need.bash
need mpirun.openmpi:openmpi-bin mpicc.openmpi:libopenmpi-dev mpirun.mpich:mpich \
	mpicc.mpich:libmpich-dev mpifort.openmpi:libopenmpi-dev mpifort.mpich:libmpich-dev \
	gfortran:gfortran
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; exit 1; }

programs=$(printf '%s\n' ring stencil2d cg | my_part | paste -sd' ')
n=$(wc -w <<<"$programs")
DEMO_PROGRAMS=$programs tools/demo "$ORRERY" "$work" >"$work/out" 2>&1 ||
	{ tail -n 20 "$work/out"; fail "tools/demo"; }
[ "$(grep -c '(right)' "$work/out")" = $((2 * n)) ] || fail "not all runs with right results"
machines='graphene|bordereau|tibidabo'
row="^(${programs// /|}) +(openmpi|mpich) +[48] +($machines) +[0-9]+\.[0-9]+ "
rows=$(grep -cE "$row" "$work/out")
[ "$rows" = $((6 * n)) ] || { cat "$work/out"; fail "$((6 * n)) rows in the table, not $rows"; }
[[ $programs != *stencil2d* || -s $work/stencil2d.html ]] || fail "the page"

command -v smpirun >/dev/null || { echo "no SimGrid: its half is skipped"; exit 0; }
for ((i = 0; i < 8; i++)); do echo "graphene-$i.nancy.grid5000.fr"; done >"$work/hosts"
for program in $programs; do
	[[ $program == cg ]] && continue
	mkdir -p "$work/$program"
	"$ORRERY" convert "$work/$program.openmpi.trace" -f simgrid -o "$work/$program/list" -q ||
		fail "convert $program"
	tests/peer/compare data/machines/graphene.xml "$work/hosts" "$work/$program" 8 ||
		fail "SimGrid on $program"
done
if [[ $programs != *cg* ]]; then
	exit 0
elif "$ORRERY" convert -q "$work/cg.openmpi.trace" -f simgrid -o "$work/cg.list" 2>"$work/why"
then
	fail "cg has collectives on sub-communicators: SimGrid's form cannot hold it"
fi
grep -q "MPI_COMM_WORLD only" "$work/why" || fail "why cg cannot be converted"
echo "the road is open"
