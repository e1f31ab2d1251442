/* prop_races.c: with --checks: one-sided operations on the same bytes are told of if, and only if,
 * a plain look at all pairs of one epoch says so: random operations on few bytes between fences,
 * where those of all origins meet, and under exclusive locks, where those of one do. Their buffers,
 * which nobody else changes, are never told of. */
#include "../prop.h"

#include "../../unit/ranks/ranks.h"

#include "base/rng.h"

enum { RANKS = 3, EPOCHS = 3, EACH = 3, BYTES = 24, LONGEST = 4, CASES = 300 };
enum kind { PUT, GET, ACCUMULATE, KINDS };

struct operation {
	int target, at, own, bytes;
	enum kind kind;
};
struct plan {
	int locks; /* or fences */
	int n[RANKS][EPOCHS];
	struct operation op[RANKS][EPOCHS][EACH];
};

static struct plan plan_make(uint64_t seed)
{
	struct plan p = {0};
	struct rng r;

	rng_init(&r, seed, "races", 0);
	p.locks = (int)rng_below(&r, 2);
	for (int rank = 0; rank < RANKS; rank++)
		for (int e = 0; e < EPOCHS; e++) {
			int target = (int)rng_below(&r, RANKS);

			p.n[rank][e] = (int)rng_below(&r, EACH);
			for (int i = 0; i < p.n[rank][e]; i++)
				p.op[rank][e][i] = (struct operation){
				    .target = p.locks ? target : (int)rng_below(&r, RANKS),
				    .at = (int)rng_below(&r, BYTES - LONGEST),
				    .own = (int)rng_below(&r, BYTES - LONGEST),
				    .bytes = 1 + (int)rng_below(&r, LONGEST),
				    .kind = (enum kind)rng_below(&r, KINDS)};
		}
	return p;
}

/* --- what is to be told --- */

static int overlap(int a, int n, int b, int m)
{
	return a < b + m && b < a + n;
}

static int meet_at_target(const struct operation *a, const struct operation *b)
{
	return a->target == b->target && overlap(a->at, a->bytes, b->at, b->bytes) &&
	       (a->kind == PUT || b->kind == PUT || a->kind != b->kind);
}

/* What is put is read, what is got is written. */
static int meet_in_own(const struct operation *a, const struct operation *b)
{
	return overlap(a->own, a->bytes, b->own, b->bytes) && (a->kind == GET || b->kind == GET);
}

static int is_expected(const struct plan *p, int own)
{
	int found = 0;

	for (int e = 0; e < EPOCHS; e++)
		for (int x = 0; x < RANKS * EACH; x++)
			for (int y = 0; y < x; y++) {
				int r = x / EACH, s = y / EACH, i = x % EACH, k = y % EACH;
				const struct operation *a = &p->op[r][e][i], *b = &p->op[s][e][k];

				if (i >= p->n[r][e] || k >= p->n[s][e] ||
				    (r != s && (own || p->locks)))
					continue;
				found |= own ? meet_in_own(a, b) : meet_at_target(a, b);
			}
	return found;
}

/* --- the run --- */

static void operate(const struct operation *o, signed char *own, MPI_Win win)
{
	if (o->kind == PUT)
		OK(orr_Put(own + o->own, o->bytes, MPI_INT8_T, o->target, o->at, o->bytes,
		           MPI_INT8_T, win));
	else if (o->kind == GET)
		OK(orr_Get(own + o->own, o->bytes, MPI_INT8_T, o->target, o->at, o->bytes,
		           MPI_INT8_T, win));
	else
		OK(orr_Accumulate(own + o->own, o->bytes, MPI_INT8_T, o->target, o->at, o->bytes,
		                  MPI_INT8_T, MPI_SUM, win));
}

static void body(int me, void *arg)
{
	const struct plan *p = arg;
	signed char own[BYTES] = {0}, *room;
	MPI_Win win;

	for (int i = 0; i < BYTES; i++)
		own[i] = (signed char)(me * BYTES + i);
	OK(orr_Win_allocate(BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &room, &win));
	memset(room, me, BYTES);
	OK(orr_Barrier(MPI_COMM_WORLD));
	if (!p->locks)
		OK(orr_Win_fence(0, win));
	for (int e = 0; e < EPOCHS; e++) {
		if (p->locks && p->n[me][e] > 0)
			OK(orr_Win_lock(MPI_LOCK_EXCLUSIVE, p->op[me][e][0].target, 0, win));
		for (int i = 0; i < p->n[me][e]; i++)
			operate(&p->op[me][e][i], own, win);
		if (!p->locks)
			OK(orr_Win_fence(0, win));
		else if (p->n[me][e] > 0)
			OK(orr_Win_unlock(p->op[me][e][0].target, win));
	}
	OK(orr_Win_free(&win));
}

static void races(void **state)
{
	int told = 0;

	(void)state;
	for (uint64_t seed = prop_seed(1); seed <= prop_seed(CASES); seed++) {
		struct plan p = plan_make(seed);
		struct ranks run = {.n = RANKS, .body = body, .arg = &p, .checks = 1};

		if (ranks_run(&run) < 0)
			fail_msg("seed %llu: %s", (unsigned long long)seed, run.err.text);
		if ((strstr(run.report, "of its window") != NULL) != is_expected(&p, 0) ||
		    (strstr(run.report, "of this rank") != NULL) != is_expected(&p, 1) ||
		    strstr(run.report, "changed") || strstr(run.report, "missing"))
			fail_msg("seed %llu: at targets %d, in buffers %d, and told was:\n%s",
			         (unsigned long long)seed, is_expected(&p, 0), is_expected(&p, 1),
			         run.report);
		told += *run.report != '\0';
	}
	if (!getenv("PROP_SEED")) /* not all one or the other */
		assert_in_range(told, CASES / 5, CASES - CASES / 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(races)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
