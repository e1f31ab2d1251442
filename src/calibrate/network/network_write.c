/* network_write.c: the fitted network as a platform file: a cluster, or cabinets joined by links,
 * and the settings of the hybrid model. Factors are relative to the latency and bandwidth of the
 * way between two hosts; their sizes are those of the wire, 16 bytes of envelope more. */
#include "network_int.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ENVELOPE = 16, FRAME = 1514 /* of Ethernet */ };

static void overhead_put(const char *name, const struct net_table *t, double end, struct str *out)
{
	if (t->n == 0)
		return;
	str_printf(out, "\t\t<prop id=\"%s\" value=\"", name);
	for (int i = 0; i < t->n; i++)
		str_printf(out, "%s%.0f:%.9g:%.9g", i ? ";" : "", i ? t->piece[i].from : 0,
		           t->piece[i].base, t->piece[i].per_byte);
	if (end > 0)
		str_printf(out, ";%.0f:0:0", end - 1);
	str_puts(out, "\"/>\n");
}

static void factors_put(const struct net_fit *f, struct str *out)
{
	const struct net_table *t = &f->transfer;

	str_puts(out, "\t\t<prop id=\"network/latency-factor\" value=\"");
	for (int i = 0; i < t->n; i++) {
		double base = fmax(
		    0, t->piece[i].base -
		           ENVELOPE * (t->piece[i].per_byte +
		                       (t->piece[i].from >= f->burst ? 1 / f->bandwidth : 0)));

		str_printf(out, "%s%.0f:%.9g", i ? ";" : "", i ? t->piece[i].from + ENVELOPE : 0,
		           base / f->latency);
	}
	str_puts(out, "\"/>\n\t\t<prop id=\"network/bandwidth-factor\" value=\"");
	for (int i = 0; i < t->n; i++)
		str_printf(out, "%s%.0f:%.9g", i ? ";" : "", i ? t->piece[i].from + ENVELOPE : 0,
		           1 / (1 + t->piece[i].per_byte * f->bandwidth));
	str_puts(out, "\"/>\n");
}

static void noise_put(const struct net_fit *f, struct str *out)
{
	str_puts(out, "\t\t<prop id=\"noise/network\" value=\"");
	for (int i = 0; i < f->n_noise; i++) {
		const struct net_noise *s = &f->noise[i];
		const struct fit_mixture *m = &s->m;

		str_printf(out, "%s%.0f", i ? ";" : "", s->from);
		for (int k = 0; k < m->n; k++)
			str_printf(out, ":%.4g:%.6g:%.4g", m->weight[k] * (1 - s->rare), m->mean[k],
			           m->sigma[k]);
		if (s->rare > 1e-6)
			str_printf(out, ":%.4g:%.6g:%.4g", s->rare, s->rare_mean, s->rare_sigma);
	}
	str_puts(out, "\"/>\n");
	/* Each round trip was measured after a pause, with sleeping processors; a program in its
	 * stride has less noise, nobody knows how much. */
	str_puts(out, "\t\t<prop id=\"noise/network-least\" value=\"0\"/>\n");
}

/* What is common to a run: as programs that had no part in the fit say, else as the measurements of
 * the fit themselves. */
static void spread_put(const struct net_fit *f, struct str *out)
{
	if (f->discrepancies == 0 && !(f->spread > 0))
		return;
	str_puts(out, "\t\t<prop id=\"noise/run-network\" value=\"");
	for (int i = 0; i < f->discrepancies; i++)
		str_printf(out, "%s%.0f:%.3g:%.3g", i ? ";" : "", f->discrepancy[i].from,
		           f->discrepancy[i].below, f->discrepancy[i].above);
	if (f->discrepancies == 0)
		str_printf(out, "%.3g", f->spread);
	str_puts(out, "\"/>\n");
}

/* By ranks: what was measured with k pairs holds for 2 k ranks and around, to the geometric middle
 * of that and the next. */
static void notice_put(const struct net_fit *f, struct str *out)
{
	int some = 0;

	for (int i = 0; i < f->notices; i++)
		some |= f->notice[i].median > 0;
	if (!some)
		return;
	str_puts(out, "\t\t<prop id=\"smpi/notice\" value=\"");
	for (int i = 0; i < f->notices; i++) {
		const struct net_notice *n = &f->notice[i];

		if (n->median > 0 ||
		    n->twice == 0) /* else all took twice: as long as with fewer, at least */
			str_printf(out, "%s%.0f:%.4g:%.3g", i ? ";" : "",
			           i ? ceil(2 * sqrt((double)n[-1].pairs * n->pairs)) : 0,
			           n->median, n->deviation);
	}
	str_puts(out, "\"/>\n");
}

