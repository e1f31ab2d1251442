/* test_questions.c: each question of MPICH's tuning files (csel.c of MPICH 4: what it asks, of
 * which communicators and calls it is true), one by one, on communicators of every sort; and files
 * that are cut or damaged, byte by byte. */
#include "coll/rules/rules.h"
#include "coll/write.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>

static struct err err;

static int answer(const char *question, const struct coll_args *a)
{
	char text[300];
	const char *alg = a->kind == COLL_BCAST        ? "Bcast_intra_binomial"
	                  : a->kind == COLL_ALLREDUCE  ? "Allreduce_intra_recursive_doubling"
	                  : a->kind == COLL_ALLGATHERV ? "Allgatherv_intra_brucks"
	                                               : "Reduce_scatter_intra_recursive_doubling";
	struct coll_rules *r;
	int yes;

	snprintf(text, sizeof text, "{\"collective=%s\":{\"%s\":{\"algorithm=MPIR_%s\":{}}}}",
	         coll_kind_name(a->kind), question, alg);
	r = coll_rules_parse("q.json", text, strlen(text), &err);
	if (!r)
		fail_msg("%s: %s", question, err.text);
	yes = coll_rules_find(r, a) != NULL;
	coll_rules_free(r);
	return yes;
}
static void asked(const char *question, const struct coll_args *a, int want)
{
	if (answer(question, a) != want)
		fail_msg("%s, of %s on %u ranks, is answered %s", question, coll_kind_name(a->kind),
		         a->size, want ? "no" : "yes");
}
static struct coll_args call(enum coll_kind kind, uint32_t p, int64_t count, int64_t size)
{
	return (struct coll_args){.kind = kind,
	                          .size = p,
	                          .count = count,
	                          .count2 = count,
	                          .type_size = size,
	                          .type_size2 = size};
}

/* 12 ranks: each alone; all on one host; four hosts of three, in blocks and in turn; hosts of 1, 4,
 * 7. */
enum { ALONE, ONE_HOST, BLOCKS, TURNS, UNEVEN, PLACES };
static void about_hosts(void **state)
{
	static const struct {
		const char *question;
		int yes[PLACES];
	} rows[] = {
	    {"comm_hierarchy=flat", {1, 0, 0, 0, 0}},
	    {"comm_hierarchy=parent", {0, 1, 1, 1, 1}},
	    {"comm_hierarchy=node", {0, 0, 0, 0, 0}},
	    {"comm_hierarchy=node_roots", {0, 0, 0, 0, 0}},
	    {"comm_hierarchy=any", {1, 1, 1, 1, 1}},
	    {"comm_size=node_comm_size", {0, 1, 0, 0, 0}},
	    {"is_node_consecutive=yes", {0, 1, 1, 0, 1}},
	    {"is_node_consecutive=no", {1, 0, 0, 1, 0}},
	    {"comm_avg_ppn<=1", {1, 0, 0, 0, 0}}, /* 1, 12, 3, 3, 4 ranks a host on average */
	    {"comm_avg_ppn<3", {1, 0, 0, 0, 0}},
	    {"comm_avg_ppn<=3", {1, 0, 1, 1, 0}},
	    {"comm_avg_ppn<4", {1, 0, 1, 1, 0}},
	    {"comm_avg_ppn<=4", {1, 0, 1, 1, 1}},
	    {"comm_avg_ppn<13", {1, 1, 1, 1, 1}},
	};
	struct coll_args a = call(COLL_BCAST, 12, 10, 1);

	(void)state;
	for (int place = 0; place < PLACES; place++) {
		struct coll_shape shape;
		uint32_t host[12];

		for (uint32_t i = 0; i < 12; i++)
			host[i] = place == ALONE      ? i
			          : place == ONE_HOST ? 0
			          : place == BLOCKS   ? i / 3
			          : place == TURNS    ? i % 4
			          : i < 1             ? 0
			          : i < 5             ? 1
			                              : 2;
		assert_ok(coll_shape_init(&shape, host, 12, &err), err);
		a.shape = &shape;
		for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
			asked(rows[i].question, &a, rows[i].yes[place]);
		coll_shape_release(&shape);
	}
}

/* Inside of a composition: the ranks of one host, or the leaders. */
static void about_parts(void **state)
{
	struct coll_args a = call(COLL_BCAST, 4, 10, 1);

	(void)state;
	a.flat = FLAT_HOST;
	asked("comm_hierarchy=node", &a, 1);
	asked("comm_hierarchy=node_roots", &a, 0);
	asked("comm_hierarchy=parent", &a, 0);
	asked("comm_size=node_comm_size", &a, 1);
	a.flat = FLAT_LEADERS;
	asked("comm_hierarchy=node_roots", &a, 1);
	asked("comm_hierarchy=flat", &a, 0);
	asked("comm_size=node_comm_size", &a, 0);
}

