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

double net_fit_pingpong(const struct net_fit *f, double size)
{
	double t = net_table_value(&f->transfer, size) + net_wire(f, size);

	if (size < f->detached)
		t += net_table_value(&f->os, size) + net_table_value(&f->or_, size);
	if (size >= net_asked_from(f))
		t += 2 * net_fit_pingpong(f, CONTROL);
	return fmax(t, TIME_LEAST);
}
