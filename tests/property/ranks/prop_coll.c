/* prop_coll.c: every collective, in its three forms, beside what MPI 4.0, chapter 6 defines it to
 * do, written out element by element: random sizes, roots, counts, displacements, layouts of both
 * sides, in place or not, several under way at once. Not a byte changes but those that it names.
 *
 * Elements are ints. Element i of the block that rank r has for rank k is value(r, k, i). Buffers
 * are described by blocks: so many elements at such a displacement. */
#include "../../unit/ranks/ranks.h"

#include "../../unit/ranks/collective.h"
#include "../../unit/ranks/layout.h"
#include "base/rng.h"

enum { ALL = 9, MOST = 6, DEEDS = 8, CASES = 40 };
enum operator{ SUMS, MAXIMA, BITS, COMPOSES, OPERATORS };

struct side {
	int n, disp[ALL], count[ALL]; /* blocks: in elements, displacements in ints */
	enum layout layout[ALL];
	int room; /* ints */
	int *buf;
};
struct deed { /* one collective, as all ranks know it */
	enum what what;
	enum form form;
	int root, in_place, pairs[ALL][ALL];
	enum operator op;
	enum layout layout[2][ALL][ALL]; /* of the send and the receive side, by rank and block */
	int gap[2][ALL][ALL], turned;    /* before each block; blocks from the last to the first */
};
struct plan {
	int n, deeds, reversed;
	uint64_t seed;
	struct deed deed[DEEDS];
};

static int value(const struct deed *d, int round, int r, int k, int i)
{
	return (d->root + 1) * 7919 + round * 131 + r * 17 + k * 257 + i * 3 + (int)d->what;
}

/* --- operators; COMPOSES: pairs are functions x -> a x + b modulo a prime, and composition is
 * associative and does not commute --- */

enum { PRIME = 10007 };

static int operate(enum operator op, const int *x, const int *y, int i)
{
	int a = x[i & ~1] % PRIME, c = y[i & ~1] % PRIME, b = x[i | 1] % PRIME,
	    e = y[i | 1] % PRIME;

	if (op == SUMS)
		return x[i] + y[i];
	if (op == MAXIMA)
		return x[i] > y[i] ? x[i] : y[i];
	if (op == BITS)
		return x[i] ^ y[i];
	return i & 1 ? (int)(((long)a * e + b) % PRIME) : (int)((long)a * c % PRIME);
}

/* The layout of the elements is in the type: swapped pairs, or ints one after the other. */
static void composes(void *in, void *inout, int *len, MPI_Datatype *type)
{
	MPI_Count size;
	int *x = in, *y = inout, n = *len;

	OK(orr_Type_size(*type, &size));
	int swapped = size == 8;
	n *= swapped ? 2 : 1;
	for (int i = 0; i < n; i += 2) {
		int u[2] = {x[i + swapped], x[i + !swapped]},
		    v[2] = {y[i + swapped], y[i + !swapped]};

		y[i + swapped] = operate(COMPOSES, u, v, 0);
		y[i + !swapped] = operate(COMPOSES, u, v, 1);
	}
}

/* --- sides --- */

static int *at(const struct side *s, int block, int i)
{
	return &s->buf[s->disp[block] + layout_place(s->layout[block], i)];
}

/* Blocks of so many pairs one behind the other with gaps, or without them where the operation has
 * no displacements. */
static struct side side_of(const struct deed *d, int which, int rank, int n, const int *pairs,
                           int has_gaps, int one_layout)
{
	struct side s = {.n = n};
	int to = 0;

	for (int k = 0; k < n; k++) {
		int b = has_gaps && d->turned ? n - 1 - k : k;

		s.layout[b] = d->layout[which][rank][one_layout ? 0 : b];
		to += has_gaps ? 2 * d->gap[which][rank][b] : 0;
		s.disp[b] = to;
		s.count[b] = 2 * pairs[b];
		to += s.count[b] * (s.layout[b] == SPREAD ? 2 : 1);
	}
	s.room = to;
	s.buf = ints_new(to);
	return s;
}

