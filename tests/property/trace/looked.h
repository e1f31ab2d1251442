/* looked.h: random lists of events with requests that are given, completed, tested, looked at
 * again; and what its tests become when the whole list is known, by the words of looks.h. Which
 * line of the list looks again at what is searched each time anew. */
#ifndef ORRERY_TESTS_TRACE_LOOKED_H
#define ORRERY_TESTS_TRACE_LOOKED_H

#include "test.h"

#include "base/rng.h"
#include "trace/text/looks.h"

enum { LINES = 80, REQS = 5 };

struct line {
	struct trace_event ev;
	int64_t reqs[REQS], done[REQS];
};
static struct line lines[LINES + 1]; /* from 1 on */

/* Some of the requests 0 … REQS-1 in random order. */
static int64_t some(struct rng *r, int64_t *out, const int64_t *of, int64_t n, uint64_t least)
{
	int64_t all[REQS], k = (int64_t)(least + rng_below(r, (uint64_t)n + 1 - least));

	memcpy(all, of, (size_t)n * sizeof *all);
	for (int64_t i = 0; i < k; i++) {
		int64_t at = i + (int64_t)rng_below(r, (uint64_t)(n - i)), x = all[at];

		all[at] = all[i];
		all[i] = out[i] = x;
	}
	return k;
}

static void line_draw(struct line *l, struct rng *r)
{
	static const enum trace_op ops[] = {TRACE_IRECV,   TRACE_ISEND,    TRACE_START,
	                                    TRACE_WAIT,    TRACE_TEST,     TRACE_TESTSOME,
	                                    TRACE_TESTALL, TRACE_WAITSOME, TRACE_WAITALL};
	static const int64_t all[REQS] = {0, 1, 2, 3, 4};
	enum trace_op op = ops[rng_below(r, 9)];

	trace_event_init(&l->ev, op);
	l->ev.duration = 0.5;
	l->ev.req = (int64_t)rng_below(r, REQS);
	l->ev.reqs = l->reqs;
	l->ev.done = l->done;
	if (op == TRACE_TEST || op == TRACE_WAIT) {
		l->done[0] = l->ev.req;
		l->ev.n_done = op == TRACE_TEST && rng_below(r, 2);
		return;
	}
	if (op == TRACE_IRECV || op == TRACE_ISEND) {
		l->ev.peer = 1;
		l->ev.count = 8;
		return;
	}
	l->ev.req = -1;
	l->ev.n_reqs = some(r, l->reqs, all, REQS, 1);
	if (op == TRACE_TESTSOME || op == TRACE_WAITSOME)
		l->ev.n_done = some(r, l->done, l->reqs, l->ev.n_reqs, op == TRACE_WAITSOME);
	else if (op == TRACE_TESTALL && rng_below(r, 2)) {
		memcpy(l->done, l->reqs, sizeof l->done);
		l->ev.n_done = l->ev.n_reqs;
	}
}

static int has(const int64_t *list, int64_t n, int64_t req)
{
	for (int64_t i = 0; i < n; i++)
		if (list[i] == req)
			return 1;
	return 0;
}

static int is_test(const struct trace_event *ev)
{
	return ev->op == TRACE_TEST || ev->op == TRACE_TESTSOME || ev->op == TRACE_TESTALL;
}

static int completes(const struct trace_event *ev, int64_t req)
{
	if (ev->op == TRACE_WAIT)
		return ev->req == req;
	if (ev->op == TRACE_WAITALL)
		return has(ev->reqs, ev->n_reqs, req);
	return (is_test(ev) || ev->op == TRACE_WAITSOME) && has(ev->done, ev->n_done, req);
}

static int gives(const struct trace_event *ev, int64_t req)
{
	if (ev->op == TRACE_IRECV || ev->op == TRACE_ISEND)
		return ev->req == req;
	return ev->op == TRACE_START && has(ev->reqs, ev->n_reqs, req);
}

/* A test at a line completed it, and some later line does, before it is given anew. */
static int is_again(int line, int64_t req)
{
	if (!is_test(&lines[line].ev) || !completes(&lines[line].ev, req))
		return 0;
	for (int k = line + 1; k <= LINES; k++) {
		if (gives(&lines[k].ev, req))
			return 0;
		if (completes(&lines[k].ev, req))
			return 1;
	}
	return 0;
}

static int64_t part(int line, const int64_t *list, int64_t n, int again, int64_t *out)
{
	int64_t k = 0;

	for (int64_t i = 0; i < n; i++)
		if (is_again(line, list[i]) == again)
			out[k++] = list[i];
	return k;
}

/* What the line becomes: 1, in *text; 0: it stays. */
static int wanted(int line, struct str *text)
{
	struct trace_event look = lines[line].ev, rest = look;
	int64_t some_reqs[REQS], other_reqs[REQS], other_done[REQS];
	int any = 0;

	for (int64_t req = 0; req < REQS; req++)
		any |= is_again(line, req);
	if (!any)
		return 0;
	look.flags |= TRACE_NO_DONE;
	if (look.op == TRACE_TEST) {
		trace_event_format(text, 3, &look);
		return 1;
	}
	look.n_reqs = part(line, rest.reqs, rest.n_reqs, 1, some_reqs);
	rest.n_done = part(line, rest.done, rest.n_done, 0, other_done);
	rest.n_reqs = part(line, rest.reqs, rest.n_reqs, 0, other_reqs);
	look.reqs = some_reqs;
	rest.reqs = other_reqs;
	rest.done = other_done;
	if (rest.n_done > 0)
		look.duration = -1; /* the time is the other's */
	trace_event_format(text, 3, &look);
	if (rest.n_done > 0)
		trace_event_format(text, 3, &rest);
	return 1;
}

#endif
