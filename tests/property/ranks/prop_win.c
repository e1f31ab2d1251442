/* prop_win.c: windows beside plain arrays: random epochs of puts, gets and accumulates whose
 * outcome MPI 4.0, chapter 12 leaves no choice in.
 *
 * In an epoch each element of each window is written by one origin, or accumulated to by any number
 * with one operator, or only read (12.7: all else is a race). All ranks draw the same epoch, so
 * each knows what its window must hold after it and what its gets must bring. Elements are named in
 * random order, by a datatype at the target, and lie in one of several layouts at the origin. */
#include "../../unit/ranks/ranks.h"

#include "../../unit/ranks/layout.h"
#include "base/rng.h"

enum { MOST = 6, ELEMENTS = 24, EPOCHS = 6, CASES = 30 };
enum memory { CREATED, ALLOCATED, SHARED, DYNAMIC, MEMORIES };
enum sync { FENCE, PSCW, LOCKS, LOCK_ALL, SYNCS };
enum deed { READ, PUT, ADD, XOR, LARGEST, DEEDS };

struct epoch {
	enum sync sync;
	enum deed deed[MOST][ELEMENTS]; /* of each target's elements */
	int writer[MOST][ELEMENTS];     /* of a PUT */
	int takes[MOST][MOST];          /* origin, target: it takes part */
	int with_request, by_parts, fetches;
	uint64_t seed;
};
struct plan {
	int n, epochs, unit;
	enum memory memory;
	uint64_t seed;
	struct epoch epoch[EPOCHS];
};
struct world { /* one rank's view of all windows, as they must be */
	int at[MOST][ELEMENTS];
};
struct own { /* one rank */
	const struct plan *p;
	int me;
	int *base; /* its window */
	MPI_Win win;
	MPI_Comm comm;
	MPI_Aint place[MOST]; /* of a dynamic one, at each rank */
};

/* What an origin has for an element in an epoch. */
static int value(const struct epoch *e, int origin, int target, int i)
{
	return (int)((e->seed * 31 + (uint64_t)origin * 7919 + (uint64_t)target * 131 +
	              (uint64_t)i * 17) %
	             100003);
}

static int applied(enum deed d, int there, int x)
{
	switch (d) {
	case PUT:
		return x;
	case ADD:
		return there + x;
	case XOR:
		return there ^ x;
	case LARGEST:
		return there > x ? there : x;
	default:
		return there;
	}
}

static MPI_Op op_of(enum deed d)
{
	return d == PUT ? MPI_REPLACE : d == ADD ? MPI_SUM : d == XOR ? MPI_BXOR : MPI_MAX;
}

/* Whether this origin does what is done with an element. */
static int does(const struct epoch *e, int origin, int target, int i)
{
	return e->takes[origin][target] &&
	       (e->deed[target][i] != PUT || e->writer[target][i] == origin);
}

static void epoch_apply(const struct plan *p, const struct epoch *e, struct world *w)
{
	for (int target = 0; target < p->n; target++)
		for (int i = 0; i < ELEMENTS; i++)
			for (int origin = 0; origin < p->n; origin++)
				if (does(e, origin, target, i))
					w->at[target][i] = applied(e->deed[target][i],
					                           w->at[target][i],
					                           value(e, origin, target, i));
}

/* --- windows --- */

