#!/bin/bash
# What making communicators and windows costs: messages and bytes of ten calls in the real Open MPI,
# by its monitoring, and of one in the real MPICH,
# counted where it gives them to UCX (mpi/count_ucx.c), and here. Of Open MPI 4, whose windows over
# two-sided messages 5 has no more. Skipped (77) without both.
# parts: 3
set -u
cd "${SRC:-$(dirname "$0")/../..}" || exit 1
orrery=${ORRERY:-$PWD/build-dev/orrery}
. tests/need.bash
has_ompi=0 has_mpich=0
have mpirun.openmpi mpicc.openmpi && ompi=$(ompi_info --parsable 2>/dev/null) &&
	grep -q 'mca:pml:monitoring' <<<"$ompi" && grep -q 'mca:osc:pt2pt' <<<"$ompi" && has_ompi=1
have mpirun.mpich mpicc.mpich && mpichversion | grep -q 'Version:[[:space:]]*4\.0' && mpichversion |
	grep -q 'ch4:ucx' && has_mpich=1
((has_ompi + has_mpich)) ||
	skip "neither an Open MPI 4 with its monitoring component nor an MPICH 4.0 of the sort" \
		"ch4:ucx (Debian: openmpi-bin libopenmpi-dev, mpich libmpich-dev)"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cat >"$work/setup.c" <<'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char memory[64];
static FILE *counts; /* while it is open: lines "from to messages bytes" */
static int rank;
void orrery_sent(int to, size_t bytes) /* called by count_ucx.c */
{
	if (counts)
		fprintf(counts, "%d %d 1 %zu\n", rank, to, bytes);
}
int main(int argc, char **argv)
{
	MPI_Win window = MPI_WIN_NULL;
	MPI_Group group;
	MPI_Request request;
	MPI_Comm made;
	MPI_Comm half;
	int size, i, one = 1, next, low, third;
	char path[4096];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_group(MPI_COMM_WORLD, &group);
	next = (rank + 1) % size;
	third = (size + 2) / 3; /* of the ranks are one group */
	low = rank < third;
	if (!strcmp(argv[1], "inter"))
		MPI_Comm_split(MPI_COMM_WORLD, low, rank, &half);
	snprintf(path, sizeof path, "%s.%d", getenv("COUNT_FILE"), rank);
	counts = getenv("COUNT_FILE") ? fopen(path, "w") : NULL;
	for (i = 0; i < atoi(argv[2]); i++) {
		if (!strcmp(argv[1], "dup"))
			MPI_Comm_dup(MPI_COMM_WORLD, &made);
		else if (!strcmp(argv[1], "split"))
			MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &made);
		else if (!strcmp(argv[1], "create_group"))
			MPI_Comm_create_group(MPI_COMM_WORLD, group, 0, &made);
		else if (!strcmp(argv[1], "graph"))
			MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &one, &next,
			                      MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made);
		else if (!strcmp(argv[1], "inter"))
			MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, low ? third : 0, 5, &made);
		else if (!strcmp(argv[1], "window"))
			MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD,
			               &window);
	}
	if (counts)
		fclose(counts);
	counts = NULL;
	/* MPICH ends with an assertion of UCX otherwise; Open MPI counts what it sends here. */
	if (window != MPI_WIN_NULL && argv[2][1] == 0)
		MPI_Win_free(&window);
	MPI_Finalize();
	return 0;
}
END
failed=0
# led RANKS RANK NUMBER: the line of a rank of a third of the ranks and the others
led() {
	local third=$((($1 + 2) / 3)) low high
	low=$(seq -s, 0 $((third - 1))) high=$(seq -s, $third $(($1 - 1)))
	if (($2 < third)); then
		echo "$2 intercomm_create comm=0.$3 members=$low remote=$high leader=0,$third"
	else
		echo "$2 intercomm_create comm=0.$3 members=$high remote=$low leader=0,0"
	fi
}
# ours LIBRARY SELECTOR RANKS WHAT TIMES
ours() {
	local members what=$4 r i
	members=$(seq -s, 0 $(($3 - 1)))
	{
		echo "# orrery-trace 1"
		for ((r = 0; r < $3; r++)); do
			for ((i = 0; i < $5; i++)); do
				case $what in
				window) echo "$r win_create 64 win=$i" ;;
				inter) led $3 $r $i ;;
				graph)
					echo "$r comm_create comm=0.$i members=$members" \
						"sources=$(((r + $3 - 1) % $3))" \
						"dests=$(((r + 1) % $3)) distributed=1"
					;;
				*) echo "$r comm_$what comm=0.$i members=$members" ;;
				esac
			done
		done
	} >"$work/t.tit"
	"$orrery" replay -q --json "$work/t.tit" -p dahu --cfg "smpi/comm-setup:$1" --cfg \
		"smpi/coll-selector:$2" 2>/dev/null |
		python3 -c 'import json, sys
j = json.load(sys.stdin)
print("%d messages, %d bytes" % (j["messages"], j["message_bytes"]))'
}
same() { [[ $3 == "$4" ]] || { echo "$1, $2: theirs $3; Orrery $4"; failed=1; }; }
counted='END { print m + 0 " messages, " b + 0 " bytes" }'
if ((has_ompi)); then
	mpicc.openmpi -w "$work/setup.c" -o "$work/setup" || exit 1
	for p in $(printf '%s\n' 3 4 6 | my_part); do
		for what in dup split create_group; do
			rm -f "$work"/m.*
			timeout 60 mpirun.openmpi --allow-run-as-root --oversubscribe -np $p --mca \
				btl self,vader,tcp --mca osc pt2pt --mca pml_monitoring_enable 2 \
				--mca pml_monitoring_enable_output 3 --mca pml_monitoring_filename \
					"$work/m" "$work/setup" $what 10 >"$work/log" 2>&1 ||
				{ cat "$work/log"; exit 1; }
			theirs=$(cat "$work"/m.*.prof |
				awk '$1 == "I" || $1 == "E" { m += $6; b += $4 } '"$counted")
			same "Open MPI" "$p ranks, ten comm_$what" "$theirs" \
				"$(ours ompi ompi-4 $p $what 10)"
		done
	done
fi
if ((has_mpich)); then
	mpicc.mpich -w -rdynamic "$work/setup.c" -o "$work/setup" &&
		${CC:-cc} -shared -fPIC -O1 tests/peer/mpi/count_ucx.c -o "$work/count.so" -ldl ||
		exit 1
	for p in $(printf '%s\n' 3 4 6 | my_part); do
		for what in dup split create_group graph window inter; do
			rm -f "$work"/c.*
			timeout 60 mpirun.mpich -np $p -env LD_PRELOAD "$work/count.so" -env \
				COUNT_FILE "$work/c" -env MPIR_CVAR_NOLOCAL 1 "$work/setup" $what \
				1 \
				>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
			theirs=$(cat "$work"/c.* | awk '$1 != $2 { m += $3; b += $4 } '"$counted")
			same MPICH "$p ranks, comm_$what" "$theirs" \
				"$(ours mpich mpich-4 $p $what 1)"
		done
	done
fi
exit $failed
