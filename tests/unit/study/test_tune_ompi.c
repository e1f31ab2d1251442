/* test_tune_ompi.c: the file of Open MPI's dynamic rules from choices written by hand: for which
 * operation which size decides (coll_tuned_*_decision.c of 4.1: of gather, scatter, allgather and
 * alltoall the bytes of all ranks; of those whose size it does not look at, one rule), equal
 * neighbours are one rule, and the first begins at 0. */
#include "study/tune_int.h"

#include "coll/rules/numbers.h"
#include "test.h"

static int64_t ranks_v[] = {4, 16}, bytes_v[] = {8, 1000, 100000};
static const struct sizes ranks = {ranks_v, 2, 2}, bytes = {bytes_v, 3, 3};

static const struct tune_extent whole = {.cells = 6, .measured = 6};

/* Choices by number of the algorithm (0: not measured), for 4 ranks, then 16; the last one in
 * segments of 8 KiB. */
static char *written(enum coll_kind kind, const uint32_t number[6], struct str *out)
{
	struct coll_choice best[6];
	struct tuned t = {kind, &ranks, &bytes, best, best};

	for (int i = 0; i < 6; i++) {
		best[i] = number[i] ? (struct coll_choice){.alg = coll_ompi_alg(kind, number[i]),
		                                           .segment = COLL_WHOLE}
		                    : (struct coll_choice){.alg = NULL};
		assert_true(best[i].alg || number[i] == 0);
	}
	best[5].segment = 8192;
	best[5].fanout = 4;
	str_init(out);
	tune_write_ompi(&t, 1, "a machine", &whole, out);
	return out->s;
}

/* The lines without comments and the remarks behind them. */
static void lines_are(const char *text, const char *expected)
{
	char lines[1024];
	size_t n = 0;

	while (*text) {
		size_t length = strcspn(text, "\n"), kept = strcspn(text, "#\n");

		while (kept > 0 && text[kept - 1] == ' ')
			kept--;
		if (kept > 0)
			n += (size_t)snprintf(lines + n, sizeof lines - n, "%.*s\n", (int)kept,
			                      text);
		text += length + (text[length] == '\n');
	}
	assert_string_equal(lines, expected);
}

static void by_message(void **state)
{
	struct str out;

	(void)state;
	/* number of operations, of the operation (broadcast: 7), of numbers of ranks; then ranks
	 * and rules; bytes, algorithm, k, segment */
	lines_are(written(COLL_BCAST, (const uint32_t[]){6, 6, 3, 1, 3, 3}, &out),
	          "1\n7\n2\n4 2\n0 6 0 0\n100000 3 0 0\n"
	          "16 3\n0 1 0 0\n1000 3 0 0\n100000 3 4 8192\n");
	str_release(&out);
}

/* Of all ranks: 4 and 16 times the block. */
static void by_total(void **state)
{
	struct str out;
	char *text;

	(void)state;
	text = written(COLL_ALLTOALL, (const uint32_t[]){3, 1, 2, 3, 3, 2}, &out);
	lines_are(text, "1\n3\n2\n4 3\n0 3 0 0\n4000 1 0 0\n400000 2 0 0\n"
	                "16 2\n0 3 0 0\n1600000 2 4 8192\n");
	str_release(&out);
}

/* Whose size is not looked at: the largest of those measured speaks for all. */
static void by_nothing(void **state)
{
	struct str out;

	(void)state;
	lines_are(written(COLL_BARRIER, (const uint32_t[]){1, 2, 3, 4, 3, 2}, &out),
	          "1\n6\n2\n4 1\n0 3 0 0\n16 1\n0 2 4 8192\n");
	str_release(&out);
}

/* Open MPI takes the rules of reductions for operators that do not commute, too: the file says so,
 * if it has such rules. */
