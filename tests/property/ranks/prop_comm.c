/* prop_comm.c: communicators beside lists of processes: random sequences of all that makes one of
 * others (MPI 4.0, 7.4 and 7.6), with one or two groups. All ranks draw the same sequence, so each
 * knows who must be in which, and in what order; and what is sent in one is not received in
 * another. */
#include "../../unit/ranks/ranks.h"

#include "base/rng.h"

enum { MOST = 8, COMMS = 48, STEPS = 14, CASES = 40 };
enum act { DUP, IDUP, SPLIT, CREATE, CREATE_GROUP, INTER, MERGE, FREE, ACTS };

struct group {
	int n, v[MOST]; /* processes */
};
struct comm { /* as it must be; side 1 is empty where there is one group */
	int alive, inter;
	struct group side[2];
};
struct world {
	int n, comms;
	struct comm comm[COMMS];
	uint64_t seed;
};
struct own { /* of one rank */
	int me;
	MPI_Comm handle[COMMS];
	struct world w;
};

static int place(const struct group *g, int x)
{
	for (int i = 0; i < g->n; i++)
		if (g->v[i] == x)
			return i;
	return -1;
}

/* The side that a process is on, or -1. */
static int side_of(const struct comm *c, int x)
{
	return place(&c->side[0], x) >= 0 ? 0 : place(&c->side[1], x) >= 0 ? 1 : -1;
}

static struct comm *comm_add(struct world *w)
{
	struct comm *c = &w->comm[w->comms++];

	*c = (struct comm){.alive = 1};
	return c;
}

/* --- what it is --- */

static void group_is(MPI_Group g, const struct group *want)
{
	MPI_Group world;
	int rank[MOST], at[MOST], n;

	OK(orr_Group_size(g, &n));
	assert_int_equal(n, want->n);
	for (int i = 0; i < n; i++)
		rank[i] = i;
	OK(orr_Comm_group(MPI_COMM_WORLD, &world));
	OK(orr_Group_translate_ranks(g, n, rank, world, at));
	for (int i = 0; i < n; i++)
		assert_int_equal(at[i], want->v[i]);
	OK(orr_Group_free(&world));
	OK(orr_Group_free(&g));
}

static void comm_is(const struct own *o, int index)
{
	const struct comm *c = &o->w.comm[index];
	int side = side_of(c, o->me), size, rank, inter, result;
	MPI_Comm h = o->handle[index];
	MPI_Group g;

	if (side < 0 || !c->alive) {
		assert_ptr_equal(h, MPI_COMM_NULL);
		return;
	}
	OK(orr_Comm_size(h, &size));
	OK(orr_Comm_rank(h, &rank));
	OK(orr_Comm_test_inter(h, &inter));
	assert_int_equal(size, c->side[side].n);
	assert_int_equal(rank, place(&c->side[side], o->me));
	assert_int_equal(inter, c->inter);
	OK(orr_Comm_group(h, &g));
	group_is(g, &c->side[side]);
	if (c->inter) {
		OK(orr_Comm_remote_size(h, &size));
		assert_int_equal(size, c->side[!side].n);
		OK(orr_Comm_remote_group(h, &g));
		group_is(g, &c->side[!side]);
	}
	OK(orr_Comm_compare(h, h, &result));
	assert_int_equal(result, MPI_IDENT);
}

/* MPI_CONGRUENT: the same in the same order; MPI_SIMILAR: in another; 7.4.1. */
static int groups_compared(const struct group *a, const struct group *b)
{
	int same = a->n == b->n, ordered = same;

	for (int i = 0; i < a->n; i++) {
		same = same && place(b, a->v[i]) >= 0;
		ordered = ordered && a->v[i] == b->v[i];
	}
	return ordered ? MPI_CONGRUENT : same ? MPI_SIMILAR : MPI_UNEQUAL;
}

