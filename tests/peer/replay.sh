#!/bin/bash
# replay.sh: SimGrid's replayer and orrery agree within 1e-4 on the simulated time of traces that
# SimGrid's plain form can hold, in compat mode. Skipped (77) where SimGrid 3.32 is not installed.
# PEER_FULL=1 runs the whole grid instead of one seed and fewer sizes.
# parts: 3
set -u
cd "$SRC" || exit 2
. tests/need.bash
need_simgrid 3.32
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
full=${PEER_FULL:-0}
seeds=$([ "$full" = 1 ] && echo "1 2 3 4 5" || echo 1)
failed=0 count=0

hosts() { # PLATFORM RANKS
	case $1 in
	graphene) for ((i = 0; i < $2; i++));
		do echo "graphene-$((i * 2 + i % 2)).nancy.grid5000.fr"; done ;;
	backbone) for ((i = 0; i < $2; i++)); do echo "c-$i.me"; done ;;
	limited) for ((i = 0; i < $2; i++)); do echo "n$((i % 32))"; done ;;
	two_zones) for ((i = 0; i < $2; i++)); do [ $((i % 2)) = 0 ] &&
		echo "fast-$((i / 2 % 20))" || echo "slow-$((i / 2 % 10))"; done ;;
	hosts | changing) for ((i = 0; i < $2; i++)); do x=(a b c d d b a c); echo "${x[i % 8]}";
		done ;;
	esac
}

run() { # PLATFORM KIND RANKS SEED [--cfg=…]
	local file=tests/peer/platforms/$1.xml dir=$work/$2.$3.$4
	[ "$1" = graphene ] && file=data/machines/graphene.xml
	[ -d "$dir" ] || python3 tests/peer/traces.py "$2" "$3" "$4" "$dir"
	hosts "$1" "$3" >"$work/hosts.$1.$3"
	tests/peer/compare "$file" "$work/hosts.$1.$3" "$dir" "$3" "${@:5}" ||
		failed=$((failed + 1))
	count=$((count + 1))
}

factors="--cfg=smpi/bw-factor:0:0.7;1420:0.9;65536:0.95"
factors+=" --cfg=smpi/lat-factor:0:1.2;1420:2.5;65536:4"
protocol="--cfg=smpi/async-small-thresh:900 --cfg=smpi/os:0:1e-5:1e-10;4096:2e-5:2e-10"
protocol+=" --cfg=smpi/or:0:2e-5:3e-10 --cfg=smpi/ois:0:5e-6:1e-10"
for platform in $(printf '%s\n' graphene backbone limited two_zones hosts changing | my_part); do
	for kind in ring stencil cg tiny; do
		for ranks in 8 $([ "$full" = 1 ] && echo "16 64" || echo 64); do
			run $platform $kind "$ranks" 0
		done
	done
	for seed in $seeds; do
		for kind in p2p coll mix poll any; do
			for ranks in 8 $([ "$full" = 1 ] && echo "13 32 64" || echo 16); do
				run $platform $kind "$ranks" "$seed"
			done
		done
		run $platform mix 8 "$((seed + 100))" $factors
		[ $platform = changing ] ||
			run $platform mix 8 "$((seed + 300))" --cfg=network/model:IB
		run $platform mix 8 "$((seed + 200))" $protocol
	done
done
echo "$count comparisons, $failed failed"
[ "$failed" = 0 ]
