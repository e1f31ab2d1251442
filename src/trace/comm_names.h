/* comm_names.h: communicators of a simulated run get the names that a traced run gives them: the
 * world rank of the first member, and how many that one has made before (tracer/comms.h).
 *
 * While it runs, each member names a new communicator by itself, with a number that nobody counted:
 * a message that told the count would take simulated time. The count is that of the events of the
 * first member, in their order; when all ranks were counted, any of them can be renamed. */
#ifndef ORRERY_TRACE_COMM_NAMES_H
#define ORRERY_TRACE_COMM_NAMES_H

#include "compressed/bundle.h"

struct comm_names {
	struct hash64 made; /* name -> how many its first member had made before */
	uint32_t count;     /* of the rank that is being counted */
};
void comm_names_init(struct comm_names *n);
void comm_names_release(struct comm_names *n);
void comm_names_begin(struct comm_names *n);
/* The next event of the rank. */
int comm_names_event(struct comm_names *n, uint32_t rank, const struct trace_event *ev,
                     struct err *err);
/* The next chapter of the rank, of it alone. */
int comm_names_bundle(struct comm_names *n, const struct bundle *b, struct err *err);
/* What a communicator is called; one that was not counted keeps its name. */
uint64_t comm_names_find(const struct comm_names *n, uint64_t comm);
void comm_names_rename_event(const struct comm_names *n, struct trace_event *ev);
void comm_names_rename_bundle(const struct comm_names *n, struct bundle *b);

/* restore.c: as trace_folder_restore, with other names (or NULL). */
int folder_restore(const char *dir, const struct comm_names *n, struct err *err);

#endif
