/* tau.c: traces of TAU: records of fixed size (.trc) and the names of their events (.edf). Given is
 * a merged file tau.trc (tau.edf beside it), or a folder with tautrace.<node>.0.0.trc and
 * events.<node>.edf. docs/foreign-traces.md has the layout.
 *
 * Collectives are told with a size and no communicator: they are taken to be the world's. What the
 * size is differs from one to the next (coll_size). Lengths are cut to 26 bits; the event of the
 * same number that goes before has all of them.
 *
 * TAU records nothing of matched receives: what one side tells and the other does not would never
 * end, and is left out, which a line says. Nor does it record what MPI_Startall sends; but the
 * receivers tell. As persistent requests are started again and again, each MPI_Startall of a rank
 * is taken to send the same, if what receivers tell divides so (pairs_settle). */
#include "assemble.h"
#include "bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	EV_INIT = 60000,
	EV_FLUSH = 60001,
	EV_SEND = 60007,
	EV_RECV = 60008,
	EV_ONE_SIDED = 70000,
	RECORD = 24,
	RECORD_WIDE = 32
};
enum { LENGTH_BITS = 26 };

enum tau_kind { /* of an event that is no function */
	        NAME_OTHER,
	        NAME_SIZE,   /* "Message size for ...", of a collective */
	        NAME_LENGTH, /* "Message size sent to all nodes", or received: of a message */
	        NAME_SEND,
	        NAME_RECV,
	        NAME_FLUSH,
	        NAME_ONE_SIDED
};
struct tau_name {
	int op; /* of assemble_op; what is no function: FOREIGN_NOT_MPI */
	enum tau_kind kind;
	uint8_t startall;
};
/* Of one sender, receiver and tag: messages of each side, in this pass and in the first. */
struct tau_pair {
	uint32_t now[2], all[2];
	uint32_t from, next;           /* next: of those that its MPI_Startall sends, + 1 */
	struct assemble_message first; /* to the receiver */
	uint32_t started;              /* how many each MPI_Startall of the sender sends */
	uint8_t differ;                /* those received have several lengths */
};
struct tau_starts { /* of a rank: calls of MPI_Startall; the first pair of what they send, + 1 */
	uint32_t calls, first;
};
struct tau {
	struct assemble a;
	char *data, *base; /* base: the folder, or NULL: merged */
	char *file;        /* that data are of */
	size_t n;
	struct tau_name *name;
	uint32_t n_names, cap_names;
	struct hash64 names; /* event -> index */
	struct tau_pair *pair;
	uint32_t n_pairs, cap_pairs;
	struct hash64 pairs; /* sender, receiver, tag -> index */
	int64_t *length;     /* of each rank: the last NAME_LENGTH */
	int64_t *flush;      /* of each rank: when its flush began, or -1 */
	struct tau_starts *starts;
};

/* The first record is EV_INIT (60000; tau_merge gives it a number of its own), of the first thread,
 * with the parameter 3. */
static int starts(const unsigned char *head, size_t n, int big, size_t at)
{
	struct bytes b = {.at = head, .end = head + n, .big = (uint8_t)big};
	uint64_t event, thread;

	if (n < RECORD_WIDE)
		return 0;
	event = bytes_take(&b, at == 8 ? 4 : 8);
	bytes_skip(&b, 2);
	thread = bytes_take(&b, 2);
	b.at = head + at;
	return event > 0 && event <= EV_INIT && thread == 0 && bytes_take(&b, 8) == 3;
}

/* Which of the four layouts: bytes of a record, and the order of bytes; 0: none. A wide record of
 * node 3 looks like another one with the parameter 3 (and a date of 3 us): it is asked for first.
 */
static int layout_find(const unsigned char *head, size_t n, int *big)
{
	for (*big = 0; *big < 2; ++*big) {
		if (starts(head, n, *big, 16))
			return RECORD_WIDE;
		if (starts(head, n, *big, 8))
			return RECORD;
	}
	return 0;
}

