/* test_network_published.c: real measurements, with the breaks that others found in them. */
#include "made_up.h"
#include "test.h"

#include "calibrate/network/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { POINTS_MAX = 5000 };

static size_t series_read(const char *path, const char *key, double *x, double *y)
{
	FILE *f = fopen(path, "r");
	char line[300];
	size_t n = 0, k = strlen(key);

	if (!f)
		return 0;
	while (n < POINTS_MAX && fgets(line, sizeof line, f))
		if (strncmp(line, key, k) == 0 && sscanf(line + k, "%lf,%lf", &x[n], &y[n]) == 2)
			n++;
	fclose(f);
	return n;
}

/* Each break published is inside the interval of one found here. */
static void breaks_are(const double *x, const double *y, size_t n, const double *published,
                       size_t wanted)
{
	struct fit_segments s;
	struct err err;

	assert_ok(fit_segments_find(x, y, n, NULL, &s, &err), err);
	for (size_t b = 0; b < wanted; b++) {
		int inside = 0;

		for (size_t i = 1; i < s.n; i++)
			inside |= s.segment[i].break_low <= published[b] &&
			          published[b] <= s.segment[i].break_high;
		if (!inside)
			fail_msg("the break at %.0f is in no interval", published[b]);
	}
	fit_segments_release(&s);
}

/* pycewise (T. Cornebize, thesis 2021) finds 1,704 and 60,635 bytes in the half round trips on
 * paravance, and 2.248e-9 and 2.499e-9 s per byte above them; the same round trips, 8 % apart at
 * most. */
static void published_fit(void **state)
{
	static double x[POINTS_MAX], y[POINTS_MAX];
	const double breaks[] = {1704, 60635};
	size_t n = series_read(TEST_SRC "/tests/unit/calibrate/paravance_pingpong.csv", "", x, y);
	struct fit_segments s;
	struct err err;

	(void)state;
	assert_int_equal(n, 200);
	breaks_are(x, y, n, breaks, 2);
	assert_ok(fit_segments_find(x, y, n, NULL, &s, &err), err);
	assert_true(is_near(fit_segments_value(&s, 1000), 5.228e-5 + 3.384713e-8 * 1000, 0.08));
	assert_true(is_near(fit_segments_value(&s, 20000), 1.01521e-4 + 2.24811e-9 * 20000, 0.08));
	assert_true(is_near(fit_segments_value(&s, 1e7), 1.89254e-4 + 2.49883e-9 * 1e7, 0.08));
	fit_segments_release(&s);
}

/* More of that data, in the folder ORRERY_MEASURED_DATA
 * (thesis/prediction/modeling/network/pycewise/pycewise_data.csv). */
static void published_fits(void **state)
{
	static const struct {
		const char *key;
		double breaks[3];
		size_t n;
	} fits[] = {{"pingpong,gros,", {1812, 60635, 7563369}, 3},
	            {"pingpong,paravance,", {1704, 60635}, 2},
	            {"pingpong,dahu,", {68802}, 1},
	            {"recv,dahu,", {60635}, 1},
	            {"recv,gros,", {1133, 60635, 7563369}, 3},
	            {"recv,paravance,", {1133, 60635}, 2},
	            {"send,dahu,", {8100, 69714}, 2},
	            {"send,paravance,", {60635, 235840}, 2},
	            {"isend,gros,", {60635, 1000736}, 1},
	            {"isend,paravance,", {60635}, 1},
	            {"pingpong,pyxis,", {8100}, 1},
	            {"send,pyxis,", {99, 8100}, 2}};
	static double x[POINTS_MAX], y[POINTS_MAX];
	const char *folder = getenv("ORRERY_MEASURED_DATA");
	char path[4096];

	(void)state;
	if (!folder)
		skip();
	snprintf(path, sizeof path,
	         "%s/thesis/prediction/modeling/network/pycewise/pycewise_data.csv", folder);
	for (size_t i = 0; i < sizeof fits / sizeof *fits; i++) {
		size_t n = series_read(path, fits[i].key, x, y);

		print_message("%s\n", fits[i].key);
		assert_int_equal(n, 200);
		breaks_are(x, y, n, fits[i].breaks, fits[i].n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(published_fit),
	    cmocka_unit_test(published_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
