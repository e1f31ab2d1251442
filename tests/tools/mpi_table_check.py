#!/usr/bin/env python3
"""A C program that does not compile where data/mpi_calls.def and data/mpi_constants.def are not
what an mpi.h says.

  mpi_table_check.py SRC FAMILY HEADER     to standard output; HEADER is mpi.h preprocessed with -dD
"""
import os
import re
import sys

SRC, FAMILY, HEADER = sys.argv[1:]
sys.path[:0] = [os.path.join(SRC, "tools"), os.path.join(SRC, "libmpi")]
from constants import read_abi, read_constants  # noqa: E402
from mpi_table import all_functions, read_table  # noqa: E402


NOT_THE_SAME = ("MPI_Pready_list",)  # its array is const since MPI 4.1


def main():
    text = open(HEADER, encoding="utf-8").read()
    macros = set(re.findall(r"^#define (MPI_\w+)\(", text, re.M))
    declared = set(re.findall(r"\b(MPI_\w+)\s*\(", text)) - macros
    words = set(re.findall(r"\bMPI_\w+\b", text))
    print("#include <mpi.h>\n#include <stddef.h>")
    checked = 0
    for f in all_functions(read_table(SRC + "/data/mpi_calls.def")):
        types = [p.base() for p in f.params]
        unknown = any(re.match("MPI_", t) and t not in words for t in types)
        if f.name not in declared or f.name in NOT_THE_SAME or unknown:
            continue
        params = ", ".join(p.sized(f.sizes()) for p in f.params) + (", ..." if f.variadic else "")
        params = params or "void"
        print("extern %s table_%s(%s);" % (f.result, f.name, params))
        print('_Static_assert(__builtin_types_compatible_p(__typeof__(%s), '
              '__typeof__(table_%s)), "%s");' % (f.name, f.name, f.name))
        checked += 1
    print("/* %d functions */" % checked)
    handles, integers = read_constants(SRC + "/data/mpi_constants.def")
    abi, abi_handles = read_abi(SRC + "/libmpi/mpi_abi.h")
    column = ("mpich", "openmpi").index(FAMILY)
    for name, values in integers.items():
        if values[column] != "-" and name in words:
            print('_Static_assert((long)(%s) == %s, "%s");' % (name, values[column], name))
        elif (name in words and name in abi and
              name not in ("MPI_MAX_STRINGTAG_LEN", "MPI_MAX_PSET_NAME_LEN")):
            print('_Static_assert(0, "%s is missing in the table");' % name)
    if FAMILY == "mpich":
        for name, values in handles.items():
            if values[0] != "-" and name in words:
                print('_Static_assert((size_t)(%s) %% 0x100000000 == (unsigned)%s, "%s");' % (
                    name, values[0], name))
    print("int main(void)\n{")
    for name, values in handles.items() if FAMILY == "openmpi" else ():
        if values[1] != "-" and name in words:
            print("\tif ((void *)(%s) != (void *)&%s)\n\t\treturn 1;" % (name, values[1]))
    print("\treturn 0;\n}")


main()
