/* task.c: the pool of collectives under way, and their arguments. Most ranks of a collective call it with the same arguments: they share one
 * copy, found among the few that were made last. */
#include "task_int.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct task_args {
	struct coll_args args; /* first: a pointer to it is one to this */
	struct task_args *next;
	uint32_t holders;
};

static struct task_args *args_of(const struct task *t)
{
	return (struct task_args *)t->args;
}

/* For one task; not set. */
static struct coll_args *args_new(struct mp *mp, struct err *err)
{
	struct task_args *p = mp->free_args;

	if (p)
		mp->free_args = p->next;
	else if (!(p = malloc(sizeof *p))) {
		err_nomem(err, "arguments of a collective", sizeof *p);
		return NULL;
	}
	p->args = (struct coll_args){0};
	p->holders = 1;
	return &p->args;
}

static void args_drop(struct mp *mp, struct task_args *p)
{
	if (--p->holders > 0)
		return;
	for (int i = 0; i < ARGS_RECENT; i++) {
		if (mp->recent_args[i] == p)
			mp->recent_args[i] = NULL;
	}
	p->next = mp->free_args;
	mp->free_args = p;
}

static_assert(offsetof(struct coll_args, compat) == 8 * sizeof(uint32_t) + 5 * sizeof(int64_t) + 10 * sizeof(void *) + 8,
              "a coll_args has holes between its members: their bytes would be compared too");

static int args_equal(const struct coll_args *a, const struct coll_args *b)
{
	return memcmp(a, b, offsetof(struct coll_args, compat) + sizeof a->compat) == 0;
}

void task_share_args(struct mp *mp, uint32_t id)
{
	struct task *t = &mp->tasks[id];

	for (int i = 0; i < ARGS_RECENT; i++) {
		struct task_args *p = mp->recent_args[i];

		if (!p || !args_equal(&p->args, t->args))
			continue;
		args_drop(mp, args_of(t));
		t->args = &p->args;
		p->holders++;
		return;
	}
	mp->recent_args[mp->next_recent] = args_of(t);
	mp->next_recent = (mp->next_recent + 1) % ARGS_RECENT;
}

uint32_t task_new(struct mp *mp, uint32_t rank, struct err *err)
{
	struct coll_args *args;
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
	args = args_new(mp, err);
	if (!args)
		return NONE;
	mp->free_task = mp->tasks[id].rank;
	mp->tasks[id] = (struct task){.args = args, .rank = rank, .handle = NONE, .target = NONE};
	waitset_init(&mp->tasks[id].set);
	return id;
}

void task_free(struct mp *mp, uint32_t id)
{
	struct task *t = &mp->tasks[id];

	free(t->copy);
	t->copy = NULL;
	if (t->args->each || t->call == CALL_FILE_CLOSE)
		file_task_ends(mp, t);
	args_drop(mp, args_of(t));
	t->args = NULL;
	t->alg = NULL;
	t->rank = mp->free_task;
	mp->free_task = id;
	mp->comms[t->ctx & CTX_SLOT].tasks--;
	comm_settle(mp, t->ctx & CTX_SLOT);
}

void tasks_release(struct mp *mp)
{
	struct task_args *p;
	uint32_t i;

	for (i = 0; i < mp->n_tasks; i++) {
		free(mp->tasks[i].copy);
		if (mp->tasks[i].args)
			args_drop(mp, args_of(&mp->tasks[i]));
	}
	free(mp->tasks);
	while ((p = mp->free_args)) {
		mp->free_args = p->next;
		free(p);
	}
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
