/* test_profile.c: tracer/profile.c: how many bytes each kind of call is worth (what a rank gives;
 * of what it only receives, that), and the page: worked out by hand. */
#include "test.h"

#include "tracer/profile.h"

static const int64_t three[] = {10, 20, 30};

static void bytes_are(struct trace_event ev, double bytes)
{
	struct profile p = {.volume = 0};

	profile_add(&p, &ev);
	profile_add(&p, &ev);
	assert_double_is(p.calls[ev.op], 2);
	if (p.bytes[ev.op] != 2 * bytes)
		fail_msg("%s: %g bytes, not %g", trace_op_name((enum trace_op)ev.op),
		         p.bytes[ev.op] / 2, bytes);
}

static struct trace_event event(enum trace_op op, int64_t count, int64_t size)
{
	struct trace_event ev;

	trace_event_init(&ev, op);
	ev.count = count;
	ev.type_size = size;
	return ev;
}

static void test_messages(void **state)
{
	struct trace_event ev;

	(void)state;
	bytes_are(event(TRACE_SEND, 7, 4), 28);
	bytes_are(event(TRACE_IRECV, 7, 8), 56);
	bytes_are(event(TRACE_RECV, -1, 8), 0); /* not known */
	bytes_are(event(TRACE_RECV, TRACE_COUNT_ANY, 8), 0);
	bytes_are(event(TRACE_IPROBE, 1, 0), 0); /* found: no amount */
	bytes_are(event(TRACE_WAIT, 0, 0), 0);
	ev = event(TRACE_SENDRECV, 3, 8);
	ev.count2 = 100;
	ev.type_size2 = 8;
	bytes_are(ev, 24);
}

static void test_collectives(void **state)
{
	struct trace_event ev;

	(void)state;
	bytes_are(event(TRACE_BARRIER, 0, 0), 0);
	bytes_are(event(TRACE_BCAST, 5, 8), 40);
	ev = event(TRACE_ALLTOALLV, 60, 8); /* its counts are what is given, its count a buffer */
	ev.counts = three;
	ev.n_counts = 3;
	bytes_are(ev, 480);
	ev = event(TRACE_ALLGATHERV, 4, 8); /* what others give is theirs */
	ev.counts2 = three;
	ev.n_counts2 = 3;
	ev.type_size2 = 8;
	bytes_are(ev, 32);
	ev = event(TRACE_REDUCE_SCATTER, 0, 4); /* all parts are given */
	ev.counts2 = three;
	ev.n_counts2 = 3;
	bytes_are(ev, 240);
	ev = event(TRACE_SCATTERV, 0, 8); /* at the root, and elsewhere, where it only receives */
	ev.counts = three;
	ev.n_counts = 3;
	bytes_are(ev, 480);
	ev = event(TRACE_SCATTER, 0, 8);
	ev.count2 = 9;
	ev.type_size2 = 8;
	bytes_are(ev, 72);
	ev.op = TRACE_SCATTERV;
	bytes_are(ev, 72);
}

static void test_files_and_windows(void **state)
{
	struct trace_event ev;

	(void)state;
	bytes_are(event(TRACE_IO_READ, 1000, 0), 1000); /* of the system: counted in bytes */
	bytes_are(event(TRACE_IO_WRITE, 1, 0), 1);
	bytes_are(event(TRACE_IO_CLOSE, 0, 0), 0);
	bytes_are(event(TRACE_FILE_WRITE_ALL, 10, 4), 40);
	bytes_are(event(TRACE_PUT, 10, 4), 40);
	bytes_are(event(TRACE_FETCH_AND_OP, 0, 8), 8);     /* of one element */
	bytes_are(event(TRACE_WIN_CREATE, 1 << 20, 0), 0); /* its size moves nowhere */
	bytes_are(event(TRACE_COMM_SIZE, 64, 0), 0);
	ev = event(TRACE_PREADY, 0, 0); /* numbers of partitions */
	ev.counts = three;
	ev.n_counts = 3;
	bytes_are(ev, 0);
}

/* Two ranks: 3 + 1 s in sends, 1 + 1 s of computation. */
static void test_the_page(void **state)
{
	struct profile a = {.volume = 0}, b = {.volume = 0}, sum;
	struct trace_event ev = event(TRACE_SEND, 125, 8);
	struct str page;
	const char *send, *compute;
	char name[64];
	double calls, us, seconds, percent, least, most;

	(void)state;
	ev.duration = 1.5;
	profile_add(&a, &ev);
	profile_add(&a, &ev);
	ev.duration = 1;
	profile_add(&b, &ev);
	profile_compute(&a, 4e9, 1);
	profile_compute(&b, 2e9, 1);
	for (size_t i = 0; i < PROFILE_NUMBERS; i++)
		((double *)&sum)[i] = ((double *)&a)[i] + ((double *)&b)[i];
	str_init(&page);
	profile_format(&page, &sum, &b, &a, 2);
	send = strstr(page.s, "MPI_Send");
	compute = strstr(page.s, trace_op_name(TRACE_COMPUTE));
	assert_non_null(send);
	assert_true(send < compute); /* what took longer comes first */
	assert_int_equal(sscanf(send, "%63s %lf 3 kB %lf %lf %lf %lf %lf", name, &calls, &us,
	                        &seconds, &percent, &least, &most),
	                 7);
	assert_double_is(calls, 3);
	assert_close(us, 4e6 / 3, 1e-6);
	assert_double_is(seconds, 4);
	assert_close(percent, 100 * 4. / 6, 1e-3);
	assert_double_is(least, 1);
	assert_double_is(most, 3);
	/* (4 + 2) / 2 of 4 */
	assert_non_null(strstr(page.s, "computed in all: 6e+09, 2e+09 to 4e+09 a rank"));
	assert_non_null(strstr(page.s, "balance (mean / most): 0.750"));
	str_release(&page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_messages),
	    cmocka_unit_test(test_collectives),
	    cmocka_unit_test(test_files_and_windows),
	    cmocka_unit_test(test_the_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
