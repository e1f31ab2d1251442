#!/bin/bash
# Every function of MPI is called once, in each ABI, by C and Fortran, by ranks that are processes
# and coroutines; the same simulated time comes out where the same calls are made. Then the names:
# what Debian's libraries of MPI give programs and what those on top of them need, ours give too.
# parts: 3
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
have cc nm python3 || skip "no C compiler, nm or python3"
need_live
scratch
lib=$(dirname "$ORRERY")/lib/orrery
[[ -d $lib ]] || lib=$(dirname "$ORRERY")/../lib/orrery
names() {
	nm -D --defined-only "$@" 2>/dev/null | awk 'NF >= 3 {print $3}' | sed 's/@.*//' | sort -u
}
real() { ldconfig -p | sed -n "s/.*\b$1 .*=> //p" | head -1; }
# build FAMILY LANGUAGE COMPILER… : the program, of the functions in ./names
build() {
	local family=$1 language=$2
	shift 2
	echo '#include <mpi.h>' | "$@" -DOMPI_OMIT_MPI1_COMPAT_DECLS=0 -E -dD -x c - >mpi.i ||
		{ bad "$family: no mpi.h"; return 1; }
	python3 "$SRC/tests/tools/each_call.py" "$SRC" names mpi.i "$language" >each_call.c &&
		"$@" -w -g -Werror=implicit-function-declaration \
			-DOMPI_OMIT_MPI1_COMPAT_DECLS=0 "-I$SRC/tests/programs" each_call.c \
			-o each_call "${libs[@]}" ||
		{ bad "$family, $language: not built"; return 1; }
}
# tried WHAT WANTED OPTION… -- PROGRAM…: WANTED calls at least, all well; $took is how long
tried() {
	local what=$1 wanted=$2
	shift 2
	timeout 60 "$ORRERY" run -np 2 --ppn 2 --universe 8 -p graphene --computation none "$@" \
		>out 2>err || bad "$what: exit code $?"
	[[ $(cat out) =~ ^each_call:\ ([0-9]+)\ calls,\ 0\ wrong &&
		${BASH_REMATCH[1]} -ge $wanted ]] ||
		bad "$what: not $wanted calls, or some wrong: $(head -20 err out)"
	took=$(sed -n 's/^simulated time: //p' out)
}
# each FAMILY LANGUAGE WANTED COMPILER…
each() {
	local what="$1, $2" wanted=$3 processes
	build "$1" "$2" "${@:4}" || return
	tried "$what, with children" "$wanted" -- ./each_call spawns
	tried "$what" $((wanted - 2)) -- ./each_call
	processes=$took
	ways_to_hold
	((${#holds[@]} > 1)) || return 0
	tried "$what, coroutines" $((wanted - 2)) --hold coroutines -- ./each_call
	[[ -n $processes && $processes == "$took" ]] ||
		bad "$what: processes take $processes, coroutines $took"
}
# there LIBRARY OURS…: all of MPI's names that it gives to programs
there() {
	local missing
	missing=$(comm -23 <(names "$1" | grep -E '^P?MPIX?_|^p?mpix?_') <(names "${@:2}"))
	[[ -z $missing ]] || bad "$1 has, ours have not: $(head -40 <<<"$missing" | paste -sd' ')"
}
# needs LIBRARY OURS…: what a library on top of MPI's takes from it
needs() {
	local missing
	[[ -f $1 ]] || return
	missing=$(comm -23 <(nm -D --undefined-only "$1" | awk '{print $NF}' | sed 's/@.*//' |
		grep -E '^(p?mpi|P?MPI|o?mpi|ompi|opal|mca|MPII)' | sort -u) <(names "$1" "${@:2}"))
	[[ -z $missing ]] || bad "$1 needs, ours have not: $(head -40 <<<"$missing" | paste -sd' ')"
}
# every function of the table is in a front, as MPI_X and PMPI_X
table() {
	local missing
	missing=$(comm -13 <(names "$1") <(sed -n 's/.*[ *]\(MPI_[A-Za-z_0-9]*\)(.*/\1\nP\1/p' \
		"$SRC/data/mpi_calls.def" | sort -u))
	[[ -z $missing ]] ||
		bad "the table has, $1 has not: $(head -40 <<<"$missing" | paste -sd' ')"
}
tested=0
if mine 1; then
	tested=1 libs=()
	table "$lib/abi/libmpi_abi.so.0"
	names "$lib/abi/libmpi_abi.so.0" >names
	each abi c 666 "$ORRERY" cc
fi
if mine 2 && have mpicc.mpich; then
	tested=1 libs=()
	front=$lib/mpich/libmpich.so.12 own=$(real libmpich.so.12)
	fortran=$(real libmpichfort.so.12)
	there "$own" "$front"
	needs "$fortran" "$front"
	needs "$(real libmpichcxx.so.12)" "$front"
	names "$own" >names
	each mpich c 613 mpicc.mpich
	# 0 1 at the first test; complete at the third look: as under MPICH 4.0
	mpicc.mpich -o polled "$SRC/tests/programs/mpich_polled.c" || bad "mpich_polled.c"
	ways_to_hold
	for hold in "${holds[@]}"; do
		"$ORRERY" run -q -np 1 -p graphene --hold $hold -- ./polled 2>&1 | head -3 >out
		diff out - <<<$'0 1 3 1 3\n0 4 6 2 3\n0 7 9 3 3' || bad "mpich_polled, $hold"
	done
	if [[ -f $fortran ]]; then
		names "$fortran" >names
		libs=("$fortran")
		each mpich fortran 400 mpicc.mpich
	fi
fi
if mine 3 && have mpicc.openmpi; then
	tested=1 libs=()
	front=$lib/openmpi/libmpi.so.40 own=$(real libmpi.so.40)
	there "$own" "$front"
	objects=$(mpicc.openmpi -DOMPI_OMIT_MPI1_COMPAT_DECLS=0 -E -dD -x c - \
		<<<'#include <mpi.h>' | grep -o 'ompi_[a-z_0-9]*' | sort -u |
		comm -12 - <(names "$own") | comm -23 - <(names "$front"))
	[[ -z $objects ]] || bad "mpi.h names, ours have not: $(paste -sd' ' <<<"$objects")"
	fortran=$(real libmpi_mpifh.so.40)
	names "$own" >names
	each openmpi c 409 mpicc.openmpi
	if [[ -f $fortran ]]; then
		needs "$(real libmpi_usempif08.so.40)" "$lib"/openmpi/*
		needs "$(real libmpi_usempi_ignore_tkr.so.40)" "$lib"/openmpi/*
		# that for C++ brings Open MPI's inside with it
		needs "$(real libmpi_cxx.so.40)" "$lib"/openmpi/* "$(real libopen-pal.so.40)"
		java=$(real libmpi_java.so.40)
		[[ ! -f $java ]] || needs "$java" "$lib"/openmpi/*
		there "$fortran" "$lib"/openmpi/*
		names "$fortran" >names
		libs=("$fortran")
		each openmpi fortran 357 mpicc.openmpi
		fortran=$(real libmpi_usempif08.so.40)
		names "$fortran" >names
		libs=("$fortran")
		each openmpi f08 341 mpicc.openmpi
	fi
fi
((tested)) || skip "no mpicc of this part's MPI (Debian: libmpich-dev, libopenmpi-dev)"
exit $failed
