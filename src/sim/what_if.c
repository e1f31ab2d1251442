/* what_if.c: `--what-if latency=2x,bandwidth=0.5x,speed=1.5x,link:NAME.bandwidth=10Gbps,
 * host:NAME.speed=0.5x,os=0`: the calibrated machine with some of its figures changed. Factors on
 * latency and bandwidth are on the links, so that tables of factors by size, which multiply them,
 * are scaled as a whole; overheads (os: of sender and receiver) are scaled in their tables. */
#include "sim_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "2x". Beyond the bounds products with a machine's figures may be no numbers. */
static int factor_parse(const char *text, double *out)
{
	size_t n = strlen(text);

	return n > 1 && text[n - 1] == 'x' && num_parse_double(text, n - 1, out) == 0 &&
	               *out >= 1e-30 && *out <= 1e30
	           ? 0
	           : -1;
}

static int bad(const char *item, const char *expected, struct err *err)
{
	return err_set(err, ERR_INPUT, "--what-if %s: expected %s", item, expected);
}

/* --- overheads --- */

/* A time as tables have it, with or without a unit and blanks behind it. */
static int time_parse(const char *s, size_t n, double *out)
{
	char field[64];
	struct err ignored;

	while (n > 0 && strchr(" \t\r\n", s[n - 1]))
		n--;
	if (n == 0 || n >= sizeof field)
		return -1;
	memcpy(field, s, n);
	field[n] = '\0';
	return units_parse(field, UNIT_TIME, out, &ignored);
}

/* A table "size:base:per byte;…" with its values times k, or one number. What is no time stays: who
 * reads the table says so. Returns whether any is more than 0. */
static int table_scale(const char *table, double k, struct str *out)
{
	int column = strpbrk(table, ":;") ? 0 : 1, some = 0;

	for (const char *s = table; *s;) {
		size_t n = strcspn(s, ":;");
		double v;

		if (column > 0 && time_parse(s, n, &v) == 0) {
			str_put_double(out, k * v);
			some |= v != 0;
		} else {
			str_putn(out, s, n);
		}
		s += n;
		column = *s == ';' ? 0 : column + 1;
		if (*s)
			str_putc(out, *s++);
	}
	return some;
}

static int overheads_scale(struct config *cfg, const char *item, double k, struct str *told,
                           struct err *err)
{
	static const enum config_id tables[] = {CFG_SMPI_OS,       CFG_SMPI_OR,
	                                        CFG_SMPI_OIS,      CFG_SMPI_OS_LOCAL,
	                                        CFG_SMPI_OR_LOCAL, CFG_SMPI_OIS_LOCAL};
	struct str text;
	int r = 0, some = 0;

	for (size_t i = 0; i < sizeof tables / sizeof *tables && r == 0; i++) {
		str_init(&text);
		some |= table_scale(config_text(cfg, tables[i]), k, &text);
		if (text.failed)
			r = err_nomem(err, "an overhead", text.n);
		else if (text.n)
			r = config_set(cfg, config_table[tables[i]].name, text.s, CFG_FROM_USER,
			               err);
		str_release(&text);
	}
	if (!some)
		str_printf(told,
		           "--what-if %s changes nothing: the machine has no overheads (settings "
		           "smpi/os, smpi/or, smpi/ois)\n",
		           item);
	return r;
}

/* --- links --- */

/* link:NAME.bandwidth, link:NAME.latency; a factor, or a figure with its unit. */
static int link_change(struct platform *p, const char *item, char *key, const char *value,
                       struct err *err)
{
	char *dot = strrchr(key, '.');
	int is_latency = dot && !strcmp(dot + 1, "latency");
	struct link_id link;
	struct link_info l;
	struct err why;
	double v, k;

	if (!dot || (!is_latency && strcmp(dot + 1, "bandwidth") != 0))
		return bad(item, "link:NAME.bandwidth=… or link:NAME.latency=…", err);
	*dot = '\0';
	if (platform_link_find(p, key + 5, &link) < 0)
		return err_set(
		    err, ERR_INPUT,
		    "--what-if: %s has no link '%s'; 'orrery platform show %s --route FROM,TO' "
		    "names those of a way",
		    platform_name(p), key + 5, platform_path(p));
	platform_link(p, link, &l);
	if (factor_parse(value, &k) == 0)
		v = k * (is_latency ? l.latency : l.bandwidth);
	else if (!strpbrk(value, "sp") ||
	         units_parse(value, is_latency ? UNIT_TIME : UNIT_BANDWIDTH, &v, &why) < 0 ||
	         v < 0 || (!is_latency && !(v > 0)))
		return bad(item,
		           is_latency ? "2x, or a time such as 5us"
		                      : "0.5x, or a bandwidth such as 10Gbps",
		           err);
	return platform_link_set(p, link, is_latency ? -1 : v, is_latency ? v : -1, err);
}

/* --- hosts --- */

/* host:NAME.speed, a factor. */
static int host_change(struct platform *p, const char *item, char *key, const char *value,
                       struct err *err)
{
	char *dot = strrchr(key, '.');
	struct host_id host;
	double k;

