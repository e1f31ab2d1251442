#!/bin/bash
# Disks that several ranks read and write at the same time, in SimGrid (MPI-IO under smpirun) and
# here. Skipped (77) without SimGrid.
set -u
orrery=${ORRERY:-$PWD/build-dev/orrery}
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need smpirun:libsimgrid-dev smpicc:libsimgrid-dev
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
disk='<disk id="d" read_bw="100MBps" write_bw="50MBps"><prop id="mount" value="/scratch"/>
<prop id="size" value="500GiB"/><prop id="content" value="files"/></disk>'
cat >p.xml <<END
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="w" routing="Full">
<host id="a" speed="1Gf" core="4">$disk</host><host id="b" speed="1Gf" core="4">$disk</host>
<link id="l" bandwidth="125MBps" latency="50us"/>
<route src="a" dst="b"><link_ctn id="l"/></route></zone></platform>
END
echo "/f 2000000000" >files
cat >io.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	double begun, took, most;
	char byte, *what;
	MPI_File f;
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_File_open(MPI_COMM_SELF, "/scratch/f", MPI_MODE_RDWR, MPI_INFO_NULL, &f);
	MPI_Barrier(MPI_COMM_WORLD);
	begun = MPI_Wtime();
	for (int i = 1 + rank; i < argc; i += 3) {
		what = argv[i];
		if (*what == 'r')
			MPI_File_read(f, &byte, atoi(what + 1), MPI_CHAR, MPI_STATUS_IGNORE);
		else
			MPI_File_write(f, &byte, atoi(what + 1), MPI_CHAR, MPI_STATUS_IGNORE);
	}
	took = MPI_Wtime() - begun;
	MPI_Reduce(&took, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("took %.6f\n", most);
	MPI_File_close(&f);
	MPI_Finalize();
	return 0;
}
END
smpicc -O1 io.c -o io >log 2>&1 || { cat log; exit 1; }
printf 'a\na\nb\n' >hosts
failed=0
# one after the other for ranks 0 and 1, on one host, and 2, on another
for case in "r100000000 r50000000 r1000" "w50000000 w25000000 w10000000" \
	"r100000000 w50000000 r10000000" \
	"r30000000 w70000000 w1000 w40000000 r90000000 r200000000"; do
	# shellcheck disable=SC2086
	theirs=$(timeout 60 smpirun -np 3 -platform p.xml -hostfile hosts \
		--cfg=smpi/simulate-computation:no ./io $case 2>log | sed -n 's/^took //p')
	{
		echo "# orrery-trace 1"
		i=0
		for ((r = 0; r < 3; r++)); do echo "$r open /scratch/f file=0"; done
		for what in $case; do
			[[ $what == r* ]] && op=read || op=write
			echo "$((i++ % 3)) $op ${what:1} file=0"
		done
	} >t.tit
	ours=$("$orrery" replay -q t.tit -p p.xml --hostfile hosts |
		sed -n 's/simulated time: \([0-9.]*\) s/\1/p')
	awk -v a="$theirs" -v b="$ours" 'BEGIN {d = a - b; exit !(a > 0 && d * d < 1e-10)}' ||
		{ echo "$case: SimGrid $theirs s, Orrery $ours s"; cat log; failed=1; }
done
exit $failed
