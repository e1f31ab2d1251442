#!/usr/bin/env python3
"""A C program of two ranks that calls each function of data/mpi_calls.def once, with arguments
that make sense.

  each_call.py SRC NAMES HEADER LANGUAGE     to standard output

NAMES is a file with the functions that the library has, one a line, as LANGUAGE calls them: c
(MPI_Send), fortran (mpi_send_), f08 (mpi_send_f08_): Fortran's are called from C, as a compiler of
Fortran calls them. HEADER is mpi.h, preprocessed: a function of a type that it does not know is
left out. tests/programs/each_call.h has the rest.

Each parameter is a variable of the standard's name. What it holds comes from DEFAULTS; SCENES say
what is done before and after, by the function's name.
"""
import os
import re
import sys

SRC, NAMES, HEADER, LANGUAGE = sys.argv[1:]
sys.path.insert(0, os.path.join(SRC, "tools"))
from mpi_table import HANDLES, all_functions, read_table  # noqa: E402

# Called by the program's main, or ends it; needs a socket; an INTEGER holds no address.
ELSEWHERE = ("MPI_Init", "MPI_Init_thread", "MPI_Finalize", "MPI_Abort", "MPI_Comm_join") + (
    ("MPI_Address",) * (LANGUAGE != "c"))
ONE = (
    "count sendcount recvcount origin_count target_count result_count incount outcount "
    "blocklength stride partitions n nnodes ndims blocklengths sendcounts recvcounts "
    "array_of_blocklengths disp_unit dims periods array_of_starts array_of_psizes level "
    "max_integers max_addresses max_datatypes max_large_counts maxdims outdegree indegree "
    "degrees maxindegree maxoutdegree maxneighbors sourceweights destweights weights "
    "remain_dims array_of_maxprocs commute size length partition_high "
).split()
DEFAULTS = {
    "dest": "rank", "source": "rank", "target_rank": "rank", "tag": "TAG", "sendtag": "TAG",
    "recvtag": "TAG", "sdispls": "i", "rdispls": "i", "displs": "i", "array_of_displacements":
    "4 * i", "array_of_sizes": "4", "array_of_subsizes": "2", "array_of_gsizes": "4", "order":
    "MPI_ORDER_C", "array_of_distribs": "MPI_DISTRIBUTE_BLOCK", "array_of_dargs":
    "MPI_DISTRIBUTE_DFLT_DARG", "insize": "ROOM", "outsize": "ROOM", "extent": "16",
    "typeclass": "MPI_TYPECLASS_REAL", "array_of_partitions": "i", "whence": "MPI_SEEK_SET",
    "ranges": "0", "local_leader": "0", "remote_leader": "1 - rank", "errorcode":
    "MPI_ERR_OTHER", "errorclass": "MPI_ERR_OTHER", "amode": "MPI_MODE_RDWR", "lock_type":
    "MPI_LOCK_SHARED", "split_type": "MPI_COMM_TYPE_SHARED", "valuelen": "64", "buflen": "64",
    "name_len": "64", "desc_len": "64", "p": "6", "pset_len": "64", "destinations": "1 - rank",
    "sources": "rank", "maxedges": "2", "maxindex": "2", "argc": "0",
}
HANDLE_DEFAULTS = {
    "MPI_Comm": "world", "MPI_Datatype": "MPI_INT", "MPI_Op": "MPI_SUM", "MPI_Group":
    "everybody", "MPI_Info": "MPI_INFO_NULL", "MPI_Win": "the_win", "MPI_File": "the_file",
    "MPI_Errhandler": "MPI_ERRORS_RETURN", "MPI_Request": "MPI_REQUEST_NULL", "MPI_Message":
    "MPI_MESSAGE_NULL", "MPI_Session": "MPI_SESSION_NULL",
}
STRINGS = {
    "key": '"a_key"', "value": '"a value"', "datarep": '"native"', "port_name": "ports",
    "service_name": '"each_call"', "pset_name": '"mpi://WORLD"', "filename":
    '"each_call.other"', "stringtag": '"each_call"', "comm_name": '"name"', "command":
    "program",
}
CALLBACKS = (
    ("copy_fn|copy_attr_fn", "copy"),
    ("delete_fn|delete_attr_fn", "delete"),
    ("errhandler_fn", "handler"),
    ("query_fn", "query"),
    ("free_fn", "free"),
    ("cancel_fn", "cancel"),
    ("user_fn", "op"),
    ("extent_fn", "extent"),
)

