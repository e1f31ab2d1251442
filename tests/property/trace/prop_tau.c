/* prop_tau.c: random programs (call_draw.h) as TAU's records, written by their layout in
 * docs/foreign-traces.md: of 24 and of 32 bytes, in both orders of bytes, a file for each node or
 * one for all, with TAU's numbers of events or with those of tau_merge. The seed is printed. */
#include "../prop.h"

#include "call_draw.h"
#include "same_trace.h"
#include "unit/trace/foreign_text.h"

#include <sys/stat.h>

enum { PROGRAMS = 200, RECORDS = 8000 };
/* Numbers of events: those of functions are 10 + op. */
enum {
	SIZE_EVENT = 40,
	LENGTH_EVENT = 41,
	OWN_FUNCTION = 42,
	MERGED = 50, /* + what TAU itself gives 60000 + … */
	TAU_FIRST = 60000,
	TAU_FLUSH = 60001,
	TAU_SENT = 60007,
	TAU_RECEIVED = 60008
};

struct tau_record {
	uint32_t event, node, thread;
	uint64_t parameter, us;
};
struct tau_made {
	struct tau_record *record;
	int n, fortran;
};

static void put(struct tau_made *t, int rank, uint32_t event, uint64_t parameter, int64_t us)
{
	assert_true(t->n < RECORDS);
	t->record[t->n++] = (struct tau_record){event, (uint32_t)rank, 0, parameter, (uint64_t)us};
}

/* Told three times: 0, the value, 0. */
static void put_value(struct tau_made *t, int rank, uint32_t event, int64_t v, int64_t us)
{
	put(t, rank, event, 0, us);
	put(t, rank, event, (uint64_t)v, us);
	put(t, rank, event, 0, us);
}

/* Bits 0 to 15 and 32 to 41 length, 16 to 23 and 48 to 55 tag, 24 to 31 and 56 to 63 peer. */
static uint64_t envelope(int64_t bytes, int tag, int peer)
{
	uint64_t b = (uint64_t)bytes, t = (uint64_t)tag, p = (uint64_t)peer;

	return (b & 0xffff) | (b >> 16 & 0x3ff) << 32 | (t & 0xff) << 16 | (t >> 8 & 0xff) << 48 |
	       (p & 0xff) << 24 | (p >> 8 & 0xff) << 56;
}

static void put_message(struct tau_made *t, int rank, const struct seen_message *m, int received,
                        int64_t us)
{
	put_value(t, rank, LENGTH_EVENT, m->bytes, us);
	put(t, rank, received ? TAU_RECEIVED : TAU_SENT,
	    envelope(m->bytes, m->tag, received ? m->from : m->to), us);
}

/* Of an all-to-all what is sent and what is received, of a gather at the root alone. */
static void put_size(struct tau_made *t, int rank, const struct seen_call *c)
{
	if (c->op < SEEN_BCAST || (c->op == SEEN_GATHER && rank != c->root))
		return;
	put_value(t, rank, SIZE_EVENT, c->bytes * (c->op == SEEN_ALLTOALL ? 2 : 1), c->enter);
}

static void put_call(struct tau_made *t, const struct seen_program *p, int rank,
                     const struct seen_call *c, struct rng *r)
{
	if (c->flush) {
		put(t, rank, TAU_FLUSH, 1, c->enter - c->flush);
		put(t, rank, TAU_FLUSH, (uint64_t)-1, c->enter);
	}
	if (rng_below(r, 6) == 0) { /* a function of the program, around it */
		put(t, rank, OWN_FUNCTION, 1, c->enter);
		put(t, rank, OWN_FUNCTION, (uint64_t)-1, c->enter);
	}
	put(t, rank, 10 + c->op, 1, c->enter);
	if (rng_below(r, 8) == 0 && c->op != SEEN_WAITALL) /* in the library, by itself */
		for (int way = 1; way >= -1; way -= 2)
			put(t, rank, 10 + SEEN_WAITALL, (uint64_t)(int64_t)way, c->enter);
	for (int i = 0; i < c->n_out; i++)
		put_message(t, rank, &p->message[c->out[i]], 0, p->message[c->out[i]].sent);
	put_size(t, rank, c);
	for (int i = 0; i < c->n_in; i++)
		put_message(t, rank, &p->message[c->in[i]], 1, p->message[c->in[i]].came);
	put(t, rank, 10 + c->op, (uint64_t)-1, c->leave);
	if (rng_below(r, 10) == 0) { /* another thread's */
		put(t, rank, 10 + SEEN_BARRIER, 1, c->leave);
		t->record[t->n - 1].thread = 1;
	}
}

