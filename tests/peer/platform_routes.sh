#!/bin/bash
# Hosts, links and routes of every platform of tests/platforms and of the catalogue: SimGrid's own,
# and Orrery's in compat. Skipped (77) without SimGrid and a C++ compiler. A platform says in a
# comment that "SimGrid refuses" it.
# parts: 3
set -u
cd "${SRC:-$(dirname "$0")/../..}" || exit 1
ours=$(dirname "${ORRERY:-$PWD/build-dev/orrery}")/tests/peer_platform_dump
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

. tests/need.bash
theirs=$(tests/peer/simgrid_dump)
case $? in
0) ;;
77) skip "no SimGrid (Debian: libsimgrid-dev)" ;;
*) exit 1 ;;
esac

failed=0 compared=0
# fugaku takes SimGrid two minutes: only when it is named
if [ $# -eq 0 ]; then
	n=0
	while read -r spec; do
		# shellcheck disable=SC2086
		"${ORRERY:-$PWD/build-dev/orrery}" platform generate $spec -o \
			"$work/generated$((n++)).xml" || exit 1
	done <<-EOF
		flat 12 --backbone 1GBps,2us --loopback 10GBps,100ns
		torus 4x3x2 --limiter 1GBps
		fat-tree 4x4x4 --taper 2
		fat-tree 3x5 --parents 1x2 --cables 2x1
		dragonfly 3x2x4x2 --cables 2x1x1
		hierarchical 3x4 --sharing SHARED
		hierarchical 2x3x4 --uplink 40GBps,2us;80GBps --suffix .site --name deep
	EOF
	set -- tests/platforms/*.xml "$work"/generated*.xml $(ls data/machines/*.xml |
		grep -v fugaku)
fi
n=0
for file; do
	mine $((++n)) || continue
	grep -q 'SimGrid refuses' "$file" && continue
	if ! "$theirs" "$file" --log=root.thres:critical >"$work/a" 2>"$work/a.err"; then
		echo "$file: SimGrid fails: $(head -3 "$work/a.err")"
		failed=1
		continue
	fi
	if ! "$ours" "$file" compat:simgrid-3.32 >"$work/b" 2>"$work/b.err"; then
		echo "$file: Orrery fails: $(cat "$work/b.err")"
		failed=1
		continue
	fi
	LC_ALL=C sort "$work/a" >"$work/a.sorted"
	LC_ALL=C sort "$work/b" >"$work/b.sorted"
	if ! diff "$work/a.sorted" "$work/b.sorted" >"$work/diff"; then
		echo "$file: differences (< SimGrid, > Orrery), the first of them:"
		head -8 "$work/diff"
		failed=1
	fi
	compared=$((compared + 1))
done
echo "$compared platforms compared"
[ "$compared" -gt 0 ] || exit 1
exit $failed
