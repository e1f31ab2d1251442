/* prop_rings.c: rings of which some rounds are not simulated (period.c) send as many messages and
 * bytes as if all were, and end when they would, as far as docs/models.md says: by rendezvous
 * within half a percent on average, on one switch within 2 %, on a fat tree 5 %, on a torus, whose
 * rings have hops of 1 to 10 links, 20 %; small and large blocks, overheads; ranks come late. */
#include "property/prop.h"
#include "unit/mp/sim.h"

#include "mp/mp_int.h"

enum { RANKS_MOST = 480, ACTS = 4 };

static const struct {
	const char *xml;
	double bound; /* by which the time by rendezvous may be wrong, of itself */
} machines[] = {
    {"<cluster id='c' prefix='n' suffix='' radical='0-479' speed='1Gf' bw='125MBps' lat='10us' "
     "loopback_bw='1GBps' loopback_lat='1us'/>",
     0.02},
    {"<cluster id='c' prefix='n' suffix='' radical='0-479' speed='1Gf' bw='125MBps' lat='5us' "
     "topology='TORUS' topo_parameters='10,8,6' loopback_bw='1GBps' loopback_lat='1us'/>",
     0.2},
    {"<cluster id='c' prefix='n' suffix='' radical='0-479' speed='1Gf' bw='1GBps' lat='1us' "
     "topology='FAT_TREE' topo_parameters='2;20,24;1,4;1,1' loopback_bw='1GBps' "
     "loopback_lat='1us'/>",
     0.05},
};

static const struct {
	enum coll_kind kind;
	const char *name;
} rings[] = {
    {COLL_ALLGATHER, "NTSLR"},
    {COLL_ALLGATHER, "ompi_neighborexchange"},
    {COLL_ALLGATHER, "nccl_ring"},
    {COLL_ALLGATHERV, "ompi_ring"},
    {COLL_BCAST, "scatter_LR_allgather"},
    {COLL_BCAST, "ompi_scatter_allgather_ring"},
    {COLL_ALLREDUCE, "lr"},
    {COLL_ALLREDUCE, "ompi_ring_segmented"},
    {COLL_ALLREDUCE, "nccl_ring"},
    {COLL_REDUCE_SCATTER, "ompi_ring"},
    {COLL_REDUCE_SCATTER, "nccl_ring"},
};

struct trial {
	size_t machine, ring;
	int eager;
	char settings[400];
	uint32_t ranks, late; /* late: a rank, or RANKS_MOST */
	double late_by;
	int64_t counts[RANKS_MOST];
	struct act acts[RANKS_MOST][ACTS];
};

static void trial_draw(struct trial *t, struct rng *r)
{
	static const char *const protocols[] = {
	    "smpi/async-small-thresh:0 smpi/send-is-detached-thresh:0",
	    "smpi/async-small-thresh:65536 smpi/send-is-detached-thresh:327680"};
	static const char *const costs[] = {"",
	                                    " smpi/os:0:1e-5:1e-10 smpi/ois:0:6e-6:2e-10 "
	                                    "smpi/or:0:2e-5:1e-9",
	                                    " smpi/reduce-rate:1e9 smpi/copy-rate:4e9"};
	int64_t block = (int64_t)1 << prop_from(r, 0, 12);
	enum coll_kind kind;
	uint32_t p, i;

	t->ring = prop_from(r, 0, sizeof rings / sizeof *rings - 1);
	t->machine = prop_from(r, 0, sizeof machines / sizeof *machines - 1);
	t->ranks = p = prop_from(r, 300, RANKS_MOST);
	t->late = prop_once_in(r, 3) ? prop_from(r, 0, p - 1) : RANKS_MOST;
	t->late_by = 2e-3 * rng_unit(r);
	t->eager = prop_once_in(r, 4);
	kind = rings[t->ring].kind;
	snprintf(t->settings, sizeof t->settings, "smpi/%s:%s %s%s", coll_kind_name(kind),
	         rings[t->ring].name, protocols[t->eager], costs[prop_from(r, 0, 2)]);
	for (i = 0; i < p; i++)
		t->counts[i] = block;
	memset(t->acts, 0, sizeof t->acts);
	for (i = 0; i < p; i++) {
		int whole = kind == COLL_BCAST || kind == COLL_ALLREDUCE;
		int64_t count = whole ? block * p : block;
		struct act *act = t->acts[i];

		if (i == t->late)
			*act++ = (struct act)SLEEP(t->late_by);
		*act++ = (struct act){
		    .k = ACT_COLL,
		    .coll = {.kind = kind,
		             .count = count,
		             .count2 = count,
		             .type_size = 8,
		             .type_size2 = 8,
		             .counts2 = kind == COLL_ALLGATHERV || kind == COLL_REDUCE_SCATTER
		                            ? t->counts
		                            : NULL,
		             .commutative = 1,
		             .basic_type = 1}};
		*act = (struct act){.k = ACT_COLL, .coll = {.kind = COLL_BARRIER}};
	}
}

