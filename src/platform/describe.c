/* describe.c: the tree of zones in words or as JSON, and what of a platform SimGrid 3.32 treats
 * otherwise. */
#include "platform/platform_int.h"

#include <string.h>

static uint32_t zone_hosts(const struct platform *p, const struct zone *z)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < p->host_blocks_n; i++)
		if (p->host_blocks[i].zone == z->index)
			n += p->host_blocks[i].n;
	return n;
}

static const char *zone_first_host(const struct platform *p, const struct zone *z, char *buf,
                                   size_t n)
{
	uint32_t i = 0;
	while (p->host_blocks[i].zone != z->index)
		i++;
	return platform_host_name(p, (struct host_id){p->host_blocks[i].first}, buf, n);
}

/* Deeper zones are not indented further: they may be nested to any depth. */
enum { INDENT_MAX = 32 };

static void zone_put(const struct platform *p, const struct zone *z, struct str *out)
{
	char first[256];
	uint32_t hosts = zone_hosts(p, z);
	str_printf(out, "%*s%s: %s", 2 * (int)(z->depth < INDENT_MAX ? z->depth : INDENT_MAX), "",
	           z->id, z->kind->name);
	if (hosts)
		str_printf(out, ", %u host%s from %s", hosts, hosts == 1 ? "" : "s",
		           zone_first_host(p, z, first, sizeof first));
	if (z->links)
		str_printf(out, ", %u link%s", z->links, z->links == 1 ? "" : "s");
	str_putc(out, '\n');
}

void platform_zones_text(const struct platform *p, struct str *out)
{
	for (uint32_t i = 0; i < p->zones_n; i++)
		zone_put(p, p->zones[i], out);
}

static void zone_json(const struct platform *p, const struct zone *z, struct json *j)
{
	json_object(j);
	json_put_string(j, "id", z->id);
	json_put_string(j, "kind", z->kind->name);
	json_put_string(j, "parent", z->parent == NONE32 ? NULL : p->zones[z->parent]->id);
	json_put_int(j, "line", z->at.line);
	json_put_int(j, "hosts", zone_hosts(p, z));
	json_put_int(j, "links", z->links);
	json_end(j);
}

void platform_zones_json(const struct platform *p, struct json *j)
{
	json_array(j);
	for (uint32_t i = 0; i < p->zones_n; i++)
		zone_json(p, p->zones[i], j);
	json_end(j);
}

/* --- what compat changes --- */

static void concern_put(const struct platform *p, const struct zone *z, const char *what,
                        struct str *out)
{
	str_printf(out, "%s:%u:%u: zone '%s' (%s): %s\n", p->path, z->at.line, z->at.column, z->id,
	           z->kind->name, what);
}

static int has_zone_bypass(const struct zone *z)
{
	for (uint32_t i = 0; z->bypass && i < z->bypass->n; i++)
		if (point_kind(z->bypass->hops[i].src) == POINT_ZONE)
			return 1;
	return 0;
}

/* The first host that comes before the one declared before it in SimGrid's order, or NONE32. */
static uint32_t host_out_of_order(const struct platform *p)
{
	char names[2][NAME_MAX_LEN + 16];
	for (uint32_t h = 0; h < p->host_count; h++) {
		platform_host_name(p, (struct host_id){h}, names[h % 2], sizeof names[0]);
		if (h && strcmp(names[1 - h % 2], names[h % 2]) > 0)
			return h;
	}
	return NONE32;
}

/* Not if all hosts are of one flat cluster: they are all alike. */
int platform_order_matters(const struct platform *p)
{
	int alike = p->host_blocks_n == 1 && p->hosts_n == 0;

	for (uint32_t i = 0; i < p->zones_n; i++)
		alike &= p->zones[i]->kind != &zone_torus && p->zones[i]->kind != &zone_fat_tree &&
		         p->zones[i]->kind != &zone_dragonfly;
	return !alike && host_out_of_order(p) != NONE32;
}

/* What SimGrid does otherwise with profiles. */
static int profiles_check(const struct platform *p, struct str *out)
{
	static const char *const words[PROFILE_KINDS] = {
	    [PROFILE_BANDWIDTH] =
	        "when the bandwidth of a link changes, SimGrid forgets messages in their latency "
	        "phase (unless "
	        "network/weight-S is 0), and does not speed up those that are faster now",
	    [PROFILE_LATENCY] = "when the latency of a link changes, SimGrid forgets messages in "
	                        "their latency phase",
	    [PROFILE_HOST] = "SimGrid kills the ranks of a host that is turned off and goes on; "
	                     "here the run ends",
	};
	int n = 0, seen[PROFILE_KINDS] = {0};
	for (uint32_t i = 0; i < p->profile_uses_n; i++) {
		enum profile_kind k = p->profile_uses[i].kind;
		if (words[k] && !seen[k]++ && ++n)
			str_printf(out, "%s: profile %s: %s\n", p->path,
			           p->profile_uses[i].profile->name, words[k]);
	}
	if (p->trace_twice.line && ++n)
		str_printf(out,
		           "%s:%u:%u: a <trace> is connected to several elements, of which SimGrid "
		           "keeps the first\n",
		           p->path, p->trace_twice.line, p->trace_twice.column);
	return n;
}

