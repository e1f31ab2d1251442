/* list.c: see list.h. A table of chains; what was asked for last is tried first, as ranks that make
 * a communicator together ask for one list after the other. */
#include "list.h"

#include "base/hash.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { NAMED = 64 };

static struct {
	pthread_mutex_t mutex;
	struct orr_list **bucket;
	uint64_t n_buckets, n; /* buckets: a power of two, or 0 */
	struct orr_list *last;
	struct orr_list *named[NAMED]; /* at the remainder of its name, or NULL */
} lists = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static int is_same(const struct orr_list *l, int32_t n, const int32_t *member)
{
	return l->n == n && memcmp(l->member, member, (size_t)n * sizeof *member) == 0;
}

/* Each member mixes all bits: members are small numbers, and communicators are told apart by this
 * alone. */
uint64_t orr_list_hash(int32_t n, const int32_t *member)
{
	uint64_t x = (uint64_t)n;

	for (int32_t i = 0; i < n; i++)
		x = hash_mix(x + (uint32_t)member[i] + 0x9e3779b97f4a7c15u);
	return x;
}

static struct orr_list *list_find(uint64_t hash, int32_t n, const int32_t *member)
{
	struct orr_list *l = lists.n_buckets ? lists.bucket[hash & (lists.n_buckets - 1)] : NULL;

	while (l && (l->hash != hash || !is_same(l, n, member)))
		l = l->next;
	return l;
}

/* 0, or -1: no memory, and there are no buckets at all. */
static int buckets_grow(void)
{
	uint64_t more = lists.n_buckets ? 2 * lists.n_buckets : 64;
	struct orr_list **b = calloc(more, sizeof *b);

	if (!b)
		return lists.n_buckets ? 0 : -1;
	for (uint64_t i = 0; i < lists.n_buckets; i++)
		for (struct orr_list *l = lists.bucket[i], *next; l; l = next) {
			next = l->next;
			l->next = b[l->hash & (more - 1)];
			b[l->hash & (more - 1)] = l;
		}
	free(lists.bucket);
	lists.bucket = b;
	lists.n_buckets = more;
	return 0;
}

static int by_member(const void *a, const void *b, void *member)
{
	const int32_t *m = member;
	int32_t x = m[*(const int32_t *)a], y = m[*(const int32_t *)b];

	return (x > y) - (x < y);
}

static int places_set(struct orr_list *l)
{
	int ascends = 1;

	for (int32_t i = 1; ascends && i < l->n; i++)
		ascends = l->member[i - 1] < l->member[i];
	l->identity = ascends && l->member[0] == 0 && l->member[l->n - 1] == l->n - 1;
	if (ascends)
		return 0;
	l->place = malloc((size_t)l->n * sizeof *l->place);
	if (!l->place)
		return -1;
	for (int32_t i = 0; i < l->n; i++)
		l->place[i] = i;
	qsort_r(l->place, (size_t)l->n, sizeof *l->place, by_member, l->member);
	return 0;
}

static void list_free(struct orr_list *l)
{
	free(l->place);
	free(l);
}

static struct orr_list *list_new(uint64_t hash, int32_t n, const int32_t *member)
{
	struct orr_list *l, **b;

	if (lists.n >= lists.n_buckets && buckets_grow() < 0)
		return NULL;
	l = malloc(sizeof *l + (size_t)n * sizeof *member);
	if (!l)
		return NULL;
	*l = (struct orr_list){.hash = hash, .n = n};
	memcpy(l->member, member, (size_t)n * sizeof *member);
	if (places_set(l) < 0) {
		list_free(l);
		return NULL;
	}
	b = &lists.bucket[hash & (lists.n_buckets - 1)];
	l->next = *b;
	*b = l;
	lists.n++;
	return l;
}

const struct orr_list *orr_list_keep(int32_t n, const int32_t *member)
{
	struct orr_list *l;

	pthread_mutex_lock(&lists.mutex);
	l = lists.last;
	if (!l || !is_same(l, n, member)) {
		uint64_t hash = orr_list_hash(n, member);

		l = list_find(hash, n, member);
		if (!l)
			l = list_new(hash, n, member);
	}
	if (l) {
		l->refs++;
		lists.last = l;
	}
	pthread_mutex_unlock(&lists.mutex);
	return l;
}

void orr_list_name(const struct orr_list *list, uint64_t name)
{
	struct orr_list *l = (struct orr_list *)(uintptr_t)list;

	pthread_mutex_lock(&lists.mutex);
	if (lists.named[l->name % NAMED] == l)
		lists.named[l->name % NAMED] = NULL;
	l->name = name;
	lists.named[name % NAMED] = l;
	pthread_mutex_unlock(&lists.mutex);
}

const struct orr_list *orr_list_keep_named(uint64_t name)
{
	struct orr_list *l;

	pthread_mutex_lock(&lists.mutex);
	l = lists.named[name % NAMED];
	if (l && l->name != name)
		l = NULL;
	if (l)
		l->refs++;
	pthread_mutex_unlock(&lists.mutex);
	return l;
}

static void list_end(struct orr_list *l)
{
	struct orr_list **p = &lists.bucket[l->hash & (lists.n_buckets - 1)];

	while (*p != l)
		p = &(*p)->next;
	*p = l->next;
	if (lists.last == l)
		lists.last = NULL;
	if (lists.named[l->name % NAMED] == l)
		lists.named[l->name % NAMED] = NULL;
	list_free(l);
	if (--lists.n > 0)
		return;
	free(lists.bucket);
	lists.bucket = NULL;
	lists.n_buckets = 0;
}

void orr_list_drop(const struct orr_list *list)
{
	struct orr_list *l = (struct orr_list *)(uintptr_t)list;

	if (!l)
		return;
	pthread_mutex_lock(&lists.mutex);
	if (--l->refs == 0)
		list_end(l);
	pthread_mutex_unlock(&lists.mutex);
}

int32_t orr_list_find(const struct orr_list *l, int32_t process)
{
	int32_t low = 0, high = l->n;

	while (low < high) {
		int32_t middle = low + (high - low) / 2, at = l->place ? l->place[middle] : middle;

		if (l->member[at] == process)
			return at;
		if (l->member[at] < process)
			low = middle + 1;
		else
			high = middle;
	}
	return -1;
}
