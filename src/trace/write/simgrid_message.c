/* simgrid_message.c: messages and requests in SimGrid's plain form.
 *
 * A wait names (source, destination, tag), and takes the oldest request with that key; requests
 * with one key complete in the order they were posted, so that is the same but for who is waited
 * for first. An irecv from any source is stored by that replayer under source -556 (it takes 1 from
 * MPI_ANY_SOURCE as from a process id): a wait for -555 would return at once, measured with SimGrid
 * 3.32. */
#include "simgrid_int.h"

enum { KEY_ANY_SOURCE = -556, ANY_SOURCE = -555, ANY_TAG = -444 };

static int32_t source_of(int32_t peer)
{
	return peer == TRACE_ANY ? ANY_SOURCE : peer;
}

static int32_t tag_of(int32_t tag)
{
	return tag == TRACE_ANY ? ANY_TAG : tag;
}

static int tag_map(struct simgrid *sg, uint32_t rank, const struct trace_event *ev, int32_t tag,
                   int32_t *out, struct err *err)
{
	if (ev->comm == 0 && tag >= SIMGRID_TAGS)
		return simgrid_cannot(
		    rank, ev, "tags from 1073741824 on are needed for those of sub-communicators",
		    err);
	if (ev->comm != 0)
		sg->losses[tag == TRACE_ANY ? LOSS_ANY_TAG : LOSS_TAG]++;
	return simgrid_tag(&sg->comms, ev->comm, tag, out, err);
}

static void message_put(struct text *t, uint32_t rank, const char *action, int32_t peer,
                        int32_t tag, int64_t count, struct simgrid_unit u)
{
	simgrid_begin(t, rank, action);
	simgrid_number(t, source_of(peer));
	simgrid_number(t, tag_of(tag));
	simgrid_number(t, count == TRACE_COUNT_ANY || count < 0 ? -1 : simgrid_units(count, u));
	simgrid_number(t, u.type);
	simgrid_end(t);
}

/* A wait for a request, or a test of it. */
static void request_put(struct text *t, uint32_t rank, const char *action,
                        const struct pending_request *r)
{
	simgrid_begin(t, rank, action);
	simgrid_number(t, r->src == TRACE_ANY ? KEY_ANY_SOURCE : r->src);
	simgrid_number(t, r->dst);
	simgrid_number(t, tag_of(r->tag));
	simgrid_end(t);
}

static int is_receive(const struct trace_event *ev)
{
	return op_has(ev->op, TRACE_RECEIVES) && !op_has(ev->op, TRACE_SENDS | TRACE_PARTITIONED);
}

static int is_immediate(const struct trace_event *ev)
{
	return op_has(ev->op, TRACE_REQUEST);
}

static int is_plain_mode(const struct trace_event *ev)
{
	return is_receive(ev) || ev->op == TRACE_SEND || ev->op == TRACE_ISEND ||
	       ev->op == TRACE_SEND_INIT;
}

/* Posts a message: the line, and the request for later waits. */
static int immediate_post(struct simgrid *sg, struct text *t, uint32_t rank, uint32_t slot,
                          const struct trace_event *ev, int32_t tag)
{
	int receive = is_receive(ev);

	message_put(t, rank, receive ? "irecv" : "isend", ev->peer, tag, ev->count,
	            simgrid_unit(ev->type, ev->type_size));
	pending_post(&sg->pending[rank], slot, receive ? ev->peer : (int32_t)rank,
	             receive ? (int32_t)rank : ev->peer, tag, receive);
	return 0;
}

int simgrid_message(struct simgrid *sg, struct text *t, uint32_t rank, const struct trace_event *ev,
                    struct err *err)
{
	uint32_t slot = PENDING_NONE;
	int32_t tag = 0;