static char *name_format(const char *folder, const char *format, unsigned node)
{
	struct str s;

	str_init(&s);
	str_puts(&s, folder);
	str_putc(&s, '/');
	str_puts(&s, format);
	str_printf(&s, "%u%s", node, *format == 't' ? ".0.0.trc" : ".edf");
	if (s.failed)
		str_release(&s);
	return s.s;
}

static char *edf_name(const char *path)
{
	size_t n = strlen(path);
	struct str s;

	str_init(&s);
	str_putn(&s, path, n > 4 && !strcmp(path + n - 4, ".trc") ? n - 4 : n);
	str_puts(&s, ".edf");
	if (s.failed)
		str_release(&s);
	return s.s;
}

static int tau_probe(const char *path, const unsigned char *head, size_t n, struct err *err)
{
	char *first;
	int big, is;

	if (n > 0 && !layout_find(head, n, &big))
		return 0;
	first = n > 0 ? edf_name(path) : name_format(path, "tautrace.", 0);
	is = first ? there_is_file(first, err) : err_nomem(err, "a file name", strlen(path));
	free(first);
	return is;
}

/* --- names of events --- */

static int begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static enum tau_kind kind_of(const char *text)
{
	static const struct {
		const char *begins;
		enum tau_kind kind;
	} all[] = {{"Message size for ", NAME_SIZE},
	           {"Message size sent to all nodes", NAME_LENGTH},
	           {"Message size received from all nodes", NAME_LENGTH},
	           {"MESSAGE_SEND", NAME_SEND},
	           {"MESSAGE_RECV", NAME_RECV},
	           {"FLUSH_", NAME_OTHER},
	           {"FLUSH", NAME_FLUSH},
	           {"ONESIDED_MESSAGE", NAME_ONE_SIDED}};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (begins(text, all[i].begins))
			return all[i].kind;
	return NAME_OTHER;
}

static int name_add(struct tau *t, int64_t event, const char *text, int function, struct err *err)
{
	struct tau_name *all = vec_grow(t->name, &t->cap_names, sizeof *all, (size_t)t->n_names + 1,
	                                "names of events", err);

	if (!all)
		return -1;
	t->name = all;
	all[t->n_names] = (struct tau_name){.op = function ? assemble_op(text) : FOREIGN_NOT_MPI,
	                                    .kind = kind_of(text),
	                                    .startall = text_same_n(text, "MPI_Startall", 12)};
	return hash64_put(&t->names, (uint64_t)event, t->n_names++, err);
}

/* "id group tag "name" kind": the name is between the first and the last quote. */
static int edf_line(struct tau *t, struct input *in, char *line, struct err *err)
{
	char *quote = strchr(line, '"'), *last = strrchr(line, '"'), *blank = strchr(line, ' ');
	int64_t id;

	if (*line == '#' || *line == '\0')
		return 0;
	if (!blank || num_parse_i64(line, (size_t)(blank - line), &id) < 0)
		return err_at(err, input_name(in), input_lineno(in), 1,
		              "expected the number of an event");
	if (!quote || quote == last)
		return 0; /* the first line: how many there are */
	*last = '\0';
	return name_add(t, id, quote + 1, strstr(last + 1, "TriggerValue") == NULL, err);
}

static int edf_read(struct tau *t, const char *path, struct err *err)
{
	struct input *in = input_open(path, 0, err);
	char *line;
	size_t n;
	int more = -1;

	hash64_release(&t->names);
	hash64_init(&t->names);
	t->n_names = 0;
	while (in && (more = input_line(in, &line, &n, err)) > 0)
		if (edf_line(t, in, line, err) < 0) {
			more = -2;
			break;
		}
	input_close(in);
	if (more == -2)
		return -1;
	if (more < 0)
		err_append(err, " (TAU's names of events belong beside its records)");
	return more;
}

/* --- records --- */

