/* player.c: computations, messages and completions of a trace, on a real MPI. */
#include "player.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* --- what is shared --- */

char *player_bytes(struct player *p, int64_t bytes, int receive, struct err *err)
{
	size_t want = bytes > 4096 ? (size_t)bytes : 4096;
	void **old;
	char *buffer;

	if (want > p->buffer_bytes) {
		want += want / 2;
		buffer = calloc(2, want);
		old = vec_grow(p->old, &p->cap_old, sizeof *old, (size_t)p->n_old + 1, "buffers",
		               err);
		if (!buffer || !old) {
			free(buffer);
			if (old)
				err_nomem(err, "dummy payloads", 2 * want);
			return NULL;
		}
		p->old = old;
		if (p->buffer)
			old[p->n_old++] = p->buffer;
		p->buffer = buffer;
		p->buffer_bytes = want;
	}
	return p->buffer + (receive ? p->buffer_bytes : 0);
}

MPI_Request *player_request(struct player *p, int64_t number, struct err *err)
{
	uint32_t slot = hash64_find(&p->requests, (uint64_t)number);
	MPI_Request *all;

	if (slot != HASH_NONE)
		return &p->request[slot];
	all = vec_grow(p->request, &p->cap_requests, sizeof *all, (size_t)p->n_requests + 1,
	               "requests", err);
	if (!all)
		return NULL;
	p->request = all;
	all[p->n_requests] = MPI_REQUEST_NULL;
	return hash64_put(&p->requests, (uint64_t)number, p->n_requests, err) < 0
	           ? NULL
	           : &all[p->n_requests++];
}

void player_release(struct player *p)
{
	for (uint32_t i = 0; i < p->n_old; i++)
		free(p->old[i]);
	free(p->old);
	free(p->buffer);
	free(p->request);
	unnamed_release(p);
	for (uint32_t i = 0; i < p->n_later; i++)
		free(p->later[i]);
	free(p->later);
	free(p->comm);
	free(p->win);
	free(p->message);
	free(p->counts);
	free(p->counts2);
	free(p->places);
	free(p->places2);
	hash64_release(&p->requests);
	hash64_release(&p->comms);
	hash64_release(&p->wins);
	hash64_release(&p->messages);
	trace_close(p->trace);
}

/* --- computation --- */

static double clock_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void pass(const struct player *p, double seconds)
{
	double end = clock_now() + seconds;

	if (p->computation == PLAYER_SLEEP) {
		struct timespec t = {.tv_sec = (time_t)seconds};

		t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
		nanosleep(&t, NULL);
	} else if (p->computation == PLAYER_SPIN)
		while (clock_now() < end)
			;
}

static int compute(const struct player *p, const struct trace_event *ev, struct err *err)
{
	if (p->computation == PLAYER_NONE)
		return 0;
	if (ev->op == TRACE_SLEEP)
		pass(p, ev->volume);
	else if (ev->duration >= 0)
		pass(p, ev->duration);
	else if (p->rate > 0)
		pass(p, ev->volume / p->rate);
	else
		return err_set(err, ERR_INPUT,
		               "the trace counts volumes and has no durations: give their rate "
		               "(--rate), or --on-computation none");
	return 0;
}

/* --- messages --- */

struct side { /* of a message */
	void *buf;
	int count;
	MPI_Datatype type;
	int peer, tag;
	MPI_Comm comm;
};

static int peer_of(const struct player *p, int32_t world, MPI_Comm comm)
{
	MPI_Group all, group;
	int peer;

	if (world == TRACE_PROC_NULL)
		return MPI_PROC_NULL;
	if (world == TRACE_ANY)
		return MPI_ANY_SOURCE;
	if (comm == MPI_COMM_WORLD)
		return world;
	if (comm == MPI_COMM_SELF)
		return 0;
	MPI_Comm_group(MPI_COMM_WORLD, &all);
	MPI_Comm_test_inter(comm, &peer);
	if (peer)
		MPI_Comm_remote_group(comm, &group);
	else
		MPI_Comm_group(comm, &group);
	MPI_Group_translate_ranks(all, 1, &(int){world}, group, &peer);
	MPI_Group_free(&all);
	MPI_Group_free(&group);
	(void)p;
	return peer;
}

