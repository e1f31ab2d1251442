/* kernel_hosts.c: how hosts differ that run the same kernel: which stand apart (apart.h), and what
 * the rest, days and calls scatter by, as Cornebize (2021, chapter 4) tells them: between hosts,
 * between sessions of a host, from call to call.
 *
 * What is usual for a call is the median of all calls of its size, where hosts were measured with
 * the same sizes: no error of a model is taken for a host's. Else it is a model of all calls. A
 * host's value is the logarithm of what all its calls took over what is usual for them: long calls
 * count for what they take. One for each session; what a session of half of the hosts or more has
 * in common (a warm day) is taken off. What differs between sessions of a host is its error: calls
 * of one session may have anything in common. */
#include "fit/fit.h"
#include "kernel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of all calls: sizes that so many belong to say what is usual. */
static const double COMMON = 0.9;
/* Fewer have no deviation to speak of. */
enum { OWN_LEAST = 3 };

struct call {
	double m, n, k, duration, usual; /* usual 0: not known */
	uint32_t host, session;
};
/* A host in a session. */
struct cell {
	uint32_t host, session, calls;
	double duration, usual, squares; /* squares: of what calls are off by */
	double value;
};
struct comparing {
	struct call *call;
	struct cell *cell;
	double *some;
	uint32_t n, cells, hosts;
};

/* --- what is usual --- */

static int by_size(const void *a, const void *b)
{
	const struct call *p = a, *q = b;

	if (p->m != q->m)
		return p->m < q->m ? -1 : 1;
	if (p->n != q->n)
		return p->n < q->n ? -1 : 1;
	if (p->k != q->k)
		return p->k < q->k ? -1 : 1;
	return (p->host > q->host) - (p->host < q->host);
}

static uint32_t size_end(const struct comparing *w, uint32_t i)
{
	const struct call *c = &w->call[i];

	while (i < w->n && w->call[i].m == c->m && w->call[i].n == c->n && w->call[i].k == c->k)
		i++;
	return i;
}

/* Of calls sorted by size: medians, of sizes that half of the hosts have, and three. Returned: how
 * many calls these are. */
static uint32_t usual_by_size(struct comparing *w)
{
	uint32_t common = 0;

	for (uint32_t i = 0, end; i < w->n; i = end) {
		uint32_t hosts = 0;
		double usual;

		end = size_end(w, i);
		for (uint32_t k = i; k < end; k++) {
			hosts += k == i || w->call[k].host != w->call[k - 1].host;
			w->some[k - i] = w->call[k].duration;
		}
		if (hosts < APART_LEAST || 2 * hosts < w->hosts)
			continue;
		usual = fit_median(w->some, end - i);
		for (uint32_t k = i; k < end; k++)
			w->call[k].usual = usual;
		common += end - i;
	}
	return common;
}

static double modelled(const struct kernel_model *m, const struct call *c)
{
	return m->mean[0] * c->m * c->n * c->k + m->mean[1] * c->m * c->n +
	       m->mean[2] * c->m * c->k + m->mean[3] * c->n * c->k + m->mean[4];
}

static int usual_by_model(struct comparing *w, int model, struct err *err)
{
	struct kernel_data all = {.n = w->n};
	struct kernel_model m;
	int r;

	all.row = calloc((size_t)w->n + 1, sizeof *all.row);
	if (!all.row)
		return err_nomem(err, "calls", w->n * sizeof *all.row);
	for (uint32_t i = 0; i < w->n; i++) {
		const struct call *c = &w->call[i];

		all.row[i] = (struct kernel_row){c->m, c->n, c->k, c->duration, 0, 0};
	}
	r = kernel_fit(&all, 0, model, 0, &m, err);
	for (uint32_t i = 0; r == 0 && i < w->n; i++)
		w->call[i].usual = fmax(modelled(&m, &w->call[i]), 0);
	free(all.row);
	return r;
}

/* --- sessions --- */

static int by_cell(const void *a, const void *b)
{
	const struct call *p = a, *q = b;

	if (p->host != q->host)
		return p->host < q->host ? -1 : 1;
	return (p->session > q->session) - (p->session < q->session);
}

static int by_session(const void *a, const void *b)
{
	const struct cell *p = a, *q = b;

	if (p->session != q->session)
		return p->session < q->session ? -1 : 1;
	return (p->host > q->host) - (p->host < q->host);
}

static int is_of(const struct cell *cell, const struct call *c)
{
	return cell->host == c->host && cell->session == c->session;
}

