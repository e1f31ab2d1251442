/* campaign.c: what is measured of a network, in which order.
 *
 *   hosts    an empty plan: how many ranks there are, and on which hosts
 *   loads    all hosts at once: which ones share a link to the rest; this decides who is near and
 *            who is far
 *   raw      all that two ranks can tell
 *   late0-2  thresholds lie between two sizes measured: three short runs close in on them, and
 *            measure what needs a first fit */
#include "campaign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 3 }; /* that close in on a threshold: 12 sizes each leave 1/2000 of the gap */

struct under_way {
	const struct net_campaign *asked;
	const struct net_measurer *by;
	struct net_raw *raw;
	struct str *doubts;
	struct net_plan plan;
	int *host_rank; /* the first rank on each host */
	int one;        /* all ranks are on one host */
	struct net_cabinets given;
};

int net_campaign_cabinets(struct net_campaign *c, const char *text, struct err *err)
{
	const char *x = strchr(text, 'x');

	if (!x || num_parse_i64(text, (size_t)(x - text), &c->cabinets) < 0 ||
	    num_parse_i64(x + 1, strlen(x + 1), &c->per_cabinet) < 0 || c->cabinets < 2 ||
	    c->per_cabinet < 1)
		return err_set(err, ERR_INPUT,
		               "calibrate: --cabinets is CABINETSxHOSTS, such as 2x4, not '%s'",
		               text);
	return 0;
}

/* A part without lines is not run. */
static int part_measure(struct under_way *w, const char *part, const struct str *plan,
                        struct err *err)
{
	if (plan->failed)
		return err_nomem(err, "the plan", plan->n);
	if (plan->n == 0)
		return 0;
	if (w->by->measure(w->by->self, part, plan, w->raw, err) < 0)
		return -1;
	if (w->one)
		net_raw_one_host(w->raw);
	return 0;
}

/* --- who is where --- */

static int host_ranks_find(struct under_way *w, struct err *err)
{
	int n = w->raw->n_hosts;

	w->host_rank = malloc(((size_t)n + 1) * sizeof *w->host_rank);
	if (!w->host_rank)
		return err_nomem(err, "hosts", ((size_t)n + 1) * sizeof *w->host_rank);
	for (int i = 0; i < n; i++) {
		int k = 0;

		while (k < i && strcmp(w->raw->hosts[i], w->raw->hosts[k]) != 0)
			k++;
		if (k == i)
			w->host_rank[w->plan.hosts++] = i;
	}
	w->plan.host_rank = w->host_rank;
	return 0;
}

/* The ranks: which one is on another host than rank 0, which on the same. */
static int ranks_find(struct under_way *w, struct err *err)
{
	struct str plan;
	int r;

	str_init(&plan);
	str_puts(&plan, "pingpong 0 1 1 1\n");
	r = part_measure(w, "hosts", &plan, err);
	str_release(&plan);
	if (r < 0 || host_ranks_find(w, err) < 0)
		return -1;
	w->plan.ranks = w->raw->n_hosts;
	w->plan.local = w->plan.far = -1;
	for (int i = w->raw->n_hosts - 1; i > 0; i--)
		if (!strcmp(w->raw->hosts[i], w->raw->hosts[0]))
			w->plan.local = i;
	net_raw_release(w->raw);
	net_raw_init(w->raw);
	if (w->plan.ranks < 2)
		return err_set(err, ERR_INPUT,
		               "calibrate network: one process only: two or more are wanted, on "
		               "two or more hosts ('-- mpirun -np 2 ...')");
	w->one = w->plan.hosts < 2;
	return 0;
}

/* --- cabinets --- */

/* Those that were told: hosts in order. */
static int cabinets_given(struct under_way *w, int hosts, struct err *err)
{
	int64_t cabinets = w->asked->cabinets, each = w->asked->per_cabinet;

	if (each == 0)
		return 0;
	if (hosts > NET_HOSTS)
		return err_set(err, ERR_LIMIT,
		               "calibrate: cabinets of more than %d hosts altogether", NET_HOSTS);
	if (each >= hosts || cabinets * each < hosts)
		return err_set(err, ERR_INPUT, "calibrate: --cabinets %lldx%lld, and %d hosts",
		               (long long)cabinets, (long long)each, hosts);
	w->given.hosts = hosts;
	for (int h = 0; h < hosts; h++) {
		w->given.of[h] = h / (int)each;
		w->given.n = w->given.of[h] + 1;
	}
	return 0;
}