static void rank_put(struct tau_made *t, const struct seen_program *p, int rank, struct rng *r)
{
	put(t, rank, TAU_FIRST, 3, 0);
	for (int i = 0; i < p->rank[rank].calls; i++)
		put_call(t, p, rank, &p->rank[rank].call[i], r);
}

/* --- files --- */

static struct str names_put(struct rng *r, int merged, int fortran)
{
	static const char *const of_merge[] = {
	    "EV_INIT", "FLUSH", NULL, NULL, NULL, NULL, NULL, "MESSAGE_SEND", "MESSAGE_RECV"};
	struct str s = {0};

	str_puts(&s, "30 dynamic_trace_events\n# FunctionId Group Tag \"Name Type\" Parameters\n");
	for (int op = 0; op < SEEN_OPS; op++) {
		char name[32], *p = name;

		snprintf(name, sizeof name, "%s", seen_names[op]);
		for (; fortran && *p; p++)
			*p = (char)(*p >= 'A' && *p <= 'Z' ? *p + 32 : *p);
		str_printf(&s, "%d MPI %d \"%s%s  \" EntryExit\n", 10 + op, (int)rng_below(r, 2),
		           name, fortran ? "_" : "()");
	}
	str_printf(&s, "%d TAUEVENT 0 \"Message size for whatever\" TriggerValue\n", SIZE_EVENT);
	str_printf(&s, "%d TAUEVENT 0 \"Message size sent to all nodes\" TriggerValue\n",
	           LENGTH_EVENT);
	str_printf(&s, "%d USER 1 \"main [{a.c} {1,1}]\" EntryExit\n", OWN_FUNCTION);
	for (int i = 0; merged && i < 9; i++)
		if (of_merge[i])
			str_printf(&s, "%d TRACER 0 \"%s\" TriggerValue\n", MERGED + i,
			           of_merge[i]);
	return s;
}

static void record_write(FILE *f, const struct tau_record *t, int wide, int big, int merged)
{
	static struct blob b;
	uint32_t event = merged && t->event >= TAU_FIRST ? t->event - TAU_FIRST + MERGED : t->event;

	b.big = big;
	b.n = 0;
	blob_put(&b, event, wide ? 8 : 4);
	blob_put(&b, t->node, 2);
	blob_put(&b, t->thread, 2);
	if (wide)
		blob_put(&b, 0, 4);
	blob_put(&b, t->parameter, 8);
	blob_put(&b, t->us, 8);
	assert_int_equal(fwrite(b.at, 1, b.n, f), b.n);
}

static int by_time(const void *a, const void *b)
{
	const struct tau_record *x = *(const struct tau_record *const *)a,
	                        *y = *(const struct tau_record *const *)b;

	return x->us != y->us ? (x->us > y->us) - (x->us < y->us) : (x > y) - (x < y);
}

/* One file of all, by time; the rest of a record that a full disk left behind it. */
static void merged_write(struct tmp *tmp, const struct tau_made *t, struct rng *r, int wide,
                         int big)
{
	static const struct tau_record *order[RECORDS];
	int numbers = (int)rng_below(r, 2), cut = (int)rng_below(r, 2);
	struct str names = names_put(r, numbers, t->fortran);
	FILE *f;

	for (int i = 0; i < t->n; i++)
		order[i] = &t->record[i];
	qsort(order, (size_t)t->n, sizeof *order, by_time);
	tmp_write(tmp, "tau.edf", names.s);
	f = fopen(tmp_path(tmp, "tau.trc"), "wb");
	assert_non_null(f);
	for (int i = 0; i < t->n; i++)
		record_write(f, order[i], wide, big, numbers);
	for (int i = 0; cut && i < 23; i++)
		fputc(1, f);
	fclose(f);
	str_release(&names);
}

