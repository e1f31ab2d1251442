/* write_otf2_defs.c: definitions of an OTF2 archive, and what its records mean: functions of MPI,
 * collectives with their sums, ranks at their hosts, communicators. */
#ifdef ORRERY_HAVE_OTF2
#include "write_otf2.h"

#include <stdio.h>
#include <stdlib.h>

/* --- records --- */

uint32_t otf2_region(struct otf2_writer *w, const struct trace_event *ev)
{
	int late = trace_op_is_collective((enum trace_op)ev->op) && ev->flags & TRACE_NONBLOCKING;

	uint32_t *number = &w->region[late][ev->op];

	if (*number == 0) {
		w->function[w->functions].op = ev->op;
		w->function[w->functions].late = (uint8_t)late;
		*number = ++w->functions;
	}
	return *number - 1;
}

static const struct {
	OTF2_CollectiveOp op;
	uint8_t is, rooted;
} collectives[TRACE_OPS] = {
    [TRACE_BARRIER] = {OTF2_COLLECTIVE_OP_BARRIER, 1, 0},
    [TRACE_BCAST] = {OTF2_COLLECTIVE_OP_BCAST, 1, 1},
    [TRACE_GATHER] = {OTF2_COLLECTIVE_OP_GATHER, 1, 1},
    [TRACE_GATHERV] = {OTF2_COLLECTIVE_OP_GATHERV, 1, 1},
    [TRACE_SCATTER] = {OTF2_COLLECTIVE_OP_SCATTER, 1, 1},
    [TRACE_SCATTERV] = {OTF2_COLLECTIVE_OP_SCATTERV, 1, 1},
    [TRACE_ALLGATHER] = {OTF2_COLLECTIVE_OP_ALLGATHER, 1, 0},
    [TRACE_ALLGATHERV] = {OTF2_COLLECTIVE_OP_ALLGATHERV, 1, 0},
    [TRACE_ALLTOALL] = {OTF2_COLLECTIVE_OP_ALLTOALL, 1, 0},
    [TRACE_ALLTOALLV] = {OTF2_COLLECTIVE_OP_ALLTOALLV, 1, 0},
    [TRACE_ALLREDUCE] = {OTF2_COLLECTIVE_OP_ALLREDUCE, 1, 0},
    [TRACE_REDUCE] = {OTF2_COLLECTIVE_OP_REDUCE, 1, 1},
    [TRACE_REDUCE_SCATTER] = {OTF2_COLLECTIVE_OP_REDUCE_SCATTER, 1, 0},
    [TRACE_REDUCE_SCATTER_BLOCK] = {OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK, 1, 0},
    [TRACE_SCAN] = {OTF2_COLLECTIVE_OP_SCAN, 1, 0},
    [TRACE_EXSCAN] = {OTF2_COLLECTIVE_OP_EXSCAN, 1, 0},
};

OTF2_CollectiveOp otf2_collective(enum trace_op op)
{
	return collectives[op].is ? collectives[op].op : OTF2_COLLECTIVE_NONE;
}

uint32_t otf2_root(const struct portable_op *o)
{
	return collectives[o->op].rooted ? (uint32_t)o->root : OTF2_COLLECTIVE_ROOT_NONE;
}

void otf2_sums(const struct portable *p, uint32_t rank, const struct portable_op *o, uint64_t *sent,
               uint64_t *received)
{
	uint64_t n = p->comm[o->comm - 1].n, out = (uint64_t)o->sent, in = (uint64_t)o->received;
	uint64_t me = (uint64_t)portable_rank_in(p, o->comm, rank);

	*sent = out;
	*received = in;
	switch (o->op) {
	case TRACE_BCAST:
	case TRACE_SCATTER:
		*sent = out * n;
		break;
	case TRACE_GATHER:
	case TRACE_REDUCE:
		*received = in * n;
		break;
	case TRACE_ALLGATHERV:
		*sent = out * n;
		break;
	case TRACE_REDUCE_SCATTER:
		*received = in * n;
		break;
	case TRACE_ALLGATHER:
	case TRACE_ALLTOALL:
	case TRACE_ALLREDUCE:
	case TRACE_REDUCE_SCATTER_BLOCK:
		*sent = out * n;
		*received = in * n;
		break;
	case TRACE_SCAN:
		*sent = out * (n - me);
		*received = in * (me + 1);
		break;
	case TRACE_EXSCAN:
		*sent = out * (n - 1 - me);
		*received = in * me;
		break;
	default:
		break;
	}
}

