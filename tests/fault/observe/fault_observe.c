/* fault_observe.c: every allocation, read, write and open of the recorder, the reader, the profile,
 * the sort and each exporter fails in turn. */
#include "unit/observe/feed.h"

#include "observe/export_int.h"

#include "fault/fault.h"
#include "test.h"
#include "tmp.h"

#include <sys/stat.h>
#include <unistd.h>

static struct tmp tmp;
static char recorded[300], written[300];

static int record_to(const char *path, uint32_t rounds, struct err *err)
{
	struct recorder *w = recorder_open(path, &feed_info, feed_host, NULL, err);
	struct mp_observer o;

	if (!w)
		return -1;
	o = recorder_observer(w);
	feed_three(&o);
	if (rounds)
		feed_rounds(&o, 3, 8, rounds);
	return recorder_close(w, 0, err);
}

static int record(void *arg, struct err *err)
{
	return record_to(arg, 0, err);
}

/* Blocks are written underway too: the hooks meet the fault. */
static int record_long(void *arg, struct err *err)
{
	return record_to(arg, 6000, err);
}

static int read_all(void *arg, struct err *err)
{
	struct recording *r = recording_open(arg, err);
	struct record rec;
	int got;

	if (!r)
		return -1;
	while ((got = recording_next(r, &rec, err)) > 0)
		;
	recording_close(r);
	return got;
}

static int profile_all(void *arg, struct err *err)
{
	struct recording *r = recording_open(arg, err);
	struct profile *p = r ? recording_profile(r, err) : NULL;
	struct str out;
	struct json j;
	int failed;

	recording_close(r);
	if (!p)
		return -1;
	str_init(&out);
	json_init(&j, &out);
	profile_json(p, PROFILE_PER_RANK, &j);
	profile_text(p, PROFILE_PER_RANK, &out);
	profile_csv(p, &out);
	failed = out.failed;
	if (!failed)
		fault_told(out.s, out.n);
	str_release(&out);
	profile_free(p);
	return failed ? err_nomem(err, "the test's text", 0) : 0;
}

static int sort_on_disk(void *arg, struct err *err)
{
	struct datesort *s = datesort_new(sizeof(uint32_t), 1, err);
	uint32_t i, item;
	double date;
	int got = 0;

	(void)arg;
	if (!s)
		return -1;
	for (i = 0; i < 1000 && got == 0; i++)
		got = datesort_put(s, (double)(i * 7919u % 1000), &i, err);
	if (got == 0)
		got = datesort_finish(s, err);
	while (got == 0 && (got = datesort_next(s, &date, &item, err)) > 0) {
		fault_told(&date, sizeof date);
		got = 0;
	}
	datesort_free(s);
	return got;
}

static const struct exporter *exporter;
static uint64_t limit;

/* What was written, and is no longer wanted. */
static void file_told(const char *path)
{
	char buf[4096];
	size_t n;
	FILE *f;

	fault_hold(1);
	f = fopen(path, "r");
	assert_non_null(f);
	while ((n = fread(buf, 1, sizeof buf, f)) > 0)
		fault_told(buf, n);
	fclose(f);
	unlink(path);
	fault_hold(0);
}

static int export_all(void *arg, struct err *err)
{
	struct recording *r = recording_open(arg, err);
	struct str notices;
	struct export_options o = {.limit = limit, .notices = &notices};
	int got;

	if (!r)
		return -1;
	str_init(&notices);
	got = exporter->export(r, written, &o, err);
	str_release(&notices);
	recording_close(r);
	if (got < 0)
		assert_int_equal(access(written, F_OK), -1); /* no half export */
	else
		file_told(written);
	return got;
}

static void recorder_faults(void **state)
{
	(void)state;
	fault_sweep(FAULT_ALLOC, record, written);
	fault_sweep(FAULT_WRITE, record, written);
	fault_sweep(FAULT_OPEN, record, written);
	fault_sweep(FAULT_WRITE, record_long, written);
	unlink(written);
}

