/* tune_int.h: what the files of tune.c share. */
#ifndef ORRERY_STUDY_TUNE_INT_H
#define ORRERY_STUDY_TUNE_INT_H

#include "study.h"

/* The best for one operation, by ranks, then bytes (as in coll_measure_args); and the best of those
 * that any communicator can run: MPICH's of two levels want one that spans hosts. alg NULL: it was
 * not measured, and the library decides. */
struct tuned {
	enum coll_kind kind;
	const struct sizes *ranks, *bytes;
	struct coll_choice *best, *of_any;
};
static inline const struct coll_choice *tuned_at(const struct tuned *t, uint32_t ranks,
                                                 uint32_t bytes)
{
	return &t->best[(size_t)ranks * t->bytes->n + bytes];
}
static inline const struct coll_choice *tuned_of_any(const struct tuned *t, uint32_t ranks,
                                                     uint32_t bytes)
{
	return &t->of_any[(size_t)ranks * t->bytes->n + bytes];
}
static inline int choice_equal(const struct coll_choice *a, const struct coll_choice *b)
{
	return a->alg == b->alg && a->segment == b->segment && a->fanout == b->fanout;
}

/* The algorithms that the library has for an operation, with the parameters worth trying; returns
 * how many (at most CANDIDATES_MAX). */
enum { CANDIDATES_MAX = 64 };
uint32_t candidates_ompi(enum coll_kind k, struct coll_choice *out);
uint32_t candidates_mpich(enum coll_kind k, int new_names, struct coll_choice *out);

int is_of_two_levels_mpich(const struct coll_choice *c);

void tune_write_ompi(const struct tuned *t, uint32_t n, const char *head,
                     const struct tune_extent *extent, struct str *out);
int tune_write_mpich(const struct tuned *t, uint32_t n, int new_names, struct str *out,
                     struct err *err);

#endif
