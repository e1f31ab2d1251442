/* portable.c: see portable.h. */
#include "portable.h"
#include "trace/members.h"
#include "writer_int.h"

#include <stdlib.h>

static int comm_add(struct portable *p, uint64_t id, const int32_t *member, uint32_t n,
                    struct err *err)
{
	struct portable_comm *c;

	if (hash64_find(&p->comm_index, id) != HASH_NONE)
		return 0;
	c = vec_grow(p->comm, &p->cap_comms, sizeof *c, (size_t)p->comms + 1, "communicators", err);
	if (!c)
		return -1;
	p->comm = c;
	c += p->comms;
	*c = (struct portable_comm){.id = id, .n = n, .member = malloc(n * sizeof *c->member)};
	if (!c->member)
		return err_nomem(err, "a communicator", n * sizeof *c->member);
	p->comms++;
	for (uint32_t i = 0; i < n; i++)
		c->member[i] = member ? member[i] : (int32_t)i;
	c->rise = members_rise(c->member, n);
	return hash64_put(&p->comm_index, id, p->comms - 1, err);
}

int portable_init(struct portable *p, const char *format, uint32_t ranks, struct err *err)
{
	*p = (struct portable){.format = format, .ranks = ranks};
	p->used = calloc(ranks, sizeof *p->used);
	p->open = calloc(ranks, sizeof *p->open);
	if (!p->used || !p->open)
		return err_nomem(err, "the ranks of a trace", ranks * sizeof *p->open);
	for (uint32_t i = 0; i < ranks; i++)
		pending_init(&p->open[i].pending);
	return comm_add(p, 0, NULL, ranks, err);
}

void portable_release(struct portable *p)
{
	for (uint32_t i = 0; i < p->comms; i++)
		free(p->comm[i].member);
	for (uint32_t i = 0; p->open && i < p->ranks; i++) {
		pending_release(&p->open[i].pending);
		hash64_release(&p->open[i].number);
		free(p->open[i].op);
	}
	free(p->open);
	free(p->comm);
	free(p->request);
	free(p->used);
	hash64_release(&p->comm_index);
}

int portable_cannot(const struct portable *p, uint32_t rank, const struct trace_event *ev,
                    struct err *err)
{
	return err_set(err, ERR_INPUT,
	               "rank %u: %s has no form in a trace of %s: 'orrery convert -f folder' keeps "
	               "it",
	               rank, trace_op_name((enum trace_op)ev->op), p->format);
}

int32_t portable_rank_in(const struct portable *p, uint32_t comm, uint32_t rank)
{
	const struct portable_comm *c = &p->comm[comm - 1];

	return members_find(c->member, c->n, c->rise, (int32_t)rank);
}

/* --- requests --- */

static struct portable_request *request_find(struct portable *p, uint32_t rank, int64_t req)
{
	uint32_t i = hash64_find(&p->open[rank].number, (uint64_t)req);

	return i == HASH_NONE ? NULL : &p->request[i];
}

static struct portable_request *request_set(struct portable *p, uint32_t rank, int64_t req,
                                            const struct portable_op *o, struct err *err)
{
	struct portable_request *r = request_find(p, rank, req);

	if (!r) {
		r = vec_grow(p->request, &p->cap_requests, sizeof *r, (size_t)p->requests + 1,
		             "requests", err);
		if (!r)
			return NULL;
		p->request = r;
		if (hash64_put(&p->open[rank].number, (uint64_t)req, p->requests, err) < 0)
			return NULL;
		r += p->requests++;
	}
	*r = (struct portable_request){.op = *o, .active = 1};
	return r;
}

/* --- events --- */

struct putting {
	struct portable *p;
	uint32_t rank;
	portable_each *each;
	void *self;
	struct err *err;
};

/* The operator of a reduction has no form of its own: what it computes comes after the collective,
 * as in a replay. */
static int operator_say(const struct putting *x, const struct portable_op *of)
{
	const struct portable_op o = {
	    .kind = PORTABLE_COMPUTE, .seconds = of->seconds, .ev = of->ev};

	x->p->unmeasured++;
	return x->each(x->self, x->rank, &o, x->err);
}

static int op_say(const struct putting *x, const struct portable_op *o)
{
	int ends = o->kind == PORTABLE_WAIT_COLLECTIVE ||
	           (o->kind == PORTABLE_COLLECTIVE && !o->nonblocking);

	if (x->each(x->self, x->rank, o, x->err) < 0)
		return -1;
	return ends && o->seconds > 0 ? operator_say(x, o) : 0;
}

