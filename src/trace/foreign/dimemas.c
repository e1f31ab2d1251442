/* dimemas.c: Dimemas's traces (.dim), text: a line per record, fields between colons, tasks and
 * threads from 0. Source of the format: the trace generator of BSC's tools
 * (common_utilities/Dimemas_Generation.h); docs/foreign-traces.md.
 *
 * A burst of computation is in seconds. A receive's completion names source, tag and communicator,
 * that of a collective its number and communicator, not a request, and a send's is not in the
 * trace: its request is given back at once. What prv2dim writes as the communicator of a message is
 * no communicator of the trace but a number of the message, the same on both sides: where no
 * communicator of both ends has that number, it takes the place of the tag. */
#include "fields.h"
#include "trace/text/scan.h"

#include <stdlib.h>
enum {
	DIM_NOOP = 0,
	DIM_BURST = 1,
	DIM_SEND = 2,
	DIM_RECV = 3,
	DIM_COLLECTIVE = 10,
	DIM_GPU_BURST = 11,
	DIM_EVENT = 20
};
enum { COLL_STARTS = 0, COLL_WAITS = 2, COLLECTIVE_FROM = INT32_MAX / 2 };
enum { RECV_BLOCKS = 0, RECV_POSTS = 1, RECV_WAITS = 2, RECV_WAITS_ALL = 3 };

static const enum trace_op collectives[] = {TRACE_BARRIER,        TRACE_BCAST,
                                            TRACE_GATHER,         TRACE_GATHERV,
                                            TRACE_SCATTER,        TRACE_SCATTERV,
                                            TRACE_ALLGATHER,      TRACE_ALLGATHERV,
                                            TRACE_ALLTOALL,       TRACE_ALLTOALLV,
                                            TRACE_REDUCE,         TRACE_ALLREDUCE,
                                            TRACE_REDUCE_SCATTER, TRACE_REDUCE_SCATTER_BLOCK,
                                            TRACE_SCAN,           TRACE_ALLTOALLV};

/* A receive that was posted, or a collective that was started, and not yet waited for. */
struct posted {
	int32_t source; /* of a collective: COLLECTIVE_FROM + its number */
	int64_t tag, comm;
	int64_t req;
};
struct dim_rank {
	struct posted *posted; /* [first, n), oldest first */
	uint32_t first, n, cap;
	int64_t requests;
	uint8_t told; /* it has a record */
};
struct dimemas {
	struct dim_rank *rank;
	struct hash64 comms; /* the file's number -> index */
	uint8_t defines;     /* it has communicators */
};

static int dimemas_probe(const char *path, const unsigned char *head, size_t n, struct err *err)
{
	static const char mark[] = "#DIMEMAS:";

	(void)path;
	(void)err;
	return n >= sizeof mark - 1 && !memcmp(head, mark, sizeof mark - 1);
}

/* --- messages --- */

/* The communicator of a message, and its tag there, which of a receive may be any (-1). Its peer
 * may be any (-1), too. In a file that defines none all is the world's. */
static int message_comm(struct foreign *f, int64_t comm, uint32_t rank, int64_t peer, int64_t *tag,
                        uint64_t *id, struct err *err)
{
	struct dimemas *d = f->impl;
	uint32_t index;
	int in = fields_comm(f, &d->comms, comm, rank, &index) > 0 &&
	         (peer < 0 || fields_comm(f, &d->comms, comm, peer, &index) > 0);

	*id = in ? f->comms[index].id : 0;
	if (!in && d->defines)
		*tag = comm;
	if (*tag < 0)
		*tag = TRACE_ANY;
	return *tag <= INT32_MAX
	           ? 0
	           : err_set(err, ERR_INPUT,
	                     "%s: a message has the communicator %lld, which no line 'd:1:' "
	                     "defines, and which is too large for the number of a message",
	                     f->path, (long long)*tag);
}

/* Messages of old have no field for the other's thread: a field less. */
static int thread_read(struct fields *l, int64_t *thread, struct err *err)
{
	enum { AFTER_THREAD = 4 };
	int colons = 0;

	*thread = -1;
	for (const char *p = l->p; p && *p; p++)
		colons += *p == ':';
	return colons < AFTER_THREAD ? 0 : field_int(l, thread, "a thread, or -1", err);
}

