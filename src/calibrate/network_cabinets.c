/* network_cabinets.c: which hosts share a link to the rest, and how fast it is, from transfers
 * between many hosts at once.
 *
 * Blocks of concurrent flows (NET_LOAD), each host sending to one other: a flow inside a cabinet
 * runs at a host's own rate; those that leave a cabinet share its link, and are the slower the more
 * they are. For a partition of the hosts and a capacity the rates follow (max-min), so partitions
 * can be compared: least squares of the logarithms of rates.
 *
 * 1. Rates are taken while all flows of a block are under way: from when the last one has its first
 *    message to when the first one has its last. What comes before is requests and replies;
 *    afterwards a link is not full any more, and "all bytes / the time of the last" says less than
 *    it carries.
 * 2. Candidates come from joining hosts bottom-up by how slow flows between them were on average,
 *    and from hosts in order; each is weighed with its best capacity, by Schwarz's criterion; then
 *    hosts are moved or exchanged while it gets better.
 * 3. Hosts are not assumed to be in order, nor cabinets to be of one size.
 * 4. Beside the partition that was found, hosts whose flows are slower than those of others, in one
 *    direction or the other, are named (apart.h). A host's value is a median over blocks: each
 * block has it with another partner. */
#include "apart.h"
#include "network.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	HOSTS_MOST = NET_HOSTS,
	FLOWS_MOST = 128,
	MESSAGES_MOST = 16,
	CAPACITIES = 48,
	BLOCKS_MOST = 200
};
#define CLIP 0.25 /* a logarithm off by more counts no more: a disturbed block */
/* A cabinet's link is looked for from a tenth of what one host's has, where the search begins (by
 * choice), to that of all hosts. */
static const double CAPACITY_LEAST = 0.1;
/* Logarithms by which hosts that all send at once may be faster, and slower, than one alone: they
 * do not become faster by it, nor much slower. How much is scatter: by choice, the larger about
 * three times what is not believed to be a difference (criterion). */
static const double FASTER_MOST = 0.05, SLOWER_MOST = 0.1;
/* Differences of the criterion (of Schwarz; half of one is about the logarithm of a Bayes factor)
 * from which on one partition is strongly, and very strongly, to be preferred: Kass and Raftery,
 * "Bayes factors", JASA 90, 1995. */
static const double STRONG = 6, VERY_STRONG = 10;
/* Rounding: a criterion that is lower by less is the same one; a link whose share is higher by less
 * than this factor is as tight. */
static const double SAME = 1e-9, AS_TIGHT = 1.000001;
/* Logarithms of rates whose squares are taken for no difference: 3 % (criterion). */
static const double NOT_BELIEVED = 9e-4;
/* Messages that came together had dates within this factor. Flows are all under way for long enough
 * if the first ends that many times as late as the last begins. By choice. */
static const double TOGETHER = 1.02, UNDER_WAY = 1.2;
/* A rate that is predicted is no less, for its logarithm. */
static const double RATE_LEAST = 1e-3;
/* Rounds of a mean of what is near it, and of a grid that closes about its best. */
enum { ROUNDS = 3 };
/* Standard deviation of logarithms of rates from which on the model does not explain them: by
 * choice, five times what is not believed to be a difference (criterion). */
static const double UNEXPLAINED = 0.15;

struct flow {
	int a, b; /* hosts */
	double log_rate;
	double arrival[MESSAGES_MOST], size;
	int messages;
};
struct block {
	uint32_t first, n; /* of flows */
};
struct seeking {
	struct flow *flow;
	struct block *block;
	uint32_t flows, blocks;
	int hosts;
	double *off;   /* work space, by flow */
	double single; /* logarithm of the rate of a flow that was alone, the fastest; -infinity:
	                  none was */
};
struct parted {
	int of[HOSTS_MOST], n;
	double capacity; /* of a cabinet's link, each way, in rates of a host */
	double alone;    /* bytes/s of a flow that nothing limits but its hosts */
	double squares, criterion;
};

/* --- flows --- */

static int by_block(const void *a, const void *b)
{
	const struct net_row *p = a, *q = b;

	if (p->file != q->file)
		return p->file < q->file ? -1 : 1;
	if (p->pairs != q->pairs)
		return p->pairs < q->pairs ? -1 : 1;
	if (p->src != q->src)
		return p->src < q->src ? -1 : 1;
	if (p->dst != q->dst)
		return p->dst < q->dst ? -1 : 1;
	return (p->duration > q->duration) - (p->duration < q->duration);
}