EPOCH = ("NEVER(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));", "NEVER(MPI_Win_unlock(rank, win));")
# Patterns of names, without MPI_: what is done before and after. All that match apply, from the
# first to the last.
SCENES = (
    (r"Send|[BRS]send", "MPI_Request mate = awaited();", "finish(mate);"),
    (r"I(b|r|s|)send", "MPI_Request mate = awaited();", "finish(mate); finish(request);"),
    (r"Recv|Probe|Iprobe|Mprobe|Mrecv|Imrecv", "MPI_Request mate = sent();", "finish(mate);"),
    (r"Probe|Iprobe", "", "finish(awaited());"),
    (r"Mprobe", "", "NEVER(MPI_Mrecv(space[0], 1, MPI_INT, &message, MPI_STATUS_IGNORE));"),
    (r"I?mrecv|Mrecv", "NEVER(MPI_Mprobe(rank, TAG, world, &message, MPI_STATUS_IGNORE));", ""),
    (r"Irecv", "MPI_Request mate = sent();", "finish(mate); finish(request);"),
    (r"Imrecv|Isendrecv(_replace)?", "", "finish(request);"),
    (r"Buffer_i?flush|Bsend|Ibsend|Bsend_init",
     "",
     "void *old; int bytes; NEVER(MPI_Buffer_detach(&old, &bytes));"),
    (r"(Send|[BRS]send)_init", "", "MPI_Request mate = awaited(); run(&request); finish(mate);"),
    (r"Recv_init", "", "MPI_Request mate = sent(); run(&request); finish(mate);"),
    (r"Psend_init",
     "",
     "MPI_Request mate; NEVER(MPI_Precv_init(space[3], 1, 1, MPI_INT, rank, TAG, world, "
     "MPI_INFO_NULL, &mate)); NEVER(MPI_Start(&mate)); NEVER(MPI_Start(&request)); "
     "NEVER(MPI_Pready(0, request)); parts_end(&request, &mate);"),
    (r"Precv_init",
     "",
     "MPI_Request mate; NEVER(MPI_Psend_init(space[3], 1, 1, MPI_INT, rank, TAG, world, "
     "MPI_INFO_NULL, &mate)); NEVER(MPI_Start(&mate)); NEVER(MPI_Start(&request)); "
     "NEVER(MPI_Pready(0, mate)); parts_end(&request, &mate);"),
    (r"Parrived",
     "MPI_Request mate; parts(&mate, &request); NEVER(MPI_Pready(0, mate));",
     "NEVER(MPI_Pready(1, mate)); parts_end(&request, &mate);"),
    (r"Pready.*", "MPI_Request mate; parts(&request, &mate);", "parts_end(&request, &mate);"),
    (r"Pready", "", "NEVER(MPI_Pready(1, request));"),
    (r"Pready_list", "length = 2;", ""),
    (r"Start",
     "MPI_Request mate = sent(); NEVER(MPI_Recv_init(space[2], 1, MPI_INT, rank, TAG, world, "
     "&request));",
     "finish(mate); NEVER(MPI_Wait(&request, MPI_STATUS_IGNORE)); "
     "NEVER(MPI_Request_free(&request));"),
    (r"Startall",
     "MPI_Request mate = sent(); NEVER(MPI_Recv_init(space[2], 1, MPI_INT, rank, TAG, world, "
     "array_of_requests));",
     "finish(mate); NEVER(MPI_Wait(array_of_requests, MPI_STATUS_IGNORE)); "
     "NEVER(MPI_Request_free(array_of_requests));"),
    (r"Cancel", "request = awaited();", "finish(request);"),
    (r"Grequest_start", "", "NEVER(MPI_Grequest_complete(request)); finish(request);"),
    (r"Grequest_complete",
     "NEVER(MPI_Grequest_start(c_query, c_free, c_cancel, NULL, &request));",
     "finish(request);"),
    (r"Request_free", "request = sent();", "finish(awaited());"),
    (r"Request_get_status|Wait|Test",
     "MPI_Request mate = sent(); request = awaited();",
     "finish(mate); finish(request);"),
    (r"(Request_get_status_|Wait|Test)(all|any|some)",
     "MPI_Request mate = sent(); array_of_requests[0] = awaited();",
     "finish(mate); finish(array_of_requests[0]);"),
    (r"Testsome|Waitsome|Request_get_status_some", "incount = 1;", ""),
    (r"(Status_get|Status_set|Get_count|Get_elements|Test_cancelled|Status_[cf]).*",
     "MPI_Request mate = sent(); NEVER(MPI_Recv(space[1], 1, MPI_INT, rank, TAG, world, "
     "&known)); finish(mate);",
     ""),
    (r"(Ineighbor|Neighbor)_.*", "comm = cart;", ""),
    (r"I(neighbor_)?(all|barrier|bcast|exscan|gather|reduce|scan|scatter).*",
     "",
     "finish(request);"),
    (r".*(All|all|Barrier|Bcast|Exscan|Gather|Reduce|Scan|Scatter).*_init", "", "run(&request);"),
    (r"Cart_create", "dims[0] = 2;", ""),
    (r"Cart_(sub|coords|get|rank|shift)|Cartdim_get", "comm = cart;", ""),
    (r"Cart_map", "dims[0] = 2;", ""),
    (r"Graph_(get|neighbors.*)|Graphdims_get", "comm = graph;", ""),
    (r"Graph_(create|map)",
     "nnodes = 2; index[0] = 1; index[1] = 2; edges[0] = 1; edges[1] = 0;",
     ""),
    (r"Dist_graph_neighbors.*", "comm = adjacent;", ""),
    (r"Dist_graph_create_adjacent", "sources[0] = destinations[0];", ""),
    (r"Dims_create", "nnodes = 4; dims[0] = 0;", ""),
    (r"Comm_(create|dup|dup_with_info|split|split_type|create_group|create_from_group)|Cart_sub",
     "",
     "NEVER(MPI_Comm_free(&newcomm));"),
    (r"Comm_idup.*", "", "finish(request); NEVER(MPI_Comm_free(&newcomm));"),
    (r"Cart_create", "", "NEVER(MPI_Comm_free(&comm_cart));"),
    (r"Graph_create", "", "NEVER(MPI_Comm_free(&comm_graph));"),
    (r"Dist_graph_create.*", "", "NEVER(MPI_Comm_free(&comm_dist_graph));"),
    (r"Comm_(free|disconnect)", "NEVER(MPI_Comm_dup(self, &comm));", ""),
    (r"Intercomm_merge", "intercomm = inter; high = rank;", "NEVER(MPI_Comm_free(&newintracomm));"),
    (r"Intercomm_create",
     "local_comm = self; peer_comm = world;",
     "NEVER(MPI_Comm_free(&newintercomm));"),
    (r"Intercomm_create_from_groups",
     "int other = 1 - rank; local_group = me; remote_leader = 0; "
     "NEVER(MPI_Group_incl(everybody, 1, &other, &remote_group));",
     "NEVER(MPI_Comm_free(&newintercomm));"),
    (r"Comm_remote_.*|Comm_test_inter", "comm = inter;", ""),
    (r"(Comm|Win|Type)_(set|get|delete)_attr|Attr_(get|put|delete)",
     "int k; NEVER(MPI_OBJECT_create_keyval(MPI_CAPITAL_NULL_COPY_FN, "
     "MPI_CAPITAL_NULL_DELETE_FN, &k, NULL)); KEYVAL = k;",
     ""),
    (r"(Comm|Win|Type)_delete_attr|Attr_delete",
     "NEVER(MPI_OBJECT_set_attr(HANDLE, k, space));",
     ""),
    (r"(Comm|Win|Type)_free_keyval|Keyval_free",
     "NEVER(MPI_OBJECT_create_keyval(MPI_CAPITAL_NULL_COPY_FN, MPI_CAPITAL_NULL_DELETE_FN, "
     "&KEYVAL, NULL));",
     ""),
    (r"Errhandler_free",
     "NEVER(MPI_Comm_create_errhandler((MPI_Comm_errhandler_function *)c_handler, "
     "&errhandler));",
     ""),
    (r".*create_errhandler|Errhandler_create", "", "NEVER(MPI_Errhandler_free(&errhandler));"),
    (r"Group_(difference|intersection|union)", "group2 = me;", ""),
    (r"Group_free", "NEVER(MPI_Group_incl(everybody, 1, &rank, &group));", ""),
    (r"Group_range_.*", "ranges[0][2] = 1;", ""),
    (r"Session_(?!init|create|f2c).*|Group_from_session_pset",
     "NEVER(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));",
     ""),
    (r"Session_(?!finalize|create|f2c).*|Group_from_session_pset",
     "",
     "NEVER(MPI_Session_finalize(&session));"),
    (r"Session_get_nth_pset", "n = %d;" % (LANGUAGE != "c"), ""),
    (r"Session_iflush_buffer|Comm_iflush_buffer|Buffer_iflush", "", "finish(request);"),
    (r"(Comm|Session)_(flush|iflush|detach)_buffer",
     "NEVER(MPI_OBJECT_attach_buffer(HANDLE, space[4], ROOM));",
     ""),
    (r"(Comm|Session)_(attach|flush|iflush)_buffer",
     "",
     "void *old; int bytes; NEVER(MPI_OBJECT_detach_buffer(HANDLE, &old, &bytes));"),
    (r"(Comm|Session|Buffer)_attach(_buffer)?", "size = ROOM;", ""),
    (r"Buffer_attach", "", "void *old; int bytes; NEVER(MPI_Buffer_detach(&old, &bytes));"),
    (r"Buffer_(detach|i?flush)|Bsend|Ibsend|Bsend_init",
     "static char attached[ROOM]; NEVER(MPI_Buffer_attach(attached, ROOM));",
     ""),
    (r"Type_(contiguous|create_[dhirs].*|dup|vector|indexed|hvector|hindexed|struct)",
     "",
     "NEVER(MPI_Type_free(&newtype));"),
    (r"Type_create_darray", "size = 2; array_of_psizes[0] = 2;", ""),
    (r"Type_create_f90_integer", "r = 6;", ""),
    (r"Type_create_f90_(real|complex)", "r = 20;", ""),
    (r"Type_(commit|free|get_contents|get_envelope|set_name)", "datatype = of_two();", ""),
    (r"Type_(commit|get_contents|get_envelope|set_name)", "", "NEVER(MPI_Type_free(&datatype));"),
    (r"Type_match_size", "size = 8;", ""),
    (r"Type_get_value_index", "value_type = MPI_DOUBLE;", ""),
    (r"Pack_external.*|Unpack_external|Register_datarep", 'datarep = "external32";', ""),
    (r"Unpack.*", "position = 0;", ""),
    (r"Register_datarep",
     'datarep = "NAME"; read_conversion_fn = write_conversion_fn = NULL_CONVERSION;',
     ""),
    (r"Op_create", "", "NEVER(MPI_Op_free(&op));"),
    (r"Op_free", "NEVER(MPI_Op_create((MPI_User_function *)c_op, 1, &op));", ""),
    (r"Accumulate|Get|Put|Get_accumulate|R(accumulate|get|put|get_accumulate)|"
     r"Compare_and_swap|Fetch_and_op", *EPOCH),
    (r"R(accumulate|get|put|get_accumulate)", "", "finish(request);"),
    (r"Win_(create|allocate|allocate_shared|create_dynamic)", "", "NEVER(MPI_Win_free(&win));"),
    (r"Win_free", "NEVER(MPI_Win_create(space[3], 64, 1, MPI_INFO_NULL, world, &win));", ""),
    (r"Win_attach", "win = dynamic; size = 64;", "NEVER(MPI_Win_detach(win, base));"),
    (r"Win_detach", "win = dynamic; NEVER(MPI_Win_attach(win, base, 64));", ""),
    (r"Win_shared_query", "win = common;", ""),
    (r"Win_(create|allocate|allocate_shared)", "size = 64;", ""),
    (r"Win_(complete|test|wait)",
     "NEVER(MPI_Win_post(me, 0, win)); NEVER(MPI_Win_start(me, 0, win));",
     ""),
    (r"Win_(test|wait)", "NEVER(MPI_Win_complete(win));", ""),
    (r"Win_complete", "", "NEVER(MPI_Win_wait(win));"),
    (r"Win_test", "", "if (!flag) NEVER(MPI_Win_wait(win));"),
    (r"Win_(post|start)", "group = me;", "NEVER(MPI_Win_complete(win)); NEVER(MPI_Win_wait(win));"),
    (r"Win_post", "", "NEVER(MPI_Win_start(me, 0, win));"),
    (r"Win_start", "NEVER(MPI_Win_post(me, 0, win));", ""),
    (r"Win_fence", "", "NEVER(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));"),
    (r"Win_lock", "", "NEVER(MPI_Win_unlock(0, win));"),
    (r"Win_unlock", "NEVER(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));", ""),
    (r"Win_lock_all|Win_flush.*|Win_sync", "", "NEVER(MPI_Win_unlock_all(win));"),
    (r"Win_unlock_all|Win_flush.*|Win_sync", "NEVER(MPI_Win_lock_all(0, win));", ""),
    (r"File_.*_begin", "", "NEVER(MPI_FORM_end(the_file, buf, MPI_STATUS_IGNORE));"),
    (r"File_(read|write)_(all|ordered)_end",
     "NEVER(MPI_FORM_begin(the_file, buf, 1, MPI_INT));",
     ""),
    (r"File_(read|write)_at_all_end", "NEVER(MPI_FORM_begin(the_file, 0, buf, 1, MPI_INT));", ""),
    (r"File_i(read|write).*", "", "finish(request);"),
    (r"File_set_view",
     "",
     'NEVER(MPI_File_set_view(the_file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));'),
    (r"File_(set_size|preallocate)", "size = 2 * ROOM;", ""),
    (r"File_delete",
     'char name[32]; snprintf(name, sizeof name, "each_call.%d", rank); filename = name; '
     'MPI_File other; NEVER(MPI_File_open(self, name, MPI_MODE_CREATE | MPI_MODE_RDWR, '
     'MPI_INFO_NULL, &other)); NEVER(MPI_File_close(&other));',
     ""),
    (r"File_open",
     "amode = MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE;",
     "NEVER(MPI_File_close(&fh));"),
    (r"File_close",
     'NEVER(MPI_File_open(world, "each_call.other", MPI_MODE_RDWR | MPI_MODE_CREATE | '
     'MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &fh));',
     ""),
    (r"T_init_thread", "", "NEVER(MPI_T_finalize());"),
    (r"T_finalize", "int given; NEVER(MPI_T_init_thread(MPI_THREAD_SINGLE, &given));", ""),
    (r"Open_port", "", "NEVER(MPI_Close_port(port_name));"),
    (r"Close_port", "NEVER(MPI_Open_port(MPI_INFO_NULL, port_name));", ""),
    (r"(Lookup|Unpublish)_name",
     'ONLY(0) NEVER(MPI_Publish_name("each_call", MPI_INFO_NULL, "a port"));',
     ""),
    (r"(Lookup|Publish)_name",
     "",
     'ONLY(0) NEVER(MPI_Unpublish_name("each_call", MPI_INFO_NULL, "a port"));'),
    (r"(Pub|Unpub)lish_name", 'strcpy(port_name, "a port");', ""),
    (r"Comm_(accept|connect)",
     "comm = self; port(port_name);",
     "NEVER(MPI_Comm_disconnect(&newcomm));"),
    (r"Comm_spawn", "maxprocs = 1; argv = children;", "NEVER(MPI_Comm_disconnect(&intercomm));"),
    (r"Comm_spawn_multiple",
     "array_of_commands = &program;",
     "NEVER(MPI_Comm_disconnect(&intercomm));"),
    (r"Add_error_code|Add_error_string|Remove_error_.*",
     "static int class; if (!class) NEVER(MPI_Add_error_class(&class));",
     ""),
    (r"Add_error_code", "errorclass = class;", ""),
    (r"Add_error_string", "errorcode = class;", ""),
    (r"Remove_error_class", "NEVER(MPI_Add_error_class(&errorclass));", ""),
    (r"Remove_error_code", "NEVER(MPI_Add_error_code(class, &errorcode));", ""),
    (r"Remove_error_string",
     'NEVER(MPI_Add_error_code(class, &errorcode)); NEVER(MPI_Add_error_string(errorcode, '
     '"text"));',
     ""),
    (r"Alloc_mem", "size = 64;", "NEVER(MPI_Free_mem(*(void **)baseptr));"),
    (r"Free_mem", "NEVER(MPI_Alloc_mem(64, MPI_INFO_NULL, &base));", ""),
    (r"Info_(get|delete|dup).*", "info = hints;", ""),
    (r"Info_delete", "NEVER(MPI_Info_dup(hints, &info));", "NEVER(MPI_Info_free(&info));"),
    (r"(Comm|Win|File)_set_info", "info = hints;", ""),
    (r"Info_set", "info = hints;", ""),
    (r"Info_get_nthkey", "n = 0;", ""),
    (r"Info_dup", "", "NEVER(MPI_Info_free(&newinfo));"),
    (r"Info_create(_env)?", "", "NEVER(MPI_Info_free(&info));"),
    (r"Info_free", "NEVER(MPI_Info_create(&info));", ""),
    (r"Get_hw_resource_info", "", "NEVER(MPI_Info_free(&hw_info));"),
    (r"(Comm|Win|File|Session)_get_info", "", "NEVER(MPI_Info_free(&info_used));"),
)


