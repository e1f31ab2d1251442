/* others.c: see others.h. */
#include "others.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void other_open(struct other *p, const struct counter_use *use, int tid)
{
	if (use && use->counter->other_open)
		use->counter->other_open(&p->counter, tid);
}

static struct other *place_take(struct others *o, int tid)
{
	for (uint32_t i = 0; i < OTHERS; i++) {
		struct other *p = &o->at[i];
		int nobody = OTHER_FREE;
		uint32_t n = atomic_load(&o->n);

		if (!atomic_compare_exchange_strong(&p->state, &nobody, OTHER_BEGINS))
			continue;
		p->counter = (struct counter_other){.fd = -1};
		p->mark = 0;
		atomic_store(&p->stopped, 0);
		other_open(p, atomic_load(&o->use), tid);
		atomic_store(&p->state, tid);
		while (n <= i && !atomic_compare_exchange_weak(&o->n, &n, i + 1))
			continue;
		return p;
	}
	return NULL;
}

struct other *others_begin(struct others *o)
{
	return place_take(o, (int)syscall(SYS_gettid));
}

/* The kernel's clock of a thread is gone with it. */
void others_end(struct other *place)
{
	struct timespec now = {0};

	if (!place)
		return;
	syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &now);
	place->counter.end = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
	atomic_store(&place->state, OTHER_ENDED);
}

static void place_free(struct other *p, const struct counter_use *use)
{
	if (use && use->counter->other_close)
		use->counter->other_close(&p->counter);
	atomic_store(&p->state, OTHER_FREE);
}

/* Of one that is in MPI: when it came there. */
static int64_t counted(struct other *p, const struct counter_use *use, int state)
{
	int64_t stopped = atomic_load(&p->stopped);

	return stopped > 0 ? stopped - 1
	                   : use->counter->other_read(&p->counter, state > 0 ? state : 0);
}

static int64_t since(struct other *p, const struct counter_use *use, int state)
{
	int64_t now = counted(p, use, state), did = now - p->mark;

	if (did > 0)
		p->mark = now;
	if (state == OTHER_ENDED)
		place_free(p, use);
	return did;
}

int64_t others_since(struct others *o, const struct other *self)
{
	const struct counter_use *use = atomic_load(&o->use);
	uint32_t n = use ? atomic_load(&o->n) : 0;
	int64_t most = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct other *p = &o->at[i];
		int state = atomic_load(&p->state);
		int64_t did;

		if (state == OTHER_FREE || state == OTHER_BEGINS)
			continue;
		did = since(p, use, state);
		if (p != self && did > most)
			most = did;
	}
	return most;
}

struct other *others_add(struct others *o, int tid, int64_t mark, int inside)
{
	const struct counter_use *use = atomic_load(&o->use);
	struct other *p = use ? place_take(o, tid) : NULL;

	if (!p)
		return NULL;
	p->mark = mark >= 0 ? mark : use->counter->other_read(&p->counter, tid);
	if (inside)
		atomic_store(&p->stopped, 1 + use->counter->other_read(&p->counter, tid));
	return p;
}

void others_enter(struct others *o, struct other *self)
{
	const struct counter_use *use = self ? atomic_load(&o->use) : NULL;
	struct counter_other counter;

	if (!use)
		return;
	counter = self->counter; /* another thread may be asking */
	atomic_store(&self->stopped,
	             1 + use->counter->other_read(&counter, atomic_load(&self->state)));
}

void others_leave(struct others *o, struct other *self)
{
	const struct counter_use *use = self ? atomic_load(&o->use) : NULL;
	int64_t stopped = self ? atomic_load(&self->stopped) : 0;

	if (!use || stopped == 0)
		return;
	atomic_store(&self->stopped, 0);
	self->mark += counted(self, use, atomic_load(&self->state)) - (stopped - 1);
}

int64_t others_busiest(struct others *o)
{
	return others_since(o, NULL);
}

void others_start(struct others *o, const struct counter_use *use)
{
	uint32_t n = atomic_load(&o->n);

	if (!use->counter->other_read)
		return;
	for (uint32_t i = 0; i < n; i++) {
		int state = atomic_load(&o->at[i].state);

		if (state > 0)
			other_open(&o->at[i], use, state);
	}
	atomic_store(&o->use, use);
	others_since(o, NULL);
}

void others_stop(struct others *o)
{
	const struct counter_use *use = atomic_exchange(&o->use, NULL);
	uint32_t n = atomic_load(&o->n);

	for (uint32_t i = 0; i < n && use; i++)
		if (use->counter->other_close)
			use->counter->other_close(&o->at[i].counter);
}
