/* prop_dialects.c: random programs in each of the grammars since 2010, printed by what smpi_replay
 * and the MSG examples of that time took (docs/trace-format.md, "Older formats"): which one it is,
 * is recognised, and each line means what it meant then. The seed is printed. */
#include "../prop.h"

#include "unit/trace/trace_test.h"

#include "base/rng.h"

enum { PROGRAMS = 300, LINES = 60, RANKS = 5, TYPES_THEN = 7 };
enum grammar_then { MSG, THEN_2012, THEN_2013, THEN_2018, NOW, GRAMMARS };

struct then_line {
	enum trace_op op;
	uint32_t rank;
	int32_t peer, peer2, tag, root, type, type2; /* type: -1: not said */
	int64_t count, count2;
	double volume;
};
struct then_program {
	enum grammar_then grammar;
	int ranks, doubles; /* doubles: init says that counts without a type are of them */
	struct then_line line[RANKS * LINES];
	int n;
};

static int below(struct rng *r, int n)
{
	return (int)rng_below(r, (uint64_t)n);
}

static void line_draw(struct rng *r, struct then_program *p, uint32_t rank, enum trace_op op)
{
	struct then_line *l = &p->line[p->n++];

	*l = (struct then_line){.op = op, .rank = rank, .type = -1, .type2 = -1};
	l->peer = below(r, p->ranks);
	l->peer2 = below(r, p->ranks);
	if (op == TRACE_WAIT) /* for a message of one's own */
		*(below(r, 2) ? &l->peer : &l->peer2) = (int32_t)rank;
	l->count = below(r, 3) ? below(r, 100000) : ((int64_t)1 << 33) + below(r, 100);
	l->count2 = below(r, 100000);
	l->volume = below(r, 1000000) + (below(r, 2) ? 0.5 : 0);
	if (p->grammar >= THEN_2018)
		l->tag = below(r, 3);
	if (p->grammar >= THEN_2013 && op == TRACE_BCAST && below(r, 2))
		l->root = below(r, p->ranks);
	if (p->grammar >= THEN_2013 && below(r, 2))
		l->type = below(r, TYPES_THEN);
	if (p->grammar >= THEN_2018 &&
	    (op == TRACE_SEND || op == TRACE_ISEND || op == TRACE_RECV || op == TRACE_IRECV))
		l->type = l->type < 0 ? below(r, TYPES_THEN) : l->type;
	if (l->type >= 0 && below(r, 2))
		l->type2 = below(r, TYPES_THEN);
	if (op == TRACE_REDUCE || op == TRACE_ALLREDUCE)
		l->volume = below(r, 5000);
}

/* In each program there are lines that only its grammar has. */
static void marks_draw(struct rng *r, struct then_program *p, uint32_t rank)
{
	if (p->grammar == THEN_2013)
		line_draw(r, p, rank, TRACE_GATHER);
	line_draw(r, p, rank, TRACE_IRECV);
	line_draw(r, p, rank, TRACE_WAIT);
	line_draw(r, p, rank, TRACE_ISEND);
}

static void program_draw(struct rng *r, struct then_program *p)
{
	static const enum trace_op ops[] = {
	    TRACE_COMPUTE, TRACE_SEND,    TRACE_RECV,      TRACE_ISEND,    TRACE_BCAST,
	    TRACE_REDUCE,  TRACE_BARRIER, TRACE_ALLREDUCE, TRACE_ALLTOALL, TRACE_GATHER};

	p->grammar = (enum grammar_then)below(r, GRAMMARS);
	p->ranks = 1 + below(r, RANKS);
	p->doubles = p->grammar >= THEN_2013 && below(r, 2);
	p->n = 0;
	for (int rank = 0; rank < p->ranks; rank++) {
		int n = below(r, LINES - 8);

		marks_draw(r, p, (uint32_t)rank);
		for (int i = 0; i < n; i++)
			line_draw(r, p, (uint32_t)rank,
			          ops[below(r, p->grammar >= THEN_2013 ? 10 : 8)]);
	}
}

/* --- as it was printed --- */

