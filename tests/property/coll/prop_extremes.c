/* prop_extremes.c: parameters and sizes at the ends of what a tuning file or a program may give
 * (Open MPI's rules: fan-outs up to 2^31 - 1, segments up to 2^63 - 1; MPICH's k up to 2^15 - 1;
 * MPI_Count). An algorithm performs its collective with any of them, on symbolic data, whose cost
 * does not grow with the bytes. */
#include "cases.h"
#include "coll/rules/numbers.h"
#include "test.h"

static const uint32_t fanouts[] = {1, 2, 17, 127, 128, 129, 32767, INT32_MAX};
static const int64_t segments[] = {1, INT32_MAX, INT64_MAX / 2, INT64_MAX - 1, COLL_WHOLE};

static void verified(const struct coll_alg *alg, const struct coll_case *c)
{
	struct err err;

	if (case_verify(alg, c, &err) < 0)
		fail_msg("segment %lld, fanout %u: %s", (long long)c->segment, c->fanout, err.text);
}

static int is_right(const struct coll_alg *alg)
{
	return !alg->defect && alg->kind < COLL_NEIGHBOR_ALLGATHER;
}

static struct coll_case case_of(const struct coll_alg *alg, uint32_t p)
{
	return (struct coll_case){.kind = alg->kind,
	                          .p = p,
	                          .root = case_is_rooted(alg->kind) ? p / 2 : 0,
	                          .type_size = 8,
	                          .commutative = 1};
}

static void any_parameter_will_do(void **state)
{
	static const uint32_t sizes[] = {1, 2, 5, 13, 131};

	(void)state;
	for (const struct coll_alg *const *alg = coll_algs; *alg; alg++)
		for (size_t i = 0; i < 5 && is_right(*alg); i++) {
			struct coll_case c = case_of(*alg, sizes[i]);

			c.count = 21;
			for (size_t f = 0; f < sizeof fanouts / sizeof *fanouts; f++) {
				if (c.p > 13 && (f % 3 || case_is_vector(c.kind)))
					continue;
				if (fanouts[f] == INT32_MAX && !coll_ompi_alg_number(c.kind, *alg))
					continue;
				c.fanout = fanouts[f];
				c.segment = segments[(f + i) % 5];
				verified(*alg, &c);
			}
		}
}

/* 2^33 + 8 bytes a buffer or a block, in segments of 2^31 where an algorithm can be given any; not
 * those whose segments are always short, and would be a million. */
static void large_buffers(void **state)
{
	static const char *const cut[] = {"flattree_pipeline",
	                                  "NTSL",
	                                  "NTSL_Isend",
	                                  "NTSB",
	                                  "SMP_linear",
	                                  "SMP_binary",
	                                  "smp_binomial_pipeline",
	                                  "arrival_pattern_aware",
	                                  "arrival_pattern_aware_wait"};

	(void)state;
	for (const struct coll_alg *const *alg = coll_algs; *alg; alg++) {
		struct coll_case c = case_of(*alg, 5);
		int own = 0;

		for (size_t i = 0; i < sizeof cut / sizeof *cut; i++)
			own |= strcmp((*alg)->name, cut[i]) == 0;
		if (!is_right(*alg) || own)
			continue;
		c.count = (1ll << 30) + 1;
		c.segment = 1ll << 31;
		verified(*alg, &c);
	}
}

/* Messages that rank 0 sends. */
static unsigned sent_by_root(const struct coll_alg *alg, const struct coll_args *a)
{
	struct coll_cursor cursor = {0};
	struct coll_steps out = {.n = 0};
	unsigned n = 0;

	while (out.n = 0, coll_next(alg, a, 0, &cursor, &out) != COLL_END)
		for (uint32_t i = 0; i < out.n; i++)
			n += out.s[i].kind == STEP_SEND || out.s[i].kind == STEP_ISEND;
	return n;
}

/* However many elements without bytes there are, no library cuts them (Open MPI: a segment is not
 * shorter than an element; MPICH sends nothing): as many messages as for one of them. */
static void nothing_is_not_cut(void **state)
{
	(void)state;
	for (const struct coll_alg *const *alg = coll_algs; *alg; alg++) {
		struct coll_args a = {.kind = (*alg)->kind,
		                      .size = 8,
		                      .count = 100000,
		                      .commutative = 1,
		                      .basic_type = 1};
		unsigned many, one;

		if (strcmp((*alg)->name, "smp_binomial_pipeline") == 0)
			continue; /* its segments are 4,096 elements, whatever their size */
		if (!is_right(*alg) ||
		    (a.kind != COLL_BCAST && a.kind != COLL_REDUCE && a.kind != COLL_ALLREDUCE))
			continue;
		many = sent_by_root(*alg, &a);
		a.count = 8; /* one for each rank */
		one = sent_by_root(*alg, &a);
		if (many > one + 7)
			fail_msg("%s %s: %u messages, of 8 elements %u", coll_kind_name(a.kind),
			         (*alg)->name, many, one);
	}
}

/* Elements of a type of no bytes (an empty struct, MPI 4.0, 5.1.2): any count of them is nothing,
 * and yet a call, in any segments and under any selector. */
static void types_without_bytes(void **state)
{
	static const uint32_t sizes[] = {1, 2, 3, 8, 13};
	static const int64_t counts[] = {1, 7, 100000};

	(void)state;
	for (const struct coll_selector *const *s = coll_selectors; *s; s++)
		for (const struct coll_alg *const *alg = coll_algs; *alg; alg++)
			for (size_t i = 0; i < 15 && is_right(*alg); i += 2) {
				struct coll_policy policy = {.selector = *s};
				struct coll_case c = case_of(*alg, sizes[i % 5]);

				c.count = counts[i / 5];
				c.type_size = 0;
				c.segment = i % 4 ? 0 : segments[i % 5];
				c.fanout = i % 3 ? 0 : 3;
				c.placement = i % 6 ? ALONE : UNEVEN;
				c.policy = &policy;
				if (c.kind != COLL_ALLTOALLW) /* which counts bytes */
					verified(*alg, &c);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(any_parameter_will_do),
	    cmocka_unit_test(large_buffers),
	    cmocka_unit_test(nothing_is_not_cut),
	    cmocka_unit_test(types_without_bytes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
