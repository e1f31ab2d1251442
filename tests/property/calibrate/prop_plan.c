/* prop_plan.c: what is to be measured, for random machines: lines that the measuring program reads,
 * between ranks that there are, of sizes within bounds, as many of each kind as was asked for;
 * loads in which each host sends to one other and hears of one; flows of disjoint pairs; two plans
 * of one seed are the same. And is a fit worth using: by each of the reasons there are, just below
 * and just above where it begins. */
#include "../prop.h"

#include "calibrate/network/network.h"

#include <math.h>

enum { RANKS_MOST = 24 };

struct planned {
	int host_rank[RANKS_MOST];
	struct net_cabinets cabinets;
	struct net_plan plan;
};

static void plan_draw(struct rng *r, struct planned *p)
{
	int each = (int)prop_from(r, 1, 3), hosts = (int)prop_from(r, 2, RANKS_MOST / 3);

	memset(p, 0, sizeof *p);
	p->plan = (struct net_plan){.ranks = hosts * each,
	                            .hosts = hosts,
	                            .host_rank = p->host_rank,
	                            .other = each,
	                            .local = each > 1 ? 1 : -1,
	                            .far = -1,
	                            .max_size = floor(pow(10, 4 + 3 * rng_unit(r))),
	                            .samples = (int)prop_from(r, 50, 300),
	                            .seed = rng_u64(r)};
	for (int h = 0; h < hosts; h++)
		p->host_rank[h] = h * each;
	if (hosts < 4 || prop_once_in(r, 2))
		return;
	p->cabinets = (struct net_cabinets){.n = 2, .hosts = hosts};
	for (int h = 0; h < hosts; h++)
		p->cabinets.of[h] = h >= hosts / 2;
	p->plan.cabinets = &p->cabinets;
	p->plan.far = p->host_rank[hosts - 1];
}

struct line {
	char op[16];
	int src, dst, pairs;
	double size;
};

/* The next line; 0: there is none. */
static int line_next(const char **p, struct line *l)
{
	size_t length = strcspn(*p, "\n");
	char text[80]; /* sscanf looks for the end of all of it */
	int n = 0;

	if (!**p)
		return 0;
	snprintf(text, sizeof text, "%.*s", (int)length, *p);
	if (sscanf(text, "%15s %d %d %lf %d%n", l->op, &l->src, &l->dst, &l->size, &l->pairs, &n) !=
	        5 ||
	    (size_t)n != length || (*p)[length] != '\n')
		fail_msg("no line of a plan: %s", text);
	*p += length + 1;
	return 1;
}

/* Ranks that there are, two different ones; sizes within bounds. Of programs: the messages. */
static void lines_are_right(const struct net_plan *p, const char *text)
{
	struct line l;

	while (line_next(&text, &l)) {
		assert_in_range(l.src, 0, p->ranks - 1);
		assert_in_range(l.dst, 0, p->ranks - 1);
		assert_true(l.size >= 0 && l.size == floor(l.size));
		assert_true(l.src == l.dst || l.size <= p->max_size);
		if (!strcmp(l.op, "mesh")) /* to oneself: a pause, us; programs count from 0 */
			continue;
		if (l.src == l.dst || l.pairs < 1)
			fail_msg("%s %d %d %g %d", l.op, l.src, l.dst, l.size, l.pairs);
	}
}

static int count(const char *text, const char *op, int src, int dst)
{
	struct line l;
	int n = 0;

	while (line_next(&text, &l))
		n += !strcmp(l.op, op) && l.src == src && l.dst == dst;
	return n;
}

/* A round trip each of the samples, half as many sends and receives, one in six late and both
 * ways; a half, a quarter of them inside a host, between cabinets. */
