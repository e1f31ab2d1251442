/* prop_inter.c: collectives on intercommunicators (MPI 4.0, 6.2.2), in their three forms: each
 * group gets what the other one has. Groups of any sizes; a root is in one of them, its own group
 * says MPI_ROOT and MPI_PROC_NULL, the other one its rank.
 *
 * Element i of the block that rank r of group g has for the k-th of the others is
 * value(g, r, k, i). */
#include "../../unit/ranks/ranks.h"

#include "../../unit/ranks/collective.h"
#include "../../unit/ranks/layout.h"
#include "base/rng.h"

enum { SIDE = 5, PAIRS = 5, DEEDS = 6, CASES = 50 };
enum operator{ SUMS, MAXIMA, BITS, OPERATORS };

struct deed {
	enum what what;
	enum form form;
	enum operator op;
	int group, root; /* of who is root */
	int one;         /* pairs of ints, where there is one count */
	int pairs[2][SIDE][SIDE], gap[SIDE];
	enum layout layout[2];
};
struct plan {
	int n[2], deeds;
	uint64_t seed;
	struct deed deed[DEEDS];
};
struct own {
	const struct plan *p;
	int group, rank, n, m; /* m: the others */
	MPI_Comm comm;
};

static int value(int g, int r, int k, int i)
{
	return (g + 1) * 100003 + r * 7919 + k * 131 + i * 3;
}

static int operate(enum operator op, int x, int y)
{
	return op == SUMS ? x + y : op == MAXIMA ? (x > y ? x : y) : x ^ y;
}

static int has_root(enum what w)
{
	return w == BCAST || w == GATHER || w == GATHERV || w == SCATTER || w == SCATTERV ||
	       w == REDUCE;
}

static int is_v(enum what w)
{
	return w == GATHERV || w == SCATTERV || w == ALLGATHERV || w == ALLTOALLV || w == ALLTOALLW;
}

static int reduces(enum what w)
{
	return w >= REDUCE;
}

/* Pairs that rank r of group g has for rank k of the other group. */
static int pairs_of(const struct deed *d, int g, int r, int k)
{
	switch (d->what) {
	case GATHERV:
	case ALLGATHERV:
		return d->pairs[g][r][0];
	case SCATTERV:
		return d->pairs[g][0][k];
	case ALLTOALLV:
	case ALLTOALLW:
		return d->pairs[g][r][k];
	default:
		return d->one;
	}
}

struct side {
	int n, disp[SIDE], count[SIDE], room, *buf;
	enum layout layout;
};

static int *at(const struct side *s, int block, int i)
{
	return &s->buf[s->disp[block] + layout_place(s->layout, i)];
}

static void side_make(const struct deed *d, int receives, int n, const int *pairs, int gaps,
                      struct side *s)
{
	*s = (struct side){.n = n, .layout = reduces(d->what) ? DENSE : d->layout[receives]};
	for (int b = 0; b < n; b++) {
		s->room += gaps ? 2 * d->gap[b] : 0;
		s->disp[b] = s->room;
		s->count[b] = 2 * pairs[b];
		s->room += s->count[b] * (s->layout == SPREAD ? 2 : 1);
	}
	s->buf = ints_new(s->room);
}

/* In the group of the root only the root does anything. */
static int takes_part(const struct own *o, const struct deed *d)
{
	return !has_root(d->what) || d->group != o->group || d->root == o->rank;
}

static int is_root(const struct own *o, const struct deed *d)
{
	return d->group == o->group && d->root == o->rank;
}

static int sends(const struct own *o, const struct deed *d)
{
	switch (d->what) {
	case BARRIER:
		return 0;
	case BCAST:
		return is_root(o, d);
	case SCATTER:
	case SCATTERV:
		return is_root(o, d) ? o->m : 0;
	case GATHER:
	case GATHERV:
	case REDUCE:
		return d->group != o->group;
	case ALLTOALL:
	case ALLTOALLV:
	case ALLTOALLW:
		return o->m;
	case REDUCE_SCATTER:
	case REDUCE_SCATTER_BLOCK:
		return o->n; /* blocks of one's own group's counts */
	default:
		return 1;
	}
}

static int receives(const struct own *o, const struct deed *d)
{
	switch (d->what) {
	case BARRIER:
		return 0;
	case BCAST:
	case SCATTER:
	case SCATTERV:
		return d->group != o->group;
	case GATHER:
	case GATHERV:
		return is_root(o, d) ? o->m : 0;
	case REDUCE:
		return is_root(o, d);
	case ALLGATHER:
	case ALLGATHERV:
	case ALLTOALL:
	case ALLTOALLV:
	case ALLTOALLW:
		return o->m;
	default:
		return 1;
	}
}

