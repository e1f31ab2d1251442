/* prop_paraver.c: random programs (call_draw.h) as Extrae's traces in Paraver's form: times in
 * nanoseconds or microseconds, functions by Extrae's numbers or by those that a .pcf gives, each
 * event in a line of its own or several in one, instructions counted or not, lines packed or not in
 * time's order of ranks. The seed is printed. */
#include "../prop.h"

#include "call_draw.h"
#include "same_trace.h"
#include "unit/trace/foreign_text.h"

enum { PROGRAMS = 250, LINES = 12000 };
enum {
	P2P = 50000001,
	COLL = 50000002,
	OTHER = 50000003,
	SENT = 50100001,
	RECEIVED = 50100002,
	ROOT = 50100003,
	COMM = 50100004,
	INSTRUCTIONS = 42000050
};

struct prv_line {
	int64_t us;
	int order;
	char text[200];
};
struct prv {
	struct prv_line *line;
	int n, named, together, counted, instructions; /* instructions of each microsecond */
	int64_t unit;                                  /* of a microsecond */
	struct rng *r;
};

/* Extrae's own numbers (its labels for MPI). */
static int number_of(const struct prv *p, enum seen_op op)
{
	static const int extrae[SEEN_OPS] = {
	    [SEEN_INIT] = 31,     [SEEN_FINALIZE] = 32, [SEEN_SEND] = 1,   [SEEN_RECV] = 2,
	    [SEEN_ISEND] = 3,     [SEEN_IRECV] = 4,     [SEEN_WAIT] = 5,   [SEEN_WAITALL] = 6,
	    [SEEN_BCAST] = 7,     [SEEN_BARRIER] = 8,   [SEEN_REDUCE] = 9, [SEEN_ALLREDUCE] = 10,
	    [SEEN_ALLTOALL] = 11, [SEEN_GATHER] = 13};

	return p->named || !extrae[op] ? 600 + (int)op : extrae[op];
}

static int type_of(enum seen_op op)
{
	return op >= SEEN_BARRIER ? COLL : op == SEEN_INIT || op == SEEN_FINALIZE ? OTHER : P2P;
}

static char *line_add(struct prv *p, int64_t us)
{
	assert_true(p->n < LINES);
	p->line[p->n] = (struct prv_line){.us = us, .order = p->n};
	return p->line[p->n++].text;
}

static int64_t date(const struct prv *p, int64_t us)
{
	return us * p->unit;
}

/* "2:cpu:application:task:thread:time:type:value…" */
static void head_text(const struct prv *p, char *text, int rank, int64_t us)
{
	snprintf(text, 100, "2:%d:1:%d:1:%lld", 3 * rank + 1, rank + 1, (long long)date(p, us));
}

static void event_add(struct prv *p, int rank, int64_t us, int type, long long value)
{
	struct prv_line *last = p->n ? &p->line[p->n - 1] : NULL;
	char head[100], *text;

	head_text(p, head, rank, us);
	if (p->together && last && last->us == us && strncmp(last->text, head, strlen(head)) == 0 &&
	    last->text[strlen(head)] == ':' && strlen(last->text) < 150)
		text = last->text;
	else
		text = memcpy(line_add(p, us), head, strlen(head) + 1);
	snprintf(text + strlen(text), 60, ":%d:%lld", type, value);
}

/* What a collective says of itself; at the root of a gather the sum on one side. */
static void sizes_add(struct prv *p, const struct seen_program *s, int rank,
                      const struct seen_call *c)
{
	int is_root = seen_place(s, c->sub, rank) == c->root;
	int ranks = c->sub ? s->members : s->ranks;
	int64_t sent = c->bytes, received = c->bytes;

	if (c->op == SEEN_BCAST) {
		sent = is_root ? c->bytes : 0;
		received = is_root ? 0 : c->bytes;
	} else if (c->op == SEEN_GATHER) {
		received = is_root ? c->bytes * ranks : 0;
	} else if (c->op == SEEN_REDUCE) {
		received = is_root ? c->bytes : 0;
	} else if (c->op == SEEN_BARRIER) {
		sent = received = 0;
	}
	event_add(p, rank, c->enter, SENT, (long long)sent);
	event_add(p, rank, c->enter, RECEIVED, (long long)received);
	if (is_root)
		event_add(p, rank, c->enter, ROOT, 1);
	event_add(p, rank, c->enter, COMM, c->sub ? 2 : 1);
}

static void rank_add(struct prv *p, const struct seen_program *s, int rank)
{
	int64_t left = 0;

	for (int i = 0; i < s->rank[rank].calls; i++) {
		const struct seen_call *c = &s->rank[rank].call[i];

		if (p->counted && i > 0 && c->enter > left) /* of the computation before */
			event_add(p, rank, c->enter, INSTRUCTIONS,
			          (long long)(c->enter - left) * p->instructions);
		event_add(p, rank, c->enter, type_of(c->op), number_of(p, c->op));
		if (type_of(c->op) == COLL)
			sizes_add(p, s, rank, c);
		if (p->counted)
			event_add(p, rank, c->leave, INSTRUCTIONS, 5); /* of the call: nobody's */
		event_add(p, rank, c->leave, type_of(c->op), 0);
		left = c->leave;
	}
}