struct ran {
	double ring, end; /* s: of the last to leave it, of the barrier after it */
	uint64_t messages;
	double bytes;
	int told;
};

static struct ran run(const struct trial *t, const char *messages)
{
	const struct act *programs[RANKS_MOST];
	struct ran ran = {0};
	char xml[600], settings[500];
	struct str report;
	struct sim s;

	for (uint32_t i = 0; i < t->ranks; i++)
		programs[i] = t->acts[i];
	snprintf(xml, sizeof xml, "<platform version='4.1'>%s</platform>",
	         machines[t->machine].xml);
	snprintf(settings, sizeof settings, "%s smpi/ring-messages:%s", t->settings, messages);
	sim_init(&s, xml, settings, programs, t->ranks);
	sim_run(&s);
	if (s.result < 0)
		fail_msg("%s: %s", t->settings, s.err.text);
	for (uint32_t i = 0; i < t->ranks; i++) {
		uint32_t last = s.rank[i].at - 1;

		ran.ring = fmax(ran.ring, sim_date(&s, i, last - 1));
		ran.end = fmax(ran.end, sim_date(&s, i, last));
	}
	ran.messages = s.mp->stats.messages;
	ran.bytes = s.mp->stats.bytes;
	str_init(&report);
	mp_report(s.mp, &report);
	ran.told = report.s && strstr(report.s, "smpi/ring-messages") != NULL;
	str_release(&report);
	sim_release(&s);
	return ran;
}

static void rounds_that_are_left_out_take_as_long_as_those_before(void **state)
{
	struct prop_run cases = prop_begin(40);
	double worst = 0, sum = 0, all_wrong = 0;
	uint64_t shortened = 0, eager = 0;

	(void)state;
	for (uint64_t i = 0; i < cases.cases; i++) {
		static struct trial t;
		struct ran all, some;
		struct rng r;
		double wrong;

		rng_init(&r, cases.seed + i, "prop_rings", 0);
		trial_draw(&t, &r);
		all = run(&t, "0");
		some = run(&t, "40000");
		assert_false(all.told);
		if (!some.told) {
			assert_true(some.ring == all.ring && some.end == all.end);
			continue;
		}
		shortened++;
		wrong = fabs(some.ring / all.ring - 1);
		if (some.messages != all.messages ||
		    fabs(some.bytes - all.bytes) > 1e-9 * all.bytes)
			fail_msg("seed %llu: %s, %u ranks: %llu messages, %g bytes, not %llu, %g",
			         (unsigned long long)(cases.seed + i), t.settings, t.ranks,
			         (unsigned long long)some.messages, some.bytes,
			         (unsigned long long)all.messages, all.bytes);
		if (t.eager) {
			all_wrong += wrong;
			eager++;
			continue;
		}
		worst = fmax(worst, wrong);
		sum += wrong;
		if (wrong > machines[t.machine].bound)
			fail_msg("seed %llu: %s on %.90s, %u ranks: %.9g s, all rounds %.9g",
			         (unsigned long long)(cases.seed + i), t.settings,
			         machines[t.machine].xml, t.ranks, some.ring, all.ring);
	}
	print_message("%llu rings were shortened; wrong by rendezvous by %.2g at most, %.2g on "
	              "average, eager %.2g\n",
	              (unsigned long long)shortened, worst, sum / (double)(shortened - eager),
	              all_wrong / (double)eager);
	assert_true(cases.cases < 20 || shortened > cases.cases / 2);
	assert_true(cases.cases < 20 || sum / (double)(shortened - eager) < 0.005);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rounds_that_are_left_out_take_as_long_as_those_before)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
