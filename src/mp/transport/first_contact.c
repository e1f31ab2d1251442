/* first_contact.c: see first_contact.h. */
#include "first_contact.h"

#include <math.h>

/* Of a period: dates are sums of others, and a look that is due is not put off for rounding. */
static const double DUE = 1e-9;

double first_contact_enter(struct first_contact *c, double period, double now)
{
	double wait = c->looked + period - now;

	if (wait > DUE * period)
		return wait;
	c->looked = now;
	return 0;
}

double first_contact_next(struct first_contact *c, double period, double now)
{
	double periods = (now - c->looked) / period;

	if (periods < HUGE_VAL)
		c->looked += floor(periods + DUE) * period;
	else /* it has not begun to wait */
		c->looked = now;
	return now - c->looked > DUE * period ? c->looked + period - now : 0;
}
