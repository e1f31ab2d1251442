#!/bin/bash
# live.sh: running programs: ranks as coroutines and as processes, SMPI 3.32 beside them, in one
# run. Seconds of processor time (user and system), which a busy computer changes little, and MiB at
# most; computation takes no time. SMPI's columns are empty where smpicc is not installed;
# LIVE_ALL=1 runs 2^20 ranks, too (a minute, 4.3 GiB; SMPI is not asked).
set -u
cd "$(dirname "$0")/.." || exit 2
ORRERY=${ORRERY:-$PWD/build/orrery}
mpicc=$(command -v mpicc.mpich || command -v mpicc.openmpi) ||
	{ echo "live.sh: no mpicc (Debian: libmpich-dev)"; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/c64.xml" <<-EOF
	<?xml version="1.0"?>
	<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
	<platform version="4.1"><zone id="w" routing="Full">
	<cluster id="c" prefix="n" suffix="" radical="0-63" speed="1Gf" bw="125MBps" lat="50us"
		loopback_bw="1GBps" loopback_lat="1us"/>
	</zone></platform>
EOF
program() { # NAME, body of main after MPI_Init
	cat >"$work/$1.c" <<-EOF
		#include <mpi.h>
		#include <stdlib.h>
		int main(int argc, char **argv)
		{
			int rank, n, count = argc > 1 ? atoi(argv[1]) : 1;
			double x = 1, y = 0;
			MPI_Init(&argc, &argv);
			MPI_Comm_rank(MPI_COMM_WORLD, &rank);
			MPI_Comm_size(MPI_COMM_WORLD, &n);
			$2
			MPI_Finalize();
			return y < 0 || count < 0 || x < 0;
		}
	EOF
	"$mpicc" -O2 -w -o "$work/$1" "$work/$1.c" || exit 2
	[[ ! $(command -v smpicc) ]] || smpicc -O2 -w -o "$work/$1.smpi" "$work/$1.c" || exit 2
}
took() { # COMMAND…: processor seconds and MiB
	/usr/bin/time -f '%U %S %M' -o "$work/took" timeout 300 "$@" >/dev/null 2>"$work/err" ||
		{ echo "- -"; return; }
	tail -1 "$work/took" | awk '{ printf "%.2f %.0f\n", $1 + $2, $3 / 1024 }'
}
row() { # TITLE PROGRAM RANKS COUNT HOW (c, p, s) [OPTIONS of the first]
	local c="- -" p="- -" s="- -"
	[[ $5 == *c* ]] &&
		c=$(took "$ORRERY" run -q -n "$3" -p "$work/c64.xml" --oversubscribe --computation \
		none --hold coroutines "${@:6}" -- "$work/$2" "$4")
	[[ $5 == *p* ]] &&
		p=$(took "$ORRERY" run -q -n "$3" -p "$work/c64.xml" --oversubscribe --computation \
		none -- "$work/$2" "$4")
	if [[ $5 == *s* && -x $work/$2.smpi ]]; then
		seq 0 $(($3 - 1)) | awk '{ print "n" $1 % 64 }' >"$work/hosts"
		s=$(took smpirun -np "$3" -platform "$work/c64.xml" -hostfile "$work/hosts" \
			--cfg=smpi/simulate-computation:no "$work/$2.smpi" "$4")
	fi
	# shellcheck disable=SC2086
	printf '%-44s %9s %7s %9s %7s %9s %7s\n' "$1" $c $p $s
}
program pingpong 'for (int i = 0; i < count; i++)
	if (rank & 1) {
		MPI_Recv(&x, 1, MPI_DOUBLE, rank ^ 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(&x, 1, MPI_DOUBLE, rank ^ 1, 0, MPI_COMM_WORLD);
	} else {
		MPI_Send(&x, 1, MPI_DOUBLE, rank ^ 1, 0, MPI_COMM_WORLD);
		MPI_Recv(&x, 1, MPI_DOUBLE, rank ^ 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}'
program allreduce 'for (int i = 0; i < count; i++)
		MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);'
program halo 'MPI_Request r[4];
	double in[2];
	for (int i = 0; i < count; i++) {
		MPI_Irecv(&in[0], 1, MPI_DOUBLE, (rank + 1) % n, 0, MPI_COMM_WORLD, &r[0]);
		MPI_Irecv(&in[1], 1, MPI_DOUBLE, (rank + n - 1) % n, 1, MPI_COMM_WORLD, &r[1]);
		MPI_Isend(&x, 1, MPI_DOUBLE, (rank + n - 1) % n, 0, MPI_COMM_WORLD, &r[2]);
		MPI_Isend(&x, 1, MPI_DOUBLE, (rank + 1) % n, 1, MPI_COMM_WORLD, &r[3]);
		MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
	}'
program large 'char *in = malloc(count << 20), *out = malloc(count << 20);
	MPI_Allreduce(in, out, count << 17, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);'
printf '%-44s %17s %17s %17s\n' "" coroutines processes "SMPI 3.32"
printf '%-44s %9s %7s %9s %7s %9s %7s\n' "" seconds MiB seconds MiB seconds MiB
row "640,000 calls: ping-pong of 8 bytes, 64 ranks" pingpong 64 5000 cs
row "64,000 calls: the same" pingpong 64 500 cps
row "320,000 calls: halo exchange, 64 ranks" halo 64 1000 cs
row "1,000 allreduces of 8 bytes, 64 ranks" allreduce 64 1000 cs
row "init, allreduce, finalize, 4,096 ranks" allreduce 4096 1 cs
row "allreduce of 1 MiB, folded, 4,096 ranks" large 4096 1 c --fold-memory 1MiB
[[ ! ${LIVE_ALL:-} ]] || row "init, allreduce, finalize, 2^20 ranks" allreduce 1048576 1 c
