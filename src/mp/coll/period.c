/* period.c: a ring of very many rounds is simulated until it is periodic; the rounds left take as
 * long as those before.
 *
 * On a ring of p ranks each passes on, in each of p - 1 rounds, what came in the round before: p²
 * messages, 10^10 with 100,000 ranks. But all rounds are alike (coll_alg.alike). The dates d_i(k)
 * at which rank i has done round k follow d_i(k+1) = max(d_i(k) + a_i, d_(i-1)(k) + b_i): a system
 * of (max, +), whose latest date grows by the same time in each round once it is periodic (Baccelli
 * et al., "Synchronization and Linearity", 1992, theorem 3.109).
 *
 * So the latest date is noted after w, 2 w, 4 w, … rounds. When it has grown as fast between the
 * last two of these as between the two before (to rounding; within 1 % once a quarter of the
 * messages have been sent that the setting allows), or when all these have been, the ranks stop at
 * the first round that nobody has done yet, and the rounds left take their share. A rank that is
 * not the last yet, but slower (at a long hop, while another came late), may become it: so each is
 * looked at that has kept its pace, within 0.1 %, between the last three of its dates. All ranks
 * end together: the last of them at its date.
 *
 *   task has done w 2^k rounds: noted --last one has: it is decided where to stop--> task is there:
 *   it waits for members --last one comes: timer--> the cursor skips rounds, the task goes on
 *
 * w is a multiple of the ranks of a host, so that each stretch of w neighbours has as many messages
 * between hosts as another, and even (two buffers in turn, pairs of neighbours).
 *
 * What is not right: who would have ended before the last one ends with it (in a ring each waits
 * for what all others had at the beginning, so only by what the last was late); where contention
 * makes the rounds longer and longer, those left are (docs/models.md); what else goes over the
 * network meanwhile is taken to go on. Messages of the rounds left are counted, but no link has
 * them.
 *
 * Whether it is done depends on the call alone, not on who looks. compat refuses it. */
#include "coll_int.h"
#include "mp/comm/comm.h"
#include "mp/message/message.h"
#include "mp/report/watch.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

enum { WINDOW_LEAST = 8, NOTED = 32, NOTED_LEAST = 2, PARTS = 4 };
static const double agreed = 0.01, paced = 1e-3, exactly = 1e-6;

/* Of a member: its date when it had done w 2^k rounds for the last time, and how long a round took
 * it between that and the time before, and between the two before, s. */
struct member {
	double date, round, round_before;
};

struct period {
	struct member *member;   /* [members] */
	struct members come;     /* those that wait */
	struct coll_cursor from; /* of the first round that is alike; rounds count from it */
	uint32_t rounds, window; /* that are alike; w */
	uint32_t furthest, stop; /* the most that a member has done; where all wait */
	uint32_t passed[NOTED];  /* members that have done w 2^k rounds, */
	double date[NOTED];      /* the last of them, s */
	double round;            /* how long a round takes, s */
	double end;              /* s: of the member whose rounds left take longest, */
	double gathered;         /* the last one waits, */
	uint32_t latest;         /* this rank */
	struct mp_path path;     /* to that date */
};

static uint64_t period_key(const struct op *t)
{
	return (uint64_t)t->ctx << 32 | t->number;
}

void periods_init(struct mp *mp)
{
	slots_init(&mp->periods.slots, sizeof(struct period), offsetof(struct period, come.first),
	           "rings under way");
	hash64_init(&mp->periods.by_key);
}

static struct period *period_at(const struct mp *mp, uint32_t id)
{
	return slots_at(&mp->periods.slots, id, sizeof(struct period));
}

void periods_release(struct mp *mp)
{
	for (uint32_t i = 0; i < mp->periods.slots.n; i++)
		free(period_at(mp, i)->member);
	hash64_release(&mp->periods.by_key);
	slots_release(&mp->periods.slots);
}

int ring_may_be_long(const struct mp *mp, const struct coll_args *a)
{
	return mp->periods.messages > 0 && !a->split &&
	       (double)a->size * a->size > mp->periods.messages;
}

/* --- how many rounds --- */

/* The most members of a communicator on one host that follow each other. */
static uint32_t most_together(const struct mp *mp, const struct comm *c)
{
	uint32_t most = 1, n = 1, i;

	for (i = 1; i < c->n; i++) {
		n = mp->ranks[comm_member(c, i)].host.v == mp->ranks[comm_member(c, i - 1)].host.v
		        ? n + 1
		        : 1;
		most = n > most ? n : most;
	}
	return most;
}

