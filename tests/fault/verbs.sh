#!/bin/bash
# verbs.sh KIND…: every verb with the n-th call of a kind failing (tests/programs/faults.c says what
# is judged): for FAULTS_MOST n between the first and the last call, 20 unless ORRERY_PROVE is set,
# which makes it all. What measures, or starts a real MPI program, takes a second each time: 2 n of
# those, and 50 with ORRERY_PROVE. OTF2 is swept in full: libotf2 is no code of ours. A verb, a form
# or a kind that the help names and no command here sweeps is a failure.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need cc:gcc nm:binutils
scratch
cc -w -O1 -shared -fPIC -o "$tmp/faults.so" "$SRC/tests/programs/faults.c" -ldl || exit 1
nm -D "$ORRERY" 2>/dev/null | grep -q __asan && skip "a sanitizer has an allocator of its own"
export FAULTS_CALLS=$tmp/calls FAULTS_OUT=$tmp/out FAULTS_REF=$tmp/ref LC_ALL=C
export FAULTS_MOST=${FAULTS_MOST:-$([[ ${ORRERY_PROVE:-} ]] && echo 1000000 || echo 20)}
export SOURCE_DATE_EPOCH=0 # of a manifest
mkdir out ref

# --- what the commands read ---
cases=$SRC/tests/golden/cases
cp "$cases/two.trace" "$cases/two.xml" "$cases/burst.trace" .
"$ORRERY" convert -q two.trace -o d || exit 2
gzip -c two.trace >two.trace.gz
"$ORRERY" convert -q two.trace -f compressed -o c || exit 2
"$ORRERY" convert -q d -f merged -o merged || exit 2
"$ORRERY" convert -q d -f goal -o two.goal || exit 2
grep -vE '^(# run|# end|0 (send|finalize))' merged >partial
printf '%s\n' '# partial 0' '# end' >>partial
mkdir left
for r in 0 1; do # as the tracer leaves it
	sed -e '2a # ranks 2' -e '2a # host h' d/rank-$r.tit >left/rank-$r.tit || exit 2
done
"$ORRERY" calibrate noise -q --time 0.1 --quantum 50us --raw noise.csv >/dev/null 2>&1
"$ORRERY" replay -q two.trace -p two.xml --record run.rec >/dev/null || exit 2
"$ORRERY" replay -q two.trace -p two.xml --what-if speed=2x --record run2.rec >/dev/null || exit 2
cp "$SRC/tests/fuzz/corpus/network/ours" network.csv
printf 'm,n,k,duration\n' >kernel.csv
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	echo "$((i * 100)),$((i * i)),$((i * 7 % 13)),0.00$i"
done >>kernel.csv
printf '%s\n' 'network/latency-factor:0:1.5;65536:2.5' 'smpi/os:0:1e-6:0;1420:2e-6:1e-9' \
	'network/TCP-gamma:1e6' >settings
printf '%s\n' '# orrery-trace 1 ranks=2' '0 init' '1 init' '0 compute 1e6 t=0.001' \
	'0 barrier t=1e-6' '1 barrier t=2e-3' '0 compute 2e6 t=0.002' \
	'1 compute 1e6 t=1e-3' '0 finalize' '1 finalize' >timed
sed -n 's/.*<host id="\([^"]*\)".*/\1/p' two.xml >hosts
"$ORRERY" calibrate cpu timed -q -o rates >/dev/null || exit 2
cat >launcher <<'FAKE' # two hosts of 50 us and 100 MB/s: launcher PROGRAM PLAN OUT SECONDS
#!/bin/bash
[[ $1 == --version ]] && { echo 'mpirun (Open MPI) 4.1.4'; exit; }
[[ $1 == -np ]] && { echo 'made-up time'; exit; } # a player
{
	echo "# hosts: a,b"
	echo op,src,dst,pairs,size,start,duration
	awk '$1 == "pingpong" { printf "pingpong,0,1,1,%d,%.6f,%.9g\n", $4, NR * 1e-3,
			2 * (50e-6 + $4 / 1e8) }
		$1 == "late" { printf "late_send,0,1,1,%d,%.6f,%.9g\n", $4, NR * 1e-3,
			$4 < 65536 ? 3e-6 : 1e-2 + $4 / 1e7 }' "$2"
} >"$3"
FAKE
chmod +x launcher
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
for mpi in mpich openmpi; do
	have mpicc.$mpi mpirun.$mpi && mpicc.$mpi -w -O1 -o ring "$SRC/tests/programs/ring.c" &&
		break
