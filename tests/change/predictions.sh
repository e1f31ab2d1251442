#!/bin/bash
# predictions.sh [--update]: tests/predictions.csv holds the simulated time of trace x platform x
# settings. A change of a model shows here as a diff that its commit explains; --update rewrites the
# file (make golden-update does). What is right is not decided here but by the unit tests' formulas
# and by tests/peer.
set -u
cd "$SRC" || exit 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
table=tests/predictions.csv

predict() { # KIND RANKS SEED MACHINE SETTINGS
	local dir=$work/$1.$2.$3
	[ -d "$dir" ] || python3 tests/peer/traces.py "$1" "$2" "$3" "$dir"
	local cfg=()
	for s in $5; do cfg+=(--cfg "$s"); done
	"$ORRERY" replay "$dir/list" -p "$4" -q --oversubscribe "${cfg[@]}" |
		sed -n 's/^simulated time: \(.*\) s$/\1/p'
}

all() {
	echo "trace,ranks,seed,machine,settings,simulated time (s)"
	for trace in "ring 8 0" "stencil 16 0" "cg 16 0" "coll 13 1" "mix 8 1" "p2p 12 2"; do
		for machine in graphene bordereau tibidabo stampede \
			tests/peer/platforms/limited.xml tests/peer/platforms/two_zones.xml; do
			for settings in "" "compat:simgrid-3.32" "network/model:LV08" \
				"network/model:CM02"; do
				# shellcheck disable=SC2086
				set -- $trace
				echo "$1,$2,$3,$machine,$settings,$(predict "$1" "$2" "$3" \
					"$machine" "$settings")"
			done
		done
		# models with nodes and busses
		for machine in graphene tests/platforms/mixed.psins; do
			for model in psins-simple psins-bus psins-in psins-out psins-pmac dimemas
			do
				# shellcheck disable=SC2086
				set -- $trace
				echo "$1,$2,$3,$machine,network/model:$model,$(predict "$1" "$2" \
					"$3" "$machine" "network/model:$model")"
			done
		done
		# any model on their machine; their models with messages, others without
		for settings in "" "network/model:psins-bus smpi/collectives:simulated" \
			"smpi/collectives:analytic"; do
			# shellcheck disable=SC2086
			set -- $trace
			echo "$1,$2,$3,tests/platforms/mixed.psins,$settings,$(predict "$1" "$2" \
				"$3" tests/platforms/mixed.psins "$settings")"
		done
	done
}

# Every collective algorithm on a tree of switches, a torus and a fat tree: one call by 13 ranks, or
# by 8, or by 2 where they refuse.
collectives() {
	local kind machine
	for kind in barrier bcast reduce allreduce gather gatherv scatter scatterv allgather \
		allgatherv alltoall alltoallv alltoallw reduce_scatter \
		reduce_scatter_block scan exscan; do
		for machine in graphene tests/platforms/{torus_3d,fat_tree}.xml; do
			local bytes=(--bytes 1024,131072)
			[ $kind = barrier ] && bytes=()
			"$ORRERY" coll $kind -p $machine --np 2,8,13 "${bytes[@]}" --oversubscribe \
				--full -q -j 2 --csv "$work/coll.csv" >/dev/null || return 1
			awk -F, -v m=$machine -v kind=$kind '
				NR > 1 { name[$4 "," $3] = 1 }
				NR > 1 && $5 != "" { at[$4 "," $3 "," $2] = $5 }
				END {
					for (k in name) {
						p = 13
						if (at[k ",13"] == "") p = at[k ",8"] != "" ? 8 : 2
						split(k, w, ",")
						printf "%s,%d,0,%s,%s bytes:%s,%.9f\n",
							kind, p, m, w[1], w[2], at[k "," p]
					}
				}' "$work/coll.csv" | LC_ALL=C sort
		done
	done
}

# And those among neighbours: 13 ranks in a ring.
neighbors() {
	local kind machine rank args
	for kind in neighbor_allgather neighbor_allgatherv neighbor_alltoall neighbor_alltoallv \
		neighbor_alltoallw; do
		case $kind in # 1024 bytes for, or from, each neighbour
		neighbor_allgather | neighbor_alltoall) args="1024 1024 6 6" ;;
		neighbor_allgatherv) args="1024 6 6 rcounts=1024,1024" ;;
		*) args="6 6 scounts=1024,1024 rcounts=1024,1024" ;;
		esac
		echo "# orrery-trace 1" >"$work/neighbors.trace"
		for rank in 0 1 2 3 4 5 6 7 8 9 10 11 12; do
			echo "$rank comm_create comm=0.0 members=0-12 dims=13 periods=1"
			echo "$rank $kind $args comm=0.0"
		done >>"$work/neighbors.trace"
		for machine in graphene tests/platforms/{torus_3d,fat_tree}.xml; do
			time=$("$ORRERY" replay "$work/neighbors.trace" -p "$machine" -q \
				--oversubscribe --cfg smpi/comm-setup:none |
				sed -n 's/^simulated time: \(.*\) s$/\1/p')
			echo "$kind,13,0,$machine,linear_nb bytes:1024,$time"
		done
	done
}

# Every algorithm that there is (the table of docs/collectives.md, which tests/tools/coll_docs.sh
# holds to the registered ones) has a time on each of the three machines; defective ones are
# compat's alone.
missing() {
	awk -F' *[|] *' \
		'$3 ~ /^`[A-Za-z0-9_]+`$/ && $6 !~ /[*]/ { gsub("`", "", $3); print $2, $3 }' \
		docs/collectives.md | while read -r kind name; do
		for machine in graphene tests/platforms/{torus_3d,fat_tree}.xml; do
			grep -Eq "^$kind,[0-9]+,0,$machine,$name( bytes:[0-9]+)?,[0-9.]+$" \
				"$work/now.csv" || echo "$kind $name on $machine"
		done
	done
}

{ all && collectives && neighbors; } >"$work/now.csv"
without=$(missing)
[ -z "$without" ] || { printf 'algorithms without a prediction:\n%s\n' "$without"; exit 1; }
if [ "${1:-}" = --update ]; then
	cp "$work/now.csv" $table
	exit
fi
diff -u $table "$work/now.csv" ||
	{ echo "predictions have changed: explain each line in the commit, then make golden-update";
	exit 1; }
echo "$(($(wc -l <$table) - 1)) predictions unchanged"
