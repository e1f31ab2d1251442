/* fault_study.c: memory runs out at any point of a sweep, of a tuning file, of runs with seeds: the
 * error is worded, and nothing leaks. One thread: which allocation is the n-th must not depend on
 * luck. */
#include "fault/fault.h"
#include "test.h"
#include "tmp.h"

#include "study/study.h"

#include <math.h>

struct fixture {
	struct config cfg;
	struct platform *platform;
	struct sizes ranks, bytes;
	enum tune_format format;
};

static int swept(void *arg, struct err *err)
{
	struct fixture *f = arg;
	struct sweep_plan plan = {.platform = f->platform,
	                          .cfg = &f->cfg,
	                          .kind = COLL_BARRIER,
	                          .ranks = &f->ranks,
	                          .bytes = &f->bytes,
	                          .selectors = 1,
	                          .give_up = SWEEP_GIVE_UP,
	                          .threads = 1};
	struct sweep s;
	struct str out;
	int r = sweep_run(&s, &plan, NULL, err);

	str_init(&out);
	if (r == 0) {
		sweep_text(&s, "machine", &out);
		sweep_json(&s, "machine", &out);
		sweep_csv(&s, &out);
		sweep_svg(&s, "machine", &out);
		sweep_release(&s);
		r = out.failed ? err_nomem(err, "the sweep's page", out.n) : 0;
		if (r == 0)
			fault_told(out.s, out.n);
	}
	str_release(&out);
	str_release(&f->cfg.notices); /* it keeps that there was no memory */
	return r;
}

static int tuned(void *arg, struct err *err)
{
	static const enum coll_kind kinds[] = {COLL_BCAST};
	struct fixture *f = arg;
	struct tune_extent extent;
	struct tune_plan plan = {.platform = f->platform,
	                         .cfg = &f->cfg,
	                         .ranks = &f->ranks,
	                         .bytes = &f->bytes,
	                         .kinds = kinds,
	                         .n_kinds = 1,
	                         .format = f->format,
	                         .threads = 1};
	struct str out;
	int r;

	str_init(&out);
	r = tune_run(&plan, NULL, &out, &extent, err);
	if (r == 0 && out.failed)
		r = err_nomem(err, "the tuning file", out.n);
	else if (r == 0)
		fault_told(out.s, out.n);
	str_release(&out);
	str_release(&f->cfg.notices);
	return r;
}

static int listed(void *arg, struct err *err)
{
	struct sizes s;
	int r = sizes_parse(&s, arg, "--bytes", INT64_MAX, err);

	if (r == 0)
		sizes_release(&s);
	return r;
}

static int once(void *self, uint64_t seed, double *end, struct err *err)
{
	(void)self, (void)err;
	*end = (double)seed;
	return 0;
}

static int spread(void *arg, struct err *err)
{
	double end[4];
	int r = spread_run(once, arg, 4, 1, end, err);

	if (r == 0)
		fault_told(end, sizeof end);
	return r;
}

static void fixture_init(struct fixture *f)
{
	struct err err;
	struct tmp tmp;

	*f = (struct fixture){.format = TUNE_OMPI};
	tmp_init(&tmp);
	assert_ok(config_init(&f->cfg, &err), err);
	f->platform = platform_read(
	    tmp_write(&tmp, "p.xml",
	              "<platform version='4.1'><cluster id='c' prefix='n' suffix='' radical='0-3' "
	              "speed='1Gf' bw='1GBps' lat='1us'/></platform>"),
	    &f->cfg, &err);
	tmp_release(&tmp);
	if (!f->platform)
		fail_msg("%s", err.text);
	assert_ok(sizes_parse(&f->ranks, "3", "--np", 4, &err), err);
	assert_ok(sizes_parse(&f->bytes, "100", "--bytes", 100, &err), err);
}

static void memory_runs_out(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	assert_true(fault_sweep(FAULT_ALLOC, swept, &f) > 50);
	assert_true(fault_sweep(FAULT_ALLOC, tuned, &f) > 50);
	f.format = TUNE_MPICH;
	assert_true(fault_sweep(FAULT_ALLOC, tuned, &f) > 50);
	assert_true(fault_sweep(FAULT_ALLOC, listed, (char[]){"1..1000000,3,5,7..7000*7"}) > 1);
	assert_true(fault_sweep(FAULT_ALLOC, spread, NULL) > 0);
	platform_free(f.platform);
	config_release(&f.cfg);
	sizes_release(&f.ranks);
	sizes_release(&f.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(memory_runs_out)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
