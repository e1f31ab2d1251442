/* prop_goal.c: random schedules of GOAL (goal_draw.h), in both of its forms, and the sequence that
 * each rank of them becomes, held against the graph: every operation once and as it was written,
 * none before what it requires, none waited for while something may start, nor without holding
 * something back. Then the same files cut and changed. The seed is printed. */
#include "../prop.h"

#include "goal_draw.h"

enum { SCHEDULES = 400, CHANGED = 60, CHANGES = 40 };

/* Is a message to `to` apart from what its receives of any tag take? Counted as the page of foreign
 * traces has it: there are such, and as many others name the tag as messages have it. */
static int is_apart(const struct draw_goal *g, int to, int tag)
{
	int any = 0, named = 0, sent = 0;

	for (int r = 0; r < g->ranks; r++)
		for (int i = 0; i < g->rank[r].n; i++) {
			const struct draw_op *o = &g->rank[r].op[i];

			if (o->kind == DRAW_SEND)
				sent += o->peer == to && o->tag == tag;
			if (o->kind == DRAW_RECV && r == to) {
				any += o->tag == -1;
				named += o->tag == tag;
			}
		}
	return any > 0 && tag != -1 && named == sent;
}

/* What of a rank has begun, has ended. What takes no time is in no trace: it ends as soon as it
 * may. */
struct follow {
	const struct draw_goal *g;
	const struct draw_rank *k;
	int rank;
	int begun[DRAW_OPS], ended[DRAW_OPS];
};

static int is_nothing(const struct draw_op *o)
{
	return o->kind == DRAW_CALC && o->size == 0;
}

static int may_start(const struct follow *p, int i)
{
	for (int e = 0; e < p->k->edges; e++) {
		const struct draw_edge *d = &p->k->edge[e];

		if (d->to == i && !(d->start ? p->begun[d->from] : p->ended[d->from]))
			return 0;
	}
	return !p->begun[i];
}

static void nothing_runs(struct follow *p)
{
	for (int again = 1; again;) {
		again = 0;
		for (int i = 0; i < p->k->n; i++)
			if (is_nothing(&p->k->op[i]) && may_start(p, i))
				p->begun[i] = p->ended[i] = again = 1;
	}
}

/* The operation of this kind and size that has not begun. */
static int op_find(const struct follow *p, enum draw_kind kind, int64_t size)
{
	for (int i = 0; i < p->k->n; i++)
		if (!p->begun[i] && p->k->op[i].kind == kind && p->k->op[i].size == size)
			return i;
	fail_msg("no operation of kind %d and size %lld is left", kind, (long long)size);
	return -1;
}

/* Does it wait for a computation of no time, which has its turn among computations? */
static int after_nothing(const struct follow *p, int i)
{
	for (int e = 0; e < p->k->edges; e++)
		if (p->k->edge[e].to == i && is_nothing(&p->k->op[p->k->edge[e].from]))
			return 1;
	return 0;
}

static int some_may_start(const struct follow *p)
{
	for (int i = 0; i < p->k->n; i++)
		if (may_start(p, i))
			return 1;
	return 0;
}

static int some_message_may_start(const struct follow *p)
{
	for (int i = 0; i < p->k->n; i++)
		if (p->k->op[i].kind != DRAW_CALC && may_start(p, i) && !after_nothing(p, i))
			return 1;
	return 0;
}

static void begins(struct follow *p, const struct trace_event *ev, int64_t req[])
{
	int calc = ev->op == TRACE_COMPUTE;
	enum draw_kind kind = calc ? DRAW_CALC : ev->op == TRACE_ISEND ? DRAW_SEND : DRAW_RECV;
	int i = op_find(p, kind, calc ? (int64_t)ev->volume : ev->count);

	assert_true(may_start(p, i));
	if (calc) {
		assert_false(some_message_may_start(p));
		assert_double_is(ev->duration, (double)p->k->op[i].size / 1e9);
	} else {
		assert_int_equal(ev->peer, p->k->op[i].peer);
		assert_int_equal(ev->tag, p->k->op[i].tag);
		assert_int_equal(ev->type_size, 1);
		assert_int_equal(ev->comm != 0,
		                 is_apart(p->g, kind == DRAW_SEND ? ev->peer : p->rank, ev->tag));
		req[i] = ev->req;
	}
	p->begun[i] = 1;
	p->ended[i] = calc;
	nothing_runs(p);
}

