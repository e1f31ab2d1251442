/* random_platform.h: random machines as text: every kind of zone and of cluster, nested; every pair
 * of hosts has a way, every host one to itself. Every third has links and hosts that change
 * (profiles): bandwidths, latencies, speeds. All bandwidths and speeds are multiplied by `scale`,
 * all latencies (coordinates, too) and dates divided by it; a power of 2 does so exactly. */
#ifndef ORRERY_TESTS_RANDOM_PLATFORM_H
#define ORRERY_TESTS_RANDOM_PLATFORM_H

#include "base/base.h"

#include <stdio.h>
#include <string.h>

struct machine_text {
	struct str text;
	struct rng *rng;
	double scale;
	uint32_t names;
	char link[16][24], host[16][24]; /* some of their names */
	uint32_t links, hosts;
};

static inline void machine_note(char (*names)[24], uint32_t *n, const char *form, uint32_t a,
                                uint32_t b)
{
	if (*n == 16)
		return;
	if (strchr(form, '_'))
		snprintf(names[(*n)++], 24, "p%u_%u", a, b);
	else
		snprintf(names[(*n)++], 24, "l%u", a);
}

static inline uint32_t machine_pick(struct machine_text *m, uint32_t n)
{
	return (uint32_t)rng_below(m->rng, n);
}

static inline void machine_bandwidth(struct machine_text *m, const char *name, double least)
{
	str_printf(&m->text, " %s='%.17gBps'", name,
	           least * (1 + 15 * rng_unit(m->rng)) * m->scale);
}

/* One in four is zero. */
static inline void machine_latency(struct machine_text *m, const char *name)
{
	double v = machine_pick(m, 4) ? 1e-4 * rng_unit(m->rng) : 0;

	str_printf(&m->text, " %s='%.17gs'", name, v / m->scale);
}

static inline void machine_speed(struct machine_text *m)
{
	str_printf(&m->text, " speed='%.17gf' core='%u'", 1e9 * (1 + rng_unit(m->rng)) * m->scale,
	           1 + machine_pick(m, 3));
}

static inline void machine_link(struct machine_text *m, uint32_t id)
{
	static const char *const policies[] = {"SHARED", "SHARED", "FATPIPE"};

	str_printf(&m->text, "<link id='l%u' sharing_policy='%s'", id,
	           policies[machine_pick(m, 3)]);
	machine_bandwidth(m, "bandwidth", 5e7);
	machine_latency(m, "latency");
	str_puts(&m->text, "/>\n");
	machine_note(m->link, &m->links, "l", id, 0);
}

/* Clusters of all topologies; gateway: "p<id>_0", except of flat ones, which have a router. */
static inline void machine_cluster(struct machine_text *m, char *gateway, size_t n)
{
	static const struct {
		const char *topology, *parameters;
		uint32_t hosts;
	} shapes[] = {{"FLAT", "", 5},
	              {"FLAT", "", 3},
	              {"TORUS", "3,2", 6},
	              {"TORUS", "2,1,4", 8},
	              {"FAT_TREE", "2;2,3;1,2;1,2", 6},
	              {"FAT_TREE", "3;2,2,2;2,1,2;1,2,1", 8},
	              {"DRAGONFLY", "2,1;2,2;2,1;1", 8},
	              {"DRAGONFLY", "2,2;1,1;3,1;2", 12}};
	static const char *const policies[] = {"SPLITDUPLEX", "SHARED", "FATPIPE"};
	uint32_t id = m->names++, shape = machine_pick(m, sizeof shapes / sizeof *shapes);

	str_printf(&m->text,
	           "<cluster id='z%u' prefix='p%u_' suffix='' radical='0-%u' topology='%s' "
	           "topo_parameters='%s' sharing_policy='%s'",
	           id, id, shapes[shape].hosts - 1, shapes[shape].topology,
	           shapes[shape].parameters, policies[machine_pick(m, 3)]);
	machine_speed(m);
	machine_bandwidth(m, "bw", 5e7);
	machine_latency(m, "lat");
	if (machine_pick(m, 3) == 0)
		machine_bandwidth(m, "limiter_link", 6e7);
	if (shape > 1 || machine_pick(m, 2)) {
		machine_bandwidth(m, "loopback_bw", 1e9);
		machine_latency(m, "loopback_lat");
	}
	if (shape < 2 && machine_pick(m, 2)) {
		machine_bandwidth(m, "bb_bw", 1e8);
		machine_latency(m, "bb_lat");
		str_puts(&m->text, machine_pick(m, 2) ? " bb_sharing_policy='FATPIPE'" : "");
	}
	str_puts(&m->text, "/>\n");
	snprintf(gateway, n, shape < 2 ? "p%u_z%u_router" : "p%u_0", id, id);
}

