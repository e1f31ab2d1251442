/* model_psins_pmac.c: PSINS's PMaC model: no queues, but bandwidths that depend on what else is
 * under way (Tikir et al., Euro-Par 2009, 3.1.1).
 *
 * A message of s bytes between two nodes takes latency + s / (B x share), B the bandwidth of one
 * bus and
 *
 *     share = min(1, busses / messages between nodes, links out / messages out of its node, links
 *     in / messages into its node)
 *
 * of the messages under way when it begins, itself included; it keeps that share to its end. A
 * message is under way from its beginning to its arrival. Inside a node: latency + s / bandwidth.
 *
 * A collective with a curve of its own (setting psins/curves, record Curve) takes s / bandwidth(s),
 * s the block; others as in the simple model. */
#include "base/slots.h"
#include "psins.h"

#include <stdlib.h>
#include <string.h>

struct point {
	double size, bandwidth; /* bytes, bytes/s */
};

/* Bandwidth by size: through the points, or size / (a + b size). */
struct curve {
	struct point *points;
	uint32_t n, cap;
	double a, b; /* s, s/byte */
};

/* A message under way. */
struct flight {
	uint32_t from, to;
	uint32_t next_free;
};

/* Messages out of a node and into it. */
struct load {
	uint32_t out, in;
};

struct pmac {
	struct psins psins; /* first: its collectives take it for the state */
	struct curve curves[NET_COLLS];
	int hyperbola;
	struct heap ends; /* of the flights, by date */
	uint64_t seq;
	struct slots flights; /* struct flight */
	uint32_t under_way;
	struct load *loads; /* of the nodes */
	uint32_t loads_cap;
};

/* --- curves --- */

static int number(const char **s, const char *end, double *out)
{
	const char *colon = memchr(*s, ':', (size_t)(end - *s));
	size_t n = (size_t)((colon ? colon : end) - *s);

	if (num_parse_double(*s, n, out) < 0 || !(*out > 0))
		return -1;
	*s = colon ? colon + 1 : end;
	return 0;
}

/* "size:bandwidth:size:bandwidth…" */
static int curve_put(void *self, enum net_coll k, const char *s, size_t n, struct err *err)
{
	struct curve *c = &((struct pmac *)self)->curves[k];
	const char *end = s + n;
	struct point *points, p;

	for (c->n = 0; s < end; c->points[c->n++] = p) {
		if (number(&s, end, &p.size) < 0 || s == end || number(&s, end, &p.bandwidth) < 0)
			return err_set(err, ERR_INPUT,
			               "point %u is not size:bandwidth, positive bytes and bytes/s",
			               c->n + 1);
		if (c->n > 0 && !(p.size > c->points[c->n - 1].size))
			return err_set(err, ERR_INPUT,
			               "the size of point %u is not greater than the one before",
			               c->n + 1);
		points = vec_grow(c->points, &c->cap, sizeof *points, (size_t)c->n + 1,
		                  "points of a curve", err);
		if (!points)
			return -1;
		c->points = points;
	}
	return c->n ? 0 : err_set(err, ERR_INPUT, "a curve without points");
}

/* Least squares of the relative error of the time a + b size, with a, b >= 0. */
static void curve_fit(struct curve *c)
{
	double x, y, xx = 0, xy = 0, yy = 0, sx = 0, sy = 0, det;
	uint32_t i;

	for (i = 0; i < c->n; i++) {
		x = c->points[i].bandwidth / c->points[i].size; /* 1 / time */
		y = c->points[i].bandwidth;                     /* size / time */
		xx += x * x;
		xy += x * y;
		yy += y * y;
		sx += x;
		sy += y;
	}
	det = xx * yy - xy * xy;
	if (det > 0) {
		c->a = (sx * yy - sy * xy) / det;
		c->b = (sy * xx - sx * xy) / det;
	}
	if (!(det > 0) || c->a < 0) {
		c->a = 0;
		c->b = yy > 0 ? sy / yy : 0;
	} else if (c->b < 0) {
		c->b = 0;
		c->a = sx / xx;
	}
}

/* Through the points: powers of the size between two of them; before the first, as long as the
 * first; after the last, its bandwidth. */
static double curve_time(const struct curve *c, double size)
{
	const struct point *p = c->points;
	uint32_t i = 0;
	double t;

	while (i < c->n && p[i].size <= size)
		i++;
	if (i == 0)
		return p[0].size / p[0].bandwidth;
	if (i == c->n)
		return size / p[c->n - 1].bandwidth;
	t = log(size / p[i - 1].size) / log(p[i].size / p[i - 1].size);
	return size / (p[i - 1].bandwidth * pow(p[i].bandwidth / p[i - 1].bandwidth, t));
}

static int curves_read(struct pmac *m, const struct net *n, struct err *err)
{
	const char *fit = config_text(n->cfg, CFG_PSINS_CURVE_FIT);
	int k;

	m->hyperbola = text_same(fit, "hyperbola");
	if (!m->hyperbola && !text_same(fit, "points"))
		return err_set(err, ERR_INPUT,
		               "setting psins/curve-fit is points or hyperbola, not \"%s\"", fit);
	if (bus_collectives_parse(n, CFG_PSINS_CURVES, curve_put, m, err) < 0)
		return -1;
	for (k = 0; k < NET_COLLS; k++)
		curve_fit(&m->curves[k]);
	return 0;
}

static void curves_release(struct pmac *m)
{
	for (int k = 0; k < NET_COLLS; k++)
		free(m->curves[k].points);
}

static int pmac_settings(const struct net *n, struct err *err)
{
	struct pmac unused = {0};
	int r = curves_read(&unused, n, err);

	curves_release(&unused);
	return r;
}

