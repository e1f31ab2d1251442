/* profile.h: `orrery trace --profile`: events are counted and timed, and forgotten; at the end
 * there is a page of them. Knows no MPI. */
#ifndef ORRERY_TRACER_PROFILE_H
#define ORRERY_TRACER_PROFILE_H

#include "base/str.h"
#include "trace/trace.h"

/* All doubles, so that ranks are added up, and their least and greatest found, as one array. */
struct profile {
	double calls[TRACE_OPS], seconds[TRACE_OPS], bytes[TRACE_OPS];
	double volume; /* of computations */
};
enum { PROFILE_NUMBERS = sizeof(struct profile) / sizeof(double) };

void profile_add(struct profile *p, const struct trace_event *ev); /* not a computation */
void profile_compute(struct profile *p, double volume, double duration);
/* The page: of all ranks together, and of those with least and most. */
void profile_format(struct str *out, const struct profile *sum, const struct profile *least,
                    const struct profile *most, int ranks);
/* profile_sum.c: collective over the world: its first rank writes the file `dir`/profile, or, if
 * others have spawned it, `dir`/profile-RANK, its own in the trace. 0, or -1 there. */
int profile_write(const struct profile *p, const char *dir, const char *heading, struct err *err);

#endif
