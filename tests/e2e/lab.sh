#!/bin/bash
# lab/: hosts with names of their own, both MPI families over shaped links, everything removed at
# the end. Only where root may make namespaces.
set -u
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
[ "$(id -u)" = 0 ] || skip "the laboratory needs root"
need ip:iproute2 tc:iproute2
export ORRERY_LAB=t$$
probe=orrery-$ORRERY_LAB-probe
ip netns add "$probe" 2>/dev/null || skip "no network namespaces may be made here"
ip -n "$probe" link add dev probe0 type veth peer name probe1 2>/dev/null &&
	tc -n "$probe" qdisc add dev probe0 root tbf rate 10mbit burst 3k limit 1m 2>/dev/null
shapes=$?
ip netns del "$probe"
[ $shapes = 0 ] || skip "links cannot be shaped here (kernel: sch_tbf, veth)"
lab=$SRC/lab
tmp=$(mktemp -d)
trap '"$lab/down"; rm -rf "$tmp"' EXIT
failed=0
same() { [ "$2" = "$3" ] || { echo "$1: expected '$2', got '$3'"; failed=1; }; }
# Of a rank's parent, Open MPI may warn that its setpgid came too late, which is no matter.
out() { "$lab/run" --timeout 60 "$@" 2>"$tmp/err" || cat "$tmp/err"; }
namespaces() { ip netns | grep -c "orrery-$ORRERY_LAB-"; }

cat >"$tmp/one_way.c" <<'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	enum { BYTES = 250000 };
	char *b = calloc(1, BYTES);
	int rank, size, n;
	char host[MPI_MAX_PROCESSOR_NAME];
	double t;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Get_processor_name(host, &n);
	MPI_Barrier(MPI_COMM_WORLD);
	t = MPI_Wtime();
	if (rank == 0)
		MPI_Ssend(b, BYTES, MPI_BYTE, size - 1, 0, MPI_COMM_WORLD);
	else if (rank == size - 1)
		MPI_Recv(b, BYTES, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	t = MPI_Wtime() - t;
	if (rank == size - 1)
		printf("%d ranks, last on %s, %s\n", size, host,
		       t > 0.09 ? "shaped" : "not shaped");
	MPI_Finalize();
	return 0;
}
END

# 250,000 bytes at 20 Mb/s take 0.1 s and more, less the bucket's 3028 bytes.
"$lab/up" --cabinets 2x2 --rate 20mbit --uplink 30mbit >/dev/null ||
	{ echo "lab/up failed"; exit 1; }
same "namespaces" 5 "$(namespaces)"
for mpi in openmpi mpich; do
	command -v mpicc.$mpi >/dev/null || continue
	mpicc.$mpi -O1 -o "$tmp/p.$mpi" "$tmp/one_way.c" || exit 1
	same "$mpi" "4 ranks, last on host3, shaped" \
		"$(out $mpi -np 4 "$tmp/p.$mpi")"
	same "$mpi, order of hosts" "2 ranks, last on host0, shaped" \
		"$(out --hosts host2,host0 $mpi "$tmp/p.$mpi")"
	same "$mpi, environment" 7 "$(out --set X=7 $mpi -np 1 sh -c 'echo $X')"
done
same "too many ranks" 2 "$("$lab/run" openmpi -np 5 true >/dev/null 2>&1; echo $?)"
"$lab/down"
same "after down" 0 "$(namespaces)"
same "down twice" 0 "$("$lab/down"; echo $?)"
same "no lab" 2 "$("$lab/run" openmpi -np 1 true >/dev/null 2>&1; echo $?)"
same "bad rate" 2 "$("$lab/up" --hosts 2 --rate fast >/dev/null 2>&1; echo $?)"
same "failure half-way" 0 "$("$lab/up" --hosts 2 --rate 10mbit --limit nothing >/dev/null 2>&1;
	namespaces)"
same "exit code of with" 3 "$("$lab/with" --hosts 2 --rate 10mbit -- sh -c 'exit 3' >/dev/null;
	echo $?)"
same "after with" 0 "$(namespaces)"

# Killed without a chance: the watcher removes it.
"$lab/with" --hosts 2 --rate 10mbit -- sleep 60 >/dev/null 2>&1 &
pid=$!
for _ in $(seq 50); do [ "$(namespaces)" = 3 ] && [ -e "/run/orrery/$ORRERY_LAB/settings" ] &&
	break; sleep 0.2; done
same "with, up" 3 "$(namespaces)"
kill -9 $pid
wait $pid 2>/dev/null
for _ in $(seq 50); do [ "$(namespaces)" = 0 ] && break; sleep 0.2; done
same "after kill -9" 0 "$(namespaces)"
exit $failed
