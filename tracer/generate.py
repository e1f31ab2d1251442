#!/usr/bin/env python3
"""Makes code and documentation from the table of MPI functions, data/mpi_calls.def.

  generate.py TABLE wrappers FAMILY HEADER DIR   DIR/calls.h, DIR/wrap_c.c, DIR/wrap_fortran.c for
                                                 one MPI library; FAMILY is openmpi or mpich; HEADER
                                                 is its preprocessed mpi.h (cc -E -dD)
  generate.py TABLE coverage FILE                the page docs/mpi-coverage.md

A wrapper is the same four steps in C and in Fortran: call_enter, the real function, call_return, a
recorder with the arguments by name (struct call of tracer/call.h). A function that is not traced is
counted and passed through.
"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from mpi_table import all_functions, read_table  # noqa: E402 (the table is not installed)

UNTRACED = ("local", "other")
C_ONLY = re.compile(r"MPI_(T_|\w+_(c2f|f2c|c2f08|f082c|f082f|f2f08)$|Pcontrol$|Info_create_env$)")


# ------------------------------------------------------------------ what recorders are told

# The field of struct call that a parameter fills before the call. Handles are converted in Fortran.
FIELDS = {
    "count": "count", "sendcount": "count", "incount": "count", "recvcount": "count2",
    "datatype": "type", "sendtype": "type", "recvtype": "type2",
    "dest": "dest", "source": "source", "root": "root",
    "local_leader": "root", "peer_comm": "peer", "remote_leader": "dest",
    "tag": "tag", "sendtag": "tag", "recvtag": "tag2", "op": "op",
    "sendcounts": "counts", "recvcounts": "counts2", "sendtypes": "types", "recvtypes": "types2",
    "partitions": "partitions", "partition": "low", "partition_low": "low",
    "partition_high": "high", "length": "length",
    "origin_count": "count", "origin_datatype": "type",
    "result_count": "count2", "result_datatype": "type2",
    "target_rank": "dest", "group": "group", "lock_type": "lock",
    "assert": "assertion", "filetype": "type2",
    "flag": "flag", "index": "index", "outcount": "outcount", "array_of_indices": "indices",
}
COMM_IN = ("comm", "comm_old", "intercomm", "local_comm")
COMM_MAKING = ("comm_new", "comm_alone", "spawn")
WAITING = ("request_status", "pready", "pready_range", "pready_list", "parrived", "wait", "waitall",
           "waitany", "waitsome", "test", "testall", "testany", "testsome", "start", "startall",
           "request_free", "cancel")
# Removed by MPI 3.0. Open MPI's library has them; its header says so, by macros that refuse them,
# only to the compiler that it was built with.
REMOVED = {"MPI_Address", "MPI_Errhandler_create", "MPI_Errhandler_get", "MPI_Errhandler_set",
           "MPI_Type_extent", "MPI_Type_hindexed", "MPI_Type_hvector", "MPI_Type_lb",
           "MPI_Type_struct", "MPI_Type_ub"}
STARTING = ("send", "isend", "recv", "irecv", "sendrecv", "sendrecv_replace", "mrecv", "coll",
            "icoll", "start", "startall", "comm_new")  # announce.h
CONVERT = {"MPI_Comm": "PMPI_Comm_f2c", "MPI_Datatype": "PMPI_Type_f2c", "MPI_Op": "PMPI_Op_f2c",
           "MPI_Request": "PMPI_Request_f2c", "MPI_Win": "PMPI_Win_f2c",
           "MPI_Group": "PMPI_Group_f2c", "MPI_Message": "PMPI_Message_f2c",
           "MPI_File": "PMPI_File_f2c"}


class Language:
    """How C or Fortran gives the value of an argument."""

    def __init__(self, fortran, f08=False, cdesc=False):
        self.fortran, self.f08, self.cdesc = fortran, f08, cdesc

    def value(self, p, sizes):
        if not self.fortran:
            return "*" + p.name if p.pointed() else p.name
        if p.base() in CONVERT:
            return "%s(*(MPI_Fint *)%s)" % (CONVERT[p.base()], p.name)
        wide = p.base() if p.base() in ("MPI_Aint", "MPI_Count", "MPI_Offset") else "MPI_Fint"
        return "*(%s *)%s" % (sizes.get(p.base(), wide), p.name)

    def before(self, f):
        """Statements that fill struct call before the call."""
        out = []
        sizes = f.sizes()
        comm_seen = False
        for p in f.params:
            field = FIELDS.get(p.name)
            if p.name == "flag" and f.recorder == "file_all":  # an argument, not a result
                continue
            if p.name in ("sendbuf", "recvbuf"):
                if self.fortran:
                    test = "fortran_in_place(%s, %d)" % (p.name, self.cdesc)
                else:
                    test = "%s == MPI_IN_PLACE" % p.name
                out.append("c.in_place |= %s;" % test)
            elif p.name in ("sendcounts", "recvcounts"):
                out.append("c.%s = (struct call_counts){%s, %d};" % (field, p.name, f.large))
            elif p.name in ("sendtypes", "recvtypes"):
                out.append("c.%s = (struct call_types){%s, %d};" % (field, p.name, self.fortran))
            elif p.name in ("flag", "index", "outcount", "array_of_indices"):
                out.append("c.%s = %s;" % (field, p.name))
            elif p.name == "array_of_partitions":
                out.append("c.list = %s;" % p.name)
            elif (p.name == "win" and f.recorder.startswith(("win", "rma")) and
                  f.recorder != "win_new"):
                out.append("c.win = %s;" % self.value(p, sizes))
            elif p.name == "rank" and f.recorder == "win_target":
                out.append("c.dest = %s;" % self.value(p, sizes))
            elif p.name == "size" and f.recorder == "win_new":
                out.append("c.bytes = %s;" % self.value(p, sizes))
            elif (p.name in ("fh", "file") and f.recorder.startswith("file_") and
                  f.recorder != "file_open"):
                out.append("c.file = %s;" % self.value(p, sizes))
            elif p.name == "filename" and f.recorder in ("file_open", "file_delete"):
                length = "(int64_t)length0" if self.fortran else "-1"
                out.append("c.name = %s;\n\tc.name_length = %s;" % (p.name, length))
            elif field and (p.name != "group" or f.recorder == "win_group"):
                out.append("c.%s = %s;" % (field, self.value(p, sizes)))
            elif p.name in COMM_IN and not comm_seen and p.direction != "out":
                comm_seen = True
                out.append("c.comm = %s;" % self.value(p, sizes))
            elif p.name == "message" and f.recorder in ("mrecv", "imrecv"):
                out.append("c.message = %s;" % self.value(p, sizes))
            elif p.name in ("request", "array_of_requests") and f.recorder in WAITING:
                many = "c.count" if p.name == "array_of_requests" else "1"
                copy = "call_copy_fortran" if self.fortran else "call_copy_requests"
                by_value = not self.fortran and not p.pointed()
                out.append("%s(&c, %s, %s%s);" % (copy, many, "&" if by_value else "", p.name))
            elif p.name == "status" and f.recorder not in UNTRACED:
                if self.fortran:
                    out.append("status = fortran_status(status, own_status);")
                else:
                    out.append("if (status == MPI_STATUS_IGNORE)\n\t\tstatus = &own_status;\n"
                               "\tc.statuses = status;")
            elif p.name == "array_of_statuses":
                if self.fortran:
                    out.append("array_of_statuses = call_statuses_fortran(&c, array_of_statuses);")
                else:
                    out.append("array_of_statuses = call_statuses(&c, array_of_statuses);")
        if f.recorder == "comm_idup":
            out.append("c.newcomm_place = newcomm;\n\tc.fortran = %d;" % self.fortran)
        elif self.fortran and f.recorder in WAITING:
            out.append("c.fortran = 1;")
        if self.fortran and (f.has("index") or f.has("array_of_indices")):
            out.append("c.index_base = %s;" % ("fortran_index_base_f08()" if self.f08 else "1"))
        if f.recorder in STARTING:
            out.append("announce_%s(&c%s);" % (f.recorder, op_argument(f)))
        if f.recorder == "win_new" and not f.has("size"):
            out.append("c.bytes = 0;")
        if f.recorder == "spawn" and not self.fortran:
            many = "before_spawn_multiple(&c, count, &array_of_commands, &array_of_argv);"
            out.append(many if f.has("count") else "before_spawn(&c, &command, &argv);")
        if f.recorder == "spawn" and self.fortran:
            many = ("*(MPI_Fint *)count", "array_of_commands", "array_of_argv")
            what = many if f.has("count") else ("1", "command", "argv")
            out.append("before_spawn_fortran(&c, %s, &%s, &%s, &length0, &length1);" % what)
        if f.recorder in ("comm_idup", "comm_free", "win_free", "file_close", "finalize", "abort",
                          "session_finalize"):
            out.append("before_%s(&c);" % f.recorder)
        if f.op == "COMM_DUP" or f.recorder in ("comm_idup", "comm_free", "win_free"):
            out.append("call_opens(&c, %d);" % self.fortran)
        return out

    def after(self, f):
        """Statements that fill struct call from what the call gave."""
        out = []
        sizes = f.sizes()
        for p in f.params:
            if p.base() == "MPI_Comm" and p.direction == "out" and f.recorder in COMM_MAKING:
                out.append("c.newcomm = %s;" % self.value(p, sizes))
            elif p.name == "win" and f.recorder == "win_new":
                out.append("c.win = %s;" % self.value(p, sizes))
            elif p.name == "fh" and f.recorder == "file_open":
                out.append("c.file = %s;" % self.value(p, sizes))
            elif p.name == "request" and f.recorder not in WAITING:
                out.append("c.request = %s;\n\t\tc.place = request;" % self.value(p, sizes))
            elif p.name == "message" and f.recorder in ("mprobe", "improbe"):
                out.append("c.message = %s;" % self.value(p, sizes))
            elif p.name == "size" and f.recorder == "comm_size":
                out.append("c.count = %s;" % self.value(p, sizes))
            elif p.name == "status" and self.fortran:
                out.append("c.statuses = call_status_fortran(&c, status);")
        return ["if (call_succeeded(&c)) {\n\t\t%s\n\t}" % "\n\t\t".join(out)] if out else []


# ------------------------------------------------------------------ wrappers

HEAD = """/* %s: generated by tracer/generate.py from data/mpi_calls.def. Not to be edited. */
#include "operators.h"
#include "record.h"

