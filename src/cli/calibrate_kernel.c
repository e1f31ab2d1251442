/* calibrate_kernel.c: `orrery calibrate kernel --from FILE`: models of kernels from durations. */
#include "calibrate/calibrate.h"
#include "calibrate_kinds.h"

static int data_read(const struct args *a, struct kernel_data *d, struct err *err)
{
	d->session = args_get(a, OPT_SESSION);
	for (int i = 0; i < a->n_given; i++)
		if (a->given[i].id == OPT_FROM &&
		    kernel_read(d, a->given[i].value, args_get(a, OPT_BY), err) < 0)
			return -1;
	if (!args_has(a, OPT_WITHOUT))
		return 0;
	if (!args_has(a, OPT_BY))
		return err_set(err, ERR_INPUT,
		               "calibrate kernel: --without leaves hosts out, and nothing tells "
		               "them apart: give --by COLUMN too");
	return kernel_without(d, args_get(a, OPT_WITHOUT), err);
}

static int models_write(const struct args *a, const struct kernel_data *d, int model, int noise,
                        const struct kernel_hosts *h, struct err *err)
{
	struct str out;
	int r;

	str_init(&out);
	r = kernel_json(d, model, noise, h, &out, err);
	if (r == 0)
		r = args_has(a, OPT_OUT) ? print_made(args_get(a, OPT_OUT), &out, err)
		                         : print_stdout(&out, err);
	str_clear(&out);
	if (r == 0)
		r = kernel_doubts(d, &out, err);
	if (r == 0) {
		kernel_hosts_tell(d, h, &out);
		print_notices(a, &out);
	}
	str_release(&out);
	return r;
}

int calibrate_kernel(const struct args *a, struct err *err)
{
	struct kernel_data d = {0};
	struct kernel_hosts h = {0};
	int64_t model = 2, noise = 2;
	int r;

	if (!args_has(a, OPT_FROM))
		return err_set(
		    err, ERR_INPUT,
		    "calibrate kernel: --from FILE.csv with columns m, n, k, duration is wanted");
	if (args_int(a, &verb_calibrate, OPT_MODEL, 0, 2, &model, err) < 0 ||
	    args_int(a, &verb_calibrate, OPT_NOISE, 0, 2, &noise, err) < 0)
		return -1;
	r = data_read(a, &d, err);
	if (r == 0)
		r = kernel_hosts_find(&d, (int)model, &h, err);
	if (r == 0)
		r = models_write(a, &d, (int)model, (int)noise, &h, err);
	kernel_hosts_release(&h);
	kernel_data_release(&d);
	return r;
}