/* The first window, and where all wait at the latest, of `rounds` that are alike; 0: all are to be
 * simulated. */
static int window_set(const struct mp *mp, const struct comm *c, uint32_t rounds, struct period *p)
{
	double most = mp->periods.messages / c->n; /* rounds */
	uint64_t unit, window, stop;

	if (rounds <= most)
		return 0;
	unit = most_together(mp, c);
	unit *= unit % 2 ? 2 : 1;
	window = (WINDOW_LEAST + unit - 1) / unit * unit;
	/* with very many ranks on each of very many hosts a window is long enough to forget */
	stop = window << ((double)window > 2 * most ? 1 : NOTED_LEAST);
	while (2 * stop <= most)
		stop *= 2;
	if (stop >= rounds)
		return 0;
	p->rounds = rounds;
	p->window = (uint32_t)window;
	p->stop = (uint32_t)stop;
	return 1;
}

/* --- the members --- */

static int same_phase(const struct coll_cursor *a, const struct coll_cursor *b)
{
	for (int i = 0; i < COLL_DEPTH_MAX; i++)
		if (a->phase[i] != b->phase[i])
			return 0;
	return a->repeat == b->repeat;
}

/* Whether a member is in the rounds that are alike. */
static int is_in_ring(const struct op *t, const struct period *p)
{
	return same_phase(&t->round, &p->from) && t->round.round >= p->from.round;
}

/* The ring that this task is in, made for the first member that begins it; or HASH_NONE: it is in
 * none, or in one whose rounds are all simulated. */
static int ring_find(struct mp *mp, const struct op *t, uint32_t *id, struct err *err)
{
	const struct comm *c = comm_at(mp, t->ctx & CTX_SLOT);
	struct period p = {.come = {NONE, NONE, 0}, .from = t->round};
	uint32_t rounds;

	*id = hash64_find(&mp->periods.by_key, period_key(t));
	if (*id != HASH_NONE)
		return 0;
	rounds = coll_alike(args_of(t)->alg, t->args, t->me, &t->round);
	if (!rounds || !window_set(mp, c, rounds, &p))
		return 0;
	p.member = malloc(c->n * sizeof *p.member);
	if (!p.member)
		return err_nomem(err, "ranks of a ring", c->n * sizeof *p.member);
	*id = slots_take(&mp->periods.slots, err);
	if (*id == SLOTS_NONE) {
		free(p.member);
		return -1;
	}
	*period_at(mp, *id) = p;
	return hash64_put(&mp->periods.by_key, period_key(t), *id, err);
}

/* How long a round took between two of the dates noted, s. */
static double growth(const struct period *p, uint32_t k)
{
	return (p->date[k] - p->date[k - 1]) / ((double)p->window * (1u << (k - 1)));
}

/* All have done w 2^k rounds. What agrees well enough may still change, unless a quarter of what
 * may be simulated has been. */
static void all_have_passed(struct period *p, uint32_t k)
{
	double change;

	if (k == 0)
		return;
	p->round = growth(p, k);
	if (k <= NOTED_LEAST || p->furthest + 1 >= p->stop)
		return;
	change = fabs(p->round - growth(p, k - 1));
	if (change <= (PARTS * p->window << k >= p->stop ? agreed : exactly) * p->round)
		p->stop = p->furthest + 1;
}

static void member_note(struct period *p, struct member *m, uint32_t k, double now)
{
	m->round_before = m->round;
	m->round = k > 0 ? (now - m->date) / ((double)p->window * (1u << (k - 1))) : 0;
	m->date = now;
}

/* A task has done so many rounds. */
static void ring_pass(const struct mp *mp, const struct op *t, struct period *p, uint32_t done)
{
	uint32_t members = t->args->size;
	uint32_t times = done / p->window, k = 0;

	if (done > p->furthest)
		p->furthest = done;
	if (done % p->window || times & (times - 1) || times == 0)
		return;
	while (times >>= 1)
		k++;
	BUG_ON(p->passed[k] >= members);
	member_note(p, &p->member[t->me], k, engine_now(mp->engine));
	if (++p->passed[k] < members)
		return;
	p->date[k] = engine_now(mp->engine);
	all_have_passed(p, k);
}