/* What an event says of one side of a message. */
struct half {
	int32_t peer, tag;
	int64_t count, size; /* elements, and bytes of one */
	int receive;
};
static struct half half_first(const struct trace_event *ev, int receive)
{
	return (struct half){ev->peer, ev->tag, ev->count, ev->type_size, receive};
}

/* Bytes of a receive of which the trace does not say how many it takes. */
enum { BYTES_ANY = 1 << 20 };

/* Bytes of a message; more than an int counts go as eight at a time. */
static int side_set(struct player *p, uint64_t comm, struct half h, struct side *s, struct err *err)
{
	int64_t bytes = h.count < 0 || h.count == TRACE_COUNT_ANY ? BYTES_ANY : h.count * h.size;

	s->comm = player_comm_find(p, comm, err);
	s->buf = s->comm == MPI_COMM_NULL ? NULL : player_bytes(p, bytes + 8, h.receive, err);
	if (!s->buf)
		return -1;
	s->type = bytes > INT32_MAX ? MPI_DOUBLE : MPI_BYTE;
	s->count = (int)(bytes > INT32_MAX ? (bytes + 7) / 8 : bytes);
	s->peer = peer_of(p, h.peer, s->comm);
	s->tag = h.tag == TRACE_ANY ? MPI_ANY_TAG : h.tag;
	return 0;
}

/* Of an event with one side; *q: its request, NULL if it has none. */
static int side_begin(struct player *p, const struct trace_event *ev, int receive, struct side *s,
                      MPI_Request **q, struct err *err)
{
	int unnamed = ev->req < 0 && trace_op_has((enum trace_op)ev->op, TRACE_REQUEST);

	*q = NULL;
	if (side_set(p, ev->comm, half_first(ev, receive), s, err) < 0)
		return -1;
	if (unnamed)
		*q = unnamed_request(p, ev, receive, err);
	else if (ev->req >= 0)
		*q = player_request(p, ev->req, err);
	return (unnamed || ev->req >= 0) && !*q ? -1 : 0;
}

static int send_issue(struct player *p, const struct trace_event *ev, struct err *err)
{
	MPI_Request *q;
	struct side s;

	if (side_begin(p, ev, 0, &s, &q, err) < 0)
		return -1;
	switch (ev->op) {
	case TRACE_SSEND:
		return MPI_Ssend(s.buf, s.count, s.type, s.peer, s.tag, s.comm);
	case TRACE_ISEND:
	case TRACE_IBSEND:
		return MPI_Isend(s.buf, s.count, s.type, s.peer, s.tag, s.comm, q);
	case TRACE_ISSEND:
		return MPI_Issend(s.buf, s.count, s.type, s.peer, s.tag, s.comm, q);
	case TRACE_IRSEND:
		return MPI_Irsend(s.buf, s.count, s.type, s.peer, s.tag, s.comm, q);
	case TRACE_RSEND:
		return MPI_Rsend(s.buf, s.count, s.type, s.peer, s.tag, s.comm);
	case TRACE_SEND_INIT:
	case TRACE_BSEND_INIT:
		return MPI_Send_init(s.buf, s.count, s.type, s.peer, s.tag, s.comm, q);
	case TRACE_SSEND_INIT:
		return MPI_Ssend_init(s.buf, s.count, s.type, s.peer, s.tag, s.comm, q);
	case TRACE_RSEND_INIT:
		return MPI_Rsend_init(s.buf, s.count, s.type, s.peer, s.tag, s.comm, q);
	default: /* a buffered send has no buffer here: it is a standard one */
		return MPI_Send(s.buf, s.count, s.type, s.peer, s.tag, s.comm);
	}
}