/* What a full disk left can be read, and says that it is not all. */
static void full_disk_leaves_a_readable_file(void **state)
{
	long n;
	int hit;

	(void)state;
	for (n = 1;; n++) {
		struct err err = {0};
		struct recording *r;
		int got;

		unlink(written);
		fault_start(FAULT_WRITE, n);
		got = record_to(written, 6000, &err);
		hit = fault_stop();
		if (!hit)
			break;
		if (got == 0) { /* a close, when all of it was synced and in its place */
			r = recording_open(written, &err);
			assert_non_null(r);
			assert_null(strstr(recording_notice(r) ? recording_notice(r) : "",
			                   "is not complete"));
			recording_close(r);
			continue;
		}
		if (strstr(err.text,
		           "; nothing was recorded")) { /* the description itself did not fit */
			assert_int_equal(access(written, F_OK), -1);
			continue;
		}
		if (strncmp(err.text, "cannot write", 12) == 0) { /* it did not get its place */
			assert_int_equal(access(written, F_OK), -1);
			continue;
		}
		r = recording_open(written, &err);
		if (!r)
			fail_msg("%s", err.text);
		assert_non_null(strstr(recording_notice(r), "is not complete"));
		recording_close(r);
		assert_int_equal(read_all(written, &err), 0);
	}
	assert_true(n > 12);
	unlink(written);
}

/* An older recording stays as it was, to the byte. */
static void full_disk_keeps_the_old_one(void **state)
{
	static const enum fault_kind kinds[] = {FAULT_ALLOC, FAULT_WRITE, FAULT_OPEN};
	struct stat before, after;
	struct err err = {0};

	(void)state;
	assert_ok(record_to(written, 0, &err), err);
	assert_int_equal(stat(written, &before), 0);
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		for (long n = 1, hit = 1; hit; n++) {
			int got;

			fault_start(kinds[k], n);
			got = record_to(written, 6000, &err);
			hit = fault_stop();
			assert_int_equal(stat(written, &after), 0);
			if (got < 0)
				assert_true(after.st_ino == before.st_ino &&
				            after.st_size == before.st_size);
			before = after;
		}
	unlink(written);
}

static void reader_faults(void **state)
{
	(void)state;
	fault_sweep(FAULT_ALLOC, read_all, recorded);
	fault_sweep(FAULT_READ, read_all, recorded);
	fault_sweep(FAULT_OPEN, read_all, recorded);
	fault_sweep(FAULT_ALLOC, profile_all, recorded);
}

static void sort_faults(void **state)
{
	(void)state;
	fault_sweep(FAULT_ALLOC, sort_on_disk, NULL);
	fault_sweep(FAULT_WRITE, sort_on_disk, NULL);
	fault_sweep(FAULT_READ, sort_on_disk, NULL);
}

static void exporter_faults(void **state)
{
	int i;

	(void)state;
	for (i = 0; exporters[i]; i++) {
		exporter = exporters[i];
		for (limit = 0; limit < 2; limit++) { /* 1: the page shows densities */
			fault_sweep(FAULT_ALLOC, export_all, recorded);
			fault_sweep(FAULT_WRITE, export_all, recorded);
			fault_sweep(FAULT_READ, export_all, recorded);
			fault_sweep(FAULT_OPEN, export_all, recorded);
			if (strcmp(exporter->name, "html") != 0)
				break;
		}
	}
}

static int setup(void **state)
{
	struct err err;

	(void)state;
	tmp_init(&tmp);
	snprintf(recorded, sizeof recorded, "%s", tmp_path(&tmp, "recorded"));
	snprintf(written, sizeof written, "%s", tmp_path(&tmp, "written"));
	return record_to(recorded, 0, &err);
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
	    cmocka_unit_test(recorder_faults),
	    cmocka_unit_test(full_disk_leaves_a_readable_file),
	    cmocka_unit_test(full_disk_keeps_the_old_one),
	    cmocka_unit_test(reader_faults),
	    cmocka_unit_test(sort_faults),
	    cmocka_unit_test(exporter_faults),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
