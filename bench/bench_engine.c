/* bench_engine.c: events per second of the engine on the patterns that decide the speed of a
 * simulation.
 *   timers     n timers pending, each end starts another
 *   cpu        n computations, each on its own CPU, each end starts another
 *   lone       n flows on routes of their own (six uses, latency), each end starts another
 *   pairs      the same, but routes overlap pairwise: the smallest conflict
 *   crowd      n slow flows on one link, a fast one that has what they leave, and short bounded
 *              ones that come and go: only the fast one and the one that comes change, whatever n
 *   alltoall   every one of n hosts sends to every other through its up link and the other's down
 *              link; random sizes, all at once
 *   even       the same with equal sizes: all flows end at one date
 *   skewed     the same with equal sizes, each host starting up to 10 us late
 *   tree       the same on a two-level fat tree, 16 hosts to a switch, weight and latency by
 *              distance: few dates, many flows at each
 *   backbone   n flows, each on its own two links and one backbone that limits them all; random
 *              sizes
 *   ring       n hosts, flows to the next, random sizes: long chains of neighbours
 * The last column is the time that solving the whole component takes (all capacities change),
 * sampled along the run: what an event would cost at least without local repair, where one
 * component holds all flows (from `alltoall` on). Usage: bench_engine [pattern [n [events]]];
 * `events` bounds the endless ones. An event is a completion. For instruction counts run it under
 * valgrind --tool=callgrind. */
#include "bench.h"

#include "engine/engine.h"

#include <math.h>
#include <string.h>

struct bench {
	struct engine *e;
	struct rng rng;
	struct err err;
	uint32_t n;
	uint64_t events, enough;
	uint32_t n_resources;
	double component; /* seconds per solve of everything */
	double excluded;
};

static void add_resources(struct bench *b, uint32_t n, double capacity)
{
	struct resource_id id;

	for (uint32_t i = 0; i < n; i++)
		if (engine_add_resource(b->e, capacity, RESOURCE_SHARED, &id, &b->err))
			die(&b->err);
	b->n_resources += n;
}

static void start(struct bench *b, const struct flow_use *uses, uint32_t n_uses, double amount,
                  double latency, uint64_t user)
{
	struct flow_spec s = {.amount = amount,
	                      .latency = latency,
	                      .bound = 1e8,
	                      .weight = 1e4,
	                      .uses = uses,
	                      .n_uses = n_uses,
	                      .user = user};
	struct activity_id id;

	if (engine_flow(b->e, &s, &id, &b->err))
		die(&b->err);
}

static double random_amount(struct bench *b)
{
	return 1e5 * (0.5 + rng_unit(&b->rng));
}

static void scale_capacities(struct bench *b, double factor)
{
	for (uint32_t r = 0; r < b->n_resources; r++)
		engine_set_capacity(b->e, (struct resource_id){r},
		                    factor * engine_capacity(b->e, (struct resource_id){r}));
}

/* The time to solve everything again. `any` is a flow, whose rate is asked to make it happen. */
static double component_seconds(struct bench *b, struct activity_id any)
{
	scale_capacities(b, 2);
	double begin = seconds();
	flow_rate(b->e, any);
	double spent = seconds() - begin;
	scale_capacities(b, 0.5);
	flow_rate(b->e, any);
	return spent;
}

/* Until nothing is left but a flow that is there to be asked for its rate. The time to measure the
 * component is not counted. */
static void run_out(struct bench *b)
{
	enum { SAMPLES = 8 };
	struct flow_spec never = {.latency = 1e9, .weight = 1};
	struct engine_stats stats;
	struct activity_id any;
	struct completion done;

	engine_stats(b->e, &stats);
	if (engine_flow(b->e, &never, &any, &b->err))
		die(&b->err);
	for (; b->events < stats.flows; b->events++) {
		if (b->events % (stats.flows / SAMPLES + 1) == stats.flows / SAMPLES / 2) {
			double begin = seconds();
			b->component += component_seconds(b, any) / SAMPLES;
			b->excluded += seconds() - begin;
		}
		if (engine_next(b->e, &done, &b->err) != 1)
			die(&b->err);
	}
	engine_cancel(b->e, any);
}

static void timers(struct bench *b)
{
	struct activity_id id;
	struct completion done;

	for (uint32_t i = 0; i < b->n; i++)
		engine_timer(b->e, rng_unit(&b->rng), i, &id, &b->err);
	for (; b->events < b->enough; b->events++) {
		engine_next(b->e, &done, &b->err);
		engine_timer(b->e, rng_unit(&b->rng), done.user, &id, &b->err);
	}
}

