/* prop_share.c: random starts, ends, cancellations, changes of capacity and of flows under way on
 * random machines; after each the rates are those of the textbook solver, the invariants hold, and
 * what flows have transferred when they end is their amount. The seed is printed; PROP_SEED and
 * PROP_CASES repeat or lengthen a run. */
#include "engine/engine.h"
#include "test.h"

#include "oracle.h"

enum { MAX_RESOURCES = 24, MAX_FLOWS = 160, ROUTES = 6, STEPS = 60 };
enum { MAX_HOSTS = MAX_RESOURCES / 2 };

struct world {
	struct engine *e;
	struct rng rng;
	struct oracle oracle;
	struct oracle_resource resources[MAX_RESOURCES];
	struct oracle_flow flows[MAX_FLOWS];
	struct activity_id ids[MAX_FLOWS];
	double amount[MAX_FLOWS];
	long double work[MAX_FLOWS];
	int used[MAX_FLOWS];
	long double levels[MAX_RESOURCES];
	int even;     /* round figures only: many ties */
	int crowd;    /* many flows, most of them bounded, on few routes: promises fall below bounds
	                 and rise again */
	int twins;    /* of the crowd, most flows are exactly alike: classes */
	int backbone; /* of the crowd, most flows use resource 0, which is what they meet: they are
	                 carried in virtual time */
	int mesh;     /* of the crowd, flows between hosts, each limited by the sender's link or the
	                 receiver's, with acknowledgements: those that are carried by one resource
	                 meet others on the other */
	struct oracle_flow routes[ROUTES];
	int max_flows;
	double accuracy;
	int near;    /* changes end where they are small: rates are taken as they are */
	int batches; /* small ones: of those that end together the last still have the rates that
	                they had before the first was told */
};

static const char *where = "";

static double random_scale(struct world *w, double decades)
{
	return w->even ? (double)(1 + rng_below(&w->rng, 2))
	               : pow(10, decades * (rng_unit(&w->rng) - 0.5));
}

static void random_uses(struct world *w, struct oracle_flow *f);

enum kind { ANY, CROWD, TWINS, BACKBONE, MESH };

static void world_build(struct world *w, uint64_t seed, enum kind kind)
{
	struct err err;
	struct resource_id id;

	memset(w, 0, sizeof *w);
	rng_init(&w->rng, seed, "share", 0);
	w->even = rng_below(&w->rng, 2) == 0;
	w->accuracy = 1e-9;
	w->crowd = kind != ANY;
	w->twins = kind == TWINS;
	w->backbone = kind == BACKBONE;
	w->mesh = kind == MESH;
	w->max_flows = w->crowd ? MAX_FLOWS : 40;
	w->e = engine_new(&err);
	w->batches = seed % 2 == 0;
	engine_set_batches(w->e, w->batches ? 1 + (uint32_t)(seed / 2 % 4) : UINT32_MAX);
	if (w->crowd)
		engine_set_carry(w->e, 1 + (uint32_t)rng_below(&w->rng, 4),
		                 (uint32_t)rng_below(&w->rng, 3));
	w->oracle = (struct oracle){w->resources, w->flows,
	                            1 + (uint32_t)rng_below(&w->rng, MAX_RESOURCES), MAX_FLOWS, 0};
	if (w->mesh)
		w->oracle.n_resources = 2 * (2 + (uint32_t)rng_below(&w->rng, MAX_HOSTS - 1));
	for (uint32_t r = 0; r < w->oracle.n_resources; r++) {
		w->resources[r] = (struct oracle_resource){
		    1e6 * random_scale(w, 3),
		    rng_below(&w->rng, 5) ? RESOURCE_SHARED : RESOURCE_FATPIPE};
		if (w->backbone)
			w->resources[r] = (struct oracle_resource){
			    (r ? 2e8 : 1e6) * random_scale(w, 1), RESOURCE_SHARED};
		if (w->mesh)
			w->resources[r] = (struct oracle_resource){1e6 * random_scale(w, 1),
			                                           RESOURCE_SHARED};
		assert_ok(engine_add_resource(w->e, w->resources[r].capacity, w->resources[r].kind,
		                              &id, &err),
		          err);
	}
	for (int i = 0; i < ROUTES; i++)
		random_uses(w, &w->routes[i]);
	for (int i = 0; i < ROUTES; i++) {
		w->routes[i].weight = random_scale(w, 1);
		w->routes[i].bound = 1e6 * random_scale(w, 2);
	}
}

