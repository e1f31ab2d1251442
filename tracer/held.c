/* held.c: see held.h. */
#include "held.h"

#include "trace/text/looks.h"

#include <stdlib.h>
#include <string.h>

void held_init(struct held *h, void (*forget)(int64_t req))
{
	*h = (struct held){.forget = forget};
	hash64_init(&h->posted);
	hash64_init(&h->tested);
}

void held_release(struct held *h)
{
	free(h->word);
	free(h->item);
	free(h->scratch);
	hash64_release(&h->posted);
	hash64_release(&h->tested);
	held_init(h, h->forget);
}

static int is_wild_receive(const struct trace_event *ev)
{
	return ev->op == TRACE_IRECV && (ev->peer == TRACE_ANY || ev->tag == TRACE_ANY);
}

static int is_test(const struct trace_event *ev)
{
	return trace_op_has(ev->op, TRACE_TESTS);
}

int held_wanted(const struct trace_event *ev)
{
	int64_t n = 0;

	if (is_wild_receive(ev))
		return ev->req >= 0;
	if (is_test(ev))
		event_completes(ev, &n);
	return n > 0;
}

/* --- what is known --- */

static struct held_item *item_of(struct held *h, const struct hash64 *table, int64_t req)
{
	uint32_t i = req < 0 ? HASH_NONE : hash64_find(table, (uint64_t)req);

	return i == HASH_NONE ? NULL : &h->item[i - 1];
}

/* Item i is known. */
static void item_close(struct held *h, struct held_item *i, int changed)
{
	i->open = 0;
	i->changed = (uint8_t)changed;
	hash64_remove(i->test ? &h->tested : &h->posted, (uint64_t)i->req);
}

/* The items in front that are through make room. */
static int items_compact(struct held *h, struct err *err)
{
	uint32_t by = h->first_item;

	if (by < h->items && (by < 1024 || 2 * by < h->items))
		return 0;
	if (by > 0)
		memmove(h->item, h->item + by, (h->items - by) * sizeof *h->item);
	h->items -= by;
	h->first_item = 0;
	for (uint32_t i = 0; i < h->items; i++)
		if (h->item[i].open && hash64_put(h->item[i].test ? &h->tested : &h->posted,
		                                  (uint64_t)h->item[i].req, i + 1, err) < 0)
			return -1;
	return 0;
}

static int item_open(struct held *h, int test, const struct trace_event *ev, int64_t req,
                     struct err *err)
{
	struct held_item *all;

	if (req < 0)
		return 0;
	if (items_compact(h, err) < 0)
		return -1;
	all = vec_grow(h->item, &h->cap_items, sizeof *all, (size_t)h->items + 1, "held events",
	               err);
	if (!all)
		return -1;
	h->item = all;
	all[h->items] = (struct held_item){.ordinal = h->in,
	                                   .req = req,
	                                   .peer = ev->peer,
	                                   .tag = ev->tag,
	                                   .test = (uint8_t)test,
	                                   .open = 1};
	h->items++;
	return hash64_put(test ? &h->tested : &h->posted, (uint64_t)req, h->items, err);
}

/* Request req is another one from here on. */
static void given(struct held *h, int64_t req)
{
	struct held_item *i = h->tested.n ? item_of(h, &h->tested, req) : NULL;

	if (i)
		item_close(h, i, 0);
}

static int completed(struct held *h, const struct trace_event *ev, int64_t req, struct err *err)
{
	struct held_item *i = item_of(h, &h->tested, req);

	if (i)
		item_close(h, i, i->ordinal < h->in);
	return is_test(ev) ? item_open(h, 1, ev, req, err) : 0;
}

static int receive_note(struct held *h, const struct trace_event *ev, struct err *err)
{
	struct held_item *before = item_of(h, &h->posted, ev->req);

	if (before) /* never got a message */
		item_close(h, before, 0);
	return is_wild_receive(ev) ? item_open(h, 0, ev, ev->req, err) : 0;
}

static int event_note(struct held *h, const struct trace_event *ev, struct err *err)
{
	const int64_t *done;
	int64_t n = 0;

	if (!trace_op_has(ev->op, TRACE_COMPLETES)) {
		given(h, ev->req);
		for (int64_t i = 0; ev->op == TRACE_START && i < ev->n_reqs; i++)
			given(h, ev->reqs[i]);
		return ev->op == TRACE_IRECV ? receive_note(h, ev, err) : 0;
	}
	done = event_completes(ev, &n);
	for (int64_t i = 0; i < n; i++)
		if (completed(h, ev, done[i], err) < 0)
			return -1;
	return 0;
}

void held_resolve(struct held *h, const struct trace_event *ev)
{
	struct held_item *i = item_of(h, &h->posted, ev->req);

	if (!i)
		return;
	i->peer = ev->peer;
	i->tag = ev->tag;
	item_close(h, i, 1);
}

/* --- in --- */