static void window_make(struct own *o)
{
	const MPI_Info no = MPI_INFO_NULL;
	MPI_Aint bytes = ELEMENTS * sizeof(int), here;
	int unit = o->p->unit;

	o->base = NULL;
	switch (o->p->memory) {
	case ALLOCATED:
		OK(orr_Win_allocate(bytes, unit, no, o->comm, &o->base, &o->win));
		break;
	case SHARED:
		OK(orr_Win_allocate_shared(bytes, unit, no, o->comm, &o->base, &o->win));
		break;
	default:
		o->base = malloc((size_t)bytes);
		assert_non_null(o->base);
		if (o->p->memory == CREATED) {
			OK(orr_Win_create(o->base, bytes, unit, no, o->comm, &o->win));
			break;
		}
		OK(orr_Win_create_dynamic(no, o->comm, &o->win));
		OK(orr_Win_attach(o->win, o->base, bytes));
		OK(orr_Get_address(o->base, &here));
		OK(orr_Allgather(&here, 1, MPI_AINT, o->place, 1, MPI_AINT, o->comm));
	}
	for (int i = 0; i < ELEMENTS; i++)
		o->base[i] = o->me * 1000 + i;
	OK(orr_Barrier(o->comm));
}

static void window_end(struct own *o)
{
	if (o->p->memory == DYNAMIC)
		OK(orr_Win_detach(o->win, o->base));
	OK(orr_Win_free(&o->win));
	if (o->p->memory == CREATED || o->p->memory == DYNAMIC)
		free(o->base);
}

/* Where displacements begin at a target, in its units. */
static MPI_Aint origin_of(const struct own *o, int target)
{
	return o->p->memory == DYNAMIC ? o->place[target] : 0;
}

/* --- one operation: some elements of one target, by one deed --- */

struct deal {
	int n, element[ELEMENTS];
	enum layout layout;
	MPI_Datatype there, here;
	int *buf, *got;
	MPI_Request request;
};

static void shuffle(struct rng *r, int n, int *x)
{
	for (int i = n - 1; i > 0; i--) {
		int k = (int)rng_below(r, (uint64_t)i + 1), y = x[i];

		x[i] = x[k], x[k] = y;
	}
}

/* The elements of the target, in the order of the list; 0: there is none. */
static int deal_make(struct rng *r, const struct epoch *e, int me, int target, enum deed deed,
                     struct deal *d)
{
	MPI_Count disp[ELEMENTS];

	*d = (struct deal){.request = MPI_REQUEST_NULL};
	for (int i = 0; i < ELEMENTS; i++)
		if (e->deed[target][i] == deed && does(e, me, target, i))
			d->element[d->n++] = i;
	d->layout = rng_below(r, 2) ? SPREAD : DENSE;
	shuffle(r, d->n, d->element);
	if (d->n == 0)
		return 0;
	for (int i = 0; i < d->n; i++)
		disp[i] = d->element[i];
	OK(orr_Type_create_indexed_block(d->n, 1, disp, MPI_INT, &d->there));
	OK(orr_Type_commit(&d->there));
	d->here = layout_type(d->layout);
	d->buf = ints_new(2 * ELEMENTS);
	d->got = ints_new(2 * ELEMENTS);
	for (int i = 0; i < d->n && deed != READ; i++)
		d->buf[layout_place(d->layout, i)] = value(e, me, target, d->element[i]);
	return 1;
}

static void deal_go(const struct own *o, const struct epoch *e, int target, enum deed deed,
                    struct deal *d)
{
	const MPI_Aint at = origin_of(o, target);
	MPI_Request *q = &d->request;
	MPI_Win w = o->win;
	int r = e->with_request && (e->sync == LOCKS || e->sync == LOCK_ALL);

