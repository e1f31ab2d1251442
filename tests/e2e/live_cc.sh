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
# Beside a program that was built alone there is a folder of libraries, and not all that is in it.
mkdir -p "$dir/tree/lib/orrery"
cp "$ORRERY" "$dir/tree/orrery"
touch "$dir/tree/lib/orrery/liborrery_find.so"
for words in "cc $SRC/examples/ring.c" "fc $SRC/examples/cg.f90"; do
	(unset ORRERY_MPI_DIR; "$dir/tree/orrery" $words -o "$dir/none") >"$dir/out" 2>"$dir/err"
	[[ $? == 3 && ! -s $dir/out && $(wc -l <"$dir/err") == 1 ]] &&
		grep -q "was not built (all of orrery has to be" "$dir/err" ||
		bad "$words in a tree of the program alone: $(cat "$dir/err")"
done
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
# the header as programs for SMPI name it, and every macro: of 100 iterations three are run, of what
# is given by its time or amount none; f is called once for each of two inputs
cat >"$dir/smpi.c" <<'C'
#include <smpi/smpi.h>
#include <stdio.h>
static int calls, results[2];
static void *f(int which) { calls++; return &results[which]; }
int main(int c, char **v)
{
	int n = 0, body = 0;
	size_t part[2] = {0, 4096};
	MPI_Init(&c, &v);
	SMPI_SAMPLE_LOCAL(int i = 0, i < 100, i++, 3, 0) n++;
	SMPI_SAMPLE_GLOBAL(int i = 0, i < 100, i++, 3, 0) n++;
	SMPI_SAMPLE_LOCAL_TAG(int i = 0, i < 100, i++, 3, 0, "a") n++;
	SMPI_SAMPLE_GLOBAL_TAG(int i = 0, i < 100, i++, 3, 0, "a") n++;
	double t = MPI_Wtime();
	SMPI_SAMPLE_DELAY(2.5) body++;
	t = MPI_Wtime() - t;
	SMPI_SAMPLE_FLOPS(1e9) body++;
	char *p = SMPI_SHARED_MALLOC(1 << 20), *q = SMPI_PARTIAL_SHARED_MALLOC(1 << 20, part, 1);
	p[5] = 7;
	q[1 << 19] = 8;
	for (int i = 0; i < 6; i++)
		if (SMPI_SHARED_CALL(f, i % 2 ? "odd" : "even", i % 2) != &results[i % 2])
			calls = 100;
	printf("ran %d %d, %.1f s, calls %d, %d %d\n", n, body, t, calls, p[5], q[1 << 19]);
	SMPI_SHARED_FREE(p);
	SMPI_SHARED_FREE(q);
	MPI_Finalize();
}
C
"$ORRERY" cc -Wall -Wextra -Werror -o "$dir/smpi" "$dir/smpi.c" || bad "smpi/smpi.h"
says 'ran 12 0, 2.5 s, calls 2, 7 8' "$dir/smpi"
printf '%s\n' '#include <smpi/mpi.h>' 'int main(int c, char **v) { return MPI_Init(&c, &v) ||' \
	'MPI_Finalize() || puts("there") < 0; }' | sed '1i#include <stdio.h>' >"$dir/as.c"
"$ORRERY" cc -o "$dir/as" "$dir/as.c" || bad "smpi/mpi.h"
says there "$dir/as"
[[ $("$ORRERY" cc -show x.c) == "cc -I"*"x.c"*libmpi_abi.so* ]] ||
	bad "-show: $("$ORRERY" cc -show x.c)"
# what it shows, a shell reads back: blanks, quotes, a dollar
words=("x y.c" "-DNAME=\"a b\"" "-DIT=it's" '-DPRICE=$5' "" "-DA=(1)")
eval "set -- $("$ORRERY" cc -show "${words[@]}")"
for word in "${words[@]}"; do
	[[ $3 == "$word" ]] || bad "-show: '$word' is read back as '$3'"
	shift