/* Bytes that a flow has brought by a date, between its arrivals by interpolation. A library may
 * move several messages at once: those that came together had come on together. */
static double brought(const struct flow *f, double date)
{
	double before = 0;
	int had = 0;

	for (int i = 0; i < f->messages; i++) {
		if (i + 1 < f->messages && f->arrival[i + 1] < TOGETHER * f->arrival[i])
			continue;
		if (date < f->arrival[i])
			return f->size *
			       (had + (i + 1 - had) * (date - before) / (f->arrival[i] - before));
		before = f->arrival[i];
		had = i + 1;
	}
	return f->size * f->messages;
}

/* Sets log_rate of a block's flows; 0: nothing can be said. */
static int rates_set(struct flow *f, uint32_t n)
{
	double from = 0, to = INFINITY;

	for (uint32_t i = 0; i < n; i++) {
		from = fmax(from, f[i].arrival[0]);
		to = fmin(to, f[i].arrival[f[i].messages - 1]);
	}
	if (to < UNDER_WAY * from) /* hardly ever all at once: from the beginning, then */
		from = 0;
	for (uint32_t i = 0; i < n; i++) {
		double bytes = brought(&f[i], to) - brought(&f[i], from);

		if (!(bytes > 0) || !(to > from))
			return 0;
		f[i].log_rate = log(bytes / (to - from));
	}
	return 1;
}

static int largest(int a, int b)
{
	return a > b ? a : b;
}

static void block_add(struct seeking *s, const struct net_raw *raw, const struct net_row *row,
                      uint32_t n)
{
	uint32_t first = s->flows;

	for (uint32_t i = 0; i < n && s->flows - first < FLOWS_MOST; s->flows++) {
		struct flow *f = &s->flow[s->flows];

		*f = (struct flow){.a = net_host_of(raw, row[i].src),
		                   .b = net_host_of(raw, row[i].dst),
		                   .size = row[i].size};
		for (int src = row[i].src, dst = row[i].dst;
		     i < n && row[i].src == src && row[i].dst == dst; i++)
			if (f->messages < MESSAGES_MOST)
				f->arrival[f->messages++] = row[i].duration;
		if (f->a >= HOSTS_MOST || f->b >= HOSTS_MOST || f->a == f->b)
			s->flows--;
		else
			s->hosts = largest(s->hosts, 1 + largest(f->a, f->b));
	}
	if (s->flows > first && rates_set(s->flow + first, s->flows - first))
		s->block[s->blocks++] = (struct block){first, s->flows - first};
	else
		s->flows = first;
}

static int same_block(const struct net_row *a, const struct net_row *b)
{
	return a->pairs == b->pairs && a->file == b->file;
}

/* Of more than BLOCKS_MOST blocks, which the measuring program does not make, only every second,
 * third ... is looked at. */
static int flows_read(struct seeking *s, const struct net_raw *raw, struct err *err)
{
	struct net_row *row = malloc(((size_t)raw->n + 1) * sizeof *row);
	uint32_t n = 0, blocks = 0, block = 0;

	if (!row)
		return err_nomem(err, "measurements", ((size_t)raw->n + 1) * sizeof *row);
	for (uint32_t i = 0; i < raw->n; i++)
		if (raw->rows[i].op == NET_LOAD && !raw->rows[i].local)
			row[n++] = raw->rows[i];
	qsort(row, n, sizeof *row, by_block);
	s->flow = malloc(((size_t)n + 1) * sizeof *s->flow);
	s->block = malloc(((size_t)n + 1) * sizeof *s->block);
	s->off = malloc(((size_t)n + 1) * sizeof *s->off);
	for (uint32_t i = 0; i < n; i++)
		blocks += i == 0 || !same_block(&row[i - 1], &row[i]);
	for (uint32_t i = 0, next; s->flow && s->block && s->off && i < n; i = next) {
		for (next = i; next < n && same_block(&row[next], &row[i]); next++)
			;
		if (block++ % (blocks / BLOCKS_MOST + 1) == 0)
			block_add(s, raw, row + i, next - i);
	}
	free(row);
	s->single = -INFINITY;
	for (uint32_t k = 0; s->flow && s->block && k < s->blocks; k++)
		if (s->block[k].n == 1)
			s->single = fmax(s->single, s->flow[s->block[k].first].log_rate);
	return s->flow && s->block && s->off ? 0
	                                     : err_nomem(err, "flows", (size_t)n * sizeof *s->flow);
}