	if (deed == READ && e->fetches && r)
		OK(orr_Rget_accumulate(NULL, 0, MPI_INT, d->buf, d->n, d->here, target, at, 1,
		                       d->there, MPI_NO_OP, w, q));
	else if (deed == READ && e->fetches)
		OK(orr_Get_accumulate(NULL, 0, MPI_INT, d->buf, d->n, d->here, target, at, 1,
		                      d->there, MPI_NO_OP, w));
	else if (deed == READ && r)
		OK(orr_Rget(d->buf, d->n, d->here, target, at, 1, d->there, w, q));
	else if (deed == READ)
		OK(orr_Get(d->buf, d->n, d->here, target, at, 1, d->there, w));
	else if (deed == PUT && r)
		OK(orr_Rput(d->buf, d->n, d->here, target, at, 1, d->there, w, q));
	else if (deed == PUT)
		OK(orr_Put(d->buf, d->n, d->here, target, at, 1, d->there, w));
	else if (e->fetches)
		OK(orr_Get_accumulate(d->buf, d->n, d->here, d->got, d->n, d->here, target, at, 1,
		                      d->there, op_of(deed), w));
	else if (r)
		OK(orr_Raccumulate(d->buf, d->n, d->here, target, at, 1, d->there, op_of(deed), w,
		                   q));
	else
		OK(orr_Accumulate(d->buf, d->n, d->here, target, at, 1, d->there, op_of(deed), w));
	OK(orr_Wait(q, MPI_STATUS_IGNORE));
}

/* After the epoch: what was got is what was there before it. */
static void deal_end(const struct world *before, int target, enum deed deed, struct deal *d)
{
	for (int i = 0; i < d->n && deed == READ; i++)
		assert_int_equal(d->buf[layout_place(d->layout, i)],
		                 before->at[target][d->element[i]]);
	for (int i = 0; i < d->n && d->layout == SPREAD; i++)
		assert_int_equal(d->buf[2 * i + 1], UNTOUCHED);
	OK(orr_Type_free(&d->there));
	layout_type_end(d->here);
	free(d->buf);
	free(d->got);
}

/* --- epochs --- */

static MPI_Group group_of(const struct own *o, const struct epoch *e, int origins)
{
	MPI_Group all, g;
	int rank[MOST], n = 0;

	for (int i = 0; i < o->p->n; i++)
		if (origins ? e->takes[i][o->me] : e->takes[o->me][i])
			rank[n++] = i;
	OK(orr_Win_get_group(o->win, &all));
	OK(orr_Group_incl(all, n, rank, &g));
	OK(orr_Group_free(&all));
	return g;
}

static void epoch_begin(const struct own *o, const struct epoch *e)
{
	MPI_Group from, to;

	switch (e->sync) {
	case FENCE:
		OK(orr_Win_fence(0, o->win));
		break;
	case PSCW:
		from = group_of(o, e, 1);
		to = group_of(o, e, 0);
		OK(orr_Win_post(from, 0, o->win));
		OK(orr_Win_start(to, 0, o->win));
		for (MPI_Group *g[] = {&from, &to}, **p = g; p < g + 2; p++)
			if (**p != MPI_GROUP_EMPTY)
				OK(orr_Group_free(*p));
		break;
	case LOCK_ALL:
		OK(orr_Win_lock_all(0, o->win));
		break;
	default:
		break;
	}
}

static void epoch_end(const struct own *o, const struct epoch *e)
{
	int flag = 0;

	switch (e->sync) {
	case FENCE:
		OK(orr_Win_fence(0, o->win));
		break;
	case PSCW:
		OK(orr_Win_complete(o->win));
		if (e->by_parts)
			while (!flag)
				OK(orr_Win_test(o->win, &flag));
		else
			OK(orr_Win_wait(o->win));
		break;
	case LOCK_ALL:
		OK(e->by_parts ? orr_Win_flush_all(o->win) : orr_Win_flush_local_all(o->win));
		OK(orr_Win_unlock_all(o->win));
		break;
	default:
		break;
	}
	OK(orr_Barrier(o->comm)); /* locks end at their origin alone */
	OK(orr_Win_fence(MPI_MODE_NOSUCCEED, o->win));
}