static void compared(const struct own *o, int i, int k)
{
	const struct comm *a = &o->w.comm[i], *b = &o->w.comm[k];
	int s = side_of(a, o->me), t = side_of(b, o->me), got, want;

	if (!a->alive || !b->alive || s < 0 || t < 0)
		return;
	OK(orr_Comm_compare(o->handle[i], o->handle[k], &got));
	want = groups_compared(&a->side[s], &b->side[t]);
	if (a->inter != b->inter) {
		want = MPI_UNEQUAL;
	} else if (a->inter) {
		int other = groups_compared(&a->side[!s], &b->side[!t]);

		want = want == MPI_UNEQUAL || other == MPI_UNEQUAL ? MPI_UNEQUAL
		       : want == MPI_SIMILAR                       ? want
		                                                   : other;
	}
	if (i == k)
		want = MPI_IDENT;
	assert_int_equal(got, want);
}

/* All members reduce; with two groups each gets the sum of the other (6.2.2). */
static void comm_serves(const struct own *o, int index)
{
	const struct comm *c = &o->w.comm[index];
	int side = side_of(c, o->me), x = 1 << o->me, sum, want = 0;

	if (!c->alive || side < 0)
		return;
	const struct group *g = &c->side[c->inter ? !side : side];
	for (int i = 0; i < g->n; i++)
		want += 1 << g->v[i];
	OK(orr_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, o->handle[index]));
	assert_int_equal(sum, want);
}

/* One message on each communicator, all with one tag, to the next rank of the (other) group;
 * received from the last communicator to the first. */
static void comms_apart(const struct own *o)
{
	MPI_Request q[COMMS];
	int x[COMMS], y, n = 0;
	MPI_Status s;

	for (int i = 0; i < o->w.comms; i++) {
		const struct comm *c = &o->w.comm[i];
		int side = c->alive ? side_of(c, o->me) : -1;

		if (side < 0)
			continue;
		x[i] = 1000 * i + o->me;
		for (int k = 0; k < c->side[c->inter ? !side : side].n; k++)
			if (k % c->side[side].n == place(&c->side[side], o->me)) {
				OK(orr_Isend(&x[i], 1, MPI_INT, k, 5, o->handle[i], &q[n]));
				OK(orr_Request_free(&q[n]));
			}
	}
	for (int i = o->w.comms - 1; i >= 0; i--) {
		const struct comm *c = &o->w.comm[i];
		int side = c->alive ? side_of(c, o->me) : -1;

		if (side < 0)
			continue;
		const struct group *from = &c->side[c->inter ? !side : side];
		int rank = place(&c->side[side], o->me) % from->n;
		OK(orr_Recv(&y, 1, MPI_INT, MPI_ANY_SOURCE, 5, o->handle[i], &s));
		assert_int_equal(s.MPI_SOURCE, rank);
		assert_int_equal(y, 1000 * i + from->v[rank]);
	}
}

/* --- acts: what they make in the lists, and what they do --- */

static MPI_Group group_made(const struct group *g)
{
	MPI_Group world, out;

	OK(orr_Comm_group(MPI_COMM_WORLD, &world));
	OK(orr_Group_incl(world, g->n, g->v, &out));
	OK(orr_Group_free(&world));
	return out;
}

static void group_gone(MPI_Group g)
{
	if (g != MPI_GROUP_EMPTY)
		OK(orr_Group_free(&g));
}

static void act_dup(struct own *o, int from, int later)
{
	struct comm *c = comm_add(&o->w);
	MPI_Request q;

	*c = o->w.comm[from];
	if (side_of(c, o->me) < 0)
		return;
	if (!later) {
		OK(orr_Comm_dup(o->handle[from], &o->handle[o->w.comms - 1]));
		return;
	}
	OK(orr_Comm_idup(o->handle[from], &o->handle[o->w.comms - 1], &q));
	OK(orr_Wait(&q, MPI_STATUS_IGNORE));
}

/* Those of a group who chose a colour, by key, then by rank. */
static struct group chosen(const struct group *g, const int *color, const int *key, int wanted)
{
	struct group out = {.n = 0};

	for (int k = -3; k < 4; k++)
		for (int i = 0; i < g->n; i++)
			if (color[g->v[i]] == wanted && key[g->v[i]] == k)
				out.v[out.n++] = g->v[i];
	return out;
}

