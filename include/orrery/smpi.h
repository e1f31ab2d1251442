/* orrery/smpi.h: what a program that is simulated may say about itself, under the names of
 * SimGrid's SMPI: loops of which a part is run and the rest is its mean, computations given by
 * their amount, memory that is folded.
 *
 *   SMPI_SAMPLE_LOCAL(int i = 0, i < n, i++, 100, 0.01)
 *   {
 *           work(i);
 *   }
 *
 * runs the body until it was measured 100 times, or at least twice and its mean is known to 1 %
 * (the standard error over the mean), and lets the rest of the loop take the mean each. The body
 * may not call MPI, nor have results that matter. ORRERY_SAMPLE(init, end, iteration, precision)
 * stops where the 95 % confidence interval of the mean is within the precision, of which at least 5
 * are measured.
 *
 * Without `orrery run` all of it is as if it were not there: loops run whole, amounts are ignored
 * and the body is run, memory is malloc's. Nothing is to be linked. C (GNU) and C++.
 *
 * Of SMPI_SAMPLE_GLOBAL each rank has measurements of its own, too. Iterations that are run count
 * as what they took; only those left out take the mean. */
#ifndef ORRERY_SMPI_H
#define ORRERY_SMPI_H

#include <stddef.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

struct orrery_sample {
	void *data;
	double start;
	unsigned long left_out;
};

/* In the MPI library of `orrery run`; absent elsewhere. */
#define ORRERY_THERE __attribute__((weak))
ORRERY_THERE void smpi_execute(double seconds);
ORRERY_THERE void smpi_execute_flops(double flops);
ORRERY_THERE void smpi_execute_benched(double seconds);
ORRERY_THERE void smpi_execute_flops_benched(double flops);
ORRERY_THERE struct orrery_sample orrery_sample_open(const char *file, const char *tag, int line,
                                                     int count, double threshold, int interval);
ORRERY_THERE int orrery_sample_next(struct orrery_sample *s); /* 0: enough is known */
ORRERY_THERE void orrery_sample_done(struct orrery_sample *s);
ORRERY_THERE void orrery_sample_close(struct orrery_sample *s);
ORRERY_THERE void *smpi_shared_malloc(size_t size, const char *file, int line);
ORRERY_THERE void *smpi_shared_malloc_partial(size_t size, const size_t *offsets, int n,
                                              const char *file, int line);
ORRERY_THERE void smpi_shared_free(void *p);
ORRERY_THERE int smpi_shared_known_call(const char *function, const char *input);
ORRERY_THERE void *smpi_shared_get_call(const char *function, const char *input);
ORRERY_THERE void *smpi_shared_set_call(const char *function, const char *input, void *result);

#ifdef __cplusplus
}
#endif

#define ORRERY_NAME2(name, line) name##line
#define ORRERY_NAME1(name, line) ORRERY_NAME2(name, line)
#define ORRERY_NAME ORRERY_NAME1(orrery_sample_, __LINE__)

#define ORRERY_OPEN(tag, count, threshold, interval) \
	orrery_sample_open \
	    ? orrery_sample_open(__FILE__, tag, __LINE__, count, threshold, interval) \
	    : (struct orrery_sample) \
	{ \
		NULL, 0, 0 \
	}

/* The loop's own parts, with a step before and after its body; what is left out is counted. */
#define ORRERY_LOOP(init, end, iteration, tag, count, threshold, interval) \
	struct orrery_sample ORRERY_NAME = ORRERY_OPEN(tag, count, threshold, interval); \
	for (init; \
	     (end) ? (!ORRERY_NAME.data || orrery_sample_next(&ORRERY_NAME) || __extension__({ \
		     do { \
			     ORRERY_NAME.left_out++; \
			     iteration; \
		     } while (end); \
		     orrery_sample_close(&ORRERY_NAME); \
		     0; \
	     })) \
	           : 0; \
	     (ORRERY_NAME.data ? orrery_sample_done(&ORRERY_NAME) : (void)0), iteration)

#define SMPI_SAMPLE_LOCAL(init, end, iteration, count, threshold) \
	ORRERY_LOOP(init, end, iteration, "", count, threshold, 0)
#define SMPI_SAMPLE_LOCAL_TAG(init, end, iteration, count, threshold, tag) \
	ORRERY_LOOP(init, end, iteration, tag, count, threshold, 0)
#define SMPI_SAMPLE_GLOBAL SMPI_SAMPLE_LOCAL
#define SMPI_SAMPLE_GLOBAL_TAG SMPI_SAMPLE_LOCAL_TAG
#define ORRERY_SAMPLE(init, end, iteration, precision) \
	ORRERY_LOOP(init, end, iteration, "", 0, precision, 1)

/* The body is left out and takes this much. */
#define SMPI_SAMPLE_DELAY(seconds) \
	if (smpi_execute) \
		smpi_execute(seconds); \
	else
#define SMPI_SAMPLE_FLOPS(flops) \
	if (smpi_execute_flops) \
		smpi_execute_flops(flops); \
	else

#define SMPI_SHARED_MALLOC(size) \
	(smpi_shared_malloc ? smpi_shared_malloc(size, __FILE__, __LINE__) : malloc(size))
#define SMPI_PARTIAL_SHARED_MALLOC(size, offsets, n) \
	(smpi_shared_malloc_partial \
	     ? smpi_shared_malloc_partial(size, offsets, n, __FILE__, __LINE__) \
	     : malloc(size))
/* The pointer that the function returns for this input (a string that tells one set of arguments
 * from another): it is called once, and what it returned is given again. Once in each rank, which
 * have no memory in common; in SMPI, whose ranks have, once in all. */
#define SMPI_SHARED_CALL(function, input, ...) \
	(!smpi_shared_known_call ? (void *)(function)(__VA_ARGS__) \
	 : smpi_shared_known_call(#function, input) \
	     ? smpi_shared_get_call(#function, input) \
	     : smpi_shared_set_call(#function, input, (void *)(function)(__VA_ARGS__)))

#define SMPI_SHARED_FREE(p) (smpi_shared_free ? smpi_shared_free(p) : free(p))

#endif