static void epoch_go(const struct own *o, struct rng *r, const struct epoch *e,
                     const struct world *before)
{
	struct deal d[MOST][DEEDS];
	int locks = e->sync == LOCKS, made[MOST][DEEDS] = {{0}};

	OK(orr_Barrier(o->comm));
	epoch_begin(o, e);
	for (int target = 0; target < o->p->n; target++) {
		int kind = rng_below(r, 2) ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED;

		if (locks)
			OK(orr_Win_lock(kind, target, 0, o->win));
		for (int k = 0; k < DEEDS; k++) {
			struct deal *one = &d[target][k];

			made[target][k] = deal_make(r, e, o->me, target, (enum deed)k, one);
			if (made[target][k])
				deal_go(o, e, target, (enum deed)k, one);
			if (e->sync == LOCK_ALL && e->with_request)
				OK(orr_Win_flush(target, o->win));
		}
		if (locks)
			OK(orr_Win_unlock(target, o->win));
	}
	epoch_end(o, e);
	for (int target = 0; target < o->p->n; target++)
		for (int k = 0; k < DEEDS; k++)
			if (made[target][k])
				deal_end(before, target, (enum deed)k, &d[target][k]);
}

static void body(int me, void *arg)
{
	const struct plan *p = arg;
	struct own o = {.p = p, .me = me};
	struct world w, before;
	struct rng r;

	rng_init(&r, p->seed, "rank", (uint64_t)me);
	OK(orr_Comm_dup(MPI_COMM_WORLD, &o.comm));
	window_make(&o);
	for (int k = 0; k < p->n; k++)
		for (int i = 0; i < ELEMENTS; i++)
			w.at[k][i] = k * 1000 + i;
	for (int i = 0; i < p->epochs; i++) {
		before = w;
		epoch_go(&o, &r, &p->epoch[i], &before);
		epoch_apply(p, &p->epoch[i], &w);
		for (int k = 0; k < ELEMENTS; k++)
			if (o.base[k] != w.at[me][k])
				fail_msg("seed %llu: epoch %d (%d), rank %d, element %d (%d): %d, "
				         "not %d",
				         (unsigned long long)p->seed, i, p->epoch[i].sync, me, k,
				         p->epoch[i].deed[me][k], o.base[k], w.at[me][k]);
	}
	window_end(&o);
	OK(orr_Comm_free(&o.comm));
}

static void epoch_draw(struct rng *r, const struct plan *p, struct epoch *e)
{
	*e = (struct epoch){.sync = (enum sync)rng_below(r, SYNCS),
	                    .with_request = (int)rng_below(r, 2),
	                    .by_parts = (int)rng_below(r, 2),
	                    .fetches = (int)rng_below(r, 2),
	                    .seed = rng_u64(r) % 1000000};
	for (int k = 0; k < p->n; k++) {
		for (int i = 0; i < ELEMENTS; i++) {
			e->deed[k][i] = (enum deed)rng_below(r, DEEDS);
			e->writer[k][i] = (int)rng_below(r, (uint64_t)p->n);
		}
		for (int i = 0; i < p->n; i++)
			e->takes[i][k] = rng_below(r, 3) > 0;
	}
}

static void windows(void **state)
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

		rng_init(&r, seed, "windows", 0);
		p = (struct plan){.seed = seed,
		                  .n = 1 + (int)rng_below(&r, MOST),
		                  .epochs = 1 + (int)rng_below(&r, EPOCHS),
		                  .memory = (enum memory)rng_below(&r, MEMORIES)};
		p.unit = rng_below(&r, 2) && p.memory != DYNAMIC ? 4 : 1;
		for (int i = 0; i < p.epochs; i++)
			epoch_draw(&r, &p, &p.epoch[i]);
		run.n = p.n;
		if (p.memory == SHARED)
			run.hosts = "h0 slots=64\n";
		if (ranks_run(&run) < 0)
			fail_msg("seed %llu: %s", (unsigned long long)seed, run.err.text);
	}
}

/* --- locks that many want --- */

enum { TURNS = 7 };

/* An exclusive lock makes a get and a put one thing: nothing is lost. Tickets that are fetched are
 * all different. Who swaps is alone. */