static void cells_make(struct comparing *w)
{
	qsort(w->call, w->n, sizeof *w->call, by_cell);
	for (uint32_t i = 0; i < w->n; i++) {
		const struct call *c = &w->call[i];
		struct cell *to;

		if (!(c->usual > 0))
			continue;
		if (w->cells == 0 || !is_of(&w->cell[w->cells - 1], c))
			w->cell[w->cells++] = (struct cell){.host = c->host, .session = c->session};
		to = &w->cell[w->cells - 1];
		to->calls++;
		to->duration += c->duration;
		to->usual += c->usual;
	}
	for (uint32_t i = 0; i < w->cells; i++) /* a duration of 0 is next to nothing */
		w->cell[i].duration = fmax(w->cell[i].duration, 1e-9 * w->cell[i].usual);
	for (uint32_t i = 0, at = 0; i < w->n && w->cells; i++) {
		const struct call *c = &w->call[i];
		struct cell *to;
		double off;

		if (!(c->usual > 0))
			continue;
		while (!is_of(&w->cell[at], c))
			at++;
		to = &w->cell[at];
		off = c->duration - to->duration / to->usual * c->usual;
		to->squares += off * off;
	}
}

/* Returned: the deviation of what sessions have in common. */
static double sessions_level(struct comparing *w)
{
	double sum = 0, squares = 0, n = 0;

	qsort(w->cell, w->cells, sizeof *w->cell, by_session);
	for (uint32_t i = 0, end; i < w->cells; i = end) {
		double middle;

		for (end = i; end < w->cells && w->cell[end].session == w->cell[i].session; end++)
			w->some[end - i] = w->cell[end].value;
		if (end - i < APART_LEAST || 2 * (end - i) < w->hosts)
			continue;
		middle = fit_median(w->some, end - i);
		for (uint32_t k = i; k < end; k++)
			w->cell[k].value -= middle;
		n++;
		sum += middle;
		squares += middle * middle;
	}
	return n > 1 ? sqrt(fmax(squares - sum * sum / n, 0) / (n - 1)) : 0;
}

/* --- hosts --- */

struct of_host {
	double sum, squares, calls; /* calls: variance that calls of one session give its value */
	uint32_t n, calls_n;
};

/* The means of sessions; their deviations. */
static void hosts_sum(const struct comparing *w, struct of_host *host)
{
	for (uint32_t i = 0; i < w->cells; i++) {
		const struct cell *c = &w->cell[i];
		struct of_host *to = &host[c->host];
		double n = c->calls;

		to->sum += c->value;
		to->n++;
		to->calls_n += c->calls;
		if (c->calls > 1)
			to->calls += c->squares / (c->duration * c->duration) * n / (n - 1);
	}
	for (uint32_t i = 0; i < w->cells; i++) {
		const struct cell *c = &w->cell[i];
		struct of_host *to = &host[c->host];
		double off = c->value - to->sum / to->n;

		to->squares += off * off;
	}
}

/* What the variance of a host's sessions usually is: a median, which a strange one does not move,
 * over what the median of chi square is of its mean (Wilson and Hilferty). */
static double usual_variance(struct comparing *w, const struct of_host *host,
                             struct kernel_hosts *out)
{
	double all = 0, degrees = 0;
	uint32_t n = 0;

	for (uint32_t h = 0; h < w->hosts; h++) {
		double free = host[h].n - 1.0;

		if (host[h].n < 2)
			continue;
		w->some[n++] = host[h].squares / free / pow(1 - 2 / (9 * free), 3);
		all += host[h].squares;
		degrees += free;
	}
	out->repeated = n;
	out->between_sessions = n ? sqrt(all / degrees) : 0;
	return n ? fit_median(w->some, n) : 0;
}

/* A host whose sessions differ more than is usual has its own deviation, else the usual one; where
 * no host was measured twice, that of its calls. */
static void units_make(struct comparing *w, const struct of_host *host, double usual,
                       struct kernel_hosts *out)
{
	for (uint32_t h = 0; h < w->hosts; h++) {
		const struct of_host *o = &host[h];
		double n = o->n, own = o->n >= OWN_LEAST ? o->squares / (n - 1) : 0;
		struct apart_unit *u = &out->unit[h];

		*u = (struct apart_unit){.value = n > 0 ? o->sum / n : 0, .draws = n};
		if (out->repeated) {
			u->error = sqrt(fmax(own, usual) / fmax(n, 1));
			u->degrees = own > usual ? n - 1 : out->repeated;
		} else if (o->calls_n > 1) {
			u->error = sqrt(o->calls);
			u->degrees = o->calls_n - 1.0;
		}
	}
}

