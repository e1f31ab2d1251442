/* simgrid_put.c: one event in SimGrid's plain form. What each op becomes:
 *
 *   sends of all modes            send, isend
 *   persistent: start             isend, irecv
 *   wait family, tests            a wait for each request that was complete; "waitall" when it is all that are outstanding
 *   failed tests, probes          nothing
 *   sendrecv                      sendRecv when both tags are 0 on the world, else isend, irecv and their waits
 *   world collectives             the same; reducescatterblock as reducescatter, alltoallw as alltoallv of bytes
 *   collectives of one rank       nothing but the operator's instructions, as compute
 *   non-blocking collectives, collectives on sub-communicators, cancel                 errors: there is no way to say them
 *
 * A wait names (source, destination, tag), and takes the oldest request with that key; requests with one key complete in the order they
 * were posted, so that is the same but for who is waited for first. An irecv from any source is stored by that replayer under source -556
 * (it takes 1 from MPI_ANY_SOURCE as from a process id): a wait for -555 would return at once, measured with SimGrid 3.32. */
#include "simgrid_int.h"

enum { KEY_ANY_SOURCE = -556, ANY_SOURCE = -555, ANY_TAG = -444, BYTES_TYPE = 6 };

static int cannot(uint32_t rank, const struct trace_event *ev, const char *why, struct err *err)
{
	return err_set(err, ERR_INPUT, "rank %u, line %lld: %s%s: %s; `orrery replay` takes the trace as it is", rank,
	               (long long)ev->place, ev->flags & TRACE_NONBLOCKING ? "i" : "", trace_op_name(ev->op), why);
}

/* A count of a type that SimGrid has: its own, or the widest basic type that fits the bytes. */
struct unit {
	int32_t type;
	int64_t times; /* units per element */
};

static struct unit unit_of(int32_t type, int64_t size)
{
	static const struct unit basic[] = {
	    {0, 8}, {1, 4}, {3, 2}, {BYTES_TYPE, 1}}; /* double, int, short, byte: times is their size */

	if (type >= 0 && trace_type_size(type) == size)
		return (struct unit){type, 1};
	for (size_t i = 0; i < sizeof basic / sizeof *basic; i++)
		if (size % basic[i].times == 0)
			return (struct unit){basic[i].type, size / basic[i].times};
	return (struct unit){BYTES_TYPE, size};
}

static void number_put(struct text *t, int64_t v)
{
	text_char(t, ' ');
	text_i64(t, v);
}

static void line_begin(struct text *t, uint32_t rank, const char *action)
{
	text_u64(t, rank);
	text_char(t, ' ');
	text_word(t, action);
}

static void line_end_put(struct text *t)
{
	text_char(t, '\n');
}

/* --- point-to-point --- */

static int32_t source_of(int32_t peer)
{
	return peer == TRACE_ANY ? ANY_SOURCE : peer;
}

static int32_t tag_of(int32_t tag)
{
	return tag == TRACE_ANY ? ANY_TAG : tag;
}

static int tag_map(struct simgrid *sg, uint32_t rank, const struct trace_event *ev, int32_t tag, int32_t *out, struct err *err)
{
	if (ev->comm == 0 && tag >= SIMGRID_TAGS)
		return cannot(rank, ev, "tags from 1073741824 on are needed for those of sub-communicators", err);
	if (ev->comm != 0)
		sg->losses[tag == TRACE_ANY ? LOSS_ANY_TAG : LOSS_TAG]++;
	return simgrid_tag(&sg->comms, ev->comm, tag, out, err);
}

static void message_put(struct text *t, uint32_t rank, const char *action, int32_t peer, int32_t tag, int64_t count, struct unit u)
{
	line_begin(t, rank, action);
	number_put(t, source_of(peer));
	number_put(t, tag_of(tag));
	number_put(t, count == TRACE_COUNT_ANY || count < 0 ? -1 : count * u.times);
	number_put(t, u.type);
	line_end_put(t);
}

static void wait_put(struct text *t, uint32_t rank, const struct pending_request *r)
{
	line_begin(t, rank, "wait");
	number_put(t, r->src == TRACE_ANY ? KEY_ANY_SOURCE : r->src);
	number_put(t, r->dst);
	number_put(t, tag_of(r->tag));
	line_end_put(t);
}

static int is_receive(const struct trace_event *ev)
{
	return ev->op == TRACE_RECV || ev->op == TRACE_IRECV || ev->op == TRACE_RECV_INIT;
}

