#!/bin/bash
# turns.sh: what begins first at a date decides which links SimGrid's selective update leaves out.
# Who goes on first of the two that a message ends for: on a torus, a barrier, then alltoallv, in
# two waves of four messages a rank. Which of two equal computations ends first: on a fat tree, two
# ranks a host. The replayers agree within the digits that SimGrid prints (6). Skipped (77) without
# SimGrid.
set -u
cd "${SRC:-$(dirname "$0")/../..}" || exit 1
export ORRERY=${ORRERY:-$PWD/build-dev/orrery}
. tests/need.bash
need_simgrid 3.32
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0 counts=$(printf ' 65536%.0s' 1 2 3 4 5 6 7 8)
for ((i = 0; i < 8; i++)); do
	printf '%d init\n%d barrier\n%d alltoallv 524288%s 524288%s 6 6\n%d finalize\n' $i $i $i \
		"$counts" "$counts" $i >"$work/$i.txt"
	echo "$work/$i.txt" >>"$work/list"
	echo "n$i" >>"$work/hosts"
done
for links in 'bw="125MBps" lat="10us" sharing_policy="SPLITDUPLEX"' \
	'bw="100MBps" lat="50us" sharing_policy="SPLITDUPLEX"' \
	'bw="1GBps" lat="500ns" limiter_link="1.5GBps" sharing_policy="SHARED"' \
		'bw="100MBps" lat="1us" limiter_link="150MBps" sharing_policy="SHARED"'; do
	cat >"$work/p.xml" <<-END
	<?xml version="1.0"?>
	<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
	<platform version="4.1"><zone id="w" routing="Full">
	<cluster id="t" prefix="n" suffix="" radical="0-63" speed="1Gf" $links
		topology="TORUS" topo_parameters="4,4,4"/></zone></platform>
	END
	out=$(tests/peer/compare "$work/p.xml" "$work/hosts" "$work" 8 \
		--cfg=smpi/barrier:ompi_bruck --cfg=smpi/alltoallv:bruck)
	echo "$links: $out"
	awk '{exit !($(NF - 1) <= 6e-6)}' <<<"$out" || failed=$((failed + 1))
done

# Two by two ranks: a wave from the first to the last, each message of $1 bytes, after $2 flops.
wave() {
	for ((i = 0; i < 4; i++)); do
		((i < 2)) || echo "$i recv $((i - 2)) 4 $1 6" >>"$work/w$i"
		((i % 2 == 0)) || echo "$i recv $((i - 1)) 5 $1 6" >>"$work/w$i"
		echo "$i compute $2" >>"$work/w$i"
		((i >= 2)) || echo "$i send $((i + 2)) 4 $1 6" >>"$work/w$i"
		((i % 2 == 1)) || echo "$i send $((i + 1)) 5 $1 6" >>"$work/w$i"
	done
}
ring() {
	for ((i = 0; i < 4; i++)); do
		local out="$i send $(((i + 1) % 4)) 2 5000 6" in="$i recv $(((i + 3) % 4)) 2 5000 6"
		((i == 0)) && printf '0 compute 331\n%s\n%s\n' "$out" "$in" >>"$work/w$i"
		((i == 0)) || printf '%d compute 331\n%s\n%s\n' $i "$in" "$out" >>"$work/w$i"
	done
}
back() {
	for ((i = 0; i < 4; i++)); do
		local from=$(((i + 1) % 4)) to=$(((i + 3) % 4))
		{
			printf '%d compute 257020\n%d irecv %d 1 5000 6\n' $i $i $from
			printf '%d send %d 1 5000 6\n%d wait %d %d 1\n' $i $to $i $from $i
		} >>"$work/w$i"
	done
}
rm "$work/list"
for ((i = 0; i < 4; i++)); do
	printf '%d init\n%d compute 730224\n' $i $i >"$work/w$i"
	echo "$work/w$i" >>"$work/list"
done
wave 1000 730224
ring && ring
back && back && back && back
for ((n = 0; n < 4; n++)); do wave 45875 34008; done
for ((i = 0; i < 4; i++)); do echo "$i finalize" >>"$work/w$i"; done
printf 'n%d\n' 0 0 1 1 >"$work/hosts"
cat >"$work/p.xml" <<-END
<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="w" routing="Full">
<cluster id="f" prefix="n" suffix="" radical="0-63" speed="1Gf" bw="125MBps" lat="1us"
	topology="FAT_TREE" topo_parameters="2;8,8;1,8;1,1"/></zone></platform>
END
out=$(tests/peer/compare "$work/p.xml" "$work/hosts" "$work" 4)
echo "equal computations: $out"
awk '{exit !($(NF - 1) <= 6e-6)}' <<<"$out" || failed=$((failed + 1))
[ "$failed" = 0 ]
