#!/bin/bash
# Programs that begin MPI with sessions, and such whose parts meet by MPI_Comm_accept and
# MPI_Comm_connect: their communicators are in the trace. In a simulation the trace replays in the
# time of the run; one that goes on when the last session has ended is not complete.
. "$(dirname "$0")/tracer.bash"

begins=(init "comm_create_group comm=0.0 members=0-2" "comm_size 3 comm=0.0"
	"allreduce 1 0 1 comm=0.0")
ends=("comm_create_group comm=0.1 members=0-2" "comm_free comm=0.0" "comm_size 3 comm=0.1"
	"allreduce 1 0 1 comm=0.1" "comm_free comm=0.1")
# of_rank RANK: its events but computation
of_rank() { grep -v '^#' "$tmp/t/rank-$1.tit" | grep -v compute | cut -d' ' -f2-; }
lines() { printf '%s\n' "$@"; }
traced() { # WHAT FAMILY RANKS [argument]
	same "$1" 1 "$(trace "$2" "$3" "$tmp/t" --counter fake -- "$tmp/sessions.$2" "${@:4}" \
		2>"$tmp/err" | sort -u | grep -c "all right")"
	same "$1: complete" yes "$(complete "$tmp/t")"
	"$ORRERY" replay -q "$tmp/t" -p graphene >"$tmp/out" 2>&1 || bad "$1: $(cat "$tmp/out")"
}
simulated() { # [argument]
	"$ORRERY" run -q -np 3 -p graphene --computation none -f -t "$tmp/s" -- \
		"$tmp/sessions.$f" "$@" >"$tmp/out" 2>"$tmp/err" ||
		bad "simulated: $(cat "$tmp/err")"
	grep "simulated time" "$tmp/out"
}
for f in "${families[@]}"; do
	build $f sessions
	if run $f 2 "$tmp/sessions.$f" meet >/dev/null 2>&1; then # Debian's MPICH cannot
		traced "$f meet" $f 4 meet
		same "$f meet: the second half" \
			"intercomm_create comm=0.1 parent=2.0 members=2,3 remote=0,1
intercomm_merge comm=0.2 parent=0.1 members=0-3" "$(of_rank 3 | grep intercomm)"
	fi
	run $f 1 "$tmp/sessions.$f" | grep -q none && continue # MPI 4
	traced "$f sessions" $f 3
	same "$f sessions" "$(lines "${begins[@]}" "${ends[@]}" finalize)" "$(of_rank 2)"
	traced "$f and MPI_Init" $f 3 init
	same "$f and MPI_Init" \
		"$(lines "${begins[@]}" "${ends[@]}" "comm_size 3" "allreduce 1 0 1" finalize)" \
		"$(of_rank 2)"
	if mpif90.$f -o "$tmp/fortran" "$SRC/tests/programs/sessions.f90" 2>/dev/null; then
		trace "$f" 3 "$tmp/t" --counter fake -- "$tmp/fortran" >"$tmp/out" 2>"$tmp/err"
		same "$f Fortran: complete" yes "$(complete "$tmp/t")"
	fi
	"$ORRERY" run -q -np 1 -p graphene -- true 2>&1 | grep -q "was not built" && continue
	same "$f simulated" "$(simulated init)" \
		"$("$ORRERY" replay -q "$tmp/s" -p graphene 2>&1 | grep "simulated time")"
	simulated again >/dev/null
	same "$f again: complete" no "$(complete "$tmp/s")"
	has "$f again" "$tmp/err" "begins MPI again"
done
exit $failed
