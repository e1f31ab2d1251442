/* prop_same.c: changes of a description that change no date: flows that start at one date in
 * another order; every resource twice in a row; resources under other numbers; a second system that
 * shares nothing, beside the first; a bound that is beyond all capacities; many equal flows as one
 * with engine_flow_again. Ends are compared, and must differ by rounding only. */
#include "engine/engine.h"
#include "property/prop.h"

#include <math.h>

enum { RESOURCES = 6, FLOWS = 30, USES = 4 };

struct job {
	double start, amount, latency, bound, weight;
	uint32_t n_uses, resource[USES],
	    alike; /* alike: the one that it is exactly like, or itself */
	float coef[USES];
};
struct system {
	double capacity[RESOURCES];
	enum resource_kind kind[RESOURCES];
	struct job job[FLOWS];
	uint32_t n;
};

/* How a system is told to the engine. */
struct telling {
	uint32_t order[FLOWS]; /* of starts at one date */
	uint32_t number[RESOURCES];
	int in_series, far_bounds, joined;
	const struct system *beside;
};

static struct err err;
static uint32_t n_joined;

static void system_draw(struct system *s, struct rng *r, int fatpipes)
{
	uint64_t unlike = prop_once_in(r, 2) ? 2 : 8; /* once in these */
	double date = 0;

	s->n = prop_from(r, 2, FLOWS);
	for (uint32_t i = 0; i < RESOURCES; i++) {
		s->kind[i] = fatpipes && prop_once_in(r, 4) ? RESOURCE_FATPIPE : RESOURCE_SHARED;
		s->capacity[i] = 1e6 * (0.1 + rng_unit(r));
	}
	for (uint32_t i = 0; i < s->n; i++) {
		struct job *j = &s->job[i];

		if (i > 0 && !prop_once_in(r, unlike)) {
			*j = s->job[i - 1];
			continue;
		}
		date += prop_once_in(r, 2) ? 0 : rng_unit(r);
		*j = (struct job){.start = date,
		                  .amount = 1e6 * rng_unit(r),
		                  .latency = 0.01 + 0.1 * rng_unit(r),
		                  .bound = prop_once_in(r, 2) ? 0 : 1e6 * rng_unit(r) + 1,
		                  .weight = prop_once_in(r, 2) ? 1 : 0.1 + rng_unit(r),
		                  .n_uses = prop_from(r, 1, USES),
		                  .alike = i};
		for (uint32_t k = 0, first = (uint32_t)rng_below(r, RESOURCES); k < j->n_uses;
		     k++) {
			j->resource[k] = (first + k) % RESOURCES;
			j->coef[k] = prop_once_in(r, 3) ? 0.05f : 1;
		}
	}
}

/* Starts one flow; user: its number. */
static void job_start(struct engine *e, const struct job *j, const struct telling *t, uint32_t base,
                      uint64_t user, struct activity_id *out)
{
	struct flow_use uses[2 * USES];
	struct flow_spec s = {.amount = j->amount,
	                      .latency = j->latency,
	                      .bound = j->bound,
	                      .weight = j->weight,
	                      .uses = uses,
	                      .user = user};

	if (t->far_bounds && !(s.bound > 0))
		s.bound = 1e9;
	for (uint32_t k = 0; k < j->n_uses; k++) {
		uint32_t r = base + t->number[j->resource[k]];

		uses[s.n_uses++] = (struct flow_use){{r}, j->coef[k]};
		if (t->in_series)
			uses[s.n_uses++] = (struct flow_use){{r + RESOURCES}, j->coef[k]};
	}
	assert_ok(engine_flow(e, &s, out, &err), err);
}

static void resources_add(struct engine *e, const struct system *s, const struct telling *t)
{
	struct resource_id id;

	for (int twice = 0; twice < 2; twice++)
		for (uint32_t place = 0; place < RESOURCES; place++)
			for (uint32_t i = 0; i < RESOURCES; i++)
				if (t->number[i] == place)
					assert_ok(engine_add_resource(e, s->capacity[i], s->kind[i],
					                              &id, &err),
					          err);
}

/* All jobs that start when job `from` does, in the order told. into[]: by job: the one that it was
 * joined to, or -1. */
