/* dumpi_comms.c: groups and communicators of a DUMPI trace. A file says what its rank gave
 * (a colour, a group), not who else is in; so the calls that make communicators are played: each
 * rank goes on until it makes one, waits there until all members of the parent have come, and then
 * all know who is in what.
 *
 *   rank: note ── note ── … (first pass)        resolve: play them        take ── take ── … */
#include "dumpi.h"

#include <stdlib.h>

enum { COMM_NULL = 1, COMM_WORLD = 2, COMM_SELF = 3 }; /* DUMPI's numbers */

enum kind {
	COMM_GROUP,
	GROUP_UNION,
	GROUP_INTERSECTION,
	GROUP_DIFFERENCE,
	GROUP_INCL,
	GROUP_EXCL,
	GROUP_RANGE_INCL,
	GROUP_RANGE_EXCL,
	WIN_GROUP, /* MPI_Win_post, _start: the group is wanted */
	DUP,
	SPLIT,
	CREATE,
	CART,
	CART_SUB,
	GRAPH,
	INTER, /* cannot be played */
	KINDS
};
static const struct {
	const char *name;
	enum kind kind;
} makers[] = {{"Comm_group", COMM_GROUP},
              {"Group_union", GROUP_UNION},
              {"Group_intersection", GROUP_INTERSECTION},
              {"Group_difference", GROUP_DIFFERENCE},
              {"Group_incl", GROUP_INCL},
              {"Group_excl", GROUP_EXCL},
              {"Group_range_incl", GROUP_RANGE_INCL},
              {"Group_range_excl", GROUP_RANGE_EXCL},
              {"Win_post", WIN_GROUP},
              {"Win_start", WIN_GROUP},
              {"Comm_dup", DUP},
              {"Comm_split", SPLIT},
              {"Comm_create", CREATE},
              {"Cart_create", CART},
              {"Cart_sub", CART_SUB},
              {"Graph_create", GRAPH},
              {"Intercomm_create", INTER},
              {"Intercomm_merge", INTER}};

struct group {
	int32_t *rank;
	uint32_t n;
};
struct note {
	enum kind kind;
	int64_t v[8];
	int64_t *list; /* ranks, or dimensions and then periods */
	uint32_t n, n2;
	/* what came of it */
	int comm;
	struct group group;
	int64_t *dims; /* of a grid: dimensions, then periods */
	uint32_t n_dims;
};
struct owner { /* a rank */
	struct note *note;
	uint32_t n, cap, at;
	struct hash64 comms, groups; /* the rank's numbers -> node, note */
};
struct node {     /* a communicator */
	int comm; /* foreign */
	uint32_t arrived;
	int64_t *dims;
	uint32_t n_dims;
};
struct dumpi_comms {
	struct foreign *f;
	struct owner *owner;
	struct node *node;
	uint32_t n_nodes, cap_nodes;
};

static int kind_find(const char *name)
{
	for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
		if (!strcmp(makers[i].name, name))
			return (int)makers[i].kind;
	return -1;
}

int dumpi_makes_objects(const char *name)
{
	return kind_find(name) >= 0;
}

struct dumpi_comms *dumpi_comms_new(struct foreign *f, struct err *err)
{
	struct dumpi_comms *m = calloc(1, sizeof *m);

	if (m) {
		m->f = f;
		m->owner = calloc(f->ranks, sizeof *m->owner);
	}
	if (!m || !m->owner) {
		free(m);
		err_nomem(err, "communicators", f->ranks * sizeof *m->owner);
		return NULL;
	}
	return m;
}

void dumpi_comms_free(struct dumpi_comms *m)
{
	if (!m)
		return;
	for (uint32_t i = 0; i < m->f->ranks; i++) {
		struct owner *o = &m->owner[i];

		for (uint32_t k = 0; k < o->n; k++) {
			free(o->note[k].list);
			free(o->note[k].group.rank);
		}
		hash64_release(&o->comms);
		hash64_release(&o->groups);
		free(o->note);
	}
	for (uint32_t i = 0; i < m->n_nodes; i++)
		free(m->node[i].dims);
	free(m->node);
	free(m->owner);
	free(m);
}

