/* network_cabinets.c: which hosts share a link to the rest, and how fast it is, from transfers
 * between many hosts at once.
 *
 * Blocks of concurrent flows (NET_LOAD), each host sending to one other: a flow inside a cabinet
 * runs at a host's own rate; those that leave a cabinet share its link, and are the slower the more
 * they are. For a partition of the hosts and a capacity the rates follow (max-min), so partitions
 * can be compared. Hosts are not assumed to be in order, nor cabinets to be of one size.
 *
 * flows and their rates: network_cabinets_flows.c; a partition weighed: network_cabinets_weigh.c;
 * the best one: network_cabinets_search.c; slow hosts beside it: network_cabinets_hosts.c. */
#include "network_cabinets_int.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Differences of the criterion (of Schwarz; half of one is about the logarithm of a Bayes factor)
 * from which on one partition is strongly, and very strongly, to be preferred: Kass and Raftery,
 * "Bayes factors", JASA 90, 1995. */
static const double STRONG = 6, VERY_STRONG = 10;

/* Standard deviation of logarithms of rates from which on the model does not explain them: by
 * choice, five times what is not believed to be a difference (criterion). */
static const double UNEXPLAINED = 0.15;

static const char *num_name(int i, char *buf)
{
	snprintf(buf, 16, "%d", i);
	return buf;
}

static void members_put(const struct net_raw *raw, const struct parted *p, int hosts,
                        struct str *out)
{
	char number[16];

	for (int c = 0; c < p->n; c++) {
		str_puts(out, c ? "; " : "");
		for (int i = 0, n = 0; i < hosts; i++)
			if (p->of[i] == c)
				str_printf(out, "%s%s", n++ ? " " : "",
				           i < raw->n_hosts ? net_host_name(raw, i)
				                            : num_name(i, number));
	}
}

static void doubts(const struct net_raw *raw, const struct seeking *s, const struct parted *p,
                   const struct parted *other, struct str *warnings)
{
	double deviation = sqrt(p->squares / s->flows);

	if (p->n > 1 && other->criterion - p->criterion < STRONG) {
		str_puts(warnings, "ambiguous: the cabinets may as well be ");
		members_put(raw, other, s->hosts, warnings);
		str_puts(warnings, ": give them with --cabinets\n");
	}
	if (deviation > UNEXPLAINED)
		str_printf(warnings,
		           "ambiguous: rates of hosts that all send at once are %.0f %% off what "
		           "%s: the network has other bottlenecks, carries less both ways at "
		           "once, or others use it\n",
		           100 * deviation,
		           p->n > 1 ? "these cabinets explain" : "one switch for all explains");
}

static struct parted given_weighed(const struct net_raw *raw, struct seeking *s,
                                   const struct net_cabinets *given, const struct parted *found,
                                   struct str *warnings)
{
	struct parted p = {.n = given->n};

	memcpy(p.of, given->of, sizeof p.of);
	cabinets_renumber(&p, s->hosts);
	cabinets_weigh(s, &p, CAPACITY_LEAST, s->hosts);
	if (found->criterion < p.criterion - VERY_STRONG) {
		str_puts(warnings, "the rates of hosts that all send at once speak ");
		str_puts(warnings, found->n > 1 ? "for other cabinets than --cabinets has: "
		                                : "against cabinets");
		if (found->n > 1)
			members_put(raw, found, s->hosts, warnings);
		str_putc(warnings, '\n');
	}
	return p;
}

int net_cabinets_find(const struct net_raw *raw, const struct net_cabinets *given,
                      struct net_cabinets *out, struct str *warnings, struct err *err)
{
	struct seeking s = {0};
	struct parted p = {0}, other = {.criterion = INFINITY};
	int r = cabinets_flows_read(&s, raw, err);

	*out = given ? *given : (struct net_cabinets){.n = 1};
	if (r == 0 && s.blocks > 0 && s.hosts >= 4 && !(given && given->hosts < s.hosts)) {
		cabinets_search(&s, &p, &other);
		if (given)
			p = given_weighed(raw, &s, given, &p, warnings);
		else
			doubts(raw, &s, &p, &other, warnings);
		if (!given) { /* else of hosts that sent nothing, too */
			out->n = p.n;
			out->hosts = s.hosts;
			memcpy(out->of, p.of, sizeof out->of);
		}
		out->uplink = p.n > 1 ? p.capacity * p.alone : 0;
		out->deviation = sqrt(p.squares / s.flows);
		r = cabinets_hosts_look(raw, &s, &p, warnings, err);
	}
	free(s.flow);
	free(s.block);
	free(s.off);
	return r;
}
