/* looks.h: requests that a test found complete, and at which the program looked again (complete.c).
 *
 * The tracer writes later looks as if the request were still outstanding. So where one number is
 * completed several times in a row, without an event that gives it anew, the program would have
 * gone on without the request at all of these but the last: the others are turned into tests that
 * do not say what they completed. */
#ifndef ORRERY_TRACE_LOOKS_H
#define ORRERY_TRACE_LOOKS_H

#include "trace/trace_int.h"

/* A test at a line, one of the requests that it completed, and that a later line looks at again. */
struct look {
	uint64_t line;
	int64_t req;
};
struct looks {
	struct hash64 number; /* request -> its place in tested */
	uint64_t *tested;     /* line of the test that completed it last; 0: none */
	struct look *again;
	int64_t *scratch;
	uint32_t n_tested, cap_tested, n, cap, cap_scratch;
	uint32_t next; /* of again: what is not before the line being copied */
};

void looks_init(struct looks *k);
void looks_release(struct looks *k);
/* The event of a line; lines in their order. */
int looks_note(struct looks *k, const struct trace_event *ev, uint64_t line, struct err *err);
/* All lines are noted. */
void looks_sort(struct looks *k);
/* The event of a line, lines in their order: 1 if it is another one now, which is in *text; 0 if
 * not; -1. */
int looks_apply(struct looks *k, uint64_t line, uint32_t rank, const struct trace_event *ev,
                struct str *text, struct err *err);
/* The requests that a wait or a test completed; of a test of one, which has none in a list, too. */
const int64_t *event_completes(const struct trace_event *ev, int64_t *n);
/* A test, as a test of those requests that are looked at again later, which does not say what it
 * completed, and, if there are others that it completed, one of the rest, as it was: how many, 1 or
 * 2. scratch: room for 2 n_reqs + n_done numbers. */
int test_split(const struct trace_event *ev, int (*is_again)(const void *self, int64_t req),
               const void *self, int64_t *scratch, struct trace_event out[2]);

#endif
