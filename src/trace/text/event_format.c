/* event_format.c: one event to one line of our text, by the same letters as it is read by. Runs on
 * the application's side too, between two of its MPI calls: no printf, no allocation while the str
 * has room. */
#include "text_put.h"
#include "trace/trace_int.h"

#include <string.h>

static void vector_put(struct text *t, const int64_t *v, int64_t n)
{
	for (int64_t i = 0; i < n; i++) {
		text_char(t, ' ');
		text_i64(t, v[i]);
	}
}

static void word_put(struct text *t, const char *word)
{
	static const char hex[] = "0123456789ABCDEF";

	for (; *word; word++) {
		unsigned char c = (unsigned char)*word;

		text_room(t);
		if (c > ' ' && c != '%' && c != '#' && c != 0x7f) {
			*t->p++ = *word;
			continue;
		}
		*t->p++ = '%';
		*t->p++ = hex[c >> 4];
		*t->p++ = hex[c & 15];
	}
}

static void i64_put(struct text *t, int64_t v)
{
	text_char(t, ' ');
	text_i64(t, v);
}

static void file_put(struct text *t, const char *file)
{
	text_char(t, ' ');
	word_put(t, file && *file ? file : "?");
}

/* What SimGrid names a request by. */
static void key_put(struct text *t, const struct trace_event *ev)
{
	if (!(ev->flags & TRACE_BY_KEY))
		return;
	i64_put(t, ev->peer);
	i64_put(t, ev->peer2);
	i64_put(t, ev->tag);
}

static void argument_put(struct text *t, char letter, const struct trace_event *ev)
{
	switch (letter) {
	case 'p':
	case 's':
		i64_put(t, ev->peer);
		break;
	case 'q':
		i64_put(t, ev->peer2);
		break;
	case 't':
		i64_put(t, ev->tag);
		break;
	case 'c':
	case 'o':
		i64_put(t, ev->count);
		break;
	case 'k':
		i64_put(t, ev->count2);
		break;
	case 'f':
		text_char(t, ' ');
		text_double(t, ev->volume);
		break;
	case 'r':
		i64_put(t, ev->root);
		break;
	case 'd':
		i64_put(t, ev->type);
		break;
	case 'e':
		i64_put(t, ev->type2);
		break;
	case 'S':
		vector_put(t, ev->counts, ev->n_counts);
		break;
	case 'R':
		vector_put(t, ev->counts2, ev->n_counts2);
		break;
	case 'n':
		i64_put(t, ev->n_reqs);
		break;
	case 'F':
		file_put(t, ev->text);
		break;
	case 'l':
		i64_put(t, ev->line);
		break;
	case 'g':
		i64_put(t, ev->region);
		break;
	case 'K':
		key_put(t, ev);
		break;
	default:
		break; /* '?' and '*' */
	}
}

/* How many items from i on form a progression: at least 1. */
static int64_t run_length(const int64_t *v, int64_t i, int64_t n)
{
	int64_t k = i + 1, step, next;

	if (k >= n || __builtin_sub_overflow(v[k], v[i], &step) || step == 0)
		return 1;
	while (k < n && !__builtin_add_overflow(v[k - 1], step, &next) && v[k] == next)
		k++;
	return k - i;
}

/* "0-7,9,12-20:2": progressions of three items and more are ranges. */
static void list_put(struct text *t, const int64_t *v, int64_t n)
{
	for (int64_t i = 0, run; i < n; i += run) {
		if (i > 0)
			text_char(t, ',');
		run = run_length(v, i, n);
		text_i64(t, v[i]);
		if (run < 3) {
			run = 1;
			continue;
		}
		text_char(t, '-');
		text_i64(t, v[i + run - 1]);
		if (v[i + 1] - v[i] != 1) {
			text_char(t, ':');
			text_i64(t, v[i + 1] - v[i]);
		}
	}
}

enum { MEMBERS_CHUNK = 64 };

/* The same of 32-bit items: a range ends where a chunk ends, which reads back the same. */
static void members_put(struct text *t, const int32_t *v, int64_t n)
{
	int64_t wide[MEMBERS_CHUNK] = {0};

	for (int64_t i = 0; i < n;) {
		int64_t k = n - i < MEMBERS_CHUNK ? n - i : MEMBERS_CHUNK;

		for (int64_t j = 0; j < k; j++)
			wide[j] = v[i + j];
		if (i > 0)
			text_char(t, ',');
		list_put(t, wide, k);
		i += k;
	}
}

static void comm_put(struct text *t, uint64_t comm)
{
	if (comm == 0) {
		text_const(t, "world");
	} else if (comm == 1) {
		text_const(t, "self");
	} else {
		text_u64(t, comm >> 32);
		text_char(t, '.');
		text_i64(t, (int64_t)(comm & UINT32_MAX) - 2);
	}
}

/* Two lists under their names. */
static void lists_put(struct text *t, const char *first, const char *second,
                      const struct trace_event *ev)
{
	text_word(t, first);
	list_put(t, ev->counts, ev->n_counts);
	text_word(t, second);
	list_put(t, ev->counts2, ev->n_counts2);
}

