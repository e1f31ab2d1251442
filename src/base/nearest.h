/* nearest.h: the known name nearest to one that is not known, for "did you mean …?". Candidates are
 * offered one by one. */
#ifndef ORRERY_BASE_NEAREST_H
#define ORRERY_BASE_NEAREST_H

struct nearest {
	const char *wanted, *best; /* best: NULL while none is near enough (a third of the letters,
	                              at least two; of less than four one) */
	unsigned distance;
};

void nearest_init(struct nearest *n, const char *wanted);
/* One that lacks only '-' or '_' is at no distance, one that goes on behind two letters or more at
 * a distance of one. */
void nearest_offer(struct nearest *n, const char *candidate);
/* Single letters inserted, removed, replaced or swapped with the next (optimal string alignment);
 * capital letters count as small ones, '-' as '_'. Names over 63 letters are infinitely far. */
unsigned name_distance(const char *a, const char *b);

#endif