static int comm_of(const struct putting *x, const struct trace_event *ev, uint32_t *number)
{
	uint32_t i;
	int32_t self = (int32_t)x->rank;

	/* Each rank is alone in MPI_COMM_SELF. */
	if (ev->comm == 1 && comm_add(x->p, UINT64_MAX - x->rank, &self, 1, x->err) < 0)
		return -1;
	i = hash64_find(&x->p->comm_index, ev->comm == 1 ? UINT64_MAX - x->rank : ev->comm);
	if (i == HASH_NONE)
		return portable_cannot(x->p, x->rank, ev, x->err);
	*number = i + 1;
	return 0;
}

static int message_make(const struct putting *x, const struct trace_event *ev, int sends,
                        struct portable_op *o)
{
	*o = (struct portable_op){
	    .kind = sends ? PORTABLE_SEND : PORTABLE_RECV,
	    .peer = ev->peer,
	    .tag = ev->tag,
	    .bytes = ev->count == TRACE_COUNT_ANY || ev->count < 0 ? 0 : ev->count * ev->type_size,
	    .req = -1,
	    .ev = ev};
	return comm_of(x, ev, &o->comm);
}

/* It is outstanding from now on; req: its number in the trace, or -1. */
static int open_add(const struct putting *x, const struct portable_op *o, int64_t req)
{
	struct portable_open *open = &x->p->open[x->rank];
	int32_t me = (int32_t)x->rank;
	uint32_t slot = pending_make(&open->pending, req, x->err);
	struct portable_op *all;

	if (slot == PENDING_NONE)
		return -1;
	all = vec_grow(open->op, &open->cap, sizeof *all, (size_t)slot + 1, "requests", x->err);
	if (!all)
		return -1;
	open->op = all;
	all[slot] = *o;
	if (o->kind == PORTABLE_COLLECTIVE)
		pending_post(&open->pending, slot, TRACE_ROOT, TRACE_ROOT, 0, 0);
	else if (o->kind == PORTABLE_SEND)
		pending_post(&open->pending, slot, me, o->peer, o->tag, 0);
	else
		pending_post(&open->pending, slot, o->peer, me, o->tag, 1);
	return req >= 0 && !request_set(x->p, x->rank, req, o, x->err) ? -1 : 0;
}

static int message_start(const struct putting *x, struct portable_op *o, int64_t req)
{
	o->nonblocking = 1;
	o->req = x->p->used[x->rank]++;
	if (open_add(x, o, req) < 0)
		return -1;
	return o->peer == TRACE_PROC_NULL ? 0 : op_say(x, o);
}

static int message_wait(const struct putting *x, const struct portable_op *started)
{
	struct portable_op o = *started;

	o.kind = o.kind == PORTABLE_SEND ? PORTABLE_WAIT_SEND : PORTABLE_WAIT_RECV;
	return o.peer == TRACE_PROC_NULL ? 0 : op_say(x, &o);
}

static int op_wait(const struct putting *x, struct portable_op o)
{
	if (o.kind != PORTABLE_COLLECTIVE)
		return message_wait(x, &o);
	o.kind = PORTABLE_WAIT_COLLECTIVE;
	return x->p->keeps_nonblocking ? op_say(x, &o) : 0;
}

/* Nobody waits for it any more. */
static void open_end(const struct putting *x, uint32_t slot)
{
	struct pending *pending = &x->p->open[x->rank].pending;

	if (slot != PENDING_NONE)
		pending_complete(pending, slot);
}

static int request_wait(const struct putting *x, int64_t req)
{
	struct portable_request *r = request_find(x->p, x->rank, req);

	if (!r || !r->active)
		return 0;
	r->active = 0;
	open_end(x, pending_find(&x->p->open[x->rank].pending, req));
	return op_wait(x, r->op);
}

static int slot_wait(const struct putting *x, uint32_t slot)
{
	struct portable_open *open = &x->p->open[x->rank];
	struct portable_request *r;
	struct portable_op o;

	if (slot == PENDING_NONE)
		return 0;
	o = open->op[slot];
	r = open->pending.slots[slot].id < 0
	        ? NULL
	        : request_find(x->p, x->rank, open->pending.slots[slot].id);
	if (r)
		r->active = 0;
	open_end(x, slot);
	return op_wait(x, o);
}

