/* trace_diff.c: whether two traces are of the same structure: the same calls with the same
 * parameters, rank by rank, whatever they cost; and where they part. Of compressed traces the
 * structures are compared (same.c); only a rank that differs there is unfolded. */
#include "trace_int.h"

enum { RANKS_TOLD = 10 };

/* What an event costs is no structure, nor where it stands. */
static void cost_forget(struct trace_event *ev)
{
	ev->volume = 0;
	ev->duration = -1;
	ev->place = 0;
}

static int lines_same(struct trace_event *a, struct trace_event *b, uint32_t rank, struct str *x,
                      struct str *y, struct err *err)
{
	cost_forget(a);
	cost_forget(b);
	str_clear(x);
	str_clear(y);
	trace_event_format(x, rank, a);
	trace_event_format(y, rank, b);
	if (x->failed || y->failed)
		return err_nomem(err, "lines of a trace", x->n + y->n);
	return x->n == y->n && memcmp(x->s, y->s, x->n) == 0;
}

struct pair {
	struct trace *t[2];
	struct trace_event ev[2];
	struct str line[2];
	int more[2];
};

static int next_both(struct pair *p, uint32_t rank, struct err *err)
{
	for (int i = 0; i < 2; i++) {
		p->more[i] = trace_next(p->t[i], rank, &p->ev[i], err);
		if (p->more[i] < 0)
			return -1;
	}
	return 0;
}

static void parting_tell(const struct pair *p, uint32_t rank, uint64_t number, struct str *out)
{
	char place[512];

	str_printf(out, "rank %u parts at its event %llu:\n", rank, (unsigned long long)number);
	for (int i = 0; i < 2; i++) {
		str_printf(out, "  %s: ", trace_place(p->t[i], rank, place, sizeof place));
		if (p->more[i])
			str_putn(out, p->line[i].s, p->line[i].n);
		else
			str_puts(out, "its end\n");
	}
}

/* 1: the rank is the same in both, 0, -1. */
static int rank_diff(struct pair *p, uint32_t rank, int tell, struct str *out, struct err *err)
{
	for (uint64_t number = 1;; number++) {
		int same;

		if (next_both(p, rank, err) < 0)
			return -1;
		if (!p->more[0] && !p->more[1])
			return 1;
		for (int i = 0; i < 2; i++)
			if (!p->more[i])
				trace_event_init(&p->ev[i], TRACE_OPS - 1);
		same = lines_same(&p->ev[0], &p->ev[1], rank, &p->line[0], &p->line[1], err);
		if (same < 0)
			return -1;
		if (same && p->more[0] && p->more[1])
			continue;
		if (tell)
			parting_tell(p, rank, number, out);
		return 0;
	}
}

int trace_diff(struct trace *a, struct trace *b, struct str *out, struct err *err)
{
	uint32_t ranks = trace_ranks(a) < trace_ranks(b) ? trace_ranks(a) : trace_ranks(b),
	         differ = 0;
	struct pair p = {.t = {a, b}};
	int r = 1;

	if (trace_ranks(a) != trace_ranks(b))
		str_printf(out, "%u rank%s and %u rank%s\n", trace_ranks(a), plural(trace_ranks(a)),
		           trace_ranks(b), plural(trace_ranks(b)));
	for (uint32_t rank = 0; rank < ranks && r >= 0; rank++) {
		r = compressed_same(a, b, rank, err);
		if (r == 0)
			r = rank_diff(&p, rank, differ < RANKS_TOLD, out, err);
		differ += r == 0;
	}
	str_release(&p.line[0]);
	str_release(&p.line[1]);
	if (r < 0)
		return -1;
	if (differ)
		str_printf(out, "%u of %u rank%s %s\n", differ, ranks, plural(ranks),
		           differ == 1 ? "differs" : "differ");
	if (!differ && trace_ranks(a) == trace_ranks(b))
		str_printf(out, "the same structure: %u rank%s the same calls\n", ranks,
		           ranks == 1 ? " makes" : "s make");
	return differ || trace_ranks(a) != trace_ranks(b);
}
