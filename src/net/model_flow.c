/* model_flow.c: what one message costs in the flow models (docs/models.md has the formulas and
 * their sources).
 *
 * A message of `size` bytes (envelope included) over links R with latency L in all:
 *   latency phase   L x latency factor(size), using nothing
 *   amount          size / bandwidth factor(size): the factor slows the flow, it does not spare the
 *                   links
 *   bound           the least bandwidth of R, and gamma / (2 L): a TCP window per round trip
 *   weight          1 / p with p = L + sum over R of S / bandwidth: flows with long round trips get
 *                   less of a shared link
 *   uses            each link of R once per occurrence; with cross-traffic, each link of the way
 *                   back 0.05
 */
#include "model_flow.h"

#include "change.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The factors of a size. Programs send few sizes, again and again. */
struct factors {
	double bytes, latency, bandwidth;
};
enum { SIZES_BITS = 3 };

struct flow_model {
	struct factor_table latency_factor, bandwidth_factor;
	struct factors recent[1 << SIZES_BITS]; /* by a hash of the size */
	double weight_s;                        /* bytes */
	double gamma;                           /* bytes; 0: no bound */
	int crosstraffic, compat;
};

const enum config_id flow_model_own[] = {FLOW_MODEL_OWN, CFG_COUNT};

/* Lower limit of p, s: a flow without latency nor S would have an infinite weight. */
#define PENALTY_MIN 1e-9

static int table_parse(struct net *n, enum config_id id, struct factor_table *t, struct err *err)
{
	struct err why = {0};
	uint32_t i;

	if (factor_table_parse(t, net_setting(n, id), &why) < 0)
		return err_set(err, why.kind, "setting %s: %s", config_table[id].name, why.text);
	for (i = 0; i < t->n; i++) {
		if (t->rows[i].value[0] > 0 ||
		    (id == CFG_NET_LATENCY_FACTOR && t->rows[i].value[0] == 0))
			continue;
		if (t->rows[i].threshold < 0) /* a constant has no section */
			return err_set(err, ERR_INPUT,
			               "setting %s: the factor is %g; it must be %s",
			               config_table[id].name, t->rows[i].value[0],
			               id == CFG_NET_LATENCY_FACTOR ? "0 or more" : "positive");
		return err_set(err, ERR_INPUT,
		               "setting %s: the factor of section %.0f is %g; it must be %s",
		               config_table[id].name, t->rows[i].threshold, t->rows[i].value[0],
		               id == CFG_NET_LATENCY_FACTOR ? "0 or more" : "positive");
	}
	return 0;
}

int flow_model_init(struct net *n, void **state, struct err *err)
{
	struct flow_model *m = calloc(1, sizeof *m);

	if (!m)
		return err_nomem(err, "flow model", sizeof *m);
	for (int i = 0; i < 1 << SIZES_BITS; i++)
		m->recent[i].bytes = -1;
	m->crosstraffic = config_bool(n->cfg, CFG_NET_CROSSTRAFFIC);
	m->compat = config_compat(n->cfg);
	if (table_parse(n, CFG_NET_LATENCY_FACTOR, &m->latency_factor, err) < 0 ||
	    table_parse(n, CFG_NET_BANDWIDTH_FACTOR, &m->bandwidth_factor, err) < 0 ||
	    net_setting_number(n, CFG_NET_WEIGHT_S, &m->weight_s, err) < 0 ||
	    net_setting_number(n, CFG_NET_TCP_GAMMA, &m->gamma, err) < 0) {
		flow_model_release(m);
		return -1;
	}
	n->cache.weight_s = m->compat ? m->weight_s : 0;
	*state = m;
	return 0;
}

void flow_model_release(void *state)
{
	struct flow_model *m = state;

	factor_table_release(&m->latency_factor);
	factor_table_release(&m->bandwidth_factor);
	free(m);
}