static void counts_body(int me, void *arg)
{
	int n, *base, x, one = 1, swapped = 0, all;
	char *seen = arg;
	MPI_Win win;

	OK(orr_Comm_size(MPI_COMM_WORLD, &n));
	OK(orr_Win_allocate(3 * sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base,
	                    &win));
	memset(base, 0, 3 * sizeof *base);
	OK(orr_Barrier(MPI_COMM_WORLD));
	for (int i = 0; i < TURNS; i++) {
		OK(orr_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
		OK(orr_Get(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
		OK(orr_Win_flush(0, win));
		x += me + 1;
		OK(orr_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
		OK(orr_Win_unlock(0, win));
		OK(orr_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
		OK(orr_Fetch_and_op(&one, &x, MPI_INT, 0, 1, MPI_SUM, win));
		OK(orr_Win_unlock(0, win));
		assert_in_range(x, 0, n * TURNS - 1);
		assert_false(seen[x]);
		seen[x] = 1;
		OK(orr_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
		int expect = i; /* whoever finds i makes it i + 1 */
		int next = i + 1;
		OK(orr_Compare_and_swap(&next, &expect, &x, MPI_INT, 0, 2, win));
		OK(orr_Win_unlock(0, win));
		swapped += x == expect;
	}
	OK(orr_Allreduce(&swapped, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
	OK(orr_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
	OK(orr_Get(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
	OK(orr_Win_flush(0, win));
	assert_int_equal(x, TURNS * n * (n + 1) / 2);
	OK(orr_Get(&x, 1, MPI_INT, 0, 2, 1, MPI_INT, win));
	OK(orr_Win_unlock(0, win));
	assert_int_equal(x, all); /* as many swaps as steps */
	OK(orr_Win_free(&win));
}

static void counts(void **state)
{
	(void)state;
	for (int n = 1; n <= 9; n++) {
		char seen[9 * TURNS] = {0};

		ranks_do(n, counts_body, seen);
		for (int i = 0; i < n * TURNS; i++)
			assert_true(seen[i]);
	}
}

/* --- notices that come while something else is waited for --- */

/* Rank 0 waits in MPI_Win_complete until its puts are there; meanwhile ranks 0 and 2, to whom it
 * has posted, complete. That must not end its call, whose puts go on to be counted by the next one.
 */
static void notices_body(int me, void *arg)
{
	static const int takes[3][3] = {{1, 1, 1}, {0, 1, 0}, {1, 0, 0}}; /* origin, target */
	MPI_Group all, from, to;
	int *base, x = 100 + me, rank[3], n = 0;
	MPI_Win win;

	(void)arg;
	OK(orr_Win_allocate(3 * sizeof x, sizeof x, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
	OK(orr_Comm_group(MPI_COMM_WORLD, &all));
	for (int i = 0; i < 3; i++)
		if (takes[i][me])
			rank[n++] = i;
	OK(orr_Group_incl(all, n, rank, &from));
	n = 0;
	for (int i = 0; i < 3; i++)
		if (takes[me][i])
			rank[n++] = i;
	OK(orr_Group_incl(all, n, rank, &to));
	OK(orr_Win_post(from, 0, win));
	OK(orr_Win_start(to, 0, win));
	for (int i = 0; i < n; i++)
		OK(orr_Put(&x, 1, MPI_INT, rank[i], me, 1, MPI_INT, win));
	OK(orr_Win_complete(win));
	OK(orr_Win_wait(win));
	for (int i = 0; i < 3; i++)
		assert_int_equal(base[i], takes[i][me] ? 100 + i : 0);
	OK(orr_Barrier(MPI_COMM_WORLD));
	OK(orr_Group_free(&all));
	OK(orr_Group_free(&from));
	OK(orr_Group_free(&to));
	OK(orr_Win_free(&win));
}

static void notices(void **state)
{
	(void)state;
	ranks_do(3, notices_body, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(windows), cmocka_unit_test(counts),
	                                   cmocka_unit_test(notices)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
