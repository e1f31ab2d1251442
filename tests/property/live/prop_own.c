/* prop_own.c: what ranks that are coroutines have of the C library each for itself
 * (src/live/coro/own_env.c, own_texts.c): random calls of several ranks in turn, beside a model of
 * each: its environment as a list of names and values, its hash table as another, dates and texts
 * that stay where they were when others have run. */
#include "../prop.h"

#include "../../unit/live/own.h"

#include "base/rng.h"

enum { NAMES = 12, STEPS = 3000 };

/* --- environments --- */

struct variables {
	int has[NAMES];
	char value[NAMES][16];
};

static const char *name_of(int i)
{
	static const char *const names[NAMES] = {"N0",   "N1", "N2", "N",   "N01", "n0",
	                                         "PATH", "A",  "AB", "ABC", "_",   "N1x"};

	return names[i];
}

static void variables_are(const struct variables *v)
{
	int n = 0, want = 0;

	for (int i = 0; i < NAMES; i++) {
		const char *value = getenv(name_of(i));

		want += v->has[i];
		if (!v->has[i])
			assert_null(value);
		else
			assert_string_equal(value, v->value[i]);
	}
	for (char **p = environ; p && *p; p++)
		n++;
	assert_int_equal(n, want); /* each once, and no others */
}

/* What putenv is given stays the program's: it may change it later. */
static char *text_keep(const char *name, const char *value)
{
	static char room[STEPS][48];
	static int used;
	char *p = room[used++ % STEPS];

	snprintf(p, sizeof room[0], "%s=%s", name, value);
	return p;
}

static void variable_change(struct rng *r, struct variables *v)
{
	int i = (int)rng_below(r, NAMES), replace;
	char value[16];

	snprintf(value, sizeof value, "%llu", (unsigned long long)rng_below(r, 100000));
	if (rng_below(r, 8) == 0)
		value[0] = '\0';
	switch (rng_below(r, 12)) {
	case 0:
		if (rng_below(r, 8))
			break;
		assert_int_equal(own_clearenv(), 0);
		memset(v, 0, sizeof *v);
		break;
	case 1:
	case 2:
	case 3:
		assert_int_equal(own_unsetenv(name_of(i)), 0); /* also of what is not there */
		v->has[i] = 0;
		break;
	case 4: /* a name alone takes it away */
		assert_int_equal(own_putenv((char *)(uintptr_t)name_of(i)), 0);
		v->has[i] = 0;
		break;
	case 5:
	case 6:
		assert_int_equal(own_putenv(text_keep(name_of(i), value)), 0);
		v->has[i] = 1;
		snprintf(v->value[i], sizeof v->value[i], "%s", value);
		break;
	case 7: /* POSIX: no empty name, none with '=' */
		errno = 0;
		assert_int_equal(own_setenv(rng_below(r, 2) ? "" : "A=B", value, 1), -1);
		assert_int_equal(errno, EINVAL);
		errno = 0;
		assert_int_equal(own_unsetenv(rng_below(r, 2) ? "" : "A=B"), -1);
		assert_int_equal(errno, EINVAL);
		break;
	default:
		replace = rng_below(r, 3) > 0;
		assert_int_equal(own_setenv(name_of(i), value, replace), 0);
		if (replace || !v->has[i])
			snprintf(v->value[i], sizeof v->value[i], "%s", value);
		v->has[i] = 1;
	}
}

static void environments(void **state)
{
	static struct variables v[RANKS];
	struct rng r;

	(void)state;
	ranks_begin();
	rng_init(&r, prop_seed(1), "environments", 0);
	for (int i = 0; i < RANKS; i++) {
		v[i] = (struct variables){.has = {1, 1, 1}};
		snprintf(v[i].value[0], sizeof v[i].value[0], "%s", "of all");
		snprintf(v[i].value[2], sizeof v[i].value[2], "%s", "a=b");
	}
	for (int step = 0; step < STEPS; step++) {
		uint32_t rank = (uint32_t)rng_below(&r, RANKS);

		runs(rank);
		variables_are(&v[rank]);
		variable_change(&r, &v[rank]);
		variables_are(&v[rank]);
	}
	assert_string_equal(before[0], "N0=of all"); /* those of all are as they were */
	assert_null(before[3]);
	ranks_end();
}