enum { ATTRIBUTE_TYPE, ATTRIBUTE_SIZE };

OTF2_AttributeList *otf2_typed(struct otf2_writer *w, const struct portable_op *o)
{
	OTF2_AttributeList_RemoveAllAttributes(w->attributes);
	if (o->type_size > 1) {
		OTF2_AttributeList_AddInt32(w->attributes, ATTRIBUTE_TYPE, o->type);
		OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_SIZE, (uint64_t)o->type_size);
	}
	return w->attributes;
}

/* --- definitions --- */

struct defining {
	struct otf2_writer *w;
	OTF2_GlobalDefWriter *defs;
	uint32_t strings, nodes;
	struct err *err;
};

static int defined(const struct defining *d, OTF2_ErrorCode code)
{
	return otf2_wrote(d->w, code, d->err);
}

/* Strings are numbered as they come; the first is the empty one. */
static int string_put(struct defining *d, const char *text, uint32_t *number)
{
	*number = d->strings++;
	return defined(d, OTF2_GlobalDefWriter_WriteString(d->defs, *number, text));
}

/* "MPI_Bcast" that does not block: "MPI_Ibcast". */
static void function_name(enum trace_op op, int late, char *out, size_t n)
{
	const char *name = trace_op_mpi(op);

	if (late)
		snprintf(out, n, "MPI_I%c%s", letter_lower(name[4]), name + 5);
	else
		snprintf(out, n, "%s", name);
}

static OTF2_RegionRole role_of(enum trace_op op)
{
	if (op == TRACE_BARRIER)
		return OTF2_REGION_ROLE_BARRIER;
	if (trace_op_is_collective(op))
		return OTF2_REGION_ROLE_COLL_OTHER;
	if (op == TRACE_START || op == TRACE_REQUEST_FREE || op == TRACE_CANCEL ||
	    op == TRACE_BUFFER_DETACH)
		return OTF2_REGION_ROLE_POINT2POINT;
	return op_has((uint8_t)op,
	              TRACE_SENDS | TRACE_RECEIVES | TRACE_PROBES | TRACE_COMPLETES | TAKES_PARTS)
	           ? OTF2_REGION_ROLE_POINT2POINT
	           : OTF2_REGION_ROLE_FUNCTION;
}

static int regions_put(struct defining *d)
{
	for (uint32_t i = 0; i < d->w->functions; i++) {
		enum trace_op op = (enum trace_op)d->w->function[i].op;
		char name[64];
		uint32_t text;

		function_name(op, d->w->function[i].late, name, sizeof name);
		if (string_put(d, name, &text) < 0 ||
		    defined(d, OTF2_GlobalDefWriter_WriteRegion(
		                   d->defs, i, text, text, 0, role_of(op), OTF2_PARADIGM_MPI,
		                   OTF2_REGION_FLAG_NONE, 0, 0, 0)) < 0)
			return -1;
	}
	return 0;
}

static int node_put(struct defining *d, const char *name, const char *kind, uint32_t parent)
{
	uint32_t text, word;

	if (string_put(d, name, &text) < 0 || string_put(d, kind, &word) < 0)
		return -1;
	return defined(
	    d, OTF2_GlobalDefWriter_WriteSystemTreeNode(d->defs, d->nodes++, text, word, parent));
}

