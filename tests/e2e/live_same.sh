#!/bin/bash
# live_same.sh: a program that uses what is seldom used (attributes, errors, types with holes,
# distributed arrays, external32, groups, topologies, matched probes, windows, persistent
# collectives, partitions, sessions, files with views and shared pointers) prints in a simulation,
# by processes and by coroutines, word for word what it prints with the real library.
set -u
. "$SRC/tests/need.bash"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cat >"$dir/one.xml" <<'XML'
<platform version="4.1"><zone id="z" routing="Full"><host id="h" speed="1Gf" core="4"/></zone>
</platform>
XML
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
ways_to_hold
ran=0
have() { command -v "$1" >/dev/null && command -v "$2" >/dev/null; }
for family in mpich openmpi; do
	have "mpicc.$family" "mpirun.$family" || continue
	ran=1
	more=()
	[[ $family == mpich ]] || more=(--oversubscribe)
	"mpicc.$family" -O1 -w -o "$dir/same" "$SRC/tests/programs/live_same.c" || exit 1
	timeout 60 "mpirun.$family" -n 4 "${more[@]}" "$dir/same" "$dir/file" >"$dir/real" \
		2>"$dir/err" ||
		{ echo "$family: the real run failed: $(tail -3 "$dir/err")"; exit 1; }
	(($(wc -l <"$dir/real") > 500)) || { echo "$family: little was said"; exit 1; }
	for hold in "${holds[@]}"; do
		timeout 60 "$ORRERY" run -q -n 4 -p "$dir/one.xml" --computation none \
			--hold "$hold" -- "$dir/same" "$dir/file" >"$dir/out" 2>"$dir/err" ||
			{ echo "$family, $hold: $(tail -3 "$dir/err")"; exit 1; }
		sed '/^4 ranks on/,$d' "$dir/out" | diff "$dir/real" - ||
			{ echo "$family, $hold: differs (<: the real library)"; exit 1; }
	done
done
((ran)) || skip "no MPI to compare with (Debian: mpich libmpich-dev openmpi-bin libopenmpi-dev)"