static int all_wait(const struct putting *x)
{
	struct pending *pending = &x->p->open[x->rank].pending;

	while (pending->oldest != PENDING_NONE)
		if (slot_wait(x, pending->oldest) < 0)
			return -1;
	return 0;
}

static int waits_put(const struct putting *x, const struct trace_event *ev)
{
	const int64_t *list = ev->op == TRACE_WAITALL ? ev->reqs : ev->done;
	int64_t n = ev->op == TRACE_WAITALL ? ev->n_reqs : ev->n_done;

	if (ev->op == TRACE_WAITALL && ev->flags & TRACE_OUTSTANDING)
		return all_wait(x);
	if (ev->flags & TRACE_NO_DONE) {
		x->p->tests += op_has(ev->op, TRACE_TESTS);
		return op_has(ev->op, TRACE_TESTS) ? 0 : portable_cannot(x->p, x->rank, ev, x->err);
	}
	if (ev->op == TRACE_WAIT)
		return ev->req >= 0 ? request_wait(x, ev->req)
		                    : slot_wait(x, pending_named(&x->p->open[x->rank].pending, ev));
	for (int64_t i = 0; i < n; i++)
		if (request_wait(x, list[i]) < 0)
			return -1;
	return 0;
}

static int sendrecv_put(const struct putting *x, const struct trace_event *ev)
{
	struct trace_event part = *ev;
	struct portable_op send, receive;

	if (message_make(x, ev, 1, &send) < 0)
		return -1;
	part.peer = ev->peer2;
	part.tag = ev->tag2;
	part.count = ev->count2;
	part.type_size = ev->type_size2;
	if (message_make(x, &part, 0, &receive) < 0)
		return -1;
	receive.ev = ev;
	receive.nonblocking = 1;
	receive.req = x->p->used[x->rank]++;
	if (receive.peer != TRACE_PROC_NULL && op_say(x, &receive) < 0)
		return -1;
	if (send.peer != TRACE_PROC_NULL && op_say(x, &send) < 0)
		return -1;
	return message_wait(x, &receive);
}

static int64_t counts_sum(const int64_t *counts, int64_t n)
{
	int64_t sum = 0;

	for (int64_t i = 0; counts && i < n; i++)
		sum += counts[i];
	return sum;
}

/* A rank's block, sent and received; of lists, their sums. */
static void collective_sizes(struct portable_op *o, const struct trace_event *ev, int32_t me)
{
	int64_t one = ev->count > 0 ? ev->count * ev->type_size : 0;
	int64_t other = ev->count2 > 0 ? ev->count2 * ev->type_size2 : one;
	int is_own = me >= 0 && me < ev->n_counts2;

	o->sent = o->received = one;
	switch (ev->op) {
	case TRACE_BARRIER:
		o->sent = o->received = 0;
		break;
	case TRACE_BCAST:
		o->sent = o->is_root ? one : 0;
		o->received = o->is_root ? 0 : one;
		break;
	case TRACE_REDUCE:
	case TRACE_GATHER:
		o->received = o->is_root ? one : 0;
		break;
	case TRACE_SCATTER: /* the sizes of sending are the root's */
		o->sent = o->is_root ? one : 0;
		o->received = other;
		break;
	case TRACE_SCATTERV:
		o->sent = o->is_root ? counts_sum(ev->counts, ev->n_counts) * ev->type_size : 0;
		o->received = other;
		break;
	case TRACE_GATHERV:
	case TRACE_ALLGATHERV:
		o->received = counts_sum(ev->counts2, ev->n_counts2) * ev->type_size2;
		break;
	case TRACE_ALLTOALLV:
		o->sent = counts_sum(ev->counts, ev->n_counts) * ev->type_size;
		o->received = counts_sum(ev->counts2, ev->n_counts2) * ev->type_size2;
		break;
	case TRACE_REDUCE_SCATTER:
		o->sent = counts_sum(ev->counts2, ev->n_counts2) * ev->type_size;
		o->received = is_own ? ev->counts2[me] * ev->type_size : 0;
		break;
	default:
		break;
	}
}

