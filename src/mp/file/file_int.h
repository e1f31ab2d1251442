/* file_int.h: what the calls on files and the steps of the collective ones have in common. */
#ifndef ORRERY_MP_FILE_INT_H
#define ORRERY_MP_FILE_INT_H

#include "mp/mp_int.h"

/* Of a step on a file (STEP_FILE): its n. */
enum { WHAT_ASK = 1, WHAT_READ, WHAT_WRITE };

/* A call with holes, until all members have ended it. */
struct file_call {
	struct file_call *next;
	uint32_t number, left, n;
	uint32_t holes; /* a member that has come has pieces between those of others */
	int64_t bytes[];
};

/* collective.c: open, close and what else asks; at the ordered pointer; write_all, read_all */
extern const struct coll_alg file_asked, file_ordered, file_write_all, file_read_all;

#endif