static void cpu(struct bench *b)
{
	struct completion done;

	add_resources(b, b->n, 1e8);
	for (uint64_t i = 0; i < b->n; i++)
		start(b, &(struct flow_use){{(uint32_t)i}, 1}, 1, random_amount(b), 0, i);
	for (; b->events < b->enough; b->events++) {
		engine_next(b->e, &done, &b->err);
		start(b, &(struct flow_use){{(uint32_t)done.user}, 1}, 1, random_amount(b), 0,
		      done.user);
	}
}

/* Host i has links 2i (up) and 2i + 1 (down); resource 2n is a backbone that is never full. */
static void start_lone(struct bench *b, uint64_t i, uint32_t stride)
{
	uint32_t s = (uint32_t)i * stride % b->n, d = (s + 1) % b->n, n = b->n;
	struct flow_use uses[] = {{{2 * s}, 1},     {{2 * n}, 1},         {{2 * d + 1}, 1},
	                          {{2 * d}, 0.05f}, {{2 * n + 1}, 0.05f}, {{2 * s + 1}, 0.05f}};
	start(b, uses, 6, random_amount(b), 1e-4, i);
}

static void lone_flows(struct bench *b, uint32_t stride)
{
	struct completion done;

	add_resources(b, 2 * b->n, 1e8);
	add_resources(b, 2, 1e14);
	for (uint32_t i = 0; i < b->n / 2; i++)
		start_lone(b, i, stride);
	for (; b->events < b->enough; b->events++) {
		engine_next(b->e, &done, &b->err);
		start_lone(b, done.user, stride);
	}
}

static void start_bounded(struct bench *b, double amount, double bound)
{
	struct flow_spec s = {.amount = amount,
	                      .bound = bound,
	                      .weight = 1,
	                      .uses = &(struct flow_use){{0}, 1},
	                      .n_uses = 1};
	struct activity_id id;

	if (engine_flow(b->e, &s, &id, &b->err))
		die(&b->err);
}

static void crowd(struct bench *b)
{
	struct completion done;

	add_resources(b, 1, 1e9);
	start_bounded(b, 1e15, 0);
	for (uint32_t i = 0; i < b->n; i++)
		start_bounded(b, 1e12, 1e3 * (1 + rng_unit(&b->rng)));
	for (; b->events < b->enough; b->events++) {
		start_bounded(b, 1, 1e3 * (1 + rng_unit(&b->rng)));
		engine_next(b->e, &done, &b->err);
	}
}

static void lone(struct bench *b)
{
	lone_flows(b, 2);
}

static void pairs(struct bench *b)
{
	lone_flows(b, 1);
}

static void start_between(struct bench *b, uint32_t s, uint32_t d, double amount, double latency)
{
	struct flow_use uses[] = {
	    {{2 * s}, 1}, {{2 * d + 1}, 1}, {{2 * d}, 0.05f}, {{2 * s + 1}, 0.05f}};
	start(b, uses, 4, amount, latency, s);
}

static void alltoall(struct bench *b)
{
	add_resources(b, 2 * b->n, 1e8);
	for (uint32_t k = 1; k < b->n; k++)
		for (uint32_t s = 0; s < b->n; s++)
			start_between(b, s, (s + k) % b->n, random_amount(b), 1e-4);
	run_out(b);
}

static void even(struct bench *b)
{
	add_resources(b, 2 * b->n, 1e8);
	for (uint32_t k = 1; k < b->n; k++)
		for (uint32_t s = 0; s < b->n; s++)
			start_between(b, s, (s + k) % b->n, 65536, 1e-4);
	run_out(b);
}

static void skewed(struct bench *b)
{
	add_resources(b, 2 * b->n, 1e8);
	for (uint32_t s = 0; s < b->n; s++) {
		double latency = 1e-4 + 1e-5 * rng_unit(&b->rng);
		for (uint32_t k = 1; k < b->n; k++)
			start_between(b, s, (s + k) % b->n, 65536, latency);
	}
	run_out(b);
}

/* Switch w has 16 links up and 16 down after the hosts' links, chosen by destination. Links are two
 * resources, one for each direction. */
