/* preset.c: networks that were measured, as figures for the description of another machine. */
#include "platform/platform_int.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Networks that were measured: those of machines of the catalogue, and two hosts of data/networks;
 * their files have the figures and the sources. */
static const struct network_preset {
	const char *name, *machine; /* of the catalogue; NULL: data/networks/NAME.xml */
} presets[] = {
    {"1gbe", "graphene"}, {"10gbe", NULL},  {"100gbe", NULL},      {"ib-fdr", "stampede"},
    {"ib-hdr", NULL},     {"ib-ndr", NULL}, {"omni-path", "dahu"}, {"slingshot-11", NULL},
};

static int preset_find(const char *name, const struct network_preset **out, struct err *err)
{
	struct nearest near;

	nearest_init(&near, name);
	for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
		nearest_offer(&near, presets[i].name);
		*out = &presets[i];
		if (!strcmp(presets[i].name, name))
			return 0;
	}
	return err_set(
	    err, ERR_INPUT,
	    "platform generate: there is no preset '%s'%s%s; those there are: 1gbe, 10gbe, 100gbe, "
	    "ib-fdr, ib-hdr, ib-ndr, omni-path, slingshot-11; another network is measured by "
	    "'orrery calibrate network'",
	    name, near.best ? "; did you mean " : "", near.best ? near.best : "");
}

void platform_preset_init(struct platform_preset *q)
{
	*q = (struct platform_preset){0};
	str_init(&q->settings);
	str_init(&q->source);
}

void platform_preset_release(struct platform_preset *q)
{
	str_release(&q->settings);
	str_release(&q->source);
}

/* The way from host 0 to host `to`: its least bandwidth, the sum of its latencies. Beside its own
 * cable a host may have a limiter on the way. */
static int way_of(const struct platform *p, uint32_t to, struct link_info *out, struct err *err)
{
	struct link_info l;
	struct route way;
	int r;

	*out = (struct link_info){.bandwidth = INFINITY};
	route_init(&way);
	r = route_find(p, (struct host_id){0}, (struct host_id){to}, &way, err);
	for (uint32_t i = 0; r == 0 && i < way.n; i++) {
		platform_link(p, way.links[i], &l);
		out->bandwidth = fmin(out->bandwidth, l.bandwidth);
		out->latency += l.latency;
	}
	route_release(&way);
	return r;
}

/* Two neighbours have a cable each between them. */
static int preset_figures(const struct platform *p, struct platform_preset *q, struct err *err)
{
	struct link_info own, loop;

	if (way_of(p, 1, &own, err) < 0 || way_of(p, 0, &loop, err) < 0)
		return -1;
	snprintf(q->bandwidth, sizeof q->bandwidth, "%.15gBps", own.bandwidth);
	snprintf(q->latency, sizeof q->latency, "%.15gs", own.latency / 2);
	snprintf(q->loopback, sizeof q->loopback, "%.15gBps,%.15gs", loop.bandwidth, loop.latency);
	return 0;
}

static void preset_settings(const struct config *cfg, struct str *out)
{
	for (int i = 0; i < CFG_COUNT; i++)
		if (config_from(cfg, (enum config_id)i) == CFG_FROM_PLATFORM)
			str_printf(out, "\t\t<prop id=\"%s\" value=\"%s\"/>\n",
			           config_table[i].name, config_text(cfg, (enum config_id)i));
}

static int machine_read(const struct network_preset *n, struct platform_preset *q, struct err *err)
{
	char path[4096 + 64], folder[4096];
	struct config cfg;
	struct platform *p;
	int r = -1;

	if (!n->machine && data_find("networks", folder, sizeof folder, err) < 0)
		return -1;
	if (!n->machine)
		snprintf(path, sizeof path, "%s/%s.xml", folder, n->name);
	if (config_init(&cfg, err) < 0)
		return -1;
	p = platform_read(n->machine ? n->machine : path, &cfg, err);
	if (p && preset_figures(p, q, err) == 0) {
		preset_settings(&cfg, &q->settings);
		str_printf(&q->source, "that of %s: %s", n->machine ? n->machine : n->name,
		           platform_source(p));
		r = q->settings.failed || q->source.failed ? err_nomem(err, "a preset", 0) : 0;
	}
	platform_free(p);
	config_release(&cfg);
	return r;
}

int platform_preset_read(const char *name, struct platform_preset *q, struct err *err)
{
	const struct network_preset *network;

	return preset_find(name, &network, err) < 0 ? -1 : machine_read(network, q, err);
}
