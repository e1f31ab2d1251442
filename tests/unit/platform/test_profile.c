/* test_profile.c: availability profiles as data: what a text says, change by change, and what is
 * wrong with it, with its place. */
#include "lib.h"
#include "tmp.h"

#include <math.h>
#include <sys/stat.h>

#define ZONE(VERSION, BODY) \
	"<platform version='" VERSION "'>\n<zone id='w' routing='Full'>\n" BODY \
	"\n</zone></platform>"
#define TEXT(BODY) \
	ZONE("4.1", "<host id='h' speed='1f'/>\n<trace id='t' periodicity=''>" BODY \
	            "</trace>\n<trace_connect kind='SPEED' trace='t' element='h'/>")

static void read_in(struct fixture *f, struct tmp *t, const char *xml, const char *settings)
{
	memset(f, 0, sizeof *f);
	assert_ok(config_init(&f->cfg, &f->err), f->err);
	if (settings)
		assert_ok(config_set_all(&f->cfg, settings, CFG_FROM_USER, &f->err), f->err);
	f->p = platform_read(tmp_write(t, "p.xml", xml), &f->cfg, &f->err);
}

static const struct profile_use *use(const struct fixture *f, uint32_t i, uint32_t wanted)
{
	const struct profile_use *uses;

	assert_int_equal(platform_profiles(f->p, &uses), wanted);
	return &uses[i];
}

/* The changes "date value date value …" of a text, at most 7. */
static const char *changes(const char *xml)
{
	static char out[256];
	struct fixture f;
	struct profile_cursor c;
	double date, value;

	fixture_must_read(&f, xml, NULL);
	profile_start(use(&f, 0, 1)->profile, "t", 0, &c);
	out[0] = '\0';
	for (int i = 0; i < 7 && profile_next(&c, &date, &value); i++)
		snprintf(out + strlen(out), sizeof out - strlen(out), "%s%g %g", i ? " " : "", date,
		         value);
	fixture_release(&f);
	return out;
}

static void rows(void **state)
{
	(void)state;
	assert_string_equal(changes(TEXT("\n# a comment\n% another\n\n 1 0.5\r\n\t2.5   1e0\n")),
	                    "1 0.5 2.5 1");
	assert_string_equal(changes(TEXT("1 0.5\n1 0")), "1 0.5 1 0");
	assert_string_equal(changes(TEXT("")), "");
	assert_string_equal(changes(TEXT("1 5\n3 6\nPERIODICITY 10")),
	                    "1 5 3 6 11 5 13 6 21 5 23 6 31 5");
	assert_string_equal(changes(TEXT("LOOPAFTER 5\n1 5\n3 6")),
	                    "1 5 3 6 9 5 11 6 17 5 19 6 25 5");
	assert_string_equal(changes(TEXT("PERIODICITY 3\n0 1\n3 2")),
	                    "0 1 3 2 3 1 6 2 6 1 9 2 9 1");
	assert_string_equal(
	    changes(ZONE("4.1", "<host id='h' speed='1f'/><trace id='t' periodicity='2'>1 3</trace>"
	                        "<trace_connect kind='SPEED' trace='t' element='h'/>")),
	    "1 3 3 3 5 3 7 3 9 3 11 3 13 3");
}

/* The states of old files: -1 is off, as 0 is. */
static void off(void **state)
{
	(void)state;
	assert_string_equal(
	    changes(ZONE(
	        "4.1",
	        "<host id='h' speed='1f'/><trace id='t' periodicity='0'>1 -1\n2 1\n3 -1</trace>"
	        "<trace_connect kind='HOST_AVAIL' trace='t' element='h'/>")),
	    "1 -1 2 1 3 -1");
}