/* --- what a partition says --- */

/* Max-min rates of a block, progressive filling: links out of and into each cabinet, and a rate of
 * 1 for each flow. */
static void rates_predict(const struct seeking *s, const struct block *b, const struct parted *p,
                          double *rate)
{
	double out[HOSTS_MOST], in[HOSTS_MOST];
	int n_out[HOSTS_MOST] = {0}, n_in[HOSTS_MOST] = {0}, left = 0;
	const struct flow *f = s->flow + b->first;

	for (uint32_t i = 0; i < b->n && p->n == 1;
	     i++) /* one switch, and what it can carry altogether */
		rate[i] = fmin(1, p->capacity / b->n);
	if (p->n == 1)
		return;
	for (int c = 0; c < p->n; c++)
		out[c] = in[c] = p->capacity;
	for (uint32_t i = 0; i < b->n; i++) {
		int from = p->of[f[i].a], to = p->of[f[i].b];

		rate[i] = from == to ? 1 : -1;
		if (from == to)
			continue;
		n_out[from]++;
		n_in[to]++;
		left++;
	}
	while (left > 0) {
		double least = 1;

		for (int c = 0; c < p->n; c++) {
			least = n_out[c] ? fmin(least, out[c] / n_out[c]) : least;
			least = n_in[c] ? fmin(least, in[c] / n_in[c]) : least;
		}
		for (uint32_t i = 0; i < b->n; i++) {
			int from = p->of[f[i].a], to = p->of[f[i].b];

			if (rate[i] >= 0 ||
			    (least < 1 && out[from] / n_out[from] > least * AS_TIGHT &&
			     in[to] / n_in[to] > least * AS_TIGHT))
				continue;
			rate[i] = least;
			out[from] -= least;
			in[to] -= least;
			n_out[from]--;
			n_in[to]--;
			left--;
		}
	}
}

/* Beside the rate of a host that fits best: the mean of what is off, then of those that are near
 * it. */
static double squares_of(struct seeking *s, struct parted *p, double capacity)
{
	double rate[FLOWS_MOST], sum = 0, mean = 0;

	p->capacity = capacity;
	for (uint32_t k = 0; k < s->blocks; k++) {
		rates_predict(s, &s->block[k], p, rate);
		for (uint32_t i = 0; i < s->block[k].n; i++) {
			uint32_t f = s->block[k].first + i;

			s->off[f] = s->flow[f].log_rate - log(fmax(rate[i], RATE_LEAST));
			mean += s->off[f] / s->flows;
		}
	}
	for (int round = 0; round < ROUNDS; round++) {
		double near = 0;
		uint32_t n = 0;

		for (uint32_t f = 0; f < s->flows; f++)
			if (fabs(s->off[f] - mean) < 2 * CLIP) {
				near += s->off[f];
				n++;
			}
		mean = n ? near / n : mean;
	}
	if (isfinite(s->single))
		mean = fmin(fmax(mean, s->single - SLOWER_MOST), s->single + FASTER_MOST);
	for (uint32_t f = 0; f < s->flows; f++)
		sum += fmin((s->off[f] - mean) * (s->off[f] - mean), CLIP * CLIP);
	p->alone = exp(mean);
	return sum;
}

/* n ln(RSS / n) + parameters ln n: the capacity, and three for a cabinet: the partition is the best
 * of very many. Less than 3 % is not believed: rates of a window are not those of a steady
 * state. */
static double criterion(const struct seeking *s, double squares, int cabinets)
{
	double n = s->flows;

	return n * log(squares / n + NOT_BELIEVED) + (cabinets > 1 ? 3 * cabinets + 1 : 1) * log(n);
}

/* The best capacity: a grid of logarithms, then closer about its best. */
static void weigh(struct seeking *s, struct parted *p, double lo, double hi)
{
	double best = INFINITY, at = lo;

	if (p->n < 2) {
		lo = 0.5;
		hi = s->hosts;
	}
	for (int round = 0; round < ROUNDS; round++) {
		double step = log(hi / lo) / CAPACITIES;

		for (int i = 0; i <= CAPACITIES; i++) {
			double c = lo * exp(step * i), v = squares_of(s, p, c);

			if (v < best) {
				best = v;
				at = c;
			}
		}
		lo = at * exp(-step);
		hi = at * exp(step);
	}
	p->squares = squares_of(s, p, at);
	p->criterion = criterion(s, p->squares, p->n);
}

