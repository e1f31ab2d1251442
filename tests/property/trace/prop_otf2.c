/* prop_otf2.c: random programs (message_draw.h, coll_draw.h) as OTF2 archives, written by way of
 * libotf2, and read back: the same messages, waits, times and collectives, whose sizes are sums
 * over their members there. The seed is printed. */
#include "../prop.h"

#include "coll_draw.h"
#include "message_draw.h"

#include "unit/trace/foreign_text.h"
#include "unit/trace/write_text.h"

#include <math.h>

#ifndef ORRERY_HAVE_OTF2
int main(void)
{
	puts("skipped: libotf2 is missing (Debian: libotf2-trace-dev)");
	return 77;
}
#else

enum { PROGRAMS = 30, GROUPS = 25 };

static struct trace *written(struct tmp *tmp, const struct str *lines, int ranks, uint64_t seed)
{
	const struct trace_open_options o = {.even_split = 1};
	struct trace *t;
	char name[32];
	struct err err;

	snprintf(name, sizeof name, "%llu", (unsigned long long)seed);
	assert_ok(lines_write(lines->s, (uint32_t)ranks, TRACE_WRITE_OTF2, tmp_path(tmp, name),
	                      NULL, &err),
	          err);
	t = trace_open_with(tmp->path, 0, &o, &err);
	if (!t)
		fail_msg("%s", err.text);
	assert_int_equal(trace_ranks(t), ranks);
	return t;
}

/* A test that found nothing, a wait for nobody's message. */
static int completes_nothing(const struct trace_event *ev)
{
	if (!trace_op_has((enum trace_op)ev->op, TRACE_COMPLETES) || ev->op == TRACE_WAIT)
		return 0;
	return ev->op == TRACE_WAITALL ? ev->n_reqs == 0 : ev->n_done == 0;
}

/* The next event but those that make communicators and those that are nothing. */
static int event_next(struct trace *t, uint32_t rank, struct trace_event *ev)
{
	struct err err;
	int more;

	do {
		more = trace_next(t, rank, ev, &err);
		if (more < 0)
			fail_msg("%s", err.text);
	} while (more > 0 && (trace_op_makes_comm((enum trace_op)ev->op) || ev->op == TRACE_INIT ||
	                      completes_nothing(ev)));
	return more;
}

/* --- messages --- */

struct reading {
	struct trace *t;
	uint32_t rank;
	const struct did_rank *k;
	struct trace_event ev;
	int64_t req[DID_MOST]; /* of what the rank posted */
	int more;
};

static void reading_next(struct reading *x)
{
	x->more = event_next(x->t, x->rank, &x->ev);
}

/* Computations without a call between them are one, calls that have no records tell them apart. */
static void computed(struct reading *x, int64_t ns)
{
	double seconds = 0;

	for (; x->more > 0 && x->ev.op == TRACE_COMPUTE; reading_next(x))
		seconds += x->ev.duration;
	if (!(fabs(seconds * 1e9 - (double)ns) <= 1 + 1e-9 * (double)ns))
		fail_msg("rank %u: %.9g s, not %lld ns", x->rank, seconds, (long long)ns);
}

static int fits(const struct did *d, uint8_t op)
{
	if (d->kind == DID_RECV)
		return op == (d->posted ? TRACE_IRECV : TRACE_RECV);
	if (d->sync)
		return op == (d->posted ? TRACE_ISSEND : TRACE_SSEND);
	return d->posted ? op == TRACE_ISEND || op == TRACE_IBSEND || op == TRACE_IRSEND
	                 : op == TRACE_SEND || op == TRACE_BSEND || op == TRACE_RSEND;
}

static void message_is(struct reading *x, const struct did *d)
{
	assert_true(x->more > 0);
	if (!fits(d, x->ev.op))
		fail_msg("rank %u: %s, not of kind %d, posted %d", x->rank,
		         trace_op_name((enum trace_op)x->ev.op), d->kind, d->posted);
	assert_int_equal(x->ev.peer, d->peer);
	assert_int_equal(x->ev.tag, d->tag);
	assert_int_equal(x->ev.count * x->ev.type_size, d->size);
	assert_int_equal(x->ev.comm != 0, d->comm);
	x->req[d - x->k->did] = x->ev.req;
	reading_next(x);
}