static void reductions_are_told(void **state)
{
	static const struct {
		enum coll_kind kind;
		int told;
	} made[] = {{COLL_REDUCE, 1},         {COLL_ALLREDUCE, 1},
	            {COLL_REDUCE_SCATTER, 1}, {COLL_REDUCE_SCATTER_BLOCK, 1},
	            {COLL_BCAST, 0},          {COLL_ALLTOALL, 0}};

	(void)state;
	for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
		struct str out;
		const char *text = written(made[i].kind, (const uint32_t[]){1, 1, 1, 1, 1, 1},
		                           &out);

		assert_int_equal(strstr(text, "do not commute") != NULL, made[i].told);
		str_release(&out);
	}
}

/* No candidate is one that Open MPI 4.1 would stop at: it does not know it, or it is of two ranks
 * (6 of allgather, 5 of allgatherv, alltoall and barrier: coll_tuned_*_decision.c), and a rule for
 * two ranks holds for three where the file has none for these. All are numbered; most have no
 * segments. */
static void candidates_are_known(void **state)
{
	struct coll_choice all[CANDIDATES_MAX];

	(void)state;
	for (int k = 0; k < COLL_KINDS; k++) {
		uint32_t n = candidates_ompi((enum coll_kind)k, all);

		assert_true(n <= CANDIDATES_MAX);
		for (uint32_t i = 0; i < n; i++) {
			uint32_t number = coll_ompi_alg_number((enum coll_kind)k, all[i].alg);

			assert_true(number > 0);
			assert_true(k != COLL_ALLGATHER || number <= 5);
			assert_true(k != COLL_ALLGATHERV || number <= 4);
			assert_true(k != COLL_ALLTOALL || number <= 4);
			assert_true(k != COLL_BARRIER || number != 5);
			assert_true(all[i].segment == COLL_WHOLE || k == COLL_BCAST ||
			            k == COLL_REDUCE || k == COLL_ALLREDUCE);
			for (uint32_t j = 0; j < i; j++)
				assert_false(choice_equal(&all[i], &all[j]));
		}
	}
	assert_int_equal(candidates_ompi(COLL_SCATTERV, all), 0);
}

/* A file name may hold an end of line, which ends a comment. */
static void a_name_stays_in_its_comment(void **state)
{
	const struct tuned none = {0};
	struct str out;

	(void)state;
	str_init(&out);
	tune_write_ompi(&none, 0, "a\nb", &whole, &out);
	assert_false(out.failed);
	assert_non_null(strstr(out.s, "simulations of a b (orrery tune)"));
	str_release(&out);
}

/* Of an interrupted run: what was not measured is algorithm 0, Open MPI's own decision, from its
 * size up to that of the next rule (coll_tuned_dynamic_rules.c). */
static void not_measured(void **state)
{
	const struct tuned none = {0};
	struct str out;

	(void)state;
	lines_are(written(COLL_BCAST, (const uint32_t[]){0, 0, 0, 0, 3, 3}, &out),
	          "1\n7\n2\n4 1\n0 0 0 0\n16 3\n0 0 0 0\n1000 3 0 0\n100000 3 4 8192\n");
	str_release(&out);
	lines_are(written(COLL_BCAST, (const uint32_t[]){6, 0, 6, 6, 6, 3}, &out),
	          "1\n7\n2\n4 3\n0 6 0 0\n1000 0 0 0\n100000 6 0 0\n"
	          "16 2\n0 6 0 0\n100000 3 4 8192\n");
	str_release(&out);
	str_init(&out);
	tune_write_ompi(&none, 0, "a", &(struct tune_extent){.cells = 6, .measured = 2}, &out);
	assert_non_null(strstr(out.s, "# Interrupted: 2 of 6 combinations"));
	str_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(by_message),
	                                   cmocka_unit_test(by_total),
	                                   cmocka_unit_test(by_nothing),
	                                   cmocka_unit_test(reductions_are_told),
	                                   cmocka_unit_test(a_name_stays_in_its_comment),
	                                   cmocka_unit_test(not_measured),
	                                   cmocka_unit_test(candidates_are_known)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