static int is_v(enum what w)
{
	return w == GATHERV || w == SCATTERV || w == ALLGATHERV || w == ALLTOALLV || w == ALLTOALLW;
}

static int is_reduction(enum what w)
{
	return w >= REDUCE;
}

/* The pairs that rank r has for rank k: alike for all where there is one count. */
static int pairs_of(const struct deed *d, int r, int k)
{
	switch (d->what) {
	case BARRIER:
		return 0;
	case GATHERV:
	case ALLGATHERV:
		return d->pairs[0][r];
	case SCATTERV:
	case REDUCE_SCATTER:
		return d->pairs[0][k];
	case ALLTOALLV:
	case ALLTOALLW:
		return d->in_place && r > k ? d->pairs[k][r] : d->pairs[r][k];
	default:
		return d->pairs[0][0];
	}
}

static int has_root(enum what w)
{
	return w == BCAST || w == GATHER || w == GATHERV || w == SCATTER || w == SCATTERV ||
	       w == REDUCE;
}

/* How many blocks a rank sends and receives. */
static int blocks(const struct deed *d, int n, int rank, int receives)
{
	int root = rank == d->root;

	switch (d->what) {
	case BARRIER:
		return 0;
	case BCAST:
		return receives;
	case GATHER:
	case GATHERV:
		return receives ? root ? n : 0 : 1;
	case SCATTER:
	case SCATTERV:
		return receives ? 1 : root ? n : 0;
	case ALLGATHER:
	case ALLGATHERV:
		return receives ? n : 1;
	case REDUCE:
		return receives ? root : 1;
	case REDUCE_SCATTER:
	case REDUCE_SCATTER_BLOCK:
		return receives ? 1 : n;
	case ALLTOALL:
	case ALLTOALLV:
	case ALLTOALLW:
		return n;
	default:
		return 1;
	}
}

static struct side side_new(const struct deed *d, int n, int rank, int receives)
{
	int pairs[ALL], count = blocks(d, n, rank, receives), w = d->what == ALLTOALLW;

	for (int k = 0; k < count; k++)
		pairs[k] = receives ? pairs_of(d, k, rank) : pairs_of(d, rank, k);
	if (receives && d->what == REDUCE_SCATTER)
		pairs[0] = pairs_of(d, 0, rank);
	if (receives && d->what == SCATTERV)
		pairs[0] = pairs_of(d, d->root, rank);
	if (!is_reduction(d->what))
		return side_of(d, receives, rank, count, pairs, is_v(d->what) && count > 1, !w);
	/* one datatype for both, and blocks without gaps */
	return side_of(d, 0, d->op == COMPOSES ? 0 : rank, count, pairs, 0, 1);
}

/* --- what is sent --- */

static void fill(const struct deed *d, int round, int rank, const struct side *s)
{
	for (int b = 0; b < s->n; b++)
		for (int i = 0; i < s->count[b]; i++)
			*at(s, b, i) = value(d, round, rank, b, i);
}

/* In place: what would be sent lies where is received. */
static void fill_in_place(const struct deed *d, int round, int n, int rank, struct side *s)
{
	int own = d->what == ALLGATHER || d->what == ALLGATHERV || d->what == GATHER ||
	          d->what == GATHERV;

	for (int b = 0; b < s->n && b < n; b++)
		for (int i = 0; i < s->count[b] && (!own || b == rank); i++)
			*at(s, b, i) = value(d, round, rank, own ? 0 : b, i);
}

/* --- what is received: element i of block b at `rank`; 0: it stays as it was --- */

static int reduced(const struct deed *d, int round, int from, int to, int block, int i)
{
	int x[2], y[2], odd = i & 1;

	for (int k = 0; k < 2; k++)
		x[k] = value(d, round, from, block, i - odd + k);
	for (int r = from + 1; r <= to; r++) {
		int z[2];

		for (int k = 0; k < 2; k++)
			y[k] = value(d, round, r, block, i - odd + k);
		z[0] = operate(d->op, x, y, 0);
		z[1] = operate(d->op, x, y, 1);
		memcpy(x, z, sizeof x);
	}
	return x[odd];
}