static int send_put(struct foreign *f, uint32_t rank, struct fields *l, struct err *err)
{
	static const enum trace_op ops[] = {TRACE_SEND, TRACE_SSEND, TRACE_ISEND, TRACE_ISSEND};
	struct dim_rank *r = &((struct dimemas *)f->impl)->rank[rank];
	static const char a_tag[] = "a tag, 0 to 2147483647";
	int64_t peer, thread, bytes, tag, comm, how;
	const char *at;
	struct trace_event ev;

	if (field_rank(l, f, 0, &peer, "the task that receives", err) < 0 ||
	    thread_read(l, &thread, err) < 0 || field_int(l, &bytes, "bytes", err) < 0)
		return -1;
	at = l->p;
	if (field_within(l, -1, INT32_MAX, &tag, a_tag, err) < 0 ||
	    field_within(l, 0, INT64_MAX, &comm, "a communicator, 0 or more", err) < 0 ||
	    field_int(l, &how, "0 to 3: how it is sent", err) < 0)
		return -1;
	if (bytes < 0 || how < 0 || how > 3)
		return fields_error(l, l->line, "bytes of 0 or more, and 0 to 3 at the end", err);
	foreign_event(&ev, ops[how]);
	if (message_comm(f, comm, rank, peer, &tag, &ev.comm, err) < 0)
		return -1;
	if (tag == TRACE_ANY) /* and no number of the message, as prv2dim has */
		return fields_error(l, at, a_tag, err);
	ev.peer = (int32_t)peer;
	ev.tag = (int32_t)tag;
	ev.count = bytes;
	if (how < 2)
		return foreign_put(f, rank, &ev, err);
	ev.req = r->requests++;
	if (foreign_put(f, rank, &ev, err) < 0)
		return -1;
	bytes = ev.req;
	foreign_event(&ev, TRACE_REQUEST_FREE);
	ev.req = bytes;
	return foreign_put(f, rank, &ev, err);
}

static int posted_add(struct dim_rank *r, const struct posted *p, struct err *err)
{
	struct posted *all;

	if (r->first > 0 && r->first >= r->n - r->first) { /* half of it is taken */
		r->n -= r->first;
		memcpy(r->posted, r->posted + r->first, r->n * sizeof *r->posted);
		r->first = 0;
	}
	all = vec_grow(r->posted, &r->cap, sizeof *all, (size_t)r->n + 1, "receives", err);
	if (!all)
		return -1;
	r->posted = all;
	all[r->n++] = *p;
	return 0;
}

/* The oldest receive of this message; its request, or -1. */
static int64_t posted_take(struct dim_rank *r, const struct posted *p)
{
	for (uint32_t i = r->first; i < r->n; i++) {
		int64_t req = r->posted[i].req;

		if (r->posted[i].source != p->source || r->posted[i].tag != p->tag ||
		    r->posted[i].comm != p->comm)
			continue;
		memmove(&r->posted[r->first + 1], &r->posted[r->first],
		        (i - r->first) * sizeof *r->posted);
		r->first++;
		return req;
	}
	return -1;
}

static int wait_put(struct foreign *f, uint32_t rank, const struct posted *p, struct fields *l,
                    struct err *err)
{
	struct trace_event ev;

	foreign_event(&ev, TRACE_WAIT);
	ev.req = posted_take(&((struct dimemas *)f->impl)->rank[rank], p);
	if (ev.req < 0)
		return fields_error(l, l->line,
		                    p->source >= COLLECTIVE_FROM
		                        ? "a collective to wait for: none of this number and "
		                          "communicator was started"
		                        : "a receive to wait for: none with this source, tag and "
		                          "communicator is posted",
		                    err);
	return foreign_put(f, rank, &ev, err);
}

static int recv_put(struct foreign *f, uint32_t rank, struct fields *l, struct err *err)
{
	struct dim_rank *r = &((struct dimemas *)f->impl)->rank[rank];
	int64_t peer, thread, bytes, tag, how;
	struct posted p;
	struct trace_event ev;

	if (field_int(l, &peer, "the task that sends, or -1", err) < 0 ||
	    thread_read(l, &thread, err) < 0 || field_int(l, &bytes, "bytes", err) < 0 ||
	    field_within(l, -1, INT32_MAX, &tag, "a tag, 0 to 2147483647, or -1: any", err) < 0 ||
	    field_within(l, 0, INT64_MAX, &p.comm, "a communicator, 0 or more", err) < 0 ||
	    field_int(l, &how, "0 to 3: what is done", err) < 0)
		return -1;
	if (peer < -1 || peer >= f->ranks || how < 0 || how > 3)
		return fields_error(l, l->line, "a task that sends, and 0 to 3 at the end", err);
	p.source = (int32_t)peer;
	p.tag = tag;
	if (how == RECV_WAITS || how == RECV_WAITS_ALL)
		return wait_put(f, rank, &p, l, err);
	foreign_event(&ev, how == RECV_POSTS ? TRACE_IRECV : TRACE_RECV);
	if (message_comm(f, p.comm, rank, peer, &tag, &ev.comm, err) < 0)
		return -1;
	ev.peer = p.source;
	ev.tag = (int32_t)tag;
	ev.count = bytes < 0 ? TRACE_COUNT_ANY : bytes;
	if (how == RECV_POSTS) {
		ev.req = p.req = r->requests++;
		if (posted_add(r, &p, err) < 0)
			return -1;
	}
	return foreign_put(f, rank, &ev, err);
}

