"""The Fortran functions of a front whose handles are no INTEGERs (mpif.h, `use mpi`; the module
mpi_f08 of the library calls the same): used by generate.py. Each calls the front's own function of
C, PMPI_X."""

BY_HAND = ("MPI_Comm_get_attr", "MPI_Comm_set_attr", "MPI_Type_get_attr", "MPI_Type_set_attr",
           "MPI_Win_get_attr", "MPI_Win_set_attr", "MPI_Attr_get", "MPI_Attr_put", "MPI_Comm_spawn",
           "MPI_Comm_spawn_multiple", "MPI_Buffer_detach", "MPI_Info_get_string", "MPI_Pcontrol",
           "MPI_Grequest_start", "MPI_Info_create_env", "MPI_Session_get_nth_pset")
# MPI 4.0, chapter 15: their addresses, strides and extents are INTEGERs in Fortran.
OLD = ("MPI_Address", "MPI_Type_extent", "MPI_Type_hindexed", "MPI_Type_hvector", "MPI_Type_lb",
       "MPI_Type_struct", "MPI_Type_ub")
MAXIMA = {"comm_name": "OBJECT_NAME", "type_name": "OBJECT_NAME", "win_name": "OBJECT_NAME",
          "port_name": "PORT_NAME", "string": "ERROR_STRING", "version": "LIBRARY_VERSION_STRING",
          "datarep": "DATAREP_STRING", "key": "INFO_KEY", "name": "PROCESSOR_NAME"}


def has_fortran(f):
    if f.large or f.c_only or f.name in BY_HAND:
        return False
    if any(p.base() == "MPI_F08_status" for p in f.params):
        return False
    return not f.name.startswith(("MPI_T_", "MPI_Abi")) and not f.name.endswith(
        ("_c", "_fromint", "_toint"))


class Code:
    def __init__(self):
        self.declare, self.before, self.args, self.success, self.free = [], [], [], [], []
        self.formal, self.lengths = [], []


def handle(p):
    return p.base()[4:]


def integer_type(p):
    if p.base() in ("MPI_Aint", "MPI_Offset", "MPI_Count"):
        return p.base()
    return "MPI_Aint" if p.base() == "SPAN" else "MPI_Fint"


def length_text(f, p):
    what = p.length
    if what in ("PEERS", "LOCAL", "IN", "OUT"):
        comm = next(q.name for q in f.params if q.base() == "MPI_Comm" and not q.pointed())
        text = "fortran_%s(fin_Comm(*%s))" % (what.lower(), comm)
        if p.name == "sendtypes":
            return "(f_buffer(sendbuf) == (void *)N_IN_PLACE ? 0 : %s)" % text
        return text
    return "*" + what


def add(f, p, code):
    name, kind = p.name, p.kind
    if kind == "handle":
        add_handle(f, p, code)
    elif kind == "status":
        code.formal.append("void *" + name)
        code.args.append("f_status%s(%s)" % ("es" if p.length else "", name))
    elif kind == "string":
        add_string(f, p, code)
    elif kind == "callback":
        code.formal.append("void *" + name)
        code.args.append(name)
    elif kind in ("data", "buffer"):
        code.formal.append("void *" + name)
        if name == "extra_state":
            wide = "MPI_Fint" if f.name == "MPI_Keyval_create" else "MPI_Aint"
            code.args.append("(void *)(intptr_t)*(%s *)%s" % (wide, name))
        else:
            code.args.append("%s(%s)" % ("" if name == "baseptr" else "f_buffer", name))
    elif kind == "weights":
        code.formal.append("MPI_Fint *" + name)
        code.args.append("f_weights(%s)" % name)
    else:
        add_integer(f, p, code)