static void about_sizes(void **state)
{
	static int64_t counts[] = {5, 0, 7, 8, 1}; /* 21 of 4 bytes: 84 */
	static int64_t equal[] = {5, 5, 5, 5, 5};
	struct coll_args a = call(COLL_ALLGATHERV, 5, 5, 4), b = call(COLL_BCAST, 8, 25, 4);

	(void)state;
	a.counts2 = counts;
	asked("total_msg_size<=83", &a, 0);
	asked("total_msg_size<=84", &a, 1);
	asked("total_msg_size<84", &a, 0);
	asked("total_msg_size<85", &a, 1);
	asked("count<=20", &a, 0);
	asked("count<=21", &a, 1);
	asked("is_block_regular=yes", &a, 0);
	asked("is_block_regular=no", &a, 1);
	a.counts2 = equal;
	asked("is_block_regular=yes", &a, 1);
	asked("avg_msg_size<=99", &b, 0);
	asked("avg_msg_size<=100", &b, 1);
	asked("avg_msg_size<100", &b, 0);
	asked("comm_size<=7", &b, 0);
	asked("comm_size<=8", &b, 1);
	asked("comm_size<8", &b, 0);
	asked("comm_size=pow2", &b, 1);
	asked("comm_size=pow2", &a, 0);
	asked("count<pow2", &b, 0);
	b.count = 7;
	asked("count<pow2", &b, 1); /* 7 elements, 8 ranks */
}

static void about_the_call(void **state)
{
	struct coll_args a = call(COLL_ALLREDUCE, 4, 10, 8);

	(void)state;
	for (int commutes = 0; commutes < 2; commutes++)
		for (int in_place = 0; in_place < 2; in_place++) {
			a.commutative = (uint8_t)commutes;
			a.in_place = (uint8_t)in_place;
			asked("is_commutative=yes", &a, commutes);
			asked("is_commutative=no", &a, !commutes);
			asked("is_op_built_in=yes", &a, commutes); /* taken for such */
			asked("is_op_built_in=no", &a, !commutes);
			asked("is_sendbuf_inplace=yes", &a, in_place);
			asked("is_sendbuf_inplace=no", &a, !in_place);
			asked("is_multi_threaded=yes", &a, 0);
			asked("is_multi_threaded=no", &a, 1);
			asked("comm_type=intra", &a, 1);
			asked("comm_type=inter", &a, 0);
			asked("any", &a, 1);
		}
	a.null_op = 1; /* SimGrid's replay: an operator that nobody knows */
	a.commutative = 0;
	asked("is_commutative=yes", &a, 1);
}

static const char whole[] =
    "{\"collective=bcast\":\n {\"comm_size<=8\":{\"algorithm=MPIR_Bcast_intra_tree\":\n"
    "{\"tree_type=knomial_1\":{\"k=4\":{\"is_non_blocking=1\":{}}}}},\n"
    "\"comm_size=any\": {\"avg_msg_size<100\":{\"algorithm=MPIR_Bcast_intra_smp\":{}},"
    "\"avg_msg_size=any\":{}}}}\n";

/* Of a file that is cut: that it ends, and where; nothing behind the end is looked at. */
static void cut_files(void **state)
{
	size_t n = strrchr(whole, '}') - whole;

	(void)state;
	for (size_t keep = 1; keep <= n; keep++) {
		char *exact = calloc(1, keep + 1), place[40];
		size_t line = 1, column = 1;

		assert_non_null(exact);
		memcpy(exact, whole, keep);
		for (size_t i = 0; i < keep; i++) {
			line += exact[i] == '\n';
			column = exact[i] == '\n' ? 1 : column + 1;
		}
		snprintf(place, sizeof place, "q.json:%zu:%zu: ", line, column);
		assert_null(coll_rules_parse("q.json", exact, keep, &err));
		if (strncmp(err.text, place, strlen(place)) != 0)
			fail_msg("cut to %zu bytes, \"%s\" should be at %s", keep, err.text, place);
		assert_non_null(strstr(err.text, "ends"));
		free(exact);
	}
}

/* A byte that is another one: refused, on its line or, where it swallows what follows, a later one;
 * or still a file, that answers every call. */
static void damaged_files(void **state)
{
	static const char others[] = "}{\":,x0 \n\\\001";
	unsigned refused = 0;

	(void)state;
	for (size_t i = 0; i + 1 < sizeof whole; i++)
		for (size_t k = 0; k + 1 < sizeof others; k++) {
			char text[sizeof whole];
			struct coll_args a = call(COLL_BCAST, (uint32_t)(i % 20 + 1), 90, 1);
			struct coll_rules *r;
			long line = 1, told;

			memcpy(text, whole, sizeof text);
			text[i] = others[k];
			for (size_t c = 0; c < i; c++)
				line += text[c] == '\n';
			r = coll_rules_parse("q.json", text, sizeof text - 1, &err);
			if (r)
				coll_rules_find(r, &a);
			coll_rules_free(r);
			refused += !r;
			told = r ? line : strtol(err.text + strlen("q.json:"), NULL, 10);
			if (!r && (strncmp(err.text, "q.json:", 7) != 0 || told < line))
				fail_msg("byte %zu made %d: %s", i, others[k], err.text);
		}
	assert_true(refused > sizeof whole * 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(about_hosts), cmocka_unit_test(about_parts),
	    cmocka_unit_test(about_sizes), cmocka_unit_test(about_the_call),
	    cmocka_unit_test(cut_files),   cmocka_unit_test(damaged_files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
