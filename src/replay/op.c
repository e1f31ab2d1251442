/* op.c: one event of a trace becomes operations of mp.
 *
 * Waits that chose (Waitany, Waitsome, a Test that succeeded) are replayed as a wait for what they
 * completed in the traced run: the events that follow depend on that choice, and the choice is part
 * of the program's path. A Test that failed is no action: how often a program polls depends on the
 * machine, not on the program. Traces that say neither (SimGrid's test) get MPI's own semantics.
 *
 *   op_issue ──> MP_DONE: next event
 *   op_issue ──> MP_BLOCKED, c->after set ──> op_continue */
#include "replay_int.h"

#include <math.h>

/* --- computation --- */

static int compute_recorded(struct replay *r, struct mp *mp, uint32_t rank,
                            const struct trace_event *ev, struct err *err)
{
	double seconds = duration_here(mp, rank, ev->duration);

	recorded_add(r, rank, ev, seconds);
	region_count(r, rank, ev, seconds);
	return seconds > 0 ? mp_compute_for(mp, rank, seconds, err) : MP_DONE;
}

/* At the speed of the host, or at the calibrated rate of the region. */
static int compute_volume(struct replay *r, struct mp *mp, uint32_t rank,
                          const struct trace_event *ev, struct err *err)
{
	double volume = ev->volume * r->options.scale, seconds;
	struct host_info host;

	if (r->options.rates && r->options.computation == REPLAY_VOLUME) {
		if (region_seconds(r, mp, rank, ev, &seconds, err) < 0)
			return MP_ERROR;
		seconds /= platform_speed_scale(net_platform(mp_net(mp)), mp_host(mp, rank));
		region_count(r, rank, ev, seconds * r->options.scale);
		return mp_compute_rated(mp, rank, volume, seconds * r->options.scale, err);
	}
	seconds = r->options.basis ? basis_seconds(r->options.basis, net_platform(mp_net(mp)),
	                                           mp_host(mp, rank), volume, ev->duration)
	                           : -1;
	if (seconds >= 0) {
		recorded_add(r, rank, ev, seconds);
		region_count(r, rank, ev, seconds);
		return mp_compute_rated(mp, rank, volume, seconds, err);
	}
	r->no_duration += r->options.basis && r->options.basis->kind == BASIS_DURATION;
	if (r->regions.n > 0 || r->recorded) {
		platform_host(net_platform(mp_net(mp)), mp_host(mp, rank), &host);
		r->unrecorded_seconds += r->recorded ? volume / host.speed : 0;
		region_count(r, rank, ev, volume / host.speed);
	}
	return mp_compute(mp, rank, volume, err);
}

static int op_compute(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
                      struct err *err)
{
	if (!r->simulate_computation || r->options.computation == REPLAY_NONE)
		return MP_DONE;
	if (r->options.computation == REPLAY_RECORDED) {
		if (ev->duration >= 0)
			return compute_recorded(r, mp, rank, ev, err);
		r->no_duration++;
	}
	if (ev->volume > 0)
		return compute_volume(r, mp, rank, ev, err);
	return r->compat ? mp_compute(mp, rank, 0, err) : MP_DONE;
}

/* --- point-to-point --- */

static enum mp_mode mode_of(uint8_t op)
{
	switch (op) {
	case TRACE_SSEND:
	case TRACE_ISSEND:
	case TRACE_SSEND_INIT:
		return MP_SYNCHRONOUS;
	case TRACE_BSEND:
	case TRACE_IBSEND:
	case TRACE_BSEND_INIT:
		return MP_BUFFERED;
	case TRACE_RSEND:
	case TRACE_IRSEND:
	case TRACE_RSEND_INIT:
		return MP_READY;
	default:
		return MP_STANDARD;
	}
}

static int op_send(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
                   struct err *err)
{
	struct mp_message m;

	if (event_message(r, mp, rank, ev, 0, &m, err) < 0)
		return MP_ERROR;
	return mp_send(mp, rank, &m, mode_of(ev->op), err);
}

static int op_isend(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
                    struct err *err)
{
	int persistent = trace_op_has(ev->op, TRACE_PERSISTENT);
	struct mp_message m;
	struct mp_request q;
	int s;