static int is_immediate(const struct trace_event *ev)
{
	return ev->op == TRACE_IRECV || (ev->op >= TRACE_ISEND && ev->op <= TRACE_IRSEND);
}

static int is_plain_mode(const struct trace_event *ev)
{
	return is_receive(ev) || ev->op == TRACE_SEND || ev->op == TRACE_ISEND || ev->op == TRACE_SEND_INIT;
}

/* Posts a message: the line, and the request for later waits. */
static int immediate_post(struct simgrid *sg, struct text *t, uint32_t rank, uint32_t slot, const struct trace_event *ev,
                          int32_t tag)
{
	int receive = is_receive(ev);

	message_put(t, rank, receive ? "irecv" : "isend", ev->peer, tag, ev->count, unit_of(ev->type, ev->type_size));
	pending_post(&sg->pending[rank], slot, receive ? ev->peer : (int32_t)rank, receive ? (int32_t)rank : ev->peer, tag,
	             receive);
	return 0;
}

static int message_event(struct simgrid *sg, struct text *t, uint32_t rank, const struct trace_event *ev, struct err *err)
{
	uint32_t slot = PENDING_NONE;
	int32_t tag = 0;

	if (is_immediate(ev) && (slot = pending_make(&sg->pending[rank], ev->req, err)) == PENDING_NONE)
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
	message_put(t, rank, is_receive(ev) ? "recv" : "send", ev->peer, tag, ev->count, unit_of(ev->type, ev->type_size));
	return 0;
}

static int persistent_make(struct simgrid *sg, uint32_t rank, const struct trace_event *ev, struct err *err)
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

