/* agenda.c: see schedule_int.h.
 *
 * A date is in the part that is numbered by the highest bit in which it differs from the last date
 * that came out; part 0 has that date itself. Equal dates are therefore always in one part, in the
 * order in which they were put in. */
#include "schedule_int.h"

#include <stdlib.h>

int agenda_add(struct agenda *a, const struct happening_at *h, struct err *err)
{
	uint64_t differ = h->date ^ a->last;
	int at = differ ? 64 - __builtin_clzll(differ) : 0;
	struct agenda_part *p = &a->part[at];
	struct happening_at *item = vec_grow(p->item, &p->cap, sizeof *item, (size_t)p->n + 1,
	                                     "events", err);

	if (!item)
		return -1;
	p->item = item;
	item[p->n++] = *h;
	if (at > 0)
		a->filled |= 1ull << (at - 1);
	return 0;
}

int agenda_advance(struct agenda *a, struct err *err)
{
	struct agenda_part *p, least;

	if (a->taken < a->part[0].n)
		return 1;
	a->part[0].n = a->taken = 0;
	if (!a->filled)
		return 0;
	p = &a->part[__builtin_ctzll(a->filled) + 1];
	a->filled &= a->filled - 1;
	least = *p;
	*p = (struct agenda_part){0}; /* what is put in goes below it */
	a->last = least.item[0].date;
	for (uint32_t i = 1; i < least.n; i++)
		if (least.item[i].date < a->last)
			a->last = least.item[i].date;
	for (uint32_t i = 0; i < least.n; i++)
		if (agenda_add(a, &least.item[i], err) < 0) {
			free(least.item);
			return -1;
		}
	least.n = 0;
	*p = least;
	return 1;
}

void agenda_release(struct agenda *a)
{
	for (size_t i = 0; i < sizeof a->part / sizeof *a->part; i++)
		free(a->part[i].item);
}
