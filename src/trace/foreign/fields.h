/* fields.h: a line of numbers between colons, as Dimemas and Paraver write them. */
#ifndef ORRERY_TRACE_FOREIGN_FIELDS_H
#define ORRERY_TRACE_FOREIGN_FIELDS_H

#include "base/num.h"
#include "foreign.h"

#include <stdlib.h>
#include <string.h>

struct fields {
	struct input *in;
	const char *line, *p; /* p: where the next field begins; NULL after the last */
};

static inline void fields_begin(struct fields *f, struct input *in, const char *line)
{
	f->in = in;
	f->line = f->p = line;
}

static inline int fields_error(const struct fields *f, const char *at, const char *expected,
                               struct err *err)
{
	return err_at(err, input_name(f->in), input_lineno(f->in), (long)(at - f->line) + 1,
	              "expected %s", expected);
}

/* The end of the field was passed; the next one begins after a colon. */
static inline void fields_advance(struct fields *f, const char *end)
{
	f->p = *end == ':' ? end + 1 : NULL;
}

static inline int field_int(struct fields *f, int64_t *out, const char *what, struct err *err)
{
	const char *at = f->p ? f->p : f->line + strlen(f->line);
	size_t n = strcspn(at, ":");

	if (!f->p || num_parse_i64(at, n, out) < 0) {
		*out = 0;
		return fields_error(f, at, what, err);
	}
	fields_advance(f, at + n);
	return 0;
}

/* One of least to most. */
static inline int field_within(struct fields *f, int64_t least, int64_t most, int64_t *out,
                               const char *what, struct err *err)
{
	const char *at = f->p;

	if (field_int(f, out, what, err) < 0)
		return -1;
	return *out < least || *out > most ? fields_error(f, at, what, err) : 0;
}

static inline int field_seconds(struct fields *f, double *out, struct err *err)
{
	const char *at = f->p ? f->p : f->line + strlen(f->line);
	size_t n = strcspn(at, ":");

	if (!f->p || num_parse_double(at, n, out) < 0 || !(*out >= 0) || *out > 1e15) {
		*out = 0;
		return fields_error(f, at, "seconds, 0 or more", err);
	}
	fields_advance(f, at + n);
	return 0;
}

/* A rank below f->ranks. */
static inline int field_rank(struct fields *l, const struct foreign *f, int64_t least, int64_t *out,
                             const char *what, struct err *err)
{
	const char *at = l->p;

	if (field_int(l, out, what, err) < 0)
		return -1;
	if (*out < least || *out >= (int64_t)f->ranks + least)
		return fields_error(l, at, what, err);
	*out -= least;
	return 0;
}

/* What a communicator's number stands for: its index, or FIELDS_SELF + a rank: MPI_COMM_SELF of it.
 * A file has one for each rank, with a number of its own. */
enum { FIELDS_SELF = INT32_MIN };

/* 1 and that communicator's index if the rank is in it; 0 if it is not; -1 if there is none. */
static inline int fields_comm(const struct foreign *f, const struct hash64 *ids, int64_t number,
                              int64_t rank, uint32_t *index)
{
	uint32_t at = number < 0 ? HASH_NONE : hash64_find(ids, (uint64_t)number);

	*index = at;
	if (at == HASH_NONE)
		return -1;
	if (at < (uint32_t)FIELDS_SELF)
		return foreign_rank_in(f, at, (uint32_t)rank) >= 0;
	*index = 1;
	return at - (uint32_t)FIELDS_SELF == (uint32_t)rank;
}

/* "number:members:rank:rank:…", ranks from `least` on: a communicator. ids: its number to it. */
static inline int field_comm(struct fields *l, struct foreign *f, int64_t least, struct hash64 *ids,
                             struct err *err)
{
	int64_t number, n, m = 0;
	int32_t *members;
	int index = -1;

	if (field_int(l, &number, "a communicator's number", err) < 0 ||
	    field_int(l, &n, "how many members it has", err) < 0)
		return -1;
	if (n < 1 || n > f->ranks || number < 0)
		return fields_error(l, l->line, "a communicator of 1 member up to all tasks", err);
	members = malloc((size_t)n * sizeof *members);
	if (!members)
		return err_nomem(err, "a communicator", (size_t)n * sizeof *members);
	for (int64_t i = 0; i < n; i++) {
		if (field_rank(l, f, least, &m, "a task", err) < 0)
			break;
		members[i] = (int32_t)m;
		if (i == n - 1)
			index = foreign_comm_add(f, members, (uint32_t)n, err);
	}
	free(members);
	if (index < 0)
		return -1;
	return hash64_put(ids, (uint64_t)number,
	                  index == 1 ? (uint32_t)FIELDS_SELF + (uint32_t)m : (uint32_t)index, err);
}

#endif