static void topology_put(struct text *t, const struct trace_event *ev)
{
	if (ev->flags & TRACE_CART)
		lists_put(t, " dims=", " periods=", ev);
	else if (ev->flags & TRACE_GRAPH)
		lists_put(t, " sources=", " dests=", ev);
	if (ev->flags & TRACE_AGREED)
		text_const(t, " agreed=1");
	if (ev->flags & TRACE_DISTRIBUTED)
		text_const(t, " distributed=1");
}

static void comm_keys_put(struct text *t, const struct trace_event *ev)
{
	if (ev->comm != 0) {
		text_const(t, " comm=");
		comm_put(t, ev->comm);
	}
	if (ev->op == TRACE_COMM_FREE && ev->flags & TRACE_DISCONNECTS)
		text_const(t, " disconnect=1");
	if (!trace_op_makes_comm(ev->op) && ev->op != TRACE_COMM_IDUP)
		return;
	if (ev->parent != 0) {
		text_const(t, " parent=");
		comm_put(t, ev->parent);
	}
	if (ev->op == TRACE_COMM_IDUP || ev->flags & TRACE_NAMELESS)
		return;
	text_const(t, " members=");
	members_put(t, ev->members, ev->n_members);
	if (ev->n_remote > 0) {
		text_const(t, " remote=");
		members_put(t, ev->remote, ev->n_remote);
	}
	topology_put(t, ev);
	if (ev->op == TRACE_INTERCOMM_CREATE && ev->flags & (TRACE_SPAWNS | TRACE_SPAWNED)) {
		text_word(t, ev->flags & TRACE_SPAWNS ? " spawn=" : " spawned=");
		text_i64(t, ev->root);
	} else if (ev->op == TRACE_INTERCOMM_CREATE && ev->flags & TRACE_LED) {
		text_const(t, " leader=");
		text_i64(t, ev->root);
		if (ev->peer >= 0) {
			text_const(t, ",");
			text_i64(t, ev->peer);
		}
	}
}

/* Waits and tests: a list of requests, unless one is named or all are meant; what was complete,
 * where that is known. */
static void completion_put(struct text *t, const struct trace_event *ev)
{
	int one = ev->op == TRACE_WAIT || ev->op == TRACE_TEST;

	if (!one && !(ev->flags & TRACE_OUTSTANDING)) {
		text_const(t, " reqs=");
		list_put(t, ev->reqs, ev->n_reqs);
	}
	if (ev->op != TRACE_WAIT && ev->op != TRACE_WAITALL && !(ev->flags & TRACE_NO_DONE)) {
		text_const(t, " done=");
		list_put(t, ev->done, ev->n_done);
	}
	if (!one)
		return;
	if (ev->flags & TRACE_OLDEST)
		text_const(t, " take=oldest");
	if (ev->flags & TRACE_LATEST)
		text_const(t, " take=latest");
	if (ev->flags & TRACE_LATEST_RECV)
		text_const(t, " take=latest_recv");
}

static void number_key_put(struct text *t, const char *key, int64_t number)
{
	if (number < 0)
		return;
	text_word(t, key);
	text_i64(t, number);
}

/* Messages, partitions, windows, files. */
static void object_keys_put(struct text *t, const struct trace_event *ev)
{
	number_key_put(t, " message=", ev->message);
	number_key_put(t, trace_op_has(ev->op, TRACE_MPI_IO | TRACE_SYSTEM_IO) ? " file=" : " win=",
	               ev->object);
	if (ev->op == TRACE_PREADY || ev->op == TRACE_PARRIVED) {
		text_const(t, " parts=");
		list_put(t, ev->counts, ev->n_counts);
	}
	if (ev->op == TRACE_WIN_POST || ev->op == TRACE_WIN_START) {
		text_const(t, " group=");
		members_put(t, ev->members, ev->n_members);
	}
	if ((ev->op == TRACE_WIN_LOCK || ev->op == TRACE_WIN_LOCK_ALL) &&
	    ev->flags & TRACE_UNCHECKED)
		text_const(t, " lock=unchecked");
	else if (ev->op == TRACE_WIN_LOCK && ev->flags & TRACE_EXCLUSIVE)
		text_const(t, " lock=exclusive");
	if (ev->flags & TRACE_HOLES &&
	    (ev->op == TRACE_FILE_READ_ALL || ev->op == TRACE_FILE_WRITE_ALL))
		text_const(t, " holes=1");
}

static void neighbor_keys_put(struct text *t, const struct trace_event *ev)
{
	if (ev->op == TRACE_NEIGHBOR_ALLTOALLV || ev->op == TRACE_NEIGHBOR_ALLTOALLW)
		lists_put(t, " scounts=", " rcounts=", ev);
	if (ev->op != TRACE_NEIGHBOR_ALLGATHERV)
		return;
	text_const(t, " rcounts=");
	list_put(t, ev->counts2, ev->n_counts2);
}

