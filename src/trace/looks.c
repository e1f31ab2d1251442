/* looks.c: see looks.h. */
#include "looks.h"

#include <stdlib.h>

void looks_init(struct looks *k)
{
	*k = (struct looks){0};
	hash64_init(&k->number);
}

void looks_release(struct looks *k)
{
	hash64_release(&k->number);
	free(k->tested);
	free(k->again);
	free(k->scratch);
	looks_init(k);
}

/* Request req was given: what was completed under its number is another one. */
static void given(struct looks *k, int64_t req)
{
	uint32_t i = req < 0 ? HASH_NONE : hash64_find(&k->number, (uint64_t)req);

	if (i != HASH_NONE)
		k->tested[i] = 0;
}

static uint64_t *tested_of(struct looks *k, int64_t req, struct err *err)
{
	uint32_t i = hash64_find(&k->number, (uint64_t)req);
	uint64_t *tested;

	if (i != HASH_NONE)
		return &k->tested[i];
	tested = vec_grow(k->tested, &k->cap_tested, sizeof *tested, (size_t)k->n_tested + 1,
	                  "requests", err);
	if (!tested)
		return NULL;
	k->tested = tested;
	if (hash64_put(&k->number, (uint64_t)req, k->n_tested, err) < 0)
		return NULL;
	tested[k->n_tested] = 0;
	return &tested[k->n_tested++];
}

/* A line completes request req: by a test, which may not be the last, or not. */
static int completed(struct looks *k, int64_t req, uint64_t line, int test, struct err *err)
{
	uint64_t *tested = req < 0 ? NULL : tested_of(k, req, err);
	struct look *again;

	if (!tested)
		return req < 0 ? 0 : -1;
	if (*tested > 0 && *tested < line) {
		again = vec_grow(k->again, &k->cap, sizeof *again, (size_t)k->n + 1, "tests", err);
		if (!again)
			return -1;
		k->again = again;
		again[k->n++] = (struct look){*tested, req};
	}
	*tested = test ? line : 0;
	return 0;
}

/* The requests that a wait or a test completed; of a test of one, which has none in a list, too. */
static const int64_t *completes(const struct trace_event *ev, int64_t *n)
{
	int one = ev->op == TRACE_WAIT || ev->op == TRACE_TEST,
	    waits = ev->op == TRACE_WAIT || ev->op == TRACE_WAITALL;

	*n = one ? 1 : waits ? ev->n_reqs : ev->n_done;
	if (!waits && (ev->flags & TRACE_NO_DONE || ev->n_done == 0))
		*n = 0;
	return one ? &ev->req : waits ? ev->reqs : ev->done;
}

int looks_note(struct looks *k, const struct trace_event *ev, uint64_t line, struct err *err)
{
	const int64_t *done;
	int64_t n = 0;

	if (ev->op < TRACE_WAIT || ev->op > TRACE_TESTSOME) {
		given(k, ev->req);
		for (int64_t i = 0; ev->op == TRACE_START && i < ev->n_reqs; i++)
			given(k, ev->reqs[i]);
		return 0;
	}
	done = completes(ev, &n);
	for (int64_t i = 0; i < n; i++)
		if (completed(k, done[i], line, ev->op >= TRACE_TEST, err) < 0)
			return -1;
	return 0;
}

static int by_line(const void *a, const void *b)
{
	const struct look *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return (x->req > y->req) - (x->req < y->req);
}

void looks_sort(struct looks *k)
{
	if (k->n > 0)
		qsort(k->again, k->n, sizeof *k->again, by_line);
}

/* Splits a list: those that are looked at again (1), or the others (0), into out; how many. */
static int64_t split(const struct looks *k, uint32_t n, uint64_t line, const int64_t *list,
                     int64_t length, int again, int64_t *out)
{
	int64_t found = 0;

	for (int64_t i = 0; i < length; i++) {
		struct look key = {line, list[i]};

		if ((bsearch(&key, k->again + k->next, n, sizeof key, by_line) != NULL) == again)
			out[found++] = list[i];
	}
	return found;
}

/* The test of those that are looked at again; and if there are others, one of the rest, as it
 * was. */
static int tests_put(struct looks *k, uint32_t n, uint64_t line, uint32_t rank,
                     const struct trace_event *ev, struct str *text, struct err *err)
{
	struct trace_event look = *ev, rest = *ev;
	int64_t *p = vec_grow(k->scratch, &k->cap_scratch, sizeof *p,
	                      (size_t)(2 * ev->n_reqs + ev->n_done), "requests of a test", err);

	if (!p)
		return -1;
	k->scratch = p;
	look.flags |= TRACE_NO_DONE;
	look.reqs = p;
	look.n_reqs = split(k, n, line, ev->reqs, ev->n_reqs, 1, p);
	rest.reqs = p += look.n_reqs;
	rest.n_reqs = split(k, n, line, ev->reqs, ev->n_reqs, 0, p);
	rest.done = p += rest.n_reqs;
	rest.n_done = split(k, n, line, ev->done, ev->n_done, 0, p);
	if (rest.n_done > 0)
		look.duration = -1;
	trace_event_format(text, rank, &look);
	if (rest.n_done > 0)
		trace_event_format(text, rank, &rest);
	return 1;
}

int looks_apply(struct looks *k, uint64_t line, uint32_t rank, const struct trace_event *ev,
                struct str *text, struct err *err)
{
	struct trace_event look = *ev;
	uint32_t n = 0;
	int result = 1;

	while (k->next + n < k->n && k->again[k->next + n].line == line)
		n++;
	if (n == 0)
		return 0;
	if (ev->op == TRACE_TEST) {
		look.flags |= TRACE_NO_DONE;
		trace_event_format(text, rank, &look);
	} else {
		result = tests_put(k, n, line, rank, ev, text, err);
	}
	k->next += n;
	return result;
}