/* SimGrid's name for what the weight is the inverse of. */
static double path_penalty(const struct flow_model *m, const struct path *p, double latency)
{
	/* Quirk: link by link. Of two messages that would end at one date who is first goes by the
	 * last bit, and model IB's penalties by who is first. */
	double penalty = m->compat ? p->penalty : p->latency + m->weight_s * p->inverse;

	/* SimGrid gives penalty 1 to a flow that has no latency phase: next to ordinary penalties,
	 * almost no share of a link. */
	if (m->compat && latency <= 0)
		return 1;
	return penalty > PENALTY_MIN ? penalty : PENALTY_MIN;
}

static double path_weight(const struct flow_model *m, const struct path *p)
{
	return 1 / path_penalty(m, p, p->latency);
}

static double path_bound(const struct flow_model *m, const struct path *p)
{
	double bound = p->bandwidth;

	/* Quirk: without a TCP window SimGrid bounds what has a latency by its links alone. They
	 * are as narrow as this, but model IB penalises the bound. */
	if (m->compat && m->gamma <= 0 && p->latency > 0)
		return 0;
	if (m->gamma > 0 && p->latency > 0 && (bound <= 0 || bound > m->gamma / (2 * p->latency)))
		bound = m->gamma / (2 * p->latency);
	return bound;
}

static const struct factors *factors_of(struct flow_model *m, double bytes)
{
	struct factors *f;
	uint64_t bits;

	memcpy(&bits, &bytes, sizeof bits);
	f = &m->recent[bits * 0x9e3779b97f4a7c15u >> (64 - SIZES_BITS)];
	if (f->bytes != bytes)
		*f = (struct factors){bytes, factor_lookup(&m->latency_factor, bytes, 1),
		                      factor_lookup(&m->bandwidth_factor, bytes, 1)};
	return f;
}

double flow_model_amount(void *state, double bytes)
{
	return bytes / factors_of(state, bytes)->bandwidth;
}

static void flow_describe(struct flow_model *m, const struct path *p, double bytes,
                          struct flow_spec *out)
{
	const struct factors *f = factors_of(m, bytes);
	double latency = p->latency * f->latency,
	       penalty = p->reckoned ? 0 : path_penalty(m, p, latency);

	*out = (struct flow_spec){
	    .latency = latency,
	    .amount = bytes / f->bandwidth,
	    .bound = p->reckoned ? p->bound : path_bound(m, p),
	    .weight = p->reckoned ? p->weight : 1 / penalty,
	    .pace = m->compat ? f->bandwidth : 0,
	    .penalty = m->compat ? penalty : 0,
	};
	/* No link at all: nothing to transfer through (SimGrid: the latency alone). */
	if (p->bandwidth <= 0)
		out->amount = 0;
}

/* Seconds: what the messages on its links, at most eight of each, have queued before them. Of a
 * message that is shorter, or nearly over, that is no more than what is left of it. */
static double queued(struct net *n, const struct path *p)
{
	enum { MOST = 8 };
	struct resource_user user[MOST];
	double seconds = 0;

	for (uint32_t i = 0; i < p->n_uses; i++) {
		const struct flow_use u = n->cache.uses[p->uses + i];
		uint32_t users = u.coef < 1 ? 0 : resource_users(n->engine, u.resource, user, MOST);

		for (uint32_t k = 0; k < users && k < MOST; k++)
			if (user[k].coef >= 1) /* not acknowledgements */
				seconds += fmin(n->queue, user[k].remaining) /
				           engine_capacity(n->engine, u.resource);
	}
	return seconds;
}

/* What all messages of a way have in common, if it is kept. compat: a weight is not of the way
 * alone. */
static void path_reckon(struct net *n, const struct flow_model *m, const struct path *p)
{
	struct path_cache *c = &n->cache;
	uint32_t at = (uint32_t)(p - c->paths);
	struct path *kept = &c->paths[at];

	if (m->compat || at >= c->n_paths)
		return;
	kept->bound = path_bound(m, p);
	kept->weight = path_weight(m, p);
	kept->reckoned = 1;
}

static const struct net_part whole = {.part = 1};

int flow_model_message(struct net *n, void *state, const struct net_send *s, struct net_sent *out,
                       struct err *err)
{
	struct flow_model *m = state;
	const struct net_part *part = s->part ? s->part : &whole;
	const struct path *p = path_get(n, s->from, s->to, m->crosstraffic, err);
	struct flow_spec spec;

