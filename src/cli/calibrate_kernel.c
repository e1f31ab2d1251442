/* calibrate_kernel.c: `orrery calibrate kernel --from FILE`: models of kernels from durations. */
#include "calibrate/calibrate.h"
#include "calibrate_kinds.h"

int calibrate_kernel(const struct args *a, struct err *err)
{
	struct kernel_data d = {0};
	int64_t model = 2, noise = 2;
	struct str out;
	int r = 0;

	if (!args_has(a, OPT_FROM))
		return err_set(
		    err, ERR_INPUT,
		    "calibrate kernel: --from FILE.csv with columns m, n, k, duration is wanted");
	if (args_int(a, &verb_calibrate, OPT_MODEL, 0, 2, &model, err) < 0 ||
	    args_int(a, &verb_calibrate, OPT_NOISE, 0, 2, &noise, err) < 0)
		return -1;
	for (int i = 0; i < a->n_given && r == 0; i++)
		if (a->given[i].id == OPT_FROM)
			r = kernel_read(&d, a->given[i].value, args_get(a, OPT_BY), err);
	str_init(&out);
	if (r == 0)
		r = kernel_json(&d, (int)model, (int)noise, &out, err);
	if (r == 0)
		r = args_has(a, OPT_OUT) ? print_file(args_get(a, OPT_OUT), &out, err)
		                         : print_stdout(&out, err);
	str_release(&out);
	kernel_data_release(&d);
	return r;
}