static void wrong(void **state)
{
	(void)state;
	assert_refused(TEXT("1 2 3"), 4, 30, "expected a date and a value, found 3 words");
	assert_refused(TEXT("\n1"), 5, 1, "found 1 word");
	assert_refused(TEXT("\n1 0.5\n 2 50%"), 6, 4,
	               "the value is '50%', expected a plain number");
	assert_refused(TEXT("\n1 1\n2 -1"), 6, 3, "the value of a speed cannot be negative");
	assert_refused(TEXT("\n-1 1"), 5, 1, "cannot be negative");
	assert_refused(TEXT("\n2 1\n1 1"), 6, 1, "date 1 comes after date 2");
	assert_refused(TEXT("\nPERIODICITY"), 5, 1,
	               "expected a number of seconds after PERIODICITY");
	assert_refused(TEXT("\nSTOCHASTIC\nDET 1"), 6, 5,
	               "expected a law for the delay and one for the value");
	assert_refused(TEXT("\nSTOCHASTIC\nDET 1 UNIF 3"), 6, 7, "law UNIF wants 2 numbers");
	assert_refused(TEXT("\nSTOCHASTIC\nDET 1 DIST 3"), 6, 7, "unknown law 'DIST'");
	assert_refused(TEXT("\nSTOCHASTIC\nDET 1 UNIF 3 2"), 6, 14, "below its lower end");
	assert_refused(TEXT("\nSTOCHASTIC\nEXP 0 DET 1"), 6, 5, "must be positive");
	assert_refused(TEXT("\nSTOCHASTIC\nDET 1 DET 1 DET"), 6, 13, "unexpected 'DET'");
	assert_refused(TEXT("\nSTOCHASTIC LOPE"), 5, 12, "only LOOP");
}

static void fails_with(const char *xml, const char *part)
{
	struct fixture f;

	fixture_read(&f, xml, NULL);
	assert_null(f.p);
	if (!strstr(f.err.text, part))
		fail_msg("\"%s\" is not in: %s", part, f.err.text);
	fixture_release(&f);
}

static void endless(void **state)
{
	(void)state;
	fails_with(TEXT("1 1\nPERIODICITY 0.5"),
	           "the period of 0.5 s is shorter than the date of the last change, 1 s (what "
	           "PERIODICITY meant before SimGrid 3.31 is written LOOPAFTER now)");
	fails_with(TEXT("0 1\nLOOPAFTER 0"), "too short to simulate");
	fails_with(TEXT("STOCHASTIC LOOP\nDET 0 DET 1"), "has no end");
}

/* Means and bounds of 20,000 draws: EXPONENTIAL 2 has mean 1/2 (standard error 0.0035), UNIFORM 1 3
 * mean 2, NORMAL 5 0.5 mean 5. */
static void laws(void **state)
{
	enum { N = 20000 };
	struct fixture f;
	struct profile_cursor c, again;
	double date = 0, value, sum = 0, low = 9, high = 0, date2, value2;

	(void)state;
	fixture_must_read(&f, TEXT("STOCHASTIC LOOP\nEXP 2 UNIF 1 3"), NULL);
	profile_start(use(&f, 0, 1)->profile, "t", 0, &c);
	profile_start(use(&f, 0, 1)->profile, "t", 0, &again);
	for (int i = 0; i < N; i++) {
		assert_int_equal(profile_next(&c, &date, &value), 1);
		assert_int_equal(profile_next(&again, &date2, &value2), 1);
		assert_true(date == date2 && value == value2);
		sum += value;
		low = fmin(low, value);
		high = fmax(high, value);
	}
	assert_true(fabs(date / N - 0.5) < 0.02 && fabs(sum / N - 2) < 0.02 && low >= 1 &&
	            high <= 3);
	fixture_release(&f);
	fixture_must_read(&f, TEXT("STOCHASTIC LOOP\nDET 1 NORMAL 5 0.5"), NULL);
	profile_start(use(&f, 0, 1)->profile, "t", 1, &c);
	for (sum = 0; profile_next(&c, &date, &value) && date <= N;)
		sum += value;
	assert_true(fabs(sum / N - 5) < 0.02);
	assert_double_is(date, N + 1);
	fixture_release(&f);
}