static int requires(const struct follow *p, int to, int from)
{
	for (int e = 0; e < p->k->edges; e++)
		if (p->k->edge[e].to == to && p->k->edge[e].from == from && !p->k->edge[e].start)
			return 1;
	return 0;
}

/* An operation that has not begun requires it. */
static int holds_back(const struct follow *p, int from)
{
	for (int i = 0; i < p->k->n; i++)
		if (!p->begun[i] && requires(p, i, from))
			return 1;
	return 0;
}

static void ends(struct follow *p, int64_t number, const int64_t req[], int last)
{
	int i = 0;

	while (i < p->k->n && !(p->begun[i] && !p->ended[i] && req[i] == number))
		i++;
	assert_true(i < p->k->n);
	assert_true(last || holds_back(p, i));
	p->ended[i] = 1;
	nothing_runs(p);
}

static void rank_follows(struct trace *t, uint32_t rank, const struct draw_goal *g)
{
	const struct draw_rank *k = &g->rank[rank];
	struct follow p = {.g = g, .k = k, .rank = (int)rank};
	int64_t req[DRAW_OPS] = {0};
	struct trace_event ev;
	struct err err;

	nothing_runs(&p);
	assert_int_equal(trace_next(t, rank, &ev, &err), 1);
	assert_int_equal(ev.op, TRACE_INIT);
	while (trace_next(t, rank, &ev, &err) > 0 && ev.op != TRACE_FINALIZE) {
		if (ev.op == TRACE_COMM_CREATE_GROUP)
			continue;
		if (ev.op != TRACE_WAIT && ev.op != TRACE_WAITALL) {
			begins(&p, &ev, req);
			continue;
		}
		assert_false(some_may_start(&p));
		if (ev.op == TRACE_WAIT)
			ends(&p, ev.req, req, 0);
		for (int64_t i = 0; i < ev.n_reqs; i++)
			ends(&p, ev.reqs[i], req, 1);
	}
	assert_int_equal(ev.op, TRACE_FINALIZE);
	for (int i = 0; i < k->n; i++)
		assert_true(p.ended[i]);
	assert_int_equal(trace_next(t, rank, &ev, &err), 0);
}

static void schedule_follows(const char *path, const struct draw_goal *g)
{
	struct err err = {0};
	struct trace *t = trace_open(path, 0, &err);

	if (!t)
		fail_msg("%s", err.text);
	assert_int_equal(trace_ranks(t), g->ranks);
	for (int i = g->ranks; i-- > 0;)
		rank_follows(t, (uint32_t)i, g);
	trace_close(t);
}

static int differ_cpu(const struct draw_goal *g, int nics)
{
	for (int i = 0; i < g->ranks; i++)
		for (int a = 0; a < g->rank[i].n; a++)
			for (int b = 0; b < a; b++) {
				const struct draw_op *x = &g->rank[i].op[a], *y = &g->rank[i].op[b];

				if ((x->kind == DRAW_CALC) == nics ||
				    (y->kind == DRAW_CALC) == nics)
					continue;
				if (nics ? x->nic != y->nic : x->cpu != y->cpu)
					return 1;
			}
	return 0;
}

/* What is lost is told, and nothing else. */
static void losses_are_told(const char *path, const struct draw_goal *g)
{
	struct err err;
	struct trace *t = trace_open(path, 0, &err);

	assert_non_null(t);
	assert_int_equal(strstr(trace_notices(t), "several processors") != NULL, differ_cpu(g, 0));
	assert_int_equal(strstr(trace_notices(t), "several interfaces") != NULL, differ_cpu(g, 1));
	trace_close(t);
}

static void sequences_follow_the_graph(void **state)
{
	struct tmp tmp;

	(void)state;
	tmp_init(&tmp);
	for (uint64_t seed = prop_seed(0); seed < prop_seed(SCHEDULES); seed++) {
		static struct draw_goal g;
		static struct blob b;
		struct str text = {0};
		struct rng r;

		print_message("seed %llu\n", (unsigned long long)seed);
		rng_init(&r, seed, "goal", 0);
		draw_schedule(&r, &g);
		goal_text_put(&r, &text, &g);
		schedule_follows(fresh_write(&tmp, "s.goal", text.s), &g);
		losses_are_told(tmp_path(&tmp, "s.goal"), &g);
		goal_binary_put(&b, &g);
		schedule_follows(fresh_write_n(&tmp, "s.bin", b.at, b.n), &g);
		str_release(&text);
	}
	tmp_release(&tmp);
}

