#!/bin/bash
# A dragonfly of four groups of two chassis of two routers: SimGrid reads outside its tables on ways
# to groups 2 and 3. In compat the others are its own: rings of ranks in groups 0 and 1, and
# messages there from group 3 without cross-traffic (whose ways go back). Skipped (77) without
# SimGrid.
set -u
cd "${SRC:-$(dirname "$0")/../..}" || exit 1
export ORRERY=${ORRERY:-$PWD/build-dev/orrery}
. tests/need.bash
need smpirun:libsimgrid-dev
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cat >"$work/fly.xml" <<END
<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="w" routing="Full">
<cluster id="t" prefix="n" suffix="" radical="0-31" speed="1Gf" bw="1GBps" lat="5us"
	topology="DRAGONFLY" topo_parameters="4,2;2,3;2,4;2"/>
</zone></platform>
END
failed=0
compare() { # NAME [--cfg=…]; $work/hosts and $work/NAME/*.txt are there
	ls "$work/$1"/*.txt >"$work/$1/list"
	out=$(tests/peer/compare "$work/fly.xml" "$work/hosts" "$work/$1" \
		"$(wc -l <"$work/$1/list")" "${@:2}")
	echo "$out"
	awk '{exit !($(NF - 1) <= 6e-6)}' <<<"$out" || failed=1
}
mkdir "$work/ring" "$work/one-way"
for i in {0..9}; do
	j=$(((i * 7) % 16))
	echo "n$j" >>"$work/hosts"
	to=$(((i + 3) % 10)) from=$(((i + 7) % 10))
	for size in 100 70000 900000; do
		echo "$i irecv $from 0 $size 6"
		echo "$i isend $to 0 $size 6"
		echo "$i waitall 2"
	done | sed "1i $i init" | sed "\$a $i finalize" >"$work/ring/$i.txt"
done
compare ring
printf 'n25\nn30\nn3\nn14\n' >"$work/hosts"
printf '0 init\n0 send 2 0 200000 6\n0 finalize\n' >"$work/one-way/0.txt"
printf '1 init\n1 send 3 0 500000 6\n1 finalize\n' >"$work/one-way/1.txt"
printf '2 init\n2 recv 0 0 200000 6\n2 finalize\n' >"$work/one-way/2.txt"
printf '3 init\n3 recv 1 0 500000 6\n3 finalize\n' >"$work/one-way/3.txt"
compare one-way --cfg=network/crosstraffic:no --cfg=smpi/send-is-detached-thresh:0
echo n20 >"$work/hosts" && echo n1 >>"$work/hosts" && rm "$work/ring"/*
printf '0 init\n0 recv 1 0 5 6\n0 finalize\n' >"$work/ring/0.txt"
printf '1 init\n1 send 0 0 5 6\n1 finalize\n' >"$work/ring/1.txt"
ls "$work/ring"/*.txt >"$work/ring/list"
said=$("$ORRERY" replay "$work/ring/list" -p "$work/fly.xml" --hostfile "$work/hosts" --cfg \
	compat:simgrid-3.32 2>&1)
[ $? = 2 ] && grep -q 'a way to group 2 of a dragonfly of 2 routers per chassis' <<<"$said" ||
	{ echo "not refused: $said"; failed=1; }
exit $failed