/* "name:value" lines as <prop>s. */
static void settings_put(const char *lines, struct str *out)
{
	for (const char *p = lines ? lines : ""; *p;) {
		size_t n = strcspn(p, "\n"), name = strcspn(p, ":");

		if (name < n && *p != '#') {
			str_printf(out, "\t\t<prop id=\"%.*s\" value=\"", (int)name, p);
			for (const char *v = p + name + 1; v < p + n; v++)
				str_put_markup(out, (char[]){*v, 0});
			str_puts(out, "\"/>\n");
		}
		p += n + (p[n] == '\n');
	}
}

static void config_put(const struct net_fit *f, const char *settings, struct str *out)
{
	str_puts(out, "\t<config>\n\t\t<prop id=\"network/model\" value=\"SMPI\"/>\n");
	str_puts(out, "\t\t<!-- Factors hold what a round trip holds: no other bound, and equal "
	              "shares whatever the way. -->\n");
	str_printf(out, "\t\t<prop id=\"network/TCP-gamma\" value=\"0\"/>\n\t\t<prop "
	                "id=\"network/weight-S\" value=\"0\"/>\n");
	if (f->burst > 0)
		str_printf(out,
		           "\t\t<prop id=\"network/burst\" value=\"%.0f\"/>\n\t\t<prop "
		           "id=\"network/burst-header\" value=\"%.0f\"/>\n",
		           f->burst + f->header, f->header);
	str_printf(out, "\t\t<prop id=\"network/crosstraffic\" value=\"%s\"/>\n",
	           f->crosstraffic > 0 ? "yes" : "no");
	if (f->crosstraffic > 0)
		str_printf(out, "\t\t<prop id=\"network/crosstraffic-share\" value=\"%.4g\"/>\n",
		           f->crosstraffic);
	if (f->ordered) /* on average a message waits for half a frame of each one that is on its
	                   links already */
		str_printf(out, "\t\t<prop id=\"network/queue\" value=\"%d\"/>\n", FRAME / 2);
	if (f->ordered)
		str_printf(out,
		           "\t\t<prop id=\"smpi/connections\" value=\"ordered\"/>\n\t\t<prop "
		           "id=\"smpi/send-buffer\" value=\"%.0f\"/>\n"
		           "\t\t<prop id=\"smpi/connection-setup\" value=\"%.4g\"/>\n"
		           "\t\t<prop id=\"smpi/first-contact\" value=\"%.4g\"/>\n",
		           f->send_buffer, f->setup, f->contact);
	notice_put(f, out);
	if (f->processors > 0)
		str_printf(out,
		           "\t\t<prop id=\"virtual-hosts/processors\" value=\"%.0f\"/>\n"
		           "\t\t<prop id=\"virtual-hosts/message-work\" value=\"%.4g\"/>\n",
		           f->processors, f->work);
	str_printf(out, "\t\t<prop id=\"smpi/async-small-thresh\" value=\"%.0f\"/>\n",
	           fmin(f->ordered ? net_asked_from(f) : f->eager, f->detached));
	str_printf(out, "\t\t<prop id=\"smpi/send-is-detached-thresh\" value=\"%.0f\"/>\n",
	           f->detached);
	overhead_put("smpi/os", &f->os, f->detached, out);
	overhead_put("smpi/ois", &f->ois, 0, out);
	overhead_put("smpi/or", &f->or_, f->detached, out);
	overhead_put("smpi/os-local", &f->os_local, f->detached, out);
	overhead_put("smpi/ois-local", &f->ois_local, 0, out);
	overhead_put("smpi/or-local", &f->or_local, f->detached, out);
	factors_put(f, out);
	noise_put(f, out);
	spread_put(f, out);
	settings_put(settings, out);
	str_puts(out, "\t</config>\n");
}

/* What an attribute can hold as it is. */
static int is_word(const char *name)
{
	for (; *name; name++)
		if (*name <= ' ' || *name > '~' || strchr("<>&\"'", *name))
			return 0;
	return 1;
}

/* Host names as a cluster can make them: prefix, number, suffix. raw: who has the numbers; NULL:
 * the hosts are counted. */
struct names {
	char prefix[256], suffix[256];
	const struct net_raw *raw;
};

/* The number in a name of that prefix and suffix, written as a cluster writes it; or -1. */
static int number_in(const struct names *k, const char *name)
{
	size_t n = strlen(k->prefix), digits;
	int64_t number;

	if (!is_word(name) || strncmp(name, k->prefix, n) != 0)
		return -1;
	name += n;
	digits = num_take_digits(name, &number);
	return digits >= 1 && digits <= 8 && (*name != '0' || digits == 1) &&
	               strcmp(name + digits, k->suffix) == 0
	           ? (int)number
	           : -1;
}

