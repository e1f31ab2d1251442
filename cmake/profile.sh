#!/bin/bash
# profile.sh SOURCE INTO CMAKE GENERATOR CC FLAGS: INTO/counts, from a first build in INTO/build and
# the replays below (cmake/profile.cmake), and INTO/made when it is through. Every model and
# topology is among the replays, and every form of a trace, at sizes that take some seconds in all;
# what they predict does not matter here. They run one after the other, so that the same program
# counts the same.
set -e
source=$1 into=$2 cmake=$3 generator=$4 cc=$5 flags=$6
ORRERY=$into/build/orrery
work=$into/work
without() {
	echo "warning: $1; the program is built without a profile (see $into/log)" >&2
	rm -rf "$into/counts" "$work"
	touch "$into/made"
	exit 0
}
mkdir -p "$into"
"$cmake" -S "$source" -B "$into/build" -G "$generator" -DCMAKE_C_COMPILER="$cc" \
	-DCMAKE_C_FLAGS="$flags -g0 -w" -DCMAKE_BUILD_TYPE=None \
	-DORRERY_TESTS=OFF -DORRERY_LTO=OFF -DORRERY_PGO=OFF -DORRERY_WERROR=OFF \
	-DORRERY_PROFILE_INTO="$into/counts" >"$into/log" 2>&1 ||
	without "cmake fails"
"$cmake" --build "$into/build" --target orrery >>"$into/log" 2>&1 ||
	without "a first build fails"
"$cc" -O2 -o "$into/gen_trace" "$source/bench/gen_trace.c" >>"$into/log" 2>&1 ||
	without "bench/gen_trace.c cannot be built"
rm -rf "$into/counts" "$work"
mkdir "$work"
cd "$work"

train() (
	set -e
	replay() { "$ORRERY" replay -q --oversubscribe "$@" >/dev/null; }

	for trace in "lu 48 40" "cg 32 40" "pairwise 32 2" "alltoall 16 4" "allreduce 64 20" \
		"dissemination 128 8192" "binomial 256 8192"; do
		read -r pattern ranks steps <<<"$trace"
		"$into/gen_trace" "$pattern" "$ranks" "$steps" "$work/$pattern"
	done
	"$ORRERY" convert -q cg/list -o cg.compressed -f compressed
	"$ORRERY" convert -q lu/list -o lu.merged -f merged

	cluster=(flat 64 --speed 1Gf --bandwidth 125MBps --latency 50us)
	"$ORRERY" platform generate -q "${cluster[@]}" -o flat.xml
	"$ORRERY" platform generate -q "${cluster[@]}" --backbone 2GBps,500us -o backbone.xml
	"$ORRERY" platform generate -q torus 4x4x4 --speed 1Gf -o torus.xml
	"$ORRERY" platform generate -q fat-tree 8x8 --speed 1Gf -o fat-tree.xml
	"$ORRERY" platform generate -q dragonfly 4x2x4x2 --speed 1Gf -o dragonfly.xml
	"$ORRERY" platform generate -q flat 256 -o wide.xml

	for platform in flat.xml backbone.xml torus.xml fat-tree.xml dragonfly.xml graphene; do
		replay lu/list -p "$platform"
		replay cg/list -p "$platform"
	done
	for pattern in pairwise alltoall allreduce; do
		replay "$pattern/list" -p flat.xml
		replay "$pattern/list" -p fat-tree.xml
	done
	replay lu/list -p flat.xml --cfg compat:simgrid-3.32
	replay cg/list -p graphene --cfg compat:simgrid-3.32
	for _ in 1 2 3; do
		replay cg.compressed -p flat.xml --model constant
		replay lu.merged -p flat.xml --model constant
	done
	replay lu.merged -p flat.xml --record lu.orr
	replay dissemination/list -p wide.xml --model loggps
	replay binomial/list -p wide.xml --model loggps
	for pattern in dissemination binomial; do
		"$ORRERY" convert -q "$pattern/list" -o "$pattern.bin" -f goal-binary
		replay "$pattern.bin" -p wide.xml --model loggps
	done
)
train >>"$into/log" 2>&1 || without "a replay fails"
rm -rf "$work"
touch "$into/made"