	if (is_immediate(ev) &&
	    (slot = pending_make(&sg->pending[rank], ev->req, err)) == PENDING_NONE)
		return -1;
	if (ev->peer == TRACE_PROC_NULL) {
		sg->losses[LOSS_NULL]++;
		return 0; /* its request is known, and complete */
	}
	if (tag_map(sg, rank, ev, ev->tag, &tag, err) < 0)
		return -1;
	sg->losses[LOSS_MODE] += !is_plain_mode(ev);
	sg->losses[LOSS_SIZE] += ev->count == TRACE_COUNT_ANY;
	if (is_immediate(ev))
		return immediate_post(sg, t, rank, slot, ev, tag);
	message_put(t, rank, is_receive(ev) ? "recv" : "send", ev->peer, tag, ev->count,
	            simgrid_unit(ev->type, ev->type_size));
	return 0;
}

int simgrid_persistent(struct simgrid *sg, uint32_t rank, const struct trace_event *ev,
                       struct err *err)
{
	struct pending *p = &sg->pending[rank];
	uint32_t slot = pending_make(p, ev->req, err);

	if (slot == PENDING_NONE)
		return -1;
	p->slots[slot].persistent = 1;
	p->slots[slot].start = *ev;
	p->slots[slot].start.text = NULL;
	return 0;
}

int simgrid_start(struct simgrid *sg, struct text *t, uint32_t rank, const struct trace_event *ev,
                  struct err *err)
{
	struct pending *p = &sg->pending[rank];

	for (int64_t i = 0; i < ev->n_reqs; i++) {
		uint32_t slot = pending_find(p, ev->reqs[i]);
		const struct trace_event *start;
		int32_t tag = 0;

		if (slot == PENDING_NONE || !p->slots[slot].persistent)
			return simgrid_cannot(
			    rank, ev, "it starts a request that no send_init or recv_init made",
			    err);
		start = &p->slots[slot].start;
		if (start->peer == TRACE_PROC_NULL) {
			sg->losses[LOSS_NULL]++;
			continue;
		}
		if (tag_map(sg, rank, start, start->tag, &tag, err) < 0)
			return -1;
		sg->losses[LOSS_MODE] += !is_plain_mode(start);
		immediate_post(sg, t, rank, slot, start, tag);
	}
	return 0;
}

/* One half of a sendrecv that sendRecv cannot say. */
static int half_post(struct simgrid *sg, struct text *t, uint32_t rank,
                     const struct trace_event *ev, int receive, uint32_t *slot, struct err *err)
{
	struct trace_event half = *ev;
	int32_t tag = 0;

	*slot = PENDING_NONE;
	half.op = receive ? TRACE_IRECV : TRACE_ISEND;
	if (receive) {
		half.peer = ev->peer2;
		half.count = ev->count2;
		half.type = ev->type2;
		half.type_size = ev->type_size2;
	}
	if (half.peer == TRACE_PROC_NULL) {
		sg->losses[LOSS_NULL]++;
		return 0;
	}
	if (tag_map(sg, rank, ev, receive ? ev->tag2 : ev->tag, &tag, err) < 0 ||
	    (*slot = pending_make(&sg->pending[rank], -1, err)) == PENDING_NONE)
		return -1;
	return immediate_post(sg, t, rank, *slot, &half, tag);
}

int simgrid_sendrecv(struct simgrid *sg, struct text *t, uint32_t rank,
                     const struct trace_event *ev, struct err *err)
{
	struct pending *p = &sg->pending[rank];
	struct simgrid_unit u = simgrid_unit(ev->type, ev->type_size),
	                    u2 = simgrid_unit(ev->type2, ev->type_size2);
	uint32_t send, receive;

	if (ev->peer >= 0 && ev->peer2 >= 0 && ev->tag == 0 && ev->tag2 == 0 && ev->comm == 0) {
		simgrid_begin(t, rank, "sendRecv");
		simgrid_number(t, simgrid_units(ev->count, u));
		simgrid_number(t, ev->peer);
		simgrid_number(t, simgrid_units(ev->count2, u2));
		simgrid_number(t, ev->peer2);
		simgrid_number(t, u.type);
		simgrid_number(t, u2.type);
		simgrid_end(t);
		return 0;
	}
	sg->losses[LOSS_SENDRECV]++;
	if (half_post(sg, t, rank, ev, 0, &send, err) < 0 ||
	    half_post(sg, t, rank, ev, 1, &receive, err) < 0)
		return -1;
	for (int i = 0; i < 2; i++) {
		uint32_t slot = i == 0 ? send : receive;

		if (slot == PENDING_NONE)
			continue;
		request_put(t, rank, "wait", &p->slots[slot]);
		pending_complete(p, slot);
	}
	return 0;
}

