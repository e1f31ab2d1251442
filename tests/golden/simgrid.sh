#!/bin/bash
# simgrid.sh [--update]: simgrid.csv holds what smpirun -replay of SimGrid 3.32 gives for a trace, a
# platform and settings. With compat:simgrid-3.32 each time is the same within 1e-6. --update asks
# the smpirun that is installed here and writes the file anew.
set -u
cd "$SRC" || exit 2
. tests/need.bash
table=$SRC/tests/golden/simgrid.csv
head="trace,ranks,seed,machine,settings,simulated time of SimGrid 3.32 (s)"
scratch

trace() { # KIND RANKS SEED: its list of files
	local dir=$tmp/$1.$2.$3
	[ -d "$dir" ] || python3 "$SRC/tests/peer/traces.py" "$1" "$2" "$3" "$dir"
	echo "$dir/list"
}

ours() { # LIST MACHINE SETTINGS
	"$ORRERY" replay "$1" -p "$2" -q --oversubscribe --cfg compat:simgrid-3.32 \
		${3:+--cfg "$3"} | sed -n 's/^simulated time: \(.*\) s$/\1/p'
}

theirs() { # LIST RANKS MACHINE SETTINGS; the date that the log line of its end carries
	local file=$3
	[ -f "$file" ] || file=$SRC/data/machines/$3.xml
	smpirun -replay "$1" -np "$2" -platform "$file" --cfg=smpi/host-speed:1Gf ${4:+--cfg="$4"} \
		--log=root.fmt:%.12d%e%m%n 2>&1 | sed -n 's/ Simulation time .*//p'
}

update() {
	need smpirun:libsimgrid-dev
	echo "$head"
	for trace in "ring 8 0" "stencil 16 0" "cg 16 0" "coll 13 1" "mix 8 1" "p2p 12 2"; do
		for machine in graphene bordereau tibidabo stampede \
			tests/peer/platforms/limited.xml tests/peer/platforms/two_zones.xml; do
			local file=$machine
			[[ $machine != *.xml ]] || file=$SRC/$machine
			for settings in "" network/model:LV08 network/model:CM02 \
				smpi/simulate-computation:no network/latency-factor:5; do
				# shellcheck disable=SC2086
				set -- $trace
				echo "$1,$2,$3,$machine,$settings,$(theirs \
					"$(trace "$1" "$2" "$3")" "$2" "$file" "$settings")"
			done
		done
	done
	# what tells these settings from their defaults by more than the limit; where the last bit
	# of a penalty decides; what marks a processor; what a test puts behind others of its key;
	# what is over within the precision, at date 0 and after sleeps that it makes longer
	local full=network/optim:Full
	while read -r kind ranks seed machine settings; do
		echo "$kind,$ranks,$seed,$machine,$settings,$(theirs \
			"$(trace "$kind" "$ranks" "$seed")" "$ranks" "$SRC/$machine" "$settings")"
	done <<-END
	p2p 12 2 tests/peer/platforms/limited.xml surf/precision:1e-6
	p2p 12 2 tests/peer/platforms/two_zones.xml surf/precision:1e-6
	coll 13 1 tests/peer/platforms/narrow_fatpipe.xml
	p2p 12 2 tests/peer/platforms/narrow_fatpipe.xml
	coll 13 1 tests/peer/platforms/two_zones.xml $full
	coll 13 1 tests/peer/platforms/two_zones.xml $full network/maxmin-selective-update:yes
	marks 6 0 tests/peer/platforms/three_hosts.xml
	twins 6 0 tests/peer/platforms/three_hosts.xml
	noughts 6 0 tests/peer/platforms/three_hosts.xml surf/precision:1e-6
	early 6 0 tests/peer/platforms/three_hosts.xml
	early 6 0 tests/peer/platforms/three_hosts.xml surf/precision:1e-6
	early 6 0 tests/peer/platforms/three_hosts.xml surf/precision:1e-6 smpi/or:0:1e-7:0
	END
}

if [ "${1:-}" = --update ]; then
	update >"$tmp/new" && cp "$tmp/new" "$table"
	exit
fi
count=0
while IFS=, read -r kind ranks seed machine settings expected; do
	[[ $machine != *.xml ]] || machine=$SRC/$machine
	got=$(ours "$(trace "$kind" "$ranks" "$seed")" "$machine" "$settings")
	awk -v a="$expected" -v b="$got" \
		'BEGIN { d = a > b ? a - b : b - a; exit !(a > 0 && b != "" && d <= 1e-6 * a) }' ||
		bad "$kind $ranks $seed on $machine $settings: SimGrid $expected s, here $got s"
	count=$((count + 1))
done < <(tail -n +2 "$table")
[ "$count" -ge 100 ] || bad "only $count rows"
exit "$failed"
