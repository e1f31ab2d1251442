/* prop_neighbours.c: neighbourhood collectives (MPI 4.0, 8.6) on random grids and graphs, in their
 * three forms, beside what arrives where by the standard:
 *
 *   grid    what a rank sends downwards in a dimension arrives from above at who is below, also
 *           where both are the same rank, or the rank itself (sides of 1 or 2 that are periodic)
 *   graph   what it sends to its j-th destination arrives at the k-th place where it is that rank's
 *           source, if that is the k-th time that the rank is its destination
 *
 * Blocks of what nobody sends to are not touched. */
#include "../../unit/ranks/ranks.h"

#include "../../unit/ranks/layout.h"
#include "base/rng.h"

enum { MOST = 12, DIMS = 3, DEGREE = 8, DEEDS = 5, CASES = 60 };
enum kind { GRID, GRAPH, ADJACENT, EDGES, KINDS };
enum what { ALLGATHER, ALLGATHERV, ALLTOALL, ALLTOALLV, ALLTOALLW, WHATS };
enum form { BLOCKING, NONBLOCKING, PERSISTENT, FORMS };
enum { GIVEN = 4 * MOST };

struct lists { /* of one rank */
	int n_in, n_out, in[DEGREE], out[DEGREE];
};
struct deed {
	enum what what;
	enum form form;
	int pairs[MOST][DEGREE], gap[DEGREE];
	enum layout layout[2][DEGREE];
};
struct plan {
	int n, dims, size[DIMS], periodic[DIMS], edges, deeds;
	enum kind kind;
	uint64_t seed;
	struct {
		int from, to, giver;
	} edge[GIVEN];
	struct deed deed[DEEDS];
};
struct own {
	const struct plan *p;
	int me;
	MPI_Comm comm;
	struct lists all[MOST];
};

/* The compiler is not to see that this is no address. */
static int *volatile unweighted = MPI_UNWEIGHTED;

static int value(int number, int rank, int block, int i)
{
	return number * 1000003 + rank * 7919 + block * 131 + i * 3 + 1;
}

/* --- topologies --- */

static void grid_make(struct own *o)
{
	OK(orr_Cart_create(MPI_COMM_WORLD, o->p->dims, o->p->size, o->p->periodic, 0, &o->comm));
}

/* All edges in the order of the list: the neighbours of rank r. */
static int neighbours_of(const struct plan *p, int r, int incoming, int *out)
{
	int n = 0;

	for (int i = 0; i < p->edges; i++)
		if ((incoming ? p->edge[i].to : p->edge[i].from) == r)
			out[n++] = incoming ? p->edge[i].from : p->edge[i].to;
	return n;
}

static void graph_make(struct own *o)
{
	int index[MOST], edges[GIVEN], n = 0;

	for (int r = 0; r < o->p->n; r++)
		index[r] = n += neighbours_of(o->p, r, 0, edges + n);
	OK(orr_Graph_create(MPI_COMM_WORLD, o->p->n, index, edges, 0, &o->comm));
}

static void adjacent_make(struct own *o)
{
	int in[GIVEN], out[GIVEN], n = neighbours_of(o->p, o->me, 1, in),
	                           m = neighbours_of(o->p, o->me, 0, out);

	OK(orr_Dist_graph_create_adjacent(MPI_COMM_WORLD, n, in, unweighted, m, out, unweighted,
	                                  MPI_INFO_NULL, 0, &o->comm));
}

/* Each edge is given by any rank. */
static void edges_make(struct own *o)
{
	int sources[GIVEN], degrees[GIVEN], to[GIVEN], n = 0;

	for (int i = 0; i < o->p->edges; i++)
		if (o->p->edge[i].giver == o->me) {
			sources[n] = o->p->edge[i].from;
			degrees[n] = 1;
			to[n++] = o->p->edge[i].to;
		}
	OK(orr_Dist_graph_create(MPI_COMM_WORLD, n, sources, degrees, to, unweighted, MPI_INFO_NULL,
	                         0, &o->comm));
}

static void sorted(int n, int *x)
{
	for (int i = 1; i < n; i++)
		for (int k = i; k > 0 && x[k - 1] > x[k]; k--) {
			int y = x[k];

			x[k] = x[k - 1], x[k - 1] = y;
		}
}

/* The same neighbours, in any order. */
static void same(int n, const int *a, int m, const int *b)
{
	int x[GIVEN], y[GIVEN];

	assert_int_equal(n, m);
	memcpy(x, a, (size_t)n * sizeof *x);
	memcpy(y, b, (size_t)n * sizeof *y);
	sorted(n, x);
	sorted(n, y);
	assert_memory_equal(x, y, (size_t)n * sizeof *x);
}

