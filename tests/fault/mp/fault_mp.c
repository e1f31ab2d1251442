/* fault_mp.c: memory runs out at any point of a simulation: the error is worded, and nothing
 * leaks. */
#include "fault/fault.h"
#include "test.h"
#include "tmp.h"

#include "mp/mp.h"

enum { RANKS = 5 };

struct fixture {
	struct config cfg;
	struct platform *platform;
	struct host_id host[RANKS];
	uint32_t at[RANKS];
	struct mp_request req[RANKS][2];
	struct mp_comm comm[RANKS];
};

/* Each rank: a communicator, an any-source receive and a send around the ring, a collective of each
 * sort. */
static int act(struct fixture *f, struct mp *mp, uint32_t rank, struct err *err)
{
	static const uint32_t members[RANKS] = {4, 1, 0, 2, 3};
	struct mp_message right = {
	    .comm = f->comm[rank], .peer = (int32_t)((rank + 1) % RANKS), .tag = 1, .bytes = 100};
	struct mp_message any = {.comm = f->comm[rank], .peer = MP_ANY, .tag = 1, .bytes = 100};
	struct coll_args sum = {
	    .kind = COLL_ALLREDUCE, .count = 10, .type_size = 8, .commutative = 1, .basic_type = 1};
	int64_t counts[RANKS] = {1, 2, 3, 4, 5};
	struct coll_args all = {.kind = COLL_ALLGATHERV,
	                        .count = counts[rank],
	                        .type_size = 8,
	                        .type_size2 = 8,
	                        .counts2 = counts};

	switch (f->at[rank]++) {
	case 0:
		return mp_comm_make(mp, rank, 7, members, RANKS, &f->comm[rank], err);
	case 1:
		return mp_isend(mp, rank, &right, MP_STANDARD, &f->req[rank][0], err);
	case 2:
		return mp_irecv(mp, rank, &any, &f->req[rank][1], err);
	case 3:
		return mp_wait(mp, rank, MP_WAITALL, f->req[rank], 2, err);
	case 4:
		return mp_collective(mp, rank, f->comm[rank], &sum, 1000, err);
	case 5:
		return mp_icollective(mp, rank, MP_COMM_WORLD, &all, 0, &f->req[rank][0], err);
	case 6:
		return mp_wait(mp, rank, MP_WAIT, f->req[rank], 1, err);
	case 7:
		return mp_comm_free(mp, rank, f->comm[rank], err);
	default:
		return -2;
	}
}

static int resume(void *self, struct mp *mp, uint32_t rank, struct err *err)
{
	int status;

	do
		status = act(self, mp, rank, err);
	while (status == MP_DONE);
	return status == MP_BLOCKED ? 0 : status == -2 ? 1 : -1;
}

static void ignore_comm(void *self, struct mp_comm comm, const uint32_t *members, uint32_t n)
{
	(void)self, (void)comm, (void)members, (void)n;
}

static int simulate(void *arg, struct err *err)
{
	struct fixture *f = arg;
	struct mp_program program = {.self = f, .resume = resume};
	struct mp_observer observer = {.comm = ignore_comm};
	struct net *net = net_new(f->platform, &f->cfg, err);
	struct mp *mp = net ? mp_new(net, &f->cfg, f->host, RANKS, err) : NULL;
	int r = mp ? 0 : -1;

	memset(f->at, 0, sizeof f->at);
	if (r == 0)
		r = mp_observe(mp, &observer, err);
	if (r == 0)
		r = mp_run(mp, &program, NULL, err);
	if (r == 0) {
		double end = mp_now(mp);

		fault_told(&end, sizeof end);
	}
	mp_free(mp);
	net_free(net);
	return r;
}

static const char *const models[] = {"psins-simple", "psins-bus",  "psins-in",
                                     "psins-out",    "psins-pmac", "dimemas"};

static void memory_runs_out(void **state)
{
	struct fixture f = {0};
	struct err err;
	struct tmp tmp;

	(void)state;
	assert_ok(config_init(&f.cfg, &err), err);
	assert_ok(config_set_all(&f.cfg,
	                         "psins/curves:allreduce:8:1000 psins/collectives:bcast:lin",
	                         CFG_FROM_USER, &err),
	          err);
	assert_ok(config_set(&f.cfg, "smpi/bcast", "binomial_tree", CFG_FROM_USER, &err),
	          err); /* so that shapes are made */
	tmp_init(&tmp);
	f.platform = platform_read(
	    tmp_write(&tmp, "p.xml",
	              "<platform version='4.1'>"
	              "<cluster id='c' prefix='n' suffix='' radical='0-4' speed='1Gf' bw='1GBps' "
	              "lat='1us'/></platform>"),
	    &f.cfg, &err);
	tmp_release(&tmp);
	assert_non_null(f.platform);
	for (uint32_t i = 0; i < RANKS; i++)
		f.host[i].v = i;
	assert_true(fault_sweep(FAULT_ALLOC, simulate, &f) > 20);
	/* models with queues, collectives as a whole */
	for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
		assert_ok(config_set(&f.cfg, "network/model", models[i], CFG_FROM_USER, &err), err);
		assert_true(fault_sweep(FAULT_ALLOC, simulate, &f) > 20);
	}
	assert_ok(config_set_all(&f.cfg, "network/model:CM02 smpi/collectives:analytic",
	                         CFG_FROM_USER, &err),
	          err);
	assert_true(fault_sweep(FAULT_ALLOC, simulate, &f) > 20);
	platform_free(f.platform);
	config_release(&f.cfg);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(memory_runs_out)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