done

cat >"$tmp/same" <<'END' # a recording, or a trace: whether two files of one name hold the same
#!/bin/bash
case $1 in
*/rec) show=(export -q -f json -o -) ;;
*/compressed) show=(convert -q -f merged -o -) ;;
*) exit 1 ;;
esac
"$ORRERY" "${show[@]}" "$1" >"$FAULTS_REF.said" 2>&1 &&
	"$ORRERY" "${show[@]}" "$2" | cmp -s - "$FAULTS_REF.said"
END
chmod +x "$tmp/same"
export FAULTS_SAME=$tmp/same
# --- the commands; @ is the folder to write to ---
commands=(
	"version"
	"help"
	"help replay"
	"help settings"
	"help man"
	"help completion bash"
	"help completion fish"
	"help completion zsh"
	"platform list"
	"platform show two.xml --svg @/svg"
	"platform show two.xml --hosts --cfg network/latency-factor:2"
	"platform show graphene --json"
	"platform check two.xml"
	"platform check two.xml --json"
	"platform generate flat 8"
	"platform generate fat-tree 4x4 -o @/xml"
	"platform generate flat 8 --preset 10gbe --backbone 1GBps,1us -o @/xml"
	"platform generate hierarchical 2x4 -o @/xml"
	"platform generate torus 4x4x2 -o @/xml"
	"platform generate dragonfly 3x2x2x2 -o @/xml"
	"info two.trace"
	"info d --json"
	"info two.trace.gz"
	"info c"
	"info --matrix c"
	"info --structure c"
	"convert d -f text -o @/folder"
	"convert c -o @/folder"
	"convert two.trace -f compressed -o @/compressed"
	"convert merged -f dimemas -o @/dim"
	"convert d -f goal -o @/goal"
	"convert d -f goal-binary -o @/goal"
	"convert two.trace.gz -f merged -o @/merged"
	"convert two.trace -f simgrid -o @/list"
	"convert two.trace -f compressed --precision 50 -o @/compressed"
	"diff run.rec timed"
	"diff two.trace c"
	"diff run.rec run2.rec"
	"diff run.rec run2.rec --json"
	"can-run $(command -v cc)"
	"cc -show x.c"
	"cxx -show x.cc"
	"fc -show x.f90"
	"gather left -o @/gathered --orrery $ORRERY"
	"run -q -n 2 -p two.xml --computation none -- true"
	"replay two.trace -p two.xml --record @/rec --csv @/csv"
	"replay d -p two.xml --json --per-rank --explain rank:0 --cfg @settings"
	"replay two.trace.gz -p two.xml --profile --explain message:1"
	"replay two.trace -p two.xml --json --explain critical-path"
	"replay two.trace -p two.xml --explain links"
	"replay partial -p two.xml --explain rank:1"
	"replay partial -p two.xml --explain rank:1 --json"
	"replay two.trace -p two.xml --explain message:1 --json"
	"replay two.goal -p two.xml --explain links --json"
	"replay two.goal -p two.xml --explain critical-path"
	"replay burst.trace -p two.xml --selector ompi --hostfile hosts"
	"replay -q two.trace -p two.xml --runs 2 --cfg noise/detours:10:1ms:0.5"
	"replay -q two.trace -p two.xml -p graphene --what-if latency=2x"
	"replay -q timed -p two.xml --rates rates --per-rank --profile"
	"replay timed --on ./launcher --on-computation none"
	"coll allreduce -p two.xml -n 2 --bytes 8 -j 1 --selector ompi --json"
	"coll bcast -p two.xml -n 2 --bytes 8 -j 1 --csv @/csv --svg @/svg"
	"tune -p two.xml -n 2 --bytes 8 --operations bcast,allreduce -j 1 -o @/rules"
	"tune -p two.xml -n 2 --bytes 8 --operations bcast -f mpich -j 1 -o @/rules"
	"tune -p two.xml -n 2 --bytes 8 --operations bcast -f mpich-4.3 -j 1 -o @/rules"
	"calibrate kernel --from kernel.csv -o @/model"
	"calibrate network --from network.csv -o @/xml --report @/page"
	"calibrate noise --from noise.csv -o @/noise --report @/page"
	"calibrate cpu timed -o @/rates"
)
for format in html paje csv messages json; do
	commands+=("export run.rec -f $format -o @/$format"
		"export run.rec -f $format --ranks 0-0 --dates 0-1 -o @/$format")
