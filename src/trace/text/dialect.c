/* dialect.c: the dialects of time-independent traces. Sources: smpi_replay of SimGrid's tags v3_8,
 * v3_10, v3.19, v3.20, v3.32 and v4.1; examples/msg/actions of v3_9 for process names. Names of the
 * dialects before 3.20 are looked up in small letters: 3.10 to 3.14 did not mind capitals, the
 * others wrote allReduce, Irecv and waitAll. */
#include "trace/trace_int.h"

/* What SimGrid's writer calls some actions that its own replayer does not know. */
static const struct action now_aliases[] = {
    {"Ssend", "ptc?d", "", TRACE_SSEND, 0, 0},
    {"ISsend", "ptc?d", "", TRACE_ISSEND, 0, 0},
    {"waitAny", "?n", "", TRACE_WAITANY, 0, 0},
    {"sendrecv", "cpkqde", "", TRACE_SENDRECV, 0, 0},
};

/* 3.20 (2018) to 3.28 have the actions of now. Their writer named the ends of a message in a
 * `wait`, and the partners of a sendRecv (this one up to 3.29), by the numbers of processes, which
 * begin at 1, where their replayer looked for ranks. */

/* 3.10 (2013) to 3.19 (2018): no tags; wait and test take the latest request. */
static const struct action actions_2013[] = {
    {"init", "*", "", TRACE_INIT, 0, 0},
    {"finalize", "*", "", TRACE_FINALIZE, 0, 0},
    {"comm_size", "?c*", "", TRACE_COMM_SIZE, 0, 0},
    {"comm_split", "*", "", TRACE_COMM_SPLIT, 0, 0},
    {"comm_dup", "*", "", TRACE_COMM_DUP, 0, 0},
    {"compute", "f", "", TRACE_COMPUTE, 0, 0},
    {"sleep", "f", "", TRACE_SLEEP, 0, 0},
    {"send", "pc?d", "", TRACE_SEND, 0, 0},
    {"isend", "pc?d", "", TRACE_ISEND, 0, 0},
    {"recv", "sc?d", "", TRACE_RECV, 0, 0},
    {"irecv", "sc?d", "", TRACE_IRECV, 0, 0},
    {"wait", "*", "", TRACE_WAIT, TRACE_LATEST, 0},
    {"test", "*", "", TRACE_TEST, TRACE_LATEST, 0},
    {"waitall", "*", "", TRACE_WAITALL, 0, 0},
    {"barrier", "*", "", TRACE_BARRIER, 0, 0},
    {"bcast", "c?rd", "", TRACE_BCAST, 0, 0},
    {"reduce", "cf?rd", "", TRACE_REDUCE, 0, 0},
    {"allreduce", "cf?d", "", TRACE_ALLREDUCE, 0, 0},
    {"alltoall", "ck?de", "", TRACE_ALLTOALL, 0, 0},
    {"alltoallv", "cSkR?de", "", TRACE_ALLTOALLV, 0, 0},
    {"gather", "ck?rde", "", TRACE_GATHER, 0, 0},
    {"gatherv", "cR?rde", "", TRACE_GATHERV, 0, 0},
    {"scatter", "ck?rde", "", TRACE_SCATTER, 0, 0},
    {"scatterv", "Sk?rde", "", TRACE_SCATTERV, 0, 0},
    {"allgather", "ck?de", "", TRACE_ALLGATHER, 0, 0},
    {"allgatherv", "cR?de", "", TRACE_ALLGATHERV, 0, 0},
    {"reducescatter", "Rf?d", "", TRACE_REDUCE_SCATTER, 0, 0},
};

/* 3.8 and 3.9 (2012 to 2013): sizes are bytes; wait takes the latest Irecv, Isends are never waited
 * for. reduce's second number was written but not executed; it is read as what it says. */
