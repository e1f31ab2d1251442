/* data.c: who moves the data of messages is told what they are the data of (struct mp_data). With
 * nobody to tell, nothing here is called. */
#include "message.h"
#include "mp/task_int.h"

#include <stdlib.h>

#define LOOK_SECONDS 1e-7 /* a look of a running program */

int mp_set_data(struct mp *mp, const struct mp_data *d, struct err *err)
{
	BUG_ON(mp->ops.n > 0);
	mp->data = d;
	/* The settings' defaults, as in SimGrid, are what lets a loop of looks in a trace end. A
	 * program that runs does what it does between two of them: it is not held up. */
	if (!mp->rules.looks_cost && config_from(mp->cfg, CFG_SMPI_TEST) == CFG_FROM_DEFAULT)
		mp->test_cost = LOOK_SECONDS;
	if (!mp->rules.looks_cost && config_from(mp->cfg, CFG_SMPI_IPROBE) == CFG_FROM_DEFAULT)
		mp->iprobe_cost = LOOK_SECONDS;
	mp->names.task = malloc(sizeof *mp->names.task);
	if (!mp->names.task)
		return err_nomem(err, "data of collectives", sizeof *mp->names.task);
	mp->names.task_cap = 1;
	return 0;
}

void mp_data_next(struct mp *mp, uint64_t send, uint64_t recv)
{
	mp->names.send = send;
	mp->names.recv = recv;
}

void mp_go_on(struct mp *mp, uint32_t rank)
{
	rank_wake(mp, rank);
}

int data_side_tell(struct mp *mp, uint32_t r, struct err *err)
{
	const struct req *q = &mp->reqs[r];

	return mp->data->side(mp->data->self, r,
	                      q->kind == REQ_SEND ? mp->names.send : mp->names.recv, NULL, 0, err);
}

int data_again_tell(struct mp *mp, uint32_t r, uint32_t pattern, struct err *err)
{
	return mp->data->again(mp->data->self, r, pattern, err);
}

int data_meet_tell(struct mp *mp, uint32_t send, uint32_t recv, struct err *err)
{
	const struct req *q = &mp->reqs[send];

	return mp->data->meet(mp->data->self, send, recv, q->rank, q->tag, q->bytes, err);
}

int data_step_side_tell(struct mp *mp, uint32_t task, uint32_t r, const struct coll_step *s,
                        struct err *err)
{
	return mp->data->side(mp->data->self, r, mp->names.task[task], s,
	                      mp->reqs[r].flags & (REQ_DETACHED | REQ_EAGER), err);
}

int data_begins_tell(struct mp *mp, uint32_t task, struct err *err)
{
	const struct op *t = op_at(mp, task);
	uint64_t *p = vec_grow(mp->names.task, &mp->names.task_cap, sizeof *p, (size_t)task + 1,
	                       "data of collectives", err);

	if (!p)
		return -1;
	mp->names.task = p;
	p[task] = mp->names.send;
	return mp->data->begins(mp->data->self, p[task], args_of(t)->alg, t->args, t->me, err);
}

int data_last_tell(struct mp *mp, const struct op *t, struct err *err)
{
	uint32_t task = mp->ranks[t->rank].op; /* its call blocks */

	return mp->data->last(mp->data->self, mp->names.task[task], &t->round, t->step, err);
}

int data_is_there(const struct mp *mp, uint32_t task)
{
	return mp->names.task[task] && mp->data->is_there(mp->data->self, mp->names.task[task]);
}

int data_carry_tell(struct mp *mp, uint32_t from, const struct coll_step *send, uint32_t to,
                    const struct coll_step *recv, struct err *err)
{
	return mp->data->carry(mp->data->self, mp->names.task[from], send, mp->names.task[to], recv,
	                       err);
}

int data_acts_tell(struct mp *mp, uint32_t task, const struct coll_step *s, struct err *err)
{
	return mp->data->acts(mp->data->self, mp->names.task[task], s, err);
}
