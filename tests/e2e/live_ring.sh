#!/bin/bash
# A program compiled by an ordinary mpicc runs in the simulation: its output is what MPI says, and
# its simulated time is, to the last digit, that of the replay of a trace of the same calls written
# by hand.
set -e
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
np=4
for rank in $(seq 0 $((np - 1))); do
	{
		echo "$rank init"
		for i in 1 2 3; do
			send="$rank send $(((rank + 1) % np)) 7 1 1" \
				recv="$rank recv $(((rank + np - 1) % np)) 7 1 1"
			[[ $rank == 0 ]] && printf '%s\n%s\n' "$send" "$recv" ||
				printf '%s\n%s\n' "$recv" "$send"
		done
		echo "$rank allreduce 1 0 0"
		echo "$rank bcast 1 2 1"
		echo "$rank finalize"
	} >"$dir/rank-$rank.tit"
	echo "rank-$rank.tit" >>"$dir/trace"
done
# The library whose interface the program was linked with decides: algorithms, thresholds,
# placement.
folder() { # MPI
	mkdir "$dir/$1" && cp "$dir"/rank-*.tit "$dir/$1"
	printf '# orrery-manifest 1\nprogram: ring\nmpi: %s\nranks: 4\n' "$2" >"$dir/$1/manifest"
	"$ORRERY" replay -q -p graphene "$dir/$1" | tail -1
}
ran=
for mpicc in mpicc.mpich mpicc.openmpi; do
	command -v $mpicc >/dev/null || continue
	if [[ $mpicc == *mpich ]]; then
		mpi=$(mpichversion 2>/dev/null | sed -n 's/^MPICH Version:[[:space:]]*//p')
		mpi="MPICH ${mpi:-4.0}"
	else
		mpi=$(ompi_info --version 2>/dev/null | sed -n 's/^Open MPI v//p')
		mpi="Open MPI ${mpi:-4.1}"
	fi
	want=$(folder $mpicc "$mpi")
	$mpicc -O1 -o "$dir/ring" "$SRC/tests/programs/live_ring.c"
	"$ORRERY" run -q -n $np -p graphene --computation none -- "$dir/ring" >"$dir/out"
	diff <(head -4 "$dir/out") - <<-END
	token 3 from 3
	token 103 from 3
	token 203 from 3
	sum 8, told 42
	END
	grep -q "as the program's $mpi" "$dir/out" || { cat "$dir/out"; exit 1; }
	[[ $(tail -1 "$dir/out") == "$want" ]] ||
		{ echo "$mpicc: $(tail -1 "$dir/out"), replay: $want"; exit 1; }
	ran=1
done
[[ $ran ]] || skip "no mpicc of MPICH or Open MPI (Debian: libmpich-dev libopenmpi-dev)"