static int start_event(struct simgrid *sg, struct text *t, uint32_t rank, const struct trace_event *ev, struct err *err)
{
	struct pending *p = &sg->pending[rank];

	for (int64_t i = 0; i < ev->n_reqs; i++) {
		uint32_t slot = pending_find(p, ev->reqs[i]);
		const struct trace_event *start;
		int32_t tag = 0;

		if (slot == PENDING_NONE || !p->slots[slot].persistent)
			return cannot(rank, ev, "it starts a request that no send_init or recv_init made", err);
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
static int half_post(struct simgrid *sg, struct text *t, uint32_t rank, const struct trace_event *ev, int receive, uint32_t *slot,
                     struct err *err)
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

static int sendrecv_event(struct simgrid *sg, struct text *t, uint32_t rank, const struct trace_event *ev, struct err *err)
{
	struct pending *p = &sg->pending[rank];
	struct unit u = unit_of(ev->type, ev->type_size), u2 = unit_of(ev->type2, ev->type_size2);
	uint32_t send, receive;

	if (ev->peer >= 0 && ev->peer2 >= 0 && ev->tag == 0 && ev->tag2 == 0 && ev->comm == 0) {
		line_begin(t, rank, "sendRecv");
		number_put(t, ev->count * u.times);
		number_put(t, ev->peer);
		number_put(t, ev->count2 * u2.times);
		number_put(t, ev->peer2);
		number_put(t, u.type);
		number_put(t, u2.type);
		line_end_put(t);
		return 0;
	}
	sg->losses[LOSS_SENDRECV]++;
	if (half_post(sg, t, rank, ev, 0, &send, err) < 0 || half_post(sg, t, rank, ev, 1, &receive, err) < 0)
		return -1;
	for (int i = 0; i < 2; i++) {
		uint32_t slot = i == 0 ? send : receive;

		if (slot == PENDING_NONE)
			continue;
		wait_put(t, rank, &p->slots[slot]);
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
		wait_put(t, rank, &p->slots[slot]);
	pending_complete(p, slot);
}

static void outstanding_complete(struct simgrid *sg, struct text *t, uint32_t rank)
{
	struct pending *p = &sg->pending[rank];

	line_begin(t, rank, "waitall");
	number_put(t, p->outstanding);
	line_end_put(t);
	while (p->oldest != PENDING_NONE)
		pending_complete(p, p->oldest);
}

/* The request that a wait or test names. */
static uint32_t request_named(const struct pending *p, const struct trace_event *ev)
{
	if (ev->req >= 0)
		return pending_find(p, ev->req);
	if (ev->flags & TRACE_BY_KEY)
		return pending_find_key(p, ev->peer, ev->peer2, ev->tag);
	if (ev->flags & TRACE_OLDEST)
		return p->oldest;
	return pending_latest(p, (ev->flags & TRACE_LATEST_RECV) != 0);
}

static void waitall_event(struct simgrid *sg, struct text *t, uint32_t rank, const struct trace_event *ev)
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

/* A test whose outcome is not known, of a request that SimGrid can name. */
static int test_undecided(struct simgrid *sg, struct text *t, uint32_t rank, const struct trace_event *ev, struct err *err)
{
	const struct pending *p = &sg->pending[rank];
	uint32_t slot;

	if (ev->op != TRACE_TEST)
		return cannot(rank, ev, "the trace does not say what it completed", err);
	slot = request_named(p, ev);
	if (slot == PENDING_NONE || !p->slots[slot].outstanding)
		return 0;
	line_begin(t, rank, "test");
	number_put(t, p->slots[slot].src == TRACE_ANY ? KEY_ANY_SOURCE : p->slots[slot].src);
	number_put(t, p->slots[slot].dst);
	number_put(t, tag_of(p->slots[slot].tag));
	line_end_put(t);
	return 0;
}

static int completion_event(struct simgrid *sg, struct text *t, uint32_t rank, const struct trace_event *ev, struct err *err)
{
	if (ev->op == TRACE_WAIT) {
		request_complete(sg, t, rank, request_named(&sg->pending[rank], ev));
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

/* --- collectives --- */

static int vector_put(struct simgrid *sg, struct text *t, uint32_t rank, const struct trace_event *ev, const int64_t *v, int64_t n,
                      int64_t times, struct err *err)
{
	if (n != 0 && n != sg->ranks)
		return cannot(rank, ev, "it has not one count per rank of the world", err);
	for (uint32_t i = 0; i < sg->ranks; i++) {
		int64_t count = n == 0 ? 0 : v[i] * times;

		if (count > INT32_MAX)
			return cannot(rank, ev, "a count is over 2147483647, which SimGrid's replayer cannot read", err);
		number_put(t, count);
	}
	return 0;
}

static int count_put(struct text *t, uint32_t rank, const struct trace_event *ev, int64_t count, int64_t times, struct err *err)
{
	if (count > INT32_MAX / (times > 0 ? times : 1))
		return cannot(rank, ev, "a count is over 2147483647, which SimGrid's replayer cannot read", err);
	number_put(t, count * times);
	return 0;
}

/* The buffers of alltoallv: at least what the counts need, as all displacements are 0 there. */
static int64_t buffer_of(int64_t given, const int64_t *v, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		given = v[i] > given ? v[i] : given;
	return given;
}

static int argument_put(struct simgrid *sg, struct text *t, uint32_t rank, const struct trace_event *ev, char letter,
                        struct err *err)
{
	struct unit u = unit_of(ev->type, ev->type_size), u2 = unit_of(ev->type2, ev->type_size2);
	int buffers = ev->op == TRACE_ALLTOALLV || ev->op == TRACE_ALLTOALLW;

	switch (letter) {
	case 'c':
		return count_put(t, rank, ev, buffers ? buffer_of(ev->count, ev->counts, ev->n_counts) : ev->count, u.times, err);
	case 'k':
		return count_put(t, rank, ev, buffers ? buffer_of(ev->count2, ev->counts2, ev->n_counts2) : ev->count2, u2.times,
		                 err);
	case 'S':
		return vector_put(sg, t, rank, ev, ev->counts, ev->n_counts, u.times, err);
	case 'R':
		return vector_put(sg, t, rank, ev, ev->counts2, ev->n_counts2, ev->op == TRACE_REDUCE_SCATTER ? u.times : u2.times,
		                  err);
	case 'r':
		number_put(t, ev->root);
		break;
	case 'd':
		number_put(t, u.type);
		break;
	case 'e':
		number_put(t, u2.type);
		break;
	case 'f':
		text_char(t, ' ');
		text_double(t, ev->volume);
		break;
	default:
		break;
	}
	return 0;
}

static int same_counts_put(struct simgrid *sg, struct text *t, uint32_t rank, const struct trace_event *ev, struct err *err)
{
	struct unit u = unit_of(ev->type, ev->type_size);

	line_begin(t, rank, "reducescatter");
	for (uint32_t i = 0; i < sg->ranks; i++)
		if (count_put(t, rank, ev, ev->count, u.times, err) < 0)
			return -1;
	text_char(t, ' ');
	text_double(t, ev->volume);
	number_put(t, u.type);
	line_end_put(t);
	return 0;
}

static void volume_only_put(struct text *t, uint32_t rank, const struct trace_event *ev)
{
	if (!(ev->volume > 0))
		return;
	line_begin(t, rank, "compute ");
	text_double(t, ev->volume);
	line_end_put(t);
}

static int collective_event(struct simgrid *sg, struct text *t, uint32_t rank, const struct trace_event *ev, struct err *err)
{
	enum simgrid_comm kind = simgrid_comm_kind(&sg->comms, ev->comm);
	const struct action *a = &trace_ops[ev->op];

	if (kind == COMM_SINGLE) {
		volume_only_put(t, rank, ev);
		return 0;
	}
	if (ev->flags & TRACE_NONBLOCKING)
		return cannot(rank, ev, "SimGrid's replayer has no non-blocking collectives", err);
	if (kind == COMM_SUB)
		return cannot(rank, ev,
		              "SimGrid's replayer runs collectives on MPI_COMM_WORLD only, and this is another communicator", err);
	sg->losses[LOSS_OPERATOR] += (ev->flags & (TRACE_NONCOMMUTATIVE | TRACE_COMMUTATIVE_UNKNOWN)) != 0;
	if (ev->op == TRACE_REDUCE_SCATTER_BLOCK)
		return same_counts_put(sg, t, rank, ev, err);
	line_begin(t, rank, ev->op == TRACE_ALLTOALLW ? "alltoallv" : a->name);
	for (const char *letter = a->args; *letter; letter++)
		if (argument_put(sg, t, rank, ev, *letter, err) < 0)
			return -1;
	line_end_put(t);
	return 0;
}

/* --- all --- */

static void location_put(struct text *t, uint32_t rank, const struct trace_event *ev)
{
	line_begin(t, rank, "location ");
	for (const char *c = ev->text ? ev->text : "?"; *c; c++)
		text_char(t, (unsigned char)*c <= ' ' ? '_' : *c);
	number_put(t, ev->line);
	line_end_put(t);
}

static int lone_event(struct simgrid *sg, struct text *t, uint32_t rank, const struct trace_event *ev, struct err *err)
{
	switch (ev->op) {
	case TRACE_INIT:
	case TRACE_FINALIZE:
		line_begin(t, rank, trace_op_name(ev->op));
		line_end_put(t);
		break;
	case TRACE_COMPUTE:
	case TRACE_SLEEP:
		line_begin(t, rank, trace_op_name(ev->op));
		text_char(t, ' ');
		text_double(t, ev->volume);
		line_end_put(t);
		break;
	case TRACE_LOCATION:
		location_put(t, rank, ev);
		break;
	case TRACE_PROBE:
	case TRACE_IPROBE:
		sg->losses[LOSS_PROBE]++;
		break;
	case TRACE_RESOLVE:
		sg->losses[LOSS_RESOLVE]++;
		break;
	case TRACE_CANCEL:
		return cannot(rank, ev, "SimGrid's replayer cannot cancel", err);
	case TRACE_COMM_DUP:
	case TRACE_COMM_SPLIT:
	case TRACE_COMM_CREATE:
		return simgrid_comm_note(&sg->comms, ev, sg->ranks, err);
	default:
		break; /* request_free, comm_size, comm_free: nothing to say, and no time */
	}
	return 0;
}

static int event_put(struct simgrid *sg, struct text *t, uint32_t rank, const struct trace_event *ev, struct err *err)
{
	if ((ev->op >= TRACE_SEND && ev->op <= TRACE_IRECV))
		return message_event(sg, t, rank, ev, err);
	if (ev->op == TRACE_SENDRECV)
		return sendrecv_event(sg, t, rank, ev, err);
	if (ev->op >= TRACE_SEND_INIT && ev->op <= TRACE_RECV_INIT)
		return persistent_make(sg, rank, ev, err);
	if (ev->op == TRACE_START)
		return start_event(sg, t, rank, ev, err);
	if (ev->op >= TRACE_WAIT && ev->op <= TRACE_TESTSOME)
		return completion_event(sg, t, rank, ev, err);
	if (trace_op_is_collective(ev->op))
		return collective_event(sg, t, rank, ev, err);
	return lone_event(sg, t, rank, ev, err);
}

int simgrid_put(struct simgrid *sg, uint32_t rank, const struct trace_event *ev, struct err *err)
{
	struct str *out = &sg->outs.out[rank].text;
	size_t before = out->n;
	struct text t;

	text_init(&t, out);
	sg->losses[LOSS_SITE] += ev->duration >= 0 || (ev->text && ev->op != TRACE_LOCATION);
	if (event_put(sg, &t, rank, ev, err) == 0) {
		text_flush(&t);
		return 0;
	}
	if (!out->failed && out->s) { /* half a line may have gone out of the buffer */
		out->n = before;
		out->s[before] = '\0';
	}
	return -1;
}