"""


def op_argument(f):
    return ", TRACE_" + f.op if f.op else ""


def op_handle(fortran):
    return "PMPI_Op_f2c(*(MPI_Fint *)op)" if fortran else "*op"


def local_c(f, call):
    """The end of a local function's wrapper. The program's own operators of reductions are replaced
    (operators.h)."""
    if f.has("user_fn"):
        return ("\tint ours = operator_wrap(&user_fn), rc = %s;\n\n"
                "\tif (ours && rc == MPI_SUCCESS)\n\t\toperator_made(%s);\n\treturn rc;\n" % (
                    call, op_handle(False)))
    return "%s\treturn %s;\n" % (op_freed(f, False), call)


def local_fortran(f, call):
    if f.has("user_fn"):
        return ("\tint ours = operator_wrap(&user_fn);\n\t%s;\n"
                "\tif (ours && *(MPI_Fint *)ierr == MPI_SUCCESS)\n\t\toperator_made(%s);\n" % (
                    call, op_handle(True)))
    return "%s\t%s;\n" % (op_freed(f, True), call)


def op_freed(f, fortran):
    return "\toperator_freed(%s);\n" % op_handle(fortran) if f.name == "MPI_Op_free" else ""


def body_traced(f, lang, ok_type, run, passed):
    """The text between the braces of a traced function. run: the statement that calls; passed: what
    to do when not tracing."""
    lines = ["struct call c;"]
    if f.has("status"):
        lines.append("MPI_Fint own_status[FORTRAN_STATUS_INTS];" if lang.fortran else
                     "MPI_Status own_status;")
    if not lang.fortran:
        lines.append("int rc;")
    unfound = "" if lang.fortran else "!found || "
    lines += ["", "if (%s!call_enter(&c, %s, SITE))" % (unfound, f.id()), "\t" + passed]
    lines += lang.before(f)
    lines += [run, "call_return(&c, %s);" % ("*(MPI_Fint *)ierr" if lang.fortran else "rc")]
    if f.recorder == "spawn" and lang.fortran:
        lines.append("after_spawn_fortran(&c);")
    lines += lang.after(f)
    lines += ["record_%s(&c%s);" % (f.recorder, op_argument(f)), "call_leave(&c);"]
    if not lang.fortran:
        lines.append("return rc;")
    return "".join("\t%s\n" % line if line else "\n" for line in lines)


def body_init(f, lang, run, passed):
    lines = ["struct call c;"] + ([] if lang.fortran else ["int rc;"])
    unfound = "" if lang.fortran else "!found || "
    lines += ["", "if (%s!call_enter_init(&c, SITE))" % unfound, "\t" + passed, run]
    lines += ["record_init(&c, %s);" % ("*(MPI_Fint *)ierr" if lang.fortran else "rc")]
    lines += [] if lang.fortran else ["return rc;"]
    return "".join("\t%s\n" % line if line else "\n" for line in lines)


def body_session_init(f, lang, run):
    """MPI is begun by MPI_Init or by a session, whichever comes first; every session is counted."""
    lines = ["struct call c;"] + ([] if lang.fortran else ["int rc;"])
    begins = "first = %scall_enter_init(&c, SITE);" % ("" if lang.fortran else "found && ")
    code = "*(MPI_Fint *)ierr" if lang.fortran else "rc"
    given = "PMPI_Session_f2c(*(MPI_Fint *)session)" if lang.fortran else "*session"
    lines += ["int first%s;" % (", alone" if lang.fortran else ""), "", begins]
    lines += ["alone = !first && session_enter();"] if lang.fortran else []
    lines += [run]
    lines += ["if (alone)", "\tsession_leave();"] if lang.fortran else []
    lines += ["record_session_init(first ? &c : NULL, %s, %s);" % (code, given)]
    lines += [] if lang.fortran else ["return rc;"]
    return "".join("\t%s\n" % line if line else "\n" for line in lines)


def c_wrapper(f, known):
    params = ", ".join(p.declare(f.sizes(), known) for p in f.params) or "void"
    if f.variadic:
        params += ", ..."
    args = ", ".join(p.name for p in f.params)
    short = f.name[4:]
    call = "next(%s)" % args
    result = f.result if f.result in known or not f.result.startswith("MPI") else "int"
    # A program, or a library linked into it, may stand before MPI as we do, and call PMPI itself:
    # it is seen under that name. What stands behind both is looked up when it is first needed.
    text = "VISIBLE %s wrap_%s(%s) __asm__(\"%s\");\n" % (result, short, params, f.name)
    text += "VISIBLE %s wrap_P%s(%s) __asm__(\"P%s\") __attribute__((alias(\"%s\")));\n" % (
        result, short, params, f.name, f.name)
    text += "%s wrap_%s(%s)\n{\n" % (result, short, params)
    text += "\tstatic %s (*next)(%s);\n" % (result, params)
    text += "\tconst int found = next || behind_find((void **)(void *)&next, \"P%s\");\n" % f.name
    if f.recorder == "local":
        text += "\n\t(void)found;\n\tcall_count(%s);\n%s" % (f.id(), local_c(f, call))
    elif f.recorder == "other":
        text += ("\tstruct call c;\n\tint rc;\n\n\tif (!found || !call_enter(&c, %s, SITE)) {\n"
                 "\t\tcall_count(%s);\n\t\treturn %s;\n\t}\n" % (f.id(), f.id(), call))
        text += ("\trc = %s;\n\tcall_return(&c, rc);\n\trecord_other(&c);\n\tcall_leave(&c);\n"
                 "\treturn rc;\n" % call)
    elif f.recorder == "init":
        text += body_init(f, Language(False), "rc = %s;" % call, "return %s;" % call)
    elif f.recorder == "session_init":
        text += body_session_init(f, Language(False), "rc = %s;" % call)
    else:
        text += body_traced(f, Language(False), result, "rc = %s;" % call, "return %s;" % call)
    return text + "}\n\n"


def fortran_params(f):
    """Names of the Fortran parameters (all by reference), and how many character lengths follow
    ierr."""
    names = [p.name for p in f.params if not (f.recorder == "init" and p.name in ("argc", "argv"))]
    texts = [p for p in f.params if "char" in p.type and p.name != "argc"]
    lengths = 0 if f.recorder == "init" else len(texts)
    return names, lengths


def fortran_wrapper(f, symbol, aliases, f08, cdesc):
    """One wrapper around the Fortran symbol, under these names."""
    names, lengths = fortran_params(f)
    ident = "fortran_wrap_" + symbol.strip("_")
    function = f.result != "int"
    formal = ["void *" + n for n in names] + ([] if function else ["void *ierr"])
    formal += ["size_t length%d" % i for i in range(lengths)]
    actual = names + ([] if function else ["ierr"]) + ["length%d" % i for i in range(lengths)]
    result = f.result if function else "void"
    types = ", ".join(["void *"] * (len(names) + (not function)) + ["size_t"] * lengths) or "void"
    text = "%s %s(%s);\n" % (result, ident, types)
    for alias in aliases:
        text += "VISIBLE %s %s(%s) __asm__(\"%s\") __attribute__((alias(\"%s\")));\n" % (
            result, ident + "_as_" + alias, types, alias, ident)
    text += "%s %s(%s)\n{\n" % (result, ident, ", ".join(formal) or "void")
    text += "\tstatic %s (*next)(%s);\n" % (result, types)
    find = "if (!next)\n\t\tnext = (%s (*)(%s))fortran_next(\"%s\");" % (result, types, symbol)
    call = "next(%s)" % ", ".join(actual)
    if function:
        return text + "\n\t%s\n\tcall_count(%s);\n\treturn %s;\n}\n\n" % (find, f.id(), call)
    setup = "MPI_Fint own_ierr = 0;\n\n\t%s\n\tif (!ierr)\n\t\tierr = &own_ierr;" % find
    passed = "{\n\t\t%s;\n\t\treturn;\n\t}" % call
    if f.recorder == "local":
        return text + ("\tstruct call c;\n\t%s\n\tif (!call_enter_count(&c, %s)) %s\n%s"
                       "\tcall_leave_count(&c);\n}\n\n" % (setup, f.id(), passed,
                                                          local_fortran(f, call)))
    if f.recorder == "other":
        text += ("\tstruct call c;\n\t%s\n\tif (!call_enter(&c, %s, SITE)) {\n"
                 "\t\tcall_count(%s);\n\t\t%s;\n\t\treturn;\n\t}\n" % (setup, f.id(), f.id(), call))
        return text + ("\t%s;\n\tcall_return(&c, *(MPI_Fint *)ierr);\n\trecord_other(&c);\n"
                       "\tcall_leave(&c);\n}\n\n" % call)
    if f.recorder == "init":
        body = body_init(f, Language(True), call + ";", passed)
    elif f.recorder == "session_init":
        body = body_session_init(f, Language(True), call + ";")
    else:
        body = body_traced(f, Language(True, f08, cdesc), "", call + ";", passed)
    # declarations first, then the set-up, then the rest
    declarations, rest = body.split("\n\n", 1)
    return text + declarations + "\n\t" + setup + "\n" + rest + "}\n\n"


def fortran_symbols(f, family):
    """(symbol, aliases, of mpi_f08, buffers are descriptors) of each Fortran binding of f."""
    name = f.name.lower()
    out = []
    if not f.large:  # mpif.h and `use mpi` have no large counts
        forms = [name] + ([name + "_cptr"] if f.has("baseptr") else [])
        # As in C: a program's own mpi_send_ calls pmpi_send_, and is seen under that name; what is
        # called is behind both.
        # Not under the bare name, as -fno-underscoring would have it: wrappers of other languages
        # call their own functions so (Rmpi: mpi_comm_rank), and would call ours.
        for n in forms:
            spellings = [p + a for p in ("", "p") for a in (n + "_", n + "__")]
            out.append(("p" + n + "_", spellings + [n.upper(), "P" + n.upper()], 0, 0))
    choice = any(p.base() == "void" and p.name != "extra_state" for p in f.params)
    plain = f.plain_name.lower()
    tail = "_large_" if f.large else "_"
    if family == "mpich":
        for kind in ("_f08", "_f08ts") if choice else ("_f08",):  # void * is a buffer, or a c_ptr
            out.append((plain + kind + tail, [plain + kind + tail], 1, int(kind == "_f08ts")))
    elif not f.large:
        out.append(("p" + plain + "_f08_", [plain + "_f08_", "p" + plain + "_f08_"], 1, 0))
    return out


def write_calls(path, functions, declared):
    with open(path, "w", encoding="utf-8") as out:
        out.write("/* calls.h: generated by tracer/generate.py from data/mpi_calls.def. "
                  "Not to be edited. */\n")
        out.write("#ifndef ORRERY_TRACER_CALLS_H\n#define ORRERY_TRACER_CALLS_H\n\n"
                  "enum call_id {\n")
        out.write("".join("\t%s,\n" % f.id() for f in functions))
        out.write("\tCALLS\n};\n\n/* X(name, how it is treated when nothing records it) */\n"
                  "#define CALLS_EACH(X) \\\n")
        treated = {f.name: "CALL_IS_LOCAL" if f.recorder == "local" else "CALL_IS_OTHER"
                   for f in functions}
        out.write(" \\\n".join("\tX(%s, %s)" % (f.name, treated[f.name]) for f in functions))
        out.write("\n\n/* see mpi_late.h */\n")
        out.write("".join("#pragma weak %s\n" % name for name in sorted(declared)))
        out.write("\n#endif\n")


def write_wrappers(chapters, family, header, folder):
    text = open(header, encoding="utf-8").read()
    known = set(re.findall(r"\bMPIX?_\w+", text)) | {"int", "double"}
    # those for C; there may be a function for Fortran all the same
    macros = set(re.findall(r"#define P?(MPI_\w+)\(", text))
    if family == "openmpi":
        macros |= REMOVED
    declared = set(re.findall(r"\bP(MPI_\w+)\s*\(", text)) - macros
    functions = [f for f in all_functions(chapters) if f.name in declared | macros]
    write_calls(folder + "/calls.h", functions, ["P" + name for name in declared])
    with open(folder + "/wrap_c.c", "w", encoding="utf-8") as out:
        out.write(HEAD % "wrap_c.c")
        out.write("".join(c_wrapper(f, known) for f in functions))
    with open(folder + "/wrap_fortran.c", "w", encoding="utf-8") as out:
        out.write(HEAD % "wrap_fortran.c")
        for f in functions:
            if not C_ONLY.match(f.plain_name):
                out.write("".join(fortran_wrapper(f, *s) for s in fortran_symbols(f, family)))


# ------------------------------------------------------------------ the coverage page

PAGE = """# MPI functions and what the tracer does with them

