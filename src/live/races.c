/* races.c: with --checks: one-sided operations whose outcome is not defined (MPI 4.0, 12.7): two
 * that are under way at the same time on the same bytes, of which one writes, and not both
 * accumulate. At the target, by whomever; and in the memory of the rank that calls, where an
 * operation reads or writes its own buffers.
 *
 * An operation is under way from its call until its origin has completed it: at the target by a
 * fence, complete, unlock or flush, in its own buffers by a flush_local too. Two between different
 * fences are not, whichever rank has come out of the fence first. So what is told is wrong in any
 * implementation; what is told not are operations that were apart in this run by chance, those with
 * a request, and loads and stores. */
#include "live_int.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 512 }; /* operations of one list that are remembered at most */
enum { ALL = -1 };
enum how { READS, WRITES, UPDATES };
enum side { TARGET, OWN };

struct access {
	uint64_t from, to; /* addresses */
	uint64_t site;
	uint32_t stack, origin, win, fences, at; /* at: races.clock when it began */
	int32_t target;
	uint8_t kind, how, alone; /* alone: under an exclusive lock */
};
struct accesses {
	struct access *a; /* the oldest first */
	uint32_t n, cap;
};
struct live_races {
	struct hash64 list_of; /* a window and a target, or a rank */
	struct accesses *list;
	uint32_t n, cap;
	struct hash64 completed; /* window, origin, target or ALL, side: the clock at that time */
	struct hash64 fences;    /* window and rank: so many */
	struct hash64 exclusive; /* window, rank, target: its lock there is */
	uint32_t clock;
};

static struct live_races *races_of(struct live *l, struct err *err)
{
	if (!l->races && !(l->races = calloc(1, sizeof *l->races)))
		err_nomem(err, "one-sided operations", sizeof *l->races);
	return l->races;
}

void races_release(struct live *l)
{
	struct live_races *r = l->races;

	if (!r)
		return;
	for (uint32_t i = 0; i < r->n; i++)
		free(r->list[i].a);
	free(r->list);
	hash64_release(&r->list_of);
	hash64_release(&r->completed);
	hash64_release(&r->fences);
	hash64_release(&r->exclusive);
	free(r);
}

static uint64_t pair(uint32_t win, uint32_t rank)
{
	return (uint64_t)win << 32 | rank;
}

static uint64_t completion_key(uint32_t win, uint32_t origin, int32_t target, enum side side)
{
	return hash_mix(hash_mix(pair(win, origin)) ^ ((uint64_t)(uint32_t)target << 1 | side));
}

static uint32_t value_of(const struct hash64 *h, uint64_t key)
{
	uint32_t v = hash64_find(h, key);

	return v == HASH_NONE ? 0 : v;
}

/* --- what is under way --- */

static int is_under_way(const struct live_races *r, const struct access *a, enum side side,
                        uint32_t fences)
{
	uint32_t one = value_of(&r->completed, completion_key(a->win, a->origin, a->target, side)),
	         all = value_of(&r->completed, completion_key(a->win, a->origin, ALL, side));

	return a->at > one && a->at > all && (side == OWN || a->fences == fences);
}

static int do_conflict(const struct access *a, const struct access *b)
{
	if (a->origin != b->origin && (a->alone || b->alone))
		return 0;
	return a->from < b->to && b->from < a->to && !(a->how == READS && b->how == READS) &&
	       !(a->how == UPDATES && b->how == UPDATES);
}

static struct accesses *list_of(struct live_races *r, uint64_t key, struct err *err)
{
	uint32_t i = hash64_find(&r->list_of, key);
	struct accesses *p;

	if (i != HASH_NONE)
		return &r->list[i];
	p = vec_grow(r->list, &r->cap, sizeof *p, (size_t)r->n + 1, "one-sided operations", err);
	if (!p)
		return NULL;
	r->list = p;
	p[r->n] = (struct accesses){0};
	return hash64_put(&r->list_of, key, r->n, err) < 0 ? NULL : &r->list[r->n++];
}

/* The first that is under way and does not go with a, or NULL. */
static const struct access *conflict_find(const struct live_races *r, const struct accesses *p,
                                          const struct access *a, enum side side)
{
	for (uint32_t i = 0; i < p->n; i++)
		/* pieces of one operation have one date; it may have them in both its buffers */
		if (do_conflict(&p->a[i], a) && p->a[i].at != a->at &&
		    is_under_way(r, &p->a[i], side, a->fences))
			return &p->a[i];
	return NULL;
}

