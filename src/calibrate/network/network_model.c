/* network_model.c: what a fit says: durations by size, as the model adds them up. */
#include "network_int.h"

#include <math.h>

/* s: no clock tells shorter times apart, and measurements are divided by it. */
static const double TIME_LEAST = 1e-9;

void net_warn(struct net_fit *f, const char *text)
{
	if (f->warnings.n < NET_WARNINGS)
		str_printf(&f->warnings, "%s\n", text);
}

double net_table_value(const struct net_table *t, double size)
{
	int i = t->n - 1;

	while (i > 0 && size <= t->piece[i].from)
		i--;
	return t->n == 0 || size <= t->piece[i].from
	           ? 0
	           : t->piece[i].base + t->piece[i].per_byte * size;
}

double net_wire(const struct net_fit *f, double size)
{
	return size > f->burst ? (size - f->burst) / f->bandwidth : 0;
}

double net_fit_alone(const struct net_fit *f, double size)
{
	return fmax(net_table_value(&f->transfer, size) + net_wire(f, size), f->latency);
}

double net_asked_from(const struct net_fit *f)
{
	double from = f->eager > CONTROL ? fmin(f->eager, f->detached) : f->detached;

	return f->ordered && from > CONTROL ? from : INFINITY;
}

/* The threshold is above low, and no more than at. Where it was hardly looked for, what is between
 * is most of what is known. */
static int is_between(double low, double at, double size)
{
	static const double WIDE = 2; /* times low */

	return low < size && size < at && at <= WIDE * low;
}

int net_is_decided(const struct net_fit *f, double size)
{
	return !is_between(f->detached_low, f->detached, size) &&
	       !(f->ordered && is_between(f->eager_low, f->eager, size));
}

size_t net_decided(const struct net_fit *f, double *x, double *y, size_t n)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		double size = x[i], seconds = y[i];

		if (!net_is_decided(f, size))
			continue;
		x[i] = x[k];
		y[i] = y[k];
		x[k] = size;
		y[k++] = seconds;
	}
	return k;
}

double net_fit_pingpong(const struct net_fit *f, double size)
{
	double t = net_table_value(&f->transfer, size) + net_wire(f, size);

	if (size < f->detached)
		t += net_table_value(&f->os, size) + net_table_value(&f->or_, size);
	if (size >= net_asked_from(f))
		t += 2 * net_fit_pingpong(f, CONTROL);
	return fmax(t, TIME_LEAST);
}