static void words_compact(struct held *h)
{
	if (h->first < 4096 || 2 * h->first < h->n)
		return;
	memmove(h->word, h->word + h->first, (h->n - h->first) * sizeof *h->word);
	h->n -= h->first;
	h->first = 0;
}

int held_put(struct held *h, const struct calls *c, uint32_t call, const int64_t *value,
             const struct trace_event *ev, struct err *err)
{
	uint32_t columns = call_columns(&c->call[call]);
	int64_t *w;

	words_compact(h);
	w = vec_grow(h->word, &h->cap, sizeof *w, (size_t)h->n + 1 + columns, "held events", err);
	if (!w)
		return -1;
	h->word = w; /* what was there before is freed, whatever follows */
	if (event_note(h, ev, err) < 0)
		return -1;
	w[h->n] = call;
	memcpy(w + h->n + 1, value, columns * sizeof *w);
	h->n += 1 + columns;
	h->in++;
	return 0;
}

/* --- out --- */

struct passing {
	struct held *h;
	struct calls *c;
	int (*put)(void *self, uint32_t call, const int64_t *value, struct err *err);
	void *self;
	struct err *err;
	uint32_t items; /* of the event, from the first on */
};

static int event_put_on(struct passing *p, const struct trace_event *ev)
{
	int64_t value[CALL_COLUMNS];
	uint32_t call = calls_put(p->c, ev, value, p->err);

	return call == CALL_NONE ? -1 : p->put(p->self, call, value, p->err);
}

static int looked_again(const void *self, int64_t req)
{
	const struct passing *p = self;
	const struct held_item *i = &p->h->item[p->h->first_item];

	for (uint32_t k = 0; k < p->items; k++)
		if (i[k].req == req && i[k].changed)
			return 1;
	return 0;
}

/* Lists of the event are moved out of the tables, which move when something is put. */
static int lists_move(struct held *h, struct trace_event *ev, int64_t **room, struct err *err)
{
	size_t n = (size_t)(ev->n_reqs + ev->n_done);
	int64_t *p = vec_grow(h->scratch, &h->cap_scratch, sizeof *p, 3 * n + 1, "held events",
	                      err);

	if (!p)
		return -1;
	h->scratch = p;
	if (ev->n_reqs)
		memcpy(p, ev->reqs, (size_t)ev->n_reqs * sizeof *p);
	if (ev->n_done)
		memcpy(p + ev->n_reqs, ev->done, (size_t)ev->n_done * sizeof *p);
	ev->reqs = p;
	ev->done = p + ev->n_reqs;
	*room = p + n;
	return 0;
}

/* An event that has changed. */
static int changed_put(struct passing *p, uint32_t call, const int64_t *value)
{
	const struct held_item *i = &p->h->item[p->h->first_item];
	struct trace_event ev, split_up[2];
	int64_t *room;
	int n;

	calls_event(p->c, call, value, &ev);
	if (!i->test) {
		ev.flags |= (uint16_t)((ev.peer == TRACE_ANY ? TRACE_WILD_SOURCE : 0) |
		                       (ev.tag == TRACE_ANY ? TRACE_WILD_TAG : 0));
		ev.peer = i->peer;
		ev.tag = i->tag;
		return event_put_on(p, &ev);
	}
	if (lists_move(p->h, &ev, &room, p->err) < 0)
		return -1;
	n = test_split(&ev, looked_again, p, room, split_up);
	for (int k = 0; k < n; k++)
		if (event_put_on(p, &split_up[k]) < 0)
			return -1;
	return 0;
}

static int first_put(struct passing *p)
{
	struct held *h = p->h;
	const int64_t *w = h->word + h->first;
	uint32_t call = (uint32_t)w[0];
	int changed = 0, r;

	p->items = 0;
	while (h->first_item + p->items < h->items &&
	       h->item[h->first_item + p->items].ordinal == h->out)
		changed |= h->item[h->first_item + p->items++].changed;
	r = changed ? changed_put(p, call, w + 1) : p->put(p->self, call, w + 1, p->err);
	h->first_item += p->items;
	h->first += 1 + call_columns(&p->c->call[call]);
	h->out++;
	if (h->out == h->in)
		h->first = h->n = 0;
	return r;
}

/* The first item that is open is given up. */
static void item_give_up(struct held *h, struct held_item *i)
{
	if (i->test)
		h->forget(i->req);
	item_close(h, i, 0);
}

int held_pass(struct held *h, struct calls *c, int all,
              int (*put)(void *self, uint32_t call, const int64_t *value, struct err *err),
              void *self, struct err *err)
{
	struct passing p = {.h = h, .c = c, .put = put, .self = self, .err = err};

	for (;;) {
		uint32_t open = h->first_item;
		uint64_t until;

		while (open < h->items && !h->item[open].open)
			open++;
		until = open < h->items ? h->item[open].ordinal : h->in;
		while (h->out < until)
			if (first_put(&p) < 0)
				return -1;
		if (open == h->items ||
		    (!all && (h->n - h->first) * sizeof *h->word < (size_t)HELD_BYTES))
			return 0;
		item_give_up(h, &h->item[open]);
	}
}
