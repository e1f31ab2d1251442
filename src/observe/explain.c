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

/* --- amounts --- */

static void amount_add(struct explainer *x, enum cause cause, uint32_t which, double seconds)
{
	struct amounts *a = &x->amounts;
	struct amount *all;
	uint64_t key = (uint64_t)cause << 32 | which;
	struct err ignored;

	if (seconds == 0)
		return;
	uint32_t i = hash64_find(&a->places, key);
	if (i != HASH_NONE) {
		a->all[i].seconds += seconds;
		return;
	}
	all = vec_grow(a->all, &a->cap, sizeof *all, (size_t)a->n + 1, "causes", NULL);
	if (all)
		a->all = all;
	if (!all || hash64_put(&a->places, key, a->n, &ignored)) {
		x->failed = 1;
		return;
	}
	all[a->n++] = (struct amount){cause, which, seconds};
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

static void choice_text(struct explainer *x, const struct coll_args *a, const struct coll_choice *c,
                        char *buf, size_t n)
{
	struct str words;

	str_init(&words);
	if (c)
		coll_choice_explain(c, a, &words);
	else
		str_puts(&words, "decided as a whole by the model");
	snprintf(buf, n, "%s on %u ranks: %s", mp_call_name(CALL_COLL + a->kind), a->size,
	         words.s ? words.s : "");
	x->failed |= words.failed;
	str_release(&words);
}

static void chosen(void *self, uint32_t rank, const struct coll_args *a,
                   const struct coll_choice *c)
{
	struct explainer *x = self;
	struct choice *all;
	char text[sizeof all->text];
	uint32_t i;

	if (x->of_message || rank != x->rank)
		return;
	x->whole = !c;
	choice_text(x, a, c, text, sizeof text);
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

static void rounds(void *self, uint32_t rank, uint32_t last, double since, double gathered_at,
                   double date)
{
	struct explainer *x = self;

	if (x->of_message || rank != x->rank)
		return;
	amount_add(x, CAUSE_LATE, last, gathered_at - since);
	amount_add(x, CAUSE_ROUNDS, NOBODY, date - gathered_at);
	x->waits += date - since;
	x->late += gathered_at - since;
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
	struct track *t = track_of(x, m->transfer);

	/* A slot may have had others before. */
	if (!t || t->t.from != m->from || t->t.to != m->to || t->t.sent != m->sent ||
	    t->arrived < 0)
		return;
	t->done = m->received;
	if (x->of_message) {
		track_copy(x, &x->found, t);
		x->has_found = 1;
		track_drop(x, t);
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

/* ""; of a program that may spawn ranks: which of them may be. */
static const char *spawned_text(const struct explainer *x, char *buf, size_t n)
{
	uint32_t world = mp_ranks_begun(x->mp);

	*buf = '\0';
	if (world < mp_ranks(x->mp))
		snprintf(buf, n, " (%u and above: if they are spawned)", world);
	return buf;
}

static int what_parse(struct explainer *x, const char *what, struct err *err)
{
	uint64_t n;
	const char *s = what + 5;
	char spawned[64];

	if (!strncmp(what, "rank:", 5) && number_parse(&s, &n) == 0 && !*s) {
		x->rank = (uint32_t)n;
		return n < mp_ranks(x->mp)
		           ? 0
		           : err_set(err, ERR_INPUT, "--explain %s: there are %u ranks, from 0%s",
		                     what, mp_ranks(x->mp),
		                     spawned_text(x, spawned, sizeof spawned));
	}
	x->of_message = 1;
	if (!strncmp(what, "message:", 8) && pair_parse(x, what + 8) == 0)
		return 0;
	return err_set(
	    err, ERR_INPUT,
	    "--explain takes critical-path, links, rank:N, message:K (the K-th to move, from 1), "
	    "message:FROM-TO or message:FROM-TO#K, with ranks below %u%s, not '%s'",
	    mp_ranks(x->mp), spawned_text(x, spawned, sizeof spawned), what);
}

static int path_listen(struct explainer *x, struct err *err)
{
	x->critical = critical_new(x->mp, err);
	if (!x->critical)
		return -1;
	x->is_path = 1;
	x->watch = critical_watch(x->critical);
	return 0;
}

/* To a rank, or to a message. */
static int closely_listen(struct explainer *x, const char *what, struct err *err)
{
	x->free_track = x->call_choice = x->came_last = NOBODY;
	x->watch = (struct mp_watch){
	    x,      track_begins, track_moves, track_matched, track_arrived, released,
	    waited, executes,     chosen,      gathered,      rounds,        looked};
	engine_watch(x->engine, track_settled, x);
	net_set_parts(x->net, &(struct net_parts){x, track_part});
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

static struct explainer *without_mp(struct err *err)
{
	struct explainer *x = calloc(1, sizeof *x);

	if (!x)
		err_nomem(err, "explanation", sizeof *x);
	return x;
}

struct explainer *explainer_of_path(const struct explained_path *p, struct err *err)
{
	struct explainer *x = without_mp(err);

	if (!x)
		return NULL;
	x->is_path = 1;
	x->path = *p;
	return x;
}

struct explainer *explainer_of_links(struct net *n, double makespan, struct err *err)
{
	struct explainer *x = without_mp(err);

	if (!x)
		return NULL;
	x->net = n;
	x->of_links = 1;
	x->links_end = makespan;
	return x;
}

void explainer_free(struct explainer *x)
{
	if (!x)
		return;
	critical_free(x->critical);
	path_sums_release(&x->path.sums);
	if (x->mp) {
		engine_watch(x->engine, NULL, NULL);
		net_set_parts(x->net, NULL);
	}
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
	hash64_release(&x->amounts.places);
	free(x->choices);
	free(x->bounds);
	free(x->sharers);
	free(x->users);
	hash64_release(&x->sharers_at);
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
	if (x->of_links || x->is_path)
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