/* The next of the hosts "a,a,b" into `host`; whether it is another than before. */
static int host_next(const char **hosts, char *host, size_t n)
{
	size_t k = strcspn(*hosts, ",");
	char before[256];

	snprintf(before, sizeof before, "%s", host);
	if (k > 0)
		snprintf(host, n, "%.*s", (int)k, *hosts);
	*hosts += k + ((*hosts)[k] == ',');
	return strcmp(before, host) != 0;
}

static int rank_put(struct defining *d, uint32_t rank)
{
	char name[32];
	uint32_t text;

	snprintf(name, sizeof name, "MPI Rank %" PRIu32, rank);
	if (string_put(d, name, &text) < 0 ||
	    defined(d, OTF2_GlobalDefWriter_WriteLocationGroup(
	                   d->defs, rank, text, OTF2_LOCATION_GROUP_TYPE_PROCESS, d->nodes - 1,
	                   OTF2_UNDEFINED_LOCATION_GROUP)) < 0)
		return -1;
	return defined(d, OTF2_GlobalDefWriter_WriteLocation(d->defs, rank, text,
	                                                     OTF2_LOCATION_TYPE_CPU_THREAD,
	                                                     d->w->rank[rank].events, rank));
}

/* Each rank below its host, a node of the machine. */
static int ranks_put(struct defining *d, const struct trace_manifest *m)
{
	const char *hosts = m && m->hosts ? m->hosts : "";
	char host[256] = "";

	if (node_put(d, "machine", "machine", OTF2_UNDEFINED_SYSTEM_TREE_NODE) < 0)
		return -1;
	for (uint32_t i = 0; i < d->w->ranks; i++) {
		int other = host_next(&hosts, host, sizeof host);

		if ((other || i == 0) && node_put(d, *host ? host : "?", "node", 0) < 0)
			return -1;
		if (rank_put(d, i) < 0)
			return -1;
	}
	return 0;
}

/* Members of a group of a communicator count among the locations of MPI, in their order. */
static int group_put(struct defining *d, uint32_t group, OTF2_GroupType type,
                     const struct portable_comm *c)
{
	uint64_t *member = malloc(((size_t)c->n + 1) * sizeof *member);
	OTF2_ErrorCode code;

	if (!member)
		return err_nomem(d->err, "a communicator", c->n * sizeof *member);
	for (uint32_t i = 0; i < c->n; i++)
		member[i] = (uint64_t)c->member[i];
	code = OTF2_GlobalDefWriter_WriteGroup(d->defs, group, 0, type, OTF2_PARADIGM_MPI,
	                                       OTF2_GROUP_FLAG_NONE, c->n, member);
	free(member);
	return defined(d, code);
}

static int comms_put(struct defining *d)
{
	const struct portable *p = &d->w->p;

	if (group_put(d, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, &p->comm[0]) < 0)
		return -1;
	for (uint32_t i = 0; i < p->comms; i++) {
		char name[64];
		uint32_t text;

		snprintf(name, sizeof name, "%" PRIu64 ".%" PRIu32, p->comm[i].id >> 32,
		         (uint32_t)p->comm[i].id - 2);
		if (string_put(d, i ? name : "MPI_COMM_WORLD", &text) < 0 ||
		    group_put(d, i + 1, OTF2_GROUP_TYPE_COMM_GROUP, &p->comm[i]) < 0 ||
		    defined(d, OTF2_GlobalDefWriter_WriteComm(d->defs, i, text, i + 1,
		                                              i ? 0 : OTF2_UNDEFINED_COMM,
		                                              OTF2_COMM_FLAG_NONE)) < 0)
			return -1;
	}
	return 0;
}