/* Those that are under way stay, and of these the later half if they are many. */
static void forget(const struct live_races *r, struct accesses *p, enum side side, uint32_t fences)
{
	uint32_t n = 0, from;

	for (uint32_t i = 0; i < p->n; i++)
		if (is_under_way(r, &p->a[i], side, fences))
			p->a[n++] = p->a[i];
	from = n > MOST / 2 ? n - MOST / 2 : 0;
	for (uint32_t i = from; i < n; i++)
		p->a[i - from] = p->a[i];
	p->n = n - from;
}

static int keep(const struct live_races *r, struct accesses *p, const struct access *a,
                enum side side, struct err *err)
{
	struct access *grown;

	if (p->n == MOST)
		forget(r, p, side, a->fences);
	grown = vec_grow(p->a, &p->cap, sizeof *grown, (size_t)p->n + 1, "one-sided operations",
	                 err);
	if (!grown)
		return -1;
	p->a = grown;
	p->a[p->n++] = *a;
	return 0;
}

/* --- what is told --- */

static const char *const rma_names[] = {"MPI_Put", "MPI_Get", "MPI_Accumulate",
                                        "MPI_Get_accumulate"};

static int conflict_tell(struct live *l, const struct access *a, const struct access *b,
                         enum side side, struct err *err)
{
	static const char *const does[] = {"reads", "writes", "updates"};
	char here[1024], there[1024], text[1536];
	int new = wrong_is_new(l, a->origin, a->site, b->origin, b->site, WIRE_WRONG_KINDS + side,
	                       err);

	if (new <= 0)
		return new;
	live_site_where(l, a->origin, a->site, a->stack, here, sizeof here);
	live_site_where(l, b->origin, b->site, b->stack, there, sizeof there);
	if (side == TARGET)
		snprintf(text, sizeof text,
		         "%s to rank %d %s bytes of its window that %s of rank %" PRIu32 "%s%s %s, "
		         "and neither is complete before the other: the outcome is not defined",
		         rma_names[a->kind], a->target, does[a->how], rma_names[b->kind], b->origin,
		         *there ? ", at " : "", there, does[b->how]);
	else
		snprintf(text, sizeof text,
		         "%s %s bytes of this rank that %s%s%s %s, which is not complete yet: the "
		         "outcome is not defined",
		         rma_names[a->kind], does[a->how], rma_names[b->kind], *there ? " at " : "",
		         there, does[b->how]);
	mp_report_add(l->mp, a->origin, here, text);
	return 0;
}

static int access_add(struct live *l, struct access *a, enum side side, struct err *err)
{
	struct live_races *r = l->races;
	uint64_t key = side == TARGET ? pair(a->win, (uint32_t)a->target)
	                              : (uint64_t)1 << 63 | a->origin;
	struct accesses *p = list_of(r, key, err);
	const struct access *other = p ? conflict_find(r, p, a, side) : NULL;

	if (!p || (other && conflict_tell(l, a, other, side, err) < 0))
		return -1;
	return keep(r, p, a, side, err);
}

/* --- operations --- */

int race_touch(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	const struct wire_touch *w = op_body(op);
	const struct wire_run *run = (const void *)(w + 1);
	struct live_races *r = races_of(l, err);
	uint64_t lock;
	uint32_t n;

	if (!r)
		return -1;
	if (op->size < sizeof *op + sizeof *w || w->kind > MP_GET_ACCUMULATE || w->win >> 31 ||
	    w->target < 0 || (uint32_t)w->target >= l->ranks || w->n_target > WIRE_RUNS ||
	    w->n_read > WIRE_RUNS || w->n_written > WIRE_RUNS)
		return live_broken(l, rank, err, "memory of a one-sided operation");
	n = w->n_target + w->n_read + w->n_written;
	if (op->size < sizeof *op + sizeof *w + n * sizeof *run)
		return live_broken(l, rank, err, "memory of a one-sided operation");
	r->clock++;
	lock = completion_key(w->win, rank, w->target, TARGET);
	for (uint32_t i = 0; i < n; i++) {
		struct access a = {.from = run[i].from,
		                   .to = run[i].to,
		                   .site = op->site,
		                   .stack = op->stack,
		                   .origin = rank,
		                   .win = w->win,
		                   .fences = value_of(&r->fences, pair(w->win, rank)),
		                   .at = r->clock,
		                   .target = w->target,
		                   .kind = (uint8_t)w->kind,
		                   .alone = hash64_find(&r->exclusive, lock) != HASH_NONE};

		if (i < w->n_target)
			a.how = w->kind == MP_PUT ? WRITES : w->kind == MP_GET ? READS : UPDATES;
		else
			a.how = i < w->n_target + w->n_read ? READS : WRITES;
		if (access_add(l, &a, i < w->n_target ? TARGET : OWN, err) < 0)
			return -1;
	}
	return 0;
}

