/* prop_schedule.c: random schedules beside LogGOPSim's way of simulating one: a list of what may
 * happen, of which the first is tried, and put back with another date where its processor or
 * interface is taken. Whatever the processors, interfaces, sizes, tags and figures, each ends at
 * the same picosecond; where the one does not end, the other says so. The agenda beside a search
 * for the least. What is noted of a run changes nothing; the path back from its end has no gap, and
 * none of its stretches lasts longer than what it is can. */
#include "property/prop.h"
#include "schedule/schedule_int.h"
#include "tmp.h"

#include <math.h>

enum { RANKS = 6, OPS = 120, EDGES = 400, TRIES = 4 * OPS };

/* --- a random schedule: sends before their receives, what is waited for before who waits --- */

struct drawn {
	struct schedule_op op[RANKS][OPS];
	uint32_t n[RANKS];
	uint32_t from[EDGES], to[EDGES], rank[EDGES];
	uint8_t start[EDGES];
	uint32_t edges, ranks, cpus, nics;
};

static void edges_draw(struct drawn *d, struct rng *r, uint32_t rank)
{
	uint32_t last = d->n[rank] - 1;

	for (uint32_t k = prop_from(r, 0, 2); k > 0 && last > 0; k--) {
		d->rank[d->edges] = rank;
		d->to[d->edges] = last;
		d->from[d->edges] = prop_from(r, last > 6 ? last - 6 : 0, last - 1);
		d->start[d->edges++] = (uint8_t)prop_once_in(r, 6);
	}
}

static void op_draw(struct drawn *d, struct rng *r, uint32_t rank, struct schedule_op op)
{
	op.rank = rank;
	op.cpu = (uint8_t)prop_from(r, 0, d->cpus - 1);
	d->op[rank][d->n[rank]++] = op;
	edges_draw(d, r, rank);
}

/* calc 0 and no cost are there; mixed: messages of several sizes, computations of any. */
static void draw(struct drawn *d, struct rng *r, int mixed)
{
	static const int64_t sizes[] = {0, 1, 8, 100, 5000, 100000},
	                     times[] = {0, 1, 10, 500, 3333};
	int64_t size = sizes[rng_below(r, 6)];
	int any = prop_once_in(r, 3);

	*d = (struct drawn){.ranks = prop_from(r, 1, RANKS),
	                    .cpus = prop_from(r, 1, 3),
	                    .nics = prop_from(r, 1, 2)};
	for (uint32_t k = prop_from(r, 1, OPS / 2 - 1); k > 0; k--) {
		uint32_t a = prop_from(r, 0, d->ranks - 1), b = prop_from(r, 0, d->ranks - 1);
		int32_t tag = (int32_t)rng_below(r, 3);

		size = mixed ? sizes[(k + a) % 6] : size;
		if (prop_once_in(r, 3)) {
			op_draw(d, r, a,
			        (struct schedule_op){.kind = SCHEDULE_CALC,
			                             .size = mixed ? prop_from(r, 1, 5000000)
			                                           : times[rng_below(r, 5)]});
			continue;
		}
		op_draw(d, r, a,
		        (struct schedule_op){.kind = SCHEDULE_SEND,
		                             .size = size,
		                             .peer = (int32_t)b,
		                             .tag = tag,
		                             .nic = (uint8_t)prop_from(r, 0, d->nics - 1)});
		op_draw(d, r, b,
		        (struct schedule_op){.kind = SCHEDULE_RECV,
		                             .size = size,
		                             .peer = any && prop_once_in(r, 3) ? -1 : (int32_t)a,
		                             .tag = any && prop_once_in(r, 3) ? -1 : tag});
	}
}

static struct trace_schedule schedule_of(const struct drawn *d)
{
	struct trace_schedule s = {.ranks = d->ranks, .cpus = d->cpus, .nics = d->nics};