static int has(const int64_t *list, int64_t n, int64_t req)
{
	for (int64_t i = 0; i < n; i++)
		if (list[i] == req)
			return 1;
	return 0;
}

/* A call that completes requests: for each a wait, from the at-th thing on; how many. */
static int completed(struct reading *x, int at)
{
	const struct trace_event *ev = &x->ev;
	const int64_t *list = ev->op == TRACE_WAIT ? &ev->req : ev->reqs;
	int64_t n = ev->op == TRACE_WAIT ? 1 : ev->n_reqs;

	assert_true(x->more > 0 && trace_op_has((enum trace_op)ev->op, TRACE_COMPLETES));
	if (ev->op != TRACE_WAIT && ev->op != TRACE_WAITALL) {
		list = ev->done;
		n = ev->n_done;
	}
	assert_true(n > 0);
	for (int i = at; i < at + n; i++) {
		assert_true(i < x->k->n && x->k->did[i].kind == DID_WAIT);
		assert_true(has(list, n, x->req[x->k->did[i].of]));
	}
	reading_next(x);
	return (int)n;
}

static void half_is(int32_t peer, int32_t tag, int64_t bytes, const struct did *d)
{
	assert_int_equal(peer, d ? d->peer : TRACE_PROC_NULL);
	if (!d)
		return;
	assert_int_equal(tag, d->tag);
	assert_int_equal(bytes, d->size);
}

/* A sendrecv, or the half of it that is with somebody. at: behind it then. */
static void pair_is(struct reading *x, int *at)
{
	const struct did *part[2] = {NULL, NULL}; /* send, receive */
	const struct trace_event *ev = &x->ev;

	for (; *at < x->k->n && x->k->did[*at].pair; ++*at) {
		const struct did *d = &x->k->did[*at];

		if (d->kind == DID_WAIT) {
			++*at;
			break;
		}
		if (part[d->kind == DID_RECV] || (part[0] && d->kind == DID_RECV))
			break; /* of the next one */
		part[d->kind == DID_RECV] = d;
	}
	assert_true(x->more > 0);
	if (ev->op == TRACE_SENDRECV) {
		half_is(ev->peer, ev->tag, ev->count * ev->type_size, part[0]);
		half_is(ev->peer2, ev->tag2, ev->count2 * ev->type_size2, part[1]);
	} else {
		assert_int_equal(ev->op, part[0] ? TRACE_SEND : TRACE_RECV);
		assert_true(!part[0] || !part[1]);
		half_is(ev->peer, ev->tag, ev->count * ev->type_size, part[part[0] == NULL]);
	}
	reading_next(x);
}

static void rank_comes_back(struct trace *t, uint32_t rank, const struct did_rank *k)
{
	struct reading x = {.t = t, .rank = rank, .k = k};
	int64_t ns = 0;

	reading_next(&x);
	for (int i = 0; i < k->n; i++) {
		const struct did *d = &k->did[i];

		if (d->kind == DID_COMPUTE) {
			ns += d->size;
			continue;
		}
		computed(&x, ns);
		ns = 0;
		if (d->pair) {
			pair_is(&x, &i);
			i--;
			continue;
		}
		if (d->kind != DID_WAIT) {
			message_is(&x, d);
			continue;
		}
		i += completed(&x, i) - 1;
	}
	computed(&x, ns);
	assert_true(x.more > 0);
	assert_int_equal(x.ev.op, TRACE_FINALIZE);
}

/* Of receives that nothing waits for, nothing is told. */
static void end_all(struct did_program *p)
{
	for (int rank = 0; rank < p->ranks; rank++) {
		struct did_rank *k = &p->rank[rank];

		str_printf(&k->lines, "%d waitall\n", rank);
		while (k->n_open > 0)
			did_end(k, 0);
		str_printf(&k->lines, "%d finalize\n", rank);
	}
}

