#!/bin/bash
# verbs.sh KIND…: every verb with the n-th call of a kind failing (tests/programs/faults.c says what
# is judged): for n up to FAULTS_MOST, 50 unless ORRERY_PROVE is set.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need cc:gcc nm:binutils
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
cc -w -O1 -shared -fPIC -o "$tmp/faults.so" "$SRC/tests/programs/faults.c" -ldl || exit 1
nm -D "$ORRERY" 2>/dev/null | grep -q __asan && skip "a sanitizer has an allocator of its own"
cd "$tmp" || exit 2
export FAULTS_OUT=$tmp/out FAULTS_REF=$tmp/ref LC_ALL=C
export FAULTS_MOST=${FAULTS_MOST:-$([[ ${ORRERY_PROVE:-} ]] && echo 1000000 || echo 50)}
export SOURCE_DATE_EPOCH=0 # of a manifest
mkdir out ref

# --- what the commands read ---
cases=$SRC/tests/golden/cases
cp "$cases/two.trace" "$cases/two.xml" "$cases/burst.trace" .
"$ORRERY" convert -q two.trace -o d || exit 2
gzip -c two.trace >two.trace.gz
"$ORRERY" convert -q two.trace -f compressed -o c || exit 2
"$ORRERY" convert -q d -f merged -o merged || exit 2
mkdir left
for r in 0 1; do # as the tracer leaves it
	sed -e '2a # ranks 2' -e '2a # host h' d/rank-$r.tit >left/rank-$r.tit || exit 2
done
"$ORRERY" calibrate noise -q --time 1 --quantum 200us --raw noise.csv >/dev/null 2>&1
"$ORRERY" replay -q two.trace -p two.xml --record run.rec >/dev/null || exit 2
cp "$SRC/tests/fuzz/corpus/network/ours" network.csv
printf 'm,n,k,duration\n' >kernel.csv
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "$((i * 100)),$((i * i)),$((i * 7 % 13)),0.00$i";
	done >>kernel.csv
printf 'network/latency-factor:0:1.5;65536:2.5\nsmpi/os:0:1e-6:0;1420:2e-6:1e-9\nnetwork/TCP-gamma:1e6\n' >settings
printf '# orrery-trace 1 ranks=2\n0 init\n1 init\n0 compute 1e6 t=0.001\n0 barrier t=1e-6\n1 barrier t=2e-3\n0 compute 2e6 t=0.002\n' >timed
printf '1 compute 1e6 t=1e-3\n0 finalize\n1 finalize\n' >>timed
sed -n 's/.*<host id="\([^"]*\)".*/\1/p' two.xml >hosts

# --- the commands; @ is the folder to write to ---
commands=(
	"version"
	"help"
	"help replay"
	"help settings"
	"help man"
	"platform list"
	"platform show two.xml --svg @/svg"
	"platform check two.xml"
	"platform generate flat 8"
	"platform generate fat-tree 4x4 -o @/xml"
	"platform generate torus 4x4x2 -o @/xml"
	"platform generate dragonfly 3x2x2x2 -o @/xml"
	"info two.trace"
	"info d --json"
	"info two.trace.gz"
	"info c"
	"info --matrix c"
	"info --structure c"
	"convert d -o @/folder"
	"convert c -o @/folder"
	"convert two.trace -f compressed -o @/compressed"
	"convert merged -f dimemas -o @/dim"
	"convert d -f goal -o @/goal"
	"convert d -f goal-binary -o @/goal"
	"convert two.trace.gz -f merged -o @/merged"
	"convert two.trace -f simgrid -o @/list"
	"diff run.rec timed"
	"diff two.trace c"
	"can-run $(command -v cc)"
	"cc -show x.c"
	"gather left -o @/gathered --orrery $ORRERY"
	"run -q -n 2 -p two.xml --computation none -- true"
	"replay two.trace -p two.xml --record @/rec --csv @/csv"
	"replay d -p two.xml --json --per-rank --explain rank:0 --cfg @settings"
	"replay two.trace.gz -p two.xml --profile --explain message:1"
	"replay burst.trace -p two.xml --selector ompi --hostfile hosts"
	"replay -q two.trace -p two.xml --runs 2 --cfg noise/detours:10:1ms:0.5"
	"coll bcast -p two.xml -n 2 --bytes 8 -j 1 --csv @/csv --svg @/svg"
	"tune -p two.xml -n 2 --bytes 8 --operations bcast,allreduce -j 1 -o @/rules"
	"tune -p two.xml -n 2 --bytes 8 --operations bcast -f mpich -j 1 -o @/rules"
	"calibrate kernel --from kernel.csv -o @/model"
	"calibrate network --from network.csv -o @/xml --report @/page"
	"calibrate noise --from noise.csv -o @/noise --report @/page"
	"calibrate cpu timed -o @/rates"
)
for format in html paje csv messages json; do
	commands+=("export run.rec -f $format -o @/$format")
done

failed=0
for command in "${commands[@]}"; do
	read -ra words <<<"$command"
	rm -rf out/* ref/*
	"$ORRERY" "${words[@]//@\//out/}" >ref/stdout 2>ref.err || {
		# an optional library
		grep -qE 'when orrery was built|was built without|was not built' ref.err && continue
		echo "$command: $(cat ref.err)"; failed=1; continue
	}
	find out -mindepth 1 -maxdepth 1 -exec mv -t ref {} +
	for kind in "$@"; do
		FAULTS_KIND=$kind LD_PRELOAD=$tmp/faults.so "$ORRERY" "${words[@]//@\//out/}" \
			>report 2>&1 || { echo "orrery $command: $kind"; cat report; failed=1; }
	done
done
exit $failed