struct record {
	uint64_t event;
	uint32_t node, thread;
	int64_t parameter;
	int64_t ns;
};

static void record_take(struct bytes *b, int size, struct record *r)
{
	r->event = bytes_take(b, size == RECORD ? 4 : 8);
	r->node = (uint32_t)bytes_take(b, 2);
	r->thread = (uint32_t)bytes_take(b, 2);
	if (size == RECORD_WIDE)
		bytes_skip(b, 4);
	r->parameter = (int64_t)bytes_take(b, 8);
	r->ns = (int64_t)(bytes_take(b, 8) * 1000 & INT64_MAX);
}

/* length 26 bits, tag and peer 16 bits, in two pieces each; the communicator is always 0. */
static void message_unpack(uint64_t p, struct assemble_message *m)
{
	m->bytes = (int64_t)((p & 0xffff) | (p >> 32 & 0x3ff) << 16);
	m->tag = (int32_t)((p >> 16 & 0xff) | (p >> 48 & 0xff) << 8);
	m->peer = (int32_t)((p >> 24 & 0xff) | (p >> 56 & 0xff) << 8);
	m->comm = 0;
}

/* The length has no more bits than these: the event before has it whole. */
static int64_t length_whole(const struct tau *t, uint32_t node, int64_t bytes)
{
	const int64_t cut = ((int64_t)1 << LENGTH_BITS) - 1;

	return t->length[node] > cut && (t->length[node] & cut) == bytes ? t->length[node] : bytes;
}

/* Is this message told on the other side as well? The first pass counts. 1, 0, -1. */
static int is_paired(struct tau *t, uint32_t from, uint32_t to, const struct assemble_message *m,
                     int received, struct err *err)
{
	uint64_t key = (uint64_t)from << 48 | (uint64_t)to << 32 | (uint32_t)m->tag;
	uint32_t i = hash64_find(&t->pairs, key);
	struct tau_pair *all;

	if (i == HASH_NONE) {
		all = vec_grow(t->pair, &t->cap_pairs, sizeof *all, (size_t)t->n_pairs + 1,
		               "messages", err);
		if (!all)
			return -1;
		t->pair = all;
		if (hash64_put(&t->pairs, key, t->n_pairs, err) < 0)
			return -1;
		i = t->n_pairs++;
		all[i] = (struct tau_pair){.from = from, .first = *m};
		all[i].first.peer = (int32_t)to;
	}
	if (t->a.f->pass == 1) {
		t->pair[i].all[received]++;
		t->pair[i].differ |= t->pair[i].first.bytes != m->bytes;
		return 1;
	}
	return t->pair[i].now[received]++ < t->pair[i].all[!received];
}

/* After the first pass: what MPI_Startall sent. */
static void pairs_settle(struct tau *t)
{
	for (uint32_t i = t->n_pairs; i > 0; i--) {
		struct tau_pair *p = &t->pair[i - 1];
		struct tau_starts *s = &t->starts[p->from];

		if (p->all[0] > 0 || p->differ || s->calls == 0 || p->all[1] % s->calls != 0)
			continue;
		p->started = p->all[1] / s->calls;
		p->all[0] = p->all[1];
		p->next = s->first;
		s->first = i;
	}
}

/* In a call of MPI_Startall. */
static int startall_put(struct tau *t, uint32_t node, struct err *err)
{
	struct tau_starts *s = &t->starts[node];

	if (t->a.rank[node].depth != 1)
		return 0;
	if (t->a.f->pass == 1) {
		s->calls++;
		return 0;
	}
	for (uint32_t i = s->first; i > 0; i = t->pair[i - 1].next)
		for (uint32_t k = 0; k < t->pair[i - 1].started; k++)
			if (assemble_sent(&t->a, node, &t->pair[i - 1].first, err) < 0)
				return -1;
	return s->first ? foreign_note(t->a.f, err,
	                               "TAU does not tell what MPI_Startall sends: each is taken "
	                               "to send the same, by what the receivers tell")
	                : 0;
}