static void start_tree(struct bench *b, uint32_t s, uint32_t d)
{
	uint32_t fabric = 2 * b->n, near = s / 16 == d / 16, n_uses = 0;
	struct flow_use uses[8];
	uint32_t forth[] = {2 * s, 2 * d + 1, fabric + 32 * (s / 16) + d % 16,
	                    fabric + 32 * (d / 16) + 16 + d % 16};
	uint32_t back[] = {2 * d, 2 * s + 1, fabric + 32 * (d / 16) + s % 16,
	                   fabric + 32 * (s / 16) + 16 + s % 16};

	for (uint32_t k = 0; k < (near ? 2 : 4); k++) {
		uses[n_uses++] = (struct flow_use){{forth[k]}, 1};
		uses[n_uses++] = (struct flow_use){{back[k]}, 0.05f};
	}
	struct flow_spec f = {.amount = 65536,
	                      .latency = near ? 1e-5 : 2e-5,
	                      .bound = 1e8,
	                      .weight = near ? 6e3 : 3e3,
	                      .uses = uses,
	                      .n_uses = n_uses,
	                      .user = s};
	struct activity_id id;
	if (engine_flow(b->e, &f, &id, &b->err))
		die(&b->err);
}

static void tree(struct bench *b)
{
	add_resources(b, 2 * b->n + 2 * b->n, 1e8);
	for (uint32_t k = 1; k < b->n; k++)
		for (uint32_t s = 0; s < b->n; s++)
			start_tree(b, s, (s + k) % b->n);
	run_out(b);
}

static void backbone(struct bench *b)
{
	add_resources(b, 2 * b->n + 1, 1e8);
	for (uint32_t i = 0; i < b->n; i++) {
		struct flow_use uses[] = {{{2 * i}, 1}, {{2 * b->n}, 1}, {{2 * i + 1}, 1}};
		start(b, uses, 3, random_amount(b), 1e-4, i);
	}
	run_out(b);
}

static void ring(struct bench *b)
{
	add_resources(b, 2 * b->n, 1e8);
	for (uint32_t i = 0; i < 4 * b->n; i++) {
		uint32_t s = i % b->n, d = (s + 1 + (uint32_t)rng_below(&b->rng, 2)) % b->n;
		start_between(b, s, d, random_amount(b), 1e-4 * rng_unit(&b->rng));
	}
	run_out(b);
}

static const struct pattern {
	const char *name;
	void (*run)(struct bench *);
	uint32_t sizes[4];
} patterns[] = {
    {"timers", timers, {64, 1024, 65536}},
    {"cpu", cpu, {64, 1024, 65536}},
    {"lone", lone, {64, 1024, 65536}},
    {"pairs", pairs, {64, 1024, 65536}},
    {"crowd", crowd, {64, 1024, 65536}},
    {"alltoall", alltoall, {16, 32, 64, 128}},
    {"even", even, {64, 256, 1024}},
    {"skewed", skewed, {16, 64}},
    {"tree", tree, {64, 256}},
    {"backbone", backbone, {256, 1024, 4096}},
    {"ring", ring, {1024, 16384}},
};

static void pattern_run(const struct pattern *p, uint32_t n, uint64_t enough)
{
	static struct bench b;
	struct engine_stats stats;

	b = (struct bench){.n = n, .enough = enough, .e = engine_new(&b.err)};
	if (!b.e)
		die(&b.err);
	rng_init(&b.rng, 1, "bench", n);
	double begin = seconds();
	p->run(&b);
	double spent = seconds() - begin - b.excluded;
	engine_stats(b.e, &stats);
	printf("%-10s %7u %10llu %12.0f %10.2f %12.1f %9.1f %12.1f\n", p->name, n,
	       (unsigned long long)b.events, (double)b.events / spent,
	       1e6 * spent / (double)b.events, (double)stats.rate_changes / (double)b.events,
	       1e9 * spent / (double)(stats.rate_changes + b.events), 1e6 * b.component);
	fflush(stdout);
	engine_free(b.e);
}

int main(int argc, char **argv)
{
	printf("%-10s %7s %10s %12s %10s %12s %9s %12s\n", "pattern", "n", "events", "events/s",
	       "us/event", "rates/event", "ns/rate", "us/component");
	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
		const struct pattern *p = &patterns[i];
		if (argc > 1 && strcmp(argv[1], p->name) != 0)
			continue;
		if (argc > 2)
			pattern_run(p, (uint32_t)strtoul(argv[2], NULL, 10),
			            argc > 3 ? strtoull(argv[3], NULL, 10) : 300000);
		for (int k = 0; argc <= 2 && k < 4 && p->sizes[k]; k++)
			pattern_run(p, p->sizes[k], 300000);
	}
	return 0;
}