def object_of(f):
    """Communicator, window or type: what the name begins with, as in MPI_X_create_keyval."""
    first = f.short().split("_")[0]
    return {"Attr": "Comm", "Keyval": "Comm"}.get(first, first)


def filled(lines, words):
    pattern = r"OBJECT|CAPITAL|\bNAME\b|KEYVAL|HANDLE|FORM"
    return re.sub(pattern, lambda m: words[m.group()], " ".join(filter(None, lines)))


def scene(f):
    """What is done before and after."""
    before, after = [], []
    keyval = next((p.name for p in f.params if p.kind == "keyval"), "")
    handle = next((p.name for p in f.params if p.kind == "handle"), "")
    for pattern, first, last in SCENES:
        if re.fullmatch(pattern, re.sub("_c$", "", f.plain_name[4:])):
            before.append(first)
            after.insert(0, last)
    form = re.sub(r"_(begin|end)$", "", f.plain_name[4:])
    words = {"OBJECT": object_of(f), "CAPITAL": object_of(f).upper(), "NAME": f.name,
             "KEYVAL": keyval, "HANDLE": handle, "FORM": form}
    return filled(before, words), filled(after, words)


def real_type(f, p):
    text = f.sizes().get(p.base(), p.base())
    return re.sub(r"\bMPI_Fint\b", "int", text)