static const struct action actions_2012[] = {
    {"init", "*", "", TRACE_INIT, 0, 0},
    {"finalize", "*", "", TRACE_FINALIZE, 0, 0},
    {"comm_size", "?c*", "", TRACE_COMM_SIZE, 0, 0},
    {"comm_split", "*", "", TRACE_COMM_SPLIT, 0, 0},
    {"comm_dup", "*", "", TRACE_COMM_DUP, 0, 0},
    {"compute", "f", "", TRACE_COMPUTE, 0, 0},
    {"send", "pc?d", "", TRACE_SEND, 0, 0},
    {"isend", "pc?d", "", TRACE_ISEND, 0, 0},
    {"recv", "sc?d", "", TRACE_RECV, 0, 0},
    {"irecv", "sc?d", "", TRACE_IRECV, 0, 0},
    {"wait", "*", "", TRACE_WAIT, TRACE_LATEST_RECV, 0},
    {"barrier", "*", "", TRACE_BARRIER, 0, 0},
    {"bcast", "c?d", "", TRACE_BCAST, 0, 0},
    {"reduce", "c?fd", "", TRACE_REDUCE, 0, 0},
    {"allreduce", "cf?d", "", TRACE_ALLREDUCE, 0, 0},
};

/* MSG replay, 3.5 to 3.9 and the theses of that time: processes have names, receives need no
 * size. */
static const struct action actions_msg[] = {
    {"init", "*", "", TRACE_INIT, 0, 0},
    {"finalize", "*", "", TRACE_FINALIZE, 0, 0},
    {"comm_size", "?c*", "", TRACE_COMM_SIZE, 0, 0},
    {"compute", "f", "", TRACE_COMPUTE, 0, 0},
    {"sleep", "f", "", TRACE_SLEEP, 0, 0},
    {"send", "pc?d", "", TRACE_SEND, 0, 0},
    {"isend", "pc?d", "", TRACE_ISEND, 0, 0},
    {"recv", "so?d", "", TRACE_RECV, 0, 0},
    {"irecv", "so?d", "", TRACE_IRECV, 0, 0},
    {"wait", "*", "", TRACE_WAIT, TRACE_LATEST_RECV, 0},
    {"barrier", "*", "", TRACE_BARRIER, 0, 0},
    {"bcast", "c?d", "", TRACE_BCAST, 0, 0},
    {"reduce", "c?fd", "", TRACE_REDUCE, 0, 0},
    {"allreduce", "c?fd", "", TRACE_ALLREDUCE, 0, 0},
};

enum { TYPES_2013 = 7 };
#define ACTIONS(table) (table), sizeof(table) / sizeof *(table)

const struct dialect trace_dialects[DIALECTS] = {
    [DIALECT_OURS] = {"Orrery", ACTIONS(trace_ops), NULL, 0, .strict = 1, .types = TYPES},
    [DIALECT_NOW] = {"SimGrid 3.20 or later", ACTIONS(trace_ops), ACTIONS(now_aliases),
                     .types = TYPES},
    [DIALECT_2021] = {"SimGrid 3.20 to 3.29", ACTIONS(trace_ops), ACTIONS(now_aliases),
                      .types = TYPES, .first_partner = 1},
    [DIALECT_2018] = {"SimGrid 3.20 to 3.28", ACTIONS(trace_ops), ACTIONS(now_aliases),
                      .types = TYPES, .first_waited = 1, .first_partner = 1},
    [DIALECT_2013] = {"SimGrid 3.10 to 3.19", ACTIONS(actions_2013), NULL, 0, .any_case = 1,
                      .types = TYPES_2013, .lenient_types = 1},
    [DIALECT_2012] = {"SimGrid 3.8 or 3.9", ACTIONS(actions_2012), NULL, 0, .any_case = 1,
                      .types = TYPES_2013},
    [DIALECT_MSG] = {"SimGrid MSG", ACTIONS(actions_msg), NULL, 0, .any_case = 1, .named_ranks = 1,
                     .types = TYPES_2013},
};
