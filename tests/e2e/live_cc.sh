#!/bin/bash
# `orrery cc` and `orrery fc` compile programs with no MPI installed, and these run in the
# simulation: C, C++, Fortran.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
have cc || skip "no C compiler"
need_live
export XDG_CACHE_HOME=$dir/cache
failed=0
bad() { echo "$*"; failed=1; }
says() { # text, program...
	local text=$1
	shift
	"$ORRERY" run -q -n 4 -p graphene --computation none -- "$@" >"$dir/out" 2>"$dir/err"
	grep -q "$text" "$dir/out" || bad "$1: '$text' wanted: $(head -3 "$dir/out" "$dir/err")"
}
"$ORRERY" cc -w -O1 -o "$dir/calls" "$SRC/tests/programs/calls.c" || bad "calls.c"
says 'calls: all right' "$dir/calls"
"$ORRERY" cc -c -Wall -Werror -o "$dir/ring.o" "$SRC/examples/ring.c" ||
	bad "ring.c does not compile without a warning"
"$ORRERY" cc -o "$dir/ring" "$dir/ring.o" || bad "linking"
says 'ring: 4 processes.*right' "$dir/ring"
# macros of SMPI, by a header that needs no -I
printf '%s\n' '#include <mpi.h>' '#include <orrery/smpi.h>' '#include <stdio.h>' \
	'int main(int c, char **v) { int n = 0; MPI_Init(&c, &v); double t = MPI_Wtime();' \
	'SMPI_SAMPLE_LOCAL(int i = 0, i < 100, i++, 5, 0.01) n++;' \
	'SMPI_SAMPLE_DELAY(2.5) n += 1000;' \
	't = MPI_Wtime() - t; printf("ran %d, %.1f s\\n", n, t); MPI_Finalize(); }' >"$dir/says.c"
"$ORRERY" cc -o "$dir/says" "$dir/says.c" || bad "orrery/smpi.h"
says 'ran 100, 2.5 s\|ran [0-9], 2.5 s' "$dir/says"
[[ $("$ORRERY" cc -show x.c) == "cc -I"*"x.c"*libmpi_abi.so.0* ]] ||
	bad "-show: $("$ORRERY" cc -show x.c)"
"$ORRERY" run -n 2 -p graphene --trace "$dir/t" -- "$dir/ring" >"$dir/out" 2>&1
[[ $? == 2 && ! -e $dir/t ]] && grep -q "of the standard's ABI" "$dir/out" ||
	bad "a trace of the standard's ABI: $(cat "$dir/out")"
"$ORRERY" cc -c does-not-exist.c 2>/dev/null && bad "the exit code of a compiler that fails"
if have c++; then
	cat >"$dir/sum.cpp" <<-'END'
	#include <mpi.h>
	#include <iostream>
	int main(int c, char **v)
	{
		int r, s = 0;
		MPI_Init(&c, &v);
		MPI_Comm_rank(MPI_COMM_WORLD, &r);
		MPI_Reduce(&r, &s, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
		if (!r)
			std::cout << "sum " << s << std::endl;
		MPI_Finalize();
	}
	END
	"$ORRERY" cc -o "$dir/sum" "$dir/sum.cpp" || bad "C++"
	says 'sum 6' "$dir/sum"
fi
if have gfortran; then
	"$ORRERY" fc -O1 -J "$dir" -o "$dir/cg" "$SRC/examples/cg.f90" || bad "cg.f90"
	says 'cg: order.*right' "$dir/cg"
	# MPI 4.0, A.1.1: an offset, which is given as it stands
	cat >"$dir/offset.f90" <<-'END'
	program offset
	  use mpi
	  integer :: e
	  call MPI_Init(e)
	  print *, 'offset', kind(MPI_DISPLACEMENT_CURRENT) == MPI_OFFSET_KIND
	  call MPI_Finalize(e)
	end program
	END
	"$ORRERY" fc -J "$dir" -o "$dir/offset" "$dir/offset.f90" || bad "offset.f90"
	says 'offset T' "$dir/offset"
fi
exit $failed