	if (!dot || strcmp(dot + 1, "speed") != 0)
		return bad(item, "host:NAME.speed=…", err);
	*dot = '\0';
	if (platform_host_find(p, key + 5, &host) < 0)
		return err_set(err, ERR_INPUT,
		               "--what-if: %s has no host '%s'; 'orrery platform show %s --hosts' "
		               "names them",
		               platform_name(p), key + 5, platform_path(p));
	if (factor_parse(value, &k) < 0)
		return bad(item, "a factor such as 0.5x", err);
	return platform_host_scale(p, host, k, err);
}

/* --- all --- */

static int item_apply(struct platform *p, struct config *cfg, char *item, struct str *told,
                      struct err *err)
{
	char whole[256], *value = strchr(item, '=');
	double k = 1;
	int given;

	snprintf(whole, sizeof whole, "%s", item);
	if (!value)
		return bad(whole,
		           "latency=2x, bandwidth=0.5x, speed=1.5x, os=0, link:NAME.bandwidth=… or "
		           "host:NAME.speed=…",
		           err);
	*value++ = '\0';
	if (strncmp(item, "link:", 5) == 0)
		return link_change(p, whole, item, value, err);
	if (strncmp(item, "host:", 5) == 0)
		return host_change(p, whole, item, value, err);
	given = factor_parse(value, &k) == 0;
	if (!strcmp(item, "os")) {
		if (!given && strcmp(value, "0") != 0)
			return bad(whole, "0 or a factor such as 2x", err);
		return overheads_scale(cfg, whole, given ? k : 0, told, err);
	}
	if (strcmp(item, "latency") != 0 && strcmp(item, "bandwidth") != 0 &&
	    strcmp(item, "speed") != 0)
		return bad(whole, "latency, bandwidth, speed, os, link:NAME.… or host:NAME.speed",
		           err);
	if (!given)
		return bad(whole, "a factor such as 2x (1e-30x to 1e30x)", err);
	platform_scale(p, *item == 'l' ? k : 1, *item == 'b' ? k : 1, *item == 's' ? k : 1);
	return 0;
}

/* Models that know no links: a factor on them would change nothing, in silence. */
static int model_check(const struct config *cfg, const char *text, struct err *err)
{
	const char *model = config_text(cfg, CFG_NET_MODEL);

	if (net_knows_links(model) || (!strstr(text, "latency") && !strstr(text, "bandwidth")))
		return 0;
	return err_set(
	    err, ERR_INPUT,
	    "--what-if: model %s has no links; change its settings ('orrery help settings')",
	    model);
}

/* Each thing is said once: of two factors on one figure it could not be told which is meant. */
static int items_check(const char *text, struct err *err)
{
	for (const char *s = text;; s++) {
		size_t n = strcspn(s, ","), key = strcspn(s, "=,");

		if (n == 0)
			return err_set(err, ERR_INPUT, "--what-if %s: nothing between two commas",
			               text);
		for (const char *t = text; t < s; t += strcspn(t, ",") + 1)
			if (strcspn(t, "=,") == key && !strncmp(t, s, key))
				return err_set(err, ERR_INPUT, "--what-if: %.*s is said twice",
				               (int)key, s);
		s += n;
		if (!*s)
			return 0;
	}
}

int what_if_apply(struct platform *p, struct config *cfg, const char *text, struct str *told,
                  struct err *err)
{
	char *copy, *item, *rest;
	int r = 0;

	if (model_check(cfg, text, err) < 0 || items_check(text, err) < 0)
		return -1;
	copy = strdup(text);
	if (!copy)
		return err_nomem(err, "--what-if", strlen(text));
	for (item = strtok_r(copy, ",", &rest); item && r == 0; item = strtok_r(NULL, ",", &rest))
		r = item_apply(p, cfg, item, told, err);
	free(copy);
	return r;
}

/* --- afterwards --- */

static int computed(const struct sim *s, const struct host_id *host)
{
	return s->is_graph ? graph_computed(s, host) : net_computed(s->net, host) != 0;
}

/* What should have met this change and did not, or NULL. */
static const char *unmet(const struct sim *s, const char *item)
{
	const struct platform *p = s->platform;
	const struct net *n = s->net;
	char name[256];
	struct link_id link;
	struct host_id host;
	size_t key = strcspn(item, "=");

	if (!strncmp(item, "speed=", 6))
		return !computed(s, NULL) ? "nothing computes at the speed of a host" : NULL;
	if (!strncmp(item, "latency=", 8) || !strncmp(item, "bandwidth=", 10))
		return net_crossed(n, NULL) == 0 ? "no message crosses a link" : NULL;
	if (strncmp(item, "link:", 5) != 0 && strncmp(item, "host:", 5) != 0)
		return NULL;
	while (key > 5 && item[key] != '.')
		key--;
	snprintf(name, sizeof name, "%.*s", (int)(key - 5), item + 5);
	if (*item == 'h')
		return platform_host_find(p, name, &host) == 0 && !computed(s, &host)
		           ? "nothing computes at the speed of this host"
		           : NULL;
	return platform_link_find(p, name, &link) == 0 && net_crossed(n, &link) == 0
	           ? "no message crosses this link"
	           : NULL;
}

void what_if_tell(const struct sim *s, const char *text, struct str *out)
{
	while (*text) {
		size_t length = strcspn(text, ",");
		const char *why = unmet(s, text);

		if (why)
			str_printf(out, "--what-if %.*s changes nothing: %s\n", (int)length, text,
			           why);
		text += length + (text[length] == ',');
	}
}
