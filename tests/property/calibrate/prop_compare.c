/* prop_compare.c: a simulated run beside a real one of it. Random programs, of which the real run
 * lacks calls, has others, and does not know how long some took: sums by function, rank and phase
 * beside the definitions of compare.h. Runs into which delays were put: these are found, no others,
 * and those that end together are one event. Figures in text and JSON are the same. */
#include "../prop.h"

#include "calibrate/compare/compare.h"
#include "json_text.h"
#include "tmp.h"

#include <math.h>

enum { RANKS = 4, CALLS = 120, KINDS = 4 };
#define UNIT (1.0 / 1024) /* of dates: sums are exact */

static const struct {
	enum mp_call call;
	const char *name, *action;
} kinds[KINDS] = {{CALL_COMPUTE, "computation", "compute 1"},
                  {CALL_SEND, "MPI_Send", "send 0 7 8 6"},
                  {CALL_RECV, "MPI_Recv", "recv 0 7 8 6"},
                  {(enum mp_call)(CALL_COLL + COLL_BARRIER), "MPI_Barrier", "barrier"}};

struct call {
	int kind;
	double enter, leave; /* simulated */
	double real;         /* < 0: not known */
	int there;           /* in: 1 both runs, 2 the real one only, 3 the simulated one only */
};
struct rank {
	struct call call[CALLS];
	int n;
	double start;
};
struct both {
	struct rank rank[RANKS];
	int ranks;
	struct tmp tmp;
};

/* --- the two runs as files --- */

static void put_call(const struct mp_observer *o, uint32_t r, const struct call *c)
{
	o->enter(o->self, r, kinds[c->kind].call, c->enter);
	o->leave(o->self, r, kinds[c->kind].call, c->leave, -1, 0, 0);
}

static struct recording *simulated(struct both *b)
{
	struct run_info info = {.ranks = (uint32_t)b->ranks, .program = "made up"};
	struct err err = {0};
	struct recorder *w = recorder_open(tmp_path(&b->tmp, "run.rec"), &info, NULL, NULL, &err);
	struct mp_observer o;
	struct recording *run;
	double end = 0;

	assert_non_null(w);
	o = recorder_observer(w);
	for (int r = 0; r < b->ranks; r++) {
		o.enter(o.self, (uint32_t)r, CALL_INIT, 0);
		o.leave(o.self, (uint32_t)r, CALL_INIT, b->rank[r].start, -1, 0, 0);
		for (int i = 0; i < b->rank[r].n; i++)
			if (b->rank[r].call[i].there != 2) {
				put_call(&o, (uint32_t)r, &b->rank[r].call[i]);
				end = fmax(end, b->rank[r].call[i].leave);
			}
	}
	assert_ok(recorder_close(w, end, &err), err);
	run = recording_open(tmp_path(&b->tmp, "run.rec"), &err);
	assert_non_null(run);
	return run;
}

static struct trace *real(struct both *b)
{
	struct err err;
	struct trace *t;
	struct str text;

	str_init(&text);
	for (int r = 0; r < b->ranks; r++) {
		str_printf(&text, "%d init t=3\n", r);
		for (int i = 0; i < b->rank[r].n; i++) {
			const struct call *c = &b->rank[r].call[i];

			if (c->there == 3)
				continue;
			str_printf(&text, "%d %s", r, kinds[c->kind].action);
			if (c->real >= 0)
				str_printf(&text, " t=%.17g", c->real);
			str_putc(&text, '\n');
		}
		str_printf(&text, "%d finalize t=5\n", r);
	}
	t = trace_open(tmp_write(&b->tmp, "real.tit", text.s), (uint32_t)b->ranks, &err);
	if (!t)
		fail_msg("%s", err.text);
	str_release(&text);
	return t;
}

static int compared(struct both *b, double threshold, struct compare *c, struct err *err)
{
	struct recording *run = simulated(b);
	struct trace *t = real(b);
	int r = compare_make(run, t, threshold, c, err);

	recording_close(run);
	trace_close(t);
	return r;
}

/* --- random programs --- */