<!-- Generated by tracer/generate.py from data/mpi_calls.def:
     `cmake --build --preset dev --target mpi-coverage`. -->

- **event**: recorded as this action of the trace (docs/tracing.md).
- **counted**: moves data or waits, and is not traced. It passes through; its time is not taken for
  computation; it is counted, and listed at the end of the run and in the manifest.
- **local**: costs nothing on a network. It passes through and is counted apart; its time belongs to
  the computation around it.

Functions marked *large* have a form whose name ends in `_c` (MPI 4.0), treated the same way.
Fortran programs call the same functions through mpif.h, `use mpi` or `use mpi_f08`.

| | functions |
|---|---|
"""


def write_coverage(chapters, path):
    functions = [f for _, fs in chapters for f in fs]
    traced = [f for f in functions if f.recorder not in UNTRACED]
    page = PAGE
    for title, n in (("recorded", len(traced)),
                     ("counted", sum(f.recorder == "other" for f in functions)),
                     ("local", sum(f.recorder == "local" for f in functions))):
        page += "| %s | %d |\n" % (title, n)
    for title, fs in chapters:
        page += "\n## %s\n\n| function | | |\n|---|---|---|\n" % title
        for f in fs:
            how = {"other": "counted", "local": "local", "abort": "writes what there is",
                   "session_finalize": "event `finalize` with the last one",
                   "request_status": "polls"}.get(f.recorder) or "event `%s`" % f.op.lower()
            page += "| %s | %s | %s |\n" % (f.name, how, "large" if f.is_poly() else "")
    with open(path, "w", encoding="utf-8") as out:
        out.write(page)


def main():
    if len(sys.argv) == 6 and sys.argv[2] == "wrappers":
        write_wrappers(read_table(sys.argv[1]), *sys.argv[3:])
    elif len(sys.argv) == 4 and sys.argv[2] == "coverage":
        write_coverage(read_table(sys.argv[1]), sys.argv[3])
    else:
        sys.exit(__doc__)


main()
