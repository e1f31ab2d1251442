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
/* Its rank looks for it in a nap: what it owes is paid from the date `from` on, or from now on if
 * that is past. Returns the date until which the rank is busy with it, or `from`. */
double task_begins_to_pay(struct mp *mp, uint32_t id, double from);
/* Its rank looks for it or for another in a row of naps (MPI_Testany, MPI_Testsome): as in a wait
 * for one of several, what it owes is paid from the first of them on if it is the one. */
void task_looks(struct mp *mp, uint32_t id);
/* Until when a rank that looks pays for one of the collectives that it looks for. */
double looks_busy(const struct mp *mp, const struct op *op);
/* It is the one: s that are left to be paid. */
double task_found(struct mp *mp, uint32_t id);
/* Another one is: all is owed still. */
void task_passed_over(struct mp *mp, uint32_t id);
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

#endif