static int expected(const struct deed *d, int round, int n, int rank, int b, int i, int *out)
{
	switch (d->what) {
	case BCAST:
		*out = value(d, round, d->root, 0, i);
		return 1;
	case SCATTER:
	case SCATTERV:
		*out = value(d, round, d->root, rank, i);
		return 1;
	case GATHER:
	case GATHERV:
	case ALLGATHER:
	case ALLGATHERV:
		*out = value(d, round, b, 0, i);
		return 1;
	case ALLTOALL:
	case ALLTOALLV:
	case ALLTOALLW:
		*out = value(d, round, b, rank, i);
		return 1;
	case SCAN:
		*out = reduced(d, round, 0, rank, 0, i);
		return 1;
	case EXSCAN:
		if (rank > 0)
			*out = reduced(d, round, 0, rank - 1, 0, i);
		return rank > 0;
	case REDUCE_SCATTER:
	case REDUCE_SCATTER_BLOCK:
		*out = reduced(d, round, 0, n - 1, rank, i);
		return 1;
	default:
		*out = reduced(d, round, 0, n - 1, 0, i);
		return 1;
	}
}

/* --- one rank's part of it --- */

struct part {
	const struct deed *d;
	int rank, n, size, in_place; /* size: ints of the receive buffer */
	struct side send, recv, before;
	struct call call;
	MPI_Request request;
	int started, done;
};

static void types_set(struct call *c, const struct side *s, int receives, int w)
{
	for (int b = 0; b < s->n; b++) {
		enum layout l = s->layout[b];
		MPI_Datatype t = layout_type(l);

		(receives ? c->recv_counts : c->send_counts)[b] = s->count[b] / layout_ints(l);
		(receives ? c->recv_displs : c->send_displs)[b] = w ? 4 * s->disp[b]
		                                                    : s->disp[b] / layout_extent(l);
		(receives ? c->recv_types : c->send_types)[b] = t;
	}
	*(receives ? &c->recv_count : &c->send_count) = (receives ? c->recv_counts
	                                                          : c->send_counts)[0];
	*(receives ? &c->recv_type : &c->send_type) = s->n ? (receives ? c->recv_types
	                                                               : c->send_types)[0]
	                                                   : MPI_INT;
}

/* Reductions have one count and one type: those of what is sent. */
static void reduction_set(const struct part *p, struct call *c)
{
	c->recv_type = c->send_type;
	c->recv_count = c->send_count;
	for (int k = 0; k < p->n; k++)
		c->recv_counts[k] = 2 * pairs_of(p->d, 0, k) / layout_ints(p->send.layout[0]);
	c->op = p->d->op == SUMS ? MPI_SUM : p->d->op == MAXIMA ? MPI_MAX : MPI_BXOR;
}

static int may_be_in_place(const struct deed *d, int rank)
{
	enum what w = d->what;

	if (w == BARRIER || w == BCAST)
		return 0;
	return has_root(w) ? rank == d->root : 1;
}

/* A reduce-scatter in place has all blocks in the receive buffer, and the result at its begin. */
static void receive_room(struct part *p)
{
	struct side *s = &p->recv;

	if ((p->d->what != REDUCE_SCATTER && p->d->what != REDUCE_SCATTER_BLOCK) || !p->in_place)
		return;
	free(s->buf);
	*s = side_new(p->d, p->n, p->rank, 0);
}

static void part_begin(struct part *p, const struct deed *d, int n, int rank, MPI_Comm comm,
                       MPI_Op op)
{
	struct call *c = &p->call;
	int scatters = d->what == SCATTER || d->what == SCATTERV;

	*p = (struct part){.d = d, .n = n, .rank = rank};
	p->in_place = d->in_place && may_be_in_place(d, rank);
	p->send = side_new(d, n, rank, 0);
	p->recv = side_new(d, n, rank, 1);
	receive_room(p);
	*c = (struct call){.what = d->what, .root = d->root, .comm = comm};
	types_set(c, &p->send, 0, d->what == ALLTOALLW);
	types_set(c, &p->recv, 1, d->what == ALLTOALLW);
	if (is_reduction(d->what))
		reduction_set(p, c);
	if (d->op == COMPOSES && is_reduction(d->what))
		c->op = op;
	c->send = p->send.buf;
	c->recv = p->recv.buf;
	if (p->in_place && scatters)
		c->recv = MPI_IN_PLACE;
	else if (p->in_place)
		c->send = MPI_IN_PLACE;
}

