/* otf2_events.c: the events of an OTF2 archive, location by location.
 *
 *   enter(MPI) ── records of messages, collectives, completions ── leave(MPI): the call is put
 *        └── computation since the last leave: its time, its instructions where they were counted
 * What a record says of a message: otf2_messages.c, of a collective: otf2_coll.c. */
#ifdef ORRERY_HAVE_OTF2
#include "otf2_int.h"

#include <errno.h>
#include <stdlib.h>

/* --- calls --- */

/* A call that completed requests. Which ones is known, so that waiting for all of them is what it
 * did. */
static int completion_put(struct otf2_place p, int op)
{
	struct otf2_rank *r = p.r;
	struct trace_event ev;

	foreign_event(&ev, r->n_done == 1 ? TRACE_WAIT : TRACE_WAITALL);
	if (r->n_done == 1) {
		ev.req = r->done[0];
	} else if (r->n_done > 1) {
		ev.reqs = r->done;
		ev.n_reqs = r->n_done;
	} else if (op == TRACE_WAITALL && r->lost > 0) {
		ev.flags = TRACE_OUTSTANDING; /* the writer left the completions out */
		r->lost = 0;
		hash64_release(&r->open);
		hash64_init(&r->open);
	} else
		return 0;
	return foreign_put(p.o->f, p.rank, &ev, p.o->err);
}

/* A collective without a record, which older versions of Score-P write of no non-blocking one: who
 * takes part and with how much is not known. */
static int untold_put(struct otf2_place p, const struct otf2_region *region)
{
	int op = region->started >= 0 ? region->started : region->op;

	if (p.r->told || op < 0 || !trace_op_is_collective((enum trace_op)op) ||
	    (region->started < 0 && trace_op_is_neighborhood((enum trace_op)op)))
		return 0;
	return foreign_note(p.o->f, p.o->err,
	                    "left out, with its time: %s%s, of which the archive has no record%s",
	                    region->started >= 0 ? "the non-blocking form of " : "",
	                    trace_op_mpi((enum trace_op)op),
	                    region->started >= 0 ? " (newer versions of Score-P write one)" : "");
}

static int call_put(struct otf2_place p)
{
	struct otf2_rank *r = p.r;
	int op = r->region >= 0 ? p.o->region[r->region].op : -1;

	if (r->has_coll)
		return foreign_collective(p.o->f, p.rank, &r->coll, p.o->err);
	if (op == TRACE_FINALIZE) {
		r->ended = 1;
		return foreign_simple(p.o->f, p.rank, TRACE_FINALIZE, p.o->err);
	}
	if (r->has_sent || r->has_received)
		return otf2_messages_put(p, op) < 0 ? -1 : completion_put(p, op);
	if (foreign_left_out(p.o->f, op, p.o->err) < 0 ||
	    (r->region >= 0 && untold_put(p, &p.o->region[r->region]) < 0))
		return -1;
	return completion_put(p, op);
}

static int computation_put(struct otf2_place p, uint64_t time)
{
	struct otf2_rank *r = p.r;
	double ns = (double)(time - r->left) / p.o->frequency * 1e9;
	int64_t counted = r->count - r->count_left;

	if (!r->begun) { /* what was before MPI_Init is not part of it */
		r->begun = 1;
		return foreign_simple(p.o->f, p.rank, TRACE_INIT, p.o->err);
	}
	if (time <= r->left)
		return 0;
	return p.o->counter_at >= 0 ? foreign_counted(p.o->f, p.rank, ns, counted, p.o->err)
	                            : foreign_compute(p.o->f, p.rank, ns, -1, p.o->err);
}

static int region_find(const struct otf2 *o, OTF2_RegionRef id)
{
	uint32_t at = hash64_find(&o->regions, id);

	return at == HASH_NONE || !o->region[at].mpi ? -1 : (int)at;
}

static void date_note(struct otf2_place p, uint64_t time)
{
	foreign_date(p.o->f, p.rank, (double)time / p.o->frequency * 1e9);
}

