/* prop_ends.c: every way in which a command can end, and what it prints on the way: exit codes 0 to
 * 255 and signals are told apart in words, all of what is printed is read, however much it is and
 * however little is wanted, and what is not read does not block it. */
#include "property/prop.h"

#include "launch/launch.h"

#include <signal.h>
#include <unistd.h>

static void command_set(struct launch_command *c, const char **words, char *script)
{
	words[0] = "sh";
	words[1] = "-c";
	words[2] = script;
	words[3] = NULL;
	*c = (struct launch_command){.words = words};
}

/* What stands in a message about it: its code, or its signal. */
static void must_say(const struct launch_command *c, const char *wanted, const char *unwanted)
{
	struct err err = {0};

	assert_int_equal(launch_must(c, &err), -1);
	if (!strstr(err.text, wanted) || strstr(err.text, unwanted))
		fail_msg("\"%s\" was to say \"%s\"", err.text, wanted);
}

/* A shell's exit code above 128 is no signal, though it looks like one that a shell tells. */
static void test_exit_codes(void **state)
{
	static const int codes[] = {1, 2, 100, 127, 128, 129, 130, 137, 143, 200, 254, 255};
	const char *words[4];
	struct launch_command c;
	char script[64], wanted[64];
	struct err err = {0};

	(void)state;
	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
		snprintf(script, sizeof script, "exit %d", codes[i]);
		snprintf(wanted, sizeof wanted, "exit code %d", codes[i]);
		command_set(&c, words, script);
		assert_int_equal(launch_run(&c, &err), codes[i]);
		must_say(&c, wanted, "signal");
	}
}

static void test_signals(void **state)
{
	static const int signals[] = {SIGTERM, SIGKILL, SIGSEGV, SIGABRT, SIGPIPE, SIGUSR1};
	const char *words[4];
	struct launch_command c;
	char script[64], wanted[64];
	struct err err = {0};

	(void)state;
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		snprintf(script, sizeof script, "ulimit -c 0; kill -%d $$", signals[i]);
		snprintf(wanted, sizeof wanted, "signal %d", signals[i]);
		command_set(&c, words, script);
		assert_int_equal(launch_run(&c, &err), 128 + signals[i]);
		must_say(&c, wanted, "exit code");
	}
}

/* The first n characters of what the command below prints, "1\n2\n3\n…": how many there are. */
static size_t numbers(char *out, size_t n, int lines)
{
	size_t have = 0;

	for (int i = 1; i <= lines; i++) {
		char line[32];
		size_t k = (size_t)snprintf(line, sizeof line, "%d\n", i);

		for (size_t c = 0; c < k && have < n; c++)
			out[have++] = line[c];
	}
	return have;
}

/* A buffer of any size gets the beginning of what is printed, and its end. */
static void test_output(void **state)
{
	static char found[100000], wanted[100000];
	struct prop_run run = prop_begin(40);
	const char *words[4];
	struct launch_command c;
	char script[96];
	struct err err = {0};

	(void)state;
	for (uint64_t i = 0; i < run.cases; i++) {
		struct rng r;
		int lines, code;
		size_t size, n;

		rng_init(&r, run.seed, "output", i);
		lines = prop_once_in(&r, 8) ? 30000 : (int)prop_from(&r, 0, 300);
		size = prop_once_in(&r, 4) ? prop_from(&r, 1, 4) : prop_from(&r, 1, sizeof found);
		code = (int)prop_from(&r, 0, 3) * 85;
		snprintf(script, sizeof script, "seq %d; exit %d", lines, code);
		command_set(&c, words, script);
		memset(found, '#', sizeof found);
		assert_int_equal(launch_output(&c, found, size, &err), code);
		n = numbers(wanted, size - 1, lines);
		assert_int_equal(strlen(found), n);
		assert_memory_equal(found, wanted, n);
		assert_true(size == sizeof found || found[size] == '#');
	}
}

/* Which of the two streams, and both into one, in the order in which they were printed. */
static void test_streams(void **state)
{
	const char *words[4];
	struct launch_command c;
	struct err err = {0};
	char found[128], script[] = "echo out; echo err >&2; echo again; exit 4";

	(void)state;
	command_set(&c, words, script);
	c.err = LAUNCH_NULL;
	assert_int_equal(launch_output(&c, found, sizeof found, &err), 4);
	assert_string_equal(found, "out\nagain\n");
	c.err = LAUNCH_WITH_OUT;
	assert_int_equal(launch_output(&c, found, sizeof found, &err), 4);
	assert_string_equal(found, "out\nerr\nagain\n");
}

/* One that closes its output, or whose child keeps it, is waited for all the same; it has no input
 * to wait for. */
static void test_closed_and_kept_streams(void **state)
{
	const char *words[4];
	struct launch_command c;
	struct err err = {0};
	char found[128], closes[] = "echo a; exec >&- 2>&-; sleep 0.1; exit 9",
	                 hands_on[] = "echo a; (sleep 0.2; echo b) & exit 8",
	                 reads[] = "cat; echo end";

	(void)state;
	command_set(&c, words, closes);
	assert_int_equal(launch_output(&c, found, sizeof found, &err), 9);
	assert_string_equal(found, "a\n");
	command_set(&c, words, hands_on);
	assert_int_equal(launch_output(&c, found, sizeof found, &err), 8);
	assert_string_equal(found, "a\nb\n");
	command_set(&c, words, reads);
	assert_int_equal(launch_output(&c, found, sizeof found, &err), 0);
	assert_string_equal(found, "end\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_exit_codes),
	    cmocka_unit_test(test_signals),
	    cmocka_unit_test(test_output),
	    cmocka_unit_test(test_streams),
	    cmocka_unit_test(test_closed_and_kept_streams),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