def add_handle(f, p, code):
    name, kind = p.name, handle(p)
    code.formal.append("MPI_Fint *" + name)
    if p.length is not None:
        code.declare.append("MPI_Count n_%s = %s;" % (name, length_text(f, p)))
        code.declare.append("TEMP(N_%s, o_%s, n_%s);" % (kind, name, name))
        if p.direction == "out":
            code.before.append("memset(o_%s, 0, sizeof *o_%s * (size_t)n_%s);" % (name, name, name))
        else:
            code.before.append("for (MPI_Count i = 0; i < n_%s; i++)\n"
                               "\t\to_%s[i] = fin_%s(%s[i]);" % (name, name, kind, name))
        code.args.append("o_" + name)
        if p.direction != "in":
            code.success.append("for (MPI_Count i = 0; i < n_%s; i++)\n\t\tif (o_%s[i])\n"
                                "\t\t\t%s[i] = fout_%s(o_%s[i]);" % (name, name, name, kind, name))
        code.free.append("TEMP_FREE(o_%s);" % name)
    elif p.pointed():
        start = "fin_%s(*%s)" % (kind, name) if p.direction == "inout" else "NULL"
        code.declare.append("N_%s o_%s = %s;" % (kind, name, start))
        code.args.append("&o_" + name)
        code.success.append("if (o_%s)\n\t\t*%s = fout_%s(o_%s);" % (name, name, kind, name))
    else:
        code.args.append("fin_%s(*%s)" % (kind, name))


def add_old(p, code):
    """An address that is an INTEGER: MPI_Aint in C."""
    name = p.name
    code.formal.append("MPI_Fint *" + name)
    if p.brackets:
        code.declare.append("TEMP(MPI_Aint, o_%s, *count);" % name)
        code.before.append("for (MPI_Fint i = 0; i < *count; i++)\n"
                           "\t\to_%s[i] = %s[i];" % (name, name))
        code.args.append("o_" + name)
        code.free.append("TEMP_FREE(o_%s);" % name)
    elif p.pointed():
        code.declare.append("MPI_Aint o_%s = 0;" % name)
        code.args.append("&o_" + name)
        code.success.append("*%s = (MPI_Fint)o_%s;" % (name, name))
    else:
        code.args.append("*" + name)


def add_integer(f, p, code):
    name = p.name
    if f.name in OLD and p.base() == "MPI_Aint":
        add_old(p, code)
        return
    brackets = p.brackets if p.brackets.count("[") > 1 else ""
    code.formal.append("%s *%s%s" % (integer_type(p), name, brackets))
    if p.brackets.count("[") > 1:
        code.formal[-1] = "int %s[][3]" % name
    if name == "array_of_errcodes":
        code.args.append("f_errcodes(%s)" % name)
    else:
        code.args.append(name if p.pointed() else "*" + name)
    if name == "index" and p.pointed() and not p.brackets and p.direction == "out":
        code.success.append("if (*index >= 0)\n\t\t++*index;")
    elif name == "array_of_indices":
        code.success.append("for (int i = 0; i < *outcount; i++)\n\t\tarray_of_indices[i]++;")


def add_string(f, p, code):
    name, length = p.name, "l_" + p.name
    code.formal.append("char *" + name)
    code.lengths.append("size_t " + length)
    if p.direction == "in":
        code.declare.append("char *o_%s = f_string_in(%s, %s);" % (name, name, length))
        code.args.append("o_" + name)
        code.free.append("free(o_%s);" % name)
        return
    room = "MPI_MAX_" + MAXIMA[name] if name in MAXIMA else "(*valuelen < 0 ? 0 : *valuelen) + 1"
    code.declare.append("size_t n_%s = (size_t)(%s);" % (name, room))
    code.declare.append("char *o_%s = temp_new(n_%s + 1);" % (name, name))
    code.before.append("o_%s[0] = '\\0';" % name)
    code.args.append("o_" + name)
    found = "if (*flag)\n\t\t" if f.has("flag") else ""
    code.success.append("%sf_string_out(%s, %s, o_%s);" % (found, name, length, name))
    code.free.append("free(o_%s);" % name)


def spellings(f, symbol, name):
    """All the names of one function but that of its code, which has p and one underscore: those
    that compilers of Fortran make, and Open MPI's own."""
    symbols = [(symbol, name)]
    if f.recorder == "coll_init":  # before MPI 4.0 an extension of Open MPI
        symbols.append((symbol.replace("mpi_", "mpix_", 1), name.replace("MPI_", "MPIX_", 1)))
    for s, n in symbols:
        names = [p + s + end for p in ("", "p") for end in ("", "_", "__")]
        names += [s.upper(), "P" + s.upper(), "o" + s + "_f"]
        names += [p + n + end for p in ("", "P") for end in ("_f", "_f08")]
        yield from (x for x in names if x != "p" + symbol + "_")


