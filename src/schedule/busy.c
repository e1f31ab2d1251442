/* busy.c: see schedule_int.h. What has begun before a date is known at that date, and so is how
 * much of the time up to it was spent on what: a rank computes as long as one of its processors
 * does; else it is at messages, as long as one works on a message or a message moves that it waits
 * for. */
#include "schedule_int.h"

#include <math.h>
#include <stdlib.h>

int busy_init(struct busy **all, const struct trace_schedule *s, struct err *err)
{
	*all = calloc((size_t)s->ranks + 1, sizeof **all);
	return *all ? 0 : err_nomem(err, "the ranks of a schedule", s->ranks * sizeof **all);
}

static void spend(struct busy *b, double until, double *sum)
{
	if (until > b->upto) {
		*sum += until - b->upto;
		b->upto = until;
	}
}

static void go_on(struct busy *b, double now, struct schedule_result *out)
{
	spend(b, fmin(now, b->computing), &out->computing);
	spend(b, b->moving ? now : fmin(now, b->working), &out->sending);
	b->upto = fmax(b->upto, now);
}

void busy_begin(struct busy *b, int computes, double now, double until, struct schedule_result *out)
{
	double *last = computes ? &b->computing : &b->working;

	go_on(b, now, out);
	*last = fmax(*last, until);
}

void busy_moves(struct busy *b, int more, double now, struct schedule_result *out)
{
	go_on(b, now, out);
	b->moving += (uint32_t)more;
}

void busy_end(struct busy *all, uint32_t ranks, double end, struct schedule_result *out)
{
	for (uint32_t i = 0; i < ranks; i++) {
		spend(&all[i], all[i].computing, &out->computing);
		spend(&all[i], all[i].working, &out->sending);
		out->idle += fmax(0, end - all[i].upto);
	}
}