/* --- noting --- */

int dumpi_comms_note(struct dumpi_comms *m, uint32_t rank, const struct dumpi_call *c,
                     struct err *err)
{
	struct owner *o = &m->owner[rank];
	struct note *all = vec_grow(o->note, &o->cap, sizeof *all, (size_t)o->n + 1,
	                            "calls that make communicators", err);
	struct note *t;
	uint32_t n2 = c->a[1].n;

	if (!all)
		return -1;
	o->note = all;
	t = &all[o->n];
	*t = (struct note){.kind = (enum kind)kind_find(c->name), .n = c->a[0].n, .comm = -1};
	memcpy(t->v, c->v, sizeof t->v);
	t->n2 = t->kind == CART ? n2 : 0;
	t->list = malloc(((size_t)t->n + t->n2 + 1) * sizeof *t->list);
	if (!t->list)
		return err_nomem(err, "a group", t->n * sizeof *t->list);
	if (t->n)
		memcpy(t->list, c->a[0].at, t->n * sizeof *t->list);
	if (t->n2)
		memcpy(t->list + t->n, c->a[1].at, t->n2 * sizeof *t->list);
	o->n++;
	return 0;
}

/* --- groups --- */

/* Which of the numbers below n are in a group: a byte of each. NULL: no memory. */
static uint8_t *marks_of(const struct group *g, uint32_t n, struct err *err)
{
	uint8_t *in = calloc((size_t)n + 1, 1);

	if (!in)
		err_nomem(err, "a group", n);
	for (uint32_t i = 0; in && i < g->n; i++)
		if ((uint32_t)g->rank[i] < n)
			in[g->rank[i]] = 1;
	return in;
}

static int group_add(struct group *g, int32_t rank, struct err *err)
{
	int32_t *all = realloc(g->rank, ((size_t)g->n + 1) * sizeof *all);

	if (!all)
		return err_nomem(err, "a group", g->n * sizeof *all);
	g->rank = all;
	all[g->n++] = rank;
	return 0;
}

static const struct group *group_of(const struct owner *o, int64_t id)
{
	static const struct group empty = {NULL, 0};
	uint32_t at = hash64_find(&o->groups, (uint64_t)id);

	return at == HASH_NONE ? &empty : &o->note[at].group;
}

/* Members of g, of so many ranks, that are (or are not) in `other` go to out. */
static int group_filter(struct group *out, uint32_t ranks, const struct group *g,
                        const struct group *other, int wanted, struct err *err)
{
	uint8_t *in = marks_of(other, ranks, err);
	int r = in ? 0 : -1;

	for (uint32_t i = 0; i < g->n && r == 0; i++)
		if (in[g->rank[i]] == wanted)
			r = group_add(out, g->rank[i], err);
	free(in);
	return r;
}

/* Of the places first, first + by, … up to last those that a group of n has. */
static int range_expand(int64_t first, int64_t last, int64_t by, uint32_t n, struct group *places,
                        struct err *err)
{
	if (by == 0)
		return 0;
	if (by > 0 && first < 0) /* the first that there may be */
		first += (by - 1 - first) / by * by;
	if (by < 0 && first >= n)
		first += (first - n - by) / -by * by;
	for (; by > 0 ? first <= last && first < n : first >= last && first >= 0; first += by)
		if (group_add(places, (int32_t)first, err) < 0)
			return -1;
	return 0;
}

/* The places that a call names, in its order: ranges are first, last, stride. */
static int places_expand(const struct note *t, uint32_t n, struct group *places, struct err *err)
{
	const int ranges = t->kind == GROUP_RANGE_INCL || t->kind == GROUP_RANGE_EXCL;

	for (uint32_t i = 0; ranges && i + 2 < t->n; i += 3)
		if (range_expand(t->list[i], t->list[i + 1], t->list[i + 2], n, places, err) < 0)
			return -1;
	for (uint32_t i = 0; !ranges && i < t->n; i++)
		if (t->list[i] >= 0 && t->list[i] < n &&
		    group_add(places, (int32_t)t->list[i], err) < 0)
			return -1;
	return 0;
}

