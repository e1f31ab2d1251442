/* paraver.c: traces of Extrae in Paraver's form (.prv, with the .pcf beside it for names of MPI
 * functions). Text, records in the order of time: docs/foreign-traces.md.
 *
 * A message is one record, of both ends: it is kept until the ends' own calls come by. Collectives
 * name their communicator; messages do not. */
#include "assemble.h"
#include "fields.h"
#include "paraver_names.h"
#include "trace/text/scan.h"

#include <stdlib.h>
#include <unistd.h>

enum {
	TYPE_P2P = 50000001,
	TYPE_COLL = 50000002,
	TYPE_OTHER = 50000003,
	TYPE_FILES = 50000005, /* 50000004: one-sided */
	TYPE_SENT = 50100001,
	TYPE_RECEIVED = 50100002,
	TYPE_ROOT = 50100003,
	TYPE_COMM = 50100004,
	TYPE_INSTRUCTIONS = 42000050
};
enum { PLACE_OTHER = HASH_NONE - 1 }; /* a place in another application than the first */

struct prv_message {
	int64_t ns;      /* at this end: sent; or received, as far as the program can see */
	uint32_t number; /* in the file: what is told of one date stays in its order */
	struct assemble_message m;
};
struct prv_queue { /* of one rank, by time */
	struct prv_message *item;
	uint32_t n, cap, at;
};
struct paraver {
	struct assemble a;
	struct hash64 comms;  /* the file's number -> index */
	struct hash64 values; /* type << 32 | value -> op - FOREIGN_OP_LEAST */
	struct prv_queue *sent, *received;
	uint8_t messages_read;
	int64_t unit;    /* of the file's times, ns */
	uint8_t several; /* applications */
};

/* --- names --- */

static int value_name(struct paraver *p, int64_t type, int64_t value, const char *name,
                      struct err *err)
{
	int op = assemble_op(name);

	return hash64_put(&p->values, (uint64_t)type << 32 | (uint64_t)value,
	                  (uint32_t)(op - FOREIGN_OP_LEAST), err);
}

static int names_default(struct paraver *p, struct err *err)
{
	char name[64];

	for (int64_t value = 1; paraver_name(value); value++) {
		snprintf(name, sizeof name, "MPI_%s", paraver_name(value));
		for (int64_t type = TYPE_P2P; type <= TYPE_FILES; type++)
			if (value_name(p, type, value, name, err) < 0)
				return -1;
	}
	return 0;
}

/* "9   50000001    MPI Point-to-point" / "VALUES" / "4   MPI_Irecv" … up to a blank line. */
static int names_line(struct paraver *p, const char *line, int64_t *type, int *values,
                      struct err *err)
{
	static const char blanks[] = " \t";
	const char *number = line + strspn(line, blanks), *rest;
	int64_t first;
	size_t digits = num_take_digits(number, &first);

	rest = number + digits;
	rest += strspn(rest, blanks);
	if (*line == '\0')
		*values = 0;
	else if (!strncmp(line, "VALUES", 6))
		*values = 1;
	else if (digits && *values && first <= UINT32_MAX && *type >= TYPE_P2P &&
	         *type <= TYPE_FILES)
		return value_name(p, *type, first, rest, err);
	else if (digits && !*values && !num_take_digits(rest, type))
		*type = 0;
	return 0;
}

static int names_read(struct paraver *p, struct err *err)
{
	static const char *const ends[] = {".gz", ".zst", ".prv"};
	const char *path = p->a.f->path;
	size_t n = strlen(path);
	struct input *in;
	struct str s;
	int64_t type = 0;
	int values = 0, there, more;
	char *line;

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		size_t k = strlen(ends[i]);

		n -= n > k && !strncmp(path + n - k, ends[i], k) ? k : 0;
	}
	str_init(&s);
	str_putn(&s, path, n);
	str_puts(&s, ".pcf");
	if (s.failed)
		return err_nomem(err, "a file name", n);
	there = there_is(s.s, err);
	in = there > 0 ? input_open(s.s, 0, err) : NULL;
	more = there != 0 && !in ? -1 : 0;
	str_release(&s);
	while (in && (more = input_line(in, &line, &n, err)) > 0)
		if (names_line(p, line, &type, &values, err) < 0) {
			more = -1;
			break;
		}
	input_close(in);
	return more;
}