def initial(f, p):
    """What a parameter holds; of an array, its element i."""
    if p.base() in HANDLES:
        return HANDLE_DEFAULTS[p.base()]
    return DEFAULTS.get(p.name, "1" if p.name in ONE else "0")


def callback(p):
    what = next((what for names, what in CALLBACKS if re.search("(%s)$" % names, p.name)), None)
    if not what:
        return "NULL"
    return "%s_%s" % ("c" if LANGUAGE == "c" else "f", what)


class Call:
    """One call: its variables, arguments, and what a compiler of Fortran does around it."""

    def __init__(self, f):
        self.f = f
        self.variables, self.before, self.args, self.after, self.lengths = [], [], [], [], []
        for i, p in enumerate(f.params):
            self.add(p, i)

    def add(self, p, i):
        f, name = self.f, p.name
        if f.has("argc") and name in ("argc", "argv"):  # Fortran's forms have none
            if LANGUAGE == "c":
                self.args.append("0" if name == "argc" else "NULL")
        elif p.kind == "callback":
            self.variables.append("void *%s = (void *)%s;" % (name, callback(p)))
            self.args.append("(void *)" + name)
        elif p.kind in ("data", "buffer"):
            self.variables.append("void *%s = space[%d];" % (name, min(i, 6) + 1))
            self.args.append(name)
        elif p.kind == "string" and "**" not in p.type and not (p.brackets and "*" in p.type):
            self.string(p)
        elif p.kind == "string" and LANGUAGE != "c":
            what = "command" if name == "array_of_commands" else "children"
            self.variables.append("char (*%s)[256] = f_%s();" % (name, what))
            self.args.append(name)
            self.lengths.append("256")
        elif p.kind == "string":  # arguments of programs
            several = "char **several = children, ***%s = &several;"
            one = "char **%s = children;"
            self.variables.append((several if name == "array_of_argv" else one) % name)
            self.args.append(name)
        elif p.kind == "status":
            self.status(p)
        elif p.base() in HANDLES and not f.name.startswith("MPI_T_"):
            self.handle(p)
        else:
            self.plain(p)

    def string(self, p):
        name = p.name
        if p.direction == "in":
            kind = "char *" if name == "port_name" else "const char *"
            self.variables.append("%s%s = %s;" % (kind, name, STRINGS.get(name, '"text"')))
            self.lengths.append("strlen(%s)" % name)
        else:
            self.variables.append("static char %s[1024];" % name)
            self.lengths.append("256")
            if LANGUAGE != "c":
                self.after.append("ended(%s, 256);" % name)
        self.args.append("(char *)" + name)

    def status(self, p):
        name = p.name
        if p.base() != "MPI_Status":
            self.variables.append("static %s %s[32];" % (p.base(), name))
            self.args.append(name)
            return
        if p.direction == "out" or p.length:
            self.variables.append("MPI_Status %s[MANY] = {{0}};" % name)
        there = "&known" if p.direction != "out" and not p.length else name
        if LANGUAGE == "c":
            self.args.append(there)
            return
        self.variables.append("static MPI_Fint f_%s[16 * MANY];" % name)
        if p.direction != "out":
            self.before.append("MPI_Status_c2f(&known, f_%s);" % name)
        self.args.append("f_" + name)

    def handle(self, p):
        name, base, kind = p.name, p.base(), p.base()[4:].replace("Datatype", "Type")
        array = p.length is not None
        self.variables.append("%s %s%s;" % (base, name, "[MANY]" if array else ""))
        start = initial(self.f, p) if p.direction != "out" else base.upper() + "_NULL"
        each = "for (int i = 0; i < MANY; i++) %s[i] = %s;"
        self.variables.append((each if array else "%s = %s;") % (name, start))
        if LANGUAGE == "c":
            self.args.append(name if array or not p.pointed() else "&" + name)
            return
        self.variables.append("MPI_Fint f_%s[MANY] = {0};" % name)
        element = name + "[i]" if array else name
        if array or p.direction != "out":
            self.before.append("for (int i = 0; i < %s; i++) f_%s[i] = MPI_%s_c2f(%s);" % (
                "MANY" if array else "1", name, kind, element))
        if p.pointed() and p.direction != "in":
            count = "1" if not array or kind == "Request" else "0"
            self.after.append("for (int i = 0; i < %s; i++) %s = MPI_%s_f2c(f_%s[i]);" % (
                count, element, kind, name))
        self.args.append("f_" + name)

    def plain(self, p):
        f, name = self.f, p.name
        number = p.base().endswith(("safety", "order"))
        if p.kind == "opaque" or "MPI_T" in p.base() and not number:
            zero = "%s %s; memset(&%s, 0, sizeof %s);"
            self.variables.append(zero % (p.base(), name, name, name))
            self.args.append("&" + name if p.pointed() else name)
            return
        shape = "[MANY]" * bool(p.length or p.brackets) + "[3]" * (p.brackets.count("[") > 1)
        self.variables.append("%s %s%s;" % (real_type(f, p), name, shape))
        if "[3]" in shape:
            self.variables.append("memset(%s, 0, sizeof %s);" % (name, name))
        elif shape:
            each = "for (int i = 0; i < MANY; i++) %s[i] = %s;"
            self.variables.append(each % (name, initial(f, p)))
        else:
            self.variables.append("%s = (%s)(%s);" % (name, real_type(f, p), initial(f, p)))
        address = not shape and (p.pointed() or LANGUAGE != "c")
        self.args.append("&" * address + name)

    def text(self):
        f = self.f
        before, after = scene(f)
        if LANGUAGE != "c":
            before = re.sub(r"(argv|array_of_commands) = [&\w]+;", "", before)
        if f.short().startswith("Comm_spawn"):
            before = "if (!spawns) return; " + before
        lines = self.variables + [before] + self.before
        name = spelling(f)
        if LANGUAGE == "c":
            call = "%s(%s)" % (name, ", ".join(self.args))
        else:
            error = ["&ierror"] * (f.result == "int")
            call = "%s(%s)" % (name, ", ".join(self.args + error + self.lengths))
        call = " ".join([outcome(f, name, call)] + self.after)
        if f.short() in ONE_RANK:
            call = "ONLY(%d) { %s }" % (ONE_RANK[f.short()], call)
        text = "\n\t".join(filter(None, lines + [call, other_side(f), after]))
        head = "static void call_%s(void)\n{\n\tMPI_Fint ierror = 0;\n" % name
        return head + "\t%s\n\t(void)ierror;\n}\n\n" % text


