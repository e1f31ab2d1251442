/* prop_parts.c: partitioned messages (MPI 4.0, chapter 4): both sides cut one message as they like;
 * partitions are said to be ready in any order, one by one, in ranges and in lists; what
 * MPI_Parrived tells to have arrived lies in the buffer, whole. Again and again with the same
 * requests. */
#include "../../unit/ranks/ranks.h"

#include "../../unit/ranks/layout.h"
#include "base/rng.h"

enum { RANKS = 4, PAIRS = 8, MOST = 12, ROUNDS = 3, CASES = 40 };

struct pair { /* one message, sent again in each round */
	int from, to, tag;
	int parts[2], ints; /* partitions of the sender and the receiver; ints in all */
	enum layout layout[2];
};
struct plan {
	int n, pairs;
	uint64_t seed;
	struct pair pair[PAIRS];
};
struct side {
	const struct pair *p;
	int receives, each; /* ints of a partition */
	MPI_Datatype type;
	MPI_Request request;
	int *buf, seen[MOST];
};

static int value(const struct plan *p, const struct pair *x, int round, int i)
{
	return (int)(p->seed % 1000) * 1000003 + x->tag * 7919 + round * 131 + i;
}

static void side_begin(struct side *s, const struct pair *p, int receives)
{
	int parts = p->parts[receives], count;

	*s = (struct side){.p = p, .receives = receives, .each = p->ints / parts};
	s->type = layout_type(p->layout[receives]);
	s->buf = ints_new(2 * p->ints);
	count = s->each / layout_ints(p->layout[receives]);
	if (receives)
		OK(orr_Precv_init(s->buf, parts, count, s->type, p->from, p->tag, MPI_COMM_WORLD,
		                  MPI_INFO_NULL, &s->request));
	else
		OK(orr_Psend_init(s->buf, parts, count, s->type, p->to, p->tag, MPI_COMM_WORLD,
		                  MPI_INFO_NULL, &s->request));
}

static void side_end(struct side *s)
{
	OK(orr_Request_free(&s->request));
	layout_type_end(s->type);
	free(s->buf);
}

/* --- sending: a partition is filled before it is said to be ready, and not earlier --- */

static void part_fill(const struct plan *p, struct side *s, int round, int part)
{
	for (int i = part * s->each; i < (part + 1) * s->each; i++)
		s->buf[layout_place(s->p->layout[0], i)] = value(p, s->p, round, i);
}

static void sends(const struct plan *p, struct rng *r, struct side *s, int round)
{
	int order[MOST], n = s->p->parts[0], done = 0;

	for (int i = 0; i < n; i++)
		order[i] = i;
	if (rng_below(r, 3) == 0) { /* a range in the middle, then the others */
		int low = (int)rng_below(r, (uint64_t)n),
		    high = low + (int)rng_below(r, (uint64_t)(n - low));

		for (int i = low; i <= high; i++)
			part_fill(p, s, round, i);
		OK(orr_Pready_range(low, high, s->request));
		for (int i = 0; i < n; i++)
			if (i < low || i > high)
				order[done++] = i;
		n = done;
		done = 0;
	}
	for (int i = n - 1; i > 0; i--) {
		int k = (int)rng_below(r, (uint64_t)i + 1), x = order[i];

		order[i] = order[k], order[k] = x;
	}
	while (done < n) {
		int some = 1 + (int)rng_below(r, (uint64_t)(n - done));

		for (int i = done; i < done + some; i++)
			part_fill(p, s, round, order[i]);
		OK(some == 1 ? orr_Pready(order[done], s->request)
		             : orr_Pready_list(some, &order[done], s->request));
		done += some;
	}
}

/* --- receiving --- */

static void part_check(const struct plan *p, const struct side *s, int round, int part)
{
	for (int i = part * s->each; i < (part + 1) * s->each; i++)
		if (s->buf[layout_place(s->p->layout[1], i)] != value(p, s->p, round, i))
			fail_msg("seed %llu, tag %d, round %d: int %d of partition %d is %d, "
			         "not %d",
			         (unsigned long long)p->seed, s->p->tag, round, i, part,
			         s->buf[layout_place(s->p->layout[1], i)],
			         value(p, s->p, round, i));
}

