#!/bin/bash
# parts: 8
# The n-th allocation, write or opening of a file in the tracer fails, n = 1, 2, ..., in a real MPI
# process: the application is unaffected, and if the trace has suffered, one message says so. Of
# allocations, Open MPI's process has the odd n and MPICH's the even ones (the tracer is one);
# ORRERY_PROVE: each has all.
. "$(dirname "$0")/tracer.bash"
cc -w -shared -fPIC -o "$tmp/libfaulty.so" "$SRC/tests/programs/faulty.c" -ldl || exit 1

built=$tmp
# sweep FAMILY KIND FIRST MOST LEAST: the faults FIRST to MOST; the tracer must have asked at least
# LEAST times.
sweep() {
	local f=$1 kind=$2 first=$3 most=$4 least=$5 n step=1
	[[ $kind == alloc && ! ${ORRERY_PROVE:-} && ${#families[@]} == 2 ]] && step=2
	[[ $step == 2 && $f == mpich ]] && first=$((first + 1))
	for ((n = first; n <= most; n += step)); do
		rm -rf "$tmp/t" "$tmp/mark"
		mkdir "$tmp/t"
		# a session folder of its own: those of processes that begin while others end
		# are removed under them (Open MPI's MPI_Init then ends the process)
		OMPI_MCA_ess_singleton_isolated=$((n > first)) OMPI_MCA_orte_tmpdir_base=$tmp \
			FAULTY_KIND=$kind FAULTY_N=$n FAULTY_MARK=$tmp/mark \
			ORRERY_TRACE_DIR=$tmp/t ORRERY_BUFFER=500 \
			LD_PRELOAD=$ORRERY_TRACER_DIR/liborrery-trace-$f.so:$built/libfaulty.so \
				"$built/solo.$f" >"$tmp/out" 2>"$tmp/err"
		same "$f $kind $n: exit code" 7 $?
		same "$f $kind $n: output" "solo: all right" "$(cat "$tmp/out")"
		[[ -e $tmp/mark ]] || break
		grep -q '^# end' "$tmp/t/rank-0.tit" 2>/dev/null && continue # it could do without
		[[ $ORRERY_FORM == compressed ]] && "$ORRERY" info -q "$tmp/t" >/dev/null 2>&1 &&
			continue
		same "$f $kind $n: messages" 1 \
			"$(grep -cE 'untraced\.$|cannot be merged' "$tmp/err")"
	done
	((n + step - 1 > least)) || bad "$f $kind: only $n faults"
}

for f in "${families[@]}"; do
	build $f solo
	apart sweep $f open 1 3 1
	ORRERY_FORM=compressed apart sweep $f open 1 4 2
	ORRERY_FORM=compressed apart sweep $f write 1 6 3
	ORRERY_FORM=compressed apart sweep $f alloc 1 12 12
	ORRERY_FORM=compressed apart sweep $f alloc 13 24 24
	ORRERY_FORM=compressed apart sweep $f alloc 25 36 36
	apart sweep $f write 1 4 4
	apart sweep $f alloc 1 7 7
	apart sweep $f alloc 8 14 14
	apart sweep $f alloc 15 20 16
done
together
exit $failed
