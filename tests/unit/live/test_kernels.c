/* Models of kernels, as each rank gets them for its host: values by hand, exact in binary. */
#include "live/kernels.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Two hosts, one of them with a model for each processor; as orrery calibrate kernel writes. */
static const char models[] =
    "{\"model\":2,\"noise\":1,\"hosts\":["
    "{\"host\":\"graphene-1\",\"measurements\":9,\"mean\":{\"mnk\":0.5,\"1\":8},"
    "\"mean_error\":{\"mnk\":77},\"deviation\":{\"1\":0.25},\"deviation_error\":{\"1\":77},"
    "\"r2\":1,\"least_mnk\":1,\"most_mnk\":9},"
    "{\"host\":\"graphene-2/0\",\"mean\":{\"mn\":2,\"mk\":1,\"nk\":4}},"
    "{\"host\":\"graphene-2/1\",\"mean\":{\"mn\":4,\"mk\":1,\"nk\":8}}]}\n";

static char path[] = "/tmp/orrery-kernels-XXXXXX", argument[64];

static void file_write(void)
{
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, models, sizeof models - 1), sizeof models - 1);
	close(fd);
	snprintf(argument, sizeof argument, "dgemm_=%s", path);
}

static void is(const struct live_kernels *k, const char *host, uint64_t seed, const char *want)
{
	struct str s;

	str_init(&s);
	live_kernels_text(k, host, seed, &s);
	assert_string_equal(s.s, want);
	str_release(&s);
}

static void each_host_has_its_own(void **state)
{
	struct live_kernels *k = NULL;
	struct err err;

	(void)state;
	file_write();
	assert_int_equal(live_kernels_add(&k, argument, &err), 0);
	is(k, "graphene-1.nancy.grid5000.fr", 0, "dgemm_=0.5,0,0,0,8;");
	is(k, "graphene-1", 0, "dgemm_=0.5,0,0,0,8;");
	/* the mean of its two processors */
	is(k, "graphene-2.nancy.grid5000.fr", 0, "dgemm_=0,3,1,6,0;");
	/* not of graphene-1, for all that it begins so: the mean of all three */
	is(k, "graphene-12", 0,
	   "dgemm_=0.16666666666666666,2,0.66666666666666663,4,"
	   "2.6666666666666665;");
	/* deviations in a run with a seed, where there are some */
	is(k, "graphene-1", 7, "dgemm_=0.5,0,0,0,8:0,0,0,0,0.25#7;");
	is(k, "graphene-2", 7, "dgemm_=0,3,1,6,0;");
	live_kernels_free(k);
	unlink(path);
}

static void a_time_is_a_model(void **state)
{
	struct live_kernels *k = NULL;
	struct err err;

	(void)state;
	assert_int_equal(live_kernels_add(&k, "work(1,*2)=0.5", &err), 0);
	assert_int_equal(live_kernels_add(&k, "daxpy_=0.25", &err), 0);
	is(k, "any", 3, "work(1,*2)=0,0,0,0,0.5;daxpy_=0,0,0,0,0.25;");
	live_kernels_free(k);
}

static void what_is_none_is_refused(void **state)
{
	static const char *const wrong[] = {"nothing=1", "dgemm_",           "work(x)=1",
	                                    "work=1",    "dgemm_=/dev/null", "dgemm_=/nowhere",
	                                    "dgemm_=-1", "dgemm_=inf",       "work()=-0.5"};

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct live_kernels *k = NULL;
		struct err err = {0};

		assert_int_equal(live_kernels_add(&k, wrong[i], &err), -1);
		assert_int_equal(err.kind, ERR_INPUT);
		live_kernels_free(k);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_host_has_its_own),
	    cmocka_unit_test(a_time_is_a_model),
	    cmocka_unit_test(what_is_none_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
