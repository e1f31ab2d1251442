/* prop_profile.c: availability profiles, held to a plain list of all their changes: random texts,
 * with comments, blanks, empty lines and ends of lines of both kinds, once or again and again
 * (PERIODICITY, LOOPAFTER), are enumerated as the list has them, and no date comes before the one
 * before it. */
#include "property/prop.h"
#include "unit/platform/lib.h"

#include <math.h>

enum { ROWS_MOST = 8, ROUNDS = 200 };

struct plan {
	double date[ROWS_MOST], value[ROWS_MOST], period; /* period 0: once */
	uint32_t n;
};

/* Anything that has no meaning in a text. */
static void noise_put(struct rng *r, struct str *s)
{
	static const char *const noise[] = {
	    "\n", "# 1 2\n", "%\n", "  \t\n", "\r\n", "# PERIODICITY 1\r\n", "\t% 7\n"};

	while (prop_once_in(r, 2))
		str_puts(s, noise[rng_below(r, sizeof noise / sizeof *noise)]);
}

static void blanks_put(struct rng *r, struct str *s)
{
	do
		str_putc(s, prop_once_in(r, 2) ? ' ' : '\t');
	while (prop_once_in(r, 3));
}

static void directive_put(struct rng *r, const char *word, double v, struct str *s)
{
	str_puts(s, word);
	blanks_put(r, s);
	str_put_double(s, v);
	str_puts(s, prop_once_in(r, 2) ? "\r\n" : "\n");
}

static double hundredths(struct rng *r, uint32_t most)
{
	return prop_from(r, 0, most) / 100.0;
}

/* Three forms: once, with a period, with a pause. The directive may stand before or after. */
static void plan_draw(struct plan *plan, struct rng *r, struct str *s)
{
	uint32_t form = (uint32_t)rng_below(r, 3), before = (uint32_t)rng_below(r, 2);
	double last = 0, pause;
	struct str rows;

	*plan = (struct plan){.n = prop_from(r, 1, ROWS_MOST)};
	str_init(&rows);
	for (uint32_t i = 0; i < plan->n; i++) {
		plan->date[i] = last += prop_once_in(r, 4) ? 0 : hundredths(r, 500);
		plan->value[i] = hundredths(r, 200);
		noise_put(r, &rows);
		if (prop_once_in(r, 3))
			blanks_put(r, &rows);
		str_put_double(&rows, plan->date[i]);
		blanks_put(r, &rows);
		str_put_double(&rows, plan->value[i]);
		str_puts(&rows, prop_once_in(r, 3) ? " \r\n" : "\n");
	}
	pause = 0.01 + (prop_once_in(r, 3) ? 0 : hundredths(r, 300));
	if (form == 1) /* a period that ends with the last change is allowed */
		plan->period = last > 0 && prop_once_in(r, 2) ? last : last + pause;
	else if (form == 2)
		plan->period = last + pause;
	for (uint32_t turn = 0; turn < 2; turn++) {
		if (turn == before)
			str_puts(s, rows.s);
		else if (form == 1)
			directive_put(r, "PERIODICITY", plan->period, s);
		else if (form == 2)
			directive_put(r, "LOOPAFTER", pause, s);
	}
	str_release(&rows);
}

static void enumerate(const struct plan *plan, const struct profile *p, uint64_t seed)
{
	struct profile_cursor c;
	double date, value, before = 0;

	profile_start(p, "any", 0, &c);
	for (uint32_t round = 0; round < (plan->period > 0 ? ROUNDS : 1); round++)
		for (uint32_t i = 0; i < plan->n; i++) {
			double want = round * plan->period + plan->date[i];

			assert_int_equal(profile_next(&c, &date, &value), 1);
			if (fabs(date - want) > 1e-12 * (1 + want) || value != plan->value[i])
				fail_msg("PROP_SEED=%llu: round %u, row %u is at %.17g, not %.17g",
				         (unsigned long long)seed, round, i, date, want);
			if (date < before)
				fail_msg("PROP_SEED=%llu: after %.17g comes %.17g",
				         (unsigned long long)seed, before, date);
			before = date;
		}
	if (!(plan->period > 0))
		assert_int_equal(profile_next(&c, &date, &value), 0);
}

static void profiles_are_their_lists(void **state)
{
	struct prop_run prop = prop_begin(300);

	(void)state;
	for (uint64_t i = 0; i < prop.cases; i++) {
		const struct profile_use *uses;
		struct fixture f;
		struct plan plan;
		struct str text, xml;
		struct rng r;

		rng_init(&r, prop.seed + i, "profiles", 0);
		str_init(&text);
		str_init(&xml);
		plan_draw(&plan, &r, &text);
		str_printf(&xml,
		           "<platform version='4.1'><zone id='w' routing='Full'>"
		           "<host id='h' speed='1f'/><trace id='t' periodicity=''>\n%s</trace>"
		           "<trace_connect kind='SPEED' trace='t' element='h'/></zone></platform>",
		           text.s);
		fixture_must_read(&f, xml.s, NULL);
		assert_int_equal(platform_profiles(f.p, &uses), 1);
		enumerate(&plan, uses[0].profile, prop.seed + i);
		fixture_release(&f);
		str_release(&text);
		str_release(&xml);
	}
}

/* 28 × 6.87 + 6.87 is rounded to a greater number than 29 × 6.87. */
static void a_round_begins_no_earlier_than_the_last_ended(void **state)
{
	const struct profile_use *uses;
	struct profile_cursor c;
	struct fixture f;
	double date, value, before = 0;

	(void)state;
	assert_true(28 * 6.87 + 6.87 > 29 * 6.87);
	fixture_must_read(&f,
	                  "<platform version='4.1'><zone id='w' routing='Full'><host id='h' "
	                  "speed='1f'/><trace id='t' periodicity=''>0 1\n6.87 0.5\nPERIODICITY "
	                  "6.87</trace><trace_connect kind='SPEED' trace='t' element='h'/></zone>"
	                  "</platform>",
	                  NULL);
	assert_int_equal(platform_profiles(f.p, &uses), 1);
	profile_start(uses[0].profile, "any", 0, &c);
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(profile_next(&c, &date, &value), 1);
		if (date < before)
			fail_msg("after %.17g comes %.17g", before, date);
		before = date;
	}
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(profiles_are_their_lists),
	    cmocka_unit_test(a_round_begins_no_earlier_than_the_last_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
