/* fault_sim.c: memory runs out, files cannot be read or written, at any point of a simulation that
 * is put together as verbs and the shared library do it: a trace with profile, recording and
 * explanation, a what-if, a hostfile. The error is worded, the source is closed, nothing leaks. */
#include "fault/fault.h"
#include "test.h"
#include "tmp.h"

#include "sim/sim.h"

#define MACHINE \
	"<platform version='4.1'><cluster id='c' prefix='n' suffix='' radical='0-3' " \
	"speed='1Gf' core='2' bw='100MBps' lat='10us'/></platform>"
#define TRACE \
	"0 init\n1 init\n2 init\n0 compute 1e6\n0 send 1 7 100000 6\n1 recv 0 7 100000 6\n" \
	"0 allreduce 100 5 6\n1 allreduce 100 5 6\n2 allreduce 100 5 6\n" \
	"0 finalize\n1 finalize\n2 finalize\n"

struct fixture {
	struct tmp tmp;
	char machine[256], trace[256], hosts[256], record[256];
	struct sim_options o;
};

static void fixture_init(struct fixture *f)
{
	tmp_init(&f->tmp);
	snprintf(f->machine, sizeof f->machine, "%s", tmp_write(&f->tmp, "p.xml", MACHINE));
	snprintf(f->trace, sizeof f->trace, "%s", tmp_write(&f->tmp, "t.tit", TRACE));
	snprintf(f->hosts, sizeof f->hosts, "%s", tmp_write(&f->tmp, "hosts", "n3\nn0:2\n"));
	snprintf(f->record, sizeof f->record, "%s", tmp_path(&f->tmp, "r.rec"));
	f->o = (struct sim_options){.machine = f->machine};
}

static int closed;

static void simulated_told(const struct sim *s, const struct mp_stats *st)
{
	fault_told(&st->end, sizeof st->end);
	fault_told(sim_notices(s), strlen(sim_notices(s)));
	fault_told(sim_selector_why(s), strlen(sim_selector_why(s)));
}

static int simulate(void *arg, struct err *err)
{
	struct fixture *f = arg;
	struct sim_replay replay = {.path = f->trace};
	struct sim_source source = sim_replay_source(&replay);
	struct sim *s = sim_new(&f->o, &source, err);
	struct mp_stats st;
	int r = s ? sim_run(s, err) : -1;

	if (r == 0) {
		sim_stats(s, &st);
		assert_true(st.end > 0);
		if (sim_lost(s)->kind != ERR_NONE)
			*err = *sim_lost(s), r = -1;
	}
	if (r == 0)
		simulated_told(s, &st);
	sim_free(s);
	closed += replay.trace == NULL && replay.replay == NULL;
	return r;
}

/* At least so many calls of each kind, and the source is closed each time. */
static void sweeps(struct fixture *f, int allocations, int reads, int writes)
{
	int n;

	closed = 0;
	n = fault_sweep(FAULT_ALLOC, simulate, f);
	assert_true(n > allocations);
	n += fault_sweep(FAULT_READ, simulate, f);
	n += fault_sweep(FAULT_OPEN, simulate, f);
	assert_true(n > allocations + reads);
	assert_true(closed > n);
	if (writes)
		assert_true(fault_sweep(FAULT_WRITE, simulate, f) >= writes);
}

static void plain(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	sweeps(&f, 50, 2, 0);
	tmp_release(&f.tmp);
}

static void observed(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	f.o.profile = 1;
	f.o.explain = "message:1";
	f.o.record = f.record;
	sweeps(&f, 80, 2, 2);
	tmp_release(&f.tmp);
}

static void otherwise(void **state)
{
	static const struct sim_setting settings[] = {
	    {NULL, "network/model:LV08"}, {"smpi/os", "0:1e-5:1e-9"}, {"noise/seed", "3"}};
	struct fixture f;

	(void)state;
	fixture_init(&f);
	f.o.hostfile = f.hosts;
	f.o.what_if = "latency=2x,host:n1.speed=0.5x,os=3x";
	f.o.setting = settings;
	f.o.n_settings = 3;
	sweeps(&f, 50, 3, 0);
	f.o.hostfile = NULL;
	f.o.map = SIM_MAP_ROUND;
	f.o.ppn = 1;
	sweeps(&f, 50, 2, 0);
	tmp_release(&f.tmp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(plain), cmocka_unit_test(observed),
	                                   cmocka_unit_test(otherwise)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