static int recv_issue(struct player *p, const struct trace_event *ev, struct err *err)
{
	MPI_Status status;
	MPI_Request *q;
	struct side s;
	int flag;

	if (side_begin(p, ev, 1, &s, &q, err) < 0)
		return -1;
	switch (ev->op) {
	case TRACE_RECV:
		return MPI_Recv(s.buf, s.count, s.type, s.peer, s.tag, s.comm, &status);
	case TRACE_IRECV:
		return MPI_Irecv(s.buf, s.count, s.type, s.peer, s.tag, s.comm, q);
	case TRACE_RECV_INIT:
		return MPI_Recv_init(s.buf, s.count, s.type, s.peer, s.tag, s.comm, q);
	case TRACE_PROBE:
		return MPI_Probe(s.peer, s.tag, s.comm, &status);
	default: /* one that found something waits for it */
		return ev->count ? MPI_Probe(s.peer, s.tag, s.comm, &status)
		                 : MPI_Iprobe(s.peer, s.tag, s.comm, &flag, &status);
	}
}

static int sendrecv_issue(struct player *p, const struct trace_event *ev, struct err *err)
{
	MPI_Status status;
	struct side s, r;

	const struct half to = half_first(ev, 0),
	                  from = {ev->peer2, ev->tag2, ev->count2, ev->type_size2, 1};

	/* The buffer may move when the second half is asked for. */
	if (side_set(p, ev->comm, to, &s, err) < 0 || side_set(p, ev->comm, from, &r, err) < 0 ||
	    side_set(p, ev->comm, to, &s, err) < 0)
		return -1;
	return MPI_Sendrecv(s.buf, s.count, s.type, s.peer, s.tag, r.buf, r.count, r.type, r.peer,
	                    r.tag, s.comm, &status);
}

static int matched_issue(struct player *p, const struct trace_event *ev, struct err *err)
{
	uint32_t slot = hash64_find(&p->messages, (uint64_t)ev->message);
	MPI_Status status;
	MPI_Message *all;
	struct side s;

	if (ev->op == TRACE_MPROBE) {
		const struct half nothing = {ev->peer, ev->tag, 0, 1, 1};

		all = vec_grow(p->message, &p->cap_messages, sizeof *all, (size_t)p->n_messages + 1,
		               "messages", err);
		if (!all || side_set(p, ev->comm, nothing, &s, err) < 0 ||
		    hash64_put(&p->messages, (uint64_t)ev->message, p->n_messages, err) < 0)
			return -1;
		p->message = all;
		return MPI_Mprobe(s.peer, s.tag, s.comm, &all[p->n_messages++], &status);
	}
	if (slot == HASH_NONE || side_set(p, ev->comm, half_first(ev, 1), &s, err) < 0)
		return slot == HASH_NONE ? err_set(err, ERR_INPUT, "a message that no probe found")
		                         : -1;
	if (ev->op == TRACE_IMRECV) {
		MPI_Request *q = player_request(p, ev->req, err);

		return q ? MPI_Imrecv(s.buf, s.count, s.type, &p->message[slot], q) : -1;
	}
	return MPI_Mrecv(s.buf, s.count, s.type, &p->message[slot], &status);
}

/* --- completion --- */

static int wait_list(struct player *p, const int64_t *numbers, int64_t n, struct err *err)
{
	for (int64_t i = 0; i < n; i++) {
		MPI_Request *q = player_request(p, numbers[i], err);

		if (!q || MPI_Wait(q, MPI_STATUS_IGNORE) != MPI_SUCCESS)
			return -1;
	}
	return 0;
}

static int wait_outstanding(struct player *p)
{
	unnamed_completed(p);
	return MPI_Waitall((int)p->n_requests, p->request, MPI_STATUSES_IGNORE);
}

/* All at once, as the program waited. */
static int wait_all(struct player *p, const struct trace_event *ev, struct err *err)
{
	MPI_Request *list = malloc(((size_t)ev->n_reqs + 1) * sizeof *list);
	int r = 0;

	if (!list)
		return err_nomem(err, "requests", (size_t)ev->n_reqs * sizeof *list);
	for (int64_t i = 0; i < ev->n_reqs && r == 0; i++) {
		MPI_Request *q = player_request(p, ev->reqs[i], err);

		r = q ? 0 : -1;
		list[i] = q ? *q : MPI_REQUEST_NULL;
	}
	if (r == 0)
		r = MPI_Waitall((int)ev->n_reqs, list, MPI_STATUSES_IGNORE);
	for (int64_t i = 0; i < ev->n_reqs && r == 0; i++)
		*player_request(p, ev->reqs[i], err) = list[i];
	free(list);
	return r;
}

