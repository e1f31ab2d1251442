/* fault_schedule.c: memory runs out at any point of a schedule's simulation: what comes of
 * it is the same, or an error, and nothing leaks. */
#include "fault/fault.h"
#include "test.h"
#include "tmp.h"

#include "schedule/schedule.h"

/* 40 ranks send to all others, the messages of each of another size, and compute after each receive
 * on another processor. */
static void text_make(struct str *s)
{
	enum { RANKS = 24 };

	str_printf(s, "num_ranks %d\n", RANKS);
	for (int i = 0; i < RANKS; i++) {
		str_printf(s, "rank %d {\n", i);
		for (int k = 0; k < RANKS; k++) {
			str_printf(s, "s%d: send %db to %d\n", k, 1 + 10 * i, k);
			str_printf(s, "r%d: recv %db from %d\n", k, 1 + 10 * k, k);
			str_printf(s, "c%d: calc %d cpu 1\nc%d requires r%d\n", k, 5 * k, k, k);
		}
		str_puts(s, "}\n");
	}
}

static const char *on_machine; /* its file, or NULL: in LogGOPS */

static int on_machine_run(struct trace_schedule *s, const double *unit,
                          struct schedule_trail *trail, struct schedule_result *out,
                          struct err *err)
{
	struct factor_row row = {.value = {1e-6, 1e-9}};
	const struct factor_table table = {.rows = &row, .n = 1};
	struct schedule_machine m = {.eager = 100,
	                             .detached = 200,
	                             .ois = &table,
	                             .or_ = &table,
	                             .ois_local = &table,
	                             .or_local = &table};
	struct host_id host[24];
	struct platform *p = NULL;
	struct config cfg;
	int r = -1;

	for (uint32_t i = 0; i < 24; i++)
		host[i].v = i % 4;
	m.host = host;
	if (config_init(&cfg, err) == 0 && (p = platform_read(on_machine, &cfg, err)) &&
	    (m.net = net_new(p, &cfg, err)))
		r = schedule_run_on(s, &m, unit, trail, out, err);
	net_free(m.net);
	platform_free(p);
	config_release(&cfg);
	return r;
}

static int simulate(void *arg, struct err *err)
{
	static const struct schedule_model model = {
	    .L = 2e-6, .o = 1e-6, .g = 4e-6, .G = 10e-9, .O = 1e-9, .S = 300};
	double unit[24];
	struct trace_schedule s;
	struct schedule_trail trail;
	struct schedule_result out;
	int r = trace_schedule_read(arg, &s, err);

	if (r <= 0) /* 0: whoever makes a sequence of it is to tell */
		return r < 0 ? -1 : err_set(err, ERR_LIMIT, "it is left to others");
	for (int i = 0; i < 24; i++)
		unit[i] = 1e-9;
	r = schedule_trail_init(&trail, &s, err);
	if (r == 0)
		r = on_machine ? on_machine_run(&s, unit, &trail, &out, err)
		               : schedule_run(&s, &model, unit, &trail, &out, err);
	schedule_trail_release(&trail);
	trace_schedule_release(&s);
	if (r < 0)
		return -1;
	assert_int_equal(r, 1);
	fault_told(&out, sizeof out);
	return 0;
}

static void sweeps(void **state)
{
	struct tmp tmp;
	struct str s;
	char path[256];

	(void)state;
	tmp_init(&tmp);
	str_init(&s);
	text_make(&s);
	snprintf(path, sizeof path, "%s", tmp_write(&tmp, "s.goal", s.s));
	assert_true(fault_sweep(FAULT_ALLOC, simulate, path) > 20);
	on_machine = tmp_write(&tmp, "p.xml",
	                       "<platform version='4.1'><cluster id='c' prefix='n' suffix='' "
	                       "radical='0-3' speed='1Gf' bw='100MBps' lat='10us'/></platform>");
	assert_true(fault_sweep(FAULT_ALLOC, simulate, path) > 20);
	str_release(&s);
	tmp_release(&tmp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(sweeps)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
