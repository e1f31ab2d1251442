/* prop_profile_forms.c: the profile of random runs as CSV and as JSON, read back by small readers,
 * is the plain sums over the calls: per rank and function, per class, least and greatest; the
 * seconds of each rank add up to the makespan. */
#include "random_run.h"

#include <math.h>

static struct random_run run;

/* Sums of one rank and function. */
struct sum {
	int calls;
	double seconds, wait, bytes;
};

static struct sum sum_of(uint32_t rank, const char *function)
{
	struct sum s = {0};

	for (uint32_t i = 0; i < run.n_states; i++) {
		const struct rec_state *t = &run.state[i];

		if (t->rank != rank || strcmp(mp_call_name(t->call), function) != 0)
			continue;
		s.calls++;
		s.seconds += t->leave - t->enter;
		s.wait += t->wait;
		s.bytes += t->bytes;
	}
	return s;
}

static double end_of(uint32_t rank)
{
	double end = 0;

	for (uint32_t i = 0; i < run.n_states; i++)
		if (run.state[i].rank == rank && run.state[i].leave > end)
			end = run.state[i].leave;
	return end;
}

static double in_calls(uint32_t rank)
{
	double sum = 0;

	for (uint32_t i = 0; i < run.n_states; i++)
		if (run.state[i].rank == rank)
			sum += run.state[i].leave - run.state[i].enter;
	return sum;
}

/* To what the order of additions may change; the scale is the makespan's. */
static void same_seconds(double found, double wanted)
{
	if (fabs(found - wanted) > 1e-12 * (run.makespan + 1))
		fail_msg("%.17g s, not %.17g s", found, wanted);
}

static struct profile *profile_of_run(void)
{
	struct err err;
	struct profile *p = profile_new(run.ranks, &err);
	struct mp_observer o;

	assert_non_null(p);
	o = profile_observer(p);
	random_run_tell(&run, &o);
	assert_ok(profile_end(p, run.makespan, &err), err);
	return p;
}

/* --- CSV --- */

struct row {
	unsigned rank;
	char function[64], class[32];
	unsigned long long calls;
	double seconds, waiting, bytes;
};

static void row_read(const char *line, struct row *r)
{
	assert_int_equal(sscanf(line, "%u,%63[^,],%31[^,],%llu,%lf,%lf,%lf", &r->rank, r->function,
	                        r->class, &r->calls, &r->seconds, &r->waiting, &r->bytes),
	                 7);
}

static void row_check(const struct row *r)
{
	struct sum s = sum_of(r->rank, r->function);

	if (strcmp(r->function, "(between calls)") == 0) {
		same_seconds(r->seconds, end_of(r->rank) - in_calls(r->rank));
		assert_string_equal(r->class, "other");
		return;
	}
	if (strcmp(r->function, "(idle at the end)") == 0) {
		same_seconds(r->seconds, run.makespan - end_of(r->rank));
		assert_string_equal(r->class, "idle");
		return;
	}
	assert_true(s.calls > 0);
	assert_int_equal(r->calls, s.calls);
	same_seconds(r->seconds, s.seconds);
	same_seconds(r->waiting, s.wait);
	assert_true(fabs(r->bytes - s.bytes) <= 1e-12 * s.bytes);
}

static void csv_check(const struct profile *p)
{
	double seconds[RUN_RANKS] = {0};
	unsigned long long calls = 0;
	struct str text;
	char *line, *save;

	str_init(&text);
	profile_csv(p, &text);
	line = strtok_r(text.s, "\n", &save);
	assert_string_equal(line, "rank,function,class,calls,seconds,waiting,bytes");
	while ((line = strtok_r(NULL, "\n", &save))) {
		struct row r;

		row_read(line, &r);
		row_check(&r);
		seconds[r.rank] += r.seconds;
		calls += r.calls;
	}
	assert_int_equal(calls, run.n_states); /* no row is missing */
	for (uint32_t i = 0; i < run.ranks; i++)
		same_seconds(seconds[i], run.makespan);
	str_release(&text);
}

/* --- JSON: figures by their place in the text --- */

/* The number that follows "key": behind `at`. */
static double figure(const char *at, const char *key)
{
	char quoted[64];
	const char *p;

	snprintf(quoted, sizeof quoted, "\"%s\":", key);
	p = strstr(at, quoted);
	assert_non_null(p);
	return strtod(p + strlen(quoted), NULL);
}