static int all_named(const struct net_raw *raw, int hosts, const struct names *k)
{
	for (int h = 0; h < hosts; h++)
		if (number_in(k, net_host_name(raw, h)) < 0)
			return 0;
	return 1;
}

/* The last of the numbers in the first host's name that all others differ in alone. */
static void names_find(const struct net_raw *raw, int hosts, struct names *k)
{
	const char *name = raw->n_hosts ? raw->hosts[0] : "", *at = name + strlen(name), *end;

	k->raw = NULL;
	while (!k->raw) {
		while (at > name && !(at[-1] >= '0' && at[-1] <= '9'))
			at--;
		if (at == name)
			break;
		for (end = at; at > name && at[-1] >= '0' && at[-1] <= '9'; at--)
			;
		snprintf(k->prefix, sizeof k->prefix, "%.*s", (int)(at - name), name);
		snprintf(k->suffix, sizeof k->suffix, "%s", end);
		if (all_named(raw, hosts, k))
			k->raw = raw;
	}
	if (!k->raw) {
		snprintf(k->prefix, sizeof k->prefix, "host");
		k->suffix[0] = '\0';
	}
}

static int number_of(const struct names *k, int host)
{
	return k->raw ? number_in(k, net_host_name(k->raw, host)) : host;
}

static void cluster_put(const struct net_fit *f, const struct net_platform *p, const char *id,
                        const struct names *names, const char *radical, struct str *out)
{
	str_printf(out,
	           "\t\t<cluster id=\"%s\" prefix=\"%s\" suffix=\"%s\" radical=\"%s\" speed=\"%s\" "
	           "core=\"%d\"\n",
	           id, names->prefix, names->suffix, radical, p->speed, p->cores);
	str_printf(out, "\t\t\tbw=\"%.9gBps\" lat=\"%.9gs\" sharing_policy=\"SPLITDUPLEX\"",
	           f->bandwidth, f->latency / 2);
	if (f->limiter > 0)
		str_printf(out, " limiter_link=\"%.9gBps\"", f->limiter);
	if (f->backbone > 0)
		str_printf(out, " bb_bw=\"%.9gBps\" bb_lat=\"0s\"", f->backbone);
	if (p->hosts == 1) /* all that was measured is inside it */
		str_printf(out, "\n\t\t\tloopback_bw=\"%.9gBps\" loopback_lat=\"%.9gs\"",
		           f->bandwidth, f->latency);
	else if (f->local_bandwidth > 0)
		str_printf(out, "\n\t\t\tloopback_bw=\"%.9gBps\" loopback_lat=\"%.9gs\"",
		           f->local_bandwidth, f->local_latency);
	str_puts(out, "/>\n");
}

/* The numbers of a cabinet's hosts as "0-3,7-7"; hosts that no measurement placed are with the
 * first. c: NULL, there is one cabinet. */
static void radical_put(const struct net_cabinets *c, int cabinet, const struct names *names,
                        int hosts, struct str *out)
{
	int first = 0, last = 0, some = 0;

	for (int h = 0; h < hosts; h++) {
		int number = number_of(names, h);

		if (c && (h < c->hosts ? c->of[h] : 0) != cabinet)
			continue;
		if (some++ && number != last + 1)
			str_printf(out, "%d-%d,", first, last);
		if (some == 1 || number != last + 1)
			first = number;
		last = number;
	}
	str_printf(out, "%d-%d", first, last);
}

static void cabinets_put(const struct net_fit *f, const struct net_cabinets *k,
                         const struct net_platform *p, const struct names *names, struct str *out)
{
	const char *prefix = names->prefix, *suffix = names->suffix;
	struct str radical;
	char id[64];

	str_init(&radical);
	for (int c = 0; c < k->n; c++) {
		snprintf(id, sizeof id, "cabinet%d", c);
		str_clear(&radical);
		radical_put(k, c, names, p->hosts, &radical);
		cluster_put(f, p, id, names, radical.s ? radical.s : "", out);
	}
	out->failed |= radical.failed;
	str_release(&radical);
	for (int c = 0; c < k->n; c++)
		str_printf(out,
		           "\t\t<link id=\"uplink%d\" bandwidth=\"%.9gBps\" latency=\"%.9gs\" "
		           "sharing_policy=\"SPLITDUPLEX\"/>\n",
		           c, f->uplink, f->uplink_latency);
	for (int a = 0; a < k->n; a++)
		for (int b = 0; b < k->n; b++)
			if (a != b)
				str_printf(out,
				           "\t\t<zoneRoute src=\"cabinet%d\" dst=\"cabinet%d\" "
				           "gw_src=\"%scabinet%d_router%s\" "
				           "gw_dst=\"%scabinet%d_router%s\" symmetrical=\"NO\">"
				           "<link_ctn id=\"uplink%d\" direction=\"UP\"/><link_ctn "
				           "id=\"uplink%d\" "
				           "direction=\"DOWN\"/></zoneRoute>\n",
				           a, b, prefix, a, suffix, prefix, b, suffix, a, b);
}