static int message_put(struct tau *t, const struct record *r, int received, struct err *err)
{
	struct assemble_message m;
	int paired;

	message_unpack((uint64_t)r->parameter, &m);
	if ((uint32_t)m.peer >= t->a.f->ranks)
		return err_set(err, ERR_INPUT,
		               "%s: node %u has a message with rank %d: there are %u", t->a.f->path,
		               r->node, m.peer, t->a.f->ranks);
	m.bytes = length_whole(t, r->node, m.bytes);
	paired = received ? is_paired(t, (uint32_t)m.peer, r->node, &m, 1, err)
	                  : is_paired(t, r->node, (uint32_t)m.peer, &m, 0, err);
	if (paired < 0)
		return -1;
	if (!paired)
		return foreign_note(t->a.f, err,
		                    "left out: messages of which TAU tells one side only (it "
		                    "records none of MPI_Mrecv, MPI_Imrecv, and no sends of "
		                    "MPI_Startall)");
	return received ? assemble_received(&t->a, r->node, &m, err)
	                : assemble_sent(&t->a, r->node, &m, err);
}

/* What TAU's size of a collective is, where it is not the caller's own block: the sum of what is
 * sent and received in all-to-alls, the sum of all blocks in vector forms; of what has a root and
 * no size on other ranks, the root is who tells it. */
static void coll_size(struct tau *t, uint32_t node, int64_t bytes)
{
	struct assemble_rank *r = &t->a.rank[node];
	struct foreign_coll *c = &r->coll;

	c->sent = c->received = bytes;
	switch (r->op) {
	case TRACE_ALLTOALL:
		if (!r->starts)
			c->sent = c->received = bytes / 2;
		break;
	case TRACE_ALLTOALLV:
	case TRACE_ALLTOALLW:
		c->sent = c->received = bytes / 2;
		break;
	case TRACE_GATHERV:
	case TRACE_SCATTERV:
		c->root = (int32_t)node;
		c->total = bytes;
		break;
	case TRACE_ALLGATHERV:
		c->total = bytes;
		break;
	case TRACE_GATHER:
		c->root = (int32_t)node;
		break;
	default:
		break;
	}
}

static void flush_put(struct tau *t, const struct record *r)
{
	int64_t *began = &t->flush[r->node];

	if (r->parameter > 0) {
		*began = r->ns;
	} else if (*began >= 0) {
		assemble_pause(&t->a, r->node, r->ns - *began);
		*began = -1;
	}
}

static int kind_put(struct tau *t, const struct record *r, enum tau_kind kind, struct err *err)
{
	switch (kind) {
	case NAME_SEND:
	case NAME_RECV:
		return message_put(t, r, kind == NAME_RECV, err);
	case NAME_SIZE:
		if (r->parameter > 0)
			coll_size(t, r->node, r->parameter);
		return 0;
	case NAME_LENGTH:
		if (r->parameter > 0)
			t->length[r->node] = r->parameter;
		return 0;
	case NAME_FLUSH:
		flush_put(t, r);
		return 0;
	case NAME_ONE_SIDED:
		return foreign_note(t->a.f, err,
		                    "left out: one-sided messages (between a processor and its "
		                    "accelerator, or of SHMEM)");
	default:
		return 0;
	}
}

static enum tau_kind kind_of_number(uint64_t event)
{
	return event == EV_SEND       ? NAME_SEND
	       : event == EV_RECV     ? NAME_RECV
	       : event == EV_FLUSH    ? NAME_FLUSH
	       : event < EV_ONE_SIDED ? NAME_OTHER
	                              : NAME_ONE_SIDED;
}

