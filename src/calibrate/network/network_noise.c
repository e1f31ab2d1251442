/* network_noise.c: what is left of the round trips when the fit is taken off, as noise of messages:
 * noise/network.
 *
 * A message's noise is its size's usual scatter (the body) and, rarely, a delay (another process, a
 * timer). Sections of sizes have a few dozen round trips each, which say next to nothing of a tail:
 * so what they have in common is estimated from all together.
 *
 * 1. What goes with the size is the fit's error and no noise: sections where neighbours in size are
 *    alike (Bartels's test) are levelled first.
 * 2. Sections next to each other whose residuals are of one distribution (Kolmogorov and Smirnov),
 *    in seconds or relative, are one sample.
 * 3. Rare: what is over RARE deviations late, measured above the median, where fewer than a fifth
 *    are. Fewer than RARE_LEAST in all say nothing, and are told. Those that follow each other are
 *    one event: something else ran then, and it is warned of. How long: of all together, in seconds
 *    or relative, whichever scatters less; none longer than RARE_LEAST were. How likely: relative
 *    delays belong to messages, and all have the same chance. Delays of so many seconds whatever
 *    the message belong to time: they come at a rate, and hit what is under way, or begins while
 *    one lasts, which in a program happens to one message of many in a row. A section that has FEW
 *    or more, and more than chance would give it, keeps its own number.
 * 4. The rest, the body, is a mixture of normals. Its mean is 1: a program adds up messages, sums
 *    keep means, and the run without noise is the sum without rare delays, which the fit leaves
 *    out. Delays come on top.
 * 5. A round trip is two messages. Its scatter is taken for that of each, as processors that sleep
 *    do so for both; a delay for that of one of them. */
#include "network_noise_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Less likely than that, a delay is none; a component's mean is no less of the message's time. By
 * choice: neither is seen in a prediction. */
static const double NEVER = 1e-6, MEAN_LEAST = 0.05;
/* What is drawn is no less of its component's mean (src/mp/noise/noise.c). */
static const double DRAWN_LEAST = 0.01;

/* A mixture of residuals, of mean 0 in its unit, as factors of a message of section j. */
static void section_put(struct work *w, int j, const struct fit_mixture *m, int relative)
{
	struct section *s = &w->section[j];
	struct net_noise *out = &w->f->noise[j];
	double unit = 0;

	for (size_t i = s->first; i < s->first + s->n; i++)
		unit += (relative ? w->r[i].fitted : 1) / w->r[i].alone / (double)s->n;
	out->from = s->from;
	out->m = *m;
	for (int k = 0; k < m->n; k++) {
		out->m.mean[k] = fmax(1 + m->mean[k] * unit, MEAN_LEAST);
		out->m.sigma[k] = m->sigma[k] * unit;
	}
	if (out->rare > NEVER) {
		double message = 0;

		for (size_t i = s->first; i < s->first + s->n; i++)
			message += (w->f->rare.relative ? w->r[i].fitted : 1) / w->r[i].alone /
			           (double)s->n;
		out->rare_mean = 1 + w->f->rare.mean * message;
		out->rare_sigma = w->f->rare.sigma * message;
	}
}

/* The mean of what is drawn. */
static double drawn_mean(const struct fit_mixture *m)
{
	double sum = 0;

	for (int k = 0; k < m->n; k++) {
		double least = DRAWN_LEAST * m->mean[k], s = m->sigma[k],
		       z = s > 0 ? (least - m->mean[k]) / s : -INFINITY;
		double below = 0.5 * erfc(-z / sqrt(2)),
		       density = s > 0 ? exp(-z * z / 2) / sqrt(2 * acos(-1)) : 0;

		sum += m->weight[k] * (least * below + m->mean[k] * (1 - below) + s * density);
	}
	return sum;
}

static void centre(struct fit_mixture *m)
{
	double mean = drawn_mean(m);

	for (int k = 0; k < m->n; k++) {
		m->mean[k] /= mean;
		m->sigma[k] /= mean;
	}
}

static int body_fit(struct work *w, int a, int b, struct err *err)
{
	int relative = w->section[a].relative;
	size_t n = body_take(w, a, b, relative, 0, w->some);
	struct fit_mixture m;
	double mean = 0;

	if (fit_mixture_find(w->some, n, &m, err) < 0)
		return -1;
	for (int k = 0; k < m.n; k++)
		mean += m.weight[k] * m.mean[k];
	for (int k = 0; k < m.n; k++)
		m.mean[k] -= mean;
	for (int j = a; j <= b; j++) {
		section_put(w, j, &m, relative);
		centre(&w->f->noise[j].m);
	}
	return 0;
}

static void residuals_take(const struct net_raw *raw, struct work *w)
{
	for (uint32_t i = 0; i < raw->n; i++) {
		const struct net_row *r = &raw->rows[i];
		struct residual *to = &w->r[w->n];

		if (r->op != NET_PINGPONG || r->local || r->far || !net_is_decided(w->f, r->size))
			continue;
		*to = (struct residual){.size = r->size > 0 ? r->size : 1, .start = r->start};
		to->fitted = net_fit_pingpong(w->f, to->size);
		to->late = r->duration / 2 - to->fitted;
		to->alone = net_fit_alone(w->f, to->size);
		w->n++;
	}
	qsort(w->r, w->n, sizeof *w->r, residual_by_size);
}

static int noise_find(struct work *w, struct err *err)
{
	if (bimodal_look(w, err) < 0)
		return -1;
	drift_look(w);
	sections_cut(w);
	residuals_level(w);
	for (int a = 0; a < w->sections;)
		a = group_find(w, a);
	rare_fit(w);
	for (int a = 0; a < w->sections; a = w->section[a].last + 1)
		if (body_fit(w, a, w->section[a].last, err) < 0)
			return -1;
	w->f->n_noise = w->sections;
	return 0;
}

int net_noise_fit(const struct net_raw *raw, struct net_fit *f, struct err *err)
{
	size_t room = (size_t)raw->n + 2;
	struct work w = {.f = f};
	int r;

	w.r = malloc(room * sizeof *w.r);
	w.some = malloc(3 * room * sizeof *w.some);
	w.at = malloc(room * sizeof *w.at);
	if (w.r && w.some && w.at) {
		w.other = w.some + room;
		w.third = w.other + room;
		residuals_take(raw, &w);
		r = noise_find(&w, err);
	} else {
		r = err_nomem(err, "residuals", room * sizeof *w.r);
	}
	free(w.at);
	free(w.some);
	free(w.r);
	return r;
}
