#!/bin/bash
# parts: 3
# Call sites: computations bear the region between the two calls around them, with source lines
# where the program has them, in C, C++ and Fortran; through a library of the
# program's own with --sites 2; not with --sites 0, nor with the counter `fake` unless asked.
# tests/programs/regions.c: calls on lines 20 and 22, five times; so the regions
# are init>20, 20>22 (5 times), 22>20 (4 times), 22>finalize.
. "$(dirname "$0")/tracer.bash"

regions() { # DIR: name times, …
	"$ORRERY" info --json "$1" | python3 -c '
import json, sys
regions = json.load(sys.stdin)["regions"]
print(", ".join(sorted("%s %d" % (r["name"], r["times"]) for r in regions)))'
}

# alone [options] -- PROGRAM: one process, without mpirun
alone() { timeout 60 "$ORRERY" trace -f -q -o "$tmp/t" "$@"; }

plain() {
	local f=$1
	build $f regions -g
	trace $f 2 "$tmp/t" -q --counter fake --sites 1 -- "$tmp/regions.$f"
	lines="regions.c:20>regions.c:22 10, regions.c:22>regions.c:20 8"
	lines+=", regions.c:22>regions.c:30 2, regions.c:28>regions.c:20 2"
	same "$f lines" "$lines" "$(regions "$tmp/t")"
	(unset ORRERY_FORM; trace $f 2 "$tmp/c" -q --counter fake --sites 1 -- "$tmp/regions.$f")
	same "$f lines, compressed" "$lines" "$(regions "$tmp/c")"
	# what is written and read again keeps them
	"$ORRERY" convert --force -f merged -o "$tmp/merged" "$tmp/t" &&
		same "$f merged" "$(regions "$tmp/t")" "$(regions "$tmp/merged")"
	"$ORRERY" convert --force -f folder -o "$tmp/folder" "$tmp/t" &&
		same "$f folder" "$(regions "$tmp/t")" "$(regions "$tmp/folder")"
	has "$f simgrid" <("$ORRERY" convert --force -f simgrid -o "$tmp/plain" "$tmp/t" 2>&1) \
		"22 events lost their measured duration or call site"
	"$ORRERY" replay -q "$tmp/t" -p graphene >"$tmp/out" 2>&1 ||
		bad "$f: replay: $(cat "$tmp/out")"

	alone --counter fake -- "$tmp/regions.$f"
	same "$f fake" "" "$(regions "$tmp/t")"
	alone --counter wall -- "$tmp/regions.$f"
	has "$f default" <(regions "$tmp/t") "regions.c:20>regions.c:22 "
	alone --counter wall --sites 0 -- "$tmp/regions.$f"
	same "$f none" "" "$(regions "$tmp/t")"
}
other_builds() {
	local f=$1
	build $f regions -g -DWRAPPED
	alone --counter fake --sites 1 -- "$tmp/regions.$f"
	same "$f wrapped, one frame" "regions.c:10>regions.c:10 9" "$(regions "$tmp/t" |
		cut -d, -f1)"
	alone --counter fake --sites 2 -- "$tmp/regions.$f"
	same "$f wrapped, two frames" "regions.c:10<regions.c:20>regions.c:10<regions.c:22 5" \
		"$(regions "$tmp/t" | cut -d, -f1)"

	# without -g: the function, the program and the address; two runs name them alike
	build $f regions -s
	alone --counter fake --sites 1 -- "$tmp/regions.$f"
	regions "$tmp/t" >"$tmp/first"
	has "$f stripped" "$tmp/first" "regions.$f+0x"
	alone --counter fake --sites 1 -- "$tmp/regions.$f"
	same "$f again" "$(cat "$tmp/first")" "$(regions "$tmp/t")"
}
languages() {
	local f=$1 binding
	if command -v mpicxx.$f >/dev/null; then
		cp "$SRC/tests/programs/regions.c" "$tmp/regions.cc"
		mpicxx.$f -g -w -O1 -o "$tmp/regions_cc" "$tmp/regions.cc" ||
			bad "$f: C++ does not compile"
		alone --counter fake --sites 1 -- "$tmp/regions_cc"
		same "$f C++" "regions.cc:20>regions.cc:22 5" "$(regions "$tmp/t" | cut -d, -f1)"
		# without lines: functions as they are written, but for arguments of templates
		cat >"$tmp/named.cc" <<-'END'
			#include <mpi.h>
			namespace work {
			template <class T> void twice(T n)
			{
				for (T i = 0; i < n; i++)
					MPI_Barrier(MPI_COMM_WORLD);
			}
			}
			static void once(double) { MPI_Barrier(MPI_COMM_WORLD); }
			int main() { MPI_Init(0, 0); work::twice(2l); once(1); MPI_Finalize(); }
		END
		mpicxx.$f -w -O0 -o "$tmp/named" "$tmp/named.cc" || bad "$f: named.cc"
		alone --counter fake --sites 1 -- "$tmp/named"
		lines="main>work::twice 1, once>main 1, work::twice>once 1"
		same "$f C++ without lines" "$lines, work::twice>work::twice 1" \
			"$(regions "$tmp/t" | sed 's/@named+0x[0-9a-f]*//g')"
	fi
	command -v mpif90.$f >/dev/null || return 0
	for binding in MODULE F08; do
		mpif90.$f -D$binding -g -w -O1 -J"$tmp" -o "$tmp/regions_$binding" \
			"$SRC/tests/programs/regions.F90" ||
			{ bad "$binding does not compile with $f"; continue; }
		alone --counter fake --sites 1 -- "$tmp/regions_$binding"
		same "$f $binding" \
			"regions.F90:11>regions.F90:12 5, regions.F90:12>regions.F90:11 4" \
			"$(regions "$tmp/t" | cut -d, -f1,2)"
	done
}
for f in "${families[@]}"; do
	apart plain $f
	apart other_builds $f
	apart languages $f
done
together
exit $failed
