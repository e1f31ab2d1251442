/* ready.c: the ranks that can go on at this date, first woken first. */
#include "mp_int.h"

void rank_wake(struct mp *mp, uint32_t rank)
{
	struct rank *r = &mp->ranks[rank];

	if (r->ready)
		return;
	r->ready = 1;
	r->next = NONE;
	mp->ready.n++;
	if (mp->ready.first == NONE)
		mp->ready.first = rank;
	else
		mp->ranks[mp->ready.last].next = rank;
	mp->ready.last = rank;
}

uint32_t ready_pop(struct mp *mp)
{
	uint32_t rank = mp->ready.first, next = mp->ranks[rank].next;

	mp->ready.first = next;
	mp->ready.n--;
	mp->ranks[rank].ready = 0;
	if (mp->many && next != NONE)
		fetch_rank(mp, next);
	return rank;
}