	s.op = calloc(RANKS * OPS + 1, sizeof *s.op);
	s.edge = calloc(EDGES + 1, sizeof *s.edge);
	s.first = calloc(RANKS + 1, sizeof *s.first);
	assert_true(s.op && s.edge && s.first);
	for (uint32_t i = 0; i < d->ranks; i++) {
		s.first[i] = s.n_ops;
		for (uint32_t k = 0; k < d->n[i]; k++) {
			struct schedule_op *op = &s.op[s.n_ops++];

			*op = d->op[i][k];
			op->out = s.n_edges;
			s.any |= op->kind == SCHEDULE_RECV && (op->peer < 0 || op->tag < 0);
			s.computing += op->kind == SCHEDULE_CALC ? (double)op->size : 0;
			for (int start = 1; start >= 0; start--)
				for (uint32_t e = 0; e < d->edges; e++)
					if (d->rank[e] == i && d->from[e] == k &&
					    d->start[e] == start)
						s.edge[s.n_edges++] = schedule_edge(d->to[e],
						                                    start);
			for (uint32_t e = 0; e < d->edges; e++)
				op->waits += d->rank[e] == i && d->to[e] == k;
		}
	}
	s.first[d->ranks] = s.n_ops;
	s.op[s.n_ops].out = s.n_edges;
	return s;
}

/* --- the other way --- */

enum try_kind { TRY_SEND = 1, TRY_RECV, TRY_CALC, TRY_MESSAGE };

struct
try { /* nanoseconds */
	uint64_t date, order;
	uint32_t op;
	enum try_kind kind;
};
struct other {
	struct trace_schedule s;
	struct figures {
		uint64_t L, o, g, G, O, S;
	} f;
	struct try try[TRIES];
	uint32_t n;
	uint64_t order;
	uint64_t until[RANKS][3], out[RANKS][2], in[RANKS][2]; /* of processors, interfaces */
	uint32_t waits[RANKS * OPS];
	uint64_t ready[RANKS * OPS], taken[RANKS * OPS];
	uint32_t posted[RANKS * OPS], n_posted, come[RANKS * OPS], n_come;
	uint32_t freed[RANKS * OPS], n_freed;
	uint32_t ended;
};

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void other_tell(struct other *x, uint32_t id, int start, uint64_t date)
{
	const struct schedule_op *op = &x->s.op[id];

	x->ended += start == 0;
	for (uint32_t k = 0; k < schedule_outs(op); k++) {
		uint32_t edge = x->s.edge[op->out + k], to = x->s.first[op->rank] + (edge >> 1);

		if ((int)(edge & 1) != start)
			continue;
		x->ready[to] = later(x->ready[to], date);
		if (--x->waits[to] == 0)
			x->freed[x->n_freed++] = to;
	}
}

static void try_put(struct other *x, uint32_t id, enum try_kind kind, uint64_t date, uint64_t order)
{
	assert_true(x->n < TRIES);
	x->try[x->n++] = (struct try){date, order, id, kind};
}

/* In LogGOPSim's order (which has a test of its own). */
static void other_put(struct other *x)
{
	static const enum try_kind kinds[] = {
	    [SCHEDULE_SEND] = TRY_SEND, [SCHEDULE_RECV] = TRY_RECV, [SCHEDULE_CALC] = TRY_CALC};
	struct freed f = {.id = x->freed, .n = x->n_freed, .cap = x->n_freed};
	struct err err;

	assert_ok(freed_sort_as_loggopsim(&f, &x->s, &err), err);
	for (uint32_t i = 0; i < x->n_freed; i++) {
		const struct schedule_op *op = &x->s.op[x->freed[i]];
		uint64_t date = later(x->ready[x->freed[i]], x->until[op->rank][op->cpu]);

		if (op->kind == SCHEDULE_SEND)
			date = later(date, x->out[op->rank][op->nic]);
		try_put(x, x->freed[i], kinds[op->kind], date, x->order++);
	}
	x->n_freed = 0;
}

static int other_fits(const struct other *x, uint32_t recv, uint32_t send)
{
	const struct schedule_op *a = &x->s.op[recv], *b = &x->s.op[send];

	return b->peer == (int32_t)a->rank && (a->peer < 0 || a->peer == (int32_t)b->rank) &&
	       (a->tag < 0 || a->tag == b->tag);
}

/* The first of a list that fits, taken out of it; or SCHEDULE_NONE. */
static uint32_t list_take(struct other *x, uint32_t *list, uint32_t *n, uint32_t id, int is_recv)
{
	for (uint32_t i = 0; i < *n; i++) {
		uint32_t found = list[i];

		if (!other_fits(x, is_recv ? id : found, is_recv ? found : id))
			continue;
		memmove(list + i, list + i + 1, (--*n - i) * sizeof *list);
		return found;
	}
	return SCHEDULE_NONE;
}