/* As the library tells them. */
static void lists_ask(struct own *o, struct lists *l)
{
	int want[GIVEN], weighted, weight[DEGREE];

	if (o->p->kind == GRID) {
		l->n_in = l->n_out = 2 * o->p->dims;
		for (int d = 0; d < o->p->dims; d++)
			OK(orr_Cart_shift(o->comm, d, 1, &l->in[2 * d], &l->in[2 * d + 1]));
		memcpy(l->out, l->in, sizeof l->out);
		return;
	}
	if (o->p->kind == GRAPH) {
		OK(orr_Graph_neighbors_count(o->comm, o->me, &l->n_in));
		OK(orr_Graph_neighbors(o->comm, o->me, DEGREE, l->in));
		l->n_out = l->n_in;
		memcpy(l->out, l->in, sizeof l->out);
	} else {
		OK(orr_Dist_graph_neighbors_count(o->comm, &l->n_in, &l->n_out, &weighted));
		assert_false(weighted);
		OK(orr_Dist_graph_neighbors(o->comm, l->n_in, l->in, weight, l->n_out, l->out,
		                            weight));
	}
	same(l->n_in, l->in, neighbours_of(o->p, o->me, 1, want), want);
	same(l->n_out, l->out, neighbours_of(o->p, o->me, 0, want), want);
}

static void topology_make(struct own *o)
{
	static void (*const make[])(struct own *) = {grid_make, graph_make, adjacent_make,
	                                             edges_make};
	struct lists mine = {0};

	make[o->p->kind](o);
	lists_ask(o, &mine);
	OK(orr_Allgather(&mine, sizeof mine, MPI_BYTE, o->all, sizeof mine, MPI_BYTE, o->comm));
}

/* Whose block, and which, arrives in block i: 0: nobody's. */
static int origin(const struct own *o, int i, int *from, int *block)
{
	const struct lists *mine = &o->all[o->me], *its;
	int k = 0;

	*from = mine->in[i];
	if (*from == MPI_PROC_NULL)
		return 0;
	if (o->p->kind == GRID) { /* from below: what it sent up */
		*block = i ^ 1;
		return 1;
	}
	for (int j = 0; j < i; j++)
		k += mine->in[j] == *from;
	its = &o->all[*from];
	for (*block = 0;; ++*block)
		if (its->out[*block] == o->me && k-- == 0)
			return 1;
}

/* --- one collective --- */

struct side {
	int n, disp[DEGREE], count[DEGREE], room, *buf;
	enum layout layout[DEGREE];
	MPI_Count counts[DEGREE];
	MPI_Aint displs[DEGREE], bytes[DEGREE];
	MPI_Datatype types[DEGREE];
};

static int gathers(enum what w)
{
	return w == ALLGATHER || w == ALLGATHERV;
}

static int pairs_of(const struct deed *d, int rank, int block)
{
	if (d->what == ALLGATHER || d->what == ALLTOALL)
		return d->pairs[0][0];
	return d->what == ALLGATHERV ? d->pairs[rank][0] : d->pairs[rank][block];
}

/* Receive blocks of nobody hold two elements; where there is one count for all, that. */
static int receives(const struct own *o, const struct deed *d, int i)
{
	int from, block = 0;

	if (origin(o, i, &from, &block))
		return 2 * pairs_of(d, from, block);
	return d->what == ALLGATHER || d->what == ALLTOALL ? 2 * d->pairs[0][0] : 2;
}

static void side_make(const struct own *o, const struct deed *d, int incoming, struct side *s)
{
	const struct lists *l = &o->all[o->me];
	int v = d->what == ALLTOALLV || d->what == ALLTOALLW || (d->what == ALLGATHERV && incoming);

	*s = (struct side){.n = incoming ? l->n_in : gathers(d->what) ? 1 : l->n_out};
	for (int i = 0; i < s->n; i++) {
		s->layout[i] = d->layout[incoming][d->what == ALLTOALLW ? i : 0];
		s->count[i] = incoming ? receives(o, d, i) : 2 * pairs_of(d, o->me, i);
		s->room += v ? 2 * d->gap[i] : 0;
		s->disp[i] = s->room;
		s->room += s->count[i] * (s->layout[i] == SPREAD ? 2 : 1);
		s->counts[i] = s->count[i] / layout_ints(s->layout[i]);
		s->displs[i] = s->disp[i] / layout_extent(s->layout[i]);
		s->bytes[i] = 4 * s->disp[i];
		s->types[i] = layout_type(s->layout[i]);
	}
	if (s->n == 0)
		s->types[0] = layout_type(s->layout[0] = DENSE);
	s->buf = ints_new(s->room);
}

