/* test_recording.c: what is written is read back, exactly; what is cut or damaged is said, and
 * never believed. */
#include "test.h"

#include "feed.h"
#include "observe/rec_int.h"
#include "tmp.h"

static struct tmp tmp;

static const char *record_three(const char *name)
{
	struct err err;
	const char *path = tmp_path(&tmp, name);
	struct recorder *w = recorder_open(path, &feed_info, feed_host, NULL, &err);
	struct mp_observer o;

	assert_non_null(w);
	o = recorder_observer(w);
	feed_three(&o);
	assert_ok(recorder_close(w, 8, &err), err);
	return path;
}

static struct recording *open_ok(const char *path)
{
	struct err err = {0};
	struct recording *r = recording_open(path, &err);

	if (!r)
		fail_msg("%s", err.text);
	return r;
}

static void describes_the_run(void **state)
{
	struct recording *r = open_ok(record_three("a.orr"));
	const struct run_info *info = recording_info(r);
	struct recording_totals t;

	(void)state;
	assert_int_equal(info->ranks, 3);
	assert_string_equal(info->program, "./ring \"quoted\"");
	assert_string_equal(info->machine, "graphene");
	assert_string_equal(info->settings, "smpi/os:0:1");
	assert_string_equal(info->date, "2026-01-02");
	assert_string_equal(recording_host(r, 2), "node-2");
	assert_string_equal(recording_host(r, 3), "");
	assert_string_equal(recording_notice(r), "");
	recording_totals(r, &t);
	assert_int_equal(t.states, 8);
	assert_int_equal(t.messages, 2);
	assert_int_equal(t.comms, 1);
	assert_double_is(t.makespan, 8);
	recording_close(r);
}

/* Room for five, of which three were there. */
static void places_that_no_rank_took_are_left_out(void **state)
{
	struct run_info info = feed_info;
	const char *path = tmp_path(&tmp, "spare.orr");
	struct recording *r;
	struct recorder *w;
	struct mp_observer o;
	struct err err;

	(void)state;
	info.ranks = 5;
	w = recorder_open(path, &info, feed_host, NULL, &err);
	assert_non_null(w);
	o = recorder_observer(w);
	feed_three(&o);
	recorder_trim(w, 3);
	assert_ok(recorder_close(w, 8, &err), err);
	r = open_ok(path);
	assert_int_equal(recording_info(r)->ranks, 3);
	assert_string_equal(recording_info(r)->program, "./ring \"quoted\"");
	assert_string_equal(recording_host(r, 2), "node-2");
	assert_string_equal(recording_host(r, 3), "");
	recording_close(r);
}

static void check_record(const struct record *rec, int *states, int *messages)
{
	switch (rec->kind) {
	case REC_COMM:
		assert_int_equal(rec->u.comm.comm, 7);
		assert_int_equal(rec->u.comm.n, 3);
		assert_int_equal(rec->u.comm.members[0], 2);
		break;
	case REC_MESSAGE:
		if (++*messages > 1)
			break;
		assert_int_equal(rec->u.message.tag, 42);
		assert_double_is(rec->u.message.bytes, 1000);
		assert_double_is(rec->u.message.received, 5);
		break;
	case REC_STATE:
		if (++*states != 3)
			break;
		assert_int_equal(rec->u.state.rank, 1);
		assert_int_equal(rec->u.state.call, CALL_RECV);
		assert_int_equal(rec->u.state.partner, 0);
		assert_double_is(rec->u.state.leave, 5);
		assert_double_is(rec->u.state.wait, 4);
	}
}

static void gives_back_what_was_told(void **state)
{
	struct recording *r = open_ok(record_three("a.orr"));
	struct record rec;
	struct err err;
	int states = 0, messages = 0, got, turn;

	(void)state;
	for (turn = 0; turn < 2; turn++) {
		states = messages = 0;
		while ((got = recording_next(r, &rec, &err)) > 0)
			check_record(&rec, &states, &messages);
		assert_int_equal(got, 0);
		assert_int_equal(states, 8);
		assert_int_equal(messages, 2);
		recording_rewind(r);
	}
	recording_close(r);
}

