/* test_rules.c: tuning files of Open MPI and MPICH. What holds when is told in
 * coll_tuned_dynamic_rules.c of Open MPI 4.1 ("nearest less than or equal" size) and in csel.c of
 * MPICH 4 (questions in the order of the file). */
#include "coll/rules/rules.h"

#include "test.h"

static struct err err;

static struct coll_rules *rules_of(const char *text)
{
	struct coll_rules *r = coll_rules_parse("rules.conf", text, strlen(text), &err);
	if (!r)
		fail_msg("%s", err.text);
	return r;
}

/* The choice in words. */
static void explain(const struct coll_args *a, struct str *out)
{
	struct coll_choice c = coll_decide(a);

	coll_choice_explain(&c, a, out);
}

static void refused(const char *text, const char *place, const char *what)
{
	struct coll_rules *r = coll_rules_parse("rules.conf", text, strlen(text), &err);
	assert_null(r);
	assert_int_equal(err.kind, ERR_INPUT);
	if (strncmp(err.text, place, strlen(place)) != 0 || !strstr(err.text, what))
		fail_msg("\"%s\" should begin with \"%s\" and say \"%s\"", err.text, place, what);
}

static const struct rule *rule_for(const struct coll_rules *r, enum coll_kind k, uint32_t p,
                                   int64_t count, int64_t type_size)
{
	struct coll_args a = {.kind = k,
	                      .size = p,
	                      .count = count,
	                      .count2 = count,
	                      .type_size = type_size,
	                      .type_size2 = type_size,
	                      .commutative = 1};
	return coll_rules_find(r, &a);
}

/* One collective (2: allreduce), two communicator sizes, sizes and parameters of Open MPI's manual
 * form. */
static const char ompi[] = "1 # collectives\n"
                           "2 # allreduce\n"
                           "2 # communicator sizes\n"
                           "4 1\n"
                           "0 3 0 0\n"
                           "16 # from 16 ranks on\n"
                           "3\n"
                           "0 3 0 0\n"
                           "0x400 4 0 0 # 1024\n"
                           "65536 5 0 8192\n";

static void open_mpi(void **state)
{
	struct coll_rules *r = rules_of(ompi);
	const struct rule *use;
	(void)state;
	/* Below the first size: the first one's. */
	assert_ptr_equal(rule_for(r, COLL_ALLREDUCE, 2, 1 << 20, 8)->alg, &coll_allreduce_rdb);
	assert_ptr_equal(rule_for(r, COLL_ALLREDUCE, 15, 1 << 20, 8)->alg, &coll_allreduce_rdb);
	assert_ptr_equal(rule_for(r, COLL_ALLREDUCE, 16, 127, 8)->alg, &coll_allreduce_rdb);
	assert_ptr_equal(rule_for(r, COLL_ALLREDUCE, 16, 128, 8)->alg, &coll_allreduce_ompi_ring);
	assert_ptr_equal(rule_for(r, COLL_ALLREDUCE, 4000, 65535, 1)->alg,
	                 &coll_allreduce_ompi_ring);
	use = rule_for(r, COLL_ALLREDUCE, 4000, 65536, 1);
	assert_ptr_equal(use->alg, &coll_allreduce_ompi_ring_segmented);
	assert_int_equal(use->segment, 8192);
	assert_int_equal(use->line, 10);
	assert_null(rule_for(r, COLL_BCAST, 16, 100, 1)); /* no rules: Open MPI's own decision */
	assert_ptr_equal(r->otherwise, &coll_selector_ompi_4);
	coll_rules_free(r);
}

/* Algorithm 0 is the fixed decision; version 2 may have a fifth number; alltoall is measured over
 * all ranks, barrier and alltoallv not at all. */
static void open_mpi_version_2(void **state)
{
	struct coll_rules *r = rules_of(
	    "rule-file-version-2\n3\n3\n1\n0\n2\n0 4 0 0 16\n8000 2 0 0\n"
	    "6 1 1 2 0 0 0 0\n5 4 0 0\n7 1 0 1 0 2 4 0");
	(void)state;
	assert_int_equal(rule_for(r, COLL_ALLTOALL, 8, 100, 1)->fanout, 16);
	assert_int_equal(rule_for(r, COLL_ALLTOALL, 8, 1000, 1)->line, 8);
	assert_null(rule_for(r, COLL_BARRIER, 8, 0, 0));
	assert_int_equal(rule_for(r, COLL_BCAST, 8, 100, 1)->fanout, 4);
	assert_true(rule_for(r, COLL_BCAST, 8, 100, 1)->segment == COLL_WHOLE);
	coll_rules_free(r);
}