static int record_put(struct tau *t, const struct record *r, struct err *err)
{
	uint32_t at;
	const struct tau_name *name;

	if (r->thread != 0)
		return foreign_note(t->a.f, err, "only the first thread of each rank is read");
	if (r->event >= EV_INIT)
		return kind_put(t, r, kind_of_number(r->event), err);
	at = hash64_find(&t->names, r->event);
	if (at == HASH_NONE)
		return 0;
	name = &t->name[at];
	if (name->kind != NAME_OTHER)
		return kind_put(t, r, name->kind, err);
	if (name->op == FOREIGN_NOT_MPI)
		return 0;
	if (name->op >= 0 &&
	    trace_op_is_collective((enum trace_op)(name->op & (ASSEMBLE_STARTS - 1))) &&
	    foreign_note(t->a.f, err,
	                 "TAU does not tell communicators of collectives: they are taken to be "
	                 "MPI_COMM_WORLD's") < 0)
		return -1;
	if (r->parameter <= 0)
		return assemble_leave(&t->a, r->node, r->ns, err);
	if (assemble_enter(&t->a, r->node, name->op, r->ns, err) < 0)
		return -1;
	return name->startall ? startall_put(t, r->node, err) : 0;
}

static int records_put(struct tau *t, struct err *err)
{
	struct bytes b = {.at = (unsigned char *)t->data, .end = (unsigned char *)t->data + t->n};
	int big, size = layout_find(b.at, t->n, &big);

	if (size == 0)
		return err_set(err, ERR_INPUT,
		               "%s: not a trace of TAU: its first record is not the "
		               "one that TAU begins with",
		               t->file);
	b.big = (uint8_t)big;
	while (b.end - b.at >= size) {
		struct record r;

		record_take(&b, size, &r);
		if (r.node >= t->a.f->ranks)
			return err_set(
			    err, ERR_INPUT, "%s: at byte %td: a record of node %u: there are %u",
			    t->file, b.at - size - (unsigned char *)t->data, r.node, t->a.f->ranks);
		if (record_put(t, &r, err) < 0)
			return foreign_at(t->a.f, t->file, err, "at byte %td",
			                  b.at - size - (unsigned char *)t->data);
	}
	return 0;
}

/* --- files --- */

static int file_load(struct tau *t, const char *path, const char *edf, struct err *err)
{
	free(t->data);
	free(t->file);
	t->data = NULL;
	t->file = strdup(path);
	if (!t->file)
		return err_nomem(err, "a file name", strlen(path));
	t->data = input_read_all(path, &t->n, err);
	return t->data ? edf_read(t, edf, err) : -1;
}

/* tautrace.<node>.0.<thread>.trc beside that of the first. */
static int threads_note(struct tau *t, uint32_t node, struct err *err)
{
	struct str s;
	int is;

	str_init(&s);
	str_printf(&s, "%s/tautrace.%u.0.1.trc", t->base, node);
	if (s.failed)
		return err_nomem(err, "a file name", s.cap);
	is = there_is_file(s.s, err);
	str_release(&s);
	return is < 0 ? -1
	       : is   ? foreign_note(t->a.f, err, "only the first thread of each rank is read")
	              : 0;
}

static int node_load(struct tau *t, uint32_t node, struct err *err)
{
	char *trc = name_format(t->base, "tautrace.", node),
	     *edf = name_format(t->base, "events.", node);
	int r = trc && edf ? file_load(t, trc, edf, err) : err_nomem(err, "a file name", 64);

	free(trc);
	free(edf);
	return r;
}

static int merged_load(struct tau *t, struct err *err)
{
	char *edf = edf_name(t->a.f->path);
	int r = edf ? file_load(t, t->a.f->path, edf, err) : err_nomem(err, "a file name", 64);

	free(edf);
	return r;
}

static int folder_count(const struct tau *t, uint32_t *nodes, struct err *err)
{
	for (uint32_t n = 0;; n++) {
		char *path = name_format(t->base, "tautrace.", n);
		int is = path ? there_is_file(path, err)
		              : err_nomem(err, "a file name", strlen(t->base));

		free(path);
		*nodes = n;
		if (is <= 0)
			return is;
	}
}