static void system_start(struct engine *e, const struct system *s, const struct telling *t,
                         uint32_t base, uint32_t from, struct activity_id *id, int *into)
{
	for (uint32_t k = 0; k < s->n; k++) {
		uint32_t i = base ? k : t->order[k], before = s->job[i].alike;

		if (s->job[i].start != s->job[from].start)
			continue;
		into[i] = -1;
		if (t->joined && !base && before != i && into[before] == -1 &&
		    engine_flow_again(e, id[before], before))
			into[i] = (int)before, n_joined++;
		else
			job_start(e, &s->job[i], t, base, (base ? 1000 : 0) + i, &id[i]);
	}
}

static void system_run(const struct system *s, const struct telling *t, double *end)
{
	struct engine *e = engine_new(&err);
	struct activity_id id[FLOWS], id_beside[FLOWS], ignored;
	struct completion done;
	int into[FLOWS], into_beside[FLOWS];
	const struct system *both[2] = {s, t->beside};

	resources_add(e, s, t);
	if (t->beside)
		resources_add(e, t->beside, t);
	for (uint32_t i = 0; i < FLOWS; i++)
		into[i] = into_beside[i] = -2;
	for (uint32_t k = 0; k < 2 && both[k]; k++)
		for (uint32_t i = 0; i < both[k]->n; i++)
			if (!i || both[k]->job[i].start != both[k]->job[i - 1].start)
				assert_ok(engine_timer(e, both[k]->job[i].start,
				                       2000 + 1000 * k + i, &ignored, &err),
				          err);
	for (uint32_t i = 0; i < s->n; i++)
		end[i] = NAN;
	while (engine_next(e, &done, &err) == 1) {
		if (done.user >= 3000)
			system_start(e, t->beside, t, 2 * RESOURCES, (uint32_t)done.user - 3000,
			             id_beside, into_beside);
		else if (done.user >= 2000)
			system_start(e, s, t, 0, (uint32_t)done.user - 2000, id, into);
		else if (done.user < 1000)
			end[done.user] = engine_now(e);
		assert_ok(engine_check(e, &err), err);
	}
	for (uint32_t i = 0; i < s->n; i++)
		if (into[i] >= 0)
			end[i] = end[into[i]];
	engine_free(e);
}

static void shuffle(struct rng *r, uint32_t *v, uint32_t n)
{
	for (uint32_t i = n; i > 1; i--) {
		uint32_t k = (uint32_t)rng_below(r, i), t = v[i - 1];

		v[i - 1] = v[k];
		v[k] = t;
	}
}

static void telling_init(struct telling *t)
{
	*t = (struct telling){0};
	for (uint32_t i = 0; i < FLOWS; i++)
		t->order[i] = i;
	for (uint32_t i = 0; i < RESOURCES; i++)
		t->number[i] = i;
}

static void same(const struct system *s, const struct telling *t, const double *want,
                 const char *what, uint64_t seed)
{
	double end[FLOWS];

	system_run(s, t, end);
	for (uint32_t i = 0; i < s->n; i++)
		if (!(fabs(end[i] - want[i]) <= 1e-10 * want[i]))
			fail_msg("PROP_SEED=%llu: %s: flow %u ends at %.17g, not %.17g",
			         (unsigned long long)seed, what, i, end[i], want[i]);
}

static void one_case(uint64_t seed)
{
	static struct system s, other;
	struct telling plain, t;
	double want[FLOWS];
	struct rng r;

	rng_init(&r, seed, "systems", 0);
	int fatpipes = prop_once_in(&r, 2);
	system_draw(&s, &r, fatpipes);
	system_draw(&other, &r, fatpipes);
	telling_init(&plain);
	system_run(&s, &plain, want);

	t = plain;
	t.in_series = 1;
	same(&s, &t, want, "every resource twice", seed);
	t = plain;
	t.far_bounds = 1;
	same(&s, &t, want, "bounds that are far", seed);
	t = plain;
	t.beside = &other;
	same(&s, &t, want, "another system beside it", seed);
	t = plain;
	shuffle(&r, t.number, RESOURCES);
	same(&s, &t, want, "resources under other numbers", seed);
	t = plain;
	shuffle(&r, t.order, s.n);
	same(&s, &t, want, "another order of starts", seed);
	t.joined = 1;
	same(&s, &t, want, "equal flows as one", seed);
}

static void descriptions_that_say_the_same_have_the_same_dates(void **state)
{
	struct prop_run prop = prop_begin(250);

	(void)state;
	for (uint64_t i = 0; i < prop.cases; i++)
		one_case(prop.seed + i);
	assert_true(n_joined >= prop.cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(descriptions_that_say_the_same_have_the_same_dates)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