	if (event_message(r, mp, rank, ev, 0, &m, err) < 0)
		return MP_ERROR;
	s = persistent ? mp_send_init(mp, rank, &m, mode_of(ev->op), &q, err)
	               : mp_isend(mp, rank, &m, mode_of(ev->op), &q, err);
	if (s < 0 || entry_add(r, rank, ev, q, 0, err) < 0)
		return MP_ERROR;
	return s;
}

static int post_receive(struct replay *r, struct mp *mp, uint32_t rank,
                        const struct trace_event *ev, const struct mp_message *m, struct err *err)
{
	struct mp_request q;
	int s;

	if (ev->op == TRACE_RECV)
		return mp_recv(mp, rank, m, err);
	s = ev->op == TRACE_RECV_INIT ? mp_recv_init(mp, rank, m, &q, err)
	                              : mp_irecv(mp, rank, m, &q, err);
	if (s < 0 || entry_add(r, rank, ev, q, 1, err) < 0)
		return MP_ERROR;
	return s;
}

/* A receive of unknown size takes whatever comes; SimGrid probes first, and waits as long as its
 * probe sleeps. */
static int op_recv(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
                   struct err *err)
{
	struct mp_message m;

	if (event_message(r, mp, rank, ev, 1, &m, err) < 0)
		return MP_ERROR;
	if (ev->count < 0 && r->compat && ev->op != TRACE_RECV_INIT) {
		int s = event_save(r, rank, ev, AFTER_PROBE, err) < 0 ? MP_ERROR
		                                                      : mp_probe(mp, rank, &m, err);

		return s == MP_DONE ? op_continue(r, mp, rank, err) : s;
	}
	return post_receive(r, mp, rank, ev, &m, err);
}

static int op_sendrecv(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
                       struct err *err)
{
	struct mp_message send, recv;

	if (event_message(r, mp, rank, ev, 0, &send, err) < 0 ||
	    event_peer_check(r, rank, ev->peer2, "receives from", err) < 0)
		return MP_ERROR;
	recv = (struct mp_message){send.comm,     ev->peer2,
	                           ev->tag2,      message_bytes(ev->count2, ev->type_size2),
	                           ev->type2 < 0, types_of(ev->type2)};
	return mp_sendrecv(mp, rank, &send, &recv, err);
}

/* A recorded probe found something: it waits for a message with that envelope. An unsuccessful one
 * is not in the trace. */
static int op_probe(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
                    struct err *err)
{
	struct mp_message m;

	if (ev->op == TRACE_IPROBE && (ev->flags & TRACE_NO_DONE))
		return MP_DONE;
	if (event_message(r, mp, rank, ev, 1, &m, err) < 0)
		return MP_ERROR;
	return ev->op == TRACE_MPROBE ? op_mprobe(r, mp, rank, ev, &m, err)
	                              : mp_probe(mp, rank, &m, err);
}

static int op_partitioned(struct replay *r, struct mp *mp, uint32_t rank,
                          const struct trace_event *ev, struct err *err)
{
	struct mp_message m;

	if (event_message(r, mp, rank, ev, ev->op == TRACE_PRECV_INIT, &m, err) < 0)
		return MP_ERROR;
	return op_part_init(r, mp, rank, ev, &m, err);
}

/* --- completion --- */

static int entry_of_event(struct replay *r, uint32_t rank, const struct trace_event *ev,
                          uint32_t *out, struct err *err)
{
	struct key k = {ev->peer, ev->peer2, ev->tag};

	if (ev->flags & TRACE_BY_KEY)
		return entry_by_key(r, rank, &k, out, err);
	if (ev->flags & (TRACE_LATEST | TRACE_LATEST_RECV))
		*out = entry_latest(r, rank, !(ev->flags & TRACE_LATEST));
	else
		*out = entry_by_number(r, rank, ev->req);
	return 0;
}

static int wait_collected(struct replay *r, struct mp *mp, uint32_t rank, enum mp_call call,
                          int64_t n, struct err *err)
{
	int s;

	if (n <= 0)
		return n < 0 ? MP_ERROR : MP_DONE;
	s = mp_wait_chosen(mp, rank, call, r->scratch, (uint32_t)n, err);
	if (s >= 0)
		entries_forget(r, rank, n);
	return s;
}