static void open_mpi_errors(void **state)
{
	(void)state;
	refused("", "rules.conf:1:1: ", "the file ends where the number of collectives");
	refused("1\n2\n1\n8\n1\n5 3 0 0\n", "rules.conf:6:", "must be 0, not 5");
	refused("1\n2\n1\n8\n1\n0 three 0 0\n", "rules.conf:6:3: ", "not \"three\"");
	refused("1\n2\n1\n8\n1\n0 77 0 0\n", "rules.conf:6:", "no algorithm 77 for allreduce");
	refused("1\n22\n", "rules.conf:2:1: ", "between 0 and 21");
	refused("1\n2\n2\n8\n0\n8\n0\n", "rules.conf:6:", "sizes must rise");
	refused("1\n2\n1\n8\n2\n0 3 0 0\n0 3 0 0\n", "rules.conf:7:", "sizes must rise");
	refused("2\n2\n0\n2\n0\n", "rules.conf:4:", "rules already");
	refused("0\n9\n", "rules.conf:2:1: ", "goes on");
	refused("1\n-2\n", "rules.conf:2:1: ", "between");
	refused("1\n2\n1\n8\n1\n0 3 0", "rules.conf:6:", "the file ends where a segment size");
	refused("# new\nrule-file-version-3\n0\n", "rules.conf:2:1: ", "version 1 and 2");
}

static const char mpich[] =
    "{ \"collective=bcast\": {\n"
    "  \"comm_type = intra\": {\n"
    "    \"comm_size<8\": { \"algorithm=MPIR_Bcast_intra_binomial\": {} },\n"
    "    \"comm_size=pow2\": {\n"
    "      \"avg_msg_size<=12288\": {\"algorithm=MPIR_Bcast_intra_binomial\": {}},\n"
    "      \"avg_msg_size=any\": {\"algorithm=MPIR_Bcast_intra_scatter_ring_allgather\": {}}},\n"
    "    \"comm_size=any\": {\"algorithm=MPIR_Bcast_allcomm_nb\": {}}},\n"
    "  \"comm_type=inter\": {\"algorithm=MPIR_Bcast_inter_remote_send_local_bcast\": {}}},\n"
    " \"collective=ibcast\": {\"algorithm=MPIR_Ibcast_intra_tsp_tree\": {\"k=2\": "
    "{\"chunk_size=7\": {}}}},\n"
    " \"collective=allreduce\": {\n"
    "  \"count<pow2\": {\"algorithm=MPIR_Allreduce_intra_recursive_doubling\": {}},\n"
    "  \"is_commutative=yes\": {\"algorithm=MPIR_Allreduce_intra_reduce_scatter_allgather\": "
    "{}}}}\n";

static void mpich_tree(void **state)
{
	struct coll_rules *r = rules_of(mpich);
	struct coll_args a = {.kind = COLL_ALLREDUCE, .size = 24, .count = 15, .type_size = 4};
	(void)state;
	assert_ptr_equal(rule_for(r, COLL_BCAST, 7, 1 << 20, 1)->alg, &coll_bcast_binomial_tree);
	assert_int_equal(rule_for(r, COLL_BCAST, 7, 1 << 20, 1)->line, 3);
	assert_ptr_equal(rule_for(r, COLL_BCAST, 8, 12288, 1)->alg, &coll_bcast_binomial_tree);
	assert_ptr_equal(rule_for(r, COLL_BCAST, 8, 12289, 1)->alg,
	                 &coll_bcast_scatter_LR_allgather);
	assert_null(rule_for(r, COLL_BCAST, 9, 1, 1));
	assert_null(rule_for(r, COLL_GATHER, 9, 1, 1));
	assert_ptr_equal(coll_rules_find(r, &a)->alg, &coll_allreduce_rdb); /* 15 < 16 */
	a.count = 16;
	assert_null(coll_rules_find(r, &a)); /* it does not commute */
	a.commutative = 1;
	assert_ptr_equal(coll_rules_find(r, &a)->alg,
	                 &coll_allreduce_mpich_reduce_scatter_allgather);
	coll_rules_free(r);
}

/* MPICH 4's csel.c: "comm_size<8" is what it says while nothing was asked about the call, and
 * includes 8 behind that; comm_size<=8 always does. (The real library: tests/peer/coll_mpich.sh,
 * alltoall on 8 ranks.) */
