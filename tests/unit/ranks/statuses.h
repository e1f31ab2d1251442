/* statuses.h: what a status says, for tests of requests. */
#ifndef ORRERY_TESTS_RANKS_STATUSES_H
#define ORRERY_TESTS_RANKS_STATUSES_H

#include "ranks.h"

#define WORLD MPI_COMM_WORLD

/* 3.7.3: the empty status: any source, any tag, no error, no elements, not cancelled. */
static inline void is_empty(const MPI_Status *s)
{
	MPI_Count n = -1;
	int cancelled = -1;

	assert_int_equal(s->MPI_SOURCE, MPI_ANY_SOURCE);
	assert_int_equal(s->MPI_TAG, MPI_ANY_TAG);
	OK(orr_Get_count(s, MPI_INT, &n));
	assert_int_equal(n, 0);
	OK(orr_Get_elements(s, MPI_DOUBLE, &n));
	assert_int_equal(n, 0);
	OK(orr_Test_cancelled(s, &cancelled));
	assert_false(cancelled);
}

static inline void is_of(const MPI_Status *s, int source, int tag, int bytes)
{
	MPI_Count n;

	assert_int_equal(s->MPI_SOURCE, source);
	assert_int_equal(s->MPI_TAG, tag);
	OK(orr_Get_count(s, MPI_BYTE, &n));
	assert_int_equal(n, bytes);
}

#endif
