/* walk.c: the cursor of chapter.h. Where the costs of a node are follows from where the walk is:
 * each frame knows how many runs of its loop came before. */
#include "chapter.h"

#include <math.h>
#include <string.h>

uint32_t walk_own_at(const struct walk *w, uint32_t slot)
{
	uint32_t at;

	if (!w->own)
		return 0;
	memcpy(&at, w->own + 4 * (size_t)slot, sizeof at);
	return at;
}

/* A number drawn for the i-th time: a rank is told by how far it is ahead, if it is one. */
static int64_t number_drawn(const struct walk *w, const struct chapter_slot *s, uint32_t slot,
                            uint64_t i)
{
	double v = bins_draw(&w->chapter->bins[s->bins - 1], w->chapter->seed, w->rank, slot, i);
	int64_t n = v > -1e15 && v < 1e15 ? llround(v) : 0, ranks = w->chapter->ranks;

	switch (s->field) {
	case CALL_PEER:
	case CALL_PEER2:
		return n >= 0 ? (w->rank + n) % ranks : n < TRACE_ROOT ? TRACE_PROC_NULL : n;
	case CALL_TAG:
	case CALL_TAG2:
		return n < TRACE_ANY ? TRACE_ANY : n > INT32_MAX ? INT32_MAX : n;
	default:
		return n < 0 ? 0 : n;
	}
}

/* What a slot has for a member that has no column of its own there. */
static inline int64_t member_value(const struct chapter_slot *s, uint32_t index)
{
	int64_t v;

	if (s->fixed)
		return s->value;
	if (s->field != CALL_VOLUME && s->field != CALL_DURATION)
		return column_value(s->p, s->unfolded, index);
	v = column_value(s->p + 1, s->unfolded, index);
	return doubles_scaled((enum scale) * s->p, v);
}

/* What a slot has for the i-th time; doubles by their bits. */
int64_t walk_slot(const struct walk *w, uint32_t slot, uint64_t i)
{
	const struct chapter_slot *s = &w->cls->slot[slot];
	uint32_t at = walk_own_at(w, slot);
	const uint8_t *p = at ? w->own + at : s->p;
	int is_double = s->field == CALL_VOLUME || s->field == CALL_DURATION;

	if (s->bins)
		return is_double ? double_bits(bins_draw(chapter_bins(w->chapter, s, i),
		                                         w->chapter->seed, w->rank, slot, i))
		                 : number_drawn(w, s, slot, i);
	if (!at)
		return member_value(s, w->index);
	return is_double ? doubles_get(p, i) : column_get(p, i);
}

/* The same, at hand where nothing is to be looked up: nearly always. */
static inline int64_t slot_value(const struct walk *w, uint32_t slot, uint64_t i)
{
	const struct chapter_slot *s = &w->cls->slot[slot];

	return s->fixed && !w->own ? s->value : walk_slot(w, slot, i);
}

/* Enters a loop that is reached for the i-th time, unless it does not run then. */
static void loop_enter(struct walk *w, uint32_t node, uint64_t i)
{
	const struct chapter_node *d = &w->cls->node[node];
	uint32_t at = walk_own_at(w, d->slot);
	uint64_t first, runs;

	if (at) {
		const uint8_t *p = w->own + at;

		first = i ? (uint64_t)column_get(p, i - 1) : 0;
		runs = (uint64_t)column_get(p, i) - first;
	} else if (w->cls->slot[d->slot]
	               .bins) { /* what is in it is drawn too: any number will do */
		runs = (uint64_t)walk_slot(w, d->slot, i);
		first = i << 24;
	} else {
		runs = (uint64_t)slot_value(w, d->slot, 0);
		first = i * runs;
	}
	if (runs == 0)
		return;
	w->frame[w->frames++] = (struct walk_frame){
	    .end = d->end, .at = node + 1, .loop = node, .runs = runs, .base = first};
}

void walk_begin_at(struct walk *w, const struct chapter *c, uint32_t rank, const uint8_t *own,
                   struct walk_frame *frame)
{
	*w = (struct walk){.chapter = c,
	                   .cls = &c->cls[c->class_of[rank]],
	                   .own = own,
	                   .index = c->index_of[rank],
	                   .rank = rank,
	                   .frames = 1,
	                   .frame = frame};
	frame[0] = (struct walk_frame){.end = w->cls->nodes, .loop = NODE_NONE, .runs = 1};
}

void walk_event(const struct walk *w, const struct chapter_node *d, uint64_t i,
                struct trace_event *ev)
{
	const struct chapter_call *call = &w->cls->call[d->call];
	const struct call_lists *lists = &w->chapter->lookup;

	*ev = call->ev;
	ev->drawn = d->drawn;
	for (uint32_t k = 0; k < call->patches; k++) {
		const struct chapter_patch *a = &call->patch[k];
		int64_t v = a->fixed ? a->value : column_value(a->p, a->unfolded, w->index);

		call_field_set(ev, a->field,
		               relation_apply(a->relation, w->rank, w->chapter->ranks, v), lists);
	}
	ev->volume = bits_double(slot_value(w, d->slot, i));
	ev->duration = bits_double(slot_value(w, d->slot + 1, i));
	for (uint32_t k = 2; k < call->columns; k++)
		call_field_set(ev, call->field[k - 2], slot_value(w, d->slot + k, i), lists);
}

int walk_next(struct walk *w, struct trace_event *ev)
{
	while (w->frames > 0) {
		struct walk_frame *f = &w->frame[w->frames - 1];
		const struct chapter_node *d;

		if (f->at == f->end) {
			if (++f->run == f->runs) {
				w->frames--;
				continue;
			}
			f->base++;
			f->at = f->loop + 1;
			continue;
		}
		d = &w->cls->node[f->at];
		if (d->call != NODE_NONE) {
			f->at++;
			walk_event(w, d, f->base, ev);
			return 1;
		}
		f->at = d->end;
		loop_enter(w, (uint32_t)(d - w->cls->node), f->base);
	}
	return 0;
}