/* --- records --- */

/* Extrae writes the counters of processors as a second application, which calls no MPI. */
static int several_error(struct fields *l, struct err *err)
{
	return fields_error(l, l->line,
	                    "application 1 (where several call MPI, leave the records of one in "
	                    "the file)",
	                    err);
}

/* cpu:app:task:thread; the task counts from 1. Threads beyond the first: *rank is HASH_NONE. */
static int place_read(struct paraver *p, struct fields *l, uint32_t *rank, struct err *err)
{
	int64_t cpu, app, task, thread;

	*rank = HASH_NONE;
	if (field_int(l, &cpu, "a processor", err) < 0 ||
	    field_int(l, &app, "an application", err) < 0)
		return -1;
	if (app != 1) {
		*rank = PLACE_OTHER;
		return field_int(l, &task, "a task", err) < 0
		           ? -1
		           : field_int(l, &thread, "a thread", err);
	}
	if (field_rank(l, p->a.f, 1, &task, "a task", err) < 0 ||
	    field_int(l, &thread, "a thread", err) < 0)
		return -1;
	if (thread != 1)
		return foreign_note(p->a.f, err, "only the first thread of each rank is read");
	*rank = (uint32_t)task;
	return 0;
}

static int time_read(struct paraver *p, struct fields *l, int64_t *out, struct err *err)
{
	const char *at = l->p;

	if (field_int(l, out, "a time", err) < 0)
		return -1;
	if (*out < 0 || *out > INT64_MAX / p->unit)
		return fields_error(l, at, "a time from 0 on", err);
	*out *= p->unit;
	return 0;
}

static int queue_add(struct prv_queue *q, int64_t ns, const struct assemble_message *m,
                     struct err *err)
{
	struct prv_message *all = vec_grow(q->item, &q->cap, sizeof *all, (size_t)q->n + 1,
	                                   "messages", err);

	if (!all)
		return -1;
	q->item = all;
	all[q->n] = (struct prv_message){.ns = ns, .number = q->n, .m = *m};
	q->n++;
	return 0;
}

/* Extrae has no tag (-1, as 32 bits without a sign) of what its merger joins of a send to or a
 * receive from MPI_PROC_NULL with another rank's call. Both ends get the same. */
static int tag_read(struct paraver *p, struct fields *l, int64_t *tag, struct err *err)
{
	static const char what[] = "a tag from 0 on, of an int of C";
	const char *at = l->p;

	if (field_within(l, 0, UINT32_MAX, tag, what, err) < 0)
		return -1;
	if (*tag != UINT32_MAX)
		return *tag > INT32_MAX ? fields_error(l, at, what, err) : 0;
	*tag = INT32_MAX;
	return foreign_note(p->a.f, err,
	                    "messages without a tag, as Extrae writes where a call with "
	                    "MPI_PROC_NULL is joined with another rank's, have the tag 2147483647");
}

/* sender place, its call, when it left; receiver place, its call, when it came; size, tag */
static int message_read(struct paraver *p, struct fields *l, struct err *err)
{
	struct assemble_message m = {0};
	int64_t sent, left, posted, came;
	uint32_t from, to;
	int64_t size, tag;

	if (place_read(p, l, &from, err) < 0 || time_read(p, l, &sent, err) < 0 ||
	    time_read(p, l, &left, err) < 0 || place_read(p, l, &to, err) < 0 ||
	    time_read(p, l, &posted, err) < 0 || time_read(p, l, &came, err) < 0 ||
	    field_within(l, 0, INT64_MAX, &size, "a size from 0 on", err) < 0 ||
	    tag_read(p, l, &tag, err) < 0)
		return -1;
	if (from == PLACE_OTHER || to == PLACE_OTHER)
		return several_error(l, err);
	if (from == HASH_NONE || to == HASH_NONE)
		return 0;
	m.bytes = size;
	m.tag = (int32_t)tag;
	m.peer = (int32_t)to;
	if (queue_add(&p->sent[from], sent, &m, err) < 0)
		return -1;
	m.peer = (int32_t)from;
	/* Extrae may give a message to a receive that ended before it was sent (one from
	 * MPI_PROC_NULL): it cannot have come before. */
	return queue_add(&p->received[to], came > left ? came : left, &m, err);
}