static void both_draw(struct rng *r, struct both *b)
{
	b->ranks = (int)prop_from(r, 1, RANKS);
	for (int i = 0; i < b->ranks; i++) {
		struct rank *q = &b->rank[i];
		double date = q->start = UNIT * (double)rng_below(r, 1000);

		q->n = (int)prop_from(r, 1, CALLS);
		for (int k = 0; k < q->n; k++) {
			struct call *c = &q->call[k];

			*c = (struct call){.kind = (int)rng_below(r, KINDS), .there = 1};
			if (prop_once_in(r, 8))
				c->there = 2 + (int)rng_below(r, 2);
			c->enter = date + UNIT * (double)rng_below(r, 50);
			c->leave = date = c->enter + UNIT * (double)rng_below(r, 50);
			c->real = prop_once_in(r, 10) ? -1 : UNIT * (double)rng_below(r, 60);
		}
	}
	b->rank[0].call[0] = (struct call){.kind = 0, .there = 1, .real = UNIT};
	b->rank[0].call[0].enter = b->rank[0].start;
	b->rank[0].call[0].leave = b->rank[0].start;
}

/* The simulated call that the real call i is: the one with as many of its function before it; -1:
 * none. */
static int partner_of(const struct rank *q, int i)
{
	int before = 0;

	for (int k = 0; k < i; k++)
		before += q->call[k].kind == q->call[i].kind && q->call[k].there != 3;
	for (int k = 0; k < q->n; k++)
		if (q->call[k].kind == q->call[i].kind && q->call[k].there != 2 && before-- == 0)
			return k;
	return -1;
}

/* The tenth of the rank's simulated calls in which the call k is. */
static int tenth_of(const struct rank *q, int k)
{
	int n = 0, before = 0;

	for (int i = 0; i < q->n; i++) {
		before += i < k && q->call[i].there != 2;
		n += q->call[i].there != 2;
	}
	return before * COMPARE_PHASES / n;
}

static void functions_check(const struct both *b, const struct compare *c)
{
	for (int f = 0; f < KINDS; f++) {
		struct compare_function want = {.name = kinds[f].name}, found = {0};

		for (int r = 0; r < b->ranks; r++)
			for (int i = 0; i < b->rank[r].n; i++) {
				const struct call *q = &b->rank[r].call[i];

				if (q->kind != f)
					continue;
				want.calls += q->there != 2;
				want.simulated += q->there != 2 ? q->leave - q->enter : 0;
				want.real_calls += q->there != 3 && q->real >= 0;
				want.real += q->there != 3 && q->real >= 0 ? q->real : 0;
			}
		for (uint32_t i = 0; i < c->functions; i++)
			if (!strcmp(c->function[i].name, want.name))
				found = c->function[i];
		assert_int_equal(found.calls, want.calls);
		assert_int_equal(found.real_calls, want.real_calls);
		assert_double_is(found.simulated, want.simulated);
		assert_double_is(found.real, want.real);
	}
}

/* A rank's phases: until when it had done the calls of the first p tenths, in both runs. */
static void phases_add(const struct rank *q, double *sim, double *was)
{
	double date = 0;

	for (int p = 0; p < COMPARE_PHASES; p++)
		sim[p] = was[p] = 0;
	for (int i = 0; i < q->n; i++) {
		int k = partner_of(q, i);

		if (q->call[i].there != 2)
			for (int p = tenth_of(q, i); p < COMPARE_PHASES; p++)
				sim[p] = q->call[i].leave - q->start;
		if (q->call[i].there == 3 || q->call[i].real < 0)
			continue;
		date += q->call[i].real;
		for (int p = k < 0 ? COMPARE_PHASES : tenth_of(q, k); p < COMPARE_PHASES; p++)
			was[p] = date;
	}
	was[COMPARE_PHASES - 1] = date;
}

static void ranks_check(const struct both *b, const struct compare *c)
{
	double sim[COMPARE_PHASES] = {0}, was[COMPARE_PHASES] = {0}, most = 0;

	for (int r = 0; r < b->ranks; r++) {
		double s[COMPARE_PHASES], w[COMPARE_PHASES], s0 = 0, w0 = 0;

		phases_add(&b->rank[r], s, w);
		assert_double_is(c->rank[r].simulated, s[COMPARE_PHASES - 1]);
		assert_double_is(c->rank[r].real, w[COMPARE_PHASES - 1]);
		most = fmax(most, w[COMPARE_PHASES - 1]);
		for (int p = 0; p < COMPARE_PHASES; p++) {
			sim[p] += (s[p] - s0) / b->ranks;
			was[p] += fmax(0, w[p] - w0) / b->ranks;
			s0 = s[p], w0 = fmax(w0, w[p]);
		}
	}
	assert_double_is(c->real, most);
	assert_double_is(c->rank[c->last].real, most);
	for (int p = 0; p < COMPARE_PHASES; p++)
		if (fabs(c->phase[p].simulated - sim[p]) > 1e-9 ||
		    fabs(c->phase[p].real - was[p]) > 1e-9)
			fail_msg("phase %d: %g and %g, not %g and %g", p, c->phase[p].simulated,
			         c->phase[p].real, sim[p], was[p]);
}

