/* prop_recording.c: random runs written to a recording and read back: every call, message and
 * communicator as it was told, bit for bit, in the order that the face promises; what the recording
 * says of itself; more records than a block holds; twice over, after a rewind; and of a file that
 * was cut anywhere, a beginning of the same. */
#include "random_run.h"

#include <sys/stat.h>
#include <unistd.h>

enum { LARGE = 50000, COMMS = 6, MEMBERS = 40 };

static struct random_run run;

static int same_double(double a, double b)
{
	return memcmp(&a, &b, sizeof a) == 0;
}

static void state_is(const struct rec_state *s, const struct rec_state *w)
{
	assert_int_equal(s->rank, w->rank);
	assert_int_equal(s->call, w->call);
	assert_int_equal(s->partner, w->partner);
	assert_int_equal(s->flags, w->flags);
	assert_true(same_double(s->enter, w->enter) && same_double(s->leave, w->leave));
	assert_true(same_double(s->bytes, w->bytes) && same_double(s->wait, w->wait));
}

static void message_is(const struct rec_message *m, const struct rec_message *w)
{
	assert_int_equal(m->from, w->from);
	assert_int_equal(m->to, w->to);
	assert_int_equal(m->tag, w->tag);
	assert_int_equal(m->comm, w->comm);
	assert_int_equal(m->coll, w->coll);
	assert_true(same_double(m->bytes, w->bytes) && same_double(m->sent, w->sent));
	assert_true(same_double(m->moved, w->moved) && same_double(m->received, w->received));
}

/* All records: each kind in its order. How many came before the end or the damage. */
static void read_all(struct recording *rec, uint32_t *states, uint32_t *messages)
{
	struct record r;
	struct err err;

	*states = *messages = 0;
	while (recording_next(rec, &r, &err) == 1) {
		if (r.kind == REC_STATE) {
			assert_true(*states < run.n_states);
			state_is(&r.u.state, &run.state[(*states)++]);
		} else if (r.kind == REC_MESSAGE) {
			assert_true(*messages < run.n_messages);
			message_is(&r.u.message, &run.message[(*messages)++]);
		}
	}
}

static void says_of_itself(const struct recording *rec)
{
	const struct run_info *info = recording_info(rec);
	struct recording_totals totals;
	char host[64];

	assert_int_equal(info->ranks, run.ranks);
	assert_string_equal(info->program, run.program);
	assert_string_equal(info->machine, "m \\ \"x\"");
	assert_string_equal(info->settings, "a:1 b:2");
	assert_string_equal(info->trace, "t/é");
	for (uint32_t i = 0; i < run.ranks; i++)
		assert_string_equal(recording_host(rec, i),
		                    random_host(NULL, i, host, sizeof host));
	recording_totals(rec, &totals);
	assert_int_equal(totals.states, run.n_states);
	assert_int_equal(totals.messages, run.n_messages);
	assert_true(same_double(totals.makespan, run.makespan));
}

static void test_what_was_told_comes_back(void **state)
{
	struct prop_run cases = prop_begin(60);
	struct tmp t;

	(void)state;
	tmp_init(&t);
	for (uint64_t i = 0; i < cases.cases; i++) {
		struct recording *rec;
		uint32_t states, messages;
		struct rng r;
		char path[256];

		rng_init(&r, cases.seed, "recordings", i);
		random_run_draw(&run, &r, RUN_MOST);
		snprintf(path, sizeof path, "%s", tmp_path(&t, "run.orr"));
		rec = random_run_record(&run, path);
		says_of_itself(rec);
		for (int twice = 0; twice < 2; twice++) {
			read_all(rec, &states, &messages);
			assert_int_equal(states, run.n_states);
			assert_int_equal(messages, run.n_messages);
			recording_rewind(rec);
		}
		recording_close(rec);
	}
	tmp_release(&t);
}

/* A killed process, a full disk: what can be read is what was told, and the notice says that it is
 * not all. */
static void test_cut_files(void **state)
{
	struct prop_run cases = prop_begin(60);
	struct tmp t;

	(void)state;
	tmp_init(&t);
	for (uint64_t i = 0; i < cases.cases; i++) {
		struct recording *rec;
		uint32_t states, messages;
		struct rng r;
		char path[256];
		struct stat st;
		struct err err;

		rng_init(&r, cases.seed, "cuts", i);
		random_run_draw(&run, &r, 200);
		snprintf(path, sizeof path, "%s", tmp_path(&t, "run.orr"));
		recording_close(random_run_record(&run, path));
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(truncate(path, (off_t)rng_below(&r, (uint64_t)st.st_size)), 0);
		rec = recording_open(path, &err);
		if (!rec) {
			assert_int_equal(err.kind, ERR_INPUT);
			continue;
		}
		assert_string_not_equal(recording_notice(rec), "");
		read_all(rec, &states, &messages);
		recording_close(rec);
	}
	tmp_release(&t);
}

