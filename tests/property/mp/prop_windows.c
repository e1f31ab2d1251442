/* prop_windows.c: epochs of one-sided communication on random programs, beside the standard's words
 * (MPI 4.0, 12.5): nobody holds a lock of a target that another holds exclusively, lock_all being a
 * shared one of each; a start returns when all of its group have posted, a wait when all of its
 * group have completed, a fence when all have come; and everything ends. Programs are such that
 * they must: locks of several targets are taken in rising order, and of exposure epochs all ranks
 * do their parts in one global order, posts first.
 *
 * Both ways of answering (smpi/one-sided), with operations of any size, to oneself too. */
#include "unit/mp/sim.h"

#include "property/prop.h"

enum { RANKS_MOST = 6, STEPS_MOST = 150, HELD_MOST = 2000 };
enum what { MAKE, LOCK, UNLOCK, SLEEP_, DATA, POST, START_, COMPLETE, WAIT_, FENCE, FREE };

struct step {
	enum what what;
	int target; /* of a lock; ANY: all */
	int exclusive, epoch;
	double amount; /* seconds, bytes */
	enum mp_rma kind;
};
struct held {
	int rank, target, exclusive;
	double from, to;
};
struct epoch {
	int origins, targets; /* bits */
	double posted[RANKS_MOST], started[RANKS_MOST], completed[RANKS_MOST], waited[RANKS_MOST];
};
struct world {
	int ranks, n[RANKS_MOST], at[RANKS_MOST], blocked[RANKS_MOST];
	struct step step[RANKS_MOST][STEPS_MOST];
	struct mp_win win[RANKS_MOST];
	struct epoch epoch[STEPS_MOST];
	int n_epochs;
	double fence_in[STEPS_MOST][RANKS_MOST], fence_out[STEPS_MOST][RANKS_MOST];
	struct held held[HELD_MOST];
	int n_held;
};

/* --- drawing --- */

static void add(struct world *w, int rank, struct step s)
{
	assert_true(w->n[rank] < STEPS_MOST);
	w->step[rank][w->n[rank]++] = s;
}
static void data_add(struct world *w, int rank, int target, struct rng *r)
{
	static const enum mp_rma kinds[] = {MP_PUT, MP_GET, MP_ACCUMULATE, MP_GET_ACCUMULATE};

	for (int n = (int)rng_below(r, 3); n > 0; n--)
		add(w, rank,
		    (struct step){
		        .what = DATA,
		        .target = target,
		        .kind = kinds[rng_below(r, 4)],
		        .amount = (double)rng_below(r, prop_once_in(r, 4) ? 200000 : 100)});
}
static void sleep_add(struct world *w, int rank, struct rng *r)
{
	add(w, rank, (struct step){.what = SLEEP_, .amount = 1e-4 * rng_unit(r)});
}
/* Locks of some targets, the lowest first, given back in any order; or of all at once. */
static void locks_add(struct world *w, int rank, struct rng *r)
{
	int mine[RANKS_MOST], n = 0;

	if (prop_once_in(r, 4)) {
		add(w, rank, (struct step){.what = LOCK, .target = ANY});
		data_add(w, rank, (int)rng_below(r, (uint64_t)w->ranks), r);
		sleep_add(w, rank, r);
		add(w, rank, (struct step){.what = UNLOCK, .target = ANY});
		return;
	}
	for (int t = 0; t < w->ranks; t++)
		if (prop_once_in(r, 3)) {
			mine[n++] = t;
			add(w, rank,
			    (struct step){
			        .what = LOCK, .target = t, .exclusive = (int)rng_below(r, 2)});
			data_add(w, rank, t, r);
			sleep_add(w, rank, r);
		}
	while (n > 0) {
		int k = (int)rng_below(r, (uint64_t)n);

		add(w, rank, (struct step){.what = UNLOCK, .target = mine[k]});
		mine[k] = mine[--n];
	}
}
/* All ranks do their parts of an epoch: who is a target posts, then who is an origin starts and
 * completes, then the targets wait. */
