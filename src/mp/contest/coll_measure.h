/* coll_measure.h: how long one call of a collective takes in simulation, alone on the machine, all
 * ranks beginning at date 0. What the selector "automatic" and the comparison of algorithms
 * (src/study) are made of. */
#ifndef ORRERY_MP_COLL_MEASURE_H
#define ORRERY_MP_COLL_MEASURE_H

#include "coll/coll.h"
#include "platform/platform.h"

#include <stdatomic.h>

/* Where the ranks run, under which settings. Only read: several threads may measure on one. */
struct coll_bench {
	const struct platform *platform;
	const struct config *cfg;
	const struct host_id *host; /* of each rank */
	uint32_t p;
	const struct coll_shape *shape; /* of these hosts */
	/* Who chooses the parts of algorithms made of others; NULL: as cfg says. */
	const struct coll_policy *policy;
	/* Once it is not 0, a measurement ends, as an error; NULL: none is told to. */
	const atomic_int *stop;
};

/* A call of `bytes`: the whole buffer of bcast, reduce, allreduce, scan, exscan and reduce_scatter
 * (all blocks together); the block of one pair or rank otherwise. Elements of 8 bytes if they fit,
 * else of 4, else of 1; blocks of reduce_scatter differ by one element at most. counts: room for p
 * numbers, which *out points to in vector forms. Root 0, a commutative operator. */
void coll_measure_args(enum coll_kind k, const struct coll_bench *b, int64_t bytes, int64_t *counts,
                       struct coll_args *out);
/* Seconds from the first rank's call to the last one's return, into *seconds; infinity when that is
 * over give_up (HUGE_VAL: whatever it takes). c: algorithm, segment, fanout. */
int coll_measure(const struct coll_bench *b, const struct coll_args *a, const struct coll_choice *c,
                 double give_up, double *seconds, struct err *err);
/* Several choices for one call, with as few simulations as it takes (coll_contest.c). bench and
 * args are copied, what they point to must live on. */
struct coll_contest;
struct coll_contest *coll_contest_new(const struct coll_bench *b, const struct coll_args *a,
                                      struct err *err);
void coll_contest_free(struct coll_contest *c);
/* As coll_measure; NAN: it cannot run, or takes about more than MEASURE_MESSAGES messages. policy:
 * who chooses its parts, NULL: the bench's. */
#define MEASURE_MESSAGES 4e6
int coll_contest_time(struct coll_contest *c, const struct coll_choice *choice,
                      const struct coll_policy *policy, double give_up, double *seconds,
                      struct err *err);
/* How many choices could run and were not measured, so far, as they take more messages than that.
 */
uint32_t coll_contest_large(const struct coll_contest *c);
/* The fastest algorithm for a call, the first of equals. alg NULL: none can be measured. */
int coll_fastest(const struct coll_bench *b, const struct coll_args *a, struct coll_choice *out,
                 double *seconds, struct err *err);

#endif
