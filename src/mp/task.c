/* task.c: the pool of collectives under way. */
#include "task_int.h"

#include <stdlib.h>

uint32_t task_new(struct mp *mp, uint32_t rank, struct err *err)
{
	struct task *tasks;
	uint32_t id;

	if (mp->free_task == NONE) {
		tasks = vec_grow(mp->tasks, &mp->tasks_cap, sizeof *tasks, (size_t)mp->n_tasks + 1, "collectives under way", err);
		if (!tasks)
			return NONE;
		mp->tasks = tasks;
		tasks[mp->n_tasks] = (struct task){.rank = NONE};
		mp->free_task = mp->n_tasks++;
	}
	id = mp->free_task;
	mp->free_task = mp->tasks[id].rank;
	mp->tasks[id] = (struct task){.rank = rank, .handle = NONE, .target = NONE};
	waitset_init(&mp->tasks[id].set);
	return id;
}

void task_free(struct mp *mp, uint32_t id)
{
	struct task *t = &mp->tasks[id];

	free(t->copy);
	t->copy = NULL;
	if (t->args.each || t->call == CALL_FILE_CLOSE)
		file_task_ends(mp, t);
	t->alg = NULL;
	t->rank = mp->free_task;
	mp->free_task = id;
}

void tasks_release(struct mp *mp)
{
	uint32_t i;

	for (i = 0; i < mp->n_tasks; i++)
		free(mp->tasks[i].copy);
	free(mp->tasks);
}

double task_take_debt(struct mp *mp, uint32_t id)
{
	double debt = mp->tasks[id].debt;

	mp->tasks[id].debt = 0;
	return debt;
}

double task_volume(const struct mp *mp, uint32_t id)
{
	return mp->tasks[id].volume;
}