/* Messages that a call sends: one, none, or any number. */
static uint32_t sends_most(int op)
{
	if (op < 0 || op == TRACE_START)
		return UINT32_MAX;
	return trace_op_sends((enum trace_op)op);
}

/* What of a rank's messages is due by this date belongs to the call under way. What is sent at the
 * date at which it ends, and is more than it sends, is the next call's, which begins at that date:
 * clocks may be coarse. */
static int queue_give(struct paraver *p, uint32_t rank, int sends, int64_t until, struct err *err)
{
	struct prv_queue *q = sends ? &p->sent[rank] : &p->received[rank];
	const struct assemble_rank *r = &p->a.rank[rank];

	for (; q->at < q->n && q->item[q->at].ns <= until; q->at++)
		if (sends && q->item[q->at].ns == until && r->n_out >= sends_most(r->op))
			break;
		else if ((sends ? assemble_sent(&p->a, rank, &q->item[q->at].m, err)
		                : assemble_received(&p->a, rank, &q->item[q->at].m, err)) < 0)
			return -1;
	return 0;
}

static int completes(int op)
{
	return op == TRACE_FINALIZE ||
	       (op >= 0 && (trace_op_has((enum trace_op)op, TRACE_COMPLETES) ||
	                    (trace_op_has((enum trace_op)op, TRACE_RECEIVES) &&
	                     trace_op_has((enum trace_op)op, TRACE_BLOCKS))));
}

static int call_event(struct paraver *p, uint32_t rank, int64_t type, int64_t value, int64_t ns,
                      struct err *err)
{
	struct assemble_rank *r = &p->a.rank[rank];
	uint32_t op;

	if (value != 0) {
		op = value < 0 || value > UINT32_MAX
		         ? HASH_NONE
		         : hash64_find(&p->values, (uint64_t)type << 32 | (uint64_t)value);
		if (op == HASH_NONE &&
		    foreign_note(p->a.f, err,
		                 "left out, with its time: event %lld:%lld, a function of MPI that "
		                 "neither the .pcf names nor Extrae is known to have",
		                 (long long)type, (long long)value) < 0)
			return -1;
		return assemble_enter(
		    &p->a, rank, op == HASH_NONE ? FOREIGN_NOTHING : (int)op + FOREIGN_OP_LEAST, ns,
		    err);
	}
	if (r->depth == 1 && (queue_give(p, rank, 1, ns, err) < 0 ||
	                      (completes(r->op) && queue_give(p, rank, 0, ns, err) < 0)))
		return -1;
	return assemble_leave(&p->a, rank, ns, err);
}

static int size_event(struct paraver *p, uint32_t rank, int64_t type, int64_t value,
                      struct err *err)
{
	struct foreign_coll *c = &p->a.rank[rank].coll;

	if (value < 0)
		return err_set(err, ERR_INPUT,
		               "%s: expected a value of event %lld from 0 on, found %lld",
		               p->a.f->path, (long long)type, (long long)value);
	if (type == TYPE_SENT)
		c->sent = value;
	if (type == TYPE_RECEIVED)
		c->received = value;
	if (type == TYPE_COMM && value != 0) { /* 0 ends what an event of this type began */
		int in = fields_comm(p->a.f, &p->comms, value, rank, &c->comm);

		if (in < 0)
			return err_set(err, ERR_INPUT,
			               "%s: rank %u uses communicator %lld, which no line 'c:' "
			               "defines",
			               p->a.f->path, rank, (long long)value);
		if (in == 0 && c->comm == 1)
			return err_set(err, ERR_INPUT,
			               "%s: rank %u uses communicator %lld, in which another rank "
			               "is alone",
			               p->a.f->path, rank, (long long)value);
	}
	if (type == TYPE_ROOT && value)
		c->root = 0;
	if (c->root >= 0) /* the communicator may come after or before it */
		c->root = foreign_rank_in(p->a.f, c->comm, rank);
	return 0;
}

