/* kernel_json.c: models of a kernel as JSON, a model for each host: what `orrery run --kernel` and
 * programs of the user read. */
#include "kernel.h"

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

int kernel_json(const struct kernel_data *d, int model, int noise, struct str *out, struct err *err)
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
		json_put_double(&j, "t_95", m.t_95);
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