/* incl: the members at these places, in their order; excl: the others. */
static int group_pick(struct note *t, const struct group *from, struct err *err)
{
	struct group places = {0};
	int incl = t->kind == GROUP_INCL || t->kind == GROUP_RANGE_INCL;
	int r = places_expand(t, from->n, &places, err);
	uint8_t *in = incl || r < 0 ? NULL : marks_of(&places, from->n, err);

	for (uint32_t i = 0; incl && r == 0 && i < places.n; i++)
		r = group_add(&t->group, from->rank[places.rank[i]], err);
	for (uint32_t i = 0; in && r == 0 && i < from->n; i++)
		if (!in[i])
			r = group_add(&t->group, from->rank[i], err);
	r = incl || in ? r : -1;
	free(in);
	free(places.rank);
	return r;
}

static int group_make(struct dumpi_comms *m, struct owner *o, struct note *t, uint32_t rank,
                      struct err *err)
{
	const struct group *a = group_of(o, t->v[0]), *b = group_of(o, t->v[1]);
	const uint32_t ranks = m->f->ranks;
	uint32_t node;

	switch (t->kind) {
	case COMM_GROUP:
		node = hash64_find(&o->comms, (uint64_t)t->v[0]);
		if (t->v[0] == COMM_SELF)
			return group_add(&t->group, (int32_t)rank, err);
		if (node == HASH_NONE)
			return 0;
		for (uint32_t i = 0; i < m->f->comms[m->node[node].comm].n; i++)
			if (group_add(&t->group, m->f->comms[m->node[node].comm].members[i], err) <
			    0)
				return -1;
		return 0;
	case GROUP_UNION:
		for (uint32_t i = 0; i < a->n; i++)
			if (group_add(&t->group, a->rank[i], err) < 0)
				return -1;
		return group_filter(&t->group, ranks, b, a, 0, err);
	case GROUP_INTERSECTION:
		return group_filter(&t->group, ranks, a, b, 1, err);
	case GROUP_DIFFERENCE:
		return group_filter(&t->group, ranks, a, b, 0, err);
	case WIN_GROUP:
		return group_filter(&t->group, ranks, a, &(struct group){NULL, 0}, 0, err);
	default:
		return group_pick(t, a, err);
	}
}

/* Where the number of what it makes stands among its arguments. */
static int made_at(enum kind k)
{
	static const int at[KINDS] = {[COMM_GROUP] = 1,
	                              [GROUP_UNION] = 2,
	                              [GROUP_INTERSECTION] = 2,
	                              [GROUP_DIFFERENCE] = 2,
	                              [GROUP_INCL] = 2,
	                              [GROUP_EXCL] = 2,
	                              [GROUP_RANGE_INCL] = 2,
	                              [GROUP_RANGE_EXCL] = 2,
	                              [DUP] = 1,
	                              [SPLIT] = 3,
	                              [CREATE] = 2,
	                              [CART] = 3,
	                              [CART_SUB] = 2,
	                              [GRAPH] = 4};

	return at[k];
}

static int parent_at(enum kind k)
{
	return k == CART_SUB || k == GRAPH; /* ndim, or numedges, comes first */
}

/* --- communicators --- */

static int node_add(struct dumpi_comms *m, int comm, struct err *err)
{
	struct node *all = vec_grow(m->node, &m->cap_nodes, sizeof *all, (size_t)m->n_nodes + 1,
	                            "communicators", err);

	if (!all)
		return -1;
	m->node = all;
	all[m->n_nodes] = (struct node){.comm = comm};
	return (int)m->n_nodes++;
}