static void pair_end(struct other *x, uint32_t send, uint32_t recv, uint64_t now, uint64_t taken)
{
	if ((uint64_t)x->s.op[send].size > x->f.S)
		other_tell(x, send, 0, now);
	other_tell(x, recv, 0, later(now, taken));
}

static void try_recv(struct other *x, struct try t)
{
	uint32_t send;

	other_tell(x, t.op, 1, t.date);
	send = list_take(x, x->come, &x->n_come, t.op, 1);
	if (send == SCHEDULE_NONE)
		x->posted[x->n_posted++] = t.op;
	else
		pair_end(x, send, t.op, t.date, x->taken[send]);
}

static void try_calc(struct other *x, struct try t)
{
	const struct schedule_op *op = &x->s.op[t.op];
	uint64_t *until = &x->until[op->rank][op->cpu];

	if (*until > t.date) {
		try_put(x, t.op, t.kind, *until, t.order);
		return;
	}
	*until = t.date + (uint64_t)op->size;
	other_tell(x, t.op, 1, t.date);
	other_tell(x, t.op, 0, *until);
}

static void try_send(struct other *x, struct try t)
{
	const struct schedule_op *op = &x->s.op[t.op];
	uint64_t *until = &x->until[op->rank][op->cpu], *out = &x->out[op->rank][op->nic];
	uint64_t more = op->size > 1 ? (uint64_t)op->size - 1 : 0;

	if (later(*until, *out) > t.date) {
		try_put(x, t.op, t.kind, later(*until, *out), t.order);
		return;
	}
	*until = t.date + x->f.o + x->f.O * more;
	*out = t.date + x->f.g + x->f.G * more;
	try_put(x, t.op, TRY_MESSAGE, t.date + x->f.o + x->f.L, x->order++);
	other_tell(x, t.op, 1, t.date);
	if ((uint64_t)op->size <= x->f.S)
		other_tell(x, t.op, 0, *until);
}

static void try_message(struct other *x, struct try t)
{
	const struct schedule_op *op = &x->s.op[t.op];
	uint64_t *until = &x->until[op->peer][op->cpu], *in = &x->in[op->peer][op->nic];
	uint64_t more = op->size > 1 ? (uint64_t)op->size - 1 : 0;
	uint32_t recv;

	if (later(*until, *in) > t.date) {
		try_put(x, t.op, t.kind, later(*until, *in), t.order);
		return;
	}
	*until = t.date + x->f.o + later(x->f.O, x->f.G) * more;
	*in = t.date + x->f.g + x->f.G * more;
	x->taken[t.op] = *until;
	recv = list_take(x, x->posted, &x->n_posted, t.op, 0);
	if (recv == SCHEDULE_NONE)
		x->come[x->n_come++] = t.op;
	else
		pair_end(x, t.op, recv, t.date, *until);
}

static struct try first_take(struct other *x)
{
	uint32_t best = 0;
	struct try t;

	for (uint32_t i = 1; i < x->n; i++)
		if (x->try[i].date < x->try[best].date ||
		    (x->try[i].date == x->try[best].date && x->try[i].order < x->try[best].order))
			best = i;
	t = x->try[best];
	x->try[best] = x->try[--x->n];
	return t;
}

/* -1: it does not end; else the last date, ns. */
static double other_run(struct other *x)
{
	static void (*const tries[])(struct other *, struct try) = {NULL, try_send, try_recv,
	                                                            try_calc, try_message};
	uint64_t end = 0;

	for (uint32_t i = 0; i < x->s.n_ops; i++)
		x->waits[i] = x->s.op[i].waits;
	for (uint32_t rank = 0; rank < x->s.ranks; rank++) {
		for (uint32_t i = x->s.first[rank]; i < x->s.first[rank + 1]; i++)
			if (x->waits[i] == 0)
				x->freed[x->n_freed++] = i;
		other_put(x);
	}
	while (x->n > 0) {
		struct try t = first_take(x);

		tries[t.kind](x, t);
		other_put(x);
	}
	for (uint32_t rank = 0; rank < x->s.ranks; rank++)
		for (int c = 0; c < 3; c++)
			end = later(end, x->until[rank][c]);
	return x->ended == x->s.n_ops && x->n_come == 0 && x->n_posted == 0 ? (double)end : -1;
}

