/* assemble.c: see assemble.h. */
#include "assemble.h"

#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

enum { NOBODY = TRACE_PROC_NULL, SEND_REQUESTS = 1 };

int assemble_new(struct assemble *a, struct foreign *f, struct err *err)
{
	a->f = f;
	a->rank = calloc(f->ranks, sizeof *a->rank);
	return a->rank ? 0 : err_nomem(err, "ranks", f->ranks * sizeof *a->rank);
}

void assemble_release(struct assemble *a)
{
	for (uint32_t i = 0; a->rank && i < a->f->ranks; i++) {
		free(a->rank[i].post);
		free(a->rank[i].waiting.item);
		free(a->rank[i].aside.item);
		free(a->rank[i].sends.item);
		free(a->rank[i].in);
		free(a->rank[i].out);
	}
	free(a->rank);
}

void assemble_begin(struct assemble *a)
{
	for (uint32_t i = 0; i < a->f->ranks; i++) {
		struct assemble_rank *r = &a->rank[i];

		r->next_post = r->n_in = r->n_out = r->depth = 0;
		r->waiting.n = r->aside.n = r->sends.n = 0;
		r->requests = r->paused = 0;
		r->left = -1;
		r->instructions = -1;
		r->ended = 0;
	}
}

int assemble_op(const char *name)
{
	size_t n = 0;
	int started;

	while (name[n] && !isspace((unsigned char)name[n]) && name[n] != '(')
		n++;
	started = foreign_op_started(name, n);
	return started >= 0 ? started + ASSEMBLE_STARTS : foreign_op(name, n);
}

void assemble_pause(struct assemble *a, uint32_t rank, int64_t ns)
{
	if (ns > 0 && a->rank[rank].depth == 0 && a->rank[rank].paused < INT64_MAX - ns)
		a->rank[rank].paused += ns;
}

/* --- what happens in a call --- */

static int message_add(struct assemble_message **all, uint32_t *n, uint32_t *cap,
                       const struct assemble_message *m, struct err *err)
{
	struct assemble_message *p = vec_grow(*all, cap, sizeof *p, (size_t)*n + 1, "messages",
	                                      err);

	if (!p)
		return -1;
	*all = p;
	p[(*n)++] = *m;
	return 0;
}

int assemble_sent(struct assemble *a, uint32_t rank, const struct assemble_message *m,
                  struct err *err)
{
	struct assemble_rank *r = &a->rank[rank];

	return message_add(&r->out, &r->n_out, &r->cap_out, m, err);
}

int assemble_received(struct assemble *a, uint32_t rank, const struct assemble_message *m,
                      struct err *err)
{
	struct assemble_rank *r = &a->rank[rank];

	return message_add(&r->in, &r->n_in, &r->cap_in, m, err);
}

static void message_fill(const struct assemble *a, const struct assemble_message *m,
                         enum trace_op op, struct trace_event *ev)
{
	foreign_event(ev, op);
	ev->peer = m->peer;
	ev->tag = m->tag;
	ev->comm = a->f->comms[m->comm].id;
	ev->count = m->bytes;
}

/* --- posts: requests are even for receives, odd for sends --- */

/* What was taken from the front makes room, when it is half of it. */
static int queue_push(struct assemble_queue *q, int64_t v, const char *what, struct err *err)
{
	int64_t *all;

	if (q->at > 0 && q->at >= q->n) {
		memcpy(q->item, q->item + q->at, q->n * sizeof *q->item);
		q->at = 0;
	}
	all = vec_grow(q->item, &q->cap, sizeof *all, (size_t)q->at + q->n + 1, what, err);
	if (!all)
		return -1;
	q->item = all;
	all[q->at + q->n++] = v;
	return 0;
}

static int64_t queue_take(struct assemble_queue *q)
{
	q->n--;
	return q->item[q->at++];
}

static int64_t post_request(uint32_t post)
{
	return 2 * (int64_t)post;
}

static int post_put(struct assemble *a, uint32_t rank, uint32_t post, struct err *err)
{
	struct trace_event ev;

	message_fill(a, &a->rank[rank].post[post], TRACE_IRECV, &ev);
	ev.req = post_request(post);
	return foreign_put(a->f, rank, &ev, err);
}

/* A receive is posted: it waits for its message, of which the second pass knows. */
static int irecv_put(struct assemble *a, uint32_t rank, struct err *err)
{
	struct assemble_rank *r = &a->rank[rank];
	uint32_t post = r->next_post++;

	if (post >= r->posts && message_add(&r->post, &r->posts, &r->cap_posts,
	                                    &(struct assemble_message){.peer = NOBODY}, err) < 0)
		return -1;
	if (queue_push(&r->waiting, post, "receives", err) < 0)
		return -1;
	return a->f->pass == 2 && r->post[post].peer != NOBODY ? post_put(a, rank, post, err) : 0;
}

