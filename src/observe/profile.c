/* profile.c: sums per rank and function, kept while the run goes on.
 *
 * Invariants
 *  1. A rank has one entry per function that it called, and none for the others: a million ranks
 *     that use ten functions take 400 MB. Of MPI_Init and MPI_Finalize, called once and in no time,
 *     it has a bit.
 *  2. For each rank: sum of the entries' time + between calls + idle = makespan, which is how
 *     `other` and `idle` are computed.
 *  3. Sums are made in the order of events, then of ranks: same run, same figures. */
#include "profile_int.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct profile *profile_new(uint32_t ranks, struct err *err)
{
	struct profile *p = calloc(1, sizeof *p);
	uint32_t r;

	if (p)
		p->rank = calloc(ranks ? ranks : 1, sizeof *p->rank);
	if (!p || !p->rank) {
		free(p);
		err_nomem(err, "the profile", (unsigned long long)ranks * sizeof *p->rank);
		return NULL;
	}
	memory_large_pages(p->rank, ranks * sizeof *p->rank);
	p->ranks = ranks;
	for (r = 0; r < ranks; r++)
		p->rank[r] = (struct prof_rank){.latest = PROF_NONE, .in = -1};
	return p;
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	free(p->entries);
	free(p->rank);
	free(p);
}

/* The first entry of a rank in the order of first use, which is that of their places; or NULL. */
static const struct prof_entry *entry_first(const struct profile *p, uint32_t rank)
{
	uint32_t i = p->rank[rank].latest;

	if (i == PROF_NONE)
		return NULL;
	while (p->entries[i].next > i)
		i = p->entries[i].next;
	return &p->entries[p->entries[i].next];
}

/* The next one, or NULL after the last. */
static const struct prof_entry *entry_next(const struct profile *p, const struct prof_entry *e)
{
	return &p->entries[e->next] > e ? &p->entries[e->next] : NULL;
}

/* The entry of a function of a rank, or NULL. Programs call them in the same order again and again:
 * the one that came next the last time is looked at first. */
static inline struct prof_entry *entry_find(const struct profile *p, struct prof_rank *r,
                                            enum mp_call call)
{
	struct prof_entry *e = p->entries;
	uint32_t before = r->latest, i;

	if (before == PROF_NONE)
		return NULL;
	i = e[before].after;
	if (e[i].call != call) {
		for (i = e[before].next; e[i].call != call; i = e[i].next)
			if (i == before)
				return NULL;
		e[before].after = i;
	}
	r->latest = i;
	return &e[i];
}

/* A new one, the last of its rank; NULL when memory is exhausted. */
static struct prof_entry *entry_make(struct profile *p, struct prof_rank *r, enum mp_call call)
{
	struct prof_entry *entries;
	uint32_t i = p->n_entries, last = r->latest;

	entries = vec_grow(p->entries, &p->entries_cap, sizeof *entries, (size_t)i + 1,
	                   "functions of ranks", &p->err);
	if (!entries) {
		p->failed = 1;
		return NULL;
	}
	p->entries = entries;
	p->n_entries++;
	entries[i] = (struct prof_entry){.next = i, .after = i, .call = (uint8_t)call};
	if (last != PROF_NONE) {
		entries[last].after = i;
		while (entries[last].next > last)
			last = entries[last].next;
		entries[i].next = entries[last].next;
		entries[last].next = i;
	}
	r->latest = i;
	return &entries[i];
}

/* The bit of a call that mostly takes no time; 0: it is another one. */
static int call_brief(enum mp_call call)
{
	return call == CALL_INIT ? PROF_INIT : call == CALL_FINALIZE ? PROF_FINALIZE : 0;
}

/* A function that has no entry is called: 1 if it needs none yet, or there is no memory for one. */
static __attribute__((noinline)) int call_begins(struct profile *p, struct prof_rank *r,
                                                 enum mp_call call, int brief,
                                                 struct prof_entry **out)
{
	int bit = call_brief(call), before = r->brief & bit;

	if (bit && !before && brief) {
		r->brief |= (uint8_t)bit;
		return 1;
	}
	r->brief &= (uint8_t)~bit;
	*out = entry_make(p, r, call);
	if (*out && before)
		(*out)->calls++;
	return *out == NULL;
}

static void profile_enter(void *self, uint32_t rank, enum mp_call call, double date)
{
	struct profile *p = self;
	struct prof_rank *r = &p->rank[rank];

	BUG_ON(rank >= p->ranks || r->in >= 0 || p->ended);
	r->in = (int16_t)call;
	r->last = date;
}

static void profile_leave(void *self, uint32_t rank, enum mp_call call, double date,
                          int32_t partner, double bytes, double wait)
{
	struct profile *p = self;
	struct prof_rank *r = &p->rank[rank];
	double time = date - r->last;
	struct prof_entry *e;

	(void)partner;
	BUG_ON(r->in != (int)call); /* profile_enter has looked at the rest */
	r->in = -1;
	r->last = date;
	e = entry_find(p, r, call);
	if (!e && call_begins(p, r, call, time == 0 && bytes == 0, &e))
		return;
	e->calls++;
	e->time += time;
	e->wait += wait < time ? wait : time;
	e->bytes += bytes;
}

static void profile_soon(void *self, uint32_t rank, uint32_t then)
{
	const struct profile *p = self;

	if (then < p->ranks)
		__builtin_prefetch(&p->rank[then], 1);
	if (p->rank[rank].latest != PROF_NONE)
		__builtin_prefetch(&p->entries[p->rank[rank].latest], 1);
}