/* A reduce-scatter's blocks: of group g, as many in all as of the other one. */
static int scattered(const struct own *o, const struct deed *d, int g, int k)
{
	int n = g == o->group ? o->n : o->m, whole = d->one * o->n * o->m;

	if (d->what == REDUCE_SCATTER_BLOCK)
		return whole / n;
	return k < n - 1 ? whole / n / 2 : whole - (n - 1) * (whole / n / 2);
}

static int is_scattered(enum what w)
{
	return w == REDUCE_SCATTER || w == REDUCE_SCATTER_BLOCK;
}

static void sides_make(const struct own *o, const struct deed *d, struct side *s, struct side *r)
{
	int pairs[SIDE] = {0}, n = takes_part(o, d) ? sends(o, d) : 0,
	    m = takes_part(o, d) ? receives(o, d) : 0;

	for (int k = 0; k < n; k++)
		pairs[k] = is_scattered(d->what) ? scattered(o, d, o->group, k)
		                                 : pairs_of(d, o->group, o->rank, k);
	side_make(d, 0, n, pairs, is_v(d->what) && n > 1, s);
	for (int k = 0; k < m; k++)
		pairs[k] = pairs_of(d, !o->group, d->what == SCATTERV ? d->root : k, o->rank);
	if (is_scattered(d->what))
		pairs[0] = scattered(o, d, o->group, o->rank);
	side_make(d, 1, m, pairs, is_v(d->what) && m > 1, r);
}

/* Where element i of block k is in the whole that is reduced. */
static int whole_at(const struct own *o, const struct deed *d, int g, int k, int i)
{
	for (int b = 0; is_scattered(d->what) && b < k; b++)
		i += 2 * scattered(o, d, g, b);
	return i;
}

static int expected(const struct own *o, const struct deed *d, int b, int i)
{
	int g = !o->group, x;

	switch (d->what) {
	case BCAST:
		return value(g, d->root, 0, i);
	case SCATTER:
	case SCATTERV:
		return value(g, d->root, o->rank, i);
	case GATHER:
	case GATHERV:
	case ALLGATHER:
	case ALLGATHERV:
		return value(g, b, 0, i);
	case ALLTOALL:
	case ALLTOALLV:
	case ALLTOALLW:
		return value(g, b, o->rank, i);
	default:
		break;
	}
	if (is_scattered(d->what))
		i = whole_at(o, d, o->group, o->rank, i);
	x = value(g, 0, 0, i);
	for (int r = 1; r < o->m; r++)
		x = operate(d->op, x, value(g, r, 0, i));
	return x;
}

static void call_make(const struct own *o, const struct deed *d, const struct side *s,
                      const struct side *r, struct call *c)
{
	*c = (struct call){.what = d->what,
	                   .comm = o->comm,
	                   .send = s->buf,
	                   .recv = r->buf,
	                   .root = d->group != o->group ? d->root
	                           : d->root == o->rank ? MPI_ROOT
	                                                : MPI_PROC_NULL,
	                   .send_type = layout_type(s->layout),
	                   .recv_type = layout_type(r->layout),
	                   .op = d->op == SUMS     ? MPI_SUM
	                         : d->op == MAXIMA ? MPI_MAX
	                                           : MPI_BXOR};
	for (int k = 0; k < SIDE; k++) {
		int w = d->what == ALLTOALLW;

		c->send_types[k] = c->send_type;
		c->recv_types[k] = c->recv_type;
		c->send_counts[k] = k < s->n ? s->count[k] / layout_ints(s->layout) : 0;
		c->recv_counts[k] = k < r->n ? r->count[k] / layout_ints(r->layout) : 0;
		c->send_displs[k] = w ? 4 * s->disp[k] : s->disp[k] / layout_extent(s->layout);
		c->recv_displs[k] = w ? 4 * r->disp[k] : r->disp[k] / layout_extent(r->layout);
	}
	c->send_count = c->send_counts[0];
	c->recv_count = c->recv_counts[0];
	if (d->what == BCAST && is_root(o, d)) /* one buffer */
		c->recv = s->buf, c->recv_count = c->send_count, c->recv_type = c->send_type;
	for (int k = 0; is_scattered(d->what) && k < o->n; k++)
		c->recv_counts[k] = 2 * scattered(o, d, o->group, k);
	if (reduces(d->what) && !is_scattered(d->what) && !is_root(o, d))
		c->recv_count = c->send_count;
}