static int metric_put(struct defining *d)
{
	OTF2_MetricMemberRef member = 0;
	uint32_t name;

	if (!d->w->counts)
		return 0;
	if (string_put(d, "PAPI_TOT_INS", &name) < 0 ||
	    defined(d,
	            OTF2_GlobalDefWriter_WriteMetricMember(
	                d->defs, 0, name, 0, OTF2_METRIC_TYPE_PAPI, OTF2_METRIC_ACCUMULATED_START,
	                OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, 0, 0)) < 0)
		return -1;
	return defined(d, OTF2_GlobalDefWriter_WriteMetricClass(d->defs, 0, 1, &member,
	                                                        OTF2_METRIC_SYNCHRONOUS_STRICT,
	                                                        OTF2_RECORDER_KIND_CPU));
}

static int clock_put(struct defining *d)
{
	uint64_t length = OTF2_BEGIN;

	for (uint32_t i = 0; i < d->w->ranks; i++)
		if (d->w->rank[i].clock > length)
			length = d->w->rank[i].clock;
	return defined(d, OTF2_GlobalDefWriter_WriteClockProperties(d->defs, 1000000000, OTF2_BEGIN,
	                                                            length + 1 - OTF2_BEGIN,
	                                                            OTF2_UNDEFINED_TIMESTAMP));
}

/* Which run it was: the text of a manifest. Volumes that are time became nanoseconds. */
static int run_put(struct defining *d, const struct trace_manifest *m)
{
	struct trace_manifest here = m ? *m : (struct trace_manifest){.ranks = 0};
	struct str text = {0};
	int r;

	here.ranks = d->w->ranks;
	if (!d->w->counts)
		here.nominal_rate = 1e9;
	if (m)
		manifest_format(&text, &here);
	r = text.failed ? err_nomem(d->err, "a manifest", text.n)
	                : defined(d, OTF2_Archive_SetProperty(d->w->archive, "ORRERY::MANIFEST",
	                                                      text.s ? text.s : "", true));
	str_release(&text);
	return r;
}

static int attributes_put(struct defining *d)
{
	uint32_t type, size;

	if (string_put(d, "ORRERY::DATATYPE", &type) < 0 ||
	    string_put(d, "ORRERY::DATATYPE_SIZE", &size) < 0 ||
	    defined(d, OTF2_GlobalDefWriter_WriteAttribute(d->defs, ATTRIBUTE_TYPE, type, 0,
	                                                   OTF2_TYPE_INT32)) < 0)
		return -1;
	return defined(d, OTF2_GlobalDefWriter_WriteAttribute(d->defs, ATTRIBUTE_SIZE, size, 0,
	                                                      OTF2_TYPE_UINT64));
}

static int locals_put(struct defining *d)
{
	OTF2_Archive *a = d->w->archive;

	if (defined(d, OTF2_Archive_OpenDefFiles(a)) < 0)
		return -1;
	for (uint32_t i = 0; i < d->w->ranks; i++)
		if (defined(d, OTF2_Archive_CloseDefWriter(a, OTF2_Archive_GetDefWriter(a, i))) < 0)
			return -1;
	return defined(d, OTF2_Archive_CloseDefFiles(a));
}

int otf2_definitions(struct otf2_writer *w, const struct trace_manifest *m, struct err *err)
{
	struct defining d = {.w = w, .err = err};
	uint32_t empty;

	if (locals_put(&d) < 0 ||
	    defined(&d, OTF2_Archive_SetCreator(w->archive,
	                                        "orrery " ORRERY_VERSION
	                                        ", sizes of collectives as Score-P has them")) < 0)
		return -1;
	d.defs = OTF2_Archive_GetGlobalDefWriter(w->archive);
	if (!d.defs)
		return err_nomem(err, "definitions of a trace",
		                 OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT);
	if (clock_put(&d) < 0 || string_put(&d, "", &empty) < 0 || regions_put(&d) < 0 ||
	    ranks_put(&d, m) < 0 || comms_put(&d) < 0 || metric_put(&d) < 0 ||
	    attributes_put(&d) < 0)
		return -1;
	return run_put(&d, m);
}
#endif
