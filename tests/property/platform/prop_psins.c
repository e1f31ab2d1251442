/* prop_psins.c: random machines of PSINS beside the table that they are written from: hosts with
 * speeds, processors and ratios; links with figures and names, which lead back to them; the way
 * between any two hosts: out of the node, the network, the busses, into the other node, without
 * those that have no limit. */
#include "property/prop.h"
#include "unit/platform/lib.h"

#include "platform/platform_int.h"

enum { NODES_MOST = 12, CORES_MOST = 5, MUTANTS = 40, TEXT = 256 };

struct node {
	uint32_t cores, in, out, ratios;
	double local_bw, local_lat, ratio[CORES_MOST];
};

struct machine {
	struct node node[NODES_MOST];
	uint32_t n, busses;
	double bw, lat;
	struct str text;
};

static uint64_t seed_now;

static void node_draw(struct node *s, struct rng *r)
{
	*s = (struct node){.cores = prop_from(r, 1, CORES_MOST),
	                   .in = prop_from(r, 0, 3),
	                   .out = prop_from(r, 0, 3),
	                   .local_bw = prop_once_in(r, 5) ? 0 : prop_from(r, 1, 1000),
	                   .local_lat = prop_from(r, 0, 9)};
	s->ratios = prop_from(r, 1, s->cores);
	for (uint32_t i = 0; i < s->ratios; i++)
		s->ratio[i] = prop_from(r, 1, 3) / 2.0;
}

static void node_put(struct machine *m, const char *id, const struct node *s)
{
	str_printf(&m->text, "Node %s %u %u %u %g %g", id, s->cores, s->in, s->out, s->local_bw,
	           s->local_lat);
	for (uint32_t i = 0; i < s->ratios; i++)
		str_printf(&m->text, " %g", s->ratio[i]);
	str_puts(&m->text, "\n");
}

/* Some nodes one by one or in ranges, the others all alike. */
static void machine_draw(struct machine *m, struct rng *r)
{
	struct node other;
	char id[32];

	*m = (struct machine){.n = prop_from(r, 1, NODES_MOST),
	                      .busses = prop_from(r, 0, 3),
	                      .bw = prop_once_in(r, 6) ? 0 : prop_from(r, 1, 1000),
	                      .lat = prop_from(r, 0, 9)};
	str_printf(&m->text, "Machine %u %g %g %u\n", m->n, m->bw, m->lat, m->busses);
	node_draw(&other, r);
	node_put(m, "-1", &other);
	for (uint32_t i = 0; i < m->n; i++) {
		uint32_t end = i + prop_from(r, 0, 2);

		end = end < m->n ? end : m->n - 1;
		if (prop_once_in(r, 2)) {
			m->node[i] = other;
			continue;
		}
		node_draw(&m->node[i], r);
		snprintf(id, sizeof id, end > i ? "%u-%u" : "%u", i, end);
		node_put(m, id, &m->node[i]);
		for (; i < end; i++)
			m->node[i + 1] = m->node[i];
	}
	str_puts(&m->text, "Speed 4\n");
}

static double ratio(const struct node *s, uint32_t core)
{
	return s->ratio[core < s->ratios ? core : s->ratios - 1];
}

/* --- hosts --- */

/* Processors of one ratio that lie side by side are a host. of: each host's node. Their number. */
static uint32_t hosts_check(const struct machine *m, const struct platform *p, uint32_t *of)
{
	uint32_t h = 0;

	for (uint32_t i = 0; i < m->n; i++) {
		const struct node *s = &m->node[i];

		for (uint32_t c = 0, end; c < s->cores; c = end) {
			char want[TEXT], got[TEXT];
			struct host_info info;

			for (end = c + 1; end < s->cores && ratio(s, end) == ratio(s, c); end++)
				;
			snprintf(want, sizeof want, end - c < s->cores ? "node%u.%u" : "node%u", i,
			         c);
			platform_host_name(p, (struct host_id){h}, got, sizeof got);
			assert_string_equal(got, want);
			assert_int_equal(host_named(p, want).v, h);
			platform_host(p, (struct host_id){h}, &info);
			assert_int_equal(info.cores, end - c);
			assert_double_is(info.speed, 4 * ratio(s, c));
			assert_double_is(platform_host_ratio(p, (struct host_id){h}), ratio(s, c));
			of[h++] = i;
		}
	}
	assert_int_equal(platform_host_count(p), h);
	return h;
}

/* --- links --- */

