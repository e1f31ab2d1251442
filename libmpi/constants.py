"""Translations between a library's constants and those of mpi_abi.h, as C: used by generate.py."""
import re

# kind of the table of functions: (beginnings of the constants' names, whether they are bits)
KINDS = {
    "rank": (("MPI_ANY_SOURCE", "MPI_PROC_NULL", "MPI_ROOT"), False),
    "tag": (("MPI_ANY_TAG",), False),
    "class": (("MPI_SUCCESS", "MPI_ERR_", "MPI_T_ERR_"), False),
    "predefined_keyval": (("MPI_KEYVAL_INVALID", "MPI_TAG_UB", "MPI_IO", "MPI_HOST",
                           "MPI_WTIME_IS_GLOBAL", "MPI_APPNUM", "MPI_LASTUSEDCODE",
                           "MPI_UNIVERSE_SIZE", "MPI_WIN_BASE", "MPI_WIN_DISP_UNIT",
                           "MPI_WIN_SIZE", "MPI_WIN_CREATE_FLAVOR", "MPI_WIN_MODEL"), False),
    "comparison": (("MPI_IDENT", "MPI_CONGRUENT", "MPI_SIMILAR", "MPI_UNEQUAL"), False),
    "thread": (("MPI_THREAD_",), False),
    "topology": (("MPI_CART", "MPI_GRAPH", "MPI_DIST_GRAPH"), False),
    "combiner": (("MPI_COMBINER_",), False),
    "order": (("MPI_ORDER_",), False),
    "distribution": (("MPI_DISTRIBUTE_BLOCK", "MPI_DISTRIBUTE_CYCLIC", "MPI_DISTRIBUTE_NONE"),
                     False),
    "distribution_argument": (("MPI_DISTRIBUTE_DFLT_DARG",), False),
    "typeclass": (("MPI_TYPECLASS_",), False),
    "lock": (("MPI_LOCK_",), False),
    "flavor": (("MPI_WIN_FLAVOR_",), False),
    "model": (("MPI_WIN_UNIFIED", "MPI_WIN_SEPARATE"), False),
    "assertion": (("MPI_MODE_NOCHECK", "MPI_MODE_NOSTORE", "MPI_MODE_NOPUT", "MPI_MODE_NOPRECEDE",
                   "MPI_MODE_NOSUCCEED"), True),
    "amode": (("MPI_MODE_APPEND", "MPI_MODE_CREATE", "MPI_MODE_DELETE_ON_CLOSE", "MPI_MODE_EXCL",
               "MPI_MODE_RDONLY", "MPI_MODE_RDWR", "MPI_MODE_SEQUENTIAL", "MPI_MODE_UNIQUE_OPEN",
               "MPI_MODE_WRONLY"), True),
    "whence": (("MPI_SEEK_",), False),
    "split": (("MPI_COMM_TYPE_",), False),
    "verbosity": (("MPI_T_VERBOSITY_",), False),
    "bind": (("MPI_T_BIND_",), False),
    "scope": (("MPI_T_SCOPE_",), False),
    "pvar_class": (("MPI_T_PVAR_CLASS_",), False),
    "safety": (("MPI_T_CB_",), False),
    "ordering": (("MPI_T_SOURCE_",), False),
}
EXACT = ("MPI_IO", "MPI_CART", "MPI_GRAPH", "MPI_HOST", "MPI_ROOT")
SKIP = ("MPI_ERR_LASTCODE",)
# What an older library calls an error that has a class of its own since.
NEAREST = {
    "MPI_ERR_ERRHANDLER": "MPI_ERR_ARG", "MPI_ERR_ABI": "MPI_ERR_OTHER",
    "MPI_ERR_PROC_ABORTED": "MPI_ERR_OTHER", "MPI_ERR_VALUE_TOO_LARGE": "MPI_ERR_OTHER",
    "MPI_ERR_SESSION": "MPI_ERR_OTHER", "MPI_T_ERR_NOT_ACCESSIBLE": "MPI_T_ERR_INVALID",
    "MPI_T_ERR_NOT_SUPPORTED": "MPI_T_ERR_INVALID"}


def read_abi(path):
    """mpi_abi.h: {name: value} of integers, {name: (type, value)} of handles."""
    text = open(path, encoding="utf-8").read()
    enumerators = re.findall(r"^\s+((?:MPIX?|ORR)_\w+) = (-?\w+),", text, re.M)
    integers = {n: int(v, 0) for n, v in enumerators}
    integers.update((n, int(v)) for n, v in re.findall(r"^#define (MPI_\w+) (\d+)$", text, re.M))
    macros = re.findall(r"^#define ((?:MPI|ORR)_\w+) \(\((MPI_\w+)\)(0x\w+)\)", text, re.M)
    handles = {n: (t, int(v, 16)) for n, t, v in macros}
    return integers, handles


def read_constants(path):
    """data/mpi_constants.def: {handle: (mpich, object, size, fortran)}, {integer: (mpich,
    openmpi)}."""
    handles, integers = {}, {}
    for line in open(path, encoding="utf-8"):
        fields = [x.strip() for x in line.split("|")]
        if line.startswith("#") or len(fields) < 3:
            continue
        if len(fields) == 5:
            handles[fields[0]] = fields[1:]
        else:
            integers[fields[0]] = fields[1:]
    return handles, integers


def belongs(name, beginnings):
    if name in SKIP:
        return False
    return any(name == b or (b not in EXACT and b.endswith("_") and name.startswith(b))
               for b in beginnings)


