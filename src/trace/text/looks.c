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

const int64_t *event_completes(const struct trace_event *ev, int64_t *n)
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

	if (!trace_op_has(ev->op, TRACE_COMPLETES)) {
		given(k, ev->req);
		for (int64_t i = 0; ev->op == TRACE_START && i < ev->n_reqs; i++)
			given(k, ev->reqs[i]);
		return 0;
	}
	done = event_completes(ev, &n);
	for (int64_t i = 0; i < n; i++)
		if (completed(k, done[i], line, trace_op_has(ev->op, TRACE_TESTS), err) < 0)
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
static int64_t split(int (*is_again)(const void *self, int64_t req), const void *self,
                     const int64_t *list, int64_t length, int again, int64_t *out)
{
	int64_t found = 0;

	for (int64_t i = 0; i < length; i++)
		if (is_again(self, list[i]) == again)
			out[found++] = list[i];
	return found;
}

int test_split(const struct trace_event *ev, int (*is_again)(const void *self, int64_t req),
               const void *self, int64_t *p, struct trace_event out[2])
{
	struct trace_event *look = &out[0], *rest = &out[1];

	*look = *rest = *ev;
	look->flags |= TRACE_NO_DONE;
	if (ev->op == TRACE_TEST)
		return 1;
	look->reqs = p;
	look->n_reqs = split(is_again, self, ev->reqs, ev->n_reqs, 1, p);
	rest->reqs = p += look->n_reqs;
	rest->n_reqs = split(is_again, self, ev->reqs, ev->n_reqs, 0, p);
	rest->done = p += rest->n_reqs;
	rest->n_done = split(is_again, self, ev->done, ev->n_done, 0, p);
	if (rest->n_done > 0)
		look->duration = -1;
	return rest->n_done > 0 ? 2 : 1;
}

struct looked { /* the looks of a line */
	const struct look *again;
	uint32_t n;
	uint64_t line;
};

static int looked_again(const void *self, int64_t req)
{
	const struct looked *l = self;
	struct look key = {l->line, req};

	return bsearch(&key, l->again, l->n, sizeof key, by_line) != NULL;
}

int looks_apply(struct looks *k, uint64_t line, uint32_t rank, const struct trace_event *ev,
                struct str *text, struct err *err)
{
	struct looked l = {k->n ? k->again + k->next : NULL, 0, line};
	struct trace_event split_up[2];
	int64_t *scratch;
	int n;

	while (k->next + l.n < k->n && l.again[l.n].line == line)
		l.n++;
	if (l.n == 0)
		return 0;
	scratch = vec_grow(k->scratch, &k->cap_scratch, sizeof *scratch,
	                   (size_t)(2 * ev->n_reqs + ev->n_done + 1), "requests of a test", err);
	if (!scratch)
		return -1;
	k->scratch = scratch;
	n = test_split(ev, looked_again, &l, scratch, split_up);
	for (int i = 0; i < n; i++)
		trace_event_format(text, rank, &split_up[i]);
	k->next += l.n;
	return 1;
}
