#!/bin/bash
# peer.sh: replay beside SimGrid 3.32, in one run. Three tables:
#   1. small messages: actions per second of processor time (user) and peak memory of both, and
#   their ratio
#   2. growth by ranks of collectives: seconds of processor time of both
#   3. 2^20 ranks: seconds and MiB (SimGrid is not asked)
# Both replay the same trace (gen_trace.c) on the same platform and placement; the model is hybrid
# (SimGrid: SMPI). Table 1 has two ratios: of whole runs, the starts of both included, and of what
# is left when that of a trace with nothing but init and finalize is taken away from both. Ours runs
# PEER_TIMES (10) times, because one run is too short for the clock. SimGrid's columns are empty
# where it is not installed, or where its run was stopped after PEER_SECONDS (40) of processor time:
# a busy computer changes neither side's figures much. PEER_PART=1,2,3 chooses tables, PEER_KINDS
# platforms, PEER_SIZES (64 1024) ranks.
set -u
cd "$(dirname "$0")/.." || exit 2
ORRERY=${ORRERY:-$PWD/build/orrery} limit=${PEER_SECONDS:-40} times=${PEER_TIMES:-10} \
	turns=${PEER_TURNS:-5} parts=${PEER_PART:-123}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gcc -O2 -o "$work/gen" bench/gen_trace.c || exit 2

cluster() { # NAME HOSTS ATTRIBUTES: one <cluster>, 1 Gflop/s, 1 Gb/s links
	cat >"$work/$1.xml" <<-EOF
		<?xml version="1.0"?>
		<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
		<platform version="4.1"><zone id="w" routing="Full">
		<cluster id="c" prefix="n" suffix="" radical="0-$(($2 - 1))" speed="1Gf"
			bw="125MBps" $3/>
		</zone></platform>
	EOF
}

platform() { # KIND RANKS: the file, and $work/hosts.KIND.RANKS
	local n=$2 kind=$1 file=$work/$1.$2.xml side up
	seq 0 $((n - 1)) | sed 's/^/n/' >"$work/hosts.$kind.$n"
	case $kind in
	graphene)
		file=data/machines/graphene.xml
		seq 0 $((n - 1)) | awk '{ print "graphene-" $1 % 144 ".nancy.grid5000.fr" }' \
			>"$work/hosts.$kind.$n"
		;;
	flat) cluster "$kind.$n" "$n" 'lat="50us"' ;;
	backbone) cluster "$kind.$n" "$n" 'lat="50us" bb_bw="2.25GBps" bb_lat="500us"' ;;
	fat_tree) # two levels up to 1,024 hosts, then of 32 by 32 by as many as needed
		side=$(awk -v n="$n" 'BEGIN { s = 1; while (s * s < n) s *= 2; print s }')
		up=$((n / side))
		tree="2;$up,$side;1,$up;1,1"
		((n <= 1024)) || tree="4;32,32,32,$((n / 32768));1,32,32,32;1,1,1,1"
		cluster "$kind.$n" "$n" \
			"lat=\"1us\" topology=\"FAT_TREE\" topo_parameters=\"$tree\""
		;;
	torus)
		side=$(awk -v n="$n" 'BEGIN {
			a = b = c = 1
			while (a * b * c < n) {
				if (a <= b && a <= c) a *= 2
				else if (b <= c) b *= 2
				else c *= 2
			}
			print a "," b "," c
		}')
		cluster "$kind.$n" "$n" "lat=\"1us\" topology=\"TORUS\" topo_parameters=\"$side\""
		;;
	dragonfly) # groups of 4 chassis of 4 routers
		side=$(awk -v n="$n" 'BEGIN {
			print n / 64 < 4 ? "2,1;4,1;4,1;" n / 32 : "4,1;4,1;4,1;" n / 64
		}')
		cluster "$kind.$n" "$n" \
			"lat=\"1us\" topology=\"DRAGONFLY\" topo_parameters=\"$side\""
		;;
	esac
	echo "$file"
}

trace() { # PATTERN RANKS STEPS: its list
	local dir=$work/$1.$2.$3 i
	if [[ $1 = empty && ! -d $dir ]]; then
		mkdir "$dir"
		for ((i = 0; i < $2; i++)); do
			printf '%d init\n%d finalize\n' $i $i >"$dir/$i.txt"
			echo "$dir/$i.txt" >>"$dir/list"
		done
	fi
	[[ -d $dir ]] || "$work/gen" "$1" "$2" "$3" "$dir" || exit 2
	echo "$dir/list"
}

used() { # FILE: "seconds MiB" of a run of /usr/bin/time, or "- -"
	awk '/^used / { s = $2; m = $3 / 1024; ok = 1 }
		/^Command|terminated/ { bad = 1 }
		END { if (ok && !bad) printf "%.2f %.0f\n", s, m; else print "- -" }' "$1"
}

again() { # TIMES COMMAND…: until it fails
	local n=$1 i
	for ((i = 0; i < n; i++)); do "${@:2}" || return; done
}
export -f again

ours_times() { # TIMES LIST PLATFORM HOSTFILE [OPTIONS]: seconds of one run
	/usr/bin/time -f 'used %U %M' bash -c 'again "$@"' again "$1" "$ORRERY" replay -q \
		--oversubscribe "$2" -p "$3" --hostfile "$4" "${@:5}" \
		>"$work/out" 2>"$work/time"
	used "$work/time" | awk -v n="$1" '{ print ($1 == "-" ? "-" : $1 / n), $2 }'
}

