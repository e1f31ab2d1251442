/* cells.c: the cells of a table, measured by several threads. The last cells, which are the
 * largest, are begun first. The first error ends it. */
#include "study_int.h"

#include <pthread.h>
#include <stdatomic.h>

enum { THREADS_MAX = 256 };

struct cells {
	cell_fn *measure;
	void *self;
	uint32_t n;
	atomic_uint next;
	pthread_mutex_t lock; /* of err */
	struct err err;
};

static void cells_take(struct cells *c, struct progress *progress)
{
	struct err err;
	uint32_t i;

	while ((i = atomic_fetch_add(&c->next, 1)) < c->n) {
		if (c->measure(c->self, c->n - 1 - i, progress, &err) == 0)
			continue;
		pthread_mutex_lock(&c->lock);
		if (!c->err.kind)
			c->err = err;
		pthread_mutex_unlock(&c->lock);
		atomic_store(&c->next, c->n);
	}
}

static void *worker(void *arg)
{
	cells_take(arg, NULL);
	return NULL;
}

int cells_measure(uint32_t n, uint32_t threads, cell_fn *measure, void *self,
                  struct progress *progress, struct err *err)
{
	struct cells c = {.measure = measure, .self = self, .n = n};
	pthread_t others[THREADS_MAX];
	uint32_t started = 0;

	pthread_mutex_init(&c.lock, NULL);
	while (started + 1 < threads && started + 1 < n && started < THREADS_MAX &&
	       pthread_create(&others[started], NULL, worker, &c) == 0)
		started++;
	cells_take(&c, progress);
	while (started > 0)
		pthread_join(others[--started], NULL);
	pthread_mutex_destroy(&c.lock);
	if (!c.err.kind)
		return 0;
	*err = c.err;
	return -1;
}