/* A new communicator of these members: all of them know it under their own number. */
static int comm_give(struct dumpi_comms *m, const struct group *g, const int64_t *dims,
                     const int64_t *periods, uint32_t n_dims, struct err *err)
{
	int comm = foreign_comm_name(m->f, g->rank, g->n, err), node;

	if (comm < 0)
		return -1;
	node = node_add(m, comm, err);
	if (node < 0)
		return -1;
	if (n_dims) {
		int64_t *copy = malloc(2 * (size_t)n_dims * sizeof *copy);

		if (!copy)
			return err_nomem(err, "a grid", 2 * (size_t)n_dims * sizeof *copy);
		memcpy(copy, dims, n_dims * sizeof *copy);
		memcpy(copy + n_dims, periods, n_dims * sizeof *copy);
		m->node[node].dims = copy;
		m->node[node].n_dims = n_dims;
	}
	for (uint32_t i = 0; i < g->n; i++) {
		struct owner *o = &m->owner[g->rank[i]];
		struct note *t = &o->note[o->at];

		t->comm = comm;
		t->dims = m->node[node].dims;
		t->n_dims = n_dims;
		if (hash64_put(&o->comms, (uint64_t)t->v[made_at(t->kind)], (uint32_t)node, err) <
		    0)
			return -1;
	}
	return 0;
}

static struct note *note_of(struct dumpi_comms *m, int32_t rank)
{
	return &m->owner[rank].note[m->owner[rank].at];
}

/* The colour of a member of a grid that keeps some dimensions: its place in the others. */
static int64_t grid_colour(const struct node *n, const struct note *t, uint32_t place)
{
	int64_t colour = 0, rest = 1;

	for (uint32_t d = n->n_dims; d-- > 0;) {
		int64_t at = n->dims[d] > 0 ? place % n->dims[d] : 0;

		place = n->dims[d] > 0 ? (uint32_t)(place / n->dims[d]) : 0;
		if (d < t->n && t->list[d])
			continue;
		colour += at * rest;
		rest *= n->dims[d];
	}
	return colour;
}

struct member {
	int64_t colour, key;
	int32_t rank;
	uint32_t place;
};

