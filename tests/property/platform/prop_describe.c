/* prop_describe.c: what is told of random machines beside the tables that they were drawn from: the
 * sums over hosts (platform_add_up), how many pairs of hosts have no way (platform_routes_try), the
 * tree of zones with its hosts and links, in words and as JSON. */
#include "property/prop.h"
#include "unit/platform/lib.h"

enum { HOSTS_MOST = 12, ZONES_MOST = 30 };

/* A zone: its parent, its hosts, the links that its kind computes, and how deep it lies. */
struct zn {
	uint32_t parent, hosts, links, depth;
	const char *kind;
};

struct machine {
	struct zn zone[ZONES_MOST];
	uint32_t zones, hosts;
	uint64_t cores;
	double slowest, fastest;
	struct str text;
};

static uint64_t seed_now;

/* --- sums, and the tree --- */

static void host_count(struct machine *m, double speed, uint32_t cores)
{
	m->slowest = m->hosts && m->slowest < speed ? m->slowest : speed;
	m->fastest = m->fastest > speed ? m->fastest : speed;
	m->cores += cores;
	m->hosts++;
}

static void hosts_put(struct machine *m, struct rng *r, uint32_t zone)
{
	struct zn *z = &m->zone[zone];

	z->hosts = prop_from(r, 0, HOSTS_MOST);
	for (uint32_t i = 0; i < z->hosts; i++) {
		uint32_t cores = prop_from(r, 1, 64), speed = prop_from(r, 1, 1000);

		str_printf(&m->text, "<host id='h%u-%u' speed='%uf' core='%u'/>\n", zone, i, speed,
		           cores);
		host_count(m, speed, cores);
	}
}

/* A flat cluster: a link a host, or two (one each way), perhaps a limiter and a loopback more, and
 * one for all. */
static void cluster_put(struct machine *m, struct rng *r, uint32_t zone)
{
	struct zn *z = &m->zone[zone];
	int split = prop_once_in(r, 2), limiter = prop_once_in(r, 3), loopback = prop_once_in(r, 3),
	    backbone = prop_once_in(r, 3);

	z->kind = "flat cluster";
	z->hosts = prop_from(r, 1, HOSTS_MOST);
	z->links = z->hosts * (uint32_t)(1 + split + limiter + loopback) + (uint32_t)backbone;
	str_printf(&m->text,
	           "<cluster id='z%u' prefix='h%u-' suffix='' radical='0-%u' speed='7f' bw='1' "
	           "lat='0' sharing_policy='%s'%s%s%s/>",
	           zone, zone, z->hosts - 1, split ? "SPLITDUPLEX" : "SHARED",
	           limiter ? " limiter_link='1'" : "",
	           loopback ? " loopback_bw='1' loopback_lat='0'" : "",
	           backbone ? " bb_bw='1' bb_lat='0'" : "");
	for (uint32_t i = 0; i < z->hosts; i++)
		host_count(m, 7, 1);
}

static void zone_put(struct machine *m, struct rng *r, uint32_t parent, uint32_t depth)
{
	uint32_t me = m->zones++, children = depth < 4 ? prop_from(r, 0, 3) : 0;

	m->zone[me] = (struct zn){.parent = parent, .depth = depth, .kind = "None"};
	if (depth > 0 && prop_once_in(r, 3)) {
		cluster_put(m, r, me);
		return;
	}
	str_printf(&m->text, "<zone id='z%u' routing='None'>\n", me);
	for (uint32_t i = 0; i < children && m->zones < ZONES_MOST; i++)
		zone_put(m, r, me, depth + 1);
	if (children == 0)
		hosts_put(m, r, me);
	str_puts(&m->text, "</zone>\n");
}

/* One line a zone, in order of declaration, each by its depth further to the right. */
static void text_check(const struct machine *m, const struct platform *p)
{
	struct str text = {0}, want = {0};

	for (uint32_t i = 0; i < m->zones; i++) {
		const struct zn *z = &m->zone[i];

		str_printf(&want, "%*sz%u: %s", (int)(2 * z->depth), "", i, z->kind);
		if (z->hosts)
			str_printf(&want, ", %u host%s from h%u-0", z->hosts,
			           z->hosts == 1 ? "" : "s", i);
		if (z->links)
			str_printf(&want, ", %u link%s", z->links, z->links == 1 ? "" : "s");
		str_putc(&want, '\n');
	}
	platform_zones_text(p, &text);
	if (strcmp(text.s, want.s) != 0)
		fail_msg("PROP_SEED=%llu: %s\nnot %s", (unsigned long long)seed_now, text.s,
		         want.s);
	str_release(&text);
	str_release(&want);
}

