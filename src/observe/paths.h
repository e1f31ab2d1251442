/* paths.h: paths through a run that share their beginnings (critical.c).
 *
 * A path is what a date depended on, stretch after stretch, from 0 to that date. Every rank has
 * one, and so has every message under way; most of them have most of their past in common. Of a
 * stretch only sums are kept, and the longest ones.
 *
 * Paths are a tree. A node holds the sums of some stretches, and its parent what came before. A
 * node that nobody else holds grows in place; to another one a child is added. A node whose only
 * holder is a single child is taken up by it. So there are at most twice as many nodes as paths
 * that are held, however long the run. */
#ifndef ORRERY_OBSERVE_PATHS_H
#define ORRERY_OBSERVE_PATHS_H

#include "base/base.h"

enum { PATH_NONE = 0xffffffffu };

/* What seconds are counted by. */
enum path_kind { PATH_BY_CAUSE, PATH_BY_RANK, PATH_BY_CALL };
struct path_share {
	uint64_t key; /* kind << 32 | which */
	double seconds;
};
static inline enum path_kind path_share_kind(const struct path_share *s)
{
	return (enum path_kind)(s->key >> 32);
}

/* One computation, or one message from its beginning to its end. */
struct path_stretch {
	double from, until; /* s */
	uint64_t message;   /* the K-th that began to move, from 1; 0: a rank's own time */
	uint32_t rank, to;  /* whose; of a message: from and to */
	uint32_t cause;     /* of a rank's own time: enum cause */
};
enum { PATH_LONGEST = 10 };

struct path_sums {
	struct path_share *shares; /* by key */
	uint32_t n_shares, cap;
	uint32_t n_longest, longest_cap;
	struct path_stretch *longest; /* the longest first */
	uint64_t messages;
};

struct paths;
struct paths *paths_new(struct err *err);
void paths_free(struct paths *p);
int paths_failed(const struct paths *p);     /* memory ran out: what is kept is wrong */
uint32_t paths_nodes(const struct paths *p); /* in use, for tests */

/* An empty one, held once. PATH_NONE when memory ran out; all functions take that, and do nothing.
 */
uint32_t path_new(struct paths *p);
uint32_t path_keep(struct paths *p, uint32_t path); /* it is held once more; the same */
void path_drop(struct paths *p, uint32_t path);     /* it is held once less */
/* To be added to by its holder: the same path, or one of its own that begins with it. The other
 * holders of the old one see nothing of what is added. */
uint32_t path_own(struct paths *p, uint32_t path);
/* To a path that is its holder's own. seconds <= 0: nothing. */
void path_add(struct paths *p, uint32_t path, enum path_kind kind, uint32_t which, double seconds);
void path_add_stretch(struct paths *p, uint32_t path, const struct path_stretch *s);
/* All of a path, from 0 on, added to *out; what is in there is the caller's (path_sums_release). */
void path_sum(struct paths *p, uint32_t path, struct path_sums *out);
/* By kind, the most seconds first. */
void path_sums_sort(struct path_sums *s);
void path_sums_release(struct path_sums *s);

#endif
