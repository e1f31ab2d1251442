/* explain.c: listens to a run and keeps what explains one rank's time, or one message
 * (docs/explain.md).
 *
 * A message that is followed has a history: when it began to move, then at each date at which the
 * engine has settled, what limits it, if that has changed. A rank's time is the sum of its calls
 * (between two calls no time passes). In a call, each wait is put down to the message that ended
 * it, stretch by stretch of that message's history; before it began to move, its other end was
 * late. What is left of a call is computation (operators), a collective decided as a whole, or
 * overhead. So the causes add up to the rank's time.
 *
 * Nothing here changes the run: looking at rates at the end of a date solves what the engine would
 * solve next in any case. */
#include "critical.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHARERS_MAX = 4096, USERS_MAX = 65536 };

/* --- amounts --- */

static void amount_add(struct explainer *x, enum cause cause, uint32_t which, double seconds)
{
	struct amounts *a = &x->amounts;
	struct amount *all;

	if (seconds == 0)
		return;
	for (uint32_t i = 0; i < a->n; i++) {
		if (a->all[i].cause == cause && a->all[i].which == which) {
			a->all[i].seconds += seconds;
			return;
		}
	}
	all = vec_grow(a->all, &a->cap, sizeof *all, (size_t)a->n + 1, "causes", NULL);
	if (!all) {
		x->failed = 1;
		return;
	}
	a->all = all;
	all[a->n++] = (struct amount){cause, which, seconds};
}

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

	return name_index(x, net_bound(x->net, mp_host(x->mp, t->t.from), mp_host(x->mp, t->t.to),
	                               text, sizeof text));
}

/* --- messages that are followed --- */

static struct track *track_of(struct explainer *x, uint32_t slot)
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
	live[x->n_live++] = id;
	x->tracks[id].n = 0;
	return &x->tracks[id];
}

static void track_drop(struct explainer *x, struct track *t)
{
	uint32_t id = (uint32_t)(t - x->tracks), i;

	for (i = 0; i < x->n_live && x->live[i] != id; i++)
		;
	if (i < x->n_live)
		x->live[i] = x->live[--x->n_live];
	*slot_note(x, t->t.slot) = 0;
	t->next_free = x->free_track;
	x->free_track = id;
}

static void track_copy(struct explainer *x, struct track *to, const struct track *from)
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

static void begins(void *self, const struct mp_transfer *m, double date)
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

static void moves(void *self, uint32_t slot, struct activity_id a)
{
	struct track *t = track_of(self, slot);

	if (t)
		t->t.activity = a;
}

/* What a model without rates says of a message. One of no length makes way for the next. */
static void part(void *self, uint64_t user, double from, const char *name)
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

static void matched(void *self, uint32_t slot, double posted, double date)
{
	struct track *t = track_of(self, slot);

	(void)date;
	if (t)
		t->t.received = posted;
}

static void arrived(void *self, uint32_t slot, double date)
{
	struct track *t = track_of(self, slot);

	if (t)
		t->arrived = date;
}

/* --- at the end of a date --- */

static struct sharer *sharer_get(struct explainer *x, uint32_t from, uint32_t to, uint32_t resource)
{
	struct sharer *all;

	for (uint32_t i = 0; i < x->n_sharers; i++) {
		if (x->sharers[i].from == from && x->sharers[i].to == to &&
		    x->sharers[i].resource == resource)
			return &x->sharers[i];
	}
	if (x->n_sharers == SHARERS_MAX)
		return NULL;
	all = vec_grow(x->sharers, &x->sharers_cap, sizeof *all, (size_t)x->n_sharers + 1,
	               "messages that share", NULL);
	if (!all) {
		x->failed = 1;
		return NULL;
	}
	x->sharers = all;
	all[x->n_sharers] = (struct sharer){.from = from, .to = to, .resource = resource};
	return &all[x->n_sharers++];
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
	struct resource_user *users = malloc((n ? n : 1) * sizeof *users);

	if (!users) {
		x->failed = 1;
		return;
	}
	if (n > USERS_MAX)
		n = USERS_MAX;
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
		s->acks = users[i].coef < 0.5f;
	}
	free(users);
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
		s.others = resource_users(x->engine, r, NULL, 0) - 1;
		if (x->of_message)
			sharers_look(x, t, r);
		break;
	}
	s.rate = flow_rate(x->engine, t->t.activity);
	segment_add(x, t, &s);
}

static void settled(void *self, double date)
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

/* --- the rank --- */