/* --- collectives --- */

static int collective_put(struct foreign *f, uint32_t rank, struct fields *l, struct err *err)
{
	const struct dimemas *d = f->impl;
	int64_t op, comm, is_root, root, sync = 1;
	const char *at = l->p;
	int in;
	struct foreign_coll c = {.req = -1, .type = TYPE_BYTE, .duration = -1};
	struct posted started;

	if (field_int(l, &op, "the number of a collective", err) < 0 ||
	    field_int(l, &comm, "a communicator", err) < 0 ||
	    field_int(l, &is_root, "0, or 1 at the root", err) < 0 ||
	    field_int(l, &root, "a thread of the root", err) < 0 ||
	    field_int(l, &c.sent, "bytes sent", err) < 0 ||
	    field_int(l, &c.received, "bytes received", err) < 0 ||
	    (l->p && field_int(l, &sync, "0 to 2", err) < 0))
		return -1;
	if (op < 0 || op >= (int64_t)(sizeof collectives / sizeof *collectives))
		return fields_error(l, l->line, "a collective from 0 to 15", err);
	c.op = collectives[op];
	in = fields_comm(f, &d->comms, comm, rank, &c.comm);
	if (in < 0)
		return fields_error(l, strchr(at, ':') + 1,
		                    "a communicator that a line 'd:1:' defines", err);
	if (in == 0)
		return foreign_not_in(f, rank, c.op, err);
	c.root = is_root ? foreign_rank_in(f, c.comm, rank) : FOREIGN_ROOT_UNKNOWN;
	started = (struct posted){.source = COLLECTIVE_FROM + (int32_t)op, .comm = comm};
	if (sync == COLL_WAITS)
		return wait_put(f, rank, &started, l, err);
	if (sync == COLL_STARTS) {
		c.req = started.req = d->rank[rank].requests++;
		if (posted_add(&d->rank[rank], &started, err) < 0)
			return -1;
	}
	return foreign_collective(f, rank, &c, err);
}

/* --- the file --- */

static int burst_put(struct foreign *f, uint32_t rank, struct fields *l, struct err *err)
{
	double seconds;

	if (field_seconds(l, &seconds, err) < 0)
		return -1;
	return foreign_compute(f, rank, seconds * 1e9, -1, err);
}

static int record_put(struct foreign *f, struct fields *l, struct err *err)
{
	int64_t kind, task, thread;

	if (field_int(l, &kind, "the number of a kind of record", err) < 0)
		return -1;
	if (kind != DIM_BURST && kind != DIM_SEND && kind != DIM_RECV && kind != DIM_COLLECTIVE &&
	    kind != DIM_GPU_BURST)
		return kind == DIM_NOOP || kind == DIM_EVENT
		           ? 0
		           : fields_error(l, l->line, "a record 0, 1, 2, 3, 10, 11 or 20", err);
	if (field_rank(l, f, 0, &task, "a task", err) < 0 ||
	    field_int(l, &thread, "a thread", err) < 0)
		return -1;
	((struct dimemas *)f->impl)->rank[task].told = 1;
	if (thread != 0)
		return fields_error(l, l->line, "thread 0: tasks of several threads are not read",
		                    err);
	switch (kind) {
	case DIM_SEND:
		return send_put(f, (uint32_t)task, l, err);
	case DIM_RECV:
		return recv_put(f, (uint32_t)task, l, err);
	case DIM_COLLECTIVE:
		return collective_put(f, (uint32_t)task, l, err);
	case DIM_GPU_BURST:
		if (foreign_note(f, err, "bursts of GPUs are computed by the processor") < 0)
			return -1;
		return burst_put(f, (uint32_t)task, l, err);
	default:
		return burst_put(f, (uint32_t)task, l, err);
	}
}

