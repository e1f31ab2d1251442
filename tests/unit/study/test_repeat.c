/* One computation of 1e9 flop, again on other machines and with other seeds of the noise. */
#include "study/repeat.h"

#include "test.h"
#include "tmp.h"

#include <math.h>

#define MACHINE(name, speed) \
	"<platform version='4.1'><cluster id='" name \
	"' prefix='n' suffix='' radical='0-1' speed='" speed \
	"' bw='100MBps' lat='10us'/></platform>"

struct made {
	struct tmp tmp;
	char machine[3][400];
	struct sim_replay replay;
	struct sim_source source;
	struct sim_options options;
	struct repeat repeat;
	int told; /* how often */
};

static void tell(void *self, const char *notices)
{
	struct made *m = self;

	(void)notices;
	m->told++;
}

static void make(struct made *m, const struct sim_setting *setting, uint32_t n)
{
	memset(m, 0, sizeof *m);
	tmp_init(&m->tmp);
	snprintf(m->machine[0], sizeof m->machine[0], "%s",
	         tmp_write(&m->tmp, "a.xml", MACHINE("a", "1Gf")));
	snprintf(m->machine[1], sizeof m->machine[1], "%s",
	         tmp_write(&m->tmp, "b.xml", MACHINE("b", "4Gf")));
	snprintf(m->machine[2], sizeof m->machine[2], "%s",
	         tmp_write(&m->tmp, "c.xml", MACHINE("c", "500Mf")));
	m->replay.path = tmp_write(&m->tmp, "t.tit", "0 init\n0 compute 1e9\n0 finalize\n");
	m->source = sim_replay_source(&m->replay);
	m->options = (struct sim_options){
	    .machine = m->machine[0], .setting = setting, .n_settings = n, .profile = 1};
	m->repeat = (struct repeat){
	    .who = "try", .options = &m->options, .source = &m->source, .tell = tell, .self = m};
}

/* --- machines --- */

struct rows {
	double end[3], ratio[3], computing[3];
	int n, stop; /* after so many */
};

static int row(void *self, const struct repeat_result *res, struct err *err)
{
	struct rows *r = self;

	r->end[r->n] = res->end;
	r->ratio[r->n] = res->ratio;
	r->computing[r->n++] = res->shares.share[TIME_COMPUTE];
	assert_true(res->reach.above > 0); /* nothing of these machines is calibrated */
	return r->n == r->stop ? err_set(err, ERR_PROGRAM, "enough") : 0;
}

static void machines_beside_the_first(void **state)
{
	struct rows rows = {0};
	struct err err = {0};
	struct made m;

	(void)state;
	make(&m, NULL, 0);
	const char *const machine[] = {m.machine[0], m.machine[1], m.machine[2]};

	assert_ok(repeat_machines(&m.repeat, machine, 3, row, &rows, &err), err);
	assert_int_equal(rows.n, 3);
	assert_int_equal(m.told, 3);
	for (int i = 0; i < 3; i++) {
		static const double seconds[] = {1, 0.25, 2};

		assert_close(rows.end[i], seconds[i], 1e-12);
		assert_close(rows.ratio[i], seconds[i], 1e-12);
		assert_close(rows.computing[i], 1, 1e-12);
	}
	tmp_release(&m.tmp);
}

static void an_error_ends_the_row_of_machines(void **state)
{
	struct rows rows = {.stop = 2};
	struct err err = {0};
	struct made m;

	(void)state;
	make(&m, NULL, 0);
	const char *const machine[] = {m.machine[2], m.machine[1], m.machine[0]};
	const char *const none[] = {"/nowhere.xml"};

	assert_int_equal(repeat_machines(&m.repeat, machine, 3, row, &rows, &err), -1);
	assert_string_equal(err.text, "enough");
	assert_int_equal(rows.n, 2);
	assert_close(rows.ratio[1], 0.125, 1e-12);
	assert_int_equal(repeat_machines(&m.repeat, none, 1, row, &rows, &err), -1);
	assert_int_equal(err.kind, ERR_INPUT);
	tmp_release(&m.tmp);
}

/* --- seeds --- */

