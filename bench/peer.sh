#!/bin/bash
# peer.sh: replay beside SimGrid 3.32, in one run. Three tables:
#   1. small messages: actions per second of processor time (user) and peak memory of both, and their ratio
#   2. growth by ranks of collectives: seconds of processor time of both
#   3. 2^20 ranks: seconds and MiB (SimGrid is not asked)
# Both replay the same trace (gen_trace.c) on the same platform and placement; the model is hybrid (SimGrid: SMPI). Ours runs a longer trace of
# the same pattern too (LONG), so that its start does not count. SimGrid's columns are empty where it is not installed, or where its run was
# stopped after PEER_SECONDS (40) of processor time: a busy computer changes neither side's figures much. PEER_PART=1,2,3 chooses tables.
set -u
cd "$(dirname "$0")/.." || exit 2
ORRERY=${ORRERY:-$PWD/build/orrery} limit=${PEER_SECONDS:-40} parts=${PEER_PART:-123}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gcc -O2 -o "$work/gen" bench/gen_trace.c || exit 2

cluster() { # NAME HOSTS ATTRIBUTES: one <cluster>, 1 Gflop/s, 1 Gb/s links
	cat >"$work/$1.xml" <<-EOF
		<?xml version="1.0"?>
		<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
		<platform version="4.1"><zone id="w" routing="Full">
		<cluster id="c" prefix="n" suffix="" radical="0-$(($2 - 1))" speed="1Gf" bw="125MBps" $3/>
		</zone></platform>
	EOF
}

platform() { # KIND RANKS: the file, and $work/hosts.KIND.RANKS
	local n=$2 kind=$1 file=$work/$1.$2.xml side up
	seq 0 $((n - 1)) | sed 's/^/n/' >"$work/hosts.$kind.$n"
	case $kind in
	graphene)
		file=data/machines/graphene.xml
		seq 0 $((n - 1)) | awk '{ print "graphene-" $1 % 144 ".nancy.grid5000.fr" }' >"$work/hosts.$kind.$n"
		;;
	flat) cluster "$kind.$n" "$n" 'lat="50us"' ;;
	backbone) cluster "$kind.$n" "$n" 'lat="50us" bb_bw="2.25GBps" bb_lat="500us"' ;;
	fat_tree) # two levels up to 1,024 hosts, then of 32 by 32 by as many as needed
		side=$(awk -v n="$n" 'BEGIN { s = 1; while (s * s < n) s *= 2; print s }')
		up=$((n / side))
		if ((n <= 1024)); then
			cluster "$kind.$n" "$n" "lat=\"1us\" topology=\"FAT_TREE\" topo_parameters=\"2;$up,$side;1,$up;1,1\""
		else
			cluster "$kind.$n" "$n" "lat=\"1us\" topology=\"FAT_TREE\" topo_parameters=\"4;32,32,32,$((n / 32768));1,32,32,32;1,1,1,1\""
		fi
		;;
	torus)
		side=$(awk -v n="$n" 'BEGIN { a = b = c = 1; while (a * b * c < n) { if (a <= b && a <= c) a *= 2; else if (b <= c) b *= 2; else c *= 2 } print a "," b "," c }')
		cluster "$kind.$n" "$n" "lat=\"1us\" topology=\"TORUS\" topo_parameters=\"$side\""
		;;
	dragonfly) # groups of 4 chassis of 4 routers
		side=$(awk -v n="$n" 'BEGIN { print n / 64 < 4 ? "2,1;4,1;4,1;" n / 32 : "4,1;4,1;4,1;" n / 64 }')
		cluster "$kind.$n" "$n" "lat=\"1us\" topology=\"DRAGONFLY\" topo_parameters=\"$side\""
		;;
	esac
	echo "$file"
}

trace() { # PATTERN RANKS STEPS: its list
	local dir=$work/$1.$2.$3
	[[ -d $dir ]] || "$work/gen" "$1" "$2" "$3" "$dir" || exit 2
	echo "$dir/list"
}

used() { # FILE: "seconds MiB" of a run of /usr/bin/time, or "- -"
	awk '/^used / { s = $2; m = $3 / 1024; ok = 1 } /^Command|terminated/ { bad = 1 } END { if (ok && !bad) printf "%.2f %.0f\n", s, m; else print "- -" }' "$1"
}

ours() { # LIST PLATFORM HOSTFILE [OPTIONS]
	/usr/bin/time -f 'used %U %M' "$ORRERY" replay -q --oversubscribe "$1" -p "$2" --hostfile "$3" "${@:4}" >"$work/out" 2>"$work/time"
	used "$work/time"
}