/* XML comments cannot hold two hyphens in a row, nor control characters; bytes beyond ASCII are
 * UTF-8, or not, as whoever wrote the file had it. */
static void comment_put(const char *text, struct str *out)
{
	for (const char *p = text; *p; p++) {
		if (*p == '-' && p > text && p[-1] == '-')
			str_putc(out, ' ');
		str_putc(out, *p == '\n' || *p == '\t' || (*p >= ' ' && *p <= '~') ? *p : '?');
		if (*p == '\n' && p[1])
			str_puts(out, "    ");
	}
}

/* Lines of the header: UTF-8, as their sign ± is; two hyphens in a row would end the comment. */
static void header_put(const char *lines, struct str *out)
{
	for (const char *p = lines ? lines : ""; *p; p++) {
		if (p == lines || p[-1] == '\n')
			str_puts(out, "  ");
		if (*p == '-' && p > lines && p[-1] == '-')
			str_putc(out, ' ');
		str_putc(out, *p == '\n' || *p == '\t' || (unsigned char)*p >= ' ' ? *p : '?');
	}
	if (lines && *lines && lines[strlen(lines) - 1] != '\n')
		str_putc(out, '\n');
}

/* Whether one of these lines begins so. */
static int header_has(const char *lines, const char *key)
{
	for (const char *p = lines ? lines : ""; *p; p += strcspn(p, "\n"), p += *p == '\n')
		if (strncmp(p, key, strlen(key)) == 0)
			return 1;
	return 0;
}

/* The model, for traces of time from other processors; a speed that nobody gave stands for that of
 * where the traces come from. */
static void processor_put(const struct net_raw *raw, const struct net_platform *p, struct str *out)
{
	static const char key[] = "processor: ";
	const char *at = raw->meta.s;
	struct str line;

	while (at && strncmp(at, key, sizeof key - 1) != 0)
		at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL;
	if (header_has(p->header, key)) /* told apart */
		at = NULL;
	if (at) {
		str_init(&line);
		str_printf(&line, "  %.*s\n", (int)strcspn(at, "\n"), at);
		comment_put(line.s, out);
		out->failed |= line.failed;
		str_release(&line);
	}
	if (!header_has(p->header, "speed: "))
		str_printf(out, "  speed: %s\n",
		           p->speed_given ? "volumes: as given" : "seconds: not measured");
}

void net_platform_write(const struct net_raw *raw, const struct net_fit *f,
                        const struct net_platform *p, struct str *out)
{
	struct names names;
	struct str radical;

	names_find(raw, p->hosts, &names);
	str_puts(out, "<?xml version='1.0'?>\n<!--\n");
	str_printf(out,
	           "  name: %s\n  title: calibrated network of %d host%s\n  source: orrery "
	           "calibrate network\n",
	           p->id, p->hosts, p->hosts == 1 ? "" : "s");
	if (p->unusable) {
		str_puts(out, "  calibration: none that is to be used: ");
		comment_put(p->unusable, out);
	} else {
		str_printf(out,
		           "  calibration: measured: overheads, factors, protocol thresholds, for "
		           "messages of %.0f to %.0f bytes. speed is not measured.\n",
		           f->smallest, f->largest);
	}
	processor_put(raw, p, out);
	header_put(p->header, out);
	if (raw->meta.n) {
		str_puts(out, "  measured on:\n    ");
		comment_put(raw->meta.s, out);
	}
	if (f->warnings.n) {
		str_puts(out, "  warnings:\n    ");
		comment_put(f->warnings.s, out);
	}
	str_puts(out, "-->\n<!DOCTYPE platform SYSTEM "
	              "\"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n");
	config_put(f, p->settings, out);
	str_printf(out, "\t<zone id=\"%s\" routing=\"Full\">\n", p->id);
	if (raw->cabinets.n > 1 && f->uplink > 0) {
		cabinets_put(f, &raw->cabinets, p, &names, out);
	} else {
		str_init(&radical);
		radical_put(NULL, 0, &names, p->hosts, &radical);
		cluster_put(f, p, "cluster", &names, radical.s ? radical.s : "", out);
		out->failed |= radical.failed;
		str_release(&radical);
	}
	str_puts(out, "\t</zone>\n</platform>\n");
}