static OTF2_CallbackCode on_enter(OTF2_LocationRef l, OTF2_TimeStamp time, uint64_t position,
                                  void *user, OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
	struct otf2_place p = otf2_place_of(user, l);
	int at = region_find(user, region);

	(void)position, (void)attributes;
	if (!p.r || at < 0)
		return OTF2_CALLBACK_SUCCESS;
	date_note(p, time);
	if (p.r->depth++ > 0)
		return OTF2_CALLBACK_SUCCESS;
	p.r->region = at;
	p.r->has_sent = p.r->has_received = p.r->has_coll = p.r->told = 0;
	p.r->n_done = 0;
	if (!p.r->begun && p.o->region[at].op < 0)
		return OTF2_CALLBACK_SUCCESS; /* MPI_Initialized */
	return otf2_result(computation_put(p, time));
}

static OTF2_CallbackCode on_leave(OTF2_LocationRef l, OTF2_TimeStamp time, uint64_t position,
                                  void *user, OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
	struct otf2_place p = otf2_place_of(user, l);

	(void)position, (void)attributes;
	if (!p.r || region_find(user, region) < 0)
		return OTF2_CALLBACK_SUCCESS;
	date_note(p, time);
	if (p.r->depth == 0 || --p.r->depth > 0)
		return OTF2_CALLBACK_SUCCESS;
	p.r->left = time;
	p.r->count_left = p.r->count;
	return otf2_result(call_put(p));
}

static OTF2_CallbackCode on_metric(OTF2_LocationRef l, OTF2_TimeStamp time, uint64_t position,
                                   void *user, OTF2_AttributeList *attributes,
                                   OTF2_MetricRef metric, uint8_t n, const OTF2_Type *types,
                                   const OTF2_MetricValue *values)
{
	struct otf2_place p = otf2_place_of(user, l);

	(void)time, (void)position, (void)attributes;
	if (p.r && p.o->counter_at >= 0 && metric == p.o->counter_class && p.o->counter_at < n)
		p.r->count = types[p.o->counter_at] == OTF2_TYPE_DOUBLE
		                 ? (int64_t)values[p.o->counter_at].floating_point
		                 : values[p.o->counter_at].signed_int;
	return OTF2_CALLBACK_SUCCESS;
}

/* What ran while it was off cannot be told from computation. */
static OTF2_CallbackCode on_measured(OTF2_LocationRef l, OTF2_TimeStamp time, uint64_t position,
                                     void *user, OTF2_AttributeList *attributes,
                                     OTF2_MeasurementMode mode)
{
	struct otf2_place p = otf2_place_of(user, l);

	(void)position, (void)attributes;
	if (!p.r)
		return OTF2_CALLBACK_SUCCESS;
	if (mode == OTF2_MEASUREMENT_OFF) {
		p.r->off = time;
		return OTF2_CALLBACK_SUCCESS;
	}
	if (p.r->off != 0)
		p.r->unmeasured += time - p.r->off;
	p.r->off = 0;
	return OTF2_CALLBACK_SUCCESS;
}

/* One line for all ranks: there may be thousands. */
static int unmeasured_note(struct otf2 *o, struct err *err)
{
	uint32_t n = 0, longest = 0;
	double seconds;

	for (uint32_t i = 0; i < o->f->ranks; i++) {
		n += o->rank[i].unmeasured > 0;
		if (o->rank[i].unmeasured > o->rank[longest].unmeasured)
			longest = i;
	}
	if (n == 0)
		return 0;
	seconds = (double)o->rank[longest].unmeasured / o->frequency;
	if (n == 1)
		return foreign_note(
		    o->f, err,
		    "rank %u was not measured for %.6g s (Score-P's measurement was off): what it "
		    "called then is missing, its time is computation",
		    longest, seconds);
	return foreign_note(
	    o->f, err,
	    "%u of %u ranks were not measured all the time, rank %u the longest, for %.6g s "
	    "(Score-P's measurement was off): what they called then is missing, that time is "
	    "computation",
	    n, o->f->ranks, longest, seconds);
}

/* --- reading --- */

