/* test_computation.c: what computations of a running program take: where --computation says it, or
 * calibrated rates do, worked by hand; else what is measured. A machine of one host of 2 Gf and one
 * of 4 Gf. */
#include "run/computation.h"

#include "tmp.h"

#define MACHINE \
	"<platform version='4.1'><zone id='w' routing='Full'><host id='slow' speed='2Gf'/>" \
	"<host id='fast' speed='4Gf'/><link id='l' bandwidth='1GBps' latency='1us'/>" \
	"<route src='slow' dst='fast'><link_ctn id='l'/></route></zone></platform>"
#define AMOUNTS "# orrery-computation 1\nregion in%20one 0.5\nregion other 8e9 volume\n"

struct world {
	struct tmp tmp;
	struct config cfg;
	struct platform *platform;
	struct net *net;
	struct mp *mp;
	struct computation c;
	struct live_regions regions;
	struct str notices;
	struct err err;
};

static int world_make(void **state)
{
	static struct world w;
	static const struct host_id hosts[2] = {{0}, {1}};

	memset(&w, 0, sizeof w);
	tmp_init(&w.tmp);
	assert_ok(config_init(&w.cfg, &w.err), w.err);
	w.platform = platform_read(tmp_write(&w.tmp, "p.xml", MACHINE), &w.cfg, &w.err);
	assert_non_null(w.platform);
	w.net = net_new(w.platform, &w.cfg, &w.err);
	assert_non_null(w.net);
	w.mp = mp_new(w.net, &w.cfg, hosts, 2, &w.err);
	assert_non_null(w.mp);
	str_init(&w.notices);
	*state = &w;
	return 0;
}

static int world_end(void **state)
{
	struct world *w = *state;

	computation_release(&w->c);
	mp_free(w->mp);
	net_free(w->net);
	platform_free(w->platform);
	config_release(&w->cfg);
	str_release(&w->notices);
	tmp_release(&w->tmp);
	return 0;
}

static void begin(struct world *w, const char *computation)
{
	assert_ok(computation_take(&w->c, computation, &w->err), w->err);
	assert_ok(computation_start(&w->c, w->mp, &w->cfg, &w->regions, &w->notices, &w->err),
	          w->err);
}

static double takes(struct world *w, uint32_t rank, const char *region, double volume)
{
	return w->regions.seconds(w->regions.self, rank, w->regions.find(w->regions.self, region),
	                          volume);
}

static void what_is_measured_is_asked_of_nobody(void **state)
{
	static const struct {
		const char *word;
		enum live_computation kind;
	} words[] = {{NULL, LIVE_MEASURED}, {"measured", LIVE_MEASURED}, {"none", LIVE_NONE}};
	struct world *w = *state;

	for (size_t i = 0; i < 3; i++) {
		begin(w, words[i].word);
		assert_int_equal(w->c.kind, words[i].kind);
		assert_null(w->regions.find);
	}
	computation_notices(&w->c, &w->notices);
	assert_int_equal(w->notices.n, 0);
}

/* Seconds are the same on all hosts, a volume takes volume / speed. */
static void a_file_says_what_regions_take(void **state)
{
	struct world *w = *state;

	begin(w, tmp_write(&w->tmp, "amounts", AMOUNTS));
	assert_int_equal(w->c.kind, LIVE_NONE);
	assert_double_is(takes(w, 0, "in one", 1e9), 0.5);
	assert_double_is(takes(w, 1, "in one", 7), 0.5);
	assert_double_is(takes(w, 0, "other", 7), 4);
	assert_double_is(takes(w, 1, "other", 7), 2);
	assert_true(takes(w, 0, "unknown", 1e9) < 0);
}

/* The first of the file, whatever order they are kept in. */
static void regions_that_never_come_are_told(void **state)
{
	struct world *w = *state;

	begin(w, tmp_write(&w->tmp, "amounts", AMOUNTS "region b>a 1\nregion a>b 1\n"));
	takes(w, 0, "in one", 1);
	takes(w, 0, "other", 1);
	computation_notices(&w->c, &w->notices);
	assert_string_equal(w->notices.s,
	                    "regions of --computation that were never computed: 2 of 4, the first "
	                    "b>a (--profile lists those that were)\n");
	str_clear(&w->notices);
	takes(w, 0, "b>a", 1);
	takes(w, 1, "a>b", 1);
	computation_notices(&w->c, &w->notices);
	assert_int_equal(w->notices.n, 0);
}

static void the_rest_takes_what_the_file_says(void **state)
{
	struct world *w = *state;

	begin(w, tmp_write(&w->tmp, "amounts", AMOUNTS "rest 0.125\n"));
	assert_int_equal(w->c.kind, LIVE_NONE);
	assert_double_is(takes(w, 0, "unknown", 1e9), 0.125);
	assert_double_is(takes(w, 1, "other", 1), 2);
}

static void the_rest_may_be_measured(void **state)
{
	struct world *w = *state;

	begin(w, tmp_write(&w->tmp, "amounts", AMOUNTS "rest measured\n"));
	assert_int_equal(w->c.kind, LIVE_MEASURED);
	assert_true(takes(w, 0, "unknown", 1e9) < 0);
	assert_double_is(takes(w, 0, "in one", 1), 0.5);
}