/* MPI looks at the counts of gatherv and scatterv at the root only. */
static int counts_fit(const struct trace_event *ev, int is_root, int64_t n)
{
	switch (ev->op) {
	case TRACE_GATHERV:
		return !is_root || ev->n_counts2 == n;
	case TRACE_SCATTERV:
		return !is_root || ev->n_counts == n;
	case TRACE_ALLTOALLV:
		return ev->n_counts == n && ev->n_counts2 == n;
	case TRACE_ALLGATHERV:
	case TRACE_REDUCE_SCATTER:
		return ev->n_counts2 == n;
	default:
		return 1;
	}
}

/* A line may say any root below the number of ranks, and any number of counts: which communicator
 * it is on, its reader does not know. */
static int collective_check(const struct putting *x, const struct portable_op *o)
{
	const struct trace_event *ev = o->ev;
	uint32_t n = x->p->comm[o->comm - 1].n;

	if (trace_op_has(o->op, TRACE_ROOTED) && (uint32_t)ev->root >= n)
		return err_set(x->err, ERR_INPUT,
		               "rank %u: %s: the root is %d, of a communicator of %u", x->rank,
		               trace_op_name(o->op), ev->root, n);
	if (!counts_fit(ev, o->is_root, n))
		return err_set(x->err, ERR_INPUT,
		               "rank %u: %s: counts for %lld ranks, of a communicator of %u",
		               x->rank, trace_op_name(o->op),
		               (long long)(ev->n_counts2 == n || !ev->n_counts2 ? ev->n_counts
		                                                                : ev->n_counts2),
		               n);
	return 0;
}

static int collective_put(const struct putting *x, const struct trace_event *ev)
{
	struct portable_op o = {.kind = PORTABLE_COLLECTIVE,
	                        .op = (enum trace_op)ev->op,
	                        .seconds = ev->volume * 1e-9,
	                        .root = ev->root,
	                        .type = ev->type,
	                        .type_size = ev->type_size,
	                        .ev = ev};
	int32_t me;

	if (ev->root < 0 || trace_op_is_neighborhood(o.op) || o.op == TRACE_ALLTOALLW)
		return portable_cannot(x->p, x->rank, ev, x->err);
	if (comm_of(x, ev, &o.comm) < 0)
		return -1;
	me = portable_rank_in(x->p, o.comm, x->rank);
	if (me < 0)
		return portable_cannot(x->p, x->rank, ev, x->err);
	o.is_root = me == ev->root && trace_op_has(o.op, TRACE_ROOTED);
	if (collective_check(x, &o) < 0)
		return -1;
	collective_sizes(&o, ev, me);
	if (ev->flags & TRACE_NONBLOCKING && ev->req >= 0) {
		o.nonblocking = x->p->keeps_nonblocking;
		o.req = o.nonblocking ? x->p->used[x->rank]++ : -1;
		x->p->nonblocking += !o.nonblocking;
		if (open_add(x, &o, ev->req) < 0)
			return -1;
	}
	return op_say(x, &o);
}

static int start_put(const struct putting *x, const struct trace_event *ev)
{
	for (int64_t i = 0; i < ev->n_reqs; i++) {
		struct portable_request *r = request_find(x->p, x->rank, ev->reqs[i]);
		struct portable_op o;

		if (!r || !r->persistent)
			return portable_cannot(x->p, x->rank, ev, x->err);
		o = r->op;
		if (message_start(x, &o, ev->reqs[i]) < 0)
			return -1;
		request_find(x->p, x->rank, ev->reqs[i])->persistent = 1;
	}
	return 0;
}

static int persistent_put(const struct putting *x, const struct trace_event *ev)
{
	struct portable_request *r;
	struct portable_op o;

	if (message_make(x, ev, ev->op != TRACE_RECV_INIT, &o) < 0)
		return -1;
	o.synchronous = ev->op == TRACE_SSEND_INIT;
	o.ev = NULL;
	r = request_set(x->p, x->rank, ev->req, &o, x->err);
	if (!r)
		return -1;
	r->persistent = 1;
	r->active = 0;
	return 0;
}

