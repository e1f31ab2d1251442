/* calibrate_kernel.c: `orrery calibrate kernel --from FILE`: models of kernels from durations. */
#include "calibrate/calibrate.h"
#include "calibrate_kinds.h"

static const char *const term_names[KERNEL_TERMS] = {"mnk", "mn", "mk", "nk", "1"};

static void coefficients_put(struct json *j, const char *key, const double *c)
{
	json_key(j, key);
	json_object(j);
	for (int t = 0; t < KERNEL_TERMS; t++)
		if (c[t] != 0)
			json_put_double(j, term_names[t], c[t]);
	json_end(j);
}

static int models_put(const struct kernel_data *d, int model, int noise, struct str *out,
                      struct err *err)
{
	struct kernel_model m;
	struct err why;
	struct json j;

	json_init(&j, out);
	json_object(&j);
	json_put_int(&j, "model", model);
	json_put_int(&j, "noise", noise);
	json_key(&j, "hosts");
	json_array(&j);
	for (uint32_t h = 0; h < d->hosts; h++) {
		if (kernel_fit(d, h, model, noise, &m, &why) < 0)
			return err_set(err, why.kind, "calibrate kernel%s%s: %s",
			               d->host[h][0] ? ": " : "", d->host[h], why.text);
		json_object(&j);
		json_put_string(&j, "host", d->host[h]);
		json_put_int(&j, "measurements", m.n);
		coefficients_put(&j, "mean", m.mean);
		coefficients_put(&j, "mean_error", m.mean_error);
		coefficients_put(&j, "deviation", m.deviation);
		coefficients_put(&j, "deviation_error", m.deviation_error);
		json_put_double(&j, "r2", m.r2);
		json_put_double(&j, "least_mnk", m.least);
		json_put_double(&j, "most_mnk", m.most);
		json_end(&j);
	}
	json_end(&j);
	json_end(&j);
	str_putc(out, '\n');
	return 0;
}

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
		r = models_put(&d, (int)model, (int)noise, &out, err);
	if (r == 0)
		r = args_has(a, OPT_OUT) ? print_file(args_get(a, OPT_OUT), &out, err)
		                         : print_stdout(&out, err);
	str_release(&out);
	kernel_data_release(&d);
	return r;
}
