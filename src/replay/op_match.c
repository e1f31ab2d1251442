/* op_match.c: matched probes and partitioned requests. */
#include "replay_int.h"

#include <math.h>

static uint64_t message_key(uint32_t rank, int64_t number)
{
	return (uint64_t)rank << 32 | (uint32_t)number;
}

static int message_number_check(struct replay *r, uint32_t rank, const struct trace_event *ev,
                                struct err *err)
{
	if (ev->message >= 0 && ev->message <= UINT32_MAX)
		return 0;
	return replay_error(r, rank, err,
	                    "%s needs the number of its message: message=", trace_op_name(ev->op));
}

int op_mprobe(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
              const struct mp_message *m, struct err *err)
{
	int s;

	if (message_number_check(r, rank, ev, err) < 0)
		return MP_ERROR;
	s = mp_mprobe(mp, rank, m, err);
	if (s == MP_BLOCKED)
		return event_save(r, rank, ev, AFTER_MPROBE, err) < 0 ? MP_ERROR : s;
	return s < 0 ? s : mprobe_found(r, mp, rank, ev, err);
}

int mprobe_found(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
                 struct err *err)
{
	uint64_t key = message_key(rank, ev->message);
	uint32_t message = mp_result(mp, rank)->message.v;

	if (hash64_find(&r->by_message, key) != HASH_NONE)
		return replay_error(r, rank, err,
		                    "message %lld is given again before it was received",
		                    (long long)ev->message);
	return message == HASH_NONE ? MP_DONE : hash64_put(&r->by_message, key, message, err);
}

int op_mrecv(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
             struct err *err)
{
	uint64_t key = message_key(rank, ev->message);
	struct mp_request message, q;
	double bytes = ev->count < 0 ? HUGE_VAL : (double)ev->count * (double)ev->type_size;
	int s;

	if (message_number_check(r, rank, ev, err) < 0)
		return MP_ERROR;
	message.v = hash64_find(&r->by_message, key); /* HASH_NONE: from MPI_PROC_NULL */
	if (message.v == HASH_NONE && ev->peer != TRACE_PROC_NULL)
		return replay_error(r, rank, err, "message %lld was not probed",
		                    (long long)ev->message);
	if (message.v != HASH_NONE)
		hash64_remove(&r->by_message, key);
	if (ev->op == TRACE_MRECV)
		return mp_mrecv(mp, rank, message, bytes, err);
	s = mp_imrecv(mp, rank, message, bytes, &q, err);
	return s < 0 || entry_add(r, rank, ev, q, 1, err) < 0 ? MP_ERROR : s;
}

int op_part_init(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
                 const struct mp_message *m, struct err *err)
{
	struct mp_request q;

	if (ev->count2 < 0 || ev->count2 > UINT32_MAX)
		return replay_error(r, rank, err, "%lld partitions", (long long)ev->count2);
	if (mp_part_init(mp, rank, ev->op == TRACE_PSEND_INIT, m, (uint32_t)ev->count2, &q, err) <
	    0)
		return MP_ERROR;
	return entry_add(r, rank, ev, q, 0, err) < 0 ? MP_ERROR : MP_DONE;
}

/* MPI_Parrived is recorded when it found its partition: it waits for it. */
int op_part(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
            struct err *err)
{
	uint32_t e = entry_by_number(r, rank, ev->req);

	if (e == ENTRY_NONE)
		return replay_error(r, rank, err, "%s of request %lld, which does not exist",
		                    trace_op_name(ev->op), (long long)ev->req);
	if (ev->op == TRACE_PREADY)
		return mp_pready(mp, rank, entry_at(r, e)->req, ev->counts, (uint32_t)ev->n_counts,
		                 err);
	if (ev->n_counts != 1 || ev->counts[0] < 0 || ev->counts[0] > UINT32_MAX)
		return replay_error(r, rank, err, "parrived is for one partition: parts=");
	return mp_parrived(mp, rank, entry_at(r, e)->req, (uint32_t)ev->counts[0], err);
}