/* A text that was given to putenv is the variable: 2.4 of POSIX's page. */
static void given_texts(void **state)
{
	static char text[] = "N=old";

	(void)state;
	ranks_begin();
	runs(1);
	assert_int_equal(own_putenv(text), 0);
	memcpy(text + 2, "new", 3);
	assert_string_equal(getenv("N"), "new");
	runs(0);
	assert_null(getenv("N"));
	ranks_end();
}

/* --- texts --- */

struct kept { /* what a rank was given last, and what it said */
	const char *date, *error;
	const struct tm *tm;
	char date_text[64], error_text[128];
	struct tm tm_value;
};

static void text_change(struct rng *r, struct kept *k)
{
	time_t t = (time_t)rng_below(r, (uint64_t)1 << 33);
	int number = (int)rng_below(r, 140);
	char plain[64], message[128];
	struct tm tm;

	switch (rng_below(r, 3)) {
	case 0: /* beside the C library's, which returns to where it is told */
		gmtime_r(&t, &tm);
		k->tm = own_gmtime(&t);
		k->tm_value = *k->tm;
		assert_int_equal(k->tm->tm_sec, tm.tm_sec);
		assert_int_equal(k->tm->tm_yday, tm.tm_yday);
		assert_int_equal(k->tm->tm_year, tm.tm_year);
		asctime_r(&tm, plain);
		k->date = own_asctime(&tm);
		assert_string_equal(k->date, plain);
		snprintf(k->date_text, sizeof k->date_text, "%s", plain);
		break;
	case 1:
		ctime_r(&t, plain);
		k->date = own_ctime(&t);
		assert_string_equal(k->date, plain);
		snprintf(k->date_text, sizeof k->date_text, "%s", plain);
		localtime_r(&t, &k->tm_value);
		k->tm = own_localtime(&t);
		break;
	default:
		snprintf(message, sizeof message, "%s", strerror(number));
		k->error = own_strerror(number);
		assert_string_equal(k->error, message);
		snprintf(k->error_text, sizeof k->error_text, "%s", message);
	}
}

static void texts_stay(const struct kept *k)
{
	if (k->date)
		assert_string_equal(k->date, k->date_text);
	if (k->error)
		assert_string_equal(k->error, k->error_text);
	if (k->tm)
		assert_int_equal(k->tm->tm_sec, k->tm_value.tm_sec);
}

static void texts(void **state)
{
	static struct kept k[RANKS];
	struct rng r;

	(void)state;
	ranks_begin();
	rng_init(&r, prop_seed(1), "texts", 0);
	for (int step = 0; step < STEPS; step++) {
		uint32_t rank = (uint32_t)rng_below(&r, RANKS);

		runs(rank);
		texts_stay(&k[rank]);
		text_change(&r, &k[rank]);
	}
	runs(0);
	errno = 0;
	assert_null(own_asctime(NULL));
	assert_int_equal(errno, EINVAL);
	assert_string_equal(own_localeconv()->decimal_point, ".");
	ranks_end();
}

/* --- hash tables --- */

static void tables(void **state)
{
	static char key[RANKS][64][16];
	static int has[RANKS][64], made[RANKS];
	struct rng r;

	(void)state;
	ranks_begin();
	rng_init(&r, prop_seed(1), "tables", 0);
	for (int step = 0; step < STEPS; step++) {
		uint32_t rank = (uint32_t)rng_below(&r, RANKS);
		int i = (int)rng_below(&r, 64);
		ENTRY e = {.key = key[rank][i], .data = &key[rank][i]}, *found;

		runs(rank);
		snprintf(key[rank][i], sizeof key[rank][i], "k%d", i);
		if (rng_below(&r, 200) == 0) {
			own_hdestroy();
			made[rank] = 0;
			memset(has[rank], 0, sizeof has[rank]);
		}
		if (!made[rank]) {
			assert_null(own_hsearch(e, FIND)); /* there is none */
			assert_true(own_hcreate(200));
			made[rank] = 1;
		}
		assert_false(own_hcreate(10)); /* there is one */
		found = own_hsearch(e, FIND);
		assert_int_equal(found != NULL, has[rank][i]);
		if (rng_below(&r, 2)) {
			found = own_hsearch(e, ENTER);
			assert_non_null(found);
			has[rank][i] = 1;
			assert_ptr_equal(found->data, &key[rank][i]); /* this rank's */
		}
	}
	ranks_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(environments),
	                                   cmocka_unit_test(given_texts), cmocka_unit_test(texts),
	                                   cmocka_unit_test(tables)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