/* Once it has arrived it stays so. */
static void looks(const struct plan *p, struct rng *r, struct side *s, int round)
{
	for (int k = (int)rng_below(r, 6); k > 0; k--) {
		int part = (int)rng_below(r, (uint64_t)s->p->parts[1]), flag;

		OK(orr_Parrived(s->request, part, &flag));
		assert_true(flag || !s->seen[part]);
		s->seen[part] |= flag;
		if (flag)
			part_check(p, s, round, part);
	}
}

static void received(const struct plan *p, struct side *s, int round, const MPI_Status *status)
{
	MPI_Count n;
	int flag;

	assert_int_equal(status->MPI_SOURCE, s->p->from);
	assert_int_equal(status->MPI_TAG, s->p->tag);
	OK(orr_Get_count(status, MPI_INT, &n));
	assert_int_equal(n, s->p->ints);
	for (int i = 0; i < s->p->parts[1]; i++) {
		part_check(p, s, round, i);
		OK(orr_Parrived(s->request, i, &flag)); /* of an inactive one: true */
		assert_true(flag);
	}
	for (int i = 0; i < s->p->ints && s->p->layout[1] == SPREAD; i++)
		assert_int_equal(s->buf[2 * i + 1], UNTOUCHED);
	memset(s->seen, 0, sizeof s->seen);
	for (int i = 0; i < 2 * s->p->ints; i++)
		s->buf[i] = UNTOUCHED;
}

static void rounds(const struct plan *p, struct rng *r, struct side *s, int n)
{
	MPI_Request q[2 * PAIRS];
	MPI_Status status[2 * PAIRS];

	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < n; i++)
			OK(orr_Start(&s[i].request));
		for (int i = 0; i < n; i++)
			if (!s[i].receives)
				sends(p, r, &s[i], round);
		for (int i = 0; i < n; i++)
			if (s[i].receives)
				looks(p, r, &s[i], round);
		for (int i = 0; i < n; i++)
			q[i] = s[i].request;
		OK(orr_Waitall(n, q, status));
		for (int i = 0; i < n; i++) {
			assert_ptr_equal(q[i], s[i].request);
			if (s[i].receives)
				received(p, &s[i], round, &status[i]);
		}
	}
}

static void body(int me, void *arg)
{
	const struct plan *p = arg;
	struct side s[2 * PAIRS];
	struct rng r;
	int n = 0;

	rng_init(&r, p->seed, "rank", (uint64_t)me);
	for (int i = 0; i < p->pairs; i++) {
		if (p->pair[i].to == me)
			side_begin(&s[n++], &p->pair[i], 1);
		if (p->pair[i].from == me)
			side_begin(&s[n++], &p->pair[i], 0);
	}
	rounds(p, &r, s, n);
	for (int i = 0; i < n; i++)
		side_end(&s[i]);
}

static void partitions(void **state)
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

		rng_init(&r, seed, "partitions", 0);
		p = (struct plan){.seed = seed, .n = 1 + (int)rng_below(&r, RANKS)};
		p.pairs = 1 + (int)rng_below(&r, PAIRS);
		for (int i = 0; i < p.pairs; i++) {
			struct pair *x = &p.pair[i];
			int unit = 1 + (int)rng_below(&r, rng_below(&r, 5) ? 20 : 4000);

			*x = (struct pair){.from = (int)rng_below(&r, (uint64_t)p.n),
			                   .to = (int)rng_below(&r, (uint64_t)p.n),
			                   .tag = i};
			for (int k = 0; k < 2; k++) {
				static const int parts[] = {1, 2, 3, 4, 6, 12};

				x->parts[k] = parts[rng_below(&r, 6)];
				x->layout[k] = (enum layout)rng_below(&r, LAYOUTS);
			}
			x->ints = 24 * unit; /* pairs of ints in each of 12 partitions */
		}
		run.n = p.n;
		if (ranks_run(&run) < 0)
			fail_msg("seed %llu: %s", (unsigned long long)seed, run.err.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(partitions)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