static void released(void *self, uint32_t rank, const struct mp_cause *by)
{
	struct explainer *x = self;
	struct track *t = by->transfer == MP_NO_TRANSFER ? NULL : track_of(x, by->transfer);

	if (x->of_message || rank != x->rank)
		return;
	x->released = engine_now(x->engine);
	if (by->transfer == MP_NO_TRANSFER) { /* until then the other one was late */
		x->last.n = 0;
		x->last.began = INFINITY;
		x->last.t.by = *by;
		x->has_last = 1;
	} else if (t) {
		track_copy(x, &x->last, t);
		x->has_last = 1;
	}
}

/* Who was late before it began to move. */
static uint32_t late_rank(const struct explainer *x, const struct mp_transfer *t)
{
	if (t->by.rank != x->rank)
		return t->by.rank;
	return t->from == x->rank ? t->to : t->from;
}

/* A wait from since to until, ended by x->last. */
static void wait_attribute(struct explainer *x, double since, double until)
{
	const struct track *t = &x->last;
	double at = since;

	if (t->began > at) {
		double to = t->began < until ? t->began : until;

		amount_add(x, CAUSE_LATE, late_rank(x, &t->t), to - at);
		x->late += to - at;
		at = to;
	}
	for (uint32_t i = 0; i < t->n && at < until; i++) {
		double to = i + 1 < t->n && t->segs[i + 1].from < until ? t->segs[i + 1].from
		                                                        : until;

		if (to <= at)
			continue;
		amount_add(x, t->segs[i].cause, t->segs[i].which, to - at);
		at = to;
	}
}

static void waited(void *self, uint32_t rank, double since, double until)
{
	struct explainer *x = self;

	if (x->of_message || rank != x->rank || until <= since)
		return;
	if (!x->has_last) { /* nothing is known of what it waited for: leave() sees to it */
		x->loose = 1;
		return;
	}
	wait_attribute(x, since, until);
	x->waits += until - since;
	x->has_last = 0;
}

/* The looks so far were no wait. */
static void looks_end(struct explainer *x)
{
	amount_add(x, CAUSE_OVERHEAD, NOBODY, x->looks.missed + x->looks.last);
	if (x->looks.row)
		x->has_last = 0;
	memset(&x->looks, 0, sizeof x->looks);
}

/* What looks of a row took is one wait, up to the date at which what was found was there. */
static void looks_attribute(struct explainer *x)
{
	double begun = x->looks.since, found = x->released, waits;

	found = found < begun                   ? begun
	        : found < begun + x->looks.last ? found
	                                        : begun + x->looks.last;
	waits = x->looks.missed + (found - begun);
	if (waits > 0)
		wait_attribute(x, found - waits, found);
	x->looks.last -= found - begun;
	x->looks.missed = 0;
}

static void looked(void *self, uint32_t rank, double since, int found)
{
	struct explainer *x = self;

	if (x->of_message || rank != x->rank)
		return;
	x->looks.row = 1;
	x->looks.since = since;
	if (!found) {
		x->looks.missed += x->looks.last;
		x->looks.last = 0;
		return;
	}
	if (x->has_last)
		looks_attribute(x);
	looks_end(x);
}

static void executes(void *self, uint32_t rank, double date)
{
	struct explainer *x = self;

	if (!x->of_message && rank == x->rank)
		x->executing = date;
}

static void choice_text(const struct coll_args *a, const struct coll_choice *c, char *buf, size_t n)
{
	const char *name = mp_call_name(CALL_COLL + a->kind);
	struct str parts, by;

	str_init(&parts);
	str_init(&by);
	if (c)
		coll_parts(c->alg, a, &parts);
	if (c && c->rules)
		str_printf(&by, "by %s:%u", coll_rules_path(c->rules), c->line);
	else if (c)
		str_printf(&by, "%s%s", c->selector ? "chosen by the selector " : "as set",
		           c->selector ? c->selector->name : "");
	if (!c)
		snprintf(buf, n, "%s on %u ranks: decided as a whole by the model", name, a->size);
	else
		snprintf(buf, n, "%s on %u ranks: %s, %s%s%s%s%s%s%s", name, a->size, c->alg->name,
		         by.n ? by.s : "", c->wanted ? "; it stands in for " : "",
		         c->wanted ? c->wanted->name : "", c->wanted ? ": " : "",
		         c->wanted && c->refused ? c->refused : "", parts.n ? "; it runs " : "",
		         parts.n ? parts.s : "");
	str_release(&parts);
	str_release(&by);
}