/* A zone of kind Cluster, or Vivaldi. */
static inline void machine_star(struct machine_text *m, char *gateway, size_t n)
{
	uint32_t id = m->names++, hosts = 2 + machine_pick(m, 3), vivaldi = machine_pick(m, 2);

	str_printf(&m->text, "<zone id='z%u' routing='%s'>", id, vivaldi ? "Vivaldi" : "Cluster");
	for (uint32_t i = 0; i < hosts && vivaldi; i++) {
		str_printf(&m->text,
		           "<peer id='p%u_%u' coordinates='%.17g %.17g %.17g' speed='%.17gf'", id,
		           i, rng_unit(m->rng) / m->scale, rng_unit(m->rng) / m->scale,
		           0.1 / m->scale, 1e9 * m->scale);
		machine_bandwidth(m, "bw_in", 2e7);
		machine_bandwidth(m, "bw_out", 2e7);
		str_puts(&m->text, "/>");
	}
	if (!vivaldi) {
		str_printf(
		    &m->text,
		    "<cabinet id='c%u' prefix='p%u_' suffix='' radical='0-%u' speed='%.17gf'", id,
		    id, hosts - 1, 1e9 * m->scale);
		machine_bandwidth(m, "bw", 5e7);
		machine_latency(m, "lat");
		str_printf(&m->text, "/><backbone id='b%u'", id);
		machine_bandwidth(m, "bandwidth", 1e8);
		machine_latency(m, "latency");
		str_puts(&m->text, "/>");
	}
	str_puts(&m->text, "</zone>\n");
	snprintf(gateway, n, "p%u_0", id);
}

/* Some links, then what joins point i to an earlier one: all earlier ones (Full), or one of them
 * and perhaps another. */
static inline void machine_join(struct machine_text *m, uint32_t id, uint32_t points, int full,
                                const char *tag, char (*gateway)[48], const uint32_t *zones)
{
	uint32_t links = 1 + machine_pick(m, 4), first = m->names;

	m->names += links;
	for (uint32_t i = 0; i < links; i++)
		machine_link(m, first + i);
	for (uint32_t i = 1; i < points; i++) {
		uint32_t only = machine_pick(m, i);
		for (uint32_t j = 0; j < i; j++) {
			if (!full && j != only)
				continue;
			if (zones)
				str_printf(&m->text,
				           "<%s src='z%u' dst='z%u' gw_src='%s' gw_dst='%s'>", tag,
				           zones[i], zones[j], gateway[i], gateway[j]);
			else
				str_printf(&m->text, "<%s src='p%u_%u' dst='p%u_%u'>", tag, id, i,
				           id, j);
			for (uint32_t k = 1 + machine_pick(m, 3); k > 0; k--)
				str_printf(&m->text, "<link_ctn id='l%u'/>",
				           first + machine_pick(m, links));
			str_printf(&m->text, "</%s>\n", tag);
		}
	}
}

static const char *const machine_kinds[] = {"Full", "Floyd", "Dijkstra", "DijkstraCache"};

