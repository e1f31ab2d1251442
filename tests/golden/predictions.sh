#!/bin/bash
# predictions.sh [--update]: tests/predictions.csv holds the simulated time of trace x platform x settings. A change of a model shows here as a
# diff that its commit explains; --update rewrites the file (make golden-update does). What is right is not decided here but by the unit
# tests' formulas and by tests/peer.
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
	"$ORRERY" replay "$dir/list" -p "$4" -q --oversubscribe "${cfg[@]}" | sed -n 's/^simulated time: \(.*\) s$/\1/p'
}

all() {
	echo "trace,ranks,seed,machine,settings,simulated time (s)"
	for trace in "ring 8 0" "stencil 16 0" "cg 16 0" "coll 13 1" "mix 8 1" "p2p 12 2"; do
		for machine in graphene bordereau tibidabo stampede tests/peer/platforms/limited.xml tests/peer/platforms/two_zones.xml; do
			for settings in "" "compat:simgrid-3.32" "network/model:LV08" "network/model:CM02"; do
				# shellcheck disable=SC2086
				set -- $trace
				echo "$1,$2,$3,$machine,$settings,$(predict "$1" "$2" "$3" "$machine" "$settings")"
			done
		done
		# models with nodes and busses
		for machine in graphene tests/platforms/mixed.psins; do
			for model in psins-simple psins-bus psins-in psins-out psins-pmac dimemas; do
				# shellcheck disable=SC2086
				set -- $trace
				echo "$1,$2,$3,$machine,network/model:$model,$(predict "$1" "$2" "$3" "$machine" "network/model:$model")"
			done
		done
		# any model on their machine; their models with messages, others without
		for settings in "" "network/model:psins-bus smpi/collectives:simulated" "smpi/collectives:analytic"; do
			# shellcheck disable=SC2086
			set -- $trace
			echo "$1,$2,$3,tests/platforms/mixed.psins,$settings,$(predict "$1" "$2" "$3" tests/platforms/mixed.psins "$settings")"
		done
	done
}

# Every collective algorithm on a tree of switches, a torus and a fat tree: one call by 13 ranks, or by 8, or by 2 where they refuse.
collectives() {
	local kind machine
	for kind in barrier bcast reduce allreduce gather gatherv scatter scatterv allgather allgatherv alltoall alltoallv alltoallw reduce_scatter \
		reduce_scatter_block scan exscan; do
		for machine in graphene tests/platforms/torus_3d.xml tests/platforms/fat_tree.xml; do
			local bytes=(--bytes 1024,131072)
			[ $kind = barrier ] && bytes=()
			"$ORRERY" coll $kind -p $machine --np 2,8,13 "${bytes[@]}" --oversubscribe -q -j 2 --csv "$work/coll.csv" >/dev/null || return 1
			awk -F, -v m=$machine -v kind=$kind 'NR > 1 && $5 != "" { at[$4 "," $3 "," $2] = $5 } NR > 1 { name[$4 "," $3] = 1 }
				END { for (k in name) { p = 13; if (at[k ",13"] == "") p = at[k ",8"] != "" ? 8 : 2
					split(k, w, ","); printf "%s,%d,0,%s,%s bytes:%s,%.9f\n", kind, p, m, w[1], w[2], at[k "," p] } }' \
				"$work/coll.csv" | LC_ALL=C sort
		done
	done
}

{ all && collectives; } >"$work/now.csv"
if [ "${1:-}" = --update ]; then
	cp "$work/now.csv" $table
	exit
fi
diff -u $table "$work/now.csv" || { echo "predictions have changed: explain each line in the commit, then make golden-update"; exit 1; }
echo "$(($(wc -l <$table) - 1)) predictions unchanged"
