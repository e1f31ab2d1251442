/* platform_print.c: see platform_print.h. */
#include "platform_print.h"

#include <string.h>

/* --- the catalogue --- */

void catalogue_json(const struct catalogue_entry *list, int n, struct str *out)
{
	struct json j;

	json_init(&j, out);
	json_array(&j);
	for (int i = 0; i < n; i++) {
		json_object(&j);
		json_put_string(&j, "name", list[i].name);
		json_put_string(&j, "title", list[i].title);
		json_put_string(&j, "source", list[i].source);
		json_put_string(&j, "calibration", list[i].calibration);
		json_put_string(&j, "path", list[i].path);
		json_end(&j);
	}
	json_end(&j);
	str_putc(out, '\n');
}

void catalogue_text(const struct catalogue_entry *list, int n, struct str *out)
{
	for (int i = 0; i < n; i++)
		str_printf(out, "%-14s %s\n%-14s source: %s\n%-14s calibration: %s\n", list[i].name,
		           list[i].title, "", list[i].source, "", list[i].calibration);
}

/* --- a machine --- */

void machine_hosts(const struct platform *p, struct str *out)
{
	char name[256], speed[32];
	struct host_info h;

	for (uint32_t i = 0; i < platform_host_count(p); i++) {
		platform_host(p, (struct host_id){i}, &h);
		fmt_si(speed, sizeof speed, h.speed, "/s");
		str_printf(out, "%-40s %12s a core, %u core%s\n",
		           platform_host_name(p, (struct host_id){i}, name, sizeof name), speed,
		           h.cores, plural(h.cores));
	}
}

/* What a core does per second, where somebody says it. */
static void rates_text(const struct platform *p, struct str *out)
{
	struct platform_rate r;
	char rate[32];

	for (int u = 0; u < VOLUME_UNITS; u++) {
		if (!platform_rate(p, (enum volume_unit)u, &r))
			continue;
		fmt_si(rate, sizeof rate, r.rate, "/s");
		str_printf(out, "rate         %s of %s", rate,
		           volume_unit_word((enum volume_unit)u));
		if (r.deviation > 0)
			str_printf(out, " ±%.0f %%", 100 * r.deviation);
		str_printf(out, "%s%s\n", *r.source ? ": " : "", r.source);
	}
}

static const char *said(const char *text)
{
	return *text ? text : "the file does not say";
}

void machine_text(const struct platform *p, const struct config *cfg, struct str *out)
{
	enum volume_unit unit = platform_speed_unit(p);
	struct platform_sum s;
	char slow[32], fast[32];

	platform_add_up(p, &s);
	fmt_si(slow, sizeof slow, s.slowest, "/s");
	fmt_si(fast, sizeof fast, s.fastest, "/s");
	str_printf(out, "machine      %s\n", platform_name(p));
	if (platform_title(p)[0])
		str_printf(out, "             %s\n", platform_title(p));
	str_printf(out, "file         %s\nsource       %s\ncalibration  %s\n", platform_path(p),
	           said(platform_source(p)), said(platform_calibration(p)));
	if (*platform_bandwidth_source(p))
		str_printf(out, "bandwidth    %s\n", platform_bandwidth_source(p));
	if (*platform_latency_source(p))
		str_printf(out, "latency      %s\n", platform_latency_source(p));
	str_printf(out, "hosts        %u with %llu core%s of %s%s%s%s%s\nlinks        %u\n",
	           platform_host_count(p), (unsigned long long)s.cores, plural(s.cores), slow,
	           s.slowest < s.fastest ? " to " : "", s.slowest < s.fastest ? fast : "",
	           unit == VOLUME_UNKNOWN ? " (of an unknown unit)" : " of ",
	           volume_unit_word(unit), platform_link_count(p));
	if (*platform_processor(p))
		str_printf(out, "processor    %s\n", platform_processor(p));
	rates_text(p, out);
	str_puts(out, "zones\n");
	platform_zones_text(p, out);
	for (int i = 0; i < CFG_COUNT; i++) {
		if (config_from(cfg, (enum config_id)i) == CFG_FROM_PLATFORM)
			str_printf(out, "setting      %s: %s\n", config_table[i].name,
			           config_text(cfg, (enum config_id)i));
	}
}

static void rates_json(const struct platform *p, struct json *j)
{
	struct platform_rate r;

	json_put_string(j, "speed_unit", volume_unit_word(platform_speed_unit(p)));
	json_key(j, "rates");
	json_array(j);
	for (int u = 0; u < VOLUME_UNITS; u++) {
		if (!platform_rate(p, (enum volume_unit)u, &r))
			continue;
		json_object(j);
		json_put_string(j, "unit", volume_unit_word((enum volume_unit)u));
		json_put_double(j, "rate", r.rate);
		json_put_double(j, "deviation", r.deviation);
		json_put_string(j, "source", r.source);
		json_end(j);
	}
	json_end(j);
}

