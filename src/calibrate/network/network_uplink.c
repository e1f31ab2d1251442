/* network_uplink.c: what a cabinet's link carries, of blocks of flows that fill it one way.
 *
 * How flows share a link is not looked at (fit_capacity): TCP is not fair, and libraries tell that
 * a message has come, not how much of it; so rates of single flows at a date are not known.
 *
 * Blocks in which flows pass the link both ways say how much that leaves of it, and nothing else:
 * acknowledgements wait behind data then, and links stand idle, half of the time in the laboratory;
 * and there are links that carry one way at a time. Blocks of which a flow is not known (a
 * host left out) say nothing. What a message alone takes beside its transfer is taken off. */
#include "network_cabinets_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Relative: a link that carries this much of what its hosts can send may as well carry all: what
 * both ways at once lose (network_many.c), and what hosts differ by, is as much. */
static const double NEARLY = 0.9;

struct passing {
	double end;
	int from, to; /* hosts */
};
struct block_flows {
	struct passing flow[FLOWS_MOST];
	int n;
	double bytes; /* of a flow */
};
/* What a block says of the link of a cabinet. */
struct said {
	int cabinet, both; /* both: it carried both ways */
	double rate;       /* bytes/s */
	double hosts;      /* what its hosts might have sent, bytes/s */
};

static int by_end(const void *a, const void *b)
{
	const struct passing *p = a, *q = b;

	return (p->end > q->end) - (p->end < q->end);
}

/* Hosts that have not ended, senders or receivers, whichever are fewer: as many rates of a host at
 * most are wanted. */
static int hosts_left(const struct passing *f, int n)
{
	uint64_t from = 0, to = 0;

	for (int i = 0; i < n; i++) {
		from |= (uint64_t)1 << f[i].from;
		to |= (uint64_t)1 << f[i].to;
	}
	return __builtin_popcountll(from) < __builtin_popcountll(to) ? __builtin_popcountll(from)
	                                                             : __builtin_popcountll(to);
}

/* 0: of this block all flows are known; else it says nothing. */
static int flows_read(const struct net_raw *raw, const struct net_row *row, uint32_t n,
                      struct block_flows *b)
{
	int messages = 0, least = 0;

	b->n = 0;
	for (uint32_t i = 0, next; i < n; i = next) {
		struct passing *f = &b->flow[b->n];
		int k = 0;

		for (next = i;
		     next < n && row[next].src == row[i].src && row[next].dst == row[i].dst; next++)
			k++;
		if (b->n == FLOWS_MOST || row[i].size != row[0].size)
			return -1;
		*f = (struct passing){.end = row[next - 1].duration, /* by arrival */
		                      .from = net_host_of(raw, row[i].src),
		                      .to = net_host_of(raw, row[i].dst)};
		if (f->from >= raw->cabinets.hosts || f->to >= raw->cabinets.hosts ||
		    !isfinite(f->end))
			return -1;
		messages = k > messages ? k : messages;
		least = b->n == 0 || k < least ? k : least;
		b->n++;
	}
	b->bytes = messages * row[0].size;
	return messages == least && b->n == row[0].pairs % NET_LOADS ? 0 : -1;
}

/* Flows that leave a cabinet, or come into it, into f; *others: how many go the other way. */
static int passing_take(const struct net_raw *raw, const struct block_flows *b, int cabinet,
                        int leaving, struct passing *f, int *others)
{
	const int *of = raw->cabinets.of;
	int n = 0;

	*others = 0;
	for (int i = 0; i < b->n; i++) {
		int from = of[b->flow[i].from] == cabinet, to = of[b->flow[i].to] == cabinet;

		if (from == to)
			continue;
		if (from == leaving)
			f[n++] = b->flow[i];
		else
			(*others)++;
	}
	return n;
}

/* Of the link that most flows pass, which is the fullest: one that carries one way, if there is
 * one; 0: of none. */