static void pairs_are_counted(const struct net_plan *p, const char *text)
{
	static const struct {
		const char *op;
		double part;
	} ops[] = {
	    {"pingpong", 1}, {"isend", 0.5}, {"recv", 0.5}, {"late", 0.16}, {"exchange", 0.16}};
	const struct {
		int dst, share;
	} to[] = {{p->other, 1}, {p->local, 2}, {p->far, 4}};

	for (size_t i = 0; i < sizeof to / sizeof *to; i++)
		for (size_t o = 0; to[i].dst >= 0 && o < sizeof ops / sizeof *ops; o++)
			assert_int_equal(count(text, ops[o].op, 0, to[i].dst),
			                 (int)(p->samples / to[i].share * ops[o].part));
}

/* Flows at once, k of them: of 2 k different ranks, and three times each. */
static void flows_are_disjoint(const struct net_plan *p, const char *text)
{
	struct line l;
	int seen[RANKS_MOST + 1][RANKS_MOST] = {{0}}, alone = 0;

	while (line_next(&text, &l)) {
		if (strcmp(l.op, "flow") != 0)
			continue;
		alone += l.pairs == 1;
		seen[l.pairs][l.src]++;
		seen[l.pairs][l.dst]++;
		assert_true(fabs(l.size - p->max_size / 4) <= 0.5);
	}
	assert_int_equal(alone, p->ranks < 4 ? 0 : 3);
	for (int k = 1; k <= p->ranks / 2 && p->ranks >= 4; k++)
		for (int rank = 0; rank < p->ranks; rank++)
			assert_true(seen[k][rank] == 0 || seen[k][rank] == 3);
	if (p->ranks >= 4) /* all pairs that there are, too */
		assert_int_equal(seen[p->ranks / 2][0], 3);
}

/* Of each block with more than one flow: all hosts, each once on either side. */
static void loads_are_permutations(const struct net_plan *p, const char *text)
{
	struct line l;
	int block = -1, from = 0, to = 0, flows = 0, blocks = 0;

	while (line_next(&text, &l)) {
		int a = 0, b = 0;

		assert_string_equal(l.op, "load");
		if (l.pairs / 1000 != block) {
			assert_true(block < 0 || flows == 1 || flows == p->hosts);
			block = l.pairs / 1000;
			from = to = flows = 0;
			blocks++;
		}
		while (p->host_rank[a] != l.src)
			a++;
		while (p->host_rank[b] != l.dst)
			b++;
		assert_true(!(from >> a & 1) && !(to >> b & 1));
		from |= 1 << a;
		to |= 1 << b;
		flows++;
		assert_true(l.pairs % 1000 == 1 || l.pairs % 1000 == p->hosts);
	}
	/* four for each host, 24 to 96 of them */
	assert_int_equal(blocks, p->hosts < 4    ? 0
	                         : p->hosts < 6  ? 3 + 24
	                         : p->hosts < 24 ? 3 + 4 * p->hosts
	                                         : 3 + 96);
}

static void plans(void **state)
{
	struct prop_run run = prop_begin(40);

	(void)state;
	for (uint64_t i = 0; i < run.cases; i++) {
		struct planned p;
		struct str text, again;
		struct rng r;

		rng_init(&r, run.seed + i, "plan", 0);
		plan_draw(&r, &p);
		str_init(&text);
		str_init(&again);
		net_plan_write(&p.plan, &text);
		net_plan_write(&p.plan, &again);
		assert_string_equal(text.s, again.s);
		pairs_are_counted(&p.plan, text.s);
		flows_are_disjoint(&p.plan, text.s);
		lines_are_right(&p.plan, text.s);
		str_clear(&text);
		net_plan_loads(&p.plan, &text);
		loads_are_permutations(&p.plan, text.n ? text.s : "");
		lines_are_right(&p.plan, text.n ? text.s : "");
		str_release(&text);
		str_release(&again);
	}
}

/* What comes after a first fit: within the same bounds, powers of two of the range among late
 * ones. */
