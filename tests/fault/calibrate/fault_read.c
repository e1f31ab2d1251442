/* fault_read.c: files of measurements, and what is written of them: every allocation and every read
 * fails in turn. What was read is read whole or not at all. */
#include "../../unit/calibrate/made_up.h"
#include "fault/fault.h"
#include "tmp.h"

#include "calibrate/network/network_result.h"
#include "calibrate/osnoise/osnoise.h"

/* Names of hosts, notes, comments: all that is kept of a file besides its numbers. */
static const char measurements_text[] =
    "# mpi: made up\n# hosts: node-1,node-2,node-2\n# cpu: x\nop,src,dst,size,duration,colour\n"
    "pingpong,0,1,8,1e-5,red\npingpong,1,2,9,2e-5,blue\nsend,0,2,10,3e-5,green\n"
    "isend,0,1,11,3e-5,a\nrecv,0,1,12,3e-5,b\nfirst,0,1,1,1e-3,c\nring,0,1,5,1,d\nflow,0,1,5,1,\n"
    "self,0,0,5,1,e\nstream,0,1,4,1e-6,f\n";

static int raw_read(void *arg, struct err *err)
{
	struct net_raw raw;
	struct str again;
	int r;

	net_raw_init(&raw);
	str_init(&again);
	r = net_raw_read(&raw, arg, err);
	if (r == 0) {
		net_raw_write(&raw, &again);
		r = again.failed ? err_nomem(err, "measurements", again.n) : 0;
	}
	if (r == 0) {
		fault_told(again.s, again.n);
		fault_told(raw.notes.s, raw.notes.n);
	}
	str_release(&again);
	net_raw_release(&raw);
	return r;
}

static int noise_read(void *arg, struct err *err)
{
	struct os_raw raw;
	struct str again;
	int r;

	os_raw_init(&raw);
	str_init(&again);
	r = os_raw_read(&raw, arg, err);
	if (r == 0) {
		os_raw_write(&raw, &again);
		r = again.failed ? err_nomem(err, "measurements", again.n) : 0;
	}
	if (r == 0)
		fault_told(again.s, again.n);
	str_release(&again);
	os_raw_release(&raw);
	return r;
}

/* What other calibrations wrote: a setting that is lost changes what is predicted. */
static int extras_read(void *arg, struct err *err)
{
	const char *path = arg;
	struct net_extras x;
	int r;

	net_extras_init(&x);
	r = net_extras_read(&x, &path, 1, err);
	if (r == 0) {
		fault_told(x.header.s, x.header.n);
		fault_told(x.settings.s, x.settings.n);
	}
	net_extras_release(&x);
	return r;
}

static void readers(void **state)
{
	struct tmp tmp;
	char path[256];

	(void)state;
	tmp_init(&tmp);
	snprintf(path, sizeof path, "%s", tmp_write(&tmp, "raw.csv", measurements_text));
	assert_true(fault_sweep(FAULT_ALLOC, raw_read, path) > 10);
	assert_true(fault_sweep(FAULT_READ, raw_read, path) > 0);
	assert_true(fault_sweep(FAULT_OPEN, raw_read, path) > 0);
	snprintf(path, sizeof path, "%s",
	         tmp_write(&tmp, "noise.csv",
	                   "# cpu: x\nkind,cpu,quantum,start,value\nfwq,0,1e-3,0,1e-3\n"
	                   "fwq,1,1e-3,0,1e-3\nftq,0,1e-3,0,100\nsleep,0,1e-3,0,1e-5\n"
	                   "fwq,0,1e-3,0.5,1e-3\n"));
	assert_true(fault_sweep(FAULT_ALLOC, noise_read, path) > 5);
	assert_true(fault_sweep(FAULT_READ, noise_read, path) > 0);
	assert_true(fault_sweep(FAULT_OPEN, noise_read, path) > 0);
	snprintf(path, sizeof path, "%s",
	         tmp_write(&tmp, "extras",
	                   "processor: x\nnoise/sleep:5e-5\ncores: 4\nsmpi/iprobe:1e-6\n"));
	assert_true(fault_sweep(FAULT_ALLOC, extras_read, path) > 2);
	assert_true(fault_sweep(FAULT_READ, extras_read, path) > 0);
	tmp_release(&tmp);
}

/* --- the platform, the page and the plans --- */

struct fitted {
	struct net_raw raw;
	struct net_fit fit;
};

static int written(void *arg, struct err *err)
{
	static const int host_rank[] = {0, 1, 2, 3};
	struct fitted *f = arg;
	struct net_platform p = {.id = "made-up",
	                         .speed = "1Gf",
	                         .hosts = 4,
	                         .cores = 1,
	                         .header = "topology: a: b",
	                         .settings = "smpi/iprobe:1e-6\n"};
	struct net_plan plan = {.ranks = 4,
	                        .other = 1,
	                        .local = -1,
	                        .far = -1,
	                        .max_size = 1e6,
	                        .samples = 20,
	                        .host_rank = host_rank,
	                        .hosts = 4};
	struct str out;
	int r;

	str_init(&out);
	net_platform_write(&f->raw, &f->fit, &p, &out);
	net_report_write(&f->raw, &f->fit, "a page", &out);
	net_plan_write(&plan, &out);
	net_plan_loads(&plan, &out);
	net_plan_concurrent(&plan, &f->fit, &out);
	net_plan_notice(&plan, &f->fit, &out);
	net_plan_trials(&plan, &f->fit, &out);
	r = out.failed ? err_nomem(err, "what is written", out.n) : 0;
	if (r == 0)
		fault_told(out.s, out.n);
	str_release(&out);
	return r;
}

static void writers(void **state)
{
	struct truth t = usual;
	struct fitted f;
	struct err err;

	(void)state;
	t.ring = 1.05;
	measured(&t, 1, 60, &f.raw);
	assert_ok(net_fit_make(&f.raw, 0, &f.fit, &err), err);
	assert_true(fault_sweep(FAULT_ALLOC, written, &f) > 10);
	net_fit_release(&f.fit);
	net_raw_release(&f.raw);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(readers), cmocka_unit_test(writers)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