static void exposure_add(struct world *w, struct rng *r)
{
	struct epoch *e = &w->epoch[w->n_epochs];
	int id = w->n_epochs++;

	*e = (struct epoch){.origins = (int)rng_below(r, 1u << w->ranks),
	                    .targets = (int)rng_below(r, 1u << w->ranks)};
	for (int rank = 0; rank < w->ranks; rank++) {
		int origin = e->origins >> rank & 1, target = e->targets >> rank & 1;

		if (prop_once_in(r, 2))
			sleep_add(w, rank, r);
		if (target)
			add(w, rank, (struct step){.what = POST, .epoch = id});
		if (origin)
			add(w, rank, (struct step){.what = START_, .epoch = id});
		for (int t = 0; origin && t < w->ranks; t++)
			if (e->targets >> t & 1)
				data_add(w, rank, t, r);
		if (origin)
			add(w, rank, (struct step){.what = COMPLETE, .epoch = id});
		if (target)
			add(w, rank, (struct step){.what = WAIT_, .epoch = id});
	}
}
static void fence_add(struct world *w, struct rng *r)
{
	int id = w->n_epochs++;

	for (int rank = 0; rank < w->ranks; rank++) {
		sleep_add(w, rank, r);
		add(w, rank, (struct step){.what = FENCE, .epoch = id});
	}
}
static void world_draw(struct world *w, struct rng *r)
{
	memset(w, 0, sizeof *w);
	w->ranks = (int)prop_from(r, 2, RANKS_MOST);
	for (int rank = 0; rank < w->ranks; rank++)
		add(w, rank, (struct step){.what = MAKE});
	for (int i = 0; i < 4; i++) {
		for (int rank = 0; rank < w->ranks; rank++)
			locks_add(w, rank, r);
		if (prop_once_in(r, 2))
			exposure_add(w, r);
		else
			fence_add(w, r);
	}
	for (int rank = 0; rank < w->ranks; rank++)
		add(w, rank, (struct step){.what = FREE});
}

/* --- running --- */

static int group(struct mp *mp, struct world *w, int rank, const struct step *s, struct err *err)
{
	const struct epoch *e = &w->epoch[s->epoch];
	int bits = s->what == POST ? e->origins : e->targets;
	int32_t members[RANKS_MOST];
	uint32_t n = 0;

	for (int i = 0; i < w->ranks; i++)
		if (bits >> i & 1)
			members[n++] = i;
	return mp_win_group(mp, (uint32_t)rank, w->win[rank], s->what == POST, members, n, err);
}
static int do_step(struct mp *mp, struct world *w, int rank, const struct step *s, struct err *err)
{
	uint32_t r = (uint32_t)rank;
	struct mp_win win = w->win[rank];

	switch (s->what) {
	case MAKE:
		return mp_win_make(mp, r, MP_COMM_WORLD, &w->win[rank], err);
	case LOCK:
		return mp_win_sync(mp, r, win, s->exclusive ? MP_WIN_LOCK_EXCLUSIVE : MP_WIN_LOCK,
		                   s->target, err);
	case UNLOCK:
		return mp_win_sync(mp, r, win, MP_WIN_UNLOCK, s->target, err);
	case SLEEP_:
		return mp_sleep(mp, r, s->amount, err);
	case DATA:
		return mp_rma(mp, r, win, s->kind, s->target, s->amount, NULL, err);
	case POST:
	case START_:
		return group(mp, w, rank, s, err);
	case COMPLETE:
		return mp_win_sync(mp, r, win, MP_WIN_COMPLETE, ANY, err);
	case WAIT_:
		return mp_win_sync(mp, r, win, MP_WIN_WAIT, ANY, err);
	case FENCE:
		return mp_win_sync(mp, r, win, MP_WIN_FENCE, ANY, err);
	default:
		return mp_win_sync(mp, r, win, MP_WIN_FREE, ANY, err);
	}
}
/* A call begins. */
static void note_before(struct world *w, int rank, const struct step *s, double now)
{
	if (s->what == POST)
		w->epoch[s->epoch].posted[rank] = now;
	if (s->what == COMPLETE)
		w->epoch[s->epoch].completed[rank] = now;
	if (s->what == FENCE)
		w->fence_in[s->epoch][rank] = now;
	for (int i = 0; s->what == UNLOCK && i < w->n_held; i++) {
		struct held *h = &w->held[i];

		if (h->rank == rank && h->to < 0 && (s->target == ANY || h->target == s->target))
			h->to = now;
	}
}
/* It has returned. */
static void note_after(struct world *w, int rank, const struct step *s, double now)
{
	if (s->what == START_)
		w->epoch[s->epoch].started[rank] = now;
	if (s->what == WAIT_)
		w->epoch[s->epoch].waited[rank] = now;
	if (s->what == FENCE)
		w->fence_out[s->epoch][rank] = now;
	for (int t = 0; s->what == LOCK && t < w->ranks; t++)
		if (s->target == ANY || s->target == t) {
			assert_true(w->n_held < HELD_MOST);
			w->held[w->n_held++] = (struct held){rank, t, s->exclusive, now, -1};
		}
}
static int resume(void *self, struct mp *mp, uint32_t rank, struct err *err)
{
	struct world *w = self;
	int r = (int)rank;

	for (;;) {
		const struct step *s = &w->step[r][w->at[r]];

		if (w->blocked[r]) {
			w->blocked[r] = 0;
		} else if (w->at[r] == w->n[r]) {
			return 1;
		} else {
			int status;

			note_before(w, r, s, mp_now(mp));
			status = do_step(mp, w, r, s, err);
			if (status == MP_ERROR)
				return -1;
			if (status == MP_BLOCKED) {
				w->blocked[r] = 1;
				return 0;
			}
		}
		note_after(w, r, s, mp_now(mp));
		w->at[r]++;
	}
}
static const char *place(void *self, uint32_t rank, char *buf, size_t n)
{
	snprintf(buf, n, "step %d", ((struct world *)self)->at[rank]);
	return buf;
}

