/* bus.c: the machine of PSINS and Dimemas: where its figures come from, and reservations of its
 * parts.
 *
 * What the user sets goes before what the machine says of a host, which goes before what the
 * machine says of all; where nobody says anything, a host of an ordinary platform is a node with
 * one link each way, half as many busses as hosts (as many messages at once as there are pairs of
 * hosts), and messages get the latency and the least bandwidth of their route. */
#include "bus.h"

#include <stdlib.h>
#include <string.h>

enum { FROM_ROUTE = -1 };

/* --- figures --- */

/* A setting as a number, or `none` if nobody has set it. */
static double figure(const struct net *n, enum config_id id, double none)
{
	return config_text(n->cfg, id)[0] ? config_number(n->cfg, id) : none;
}

static int count(const struct net *n, enum config_id id, uint32_t none, uint32_t *out,
                 struct err *err)
{
	double v = figure(n, id, none);

	if (v > UINT32_MAX)
		return err_set(err, ERR_INPUT, "setting %s is %g: at most %u",
		               config_table[id].name, v, UINT32_MAX);
	*out = (uint32_t)v;
	return 0;
}

int bus_init(struct bus_machine *m, struct net *n, struct err *err)
{
	uint32_t hosts = platform_host_count(n->platform);

	*m = (struct bus_machine){
	    .latency = figure(n, CFG_BUS_LATENCY, FROM_ROUTE),
	    .bandwidth = figure(n, CFG_BUS_BANDWIDTH, FROM_ROUTE),
	    .usual.latency = figure(n, CFG_BUS_LOCAL_LATENCY, FROM_ROUTE),
	    .usual.bandwidth = figure(n, CFG_BUS_LOCAL_BANDWIDTH, FROM_ROUTE),
	};
	if (m->latency >= 0 && m->bandwidth >= 0 && m->usual.latency >= 0 &&
	    m->usual.bandwidth >= 0)
		n->links = LINKS_UNKNOWN; /* no figure is a route's */
	hash_str_init(&m->names);
	if (count(n, CFG_BUS_BUSSES, (hosts + 1) / 2, &m->busses, err) < 0 ||
	    count(n, CFG_BUS_IN_LINKS, 1, &m->usual.in, err) < 0 ||
	    count(n, CFG_BUS_OUT_LINKS, 1, &m->usual.out, err) < 0)
		return -1;
	m->node_of = calloc(hosts, sizeof *m->node_of);
	return m->node_of ? 0
	                  : err_nomem(err, "nodes", (unsigned long long)hosts * sizeof *m->node_of);
}

void bus_release(struct bus_machine *m)
{
	hash_str_release(&m->names);
	free(m->node_of);
	free(m->nodes);
}

/* --- nodes --- */

/* A host's property as a number, where the user has not set it for all. */
static int property(const struct net *n, struct host_id h, const char *key, enum config_id id,
                    enum unit_kind unit, double *out, struct err *err)
{
	const char *text = platform_host_prop(n->platform, h, key);
	char name[128];
	struct err why = {0};
	double v;

	if (!text || config_from(n->cfg, id) == CFG_FROM_USER)
		return 0;
	if (units_parse(text, unit, &v, &why) < 0 || v < 0)
		return err_set(err, ERR_INPUT, "host %s: property %s is \"%s\": %s",
		               platform_host_name(n->platform, h, name, sizeof name), key, text,
		               why.text[0] ? why.text : "it cannot be negative");
	*out = v;
	return 0;
}

static int property_count(const struct net *n, struct host_id h, const char *key, enum config_id id,
                          uint32_t *out, struct err *err)
{
	double v = *out;
	char name[128];

	if (property(n, h, key, id, UNIT_BANDWIDTH, &v, err) < 0)
		return -1;
	if (v != floor(v) || v > UINT32_MAX)
		return err_set(err, ERR_INPUT,
		               "host %s: property %s is %g: a whole number is wanted",
		               platform_host_name(n->platform, h, name, sizeof name), key, v);
	*out = (uint32_t)v;
	return 0;
}

static int64_t node_make(struct bus_machine *m, struct net *n, struct host_id h, struct err *err)
{
	struct bus_node *nodes = vec_grow(m->nodes, &m->cap, sizeof *nodes, (size_t)m->n + 1,
	                                  "nodes", err),
	                node = m->usual;

	if (!nodes)
		return -1;
	m->nodes = nodes;
	if (property_count(n, h, "psins/in-links", CFG_BUS_IN_LINKS, &node.in, err) < 0 ||
	    property_count(n, h, "psins/out-links", CFG_BUS_OUT_LINKS, &node.out, err) < 0 ||
	    property(n, h, "psins/local-latency", CFG_BUS_LOCAL_LATENCY, UNIT_TIME, &node.latency,
	             err) < 0 ||
	    property(n, h, "psins/local-bandwidth", CFG_BUS_LOCAL_BANDWIDTH, UNIT_BANDWIDTH,
	             &node.bandwidth, err) < 0)
		return -1;
	nodes[m->n] = node;
	return m->n++;
}