static void plans_after_a_fit(void **state)
{
	struct prop_run run = prop_begin(10);

	(void)state;
	for (uint64_t i = 0; i < run.cases; i++) {
		struct net_fit f = {.latency = 1e-5, .bandwidth = 1e8, .ordered = 1};
		struct planned p;
		struct str text;
		struct rng r;
		double lo, hi;

		rng_init(&r, run.seed + i, "fitted", 0);
		plan_draw(&r, &p);
		f.largest = p.plan.max_size;
		f.detached = floor(p.plan.max_size * rng_unit(&r)) + 1;
		f.detached_low = f.detached - 1;
		f.burst = prop_once_in(&r, 2) ? 0 : 1e4 * rng_unit(&r);
		str_init(&text);
		net_plan_concurrent(&p.plan, &f, &text);
		net_plan_notice(&p.plan, &f, &text);
		net_plan_trials(&p.plan, &f, &text);
		lines_are_right(&p.plan, text.n ? text.s : "");
		str_clear(&text);
		lo = floor(p.plan.max_size * rng_unit(&r) / 2) + 1;
		hi = lo + floor((p.plan.max_size - lo) * rng_unit(&r));
		net_plan_between(&p.plan, lo, hi, &text);
		lines_are_right(&p.plan, text.s);
		for (double s = 1; s < hi; s *= 2) {
			char line[64];

			snprintf(line, sizeof line, "late 0 %d %.0f 1\n", p.plan.other, s);
			if (s > lo && !strstr(text.s, line))
				fail_msg("no %s between %g and %g", line, lo, hi);
		}
		str_release(&text);
	}
}

/* --- verdicts --- */

static struct net_fit usable(void)
{
	return (struct net_fit){.latency = 1e-5,
	                        .latency_95 = 0.49e-5,
	                        .spread = 0.24,
	                        .discrepancies = 1,
	                        .discrepancy = {{.below = 0.49, .above = 0.49}}};
}

/* 0: usable; else why it is not has this in it. */
static void verdict_is(const struct net_fit *f, const char *meta, const char *part)
{
	struct net_raw raw;
	struct str why;
	int r;

	net_raw_init(&raw);
	str_puts(&raw.meta, meta);
	str_init(&why);
	r = net_verdict(&raw, f, &why);
	if ((r == 0) != (part == NULL) || (part && !strstr(why.s, part)))
		fail_msg("%d, %s; wanted: %s", r, why.n ? why.s : "nothing",
		         part ? part : "nothing");
	str_release(&why);
	net_raw_release(&raw);
}

static void verdicts(void **state)
{
	struct net_fit f = usable();

	(void)state;
	verdict_is(&f, "", NULL);
	f.latency_95 = 0.51e-5;
	verdict_is(&f, "", "95 % interval");
	f = usable();
	f.latency = 0;
	verdict_is(&f, "", "the latency is 0");
	f = usable();
	f.spread = 0.26;
	verdict_is(&f, "", "26 % off the fit");
	f = usable();
	f.discrepancy[0].above = 0.51;
	verdict_is(&f, "", "by a factor of 1.7"); /* e^0.51 = 1.67 */
	f = usable();
	f.discrepancy[0].below = 0.51;
	verdict_is(&f, "", "by a factor of 1.7");
	f = usable();
	/* 0.3 for 1 s and 0.06 for 9 s: 0.084; 0.3 for 2 s and 0.06 for 8 s: 0.108 */
	verdict_is(&f,
	           "processors in use by others: 0.3 of all, for 1 s\n"
	           "processors in use by others: 0.06 of all, for 9 s\n",
	           NULL);
	verdict_is(&f,
	           "mpi: x\nprocessors in use by others: 0.3 of all, for 2 s\n"
	           "processors in use by others: 0.06 of all, for 8 s\n",
	           "other programs used 11 %");
	/* what is not such a line says nothing */
	verdict_is(&f, "processors in use by others: much of all, for 2 s\n", NULL);
	verdict_is(&f, "processors in use by others: 0.5 of all, for 0 s\n", NULL);
	verdict_is(&f, "so: processors in use by others: 0.5 of all, for 2 s\n", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(plans),
	                                   cmocka_unit_test(plans_after_a_fit),
	                                   cmocka_unit_test(verdicts)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
