#!/bin/bash
# However a run ends, the lines that its ranks printed before are there, into a pipe or a file, too;
# a rank that damages memory is named, also where all ranks share it; a signal that is sent to
# `orrery run` alone ends it as it ends any program, and leaves nobody.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need_live
ways_to_hold
scratch
mpicc=$(command -v mpicc.openmpi || command -v mpicc.mpich) ||
	skip "no mpicc of MPICH or Open MPI (Debian: libmpich-dev libopenmpi-dev)"
"$mpicc" -w -O0 -o ends "$SRC/tests/programs/live_ends.c" || exit 2
machine=(-np 4 -p graphene --computation none)
run() { # OPTIONS… -- PROGRAM WORDS…
	timeout 30 "$ORRERY" run -q "${machine[@]}" "$@" >out 2>err </dev/null
	code=$?
}
lines() { # WHAT: four ranks have printed a line
	for i in 0 1 2 3; do
		[[ $(grep -c "printed by *$i\$" out) == 1 ]] ||
			bad "$1: no line of rank $i: $(cat out err)"
	done
}
for hold in "${holds[@]}"; do
	for how in kill leave mpi twice beyond before up down; do
		run --hold "$hold" -- "$PWD/ends" $how
		[[ $code == 1 ]] || bad "$hold, $how: exit code $code, 1 wanted: $(cat err)"
		grep -q 'orrery: .*rank 1' err || bad "$hold, $how: no rank is named: $(cat err)"
		lines "$hold, $how"
	done
done
# Fortran and Python have buffers of their own.
if have mpif90.openmpi; then
	cat >lines.f90 <<-'F90'
		use mpi
		integer :: rank, code
		call MPI_Init(code)
		call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
		print '(a, i2)', 'printed by', rank
		call MPI_Barrier(MPI_COMM_WORLD, code)
		if (rank == 1) call kill(getpid(), 9)
		call MPI_Barrier(MPI_COMM_WORLD, code)
		end
	F90
	mpif90.openmpi -w -o lines lines.f90 || exit 2
	for hold in "${holds[@]}"; do
		run --hold "$hold" -- ./lines
		lines "$hold, Fortran"
	done
fi
if have python3 mpicc.openmpi; then
	cat >lines.py <<-'PY'
		import ctypes, os, sys
		mpi = ctypes.CDLL("libmpi.so.40", ctypes.RTLD_GLOBAL)
		mpi.MPI_Init(None, None)
		print("printed by", os.environ["OMPI_COMM_WORLD_RANK"])
		mpi.MPI_Barrier(ctypes.byref(ctypes.c_char.in_dll(mpi, "ompi_mpi_comm_world")))
		if os.environ["OMPI_COMM_WORLD_RANK"] == "1":
		    os.kill(os.getpid(), 9)
		mpi.MPI_Barrier(ctypes.byref(ctypes.c_char.in_dll(mpi, "ompi_mpi_comm_world")))
		sys.exit(0)
	PY
	run --mpi openmpi -- env -u PYTHONUNBUFFERED python3 lines.py
	lines Python
fi
# Signals to it alone: not to its group, as the terminal's are.
await() { # four lines
	for _ in $(seq 100); do
		[[ $(wc -l <out) == 4 ]] && return
		sleep 0.05
	done
}
for hold in "${holds[@]}"; do
	for ends in INT:loop TERM:loop INT:forever TERM:forever; do
		signal=${ends%:*}
		: >out
		"$ORRERY" run -q "${machine[@]}" --hold "$hold" -- "$PWD/ends" "${ends#*:}" \
			>out 2>err &
		pid=$!
		await
		kill -"$signal" $pid
		wait $pid
		code=$?
		[[ $code == $((128 + $(kill -l "$signal"))) ]] ||
			bad "$hold, $ends: $code: $(cat err)"
		lines "$hold, $ends"
		pgrep -f "^$PWD/ends" >/dev/null && bad "$hold, $ends: a rank is left"
	done
done
# A limit of addresses: what is to be done. (Sanitizers want more of them.)
for hold in "${holds[@]}"; do
	((${#holds[@]} == 2)) || continue
	(ulimit -v 500000 && run --hold "$hold" -- ./ends && exit "$code")
	[[ $? == 3 ]] && grep -q 'out of memory: .*ulimit -v' err ||
		bad "$hold, ulimit -v: $(cat err)"
done
exit $failed
