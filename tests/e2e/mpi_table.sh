#!/bin/bash
# The table of MPI functions and that of constants, against the mpi.h of the installed libraries:
# every function that one declares has the table's prototype, every constant the table's value, and
# a predefined object of Open MPI the table's size (the dynamic linker would warn of another). The
# tables are those of MPICH 4.0 and Open MPI 4: later ones have more constants, and other words.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
tried=0 failed=0
for family in mpich openmpi; do
	cc=mpicc.$family
	command -v $cc >/dev/null || { echo "$cc: not here"; continue; }
	echo '#include <mpi.h>' | $cc -E -dD -x c - >"$tmp/mpi.i"
	grep -qE '^#define (MPICH_VERSION "4\.0|OMPI_MAJOR_VERSION 4$)' "$tmp/mpi.i" ||
		{ echo "$cc: of another version than the tables"; continue; }
	tried=1
	python3 "$SRC/tests/tools/mpi_table_check.py" "$SRC" $family "$tmp/mpi.i" >"$tmp/check.c" ||
		exit 1
	[[ $(grep -c '^extern' "$tmp/check.c") -gt 380 ]] ||
		{ echo "$family: too few functions compared"; failed=1; }
	$cc -w -DOMPI_OMIT_MPI1_COMPAT_DECLS=0 "$tmp/check.c" -o "$tmp/check" 2>"$tmp/err" &&
		"$tmp/check" ||
		{ echo "$family: the tables and mpi.h differ:"; grep -E 'error|assert' "$tmp/err";
			failed=1; }
done
lib=$(ldconfig -p | sed -n 's/.*libmpi\.so\.40 .*=> //p' | head -1)
if [[ -f $lib ]]; then
	nm -D -S --defined-only "$lib" | awk 'NF == 4 {print $4, $2}' | sort >"$tmp/theirs"
	awk -F'|' 'NF == 5 && !/^#/ && $3 !~ /-/ {
		gsub(/ /, "")
		split($0, f, "|")
		printf "%s %016x\n", f[3], f[4]
	}' "$SRC/data/mpi_constants.def" | sort >"$tmp/table"
	grep -q '^ompi_mpi_instance_null ' "$tmp/theirs" || # before Open MPI 5
		sed -i -E '/^ompi_mpi_(instance_null|errors_abort) /d' "$tmp/table"
	comm -23 "$tmp/table" "$tmp/theirs" >"$tmp/other"
	[[ -s $tmp/other ]] && { echo "sizes of Open MPI's objects:"; cat "$tmp/other"; failed=1; }
fi
[[ $tried = 1 ]] || skip "no mpicc of MPICH 4.0 or Open MPI 4 (Debian: libmpich-dev libopenmpi-dev)"
exit $failed