/* type:value:type:value… of another application. */
static int others_read(struct paraver *p, struct fields *l, struct err *err)
{
	int64_t type, value;

	while (l->p) {
		if (field_int(l, &type, "a type of event", err) < 0 ||
		    field_int(l, &value, "its value", err) < 0)
			return -1;
		if (type >= TYPE_P2P && type <= TYPE_FILES)
			return several_error(l, err);
	}
	return foreign_note(p->a.f, err,
	                    "only the first application is read: others do not call MPI");
}

/* place:time:type:value:type:value… Functions go first: their sizes belong to them. */
static int events_read(struct paraver *p, struct fields *l, struct err *err)
{
	struct fields again;
	uint32_t rank;
	int64_t ns, type, value;

	if (place_read(p, l, &rank, err) < 0 || time_read(p, l, &ns, err) < 0)
		return -1;
	if (rank == PLACE_OTHER)
		return others_read(p, l, err);
	if (rank == HASH_NONE)
		return 0;
	again = *l;
	for (int round = 0; round < 3; round++, *l = again) {
		while (l->p) {
			int r = 0;

			if (field_int(l, &type, "a type of event", err) < 0 ||
			    field_int(l, &value, "its value", err) < 0)
				return -1;
			if (round == 0 && type == TYPE_INSTRUCTIONS) {
				struct assemble_rank *a = &p->a.rank[rank];

				a->instructions = (a->instructions > 0 ? a->instructions : 0) +
				                  (double)value;
				p->a.f->counter = "papi";
			} else if (round == 1 && type >= TYPE_P2P && type <= TYPE_FILES)
				r = call_event(p, rank, type, value, ns, err);
			else if (round == 2 && type >= TYPE_SENT && type <= TYPE_COMM)
				r = size_event(p, rank, type, value, err);
			if (r < 0)
				return -1;
		}
	}
	return 0;
}

/* number:members:1:2:… with a task that the first application has not: where there are several,
 * Extrae writes their communicators as the first one's, too. */
static int is_others(const struct paraver *p, struct fields l)
{
	struct err ignored;
	int64_t v;

	if (!p->several || field_int(&l, &v, "", &ignored) < 0)
		return 0;
	while (l.p)
		if (field_int(&l, &v, "", &ignored) < 0)
			return 0;
		else if (v > p->a.f->ranks)
			return 1;
	return 0;
}

/* app:number:members:1:2:… */
static int comm_read(struct paraver *p, struct fields *l, struct err *err)
{
	int64_t app;

	l->p += 2;
	if (field_int(l, &app, "an application", err) < 0)
		return -1;
	return app != 1 || is_others(p, *l) ? 0 : field_comm(l, p->a.f, 1, &p->comms, err);
}

/* --- the file --- */

/* #Paraver (date):T_ns:nodes(…):applications:tasks(threads:node,…),communicators */
static int head_read(struct paraver *p, struct fields *l, struct err *err)
{
	const char *at = strstr(l->line, "):");
	int64_t tasks = 0;

	p->unit = at && strncmp(at + 2 + strspn(at + 2, "0123456789"), "_ns", 3) == 0 ? 1 : 1000;
	for (int colons = 0; at && colons < 4; colons++) {
		p->several = colons == 3 && strncmp(at, ":1:", 3) != 0;
		at = strchr(at + 1, ':');
	}
	for (at = at ? at + 1 : NULL; at && *at >= '0' && *at <= '9' && tasks <= INT32_MAX; at++)
		tasks = tasks * 10 + (*at - '0');
	if (!at || *at != '(' || tasks < 1 || tasks > INT32_MAX)
		return fields_error(
		    l, l->line, "'#Paraver (date):time:nodes:applications:tasks(threads:node,…)'",
		    err);
	return foreign_ranks_said(p->a.f, (uint32_t)tasks, err);
}

enum pass { DEFINITIONS, MESSAGES, EVENTS };