static void figures_draw(struct figures *f, struct rng *r)
{
	static const uint64_t L[] = {0, 100, 2500}, o[] = {0, 100, 1500}, g[] = {0, 1000, 5000},
	                      G[] = {0, 1, 6}, O[] = {0, 0, 2}, S[] = {65535, 1000, 0};

	*f = (struct figures){L[rng_below(r, 3)], o[rng_below(r, 3)], g[rng_below(r, 3)],
	                      G[rng_below(r, 3)], O[rng_below(r, 3)], S[rng_below(r, 3)]};
}

/* --- what is noted of a run --- */

struct path_check {
	const struct trace_schedule *s;
	const struct schedule_trail *t;
	double until;                                  /* where the next stretch has to end */
	double L, interface[2], sending[2], taking[2]; /* at most, s; for each byte but one */
	double computing;                              /* so far, s */
	int mixed; /* no two dates are equal but of one computation: the path is the only one */
	uint64_t seed;
};

static void stretch_check(void *self, const struct schedule_stretch *x)
{
	struct path_check *c = self;
	const struct schedule_op *op = &c->s->op[x->op];
	double k = op->size > 1 ? (double)op->size - 1 : 0, most = 0;

	switch (x->what) {
	case SPENT_COMPUTING:
		most = (double)op->size * 1e-9;
		c->computing += x->until - x->from;
		break;
	case SPENT_SENDING:
		most = c->sending[0] + c->sending[1] * k;
		break;
	case SPENT_MOVING:
		most = c->L;
		break;
	case SPENT_TAKING:
		most = c->taking[0];
		break;
	case SPENT_BYTES:
		most = c->taking[1] * k;
		break;
	case SPENT_INTERFACE:
		most = c->interface[0] + c->interface[1] * k;
		break;
	}
	if (x->until != c->until || !(x->until - x->from <= most * (1 + 1e-9) + 1e-15))
		fail_msg("seed %llu: %d of %u from %.9g to %.9g, not to %.9g, at most %.9g",
		         (unsigned long long)c->seed, x->what, x->op, x->from, x->until, c->until,
		         most);
	c->until = x->from;
}

/* How long some processor of a rank computes, or else its messages keep it, looked at between each
 * two dates of it. */
static double spent_slowly(const struct trace_schedule *s, const struct schedule_trail *t,
                           int messages)
{
	double sum = 0;

	for (uint32_t rank = 0; rank < s->ranks; rank++) {
		double now = 0;

		for (;;) {
			double next = INFINITY;
			int computes = 0, works = 0;

			for (uint32_t i = 0; i < s->n_ops; i++) {
				const struct schedule_done *d = &t->op[i];
				const double ends[] = {d->began,   d->ended,  d->moved,
				                       d->arrived, d->taking, d->taken};
				uint8_t kind = s->op[i].kind;
				int mine = s->op[i].rank == rank,
				    to_me = kind == SCHEDULE_SEND && s->op[d->with].rank == rank;
				double leaves = t->is_taken_first ? d->began : d->moved;

				if (kind == SCHEDULE_RECV)
					continue;
				for (size_t e = 0; e < sizeof ends / sizeof *ends; e++)
					if (ends[e] > now && ends[e] < next)
						next = ends[e];
				if (mine && d->began <= now && now < d->ended)
					*(kind == SCHEDULE_CALC ? &computes : &works) = 1;
				if (kind != SCHEDULE_SEND || (!mine && !to_me))
					continue;
				works |= (to_me || !d->is_over_when_sent) && leaves <= now &&
				         now < d->arrived;
				works |= to_me && d->taking <= now && now < d->taken;
			}
			if (next == INFINITY)
				break;
			sum += (messages ? works && !computes : computes) ? next - now : 0;
			now = next;
		}
	}
	return sum;
}

/* When the last of what a rank does is over. */
static double rank_end(const struct trace_schedule *s, const struct schedule_trail *t,
                       uint32_t rank)
{
	double end = 0;

	for (uint32_t i = 0; i < s->n_ops; i++)
		if (s->op[i].rank == rank)
			end = fmax(end, fmax(schedule_over(t, s, i), t->op[i].ended));
	return end;
}