/* --- checking --- */

static void locks_exclude(const struct world *w)
{
	for (int i = 0; i < w->n_held; i++)
		for (int k = 0; k < i; k++) {
			const struct held *a = &w->held[i], *b = &w->held[k];

			if (a->target != b->target || a->rank == b->rank ||
			    (!a->exclusive && !b->exclusive))
				continue;
			if (a->from < b->to - 1e-12 && b->from < a->to - 1e-12)
				fail_msg("rank %d holds the lock of %d from %.9g to %.9g, rank %d "
				         "from %.9g to %.9g",
				         a->rank, a->target, a->from, a->to, b->rank, b->from,
				         b->to);
		}
}
static void epochs_wait(const struct world *w)
{
	for (int i = 0; i < w->n_epochs; i++)
		for (int a = 0; a < w->ranks; a++)
			for (int b = 0; b < w->ranks; b++) {
				const struct epoch *e = &w->epoch[i];
				int pair = (e->origins >> a & 1) && (e->targets >> b & 1);

				assert_true(!pair || e->started[a] >= e->posted[b]);
				assert_true(!pair || e->waited[b] >= e->completed[a]);
				assert_true(w->fence_out[i][a] >= w->fence_in[i][b]);
			}
}

static void run_world(struct world *w, const char *settings, uint64_t seed)
{
	static const struct act nothing[] = {{0}};
	const struct act *lists[RANKS_MOST];
	struct mp_program program = {.self = w, .resume = resume, .place = place};
	struct str report;
	struct sim s;

	for (int i = 0; i < w->ranks; i++)
		lists[i] = nothing;
	sim_init(&s, FLAT, settings, lists, (uint32_t)w->ranks);
	if (mp_run(s.mp, &program, NULL, &s.err) < 0)
		fail_msg("seed %llu, %s: %s", (unsigned long long)seed, settings, s.err.text);
	str_init(&report);
	if (mp_report(s.mp, &report) > 0)
		fail_msg("seed %llu, %s: %s", (unsigned long long)seed, settings, report.s);
	str_release(&report);
	sim_release(&s);
}

static const char *const ways[] = {PLAIN " smpi/one-sided:hardware",
                                   PLAIN " smpi/one-sided:messages",
                                   PLAIN " smpi/one-sided:messages smpi/ois:0:1e-5:0"};

static void epochs_are_kept(void **state)
{
	struct prop_run run = prop_begin(90);
	static struct world w;

	(void)state;
	for (uint64_t i = 0; i < run.cases; i++) {
		struct rng r;

		rng_init(&r, run.seed + i, "windows", 0);
		world_draw(&w, &r);
		run_world(&w, ways[i % 3], run.seed + i);
		locks_exclude(&w);
		epochs_wait(&w);
	}
}

/* Rank 1 holds the lock of 2 exclusively, which rank 0's lock_all waits for, and then shares that
 * of 0: a lock_all that waits is a shared one, which another need not wait for. */
static void a_shared_lock_does_not_wait_for_a_lock_of_all(void **state)
{
	static struct world w;

	(void)state;
	for (int i = 0; i < 3; i++) {
		memset(&w, 0, sizeof w);
		w.ranks = 3;
		for (int rank = 0; rank < 3; rank++)
			add(&w, rank, (struct step){.what = MAKE});
		add(&w, 0, (struct step){.what = SLEEP_, .amount = 1});
		add(&w, 0, (struct step){.what = LOCK, .target = ANY});
		add(&w, 0, (struct step){.what = UNLOCK, .target = ANY});
		add(&w, 1, (struct step){.what = LOCK, .target = 2, .exclusive = 1});
		add(&w, 1, (struct step){.what = SLEEP_, .amount = 2});
		add(&w, 1, (struct step){.what = LOCK, .target = 0});
		add(&w, 1, (struct step){.what = UNLOCK, .target = 0});
		add(&w, 1, (struct step){.what = UNLOCK, .target = 2});
		for (int rank = 0; rank < 3; rank++)
			add(&w, rank, (struct step){.what = FREE});
		run_world(&w, ways[i], 0);
		locks_exclude(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(epochs_are_kept),
	    cmocka_unit_test(a_shared_lock_does_not_wait_for_a_lock_of_all),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