static void random_uses(struct world *w, struct oracle_flow *f)
{
	f->n_uses = (uint32_t)rng_below(&w->rng, ORACLE_USES + 1);
	if (f->n_uses > w->oracle.n_resources)
		f->n_uses = w->oracle.n_resources;
	for (uint32_t k = 0; k < f->n_uses; k++) {
		int again = 1;
		while (again) {
			f->uses[k].resource.v = (uint32_t)rng_below(&w->rng, w->oracle.n_resources);
			again = 0;
			for (uint32_t j = 0; j < k; j++)
				again |= f->uses[j].resource.v == f->uses[k].resource.v;
		}
		f->uses[k].coef = rng_below(&w->rng, 3)
		                      ? 1
		                      : (float)(w->even ? 0.05 : 0.1 + rng_unit(&w->rng));
	}
}

/* One of few routes, often cut short, and a bound that is mostly far away. */
static void crowd_flow(struct world *w, struct oracle_flow *f)
{
	const struct oracle_flow *r = &w->routes[rng_below(&w->rng, ROUTES)];

	f->n_uses = r->n_uses;
	memcpy(f->uses, r->uses, sizeof f->uses);
	if (f->n_uses > 1 && rng_below(&w->rng, 4) == 0)
		f->n_uses--;
	f->bound = 1e6 * pow(10, 2 * rng_unit(&w->rng) - 1);
}

/* The first of the routes mostly: some of its flows are alone, the others make classes. */
static void twin_flow(struct world *w, struct oracle_flow *f)
{
	const struct oracle_flow *r = &w->routes[rng_below(&w->rng, 2) ? 0 : rng_below(&w->rng, 3)];

	*f = *r;
	if (f->n_uses > 0 && rng_below(&w->rng, 16) == 0)
		f->bound = 0;
}

/* The backbone, and some of what is wider; a bound that may come to be less than its share. */
static void backbone_flow(struct world *w, struct oracle_flow *f)
{
	random_uses(w, f);
	for (uint32_t k = 0; k < f->n_uses; k++)
		if (f->uses[k].resource.v == 0)
			f->uses[k] = f->uses[--f->n_uses];
	f->n_uses = f->n_uses > 2 ? 2 : f->n_uses;
	f->uses[f->n_uses++] = (struct flow_use){.coef = rng_below(&w->rng, 3) ? 1 : 0.05f};
	f->bound = 1e6 * pow(10, 2 * rng_unit(&w->rng) - 1);
}

/* From the link out of one host to that into another, and some of it back. A bound is seldom, and
 * of the size of what it gets. */
static void mesh_flow(struct world *w, struct oracle_flow *f)
{
	uint32_t hosts = w->oracle.n_resources / 2, a = (uint32_t)rng_below(&w->rng, hosts),
	         b = (a + 1 + (uint32_t)rng_below(&w->rng, hosts - 1)) % hosts;

	f->uses[0] = (struct flow_use){{2 * a}, 1};
	f->uses[1] = (struct flow_use){{2 * b + 1}, 1};
	f->uses[2] = (struct flow_use){{2 * b}, 0.05f};
	f->uses[3] = (struct flow_use){{2 * a + 1}, 0.05f};
	f->n_uses = rng_below(&w->rng, 4) ? 4 : 2;
	f->weight = rng_below(&w->rng, 2) ? 1 : random_scale(w, 1);
	f->bound = rng_below(&w->rng, 4) ? 1e8 : 1e5 * random_scale(w, 2);
}

static int flow_slot(struct world *w, int used)
{
	for (int tries = 0; tries < 8; tries++) {
		int i = (int)rng_below(&w->rng, (uint64_t)w->max_flows);
		if (w->used[i] == used)
			return i;
	}
	return -1;
}