def aliases(f, symbol, formal, result):
    """Weak names of p<symbol>_."""
    out = ""
    for alias in spellings(f, symbol, f.name + symbol[len(f.name):]):
        out += "FRONT %s alias_%s(%s) __asm__(\"%s\") __attribute__((weak, alias(\"p%s_\")));\n" % (
            result, alias.replace("MPI", "upper"), formal, alias, symbol)
    return out


def fortran_function(f):
    code = Code()
    for p in f.params:
        if p.name in ("argc", "argv") and f.recorder == "init":
            code.args.append("NULL")
        else:
            add(f, p, code)
    symbol = f.name.lower()
    if f.result != "int":
        formal = ", ".join(code.formal) or "void"
        text = "FRONT %s p%s_(%s);\n%s p%s_(%s)\n{\n\treturn P%s(%s);\n}\n" % (
            f.result, symbol, formal, f.result, symbol, formal, f.name, ", ".join(code.args))
        return text + aliases(f, symbol, formal, f.result) + "\n"
    formal = ", ".join(code.formal + ["MPI_Fint *ierr"] + code.lengths)
    callbacks = sum(p.kind == "callback" for p in f.params)
    text = "FRONT void p%s_(%s);\nvoid p%s_(%s)\n{\n" % (symbol, formal, symbol, formal)
    text += "".join("\t%s\n" % line for line in code.declare) + "\tint rc;\n\n"
    text += "".join("\t%s\n" % line for line in code.before)
    text += "\trc = P%s(%s);\n" % (f.name, ", ".join(code.args))
    if callbacks:
        once = f.name == "MPI_Keyval_create"
        code.success.insert(0, "orrery_fortran_callbacks(%d, %d);" % (callbacks, once))
    if code.success:
        text += "\tif (!rc) {\n\t" + "".join("\t%s\n" % line for line in code.success) + "\t}\n"
    text += "".join("\t%s\n" % line for line in code.free)
    text += "\tif (ierr)\n\t\t*ierr = rc;\n}\n"
    out = text + aliases(f, symbol, formal, "void")
    if f.has("baseptr"):  # a TYPE(C_PTR) is passed as an address is
        cptr = symbol + "_cptr"
        out += "FRONT void p%s_(%s) __attribute__((alias(\"p%s_\")));\n" % (cptr, formal, symbol)
        of = "alias(\"p%s_\")"
        out += aliases(f, cptr, formal, "void").replace(of % cptr, of % symbol)
    return out + "\n"


SIZES = ([("character", 1), ("logical", 4)] +
         [("int%d" % b, b // 8) for b in (8, 16, 32, 64)] +
         [("real%d" % b, b // 8) for b in (32, 64, 128)] +
         [("complex%d" % b, b // 4) for b in (32, 64, 128)])


def sizeof_functions():
    """MPI_SIZEOF of each type and rank of an array."""
    text = ""
    for name, size in SIZES:
        for rank in ["scalar"] + ["r%d" % r for r in range(1, 16)]:
            for p in ("", "p"):
                head = "void %smpi_sizeof_%s_%s_(void *x, MPI_Fint *size, MPI_Fint *ierr)" % (
                    p, name, rank)
                text += "FRONT %s;\n%s\n{\n\t(void)x;\n\t*size = %d;\n" % (head, head, size)
                text += "\tif (ierr)\n\t\t*ierr = 0;\n}\n"
    return text


def write_fortran(functions, prototype, path):
    with open(path, "w", encoding="utf-8") as out:
        out.write("/* Fortran: generated by libmpi/generate.py from data/mpi_calls.def. "
                  "Not to be edited. */\n")
        out.write("#include \"fortran.h\"\n\n")
        chosen = [f for f in functions if has_fortran(f)]
        for f in chosen:
            out.write("FRONT %s;\n" % prototype(f))
        out.write("\n")
        for f in chosen:
            out.write(fortran_function(f))
        out.write(sizeof_functions())
