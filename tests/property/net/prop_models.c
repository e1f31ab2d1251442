/* prop_models.c: models of flows on random machines, by their formulas: a message alone, and up to
 * eight that share a link, beside one_link.h; windows, factors by size, acknowledgements, weights
 * by round trip, links that are no bottleneck for others (FATPIPE), bandwidths that change. The
 * penalties of model IB beside their definition. Twice the bandwidth and half the latency halve
 * each date, to the last bit. The date of a message between ranks of one host is that of its
 * loopback. */
#include "../../unit/net/models.h"
#include "../prop.h"
#include "one_link.h"

/* The tables of SimGrid 3.32 (smpi defaults: Stampede), largest first: sizes above the first. */
static const double hybrid_factors[][3] = {
    {65472, 11.6436, 0.940694}, {15424, 3.48845, 0.697866}, {9376, 2.59299, 0.58729},
    {5776, 2.18796, 1.08739},   {3484, 1.88101, 0.77493},   {1426, 1.61075, 0.608902},
    {732, 1.9503, 0.341987},    {257, 1.95341, 0.338112},   {0, 2.01467, 0.812084}};

struct way { /* from host sI to host dI: its own link, and the common one */
	double bandwidth, latency;
};
struct drawn {
	struct way way[ONE_FLOWS];
	double bandwidth, latency; /* of the common link */
	double gamma;
	int crosstraffic, model; /* 0 CM02, 1 LV08, 2 hybrid, 3 CM02 with factors of one's own */
	double latency_factor, bandwidth_factor, weight_s;
	struct sent sent[ONE_FLOWS];
	int n;
	double date[ONE_STEPS], changed[ONE_STEPS]; /* of the common link */
	int steps;
};

static const char *const sources[] = {"s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"};
static const char *const targets[] = {"d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7"};

static double scale(struct rng *r, double least, double most)
{
	return least * pow(most / least, rng_unit(r));
}

static void draw(struct rng *r, struct drawn *d, int n)
{
	*d = (struct drawn){.n = n, .model = (int)rng_below(r, 4), .steps = 1};
	d->bandwidth = scale(r, 1e6, 1e10);
	d->latency = prop_once_in(r, 5) ? 0 : scale(r, 1e-7, 1e-3);
	d->crosstraffic = prop_once_in(r, 2);
	d->gamma = prop_once_in(r, 2) ? 0 : scale(r, 1e3, 1e7);
	d->latency_factor = 20 * rng_unit(r);
	d->bandwidth_factor = 0.1 + rng_unit(r);
	d->weight_s = prop_once_in(r, 2) ? 0 : scale(r, 1, 1e5);
	d->changed[0] = d->bandwidth;
	for (int i = 0; i < n; i++) {
		d->way[i] = (struct way){scale(r, 0.2, 5) * d->bandwidth, scale(r, 1e-7, 1e-3)};
		d->sent[i] = (struct sent){.from = sources[i],
		                           .to = targets[i],
		                           .bytes = floor(scale(r, 1, 1e8)),
		                           .date = prop_once_in(r, 2) ? 0 : rng_unit(r) * 1e-2};
	}
}

/* Times and bandwidths of the machine multiplied: latencies by `time`, bandwidths by 1 / time. */
static char *machine_text(const struct drawn *d, double time, char *buf, size_t size)
{
	struct str out;

	str_init(&out);
	str_puts(&out, "<platform version='4.1'><zone id='z' routing='Full'>");
	for (int i = 0; i < d->n; i++)
		str_printf(&out,
		           "<host id='%s' speed='1Gf'/><host id='%s' speed='1Gf'/>"
		           "<link id='w%d' bandwidth='%.17gBps' latency='%.17gs' "
		           "sharing_policy='FATPIPE'/>",
		           sources[i], targets[i], i, d->way[i].bandwidth / time,
		           d->way[i].latency * time);
	str_printf(&out, "<link id='common' bandwidth='%.17gBps' latency='%.17gs'/>",
	           d->bandwidth / time, d->latency * time);
	for (int i = 0; i < d->n; i++)
		str_printf(&out,
		           "<route src='%s' dst='%s'><link_ctn id='w%d'/><link_ctn id='common'/>"
		           "</route>",
		           sources[i], targets[i], i);
	if (d->steps > 1) {
		str_puts(&out, "<trace id='t' periodicity='0'>\n");
		for (int k = 1; k < d->steps; k++)
			str_printf(&out, "%.17g %.17g\n", d->date[k] * time, d->changed[k] / time);
		str_puts(&out, "</trace><trace_connect kind='BANDWIDTH' trace='t' "
		               "element='common'/>");
	}
	str_puts(&out, "</zone></platform>");
	assert_true(out.n < size);
	memcpy(buf, out.s, out.n + 1);
	str_release(&out);
	return buf;
}

