"""The table of MPI functions, data/mpi_calls.def, read. What its rows and its rules mean is told
there.

  read_table(path)            chapters in order: [(title, [Function])]
  all_functions(chapters)     each function, followed by its large-count form if it has one
"""
import re
import sys

LARGE = {"COUNT": "MPI_Count", "DISP": "MPI_Aint", "SPAN": "MPI_Count"}
SMALL = {"COUNT": "int", "DISP": "int", "SPAN": "MPI_Aint"}
HANDLES = ("MPI_Comm", "MPI_Datatype", "MPI_Errhandler", "MPI_File", "MPI_Group", "MPI_Info",
           "MPI_Message", "MPI_Op", "MPI_Request", "MPI_Session", "MPI_Win")
INTEGERS = ("int", "COUNT", "DISP", "SPAN", "MPI_Aint", "MPI_Count", "MPI_Offset",
            "MPI_T_cb_safety", "MPI_T_source_order")
# Kinds that hold for one C type only: their names mean something else elsewhere.
KIND_OF_TYPE = {"topology": "int", "displacement": "MPI_Offset", "buffer": "void",
                "comparison": "int", "error": "int", "weights": "int"}


class Param:
    """One parameter: its C type without name, its name, its brackets; then what the rules say of
    it.

    kind: handle, status, data, string, callback, integer, opaque, or one of the kinds of the table
    direction: in, out, inout      length: of an array, see the table; None of a single value
    at_root: significant at the root alone
    """

    def __init__(self, text):
        match = re.fullmatch(r"(.*?[\s*])(\w+)((?:\[\d*\])*)", text)
        self.type, self.name, self.brackets = match.group(1).strip(), match.group(2), match.group(3)
        self.kind = self.direction = self.length = None
        self.at_root = False

    def base(self):
        return re.sub(r"\bconst\b|[\s*]", "", self.type)

    def pointed(self):
        return "*" in self.type or bool(self.brackets)

    def sized(self, sizes):
        text = self.type
        for name, real in sizes.items():
            text = re.sub(r"\b%s\b" % name, real, text)
        return text + ("" if text.endswith("*") else " ") + self.name + self.brackets

    def declare(self, sizes, known):
        text = self.type
        for name, real in sizes.items():
            text = re.sub(r"\b%s\b" % name, real, text)
        for word in re.findall(r"\bMPIX?_\w+", text):
            if word not in known:  # a type of another MPI version: only its size matters here
                text = "void *"
        return text + ("" if text.endswith("*") else " ") + self.name + self.brackets


class Function:
    def __init__(self, how, result, name, params, notes="", large=False):
        words = how.split()
        self.recorder, self.op = words[0], (words[1] if len(words) > 1 else None)
        self.how, self.notes = how, notes
        self.result, self.params, self.large = result, params, large
        self.name = name + ("_c" if large else "")
        self.plain_name = name
        self.same, self.c_only = None, False
        self.variadic = False
        if params and params[-1] == "...":
            self.variadic = True
            self.params = params[:-1]

    def has(self, name):
        return any(p.name == name for p in self.params)

    def get(self, name):
        return next((p for p in self.params if p.name == name), None)

    def is_poly(self):
        return any(p.base() in LARGE for p in self.params)

    def sizes(self):
        return LARGE if self.large else SMALL

    def id(self):
        return "CALL_" + self.name[4:]

    def short(self):
        return self.name[4:]


class Rules:
    """The lines of the table that begin with @."""

    def __init__(self):
        self.kind, self.length, self.root = {}, {}, {}
        self.directions = {"in": set(), "inout": set()}

    def add(self, line):
        words = line[1:].split()
        if words[0] == "kind":
            self.kind.update((name, words[1]) for name in words[2:])
        elif words[0] == "length":
            at = words.index("=")
            self.length.update((name, words[at + 1:]) for name in words[1:at])
        elif words[0] == "root":
            at = words.index("=")
            self.root.update(("MPI_" + name, words[at + 1:]) for name in words[1:at])
        elif words[0] in self.directions:
            self.directions[words[0]].update(words[1:])
        else:
            return False
        return True

    def apply(self, f):
        for p in f.params:
            p.kind = self.kind_of(p)
            p.direction = self.direction_of(p)
            if p.brackets:
                p.length = self.length_of(f, p)
            p.at_root = p.name in self.root.get(f.plain_name, ())
        for note in filter(None, re.split(r",\s*", f.notes)):
            self.apply_note(f, note)

    def kind_of(self, p):
        base, kind = p.base(), self.kind.get(p.name)
        if kind and (base == KIND_OF_TYPE.get(kind) or
                     (kind not in KIND_OF_TYPE and base in INTEGERS)):
            return kind
        if base in HANDLES:
            return "handle"
        if base in ("MPI_Status", "MPI_F08_status") or p.name == "f_status":
            return "status"
        if base == "char":
            return "string"
        if base == "void":
            return "data"
        if re.search(r"_(function|fn)(_c)?$", base):
            return "callback"
        return "integer" if base in INTEGERS or base == "MPI_Fint" else "opaque"

    def direction_of(self, p):
        is_input = p.name in self.directions["in"]
        if not p.pointed() or "const" in p.type or p.kind == "callback" or is_input:
            return "in"
        return "inout" if p.name in self.directions["inout"] else "out"

    def length_of(self, f, p):
        for what in self.length.get(p.name, ()):
            if what.isupper() or f.has(what):
                return what
        return None

    def apply_note(self, f, note):
        match = re.fullmatch(r"(\w+):(in|out|inout|plain)|(\w+)\[(\w+)\]|same (\w+)|(c)", note)
        if not match:
            sys.exit("%s: note %s is not understood" % (f.name, note))
        if match.group(2) == "plain":
            f.get(match.group(1)).kind = "integer"
        elif match.group(1):
            f.get(match.group(1)).direction = match.group(2)
        elif match.group(3):
            f.get(match.group(3)).length = match.group(4)
        elif match.group(5):
            f.same = "MPI_" + match.group(5)
        else:
            f.c_only = True


def read_table(path):
    chapters, rules = [], Rules()
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        title = re.match(r"# --- (.*) ---", line)
        if title:
            chapters.append((title.group(1), []))
        if line.startswith("#") or not line.strip():
            continue
        if line.startswith("@") and rules.add(line):
            continue
        match = re.fullmatch(r"(\w[\w ]*?)\s*\|\s*(\w+) (MPI_\w+)\((.*?)\)(?:\s*\|\s*(.*))?\n",
                             line)
        if not match or not chapters:
            sys.exit("%s:%d: expected 'how | prototype | notes', found: %s" % (
                path, number, line.strip()))
        how, result, name, args, notes = match.groups()
        params = [] if args == "void" else [a.strip() for a in args.split(",")]
        params = [p if p == "..." else Param(p) for p in params]
        chapters[-1][1].append(Function(how, result, name, params, notes or ""))
        rules.apply(chapters[-1][1][-1])
    return chapters


def large_form(f):
    large = Function(f.how, f.result, f.plain_name, f.params, f.notes, large=True)
    large.same, large.c_only = f.same, f.c_only
    return large


def all_functions(chapters):
    for _, functions in chapters:
        for f in functions:
            yield f
            if f.is_poly():
                yield large_form(f)
