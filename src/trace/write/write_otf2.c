/* write_otf2.c: an OTF2 archive (traces.otf2, traces.def, traces/), written with libotf2 as Score-P
 * writes it: events as portable.h has them, between the Enter and the Leave of their function of
 * MPI; sizes of collectives as sums over the members (docs/foreign-traces.md).
 *
 * Each rank has a clock of its own that begins at the same date: computations take what their
 * volumes are of processor time, or else what was measured, and their volume is then in the metric
 * PAPI_TOT_INS before each Enter and Leave; a call takes what was measured, or nothing. */
#include "portable.h"
#include "writer_int.h"

#ifndef ORRERY_HAVE_OTF2
static int absent(struct trace_writer *w, struct err *err)
{
	(void)w;
	return err_set(err, ERR_INPUT,
	               "OTF2 archives cannot be written: this orrery was built without libotf2 "
	               "(Debian: libotf2-trace-dev; build anew)");
}

const struct writer_form writer_otf2 = {.open = absent};
#else
#include "write_otf2.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* libotf2 asks for this, in the C library's place, as our program is before it. That one asks the
 * domain name system for this host, which may keep it waiting; and where its resolver has no memory
 * glibc 2.36 fails an assertion, follows a null pointer (nss_database.c), or waits for ever for a
 * lock that it has kept (resolv_conf.c). */
long gethostid(void)
{
	char name[256] = "";
	uint32_t id = 2166136261; /* FNV-1a */

	gethostname(name, sizeof name - 1);
	for (const char *c = name; *c; c++)
		id = (id ^ (unsigned char)*c) * 16777619;
	return (int32_t)id;
}

static OTF2_FlushType flush(void *user, OTF2_FileType type, OTF2_LocationRef location, void *caller,
                            bool final)
{
	(void)user, (void)type, (void)location, (void)caller, (void) final;
	return OTF2_FLUSH;
}

/* What libotf2 refuses is said by our own errors; what it meets and does not return, too. */
static OTF2_ErrorCode note(void *user, const char *file, uint64_t line, const char *function,
                           OTF2_ErrorCode code, const char *format, va_list arguments)
{
	struct otf2_writer *w = user;

	(void)file, (void)line, (void)function, (void)format, (void)arguments;
	if (w && w->met == OTF2_SUCCESS)
		w->met = code;
	return code;
}

int otf2_wrote(struct otf2_writer *w, OTF2_ErrorCode code, struct err *err)
{
	if (code == OTF2_SUCCESS)
		return 0;
	return err_set(err, ERR_LIMIT, "%s cannot be written: libotf2 says: %s", w->folder.path,
	               OTF2_Error_GetDescription(code));
}