def pairs_of(kind, abi, native, column):
    """[(neutral, native, name)] of a kind's constants that the library has."""
    out = []
    for name, value in abi.items():
        if not belongs(name, KINDS[kind][0]):
            continue
        theirs = value if column is None else native.get(name, ("-", "-"))[column]
        if theirs == "-" and name in NEAREST:
            theirs = native[NEAREST[name]][column]
        if theirs != "-":
            out.append((value, int(str(theirs), 0), name))
    return out


def switch(name, pairs, other):
    text = "static inline int %s(int value)\n{\n\tswitch (value) {\n" % name
    for a, b, what in pairs:
        text += "\tcase %d:\n\t\treturn %d; /* %s */\n" % (a, b, what)
    return text + "\tdefault:\n\t\treturn %s;\n\t}\n}\n\n" % other


def bits(name, pairs, other):
    text = "static inline int %s(int value)\n{\n\tint result = 0;\n\n" % name
    for a, b, what in pairs:
        text += "\tif (value & %d)\n\t\tresult |= %d; /* %s */\n" % (a, b, what)
    mask = "|".join(str(a) for a, _, _ in pairs) or "0"
    return text + "\tif (value & ~(%s))\n\t\tresult |= %s;\n\treturn result;\n}\n\n" % (mask, other)


# Values without a name. Ranks and tags from 0 are themselves. What the library would not know is
# invalid in the neutral interface too, whatever it would mean there.
OTHER_IN = {"rank": "value >= 0 || value == MPI_UNDEFINED ? value : value - 1000",
            "tag": "value >= 0 || value == MPI_UNDEFINED ? value : value - 1000",
            "class": "value + ERROR_UNKNOWN",
            "distribution_argument": "value", "predefined_keyval": "0"}
INVALID = "value == MPI_UNDEFINED ? value : value | 0x1000000"


def integer_kinds(abi, native, column):
    text = ""
    for kind, (_, is_bits) in KINDS.items():
        pairs = pairs_of(kind, abi, native, column)
        back, seen = [], set()
        for a, b, name in pairs:
            if b not in seen:
                back.append((b, a, name))
                seen.add(b)
        if is_bits:
            text += bits("in_" + kind, back, "1 << 29") + bits("out_" + kind, pairs, "0")
        else:
            text += switch("in_" + kind, back, OTHER_IN.get(kind, INVALID))
            text += switch("out_" + kind, pairs, "value")
    return text


def mpich_handles(abi, native):
    """in_X and out_X of MPICH's integer handles: predefined ones by tables and switches, others by
    arithmetic."""
    text = ""
    for kind in sorted({t for t, _ in abi.values()}):
        short = kind[4:]
        rows = [(v, native[n][0], n) for n, (t, v) in abi.items()
                if t == kind and native.get(n, ["-"])[0] != "-"]
        text += "UNUSED static const struct known known_%s[] = {\n" % short
        text += "".join("\t{0x%x, (int)%s}, /* %s */\n" % row for row in rows) + "};\n\n"
        text += "static inline MPI_%s known_in_%s(int value)\n" % (short, short)
        text += "{\n\tswitch ((unsigned)value) {\n"
        text += "".join("\tcase %s:\n\t\treturn (MPI_%s)0x%x; /* %s */\n" % (b, short, a, n)
                        for a, b, n in rows)
        text += "\tdefault:\n\t\treturn NULL;\n\t}\n}\n\n"
        text += "static inline int known_out_%s(uintptr_t value)\n{\n\tswitch (value) {\n" % short
        text += "".join("\tcase 0x%x:\n\t\treturn (int)%s; /* %s */\n" % row for row in rows)
        null = native.get("%s_NULL" % kind.upper(), ["0"])[0]
        text += "\tdefault:\n\t\treturn (int)%s;\n\t}\n}\n\n" % null
    return text


def openmpi_handles(abi, native):
    """Rows X(kind, neutral, object, size, Fortran) of Open MPI's objects."""
    text = "#define OBJECTS_EACH(X) \\\n"
    rows = ["\tX(%s, 0x%x, %s, %s, %s)" % (t[4:], v, native[n][1], native[n][2], native[n][3])
            for n, (t, v) in abi.items() if native.get(n, ["-", "-"])[1] != "-"]
    return text + " \\\n".join(rows) + "\n\n"


def strings(abi, native, column):
    text = ""
    for name, value in abi.items():
        if name.startswith("MPI_MAX_"):
            theirs = value if column is None else native.get(name, ("-", "-"))[column]
            text += "#define N_%s %s\n" % (name[4:], value if theirs == "-" else theirs)
    for name in ("MPI_DISPLACEMENT_CURRENT", "MPI_IN_PLACE", "MPI_STATUS_IGNORE", "MPI_VERSION",
                 "MPI_SUBVERSION", "MPI_ERR_LASTCODE"):
        if column is not None and native.get(name, ("-", "-"))[column] != "-":
            text += "#define N_%s %s\n" % (name[4:], native[name][column])
    return text + "\n"


def write_constants(abi_path, constants_path, family, path):
    abi, abi_handles = read_abi(abi_path)
    handles, integers = read_constants(constants_path)
    column = {"mpich": 0, "openmpi": 1, "abi": None}[family]
    with open(path, "w", encoding="utf-8") as out:
        out.write("/* constants of %s: generated by libmpi/generate.py from "
                  "data/mpi_constants.def. Not to be edited. */\n" % family)
        out.write(strings(abi, integers, column))
        out.write(integer_kinds(abi, integers, column))
        if family == "mpich":
            out.write(mpich_handles(abi_handles, handles))
        elif family == "openmpi":
            out.write(openmpi_handles(abi_handles, handles))