static void settings_text(const struct drawn *d, char *buf, size_t size)
{
	static const char *const models[] = {"CM02", "LV08", "hybrid", "CM02"};
	int n = snprintf(buf, size,
	                 "network/model:%s network/crosstraffic:%s network/TCP-gamma:%.17g",
	                 models[d->model], d->crosstraffic ? "yes" : "no", d->gamma);

	if (d->model == 3)
		snprintf(buf + n, size - (size_t)n,
		         " network/latency-factor:%.17g network/bandwidth-factor:%.17g "
		         "network/weight-S:%.17g",
		         d->latency_factor, d->bandwidth_factor, d->weight_s);
}

/* The parameters of each model, from their papers. */
static void factors_of(const struct drawn *d, double bytes, double *latency, double *bandwidth,
                       double *weight_s)
{
	int k = 0;

	*latency = *bandwidth = 1;
	*weight_s = 0;
	if (d->model == 1)
		*latency = 13.01, *bandwidth = 0.97, *weight_s = 20537;
	if (d->model == 3)
		*latency = d->latency_factor, *bandwidth = d->bandwidth_factor,
		*weight_s = d->weight_s;
	if (d->model != 2)
		return;
	while (bytes <= hybrid_factors[k][0])
		k++;
	*latency = hybrid_factors[k][1], *bandwidth = hybrid_factors[k][2], *weight_s = 8775;
}

static void reference(const struct drawn *d, struct one_link *l)
{
	*l = (struct one_link){.n = d->n, .steps = d->steps, .coefficient = 1};
	if (d->crosstraffic) /* kept in single precision: 4.5e-8 less than 1.05 */
		l->coefficient = (double)(1 + 0.05F);
	for (int k = 0; k < d->steps; k++)
		l->date[k] = d->date[k], l->bandwidth[k] = d->changed[k];
	for (int i = 0; i < d->n; i++) {
		double lf, bf, s, latency = d->way[i].latency + d->latency,
		                  inverse = 1 / d->way[i].bandwidth + 1 / d->bandwidth;
		struct one_flow *f = &l->flow[i];

		factors_of(d, d->sent[i].bytes, &lf, &bf, &s);
		f->start = d->sent[i].date + lf * latency;
		f->amount = d->sent[i].bytes / bf;
		f->weight = 1 / fmax(latency + s * inverse, 1e-9);
		f->bound = d->way[i].bandwidth;
		if (d->steps == 1)
			f->bound = fmin(f->bound, d->bandwidth);
		if (d->gamma > 0)
			f->bound = fmin(f->bound, d->gamma / (2 * latency));
	}
	one_link_run(l);
}

static void check(const struct drawn *d, uint64_t seed)
{
	char machine[8192], settings[512];
	double arrival[ONE_FLOWS] = {0};
	const double precision = 1e-9;
	struct one_link l;

	machine_text(d, 1, machine, sizeof machine);
	settings_text(d, settings, sizeof settings);
	arrivals_find(machine, settings, d->sent, (uint32_t)d->n, arrival);
	reference(d, &l);
	for (int i = 0; i < d->n; i++)
		if (!(fabs(arrival[i] - l.flow[i].arrival) <= precision * l.flow[i].arrival))
			fail_msg("seed %llu, message %d of %d (%s): %.15g s, not %.15g",
			         (unsigned long long)seed, i, d->n, settings, arrival[i],
			         l.flow[i].arrival);
}

static void alone_and_together(void **state)
{
	struct prop_run run = prop_begin(80);

	(void)state;
	for (uint64_t i = 0; i < run.cases; i++) {
		struct drawn d;
		struct rng r;

		rng_init(&r, run.seed + i, "models", 0);
		draw(&r, &d, i % 3 ? (int)prop_from(&r, 2, ONE_FLOWS) : 1);
		check(&d, run.seed + i);
	}
}

/* Bandwidths of the common link that change, to nothing too, but for the last one. Weights are
 * those of latencies alone, windows none: what a message under way gets is what a new one would. */