static void hosts_json(const struct platform *p, struct json *j)
{
	char name[256];
	struct host_info h;

	json_key(j, "host_list");
	json_array(j);
	for (uint32_t i = 0; i < platform_host_count(p); i++) {
		platform_host(p, (struct host_id){i}, &h);
		json_object(j);
		json_put_string(j, "name",
		                platform_host_name(p, (struct host_id){i}, name, sizeof name));
		json_put_double(j, "speed", h.speed);
		json_put_int(j, "cores", h.cores);
		json_end(j);
	}
	json_end(j);
}

void machine_json(const struct platform *p, const struct config *cfg, int hosts, struct str *out)
{
	struct platform_sum s;
	struct json j;

	platform_add_up(p, &s);
	json_init(&j, out);
	json_object(&j);
	json_put_string(&j, "name", platform_name(p));
	json_put_string(&j, "title", platform_title(p));
	json_put_string(&j, "source", platform_source(p));
	json_put_string(&j, "calibration", platform_calibration(p));
	json_put_string(&j, "bandwidth", platform_bandwidth_source(p));
	json_put_string(&j, "latency", platform_latency_source(p));
	json_put_string(&j, "processor", platform_processor(p));
	rates_json(p, &j);
	json_put_string(&j, "file", platform_path(p));
	json_put_int(&j, "hosts", platform_host_count(p));
	json_put_int(&j, "cores", (int64_t)s.cores);
	json_put_double(&j, "slowest_core", s.slowest);
	json_put_double(&j, "fastest_core", s.fastest);
	json_put_int(&j, "links", platform_link_count(p));
	json_key(&j, "zones");
	platform_zones_json(p, &j);
	json_key(&j, "settings");
	json_object(&j);
	for (int i = 0; i < CFG_COUNT; i++) {
		if (config_from(cfg, (enum config_id)i) == CFG_FROM_PLATFORM)
			json_put_string(&j, config_table[i].name,
			                config_text(cfg, (enum config_id)i));
	}
	json_end(&j);
	if (hosts)
		hosts_json(p, &j);
	json_end(&j);
	str_putc(out, '\n');
}

/* --- a route --- */

void route_text(const struct platform *p, const struct route *r, struct str *out)
{
	char name[256], bandwidth[32], latency[32];
	struct link_info l;
	double least = 0;
	uint32_t bottleneck = route_bottleneck(p, r);

	for (uint32_t i = 0; i < r->n; i++) {
		platform_link(p, r->links[i], &l);
		if (i == bottleneck)
			least = l.bandwidth;
		fmt_si(bandwidth, sizeof bandwidth, l.bandwidth, "B/s");
		fmt_seconds(latency, sizeof latency, l.latency);
		str_printf(out, "%-44s %12s %12s %s%s\n",
		           platform_link_name(p, r->links[i], name, sizeof name), bandwidth,
		           latency, l.policy == LINK_FATPIPE ? "fatpipe" : "shared",
		           i == bottleneck ? ", the bottleneck" : "");
	}
	fmt_si(bandwidth, sizeof bandwidth, least, "B/s");
	fmt_seconds(latency, sizeof latency, r->latency);
	str_printf(out, "%-44s %12s %12s\n", "bandwidth of the bottleneck, sum of latencies",
	           bandwidth, latency);
}

void route_json(const struct platform *p, const struct route *r, struct str *out)
{
	char name[256];
	struct link_info l;
	struct json j;

	json_init(&j, out);
	json_object(&j);
	json_put_double(&j, "latency", r->latency);
	json_put_string(
	    &j, "bottleneck",
	    r->n ? platform_link_name(p, r->links[route_bottleneck(p, r)], name, sizeof name)
	         : NULL);
	json_key(&j, "links");
	json_array(&j);
	for (uint32_t i = 0; i < r->n; i++) {
		platform_link(p, r->links[i], &l);
		json_object(&j);
		json_put_string(&j, "name", platform_link_name(p, r->links[i], name, sizeof name));
		json_put_double(&j, "bandwidth", l.bandwidth);
		json_put_double(&j, "latency", l.latency);
		json_put_string(&j, "policy", l.policy == LINK_FATPIPE ? "FATPIPE" : "SHARED");
		json_end(&j);
	}
	json_end(&j);
	json_end(&j);
	str_putc(out, '\n');
}

/* --- what was tried --- */

void check_json(const struct platform *p, const char *remarks, uint64_t tried, struct str *out)
{
	struct str line;
	struct json j;

	json_init(&j, out);
	json_object(&j);
	json_put_string(&j, "name", platform_name(p));
	json_put_string(&j, "file", platform_path(p));
	json_put_int(&j, "hosts", platform_host_count(p));
	json_put_int(&j, "links", platform_link_count(p));
	json_put_int(&j, "routes_tried", (int64_t)tried);
	json_key(&j, "remarks");
	json_array(&j);
	str_init(&line);
	for (size_t n; *remarks; remarks += n + (remarks[n] == '\n')) {
		n = strcspn(remarks, "\n");
		str_clear(&line);
		str_printf(&line, "%.*s", (int)n, remarks);
		json_string(&j, str_of(out, &line));
	}
	str_release(&line);
	json_end(&j);
	json_end(&j);
	str_putc(out, '\n');
}