/* An even number: see above. */
static uint32_t rounds_left(const struct period *p)
{
	return (p->rounds - p->stop) / 2 * 2;
}

/* Each member is here once. */
static int all_are_here(struct mp *mp, uint32_t id, const struct op *t, struct err *err)
{
	struct period *p = period_at(mp, id);
	double now = engine_now(mp->engine);
	struct activity_id a;
	uint32_t task;

	hash64_remove(&mp->periods.by_key, period_key(t));
	p->gathered = now;
	p->latest = t->rank;
	p->path = *path_now(mp);
	for (task = mp->watch ? p->come.first : NONE; task != NONE; task = op_at(mp, task)->target)
		if (!op_at(mp, task)->background)
			watch_gathered(mp, op_at(mp, task)->rank, t->rank);
	return engine_timer(mp->engine, fmax(p->round * rounds_left(p), p->end - now),
	                    event_user(EVENT_PERIOD, id), &a, err);
}

static int ring_enter(struct mp *mp, uint32_t task, uint32_t id, struct err *err)
{
	struct op *t = op_at(mp, task);
	struct period *p = period_at(mp, id);
	const struct member *m = &p->member[t->me];
	double now = engine_now(mp->engine);

	if (fabs(m->round - m->round_before) <= paced * m->round)
		p->end = fmax(p->end, now + m->round * rounds_left(p));
	if (members_enter(mp, &p->come, task) && all_are_here(mp, id, t, err) < 0)
		return MP_ERROR;
	return MP_BLOCKED;
}

int ring_go(struct mp *mp, uint32_t task, struct err *err)
{
	struct op *t = op_at(mp, task);
	struct period *p;
	uint32_t id;

	if (t->wait == TASK_WAITS_MEMBERS && t->wait_stage != TASK_PAYS)
		return MP_BLOCKED;
	if (t->wait == TASK_WAITS_MEMBERS) {
		t->wait = TASK_RUNS;
		t->wait_stage = TASK_BEGINS;
		t->target = NONE;
		return MP_DONE;
	}
	if (t->step > 0 || t->paid) /* it was here before it paid for its first step */
		return MP_DONE;
	if (ring_find(mp, t, &id, err) < 0)
		return MP_ERROR;
	p = id == HASH_NONE ? NULL : period_at(mp, id);
	if (!p || !is_in_ring(t, p))
		return MP_DONE;
	ring_pass(mp, t, p, t->round.round - p->from.round);
	return t->round.round - p->from.round == p->stop ? ring_enter(mp, task, id, err) : MP_DONE;
}

/* --- the rounds that are left --- */

/* What a rank does in one of them: a ring's rank sends one message at most, and receives one. */
struct round_steps {
	struct coll_steps all;
	const struct coll_step *send, *recv; /* or NULL */
};

static void round_of(const struct op *t, struct coll_cursor *round, struct round_steps *r)
{
	r->send = r->recv = NULL;
	coll_next(args_of(t)->alg, t->args, t->me, round, &r->all);
	for (const struct coll_step *s = r->all.s; s < r->all.s + r->all.n; s++) {
		if (s->kind == STEP_SEND || s->kind == STEP_ISEND)
			r->send = s;
		else if (s->kind == STEP_RECV || s->kind == STEP_IRECV)
			r->recv = s;
	}
}

/* Its rounds count as those before. */
static void rounds_count(struct mp *mp, struct op *t, uint32_t rounds)
{
	struct coll_cursor round = t->round;
	struct round_steps r;

	round_of(t, &round, &r);
	if (r.send) {
		mp->stats.messages += rounds;
		mp->stats.bytes += (double)rounds * (double)r.send->len;
		t->bytes += (double)rounds * (double)r.send->len;
	}
	if (r.recv)
		t->bytes += (double)rounds * (double)r.recv->len;
}

/* Who moves the data is told of the messages all the same: round by round, first what each does
 * before it sends, then the messages, then what each does with what came. */
struct carrier {
	uint32_t *task;               /* by member */
	struct coll_step *sent, *got; /* by member, this round's; kind STEP_WAIT: none */
};

static int acts_tell(struct mp *mp, uint32_t task, const struct coll_step *from,
                     const struct coll_step *to, struct err *err)
{
	for (; from < to; from++)
		if (from->kind >= STEP_REDUCE && data_acts_tell(mp, task, from, err) < 0)
			return -1;
	return 0;
}

