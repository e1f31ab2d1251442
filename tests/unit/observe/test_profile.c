/* test_profile.c: the figures of feed_three, worked by hand in feed.h. */
#include "test.h"

#include "feed.h"

static struct profile *profile_fed(void)
{
	struct err err;
	struct profile *p = profile_new(3, &err);
	struct mp_observer o;

	assert_non_null(p);
	o = profile_observer(p);
	feed_three(&o);
	assert_ok(profile_end(p, 0, &err), err);
	return p;
}

static void classes_add_up_to_ranks_times_makespan(void **state)
{
	static const double wanted[TIME_CLASSES] = {
	    [TIME_COMPUTE] = 7, [TIME_P2P] = 2,   [TIME_COLL] = 3,
	    [TIME_WAIT] = 7,    [TIME_OTHER] = 1, [TIME_IDLE] = 4};
	struct profile *p = profile_fed();
	struct profile_shares s;
	int c;

	(void)state;
	profile_shares(p, &s);
	assert_int_equal(s.ranks, 3);
	assert_double_is(s.makespan, 8);
	for (c = 0; c < TIME_CLASSES; c++) {
		assert_double_is(s.seconds[c], wanted[c]);
		assert_double_is(s.share[c], wanted[c] / 24);
	}
	profile_free(p);
}

static void rows_have_totals_and_extremes(void **state)
{
	struct profile *p = profile_fed();
	struct profile_row rows[CALL_CALLS];

	(void)state;
	assert_int_equal(profile_rows(p, rows), 4);
	assert_int_equal(rows[0].call, CALL_COMPUTE);
	assert_int_equal(rows[0].calls, 3);
	assert_double_is(rows[0].min, 1);
	assert_double_is(rows[0].max, 4);
	assert_double_is(rows[0].mean, 7.0 / 3);
	assert_double_is(rows[0].imbalance, 4 / (7.0 / 3) - 1);
	assert_int_equal(rows[2].call, CALL_RECV);
	assert_int_equal(rows[2].ranks, 1);
	assert_double_is(rows[2].min, 0); /* two ranks never called it */
	assert_double_is(rows[2].wait, 4);
	assert_double_is(rows[2].bytes, 1000);
	assert_int_equal(rows[3].call, CALL_COLL + COLL_BARRIER);
	assert_double_is(rows[3].time, 6);
	profile_free(p);
}

static void makespan_may_be_later_than_the_last_call(void **state)
{
	struct err err;
	struct profile *p = profile_new(1, &err);
	struct mp_observer o = profile_observer(p);
	struct profile_shares s;

	(void)state;
	o.enter(o.self, 0, CALL_INIT, 0);
	o.leave(o.self, 0, CALL_INIT, 1, -1, 0, 0);
	assert_ok(profile_end(p, 4, &err), err);
	profile_shares(p, &s);
	assert_double_is(s.share[TIME_OTHER], 0.25);
	assert_double_is(s.share[TIME_IDLE], 0.75);
	profile_free(p);
}

/* A deadlock: the call lasts to the end of the run. */
static void calls_that_never_end_count_to_the_end(void **state)
{
	struct err err;
	struct profile *p = profile_new(2, &err);
	struct mp_observer o = profile_observer(p);
	struct profile_row rows[CALL_CALLS];

	(void)state;
	o.enter(o.self, 0, CALL_RECV, 1);
	o.enter(o.self, 1, CALL_COMPUTE, 0);
	o.leave(o.self, 1, CALL_COMPUTE, 3, -1, 0, 0);
	assert_ok(profile_end(p, 0, &err), err);
	assert_int_equal(profile_rows(p, rows), 2);
	assert_double_is(rows[1].time, 2);
	profile_free(p);
}

/* Where nothing moves any more they wait, but for a computation (on a host without speed). */
static void calls_that_never_end_wait(void **state)
{
	struct err err;
	struct profile *p = profile_new(2, &err);
	struct mp_observer o = profile_observer(p);
	struct profile_shares s;

	(void)state;
	o.enter(o.self, 0, CALL_RECV, 1);
	o.enter(o.self, 1, CALL_COMPUTE, 0);
	profile_stuck(p);
	assert_ok(profile_end(p, 4, &err), err);
	profile_shares(p, &s);
	assert_double_is(s.share[TIME_WAIT], 3. / 8);
	assert_double_is(s.share[TIME_COMPUTE], 4. / 8);
	profile_free(p);
}