/* "d:1:number:members:0:1:…" */
static int comm_read(struct foreign *f, struct fields *l, struct err *err)
{
	struct dimemas *d = f->impl;
	int64_t kind;

	l->p += 2;
	if (field_int(l, &kind, "1: a communicator", err) < 0)
		return -1;
	d->defines |= kind == 1;
	return kind == 1 ? field_comm(l, f, 0, &d->comms, err) : 0;
}

/* The ':' after the name, which begins at p, in quotes or, of generators of traces, without. */
static const char *name_end(const char *p)
{
	if (*p != '"')
		return strchr(p, ':');
	p = strchr(p + 1, '"');
	return p && p[1] == ':' ? p + 1 : NULL;
}

/* #DIMEMAS:"name":<0|1>[,offsets]:tasks(threads,…),communicators[,accelerators(tasks)…] */
static int tasks_read(const char *line, int64_t *tasks)
{
	const char *name = strchr(line, ':'), *end = name ? name_end(name + 1) : NULL;
	const char *p = end ? strchr(end + 1, ':') : NULL;

	return p && p[1 + num_take_digits(p + 1, tasks)] == '(' && *tasks > 0 &&
	       *tasks <= INT32_MAX;
}

static int lines_each(struct foreign *f, int definitions, struct err *err)
{
	struct input *in = input_open(f->path, 0, err);
	struct fields l;
	char *line;
	size_t n;
	int more = -1;

	while (in && (more = input_line(in, &line, &n, err)) > 0) {
		int64_t tasks;

		fields_begin(&l, in, line);
		if (*line == '#' && definitions && f->ranks == 0) {
			more = tasks_read(line, &tasks)
			           ? foreign_ranks_said(f, (uint32_t)tasks, err)
			           : fields_error(&l, line,
			                          "'#DIMEMAS:\"name\":…:tasks(threads,…)'", err);
		} else if (*line == 'd' && definitions)
			more = comm_read(f, &l, err);
		else if (*line && *line != '#' && !is_letter(*line) && !definitions)
			more = record_put(f, &l, err);
		if (more < 0) {
			foreign_at_line(f, (long)input_lineno(in), err);
			break;
		}
	}
	input_close(in);
	return more < 0 ? -1 : 0;
}

static int dimemas_open(struct foreign *f, struct err *err)
{
	struct dimemas *d = f->impl = calloc(1, sizeof *d);

	if (!d)
		return err_nomem(err, "a Dimemas trace", sizeof *d);
	hash64_init(&d->comms);
	if (lines_each(f, 1, err) < 0)
		return -1;
	if (f->ranks == 0)
		return err_at(err, f->path, 1, 1,
		              "expected '#DIMEMAS:\"name\":…:tasks(threads,…)'");
	if (hash64_find(&d->comms, 0) == HASH_NONE && hash64_put(&d->comms, 0, 0, err) < 0)
		return -1;
	d->rank = calloc(f->ranks, sizeof *d->rank);
	return d->rank ? 0 : err_nomem(err, "tasks", f->ranks * sizeof *d->rank);
}

static int dimemas_read(struct foreign *f, struct err *err)
{
	struct dimemas *d = f->impl;
	uint32_t untold = 0;

	for (uint32_t i = 0; i < f->ranks; i++)
		d->rank[i].first = d->rank[i].n = 0, d->rank[i].requests = 0;
	if (lines_each(f, 0, err) < 0)
		return -1;
	for (uint32_t i = 0; i < f->ranks; i++) {
		untold += !d->rank[i].told;
		if (foreign_simple(f, i, TRACE_FINALIZE, err) < 0)
			return -1;
	}
	return untold == 0 ? 0
	                   : foreign_note(f, err,
	                                  "tasks without a record: %u of %u: unless they do "
	                                  "nothing, the file was cut",
	                                  untold, f->ranks);
}

static void dimemas_close(struct foreign *f)
{
	struct dimemas *d = f->impl;

	if (!d)
		return;
	for (uint32_t i = 0; d->rank && i < f->ranks; i++)
		free(d->rank[i].posted);
	hash64_release(&d->comms);
	free(d->rank);
	free(d);
}

const struct foreign_format foreign_dimemas = {
    .name = "Dimemas",
    .probe = dimemas_probe,
    .open = dimemas_open,
    .read = dimemas_read,
    .close = dimemas_close,
    .passes = 2,
};
