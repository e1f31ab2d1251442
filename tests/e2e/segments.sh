#!/bin/bash
# Segments under way at once that are simulated as one message (src/mp/coll/segments.c) arrive when
# they would one by one: the same simulated time, messages counted alike, as with --explain, which
# looks at each message and so keeps them apart. Pipelines and trees in segments, where all cross
# one switch and where ways share links.
. "$SRC/tests/need.bash"
scratch
printf '%s\n' '<?xml version="1.0"?>' \
	'<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">' '<platform version="4.1">' \
	'<cluster id="c" prefix="n" suffix="" radical="0-12" speed="1Gf" bw="125MBps" lat="1us"/>' \
	'</platform>' >flat.xml
cp "$SRC/tests/platforms/torus_3d.xml" torus.xml || exit 2
figures() { # OPTIONS…: messages and simulated time of a replay of t
	"$ORRERY" replay -q t "$@" 2>&1 |
		sed -n 's/.*, \([0-9]* messages\) in.*/\1/p; s/^.*\(simulated time: .*\)/\1/p'
}
for what in bcast/{NTSL,NTSL_Isend,NTSB,flattree_pipeline,ompi_split_bintree,ompi_pipeline} \
	reduce/{ompi_pipeline,ompi_chain,ompi_binary,arrival_pattern_aware}; do
	awk -v line="${what%/*} 300000 0" -v more="$([[ $what == reduce* ]] && echo ' 0')" 'BEGIN {
		for (r = 0; r < 13; r++) {
			print r " init"; print r " " line more; print r " finalize"
		} }' >t
	for machine in flat torus; do
		options=(-p $machine.xml --cfg "smpi/${what%/*}:${what#*/}")
		together=$(figures "${options[@]}")
		apart=$(figures "${options[@]}" --explain rank:1)
		[[ $together == *messages*"simulated time: 0.0"* && $together == "$apart" ]] ||
			bad "$what on $machine: $together; one by one: $apart"
	done
done
exit $failed