static void json_check(const struct machine *m, const struct platform *p)
{
	struct str text = {0};
	struct json j;
	const char *at;

	json_init(&j, &text);
	platform_zones_json(p, &j);
	at = text.s + 1;
	for (uint32_t i = 0; i < m->zones; i++) {
		const struct zn *z = &m->zone[i];
		char parent[32], want[160];
		const char *line;

		snprintf(parent, sizeof parent, "\"z%u\"", z->parent);
		snprintf(want, sizeof want, "{\"id\":\"z%u\",\"kind\":\"%s\",\"parent\":%s,", i,
		         z->kind, i ? parent : "null");
		assert_int_equal(strncmp(at, want, strlen(want)), 0);
		line = strstr(at, "\"hosts\"");
		snprintf(want, sizeof want, "\"hosts\":%u,\"links\":%u}%s", z->hosts, z->links,
		         i + 1 < m->zones ? "," : "]");
		assert_int_equal(strncmp(line, want, strlen(want)), 0);
		at = line + strlen(want);
	}
	assert_string_equal(at, "");
	str_release(&text);
}

static void zones_and_sums(void **state)
{
	struct prop_run prop = prop_begin(150);

	(void)state;
	for (uint64_t i = 0; i < prop.cases; i++) {
		struct machine m = {.zones = 0};
		struct platform_sum sum;
		struct fixture f;
		struct rng r;

		seed_now = prop.seed + i;
		rng_init(&r, seed_now, "describe", 0);
		str_puts(&m.text, "<platform version='4.1'>");
		zone_put(&m, &r, 0, 0);
		str_puts(&m.text, "</platform>");
		fixture_read(&f, m.text.s, NULL);
		if (f.p) {
			assert_int_equal(platform_host_count(f.p), m.hosts);
			platform_add_up(f.p, &sum);
			assert_int_equal(sum.cores, m.cores);
			assert_double_is(sum.slowest, m.slowest);
			assert_double_is(sum.fastest, m.fastest);
			text_check(&m, f.p);
			json_check(&m, f.p);
		} else { /* a machine must have hosts */
			assert_int_equal(m.hosts, 0);
		}
		str_release(&m.text);
		fixture_release(&f);
	}
}

/* --- ways --- */

/* Of n hosts some pairs have a way, which may go in one direction only, and all of them latency, or
 * none; each has one to itself. */
static void pairs_without_a_way(void **state)
{
	struct prop_run prop = prop_begin(150);

	(void)state;
	for (uint64_t i = 0; i < prop.cases; i++) {
		int joined[HOSTS_MOST][HOSTS_MOST] = {{0}};
		uint32_t n, without = 0, ways = 0;
		int timeless;
		struct str text = {0}, remarks = {0};
		uint64_t pairs;
		struct fixture f;
		char want[80], none[80];
		struct rng r;

		seed_now = prop.seed + i;
		rng_init(&r, seed_now, "ways", 0);
		timeless = prop_once_in(&r, 2);
		n = prop_from(&r, 1, HOSTS_MOST);
		str_puts(&text, "<platform version='4.1'><zone id='w' routing='Full'>");
		for (uint32_t a = 0; a < n; a++)
			str_printf(&text, "<host id='h%u' speed='1f'/>", a);
		str_printf(&text, "<link id='l' bandwidth='1MBps' latency='%dus'/>", !timeless);
		for (uint64_t k = rng_below(&r, n * n); k > 0; k--) {
			uint32_t a = prop_from(&r, 0, n - 1), b = prop_from(&r, 0, n - 1);
			int both = prop_once_in(&r, 2);

			if (a == b || joined[a][b] || (both && joined[b][a]))
				continue;
			joined[a][b] = 1;
			joined[b][a] |= both;
			str_printf(&text,
			           "<route src='h%u' dst='h%u' symmetrical='%s'><link_ctn "
			           "id='l'/></route>",
			           a, b, both ? "YES" : "NO");
		}
		str_puts(&text, "</zone></platform>");
		for (uint32_t a = 0; a < n; a++)
			for (uint32_t b = 0; b < n; b++)
				without += a != b && !joined[a][b], ways += joined[a][b];
		fixture_must_read(&f, text.s, NULL);
		str_puts(&remarks, "");
		assert_ok(platform_routes_try(f.p, &remarks, &pairs, &f.err), f.err);
		assert_int_equal(pairs, n * n);
		snprintf(want, sizeof want, "%u of %u pairs of hosts without a route; no route",
		         without, n * n);
		snprintf(none, sizeof none, "%u of the routes tried, the first from 'h", ways);
		if (!without != !strstr(remarks.s, want) ||
		    (timeless && ways) != !!strstr(remarks.s, none) ||
		    (!without && !(timeless && ways) && *remarks.s != '\0'))
			fail_msg("PROP_SEED=%llu: %s\nnot %s, and %s%s",
			         (unsigned long long)seed_now, remarks.s, want,
			         timeless ? "" : "no ", none);
		str_release(&remarks);
		str_release(&text);
		fixture_release(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(zones_and_sums),
	    cmocka_unit_test(pairs_without_a_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