/* In a merged file each node from 0 on has records: a number beyond them is damaged. */
static int merged_count(const struct tau *t, uint32_t *nodes, struct err *err)
{
	enum { NODES_MOST = 1 << 16 };
	struct bytes b = {.at = (unsigned char *)t->data, .end = (unsigned char *)t->data + t->n};
	uint8_t *there = calloc(NODES_MOST, 1);
	ptrdiff_t beyond = 0;
	uint32_t most = 0, n = 0;
	int big, size = layout_find(b.at, t->n, &big);

	if (!there)
		return err_nomem(err, "nodes", NODES_MOST);
	b.big = (uint8_t)big;
	while (size && b.end - b.at >= size) {
		struct record r;

		record_take(&b, size, &r);
		there[r.node] = 1;
		if (r.node > most) {
			most = r.node;
			beyond = b.at - size - (unsigned char *)t->data;
		}
	}
	while (n < NODES_MOST && there[n])
		n++;
	free(there);
	*nodes = n;
	return size == 0 || n > most
	           ? 0
	           : err_set(
	                 err, ERR_INPUT,
	                 "%s: at byte %td: a record of node %u, but none is of node %u: this "
	                 "number is damaged, or the file lacks nodes (merge all with tau_merge)",
	                 t->file, beyond, most, n);
}

static int tau_open(struct foreign *f, struct err *err)
{
	struct tau *t = f->impl = calloc(1, sizeof *t);
	uint32_t nodes = 0;
	int folder = t ? there_is_folder(f->path, err) : 0;

	if (!t)
		return err_nomem(err, "a trace of TAU", sizeof *t);
	t->a.f = f;
	if (folder < 0)
		return -1;
	if (folder) {
		t->base = strdup(f->path);
		if (!t->base)
			return err_nomem(err, "a file name", strlen(f->path));
	} else if (merged_load(t, err) < 0)
		return -1;
	if ((t->base ? folder_count(t, &nodes, err) : merged_count(t, &nodes, err)) < 0 ||
	    foreign_ranks(f, nodes, err) < 0)
		return -1;
	if (t->base && foreign_numbered_check(f, t->base, "tautrace.", ".0.0.trc", err) < 0)
		return -1;
	t->length = calloc(f->ranks, 2 * sizeof *t->length);
	if (!t->length)
		return err_nomem(err, "nodes", f->ranks * 2 * sizeof *t->length);
	t->flush = t->length + f->ranks;
	t->starts = calloc(f->ranks, sizeof *t->starts);
	if (!t->starts)
		return err_nomem(err, "nodes", f->ranks * sizeof *t->starts);
	hash64_init(&t->pairs);
	return assemble_new(&t->a, f, err);
}

static int tau_read(struct foreign *f, struct err *err)
{
	struct tau *t = f->impl;

	assemble_begin(&t->a);
	if (f->pass == 2)
		pairs_settle(t);
	for (uint32_t i = 0; i < f->ranks; i++)
		t->length[i] = 0, t->flush[i] = -1;
	for (uint32_t i = 0; t->base && i < f->ranks; i++)
		if (node_load(t, i, err) < 0 || threads_note(t, i, err) < 0 ||
		    records_put(t, err) < 0)
			return -1;
	if (!t->base && records_put(t, err) < 0)
		return -1;
	return assemble_end(&t->a, err);
}

static void tau_close(struct foreign *f)
{
	struct tau *t = f->impl;

	if (!t)
		return;
	assemble_release(&t->a);
	hash64_release(&t->names);
	hash64_release(&t->pairs);
	free(t->pair);
	free(t->starts);
	free(t->length);
	free(t->name);
	free(t->data);
	free(t->file);
	free(t->base);
	free(t);
}

const struct foreign_format foreign_tau = {
    .name = "TAU",
    .probe = tau_probe,
    .open = tau_open,
    .read = tau_read,
    .close = tau_close,
    .passes = 2,
    .beside = ".trc .edf",
};