/* Which hosts share a link: from what there is by now. */
static int cabinets_look(struct under_way *w, struct err *err)
{
	struct net_cabinets c;

	str_clear(w->doubts);
	if (net_cabinets_find(w->raw, w->given.n ? &w->given : NULL, &c, w->doubts, err) < 0)
		return -1;
	net_raw_cabinets(w->raw, &c);
	return 0;
}

/* The nearest host, and the nearest one of another cabinet, in the order of ranks. */
static int partners_choose(struct under_way *w, struct err *err)
{
	const struct net_cabinets *c = &w->raw->cabinets;

	w->plan.cabinets = c;
	w->plan.other = w->plan.far = -1;
	for (int h = w->plan.hosts - 1; h > 0; h--)
		if (c->n > 1 && h < c->hosts && c->of[h] != c->of[0])
			w->plan.far = w->host_rank[h];
		else
			w->plan.other = w->host_rank[h];
	if (w->plan.other < 0)
		return err_set(err, ERR_INPUT,
		               "calibrate: the first host is alone in its cabinet: begin with "
		               "another one, or give --cabinets");
	return 0;
}

static int loads_measure(struct under_way *w, struct err *err)
{
	struct str plan;
	int r;

	if (w->one) { /* two of its ranks are all there is to measure */
		w->plan.other = w->plan.local;
		w->plan.local = w->plan.far = -1;
		w->plan.ranks = 2;
		return cabinets_look(w, err);
	}
	str_init(&plan);
	net_plan_loads(&w->plan, &plan);
	r = part_measure(w, "loads", &plan, err);
	str_release(&plan);
	return r < 0 || cabinets_look(w, err) < 0 ? -1 : partners_choose(w, err);
}

/* --- pairs --- */

/* Programs love powers of two, and libraries count their headers: a threshold is wanted to a few
 * bytes. */
static void refining_plan(const struct under_way *w, int round, const struct net_fit *f,
                          struct str *plan)
{
	if (f->detached_low > 0 && f->detached < 2 * f->largest)
		net_plan_between(&w->plan, f->detached_low, f->detached, plan);
	if (f->eager_low > 0 && f->eager < f->detached)
		net_plan_between(&w->plan, f->eager_low, f->eager, plan);
	if (round == 0)
		net_plan_trials(&w->plan, f, plan);
	if (round == 0 && !w->one)
		net_plan_concurrent(&w->plan, f, plan);
	if (round == ROUNDS - 1)
		net_plan_notice(&w->plan, f, plan);
}

static int refine(struct under_way *w, struct err *err)
{
	int r = 0;

	for (int round = 0; round < ROUNDS && r == 0; round++) {
		struct net_fit f;
		struct str plan;
		char part[16];

		if (net_fit_make(w->raw, 0, &f, err) < 0)
			return -1;
		str_init(&plan);
		refining_plan(w, round, &f, &plan);
		net_fit_release(&f);
		snprintf(part, sizeof part, "late%d", round);
		r = part_measure(w, part, &plan, err);
		str_release(&plan);
	}
	return r;
}

static int pairs_measure(struct under_way *w, struct err *err)
{
	struct str plan;
	int r;

	str_init(&plan);
	net_plan_write(&w->plan, &plan);
	r = part_measure(w, "raw", &plan, err);
	str_release(&plan);
	if (r < 0)
		return -1;
	net_raw_cabinets(w->raw, &w->raw->cabinets);
	return refine(w, err) < 0 ? -1 : cabinets_look(w, err);
}

int net_campaign_run(const struct net_campaign *c, const struct net_measurer *m,
                     struct net_raw *raw, struct str *doubts, struct err *err)
{
	struct under_way w = {
	    .asked = c,
	    .by = m,
	    .raw = raw,
	    .doubts = doubts,
	    .plan = {.max_size = c->max_size, .samples = c->samples, .seed = c->seed}};
	int r = ranks_find(&w, err);

	if (r == 0)
		r = cabinets_given(&w, w.plan.hosts, err);
	if (r == 0)
		r = loads_measure(&w, err);
	if (r == 0)
		r = pairs_measure(&w, err);
	free(w.host_rank);
	return r;
}

int net_campaign_look(const struct net_campaign *c, struct net_raw *raw, struct str *doubts,
                      struct err *err)
{
	struct under_way w = {.asked = c, .raw = raw, .doubts = doubts};

	net_raw_one_host(raw);
	return cabinets_given(&w, net_host_count(raw), err) < 0 ? -1 : cabinets_look(&w, err);
}
