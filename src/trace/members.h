/* members.h: the place of a world rank among the members of a communicator. Most lists rise
 * (MPI_Comm_dup; MPI_Comm_split with ranks as keys): these are searched by halves, as it is asked
 * for each call of each rank; others one by one. */
#ifndef ORRERY_TRACE_MEMBERS_H
#define ORRERY_TRACE_MEMBERS_H

#include <stdint.h>

static inline int members_rise(const int32_t *member, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		if (member[i] <= member[i - 1])
			return 0;
	return 1;
}

/* Its place, or -1. */
static inline int32_t members_find(const int32_t *member, uint32_t n, int rise, int32_t rank)
{
	uint32_t low = 0, high = n;

	while (rise && low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (member[mid] < rank)
			low = mid + 1;
		else
			high = mid;
	}
	while (!rise && low < n && member[low] != rank)
		low++;
	return low < n && member[low] == rank ? (int32_t)low : -1;
}

#endif