static void trail_check(const struct trace_schedule *s, const struct schedule_trail *t,
                        const struct schedule_result *got, struct path_check *c)
{
	double idle = 0;

	c->s = s;
	c->t = t;
	c->until = got->end;
	schedule_path(t, s, stretch_check, c);
	if (c->until != 0)
		fail_msg("seed %llu: the path begins at %.9g", (unsigned long long)c->seed,
		         c->until);
	if (c->mixed && fabs(c->computing - got->path) > 1e-8 * s->computing * 1e-9)
		fail_msg("seed %llu: the path computes %.9g s, not %.9g",
		         (unsigned long long)c->seed, got->path, c->computing);
	if (s->cpus == 1)
		return;
	for (int messages = 0; messages < 2; messages++) {
		double sum = messages ? got->sending : got->computing,
		       want = spent_slowly(s, t, messages);

		if (fabs(sum - want) > 1e-9 * got->end * s->ranks)
			fail_msg("seed %llu: %s %.9g s, not %.9g", (unsigned long long)c->seed,
			         messages ? "messages" : "computing", sum, want);
	}
	for (uint32_t rank = 0; rank < s->ranks; rank++)
		idle += got->end - rank_end(s, t, rank);
	if (fabs(idle - got->idle) > 1e-9 * got->end * s->ranks)
		fail_msg("seed %llu: idle %.9g s, not %.9g", (unsigned long long)c->seed, got->idle,
		         idle);
}

/* Seeds at which the two once differed: what waits for an interface, and others, at one date. */
static const uint64_t once[] = {1302, 2896, 8966};

static void beside_trying_again(void **state)
{
	static const double unit[RANKS] = {1e-9, 1e-9, 1e-9, 1e-9, 1e-9, 1e-9};
	struct prop_run run = prop_begin(1500);
	struct drawn *d = malloc(sizeof *d);
	struct other *x = malloc(sizeof *x);
	uint64_t ended = 0;

	(void)state;
	assert_true(d && x);
	for (uint64_t c = 0; c < run.cases + sizeof once / sizeof *once; c++) {
		uint64_t seed = c < run.cases ? run.seed + c : once[c - run.cases];
		struct rng r;
		struct schedule_model m;
		struct schedule_trail trail;
		struct schedule_result got;
		struct err err;
		double want;
		int done, noted = c % 4 < 2;

		rng_init(&r, seed, "schedule", 0);
		draw(d, &r, c < run.cases && seed % 2);
		memset(x, 0, sizeof *x);
		x->s = schedule_of(d);
		figures_draw(&x->f, &r);
		want = other_run(x);
		m = (struct schedule_model){.L = 1e-9 * (double)x->f.L,
		                            .o = 1e-9 * (double)x->f.o,
		                            .g = 1e-9 * (double)x->f.g,
		                            .G = 1e-9 * (double)x->f.G,
		                            .O = 1e-9 * (double)x->f.O,
		                            .S = (double)x->f.S};
		assert_ok(schedule_trail_init(&trail, &x->s, &err), err);
		done = schedule_run(&x->s, &m, unit, noted ? &trail : NULL, &got, &err);
		if (done != (want >= 0) || (done && fabs(got.end * 1e12 - want * 1e3) > 0.4))
			fail_msg("seed %llu: %d, %.4f ns, not %.4f", (unsigned long long)seed, done,
			         got.end * 1e9, want);
		ended += want >= 0;
		if (done && noted)
			trail_check(&x->s, &trail, &got,
			            &(struct path_check){.interface = {m.g, m.G},
			                                 .sending = {m.o, m.O},
			                                 .taking = {m.o, fmax(m.O, m.G)},
			                                 .L = m.L,
			                                 .mixed = c < run.cases && seed % 2,
			                                 .seed = seed});
		schedule_trail_release(&trail);
		trace_schedule_release(&x->s);
	}
	assert_true(ended > run.cases / 3); /* the others wait for ever */
	free(d);
	free(x);
}