static int64_t node_find(struct bus_machine *m, struct net *n, struct host_id h, struct err *err)
{
	const char *name = platform_host_prop(n->platform, h, "psins/node");
	uint32_t at = name ? hash_str_find(&m->names, name) : HASH_NONE;
	int64_t node;

	if (at != HASH_NONE)
		return at;
	node = node_make(m, n, h, err);
	if (node >= 0 && name && hash_str_put(&m->names, name, (uint32_t)node, err) < 0)
		return -1;
	return node;
}

int64_t bus_node_of(struct bus_machine *m, struct net *n, struct host_id h, struct err *err)
{
	int64_t node;

	if (m->node_of[h.v])
		return m->node_of[h.v] - 1;
	node = node_find(m, n, h, err);
	if (node >= 0)
		m->node_of[h.v] = (uint32_t)node + 1;
	return node;
}

/* --- ways --- */

static int way_of_route(struct net *n, struct host_id from, struct host_id to, struct bus_way *w,
                        struct err *err)
{
	const struct path *p = path_get(n, from, to, 0, err);

	if (!p)
		return -1;
	if (w->latency < 0)
		w->latency = p->latency;
	if (w->bandwidth < 0)
		w->bandwidth = p->bandwidth;
	return 0;
}

int bus_way(struct bus_machine *m, struct net *n, struct host_id from, struct host_id to,
            struct bus_way *out, struct err *err)
{
	int64_t a = bus_node_of(m, n, from, err), b = a < 0 ? -1 : bus_node_of(m, n, to, err);

	if (b < 0)
		return -1;
	*out = (struct bus_way){.from = (uint32_t)a, .to = (uint32_t)b};
	out->latency = a == b ? m->nodes[a].latency : m->latency;
	out->bandwidth = a == b ? m->nodes[a].bandwidth : m->bandwidth;
	if ((out->latency < 0 || out->bandwidth < 0) && way_of_route(n, from, to, out, err) < 0)
		return -1;
	return 0;
}

void bus_describe(struct bus_machine *m, struct net *n, struct host_id from, struct host_id to,
                  double bytes, struct str *out)
{
	char a[64], b[64];
	struct bus_way w;
	struct err why;

	platform_host_name(n->platform, from, a, sizeof a);
	platform_host_name(n->platform, to, b, sizeof b);
	if (bus_way(m, n, from, to, &w, &why) < 0) {
		str_printf(out, "%s to %s: there is no route.", a, b);
		out->failed |= why.kind == ERR_LIMIT;
		return;
	}
	str_printf(out, "%s to %s, %g bytes, %s: latency %g s", a, b, bytes,
	           w.from == w.to ? "inside a node" : "between nodes", w.latency);
	if (w.bandwidth > 0)
		str_printf(out, ", then %g s at %g bytes/s", bytes / w.bandwidth, w.bandwidth);
}

/* --- reservations --- */

static void sift_up(struct servers *s, uint32_t at, double date)
{
	for (; at > 0 && s->until[(at - 1) / 2] > date; at = (at - 1) / 2)
		s->until[at] = s->until[(at - 1) / 2];
	s->until[at] = date;
}

static void sift_down(struct servers *s, uint32_t at, double date)
{
	uint32_t child;

	while ((child = 2 * at + 1) < s->n) {
		if (child + 1 < s->n && s->until[child + 1] < s->until[child])
			child++;
		if (s->until[child] >= date)
			break;
		s->until[at] = s->until[child];
		at = child;
	}
	s->until[at] = date;
}

int servers_reserve(struct servers *s, uint32_t k, double now, double seconds, double *start,
                    struct err *err)
{
	double *until;

	*start = now;
	if (k == 0)
		return 0;
	if (s->n > 0 && (s->n == k || s->until[0] <= now)) {
		if (s->until[0] > now)
			*start = s->until[0];
		sift_down(s, 0, *start + seconds);
		return 0;
	}
	until = vec_grow(s->until, &s->cap, sizeof *until, (size_t)s->n + 1, "reservations", err);
	if (!until)
		return -1;
	s->until = until;
	sift_up(s, s->n++, now + seconds);
	return 0;
}