static int op_waitall(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
                      struct err *err)
{
	int64_t n = ev->reqs || ev->n_reqs ? entries_collect(r, rank, ev->reqs, ev->n_reqs, err)
	                                   : entries_collect_all(r, rank, err);

	return wait_collected(r, mp, rank, CALL_WAITALL, n, err);
}

/* Waitany and Waitsome that do not say what they completed. */
static int wait_undecided(struct replay *r, struct mp *mp, uint32_t rank,
                          const struct trace_event *ev, struct err *err)
{
	int64_t n = ev->n_reqs ? entries_collect(r, rank, ev->reqs, ev->n_reqs, err)
	                       : entries_collect_all(r, rank, err);
	int s;

	if (n <= 0)
		return n < 0 ? MP_ERROR : MP_DONE;
	s = mp_wait(mp, rank, ev->op == TRACE_WAITANY ? MP_WAITANY : MP_WAITSOME, r->scratch,
	            (uint32_t)n, err);
	if (s < 0 || event_save(r, rank, ev, AFTER_WAITANY, err) < 0)
		return MP_ERROR;
	return s == MP_DONE ? op_continue(r, mp, rank, err) : s;
}

static int64_t look_collect(struct replay *r, uint32_t rank, const struct trace_event *ev,
                            struct err *err)
{
	return ev->flags & TRACE_OUTSTANDING ? entries_collect_all(r, rank, err)
	                                     : entries_collect(r, rank, ev->reqs, ev->n_reqs, err);
}

/* A test of several requests that does not say what it completed: what is there is complete, for
 * the rest the program looks again. */
static int op_look(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
                   struct err *err)
{
	int64_t n = r->compat
	                ? 0
	                : look_collect(r, rank, ev, err); /* the plain form leaves them out, too */
	int s;

	if (n <= 0)
		return n < 0 ? MP_ERROR : MP_DONE;
	s = mp_look(mp, rank, (enum mp_test_kind)(ev->op - TRACE_TEST), r->scratch, (uint32_t)n,
	            err);
	if (s < 0 || event_save(r, rank, ev, AFTER_LOOK, err) < 0)
		return MP_ERROR;
	return s == MP_DONE ? op_continue(r, mp, rank, err) : s;
}
_Static_assert(TRACE_TESTSOME - TRACE_TEST == (int)MP_TESTSOME, "tests stand in one order");
_Static_assert(TRACE_TEST - TRACE_WAIT == (int)CALL_TEST - (int)CALL_WAIT &&
                   TRACE_TESTSOME - TRACE_WAIT == (int)CALL_TESTSOME - (int)CALL_WAIT,
               "so do waits and tests");

/* A test that may fail has completed it: a later wait finds nothing to wait for, nor a cancel
 * anything to give up. */
static void entry_complete(struct replay *r, uint32_t e)
{
	if (entry_at(r, e)->persistent)
		entry_at(r, e)->persistent = ENTRY_FOUND;
	else
		entry_at(r, e)->req = MP_REQUEST_NULL;
}

static int is_found(const struct entry *p)
{
	return p->persistent == ENTRY_FOUND || p->req.v == MP_REQUEST_NULL.v;
}

static int op_choice(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
                     struct err *err)
{
	int waits = ev->op == TRACE_WAITANY || ev->op == TRACE_WAITSOME;

	if (!(ev->flags & TRACE_NO_DONE))
		return wait_collected(r, mp, rank, CALL_WAIT + (ev->op - TRACE_WAIT),
		                      entries_collect(r, rank, ev->done, ev->n_done, err), err);
	return waits ? wait_undecided(r, mp, rank, ev, err) : op_look(r, mp, rank, ev, err);
}

static int op_test(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
                   struct err *err)
{
	uint32_t e;
	int s;