static void chosen(void *self, uint32_t rank, const struct coll_args *a,
                   const struct coll_choice *c)
{
	struct explainer *x = self;
	struct choice *all;
	char text[256];
	uint32_t i;

	if (x->of_message || rank != x->rank)
		return;
	x->whole = !c;
	choice_text(a, c, text, sizeof text);
	for (i = 0; i < x->n_choices && strcmp(x->choices[i].text, text) != 0; i++)
		;
	x->call_choice = i;
	if (i == x->n_choices) {
		all = vec_grow(x->choices, &x->choices_cap, sizeof *all, (size_t)i + 1,
		               "choices of collectives", NULL);
		if (!all) {
			x->failed = 1;
			x->call_choice = NOBODY;
			return;
		}
		x->choices = all;
		memset(&all[i], 0, sizeof all[i]);
		memcpy(all[i].text, text, sizeof text);
		x->n_choices++;
	}
	x->choices[i].times++;
}

static void gathered(void *self, uint32_t rank, uint32_t last, double date)
{
	struct explainer *x = self;

	(void)date;
	if (!x->of_message && rank == x->rank)
		x->came_last = last;
}

static void call_enter(void *self, uint32_t rank, enum mp_call call, double date)
{
	struct explainer *x = self;

	if (x->of_message || rank != x->rank)
		return;
	if (!call_is_look(call) && call != CALL_COMPUTE && call != CALL_SLEEP)
		looks_end(x);
	/* `chosen` comes before, in the same call. */
	x->call = call;
	x->entered = date;
	x->executing = -1;
	x->waits = x->late = 0;
	x->loose = 0;
}

static void call_leave(void *self, uint32_t rank, enum mp_call call, double date, int32_t partner,
                       double bytes, double wait)
{
	struct explainer *x = self;
	double spent = date - x->entered, rest, more;

	(void)bytes;
	if (x->of_message || rank != x->rank)
		return;
	x->end = date;
	if (x->call_choice != NOBODY && call >= CALL_COLL)
		x->choices[x->call_choice].seconds += spent;
	if (call == CALL_SLEEP || call == CALL_COMPUTE) {
		if (call == CALL_COMPUTE && spent > LOOKS_APART)
			looks_end(x);
		amount_add(x, call == CALL_SLEEP ? CAUSE_SLEEP : CAUSE_COMPUTE, NOBODY, spent);
		return;
	}
	if (x->executing >= 0) {
		amount_add(x, CAUSE_COMPUTE, NOBODY, date - x->executing);
		spent = x->executing - x->entered;
	}
	rest = spent - x->waits;
	if (call_is_look(call) && x->waits == 0 && x->executing < 0 && !x->loose) {
		x->looks.last += rest; /* not known to be a wait before it is known what it found */
		return;
	}
	more = wait - x->late < rest ? wait - x->late : rest;
	if ((x->waits == 0 || x->loose) && more > 1e-12 * date) {
		amount_add(x, CAUSE_LATE, partner < 0 ? x->came_last : (uint32_t)partner, more);
		rest -= more;
	}
	amount_add(x,
	           x->whole && call >= CALL_COLL ? CAUSE_WHOLE
	           : call_class(call) == TIME_IO ? CAUSE_FILES
	                                         : CAUSE_OVERHEAD,
	           NOBODY, rest);
	x->whole = 0;
	x->call_choice = x->came_last = NOBODY;
}

/* --- the message --- */

static void message(void *self, const struct mp_arrival *m)
{
	struct explainer *x = self;

	/* The slot is not told: of those followed, the one of these ends and dates that has
	 * arrived. */
	for (uint32_t i = 0; i < x->n_live; i++) {
		struct track *t = &x->tracks[x->live[i]];

		if (t->t.from != m->from || t->t.to != m->to || t->began != m->moved ||
		    t->t.sent != m->sent || t->arrived < 0)
			continue;
		t->done = m->received;
		if (x->of_message) {
			track_copy(x, &x->found, t);
			x->has_found = 1;
			track_drop(x, t);
		}
		return;
	}
}

/* --- made and freed --- */

static int number_parse(const char **s, uint64_t *out)
{
	size_t n = strspn(*s, "0123456789");
	int64_t v;

	if (n == 0 || num_parse_i64(*s, n, &v) < 0)
		return -1;
	*s += n;
	*out = (uint64_t)v;
	return 0;
}

static int pair_parse(struct explainer *x, const char *s)
{
	uint64_t a, b;

	x->from = x->to = NOBODY;
	if (number_parse(&s, &a) < 0)
		return -1;
	x->number = a;
	if (!*s)
		return a > 0 ? 0 : -1;
	x->number = 1;
	if (*s++ != '-')
		return -1;
	s += *s == '>';
	if (number_parse(&s, &b) < 0 || (*s == '#' && (s++, number_parse(&s, &x->number) < 0)) ||
	    *s || x->number == 0)
		return -1;
	if (a >= mp_ranks(x->mp) || b >= mp_ranks(x->mp))
		return -1;
	x->from = (uint32_t)a;
	x->to = (uint32_t)b;
	return 0;
}