static void matched_check(const struct both *b, const struct compare *c)
{
	uint64_t matched = 0, untimed = 0;

	for (int r = 0; r < b->ranks; r++)
		for (int i = 0; i < b->rank[r].n; i++) {
			const struct call *q = &b->rank[r].call[i];

			untimed += q->there != 3 && q->real < 0;
			matched += q->there != 3 && q->real >= 0 && partner_of(&b->rank[r], i) >= 0;
		}
	assert_int_equal(c->matched, matched);
	assert_int_equal(c->untimed, untimed);
}

static void random_programs(void **state)
{
	static struct both b;
	struct prop_run run = prop_begin(20);

	(void)state;
	tmp_init(&b.tmp);
	for (uint64_t i = 0; i < run.cases; i++) {
		struct compare c;
		struct rng r;
		struct err err;

		rng_init(&r, run.seed + i, "compare", 0);
		both_draw(&r, &b);
		assert_ok(compared(&b, 1e9, &c, &err), err);
		functions_check(&b, &c);
		ranks_check(&b, &c);
		matched_check(&b, &c);
		assert_int_equal(c.outliers, 0); /* nothing is a thousand million seconds late */
		compare_release(&c);
	}
	tmp_release(&b.tmp);
}

/* --- delays that were put in --- */

enum { ROUNDS = 100, DELAYS = 8 };
static const double threshold = 0.05;

struct delay {
	int round, ranks; /* of 0 to ranks - 1 */
	double length;
	int computation;
};

/* Rounds of a computation and a barrier, 10 ms and 1 ms, real ones some per cent off; a delay hits
 * the ranks 0 to k - 1 at once, the same in all of the run: their dates agree, and calls delayed
 * together end together. Delays are rounds apart, each longer than the threshold by far. */
static void rounds_draw(struct rng *r, struct both *b, struct delay *d, int *n)
{
	int ranks = (int)prop_from(r, 1, RANKS);

	*n = (int)rng_below(r, DELAYS + 1);
	for (int i = 0; i < *n; i++)
		d[i] = (struct delay){.round = 5 + i * 11 + (int)rng_below(r, 3),
		                      .ranks = ranks,
		                      .length = 0.12 + 0.05 * (double)rng_below(r, 20),
		                      .computation = prop_once_in(r, 3)};
	b->ranks = RANKS;
	for (int q = 0; q < RANKS; q++) {
		double date = b->rank[q].start = 0;

		b->rank[q].n = 0;
		for (int i = 0; i < ROUNDS; i++)
			for (int k = 0; k < 2; k++) {
				struct call *c = &b->rank[q].call[b->rank[q].n];
				double length = k ? 1e-3 : 1e-2;

				if (b->rank[q].n == CALLS)
					continue;
				b->rank[q].n++;
				*c = (struct call){.kind = k ? 3 : 0, .there = 1, .enter = date};
				c->leave = date += length;
				c->real = length * (1.02 + 0.001 * ((i + q) % 3));
				for (int j = 0; j < *n; j++)
					if (d[j].round == i && q < d[j].ranks &&
					    d[j].computation == !k)
						c->real += d[j].length;
			}
	}
}

static void delays_check(const struct compare *c, const struct delay *d, int n)
{
	uint64_t calls = 0, computations = 0;
	double seconds = 0;

	for (int j = 0; j < n; j++) {
		if (d[j].round >= CALLS / 2)
			continue;
		calls += (uint64_t)d[j].ranks;
		seconds += d[j].ranks * d[j].length;
		computations += d[j].computation;
		for (int q = 0; q < d[j].ranks; q++) {
			uint64_t i = 0;

			while (i < c->outliers && (c->outlier[i].rank != (uint32_t)q ||
			                           c->outlier[i].call != (uint64_t)d[j].round))
				i++;
			if (i == c->outliers)
				fail_msg("the delay of round %d on rank %d is not found",
				         d[j].round, q);
			/* beyond what is usual, which is 2 % of 10 ms and not delayed itself */
			assert_true(fabs(c->outlier[i].beyond - d[j].length) < 1e-4);
			assert_string_equal(c->outlier[i].function,
			                    kinds[d[j].computation ? 0 : 3].name);
		}
	}
	assert_int_equal(c->outliers, calls);
	assert_true(fabs(c->outlier_seconds - seconds) < 1e-4 * (double)(calls + 1));
	assert_int_equal(c->kind[LENGTH_COMPUTATION].events, computations);
	for (uint64_t i = 1; i < c->outliers; i++) /* the longest first */
		assert_true(c->outlier[i].beyond <= c->outlier[i - 1].beyond);
}