static void side_end(struct side *s)
{
	for (int i = 0; i < s->n; i++)
		layout_type_end(s->types[i]);
	free(s->buf);
}

static int *at(const struct side *s, int block, int i)
{
	return &s->buf[s->disp[block] + layout_place(s->layout[block], i)];
}

#define ONE(s) (s)->buf, (s)->counts[0], (s)->types[0]
/* Arrays of no neighbours are NULL, as from malloc(0). */
#define ARRAY(s, array) ((s)->n > 0 ? (s)->array : NULL)
#define MANY(s) (s)->buf, ARRAY(s, counts), ARRAY(s, displs), (s)->types[0]
#define EACH(s) (s)->buf, ARRAY(s, counts), ARRAY(s, bytes), ARRAY(s, types)

static int begin(enum what w, enum form f, const struct side *s, const struct side *r, MPI_Comm c,
                 MPI_Request *q)
{
	const MPI_Info no = MPI_INFO_NULL;

	switch (3 * (int)w + (int)f) {
	case 3 * ALLGATHER + BLOCKING:
		return orr_Neighbor_allgather(ONE(s), ONE(r), c);
	case 3 * ALLGATHER + NONBLOCKING:
		return orr_Ineighbor_allgather(ONE(s), ONE(r), c, q);
	case 3 * ALLGATHER + PERSISTENT:
		return orr_Neighbor_allgather_init(ONE(s), ONE(r), c, no, q);
	case 3 * ALLGATHERV + BLOCKING:
		return orr_Neighbor_allgatherv(ONE(s), MANY(r), c);
	case 3 * ALLGATHERV + NONBLOCKING:
		return orr_Ineighbor_allgatherv(ONE(s), MANY(r), c, q);
	case 3 * ALLGATHERV + PERSISTENT:
		return orr_Neighbor_allgatherv_init(ONE(s), MANY(r), c, no, q);
	case 3 * ALLTOALL + BLOCKING:
		return orr_Neighbor_alltoall(ONE(s), ONE(r), c);
	case 3 * ALLTOALL + NONBLOCKING:
		return orr_Ineighbor_alltoall(ONE(s), ONE(r), c, q);
	case 3 * ALLTOALL + PERSISTENT:
		return orr_Neighbor_alltoall_init(ONE(s), ONE(r), c, no, q);
	case 3 * ALLTOALLV + BLOCKING:
		return orr_Neighbor_alltoallv(MANY(s), MANY(r), c);
	case 3 * ALLTOALLV + NONBLOCKING:
		return orr_Ineighbor_alltoallv(MANY(s), MANY(r), c, q);
	case 3 * ALLTOALLV + PERSISTENT:
		return orr_Neighbor_alltoallv_init(MANY(s), MANY(r), c, no, q);
	case 3 * ALLTOALLW + BLOCKING:
		return orr_Neighbor_alltoallw(EACH(s), EACH(r), c);
	case 3 * ALLTOALLW + NONBLOCKING:
		return orr_Ineighbor_alltoallw(EACH(s), EACH(r), c, q);
	default:
		return orr_Neighbor_alltoallw_init(EACH(s), EACH(r), c, no, q);
	}
}

static void check(const struct own *o, const struct deed *d, int number, const struct side *r)
{
	int *want = ints_new(r->room);
	struct side w = *r;

	w.buf = want;
	for (int b = 0; b < r->n; b++) {
		int from, block = 0;

		if (!origin(o, b, &from, &block))
			continue;
		for (int i = 0; i < r->count[b]; i++)
			*at(&w, b, i) = value(number, from, gathers(d->what) ? 0 : block, i);
	}
	for (int i = 0; i < r->room; i++)
		if (r->buf[i] != want[i])
			fail_msg("seed %llu: topology %d, operation %d, form %d, rank %d: int %d "
			         "is %d, not %d",
			         (unsigned long long)o->p->seed, o->p->kind, d->what, d->form,
			         o->me, i, r->buf[i], want[i]);
	free(want);
}