static void deed_go(const struct own *o, const struct deed *d)
{
	MPI_Request q = MPI_REQUEST_NULL;
	MPI_Datatype types[2];
	struct side s, r;
	struct call c;

	sides_make(o, d, &s, &r);
	for (int b = 0; b < s.n; b++)
		for (int i = 0; i < s.count[b]; i++)
			*at(&s, b, i) = is_scattered(d->what)
			                    ? value(o->group, o->rank, 0,
			                            whole_at(o, d, o->group, b, i))
			                    : value(o->group, o->rank, b, i);
	call_make(o, d, &s, &r, &c);
	types[0] = c.send_types[0], types[1] = c.recv_types[0];
	if (d->form == BLOCKING)
		OK(call_blocking(&c));
	else if (d->form == NONBLOCKING)
		OK(call_nonblocking(&c, &q));
	else
		OK(call_persistent(&c, &q));
	if (d->form == PERSISTENT)
		OK(orr_Start(&q));
	OK(orr_Wait(&q, MPI_STATUS_IGNORE));
	if (d->form == PERSISTENT)
		OK(orr_Request_free(&q));
	for (int b = 0; b < r.n; b++)
		for (int i = 0; i < r.count[b]; i++)
			if (*at(&r, b, i) != expected(o, d, b, i))
				fail_msg("seed %llu: operation %d, form %d, group %d, rank %d, "
				         "block %d: element %d is %d, not %d",
				         (unsigned long long)o->p->seed, d->what, d->form, o->group,
				         o->rank, b, i, *at(&r, b, i), expected(o, d, b, i));
	layout_type_end(types[0]);
	layout_type_end(types[1]);
	free(s.buf);
	free(r.buf);
}

static void body(int me, void *arg)
{
	const struct plan *p = arg;
	struct own o = {.p = p, .group = me >= p->n[0]};
	MPI_Comm local;
	int x = 0;

	o.n = p->n[o.group];
	o.m = p->n[!o.group];
	OK(orr_Comm_split(MPI_COMM_WORLD, o.group, me, &local));
	OK(orr_Intercomm_create(local, 0, MPI_COMM_WORLD, o.group ? 0 : p->n[0], 4, &o.comm));
	OK(orr_Comm_rank(local, &o.rank));
	for (int i = 0; i < p->deeds; i++)
		deed_go(&o, &p->deed[i]);
	/* not of groups that have no order between them: 6.11 */
	assert_int_equal(orr_Scan(&x, &x, 1, MPI_INT, MPI_SUM, o.comm), MPI_ERR_COMM);
	assert_int_equal(orr_Exscan(&x, &x, 1, MPI_INT, MPI_SUM, o.comm), MPI_ERR_COMM);
	OK(orr_Comm_free(&local));
	OK(orr_Comm_free(&o.comm));
}

static void plan_draw(struct plan *p, uint64_t seed)
{
	struct rng r;

	rng_init(&r, seed, "inter", 0);
	*p = (struct plan){.seed = seed, .deeds = 1 + (int)rng_below(&r, DEEDS)};
	p->n[0] = 1 + (int)rng_below(&r, SIDE);
	p->n[1] = 1 + (int)rng_below(&r, SIDE);
	for (int i = 0; i < p->deeds; i++) {
		struct deed *d = &p->deed[i];

		do
			d->what = (enum what)rng_below(&r, COLLECTIVES);
		while (d->what == SCAN || d->what == EXSCAN);
		d->form = (enum form)rng_below(&r, FORMS);
		d->op = (enum operator)rng_below(&r, OPERATORS);
		d->group = (int)rng_below(&r, 2);
		d->root = (int)rng_below(&r, (uint64_t)p->n[d->group]);
		d->one = (int)rng_below(&r, PAIRS);
		for (int g = 0; g < 2; g++)
			for (int a = 0; a < SIDE; a++)
				for (int b = 0; b < SIDE; b++)
					d->pairs[g][a][b] = (int)rng_below(&r, PAIRS);
		for (int b = 0; b < SIDE; b++)
			d->gap[b] = (int)rng_below(&r, 3);
		d->layout[0] = (enum layout)rng_below(&r, LAYOUTS);
		d->layout[1] = (enum layout)rng_below(&r, LAYOUTS);
	}
}

static void between_groups(void **state)
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
		run.n = p.n[0] + p.n[1];
		if (ranks_run(&run) < 0)
			fail_msg("seed %llu: %s", (unsigned long long)seed, run.err.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(between_groups)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
