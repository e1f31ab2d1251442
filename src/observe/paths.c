/* paths.c: paths that share their beginnings, as a tree without chains. */
#include "paths.h"

#include "base/slots.h"

#include <stdlib.h>
#include <string.h>

struct node {
	struct path_sums sums;
	uint32_t parent;
	uint32_t held;           /* by holders and children */
	uint32_t kids, kids_xor; /* children; their numbers, so that a single one is known */
};

struct paths {
	struct slots nodes;
	uint32_t n;
	int failed;
};

struct paths *paths_new(struct err *err)
{
	struct paths *p = calloc(1, sizeof *p);

	if (!p) {
		err_nomem(err, "critical path", sizeof *p);
		return NULL;
	}
	slots_init(&p->nodes, sizeof(struct node), offsetof(struct node, parent), "paths");
	return p;
}

static struct node *node_at(const struct paths *p, uint32_t id)
{
	return slots_at(&p->nodes, id, sizeof(struct node));
}

void paths_free(struct paths *p)
{
	if (!p)
		return;
	for (uint32_t i = 0; i < p->nodes.n; i++) /* of a free one: NULL */
		path_sums_release(&node_at(p, i)->sums);
	slots_release(&p->nodes);
	free(p);
}

int paths_failed(const struct paths *p)
{
	return p->failed;
}

uint32_t paths_nodes(const struct paths *p)
{
	return p->n;
}

static int share_compare(const void *a, const void *b)
{
	const struct path_share *x = a, *y = b;

	if (path_share_kind(x) != path_share_kind(y))
		return path_share_kind(x) < path_share_kind(y) ? -1 : 1;
	if (x->seconds != y->seconds)
		return x->seconds < y->seconds ? 1 : -1;
	return (x->key > y->key) - (x->key < y->key);
}

void path_sums_sort(struct path_sums *s)
{
	if (s->n_shares > 1)
		qsort(s->shares, s->n_shares, sizeof *s->shares, share_compare);
}

void path_sums_release(struct path_sums *s)
{
	free(s->shares);
	free(s->longest);
	*s = (struct path_sums){0};
}

static uint32_t node_new(struct paths *p, uint32_t parent)
{
	struct err err;
	uint32_t id = slots_take(&p->nodes, &err);

	if (id == SLOTS_NONE) {
		p->failed = 1;
		return PATH_NONE;
	}
	*node_at(p, id) = (struct node){.parent = parent, .held = 1};
	p->n++;
	return id;
}

static void node_give(struct paths *p, uint32_t id)
{
	path_sums_release(&node_at(p, id)->sums);
	slots_give(&p->nodes, id);
	p->n--;
}

/* --- sums --- */

static struct path_share *share_find(struct path_sums *s, uint64_t key)
{
	uint32_t low = 0, high = s->n_shares;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (s->shares[mid].key < key)
			low = mid + 1;
		else
			high = mid;
	}
	return s->shares + low;
}

static void sums_add(struct paths *p, struct path_sums *s, uint64_t key, double seconds)
{
	struct path_share *at = s->n_shares ? share_find(s, key) : NULL, *all;

	if (at && at < s->shares + s->n_shares && at->key == key) {
		at->seconds += seconds;
		return;
	}
	size_t place = at ? (size_t)(at - s->shares) : 0;
	all = vec_grow(s->shares, &s->cap, sizeof *all, (size_t)s->n_shares + 1, "paths", NULL);
	if (!all) {
		p->failed = 1;
		return;
	}
	s->shares = all;
	memmove(all + place + 1, all + place, (s->n_shares++ - place) * sizeof *all);
	all[place] = (struct path_share){key, seconds};
}

static double stretch_length(const struct path_stretch *s)
{
	return s->until - s->from;
}

static void sums_add_stretch(struct paths *p, struct path_sums *s, const struct path_stretch *x)
{
	struct path_stretch *all;
	uint32_t i = s->n_longest;

	if (i == PATH_LONGEST && stretch_length(x) <= stretch_length(&s->longest[i - 1]))
		return;
	if (i < PATH_LONGEST) {
		all = vec_grow(s->longest, &s->longest_cap, sizeof *all, (size_t)i + 1, "paths",
		               NULL);
		if (!all) {
			p->failed = 1;
			return;
		}
		s->longest = all;
		s->n_longest++;
	} else {
		i--;
	}
	for (; i > 0 && stretch_length(&s->longest[i - 1]) < stretch_length(x); i--)
		s->longest[i] = s->longest[i - 1];
	s->longest[i] = *x;
}

static void sums_join(struct paths *p, struct path_sums *to, const struct path_sums *from)
{
	for (uint32_t i = 0; i < from->n_shares; i++)
		sums_add(p, to, from->shares[i].key, from->shares[i].seconds);
	for (uint32_t i = 0; i < from->n_longest; i++)
		sums_add_stretch(p, to, &from->longest[i]);
	to->messages += from->messages;
}

/* --- paths --- */

uint32_t path_new(struct paths *p)
{
	return node_new(p, PATH_NONE);
}

uint32_t path_keep(struct paths *p, uint32_t path)
{
	if (path != PATH_NONE)
		node_at(p, path)->held++;
	return path;
}

/* Its only child takes it up: the larger of the two sums grows by the smaller. */
static void node_take_up(struct paths *p, uint32_t id)
{
	struct node *n = node_at(p, id), *kid = node_at(p, n->kids_xor);

	if (n->sums.n_shares > kid->sums.n_shares) {
		struct path_sums s = n->sums;

		n->sums = kid->sums;
		kid->sums = s;
	}
	sums_join(p, &kid->sums, &n->sums);
	kid->parent = n->parent;
	if (n->parent != PATH_NONE)
		node_at(p, n->parent)->kids_xor ^= id ^ n->kids_xor;
	node_give(p, id);
}

void path_drop(struct paths *p, uint32_t path)
{
	while (path != PATH_NONE) {
		struct node *n = node_at(p, path);
		uint32_t parent = n->parent;

		if (--n->held > 0) {
			if (n->held == 1 && n->kids == 1)
				node_take_up(p, path);
			return;
		}
		if (parent != PATH_NONE) {
			node_at(p, parent)->kids--;
			node_at(p, parent)->kids_xor ^= path;
		}
		node_give(p, path);
		path = parent;
	}
}

uint32_t path_own(struct paths *p, uint32_t path)
{
	if (path == PATH_NONE || node_at(p, path)->held == 1)
		return path;
	uint32_t own = node_new(p, path); /* which holds it in its holder's place */

	if (own == PATH_NONE)
		return path; /* wrong from now on: failed */
	node_at(p, path)->kids++;
	node_at(p, path)->kids_xor ^= own;
	return own;
}

void path_add(struct paths *p, uint32_t path, enum path_kind kind, uint32_t which, double seconds)
{
	if (path != PATH_NONE && seconds > 0)
		sums_add(p, &node_at(p, path)->sums, (uint64_t)kind << 32 | which, seconds);
}

void path_add_stretch(struct paths *p, uint32_t path, const struct path_stretch *s)
{
	if (path == PATH_NONE)
		return;
	sums_add_stretch(p, &node_at(p, path)->sums, s);
	node_at(p, path)->sums.messages += s->message > 0;
}

void path_sum(struct paths *p, uint32_t path, struct path_sums *out)
{
	for (; path != PATH_NONE; path = node_at(p, path)->parent)
		sums_join(p, out, &node_at(p, path)->sums);
}