/* The receive that a message belongs to: the oldest; if none is posted, one that a waitall left
 * aside; if there is none (a persistent one), it is put now. */
static int post_take(struct assemble *a, uint32_t rank, const struct assemble_message *m,
                     uint32_t *post, struct err *err)
{
	struct assemble_rank *r = &a->rank[rank];
	int late = r->waiting.n == 0 && r->aside.n == 0;

	if (late) {
		if (r->next_post < r->posts)
			r->post[r->next_post] = *m;
		if (irecv_put(a, rank, err) < 0)
			return -1;
	}
	*post = (uint32_t)queue_take(r->waiting.n > 0 ? &r->waiting : &r->aside);
	if (a->f->pass == 1)
		r->post[*post] = *m;
	return 0;
}

/* A number for a send or a collective; -1. */
static int64_t request_new(struct assemble_rank *r, struct err *err)
{
	const int64_t req = 2 * r->requests++ + 1;

	return queue_push(&r->sends, req, "sends", err) < 0 ? -1 : req;
}

static int isend_put(struct assemble *a, uint32_t rank, const struct assemble_message *m, int op,
                     struct err *err)
{
	struct trace_event ev;

	message_fill(a, m, send_form(op, TRACE_REQUEST, TRACE_ISEND), &ev);
	ev.req = request_new(&a->rank[rank], err);
	return ev.req < 0 ? -1 : foreign_put(a->f, rank, &ev, err);
}

/* --- calls that complete --- */

static int waits_put(struct assemble *a, uint32_t rank, int64_t *reqs, uint32_t n, struct err *err)
{
	struct trace_event ev;

	if (n == 0)
		return 0;
	foreign_event(&ev, n == 1 ? TRACE_WAIT : TRACE_WAITALL);
	if (n == 1)
		ev.req = reqs[0];
	ev.reqs = reqs;
	ev.n_reqs = n == 1 ? 0 : n;
	return foreign_put(a->f, rank, &ev, err);
}

/* How many of the sends the call waited for. */
static uint32_t sends_waited(const struct assemble_rank *r, int op)
{
	if (op == TRACE_WAITALL || op == TRACE_FINALIZE)
		return r->sends.n;
	return r->n_in == 0 && r->sends.n > 0 && (op == TRACE_WAIT || op == TRACE_WAITANY);
}

/* A waitall is over. What it did not get is from MPI_PROC_NULL; or, where it may have been for the
 * sends alone, it is kept aside. */
static int waiting_drop(struct assemble_rank *r, int aside, struct err *err)
{
	int result = 0;

	while (aside && r->waiting.n > 0 && result == 0)
		result = queue_push(&r->aside, queue_take(&r->waiting), "receives", err);
	r->waiting.n = 0;
	if (!aside)
		r->aside.n = 0;
	return result;
}

static int completion_put(struct assemble *a, uint32_t rank, int op, struct err *err)
{
	struct assemble_rank *r = &a->rank[rank];
	uint32_t sends = sends_waited(r, op), n = 0;
	int64_t *reqs = malloc(((size_t)r->n_in + sends + 1) * sizeof *reqs);
	int result = 0;

	if (!reqs)
		return err_nomem(err, "requests", (size_t)r->n_in * sizeof *reqs);
	for (uint32_t i = 0; i < r->n_in && result == 0; i++) {
		uint32_t post = 0;

		result = post_take(a, rank, &r->in[i], &post, err);
		reqs[n++] = post_request(post);
	}
	for (uint32_t i = 0; i < sends; i++)
		reqs[n++] = queue_take(&r->sends);
	if (op == TRACE_WAITALL && result == 0)
		result = waiting_drop(r, r->n_in == 0 && sends > 0, err);
	if (result == 0)
		result = waits_put(a, rank, reqs, n, err);
	free(reqs);
	return result;
}

/* --- the call --- */

static int blocking_put(struct assemble *a, uint32_t rank, int op, struct err *err)
{
	struct assemble_rank *r = &a->rank[rank];
	struct trace_event ev;

	if (r->n_out == 0 && r->n_in == 0)
		return foreign_note(a->f, err,
		                    "%s of which no message is recorded: taken to be with "
		                    "MPI_PROC_NULL",
		                    trace_op_mpi((enum trace_op)op));
	for (uint32_t i = 0; i < r->n_out || i < r->n_in; i++) {
		if (i < r->n_out && i < r->n_in) {
			message_fill(a, &r->out[i], TRACE_SENDRECV, &ev);
			ev.peer2 = r->in[i].peer;
			ev.tag2 = r->in[i].tag;
			ev.count2 = r->in[i].bytes;
		} else if (i < r->n_out) {
			message_fill(a, &r->out[i], send_form(op, TRACE_BLOCKS, TRACE_SEND), &ev);
		} else
			message_fill(a, &r->in[i], TRACE_RECV, &ev);
		if (foreign_put(a->f, rank, &ev, err) < 0)
			return -1;
	}
	return 0;
}