theirs() { # LIST PLATFORM HOSTFILE RANKS [OPTIONS]
	command -v smpirun >/dev/null || { echo "- -"; return; }
	(ulimit -t "$limit" && exec /usr/bin/time -f 'used %U %M' smpirun -np "$4" -hostfile "$3" -platform "$2" -replay "$1" --cfg=smpi/host-speed:1Gf \
		--log=root.thres:warning "${@:5}") >/dev/null 2>"$work/time" || echo terminated >>"$work/time"
	used "$work/time"
}

actions() { # LIST
	xargs cat <"$1" | wc -l
}

small() { # PATTERN KIND RANKS STEPS TIMES [OPTIONS]: TIMES as many steps for ours alone
	local short long file hosts a b o s
	short=$(trace "$1" "$3" "$4") long=$(trace "$1" "$3" $(($4 * $5))) file=$(platform "$2" "$3") hosts=$work/hosts.$2.$3
	a=$(actions "$short") b=$(actions "$long")
	o="$(ours "$long" "$file" "$hosts" "${@:6}")"
	[[ ${6:-} ]] && s="- -" || s=$(theirs "$short" "$file" "$hosts" "$3")
	awk -v w="$1 ${6:+${*:6}}" -v k="$2" -v n="$3" -v a="$a" -v b="$b" -v o="$o" -v s="$s" 'BEGIN {
		split(o, x, " "); split(s, y, " "); r = b / x[1]; t = y[1] == "-" ? 0 : a / y[1]
		printf "%-22s %-9s %5d %9d %11.0f %6s %9.0f %6s %7.1f\n", w, k, n, b, r / 1000, x[2], t / 1000, y[2], t ? r / t : 0 }'
}

growth() { # PATTERN KIND RANKS [SIMGRID OPTIONS]
	local list file hosts o s
	list=$(trace "$1" "$3" 1) file=$(platform "$2" "$3") hosts=$work/hosts.$2.$3
	o=$(ours "$list" "$file" "$hosts" "${@:5}")
	s=$([[ $4 = 1 ]] && theirs "$list" "$file" "$hosts" "$3" "${@:5}" || echo "- -")
	awk -v w="$1 ${5:-}" -v k="$2" -v n="$3" -v o="$o" -v s="$s" 'BEGIN { split(o, x, " "); split(s, y, " ")
		printf "%-44s %-9s %6d %8s %6s %8s %6s %7.1f\n", w, k, n, x[1], x[2], y[1], y[2], y[1] == "-" || x[1] == 0 ? 0 : y[1] / x[1] }'
}

if [[ $parts == *1* ]]; then
	printf '%-22s %-9s %5s %9s %11s %6s %9s %6s %7s\n' pattern platform ranks actions kaction/s MiB SimGrid MiB ratio
	for kind in ${PEER_KINDS:-flat backbone graphene fat_tree torus dragonfly}; do
		small lu $kind 64 600 10
		small cg $kind 64 400 10
		small lu $kind 1024 20 10
		small cg $kind 1024 10 10
		rm -rf "$work"/lu.* "$work"/cg.*
	done
	small lu flat 64 600 10 --model constant
	small lu flat 64 600 10 --cfg network/crosstraffic:no
	small cg flat 64 400 10 --model constant
fi
if [[ $parts == *2* ]]; then
	printf '%-44s %-9s %6s %8s %6s %8s %6s %7s\n' pattern platform ranks seconds MiB SimGrid MiB ratio
	for ((n = 256; n <= 1024; n *= 2)); do
		for kind in flat fat_tree; do
			growth alltoall $kind $n 1 --cfg=smpi/alltoall:basic_linear
			growth pairwise $kind $n 1
		done
	done
	for n in 256 512 1024 2048 4096 32768; do
		growth allreduce torus $n $((n <= 4096)) --cfg=smpi/allreduce:rdb
	done
fi
if [[ $parts == *3* ]]; then
	printf '%-44s %-9s %7s %8s %6s\n' '2^20 ranks' platform ranks seconds MiB
	file=$(platform fat_tree 1048576)
	awk 'BEGIN { for (i = 0; i < 1048576; i++) print i " init\n" i " finalize" }' >"$work/empty"
	awk 'BEGIN { for (i = 0; i < 1048576; i++) print i " init\n" i " allreduce 1 0 0\n" i " finalize" }' >"$work/allreduce"
	for what in empty allreduce; do
		printf '%-44s %-9s %7d %8s %6s\n' $what fat_tree 1048576 $(ours "$work/$what" "$file" "$work/hosts.fat_tree.1048576")
	done
fi