static int completion_issue(struct player *p, const struct trace_event *ev, struct err *err)
{
	if (ev->req < 0 &&
	    ev->flags & (TRACE_BY_KEY | TRACE_OLDEST | TRACE_LATEST | TRACE_LATEST_RECV))
		return unnamed_complete(p, ev, err);
	if (ev->req < 0 && ev->flags & TRACE_OUTSTANDING)
		return wait_outstanding(p);
	if (ev->op == TRACE_WAIT)
		return wait_list(p, &ev->req, 1, err);
	if (ev->op == TRACE_WAITALL)
		return wait_all(p, ev, err);
	if (ev->flags & TRACE_NO_DONE) /* not known: a wait that chooses waits for one */
		return ev->op == TRACE_WAITANY || ev->op == TRACE_WAITSOME
		           ? wait_list(p, ev->reqs, ev->n_reqs > 0, err)
		           : 0;
	return wait_list(p, ev->done, ev->n_done, err);
}

static int start_issue(struct player *p, const struct trace_event *ev, struct err *err)
{
	for (int64_t i = 0; i < ev->n_reqs; i++) {
		MPI_Request *q = player_request(p, ev->reqs[i], err);

		if (!q)
			return -1;
		if (*q != MPI_REQUEST_NULL) /* else one that is left out: partitioned */
			MPI_Start(q);
	}
	return 0;
}

static int handle_issue(struct player *p, const struct trace_event *ev, struct err *err)
{
	MPI_Request *q = player_request(p, ev->req, err);

	if (!q)
		return -1;
	if (*q == MPI_REQUEST_NULL)
		return 0;
	return ev->op == TRACE_CANCEL ? MPI_Cancel(q) : MPI_Request_free(q);
}

static int leave_out(struct player *p, const struct trace_event *ev)
{
	p->left_out++;
	if (!p->first_left_out)
		p->first_left_out = trace_op_name((enum trace_op)ev->op);
	return 0;
}

int player_issue(struct player *p, const struct trace_event *ev, struct err *err)
{
	enum trace_op op = (enum trace_op)ev->op;

	p->calls++;
	if (op == TRACE_COMPUTE || op == TRACE_SLEEP)
		return compute(p, ev, err);
	if (trace_op_has(op, TRACE_LIFE) || op == TRACE_COMM_SIZE || op == TRACE_RESOLVE ||
	    op == TRACE_BUFFER_DETACH)
		return 0; /* init, finalize: the player's own */
	if (trace_op_has(op, TRACE_PARTITIONED))
		return leave_out(p, ev);
	if (op == TRACE_SENDRECV)
		return sendrecv_issue(p, ev, err);
	if (trace_op_has(op, TRACE_SENDS))
		return send_issue(p, ev, err);
	if (trace_op_has(op, TRACE_MATCHED))
		return matched_issue(p, ev, err);
	if (trace_op_has(op, TRACE_RECEIVES | TRACE_PROBES))
		return recv_issue(p, ev, err);
	if (op == TRACE_START)
		return start_issue(p, ev, err);
	if (op == TRACE_REQUEST_FREE || op == TRACE_CANCEL)
		return handle_issue(p, ev, err);
	if (trace_op_has(op, TRACE_COMPLETES))
		return completion_issue(p, ev, err);
	if (trace_op_is_collective(op))
		return player_collective(p, ev, err);
	if (trace_op_makes_comm(op) || op == TRACE_COMM_FREE || op == TRACE_COMM_IDUP)
		return player_comm(p, ev, err);
	if (trace_op_has(op, TRACE_WINDOW))
		return player_window(p, ev, err);
	return leave_out(p, ev);
}
