/* test_study.c: lists of sizes; a sweep beside replays of the same calls; tuning files, read back
 * by the reader of real files. */
#include "coll/rules/rules.h"
#include "mp/contest/coll_measure.h"
#include "sim.h"
#include "study/study.h"
#include "test.h"

#include <math.h>

static const char cluster[] = "<platform version=\"4.1\"><zone id=\"w\" routing=\"Full\"><cluster "
                              "id=\"c\" prefix=\"h\" suffix=\"\" radical=\"0-15\" "
                              "speed=\"1Gf\" bw=\"125MBps\" lat=\"10us\"/></zone></platform>";
static struct err err;

static void lists(void **state)
{
	static const struct {
		const char *text;
		uint32_t n;
		int64_t v[6];
	} good[] = {{"8", 1, {8}},
	            {"8..64", 4, {8, 16, 32, 64}},
	            {"3..100*4", 3, {3, 12, 48}},
	            {"6,2,6", 2, {2, 6}},
	            {"1Ki,2M,0", 3, {0, 1024, 2000000}},
	            {"1K..4K", 3, {1024, 2048, 4096}},
	            {"61..1000*4000000000G", 1, {61}}}; /* the product is beyond 64 bits */
	static const char *const bad[] = {"",        "8..",  "9..8", "x",   "8,,9",
	                                  "8..64*1", "0..8", "-3",   "8 9", "99999999999999999999"};
	struct sizes s;
	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		assert_ok(sizes_parse(&s, good[i].text, "--np", 1 << 30, &err), err);
		assert_int_equal(s.n, good[i].n);
		for (uint32_t k = 0; k < s.n; k++)
			assert_int_equal(s.v[k], good[i].v[k]);
		sizes_release(&s);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_fails(sizes_parse(&s, bad[i], "--np", 1 << 30, &err), err, ERR_INPUT,
		             "--np");
	assert_fails(sizes_parse(&s, "8..64", "--np", 32, &err), err, ERR_INPUT, "up to 32");
}

struct machine {
	struct tmp tmp;
	struct config cfg;
	struct platform *platform;
	struct sizes ranks, bytes;
};

static void machine_init(struct machine *m, const char *ranks, const char *bytes)
{
	tmp_init(&m->tmp);
	assert_ok(config_init(&m->cfg, &err), err);
	m->platform = platform_read(tmp_write(&m->tmp, "platform.xml", cluster), &m->cfg, &err);
	assert_non_null(m->platform);
	assert_ok(sizes_parse(&m->ranks, ranks, "--np", 1 << 20, &err), err);
	assert_ok(sizes_parse(&m->bytes, bytes, "--bytes", 1 << 30, &err), err);
}

static void machine_release(struct machine *m)
{
	platform_free(m->platform);
	config_release(&m->cfg);
	sizes_release(&m->ranks);
	sizes_release(&m->bytes);
	tmp_release(&m->tmp);
}

/* The same call, replayed. */
static double replayed(const char *alg, uint32_t ranks, int64_t bytes)
{
	char trace[4096], settings[128];
	size_t n = 0;
	for (uint32_t i = 0; i < ranks; i++)
		n += (size_t)snprintf(trace + n, sizeof trace - n,
		                      "%u init\n%u allreduce %lld 0 0\n%u finalize\n", i, i,
		                      (long long)bytes / 8, i);
	snprintf(settings, sizeof settings, "smpi/allreduce:%s,smpi/coll-selector:ompi", alg);
	return sim_time(cluster, trace, ranks, settings);
}

/* What was given up early (or not begun) changes no fastest one, and nothing of what selectors
 * choose. */
static void same_table(const struct sweep *full, const struct sweep *pruned)
{
	uint32_t given_up = 0;
	for (uint32_t i = 0; i < full->ranks.n * full->bytes.n; i++) {
		const struct sweep_cell *a = &full->cells[i], *b = &pruned->cells[i];
		assert_int_equal(a->fastest, b->fastest);
		for (uint32_t k = 0; k < full->n_algs; k++) {
			assert_true(isinf(b->seconds[k])
			                ? a->seconds[k] > a->seconds[a->fastest]
			                : a->seconds[k] == b->seconds[k] || isnan(a->seconds[k]));
			given_up += isinf(b->seconds[k]);
		}
		for (uint32_t k = 0; k < full->n_selectors; k++)
			assert_true(a->choices[k].seconds == b->choices[k].seconds);
	}
	assert_true(given_up > 0);
}