	if (!(ev->flags & TRACE_NO_DONE))
		return op_choice(r, mp, rank, ev, err);
	if (entry_of_event(r, rank, ev, &e, err) < 0)
		return MP_ERROR;
	if (e == ENTRY_NONE || (r->compat && ev->req >= 0))
		return MP_DONE;
	if (entry_at(r, e)->req.v == MP_REQUEST_NULL.v) {
		if (r->compat && (ev->flags & TRACE_BY_KEY))
			entry_consume(r, rank, e);
		return MP_DONE;
	}
	s = ev->flags & TRACE_BY_KEY ? mp_test(mp, rank, MP_TEST, &entry_at(r, e)->req, 1, err)
	                             : mp_look(mp, rank, MP_TEST, &entry_at(r, e)->req, 1, err);
	if (s < 0 || event_save(r, rank, ev, AFTER_TEST, err) < 0)
		return MP_ERROR;
	saved_at(r, r->cursor[rank].saved)->req = e;
	return s == MP_DONE ? op_continue(r, mp, rank, err) : s;
}

static int op_start(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
                    struct err *err)
{
	int64_t n = entries_collect(r, rank, ev->reqs, ev->n_reqs, err);

	for (int64_t i = 0; i < n; i++)
		entry_at(r, r->scratch_entry[i])->persistent = ENTRY_PERSISTENT;
	return n <= 0 ? (n < 0 ? MP_ERROR : MP_DONE)
	              : mp_start(mp, rank, r->scratch, (uint32_t)n, err);
}

static int op_release(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
                      struct err *err)
{
	uint32_t e = entry_by_number(r, rank, ev->req);
	struct mp_request q;

	if (e == ENTRY_NONE) {
		unknown_wait_note(r, rank);
		return MP_DONE;
	}
	q = entry_at(r, e)->req;
	if (ev->op == TRACE_CANCEL) /* still to be waited for, as MPI wants */
		return is_found(entry_at(r, e)) ? MP_DONE : mp_cancel(mp, rank, q, err);
	entry_remove(r, rank, e);
	return mp_request_free(mp, rank, q, err);
}

int op_continue(struct replay *r, struct mp *mp, uint32_t rank, struct err *err)
{
	enum after after = (enum after)r->cursor[rank].after;
	struct trace_event ev = event_take(r, rank);
	const struct mp_result *res = mp_result(mp, rank);
	struct mp_message m;
	int64_t n;

	switch (after) {
	case AFTER_PROBE:
		if (event_message(r, mp, rank, &ev, 1, &m, err) < 0)
			return MP_ERROR;
		m.bytes = res->bytes;
		return post_receive(r, mp, rank, &ev, &m, err);
	case AFTER_TEST:
		if (res->flag)
			entry_complete(r, (uint32_t)ev.req);
		return r->compat && (ev.flags & TRACE_BY_KEY) &&
		               entry_tested(r, rank, (uint32_t)ev.req, err) < 0
		           ? MP_ERROR
		           : MP_DONE;
	case AFTER_LOOK:
		n = look_collect(r, rank, &ev, err);
		for (uint32_t i = 0; i < res->n && n > 0; i++)
			entry_complete(r, r->scratch_entry[res->indices[i]]);
		return n < 0 ? MP_ERROR : MP_DONE;
	case AFTER_WAITANY:
		n = ev.n_reqs ? entries_collect(r, rank, ev.reqs, ev.n_reqs, err)
		              : entries_collect_all(r, rank, err);
		for (uint32_t i = 0; i < res->n && n > 0; i++)
			r->scratch_entry[i] = r->scratch_entry[res->indices[i]];
		if (n > 0)
			entries_forget(r, rank, res->n);
		return n < 0 ? MP_ERROR : MP_DONE;
	case AFTER_MPROBE:
		return mprobe_found(r, mp, rank, &ev, err);
	case AFTER_COMM:
		return comm_after(r, mp, rank, &ev, err);
	case AFTER_SPAWN:
		return comm_join(r, mp, rank, &ev, err);
	case AFTER_BRIDGE:
		return comm_bridge(r, mp, rank, &ev, err);
	default:
		BUG_ON("an operation that leaves nothing to do");
		return MP_ERROR;
	}
}

/* --- which is which --- */

static int op_init(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
                   struct err *err)
{
	(void)r, (void)ev;
	return mp_init(mp, rank, err);
}

static int op_sleep(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
                    struct err *err)
{
	(void)r;
	return ev->volume > 0 ? mp_sleep(mp, rank, ev->volume, err) : MP_DONE;
}

