/* explain_track.c: messages that are followed: what limits each of them, from when on, and who
 * shares the links that do (explain.c says whose messages, and what becomes of their histories). */
#include "explain_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Pairs of ranks that shared links with a message, and users of one link at a date, that are told
 * of: more would make a list that nobody reads, and looks at each date that take longer than the
 * run. */
enum { SHARERS_MAX = 4096, USERS_MAX = 65536 };
/* A flow whose coefficient on a link is below is there with its acknowledgements: these have 0.05
 * (setting network/crosstraffic), its bytes have 1. */
static const float ACKS_ONLY = 0.5f;

/* Of a name of a bound or a part. */
static uint32_t name_index(struct explainer *x, const char *name)
{
	char text[160];
	char(*all)[160];
	uint32_t i;

	snprintf(text, sizeof text, "%s", name);
	for (i = 0; i < x->n_bounds; i++) {
		if (!strcmp(x->bounds[i], text))
			return i;
	}
	all = vec_grow(x->bounds, &x->bounds_cap, sizeof *all, (size_t)x->n_bounds + 1, "bounds",
	               NULL);
	if (!all) {
		x->failed = 1;
		return NOBODY;
	}
	x->bounds = all;
	memcpy(all[x->n_bounds], text, sizeof text);
	return x->n_bounds++;
}

static uint32_t bound_index(struct explainer *x, const struct track *t)
{
	char text[160];

	if (net_bound(x->net, mp_host(x->mp, t->t.from), mp_host(x->mp, t->t.to), text,
	              sizeof text))
		return name_index(x, text);
	x->failed = 1;
	return NOBODY;
}

/* --- messages that are followed --- */

struct track *track_of(struct explainer *x, uint32_t slot)
{
	uint32_t kind = slot / MP_LEG, i = slot % MP_LEG;

	return i < x->slots[kind].n && x->slots[kind].track[i]
	           ? &x->tracks[x->slots[kind].track[i] - 1]
	           : NULL;
}

static void segment_add(struct explainer *x, struct track *t, const struct segment *s)
{
	struct segment *last = t->n ? &t->segs[t->n - 1] : NULL, *segs;

	if (last && last->cause == s->cause && last->which == s->which && last->rate == s->rate &&
	    last->others == s->others)
		return;
	segs = vec_grow(t->segs, &t->cap, sizeof *segs, (size_t)t->n + 1, "history of a message",
	                NULL);
	if (!segs) {
		x->failed = 1;
		return;
	}
	t->segs = segs;
	segs[t->n++] = *s;
}

static int is_wanted(const struct explainer *x, const struct mp_transfer *t)
{
	if (!x->of_message)
		return t->from == x->rank || t->to == x->rank;
	if (x->from == NOBODY)
		return x->begun + 1 == x->number;
	return t->from == x->from && t->to == x->to && x->begun + 1 == x->number;
}

static int counts(const struct explainer *x, const struct mp_transfer *t)
{
	return x->of_message && (x->from == NOBODY || (t->from == x->from && t->to == x->to));
}

/* Where the track of a slot is noted, or NULL. */
static uint32_t *slot_note(struct explainer *x, uint32_t slot)
{
	struct track_slots *k = &x->slots[slot / MP_LEG];
	uint32_t i = slot % MP_LEG, cap = k->n, *all;

	if (i >= k->n) {
		all = vec_grow(k->track, &cap, sizeof *all, (size_t)i + 1, "messages under way",
		               NULL);
		if (!all)
			return NULL;
		memset(all + k->n, 0, (cap - k->n) * sizeof *all);
		k->track = all;
		k->n = cap;
	}
	return &k->track[i];
}

static struct track *track_new(struct explainer *x, uint32_t slot)
{
	struct track *all;
	uint32_t id = x->free_track, *live, *note = slot_note(x, slot);

