/* path.c: see schedule_int.h. */
#include "schedule_int.h"

void path_init(struct path *p, const struct trace_schedule *s, const double *unit, double second)
{
	double most = 0;

	for (uint32_t i = 0; i < s->ranks; i++)
		most = unit[i] > most ? unit[i] : most;
	most *= s->computing * second;
	/* less than all: each computation may be rounded up */
	p->units = most > 0 ? (double)(UINT32_MAX - s->n_ops) / most : 0;
}

double path_dates(const struct path *p, uint32_t path)
{
	return p->units > 0 ? path / p->units : 0;
}