/* --- cut, changed --- */

/* 1: it was read to its end; 0: an error of input was worded. */
static int is_read(const char *path)
{
	struct err err = {0};
	struct trace *t = trace_open(path, 0, &err);
	struct trace_event ev;
	int more = t ? 0 : -1;

	for (uint32_t i = 0; t && i < trace_ranks(t) && more == 0; i++)
		while ((more = trace_next(t, i, &ev, &err)) > 0)
			;
	if (more < 0) {
		assert_int_equal(err.kind, ERR_INPUT);
		assert_true(err.text[0] != '\0');
	}
	trace_close(t);
	return more == 0;
}

static void cut_ones_are_told(void **state)
{
	struct tmp tmp;

	(void)state;
	tmp_init(&tmp);
	for (uint64_t seed = prop_seed(0); seed < prop_seed(CHANGED); seed++) {
		static struct draw_goal g;
		static struct blob b;
		struct str text = {0};
		struct rng r;
		size_t whole, at;

		rng_init(&r, seed, "cut goal", 0);
		draw_schedule(&r, &g);
		goal_text_put(&r, &text, &g);
		whole = (size_t)(strrchr(text.s, '}') - text.s);
		for (int i = 0; i < CHANGES; i++) {
			at = rng_below(&r, whole);
			assert_false(is_read(fresh_write_n(&tmp, "c", text.s, at)));
		}
		goal_binary_put(&b, &g);
		for (int i = 0; i < CHANGES; i++) {
			at = rng_below(&r, b.n);
			assert_false(is_read(fresh_write_n(&tmp, "c", b.at, at)));
		}
		str_release(&text);
	}
	tmp_release(&tmp);
}

/* Any byte is another one: it is read as something else, or an error of input, whatever it is. */
static void changed_ones_do_no_harm(void **state)
{
	struct tmp tmp;
	int read = 0, refused = 0;

	(void)state;
	tmp_init(&tmp);
	for (uint64_t seed = prop_seed(0); seed < prop_seed(CHANGED); seed++) {
		static struct draw_goal g;
		static struct blob b;
		struct rng r;

		rng_init(&r, seed, "changed goal", 0);
		draw_schedule(&r, &g);
		for (int i = 0; i < CHANGES; i++) {
			goal_binary_put(&b, &g);
			b.at[8 + rng_below(&r, b.n - 8)] = (unsigned char)rng_below(&r, 256);
			if (is_read(fresh_write_n(&tmp, "x", b.at, b.n)))
				read++;
			else
				refused++;
		}
	}
	assert_true(read > 0 && refused > 0);
	tmp_release(&tmp);
}

/* Very many operations, each of which requires the next of the file; one that requires them all. */
static void many_that_wait(void **state)
{
	enum { MANY = 60000 };
	struct str text = {0};
	struct trace_event ev;
	struct trace *t;
	struct err err;
	struct tmp tmp;

	(void)state;
	str_puts(&text, "num_ranks 1\nrank 0 {\n");
	for (int i = 0; i < MANY; i++)
		str_printf(&text, "l%d: recv %db from 0\n", i, i);
	str_puts(&text, "c: calc 7\n");
	for (int i = 0; i < MANY; i++) {
		str_printf(&text, "c requires l%d\n", i);
		if (i > 0)
			str_printf(&text, "l%d requires l%d\n", i - 1, i);
	}
	str_puts(&text, "}\n");
	tmp_init(&tmp);
	t = trace_open(tmp_write(&tmp, "m.goal", text.s), 0, &err);
	if (!t)
		fail_msg("%s", err.text);
	assert_int_equal(trace_next(t, 0, &ev, &err), 1);
	for (int i = MANY - 1; i >= 0; i--) { /* posted, waited for */
		assert_int_equal(trace_next(t, 0, &ev, &err), 1);
		assert_true(ev.op == TRACE_IRECV && ev.count == i);
		assert_int_equal(trace_next(t, 0, &ev, &err), 1);
		assert_int_equal(ev.op, TRACE_WAIT);
	}
	assert_int_equal(trace_next(t, 0, &ev, &err), 1);
	assert_int_equal(ev.op, TRACE_COMPUTE);
	trace_close(t);
	str_release(&text);
	tmp_release(&tmp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(sequences_follow_the_graph),
	    cmocka_unit_test(cut_ones_are_told),
	    cmocka_unit_test(changed_ones_do_no_harm),
	    cmocka_unit_test(many_that_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