int platform_check_constructs(const struct platform *p, struct str *out)
{
	int n = profiles_check(p, out);
	for (uint32_t i = 0; i < p->zones_n; i++) {
		const struct zone *z = p->zones[i];
		const char *what;
		for (int k = 0; z->kind->quirk && (what = z->kind->quirk(p, z, k)); k++, n++)
			concern_put(p, z, what, out);
		if (has_zone_bypass(z)) {
			concern_put(p, z,
			            "after a bypass between zones, SimGrid adds the way of a "
			            "gateway to itself when an end is that gateway",
			            out);
			n++;
		}
	}
	return n;
}

int platform_check(const struct platform *p, struct str *out)
{
	int n = platform_check_constructs(p, out);
	uint32_t h = host_out_of_order(p);
	if (h == NONE32)
		return n;
	char name[256];
	str_printf(out,
	           "%s: without a hostfile SimGrid places ranks in the order of host names, here "
	           "in order of declaration; the first that differs is '%s'\n",
	           p->path, platform_host_name(p, (struct host_id){h}, name, sizeof name));
	return n + 1;
}

/* Routes without latency, of those tried. */
struct timeless {
	uint64_t n;
	struct host_id from, to; /* the first */
};

/* A host's way to itself is no matter: nobody else uses it. */
static void timeless_add(struct timeless *t, struct host_id from, struct host_id to,
                         const struct route *r)
{
	if (from.v == to.v || r->n == 0 || r->latency > 0)
		return;
	if (!t->n++)
		t->from = from, t->to = to;
}

static void timeless_tell(const struct timeless *t, const struct platform *p, struct str *out)
{
	char from[256], to[256];

	if (t->n)
		str_printf(out,
		           "%llu of the routes tried, the first from '%s' to '%s', %s no "
		           "latency: on links that others use too, SimGrid leaves almost nothing "
		           "to messages there\n",
		           (unsigned long long)t->n,
		           platform_host_name(p, t->from, from, sizeof from),
		           platform_host_name(p, t->to, to, sizeof to), t->n == 1 ? "has" : "have");
}

/* Routes, of those tried, whose figures are of no cable: a figure without its unit is one of
 * seconds or of bytes a second, which is seldom what "1" or "125" was to be. */
enum { SECONDS_LEAST = 1, BYTES_A_SECOND_MOST = 100000 };

static void unitless_add(struct timeless *t, struct host_id from, struct host_id to,
                         const struct platform *p, const struct route *r)
{
	int odd = r->latency >= SECONDS_LEAST;
	struct link_info link;

	for (uint32_t i = 0; i < r->n && !odd; i++) {
		platform_link(p, r->links[i], &link);
		odd = link.bandwidth <= BYTES_A_SECOND_MOST;
	}
	if (!odd)
		return;
	if (!t->n++)
		t->from = from, t->to = to;
}

static void unitless_tell(const struct timeless *t, const struct platform *p, struct str *out)
{
	char from[256], to[256];

	if (t->n)
		str_printf(
		    out,
		    "%llu of the routes tried, the first from '%s' to '%s', %s a latency of a "
		    "second or more, or 100 kB/s or less: without a unit a figure is one of "
		    "seconds, or of bytes a second\n",
		    (unsigned long long)t->n, platform_host_name(p, t->from, from, sizeof from),
		    platform_host_name(p, t->to, to, sizeof to), t->n == 1 ? "has" : "have");
}

/* Reading has checked the file; hosts should also reach each other: a sample of pairs is tried, all
 * of them on small machines; of machines of endless ways, as many as have 2^25 links in all. A pair
 * without a way is no error, for ranks may run elsewhere: it is told. */
int platform_routes_try(const struct platform *p, struct str *remarks, uint64_t *pairs,
                        struct err *err)
{
	uint32_t n = platform_host_count(p), step = n > 256 ? n / 128 : 1;
	uint64_t walked = 0, without = 0, tried = 0;
	struct timeless timeless = {0}, unitless = {0};
	struct err why, first = {0};
	struct route r;

	route_init(&r);
	for (uint32_t i = 0; i < n; i += step) {
		for (uint32_t k = 0; k < n && walked < 1 << 25; k += step) {
			int got = route_find(p, (struct host_id){i}, (struct host_id){k}, &r, &why);

			if (got < 0 && why.kind == ERR_LIMIT) {
				*err = why;
				route_release(&r);
				return -1;
			}
			if (got == 0) {
				timeless_add(&timeless, (struct host_id){i}, (struct host_id){k},
				             &r);
				unitless_add(&unitless, (struct host_id){i}, (struct host_id){k}, p,
				             &r);
			} else if (!without++)
				first = why;
			tried++;
			walked += r.n;
		}
	}
	route_release(&r);
	if (without)
		str_printf(remarks, "%llu of %llu pair%s of hosts without a route; %s\n",
		           (unsigned long long)without, (unsigned long long)tried, plural(tried),
		           first.text);
	timeless_tell(&timeless, p, remarks);
	unitless_tell(&unitless, p, remarks);
	*pairs = tried;
	return 0;
}

void platform_add_up(const struct platform *p, struct platform_sum *s)
{
	struct host_info h;

	*s = (struct platform_sum){0};
	for (uint32_t i = 0; i < platform_host_count(p); i++) {
		platform_host(p, (struct host_id){i}, &h);
		s->cores += h.cores;
		if (h.speed > 0 && (s->slowest == 0 || h.speed < s->slowest))
			s->slowest = h.speed;
		if (h.speed > s->fastest)
			s->fastest = h.speed;
	}
}