static void a_link_that_changes(void **state)
{
	struct prop_run run = prop_begin(50);

	(void)state;
	for (uint64_t i = 0; i < run.cases; i++) {
		struct drawn d;
		struct rng r;
		double span;

		rng_init(&r, run.seed + i, "changes", 0);
		draw(&r, &d, (int)prop_from(&r, 1, 4));
		d.model = i % 2 ? 0 : 3;
		d.gamma = d.weight_s = 0;
		d.steps = (int)prop_from(&r, 2, ONE_STEPS);
		span = 1e7 / d.bandwidth;
		for (int k = 1; k < d.steps; k++) {
			d.date[k] = d.date[k - 1] + span * (0.1 + rng_unit(&r)) / d.steps;
			d.changed[k] = d.bandwidth * scale(&r, 0.1, 3);
			if (k + 1 < d.steps && prop_once_in(&r, 4))
				d.changed[k] = 0;
		}
		check(&d, run.seed + i);
	}
}

/* All times of the machine and of sending halved: each arrival at half its date, exactly. */
static void half_the_time(void **state)
{
	struct prop_run run = prop_begin(40);
	static const char *const models[] = {"hybrid", "LV08", "CM02", "IB", "CM02", "psins-bus"};

	(void)state;
	for (uint64_t i = 0; i < run.cases; i++) {
		char machine[8192], settings[512];
		double once[ONE_FLOWS] = {0}, half[ONE_FLOWS] = {0};
		struct drawn d;
		struct rng r;

		rng_init(&r, run.seed + i, "half", 0);
		draw(&r, &d, (int)prop_from(&r, 1, ONE_FLOWS));
		snprintf(settings, sizeof settings,
		         "network/model:%s network/crosstraffic:%s network/TCP-gamma:%.17g",
		         models[i % 6], d.crosstraffic ? "yes" : "no", d.gamma);
		machine_text(&d, 1, machine, sizeof machine);
		arrivals_find(machine, settings, d.sent, (uint32_t)d.n, once);
		machine_text(&d, 0.5, machine, sizeof machine);
		for (int k = 0; k < d.n; k++)
			d.sent[k].date /= 2;
		arrivals_find(machine, settings, d.sent, (uint32_t)d.n, half);
		for (int k = 0; k < d.n; k++)
			if (half[k] != once[k] / 2)
				fail_msg("seed %llu, %s: %.17g, not half of %.17g",
				         (unsigned long long)(run.seed + i), models[i % 6], half[k],
				         once[k]);
	}
}

/* --- IB --- */

enum { IB_HOSTS = 5, IB_MOST = 8 };
static const double beta_e = 0.965, beta_s = 0.925, gamma_s = 1.35;

struct ib_message {
	int from, to, under_way;
	double date, bandwidth, left, arrival;
};

static double ib_penalty(const struct ib_message *m, int n, int i)
{
	double out = 1, in = 1;
	int leaving = 0, arriving = 0, same = 0, senders = 0;

	for (int k = 0; k < n; k++)
		leaving += m[k].under_way && m[k].from == m[i].from;
	for (int k = 0; k < n && leaving > 1; k++) {
		int there = 0;

		if (!m[k].under_way || m[k].from != m[i].from)
			continue;
		for (int j = 0; j < n; j++)
			there += m[j].under_way && m[j].to == m[k].to;
		out = fmax(out, leaving * beta_s * (there > 2 ? gamma_s : 1));
	}
	for (int host = 0; host < IB_HOSTS; host++) {
		int some = 0;

		for (int k = 0; k < n; k++)
			some += m[k].under_way && m[k].from == host && m[k].to == m[i].to;
		arriving += some;
		senders += some > 0;
		same = host == m[i].from ? some : same;
	}
	if (arriving > 1)
		in = same * beta_e * senders;
	return fmax(fmax(out, in), leaving > 1 ? 0 : 1);
}

static void ib_run(struct ib_message *m, int n)
{
	double now = 0, next, rate[IB_MOST];

	for (;;) {
		next = INFINITY;
		for (int i = 0; i < n; i++)
			if (m[i].left > 0 && m[i].date <= now)
				m[i].under_way = 1;
		for (int i = 0; i < n; i++) {
			rate[i] = m[i].under_way ? m[i].bandwidth / ib_penalty(m, n, i) : 0;
			if (m[i].under_way)
				next = fmin(next, now + m[i].left / rate[i]);
			else if (m[i].left > 0)
				next = fmin(next, m[i].date);
		}
		if (isinf(next))
			return;
		for (int i = 0; i < n; i++) {
			if (!m[i].under_way || now + m[i].left / rate[i] > next) {
				m[i].left -= rate[i] * (next - now);
				continue;
			}
			m[i].left = m[i].under_way = 0;
			m[i].arrival = next;
		}
		now = next;
	}
}