static int archive_open(struct otf2_writer *w, struct err *err)
{
	/* No callback behind a flush: that it was flushed then would be an event of the program. */
	static const OTF2_FlushCallbacks flushes = {.otf2_pre_flush = flush};

	OTF2_Error_RegisterCallback(note, w);
	w->archive = OTF2_Archive_Open(
	    w->folder.part, "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
	    OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	if (!w->archive)
		return err_set(err, ERR_LIMIT, "%s cannot be written: libotf2 cannot open it",
		               w->folder.path);
	if (otf2_wrote(w, OTF2_Archive_SetFlushCallbacks(w->archive, &flushes, NULL), err) < 0 ||
	    otf2_wrote(w, OTF2_Archive_SetSerialCollectiveCallbacks(w->archive), err) < 0)
		return -1;
	return otf2_wrote(w, OTF2_Archive_OpenEvtFiles(w->archive), err);
}

static int otf2_open(struct trace_writer *t, struct err *err)
{
	struct otf2_writer *w = calloc(1, sizeof *w);

	if (!w)
		return err_nomem(err, "a trace writer", sizeof *w);
	t->impl = w;
	w->folder.lock = -1;
	w->ranks = t->ranks;
	w->rank = calloc(t->ranks, sizeof *w->rank);
	w->attributes = OTF2_AttributeList_New();
	if (!w->rank || !w->attributes)
		return err_nomem(err, "the ranks of a trace", t->ranks * sizeof *w->rank);
	for (uint32_t i = 0; i < t->ranks; i++)
		w->rank[i].clock = OTF2_BEGIN;
	if (portable_init(&w->p, "OTF2", t->ranks, err) < 0 ||
	    output_folder_open(&w->folder, t->path, err) < 0)
		return -1;
	w->p.keeps_nonblocking = 1;
	return archive_open(w, err);
}

/* --- time and volumes --- */

static void time_pass(struct otf2_rank *r, double seconds)
{
	double ns = seconds > 0 ? seconds * 1e9 + r->rest : r->rest;
	double whole = floor(ns);

	r->clock += (uint64_t)whole;
	r->rest = ns - whole;
}

/* What computes is at least a nanosecond, or no reader sees it. duration: below 0, not measured. */
static void compute(struct otf2_writer *w, const struct trace_manifest *m, struct otf2_rank *r,
                    double volume, double duration)
{
	double rate = m && m->nominal_rate > 0 ? m->nominal_rate : 1e9;
	uint64_t before = r->clock;

	if (w->counts) {
		r->volume += volume;
		time_pass(r, duration >= 0 ? duration : volume / 1e9);
		r->clock += volume > 0 && r->clock == before;
	} else {
		time_pass(r, volume / rate);
	}
}

static void pause_put(struct otf2_writer *w, struct otf2_rank *r, const struct trace_event *ev)
{
	uint64_t before = r->clock;

	time_pass(r, ev->volume);
	r->clock += w->counts && ev->volume > 0 && r->clock == before;
	w->sleeps++;
}

/* The edge of a call, with what was counted up to there. */
static int edge(struct otf2_writer *w, struct otf2_rank *r, int enters, uint32_t region,
                struct err *err)
{
	OTF2_Type type = OTF2_TYPE_UINT64;
	OTF2_MetricValue value = {.unsigned_int = (uint64_t)llround(r->volume)};
	OTF2_ErrorCode code = OTF2_SUCCESS;

	if (w->counts)
		code = OTF2_EvtWriter_Metric(r->evt, NULL, r->clock, 0, 1, &type, &value);
	if (code == OTF2_SUCCESS)
		code = enters ? OTF2_EvtWriter_Enter(r->evt, NULL, r->clock, region)
		              : OTF2_EvtWriter_Leave(r->evt, NULL, r->clock, region);
	return otf2_wrote(w, code, err);
}

/* --- records --- */

struct putting {
	struct otf2_writer *w;
	const struct trace_event *ev; /* the call under way */
};

static int cannot(const struct putting *x, uint32_t rank, struct err *err)
{
	return portable_cannot(&x->w->p, rank, x->ev, err);
}

static int send_put(const struct putting *x, uint32_t rank, const struct portable_op *o,
                    uint32_t peer, struct err *err)
{
	struct otf2_rank *r = &x->w->rank[rank];
	uint64_t n = (uint64_t)o->bytes;
	uint32_t comm = o->comm - 1, tag = (uint32_t)o->tag;

	return otf2_wrote(x->w,
	                  o->nonblocking
	                      ? OTF2_EvtWriter_MpiIsend(r->evt, NULL, r->clock, peer, comm, tag, n,
	                                                (uint64_t)o->req)
	                      : OTF2_EvtWriter_MpiSend(r->evt, NULL, r->clock, peer, comm, tag, n),
	                  err);
}

/* When it completes: what came, from whom. */
static int receive_put(const struct putting *x, uint32_t rank, const struct portable_op *o,
                       uint32_t peer, struct err *err)
{
	struct otf2_rank *r = &x->w->rank[rank];
	uint64_t n = (uint64_t)o->bytes;
	uint32_t comm = o->comm - 1, tag = (uint32_t)o->tag;

	if (o->peer < 0 || o->tag < 0) /* a wildcard whose message is not known */
		return cannot(x, rank, err);
	return otf2_wrote(x->w,
	                  o->kind == PORTABLE_WAIT_RECV && x->ev->op != TRACE_SENDRECV
	                      ? OTF2_EvtWriter_MpiIrecv(r->evt, NULL, r->clock, peer, comm, tag, n,
	                                                (uint64_t)o->req)
	                      : OTF2_EvtWriter_MpiRecv(r->evt, NULL, r->clock, peer, comm, tag, n),
	                  err);
}

static int message_put(const struct putting *x, uint32_t rank, const struct portable_op *o,
                       struct err *err)
{
	struct otf2_rank *r = &x->w->rank[rank];
	uint32_t peer = (uint32_t)o->peer;

	if (o->comm != 1 && o->peer >= 0) {
		int32_t there = portable_rank_in(&x->w->p, o->comm, (uint32_t)o->peer);

		if (there < 0)
			return cannot(x, rank, err);
		peer = (uint32_t)there;
	}
	switch (o->kind) {
	case PORTABLE_SEND:
		return send_put(x, rank, o, peer, err);
	case PORTABLE_WAIT_SEND:
		return otf2_wrote(
		    x->w, OTF2_EvtWriter_MpiIsendComplete(r->evt, NULL, r->clock, (uint64_t)o->req),
		    err);
	case PORTABLE_RECV:
		if (x->ev->op == TRACE_SENDRECV) /* told when it has come */
			return 0;
		if (o->nonblocking)
			return otf2_wrote(x->w,
			                  OTF2_EvtWriter_MpiIrecvRequest(r->evt, NULL, r->clock,
			                                                 (uint64_t)o->req),
			                  err);
		return receive_put(x, rank, o, peer, err);
	default:
		return receive_put(x, rank, o, peer, err);
	}
}

static int coll_put(const struct putting *x, uint32_t rank, const struct portable_op *o,
                    struct err *err)
{
	struct otf2_rank *r = &x->w->rank[rank];
	uint32_t comm = o->comm - 1, root = otf2_root(o);
	OTF2_CollectiveOp op = otf2_collective(o->op);
	OTF2_ErrorCode code;
	uint64_t sent, received;

	if (op == OTF2_COLLECTIVE_NONE)
		return cannot(x, rank, err);
	otf2_sums(&x->w->p, rank, o, &sent, &received);
	x->w->alltoallv += o->op == TRACE_ALLTOALLV;
	if (o->kind == PORTABLE_WAIT_COLLECTIVE)
		code = OTF2_EvtWriter_NonBlockingCollectiveComplete(r->evt, otf2_typed(x->w, o),
		                                                    r->clock, op, comm, root, sent,
		                                                    received, (uint64_t)o->req);
	else if (o->nonblocking)
		code = OTF2_EvtWriter_NonBlockingCollectiveRequest(r->evt, NULL, r->clock,
		                                                   (uint64_t)o->req);
	else if ((code = OTF2_EvtWriter_MpiCollectiveBegin(r->evt, NULL, r->clock)) == OTF2_SUCCESS)
		code = OTF2_EvtWriter_MpiCollectiveEnd(r->evt, otf2_typed(x->w, o), r->clock, op,
		                                       comm, root, sent, received);
	return otf2_wrote(x->w, code, err);
}

static int op_put(void *self, uint32_t rank, const struct portable_op *o, struct err *err)
{
	const struct putting *x = self;

	if (o->kind == PORTABLE_COMPUTE) { /* an operator: the call has to end first */
		x->w->rank[rank].operators += o->seconds * 1e9;
		return 0;
	}
	return o->kind == PORTABLE_COLLECTIVE || o->kind == PORTABLE_WAIT_COLLECTIVE
	           ? coll_put(self, rank, o, err)
	           : message_put(self, rank, o, err);
}

/* --- calls --- */

static int rank_begin(struct otf2_writer *w, uint32_t rank, struct err *err)
{
	struct otf2_rank *r = &w->rank[rank];

	if (r->evt)
		return 0;
	r->evt = OTF2_Archive_GetEvtWriter(w->archive, rank);
	return r->evt ? 0 : err_nomem(err, "the events of a rank", OTF2_CHUNK_SIZE_EVENTS_DEFAULT);
}

static int call_put(struct otf2_writer *w, const struct trace_manifest *m, uint32_t rank,
                    const struct trace_event *ev, struct err *err)
{
	struct putting x = {w, ev};
	struct otf2_rank *r = &w->rank[rank];
	uint32_t region = otf2_region(w, ev);

	if (edge(w, r, 1, region, err) < 0 || portable_put(&w->p, rank, ev, op_put, &x, err) < 0)
		return -1;
	if (ev->duration > 0)
		time_pass(r, ev->duration);
	if (edge(w, r, 0, region, err) < 0)
		return -1;
	compute(w, m, r, r->operators, -1);
	r->operators = 0;
	return 0;
}

static int otf2_put(struct trace_writer *t, uint32_t rank, const struct trace_event *ev,
                    struct err *err)
{
	struct otf2_writer *w = t->impl;
	enum trace_op op = (enum trace_op)ev->op;

	if (rank_begin(w, rank, err) < 0)
		return -1;
	w->counts = !writer_is_time(t->manifest);
	if (op == TRACE_COMPUTE) {
		compute(w, t->manifest, &w->rank[rank], ev->volume, ev->duration);
		return 0;
	}
	if (op == TRACE_SLEEP) {
		pause_put(w, &w->rank[rank], ev);
		return 0;
	}
	return trace_op_mpi(op)[0] ? call_put(w, t->manifest, rank, ev, err)
	                           : portable_put(&w->p, rank, ev, op_put, NULL, err);
}

static int otf2_done(struct trace_writer *t, uint32_t rank, struct err *err)
{
	struct otf2_writer *w = t->impl;
	struct otf2_rank *r = &w->rank[rank];

	if (rank_begin(w, rank, err) < 0 || r->ended)
		return r->ended ? 0 : -1;
	r->ended = 1;
	if (otf2_wrote(w, OTF2_EvtWriter_GetNumberOfEvents(r->evt, &r->events), err) < 0)
		return -1;
	return otf2_wrote(w, OTF2_Archive_CloseEvtWriter(w->archive, r->evt), err);
}

static void notices_put(const struct otf2_writer *w, struct str *notices)
{
	if (!notices)
		return;
	portable_notices(&w->p, notices);
	if (w->alltoallv)
		str_printf(notices,
		           "%" PRIu64
		           " calls of MPI_Alltoallv: how much goes to each is not in the "
		           "archive, only how much in all\n",
		           w->alltoallv);
	if (w->sleeps && w->counts)
		str_printf(notices, "%" PRIu64 " sleeps are time in which nothing was counted\n",
		           w->sleeps);
}

static int otf2_commit(struct trace_writer *t, struct str *notices, struct err *err)
{
	struct otf2_writer *w = t->impl;
	OTF2_Archive *archive = w->archive;

	for (uint32_t i = 0; i < w->ranks; i++)
		if (otf2_done(t, i, err) < 0)
			return -1;
	if (otf2_wrote(w, OTF2_Archive_CloseEvtFiles(archive), err) < 0 ||
	    otf2_definitions(w, t->manifest, err) < 0)
		return -1;
	w->archive = NULL;
	if (otf2_wrote(w, OTF2_Archive_Close(archive), err) < 0 || otf2_wrote(w, w->met, err) < 0)
		return -1;
	notices_put(w, notices);
	return output_folder_commit(&w->folder, err);
}

static void otf2_release(struct trace_writer *t)
{
	struct otf2_writer *w = t->impl;

	if (w->archive)
		OTF2_Archive_Close(w->archive);
	OTF2_Error_RegisterCallback(note, NULL);
	portable_release(&w->p);
	output_folder_release(&w->folder);
	if (w->attributes)
		OTF2_AttributeList_Delete(w->attributes);
	free(w->rank);
	free(w);
}

const struct writer_form writer_otf2 = {.open = otf2_open,
                                        .put = otf2_put,
                                        .done = otf2_done,
                                        .commit = otf2_commit,
                                        .release = otf2_release};
#endif
