#!/bin/bash
# tracer.sh: what tracing takes of the processor, by call and counter: nanoseconds of processor time
# per call besides what it takes untraced, without and with what MPI_Finalize adds (packing,
# merging, writing), and KiB of memory. One process of tests/programs/cost.c, the best of five parts
# of 900,000 calls. Then instructions per call, where valgrind is. ORRERY_TRACER_DIR: other
# libraries than those of the release build.
set -u
cd "$(dirname "$0")/.." || exit 2
build=${ORRERY_TRACER_DIR:-$PWD/build/tracer}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
kinds="rank send bcast pair nine" calls=900000
if [[ ! ${ORRERY_TRACER_DIR-} ]]; then
	targets=()
	for f in openmpi mpich; do [[ ! $(command -v mpicc.$f) ]] ||
		targets+=("orrery-trace-$f"); done
	cmake --build --preset release --target "${targets[@]}" >/dev/null || exit 2
fi
# nanoseconds per call, and in MPI_Finalize; KiB
run() { # FAMILY COUNTER KIND CALLS [command before it]
	local f=$1 c=$2 k=$3 n=$4 preload=; shift 4
	[[ $c == none ]] || preload=$build/liborrery-trace-$f.so
	rm -rf "$work/trace"; mkdir "$work/trace"
	ORRERY_TRACE_DIR=$work/trace ORRERY_COUNTER=$c LD_PRELOAD=$preload "$@" "$work/cost.$f" \
		"$k" "$n" 2>"$work/err"
}
for f in openmpi mpich; do
	[[ -f $build/liborrery-trace-$f.so ]] &&
		mpicc.$f -w -O2 -o "$work/cost.$f" tests/programs/cost.c ||
		{ echo "$f: not here"; continue; }
	printf '%-8s %-6s %9s' "$f" call untraced
	for c in perf cputime wall fake; do printf ' %16s' "$c"; done
	echo
	for k in $kinds; do
		read -r base finalize < <(run "$f" none "$k" $calls)
		printf '%-8s %-6s %9s' "" "$k" "$base"
		for c in perf cputime wall fake; do
			out=$(run "$f" "$c" "$k" $calls)
			if [[ -f $work/trace/events ]]; then
				read -r call end <<<"$out"
				end=$((end - finalize))
				printf ' %16s' "$((call - base)) +$((end > 0 ? end : 0))"
			else
				printf ' %16s' -
			fi
		done
		echo
	done
	run "$f" none send 20000000 /usr/bin/time -f %M -o "$work/before" >/dev/null
	run "$f" wall send 20000000 /usr/bin/time -f %M -o "$work/after" >/dev/null
	more=$(($(tail -1 "$work/after") - $(tail -1 "$work/before")))
	echo "memory of 20,000,000 sends, KiB more than untraced: $more"
done
command -v valgrind >/dev/null || { echo "instructions: valgrind is not installed"; exit 0; }
counted() { # FAMILY COUNTER KIND CALLS: instructions
	run "$1" "$2" "$3" "$4" valgrind --tool=callgrind --callgrind-out-file="$work/callgrind" \
		>/dev/null
	sed -n 's/^.*Collected : //p' "$work/err"
}
for f in mpich openmpi; do
	[[ -x $work/cost.$f ]] || continue
	# of two lengths, so that what a run takes whatever its length falls out; both with a
	# chapter and more
	for k in $kinds; do
		for c in none wall; do
			a=$(counted "$f" $c "$k" 360000) b=$(counted "$f" $c "$k" 720000)
			[[ $a && $b ]] || continue 2
			each=$(((b - a) / 360000))
			[[ $c == none ]] && none=$each && continue
			echo "$f $k: $((each - none)) instructions a call," \
				"all of MPI_Finalize included"
		done
	done
	break
done