static int block_says(const struct net_raw *raw, const struct block_flows *b,
                      const struct net_fit *fit, double setup, struct said *out)
{
	struct passing f[FLOWS_MOST], most[FLOWS_MOST];
	double end[FLOWS_MOST], wanted[FLOWS_MOST];
	int n_most = 0;

	out->both = 1;
	for (int leaving = 1; leaving >= 0; leaving--)
		for (int c = 0; c < raw->cabinets.n; c++) {
			int others, n = passing_take(raw, b, c, leaving, f, &others);

			if (n == 0 || (others > 0) > out->both ||
			    ((others > 0) == out->both && n <= n_most))
				continue;
			n_most = n;
			memcpy(most, f, (size_t)n * sizeof *f);
			out->cabinet = c;
			out->both = others > 0;
		}
	if (n_most == 0)
		return 0;
	qsort(most, (size_t)n_most, sizeof *most, by_end);
	if (!(most[n_most - 1].end > 2 * setup)) /* hardly any of it was transfer */
		return 0;
	for (int i = 0; i < n_most; i++) {
		end[i] = most[i].end;
		wanted[i] = hosts_left(most + i, n_most - i) * fit->bandwidth;
	}
	out->hosts = wanted[0];
	out->rate = fit_capacity(end, wanted, (size_t)n_most, b->bytes, setup);
	return out->rate > 0;
}

static size_t blocks_say(const struct net_raw *raw, const struct net_row *row, uint32_t n,
                         const struct net_fit *f, double extra, struct said *said)
{
	struct block_flows b;
	size_t k = 0;

	for (uint32_t i = 0, next; i < n; i = next) {
		double size = row[i].size,
		       setup = fmax(0, net_fit_pingpong(f, size) - size / f->bandwidth) + extra;

		next = cabinets_block_end(row, i, n);
		if (flows_read(raw, row + i, next - i, &b) == 0)
			k += (size_t)block_says(raw, &b, f, setup, &said[k]);
	}
	return k;
}

static int first_host(const struct net_cabinets *c, int cabinet)
{
	int h = 0;

	while (h < c->hosts && c->of[h] != cabinet)
		h++;
	return h;
}

/* What is left of a link's rate where it carries both ways, and hosts want clearly more: the
 * median; 0: not known. */
static double both_ways(const struct said *said, size_t n, double rate, double *v)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		if (said[i].both && NEARLY * said[i].hosts > rate)
			v[k++] = said[i].rate / rate;
	return k ? fit_median(v, k) : 0;
}

/* The median of each cabinet's blocks that were limited; of cabinets, theirs. */
static void sum_up(const struct net_raw *raw, const struct said *said, size_t n, double *v,
                   struct net_uplink *out)
{
	double middle[NET_HOSTS];
	size_t known = 0;

	for (int c = 0; c < raw->cabinets.n; c++) {
		size_t k = 0;

		for (size_t i = 0; i < n; i++)
			if (said[i].cabinet == c && !said[i].both &&
			    said[i].rate < NEARLY * said[i].hosts)
				v[k++] = said[i].rate;
		if (k == 0)
			continue;
		middle[known] = fit_median(v, k);
		if (known == 0 || middle[known] < out->least) {
			out->least = middle[known];
			out->least_host = first_host(&raw->cabinets, c);
		}
		if (known == 0 || middle[known] > out->most) {
			out->most = middle[known];
			out->most_host = first_host(&raw->cabinets, c);
		}
		known++;
	}
	out->limits = known > 0;
	if (known > 0)
		out->rate = fit_median(middle, known);
	for (size_t i = 0; i < n && known == 0; i++)
		out->rate = fmax(out->rate, said[i].both ? 0 : said[i].hosts);
	if (known > 0)
		out->both_ways = both_ways(said, n, out->rate, v);
}

int net_uplink_find(const struct net_raw *raw, const struct net_fit *f, double extra,
                    struct net_uplink *out, struct err *err)
{
	struct net_row *row;
	struct said *said;
	double *v;
	uint32_t n;

	*out = (struct net_uplink){0};
	if (raw->cabinets.n < 2 || !(f->bandwidth > 0))
		return 0;
	row = cabinets_rows_take(raw, &n, err);
	if (!row)
		return -1;
	said = malloc(((size_t)n + 1) * sizeof *said);
	v = malloc(((size_t)n + 1) * sizeof *v);
	if (said && v)
		sum_up(raw, said, blocks_say(raw, row, n, f, extra, said), v, out);
	else
		err_nomem(err, "flows", ((size_t)n + 1) * sizeof *said);
	free(row);
	free(v);
	if (!said || !v) {
		free(said);
		return -1;
	}
	free(said);
	return 0;
}