static void mpich_size_behind_call(void **state)
{
	struct coll_rules *r = rules_of(
	    "{\"collective=alltoall\":{\"avg_msg_size<=9\":{\"comm_size<8\":"
	    "{\"algorithm=MPIR_Alltoall_intra_scattered\":{}},\"comm_size<=8\":"
	    "{\"algorithm=MPIR_Alltoall_intra_pairwise\":{}}},\"avg_msg_size=any\":{}},\n"
	    " \"collective=barrier\":{\"comm_size<8\":{\"algorithm=MPIR_Barrier_intra_smp\":{}}}}");
	(void)state;
	assert_ptr_equal(rule_for(r, COLL_ALLTOALL, 8, 1, 1)->alg, &coll_alltoall_mpich_scattered);
	assert_null(rule_for(r, COLL_ALLTOALL, 9, 1, 1));
	assert_null(rule_for(r, COLL_BARRIER, 8, 1, 1));
	assert_ptr_equal(rule_for(r, COLL_BARRIER, 7, 1, 1)->alg, &coll_barrier_mpich_smp);
	coll_rules_free(r);
}

/* ch4's own file: what it does with hosts is what the file says; where its composition is the same
 * for all ranks the choice is MPICH's. */
static void mpich_compositions(void **state)
{
	struct coll_rules *r = rules_of(
	    "{\"collective=bcast\":{"
	    "\"avg_msg_size<10\":{\"composition=MPIDI_Bcast_intra_composition_beta\":{}},"
	    "\"avg_msg_size=any\":{\"composition=MPIDI_Bcast_intra_composition_gamma\":{}}},"
	    "\"collective=allreduce\":{\"composition=MPIDI_Allreduce_intra_composition_alpha\":{}},"
	    "\"collective=gather\":{\"composition=MPIDI_Gather_intra_composition_alpha\":{}}}");
	(void)state;
	assert_ptr_equal(rule_for(r, COLL_BCAST, 8, 9, 1)->alg, &coll_bcast_mpich_beta);
	assert_ptr_equal(rule_for(r, COLL_BCAST, 8, 10, 1)->alg, &coll_bcast_mpich_flat);
	assert_ptr_equal(rule_for(r, COLL_ALLREDUCE, 8, 10, 1)->alg, &coll_allreduce_mpich_smp);
	assert_null(rule_for(r, COLL_GATHER, 8, 10, 1));
	coll_rules_free(r);
}

static void mpich_errors(void **state)
{
	char deep[2000] = "";
	(void)state;
	refused("{", "rules.conf:1:2: ", "the file ends");
	refused("{\n \"collective=bcst\":{}}", "rules.conf:2:", "no collective \"bcst\"");
	refused("{\"collective=bcast\":{\"comm_size<many\":{}}}",
	        "rules.conf:1:", "a number is expected after \"comm_size<\"");
	refused("{\"collective=bcast\":{\"colour=red\":{}}}",
	        "rules.conf:1:", "unknown question \"colour=red\"");
	refused("{\"collective=bcast\":{\n\"algorithm=MPIR_Bcast_intra_pigeon\":{}}}",
	        "rules.conf:2:", "unknown algorithm");
	refused("{\"collective=bcast\":{\n\"algorithm=MPIR_Allreduce_intra_smp\":{}}}",
	        "rules.conf:2:", "no algorithm of bcast");
	refused("{\"collective=bcast\":{\"algorithm=MPIR_Bcast_intra_smp\":{\"speed=9\":{}}}}",
	        "rules.conf:1:", "unknown parameter");
	refused("{\"collective=bcast\":{\"composition=MPIDI_Bcast_intra_composition_omega\":{}}}",
	        "rules.conf:1:", "unknown composition");
	refused("{\"collective=bcast\":{\n\"algorithm=MPIDI_POSIX_mpi_bcast_release_gather\":{}}}",
	        "rules.conf:2:", "memory");
	refused("{\"collective=bcast\":7}", "rules.conf:1:", "'{' is expected");
	refused("{} {}", "rules.conf:1:", "goes on");
	refused("{\"collectives\": {}}", "rules.conf:1:", "Open MPI 6");
	refused("{\"rule_file_version\": 3, \"module\": \"tuned\", \"collectives\": {}}",
	        "rules.conf:1:", "this is a JSON file of Open MPI 6");
	refused("{\"module\": \"tuned\"}", "rules.conf:1:", "Open MPI 6");
	for (int i = 0; i < 60; i++)
		memcpy(deep + strlen(deep), "{\"comm_size=any\":", sizeof "{\"comm_size=any\":");
	refused(deep, "rules.conf:1:", "deep");
}

/* The choice of a call: the rule with its parameters, the library's own where there is none, and
 * what is said of it. */