/* Two runs of one schedule, one of them noted, with messages that share links. */
static void over_links(void **state)
{
	static const double unit[RANKS] = {1e-9, 1e-9, 1e-9, 1e-9, 1e-9, 1e-9};
	static const struct host_id host[RANKS] = {{0}, {1}, {2}, {3}, {0}, {1}};
	struct prop_run run = prop_begin(400);
	struct drawn *d = malloc(sizeof *d);
	struct platform *p;
	struct config cfg;
	struct tmp tmp;
	struct err err;
	uint64_t ended = 0;

	(void)state;
	assert_true(d);
	tmp_init(&tmp);
	assert_ok(config_init(&cfg, &err), err);
	p = platform_read(
	    tmp_write(&tmp, "p.xml",
	              "<platform version='4.1'><cluster id='c' prefix='n' suffix='' "
	              "radical='0-3' speed='1Gf' bw='100MBps' lat='10us'/></platform>"),
	    &cfg, &err);
	assert_ok(p ? 0 : -1, err);
	for (uint64_t c = 0; c < run.cases; c++) {
		static const struct factor_table none = {0};
		struct factor_row rows[2] = {{.value = {0, 0}}, {.value = {0, 0}}};
		struct factor_table table[2] = {{.rows = &rows[0], .n = 1},
		                                {.rows = &rows[1], .n = 1}};
		struct schedule_machine m = {.host = host,
		                             .ois = &table[0],
		                             .or_ = &table[1],
		                             .ois_local = &none,
		                             .or_local = &none,
		                             .eager = 6000};
		struct schedule_result got[2];
		struct schedule_trail trail;
		struct trace_schedule s;
		struct rng r;
		int done[2];

		rng_init(&r, run.seed + c, "links", 0);
		draw(d, &r, c % 2 == 0);
		rows[0].value[0] = prop_once_in(&r, 2) ? 1e-6 : 0;
		rows[1].value[0] = prop_once_in(&r, 2) ? 2e-6 : 0;
		m.detached = prop_once_in(&r, 2) ? 50 : 6000;
		for (int noted = 0; noted < 2; noted++) {
			s = schedule_of(d);
			assert_ok(schedule_trail_init(&trail, &s, &err), err);
			m.net = net_new(p, &cfg, &err);
			assert_ok(m.net ? 0 : -1, err);
			done[noted] = schedule_run_on(&s, &m, unit, noted ? &trail : NULL,
			                              &got[noted], &err);
			if (noted && done[noted])
				trail_check(&s, &trail, &got[noted],
				            &(struct path_check){.sending = {1e-6},
				                                 .taking = {2e-6},
				                                 .L = INFINITY,
				                                 .mixed = c % 2 == 0,
				                                 .seed = run.seed + c});
			net_free(m.net);
			schedule_trail_release(&trail);
			trace_schedule_release(&s);
		}
		if (done[0] != done[1] || memcmp(&got[0], &got[1], sizeof got[0]) != 0)
			fail_msg("seed %llu: %.17g s, noted %.17g",
			         (unsigned long long)(run.seed + c), got[0].end, got[1].end);
		ended += done[0] > 0;
	}
	assert_true(ended > run.cases / 2);
	platform_free(p);
	config_release(&cfg);
	tmp_release(&tmp);
	free(d);
}

static void dates_in_order(void **state)
{
	struct prop_run run = prop_begin(200);
	struct agenda_item {
		uint64_t date;
		uint32_t number;
	} *left = calloc(2000, sizeof *left);

	(void)state;
	for (uint64_t c = 0; c < run.cases; c++) {
		struct rng r;
		struct agenda a = {0};
		uint32_t n = 0, made = 0, best;
		uint64_t now = 0, span;
		struct err err;

		rng_init(&r, run.seed + c, "agenda", 0);
		span = 1ull << rng_below(&r, 50);
		do {
			for (uint32_t k = made < 1500 ? prop_from(&r, 0, 4) + (made == 0) : 0;
			     k > 0; k--) {
				struct happening_at h = {.date = now + rng_below(&r, span),
				                         .op = made};

				assert_ok(agenda_add(&a, &h, &err), err);
				left[n++] = (struct agenda_item){h.date, made++};
			}
			assert_int_equal(agenda_advance(&a, &err), n > 0);
			if (n == 0)
				break;
			best = 0;
			for (uint32_t i = 1; i < n; i++)
				if (left[i].date < left[best].date ||
				    (left[i].date == left[best].date &&
				     left[i].number < left[best].number))
					best = i;
			now = left[best].date;
			assert_int_equal(a.part[0].item[a.taken].op, left[best].number);
			assert_true(a.part[0].item[a.taken++].date == now && a.last == now);
			left[best] = left[--n];
		} while (1);
		agenda_release(&a);
	}
	free(left);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(beside_trying_again),
	                                   cmocka_unit_test(over_links),
	                                   cmocka_unit_test(dates_in_order)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