static OTF2_ErrorCode callbacks_register(struct otf2 *o, OTF2_EvtReader *events)
{
	OTF2_EvtReaderCallbacks *c = OTF2_EvtReaderCallbacks_New();
	OTF2_ErrorCode code;

	if (!c)
		return OTF2_ERROR_MEM_FAULT;
	OTF2_EvtReaderCallbacks_SetEnterCallback(c, on_enter);
	OTF2_EvtReaderCallbacks_SetLeaveCallback(c, on_leave);
	OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback(c, on_measured);
	OTF2_EvtReaderCallbacks_SetMetricCallback(c, on_metric);
	otf2_messages_register(c);
	otf2_colls_register(c);
	code = OTF2_Reader_RegisterEvtCallbacks(o->reader, events, c, o);
	OTF2_EvtReaderCallbacks_Delete(c);
	return code;
}

/* Local definitions map ids and clocks. Archives without any have no need of them. 1: they were
 * read whole; 0, -1: it is not their file's fault. */
static int local_definitions_read(struct otf2 *o, uint64_t location, struct err *err)
{
	OTF2_DefReader *defs;
	OTF2_ErrorCode code;
	uint64_t read;

	errno = 0;
	defs = OTF2_Reader_GetDefReader(o->reader, location);
	if (!defs)
		return errno == 0 || there_is_none(errno)
		           ? 0
		           : err_sys(err, errno,
		                     "%s: the definitions of location %llu cannot be read",
		                     o->f->path, (unsigned long long)location);
	code = OTF2_Reader_ReadAllLocalDefinitions(o->reader, defs, &read);
	OTF2_Reader_CloseDefReader(o->reader, defs);
	return code == OTF2_SUCCESS;
}

/* Where some ranks' are missing, the ids of these events would be taken for others'. */
static int local_definitions_all(struct otf2 *o, struct err *err)
{
	uint64_t missing = 0;
	uint32_t there = 0, gone = 0;

	if (OTF2_Reader_OpenDefFiles(o->reader) != OTF2_SUCCESS)
		return 0;
	for (uint32_t i = 0; i < o->n_locations; i++) {
		const struct otf2_location *l = &o->location[i];
		int is = local_definitions_read(o, l->id, err);

		if (is < 0)
			return -1;
		if (l->rank == HASH_NONE)
			continue;
		there += is > 0;
		gone += is == 0;
		missing = is == 0 ? l->id : missing;
	}
	OTF2_Reader_CloseDefFiles(o->reader);
	return there == 0 || gone == 0
	           ? 0
	           : err_set(err, ERR_INPUT,
	                     "%s: the definitions of location %llu (%llu.def) are missing or were "
	                     "cut: without them its events mean nothing",
	                     o->f->path, (unsigned long long)missing, (unsigned long long)missing);
}

static int fault(struct otf2 *o, OTF2_ErrorCode code, uint64_t location, struct err *err)
{
	if (err->kind != ERR_NONE)
		return foreign_at(o->f, o->f->path, err, "location %llu",
		                  (unsigned long long)location);
	return err_set(err, ERR_INPUT,
	               "%s: the events of location %llu cannot be read: libotf2 says: %s",
	               o->f->path, (unsigned long long)location, OTF2_Error_GetDescription(code));
}

/* All of a location. *more: there are more than its definition says, which are not read. A small
 * number there is no number: EZTrace's is always 2. */
static OTF2_ErrorCode events_read(struct otf2 *o, const struct otf2_location *l,
                                  OTF2_EvtReader *events, int *more)
{
	enum { SMALL = 1000 };
	uint64_t read = 0, rest = 0;

	*more = 0;
	if (l->events <= SMALL)
		return OTF2_Reader_ReadAllLocalEvents(o->reader, events, &read);
	OTF2_ErrorCode code = OTF2_Reader_ReadLocalEvents(o->reader, events, l->events, &read);
	if (code == OTF2_SUCCESS && read == l->events)
		code = OTF2_Reader_ReadLocalEvents(o->reader, events, 1, &rest);
	*more = rest > 0;
	return code;
}