/* Of 16 hosts; with 2 ranks each; where they are shared anyway; of three. */
static void usual_ranks(void **state)
{
	static const struct {
		struct study_where where;
		uint32_t n;
		int64_t last;
	} cases[] = {{{NULL, 0, 0}, 3, 16},
	             {{NULL, 2, 0}, 4, 32},
	             {{NULL, 8, 0}, 5, 64},
	             {{NULL, 0, 1}, 5, 64},
	             {{"hosts", 0, 0}, 5, 64}};
	struct machine m;
	struct sizes s;

	(void)state;
	machine_init(&m, "2", "8");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_ok(study_ranks_usual(m.platform, &cases[i].where, &s, &err), err);
		assert_int_equal(s.n, cases[i].n);
		assert_int_equal(s.v[0], 4);
		assert_int_equal(s.v[s.n - 1], cases[i].last);
		sizes_release(&s);
	}
	machine_release(&m);
}

/* Four ranks of each host are where a hostfile would put them, and not one on each: the times of
 * some algorithm differ. */
static void ranks_of_a_host(void **state)
{
	struct machine m;
	struct sweep filled, listed, spread;

	(void)state;
	machine_init(&m, "8", "64");
	struct sweep_plan plan = {.platform = m.platform,
	                          .cfg = &m.cfg,
	                          .where = {.ppn = 4},
	                          .kind = COLL_ALLREDUCE,
	                          .ranks = &m.ranks,
	                          .bytes = &m.bytes,
	                          .give_up = HUGE_VAL,
	                          .threads = 1};
	int differ = 0;

	assert_ok(sweep_run(&filled, &plan, NULL, &err), err);
	plan.where = (struct study_where){.hostfile = tmp_write(&m.tmp, "hosts", "h0:4\nh1:4\n")};
	assert_ok(sweep_run(&listed, &plan, NULL, &err), err);
	plan.where = (struct study_where){0};
	assert_ok(sweep_run(&spread, &plan, NULL, &err), err);
	for (uint32_t i = 0; i < filled.n_algs; i++) {
		double t = filled.cells[0].seconds[i];

		assert_true(t == listed.cells[0].seconds[i] || isnan(t));
		differ += t != spread.cells[0].seconds[i] && !isnan(t);
	}
	assert_true(differ > 0);
	sweep_release(&filled);
	sweep_release(&listed);
	sweep_release(&spread);
	machine_release(&m);
}

static void sweep_is_replays(void **state)
{
	struct machine m;
	struct sweep one, two, pruned;
	(void)state;
	machine_init(&m, "3,8", "64,100000");
	struct sweep_plan plan = {.platform = m.platform,
	                          .cfg = &m.cfg,
	                          .kind = COLL_ALLREDUCE,
	                          .ranks = &m.ranks,
	                          .bytes = &m.bytes,
	                          .selectors = 1,
	                          .give_up = HUGE_VAL,
	                          .threads = 1};
	assert_ok(sweep_run(&one, &plan, NULL, &err), err);
	plan.threads = 5;
	assert_ok(sweep_run(&two, &plan, NULL, &err), err);
	plan.give_up = 1;
	assert_ok(sweep_run(&pruned, &plan, NULL, &err), err);
	same_table(&one, &pruned);
	for (uint32_t p = 0; p < 2; p++)
		for (uint32_t b = 0; b < 2; b++) {
			const struct sweep_cell *c = sweep_at(&one, p, b);
			double least = HUGE_VAL;
			for (uint32_t i = 0; i < one.n_algs; i++) {
				double t = c->seconds[i], again = sweep_at(&two, p, b)->seconds[i];
				assert_true(t == again || (isnan(t) && isnan(again)));
				if (!isfinite(t))
					continue;
				assert_close(t,
				             replayed(one.algs[i]->name, (uint32_t)m.ranks.v[p],
				                      m.bytes.v[b]),
				             1e-12);
				least = t < least ? t : least;
			}
			assert_true(c->seconds[c->fastest] == least);
			for (uint32_t i = 0; i < c->fastest; i++) /* of equal ones the first */
				assert_true(c->seconds[i] != least);
			for (uint32_t i = 0; i < one.n_selectors; i++)
				assert_true(c->choices[i].seconds >= least);
		}
	sweep_release(&one);
	sweep_release(&two);
	sweep_release(&pruned);
	machine_release(&m);
}