static int complete(struct live_races *r, uint32_t win, uint32_t rank, int32_t target,
                    enum side side, struct err *err)
{
	return hash64_put(&r->completed, completion_key(win, rank, target, side), r->clock, err);
}

static int complete_all(struct live_races *r, uint32_t win, uint32_t rank, struct err *err)
{
	return complete(r, win, rank, ALL, TARGET, err) < 0 ? -1
	                                                    : complete(r, win, rank, ALL, OWN, err);
}

/* A window goes while operations of the rank are under way there: a fence is missing. Under locks
 * and between start and complete that is an error of MPI's. */
static int unfinished_tell(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	struct live_races *r = l->races;
	uint32_t i = hash64_find(&r->list_of, (uint64_t)1 << 63 | rank);
	const struct accesses *p = i == HASH_NONE ? NULL : &r->list[i];
	char here[1024], there[1024], text[1280];

	for (i = 0; p && i < p->n; i++) {
		const struct access *a = &p->a[i];
		int new;

		if (a->win != op->a || !is_under_way(r, a, OWN, a->fences))
			continue;
		new = wrong_is_new(l, rank, op->site, rank, a->site, WIRE_WRONG_KINDS + 2, err);
		if (new <= 0)
			return new;
		live_site_where(l, rank, op->site, op->stack, here, sizeof here);
		live_site_where(l, rank, a->site, a->stack, there, sizeof there);
		snprintf(text, sizeof text,
		         "frees a window while %s%s%s is not complete: a fence is missing",
		         rma_names[a->kind], *there ? " at " : "", there);
		mp_report_add(l->mp, rank, here, text);
		return 0;
	}
	return 0;
}

/* A fence is over for all at the target when it is for one: by their number. Who completes tells
 * the target, which may go on before this rank does. */
int race_sync(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	struct live_races *r = races_of(l, err);
	uint64_t lock = completion_key(op->a, rank, (int32_t)op->b, TARGET);

	if (!r)
		return -1;
	switch (op->mode) {
	case MP_WIN_FENCE:
		return hash64_put(&r->fences, pair(op->a, rank),
		                  value_of(&r->fences, pair(op->a, rank)) + 1, err) < 0
		           ? -1
		           : complete(r, op->a, rank, ALL, OWN, err);
	case MP_WIN_FREE:
		if (unfinished_tell(l, rank, op, err) < 0)
			return -1;
		hash64_remove(&r->fences, pair(op->a, rank)); /* its number may come again */
		return complete_all(r, op->a, rank, err);
	case MP_WIN_COMPLETE:
		return complete_all(r, op->a, rank, err);
	case MP_WIN_LOCK_EXCLUSIVE:
		return hash64_put(&r->exclusive, lock, 1, err);
	case MP_WIN_UNLOCK:
		hash64_remove(&r->exclusive, lock);
		return 0;
	default:
		return 0;
	}
}

int race_synced(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	struct live_races *r = races_of(l, err);
	int32_t target = (int32_t)op->b;

	if (!r)
		return -1;
	if ((op->mode == MP_WIN_UNLOCK || op->mode == MP_WIN_FLUSH) &&
	    complete(r, op->a, rank, target, TARGET, err) < 0)
		return -1;
	return op->mode == MP_WIN_UNLOCK || op->mode == MP_WIN_FLUSH ||
	               op->mode == MP_WIN_FLUSH_LOCAL
	           ? complete(r, op->a, rank, target, OWN, err)
	           : 0;
}