/* One event a delay, as long as it. */
static void events_check(const struct compare *c, const struct delay *d, int n)
{
	uint64_t events = 0, of_kinds = 0, calls = 0;
	double seconds = 0;

	for (int j = 0; j < n; j++)
		if (d[j].round < CALLS / 2) {
			events++;
			seconds += d[j].length;
		}
	assert_int_equal(c->events, events);
	for (int l = 0; l < LENGTHS; l++) {
		of_kinds += c->kind[l].events;
		calls += c->kind[l].calls;
		seconds -= c->kind[l].seconds;
	}
	assert_int_equal(of_kinds, events);
	assert_int_equal(calls, c->outliers);
	assert_true(fabs(seconds) < 1e-3);
}

/* The same figures in JSON, which is JSON. */
static void json_check(const struct compare *c)
{
	char path[64];
	struct str text;

	str_init(&text);
	compare_json(c, &text);
	assert_json(text.s);
	assert_close(json_number_at(text.s, "real"), c->real, 1e-12);
	assert_int_equal(json_count_at(text.s, "outliers/list"), c->outliers);
	assert_int_equal(json_count_at(text.s, "functions"), c->functions);
	for (uint32_t r = 0; r < c->ranks; r++) {
		snprintf(path, sizeof path, "ranks[%u]/outliers", r);
		assert_close(json_number_at(text.s, path), c->rank[r].outliers, 1e-9);
	}
	assert_close(json_number_at(text.s, "outliers/explained"), c->rank[c->last].outliers, 1e-9);
	str_clear(&text);
	compare_text(c, &text);
	assert_non_null(strstr(text.s, c->outliers ? " one event:" : "no call was 0.05 s longer"));
	str_release(&text);
}

static void delays_are_found(void **state)
{
	static struct both b;
	struct prop_run run = prop_begin(25);
	struct delay d[DELAYS];
	int n;

	(void)state;
	tmp_init(&b.tmp);
	for (uint64_t i = 0; i < run.cases; i++) {
		struct compare c;
		struct rng r;
		struct err err;

		rng_init(&r, run.seed + i, "delays", 0);
		rounds_draw(&r, &b, d, &n);
		assert_ok(compared(&b, threshold, &c, &err), err);
		delays_check(&c, d, n);
		events_check(&c, d, n);
		json_check(&c);
		compare_release(&c);
	}
	tmp_release(&b.tmp);
}

/* --- what is no comparison --- */

static void other_programs_are_refused(void **state)
{
	static struct both b;
	struct compare c;
	struct err err;
	struct recording *run;
	struct trace *t;

	(void)state;
	tmp_init(&b.tmp);
	b.ranks = 2;
	for (int r = 0; r < 2; r++) {
		b.rank[r].n = 1;
		b.rank[r].call[0] = (struct call){.kind = 1, .there = 1, .leave = 1, .real = -1};
	}
	assert_fails(compared(&b, 0, &c, &err), err, ERR_INPUT, "has no durations");
	b.rank[0].n = 2;
	b.rank[0].call[1] = (struct call){.kind = 2, .there = 2, .real = 1};
	assert_fails(compared(&b, 0, &c, &err), err, ERR_INPUT, "no call of the real run (1)");
	run = simulated(&b);
	t = trace_open(tmp_write(&b.tmp, "one.tit", "0 barrier t=1\n"), 1, &err);
	assert_non_null(t);
	assert_fails(compare_make(run, t, 0, &c, &err), err, ERR_INPUT, "2 ranks, the real one 1");
	trace_close(t);
	recording_close(run);
	tmp_release(&b.tmp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs),
	                                   cmocka_unit_test(delays_are_found),
	                                   cmocka_unit_test(other_programs_are_refused)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
