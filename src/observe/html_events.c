/* html_events.c: calls and messages with their details, for the page.
 *
 * Calls are gathered per rank in three strings, because numbers of one kind pack better together:
 *   kinds  a byte per call: number of the call, 0x80 if time passed since the one before
 *   dates  that time, duration, and, but for computation, waiting; in ticks
 *   words  but for computation: partner (0 none, else 1 + zigzag(partner - rank)), bytes
 * A chunk is, for some ranks: rank - first, number of calls, lengths of the three strings; then the
 * strings. Messages are one string in the order of arrival: received (difference to the one before,
 * zigzag), received - sent, received - moved, from - first, to - from (zigzag), tag (zigzag),
 * bytes, 2 x communicator + collective. Each chunk starts again from received = 0. */
#include "html_int.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static_assert((int)CALL_CALLS < 0x80, "a call is seven bits of a byte");

struct events {
	struct rank_events {
		struct str kinds, dates, words;
		uint64_t calls;
		int64_t last; /* ticks */
	} * rank;
	struct str messages;
	int64_t received; /* of the last message, ticks */
	const struct html_scope *scope;
};

static int64_t ticks(const struct events *e, double date)
{
	return (int64_t)llround(date / e->scope->tick);
}

static uint64_t whole_bytes(double bytes)
{
	return bytes > 0 && bytes < 9e15 ? (uint64_t)llround(bytes) : 0;
}

static void add_state(struct events *e, const struct rec_state *s)
{
	struct rank_events *r = &e->rank[s->rank - e->scope->first_rank];
	int64_t enter = ticks(e, s->enter), leave = ticks(e, s->leave), gap = enter - r->last;

	r->calls++;
	str_putc(&r->kinds, (char)((int)s->call | (gap > 0 ? 0x80 : 0)));
	if (gap > 0)
		html_put_varint(&r->dates, (uint64_t)gap);
	html_put_varint(&r->dates, (uint64_t)(leave - enter));
	r->last = leave;
	if (call_class(s->call) == TIME_COMPUTE)
		return;
	html_put_varint(&r->dates, (uint64_t)ticks(e, s->wait));
	if (s->partner >= 0)
		html_put_varint(&r->words, 1 + ((uint64_t)((int64_t)s->partner - s->rank) << 1 ^
		                                (uint64_t)(((int64_t)s->partner - s->rank) >> 63)));
	else
		html_put_varint(&r->words, 0);
	html_put_varint(&r->words, whole_bytes(s->bytes));
}

static void add_message(struct events *e, const struct rec_message *m)
{
	int64_t received = ticks(e, m->received);
	struct str *s = &e->messages;

	html_put_signed(s, received - e->received);
	html_put_varint(s, (uint64_t)(received - ticks(e, m->sent)));
	html_put_varint(s, (uint64_t)(received - ticks(e, m->moved)));
	html_put_varint(s, m->from - e->scope->first_rank);
	html_put_signed(s, (int64_t)m->to - m->from);
	html_put_signed(s, m->tag);
	html_put_varint(s, whole_bytes(m->bytes));
	html_put_varint(s, 2 * (uint64_t)m->comm + m->coll);
	e->received = received;
}

static int flush(struct out *o, const char *class, struct str *s, size_t when, struct err *err)
{
	int got = 0;

	if (s->failed)
		return err_nomem(err, "the page's data", s->cap);
	if (s->n > when)
		got = html_put_data(o, class, s->s, s->n, err);
	if (s->n > when)
		str_clear(s);
	return got;
}

static int read_events(struct out *o, struct cursor *c, struct events *e, int messages,
                       struct err *err)
{
	struct record rec;
	int got;

	while ((got = cursor_next(c, &rec, err)) > 0) {
		if (rec.kind == REC_STATE)
			add_state(e, &rec.u.state);
		if (rec.kind != REC_MESSAGE || !messages)
			continue;
		add_message(e, &rec.u.message);
		if (e->messages.n <= HTML_CHUNK)
			continue;
		if (flush(o, "messages", &e->messages, HTML_CHUNK, err) < 0)
			return -1;
		e->received = 0;
	}
	return got < 0 ? -1 : flush(o, "messages", &e->messages, 0, err);
}

/* Moves a rank's strings to the chunk. */
static int add_rank(struct events *e, uint32_t i, struct str *chunk, struct err *err)
{
	struct rank_events *r = &e->rank[i];
	struct str *parts[] = {&r->kinds, &r->dates, &r->words};
	int p;

	html_put_varint(chunk, i);
	html_put_varint(chunk, r->calls);
	for (p = 0; p < 3; p++)
		html_put_varint(chunk, parts[p]->n);
	for (p = 0; p < 3; p++) {
		if (parts[p]->failed)
			return err_nomem(err, "the page's data", parts[p]->cap);
		if (parts[p]->n)
			str_putn(chunk, parts[p]->s, parts[p]->n);
		str_release(parts[p]);
	}
	return 0;
}

static int put_states(struct out *o, struct events *e, struct err *err)
{
	struct str chunk;
	uint32_t i;
	int got = 0;

	str_init(&chunk);
	for (i = 0; i < e->scope->ranks && got == 0; i++) {
		if (e->rank[i].calls == 0)
			continue;
		got = add_rank(e, i, &chunk, err);
		if (got == 0)
			got = flush(o, "states", &chunk, HTML_CHUNK, err);
	}
	if (got == 0)
		got = flush(o, "states", &chunk, 0, err);
	str_release(&chunk);
	return got;
}

static void events_release(struct events *e)
{
	uint32_t i;

	for (i = 0; e->rank && i < e->scope->ranks; i++) {
		str_release(&e->rank[i].kinds);
		str_release(&e->rank[i].dates);
		str_release(&e->rank[i].words);
	}
	free(e->rank);
	str_release(&e->messages);
}

int html_put_events(struct out *o, struct cursor *c, const struct html_scope *s, int messages,
                    struct err *err)
{
	struct events e = {.scope = s, .rank = calloc(s->ranks + 1u, sizeof *e.rank)};
	int got;

	if (!e.rank)
		return err_nomem(err, "the page's data",
		                 s->ranks * (unsigned long long)sizeof *e.rank);
	str_init(&e.messages);
	got = read_events(o, c, &e, messages, err);
	if (got == 0)
		got = put_states(o, &e, err);
	events_release(&e);
	return got;
}