/* --- partitions --- */

/* Numbers cabinets by their first host. */
static void renumber(struct parted *p, int hosts)
{
	int name[HOSTS_MOST], n = 0;

	for (int i = 0; i < HOSTS_MOST; i++)
		name[i] = -1;
	for (int i = 0; i < hosts; i++) {
		if (name[p->of[i]] < 0)
			name[p->of[i]] = n++;
		p->of[i] = name[p->of[i]];
	}
	p->n = n;
}

/* Mean slowness between each two hosts, of flows either way; where none was, that of all. */
static void slowness(const struct seeking *s, double (*d)[HOSTS_MOST])
{
	int count[HOSTS_MOST][HOSTS_MOST] = {{0}};
	double all = 0;

	memset(d, 0, sizeof(double[HOSTS_MOST][HOSTS_MOST]));
	for (uint32_t i = 0; i < s->flows; i++) {
		const struct flow *f = &s->flow[i];
		int a = f->a < f->b ? f->a : f->b, b = f->a < f->b ? f->b : f->a;
		double v = -f->log_rate;

		d[a][b] += v;
		count[a][b]++;
		all += v / s->flows;
	}
	for (int a = 0; a < s->hosts; a++)
		for (int b = a + 1; b < s->hosts; b++)
			d[b][a] = d[a][b] = count[a][b] ? d[a][b] / count[a][b] : all;
}

/* The mean over all pairs of a host of cabinet a and one of b; INFINITY: there are none. */
static double slowness_between(const struct seeking *s, const struct parted *p,
                               double (*d)[HOSTS_MOST], int a, int b)
{
	double sum = 0;
	int n = 0;

	for (int i = 0; i < s->hosts; i++) {
		for (int j = 0; j < s->hosts; j++) {
			if (p->of[i] != a || p->of[j] != b)
				continue;
			sum += d[i][j];
			n++;
		}
	}
	return n ? sum / n : INFINITY;
}

static void join_nearest(const struct seeking *s, struct parted *p, double (*d)[HOSTS_MOST])
{
	double least = INFINITY;
	int a_best = 0, b_best = 1;

	for (int a = 0; a < p->n; a++) {
		for (int b = a + 1; b < p->n; b++) {
			double mean = slowness_between(s, p, d, a, b);

			if (mean < least) {
				least = mean;
				a_best = a;
				b_best = b;
			}
		}
	}
	for (int i = 0; i < s->hosts; i++)
		if (p->of[i] == b_best)
			p->of[i] = a_best;
	renumber(p, s->hosts);
}

/* With a capacity near that of p: good enough to compare changes of one or two hosts. */
static void weigh_near(struct seeking *s, struct parted *q, double capacity)
{
	static const double times[] = {0.8, 0.9, 1, 1.1, 1.25};
	double best = INFINITY, at = capacity;

	for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
		double v = squares_of(s, q, capacity * times[i]);

		if (v < best) {
			best = v;
			at = capacity * times[i];
		}
	}
	q->squares = squares_of(s, q, at);
	q->criterion = criterion(s, q->squares, q->n);
}

static void try_one(struct seeking *s, const struct parted *p, struct parted q, struct parted *best,
                    struct parted *other)
{
	renumber(&q, s->hosts);
	if (q.n > 1)
		weigh_near(s, &q, p->capacity);
	else
		weigh(s, &q, 1, 1);
	if (q.criterion < best->criterion)
		*best = q;
	if (q.criterion < other->criterion)
		*other = q;
}

/* One host elsewhere or in a cabinet of its own, two exchanged, or two cabinets made one: the best
 * of these; 1 if it is better than before. other: the best that is not p. */