/* For each measured size, the file gives the algorithm that no other of the library's beats. */
static void tuned_file_is_read_back(enum tune_format format, enum coll_kind kind)
{
	struct machine m;
	struct str text;
	struct tune_extent extent;
	machine_init(&m, "4,9", "8,1000,100000");
	struct tune_plan plan = {.platform = m.platform,
	                         .cfg = &m.cfg,
	                         .ranks = &m.ranks,
	                         .bytes = &m.bytes,
	                         .kinds = &kind,
	                         .n_kinds = 1,
	                         .format = format,
	                         .threads = 2};
	str_init(&text);
	assert_true(tune_format_has(format, kind));
	assert_ok(tune_run(&plan, NULL, &text, &extent, &err), err);
	struct coll_rules *rules = coll_rules_parse("tuned", text.s, text.n, &err);
	if (!rules)
		fail_msg("%s", err.text);
	for (uint32_t p = 0; p < 2; p++)
		for (uint32_t b = 0; b < 3; b++) {
			struct host_id hosts[16] = {{0}};
			int64_t counts[16];
			struct coll_bench bench = {
			    m.platform, &m.cfg, hosts, (uint32_t)m.ranks.v[p], NULL, NULL, NULL};
			struct coll_args a;
			struct placement pl;
			coll_measure_args(kind, &bench, m.bytes.v[b], counts, &a);
			const struct rule *use = coll_rules_find(rules, &a);
			assert_non_null(use);
			assert_ok(
			    placement_make(m.platform, NULL, bench.p, 0, 0, &pl, &m.cfg, &err),
			    err);
			bench.host = pl.host;
			struct coll_policy parts = {.selector = coll_selector_find(
			                                format == TUNE_OMPI ? "ompi-4" : "mpich")};
			bench.policy = &parts;
			double best, t;
			struct coll_choice chosen = {
			    .alg = use->alg, .segment = use->segment, .fanout = use->fanout};
			assert_ok(coll_measure(&bench, &a, &chosen, HUGE_VAL, &best, &err), err);
			for (uint32_t i = 1; format == TUNE_OMPI && i <= OMPI_NUMBER_MAX - 3; i++) {
				struct coll_choice other = {.alg = coll_ompi_alg(kind, i),
				                            .segment = COLL_WHOLE,
				                            .fanout = 4};
				if (!other.alg || coll_alg_refuses(other.alg, &a))
					continue;
				assert_ok(coll_measure(&bench, &a, &other, HUGE_VAL, &t, &err),
				          err);
				if (t < best * (1 - 1e-12) && other.alg != use->alg)
					fail_msg("%s is faster than %s", other.alg->name,
					         use->alg->name);
			}
			placement_release(&pl);
		}
	coll_rules_free(rules);
	str_release(&text);
	machine_release(&m);
}

static void tuned_files(void **state)
{
	(void)state;
	tuned_file_is_read_back(TUNE_OMPI, COLL_BCAST);
	tuned_file_is_read_back(TUNE_OMPI, COLL_ALLREDUCE);
	tuned_file_is_read_back(TUNE_OMPI, COLL_ALLGATHER);
	tuned_file_is_read_back(TUNE_MPICH, COLL_BCAST);
	tuned_file_is_read_back(TUNE_MPICH, COLL_ALLTOALL);
	tuned_file_is_read_back(TUNE_MPICH_4_3, COLL_ALLREDUCE);
	tuned_file_is_read_back(TUNE_MPICH_4_3, COLL_REDUCE_SCATTER_BLOCK);
	assert_false(tune_format_has(TUNE_OMPI, COLL_GATHERV));
	assert_int_equal(tune_format_find("mpich-4.3"), TUNE_MPICH_4_3);
	assert_int_equal(tune_format_find("papyrus"), TUNE_FORMATS);
}

/* MPICH's algorithms of two levels run on communicators that span hosts with several ranks; they
 * ask the file again for those of one host and between hosts, and assert that it does not give
 * them themselves there (MPICH 4.2.1, barrier_intra_smp.c). */