/* Hosts with routes. */
static inline void machine_graph(struct machine_text *m, char *gateway, size_t n)
{
	uint32_t id = m->names++, points = 2 + machine_pick(m, 4), kind = machine_pick(m, 4);

	str_printf(&m->text, "<zone id='z%u' routing='%s'>", id, machine_kinds[kind]);
	for (uint32_t i = 0; i < points; i++) {
		str_printf(&m->text, "<host id='p%u_%u'", id, i);
		machine_note(m->host, &m->hosts, "_", id, i);
		machine_speed(m);
		str_puts(&m->text, "/>");
	}
	machine_join(m, id, points, kind == 0, "route", NULL, NULL);
	str_puts(&m->text, "</zone>\n");
	snprintf(gateway, n, "p%u_%u", id, machine_pick(m, points));
}

/* One zone, with zones in it down to `depth` levels; the zone's number is that of its names when it
 * was begun. */
static inline void machine_zone(struct machine_text *m, uint32_t depth, char *gateway, size_t n)
{
	uint32_t id, kind, children, zones[4];
	char inner[4][48];

	if (depth == 0 || machine_pick(m, 3) == 0) {
		uint32_t leaf = machine_pick(m, 4);
		(leaf < 2    ? machine_cluster
		 : leaf == 2 ? machine_star
		             : machine_graph)(m, gateway, n);
		return;
	}
	id = m->names++, kind = machine_pick(m, 4), children = 1 + machine_pick(m, 3);
	str_printf(&m->text, "<zone id='z%u' routing='%s'>\n", id, machine_kinds[kind]);
	for (uint32_t i = 0; i < children; i++) {
		zones[i] = m->names;
		machine_zone(m, depth - 1, inner[i], sizeof inner[i]);
	}
	machine_join(m, id, children, kind == 0, "zoneRoute", inner, zones);
	str_puts(&m->text, "</zone>\n");
	snprintf(gateway, n, "%s", inner[machine_pick(m, children)]);
}

/* A profile of two changes, once or again and again. */
static inline void machine_profile(struct machine_text *m, uint32_t id, const char *kind,
                                   const char *element, double least, double scale)
{
	double first = 1e-3 * rng_unit(m->rng), second = first + 5e-3 * rng_unit(m->rng);

	str_printf(&m->text, "<trace id='t%u' periodicity='%.17g'>%.17g %.17g\n%.17g %.17g</trace>",
	           id, machine_pick(m, 2) ? (second + 1e-3) / m->scale : 0, first / m->scale,
	           least * (1 + 3 * rng_unit(m->rng)) * scale, second / m->scale,
	           least * (1 + 3 * rng_unit(m->rng)) * scale);
	str_printf(&m->text, "<trace_connect kind='%s' trace='t%u' element='%s'/>\n", kind, id,
	           element);
}

static inline void machine_profiles(struct machine_text *m)
{
	uint32_t id = 0;

	if (machine_pick(m, 3))
		return;
	for (uint32_t i = 0; i < m->links; i++) {
		if (machine_pick(m, 2))
			machine_profile(m, id++, "BANDWIDTH", m->link[i], 3e7, m->scale);
		if (machine_pick(m, 3) == 0)
			machine_profile(m, id++, "LATENCY", m->link[i], 1e-5, 1 / m->scale);
	}
	for (uint32_t i = 0; i < m->hosts; i++) {
		if (machine_pick(m, 2))
			machine_profile(m, id++, "SPEED", m->host[i], 0.3, 1);
	}
}

/* A whole file; the caller releases m->text. */
static inline void machine_write(struct machine_text *m, struct rng *rng, double scale)
{
	char gateway[48];

	*m = (struct machine_text){.rng = rng, .scale = scale};
	str_init(&m->text);
	str_puts(&m->text, "<platform version='4.1'>\n<zone id='top' routing='Full'>\n");
	machine_zone(m, machine_pick(m, 4), gateway, sizeof gateway);
	machine_profiles(m);
	str_puts(&m->text, "</zone>\n</platform>\n");
}

#endif