done
# in one word, quoted and looked for as makefiles do; what mpicc is asked for
bin=$(dirname "$ORRERY")
printf '%s\n' 'made: ; test -x "$(CC)" && "$(CC)" -o $(OUT)/ring.one $(SRC)/examples/ring.c' \
	>"$dir/Makefile"
make -s -f "$dir/Makefile" CC="$bin/orrery-cc" SRC="$SRC" OUT="$dir" || bad "make CC=orrery-cc"
says 'ring: 4 processes.*right' "$dir/ring.one"
cc $("$bin/orrery-cc" -showme:compile) -c -o "$dir/two.o" "$SRC/examples/ring.c" &&
	cc -o "$dir/two" "$dir/two.o" $("$bin/orrery-cc" -showme:link) || bad "-showme: two steps"
says 'ring: 4 processes.*right' "$dir/two"
[[ $("$bin/orrery-c++" -showme:command) == c++ ]] || bad "orrery-c++ is not c++"
[[ $(cd "$bin" && PATH=$bin:$PATH orrery-fc -showme:command) == gfortran ]] || bad "orrery-fc"
if have cmake; then
	printf '%s\n' 'cmake_minimum_required(VERSION 3.13)' 'project(ring C)' \
		'find_package(MPI REQUIRED)' "add_executable(ring $SRC/examples/ring.c)" \
		'target_link_libraries(ring MPI::MPI_C)' >"$dir/CMakeLists.txt"
	cmake -S "$dir" -B "$dir/made" -DMPI_C_COMPILER="$bin/orrery-cc" >"$dir/out" 2>&1 &&
		cmake --build "$dir/made" >"$dir/out" 2>&1 ||
		bad "find_package(MPI): $(tail -5 "$dir/out")"
	says 'ring: 4 processes.*right' "$dir/made/ring"
fi
"$ORRERY" run -n 2 -p graphene --trace "$dir/t" -- "$dir/ring" >"$dir/out" 2>&1
[[ $? == 2 && ! -e $dir/t ]] && grep -q "of the standard's ABI" "$dir/out" ||
	bad "a trace of the standard's ABI: $(cat "$dir/out")"
for before in '' 'env A=1'; do
	"$ORRERY" trace -o "$dir/t" -- $before "$dir/ring" >"$dir/out" 2>&1
	[[ $? == 2 && ! -e $dir/t ]] &&
		grep -q "ring is of the standard's ABI.*by mpicc of Open MPI or MPICH" "$dir/out" ||
		bad "trace of the standard's ABI: $(cat "$dir/out")"
