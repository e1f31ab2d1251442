/* decision.h: decision tables as text: for each range of communicator sizes, which algorithm
 * for which message sizes.
 *
 * A row reads "8:4 4Ki:3 :6": under 8 bytes algorithm 4, under 4096 algorithm 3, else 6. Numbers
 * are places in the table's own list of algorithms, from 1. Rows are in the order of their bound on
 * p; the last has none (UINT32_MAX), unless the table says "the last row otherwise". */
#ifndef ORRERY_COLL_DECISION_H
#define ORRERY_COLL_DECISION_H

#include "coll/coll_int.h"

struct decision_row {
	uint32_t p_max;
	const char *entries;
};

enum { DECISION_ALGS = 12 };
struct decision {
	const struct coll_alg *algs[DECISION_ALGS]; /* [0] is number 1 */
	const struct decision_row *rows;
	uint8_t inclusive; /* "up to and including 8 bytes" (MVAPICH2) */
};

/* The number that the table gives; the algorithm of that number. */
uint32_t decision_number(const struct decision *d, uint32_t p, int64_t bytes);
const struct coll_alg *decision_choose(const struct decision *d, uint32_t p, int64_t bytes);
/* Is the table well-formed: bounds do not fall (an entry may be dead), numbers have algorithms, the
 * last entry and row have no bound? NULL, or what is wrong. */
const char *decision_check(const struct decision *d);

extern const struct decision *const coll_ompi_tables[],
    *const coll_mpich_tables[], *const coll_nccl_tables[],
                                    *const coll_mvapich2_tables[],
                                        *const coll_impi_tables[]; /* NULL-terminated */

#endif