/* MPI_Init and MPI_Finalize in no time, which take no entry, count as any other function; so does
 * one that is called again, or takes time. */
static void calls_in_no_time_count(void **state)
{
	struct err err;
	struct profile *p = profile_new(2, &err);
	struct mp_observer o = profile_observer(p);
	struct profile_row rows[CALL_CALLS];
	struct str out;

	(void)state;
	for (uint32_t rank = 0; rank < 2; rank++) {
		o.enter(o.self, rank, CALL_INIT, 0);
		o.leave(o.self, rank, CALL_INIT, 0, -1, 0, 0);
	}
	o.enter(o.self, 1, CALL_INIT, 1);
	o.leave(o.self, 1, CALL_INIT, 3, -1, 0, 0.5);
	o.enter(o.self, 0, CALL_FINALIZE, 3);
	o.leave(o.self, 0, CALL_FINALIZE, 3, -1, 0, 0);
	assert_ok(profile_end(p, 0, &err), err);
	assert_int_equal(profile_rows(p, rows), 2);
	assert_int_equal(rows[0].call, CALL_INIT);
	assert_int_equal(rows[0].calls, 3);
	assert_int_equal(rows[0].ranks, 2);
	assert_double_is(rows[0].time, 2);
	assert_double_is(rows[0].wait, 0.5);
	assert_double_is(rows[0].min, 0);
	assert_double_is(rows[0].max, 2);
	assert_int_equal(rows[1].call, CALL_FINALIZE);
	assert_int_equal(rows[1].calls, 1);
	assert_int_equal(rows[1].ranks, 1);
	assert_double_is(rows[1].time, 0);
	str_init(&out);
	profile_csv(p, &out);
	assert_non_null(strstr(out.s, "\n0,MPI_Init,other,1,0,0,0\n"));
	assert_non_null(strstr(out.s, "\n1,MPI_Init,other,2,2,0.5,0\n"));
	str_release(&out);
	profile_free(p);
}

static void nothing_gives_zeros(void **state)
{
	struct err err;
	struct profile *p = profile_new(2, &err);
	struct profile_shares s;
	struct profile_row rows[CALL_CALLS];
	struct str out;

	(void)state;
	assert_ok(profile_end(p, 0, &err), err);
	profile_shares(p, &s);
	assert_double_is(s.share[TIME_IDLE], 0);
	assert_int_equal(profile_rows(p, rows), 0);
	str_init(&out);
	profile_text(p, PROFILE_PER_RANK, &out);
	assert_false(out.failed);
	str_release(&out);
	profile_free(p);
}

static void text_has_words_and_colors_only_when_asked(void **state)
{
	struct profile *p = profile_fed();
	struct str out;

	(void)state;
	str_init(&out);
	profile_text(p, 0, &out);
	assert_non_null(strstr(out.s, "3 ranks, 8 s\n"));
	assert_non_null(strstr(
	    out.s, "computation        29.2 %         2.333 s         1 s         4 s   rank 0\n"));
	assert_non_null(strstr(out.s, "MPI_Barrier"));
	assert_null(strchr(out.s, '\033'));
	str_clear(&out);
	profile_text(p, PROFILE_COLOR | PROFILE_PER_RANK, &out);
	assert_non_null(strchr(out.s, '\033'));
	assert_non_null(strstr(out.s, "idle at the end"));
	str_release(&out);
	profile_free(p);
}

static void csv_adds_up_per_rank(void **state)
{
	struct profile *p = profile_fed();
	struct str out;

	(void)state;
	str_init(&out);
	profile_csv(p, &out);
	assert_string_equal(out.s, "rank,function,class,calls,seconds,waiting,bytes\n"
	                           "0,computation,compute,1,4,0,0\n"
	                           "0,MPI_Send,p2p,1,1,0,1000\n"
	                           "0,MPI_Barrier,coll,1,1,0,0\n"
	                           "0,(between calls),other,0,0,0,0\n"
	                           "0,(idle at the end),idle,0,2,0,0\n"
	                           "1,computation,compute,1,2,0,0\n"
	                           "1,MPI_Recv,p2p,1,5,4,1000\n"
	                           "1,MPI_Barrier,coll,1,1,0,0\n"
	                           "1,(between calls),other,0,0,0,0\n"
	                           "1,(idle at the end),idle,0,0,0,0\n"
	                           "2,computation,compute,1,1,0,0\n"
	                           "2,MPI_Barrier,coll,1,4,3,0\n"
	                           "2,(between calls),other,0,1,0,0\n"
	                           "2,(idle at the end),idle,0,2,0,0\n");
	str_release(&out);
	profile_free(p);
}

