/* published.h: a decision table as it is read in a library's source: rows by numbers of ranks, and
 * in a row the algorithm for each range of sizes, by its place in a list of names:
 * "<8:4 <4Ki:3 else:6" is the fourth below 8 bytes, the third below 4 KiB, else the sixth. */
#ifndef ORRERY_TESTS_COLL_PUBLISHED_H
#define ORRERY_TESTS_COLL_PUBLISHED_H

#include "coll/coll.h"

#include <stdlib.h>
#include <string.h>

enum published_operator { ANY_OPERATOR, ORDERED, COMMUTES };
enum { PUBLISHED_ROWS = 13, PUBLISHED_BOUNDS = 20 };
#define MANY UINT32_MAX

struct published {
	enum coll_kind kind;
	enum published_operator op;
	uint32_t per_host; /* ranks on each host; 0: whatever */
	const char *algs;
	struct {
		uint32_t most; /* ranks */
		const char *entries;
	} rows[PUBLISHED_ROWS];
};

/* The sizes at which a row changes, rising; how many. */
static inline int published_bounds(const char *entries, int64_t *bounds)
{
	int n = 0;

	for (const char *at = entries; (at = strchr(at, '<')); n++) {
		char *end;

		bounds[n] = strtoll(at + 1, &end, 10);
		bounds[n] <<= *end == 'K' ? 10 : *end == 'M' ? 20 : 0;
		at = end;
	}
	return n;
}
/* Which name of the list a row has for a size; *n: its length. */
static inline const char *published_name(const struct published *t, const char *entries,
                                         int64_t size, size_t *n)
{
	int64_t bounds[PUBLISHED_BOUNDS];
	int of = published_bounds(entries, bounds), entry = 0;
	const char *at = entries, *name = t->algs;

	while (entry < of && size >= bounds[entry])
		entry++;
	for (int i = 0; i <= entry; i++)
		at = strchr(at, ':') + 1;
	for (long k = strtol(at, NULL, 10); k > 1; k--)
		name = strchr(name, ' ') + 1;
	*n = strcspn(name, " ");
	return name;
}

#endif
