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

all >"$work/now.csv"
if [ "${1:-}" = --update ]; then
	cp "$work/now.csv" $table
	exit
fi
diff -u $table "$work/now.csv" || { echo "predictions have changed: explain each line in the commit, then make golden-update"; exit 1; }
echo "$(($(wc -l <$table) - 1)) predictions unchanged"