static void a_file_that_is_none_is_refused(void **state)
{
	struct world *w = *state;
	struct err err;

	assert_fails(computation_take(&w->c, tmp_write(&w->tmp, "amounts", "rest none\n"), &err),
	             err, ERR_INPUT, "not a file of amounts");
	assert_fails(computation_take(&w->c, tmp_path(&w->tmp, "nowhere"), &err), err, ERR_INPUT,
	             "nowhere");
}

/* Rates as `calibrate cpu` writes them. */
static const char *rates_file(struct world *w, const char *counter)
{
	struct rates r = {0};
	struct str text = {0};
	const char *path;
	struct rate_row row = {.volume = 1e9, .rate = 5e8, .seconds = 2, .times = 1};

	r.counter = strdup(counter);
	r.speed = 2e9;
	row.host = RATES_ANY;
	row.region = rates_region(&r, "known", &w->err);
	assert_ok(row.region, w->err);
	assert_ok(rates_add(&r, &row, &w->err), w->err);
	assert_ok(rates_ready(&r, &w->err), w->err);
	rates_write(&r, &text);
	path = tmp_write(&w->tmp, "rates", text.s);
	rates_release(&r);
	str_release(&text);
	return path;
}

static void rates_given(struct world *w, const char *counter, enum config_source from)
{
	char setting[400];

	snprintf(setting, sizeof setting, "computation/rates:%s", rates_file(w, counter));
	assert_ok(config_set_all(&w->cfg, setting, from, &w->err), w->err);
}

/* 1e9 at 5e8 a second; of unknown regions at the rate of all, which is told. */
static void rates_say_what_volumes_take(void **state)
{
	struct world *w = *state;

	rates_given(w, "cputime", CFG_FROM_USER);
	begin(w, "measured");
	assert_close(takes(w, 0, "known", 1e9), 2, 1e-9);
	assert_double_is(takes(w, 1, "known", 0), 0);
	assert_close(takes(w, 1, "new", 1e9), 0.5, 1e-9);
	assert_close(takes(w, 1, "new", 3e9), 1.5, 1e-9);
	assert_close(computation_rest(&w->c, 4e9), 2, 1e-9);
	computation_notices(&w->c, &w->notices);
	assert_non_null(strstr(w->notices.s, "2 computations (2 s)"));
}

/* Rates of instructions say nothing of processor time. */
static void rates_of_other_counters_are_refused(void **state)
{
	struct world *w = *state;

	rates_given(w, "papi", CFG_FROM_USER);
	assert_ok(computation_take(&w->c, "measured", &w->err), w->err);
	assert_fails(computation_start(&w->c, w->mp, &w->cfg, &w->regions, &w->notices, &w->err),
	             w->err, ERR_INPUT, "counted by 'papi'");
}

/* The same of a machine's own: its user did not choose them, so they are told of and left out. */
static void a_machine_s_rates_of_other_counters_are_left_out(void **state)
{
	struct world *w = *state;

	rates_given(w, "papi", CFG_FROM_PLATFORM);
	begin(w, "measured");
	assert_null(w->regions.find);
	assert_non_null(strstr(w->notices.s, "are not used"));
	assert_non_null(strstr(w->notices.s, "not 'papi'"));
}

/* What a file says of computations is nearer than what the machine was calibrated with. */
static void a_file_goes_before_rates(void **state)
{
	struct world *w = *state;

	rates_given(w, "cputime", CFG_FROM_USER);
	begin(w, tmp_write(&w->tmp, "amounts",
	                   "# orrery-computation 1\nregion known 0.5\n"
	                   "rest measured\n"));
	assert_double_is(takes(w, 0, "known", 1e9), 0.5);
	assert_true(takes(w, 0, "new", 1e9) < 0);
}

/* Nobody asks for rates where nothing is measured. */
static void rates_are_for_what_is_measured(void **state)
{
	struct world *w = *state;

	rates_given(w, "cputime", CFG_FROM_USER);
	begin(w, "none");
	assert_null(w->regions.find);
}

#define IN_A_WORLD(f) cmocka_unit_test_setup_teardown(f, world_make, world_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    IN_A_WORLD(what_is_measured_is_asked_of_nobody),
	    IN_A_WORLD(a_file_says_what_regions_take),
	    IN_A_WORLD(regions_that_never_come_are_told),
	    IN_A_WORLD(the_rest_takes_what_the_file_says),
	    IN_A_WORLD(the_rest_may_be_measured),
	    IN_A_WORLD(a_file_that_is_none_is_refused),
	    IN_A_WORLD(rates_say_what_volumes_take),
	    IN_A_WORLD(rates_of_other_counters_are_refused),
	    IN_A_WORLD(a_machine_s_rates_of_other_counters_are_left_out),
	    IN_A_WORLD(a_file_goes_before_rates),
	    IN_A_WORLD(rates_are_for_what_is_measured),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