ours() { # LIST PLATFORM HOSTFILE [OPTIONS]
	ours_times 1 "$@"
}

theirs() { # LIST PLATFORM HOSTFILE RANKS [OPTIONS]
	command -v smpirun >/dev/null || { echo "- -"; return; }
	(ulimit -t "$limit" && exec /usr/bin/time -f 'used %U %M' smpirun -np "$4" \
		-hostfile "$3" -platform "$2" -replay "$1" --cfg=smpi/host-speed:1Gf \
		--log=root.thres:warning "${@:5}") >/dev/null 2>"$work/time" ||
			echo terminated >>"$work/time"
	used "$work/time"
}

actions() { # LIST
	xargs cat <"$1" | wc -l
}

median() { # lines "SECONDS MIB": the one in the middle; "- -" if one is
	sort -n | awk '{ line[NR] = $0; if ($1 == "-") bad = 1 }
		END { print bad ? "- -" : line[int((NR + 1) / 2)] }'
}

small() { # PATTERN KIND RANKS STEPS [OPTIONS]
	local list none file hosts a o o0 s='- -' s0='- -' turn at
	list=$(trace "$1" "$3" "$4") none=$(trace empty "$3" 0) file=$(platform "$2" "$3") \
		hosts=$work/hosts.$2.$3
	a=$(actions "$list")
	at=$work/turn
	rm -f "$at".*
	for ((turn = 0; turn < turns; turn++)); do
		ours_times "$times" "$list" "$file" "$hosts" "${@:5}" >>"$at.o"
		ours_times "$times" "$none" "$file" "$hosts" "${@:5}" >>"$at.o0"
		if [[ ! ${5:-} && $s != stopped ]]; then
			theirs "$list" "$file" "$hosts" "$3" >>"$at.s"
			theirs "$none" "$file" "$hosts" "$3" >>"$at.s0"
			[[ $(tail -n 1 "$at.s") != '- -' ]] || s=stopped
		fi
	done
	o=$(median <"$at.o") o0=$(median <"$at.o0")
	[[ ${5:-} ]] || s=$(median <"$at.s") s0=$(median <"$at.s0")
	awk -v w="$1 ${5:+${*:5}}" -v k="$2" -v n="$3" -v a="$a" \
		-v o="$o" -v o0="$o0" -v s="$s" -v s0="$s0" 'BEGIN {
		split(o, x, " "); split(o0, x0, " "); split(s, y, " "); split(s0, y0, " ")
		t = y[1] == "-" || x[1] == 0 ? 0 : y[1] / x[1]
		no = y[1] == "-" || y0[1] == "-" || x[1] <= x0[1]
		u = no ? 0 : (y[1] - y0[1]) / (x[1] - x0[1])
		printf "%-22s %-9s %5d %8d %8.3f %8.4f %5s ", w, k, n, a, x[1], x0[1], x[2]
		printf "%8s %8s %5s %7.1f %8.1f\n", y[1], y0[1], y[2], t, u }'
}

growth() { # PATTERN KIND RANKS [SIMGRID OPTIONS]
	local list file hosts o s
	list=$(trace "$1" "$3" 1) file=$(platform "$2" "$3") hosts=$work/hosts.$2.$3
	o=$(ours "$list" "$file" "$hosts" "${@:5}")
	s=$([[ $4 = 1 ]] && theirs "$list" "$file" "$hosts" "$3" "${@:5}" || echo "- -")
	awk -v w="$1 ${5:-}" -v k="$2" -v n="$3" -v o="$o" -v s="$s" 'BEGIN {
		split(o, x, " "); split(s, y, " ")
		t = y[1] == "-" || x[1] == 0 ? 0 : y[1] / x[1]
		printf "%-44s %-9s %6d ", w, k, n
		printf "%8s %6s %8s %6s %7.1f\n", x[1], x[2], y[1], y[2], t }'
}

if [[ $parts == *1* ]]; then
	printf '%-22s %-9s %5s %8s %8s %8s %5s %8s %8s %5s %7s %8s\n' pattern platform ranks \
		actions seconds start MiB SimGrid start MiB ratio 'no start'
	for kind in ${PEER_KINDS:-flat backbone graphene fat_tree torus dragonfly}; do
		for n in ${PEER_SIZES:-64 1024}; do
			small lu $kind $n $((n == 64 ? 600 : 20))
			small cg $kind $n $((n == 64 ? 400 : 10))
		done
	done
	if [[ ! ${PEER_SIZES:-} ]]; then
	small lu flat 64 600 --model constant
	small lu flat 64 600 --cfg network/crosstraffic:no
	small cg flat 64 400 --model constant
	fi
fi
if [[ $parts == *2* ]]; then
	printf '%-44s %-9s %6s %8s %6s %8s %6s %7s\n' pattern platform ranks seconds MiB SimGrid \
		MiB ratio
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
	awk 'BEGIN {
		for (i = 0; i < 1048576; i++)
			print i " init\n" i " allreduce 1 0 0\n" i " finalize"
	}' >"$work/allreduce"
	for what in empty allreduce; do
		printf '%-44s %-9s %7d %8s %6s\n' $what fat_tree 1048576 \
			$(ours "$work/$what" "$file" "$work/hosts.fat_tree.1048576")
	done
fi