static void messages_come_back(void **state)
{
	static struct did_program p;
	struct tmp tmp;

	(void)state;
	tmp_init(&tmp);
	for (uint64_t seed = prop_seed(0); seed < prop_seed(PROGRAMS); seed++) {
		struct str lines;
		struct trace *t;
		struct rng r;

		print_message("seed %llu\n", (unsigned long long)seed);
		rng_init(&r, seed, "messages to OTF2", 0);
		p.no_times = p.no_wild = 1;
		did_program_draw(&r, &p, 1);
		end_all(&p);
		lines = did_lines(&p);
		t = written(&tmp, &lines, p.ranks, seed);
		for (int rank = 0; rank < p.ranks; rank++)
			rank_comes_back(t, (uint32_t)rank, &p.rank[rank]);
		trace_close(t);
		str_release(&lines);
		did_release(&p);
	}
	tmp_release(&tmp);
}

/* --- collectives --- */

static const enum trace_op ops[COLLS] = {
    TRACE_BARRIER,   TRACE_BCAST,          TRACE_REDUCE,
    TRACE_ALLREDUCE, TRACE_GATHER,         TRACE_SCATTER,
    TRACE_ALLGATHER, TRACE_ALLTOALL,       TRACE_GATHERV,
    TRACE_SCATTERV,  TRACE_ALLGATHERV,     TRACE_ALLTOALLV,
    TRACE_SCAN,      TRACE_REDUCE_SCATTER, TRACE_REDUCE_SCATTER_BLOCK};

static void counts_are(const int64_t *got, int64_t n, const int *count, int wanted)
{
	assert_int_equal(n, wanted);
	for (int i = 0; i < wanted; i++)
		assert_int_equal(got[i], count[i]);
}

static int has_one(enum coll c)
{
	return c != BARRIER && c != GATHERV && c != SCATTERV && c != ALLGATHERV && c != ALLTOALLV &&
	       c != REDUCESCATTER;
}

static int sum_of(const int *count, int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += count[i];
	return sum;
}

static void coll_is(const struct trace_event *ev, const struct group *g, const struct drawn_coll *d,
                    int me)
{
	int64_t sum = 0;

	assert_int_equal(ev->op, ops[d->c]);
	if (trace_op_has(ops[d->c], TRACE_ROOTED))
		assert_int_equal(ev->root, d->root);
	if (has_one(d->c))
		assert_int_equal(ev->count * ev->type_size, d->one);
	if (d->c == GATHERV || d->c == ALLGATHERV || d->c == REDUCESCATTER)
		counts_are(ev->counts2, ev->n_counts2, d->count, g->n);
	if (d->c == SCATTERV)
		counts_are(ev->counts, ev->n_counts, d->count, g->n);
	if (d->c != ALLTOALLV)
		return;
	for (int64_t i = 0; i < ev->n_counts; i++)
		sum += ev->counts[i];
	assert_int_equal(sum, sum_of(d->count + me * g->n, g->n));
}

static void session_comes_back(struct trace *t, const struct session *s)
{
	for (int rank = 0; rank < s->ranks; rank++) {
		struct trace_event ev;

		assert_int_equal(event_next(t, (uint32_t)rank, &ev), 1);
		for (int c = 0; c < s->calls; c++) {
			const struct group *g = &s->group[s->call[c].group];
			int me = -1;

			for (int i = 0; i < g->n; i++)
				me = g->member[i] == rank ? i : me;
			if (me < 0 || (g->n == 1 && s->call[c].group))
				continue; /* alone, nothing is sent */
			coll_is(&ev, g, &s->call[c].d, me);
			assert_int_equal(ev.comm == 0, s->call[c].group == 0);
			assert_int_equal(event_next(t, (uint32_t)rank, &ev), 1);
		}
		assert_int_equal(ev.op, TRACE_FINALIZE);
	}
}

static void collectives_come_back(void **state)
{
	struct tmp tmp;

	(void)state;
	tmp_init(&tmp);
	for (uint64_t seed = prop_seed(0); seed < prop_seed(GROUPS); seed++) {
		static struct session s;
		struct str lines;
		struct trace *t;
		struct rng r;

		print_message("group seed %llu\n", (unsigned long long)seed);
		rng_init(&r, seed, "collectives to OTF2", 0);
		session_draw(&r, &s);
		lines = session_lines(&s);
		for (int rank = 0; rank < s.ranks; rank++)
			str_printf(&lines, "%d finalize\n", rank);
		t = written(&tmp, &lines, s.ranks, seed);
		session_comes_back(t, &s);
		trace_close(t);
		str_release(&lines);
	}
	tmp_release(&tmp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(messages_come_back),
	    cmocka_unit_test(collectives_come_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
