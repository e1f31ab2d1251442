/* agenda.c: see schedule_int.h.
 *
 * A date is in the part that is numbered by the highest bit in which it differs from the last date
 * that came out; part 0 has that date itself. Equal dates are therefore always in one part, in the
 * order in which they were put in. */
#include "schedule_int.h"

#include <stdlib.h>

int agenda_grow(struct agenda *a, struct agenda_part *p, struct err *err)
{
	struct happening_at *item;

	if (p->cap == 0 && a->n_spare > 0) {
		*p = a->spare[--a->n_spare];
		return 0;
	}
	item = vec_grow(p->item, &p->cap, sizeof *item, (size_t)p->n + 1, "events", err);
	if (!item)
		return -1;
	p->item = item;
	return 0;
}

/* Of a part that is used up. */
static void room_spare(struct agenda *a, struct agenda_part *p)
{
	if (p->cap > 0)
		a->spare[a->n_spare++] = (struct agenda_part){.item = p->item, .cap = p->cap};
	*p = (struct agenda_part){0};
}

/* The least date, and whether there is another one. */
static uint64_t least_of(const struct agenda_part *p, int *all)
{
	uint64_t least = p->item[0].date, most = least;

	for (uint32_t i = 1; i < p->n; i++) {
		least = p->item[i].date < least ? p->item[i].date : least;
		most = p->item[i].date > most ? p->item[i].date : most;
	}
	*all = least == most;
	return least;
}

int agenda_advance(struct agenda *a, struct err *err)
{
	struct agenda_part *p, least;
	int all;

	if (a->taken < a->part[0].n)
		return 1;
	a->part[0].n = a->taken = 0;
	if (!a->filled)
		return 0;
	p = &a->part[__builtin_ctzll(a->filled) + 1];
	a->filled &= a->filled - 1;
	a->last = least_of(p, &all);
	least = *p;
	*p = (struct agenda_part){0};
	if (all) {
		room_spare(a, &a->part[0]);
		a->part[0] = least;
		return 1;
	}
	for (uint32_t i = 0; i < least.n; i++)
		if (agenda_add(a, &least.item[i], err) < 0) {
			free(least.item);
			return -1;
		}
	room_spare(a, &least);
	return 1;
}

void agenda_release(struct agenda *a)
{
	for (size_t i = 0; i < sizeof a->part / sizeof *a->part; i++)
		free(a->part[i].item);
	for (uint32_t i = 0; i < a->n_spare; i++)
		free(a->spare[i].item);
}