static int message_put(const struct putting *x, const struct trace_event *ev)
{
	struct portable_op o;

	switch (ev->op) {
	case TRACE_PROBE:
	case TRACE_IPROBE:
		x->p->probes++;
		return 0;
	case TRACE_MPROBE:
	case TRACE_MRECV:
	case TRACE_IMRECV:
		return portable_cannot(x->p, x->rank, ev, x->err);
	case TRACE_SENDRECV:
		return sendrecv_put(x, ev);
	default:
		break;
	}
	if (message_make(x, ev, op_has(ev->op, TRACE_SENDS), &o) < 0)
		return -1;
	o.synchronous = ev->op == TRACE_SSEND || ev->op == TRACE_ISSEND;
	if (op_has(ev->op, TRACE_REQUEST))
		return message_start(x, &o, ev->req);
	return o.peer == TRACE_PROC_NULL ? 0 : op_say(x, &o);
}

void portable_about(struct portable *p, const struct trace_manifest *m)
{
	p->rate = !writer_is_time(m) ? 0 : m->nominal_rate > 0 ? m->nominal_rate : 1e9;
}

/* Volumes that are time go before what was measured: ranks that took turns on a processor were
 * measured with the turns of the others. */
static int compute_put(const struct putting *x, const struct trace_event *ev)
{
	struct portable_op o = {.kind = PORTABLE_COMPUTE, .ev = ev};
	int sleeps = ev->op == TRACE_SLEEP, by_volume = !sleeps && x->p->rate > 0;

	o.seconds = sleeps              ? ev->volume
	            : by_volume         ? ev->volume / x->p->rate
	            : ev->duration >= 0 ? ev->duration
	                                : ev->volume * 1e-9;
	x->p->unmeasured += !sleeps && !by_volume && ev->duration < 0;
	return op_say(x, &o);
}

int portable_put(struct portable *p, uint32_t rank, const struct trace_event *ev,
                 portable_each *each, void *self, struct err *err)
{
	const struct putting x = {p, rank, each, self, err};
	enum trace_op op = (enum trace_op)ev->op;

	if (op == TRACE_COMPUTE || op == TRACE_SLEEP)
		return compute_put(&x, ev);
	if (op_has(ev->op, TRACE_PERSISTENT))
		return persistent_put(&x, ev);
	if (op_has(ev->op, TRACE_SENDS | TRACE_RECEIVES | TRACE_PROBES) &&
	    !op_has(ev->op, TRACE_PARTITIONED))
		return message_put(&x, ev);
	if (op == TRACE_START)
		return start_put(&x, ev);
	if (op == TRACE_REQUEST_FREE) {
		open_end(&x, pending_find(&p->open[rank].pending, ev->req));
		return 0;
	}
	if (op_has(ev->op, TRACE_COMPLETES))
		return waits_put(&x, ev);
	if (trace_op_is_collective(op))
		return collective_put(&x, ev);
	if (op == TRACE_COMM_DUP || op == TRACE_COMM_SPLIT || op == TRACE_COMM_CREATE ||
	    op == TRACE_COMM_CREATE_GROUP) {
		p->setups += !(ev->flags & TRACE_AGREED);
		return ev->flags & TRACE_NAMELESS ? portable_cannot(p, rank, ev, err)
		       : ev->n_members
		           ? comm_add(p, ev->comm, ev->members, (uint32_t)ev->n_members, err)
		           : 0;
	}
	switch (op) {
	case TRACE_INIT:
	case TRACE_FINALIZE:
	case TRACE_LOCATION:
	case TRACE_REGION:
	case TRACE_BUFFER_DETACH:
	case TRACE_COMM_SIZE:
	case TRACE_COMM_FREE:
	case TRACE_RESOLVE:
		return 0;
	default:
		return portable_cannot(p, rank, ev, err);
	}
}

void portable_notices(const struct portable *p, struct str *notices)
{
	if (!notices)
		return;
	if (p->nonblocking)
		str_printf(
		    notices,
		    "%llu non-blocking collectives were written as blocking ones, where they "
		    "begin\n",
		    (unsigned long long)p->nonblocking);
	if (p->probes)
		str_printf(notices, "%llu probes were left out\n", (unsigned long long)p->probes);
	if (p->tests)
		str_printf(notices,
		           "%llu tests that do not say what they completed were left out\n",
		           (unsigned long long)p->tests);
	if (p->setups)
		str_printf(notices,
		           "%llu calls that make communicators were left out, with the time that "
		           "they take\n",
		           (unsigned long long)p->setups);
	if (p->unmeasured)
		str_printf(notices,
		           "%llu computations have no measured time: a nanosecond was written for "
		           "each unit of their volume\n",
		           (unsigned long long)p->unmeasured);
}