static int op_detach(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
                     struct err *err)
{
	(void)r, (void)ev;
	return mp_buffer_detach(mp, rank, err);
}

static int op_wait(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
                   struct err *err)
{
	uint32_t e;

	return entry_of_event(r, rank, ev, &e, err) < 0 ? MP_ERROR
	                                                : entry_wait(r, mp, rank, e, err);
}

static int op_region(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
                     struct err *err)
{
	(void)mp;
	return region_event(r, rank, ev, err) < 0 ? MP_ERROR : MP_DONE;
}

static int op_nothing(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
                      struct err *err)
{
	(void)r, (void)mp, (void)rank, (void)ev, (void)err;
	return MP_DONE;
}

typedef int issue_fn(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
                     struct err *err);

/* Windows, files and collectives are not in it: there are many, each with one function. */
static issue_fn *const issue[] = {
    [TRACE_INIT] = op_init,
    [TRACE_COMPUTE] = op_compute,
    [TRACE_SLEEP] = op_sleep,
    [TRACE_SEND] = op_send,
    [TRACE_SSEND] = op_send,
    [TRACE_BSEND] = op_send,
    [TRACE_RSEND] = op_send,
    [TRACE_ISEND] = op_isend,
    [TRACE_ISSEND] = op_isend,
    [TRACE_IBSEND] = op_isend,
    [TRACE_IRSEND] = op_isend,
    [TRACE_SEND_INIT] = op_isend,
    [TRACE_SSEND_INIT] = op_isend,
    [TRACE_BSEND_INIT] = op_isend,
    [TRACE_RSEND_INIT] = op_isend,
    [TRACE_RECV] = op_recv,
    [TRACE_IRECV] = op_recv,
    [TRACE_RECV_INIT] = op_recv,
    [TRACE_SENDRECV] = op_sendrecv,
    [TRACE_MRECV] = op_mrecv,
    [TRACE_IMRECV] = op_mrecv,
    [TRACE_PSEND_INIT] = op_partitioned,
    [TRACE_PRECV_INIT] = op_partitioned,
    [TRACE_PREADY] = op_part,
    [TRACE_PARRIVED] = op_part,
    [TRACE_PROBE] = op_probe,
    [TRACE_IPROBE] = op_probe,
    [TRACE_MPROBE] = op_probe,
    [TRACE_START] = op_start,
    [TRACE_REQUEST_FREE] = op_release,
    [TRACE_CANCEL] = op_release,
    [TRACE_BUFFER_DETACH] = op_detach,
    [TRACE_WAIT] = op_wait,
    [TRACE_WAITALL] = op_waitall,
    [TRACE_TEST] = op_test,
    [TRACE_WAITANY] = op_choice,
    [TRACE_WAITSOME] = op_choice,
    [TRACE_TESTALL] = op_choice,
    [TRACE_TESTANY] = op_choice,
    [TRACE_TESTSOME] = op_choice,
    [TRACE_COMM_DUP] = comm_event,
    [TRACE_COMM_SPLIT] = comm_event,
    [TRACE_COMM_CREATE] = comm_event,
    [TRACE_COMM_CREATE_GROUP] = comm_event,
    [TRACE_INTERCOMM_CREATE] = comm_event,
    [TRACE_INTERCOMM_MERGE] = comm_event,
    [TRACE_COMM_IDUP] = comm_event,
    [TRACE_COMM_FREE] = comm_event,
    [TRACE_REGION] = op_region,
    [TRACE_FINALIZE] = op_nothing,
    [TRACE_LOCATION] = op_nothing,
    [TRACE_COMM_SIZE] = op_nothing,
    [TRACE_RESOLVE] = op_nothing,
};

int op_issue(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
             struct err *err)
{
	enum trace_op op = (enum trace_op)ev->op;

	if (op < sizeof issue / sizeof *issue && issue[op])
		return issue[op](r, mp, rank, ev, err);
	if (trace_op_has(op, TRACE_MPI_IO | TRACE_SYSTEM_IO))
		return op_file(r, mp, rank, ev, err);
	return trace_op_has(op, TRACE_WINDOW) ? op_window(r, mp, rank, ev, err)
	                                      : op_collective(r, mp, rank, ev, err);
}