/* limit: bytes/s; 0: none, which is more than any message notices. */
static void link_check(const struct platform *p, double limit, double latency,
                       enum link_policy policy, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
static void link_check(const struct platform *p, double limit, double latency,
                       enum link_policy policy, const char *fmt, ...)
{
	char name[TEXT], got[TEXT];
	struct link_info info;
	struct link_id l;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(name, sizeof name, fmt, ap);
	va_end(ap);
	l = link_find(p, name);
	if (l.v == UINT32_MAX)
		fail_msg("PROP_SEED=%llu: no link %s", (unsigned long long)seed_now, name);
	assert_string_equal(platform_link_name(p, l, got, sizeof got), name);
	platform_link(p, l, &info);
	if (limit > 0)
		assert_double_is(info.bandwidth, limit);
	else
		assert_true(info.bandwidth >= 1e18);
	assert_double_is(info.latency, latency);
	assert_int_equal(info.policy, policy);
}

static void links_check(const struct machine *m, const struct platform *p)
{
	for (uint32_t i = 0; i < m->n; i++) {
		const struct node *s = &m->node[i];

		link_check(p, m->bw * s->out, 0, LINK_SHARED, "node%u_out", i);
		link_check(p, m->bw * s->in, 0, LINK_SHARED, "node%u_in", i);
		link_check(p, s->local_bw, s->local_lat, LINK_FATPIPE, "node%u_local", i);
	}
	link_check(p, m->bw, m->lat, LINK_FATPIPE, "network");
	link_check(p, m->bw * m->busses, 0, LINK_SHARED, "busses");
}

/* A name with a character too many, too few or other is a link's only if that has it. */
static void mutants_check(const struct machine *m, const struct platform *p, struct rng *r)
{
	static const char *const words[] = {"out", "in", "local", "inn", "", "network"};
	static const char *const fronts[] = {"node", "nod", "node0", "nodes", "node-", "node "};

	for (int k = 0; k < MUTANTS; k++) {
		char name[TEXT], got[TEXT];
		struct link_id l;

		snprintf(name, sizeof name, "%s%u%s%s",
		         fronts[prop_once_in(r, 2) ? 0 : rng_below(r, 6)],
		         prop_from(r, 0, m->n + 1), prop_once_in(r, 5) ? "" : "_",
		         words[rng_below(r, 6)]);
		l = link_find(p, name);
		if (l.v != UINT32_MAX)
			assert_string_equal(platform_link_name(p, l, got, sizeof got), name);
		else
			for (uint32_t i = 0; i < platform_link_count(p); i++)
				assert_string_not_equal(
				    platform_link_name(p, (struct link_id){i}, got, sizeof got),
				    name);
	}
}

/* --- ways --- */

static void way_check(const struct machine *m, const struct platform *p, uint32_t from, uint32_t to,
                      const uint32_t *of)
{
	uint32_t a = of[from], b = of[to];
	char want[TEXT], names[2][TEXT];
	double latency;

	if (a == b)
		snprintf(want, sizeof want, "node%u_local", a);
	else
		snprintf(want, sizeof want, "node%u_out network%s node%u_in", a,
		         m->busses ? " busses" : "", b);
	const char *begin = a != b && !m->node[a].out ? strchr(want, ' ') + 1 : want;
	if (a != b && !m->node[b].in)
		*strrchr(want, ' ') = '\0';
	platform_host_name(p, (struct host_id){from}, names[0], TEXT);
	platform_host_name(p, (struct host_id){to}, names[1], TEXT);
	assert_string_equal(route_text(p, names[0], names[1], &latency), begin);
	assert_double_is(latency, a == b ? m->node[a].local_lat : m->lat);
}

static void machines_are_as_told(void **state)
{
	struct prop_run prop = prop_begin(80);

	(void)state;
	for (uint64_t i = 0; i < prop.cases; i++) {
		uint32_t of[NODES_MOST * CORES_MOST], hosts;
		struct machine m;
		struct fixture f;
		struct rng r;

		seed_now = prop.seed + i;
		rng_init(&r, seed_now, "psins", 0);
		machine_draw(&m, &r);
		fixture_must_read(&f, m.text.s, NULL);
		hosts = hosts_check(&m, f.p, of);
		links_check(&m, f.p);
		mutants_check(&m, f.p, &r);
		for (uint32_t a = 0; a < hosts; a++)
			for (uint32_t b = 0; b < hosts; b++)
				way_check(&m, f.p, a, b, of);
		str_release(&m.text);
		fixture_release(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(machines_are_as_told)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