done
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
	# as makefiles do: objects first, then a command with no source in it
	"$ORRERY" cc -c -o "$dir/sum.o" "$dir/sum.cpp" && ar rcs "$dir/libsum.a" "$dir/sum.o"
	for of in sum.o libsum.a; do
		"$ORRERY" cc -o "$dir/linked" "$dir/$of" || bad "C++, linked from $of"
		says 'sum 6' "$dir/linked"
	done
	[[ $("$ORRERY" cc -show -o x "$dir/ring.o") == "cc "* ]] || bad "objects of C: not cc"
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
	# MPI 4.0, 2.6.2 and chapter 15: displacements, strides and extents of the first functions
	# are INTEGERs; 3.9: what a callback writes into extra_state the program sees; 10.2: strings
	# of info; 19.1.5, 19.1.16: constants that tell what the bindings can do
	cat >"$dir/old.f" <<-'END'
	      program old
	      implicit none
	      include 'mpif.h'
	      integer e, t, u, v, i, at(2), lengths(2), kinds(2), n, req, info
	      integer around(3), buf(8), got(8)
	      integer(kind=MPI_ADDRESS_KIND) state
	      character*8 text
	      logical there
	      external query, release, cancel
	      call MPI_Init(e)
	      around = -1
	      call MPI_Type_extent(MPI_REAL, around(1), e)
	      call MPI_Type_ub(MPI_INTEGER, around(2), e)
	      print *, 'extents', around
	      lengths = 1
	      kinds = MPI_INTEGER
	      at(1) = 8
	      at(2) = 0
	      call MPI_Type_hindexed(2, lengths, at, MPI_INTEGER, t, e)
	      call MPI_Type_hvector(2, 1, 16, MPI_INTEGER, u, e)
	      call MPI_Type_struct(2, lengths, at, kinds, v, e)
	      call MPI_Type_commit(t, e)
	      call MPI_Type_commit(u, e)
	      call MPI_Type_commit(v, e)
	      buf = (/ (i, i = 1, 8) /)
	      got = 0
	      n = 0
	      call MPI_Pack(buf, 1, t, got, 32, n, MPI_COMM_SELF, e)
	      call MPI_Pack(buf, 1, u, got, 32, n, MPI_COMM_SELF, e)
	      call MPI_Pack(buf, 1, v, got, 32, n, MPI_COMM_SELF, e)
	      print *, 'packed', got(1:6)
	      call MPI_Address(buf(1), i, e)
	      call MPI_Address(buf(3), n, e)
	      print *, 'apart', n - i
	      state = 41
	      call MPI_Grequest_start(query, release, cancel, state, req, e)
	      call MPI_Grequest_complete(req, e)
	      call MPI_Wait(req, MPI_STATUS_IGNORE, e)
	      call seen(state)
	      call MPI_Info_create_env(info, e)
	      call MPI_Info_set(info, 'key', 'longer than eight', e)
	      n = len(text)
	      call MPI_Info_get_string(info, 'key', n, text, there, e)
	      print *, 'string ', there, n, text
	      n = 0
	      text = 'as it is'
	      call MPI_Info_get_string(info, 'key', n, text, there, e)
	      print *, 'length ', there, n, text
	      call MPI_Info_get_string(info, 'no key', n, text, there, e)
	      print *, 'none ', there, text
	      if (.not. MPI_SUBARRAYS_SUPPORTED .and.
	     &    .not. MPI_ASYNC_PROTECTS_NONBLOCKING)
	     &   print *, 'same', MPI_LONG_LONG_INT .eq. MPI_LONG_LONG,
	     &            MPI_C_COMPLEX .eq. MPI_C_FLOAT_COMPLEX
	      call MPI_Finalize(e)
	      end
	      subroutine seen(state)
	      include 'mpif.h'
	      integer(kind=MPI_ADDRESS_KIND) state
	      print *, 'state', state
	      end
	      subroutine query(state, status, e)
	      include 'mpif.h'
	      integer(kind=MPI_ADDRESS_KIND) state
	      integer status(MPI_STATUS_SIZE), e
	      call MPI_Status_set_elements(status, MPI_BYTE, 0, e)
	      call MPI_Status_set_cancelled(status, .false., e)
	      e = MPI_SUCCESS
	      end
	      subroutine release(state, e)
	      include 'mpif.h'
	      integer(kind=MPI_ADDRESS_KIND) state
	      integer e
	      state = state + 1
	      e = MPI_SUCCESS
	      end
	      subroutine cancel(state, complete, e)
	      include 'mpif.h'
	      integer(kind=MPI_ADDRESS_KIND) state
	      integer e
	      logical complete
	      e = MPI_SUCCESS
	      end
	END
	# MPI 4.0, 19.1.9, 4.1.5: sizes by type and rank, arithmetic of addresses
	cat >"$dir/sizes.f90" <<-'END'
	program sizes
	  use mpi
	  implicit none
	  integer :: e, s(4)
	  real(8) :: a(2, 3)
	  integer(kind=MPI_ADDRESS_KIND) :: far = 2_8**40
	  call MPI_Init(e)
	  call MPI_Sizeof(s(1), s(1), e)
	  call MPI_Sizeof(a, s(2), e)
	  call MPI_Sizeof((1.0, 1.0), s(3), e)
	  call MPI_Sizeof('c', s(4), e)
	  print '(a,4i3,2l2)', 'sizes', s, MPI_Aint_add(far, 5_MPI_ADDRESS_KIND) == far + 5, &
	    MPI_Aint_diff(far, 1_MPI_ADDRESS_KIND) == far - 1
	  call MPI_Finalize(e)
	end program
	END
	"$ORRERY" fc -J "$dir" -o "$dir/sizes" "$dir/sizes.f90" || bad "sizes.f90"
	says 'sizes  4  8  8  1 T T' "$dir/sizes"
	# C of the standard's ABI beside Fortran of another: refused, and said so
	printf '%s\n' '#include <mpi.h>' 'void me_(int *r) { MPI_Comm_rank(MPI_COMM_WORLD, r); }' \
		'void type_(int *r) { MPI_Type_size(MPI_LONG, r); }' >"$dir/me.c"
	for call in me type; do
		printf '      %s\n' 'include "mpif.h"' 'integer e, r' 'call MPI_Init(e)' \
			"call $call(r)" 'call MPI_Finalize(e)' 'end' >"$dir/mixed.f"
		"$ORRERY" cc -c -o "$dir/me.o" "$dir/me.c" &&
			"$ORRERY" fc -o "$dir/mixed" "$dir/mixed.f" "$dir/me.o" || bad "mixed.f"
		"$ORRERY" run -q -n 1 -p graphene -- "$dir/mixed" >"$dir/out" 2>&1
		[[ $? == 1 ]] && grep -q "a handle of the standard's ABI" "$dir/out" ||
			bad "mixed $call: $(head -3 "$dir/out")"
	done
	# in one command it is told before that; of C alone there is nothing to tell
	(cd "$dir" && "$ORRERY" fc -o mixed mixed.f me.c 2>err) &&
		grep -q 'C compiled by .orrery fc. has other handles' "$dir/err" ||
		bad "C and Fortran in one command: $(cat "$dir/err")"
	"$ORRERY" cc -c -o "$dir/me.o" "$dir/me.c" 2>"$dir/err"
	[[ ! -s $dir/err ]] || bad "C alone: $(cat "$dir/err")"
	"$ORRERY" fc -fcheck=all -o "$dir/old" "$dir/old.f" || bad "old.f"
	"$ORRERY" run -q -n 1 -p graphene -- "$dir/old" 2>"$dir/err" | tr -s ' ' |
		sed 8q >"$dir/out"
	diff "$dir/out" - <<-'END' || bad "old.f: $(head -3 "$dir/err")"
	 extents 4 4 -1
	 packed 3 1 1 5 3 1
	 apart 8
	 state 42
	 string T 17 longer t
	 length T 17 as it is
	 none F as it is
	 same T T
	END
fi
# an error in a function of C++, without debugging information: its name, not its symbol
if have c++; then
	printf '%s\n' '#include <mpi.h>' 'namespace alpha { struct Solver { void step(int); }; }' \
		'void __attribute__((noinline)) alpha::Solver::step(int to)' \
		'{ MPI_Send(&to, 1, MPI_INT, to, 0, MPI_COMM_WORLD); asm volatile(""); }' \
		'int main(int c, char **v) { MPI_Init(&c, &v); alpha::Solver().step(7); }' \
		>"$dir/step.cc"
	"$ORRERY" cxx -O1 -o "$dir/step" "$dir/step.cc" || bad "step.cc"
	"$ORRERY" run -q -n 2 -p graphene -- "$dir/step" 2>"$dir/err" >"$dir/out"
	grep -qE "s, (alpha::Solver::step in )?step\+0x[0-9a-f]+: MPI_Send: .*7" "$dir/err" ||
		bad "the name of a function: $(cat "$dir/err")"
fi
exit $failed
