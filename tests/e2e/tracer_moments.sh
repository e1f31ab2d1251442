#!/bin/bash
# orrery, the keeper of its command, or the launcher is killed (SIGKILL) at the worst moments of a
# traced run: forked and not yet run, before the launcher, its proxy or the program is, in MPI_Init,
# in MPI_Finalize, at the program's end. Nothing of the run goes on (tests/programs/moments.c).
# The same for what replay --on and --runs, calibrate, gather and run start.
# parts: 7
. "$(dirname "$0")/tracer.bash"
need pgrep:procps
nm -D "$ORRERY" 2>/dev/null | grep -q __asan && skip "a sanitizer wants to be loaded first"
cd "$tmp" || exit 1
cc -w -O1 -shared -fPIC -o moments.so "$SRC/tests/programs/moments.c" -ldl || exit 1
for f in "${families[@]}"; do
	mpicc.$f -w -O1 -DPROGRAM -o "moments.$f" "$SRC/tests/programs/moments.c" || exit 1
done
came=0

# What still runs of what this test started: all of it has this variable.
left() {
	grep -lazF "MOMENT_AT=$tmp/came" /proc/[0-9]*/environ 2>/dev/null |
		sed 's#/proc/\([0-9]*\)/.*#\1#'
}

# ended KIND FAMILY VICTIM MOMENT COMMAND…: it is killed at the moment; does it leave anything?
ended() {
	local what="$1, $2: $3 killed at $4" k pid quiet=0
	rm -f came
	MOMENT=$4 VICTIM=$3 MOMENT_AT=$tmp/came bash -c \
		'so=$1; shift; export MOMENT_OF=$$ LD_PRELOAD=$so; exec "$@"' - "$tmp/moments.so" \
		"${@:5}" >out 2>&1 </dev/null &
	pid=$!
	disown $pid
	for ((k = 0; k < 200; k++)); do
		if [[ $(left) ]] || kill -0 $pid 2>/dev/null; then
			quiet=0
		else
			((++quiet < 3)) || break # who is about to exec has no environment
		fi
		sleep 0.1
	done
	if [[ $(left) ]]; then
		bad "$what: goes on: $(ps -o pid,args -p "$(left | paste -sd,)" | tail -n +2)"
		left | xargs kill -9
	fi
	[[ -e came ]] && came=$((came + 1)) || bad "$what: the moment never came: $(head -3 out)"
}

cases() {
	local f moment victim
	for f in "${families[@]}"; do
		for moment in fork forked exec:mpirun.$f exec:hydra_pmi_proxy exec:moments.$f \
			start init \
			inited finalize finalized; do
			[[ $f == openmpi && $moment == exec:hydra* ]] && continue
			for victim in orrery ${ORRERY_PROVE:+keeper launcher}; do
				[[ $victim != orrery && $moment == fork ]] && continue
				[[ $victim == launcher && $moment =~ ^(forked|exec:mpirun) ]] &&
					continue
				echo "trace $f $victim $moment"
			done
		done
		echo "play $f orrery exec:orrery-player-$f"
		echo "calibrate $f orrery exec:measure"
	done
	echo "gather here orrery exec:sleep"
	echo "runs here orrery fork"
	echo "run mpich orrery exec:sleep"
	echo "run mpich keeper exec:sleep"
}

printf '# orrery-trace 1 ranks=4\n' >small
for r in 0 1 2 3; do
	printf "$r %s\n" init 'compute 1e9 t=1' barrier finalize
done >>small
printf '#!/bin/sh\nsetsid sleep 1000\n' >shell
printf '#!/bin/sh\nsetsid sleep 1000 &\nsleep 1001\n' >wrapper
chmod +x shell wrapper
one() { # KIND FAMILY VICTIM MOMENT
	case $1 in
	trace) ended "$@" "$ORRERY" trace -f -q -o t -- mpirun.$2 -np 4 "$tmp/moments.$2" ;;
	play) ended "$@" "$ORRERY" replay small --on mpirun.$2 ;;
	calibrate) ended "$@" "$ORRERY" calibrate network -q --time 5 -o new.xml -- mpirun.$2 -np \
		2 ;;
	gather) ended "$@" "$ORRERY" gather here:/nowhere -o new --shell "$tmp/shell" ;;
	runs) ended "$@" "$ORRERY" replay small -p graphene --runs 999 --cfg noise/compute:0.1 ;;
	run) ended "$@" "$ORRERY" run -np 2 -p graphene -- "$tmp/wrapper" ;;
	esac
}
"$ORRERY" run -q -np 1 -p graphene -- true 2>&1 | grep -q "was not built" && no_live=run
while read -r kind f victim moment; do
	[[ $kind == "${no_live:-}" ]] || one $kind $f $victim $moment
done < <(cases | my_part)
echo "$came moments came"
((came > 0)) || bad "no moment came"
exit $failed