static void part_fill(struct part *p, int round)
{
	const struct deed *d = p->d;
	int scatters = d->what == SCATTER || d->what == SCATTERV;

	fill(d, round, p->rank, &p->send);
	for (int i = 0; i < p->recv.room; i++)
		p->recv.buf[i] = UNTOUCHED;
	if (p->in_place && !scatters)
		fill_in_place(d, round, p->n, p->rank, &p->recv);
	if (d->what == BCAST && p->rank == d->root)
		fill(d, round, p->rank, &p->recv);
	p->before = p->recv;
	p->before.buf = malloc(((size_t)p->recv.room + 1) * sizeof *p->recv.buf);
	assert_non_null(p->before.buf);
	memcpy(p->before.buf, p->recv.buf, (size_t)p->recv.room * sizeof *p->recv.buf);
}

/* Of block 0 of a reduce-scatter in place, what is the result; behind it is left undefined. */
static int results(const struct part *p, int b)
{
	int all = p->d->what == REDUCE_SCATTER || p->d->what == REDUCE_SCATTER_BLOCK;

	return all && p->in_place ? 2 * pairs_of(p->d, 0, p->rank) : p->recv.count[b];
}

static void part_check(struct part *p, int round, uint64_t seed)
{
	const struct deed *d = p->d;
	int scatters = d->what == SCATTER || d->what == SCATTERV, n = p->recv.n,
	    loose = p->in_place && (d->what == REDUCE_SCATTER || d->what == REDUCE_SCATTER_BLOCK);

	for (int b = 0; b < (loose ? 1 : n) && !(scatters && p->in_place); b++)
		for (int i = 0; i < results(p, b); i++)
			if (expected(d, round, p->n, p->rank, b, i, at(&p->before, b, i)) &&
			    *at(&p->recv, b, i) != *at(&p->before, b, i))
				fail_msg("seed %llu: operation %d, form %d, rank %d of %d, block "
				         "%d: element %d is %d, not %d",
				         (unsigned long long)seed, d->what, d->form, p->rank, p->n,
				         b, i, *at(&p->recv, b, i), *at(&p->before, b, i));
	for (int i = 0; i < p->recv.room && !loose; i++)
		if (p->recv.buf[i] != p->before.buf[i])
			fail_msg("seed %llu: operation %d, form %d, rank %d of %d: int %d changed",
			         (unsigned long long)seed, d->what, d->form, p->rank, p->n, i);
	for (int b = 0; b < p->send.n; b++)
		for (int i = 0; i < p->send.count[b]; i++)
			assert_int_equal(*at(&p->send, b, i), value(d, round, p->rank, b, i));
	free(p->before.buf);
	p->before.buf = NULL;
}

static void part_start(struct part *p)
{
	part_fill(p, 0);
	if (p->d->form == BLOCKING)
		OK(call_blocking(&p->call));
	else if (p->d->form == NONBLOCKING)
		OK(call_nonblocking(&p->call, &p->request));
	else
		OK(call_persistent(&p->call, &p->request));
	if (p->d->form == PERSISTENT)
		OK(orr_Start(&p->request));
}

static void part_end(struct part *p, uint64_t seed)
{
	if (p->d->form != BLOCKING)
		OK(orr_Wait(&p->request, MPI_STATUS_IGNORE));
	part_check(p, 0, seed);
	if (p->d->form == PERSISTENT) {
		part_fill(p, 1);
		OK(orr_Start(&p->request));
		OK(orr_Wait(&p->request, MPI_STATUS_IGNORE));
		part_check(p, 1, seed);
		OK(orr_Request_free(&p->request));
	}
	assert_true(p->d->form == BLOCKING || p->request == MPI_REQUEST_NULL);
	for (int b = 0; b < blocks(p->d, p->n, p->rank, 0); b++)
		layout_type_end(p->call.send_types[b]);
	for (int b = 0; b < PEERS; b++)
		if (p->call.recv_types[b])
			layout_type_end(p->call.recv_types[b]);
	free(p->send.buf);
	free(p->recv.buf);
}

