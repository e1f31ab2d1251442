/* ready.c: the ranks that can go on at this date, first woken first. */
#include "mp_int.h"

void rank_wake(struct mp *mp, uint32_t rank)
{
	if (mp->ranks[rank].ready)
		return;
	mp->ranks[rank].ready = 1;
	mp->ready.rank[ready_place(mp, mp->ready.n++)] = rank;
}

uint32_t ready_pop(struct mp *mp)
{
	uint32_t rank = mp->ready.rank[mp->ready.first];

	mp->ready.first = ready_place(mp, 1);
	mp->ready.n--;
	mp->ranks[rank].ready = 0;
	if (mp->many && mp->ready.n > 0)
		fetch_ready(mp);
	return rank;
}
