#!/bin/bash
# Every algorithm that SimGrid's replayer can run: its simulated time, SimGrid's and orrery's
# (compat), with overheads, on RANKS (8) ranks.
# parts: 9
# Skipped (77) without SimGrid 3.32. Arguments: which (operation:algorithm).
# Not here: node-aware algorithms, with which SimGrid's replayer aborts (docs/compat.md), rab1 and
# rab2, with which it overwrites its memory.
# One call a trace: after several, when ranks begin at different dates, SimGrid's rates (rounded to
# 1e-5) make two events change places sooner or
# later, and then all that follows moves, by up to 2e-3.
set -u
cd "${SRC:-$(dirname "$0")/../..}" || exit 1
export ORRERY=${ORRERY:-$PWD/build-dev/orrery}
. tests/need.bash
need_simgrid 3.32
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
ranks=${RANKS:-8}
for ((i = 0; i < ranks; i++)); do echo "h$i"; done >"$work/hosts"
all="
bcast: binomial_tree flattree flattree_pipeline NTSB NTSL scatter_LR_allgather
	scatter_rdb_allgather ompi_split_bintree ompi_pipeline
reduce: binomial flat_tree NTSL scatter_gather ompi_chain ompi_pipeline ompi_basic_linear
	ompi_in_order_binary ompi_binary ompi_binomial mvapich2_knomial ompi
allreduce: lr rab_rdb rdb redbcast ompi_ring_segmented mvapich2_rs ompi
reduce_scatter: ompi_basic_recursivehalving ompi_ring mpich_pair mpich_rdb ompi_butterfly ompi
gather: ompi_basic_linear ompi_binomial ompi_linear_sync ompi
scatter: ompi_basic_linear ompi_linear_nb ompi_binomial ompi
allgather: 2dmesh bruck GB NTSLR NTSLR_NB pair rdb rhv ring spreading_simple
	ompi_neighborexchange ompi
allgatherv: GB pair ring ompi_neighborexchange ompi_bruck mpich_rdb mpich_ring ompi
barrier: ompi_basic_linear ompi_tree ompi_bruck ompi_recursivedoubling ompi_doublering
	mvapich2_pair ompi
alltoall: 2dmesh basic_linear bruck pair pair_light_barrier pair_mpi_barrier pair_one_barrier rdb
	ring ring_light_barrier ring_mpi_barrier ring_one_barrier mvapich2_scatter_dest ompi
alltoallv: bruck pair pair_light_barrier pair_mpi_barrier pair_one_barrier ring
	ring_light_barrier ring_mpi_barrier ring_one_barrier ompi_basic_linear ompi"
overheads="--cfg=smpi/os:0:1e-5:1e-10;4096:2e-5:2e-10 --cfg=smpi/or:0:2e-5:3e-10"
overheads+=" --cfg=smpi/ois:0:5e-6:1e-10"

names() { # all pairs, one a line
	local word op=
	for word in $all; do
		if [[ $word == *: ]]; then op=$word; else echo "$op$word"; fi
	done
}

# Why SimGrid cannot run an algorithm on so many ranks: it throws, or (alltoall 2dmesh) returns
# without a message. Nothing if it can.
cannot() {
	local y
	case $1 in
	alltoall:pair* | alltoallv:pair* | allgather:pair | allgatherv:pair | allgather:rhv)
		(((ranks & (ranks - 1)) == 0)) || echo "no power of two" ;;
	*:2dmesh | *:3dmesh)
		for ((y = 2; y <= ranks / 2; y++)); do ((ranks % y)) || return; done
		echo "a prime" ;;
	esac
}

failed=0 compared=0 left_out=0
for which in ${*:-$(names | my_part)}; do
	op=${which%%:*}
	[ -n "$(cannot "$which")" ] && left_out=$((left_out + 1)) && continue
	# of doubles: eager, some segments, rendezvous, many segments
	counts="300 5000 20000 200000"
	[ -d "$work/$op.300" ] || python3 tests/peer/coll_times.py "$op" $ranks "$work" $counts
	for count in $counts; do
		tests/peer/compare tests/peer/platforms/coll.xml "$work/hosts" \
			"$work/$op.$count" $ranks "--cfg=smpi/$op:${which#*:}" $overheads \
			>"$work/out" && continue
		cat "$work/out"
		failed=$((failed + 1))
	done
	compared=$((compared + 1))
done
echo "$compared algorithms compared, $failed calls differ;" \
	"$left_out that SimGrid cannot run on $ranks ranks"
[ "$failed" = 0 ]