/* The i-th of very many, which nobody keeps. */
static struct rec_state large_state(uint32_t i)
{
	return (struct rec_state){.rank = i % 3,
	                          .call = i % 2 ? CALL_SEND : CALL_COMPUTE,
	                          .partner = (int32_t)(i % 4) - 1,
	                          .enter = i * 0.1,
	                          .leave = i * 0.1 + 0.05,
	                          .bytes = (double)i * i,
	                          .wait = i % 7 ? 0 : 0.01};
}

static void test_more_than_a_block(void **state)
{
	const struct run_info info = {.ranks = 3};
	struct recording *rec;
	struct recorder *w;
	struct mp_observer o;
	struct record r;
	struct err err;
	struct tmp t;
	char path[256];
	uint32_t n = 0;

	(void)state;
	tmp_init(&t);
	snprintf(path, sizeof path, "%s", tmp_path(&t, "large.orr"));
	w = recorder_open(path, &info, NULL, NULL, &err);
	assert_non_null(w);
	o = recorder_observer(w);
	for (uint32_t i = 0; i < LARGE; i++) {
		struct rec_state s = large_state(i);

		o.enter(o.self, s.rank, s.call, s.enter);
		o.leave(o.self, s.rank, s.call, s.leave, s.partner, s.bytes, s.wait);
	}
	assert_ok(recorder_close(w, LARGE * 0.1, &err), err);
	rec = recording_open(path, &err);
	assert_non_null(rec);
	while (recording_next(rec, &r, &err) == 1) {
		struct rec_state s = large_state(n++);

		state_is(&r.u.state, &s);
	}
	assert_int_equal(n, LARGE);
	assert_string_equal(recording_host(rec, 0), "");
	recording_close(rec);
	tmp_release(&t);
}

/* Ranks that are in a call when the run ends: open to its end, behind all that ended. */
static void test_calls_that_never_end(void **state)
{
	const struct run_info info = {.ranks = 3, .program = "p"};
	struct recording *rec;
	struct recorder *w;
	struct mp_observer o;
	struct record r;
	struct err err;
	struct tmp t;
	char path[256];

	(void)state;
	tmp_init(&t);
	snprintf(path, sizeof path, "%s", tmp_path(&t, "open.orr"));
	w = recorder_open(path, &info, NULL, NULL, &err);
	o = recorder_observer(w);
	o.enter(o.self, 2, CALL_RECV, 1);
	o.enter(o.self, 0, CALL_COMPUTE, 2);
	o.leave(o.self, 0, CALL_COMPUTE, 5, -1, 0, 0);
	assert_ok(recorder_close(w, 7, &err), err);
	rec = recording_open(path, &err);
	assert_int_equal(recording_next(rec, &r, &err), 1);
	state_is(&r.u.state, &(struct rec_state){0, CALL_COMPUTE, 0, -1, 2, 5, 0, 0});
	assert_int_equal(recording_next(rec, &r, &err), 1);
	assert_int_equal(r.u.state.rank, 2);
	assert_int_equal(r.u.state.flags, STATE_OPEN);
	assert_double_is(r.u.state.enter, 1);
	assert_double_is(r.u.state.leave, 7);
	assert_int_equal(recording_next(rec, &r, &err), 0);
	recording_close(rec);
	tmp_release(&t);
}

/* Communicators of any size, members in their order, between the calls. */
static void test_communicators(void **state)
{
	const struct run_info info = {.ranks = MEMBERS};
	uint32_t members[COMMS][MEMBERS], n[COMMS], seen = 0;
	struct recording *rec;
	struct recorder *w;
	struct mp_observer o;
	struct record r;
	struct rng rng;
	struct err err;
	struct tmp t;
	char path[256];

	(void)state;
	tmp_init(&t);
	rng_init(&rng, 3, "communicators", 0);
	snprintf(path, sizeof path, "%s", tmp_path(&t, "comms.orr"));
	w = recorder_open(path, &info, NULL, NULL, &err);
	o = recorder_observer(w);
	for (uint32_t i = 0; i < COMMS; i++) {
		n[i] = prop_from(&rng, 0, MEMBERS);
		for (uint32_t k = 0; k < n[i]; k++)
			members[i][k] = prop_from(&rng, 0, MEMBERS - 1);
		o.comm(o.self, (struct mp_comm){100 + i}, members[i], n[i]);
		o.enter(o.self, i, CALL_COMM, i);
		o.leave(o.self, i, CALL_COMM, i + 0.5, -1, 0, 0);
	}
	assert_ok(recorder_close(w, COMMS, &err), err);
	rec = recording_open(path, &err);
	while (recording_next(rec, &r, &err) == 1) {
		if (r.kind != REC_COMM)
			continue;
		assert_int_equal(r.u.comm.comm, 100 + seen);
		assert_int_equal(r.u.comm.n, n[seen]);
		assert_memory_equal(r.u.comm.members, members[seen], n[seen] * sizeof **members);
		seen++;
	}
	assert_int_equal(seen, COMMS);
	recording_close(rec);
	tmp_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_what_was_told_comes_back),
	    cmocka_unit_test(test_cut_files),
	    cmocka_unit_test(test_more_than_a_block),
	    cmocka_unit_test(test_calls_that_never_end),
	    cmocka_unit_test(test_communicators),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