static const struct sim_setting noisy[] = {{"noise/compute", "0:1:1:0.1"}, {"noise/model", "no"}};

/* A normal factor of mean 1 and deviation 0.1: the same for a seed, however it is given. */
static void a_seed_is_a_run(void **state)
{
	const struct sim_setting with_seed[] = {noisy[0], noisy[1], {"noise/seed", "7"}};
	struct sim_trust trust;
	struct err err = {0};
	struct mp_stats st;
	double end[4];
	struct sim *sim;
	struct made m;

	(void)state;
	make(&m, noisy, 2);
	assert_ok(repeat_seeds(&m.repeat, 4, 5, end, &trust, &err), err);
	assert_true(trust.n > 0); /* another process made it */
	assert_true(end[0] != end[1] && end[1] != end[2] && end[2] != end[3]);
	for (int i = 0; i < 4; i++)
		assert_true(fabs(end[i] - 1) < 0.6); /* six deviations */
	m.options.setting = with_seed;
	m.options.n_settings = 3;
	assert_non_null(sim = sim_new(&m.options, &m.source, &err));
	assert_ok(sim_run(sim, &err), err);
	sim_stats(sim, &st);
	sim_free(sim);
	assert_true(end[2] == st.end);
	tmp_release(&m.tmp);
}

/* What the machine and the model may be off is drawn for each seed of one distribution: that of the
 * first run's critical path, and its time is what it is without. */
static void the_first_run_says_what_is_drawn(void **state)
{
	struct sim_trust trust, without;
	struct err err = {0};
	double end[4], plain[4];
	struct made m;

	(void)state;
	make(&m, noisy, 2);
	assert_ok(repeat_seeds(&m.repeat, 4, 5, plain, &without, &err), err);
	m.options.n_settings = 1; /* noise/model is on */
	assert_ok(repeat_seeds(&m.repeat, 4, 5, end, &trust, &err), err);
	assert_true(trust.drawn && !without.drawn);
	assert_true(trust.deviation > 0);
	for (int i = 0; i < 4; i++)
		assert_close(end[i], plain[i] * trust_draw(&trust, 5 + (uint64_t)i), 1e-12);
	tmp_release(&m.tmp);
}

static void seed_describe(void *self, const struct sim *sim, struct str *about)
{
	(void)self;
	str_printf(about, "seed %s\n", config_text(sim_config(sim), CFG_NOISE_SEED));
}

static void long_describe(void *self, const struct sim *sim, struct str *about)
{
	(void)self;
	(void)sim;
	for (int i = 0; i < 1 << 16; i++)
		str_putc(about, 'x');
}

static void the_first_run_is_described(void **state)
{
	struct sim_trust trust;
	struct err err = {0};
	struct str about;
	double end[2];
	struct made m;

	(void)state;
	make(&m, noisy, 2);
	str_init(&about);
	m.repeat.about = &about;
	m.repeat.describe = seed_describe;
	assert_ok(repeat_seeds(&m.repeat, 2, 5, end, &trust, &err), err);
	assert_string_equal(about.s, "seed 5\n");
	str_clear(&about);
	m.repeat.describe = long_describe;
	assert_ok(repeat_seeds(&m.repeat, 2, 5, end, &trust, &err), err);
	assert_int_equal(about.n, 0);
	str_release(&about);
	tmp_release(&m.tmp);
}

static void without_noise_nothing_is_drawn(void **state)
{
	struct sim_trust trust;
	struct err err = {0};
	double end[2];
	struct made m;

	(void)state;
	make(&m, noisy + 1, 1);
	assert_int_equal(repeat_seeds(&m.repeat, 2, 1, end, &trust, &err), -1);
	assert_int_equal(err.kind, ERR_INPUT);
	assert_non_null(strstr(err.text, "try: --runs draws noise, and there is none"));
	tmp_release(&m.tmp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(machines_beside_the_first),
	    cmocka_unit_test(an_error_ends_the_row_of_machines),
	    cmocka_unit_test(a_seed_is_a_run),
	    cmocka_unit_test(the_first_run_says_what_is_drawn),
	    cmocka_unit_test(the_first_run_is_described),
	    cmocka_unit_test(without_noise_nothing_is_drawn),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