static void act_start(struct world *w)
{
	int i = flow_slot(w, 0);
	struct oracle_flow *f = &w->flows[i < 0 ? 0 : i];
	struct activity_id timer;
	struct err err;

	if (i < 0)
		return;
	random_uses(w, f);
	f->weight = random_scale(w, 3);
	f->bound = rng_below(&w->rng, 3) && f->n_uses > 0 ? 0 : 1e6 * random_scale(w, 4);
	if (w->twins && rng_below(&w->rng, 16))
		twin_flow(w, f);
	else if (w->backbone && rng_below(&w->rng, 8))
		backbone_flow(w, f);
	else if (w->mesh && rng_below(&w->rng, 16))
		mesh_flow(w, f);
	else if (w->crowd && !w->backbone && !w->mesh && rng_below(&w->rng, 8))
		crowd_flow(w, f);
	w->amount[i] = rng_below(&w->rng, 20) ? 1e6 * random_scale(w, 3) : 0;
	w->work[i] = 0;
	w->used[i] = 1;
	struct flow_spec spec = {
	    .amount = w->amount[i],
	    .latency = rng_below(&w->rng, 3) ? 0 : 0.1 * random_scale(w, 2),
	    .bound = f->bound,
	    .weight = f->weight,
	    .uses = f->uses,
	    .n_uses = f->n_uses,
	    .user = (uint64_t)i,
	};
	assert_ok(engine_flow(w->e, &spec, &w->ids[i], &err), err);
	if (spec.latency > 0) /* a timer that ends with the latency stops the clock there, so that
	                         work can be counted by constant rates */
		assert_ok(engine_timer(w->e, spec.latency, MAX_FLOWS, &timer, &err), err);
}

static void act_cancel(struct world *w)
{
	int i = flow_slot(w, 1);

	if (i < 0)
		return;
	engine_cancel(w->e, w->ids[i]);
	w->used[i] = 0;
}

static void act_capacity(struct world *w)
{
	uint32_t r = (uint32_t)rng_below(&w->rng, w->oracle.n_resources);

	if (w->backbone) {
		w->resources[r].capacity = (r ? 2e8 : 1e6) * random_scale(w, 1);
	} else {
		w->resources[r].capacity = rng_below(&w->rng, 8) ? 1e6 * random_scale(w, 3) : 0;
	}
	engine_set_capacity(w->e, (struct resource_id){r}, w->resources[r].capacity);
}

/* Another bound and weight for a flow under way; one of a class goes on alone. */
static void act_change(struct world *w)
{
	int i = flow_slot(w, 1);

	if (i < 0)
		return;
	w->flows[i].weight = random_scale(w, 3);
	w->flows[i].bound = w->flows[i].n_uses > 0 && rng_below(&w->rng, 2)
	                        ? 0
	                        : 1e6 * random_scale(w, 4);
	engine_change_flow(w->e, w->ids[i], w->flows[i].bound, w->flows[i].weight);
}

/* Moves to the next end; what is transferred on the way is counted by the oracle's rates. */
static void act_next(struct world *w)
{
	double before = engine_now(w->e);
	struct completion done;
	struct err err;
	int got = engine_next(w->e, &done, &err);

	assert_ok(got, err);
	double step = engine_now(w->e) - before;
	assert_true(step >= 0);
	for (int i = 0; i < MAX_FLOWS; i++)
		if (w->used[i] && w->flows[i].active)
			w->work[i] += w->flows[i].rate * step;
	if (!got || done.user == MAX_FLOWS)
		return;
	assert_true(done.user < MAX_FLOWS && w->used[done.user]);
	if (!w->oracle.fatpipe_as_one)
		assert_true(fabsl(w->work[done.user] - w->amount[done.user]) <=
		            1e-7L * w->amount[done.user]);
	w->used[done.user] = 0;
}

/* Is the world between two ends of a batch? */
static int world_ends(struct world *w)
{
	for (int i = 0; w->batches && i < MAX_FLOWS; i++)
		if (w->used[i] && w->amount[i] > 0 && flow_remaining(w->e, w->ids[i]) <= 0)
			return 1;
	return 0;
}