static void two_levels_for_spanning_communicators(void **state)
{
	static const enum coll_kind kinds[] = {COLL_BARRIER, COLL_BCAST, COLL_ALLREDUCE,
	                                       COLL_REDUCE};
	static const char parent[] = "\"comm_hierarchy=parent\":{\"algorithm=MPIR_";
	struct tune_plan plan = {.kinds = kinds,
	                         .n_kinds = sizeof kinds / sizeof *kinds,
	                         .where = {.ppn = 4},
	                         .format = TUNE_MPICH_4_3,
	                         .threads = 2};
	struct tune_extent extent;
	struct machine m;
	struct str text;
	int found = 0;

	(void)state;
	machine_init(&m, "16", "2000,8000,30000");
	platform_free(m.platform); /* four ranks share a slow link */
	m.platform = platform_read(
	    tmp_write(&m.tmp, "shared.xml",
	              "<?xml version='1.0'?><platform version='4.1'>"
	              "<cluster id='c' prefix='n' suffix='' radical='0-7' speed='1Gf' core='4' "
	              "bw='125MBps' lat='10us' loopback_bw='10GBps' loopback_lat='100ns'/>"
	              "</platform>"),
	    &m.cfg, &err);
	assert_non_null(m.platform);
	plan.platform = m.platform;
	plan.cfg = &m.cfg;
	plan.ranks = &m.ranks;
	plan.bytes = &m.bytes;
	str_init(&text);
	assert_ok(tune_run(&plan, NULL, &text, &extent, &err), err);
	for (const char *at = text.s; (at = strstr(at, "_intra_smp\"")); at++) {
		const char *name = at;

		while (name > text.s && strncmp(name, "MPIR_", 5) != 0)
			name--;
		if (strncmp(name, "MPIR_Scan", 9) == 0)
			continue; /* not tuned: as MPICH has it */
		assert_true(name - text.s >= (ptrdiff_t)sizeof parent);
		assert_memory_equal(name + 5 - (sizeof parent - 1), parent, sizeof parent - 1);
		assert_non_null(strstr(at, "\"comm_hierarchy=any\":{\"algorithm=MPIR_"));
		found++;
	}
	assert_true(found > 0);
	str_release(&text);
	machine_release(&m);
}

/* Where the user has said nothing of the order of messages: of any machine whose messages are
 * flows. */
static void pipelines_are_told(void **state)
{
	static const struct {
		const char *setting, *value;
		int told;
	} cases[] = {{NULL, NULL, 1},
	             {"smpi/connections", "ordered", 0},
	             {"smpi/connections", "none", 0},
	             {"compat", "simgrid-3.32", 0},
	             {"network/model", "loggps", 0}};
	static const enum coll_kind kind = COLL_BARRIER;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct tune_extent extent;
		struct machine m;
		struct str text;

		machine_init(&m, "2", "8");
		if (cases[i].setting)
			assert_ok(config_set(&m.cfg, cases[i].setting, cases[i].value,
			                     CFG_FROM_USER, &err),
			          err);
		struct tune_plan plan = {.format = TUNE_OMPI,
		                         .kinds = &kind,
		                         .n_kinds = 1,
		                         .threads = 1,
		                         .platform = m.platform,
		                         .cfg = &m.cfg,
		                         .ranks = &m.ranks,
		                         .bytes = &m.bytes};

		str_init(&text);
		assert_ok(tune_run(&plan, NULL, &text, &extent, &err), err);
		assert_int_equal(m.cfg.notices.s && strstr(m.cfg.notices.s, "pipelines slow"),
		                 cases[i].told);
		str_release(&text);
		machine_release(&m);
	}
}

/* All pairs of 2048 ranks are 4.19 million messages, more than are simulated: that the file has
 * Bruck's algorithm, of 11 messages a rank, as the only one that was, is told. Of 4 ranks nothing
 * is. */
static void what_is_too_large_is_told(void **state)
{
	static const enum coll_kind kind = COLL_ALLTOALL;
	struct machine m;
	struct str text;
	struct tune_extent extent;

	(void)state;
	for (int large = 0; large <= 1; large++) {
		struct tune_plan plan = {.format = TUNE_OMPI,
		                         .kinds = &kind,
		                         .n_kinds = 1,
		                         .where = {.oversubscribe = 1},
		                         .threads = 1};

		machine_init(&m, large ? "2048" : "4", "8");
		plan.platform = m.platform;
		plan.cfg = &m.cfg;
		plan.ranks = &m.ranks;
		plan.bytes = &m.bytes;
		str_init(&text);
		assert_ok(tune_run(&plan, NULL, &text, &extent, &err), err);
		assert_int_equal(
		    m.cfg.notices.s && strstr(m.cfg.notices.s, "not simulated") != NULL, large);
		if (large)
			assert_non_null(
			    strstr(m.cfg.notices.s, "alltoall on 2048 ranks: 3 of 4 ways"));
		str_release(&text);
		machine_release(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(lists),
	                                   cmocka_unit_test(usual_ranks),
	                                   cmocka_unit_test(ranks_of_a_host),
	                                   cmocka_unit_test(sweep_is_replays),
	                                   cmocka_unit_test(tuned_files),
	                                   cmocka_unit_test(two_levels_for_spanning_communicators),
	                                   cmocka_unit_test(pipelines_are_told),
	                                   cmocka_unit_test(what_is_too_large_is_told)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
