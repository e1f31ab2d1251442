/* decision.c: reading decision tables. Rows are short and read once per call: parsing them
 * costs less than the message it chooses. */
#include "decision.h"

#include <stdlib.h>

struct entry {
	int64_t below; /* INT64_MAX: whatever */
	uint32_t number;
};

/* Reads one entry and moves *s behind it; 0 at the end or where it is malformed. */
static int entry_next(const char **s, struct entry *e)
{
	int64_t number;
	size_t n;
	while (**s == ' ')
		(*s)++;
	if (!**s)
		return 0;
	e->below = INT64_MAX;
	if (**s != ':') {
		*s += num_take_digits(*s, &e->below);
		if (((*s)[0] == 'K' || (*s)[0] == 'M') && (*s)[1] == 'i') {
			e->below <<= **s == 'K' ? 10 : 20;
			*s += 2;
		}
	}
	if (**s != ':' || (n = num_take_digits(*s + 1, &number)) == 0)
		return 0;
	e->number = (uint32_t)number;
	*s += 1 + n;
	return 1;
}

static const struct decision_row *row_find(const struct decision *d, uint32_t p)
{
	const struct decision_row *row = d->rows;
	while (p > row->p_max)
		row++;
	return row;
}

uint32_t decision_number(const struct decision *d, uint32_t p, int64_t bytes)
{
	const char *s = row_find(d, p)->entries;
	struct entry e;
	while (entry_next(&s, &e))
		if (bytes < e.below || (d->inclusive && bytes == e.below))
			return e.number;
	BUG_ON(1); /* decision_check: the last entry has no bound */
}

const struct coll_alg *decision_choose(const struct decision *d, uint32_t p, int64_t bytes)
{
	return d->algs[decision_number(d, p, bytes) - 1];
}

static const char *row_check(const struct decision *d, const char *s)
{
	struct entry e = {.below = -1};
	int64_t before = -1;
	while (entry_next(&s, &e)) {
		if (e.below < before)
			return "bounds on sizes fall";
		if (e.number < 1 || e.number > DECISION_ALGS || !d->algs[e.number - 1])
			return "a number has no algorithm";
		before = e.below;
	}
	if (*s)
		return "an entry is malformed";
	return before == INT64_MAX ? NULL : "the last entry has a bound";
}

const char *decision_check(const struct decision *d)
{
	const struct decision_row *row = d->rows;
	for (;; row++) {
		const char *wrong = row_check(d, row->entries);
		if (wrong)
			return wrong;
		if (row->p_max == UINT32_MAX)
			return NULL;
		if (row[1].p_max <= row->p_max)
			return "bounds on sizes of communicators do not rise";
	}
}