static void deed_go(const struct own *o, int number)
{
	const struct deed *d = &o->p->deed[number];
	MPI_Request q = MPI_REQUEST_NULL;
	struct side s, r;

	side_make(o, d, 0, &s);
	side_make(o, d, 1, &r);
	for (int b = 0; b < s.n; b++)
		for (int i = 0; i < s.count[b]; i++)
			*at(&s, b, i) = value(number, o->me, b, i);
	OK(begin(d->what, d->form, &s, &r, o->comm, &q));
	for (int round = 0; round < (d->form == PERSISTENT ? 2 : 1); round++) {
		if (d->form == PERSISTENT)
			OK(orr_Start(&q));
		OK(orr_Wait(&q, MPI_STATUS_IGNORE));
		check(o, d, number, &r);
		for (int i = 0; i < r.room; i++)
			r.buf[i] = UNTOUCHED;
	}
	if (d->form == PERSISTENT)
		OK(orr_Request_free(&q));
	side_end(&s);
	side_end(&r);
}

static void body(int me, void *arg)
{
	struct own o = {.p = arg, .me = me};

	topology_make(&o);
	for (int i = 0; i < o.p->deeds; i++)
		deed_go(&o, i);
	OK(orr_Comm_free(&o.comm));
}

/* --- what is drawn --- */

static void edge_add(struct plan *p, int from, int to, int giver)
{
	int out = 0, in = 0;

	for (int i = 0; i < p->edges; i++) {
		out += p->edge[i].from == from;
		in += p->edge[i].to == to;
	}
	if (out >= DEGREE || in >= DEGREE || p->edges == GIVEN)
		return;
	p->edge[p->edges].from = from;
	p->edge[p->edges].to = to;
	p->edge[p->edges++].giver = giver;
}

/* A graph that is given as a whole has each edge in both directions; some edges twice. */
static void edges_draw(struct rng *r, struct plan *p)
{
	int n = (int)rng_below(r, (uint64_t)(2 * p->n) + 1);

	for (int i = 0; i < n; i++) {
		int a = (int)rng_below(r, (uint64_t)p->n), b = (int)rng_below(r, (uint64_t)p->n),
		    giver = (int)rng_below(r, (uint64_t)p->n), before = p->edges;

		edge_add(p, a, b, giver);
		if (p->kind != GRAPH || a == b || p->edges == before)
			continue;
		edge_add(p, b, a, giver);
		if (p->edges == before + 1)
			p->edges = before;
	}
}

static void grid_draw(struct rng *r, struct plan *p)
{
	p->dims = 1 + (int)rng_below(r, DIMS);
	p->n = 1;
	for (int d = 0; d < p->dims; d++) {
		p->size[d] = 1 + (int)rng_below(r, 3);
		if (p->n * p->size[d] > MOST)
			p->size[d] = 1;
		p->n *= p->size[d];
		p->periodic[d] = (int)rng_below(r, 2);
	}
}

static void plan_draw(struct plan *p, uint64_t seed)
{
	struct rng r;

	rng_init(&r, seed, "neighbours", 0);
	*p = (struct plan){.seed = seed, .kind = (enum kind)rng_below(&r, KINDS)};
	p->n = 1 + (int)rng_below(&r, MOST);
	p->deeds = 1 + (int)rng_below(&r, DEEDS);
	if (p->kind == GRID)
		grid_draw(&r, p);
	else
		edges_draw(&r, p);
	for (int k = 0; k < p->deeds; k++) {
		struct deed *d = &p->deed[k];

		d->what = (enum what)rng_below(&r, WHATS);
		d->form = (enum form)rng_below(&r, FORMS);
		for (int b = 0; b < DEGREE; b++) {
			for (int i = 0; i < p->n; i++)
				d->pairs[i][b] = (int)rng_below(&r, 5);
			d->gap[b] = (int)rng_below(&r, 3);
			d->layout[0][b] = (enum layout)rng_below(&r, LAYOUTS);
			d->layout[1][b] = (enum layout)rng_below(&r, LAYOUTS);
		}
	}
}

static void neighbours(void **state)
{
	static struct plan p;
	const char *one = getenv("PROP_SEED"), *cases = getenv("PROP_CASES");
	uint64_t from = one ? strtoull(one, NULL, 10) : 1, to = one     ? from
	                                                        : cases ? strtoull(cases, NULL, 10)
	                                                                : CASES;

	(void)state;
	for (uint64_t seed = from; seed <= to; seed++) {
		struct ranks run = {.body = body, .arg = &p};

		plan_draw(&p, seed);
		run.n = p.n;
		if (ranks_run(&run) < 0)
			fail_msg("seed %llu: %s", (unsigned long long)seed, run.err.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(neighbours)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