static void policy_of_a_file(void **state)
{
	struct coll_policy p = {0};
	struct coll_args a = {.kind = COLL_ALLREDUCE,
	                      .size = 16,
	                      .count = 8192,
	                      .type_size = 8,
	                      .commutative = 1,
	                      .basic_type = 1,
	                      .policy = &p};
	struct coll_rules *r = rules_of(ompi);
	struct str said;
	(void)state;
	p.owned = r;
	p.rules = r;
	p.selector = &coll_selector_file;
	str_init(&said);
	assert_ptr_equal(coll_decide(&a).alg, &coll_allreduce_ompi_ring_segmented);
	explain(&a, &said);
	assert_string_equal(said.s, "ompi_ring_segmented in segments of 8192 "
	                            "bytes, by rules.conf:10");
	a.commutative = 0; /* a ring needs a commutative operator */
	assert_ptr_equal(coll_decide(&a).wanted, &coll_allreduce_ompi_ring_segmented);
	a.kind = COLL_BARRIER;
	str_clear(&said);
	explain(&a, &said);
	assert_string_equal(said.s, "ompi_recursivedoubling, chosen by the selector ompi-4");
	assert_fails(coll_policy_select(&p, "file:/nowhere/rules", &err), err, ERR_INPUT,
	             "/nowhere/rules");
	assert_fails(coll_policy_select(&p, "file:", &err), err, ERR_INPUT, "path");
	assert_fails(coll_policy_set(&p, COLL_BCAST, "file", &err), err, ERR_INPUT,
	             "binomial_tree");
	str_release(&said);
	coll_policy_release(&p);
}

/* Numbers and names go both ways. */
static void names(void **state)
{
	const char *par;
	(void)state;
	for (int k = 0; k < COLL_KINDS; k++)
		for (uint32_t i = 1; i <= OMPI_NUMBER_MAX; i++)
			if (coll_ompi_alg((enum coll_kind)k, i))
				assert_ptr_equal(
				    coll_ompi_alg(
				        (enum coll_kind)k,
				        coll_ompi_alg_number((enum coll_kind)k,
				                             coll_ompi_alg((enum coll_kind)k, i))),
				    coll_ompi_alg((enum coll_kind)k, i));
	assert_int_equal(coll_ompi_kind_number(COLL_ALLREDUCE), 2);
	assert_int_equal(coll_ompi_kind_number(COLL_GATHERV), -1);
	assert_string_equal(coll_mpich_name(&coll_bcast_binomial_tree, &par),
	                    "Bcast_intra_binomial");
	assert_null(coll_mpich_name(&coll_bcast_NTSL, &par));
}

static uint32_t depth_of(const struct coll_rules *r, uint32_t i)
{
	uint32_t then, otherwise;
	if (i == RULE_NONE || r->v[i].test == RULE_USE)
		return 0;
	then = depth_of(r, r->v[i].then);
	otherwise = depth_of(r, r->v[i].otherwise);
	return 1 + (then > otherwise ? then : otherwise);
}

/* 4,096 message sizes: each call finds its line, by the question for the collective and twelve. */
static void open_mpi_many(void **state)
{
	enum { ROWS = 4096 };
	struct str text;
	struct coll_rules *r;
	(void)state;
	str_init(&text);
	str_printf(&text, "1\n2\n1\n2 %d\n", ROWS);
	for (int i = 0; i < ROWS; i++)
		str_printf(&text, "%d 3 0 0\n", 10 * i);
	r = rules_of(text.s);
	assert_int_equal(depth_of(r, 0), 1 + 12);
	for (int i = 0; i < 10 * ROWS + 100; i++) {
		const struct rule *use = rule_for(r, COLL_ALLREDUCE, 4, i, 1);
		int row = i / 10 < ROWS ? i / 10 : ROWS - 1;
		assert_int_equal(use->line, 5 + row);
	}
	coll_rules_free(r);
	str_release(&text);
}

/* It never ends: coll read a gibibyte of it for each run. */
static void no_device(void **state)
{
	(void)state;
	assert_null(coll_rules_read("/dev/zero", &err));
	assert_int_equal(err.kind, ERR_INPUT);
	assert_non_null(strstr(err.text, "a pipe or a device"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(no_device),          cmocka_unit_test(open_mpi),
	    cmocka_unit_test(open_mpi_version_2), cmocka_unit_test(open_mpi_errors),
	    cmocka_unit_test(mpich_tree),         cmocka_unit_test(mpich_size_behind_call),
	    cmocka_unit_test(mpich_compositions), cmocka_unit_test(mpich_errors),
	    cmocka_unit_test(policy_of_a_file),   cmocka_unit_test(names),
	    cmocka_unit_test(open_mpi_many),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