static void act_split(struct own *o, struct rng *r, int from)
{
	struct comm old = o->w.comm[from];
	int color[MOST], key[MOST];
	MPI_Comm made = MPI_COMM_NULL;

	for (int i = 0; i < o->w.n; i++) {
		color[i] = (int)rng_below(r, 4) - 1;
		key[i] = (int)rng_below(r, 7) - 3;
	}
	if (side_of(&old, o->me) >= 0)
		OK(orr_Comm_split(o->handle[from], color[o->me] < 0 ? MPI_UNDEFINED : color[o->me],
		                  key[o->me], &made));
	for (int k = 0; k < 3; k++) {
		struct group a = chosen(&old.side[0], color, key, k),
		             b = chosen(&old.side[1], color, key, k);
		struct comm *c;

		if (a.n == 0 || (old.inter && b.n == 0))
			continue;
		c = comm_add(&o->w);
		c->inter = old.inter;
		c->side[0] = a, c->side[1] = b;
		if (side_of(c, o->me) >= 0) {
			o->handle[o->w.comms - 1] = made;
			made = MPI_COMM_NULL;
		}
	}
	assert_ptr_equal(made, MPI_COMM_NULL); /* nobody else got one */
}

/* Some of a group in any order. */
static struct group some(struct rng *r, const struct group *g)
{
	struct group out = {.n = 0};

	for (int i = 0; i < g->n; i++)
		if (rng_below(r, 3))
			out.v[out.n++] = g->v[i];
	for (int i = out.n - 1; i > 0; i--) {
		int k = (int)rng_below(r, (uint64_t)i + 1), x = out.v[i];

		out.v[i] = out.v[k], out.v[k] = x;
	}
	return out;
}

/* With two groups, each gives some of its own; where either gives nobody there is none. */
static void act_create(struct own *o, struct rng *r, int from, int members_only)
{
	struct comm old = o->w.comm[from];
	struct group part[2] = {some(r, &old.side[0]), some(r, &old.side[1])};
	int side = side_of(&old, o->me);
	MPI_Comm made = MPI_COMM_NULL;

	if (members_only && old.inter)
		return;
	if (side >= 0 && (!members_only || place(&part[0], o->me) >= 0)) {
		MPI_Group g = group_made(&part[side]);

		OK(members_only ? orr_Comm_create_group(o->handle[from], g, 3, &made)
		                : orr_Comm_create(o->handle[from], g, &made));
		group_gone(g);
	}
	if (part[0].n > 0 && (!old.inter || part[1].n > 0)) {
		struct comm *c = comm_add(&o->w);

		c->inter = old.inter;
		memcpy(c->side, part, sizeof part);
		o->handle[o->w.comms - 1] = made;
	} else {
		assert_ptr_equal(made, MPI_COMM_NULL);
	}
}

/* Of two communicators of one group each that have nobody in common; leaders are any. */
static void act_inter(struct own *o, struct rng *r, int a, int b)
{
	struct comm x = o->w.comm[a], y = o->w.comm[b], *c;
	int apart = !x.inter && !y.inter && x.alive && y.alive, mine;

	for (int i = 0; i < x.side[0].n; i++)
		apart = apart && place(&y.side[0], x.side[0].v[i]) < 0;
	if (!apart)
		return;
	int lead[2] = {(int)rng_below(r, (uint64_t)x.side[0].n),
	               (int)rng_below(r, (uint64_t)y.side[0].n)};
	c = comm_add(&o->w);
	c->inter = 1;
	c->side[0] = x.side[0], c->side[1] = y.side[0];
	mine = side_of(c, o->me);
	if (mine >= 0)
		OK(orr_Intercomm_create(o->handle[mine ? b : a], lead[mine], MPI_COMM_WORLD,
		                        c->side[!mine].v[lead[!mine]], 7,
		                        &o->handle[o->w.comms - 1]));
}