static void profile_of_a_recording_is_that_of_the_run(void **state)
{
	struct recording *r = open_ok(record_three("a.orr"));
	struct err err;
	struct profile *live = profile_new(3, &err), *later = recording_profile(r, &err);
	struct mp_observer o = profile_observer(live);
	struct str a, b;

	(void)state;
	feed_three(&o);
	assert_ok(profile_end(live, 8, &err), err);
	assert_non_null(later);
	str_init(&a);
	str_init(&b);
	profile_csv(live, &a);
	profile_csv(later, &b);
	assert_string_equal(a.s, b.s);
	str_release(&a);
	str_release(&b);
	profile_free(live);
	profile_free(later);
	recording_close(r);
}

/* Several blocks of each kind. */
static void many_blocks(void **state)
{
	enum { RANKS = 5, ROUNDS = 10000 };
	struct run_info info = {.ranks = RANKS};
	struct err err;
	const char *path = tmp_path(&tmp, "many.orr");
	struct recorder *w = recorder_open(path, &info, NULL, NULL, &err);
	struct mp_observer o = recorder_observer(w);
	struct recording *r;
	struct record rec;
	uint64_t states = 0, messages = 0;
	double sum = 0;

	(void)state;
	feed_rounds(&o, RANKS, 0, ROUNDS);
	assert_ok(recorder_close(w, 0, &err), err);
	r = open_ok(path);
	while (recording_next(r, &rec, &err) > 0) {
		states += rec.kind == REC_STATE;
		messages += rec.kind == REC_MESSAGE;
		sum += rec.kind == REC_MESSAGE ? rec.u.message.bytes : 0;
	}
	assert_int_equal(states, 2 * RANKS * ROUNDS);
	assert_int_equal(messages, RANKS * ROUNDS);
	assert_double_is(sum, 8.0 * RANKS * ROUNDS * (ROUNDS - 1) / 2);
	recording_close(r);
}

static void calls_left_open_are_told_last(void **state)
{
	struct run_info info = {.ranks = 2};
	struct err err;
	const char *path = tmp_path(&tmp, "open.orr");
	struct recorder *w = recorder_open(path, &info, NULL, NULL, &err);
	struct mp_observer o = recorder_observer(w);
	struct recording *r;
	struct record rec;

	(void)state;
	o.enter(o.self, 0, CALL_RECV, 1);
	o.enter(o.self, 1, CALL_COMPUTE, 1);
	o.leave(o.self, 1, CALL_COMPUTE, 3, -1, 0, 0);
	assert_ok(recorder_close(w, 3, &err), err);
	r = open_ok(path);
	assert_int_equal(recording_next(r, &rec, &err), 1);
	assert_int_equal(rec.u.state.rank, 1);
	assert_int_equal(recording_next(r, &rec, &err), 1);
	assert_int_equal(rec.u.state.flags, STATE_OPEN);
	assert_double_is(rec.u.state.leave, 3);
	assert_int_equal(recording_next(r, &rec, &err), 0);
	recording_close(r);
}

/* Of a deadlock: the profile of the recording is that of the run, 3 of 2 x 4 s waiting, and the
 * file has why. */
static void what_never_ended_waits_in_the_recordings_profile(void **state)
{
	struct run_info info = {.ranks = 2};
	struct err err;
	const char *path = tmp_path(&tmp, "stuck.orr");
	struct recorder *w = recorder_open(path, &info, NULL, NULL, &err);
	struct mp_observer o = recorder_observer(w);
	struct profile_shares s;
	struct recording *r;
	struct profile *p;

	(void)state;
	o.enter(o.self, 0, CALL_RECV, 1);
	o.enter(o.self, 1, CALL_COMPUTE, 0);
	recorder_stuck(w);
	recorder_note(w, "failure", "deadlock");
	assert_ok(recorder_close(w, 4, &err), err);
	r = open_ok(path);
	assert_string_equal(recording_info(r)->failure, "deadlock");
	p = recording_profile(r, &err);
	assert_non_null(p);
	profile_shares(p, &s);
	assert_double_is(s.share[TIME_WAIT], 3. / 8);
	assert_double_is(s.share[TIME_COMPUTE], 4. / 8);
	profile_free(p);
	recording_close(r);
}

/* A new file each time: to cut an old one short and write it again makes some file systems wait for
 * the disk. */
static const char *write_anew(const char *name, const void *data, size_t n)
{
	unlink(tmp_path(&tmp, name));
	return tmp_write_n(&tmp, name, data, n);
}

static void *slurp(const char *path, size_t *n)
{
	struct err err;
	void *data = input_read_all(path, n, &err);

	assert_non_null(data);
	return data;
}

