/* meet.c: messages that have arrived, and receives that are posted. Those that wait at one rank for
 * one source and tag are in one place of a table, which one look finds; at a rank with a receive of
 * any tag those of one source are, with one of any source all. Such a ring is looked through. */
#include "schedule_int.h"

#include "base/memory.h"

#include <stdlib.h>

enum { MESSAGES, RECEIVES };
enum { ANY_TAG = 1, ANY_SOURCE = 2 }; /* of meet.any */
enum { PLACES_LEAST = 1024, NOBODY = 0 };
#define PLACES_MOST ((uint32_t)1 << 31) /* a power of two, in 32 bits */

static struct meeting *places_new(uint32_t n, struct err *err)
{
	struct meeting *place = calloc(n, sizeof *place);

	if (!place)
		err_nomem(err, "messages that wait", n * sizeof *place);
	else
		memory_filled_soon(place, n * sizeof *place);
	return place;
}

int meet_init(struct meet *m, const struct trace_schedule *s, struct err *err)
{
	uint32_t places = PLACES_LEAST, posted = 0; /* at once */

	for (uint32_t i = 0; i < s->n_ops; i++)
		posted += s->op[i].kind == SCHEDULE_RECV && s->op[i].waits == 0;
	while (places / 2 < posted && places < PLACES_MOST)
		places *= 2;
	*m = (struct meet){.mask = places - 1};
	m->place = places_new(places, err);
	if (!m->place || !s->any)
		return m->place ? 0 : -1;
	m->any = calloc(s->ranks, 1);
	if (!m->any)
		return err_nomem(err, "ranks", s->ranks);
	for (uint32_t i = 0; i < s->n_ops; i++)
		if (s->op[i].kind == SCHEDULE_RECV)
			m->any[s->op[i].rank] |= (uint8_t)((s->op[i].peer < 0) * ANY_SOURCE |
			                                   (s->op[i].tag < 0) * ANY_TAG);
	return 0;
}

void meet_release(struct meet *m)
{
	free(m->place);
	free(m->any);
}

static int is_empty(const struct meeting *p)
{
	return p->last[MESSAGES] == NOBODY && p->last[RECEIVES] == NOBODY;
}

/* Where two have one key that have nothing to do with each other, both are looked at. */
static uint64_t key_of(const struct meet *m, const struct schedule_op *op)
{
	uint32_t at = op->kind == SCHEDULE_RECV ? op->rank : (uint32_t)op->peer,
	         from = op->kind == SCHEDULE_RECV ? (uint32_t)op->peer : op->rank;
	uint32_t any = m->any ? m->any[at] : 0;

	if (any & ANY_SOURCE)
		return (uint64_t)at << 32 | UINT32_MAX;
	return ((uint64_t)at << 32 | from) +
	       (any ? 0 : (uint32_t)op->tag * (uint64_t)0x9e3779b97f4a7c15);
}

static uint32_t home_of(const struct meet *m, uint64_t key)
{
	return (uint32_t)hash_mix(key) & m->mask;
}

/* Where the key is, or would be. */
static uint32_t find(const struct meet *m, uint64_t key)
{
	uint32_t i = home_of(m, key);

	while (!is_empty(&m->place[i]) && m->place[i].key != key)
		i = (i + 1) & m->mask;
	return i;
}

static int widen(struct meet *m, struct err *err)
{
	struct meet wider = {.mask = 2 * m->mask + 1, .any = m->any, .n = m->n};

	if (m->mask >= PLACES_MOST - 1)
		return err_set(err, ERR_LIMIT, "too many messages wait: %u", m->n);
	wider.place = places_new(wider.mask + 1, err);
	if (!wider.place)
		return -1;
	for (uint32_t i = 0; i <= m->mask; i++)
		if (!is_empty(&m->place[i]))
			wider.place[find(&wider, m->place[i].key)] = m->place[i];
	free(m->place);
	*m = wider;
	return 0;
}

/* The place at i is empty now: those that were put further on because of it move up. */
static void close_gap(struct meet *m, uint32_t i)
{
	m->n--;
	for (uint32_t k = (i + 1) & m->mask; !is_empty(&m->place[k]); k = (k + 1) & m->mask) {
		uint32_t home = home_of(m, m->place[k].key);

		if (((k - home) & m->mask) < ((k - i) & m->mask))
			continue;
		m->place[i] = m->place[k];
		m->place[k].last[MESSAGES] = m->place[k].last[RECEIVES] = NOBODY;
		i = k;
	}
}

static int fits(const struct schedule_op *recv, const struct schedule_op *send)
{
	return (uint32_t)send->peer == recv->rank &&
	       (recv->peer < 0 || (uint32_t)recv->peer == send->rank) &&
	       (recv->tag < 0 || recv->tag == send->tag);
}

/* Takes the first of a ring that fits out of it. */
static uint32_t ring_take(struct schedule_op *op, uint32_t *last, const struct schedule_op *for_it)
{
	uint32_t before = *last - 1, at;
	int is_recv = for_it->kind == SCHEDULE_RECV;

	do {
		at = op[before].next;
		if (is_recv ? fits(for_it, &op[at]) : fits(&op[at], for_it)) {
			op[before].next = op[at].next;
			if (at == *last - 1)
				*last = before == at ? NOBODY : before + 1;
			return at;
		}
		before = at;
	} while (before != *last - 1);
	return SCHEDULE_NONE;
}

static void ring_put(struct schedule_op *op, uint32_t *last, uint32_t id)
{
	op[id].next = *last == NOBODY ? id : op[*last - 1].next;
	if (*last != NOBODY)
		op[*last - 1].next = id;
	*last = id + 1;
}

int meet(struct meet *m, struct trace_schedule *s, uint32_t id, uint32_t *other, struct err *err)
{
	int own = s->op[id].kind == SCHEDULE_RECV ? RECEIVES : MESSAGES;
	uint64_t key = key_of(m, &s->op[id]);
	uint32_t i = find(m, key);
	struct meeting *p = &m->place[i];

	*other = SCHEDULE_NONE;
	if (p->last[!own] != NOBODY)
		*other = ring_take(s->op, &p->last[!own], &s->op[id]);
	if (*other != SCHEDULE_NONE) {
		if (is_empty(p))
			close_gap(m, i);
		return 0;
	}
	if (is_empty(p)) {
		p->key = key;
		m->n++;
	}
	ring_put(s->op, &p->last[own], id);
	return m->n > m->mask / 2 ? widen(m, err) : 0;
}

void meet_soon(const struct meet *m, const struct schedule_op *op)
{
	__builtin_prefetch(&m->place[home_of(m, key_of(m, op))], 1);
}