/* Seconds of a class on one rank, by its rule: a call's waiting is its own class, all else of it
 * the function's, what is between calls other, what is behind the last idle (docs/profile.md). */
static double class_seconds(uint32_t rank, enum time_class class)
{
	double sum = class == TIME_OTHER  ? end_of(rank) - in_calls(rank)
	             : class == TIME_IDLE ? run.makespan - end_of(rank)
	                                  : 0;

	for (uint32_t i = 0; i < run.n_states; i++) {
		const struct rec_state *s = &run.state[i];

		if (s->rank != rank)
			continue;
		if (class == TIME_WAIT)
			sum += s->wait;
		else if (call_class(s->call) == class)
			sum += s->leave - s->enter - s->wait;
	}
	return sum;
}

static void class_check(const char *text, enum time_class c)
{
	double sum = 0, least = INFINITY, most = -INFINITY;
	const char *at;
	char key[64];

	for (uint32_t r = 0; r < run.ranks; r++) {
		double s = class_seconds(r, c);

		sum += s;
		least = s < least ? s : least;
		most = s > most ? s : most;
	}
	snprintf(key, sizeof key, "\"%s\":", time_class_key(c));
	at = strstr(strstr(text, "\"classes\""), key);
	assert_non_null(at);
	same_seconds(figure(at, "seconds") / run.ranks, sum / run.ranks);
	same_seconds(figure(at, "min"), least);
	same_seconds(figure(at, "max"), most);
	same_seconds(figure(at, "mean"), sum / run.ranks);
	same_seconds(class_seconds((uint32_t)figure(at, "max_rank"), c), most);
	if (run.makespan > 0)
		assert_true(fabs(figure(at, "share") - sum / run.makespan / run.ranks) < 1e-9);
}

static void function_check(const char *text, enum mp_call call)
{
	double seconds = 0, most = 0, least = INFINITY;
	int calls = 0, ranks = 0;
	const char *at;
	char key[96];

	for (uint32_t r = 0; r < run.ranks; r++) {
		struct sum s = sum_of(r, mp_call_name(call));

		calls += s.calls;
		ranks += s.calls > 0;
		seconds += s.seconds;
		most = s.seconds > most ? s.seconds : most;
		least = s.seconds < least ? s.seconds : least;
	}
	snprintf(key, sizeof key, "\"function\":\"%s\"", mp_call_name(call));
	at = strstr(text, key);
	assert_int_equal(at != NULL, calls > 0);
	if (!at)
		return;
	assert_double_is(figure(at, "calls"), calls);
	assert_double_is(figure(at, "ranks"), ranks);
	same_seconds(figure(at, "seconds") / run.ranks, seconds / run.ranks);
	same_seconds(figure(at, "min"), least);
	same_seconds(figure(at, "max"), most);
	if (seconds > 0)
		assert_true(fabs(figure(at, "imbalance") - (most * run.ranks / seconds - 1)) <
		            1e-9);
}

static void blanks_drop(char *text)
{
	char *out = text;

	for (; *text; text++)
		if (*text != ' ' && *text != '\n')
			*out++ = *text;
	*out = '\0';
}

static void json_check(const struct profile *p)
{
	struct str text;
	struct json j;

	str_init(&text);
	json_init(&j, &text);
	profile_json(p, 0, &j);
	blanks_drop(text.s);
	assert_double_is(figure(text.s, "ranks"), run.ranks);
	assert_double_is(figure(text.s, "makespan"), run.makespan);
	for (int c = 0; c < TIME_CLASSES; c++)
		class_check(text.s, (enum time_class)c);
	for (int c = 0; c < CALL_CALLS; c++)
		if (strchr(mp_call_name((enum mp_call)c), ' ') == NULL)
			function_check(text.s, (enum mp_call)c);
	str_release(&text);
}

static void test_random_profiles(void **state)
{
	struct prop_run cases = prop_begin(60);

	(void)state;
	for (uint64_t i = 0; i < cases.cases; i++) {
		struct profile *p;
		struct rng r;

		rng_init(&r, cases.seed, "profiles", i);
		random_run_draw(&run, &r, 150);
		p = profile_of_run();
		csv_check(p);
		json_check(p);
		profile_free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_random_profiles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
