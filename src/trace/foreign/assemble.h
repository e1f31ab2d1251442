/* assemble.h: calls put together from what TAU and Paraver tell of them: when a function was
 * entered and left, which messages went out and came in while it ran, and how much a collective
 * moved. What they do not tell is which request a call waited for: a message that comes in belongs
 * to the oldest receive that is posted and has none yet; a waitall leaves nothing outstanding:
 * receives without a message were from MPI_PROC_NULL; a wait in which nothing came in is for the
 * oldest send. Read twice, so that a receive is put where it was posted, with what it got. */
#ifndef ORRERY_TRACE_ASSEMBLE_H
#define ORRERY_TRACE_ASSEMBLE_H

#include "foreign.h"

struct assemble_message {
	int32_t peer, tag;
	uint32_t comm; /* index */
	int64_t bytes;
};
struct assemble_rank {
	struct assemble_message *post; /* receives: what each got; peer -2: nothing */
	uint32_t posts, cap_posts, next_post;
	uint32_t *waiting; /* posts without a message, oldest first: a ring of them */
	uint32_t n_waiting, cap_waiting;
	int64_t *sends; /* requests of sends that nothing waited for yet */
	uint32_t n_sends, cap_sends;
	int64_t requests;                  /* numbers given to sends */
	struct assemble_message *in, *out; /* of the call under way */
	uint32_t n_in, cap_in, n_out, cap_out;
	int op; /* enum trace_op, or -1 */
	uint32_t depth;
	double left;         /* s; -1: no call yet */
	double instructions; /* since then; -1: not counted */
	struct foreign_coll coll;
	uint8_t has_size, ended;
};
struct assemble {
	struct foreign *f;
	struct assemble_rank *rank;
};
int assemble_new(struct assemble *a, struct foreign *f, struct err *err);
void assemble_release(struct assemble *a);
/* Each pass. */
void assemble_begin(struct assemble *a);
int assemble_end(struct assemble *a, struct err *err);

/* foreign_op of a name up to a blank, '(' or the end. */
int assemble_op(const char *name);
int assemble_enter(struct assemble *a, uint32_t rank, int op, int64_t ns, struct err *err);
int assemble_leave(struct assemble *a, uint32_t rank, int64_t ns, struct err *err);
/* While a call runs. */
int assemble_sent(struct assemble *a, uint32_t rank, const struct assemble_message *m,
                  struct err *err);
int assemble_received(struct assemble *a, uint32_t rank, const struct assemble_message *m,
                      struct err *err);

#endif
