#!/bin/bash
# Collectives on rings of which some rounds are not simulated: each rank has the data that MPI says
# all the same, whatever the library, and the time is that of all rounds.
. "$(dirname "$0")/tracer.bash"
cd "$tmp" || exit 1
rings="--cfg smpi/allgatherv:ompi_ring --cfg smpi/bcast:scatter_LR_allgather"
rings+=" --cfg smpi/reduce_scatter:ompi_ring"

# rings HOLD ALLREDUCE ALLGATHER
rings() {
	local messages
	for messages in 0 1500; do
		"$ORRERY" run -n 64 -p graphene --computation none --hold "$1" $rings \
			--cfg "smpi/allreduce:$2" --cfg "smpi/allgather:$3" \
			--cfg smpi/ring-messages:$messages -- ./rings \
			>"out.$messages" 2>"err.$messages" || bad "$1 $2 $3: $(cat err.$messages)"
		same "$1 $2 $3: right" 7 "$(grep -c ": 0 wrong" out.$messages)"
	done
	has "$1 $2 $3" err.1500 "rounds were taken to last as long as those before"
	awk -v a="$(sed -n 's/^simulated time: //p' out.0)" \
		-v b="$(sed -n 's/^simulated time: //p' out.1500)" \
		'BEGIN { exit !(a + 0 > 0 && b > 0.98 * a && b < 1.02 * a) }' ||
		bad "$1 $2 $3: $(tail -n 1 out.0 out.1500)"
}

for family in "${families[@]}"; do
	mpicc.$family -w -O1 -o rings "$SRC/tests/programs/live_rings.c" || exit 1
	rings processes lr NTSLR
	has_coroutines || continue
	rings coroutines ompi_ring_segmented ompi_neighborexchange
	rings coroutines nccl_ring nccl_ring
done
# MPI_Comm_split of very many: MPICH's allgather there is a ring of p² messages; by hand: 1,200
# members of each of ten colours, by descending key.
if has_coroutines && [[ " ${families[*]} " == *" mpich "* ]]; then
	mpicc.mpich -w -O1 -o split "$SRC/tests/programs/live_split.c" || exit 1
	"$ORRERY" platform generate flat 12000 -o flat.xml >/dev/null || bad "no platform"
	timeout 100 "$ORRERY" run -n 12000 -p flat.xml --computation none --hold coroutines \
		--stack-size 64KiB -- ./split >out 2>err || bad "split: $(tail -n 3 err)"
	has "split" out "0 of 12000 ranks are wrong"
	has "split" err "rounds were taken to last as long as those before"
fi
exit $failed
