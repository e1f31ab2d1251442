/* memo.c: see memo.h. One slot per hash value: the latest event that has it. */
#include "memo.h"

#include "trace/text/text_put.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

enum { TAIL_TEXT = 24 }; /* " region=1234567890", and not behind the end of a slot's text */
enum { NANOSECONDS = 1000000000, PLAIN_FROM = NANOSECONDS / 10 };

void memo_init(struct memo *m)
{
	for (int i = 0; i < MEMO_SLOTS; i++)
		m->slots[i].ev.op = TRACE_OPS;
	str_init(&m->scratch);
}

void memo_release(struct memo *m)
{
	str_release(&m->scratch);
}

/* "1234e-9", or "0.123456789" for long ones. */
static char *duration_put(char *p, uint64_t ns)
{
	if (ns < PLAIN_FROM) {
		p = text_digits(p, ns);
		memcpy(p, "e-9", 3);
		return p + 3;
	}
	p = text_digits(p, ns / NANOSECONDS);
	*p = '.';
	ns %= NANOSECONDS;
	for (int i = 9; i > 0; i--, ns /= 10)
		p[i] = (char)('0' + ns % 10);
	return p + 10;
}

static uint32_t slot_of(const struct trace_event *ev)
{
	uint64_t h = ev->op ^ (uint64_t)(uint32_t)ev->peer << 8 ^
	             (uint64_t)(uint32_t)ev->tag << 24 ^ (uint64_t)ev->count << 40;

	h = (h ^ (uint64_t)ev->req << 17 ^ (uint64_t)ev->region << 29 ^ ev->comm) *
	    0x9e3779b97f4a7c15u;
	return (uint32_t)(h >> 57);
}
static_assert(MEMO_SLOTS == 1 << 7, "slot_of gives seven bits");

static int has_lists(const struct trace_event *ev)
{
	return (ev->n_counts | ev->n_counts2 | ev->n_members | ev->n_reqs | ev->n_done) != 0 ||
	       ev->text;
}

/* Formats an event without volume and duration into a slot; 0 if its text does not fit. */
static int slot_fill(struct memo *m, struct memo_slot *slot, uint32_t rank,
                     const struct trace_event *ev)
{
	struct trace_event key = *ev;

	key.volume = 0;
	key.duration = -1;
	str_clear(&m->scratch);
	trace_event_format(&m->scratch, rank, &key);
	slot->ev.op = TRACE_OPS;
	if (m->scratch.failed || m->scratch.n > MEMO_TEXT)
		return 0;
	slot->n = (uint32_t)m->scratch.n - 1; /* without its newline */
	slot->head = slot->n;
	memcpy(slot->text, m->scratch.s, slot->n);
	/* up to its volume, "0", which is the third word; a region may follow */
	if (ev->op == TRACE_COMPUTE)
		slot->head = (uint32_t)((char *)memchr(slot->text, ' ', slot->n) - slot->text) +
		             sizeof "compute ";
	memcpy(&slot->ev, ev, sizeof *ev);
	return 1;
}

/* What is compared: all before the volume; after it, events without lists differ in the duration
 * only. The padding takes part: trace_event_init has cleared it. */
enum { KEY_BYTES = offsetof(struct trace_event, volume) };

/* The slot that has the text of an event, or NULL. */
static const struct memo_slot *slot_get(struct memo *m, uint32_t rank, const struct trace_event *ev)
{
	struct memo_slot *slot = &m->slots[slot_of(ev)];

	if (memcmp(&slot->ev, ev, KEY_BYTES) == 0)
		return slot;
	return slot_fill(m, slot, rank, ev) ? slot : NULL;
}

void memo_format(struct memo *m, struct str *s, uint32_t rank, const struct trace_event *ev)
{
	const struct memo_slot *slot;
	char *p;

	if (has_lists(ev) || (ev->op != TRACE_COMPUTE && ev->volume != 0)) {
		trace_event_format(s, rank, ev);
		return;
	}
	slot = slot_get(m, rank, ev);
	if (!slot || s->cap - s->n < MEMO_TEXT + 64) {
		trace_event_format(s, rank, ev);
		return;
	}
	p = s->s + s->n;
	memcpy(p, slot->text, MEMO_TEXT); /* all of it: a fixed size is faster */
	p += slot->head;
	if (ev->op == TRACE_COMPUTE) {
		p = text_digits(p, (uint64_t)(ev->volume + 0.5));
		memcpy(p, slot->text + slot->head + 1, TAIL_TEXT);
		p += slot->n - slot->head - 1;
	}
	if (ev->duration >= 0) {
		memcpy(p, " t=", 3);
		p = duration_put(p + 3, (uint64_t)(ev->duration * 1e9 + 0.5));
	}
	*p++ = '\n';
	*p = '\0';
	s->n = (size_t)(p - s->s);
}