static const struct coll_step *after_send(const struct round_steps *r)
{
	return r->send ? r->send : r->all.s;
}

static int acts_later(const struct round_steps *r)
{
	for (const struct coll_step *s = after_send(r); s < r->all.s + r->all.n; s++)
		if (s->kind >= STEP_REDUCE)
			return 1;
	return 0;
}

/* Also goes on to the next round. 1: somebody acts on what comes. */
static int round_send(struct mp *mp, const struct carrier *c, uint32_t n, struct err *err)
{
	const struct coll_step none = {.kind = STEP_WAIT};
	struct round_steps r;
	int later = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct op *t = op_at(mp, c->task[i]);

		round_of(t, &t->round, &r);
		c->sent[i] = r.send ? *r.send : none;
		c->got[i] = r.recv ? *r.recv : none;
		later |= acts_later(&r);
		if (acts_tell(mp, c->task[i], r.all.s, after_send(&r), err) < 0)
			return -1;
	}
	return later;
}

static int round_act(struct mp *mp, const struct carrier *c, uint32_t n, struct err *err)
{
	struct round_steps r;

	for (uint32_t i = 0; i < n; i++) {
		struct coll_cursor round = op_at(mp, c->task[i])->round;

		round.round--;
		round_of(op_at(mp, c->task[i]), &round, &r);
		if (acts_tell(mp, c->task[i], after_send(&r), r.all.s + r.all.n, err) < 0)
			return -1;
	}
	return 0;
}

static int round_carry(struct mp *mp, const struct carrier *c, uint32_t n, struct err *err)
{
	int later = round_send(mp, c, n, err);
	uint32_t i, from;

	for (i = 0; i < n && later >= 0; i++) {
		from = c->got[i].peer;
		if (c->got[i].kind != STEP_WAIT && c->sent[from].kind != STEP_WAIT &&
		    data_carry_tell(mp, c->task[from], &c->sent[from], c->task[i], &c->got[i],
		                    err) < 0)
			return -1;
	}
	return later > 0 ? round_act(mp, c, n, err) : later;
}

static int anybody_has_data(const struct mp *mp, const struct period *p)
{
	for (uint32_t task = p->come.first; task != NONE; task = op_at(mp, task)->target)
		if (data_is_there(mp, task))
			return 1;
	return 0;
}

static int rounds_carry(struct mp *mp, const struct period *p, struct err *err)
{
	uint32_t n = op_at(mp, p->come.first)->args->size, task, i;
	struct carrier c = {malloc(n * sizeof *c.task), malloc(n * sizeof *c.sent),
	                    malloc(n * sizeof *c.got)};
	int status = 0;

	if (!c.task || !c.sent || !c.got) {
		status = err_nomem(err, "messages of a ring", 2 * n * sizeof *c.sent);
		goto done;
	}
	for (task = p->come.first; task != NONE; task = op_at(mp, task)->target)
		c.task[op_at(mp, task)->me] = task;
	for (i = 0; i < rounds_left(p) && status == 0; i++)
		status = round_carry(mp, &c, n, err);
done:
	free(c.task);
	free(c.sent);
	free(c.got);
	return status;
}

int period_end(struct mp *mp, uint32_t id, struct err *err)
{
	struct period p = *period_at(mp, id);
	int carries = mp->data && anybody_has_data(mp, &p), status = 0;
	uint32_t left = rounds_left(&p), task, next;

	free(p.member);
	period_at(mp, id)->member = NULL;
	slots_give(&mp->periods.slots, id);
	for (task = p.come.first; task != NONE; task = op_at(mp, task)->target)
		rounds_count(mp, op_at(mp, task), left);
	if (carries && rounds_carry(mp, &p, err) < 0)
		return -1;
	mp->periods.left += left;
	path_goes_on(mp, &p.path);
	for (task = p.come.first; task != NONE && status >= 0; task = next) {
		struct op *t = op_at(mp, task);

		next = t->target;
		if (!carries)
			t->round.round += left;
		t->waited += p.gathered - t->wait_since;
		t->wait_stage = TASK_PAYS;
		if (!t->background)
			watch_rounds(mp, t->rank, p.latest, t->wait_since, p.gathered);
		if (t->background)
			status = t->run(mp, t, err);
		else
			rank_released(mp, t->rank);
	}
	return status;
}