static void folder_write(struct tmp *tmp, const struct tau_made *t, struct rng *r, int ranks,
                         int wide, int big)
{
	struct str names = names_put(r, 0, t->fortran);
	char name[64];

	for (int rank = 0; rank < ranks; rank++) {
		FILE *f;

		snprintf(name, sizeof name, "events.%d.edf", rank);
		tmp_write(tmp, name, names.s);
		snprintf(name, sizeof name, "tautrace.%d.0.0.trc", rank);
		f = fopen(tmp_path(tmp, name), "wb");
		assert_non_null(f);
		for (int i = 0; i < t->n; i++)
			if ((int)t->record[i].node == rank)
				record_write(f, &t->record[i], wide, big, 0);
		fclose(f);
	}
	str_release(&names);
}

static void records_become_calls(void **state)
{
	static struct tau_record record[RECORDS];
	static struct seen_program p;

	(void)state;
	for (uint64_t seed = prop_seed(0); seed < prop_seed(PROGRAMS); seed++) {
		struct tau_made t = {.record = record};
		struct str lines = {0};
		char path[320];
		struct tmp tmp;
		struct rng r;
		int wide, big;

		print_message("seed %llu\n", (unsigned long long)seed);
		rng_init(&r, seed, "tau", 0);
		seen_program_draw(&p, &r, 0);
		t.fortran = (int)rng_below(&r, 2);
		for (int rank = 0; rank < p.ranks; rank++)
			rank_put(&t, &p, rank, &r);
		tmp_init(&tmp);
		wide = (int)rng_below(&r, 2);
		big = (int)rng_below(&r, 2);
		seen_lines(&p, &lines);
		if (seed % 2) {
			merged_write(&tmp, &t, &r, wide, big);
			snprintf(path, sizeof path, "%s/tau.trc", tmp.dir);
		} else {
			folder_write(&tmp, &t, &r, p.ranks, wide, big);
			snprintf(path, sizeof path, "%s", tmp.dir);
		}
		same_events(path, tmp_write(&tmp, "lines", lines.s));
		str_release(&lines);
		seen_release(&p);
		tmp_release(&tmp);
	}
}

/* A rank that has very many receives and sends under way, to itself, and waits for each. */
static void many_under_way(void **state)
{
	enum { MANY = 60000 };
	const struct tau_record first = {TAU_FIRST, 0, 0, 3, 0};
	struct str names;
	struct trace_event ev;
	struct trace *t;
	struct err err;
	struct tmp tmp;
	struct rng r;
	FILE *f;

	(void)state;
	rng_init(&r, prop_seed(1), "many", 0);
	tmp_init(&tmp);
	names = names_put(&r, 0, 0);
	tmp_write(&tmp, "tau.edf", names.s);
	f = fopen(tmp_path(&tmp, "tau.trc"), "wb");
	record_write(f, &first, 0, 0, 0);
	for (int i = 0; i < 4 * MANY; i++) {
		int op = i < MANY ? SEEN_IRECV : i < 2 * MANY ? SEEN_ISEND : SEEN_WAIT;
		struct tau_record in = {(uint32_t)(10 + op), 0, 0, 1, 5}, out = in;

		out.parameter = (uint64_t)-1;
		record_write(f, &in, 0, 0, 0);
		if (i / MANY == 1 || i / MANY == 2) {
			const struct tau_record m = {i / MANY == 1 ? TAU_SENT : TAU_RECEIVED, 0, 0,
			                             envelope(8, 3, 0), 5};

			record_write(f, &m, 0, 0, 0);
		}
		record_write(f, &out, 0, 0, 0);
	}
	fclose(f);
	t = trace_open(tmp_path(&tmp, "tau.trc"), 0, &err);
	if (!t)
		fail_msg("%s", err.text);
	assert_int_equal(trace_next(t, 0, &ev, &err), 1);
	for (int64_t i = 0; i < 4 * MANY; i++) {
		assert_int_equal(trace_next(t, 0, &ev, &err), 1);
		if (i >= 2 * MANY) /* the oldest first: receives are even, sends odd */
			assert_int_equal(ev.req, i < 3 * MANY ? 2 * (i - 2 * MANY)
			                                      : 2 * (i - 3 * MANY) + 1);
	}
	trace_close(t);
	str_release(&names);
	tmp_release(&tmp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(records_become_calls),
	    cmocka_unit_test(many_under_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