/* Reads everything; returns how many states came before the end or an error. */
static int count_states(struct recording *r)
{
	struct record rec;
	struct err err;
	int n = 0;

	while (recording_next(r, &rec, &err) > 0)
		n += rec.kind == REC_STATE;
	return n;
}

/* Cut after any byte: refused with a reason, or opened with a notice and with whole blocks only. */
static void cut_files_say_so(void **state)
{
	size_t n, cut;
	char *data = slurp(record_three("whole.orr"), &n);
	int opened = 0;

	(void)state;
	for (cut = 0; cut < n; cut++) {
		struct err err = {0};
		struct recording *r = recording_open(write_anew("cut.orr", data, cut), &err);
		int states;
		if (!r) {
			assert_true(strstr(err.text, "is not a recording") ||
			            strstr(err.text, "nothing can be read"));
			continue;
		}
		opened++;
		assert_non_null(strstr(recording_notice(r), "is not complete"));
		states = count_states(r);
		assert_true(states == 0 || states == 8);
		recording_close(r);
	}
	assert_true(opened > 0);
	free(data);
}

/* Any flipped bit is seen: a notice, an error, or (in the reserved bytes of a header that is
 * checked) a refusal. */
static void flipped_bits_are_seen(void **state)
{
	size_t n, i;
	char *data = slurp(record_three("whole.orr"), &n);

	(void)state;
	for (i = 0; i < n; i++) {
		struct err err = {0};
		struct recording *r;
		struct record rec;
		int got = -1;
		data[i] ^= 0x10;
		r = recording_open(write_anew("flip.orr", data, n), &err);
		data[i] ^= 0x10;
		if (!r)
			continue;
		if (recording_notice(r)[0] == '\0')
			while ((got = recording_next(r, &rec, &err)) > 0)
				;
		assert_int_equal(got, -1);
		recording_close(r);
	}
	free(data);
}

static void other_files_are_refused(void **state)
{
	struct err err;
	size_t n;
	char *data = slurp(record_three("whole.orr"), &n);

	(void)state;
	assert_null(
	    recording_open(tmp_write(&tmp, "text", "<?xml version='1.0'?> not a recording"), &err));
	assert_non_null(strstr(err.text, "is not a recording of orrery"));
	assert_null(recording_open(tmp_path(&tmp, "absent"), &err));
	assert_int_equal(err.kind, ERR_INPUT);
	assert_null(recording_open("/dev/null", &err));
	assert_non_null(strstr(err.text, "no folder or pipe"));
	data[8] = 9;
	assert_null(recording_open(tmp_write_n(&tmp, "new.orr", data, n), &err));
	assert_non_null(strstr(err.text, "version 9 of the format; this program reads version 1"));
	free(data);
}

/* The run goes on: only the end tells. */
static void a_full_disk_is_told_at_the_end(void **state)
{
	struct err err = {0};
	struct recorder *w = recorder_open("/dev/full", &feed_info, NULL, NULL, &err);
	struct mp_observer o;

	(void)state;
	assert_non_null(w);
	o = recorder_observer(w);
	feed_three(&o);
	assert_fails(
	    recorder_close(w, 8, &err), err, ERR_LIMIT,
	    "recording: cannot write /dev/full: No space left on device; nothing was recorded, "
	    "and a file that was there is as it was; the prediction is not affected");
	assert_null(recorder_open("/nonexistent/x", &feed_info, NULL, NULL, &err));
	assert_int_equal(err.kind, ERR_INPUT);
}

static int setup(void **state)
{
	(void)state;
	tmp_init(&tmp);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	tmp_release(&tmp);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(describes_the_run),
	    cmocka_unit_test(places_that_no_rank_took_are_left_out),
	    cmocka_unit_test(gives_back_what_was_told),
	    cmocka_unit_test(profile_of_a_recording_is_that_of_the_run),
	    cmocka_unit_test(many_blocks),
	    cmocka_unit_test(calls_left_open_are_told_last),
	    cmocka_unit_test(what_never_ended_waits_in_the_recordings_profile),
	    cmocka_unit_test(cut_files_say_so),
	    cmocka_unit_test(flipped_bits_are_seen),
	    cmocka_unit_test(other_files_are_refused),
	    cmocka_unit_test(a_full_disk_is_told_at_the_end),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