static void files(void **state)
{
	struct tmp t;
	struct fixture f;
	char setting[128], folder[96];

	(void)state;
	tmp_init(&t);
	tmp_write(&t, "s", "1 0.5\n");
	read_in(&f, &t,
	        ZONE("4.1",
	             "<host id='a' speed='1f' speed_file='s' state_file='s'/><host id='b' "
	             "speed='1f' availability_file='s'/>"
	             "<link id='l' bandwidth='1' latency='0s' bandwidth_file='s' "
	             "sharing_policy='SPLITDUPLEX'/>"
	             "<link id='m' bandwidth='1' latency='0s' latency_file='s' state_file='s'/>"),
	        NULL);
	if (!f.p)
		fail_msg("%s", f.err.text);
	static const enum profile_kind kinds[] = {
	    PROFILE_SPEED,     PROFILE_HOST,    PROFILE_SPEED, PROFILE_BANDWIDTH,
	    PROFILE_BANDWIDTH, PROFILE_LATENCY, PROFILE_LINK};
	for (uint32_t i = 0; i < 7; i++)
		assert_int_equal(use(&f, i, 7)->kind, kinds[i]);
	assert_int_equal(use(&f, 2, 7)->target, 1);
	assert_int_equal(use(&f, 4, 7)->target, use(&f, 3, 7)->target + 1);
	assert_ptr_equal(use(&f, 0, 7)->profile, use(&f, 6, 7)->profile); /* read once */
	fixture_release(&f);

	read_in(&f, &t, ZONE("4.1", "<host id='a' speed='1f'\n speed_file='no'/>"), NULL);
	assert_null(f.p);
	assert_non_null(
	    strstr(f.err.text, "p.xml:4:2: speed_file of <host>: there is no file 'no'"));
	fixture_release(&f);

	tmp_write(&t, "bad", "1 0.5\n2 x\n");
	read_in(&f, &t, ZONE("4.1", "<host id='a' speed='1f' speed_file='bad'/>"), NULL);
	assert_null(f.p);
	assert_non_null(strstr(f.err.text, "/bad:2:3: the value is 'x'"));
	fixture_release(&f);

	/* the folder of the setting path */
	snprintf(folder, sizeof folder, "%s/else", t.dir);
	assert_int_equal(mkdir(folder, 0700), 0);
	tmp_write(&t, "else/p2", "1 0.5\n");
	snprintf(setting, sizeof setting, "path:%s", folder);
	read_in(&f, &t, ZONE("4.1", "<host id='a' speed='1f' speed_file='p2'/>"), setting);
	if (!f.p)
		fail_msg("%s", f.err.text);
	use(&f, 0, 1);
	fixture_release(&f);

	/* which is there, and a folder, also where no profile is wanted */
	snprintf(setting, sizeof setting, "path:%s/none", t.dir);
	read_in(&f, &t, ZONE("4.1", "<host id='a' speed='1f'/>"), setting);
	assert_null(f.p);
	assert_non_null(strstr(f.err.text, "/none: No such file or directory"));
	fixture_release(&f);
	snprintf(setting, sizeof setting, "path:%s/bad", t.dir);
	read_in(&f, &t, ZONE("4.1", "<host id='a' speed='1f'/>"), setting);
	assert_null(f.p);
	assert_non_null(strstr(f.err.text, "/bad is no folder"));
	fixture_release(&f);
	tmp_release(&t);
}