static void json_is_one_object(void **state)
{
	struct profile *p = profile_fed();
	struct str out;
	struct json j;

	(void)state;
	str_init(&out);
	json_init(&j, &out);
	profile_json(p, 0, &j);
	assert_non_null(strstr(out.s, "\"makespan\":8"));
	assert_non_null(strstr(out.s, "\"wait\":{\"seconds\":7,"));
	assert_null(strstr(out.s, "per_rank"));
	str_clear(&out);
	json_init(&j, &out);
	profile_json(p, PROFILE_PER_RANK, &j);
	assert_non_null(strstr(out.s, "\"per_rank\":[{\"rank\":0,"));
	str_release(&out);
	profile_free(p);
}

static void every_call_has_a_class(void **state)
{
	int c;

	(void)state;
	for (c = 0; c < CALL_CALLS; c++) {
		enum time_class k = call_class((enum mp_call)c);
		assert_int_equal(k == TIME_IO,
		                 (c >= CALL_OPEN && c <= CALL_WRITE) ||
		                     (c >= CALL_FILE_OPEN && c <= CALL_FILE_WRITE_ALL));
		assert_true(k == TIME_COMPUTE || k == TIME_P2P || k == TIME_COLL || k == TIME_IO ||
		            k == TIME_OTHER);
	}
	assert_int_equal(call_class(CALL_WAITALL), TIME_P2P);
	assert_int_equal(call_class((enum mp_call)(CALL_ICOLL + COLL_EXSCAN)), TIME_COLL);
	assert_string_equal(time_class_key(TIME_P2P), "p2p");
	assert_string_equal(time_class_name(TIME_IDLE), "idle at the end");
}

/* Calls in no order, of two ranks by turns: each function has its own sums, counted beside. */
static void calls_in_any_order_have_their_own_sums(void **state)
{
	enum { RANKS = 2, KINDS = 7, STEPS = 500 };
	uint64_t calls[KINDS] = {0};
	double time[KINDS] = {0}, now = 0;
	struct err err;
	struct profile *p = profile_new(RANKS, &err);
	struct mp_observer o;
	struct profile_row rows[CALL_CALLS];
	uint32_t x = 1;

	(void)state;
	assert_non_null(p);
	o = profile_observer(p);
	for (int i = 0; i < STEPS; i++) {
		x = x * 1664525 + 1013904223; /* Numerical Recipes, 7.1 */
		uint32_t rank = x >> 30 & 1, kind = (x >> 16) % (i < STEPS / 2 ? 3 : KINDS);
		o.enter(o.self, rank, CALL_COMPUTE + kind, now);
		now += kind + 1;
		o.leave(o.self, rank, CALL_COMPUTE + kind, now, -1, 0, 0);
		calls[kind]++;
		time[kind] += kind + 1;
	}
	assert_ok(profile_end(p, now, &err), err);
	assert_int_equal(profile_rows(p, rows), KINDS);
	for (int k = 0; k < KINDS; k++) {
		assert_int_equal(rows[k].call, CALL_COMPUTE + k);
		assert_int_equal(rows[k].calls, calls[k]);
		assert_double_is(rows[k].time, time[k]);
	}
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(classes_add_up_to_ranks_times_makespan),
	    cmocka_unit_test(rows_have_totals_and_extremes),
	    cmocka_unit_test(makespan_may_be_later_than_the_last_call),
	    cmocka_unit_test(calls_that_never_end_count_to_the_end),
	    cmocka_unit_test(calls_that_never_end_wait),
	    cmocka_unit_test(calls_in_no_time_count),
	    cmocka_unit_test(calls_in_any_order_have_their_own_sums),
	    cmocka_unit_test(nothing_gives_zeros),
	    cmocka_unit_test(text_has_words_and_colors_only_when_asked),
	    cmocka_unit_test(csv_adds_up_per_rank),
	    cmocka_unit_test(json_is_one_object),
	    cmocka_unit_test(every_call_has_a_class),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
