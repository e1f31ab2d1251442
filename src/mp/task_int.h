/* task_int.h: a collective under way on one rank: a task. What is kept of it is in struct op. */
#ifndef ORRERY_MP_TASK_INT_H
#define ORRERY_MP_TASK_INT_H

#include "mp_int.h"

enum task_wait { TASK_RUNS, TASK_WAITS_ONE, TASK_WAITS_ALL, TASK_WAITS_MEMBERS };
enum task_stage { TASK_BEGINS, TASK_WAITS, TASK_TURNS, TASK_PAYS };

/* Who made a collective for a purpose of its own, and takes part in it. */
struct task_owner {
	/* A step of the owner's (STEP_FILE) begins; the task waits for its request. */
	int (*step)(struct mp *mp, uint32_t task, const struct coll_step *s, struct err *err);
	void (*ends)(struct mp *mp, const struct op *t);
};

/* What the ranks of a collective have in common, as far as they called it alike. */
struct task_args {
	struct coll_args args; /* first: a pointer to it is one to this */
	const struct coll_alg *alg;
	const struct task_owner *owner; /* NULL: the program */
	void *copy;                     /* counts of a non-blocking call, or NULL */
	struct task_args *next;
	uint32_t holders;
	uint8_t may_be_long; /* its messages may be more than are simulated of a ring (period.c) */
};

static inline struct task_args *args_of(const struct op *t)
{
	return (struct task_args *)t->args;
}

/* Tasks of one collective that wait for those of all other members of its communicator, in the
 * order of coming: each has the next one in its `target`. */
struct members {
	uint32_t first, last, n; /* NONE, NONE, 0: nobody has come */
};

/* A collective that the model decides as a whole, until it ends (whole.c). */
struct whole {
	struct members come;
	double sent, received; /* bytes, as net_collective wants them */
	double moved;          /* date at which the last one came */
	struct mp_path path;   /* to that date */
};

/* task.c */
/* A task in the record of an operation that has begun, */
int task_begin(struct mp *mp, struct op *op, struct err *err);
/* or in a record of its own. NONE on error. */
uint32_t task_new(struct mp *mp, uint32_t rank, enum mp_call call, struct err *err);
void task_free(struct mp *mp, uint32_t id);       /* the record too, unless it is its operation's */
void task_share_args(struct mp *mp, uint32_t id); /* its arguments are complete */
void task_row_drop(struct op *t);                 /* its receives without requests (row.c) */
void tasks_release(struct mp *mp);
/* It goes on in the next call of its rank. */
int task_stall(struct mp *mp, uint32_t id, struct err *err);
double task_take_debt(struct mp *mp, uint32_t id); /* s, now paid */
/* Its rank looks for it in a nap: what it owes is paid from now on. */
void task_begins_to_pay(struct mp *mp, uint32_t id);
/* Its rank waits for it or for another: what it owes is paid from now on if it is the one, */
void task_may_pay(struct mp *mp, uint32_t id);
/* which is told at the end. Returns the date until which the rank is busy with it. */
double task_pays(struct mp *mp, uint32_t id, int picked);
void task_forget(struct mp *mp, struct op *t, uint32_t r); /* it has been waited for */
/* While all are waited for: the first of them, as far as they are complete and have been noted. */
void task_forget_first(struct mp *mp, struct op *t);
double task_volume(const struct mp *mp, uint32_t id);
/* It waits for the other members. 1: all are there now. */
int members_enter(struct mp *mp, struct members *m, uint32_t task);

/* coll_call.c: collectives, and other calls that all members of a communicator make and that work
 * like one. */
struct coll_form {
	const struct coll_alg *alg; /* NULL: as the policy says */
	enum mp_call call;          /* how all members call it */
	const struct task_owner *owner;
	int nonblocking;
};
int coll_begin(struct mp *mp, uint32_t rank, struct mp_comm comm, const struct coll_args *a,
               double volume, const struct coll_form *form, struct err *err);
int icoll_begin(struct mp *mp, uint32_t rank, struct mp_comm comm, const struct coll_args *a,
                double volume, const struct coll_form *form, struct mp_request *out,
                struct err *err);

/* An operation under way becomes such a call: sets op->task. */
int coll_join(struct mp *mp, struct op *op, struct mp_comm comm, const struct coll_args *a,
              double volume, const struct coll_form *form, struct err *err);

/* coll_exec.c */
op_fn task_background; /* as task_run, of one whose call has returned; 0, -1 */
int task_run(struct mp *mp, uint32_t id, struct err *err);   /* goes on: enum mp_status */
int coll_go(struct mp *mp, struct op *op, struct err *err);  /* op_fn of the blocking collectives */
int icoll_go(struct mp *mp, struct op *op, struct err *err); /* and of the others */
int task_complete(struct mp *mp, uint32_t id,
                  struct err *err); /* the request of a non-blocking collective is complete */

/* segments.c. A step that is a send or a receive becomes one with what its rank posted before: 1,
 * or 0: it is to be posted. */
int send_joins(struct mp *mp, uint32_t task, const struct coll_step *s);
int receive_joins(struct mp *mp, struct op *t, const struct coll_step *s);
/* A receive that is matched stands for others that arrive with it; one of them has been waited
 * for. */
int receive_has_more(const struct mp *mp, uint32_t r);
void receive_give_one(struct mp *mp, struct op *t, uint32_t r);

/* The overhead of a segment, `seconds`, is added to what the rank owes: 1; 0: to be paid now. */
int segment_owed(struct mp *mp, struct op *t, double bytes, double seconds);
/* What the rank owes for segments, s: to be paid now. */
double segments_due(const struct mp *mp, struct op *t);

/* row.c: receives that need no request */
/* A step becomes a receive of its rank's row: 1; 0: it is to be a request; -1. */
int row_post(struct mp *mp, struct op *t, const struct coll_step *s, struct err *err);
/* The outstanding request of this number is of the row, and waited for from now on. */
int row_waits_one(struct op *t, uint32_t number);
uint32_t row_pending(const struct op *t); /* of those waited for: not come */
/* The task blocks, and does not wait for all: its row must not have been posted before. */
int row_blocks(struct mp *mp, struct op *t, struct err *err);
void row_forget_one(struct op *t); /* it has been waited for */
void row_forget(struct op *t);     /* all have */

/* whole.c */
void wholes_init(struct mp *mp);
int whole_go(struct mp *mp, uint32_t task, struct err *err); /* as task_run */
int whole_end(struct mp *mp, uint32_t id, struct err *err);  /* its time is over */
uint32_t whole_absent(
    const struct mp *mp,
    uint32_t task); /* the first member that a task waits for: a world rank, or NONE */
void wholes_release(struct mp *mp);

/* period.c */
void periods_init(struct mp *mp);
/* Whether a call on so many ranks has to ask ring_go before each round. */
int ring_may_be_long(const struct mp *mp, const struct coll_args *a);
/* The task has done a round, or waits for the other members: MP_DONE if it is to go on. */
int ring_go(struct mp *mp, uint32_t task, struct err *err);
int period_end(struct mp *mp, uint32_t id, struct err *err); /* its time is over */
void periods_release(struct mp *mp);

#endif