static void penalties(void **state)
{
	struct prop_run run = prop_begin(50);
	static const char *const names[] = {"h0", "h1", "h2", "h3", "h4"};

	(void)state;
	for (uint64_t i = 0; i < run.cases; i++) {
		struct ib_message m[IB_MOST] = {{0}};
		double arrival[IB_MOST] = {0}, bandwidth[IB_HOSTS][IB_HOSTS];
		struct sent sent[IB_MOST];
		struct str text;
		struct rng r;
		int n;

		rng_init(&r, run.seed + i, "IB", 0);
		n = (int)prop_from(&r, 1, IB_MOST);
		str_init(&text);
		str_puts(&text, "<platform version='4.1'><zone id='z' routing='Full'>");
		for (int a = 0; a < IB_HOSTS; a++)
			str_printf(&text, "<host id='%s' speed='1Gf'/>", names[a]);
		for (int a = 0; a < IB_HOSTS; a++)
			for (int b = 0; b < IB_HOSTS; b++)
				if (a != b)
					str_printf(
					    &text,
					    "<link id='l%d%d' bandwidth='%.17gBps' latency='0s' "
					    "sharing_policy='FATPIPE'/>",
					    a, b, bandwidth[a][b] = floor(scale(&r, 1e6, 1e8)));
		for (int a = 0; a < IB_HOSTS; a++)
			for (int b = 0; b < IB_HOSTS; b++)
				if (a != b)
					str_printf(
					    &text,
					    "<route src='h%d' dst='h%d' symmetrical='NO'><link_ctn "
					    "id='l%d%d'/></route>",
					    a, b, a, b);
		str_puts(&text, "</zone></platform>");
		for (int k = 0; k < n; k++) {
			m[k].from = (int)rng_below(&r, IB_HOSTS);
			m[k].to = (m[k].from + 1 + (int)rng_below(&r, IB_HOSTS - 1)) % IB_HOSTS;
			m[k].date = 0.01 * (double)rng_below(&r, 10);
			m[k].bandwidth = bandwidth[m[k].from][m[k].to];
			m[k].left = floor(scale(&r, 1e3, 1e7));
			sent[k] = (struct sent){.date = m[k].date,
			                        .from = names[m[k].from],
			                        .to = names[m[k].to],
			                        .bytes = m[k].left};
		}
		arrivals_find(text.s,
		              "network/model:IB network/crosstraffic:no network/latency-factor:1 "
		              "network/bandwidth-factor:1 network/TCP-gamma:0",
		              sent, (uint32_t)n, arrival);
		ib_run(m, n);
		for (int k = 0; k < n; k++)
			if (!(fabs(arrival[k] - m[k].arrival) <= 1e-9 * m[k].arrival))
				fail_msg("seed %llu, message %d of %d: %.15g s, not %.15g",
				         (unsigned long long)(run.seed + i), k, n, arrival[k],
				         m[k].arrival);
		str_release(&text);
	}
}

/* --- inside a host --- */

/* All at the bandwidth of the loopback, whoever else is there: it is FATPIPE. */
static void loopbacks(void **state)
{
	struct prop_run run = prop_begin(50);

	(void)state;
	for (uint64_t i = 0; i < run.cases; i++) {
		char machine[512];
		struct rng r;
		double latency, bandwidth, arrival[3];
		struct sent sent[3];

		rng_init(&r, run.seed + i, "loopback", 0);
		latency = scale(&r, 1e-8, 1e-5);
		bandwidth = scale(&r, 1e7, 1e11);
		snprintf(machine, sizeof machine,
		         "<platform version='4.1'><zone id='w' routing='Full'><cluster id='c' "
		         "prefix='h' suffix='' radical='0-1' speed='1Gf' bw='1MBps' lat='1ms' "
		         "loopback_bw='%.17gBps' loopback_lat='%.17gs'/></zone></platform>",
		         bandwidth, latency);
		for (int k = 0; k < 3; k++)
			sent[k] = (struct sent){.from = "h1",
			                        .to = "h1",
			                        .bytes = floor(scale(&r, 1, 1e7)),
			                        .date = 1e-3 * rng_unit(&r)};
		arrivals_find(machine, "network/model:CM02 network/TCP-gamma:0", sent, 3, arrival);
		for (int k = 0; k < 3; k++)
			assert_close(arrival[k], sent[k].date + latency + sent[k].bytes / bandwidth,
			             1e-9);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(alone_and_together), cmocka_unit_test(a_link_that_changes),
	    cmocka_unit_test(half_the_time), cmocka_unit_test(penalties),
	    cmocka_unit_test(loopbacks)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
