/* assemble.h: calls put together from what TAU and Paraver tell of them: when a function was
 * entered and left, which messages went out and came in while it ran, and how much a collective
 * moved. What they do not tell is which request a call waited for: a message that comes in belongs
 * to the oldest receive that is posted and has none yet; a waitall leaves nothing outstanding:
 * receives without a message were from MPI_PROC_NULL; but where nothing came in, and something was
 * sent, it may have been for that alone: a message that comes in when no other receive is posted
 * belongs to the oldest of these. A wait in which nothing came in is for the oldest send or
 * collective. Read twice, so that a receive is put where it was posted, with what it got.
 *
 * Where instructions are counted of some computations, the others are taken to have as many a
 * second as those of all ranks together: volumes of one trace have one unit. */
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
	/* Posts without a message; requests of sends and collectives that nothing waited for yet:
	 * queues, oldest first. */
	struct assemble_queue {
		int64_t *item;
		uint32_t at, n, cap;       /* n of them, from `at` on */
	} waiting, sends, aside;           /* aside: posts that a waitall for sends may have left */
	int64_t requests;                  /* numbers given to sends */
	struct assemble_message *in, *out; /* of the call under way */
	uint32_t n_in, cap_in, n_out, cap_out;
	int op;         /* of the call under way: foreign_op */
	uint8_t starts; /* it starts the collective op */
	uint32_t depth;
	int64_t left;        /* ns; -1: no call yet */
	int64_t paused;      /* ns of what follows, not the program's own */
	double instructions; /* since then; -1: not counted */
	struct foreign_coll coll;
	uint8_t has_size, ended;
};
struct assemble {
	struct foreign *f;
	struct assemble_rank *rank;
	double counted_ns, counted; /* time of computations with instructions, and these */
};
int assemble_new(struct assemble *a, struct foreign *f, struct err *err);
void assemble_release(struct assemble *a);
/* Each pass. */
void assemble_begin(struct assemble *a);
int assemble_end(struct assemble *a, struct err *err);

/* foreign_op of a name up to a blank, '(' or the end; + ASSEMBLE_STARTS: it starts this
 * collective. */
enum { ASSEMBLE_STARTS = 1 << 12 };
int assemble_op(const char *name);
/* So long the tool was at its own work since the last call. */
void assemble_pause(struct assemble *a, uint32_t rank, int64_t ns);
int assemble_enter(struct assemble *a, uint32_t rank, int op, int64_t ns, struct err *err);
int assemble_leave(struct assemble *a, uint32_t rank, int64_t ns, struct err *err);
/* While a call runs. */
int assemble_sent(struct assemble *a, uint32_t rank, const struct assemble_message *m,
                  struct err *err);
int assemble_received(struct assemble *a, uint32_t rank, const struct assemble_message *m,
                      struct err *err);

#endif