/* All are begun, in one order at all ranks; those that have requests end from the last to the
 * first. */
static void body(int world, void *arg)
{
	const struct plan *p = arg;
	struct part *part = calloc(DEEDS, sizeof *part);
	MPI_Comm comm;
	MPI_Op op;
	int rank;

	assert_non_null(part);
	OK(orr_Comm_split(MPI_COMM_WORLD, 0, p->reversed ? -world : world, &comm));
	OK(orr_Op_create((MPI_User_function *)composes, 0, &op));
	OK(orr_Comm_rank(comm, &rank));
	for (int i = 0; i < p->deeds; i++) {
		part_begin(&part[i], &p->deed[i], p->n, rank, comm, op);
		part_start(&part[i]);
	}
	for (int i = p->deeds - 1; i >= 0; i--)
		part_end(&part[i], p->seed);
	OK(orr_Op_free(&op));
	OK(orr_Comm_free(&comm));
	free(part);
}

static void deed_draw(struct rng *r, int n, struct deed *d)
{
	uint64_t few = 1 + rng_below(r, MOST);

	*d = (struct deed){.what = (enum what)rng_below(r, COLLECTIVES),
	                   .form = (enum form)rng_below(r, FORMS),
	                   .root = (int)rng_below(r, (uint64_t)n),
	                   .in_place = rng_below(r, 3) == 0,
	                   .op = (enum operator)rng_below(r, OPERATORS),
	                   .turned = (int)rng_below(r, 2)};
	if (rng_below(r, 8) == 0)
		few = 3000; /* more than is sent eagerly */
	for (int i = 0; i < n; i++)
		for (int k = 0; k < n; k++) {
			d->pairs[i][k] = (int)rng_below(r, few);
			for (int which = 0; which < 2; which++) {
				d->gap[which][i][k] = (int)rng_below(r, 3);
				d->layout[which][i][k] = (enum layout)rng_below(r, LAYOUTS);
			}
		}
	/* an operator of the program on gaps is not what this is about */
	if (is_reduction(d->what) && d->op == COMPOSES)
		for (int i = 0; i < n; i++)
			d->layout[0][i][0] = d->layout[0][0][0] == SWAPPED ? SWAPPED : DENSE;
	/* operators of MPI take predefined types */
	if (is_reduction(d->what) && d->op != COMPOSES)
		for (int i = 0; i < n; i++)
			d->layout[0][i][0] = DENSE;
	if (d->in_place) /* what is sent is as what is received */
		memcpy(d->layout[0], d->layout[1], sizeof d->layout[0]);
	if (d->in_place && is_reduction(d->what))
		for (int i = 0; i < n; i++)
			d->layout[0][i][0] = DENSE;
}

static void collectives(void **state)
{
	static struct plan p;
	const char *one = getenv("PROP_SEED"), *cases = getenv("PROP_CASES");
	uint64_t from = one ? strtoull(one, NULL, 10) : 1, to = one     ? from
	                                                        : cases ? strtoull(cases, NULL, 10)
	                                                                : CASES;

	(void)state;
	for (uint64_t seed = from; seed <= to; seed++) {
		struct ranks run = {.body = body, .arg = &p};
		struct rng r;

		rng_init(&r, seed, "collectives", 0);
		p = (struct plan){.seed = seed, .reversed = (int)rng_below(&r, 2)};
		p.n = run.n = 1 + (int)rng_below(&r, ALL);
		p.deeds = 1 + (int)rng_below(&r, DEEDS);
		for (int i = 0; i < p.deeds; i++)
			deed_draw(&r, p.n, &p.deed[i]);
		if (ranks_run(&run) < 0)
			fail_msg("seed %llu: %s", (unsigned long long)seed, run.err.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(collectives)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