/* Who says high comes last; both alike: either order, the same for all. */
static void act_merge(struct own *o, struct rng *r, int from)
{
	struct comm old = o->w.comm[from], *c;
	int high[2] = {(int)rng_below(r, 2), (int)rng_below(r, 2)}, side = side_of(&old, o->me);
	int first = high[0] <= high[1] ? 0 : 1;
	MPI_Comm made = MPI_COMM_NULL;

	if (!old.inter)
		return;
	if (high[0] == high[1]) /* this library's: the lower first process first */
		first = old.side[0].v[0] < old.side[1].v[0] ? 0 : 1;
	if (side >= 0)
		OK(orr_Intercomm_merge(o->handle[from], high[side], &made));
	c = comm_add(&o->w);
	for (int k = 0; k < 2; k++) {
		const struct group *g = &old.side[k ? !first : first];

		for (int i = 0; i < g->n; i++)
			c->side[0].v[c->side[0].n++] = g->v[i];
	}
	o->handle[o->w.comms - 1] = made;
}

static void act_free(struct own *o, int index)
{
	struct comm *c = &o->w.comm[index];

	if (index == 0)
		return;
	c->alive = 0;
	if (side_of(c, o->me) >= 0)
		OK(orr_Comm_free(&o->handle[index]));
}

static void step(struct own *o, struct rng *r)
{
	enum act a = (enum act)rng_below(r, ACTS);
	int from, other;

	do
		from = (int)rng_below(r, (uint64_t)o->w.comms);
	while (!o->w.comm[from].alive);
	other = (int)rng_below(r, (uint64_t)o->w.comms);
	switch (a) {
	case DUP:
	case IDUP:
		act_dup(o, from, a == IDUP);
		break;
	case SPLIT:
		act_split(o, r, from);
		break;
	case CREATE:
	case CREATE_GROUP:
		act_create(o, r, from, a == CREATE_GROUP);
		break;
	case INTER:
		act_inter(o, r, from, other);
		break;
	case MERGE:
		act_merge(o, r, from);
		break;
	default:
		act_free(o, from);
	}
	for (int i = 0; i < o->w.comms; i++)
		comm_is(o, i);
	compared(o, from, other);
	compared(o, from, from);
	comm_serves(o, o->w.comms - 1);
	comm_serves(o, from);
}

static void body(int me, void *arg)
{
	const struct world *w = arg;
	struct own *o = calloc(1, sizeof *o);
	struct rng r;

	assert_non_null(o);
	*o = (struct own){.me = me, .w = *w};
	for (int i = 0; i < COMMS; i++)
		o->handle[i] = MPI_COMM_NULL;
	o->handle[0] = MPI_COMM_WORLD;
	rng_init(&r, w->seed, "acts", 0); /* the same for all */
	for (int i = 0; i < STEPS && o->w.comms < COMMS - 3; i++)
		step(o, &r);
	comms_apart(o);
	for (int i = 1; i < o->w.comms; i++)
		if (o->w.comm[i].alive)
			act_free(o, i);
	free(o);
}

static void communicators(void **state)
{
	const char *one = getenv("PROP_SEED"), *cases = getenv("PROP_CASES");
	uint64_t from = one ? strtoull(one, NULL, 10) : 1, to = one     ? from
	                                                        : cases ? strtoull(cases, NULL, 10)
	                                                                : CASES;

	(void)state;
	for (uint64_t seed = from; seed <= to; seed++) {
		struct world w = {.seed = seed};
		struct ranks run = {.body = body, .arg = &w, .checks = 1};
		struct comm *c = comm_add(&w);
		struct rng r;

		rng_init(&r, seed, "communicators", 0);
		run.n = w.n = c->side[0].n = 1 + (int)rng_below(&r, MOST);
		for (int i = 0; i < w.n; i++)
			c->side[0].v[i] = i;
		if (ranks_run(&run) < 0)
			fail_msg("seed %llu: %s", (unsigned long long)seed, run.err.text);
		if (run.left[0])
			fail_msg("seed %llu: %s", (unsigned long long)seed, run.left);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(communicators)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