	if (!note)
		return NULL;
	live = vec_grow(x->live, &x->live_cap, sizeof *live, (size_t)x->n_live + 1,
	                "messages followed", NULL);
	if (!live)
		return NULL;
	x->live = live;
	if (id == NOBODY) {
		all = vec_grow(x->tracks, &x->tracks_cap, sizeof *all, (size_t)x->n_tracks + 1,
		               "messages followed", NULL);
		if (!all)
			return NULL;
		x->tracks = all;
		id = x->n_tracks++;
		all[id] = (struct track){0};
	} else {
		x->free_track = x->tracks[id].next_free;
	}
	*note = id + 1;
	x->tracks[id].place = x->n_live;
	live[x->n_live++] = id;
	x->tracks[id].n = 0;
	return &x->tracks[id];
}

void track_drop(struct explainer *x, struct track *t)
{
	uint32_t id = (uint32_t)(t - x->tracks), last = x->live[--x->n_live];

	x->live[t->place] = last;
	x->tracks[last].place = t->place;
	*slot_note(x, t->t.slot) = 0;
	t->next_free = x->free_track;
	x->free_track = id;
}

void track_copy(struct explainer *x, struct track *to, const struct track *from)
{
	struct segment *segs = vec_grow(to->segs, &to->cap, sizeof *segs, from->n,
	                                "history of a message", NULL);

	if (from->n > 0 && (!segs || !from->segs)) {
		x->failed = 1;
		return;
	}
	if (segs && from->segs)
		memcpy(segs, from->segs, from->n * sizeof *segs);
	to->segs = segs;
	to->n = from->n;
	to->t = from->t;
	to->began = from->began;
	to->arrived = from->arrived;
	to->done = from->done;
}

/* What the rank asked for itself belongs to the answer: it is part of the answer's history. */
static void before_take(struct explainer *x, const struct mp_transfer *m)
{
	const struct track *t = m->by.transfer == MP_NO_TRANSFER ? NULL
	                                                         : track_of(x, m->by.transfer);

	x->before.n = 0;
	if (!x->of_message && m->by.rank == x->rank && t)
		track_copy(x, &x->before, t);
}

void track_begins(void *self, const struct mp_transfer *m, double date)
{
	struct explainer *x = self;
	int wanted = is_wanted(x, m);
	struct segment s = {.from = date, .cause = CAUSE_TRANSFER, .which = NOBODY};
	struct track *t;

	x->begun += (uint64_t)counts(x, m);
	if (!wanted)
		return;
	before_take(x, m);
	t = track_of(x, m->slot);
	if (t)
		track_drop(x, t);
	t = track_new(x, m->slot);
	if (!t) {
		x->failed = 1;
		return;
	}
	track_copy(x, t, &x->before);
	x->before.n = 0;
	t->t = *m;
	if (t->n == 0)
		t->began = date;
	t->arrived = t->done = -1;
	segment_add(x, t, &s);
}

void track_moves(void *self, uint32_t slot, struct activity_id a)
{
	struct track *t = track_of(self, slot);

	if (t)
		t->t.activity = a;
}

/* What a model without rates says of a message. One of no length makes way for the next. */
void track_part(void *self, uint64_t user, double from, const char *name)
{
	struct explainer *x = self;
	struct segment s = {.from = from, .cause = CAUSE_TRANSFER, .which = NOBODY};
	struct track *t = NULL;

	for (uint32_t i = 0; i < x->n_live && !t; i++) {
		if (x->tracks[x->live[i]].t.user == user && x->tracks[x->live[i]].arrived < 0)
			t = &x->tracks[x->live[i]];
	}
	if (!t)
		return;
	s.which = name_index(x, name);
	if (t->n > 0 && t->segs[t->n - 1].from >= from) {
		s.from = t->segs[t->n - 1].from;
		t->n--;
	}
	segment_add(x, t, &s);
}

void track_matched(void *self, uint32_t slot, double posted, double date)
{
	struct track *t = track_of(self, slot);

	(void)date;
	if (t)
		t->t.received = posted;
}