static const char *name_then(struct rng *r, enum grammar_then g, enum trace_op op)
{
	static const char *const now[TRACE_OPS] = {
	    [TRACE_COMPUTE] = "compute",     [TRACE_SEND] = "send",
	    [TRACE_RECV] = "recv",           [TRACE_ISEND] = "isend",
	    [TRACE_IRECV] = "irecv",         [TRACE_WAIT] = "wait",
	    [TRACE_BCAST] = "bcast",         [TRACE_REDUCE] = "reduce",
	    [TRACE_BARRIER] = "barrier",     [TRACE_GATHER] = "gather",
	    [TRACE_ALLREDUCE] = "allreduce", [TRACE_ALLTOALL] = "alltoall"};

	if (g >= THEN_2018)
		return now[op];
	switch (op) { /* capitals inside names */
	case TRACE_ISEND:
		return "Isend";
	case TRACE_IRECV:
		return "Irecv";
	case TRACE_ALLREDUCE:
		return "allReduce";
	case TRACE_ALLTOALL:
		return below(r, 2) ? "allToAll" : "alltoall";
	default:
		return now[op];
	}
}

static void rank_put(const struct then_program *p, struct str *s, int32_t rank)
{
	str_printf(s, p->grammar == MSG ? "p%d" : "%d", rank);
}

static void types_put(struct str *s, const struct then_line *l, int two)
{
	if (l->type >= 0)
		str_printf(s, " %d", l->type);
	if (two && l->type >= 0 && l->type2 >= 0)
		str_printf(s, " %d", l->type2);
}

static void message_put(struct rng *r, const struct then_program *p, struct str *s,
                        struct then_line *l)
{
	int receives = l->op == TRACE_RECV || l->op == TRACE_IRECV;

	str_puts(s, " ");
	rank_put(p, s, l->peer);
	if (p->grammar >= THEN_2018)
		str_printf(s, " %d", l->tag);
	if (p->grammar == MSG && receives && below(r, 2)) {
		l->count = TRACE_COUNT_ANY; /* whatever comes */
		return;
	}
	str_printf(s, " %lld", (long long)l->count);
	types_put(s, l, 0);
}

static void arguments_put(struct rng *r, const struct then_program *p, struct str *s,
                          struct then_line *l)
{
	switch (l->op) {
	case TRACE_COMPUTE:
		str_printf(s, " %.1f", l->volume);
		break;
	case TRACE_BARRIER:
		break;
	case TRACE_WAIT:
		if (p->grammar >= THEN_2018)
			str_printf(s, " %d %d %d", l->peer + (p->grammar == THEN_2018),
			           l->peer2 + (p->grammar == THEN_2018), l->tag);
		break;
	case TRACE_BCAST:
		str_printf(s, " %lld", (long long)l->count);
		if (p->grammar >= THEN_2013 && (l->root || l->type >= 0)) {
			str_printf(s, " %d", l->root);
			types_put(s, l, 0);
		}
		break;
	case TRACE_REDUCE:
		str_printf(s, " %lld %.0f", (long long)l->count, l->volume);
		if (p->grammar >= THEN_2013 && l->type >= 0) {
			str_printf(s, " %d", l->root);
			types_put(s, l, 0);
		}
		break;
	case TRACE_ALLREDUCE:
		str_printf(s, " %lld %.0f", (long long)l->count, l->volume);
		types_put(s, l, 0);
		break;
	case TRACE_GATHER:
		str_printf(s, " %lld %lld", (long long)l->count, (long long)l->count2);
		if (l->type >= 0) {
			str_printf(s, " %d", l->root);
			types_put(s, l, 1);
		}
		break;
	case TRACE_ALLTOALL:
		str_printf(s, " %lld %lld", (long long)l->count, (long long)l->count2);
		types_put(s, l, 1);
		break;
	default:
		message_put(r, p, s, l);
		break;
	}
}

static void program_put(struct rng *r, struct then_program *p, struct str *s)
{
	for (int rank = 0; rank < p->ranks; rank++) {
		rank_put(p, s, rank);
		str_puts(s, p->doubles ? " init 1\n" : " init\n");
	}
	for (int i = 0; i < p->n; i++) {
		struct then_line *l = &p->line[i];

		rank_put(p, s, (int32_t)l->rank);
		str_printf(s, " %s", name_then(r, p->grammar, l->op));
		arguments_put(r, p, s, l);
		str_puts(s, below(r, 10) ? "\n" : " \r\n");
	}
}