static void world_compare(struct world *w)
{
	struct resource_id limiter;
	struct err err;

	if (engine_check(w->e, &err))
		fail_msg("%s: %s", where, err.text);
	for (int i = 0; i < MAX_FLOWS; i++)
		w->flows[i].active = w->used[i] &&
		                     flow_limited_by(w->e, w->ids[i], &limiter) != FLOW_LATENCY;
	if (!w->near)
		oracle_solve(&w->oracle, w->levels);
	if (world_ends(w))
		return;
	for (int i = 0; i < MAX_FLOWS; i++) {
		if (!w->flows[i].active)
			continue;
		double rate = flow_rate(w->e, w->ids[i]), wanted = (double)w->flows[i].rate;
		if (w->near)
			w->flows[i].rate = rate;
		else if (!(fabs(rate - wanted) <= w->accuracy * wanted))
			fail_msg("%s: flow %d has %.17g, textbook %.17g", where, i, rate, wanted);
	}
}

static void world_step(struct world *w)
{
	int many = w->backbone || w->mesh;
	uint64_t action = rng_below(&w->rng, many ? 30 : 17); /* 11 and more: an end */

	for (int i = 0; w->crowd && i < 3 - w->backbone; i++) { /* it must come together */
		act_start(w);
		if (!w->twins) /* whose classes change together, some by an end */
			world_compare(w);
	}
	if (w->twins) {
		act_cancel(w);
		world_compare(w);
	}

	if (action < 8)
		act_start(w);
	else if (action < 9)
		act_cancel(w);
	else if (action < 10)
		act_capacity(w);
	else if (action < 11)
		act_change(w);
	else
		act_next(w);
	world_compare(w);
}

static void worlds_step(enum kind kind, double ripples, uint64_t default_cases)
{
	const char *seed_text = getenv("PROP_SEED"), *cases_text = getenv("PROP_CASES");
	uint64_t seed = seed_text ? strtoull(seed_text, NULL, 0) : 20261121;
	uint64_t cases = cases_text ? strtoull(cases_text, NULL, 0) : default_cases;
	static struct world w;
	static char text[80];

	printf("PROP_SEED=%llu PROP_CASES=%llu\n", (unsigned long long)seed,
	       (unsigned long long)cases);
	for (uint64_t c = 0; c < cases; c++) {
		world_build(&w, seed + c, kind);
		engine_set_ripples(w.e, ripples, 1);
		w.near = ripples > 0;
		for (int s = 0; s < STEPS; s++) {
			snprintf(text, sizeof text, "seed %llu step %d",
			         (unsigned long long)(seed + c), s);
			where = text;
			world_step(&w);
		}
		engine_free(w.e);
	}
}

static void worlds_are_the_textbook_ones(enum kind kind, uint64_t default_cases)
{
	worlds_step(kind, 0, default_cases);
}

static void rates_are_the_textbook_ones(void **state)
{
	(void)state;
	worlds_are_the_textbook_ones(ANY, 400);
}

static void rates_of_crowds_are_the_textbook_ones(void **state)
{
	(void)state;
	worlds_are_the_textbook_ones(CROWD, 40);
}

static void rates_of_twins_are_the_textbook_ones(void **state)
{
	(void)state;
	worlds_are_the_textbook_ones(TWINS, 40);
}

static void rates_behind_a_backbone_are_the_textbook_ones(void **state)
{
	(void)state;
	worlds_are_the_textbook_ones(BACKBONE, 40);
}

static void rates_among_hosts_are_the_textbook_ones(void **state)
{
	(void)state;
	worlds_are_the_textbook_ones(MESH, 60);
}

static void invariants_hold_where_changes_end(void **state)
{
	(void)state;
	for (enum kind k = ANY; k <= MESH; k++)
		worlds_step(k, 0.03, 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rates_are_the_textbook_ones),
	    cmocka_unit_test(rates_of_crowds_are_the_textbook_ones),
	    cmocka_unit_test(rates_of_twins_are_the_textbook_ones),
	    cmocka_unit_test(rates_behind_a_backbone_are_the_textbook_ones),
	    cmocka_unit_test(rates_among_hosts_are_the_textbook_ones),
	    cmocka_unit_test(invariants_hold_where_changes_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