struct mp_observer profile_observer(struct profile *p)
{
	return (struct mp_observer){
	    .self = p, .enter = profile_enter, .leave = profile_leave, .soon = profile_soon};
}

void profile_trim(struct profile *p, uint32_t ranks)
{
	BUG_ON(ranks > p->ranks);
	p->ranks = ranks;
}

void profile_stuck(struct profile *p)
{
	p->stuck = 1;
}

int profile_is_whole(const struct profile *p)
{
	return !p->failed;
}

/* Of a rank that was busy for so long: less is the rounding of a sum of a million terms. */
static double between(const struct profile *p, uint32_t rank, double busy)
{
	double last = p->rank[rank].last;

	return last - busy > 1e-11 * last ? last - busy : 0;
}

double prof_rank_between(const struct profile *p, uint32_t rank)
{
	const struct prof_entry *e;
	double busy = 0;

	for (e = entry_first(p, rank); e; e = entry_next(p, e))
		busy += e->time;
	return between(p, rank, busy);
}

void profile_rank_classes(const struct profile *p, uint32_t rank, double out[TIME_CLASSES])
{
	const struct prof_entry *e;
	double busy = 0;

	BUG_ON(!p->ended);
	memset(out, 0, TIME_CLASSES * sizeof *out);
	for (e = entry_first(p, rank); e; e = entry_next(p, e)) {
		out[call_class(e->call)] += e->time - e->wait;
		out[TIME_WAIT] += e->wait;
		busy += e->time;
	}
	out[TIME_IDLE] = p->makespan - p->rank[rank].last;
	out[TIME_OTHER] += between(p, rank, busy);
}

static const struct prof_entry called_once = {.calls = 1};

void prof_rank_entries(const struct profile *p, uint32_t rank,
                       const struct prof_entry *out[CALL_CALLS])
{
	const struct prof_entry *e;

	memset(out, 0, CALL_CALLS * sizeof *out);
	for (e = entry_first(p, rank); e; e = entry_next(p, e))
		out[e->call] = e;
	if (p->rank[rank].brief & PROF_INIT)
		out[CALL_INIT] = &called_once;
	if (p->rank[rank].brief & PROF_FINALIZE)
		out[CALL_FINALIZE] = &called_once;
}

static void class_rows_make(struct profile *p)
{
	struct prof_class_row *out = p->class_rows;
	double s[TIME_CLASSES];
	uint32_t r;
	int c;

	for (r = 0; r < p->ranks; r++) {
		profile_rank_classes(p, r, s);
		for (c = 0; c < TIME_CLASSES; c++) {
			out[c].total += s[c];
			if (r == 0 || s[c] < out[c].min)
				out[c].min = s[c];
			if (r == 0 || s[c] > out[c].max) {
				out[c].max = s[c];
				out[c].max_rank = r;
			}
		}
	}
	for (c = 0; c < TIME_CLASSES; c++)
		out[c].mean = p->ranks ? out[c].total / p->ranks : 0;
}

int profile_end(struct profile *p, double makespan, struct err *err)
{
	uint32_t r;

	for (r = 0; r < p->ranks; r++)
		if (p->rank[r].last > makespan)
			makespan = p->rank[r].last;
	for (r = 0; r < p->ranks; r++)
		if (p->rank[r].in >= 0) {
			enum mp_call call = (enum mp_call)p->rank[r].in;
			double wait = p->stuck ? call_stuck(call, p->rank[r].last, makespan) : 0;

			profile_leave(p, r, call, makespan, -1, 0, wait);
		}
	p->makespan = makespan;
	p->ended = 1;
	class_rows_make(p);
	if (!p->failed)
		return 0;
	err_set(err, p->err.kind, "%s", p->err.text);
	err_append(err, ": the profile is not complete");
	return -1;
}

void profile_shares(const struct profile *p, struct profile_shares *out)
{
	const struct prof_class_row *rows = p->class_rows;
	double all = p->makespan * p->ranks;
	int c;

	*out = (struct profile_shares){.ranks = p->ranks, .makespan = p->makespan};
	for (c = 0; c < TIME_CLASSES; c++) {
		out->seconds[c] = rows[c].total;
		out->share[c] = all > 0 ? rows[c].total / all : 0;
	}
}

static void row_add(struct profile_row *row, const struct prof_entry *e)
{
	if (row->ranks == 0 || e->time < row->min)
		row->min = e->time;
	if (e->time > row->max)
		row->max = e->time;
	row->ranks++;
	row->calls += e->calls;
	row->time += e->time;
	row->wait += e->wait;
	row->bytes += e->bytes;
}

uint32_t profile_rows(const struct profile *p, struct profile_row *rows)
{
	const struct prof_entry *e;
	uint32_t r, n = 0;
	int c;

	BUG_ON(!p->ended);
	memset(rows, 0, CALL_CALLS * sizeof *rows);
	for (r = 0; r < p->ranks; r++) {
		for (e = entry_first(p, r); e; e = entry_next(p, e))
			row_add(&rows[e->call], e);
		if (p->rank[r].brief & PROF_INIT)
			row_add(&rows[CALL_INIT], &called_once);
		if (p->rank[r].brief & PROF_FINALIZE)
			row_add(&rows[CALL_FINALIZE], &called_once);
	}
	for (c = 0; c < CALL_CALLS; c++) {
		struct profile_row row = rows[c];
		if (row.ranks == 0)
			continue;
		row.call = (enum mp_call)c;
		row.mean = row.time / p->ranks;
		row.imbalance = row.max > row.mean ? row.max / row.mean - 1 : 0;
		if (row.ranks < p->ranks)
			row.min = 0;
		rows[n++] = row;
	}
	return n;
}