static double calls_deviation(const struct comparing *w)
{
	double squares = 0, usual = 0;
	uint32_t n = 0, cells = 0;

	for (uint32_t i = 0; i < w->n; i++)
		usual += w->call[i].usual * w->call[i].usual;
	for (uint32_t i = 0; i < w->cells; i++) {
		double times = w->cell[i].duration / w->cell[i].usual;

		squares += w->cell[i].squares / (times * times);
		n += w->cell[i].calls;
		cells++;
	}
	return n > cells && usual > 0 ? sqrt(squares / usual * n / (n - cells)) : 0;
}

static int hosts_compare(struct comparing *w, struct kernel_hosts *out, struct err *err)
{
	struct of_host *host = calloc((size_t)w->hosts + 1, sizeof *host);
	uint32_t known = 0;
	double usual;

	if (!host)
		return err_nomem(err, "hosts", w->hosts * sizeof *host);
	cells_make(w);
	for (uint32_t i = 0; i < w->cells; i++)
		w->cell[i].value = log(w->cell[i].duration / w->cell[i].usual);
	out->calls = calls_deviation(w);
	out->in_common = sessions_level(w);
	hosts_sum(w, host);
	usual = usual_variance(w, host, out);
	units_make(w, host, usual, out);
	for (uint32_t h = 0; h < w->hosts; h++)
		known += host[h].n > 0;
	free(host);
	/* a host of which nothing is known stands for nothing */
	return apart_find(out->unit, known == w->hosts ? known : 0, &out->all, err);
}

static int compare(struct comparing *w, const struct kernel_data *d, int model,
                   struct kernel_hosts *out, struct err *err)
{
	w->call = malloc(((size_t)d->n + 1) * sizeof *w->call);
	w->cell = malloc(((size_t)d->n + 1) * sizeof *w->cell);
	w->some = malloc(((size_t)d->n + d->hosts + 1) * sizeof *w->some);
	if (!w->call || !w->cell || !w->some)
		return err_nomem(err, "calls", d->n * sizeof *w->call);
	for (uint32_t i = 0; i < d->n; i++) {
		const struct kernel_row *q = &d->row[i];

		w->call[i] = (struct call){q->m, q->n, q->k, q->duration, 0, q->host, q->session};
	}
	qsort(w->call, w->n, sizeof *w->call, by_size);
	if (usual_by_size(w) < COMMON * w->n && usual_by_model(w, model, err) < 0)
		return -1;
	return hosts_compare(w, out, err);
}

int kernel_hosts_find(const struct kernel_data *d, int model, struct kernel_hosts *out,
                      struct err *err)
{
	struct comparing w = {.n = d->n, .hosts = d->hosts};
	int r;

	*out = (struct kernel_hosts){0};
	out->unit = calloc((size_t)d->hosts + 1, sizeof *out->unit);
	if (!out->unit)
		return err_nomem(err, "hosts", d->hosts * sizeof *out->unit);
	if (d->hosts < APART_LEAST) /* of two, which is the strange one? */
		return 0;
	r = compare(&w, d, model, out, err);
	free(w.call);
	free(w.cell);
	free(w.some);
	if (r < 0)
		kernel_hosts_release(out);
	return r;
}

void kernel_hosts_release(struct kernel_hosts *h)
{
	free(h->unit);
	*h = (struct kernel_hosts){0};
}

/* --- in words --- */

static void host_tell(const struct kernel_data *d, uint32_t h, const struct apart_unit *u,
                      struct str *out)
{
	str_printf(out,
	           "host %s stands apart: calls take %.4g times as long as on the others (95 %% "
	           "interval: %.4g to %.4g; by chance in %.2g of campaigns): it has a model of its "
	           "own, --without %s leaves it out\n",
	           d->host[h], exp(u->off), exp(u->off - u->off_95), exp(u->off + u->off_95), u->p,
	           d->host[h]);
}

void kernel_hosts_tell(const struct kernel_data *d, const struct kernel_hosts *h, struct str *out)
{
	if (d->unused[0])
		str_printf(
		    out,
		    "one model of all: column '%s' would tell hosts apart, and which of them "
		    "are slow (--by %s)\n",
		    d->unused, d->unused);
	for (uint32_t i = 0; i < d->hosts; i++)
		if (h->unit[i].apart)
			host_tell(d, i, &h->unit[i], out);
	if (h->all.apart && !h->repeated)
		str_puts(out, "each host was measured once: whether it is the host, or what was "
		              "else there at that time, only another session tells (--session "
		              "COLUMN)\n");
}