	if (!p)
		return -1;
	if (!p->reckoned)
		path_reckon(n, m, p);
	flow_describe(m, p, s->bytes, &spec);
	spec.amount *= part->part;
	if (n->buckets) {
		double credit;

		if (buckets_take(n, p, s->bytes, part, &credit, err) < 0)
			return -1;
		spec.amount = spec.amount > credit ? spec.amount - credit : 0;
	}
	spec.latency *= s->stretch;
	if (part->backlog > 0 && n->queue > 0)
		spec.latency += queued(n, p) * part->backlog;
	out->latency = spec.latency;
	spec.latency = spec.latency > part->waited ? spec.latency - part->waited : 0;
	spec.amount *= s->stretch;
	spec.uses = p->n_uses ? n->cache.uses + p->uses : NULL;
	/* The links there come first, then those that only acknowledgements use. */
	for (spec.n_uses = p->n_uses;
	     part->answered && spec.n_uses > 0 && spec.uses[spec.n_uses - 1].coef < 1;
	     spec.n_uses--)
		;
	spec.user = s->user;
	if (engine_flow(n->engine, &spec, &out->activity, err) < 0)
		return -1;
	return n->changes ? change_message_started(n, out->activity, s->from, s->to, p, err) : 0;
}

int flow_model_sharing(struct net *n, void *state, struct host_id from, struct host_id to,
                       double bytes, double *bound, double *weight, struct err *err)
{
	struct flow_model *m = state;
	const struct path *p = path_get(n, from, to, m->crosstraffic, err);
	struct flow_spec spec;

	if (!p)
		return -1;
	flow_describe(m, p, bytes, &spec);
	*bound = spec.bound;
	*weight = spec.weight;
	return 0;
}

/* Quirk: SimGrid adds the difference to the penalty, also for links of the way back (where that
 * makes it negative, it aborts); a new bandwidth leaves the bound as it is, a new latency leaves it
 * the least bandwidth of the beginning. */
static void revise_as_simgrid(const struct flow_model *m, struct net_revision *r)
{
	struct path began = {.bandwidth = r->bandwidth, .latency = r->latency + r->more_latency};
	double penalty = r->penalty + r->more_latency + m->weight_s * r->more_inverse;

	r->latency = began.latency;
	r->penalty = penalty > PENALTY_MIN ? penalty : PENALTY_MIN;
	r->weight = 1 / r->penalty;
	if (r->more_latency != 0)
		r->bound = path_bound(m, &began);
}

/* What a new message would get. */
int flow_model_revise(struct net *n, void *state, struct net_revision *r, struct err *err)
{
	const struct flow_model *m = state;
	const struct path *p;

	if (m->compat) {
		revise_as_simgrid(m, r);
		return 0;
	}
	p = path_get(n, r->from, r->to, m->crosstraffic, err);
	if (!p)
		return -1;
	r->bound = path_bound(m, p);
	r->weight = path_weight(m, p);
	return 0;
}

/* The rate of this flow alone: its bound, or a link that its own cross-traffic also uses. */
static double path_rate_alone(struct net *n, const struct path *p, double bound, uint32_t *tightest)
{
	double rate = bound > 0 ? bound : p->bandwidth;
	uint32_t i;

	*tightest = UINT32_MAX;
	for (i = 0; i < p->n_uses; i++) {
		const struct flow_use *u = &n->cache.uses[p->uses + i];
		double r = engine_capacity(n->engine, u->resource) / (double)u->coef;

		if (rate > 0 && r >= rate)
			continue;
		rate = r;
		*tightest = u->resource.v;
	}
	return rate;
}

double flow_model_alone(struct net *n, void *state, struct host_id from, struct host_id to,
                        double bytes, struct err *err)
{
	struct flow_model *m = state;
	const struct path *p = path_get(n, from, to, m->crosstraffic, err);
	struct flow_spec spec;
	uint32_t tightest;
	double rate;

	if (!p)
		return -1;
	flow_describe(m, p, bytes, &spec);
	rate = path_rate_alone(n, p, spec.bound, &tightest);
	return spec.latency + (rate > 0 ? spec.amount / rate : 0);
}