def outcome(f, name, call):
    if f.result != "int":
        return "{ (void)%s; calls++; }" % call
    if LANGUAGE != "c":
        return '{ %s; told("%s", ierror); }' % (call, name)
    return '%s("%s", %s);' % ("tool" if f.name.startswith("MPI_T_") else "told", name, call)


ONE_RANK = {"Comm_accept": 0, "Comm_connect": 1, "Publish_name": 0, "Unpublish_name": 0,
            "Lookup_name": 0}


def other_side(f):
    sides = {"Comm_accept": (1, "connect"), "Comm_connect": (0, "accept")}
    if f.short() not in sides:
        return ""
    text = "ONLY(%d) NEVER(MPI_Comm_%s(port_name, MPI_INFO_NULL, 0, self, &newcomm));"
    return text % sides[f.short()]


def spelling(f):
    lower = f.name.lower()
    return {"c": f.name, "fortran": lower + "_", "f08": lower + "_f08_"}[LANGUAGE]


def prototypes(functions):
    """Of Fortran's functions."""
    if LANGUAGE == "c":
        return ""
    return "".join("%s %s();\n" % ("void" if f.result == "int" else f.result, spelling(f))
                   for f in functions)


def main():
    names = set(open(NAMES, encoding="utf-8").read().split())
    words = set(re.findall(r"\bMPI_\w+\b", open(HEADER, encoding="utf-8").read()))
    functions = [f for f in all_functions(read_table(SRC + "/data/mpi_calls.def"))
                 if spelling(f) in names and f.name not in ELSEWHERE
                 and all(p.base() in words or p.base()[:4] != "MPI_" for p in f.params)]
    print("/* Made by tests/tools/each_call.py. */")
    if "MPI_Psend_init" in words:
        print("#define HAS_Psend_init")
    print('#include "each_call.h"\n')
    print(prototypes(functions))
    for f in functions:
        print(Call(f).text())
    print("static void (*const all[])(void) = {")
    for f in functions:
        print("\tcall_%s," % spelling(f))
    print("\tNULL,\n};\n\nint main(int argc, char **argv)\n{")
    print("\treturn each_call(argc, argv, all);\n}")


main()