static int by_colour(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (x->colour != y->colour)
		return x->colour < y->colour ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static int colours_give(struct dumpi_comms *m, const struct node *grid, const struct member *all,
                        uint32_t n, struct err *err)
{
	int64_t dims[16], periods[16];
	uint32_t n_dims = 0;
	const struct note *first = n ? note_of(m, all[0].rank) : NULL;

	for (uint32_t d = 0; grid && first && d < grid->n_dims && d < 16; d++) {
		if (d < first->n && first->list[d]) {
			dims[n_dims] = grid->dims[d];
			periods[n_dims++] = grid->dims[grid->n_dims + d];
		}
	}
	for (uint32_t from = 0, to; from < n; from = to) {
		struct group g = {0};
		int r = 0;

		for (to = from; to < n && all[to].colour == all[from].colour && r == 0; to++)
			r = group_add(&g, all[to].rank, err);
		if (r == 0 && all[from].colour >= 0)
			r = comm_give(m, &g, dims, periods, n_dims, err);
		free(g.rank);
		if (r < 0)
			return -1;
	}
	return 0;
}

static int colours_play(struct dumpi_comms *m, uint32_t node, const struct foreign_comm *parent,
                        struct err *err)
{
	struct member *all = malloc(((size_t)parent->n + 1) * sizeof *all);
	struct node grid = m->node[node];
	int sub = note_of(m, parent->members[0])->kind == CART_SUB, r;

	if (!all)
		return err_nomem(err, "a communicator", parent->n * sizeof *all);
	for (uint32_t i = 0; i < parent->n; i++) {
		const struct note *t = note_of(m, parent->members[i]);

		all[i] = (struct member){.rank = parent->members[i],
		                         .place = i,
		                         .colour = sub ? grid_colour(&grid, t, i) : t->v[1],
		                         .key = sub ? 0 : t->v[2]};
	}
	qsort(all, parent->n, sizeof *all, by_colour);
	r = colours_give(m, sub ? &grid : NULL, all, parent->n, err);
	free(all);
	return r;
}

/* All of a group wait to make a communicator of that one: those that are in it do. */
static int group_waits(struct dumpi_comms *m, uint32_t node, const struct group *g, struct err *err)
{
	for (uint32_t i = 0; i < g->n; i++) {
		const struct owner *o = &m->owner[g->rank[i]];

		if (o->at < o->n && o->note[o->at].kind == CREATE &&
		    hash64_find(&o->comms, (uint64_t)o->note[o->at].v[0]) == node)
			continue;
		return err_set(err, ERR_INPUT,
		               "%s: rank %d makes a communicator with rank %d, which is not in "
		               "its parent",
		               m->f->path, g->rank[0], g->rank[i]);
	}
	return 0;
}

/* MPI_Comm_create may be given different groups, one for each new communicator. */
static int create_play(struct dumpi_comms *m, uint32_t node, const struct foreign_comm *parent,
                       struct err *err)
{
	for (uint32_t i = 0; i < parent->n; i++) {
		int32_t rank = parent->members[i];
		struct note *t = note_of(m, rank);
		const struct group *g = group_of(&m->owner[rank], t->v[1]);

		if (t->v[2] != COMM_NULL && g->n > 0 && g->rank[0] == rank &&
		    (group_waits(m, node, g, err) < 0 || comm_give(m, g, NULL, NULL, 0, err) < 0))
			return -1;
	}
	return 0;
}

/* The first members of the parent: all, or as many as a grid or graph has. */
static int first_play(struct dumpi_comms *m, const struct foreign_comm *parent, struct err *err)
{
	struct note *t = note_of(m, parent->members[0]);
	struct group g = {.rank = parent->members, .n = parent->n};
	int64_t n = t->kind == GRAPH ? t->v[2] : 1;

	for (uint32_t d = 0; t->kind == CART && d < t->n && n <= parent->n; d++)
		n *= t->list[d] > 0 && t->list[d] <= parent->n ? t->list[d] : parent->n + 1;
	if (t->kind != DUP && (n < 1 || n > parent->n))
		return err_set(err, ERR_INPUT,
		               "%s: rank %d makes a grid or graph of more ranks than there are",
		               m->f->path, parent->members[0]);
	if (t->kind != DUP)
		g.n = (uint32_t)n;
	return comm_give(m, &g, t->list, t->list + t->n,
	                 t->kind == CART && t->n2 == t->n ? t->n : 0, err);
}

/* All members of the parent have come: they know what they get, and go on. */
static int node_play(struct dumpi_comms *m, uint32_t node, struct err *err)
{
	struct foreign_comm parent = m->f->comms[m->node[node].comm];
	enum kind kind = note_of(m, parent.members[0])->kind;
	int r;

	for (uint32_t i = 1; i < parent.n; i++)
		if (note_of(m, parent.members[i])->kind != kind)
			return err_set(err, ERR_INPUT,
			               "%s: ranks %d and %d make different kinds of communicators "
			               "of the same one",
			               m->f->path, parent.members[0], parent.members[i]);
	r = kind == CREATE                      ? create_play(m, node, &parent, err)
	    : kind == SPLIT || kind == CART_SUB ? colours_play(m, node, &parent, err)
	                                        : first_play(m, &parent, err);
	m->node[node].arrived = 0;
	for (uint32_t i = 0; i < parent.n; i++)
		m->owner[parent.members[i]].at++;
	return r;
}

/* A communicator of MPI_COMM_SELF is one more of a rank alone. */
static int alone_play(struct dumpi_comms *m, struct owner *o, struct note *t, uint32_t rank,
                      struct err *err)
{
	int32_t me = (int32_t)rank;
	struct group g = {.rank = &me, .n = 1};
	int null = t->kind == SPLIT && t->v[1] < 0;
	int r = null ? 0 : comm_give(m, &g, t->list, t->list + t->n, 0, err);

	o->at++;
	return r;
}

/* Goes on with a rank: 1 if it did anything. */
static int owner_play(struct dumpi_comms *m, uint32_t rank, struct err *err)
{
	struct owner *o = &m->owner[rank];
	struct note *t = &o->note[o->at];
	uint32_t node;

	if (t->kind <= WIN_GROUP) {
		if (group_make(m, o, t, rank, err) < 0)
			return -1;
		if (t->kind != WIN_GROUP &&
		    hash64_put(&o->groups, (uint64_t)t->v[made_at(t->kind)], o->at, err) < 0)
			return -1;
		o->at++;
		return 1;
	}
	if (t->kind == INTER)
		return err_set(err, ERR_INPUT,
		               "%s: rank %u makes or merges an intercommunicator, which cannot be "
		               "read of DUMPI",
		               m->f->path, rank);
	if (t->v[parent_at(t->kind)] == COMM_SELF)
		return alone_play(m, o, t, rank, err) < 0 ? -1 : 1;
	node = hash64_find(&o->comms, (uint64_t)t->v[parent_at(t->kind)]);
	if (node == HASH_NONE)
		return err_set(err, ERR_INPUT,
		               "%s: rank %u makes a communicator of number %lld, which it has not",
		               m->f->path, rank, (long long)t->v[parent_at(t->kind)]);
	if (++m->node[node].arrived < m->f->comms[m->node[node].comm].n)
		return 0; /* waits */
	return node_play(m, node, err) < 0 ? -1 : 1;
}

/* Every rank goes as far as it can; those that a communicator was waiting for go on after. */
int dumpi_comms_resolve(struct dumpi_comms *m, struct err *err)
{
	uint32_t left = 1;
	uint32_t *stopped = malloc((size_t)m->f->ranks * sizeof *stopped); /* where it waits */
	int moved = 1;

	if (!stopped)
		return err_nomem(err, "ranks", (size_t)m->f->ranks * sizeof *stopped);
	memset(stopped, 255, (size_t)m->f->ranks * sizeof *stopped);
	if (node_add(m, 0, err) < 0)
		moved = -1;
	for (uint32_t i = 0; i < m->f->ranks && moved > 0; i++)
		if (hash64_put(&m->owner[i].comms, COMM_WORLD, 0, err) < 0)
			moved = -1;
	while (left > 0 && moved > 0) {
		moved = left = 0;
		for (uint32_t i = 0; i < m->f->ranks && moved >= 0; i++) {
			struct owner *o = &m->owner[i];
			int r = 1;

			while (o->at < o->n && o->at != stopped[i] && r > 0) {
				stopped[i] = o->at; /* unless it gets further */
				r = owner_play(m, i, err);
				moved = r < 0 ? -1 : 1;
			}
			left += o->at < o->n;
		}
	}
	free(stopped);
	if (moved >= 0 && left > 0)
		return err_set(err, ERR_INPUT,
		               "%s: communicators are made that not all members of their parents "
		               "make: is a file missing, or cut?",
		               m->f->path);
	dumpi_comms_rewind(m);
	return moved < 0 ? -1 : 0;
}

void dumpi_comms_rewind(struct dumpi_comms *m)
{
	for (uint32_t i = 0; i < m->f->ranks; i++)
		m->owner[i].at = 0;
}

int dumpi_comms_take(struct dumpi_comms *m, uint32_t rank, struct dumpi_made *out)
{
	struct owner *o = &m->owner[rank];
	const struct note *t;

	BUG_ON(o->at >= o->n);
	t = &o->note[o->at++];
	*out = (struct dumpi_made){.comm = t->comm,
	                           .members = t->group.rank,
	                           .n = t->group.n,
	                           .dims = t->dims,
	                           .periods = t->dims ? t->dims + t->n_dims : NULL,
	                           .n_dims = t->n_dims};
	return t->kind <= GROUP_RANGE_EXCL ? 0 : 1;
}