/* The least bandwidth of the way, as profiles have left it, is that of this link. -1: there is no
 * memory for the route. */
static int slowest_link(struct net *n, struct host_id from, struct host_id to, char *buf,
                        size_t size)
{
	struct route *route = &n->cache.there;
	struct link_info info;
	double least = INFINITY;

	*buf = '\0';
	if (route_find(n->platform, from, to, route, NULL) < 0)
		return -1;
	for (uint32_t i = 0; i < route->n; i++) {
		platform_link(n->platform, route->links[i], &info);
		if (n->changes)
			change_link(n, route->links[i], &info);
		if (!(info.bandwidth < least))
			continue;
		least = info.bandwidth;
		platform_link_name(n->platform, route->links[i], buf, size);
	}
	return 0;
}

const char *flow_model_bound(struct net *n, void *state, struct host_id from, struct host_id to,
                             char *buf, size_t size)
{
	const struct flow_model *m = state;
	const struct path *p = path_get(n, from, to, m->crosstraffic, NULL);
	char link[128];

	if (p && path_bound(m, p) < p->bandwidth) {
		snprintf(buf, size, "TCP window");
		return buf;
	}
	if (!p || slowest_link(n, from, to, link, sizeof link) < 0)
		return NULL;
	snprintf(buf, size, "link %s", link);
	return buf;
}

/* Which section of a table a size falls into. */
static const char *row_text(const struct factor_table *t, double bytes, char *buf, size_t size)
{
	uint32_t i = t->n;

	while (i > 0 && t->rows[i - 1].threshold >= bytes)
		i--;
	if (i == 0)
		snprintf(buf, size, "below the table's first section");
	else if (t->rows[i - 1].threshold < 0)
		snprintf(buf, size, "of all sizes");
	else if (i == t->n)
		snprintf(buf, size, "of sizes above %.0f", t->rows[i - 1].threshold);
	else
		snprintf(buf, size, "of sizes %.0f to %.0f", t->rows[i - 1].threshold + 1,
		         t->rows[i].threshold);
	return buf;
}

void flow_model_explain(struct net *n, void *state, struct host_id from, struct host_id to,
                        double bytes, struct str *out)
{
	struct flow_model *m = state;
	struct err why;
	const struct path *p = path_get(n, from, to, m->crosstraffic, &why);
	char a[64], b[64], link[128], row[64];
	struct flow_spec spec;
	uint32_t tightest;
	double rate;

	platform_host_name(n->platform, from, a, sizeof a);
	platform_host_name(n->platform, to, b, sizeof b);
	if (!p) {
		str_printf(out, "%s to %s: there is no route.", a, b);
		out->failed |= why.kind == ERR_LIMIT;
		return;
	}
	flow_describe(m, p, bytes, &spec);
	rate = path_rate_alone(n, p, spec.bound, &tightest);
	str_printf(out,
	           "%s to %s, %g bytes on the wire: latency %g s (%g s of the links x %g, %s); ", a,
	           b, bytes, spec.latency, p->latency, factor_lookup(&m->latency_factor, bytes, 1),
	           row_text(&m->latency_factor, bytes, row, sizeof row));
	if (spec.amount <= 0 || rate <= 0) {
		str_printf(out, "no link to cross.");
		return;
	}
	str_printf(out,
	           "alone on its way it moves at %g bytes/s (bandwidth factor %g, %s), limited by ",
	           rate * bytes / spec.amount, bytes / spec.amount,
	           row_text(&m->bandwidth_factor, bytes, row, sizeof row));
	if (tightest != UINT32_MAX) {
		net_resource_name(n, (struct resource_id){tightest}, link, sizeof link);
		str_printf(out, "%s, where its own acknowledgements take their part.", link);
	} else if (spec.bound > 0 && spec.bound < p->bandwidth) {
		str_printf(out, "its TCP window of %g bytes over a round trip of %g s.", m->gamma,
		           2 * p->latency);
	} else {
		out->failed |= slowest_link(n, from, to, link, sizeof link) < 0;
		str_printf(out, "its slowest link, %s (%g bytes/s).", link, p->bandwidth);
	}
}
