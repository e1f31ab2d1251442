#!/bin/bash
# What making communicators costs: messages and bytes of ten MPI_Comm_dup, and of ten MPI_Comm_split, in the real Open MPI by its monitoring,
# and here. Skipped (77) without Open MPI.
set -u
cd "${SRC:-$(dirname "$0")/../..}" || exit 1
orrery=${ORRERY:-$PWD/build-dev/orrery}
command -v mpirun.openmpi mpicc.openmpi python3 >/dev/null || { echo "skipped: no Open MPI, or no python3"; exit 77; }
ompi_info --parsable 2>/dev/null | grep -q 'mca:pml:monitoring' || { echo "skipped: Open MPI without its monitoring component"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cat >"$work/setup.c" <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
	MPI_Comm made;
	int rank, i;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (i = 0; i < 10; i++) {
		if (argv[1][0] == 'd')
			MPI_Comm_dup(MPI_COMM_WORLD, &made);
		else
			MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &made);
	}
	MPI_Finalize();
	return 0;
}
END
mpicc.openmpi "$work/setup.c" -o "$work/setup" || exit 1
failed=0
for p in 3 4 6; do
	for what in dup split; do
		rm -f "$work"/m.*
		timeout 60 mpirun.openmpi --allow-run-as-root --oversubscribe -np $p --mca btl self,vader,tcp --mca pml_monitoring_enable 2 \
			--mca pml_monitoring_enable_output 3 --mca pml_monitoring_filename "$work/m" "$work/setup" $what >"$work/log" 2>&1 ||
			{ cat "$work/log"; exit 1; }
		theirs=$(cat "$work"/m.*.prof | awk '$1 == "I" {m += $6; b += $4} END {print m + 0 " messages, " b + 0 " bytes"}')
		members=$(seq -s, 0 $((p - 1)))
		{
			echo "# orrery-trace 1"
			for ((r = 0; r < p; r++)); do
				for ((i = 0; i < 10; i++)); do echo "$r comm_$what comm=0.$i members=$members"; done
			done
		} >"$work/t.tit"
		ours=$("$orrery" replay -q --json "$work/t.tit" -p dahu --cfg smpi/comm-setup:ompi --cfg smpi/coll-selector:ompi-4 2>/dev/null |
			python3 -c 'import json, sys; j = json.load(sys.stdin); print("%d messages, %d bytes" % (j["messages"], j["message_bytes"]))')
		[[ $theirs == "$ours" ]] || { echo "$p ranks, ten comm_$what: Open MPI $theirs; Orrery $ours"; failed=1; }
	done
done
exit $failed
