/* network_cabinets_hosts.c: beside the partition that was found, hosts whose flows are slower than
 * those of others, in one direction or the other, are named (apart.h). A host's value is a median
 * over blocks: each block has it with another partner. */
#include "calibrate/fit/apart.h"
#include "network_cabinets_int.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What of a flow the partition does not explain, beside the median of its block: what all that sent
 * at that time had in common is no host's. */
static void blocks_level(struct seeking *s)
{
	double some[FLOWS_MOST];

	for (uint32_t k = 0; k < s->blocks; k++) {
		const struct block *b = &s->block[k];
		double middle;

		memcpy(some, s->off + b->first, b->n * sizeof *some);
		middle = fit_median(some, b->n);
		for (uint32_t i = 0; i < b->n; i++)
			s->off[b->first + i] -= middle;
	}
}

/* A host as sender, or receiver, of blocks in which half of the hosts send, or more. */
static struct apart_unit unit_of(const struct seeking *s, int host, int receives)
{
	/* A deviation beside the median of distances from the middle; the standard error of a
	 * median beside that of a mean; both of normal values. */
	static const double DEVIATION = 1.4826, MEDIAN_ERROR = 1.2533;
	double v[BLOCKS_MOST], middle;
	size_t n = 0;

	for (uint32_t k = 0; k < s->blocks; k++)
		for (uint32_t i = 0; i < s->block[k].n && n < BLOCKS_MOST; i++) {
			const struct flow *f = &s->flow[s->block[k].first + i];

			if ((receives ? f->b : f->a) == host &&
			    2 * s->block[k].n >= (uint32_t)s->hosts)
				v[n++] = -s->off[s->block[k].first + i];
		}
	middle = fit_median(v, n);
	for (size_t i = 0; i < n; i++)
		v[i] = fabs(v[i] - middle);
	return (struct apart_unit){
	    .value = middle,
	    .draws = (double)n,
	    .degrees = n > 1 ? (double)n - 1 : 1,
	    .error = n > 1 ? MEDIAN_ERROR * DEVIATION * fit_median(v, n) / sqrt((double)n) : 0};
}

/* A cabinet of one host whose link carries less than that host might send is a slow host. */
static int is_slow_host(const struct seeking *s, const struct parted *p)
{
	int members[HOSTS_MOST] = {0}, single = 0;

	for (int i = 0; i < s->hosts; i++)
		members[p->of[i]]++;
	for (int c = 0; c < p->n; c++)
		single |= members[c] == 1;
	return p->n > 1 && single && log(p->capacity) < -SLOWER_MOST;
}

int cabinets_hosts_look(const struct net_raw *raw, struct seeking *s, const struct parted *found,
                        struct str *warnings, struct err *err)
{
	struct apart_unit u[2 * HOSTS_MOST];
	int way[2 * HOSTS_MOST], n = 0; /* of a unit: host, and whether it receives */
	struct parted p = *found;
	struct apart all;

	if (is_slow_host(s, found)) { /* beside the others, then, without cabinets */
		p = (struct parted){.n = 1};
		cabinets_weigh(s, &p, 1, 1);
	}
	cabinets_squares(s, &p, p.capacity);
	blocks_level(s);
	for (int i = 0; i < 2 * s->hosts; i++) {
		if (s->left_out >> i / 2 & 1)
			continue;
		way[n] = i;
		u[n] = unit_of(s, i / 2, i % 2);
		if (u[n].draws < 1) /* not all hosts were measured like that */
			return 0;
		n++;
	}
	if (apart_find(u, (size_t)n, &all, err) < 0)
		return -1;
	for (int i = 0; i < n; i++) {
		int host = way[i] / 2, receives = way[i] % 2;
		char number[16];

		if (!u[i].apart)
			continue;
		snprintf(number, sizeof number, "%d", host);
		str_printf(
		    warnings,
		    "host %.80s stands apart: where all hosts send at once, what it %s takes "
		    "%.4g times as long as with others (95 %% interval: %.4g to %.4g; by "
		    "chance in %.2g of campaigns): the platform has it like the others; "
		    "measure without it, or with --from leave it out by --without\n",
		    host < raw->n_hosts ? net_host_name(raw, host) : number,
		    receives ? "receives" : "sends", exp(u[i].off), exp(u[i].off - u[i].off_95),
		    exp(u[i].off + u[i].off_95), u[i].p);
	}
	return 0;
}
