/* datesort.c: puts items in the order of their dates. A recording holds calls in the order of their
 * ends; a picture wants their beginnings too, and a call may begin long before it ends, so that no
 * window of bounded size would do: this is a merge sort, on disk when it must be.
 *
 * Invariants
 *  1. At most `memory` bytes of items are held (twice that while qsort works), whatever their
 *     number.
 *  2. Items of one date come out in the order they were put: the sort is stable, and the same input
 *     gives the same output.
 *
 * States: filling (put) -> finish -> draining (next). Runs: the sorted pieces in the temporary
 * file; when there is none, the buffer is drained. */
#include "export_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUN_READ = 256 }; /* items read at a time from each run */

struct slot { /* followed by the item */
	double date;
	uint64_t seq;
};

struct run {
	uint64_t at, end; /* items of the file not read yet */
	uint32_t next, n; /* of those in memory */
	uint8_t *slots;
};

struct datesort {
	size_t item, stride;
	uint8_t *slots;
	size_t n, cap;
	uint64_t seq, written; /* items put; items in the file */
	int fd;
	struct run *runs;
	uint32_t n_runs, runs_cap;
	struct heap heap; /* of runs, by their first item */
};

struct datesort *datesort_new(size_t item, size_t memory, struct err *err)
{
	struct datesort *s = calloc(1, sizeof *s);

	if (!s) {
		err_nomem(err, "sorting", sizeof *s);
		return NULL;
	}
	s->fd = -1;
	s->item = item;
	s->stride = sizeof(struct slot) + (item + 7) / 8 * 8;
	s->cap = memory / s->stride > RUN_READ ? memory / s->stride : RUN_READ;
	s->slots = malloc(s->cap * s->stride);
	heap_init(&s->heap);
	if (!s->slots) {
		err_nomem(err, "sorting", s->cap * s->stride);
		datesort_free(s);
		return NULL;
	}
	return s;
}

void datesort_free(struct datesort *s)
{
	uint32_t i;

	if (!s)
		return;
	if (s->fd >= 0)
		close(s->fd);
	for (i = 0; i < s->n_runs; i++)
		free(s->runs[i].slots);
	free(s->runs);
	heap_release(&s->heap);
	free(s->slots);
	free(s);
}

static struct slot *slot_at(uint8_t *slots, size_t stride, size_t i)
{
	return (struct slot *)(void *)(slots + i * stride);
}

static int slot_compare(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	if (x->date != y->date)
		return x->date < y->date ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static int temporary(struct datesort *s, struct err *err)
{
	const char *dir = getenv("TMPDIR");
	char path[4096];

	snprintf(path, sizeof path, "%s/orrery-sort-XXXXXX", dir && dir[0] ? dir : "/tmp");
	s->fd = mkostemp(path, O_CLOEXEC);
	if (s->fd < 0)
		return err_sys(err, errno,
		               "a temporary file %s to sort in (TMPDIR chooses the folder)", path);
	unlink(path);
	return 0;
}

static int spill_bytes(struct datesort *s, size_t n, struct err *err)
{
	const uint8_t *at = s->slots;
	uint64_t offset = s->written * s->stride;
	ssize_t got;

	while (n > 0) {
		got = pwrite(s->fd, at, n, (off_t)offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_sys(err, errno,
			               "the temporary file to sort in (TMPDIR chooses the folder)");
		at += got;
		offset += (uint64_t)got;
		n -= (size_t)got;
	}
	return 0;
}

/* Writes what is in memory as one more run. */
static int spill(struct datesort *s, struct err *err)
{
	struct run *runs = vec_grow(s->runs, &s->runs_cap, sizeof *runs, s->n_runs + 1u,
	                            "runs of a sort", err);

	if (!runs)
		return -1;
	s->runs = runs;
	if (s->fd < 0 && temporary(s, err) < 0)
		return -1;
	qsort(s->slots, s->n, s->stride, slot_compare);
	if (spill_bytes(s, s->n * s->stride, err) < 0)
		return -1;
	s->runs[s->n_runs++] = (struct run){.at = s->written, .end = s->written + s->n};
	s->written += s->n;
	s->n = 0;
	return 0;
}

int datesort_put(struct datesort *s, double date, const void *item, struct err *err)
{
	struct slot *slot;

	if (s->n == s->cap && spill(s, err) < 0)
		return -1;
	slot = slot_at(s->slots, s->stride, s->n++);
	*slot = (struct slot){date, s->seq++};
	memcpy(slot + 1, item, s->item);
	return 0;
}

/* Reads the next items of a run and puts the run into the heap; nothing when it is exhausted. */
static int run_refill(struct datesort *s, uint32_t i, struct err *err)
{
	struct run *run = &s->runs[i];
	uint64_t n = run->end - run->at < RUN_READ ? run->end - run->at : RUN_READ, done = 0;
	ssize_t got;

	while (done < n * s->stride) {
		got = pread(s->fd, run->slots + done, n * s->stride - done,
		            (off_t)(run->at * s->stride + done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return err_sys(err, got < 0 ? errno : EIO, "the temporary file to sort in");
		done += (uint64_t)got;
	}
	run->at += n;
	run->next = 0;
	run->n = (uint32_t)n;
	return 0;
}

/* The heap gets the run's next item, or loses the run. */
static int run_offer(struct datesort *s, uint32_t i, struct err *err)
{
	struct run *run = &s->runs[i];
	const struct slot *first;

	if (run->next == run->n && run->at < run->end && run_refill(s, i, err) < 0)
		return -1;
	if (run->next == run->n) {
		heap_remove(&s->heap, i);
		return 0;
	}
	first = slot_at(run->slots, s->stride, run->next);
	return heap_set(&s->heap, i, first->date, first->seq, err);
}

int datesort_finish(struct datesort *s, struct err *err)
{
	uint32_t i;

	if (s->n_runs == 0) {
		qsort(s->slots, s->n, s->stride, slot_compare);
		s->cap = s->n; /* from here on: n is the next to give */
		s->n = 0;
		return 0;
	}
	if (s->n > 0 && spill(s, err) < 0)
		return -1;
	free(s->slots);
	s->slots = NULL;
	for (i = 0; i < s->n_runs; i++) {
		s->runs[i].slots = malloc(RUN_READ * s->stride);
		if (!s->runs[i].slots)
			return err_nomem(err, "sorting", RUN_READ * s->stride);
		if (run_offer(s, i, err) < 0)
			return -1;
	}
	return 0;
}

static int give(const struct datesort *s, const struct slot *slot, double *date, void *item)
{
	*date = slot->date;
	memcpy(item, slot + 1, s->item);
	return 1;
}

int datesort_next(struct datesort *s, double *date, void *item, struct err *err)
{
	const struct heap_item *top;
	struct run *run;
	uint32_t i;

	if (s->n_runs == 0)
		return s->n < s->cap ? give(s, slot_at(s->slots, s->stride, s->n++), date, item)
		                     : 0;
	top = heap_top(&s->heap);
	if (!top)
		return 0;
	i = top->id;
	run = &s->runs[i];
	give(s, slot_at(run->slots, s->stride, run->next++), date, item);
	return run_offer(s, i, err) < 0 ? -1 : 1;
}