/* --- what it means --- */

static int64_t bytes_of(const struct then_program *p, int32_t type)
{
	static const int64_t bytes[TYPES_THEN] = {8, 4, 1, 2, 8, 4, 1};

	return type >= 0 ? bytes[type] : p->doubles ? 8 : 1;
}

static void wait_is(const struct then_program *p, const struct then_line *l,
                    const struct trace_event *ev)
{
	if (p->grammar >= THEN_2018) {
		assert_int_equal(ev->flags, TRACE_BY_KEY);
		assert_int_equal(ev->peer, l->peer);
		assert_int_equal(ev->peer2, l->peer2);
		assert_int_equal(ev->tag, l->tag);
	} else {
		assert_int_equal(ev->flags,
		                 p->grammar == THEN_2013 ? TRACE_LATEST : TRACE_LATEST_RECV);
	}
}

static void line_is(const struct then_program *p, const struct then_line *l,
                    const struct trace_event *ev)
{
	assert_int_equal(ev->op, l->op);
	switch (l->op) {
	case TRACE_COMPUTE:
		assert_double_is(ev->volume, l->volume);
		return;
	case TRACE_BARRIER:
		return;
	case TRACE_WAIT:
		wait_is(p, l, ev);
		return;
	case TRACE_GATHER:
	case TRACE_ALLTOALL:
		assert_int_equal(ev->count2, l->count2);
		assert_int_equal(ev->type_size2, bytes_of(p, l->type >= 0 ? l->type2 : -1));
		break;
	case TRACE_REDUCE:
	case TRACE_ALLREDUCE:
		assert_double_is(ev->volume, l->volume);
		break;
	case TRACE_BCAST:
		assert_int_equal(ev->root, l->root);
		break;
	default:
		assert_int_equal(ev->peer, l->peer);
		assert_int_equal(ev->tag, l->tag);
		break;
	}
	assert_int_equal(ev->count, l->count);
	assert_int_equal(ev->type_size, bytes_of(p, l->type));
}

static void program_is(const char *path, const struct then_program *p)
{
	static const char *const names[GRAMMARS] = {"MSG", "3.8 or 3.9", "3.10 to 3.19",
	                                            "3.20 to 3.28", "3.20 or later"};
	struct err err;
	struct trace *t = trace_open(path, 0, &err);
	struct trace_event ev;

	if (!t)
		fail_msg("%s", err.text);
	if (!strstr(trace_format_name(t), names[p->grammar]))
		fail_msg("%s, not %s", trace_format_name(t), names[p->grammar]);
	assert_int_equal(trace_ranks(t), p->ranks);
	for (uint32_t rank = 0; rank < (uint32_t)p->ranks; rank++) {
		assert_int_equal(trace_next(t, rank, &ev, &err), 1);
		assert_int_equal(ev.op, TRACE_INIT);
		for (int i = 0; i < p->n; i++) {
			if (p->line[i].rank != rank)
				continue;
			if (trace_next(t, rank, &ev, &err) <= 0)
				fail_msg("%s", err.text);
			line_is(p, &p->line[i], &ev);
		}
		assert_int_equal(trace_next(t, rank, &ev, &err), 0);
	}
	trace_close(t);
}

static void lines_mean_what_they_meant(void **state)
{
	static struct then_program p;
	char dir[64], path[256];

	(void)state;
	folder_make(dir);
	for (uint64_t seed = prop_seed(0); seed < prop_seed(PROGRAMS); seed++) {
		struct str s = {0};
		struct rng r;

		print_message("seed %llu\n", (unsigned long long)seed);
		rng_init(&r, seed, "dialects", 0);
		program_draw(&r, &p);
		program_put(&r, &p, &s);
		program_is(file_make(path, dir, "t", s.s), &p);
		remove(path);
		str_release(&s);
	}
	folder_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lines_mean_what_they_meant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