static int location_read(struct otf2 *o, const struct otf2_location *l, struct err *err)
{
	unsigned long long location = l->id, told = l->events;
	OTF2_EvtReader *events;
	OTF2_ErrorCode code;
	int more = 0;

	errno = 0;
	events = OTF2_Reader_GetEvtReader(o->reader, location);
	if (!events && errno != 0) /* of the file, or the memory, that libotf2 wanted */
		return err_sys(err, errno, "%s: the events of location %llu cannot be read",
		               o->f->path, location);
	if (!events)
		return fault(o, OTF2_ERROR_MEM_FAULT, location, err);
	code = callbacks_register(o, events);
	if (code == OTF2_SUCCESS)
		code = events_read(o, l, events, &more);
	OTF2_Reader_CloseEvtReader(o->reader, events);
	if (code == OTF2_SUCCESS && more)
		return err_set(
		    err, ERR_INPUT,
		    "%s: location %llu has more than the %llu events of its definition. "
		    "libotf2 3.0 reads in a circle what is longer than a chunk and all at "
		    "date 0: let its dates begin later",
		    o->f->path, location, told);
	return code == OTF2_SUCCESS ? 0 : fault(o, code, location, err);
}

static void ranks_begin(struct otf2 *o)
{
	for (uint32_t i = 0; i < o->f->ranks; i++) {
		struct otf2_rank *r = &o->rank[i];

		for (uint32_t k = 0; k < r->n; k++)
			r->unknown += !r->request[k].known && !r->request[k].cancelled &&
			              r->request[k].receive;

		hash64_release(&r->open);
		hash64_init(&r->open);
		r->next = r->depth = r->lost = 0;
		r->begun = r->ended = 0;
		r->left = r->off = r->unmeasured = 0;
		r->count = r->count_left = 0;
		r->region = -1;
	}
}

static int locations_read(struct otf2 *o, struct err *err)
{
	int threads = 0;

	for (uint32_t i = 0; i < o->n_locations; i++)
		OTF2_Reader_SelectLocation(o->reader, o->location[i].id);
	if (local_definitions_all(o, err) < 0)
		return -1;
	OTF2_Reader_OpenEvtFiles(o->reader);
	for (uint32_t i = 0; i < o->n_locations; i++) {
		if (o->location[i].rank == HASH_NONE)
			threads = 1;
		else if (location_read(o, &o->location[i], err) < 0)
			return -1;
	}
	OTF2_Reader_CloseEvtFiles(o->reader);
	return threads ? foreign_note(o->f, err, "only the first thread of each rank is read") : 0;
}

/* Archives of EZTrace have no MPI_Finalize; where some ranks have it, the others were cut. */
static int ranks_end(struct otf2 *o, struct err *err)
{
	uint32_t ended = 0;

	for (uint32_t i = 0; i < o->f->ranks; i++)
		ended += o->rank[i].ended;
	for (uint32_t i = 0; i < o->f->ranks; i++) {
		if (o->rank[i].ended)
			continue;
		if (ended > 0)
			foreign_cut(o->f, i);
		else if (foreign_simple(o->f, i, TRACE_FINALIZE, err) < 0)
			return -1;
	}
	return 0;
}

int otf2_events_read(struct foreign *f, struct err *err)
{
	struct otf2 *o = f->impl;

	err->kind = ERR_NONE;
	o->err = err;
	ranks_begin(o);
	if (f->pass == 2) { /* an archive is read once from front to end */
		OTF2_Reader_Close(o->reader);
		o->reader = OTF2_Reader_Open(o->anchor ? o->anchor : f->path);
		if (!o->reader ||
		    OTF2_Reader_SetSerialCollectiveCallbacks(o->reader) != OTF2_SUCCESS)
			return err_set(err, ERR_INPUT, "%s: libotf2 cannot open it again", f->path);
	}
	if (locations_read(o, err) < 0 || ranks_end(o, err) < 0)
		return -1;
	return f->pass == 2 ? unmeasured_note(o, err) : 0;
}
#endif
