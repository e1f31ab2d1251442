/* chapter_int.h: what the files that read a chapter have in common. */
#ifndef ORRERY_TRACE_CHAPTER_INT_H
#define ORRERY_TRACE_CHAPTER_INT_H

#include "chapter.h"
#include "trace/trace_int.h"

#define RUNS_MOST (UINT64_C(1) << 48)

struct reading {
	struct chapter *c;
	const uint8_t *p, *end;
	const char *name;
	struct err *err;
};

/* chapter_values.c */
int damaged(const struct reading *r, const char *what);
/* A checked column of n values of a field, unfolded if u is not NULL. */
int values_check(struct reading *r, enum call_field f, const uint8_t *p, const struct unfolded *u,
                 uint64_t n);

#endif