static int is_blocking(int op)
{
	return op >= 0 && trace_op_has((enum trace_op)op, TRACE_BLOCKS) &&
	       !trace_op_has((enum trace_op)op, TRACE_PROBES);
}

static int collective_put(struct assemble *a, uint32_t rank, int op, struct err *err)
{
	struct assemble_rank *r = &a->rank[rank];

	r->coll.op = (enum trace_op)op;
	if (r->starts) {
		r->coll.req = request_new(r, err);
		if (r->coll.req < 0)
			return -1;
	}
	return foreign_collective(a->f, rank, &r->coll, err);
}

static int call_put(struct assemble *a, uint32_t rank, int op, struct err *err)
{
	struct assemble_rank *r = &a->rank[rank];

	if (op >= 0 && trace_op_is_neighborhood((enum trace_op)op))
		return 0;
	if (op >= 0 && trace_op_is_collective((enum trace_op)op))
		return collective_put(a, rank, op, err);
	if (op == TRACE_FINALIZE) {
		r->ended = 1;
		return completion_put(a, rank, op, err) < 0
		           ? -1
		           : foreign_simple(a->f, rank, TRACE_FINALIZE, err);
	}
	if (op == TRACE_INIT)
		return foreign_simple(a->f, rank, TRACE_INIT, err);
	if (is_blocking(op))
		return blocking_put(a, rank, op, err);
	if (op == TRACE_IRECV || op == TRACE_IMRECV)
		return irecv_put(a, rank, err);
	for (uint32_t i = 0; i < r->n_out; i++)
		if (isend_put(a, rank, &r->out[i], op, err) < 0)
			return -1;
	return op >= 0 && trace_op_has((enum trace_op)op, TRACE_COMPLETES)
	           ? completion_put(a, rank, op, err)
	           : 0;
}

static int computed_put(struct assemble *a, uint32_t rank, double ns, struct err *err)
{
	double counted = a->rank[rank].instructions;

	if (a->f->pass == 1 && counted > 0) {
		a->counted_ns += ns;
		a->counted += counted;
	}
	if (counted <= 0 && ns >= 1 && a->counted > 0 && a->counted_ns > 0) {
		counted = ns * (a->counted / a->counted_ns);
		if (foreign_note(a->f, err,
		                 "computations without a count of instructions are taken to have "
		                 "as many a second as the others") < 0)
			return -1;
	}
	return foreign_compute(a->f, rank, ns, counted, err);
}

int assemble_enter(struct assemble *a, uint32_t rank, int op, int64_t ns, struct err *err)
{
	struct assemble_rank *r = &a->rank[rank];

	if (op == FOREIGN_NOT_MPI)
		return 0;
	foreign_date(a->f, rank, (double)ns);
	if (r->depth++ > 0)
		return 0;
	r->starts = op >= ASSEMBLE_STARTS;
	r->op = op = r->starts ? op - ASSEMBLE_STARTS : op;
	if (foreign_left_out(a->f, op, err) < 0)
		return -1;
	r->coll = (struct foreign_coll){
	    .root = FOREIGN_ROOT_UNKNOWN, .req = -1, .type = TYPE_BYTE, .duration = -1};
	if (r->left < 0 || ns < r->left || ns - r->left < r->paused)
		return 0;
	return computed_put(a, rank, (double)(ns - r->left - r->paused), err);
}

int assemble_leave(struct assemble *a, uint32_t rank, int64_t ns, struct err *err)
{
	struct assemble_rank *r = &a->rank[rank];
	int result;

	foreign_date(a->f, rank, (double)ns);
	if (r->depth == 0 || --r->depth > 0)
		return 0;
	result = call_put(a, rank, r->op, err);
	if (r->op == TRACE_INIT || r->left >= 0 || r->op >= 0)
		r->left = ns;
	r->paused = 0;
	r->instructions = r->instructions >= 0 ? 0 : -1;
	r->n_in = r->n_out = 0;
	return result;
}

/* Where some ranks have MPI_Finalize, the others' records were cut. */
int assemble_end(struct assemble *a, struct err *err)
{
	uint32_t ended = 0;

	for (uint32_t i = 0; i < a->f->ranks; i++)
		ended += a->rank[i].ended;
	for (uint32_t i = 0; i < a->f->ranks; i++) {
		if (a->rank[i].ended)
			continue;
		if (ended > 0)
			foreign_cut(a->f, i);
		else if (completion_put(a, i, TRACE_FINALIZE, err) < 0 ||
		         foreign_simple(a->f, i, TRACE_FINALIZE, err) < 0)
			return -1;
	}
	return ended > 0 ? 0
	                 : foreign_note(a->f, err,
	                                "no rank's records have MPI_Finalize: if the run was "
	                                "killed, or the file was cut, the program goes on there");
}