/* "3:sender:its call:when it left:receiver:its call:when it came:size:tag" */
static void messages_add(struct prv *p, const struct seen_program *s)
{
	for (int i = 0; i < s->messages; i++) {
		const struct seen_message *m = &s->message[i];
		int64_t sent = date(p, m->sent);

		snprintf(line_add(p, m->sent), 200,
		         "3:%d:1:%d:1:%lld:%lld:%d:1:%d:1:%lld:%lld:%lld:%d", 3 * m->from + 1,
		         m->from + 1, (long long)sent, (long long)sent, 3 * m->to + 1, m->to + 1,
		         (long long)date(p, m->came - 1), (long long)date(p, m->came),
		         (long long)m->bytes, m->tag);
	}
}

static int by_time(const void *a, const void *b)
{
	const struct prv_line *x = a, *y = b;

	return x->us != y->us ? (x->us > y->us) - (x->us < y->us) : x->order - y->order;
}

static void file_write(struct prv *p, const char *path, const struct seen_program *s)
{
	int ranks = s->ranks;
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fprintf(f, "#Paraver (24/11/2026 at 10:01):%lld%s:1(%d):1:%d(", (long long)date(p, 1000000),
	        p->unit == 1000 ? "_ns" : "", ranks, ranks);
	for (int i = 0; i < ranks; i++)
		fprintf(f, "%s1:1", i ? "," : "");
	fprintf(f, "),1\nc:1:1:%d", ranks);
	for (int i = 0; i < ranks; i++)
		fprintf(f, ":%d", i + 1);
	fprintf(f, s->members ? "\nc:1:2:%d" : "\n", s->members);
	for (int i = 0; i < s->members; i++)
		fprintf(f, i + 1 < s->members ? ":%d" : ":%d\n", s->member[i] + 1);
	qsort(p->line, (size_t)p->n, sizeof *p->line, by_time);
	for (int i = 0; i < p->n; i++) {
		fprintf(f, "%s\n", p->line[i].text);
		if (rng_below(p->r, 10) == 0) /* a state; a comment */
			fprintf(f, rng_below(p->r, 2) ? "1:1:1:1:1:0:5:1\n" : "# 2:1:1:1\n");
	}
	assert_int_equal(fclose(f), 0);
}

static void names_write(const struct prv *p, struct tmp *tmp)
{
	static const int types[] = {P2P, COLL, OTHER};
	struct str s = {0};

	for (int t = 0; t < 3; t++) {
		str_printf(&s, "EVENT_TYPE\n9   %d    MPI something\nVALUES\n", types[t]);
		for (int op = 0; op < SEEN_OPS; op++)
			if (type_of((enum seen_op)op) == types[t])
				str_printf(&s, "%d   %s\n", number_of(p, (enum seen_op)op),
				           seen_names[op]);
		str_puts(&s, "0   Outside MPI\n\n\n");
	}
	tmp_write(tmp, "a.pcf", s.s);
	str_release(&s);
}

/* Computations in instructions, where they are counted. */
static void lines_write(const struct prv *p, const struct seen_program *s, struct tmp *tmp)
{
	struct str lines = {0}, counted = {0};
	int rank, used;
	long long ns;

	seen_lines(s, &lines);
	for (const char *line = lines.s; *line; line += strcspn(line, "\n") + 1)
		if (p->counted && sscanf(line, "%d compute %lld%n", &rank, &ns, &used) == 2)
			str_printf(&counted, "%d compute %lld\n", rank,
			           ns / 1000 * p->instructions);
		else
			str_putn(&counted, line, strcspn(line, "\n") + 1);
	tmp_write(tmp, "lines", counted.s);
	str_release(&lines);
	str_release(&counted);
}

static void no_flushes(struct seen_program *s) /* Extrae's are states, which say nothing */
{
	for (int rank = 0; rank < s->ranks; rank++)
		for (int i = 0; i < s->rank[rank].calls; i++)
			assert_int_equal(s->rank[rank].call[i].flush, 0);
}

static void records_become_calls(void **state)
{
	static struct prv_line line[LINES];
	static struct seen_program s;

	(void)state;
	for (uint64_t seed = prop_seed(0); seed < prop_seed(PROGRAMS); seed++) {
		char lines[320];
		struct tmp tmp;
		struct rng r;
		struct prv p = {.line = line, .r = &r};

		print_message("seed %llu\n", (unsigned long long)seed);
		rng_init(&r, seed, "paraver", 0);
		s.no_flushes = 1;
		seen_program_draw(&s, &r, 1);
		no_flushes(&s);
		p.named = (int)rng_below(&r, 2);
		p.together = (int)rng_below(&r, 2);
		p.counted = (int)rng_below(&r, 2);
		p.instructions = 1 + (int)rng_below(&r, 5000);
		p.unit = rng_below(&r, 2) ? 1 : 1000;
		for (int rank = 0; rank < s.ranks; rank++)
			rank_add(&p, &s, rank);
		messages_add(&p, &s);
		tmp_init(&tmp);
		names_write(&p, &tmp);
		lines_write(&p, &s, &tmp);
		snprintf(lines, sizeof lines, "%s", tmp.path);
		file_write(&p, tmp_path(&tmp, "a.prv"), &s);
		same_events(tmp.path, lines);
		seen_release(&s);
		tmp_release(&tmp);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(records_become_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