/* --- completion --- */

/* A request that is complete now: a wait for it, if it was outstanding. */
static void request_complete(struct simgrid *sg, struct text *t, uint32_t rank, uint32_t slot)
{
	struct pending *p = &sg->pending[rank];

	if (slot == PENDING_NONE)
		return;
	if (p->slots[slot].outstanding)
		request_put(t, rank, "wait", &p->slots[slot]);
	pending_complete(p, slot);
}

static void outstanding_complete(struct simgrid *sg, struct text *t, uint32_t rank)
{
	struct pending *p = &sg->pending[rank];

	simgrid_begin(t, rank, "waitall");
	simgrid_number(t, p->outstanding);
	simgrid_end(t);
	while (p->oldest != PENDING_NONE)
		pending_complete(p, p->oldest);
}

static void waitall_event(struct simgrid *sg, struct text *t, uint32_t rank,
                          const struct trace_event *ev)
{
	struct pending *p = &sg->pending[rank];
	uint32_t known = 0;

	for (int64_t i = 0; i < ev->n_reqs; i++) {
		uint32_t slot = pending_find(p, ev->reqs[i]);

		known += slot != PENDING_NONE && p->slots[slot].outstanding;
	}
	if (ev->flags & TRACE_OUTSTANDING || (known == p->outstanding && known > 0)) {
		outstanding_complete(sg, t, rank);
		return;
	}
	for (int64_t i = 0; i < ev->n_reqs; i++)
		request_complete(sg, t, rank, pending_find(p, ev->reqs[i]));
}

/* A test whose outcome is not known. One of SimGrid's own stays what it is. Ours are left out: what
 * they may have completed is waited for later all the same, and that replayer lets each test take
 * 0.1 ms, and more the more there are. */
static int test_undecided(struct simgrid *sg, struct text *t, uint32_t rank,
                          const struct trace_event *ev, struct err *err)
{
	const struct pending *p = &sg->pending[rank];
	uint32_t slot;

	if (!op_has(ev->op, TRACE_TESTS) || ev->flags & TRACE_OUTSTANDING)
		return simgrid_cannot(rank, ev, "the trace does not say what it completed", err);
	if (ev->op != TRACE_TEST || ev->req >= 0) {
		sg->losses[LOSS_TEST]++;
		return 0;
	}
	slot = pending_named(p, ev);
	if (slot == PENDING_NONE || !p->slots[slot].outstanding)
		return 0;
	request_put(t, rank, "test", &p->slots[slot]);
	return 0;
}

int simgrid_completion(struct simgrid *sg, struct text *t, uint32_t rank,
                       const struct trace_event *ev, struct err *err)
{
	if (ev->op == TRACE_WAIT) {
		request_complete(sg, t, rank, pending_named(&sg->pending[rank], ev));
		return 0;
	}
	if (ev->op == TRACE_WAITALL) {
		waitall_event(sg, t, rank, ev);
		return 0;
	}
	if (ev->flags & TRACE_NO_DONE)
		return test_undecided(sg, t, rank, ev, err);
	sg->losses[ev->n_done > 0 ? LOSS_COMPLETION : LOSS_TEST]++;
	for (int64_t i = 0; i < ev->n_done; i++)
		request_complete(sg, t, rank, pending_find(&sg->pending[rank], ev->done[i]));
	return 0;
}