static void request_keys_put(struct text *t, const struct trace_event *ev)
{
	if (ev->req >= 0) {
		text_const(t, " req=");
		text_i64(t, ev->req);
	}
	if (ev->op == TRACE_START) {
		text_const(t, " reqs=");
		list_put(t, ev->reqs, ev->n_reqs);
	} else if (trace_op_has(ev->op, TRACE_COMPLETES))
		completion_put(t, ev);
	else if (ev->op == TRACE_IPROBE && !(ev->flags & TRACE_NO_DONE)) {
		text_const(t, " found=");
		text_i64(t, ev->count);
	}
}

/* Sizes of datatypes are written where the table does not have them. */
static void type_keys_put(struct text *t, const char *args, const struct trace_event *ev)
{
	for (; *args; args++) {
		if (*args == 'd' && (ev->type < 0 || ev->type_size != trace_type_size(ev->type))) {
			text_const(t, " dtsize=");
			text_i64(t, ev->type_size);
		}
		if (*args == 'e' &&
		    (ev->type2 < 0 || ev->type_size2 != trace_type_size(ev->type2))) {
			text_const(t, " dtsize2=");
			text_i64(t, ev->type_size2);
		}
	}
}

static void wild_put(struct text *t, const struct trace_event *ev)
{
	int source = ev->flags & TRACE_WILD_SOURCE, tag = ev->flags & TRACE_WILD_TAG;

	if (trace_op_may_be_wild(ev->op))
		text_word(t, source && tag ? " any=both" : source ? " any=source" : " any=tag");
}

static void beside_put(struct text *t, const struct trace_event *ev)
{
	if (ev->flags & TRACE_BESIDE)
		text_word(t, ev->flags & TRACE_BESIDE_SPLIT   ? " beside=split"
		             : ev->flags & TRACE_BESIDE_GRAPH ? " beside=graph"
		                                              : " beside=1");
}

static void flag_keys_put(struct text *t, const struct trace_event *ev)
{
	if (ev->flags & (TRACE_WILD_SOURCE | TRACE_WILD_TAG))
		wild_put(t, ev);
	if (ev->op == TRACE_SENDRECV && (ev->tag != 0 || ev->tag2 != 0)) {
		text_const(t, " tags=");
		text_i64(t, ev->tag);
		text_char(t, ',');
		text_i64(t, ev->tag2);
	}
	if (ev->op == TRACE_COMM_IDUP)
		beside_put(t, ev);
	if (!trace_op_is_collective(ev->op))
		return;
	if (trace_op_is_neighborhood(ev->op))
		neighbor_keys_put(t, ev);
	if (ev->flags & TRACE_COMMUTATIVE_UNKNOWN)
		text_const(t, " op=unknown");
	if (ev->flags & TRACE_OWN_OPERATOR)
		text_word(t,
		          ev->flags & TRACE_NONCOMMUTATIVE ? " op=own_noncommutative" : " op=own");
	else if (ev->flags & TRACE_NONCOMMUTATIVE)
		text_const(t, " op=noncommutative");
	if (ev->flags & TRACE_IN_PLACE)
		text_const(t, " in_place=1");
	beside_put(t, ev);
}

static void site_keys_put(struct text *t, const struct trace_event *ev)
{
	if (ev->op == TRACE_COMPUTE && ev->region >= 0) {
		text_const(t, " region=");
		text_i64(t, ev->region);
	}
	if (ev->text && !strchr(trace_ops[ev->op].args, 'F')) {
		text_const(t, " at=");
		word_put(t, *ev->text ? ev->text : "?");
		text_char(t, ':');
		text_i64(t, ev->line);
	}
	if (ev->duration >= 0) {
		text_const(t, " t=");
		text_double(t, ev->duration);
	}
}

void trace_event_format(struct str *s, uint32_t rank, const struct trace_event *ev)
{
	const struct action *a = &trace_ops[ev->op];
	struct text t;

	BUG_ON(ev->op >= TRACE_OPS);
	text_init(&t, s);
	text_u64(&t, rank);
	*t.p++ = ' ';
	if (ev->flags & TRACE_NONBLOCKING && trace_op_is_collective(ev->op))
		*t.p++ = 'i';
	text_word(&t, a->name);
	for (const char *letter = a->args; *letter; letter++)
		argument_put(&t, *letter, ev);
	if (!trace_op_has(ev->op, TRACE_LIFE)) {
		comm_keys_put(&t, ev);
		request_keys_put(&t, ev);
		if (ev->message >= 0 || ev->op == TRACE_PREADY || ev->op == TRACE_PARRIVED ||
		    trace_op_has(ev->op, TRACE_WINDOW | TRACE_MPI_IO | TRACE_SYSTEM_IO))
			object_keys_put(&t, ev);
		type_keys_put(&t, a->args, ev);
		flag_keys_put(&t, ev);
	}
	site_keys_put(&t, ev);
	text_char(&t, '\n');
	text_flush(&t);
}
