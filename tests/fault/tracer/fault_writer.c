/* fault_writer.c: the buffer and the request table when memory runs out or the disk is full: an
 * error, and nothing lost but the trace. */
#include "fault/fault.h"
#include "test.h"

#include "tracer/requests.h"
#include "tracer/writer.h"

#include <unistd.h>

static char path[] = "/tmp/orrery-fault-writer-XXXXXX";

static int to_memory;

static int put_many(struct writer *w, struct err *err)
{
	int64_t counts[600] = {0};
	struct trace_event ev;

	for (int i = 0; i < 20; i++) {
		trace_event_init(&ev, i == 10 ? TRACE_REDUCE_SCATTER : TRACE_BARRIER);
		ev.counts2 = counts;
		ev.n_counts2 = i == 10 ? 600 : 0;
		if (writer_put(w, 0, &ev, err) < 0)
			return -1;
	}
	return writer_note(w, err, "end");
}

static int write_it(void *arg, struct err *err)
{
	struct writer w;

	(void)arg;
	unlink(path);
	if (writer_open(&w, path, 50, err) < 0) {
		writer_drop(&w);
		return -1;
	}
	if (to_memory && mapped_to_memory(&w.file, err) < 0) {
		writer_drop(&w);
		return -1;
	}
	if (put_many(&w, err) == 0)
		return writer_close(&w, err);
	writer_drop(&w);
	return -1;
}

static int requests_fill(void *arg, struct err *err)
{
	struct requests r;
	uint32_t i = 0, n;

	(void)arg;
	requests_init(&r);
	for (n = 0; n < 500 && i != REQUEST_NONE; n++)
		i = request_add(&r, n % 100, REQUEST_ACTIVE, err);
	/* what is in the table is whole */
	requests_pass(&r);
	if (n > 1)
		assert_int_equal(request_claim(&r, 0), 0);
	requests_release(&r);
	return i == REQUEST_NONE ? -1 : 0;
}

static void test_allocations(void **state)
{
	(void)state;
	assert_true(fault_sweep(FAULT_ALLOC, write_it, NULL) >= 2);
	assert_true(fault_sweep(FAULT_ALLOC, requests_fill, NULL) >= 3);
}

static void test_writes(void **state)
{
	(void)state;
	for (to_memory = 0; to_memory < 2; to_memory++)
		assert_true(fault_sweep(FAULT_WRITE, write_it, NULL) >= 2);
	to_memory = 0;
}

static void test_open(void **state)
{
	(void)state;
	assert_true(fault_sweep(FAULT_OPEN, write_it, NULL) >= 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_allocations),
	                                   cmocka_unit_test(test_writes),
	                                   cmocka_unit_test(test_open)};
	int fd = mkstemp(path), failed;

	if (fd < 0)
		return 1;
	close(fd);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