static void connected(void **state)
{
	static const char twice[] = ZONE("4.1",
	                                 "<trace id='t' periodicity='0'>1 2</trace><trace_connect "
	                                 "kind='SPEED' trace='t' element='b'/>"
	                                 "<trace_connect kind='SPEED' trace='t' element='a'/><host "
	                                 "id='a' speed='1f'/><host id='b' speed='1f'/>"
	                                 "<link id='l' bandwidth='1' sharing_policy='SPLITDUPLEX'/>"
	                                 "<trace_connect kind='BANDWIDTH' trace='t' element='l'/>");
	struct fixture f;
	struct str out;

	(void)state;
	fixture_must_read(&f, twice, NULL);
	assert_int_equal(use(&f, 0, 4)->target, 1); /* b */
	assert_int_equal(use(&f, 1, 4)->target, 0);
	assert_int_equal(use(&f, 3, 4)->target, use(&f, 2, 4)->target + 1);
	str_init(&out);
	assert_true(platform_check(f.p, &out) >= 2);
	assert_non_null(strstr(out.s, "is connected to several elements"));
	str_release(&out);
	fixture_release(&f);
	fixture_must_read(&f, twice, "compat:simgrid-3.32");
	use(&f, 0, 3);
	fixture_release(&f);

	assert_refused(ZONE("4.1", "<trace_connect trace='t' element='a'/>"), 3, 16,
	               "no <trace> is named 't' so far");
	assert_refused(
	    ZONE("4.1", "<trace id='t' periodicity='0'/>\n<trace_connect trace='t' element='a'/>"),
	    4, 26, "no host is named 'a'");
	assert_refused(ZONE("4.1", "<trace id='t' periodicity='0'/>\n<trace_connect kind='LATENCY' "
	                           "trace='t' element='a'/>"),
	               4, 41, "no link is named 'a'");
	assert_refused(
	    ZONE("4.1", "<trace id='t' periodicity='0'/><trace id='t' periodicity='0'/>"), 3, 39,
	    "already there");
	assert_refused(ZONE("4.1", "<trace id='t' periodicity='x'/>"), 3, 15, "expected seconds");
	assert_refused(
	    ZONE("4.1",
	         "<host id='a' speed='1f'/><trace id='t' periodicity='0'/>\n"
	         "<trace_connect trace='t' element='a'/><trace_connect trace='t' element='a'/>"),
	    4, 64, "the state of this element already follows the profile <trace id=\"t\">");
}

/* Version 3: what is off from the start, and a cluster's files by number. */
static void version_3(void **state)
{
	struct tmp t;
	struct fixture f;
	struct profile_cursor c;
	double date, value;

	(void)state;
	fixture_must_read(
	    &f,
	    "<platform version='3'><AS id='w' routing='Full'><host id='a' power='1' state='OFF'/>"
	    "<link id='l' bandwidth='1' latency='0' state='OFF'/></AS></platform>",
	    NULL);
	assert_int_equal(use(&f, 0, 2)->kind, PROFILE_HOST);
	assert_int_equal(use(&f, 1, 2)->kind, PROFILE_LINK);
	profile_start(use(&f, 1, 2)->profile, "t", 0, &c);
	assert_int_equal(profile_next(&c, &date, &value), 1);
	assert_true(date == 0 && value == 0 && !profile_next(&c, &date, &value));
	fixture_release(&f);

	tmp_init(&t);
	tmp_write(&t, "c-7.avail", "7 1");
	tmp_write(&t, "c-8.avail", "8 1");
	read_in(&f, &t,
	        "<platform version='3'><AS id='w' routing='Full'><cluster id='c' prefix='h' "
	        "suffix='' radical='7-8' power='1' bw='1' "
	        "lat='0' availability_file='${id}-$radical.avail'/></AS></platform>",
	        NULL);
	if (!f.p)
		fail_msg("%s", f.err.text);
	for (uint32_t i = 0; i < 2; i++) {
		profile_start(use(&f, i, 2)->profile, "t", 0, &c);
		assert_int_equal(profile_next(&c, &date, &value), 1);
		assert_double_is(date, 7 + i);
		assert_int_equal(use(&f, i, 2)->target, i);
	}
	fixture_release(&f);
	tmp_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rows),      cmocka_unit_test(off),       cmocka_unit_test(wrong),
	    cmocka_unit_test(endless),   cmocka_unit_test(laws),      cmocka_unit_test(files),
	    cmocka_unit_test(connected), cmocka_unit_test(version_3),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