static int move_best(struct seeking *s, struct parted *p, struct parted *other)
{
	struct parted best = *p, q;

	*other = (struct parted){.criterion = INFINITY};
	for (int a = 0; a < p->n; a++) {
		for (int b = 0; b < a; b++) {
			q = *p;
			for (int i = 0; i < s->hosts; i++)
				q.of[i] = p->of[i] == a ? b : p->of[i];
			try_one(s, p, q, &best, other);
		}
	}
	for (int i = 0; i < s->hosts; i++) {
		for (int c = 0; c <= p->n && c < HOSTS_MOST; c++) {
			q = *p;
			q.of[i] = c;
			if (c != p->of[i])
				try_one(s, p, q, &best, other);
		}
		for (int k = 0; k < i; k++) {
			q = *p;
			q.of[i] = p->of[k];
			q.of[k] = p->of[i];
			if (p->of[i] != p->of[k])
				try_one(s, p, q, &best, other);
		}
	}
	if (best.criterion >= p->criterion - SAME)
		return 0;
	weigh(s, &best, CAPACITY_LEAST, s->hosts);
	*p = best;
	return 1;
}

static void partition_find(struct seeking *s, struct parted *best, struct parted *other)
{
	static const int moves_most = 64;
	double d[HOSTS_MOST][HOSTS_MOST];
	struct parted p = {.n = s->hosts};

	slowness(s, d);
	for (int i = 0; i < s->hosts; i++)
		p.of[i] = i;
	*best = (struct parted){.criterion = INFINITY};
	while (p.n > 1) {
		join_nearest(s, &p, d);
		weigh(s, &p, CAPACITY_LEAST, s->hosts);
		if (p.criterion < best->criterion)
			*best = p;
	}
	for (int size = 2; size < s->hosts; size++) { /* in order, of one size: the commonest */
		for (int i = 0; i < s->hosts; i++)
			p.of[i] = i / size;
		renumber(&p, s->hosts);
		weigh(s, &p, CAPACITY_LEAST, s->hosts);
		if (p.criterion < best->criterion)
			*best = p;
	}
	*other = (struct parted){.criterion = INFINITY};
	for (int i = 0; i < moves_most && best->n > 1 && move_best(s, best, other); i++)
		;
}

/* --- slow hosts --- */

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

static int hosts_look(const struct net_raw *raw, struct seeking *s, const struct parted *found,
                      struct str *warnings, struct err *err)
{
	struct apart_unit u[2 * HOSTS_MOST];
	struct parted p = *found;
	struct apart all;
	int n = 0;

	if (is_slow_host(s, found)) { /* beside the others, then, without cabinets */
		p = (struct parted){.n = 1};
		weigh(s, &p, 1, 1);
	}
	squares_of(s, &p, p.capacity);
	blocks_level(s);
	for (int i = 0; i < 2 * s->hosts; i++) {
		u[n] = unit_of(s, i / 2, i % 2);
		if (u[n].draws < 1) /* not all hosts were measured like that */
			return 0;
		n++;
	}
	if (apart_find(u, (size_t)n, &all, err) < 0)
		return -1;
	for (int i = 0; i < n; i++) {
		char number[16];

		if (!u[i].apart)
			continue;
		snprintf(number, sizeof number, "%d", i / 2);
		str_printf(
		    warnings,
		    "host %.80s stands apart: where all hosts send at once, what it %s takes "
		    "%.4g times as long as with others (95 %% interval: %.4g to %.4g; by "
		    "chance in %.2g of campaigns): the platform has it like the others; "
		    "measure without it, or with --from leave it out by --without\n",
		    i / 2 < raw->n_hosts ? net_host_name(raw, i / 2) : number,
		    i % 2 ? "receives" : "sends", exp(u[i].off), exp(u[i].off - u[i].off_95),
		    exp(u[i].off + u[i].off_95), u[i].p);
	}
	return 0;
}

/* --- the face --- */

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
		           "%s: the network has other bottlenecks, or others use it\n",
		           100 * deviation,
		           p->n > 1 ? "these cabinets explain" : "one switch for all explains");
}

static struct parted given_weighed(const struct net_raw *raw, struct seeking *s,
                                   const struct net_cabinets *given, const struct parted *found,
                                   struct str *warnings)
{
	struct parted p = {.n = given->n};

	memcpy(p.of, given->of, sizeof p.of);
	renumber(&p, s->hosts);
	weigh(s, &p, CAPACITY_LEAST, s->hosts);
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
	int r = flows_read(&s, raw, err);

	*out = given ? *given : (struct net_cabinets){.n = 1};
	if (r == 0 && s.blocks > 0 && s.hosts >= 4 && !(given && given->hosts < s.hosts)) {
		partition_find(&s, &p, &other);
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
		r = hosts_look(raw, &s, &p, warnings, err);
	}
	free(s.flow);
	free(s.block);
	free(s.off);
	return r;
}