static int what_parse(struct explainer *x, const char *what, struct err *err)
{
	uint64_t n;
	const char *s = what + 5;

	if (!strncmp(what, "rank:", 5) && number_parse(&s, &n) == 0 && !*s) {
		x->rank = (uint32_t)n;
		return n < mp_ranks(x->mp)
		           ? 0
		           : err_set(err, ERR_INPUT, "--explain %s: there are %u ranks, from 0",
		                     what, mp_ranks(x->mp));
	}
	x->of_message = 1;
	if (!strncmp(what, "message:", 8) && pair_parse(x, what + 8) == 0)
		return 0;
	return err_set(
	    err, ERR_INPUT,
	    "--explain takes critical-path, links, rank:N, message:K (the K-th to move, from 1), "
	    "message:FROM-TO or message:FROM-TO#K, with ranks below %u, not '%s'",
	    mp_ranks(x->mp), what);
}

static int path_listen(struct explainer *x, struct err *err)
{
	x->critical = critical_new(x->mp, err);
	if (!x->critical)
		return -1;
	x->watch = critical_watch(x->critical);
	return 0;
}

/* To a rank, or to a message. */
static int closely_listen(struct explainer *x, const char *what, struct err *err)
{
	x->free_track = x->call_choice = x->came_last = NOBODY;
	x->watch = (struct mp_watch){x,      begins,   moves,  matched,  arrived, released,
	                             waited, executes, chosen, gathered, looked};
	engine_watch(x->engine, settled, x);
	net_set_parts(x->net, &(struct net_parts){x, part});
	return what_parse(x, what, err);
}

struct explainer *explainer_new(struct mp *mp, const char *what, struct err *err)
{
	struct explainer *x = calloc(1, sizeof *x);

	if (!x) {
		err_nomem(err, "explanation", sizeof *x);
		return NULL;
	}
	x->mp = mp;
	x->net = mp_net(mp);
	x->engine = net_engine(x->net);
	x->of_links = !strcmp(what, "links");
	int failed = x->of_links                      ? engine_meter(x->engine, err)
	             : !strcmp(what, "critical-path") ? path_listen(x, err)
	                                              : closely_listen(x, what, err);
	if (failed) {
		explainer_free(x);
		return NULL;
	}
	return x;
}

void explainer_free(struct explainer *x)
{
	if (!x)
		return;
	critical_free(x->critical);
	engine_watch(x->engine, NULL, NULL);
	net_set_parts(x->net, NULL);
	for (uint32_t i = 0; i < x->n_tracks; i++)
		free(x->tracks[i].segs);
	free(x->tracks);
	free(x->slots[0].track);
	free(x->slots[1].track);
	free(x->live);
	free(x->last.segs);
	free(x->found.segs);
	free(x->before.segs);
	free(x->amounts.all);
	free(x->choices);
	free(x->bounds);
	free(x->sharers);
	free(x);
}

struct mp_observer explainer_observer(struct explainer *x)
{
	if (x->critical)
		return critical_observer(x->critical);
	if (x->of_links)
		return (struct mp_observer){0};
	return (struct mp_observer){
	    .self = x, .enter = call_enter, .leave = call_leave, .message = message};
}

const struct mp_watch *explainer_watch(const struct explainer *x)
{
	return x->of_links ? NULL : &x->watch;
}

int explainer_end(struct explainer *x, struct err *err)
{
	if (x->critical)
		return critical_end(x->critical, err);
	if (x->of_links)
		return 0;
	looks_end(x);
	if (x->failed)
		return err_set(err, ERR_LIMIT,
		               "not enough memory for the explanation: it would be wrong");
	if (!x->of_message)
		return 0;
	for (uint32_t i = 0; i < x->n_live && !x->has_found; i++) { /* it never ended */
		track_copy(x, &x->found, &x->tracks[x->live[i]]);
		x->has_found = 1;
	}
	if (x->has_found)
		return 0;
	return err_set(err, ERR_INPUT, "--explain: there is no such message; %llu began to move%s",
	               (unsigned long long)x->begun,
	               x->from == NOBODY ? "" : " between these ranks");
}

double explain_total(const struct explainer *x)
{
	double sum = 0;

	for (uint32_t i = 0; i < x->amounts.n; i++)
		sum += x->amounts.all[i].seconds;
	return sum;
}