static int pmac_collective(struct net *n, void *state, const struct net_collective *c,
                           double *seconds, struct err *err)
{
	const struct pmac *m = state;
	const struct curve *curve = &m->curves[c->kind];
	double size = bus_block(c);

	if (curve->n == 0)
		return psins_collective(n, state, c, seconds, err);
	*seconds = c->n < 2       ? 0
	           : m->hyperbola ? curve->a + curve->b * size
	                          : curve_time(curve, size);
	return 0;
}

/* --- messages under way --- */

static struct load *load_of(struct pmac *m, uint32_t node, struct err *err)
{
	uint32_t before = m->loads_cap;
	struct load *loads;

	if (node < before)
		return &m->loads[node];
	loads = vec_grow(m->loads, &m->loads_cap, sizeof *loads, (size_t)node + 1, "loads of nodes",
	                 err);
	if (!loads)
		return NULL;
	m->loads = loads;
	memset(loads + before, 0, (m->loads_cap - before) * sizeof *loads);
	return &loads[node];
}

static struct flight *flight_at(const struct pmac *m, uint32_t id)
{
	return slots_at(&m->flights, id, sizeof(struct flight));
}

/* Those that have arrived by now are no longer under way. */
static void arrivals_note(struct pmac *m, double now)
{
	const struct heap_item *top;
	struct flight *f;
	uint32_t id;

	while ((top = heap_top(&m->ends)) && top->date <= now) {
		id = heap_pop(&m->ends).id;
		f = flight_at(m, id);
		m->loads[f->from].out--;
		m->loads[f->to].in--;
		m->under_way--;
		slots_give(&m->flights, id);
	}
}

static int flight_add(struct pmac *m, const struct bus_way *w, double end, struct err *err)
{
	uint32_t id = slots_take(&m->flights, err);

	if (id == SLOTS_NONE)
		return -1;
	*flight_at(m, id) = (struct flight){.from = w->from, .to = w->to};
	return heap_set(&m->ends, id, end, m->seq++, err);
}

static double lesser_share(double share, uint32_t limit, uint32_t users)
{
	return limit && (double)limit / users < share ? (double)limit / users : share;
}

static int remote_message(struct pmac *m, struct net *n, const struct bus_way *w,
                          const struct net_send *s, struct net_sent *out, struct err *err)
{
	const struct bus_machine *machine = &m->psins.machine;
	double now = engine_now(n->engine), share, seconds;
	struct load *from, *to;

	if (!load_of(m, w->from, err) || !load_of(m, w->to, err))
		return -1;
	from = &m->loads[w->from];
	to = &m->loads[w->to];
	arrivals_note(m, now);
	share = lesser_share(1, machine->busses, ++m->under_way);
	share = lesser_share(share, machine->nodes[w->from].out, ++from->out);
	share = lesser_share(share, machine->nodes[w->to].in, ++to->in);
	seconds = w->latency + bus_body(w, s->bytes) / share;
	if (flight_add(m, w, now + seconds, err) < 0)
		return -1;
	part_tell(n, s->user, now,
	          share < 1 ? "its bytes / (its share of the bandwidth)" : "its bytes / bandwidth");
	part_tell(n, s->user, now + bus_body(w, s->bytes) / share, "latency");
	return engine_timer(n->engine, seconds, s->user, &out->activity, err);
}

static int pmac_message(struct net *n, void *state, const struct net_send *s, struct net_sent *out,
                        struct err *err)
{
	struct pmac *m = state;
	struct bus_way w;

	if (bus_way(&m->psins.machine, n, s->from, s->to, &w, err) < 0)
		return -1;
	bus_stretch(&w, s->stretch);
	if (w.from != w.to)
		return remote_message(m, n, &w, s, out, err);
	return psins_send(n, &w, s, engine_now(n->engine), "", out, err);
}

/* --- the model --- */

static void pmac_release(void *state)
{
	struct pmac *m = state;

	curves_release(m);
	heap_release(&m->ends);
	slots_release(&m->flights);
	free(m->loads);
	psins_clear(&m->psins);
	free(m);
}

static int pmac_init(struct net *n, void **state, struct err *err)
{
	struct pmac *m = calloc(1, sizeof *m);

	if (!m)
		return err_nomem(err, "PMaC model", sizeof *m);
	heap_init(&m->ends);
	slots_init(&m->flights, sizeof(struct flight), offsetof(struct flight, next_free),
	           "messages under way");
	if (psins_setup(&m->psins, n, err) < 0 || curves_read(m, n, err) < 0) {
		pmac_release(m);
		return -1;
	}
	*state = m;
	return 0;
}

static void pmac_explain(struct net *n, void *state, struct host_id from, struct host_id to,
                         double bytes, struct str *out)
{
	struct pmac *m = state;

	bus_describe(&m->psins.machine, n, from, to, bytes, out);
	str_puts(out,
	         "; between nodes that bandwidth is shared with the messages under way when it "
	         "begins, where busses and links are fewer.");
}

static const enum config_id own[] = {
    BUS_OWN,           CFG_PSINS_COLLECTIVES, CFG_BUS_BUSSES,      CFG_BUS_IN_LINKS,
    CFG_BUS_OUT_LINKS, CFG_PSINS_CURVES,      CFG_PSINS_CURVE_FIT, CFG_COUNT};

const struct net_model net_model_psins_pmac = {
    .name = "psins-pmac",
    .aliases = "psins_pmac pmac",
    .help =
        "PSINS: bandwidth scaled by the load of busses and links, collectives from measured curves",
    .own = own,
    .bare = 1,
    .whole = 1,
    .settings = pmac_settings,
    .init = pmac_init,
    .release = pmac_release,
    .message = pmac_message,
    .collective = pmac_collective,
    .links = LINKS_AT_START,
    .explain = pmac_explain,
};