void track_arrived(void *self, uint32_t slot, double date)
{
	struct track *t = track_of(self, slot);

	if (t)
		t->arrived = date;
}

/* --- at the end of a date --- */

static struct sharer *sharer_get(struct explainer *x, uint32_t from, uint32_t to, uint32_t resource)
{
	uint64_t ranks = (uint64_t)from << 32 | to;
	uint32_t first = hash64_find(&x->sharers_at, ranks), i = x->n_sharers;
	struct sharer *all;
	struct err ignored;

	for (uint32_t at = first; at != NOBODY; at = x->sharers[at].next)
		if (x->sharers[at].resource == resource)
			return &x->sharers[at];
	if (x->n_sharers == SHARERS_MAX)
		return NULL;
	all = vec_grow(x->sharers, &x->sharers_cap, sizeof *all, (size_t)i + 1,
	               "messages that share", NULL);
	if (all)
		x->sharers = all;
	if (!all || hash64_put(&x->sharers_at, ranks, i, &ignored)) {
		x->failed = 1;
		return NULL;
	}
	all[i] = (struct sharer){.from = from, .to = to, .resource = resource, .next = first};
	x->n_sharers++;
	return &all[i];
}

/* Those seen at the last look have shared since. */
static void sharers_pay(struct explainer *x, double date)
{
	for (uint32_t i = 0; i < x->n_sharers; i++) {
		if (x->sharers[i].present)
			x->sharers[i].seconds += date - x->looked;
		x->sharers[i].present = 0;
	}
	x->looked = date;
}

static void sharers_look(struct explainer *x, const struct track *t, struct resource_id r)
{
	uint32_t n = resource_users(x->engine, r, NULL, 0), from, to;

	if (n > USERS_MAX)
		n = USERS_MAX;
	struct resource_user *users = vec_grow(x->users, &x->users_cap, sizeof *users, n,
	                                       "users of a link", NULL);
	if (!users) {
		x->failed |= n > 0;
		return;
	}
	x->users = users;
	resource_users(x->engine, r, users, n);
	for (uint32_t i = 0; i < n; i++) {
		struct sharer *s;
		uint64_t user = net_user(x->net, users[i].user);

		if (user == t->t.user || !mp_message_of(x->mp, user, &from, &to))
			continue;
		s = sharer_get(x, from, to, r.v);
		if (!s)
			continue;
		s->present = 1;
		s->acks = users[i].coef < ACKS_ONLY;
	}
}

static void track_look(struct explainer *x, struct track *t, double date)
{
	struct segment s = {.from = date, .cause = CAUSE_TRANSFER, .which = NOBODY};
	struct resource_id r;

	if (t->arrived >= 0 || !net_flow_is(x->net, t->t.activity, t->t.user))
		return;
	switch (flow_limited_by(x->engine, t->t.activity, &r)) {
	case FLOW_LATENCY:
		s.cause = CAUSE_LATENCY;
		break;
	case FLOW_AT_BOUND:
		s.cause = CAUSE_BOUND;
		s.which = bound_index(x, t);
		break;
	case FLOW_AT_RESOURCE:
		s.cause = CAUSE_RESOURCE;
		s.which = r.v;
		if (!x->of_message)
			break;
		s.others = resource_users(x->engine, r, NULL, 0) - 1;
		sharers_look(x, t, r);
		break;
	}
	if (x->of_message)
		s.rate = flow_rate(x->engine, t->t.activity);
	segment_add(x, t, &s);
}

void track_settled(void *self, double date)
{
	struct explainer *x = self;

	if (x->of_message)
		sharers_pay(x, date);
	for (uint32_t i = x->n_live; i-- > 0;) {
		struct track *t = &x->tracks[x->live[i]];

		if (t->done >= 0)
			track_drop(x, t); /* whoever waited for it has been told */
		else
			track_look(x, t, date);
	}
}