static int line_read(struct paraver *p, struct fields *l, enum pass pass, struct err *err)
{
	const char *line = l->line;
	int64_t kind;

	if (*line == '#')
		return pass == DEFINITIONS && p->a.f->ranks == 0 ? head_read(p, l, err) : 0;
	if (*line == 'c')
		return pass == DEFINITIONS && p->a.f->ranks ? comm_read(p, l, err) : 0;
	if (pass == DEFINITIONS || *line == '\0' || is_letter(*line))
		return 0;
	if (field_within(l, 1, 4, &kind, "1, 2, 3 or 4: a kind of record", err) < 0)
		return -1;
	if (kind == 3 && pass == MESSAGES)
		return message_read(p, l, err);
	return kind == 2 && pass == EVENTS ? events_read(p, l, err) : 0;
}

static int file_read(struct paraver *p, enum pass pass, struct err *err)
{
	struct input *in = input_open(p->a.f->path, 0, err);
	char *line;
	size_t n;
	int more = -1;

	while (in && (more = input_line(in, &line, &n, err)) > 0) {
		struct fields l;

		fields_begin(&l, in, line);
		if (line_read(p, &l, pass, err) < 0) {
			more = foreign_at_line(p->a.f, (long)input_lineno(in), err);
			break;
		}
	}
	input_close(in);
	return more;
}

static int paraver_open(struct foreign *f, struct err *err)
{
	struct paraver *p = f->impl = calloc(1, sizeof *p);

	if (!p)
		return err_nomem(err, "a trace of Paraver", sizeof *p);
	p->a.f = f;
	hash64_init(&p->comms);
	hash64_init(&p->values);
	if (names_default(p, err) < 0 || names_read(p, err) < 0 ||
	    file_read(p, DEFINITIONS, err) < 0)
		return -1;
	p->sent = calloc(f->ranks, sizeof *p->sent);
	p->received = calloc(f->ranks, sizeof *p->received);
	if (!p->sent || !p->received)
		return err_nomem(err, "tasks", f->ranks * 2 * sizeof *p->sent);
	return assemble_new(&p->a, f, err);
}

static int by_date(const void *a, const void *b)
{
	const struct prv_message *x = a, *y = b;

	return x->ns != y->ns ? (x->ns > y->ns) - (x->ns < y->ns)
	                      : (x->number > y->number) - (x->number < y->number);
}

static void queue_sort(struct prv_queue *q)
{
	if (q->n > 0)
		qsort(q->item, q->n, sizeof *q->item, by_date);
}

/* Messages of a rank by the time of its end. */
static int messages_sort(struct paraver *p, struct err *err)
{
	if (!p->messages_read && file_read(p, MESSAGES, err) < 0)
		return -1;
	for (uint32_t i = 0; i < p->a.f->ranks; i++) {
		if (!p->messages_read) {
			queue_sort(&p->sent[i]);
			queue_sort(&p->received[i]);
		}
		p->sent[i].at = p->received[i].at = 0;
	}
	p->messages_read = 1;
	return 0;
}

static int paraver_read(struct foreign *f, struct err *err)
{
	struct paraver *p = f->impl;

	if (messages_sort(p, err) < 0)
		return -1;
	assemble_begin(&p->a);
	if (file_read(p, EVENTS, err) < 0)
		return -1;
	return assemble_end(&p->a, err);
}

static void paraver_close(struct foreign *f)
{
	struct paraver *p = f->impl;

	if (!p)
		return;
	for (uint32_t i = 0; p->sent && p->received && i < f->ranks; i++) {
		free(p->sent[i].item);
		free(p->received[i].item);
	}
	assemble_release(&p->a);
	hash64_release(&p->comms);
	hash64_release(&p->values);
	free(p->sent);
	free(p->received);
	free(p);
}

static int paraver_probe(const char *path, const unsigned char *head, size_t n, struct err *err)
{
	static const char mark[] = "#Paraver (";

	(void)path;
	(void)err;
	return n >= sizeof mark - 1 && !memcmp(head, mark, sizeof mark - 1);
}

const struct foreign_format foreign_paraver = {
    .name = "Paraver",
    .probe = paraver_probe,
    .open = paraver_open,
    .read = paraver_read,
    .close = paraver_close,
    .passes = 2,
    .beside = ".pcf .row",
};