done
measured=( # the same names each time; told: or a message
	"names gather --pack left" # a short read makes a shorter block
	"names calibrate network --mpicc true --samples 200 -o @/xml --raw @/raw -- ./launcher"
	"names calibrate processor --time 0.1 -o @/flops"
	"names calibrate memory --time 0.1 --largest 256 -o @/rates"
	"names calibrate noise --time 0.1 --quantum 50us -o @/noise --raw @/raw"
)
[[ -e ring ]] && measured+=("told trace -o @/trace -- mpirun.$mpi -np 2 ./ring"
	"told run -n 2 -p two.xml --computation none -t @/trace -- ./ring")

# --- is each verb and each of its forms here? ---
all=$(printf '%s\n' "${commands[@]}" "${measured[@]#* }" "convert two.trace -f otf2 -o @/otf2")
swept() { grep -qE -- "$1" <<<"$all" || bad "no sweep of: $1"; }
for verb in $("$ORRERY" --help | sed -n '/^verbs:/,/^$/s/^  \([a-z-]*\) .*/\1/p'); do
	[[ $verb == trace && ! -e ring ]] || swept "^$verb( |$)" # no MPI, no program to trace
done
for kind in $("$ORRERY" help platform | sed -n 's/^         \([a-z-]*\) .*[0-9N] .*/\1/p'); do
	swept "^platform generate $kind "
done
for word in list show check; do swept "^platform $word"; done
for kind in $("$ORRERY" help calibrate | sed -n 's/^\([a-z]*\): .*/\1/p' |
	grep -v usage); do
	swept "^calibrate $kind "
done
for form in $("$ORRERY" help convert | sed -n '/^  -f, --form FORM/,/^  -n/p' |
	sed '$d; s/.*--form FORM//' | tr '\n' ' ' | sed 's/([^)]*)//g; s/,//g'); do
	swept "^convert .*-f $form "
done
for form in $("$ORRERY" help tune | sed -n 's/^  -f, --format FORMAT *//p' |
	sed 's/([^)]*)//g; s/;.*//; s/,//g'); do
	[[ $form == ompi ]] || swept "^tune .*-f $form "
done
for form in $("$ORRERY" help export | sed -n '/^formats:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
	swept "^export .*-f $form "
done
(($(wc -l <<<"$all") > 70)) || bad "fewer commands than there were"

# sweep COMMAND KIND…
sweep() {
	local command=$1 kind words
	shift
	read -ra words <<<"$command"
	rm -rf out/* ref/*
	FAULTS_KIND=count LD_PRELOAD=$tmp/faults.so "$ORRERY" "${words[@]//@\//out/}" \
		>ref/stdout 2>ref.err || {
		# an optional library
		grep -qE 'when orrery was built|was built without|was not built' ref.err && return
		bad "$command: $(cat ref.err)"
		return
	}
	find out -mindepth 1 -maxdepth 1 -exec mv -t ref {} +
	for kind; do
		FAULTS_KIND=$kind LD_PRELOAD=$tmp/faults.so "$ORRERY" "${words[@]//@\//out/}" \
			>report 2>&1 || bad "orrery $command: $kind $(cat report)"
	done
}

while IFS= read -ru 3 command; do
	sweep "$command" "$@"
done 3< <(printf '%s\n' "${commands[@]}" | my_part)
mine 1 && FAULTS_LOOSE=names FAULTS_MOST=1000000 sweep "convert two.trace -f otf2 -o @/otf2" "$@"
while IFS= read -ru 3 command; do
	FAULTS_LOOSE=${command%% *} FAULTS_MOST=$([[ ${ORRERY_PROVE:-} ]] && echo 50 || echo 2) \
		sweep "${command#* }" "$@"
done 3< <(printf '%s\n' "${measured[@]}" | my_part)
exit $failed
