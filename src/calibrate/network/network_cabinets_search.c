/* network_cabinets_search.c: the partition of hosts that explains most. Candidates come from
 * joining hosts bottom-up by how slow flows between them were on average, and from hosts in order;
 * each is weighed with its best capacity; then hosts are moved or exchanged while it gets better.
 */
#include "network_cabinets_int.h"

#include <math.h>
#include <string.h>

/* Rounding: a criterion that is lower by less is the same one. */
static const double SAME = 1e-9;

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
	cabinets_renumber(p, s->hosts);
}

static void try_one(struct seeking *s, const struct parted *p, struct parted q, struct parted *best,
                    struct parted *other)
{
	cabinets_renumber(&q, s->hosts);
	if (q.n > 1)
		cabinets_weigh_near(s, &q, p->capacity);
	else
		cabinets_weigh(s, &q, 1, 1);
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
	cabinets_weigh(s, &best, CAPACITY_LEAST, s->hosts);
	*p = best;
	return 1;
}

void cabinets_search(struct seeking *s, struct parted *best, struct parted *other)
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
		cabinets_weigh(s, &p, CAPACITY_LEAST, s->hosts);
		if (p.criterion < best->criterion)
			*best = p;
	}
	for (int size = 2; size < s->hosts; size++) { /* in order, of one size: the commonest */
		for (int i = 0; i < s->hosts; i++)
			p.of[i] = i / size;
		cabinets_renumber(&p, s->hosts);
		cabinets_weigh(s, &p, CAPACITY_LEAST, s->hosts);
		if (p.criterion < best->criterion)
			*best = p;
	}
	*other = (struct parted){.criterion = INFINITY};
	for (int i = 0; i < moves_most && best->n > 1 && move_best(s, best, other); i++)
		;
}
