#!/bin/bash
# Datatypes, operators and portable packing: one binary under Debian's MPICH and in the simulation,
# with 1,200 types at random; what it prints must be the same. The same for windows and files of
# four ranks.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need mpicc.mpich:libmpich-dev mpiexec.mpich:mpich
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

mpicc.mpich -O1 -o "$dir/objects" "$SRC/tests/programs/live_objects.c" || exit 1
for seed in 1 2; do
	"$dir/objects" 600 $seed >"$dir/real" 2>"$dir/err" || { cat "$dir/err"; exit 1; }
	"$ORRERY" run -q -n 1 -p graphene --computation none -- "$dir/objects" 600 $seed \
		>"$dir/out" || exit 1
	lines=$(wc -l <"$dir/real")
	((lines == 694)) || { echo "$lines lines under MPICH"; exit 1; }
	head -"$lines" "$dir/out" | diff "$dir/real" - ||
		{ echo "seed $seed: not as under MPICH (left)"; exit 1; }
done

mpicc.mpich -O1 -o "$dir/remote" "$SRC/tests/programs/live_remote.c" || exit 1
(cd "$dir" && mpiexec.mpich -n 4 ./remote real.data real) || exit 1
(cd "$dir" && "$ORRERY" run -q -n 4 -p graphene --computation none -- ./remote out.data out >run) ||
	exit 1
(($(cat "$dir"/real.[0-3] | wc -l) > 40)) || { echo "not much under MPICH"; exit 1; }
for rank in 0 1 2 3; do
	diff "$dir/real.$rank" "$dir/out.$rank" ||
		{ echo "windows, files: not as under MPICH (left)"; exit 1; }
done
cmp "$dir/real.data" "$dir/out.data"
