/* zone_nodes.c: nodes joined by busses: the machine of a PSINS description, as links that any model
 * can use.
 *
 * Each node has a link out, of all its outgoing links together; one in; and one for what stays
 * inside, which is not shared. Between two nodes a message also crosses "network", which gives it
 * its latency and the bandwidth of the one bus that it can take but is not shared, and "busses",
 * all of them together, which is:
 *
 *     a -> b:  a_out, network, busses, b_in          inside a node:  a_local
 *
 * A link without limit (0 busses, 0 links) is left out. Ids: node by node out, in, local; then
 * network and busses. */
#include "platform/nodes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum role { ROLE_OUT, ROLE_IN, ROLE_LOCAL, ROLES };

/* Bytes/s of what has no limit: no message notices it. */
#define NO_LIMIT 1e18

/* The node of a host, which is counted from the first of the zone. */
static uint32_t nodes_of_host(const struct nodes *m, uint32_t host)
{
	uint32_t lo = 0, hi = m->n;

	if (m->first_host[m->n] == m->n) /* a host each */
		return host;
	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (m->first_host[mid] <= host)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

static double ratio_of(const struct node_spec *s, uint32_t processor)
{
	return s->ratio[processor < s->ratios ? processor : s->ratios - 1];
}

uint32_t node_run_end(const struct node_spec *s, uint32_t from)
{
	uint32_t i = from + 1;

	while (i < s->ratios && ratio_of(s, i) == ratio_of(s, from))
		i++;
	return i < s->ratios ? i : s->cores; /* the last ratio is that of all others */
}

/* --- making --- */

static int prop_put(struct build *b, struct prop **props, const char *key, const char *value,
                    struct err *err)
{
	struct arena *a = &b->p->arena;
	struct prop *p = arena_alloc(a, sizeof *p, err);

	if (!p)
		return -1;
	p->key = key;
	p->value = arena_strndup(a, value, strlen(value), err);
	p->next = *props;
	if (!p->value)
		return -1;
	*props = p;
	return 0;
}

/* Hosts prefix + (first to last), with `cores` processors of that ratio; of a node whose processors
 * differ, if `node` is not NULL. */
struct alike {
	const char *prefix, *node;
	uint32_t first, last, cores;
	double ratio;
};
static int block_add(struct build *b, const struct nodes *m, const struct node_spec *s,
                     const struct alike *a, struct err *err)
{
	struct host_info info = {.speed = m->base_speed * a->ratio, .cores = a->cores};
	char numbers[32], text[32];
	struct radical radical;
	struct host_block *k;

	snprintf(numbers, sizeof numbers, "%u-%u", a->first, a->last);
	if (radical_parse(numbers, &radical, err) < 0)
		return -1;
	if (host_add_block(b, a->prefix, &radical, "", &info, s->at, err) < 0) {
		radical_release(&radical);
		return -1;
	}
	radical_release(&radical);
	k = &b->p->host_blocks[b->p->host_blocks_n - 1];
	k->props = s->props;
	snprintf(text, sizeof text, "%.17g", a->ratio);
	if (a->ratio != 1 && prop_put(b, &k->props, "cpu-ratio", text, err) < 0)
		return -1;
	return a->node ? prop_put(b, &k->props, "psins/node", a->node, err) : 0;
}

/* The hosts of one node whose processors differ. */
static int mixed_node_add(struct build *b, const struct nodes *m, uint32_t node, struct err *err)
{
	const struct node_spec *s = &m->specs[m->spec[node]];
	char prefix[32], number[16];
	uint32_t from, to;

	snprintf(prefix, sizeof prefix, "node%u.", node);
	snprintf(number, sizeof number, "%u", node);
	for (from = 0; from < s->cores; from = to) {
		to = node_run_end(s, from);
		const struct alike a = {.prefix = prefix,
		                        .first = from,
		                        .last = from,
		                        .cores = to - from,
		                        .ratio = ratio_of(s, from),
		                        .node = number};
		if (block_add(b, m, s, &a, err) < 0)
			return -1;
	}
	return 0;
}

static int hosts_add(struct build *b, struct nodes *m, struct err *err)
{
	uint32_t first = b->p->host_count, i, end;

	for (i = 0; i < m->n; i = end) {
		const struct node_spec *s = &m->specs[m->spec[i]];

		for (end = i + 1; end < m->n && m->spec[end] == m->spec[i]; end++)
			;
		if (node_run_end(s, 0) < s->cores) {
			m->first_host[i] = b->p->host_count - first;
			end = i + 1;
			if (mixed_node_add(b, m, i, err) < 0)
				return -1;
			continue;
		}
		for (uint32_t k = i; k < end; k++)
			m->first_host[k] = b->p->host_count - first + (k - i);
		const struct alike a = {.prefix = "node",
		                        .first = i,
		                        .last = end - 1,
		                        .cores = s->cores,
		                        .ratio = s->ratio[0]};
		if (block_add(b, m, s, &a, err) < 0)
			return -1;
	}
	m->first_host[m->n] = b->p->host_count - first;
	return 0;
}

int nodes_make(struct build *b, const struct nodes *m, struct err *err)
{
	struct zone *z = zone_open(b, "psins", &zone_nodes, (struct place){1, 1}, err);
	struct nodes *kept = z ? arena_alloc(&b->p->arena, sizeof *kept, err) : NULL;

	if (!kept)
		return -1;
	*kept = *m;
	z->self = kept;
	z->first_host = b->p->host_count;
	if (hosts_add(b, kept, err) < 0 ||
	    link_add_block(b, z, (uint64_t)m->n * ROLES + 2, err) < 0)
		return -1;
	return zone_close(b, err);
}

/* --- ways --- */

static int push(struct walk *w, const struct zone *z, uint32_t offset, double latency)
{
	return walk_push(w, z->first_link + offset, latency);
}

static int nodes_walk(struct walk *w, const struct zone *z, const struct ends *e)
{
	const struct nodes *m = z->self;
	uint32_t a = nodes_of_host(m, point_index(e->a) - z->first_host),
	         c = nodes_of_host(m, point_index(e->b) - z->first_host);
	const struct node_spec *from = &m->specs[m->spec[a]], *to = &m->specs[m->spec[c]];

	if (a == c)
		return push(w, z, a * ROLES + ROLE_LOCAL, from->local_lat);
	if ((from->out && push(w, z, a * ROLES + ROLE_OUT, 0) < 0) ||
	    push(w, z, m->n * ROLES, m->lat) < 0 ||
	    (m->busses && push(w, z, m->n * ROLES + 1, 0) < 0))
		return -1;
	return to->in ? push(w, z, c * ROLES + ROLE_IN, 0) : 0;
}

static double limit(double bandwidth, uint32_t n)
{
	return bandwidth > 0 && n ? bandwidth * n : NO_LIMIT;
}

static void nodes_link(const struct platform *p, const struct zone *z, uint32_t offset,
                       struct link_info *out)
{
	const struct nodes *m = z->self;
	const struct node_spec *s = &m->specs[m->spec[offset / ROLES < m->n ? offset / ROLES : 0]];

	(void)p;
	if (offset == m->n * ROLES)
		*out = (struct link_info){limit(m->bw, 1), m->lat, LINK_FATPIPE};
	else if (offset > m->n * ROLES)
		*out = (struct link_info){limit(m->bw, m->busses), 0, LINK_SHARED};
	else if (offset % ROLES == ROLE_LOCAL)
		*out = (struct link_info){limit(s->local_bw, 1), s->local_lat, LINK_FATPIPE};
	else
		*out = (struct link_info){limit(m->bw, offset % ROLES == ROLE_OUT ? s->out : s->in),
		                          0, LINK_SHARED};
}

static void nodes_link_name(const struct platform *p, const struct zone *z, uint32_t offset,
                            char *buf, size_t n)
{
	static const char *const words[] = {"out", "in", "local"};
	const struct nodes *m = z->self;

	(void)p;
	if (offset >= m->n * ROLES)
		snprintf(buf, n, "%s", offset == m->n * ROLES ? "network" : "busses");
	else
		snprintf(buf, n, "node%u_%s", offset / ROLES, words[offset % ROLES]);
}

static uint32_t nodes_link_find(const struct platform *p, const struct zone *z, const char *name,
                                int pair)
{
	const struct nodes *m = z->self;
	size_t digits = strncmp(name, "node", 4) == 0 ? strspn(name + 4, "0123456789") : 0;
	int64_t node;
	uint32_t role;

	if (pair)
		return NONE32;
	if (!strcmp(name, "network") || !strcmp(name, "busses"))
		return m->n * ROLES + (name[0] == 'b');
	if (!digits || num_parse_i64(name + 4, digits, &node) < 0 || node >= m->n)
		return NONE32;
	for (role = 0; role < ROLES; role++) {
		if (link_named(p, z, (uint64_t)node * ROLES + role, name, 0) != NONE32)
			return (uint32_t)node * ROLES + role;
	}
	return NONE32;
}

const struct zone_kind zone_nodes = {
    .name = "nodes",
    .describe = "nodes with links to busses, as PSINS and Dimemas have them",
    .walk = nodes_walk,
    .link = nodes_link,
    .link_name = nodes_link_name,
    .link_find = nodes_link_find,
    .free_names = 1,
};
