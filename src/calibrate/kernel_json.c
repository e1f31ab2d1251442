/* kernel_json.c: models of a kernel as JSON, a model for each host: what `orrery run --kernel` and
 * programs of the user read. */
#include "kernel.h"

#include <math.h>

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

/* Names of keys are others than those of a model: who reads models looks for these. */
static void beside_put(struct json *j, const struct apart_unit *u)
{
	json_key(j, "beside_others");
	json_object(j);
	json_put_double(j, "times", exp(u->off));
	json_put_double(j, "low", exp(u->off - u->off_95));
	json_put_double(j, "high", exp(u->off + u->off_95));
	json_put_double(j, "chance", u->p);
	json_key(j, "apart");
	json_bool(j, u->apart != 0);
	json_end(j);
}

static void between_put(struct json *j, const struct kernel_hosts *h)
{
	json_key(j, "between_hosts");
	json_object(j);
	json_put_double(j, "spread", h->all.spread);
	json_put_double(j, "low", h->all.spread_low);
	json_put_double(j, "high", h->all.spread_high);
	json_put_int(j, "apart", (int64_t)h->all.apart);
	json_end(j);
	if (h->in_common > 0)
		json_put_double(j, "sessions_in_common", h->in_common);
	if (h->repeated)
		json_put_double(j, "between_sessions", h->between_sessions);
	json_put_double(j, "between_calls", h->calls);
}

int kernel_json(const struct kernel_data *d, int model, int noise, const struct kernel_hosts *h,
                struct str *out, struct err *err)
{
	int compared = h && h->all.units >= APART_LEAST;

	struct kernel_model m;
	struct err why;
	struct json j;

	json_init(&j, out);
	json_object(&j);
	json_put_int(&j, "model", model);
	json_put_int(&j, "noise", noise);
	json_key(&j, "hosts");
	json_array(&j);
	for (uint32_t i = 0; i < d->hosts; i++) {
		if (kernel_fit(d, i, model, noise, &m, &why) < 0)
			return err_set(err, why.kind, "calibrate kernel%s%s: %s",
			               d->host[i][0] ? ": " : "", d->host[i], why.text);
		json_object(&j);
		json_put_string(&j, "host", d->host[i]);
		json_put_int(&j, "measurements", m.n);
		coefficients_put(&j, "mean", m.mean);
		coefficients_put(&j, "mean_error", m.mean_error);
		json_put_double(&j, "t_95", m.t_95);
		coefficients_put(&j, "deviation", m.deviation);
		coefficients_put(&j, "deviation_error", m.deviation_error);
		json_put_double(&j, "r2", m.r2);
		json_put_double(&j, "least_mnk", m.least);
		json_put_double(&j, "most_mnk", m.most);
		if (compared)
			beside_put(&j, &h->unit[i]);
		json_end(&j);
	}
	json_end(&j);
	if (compared)
		between_put(&j, h);
	json_end(&j);
	str_putc(out, '\n');
	return 0;
}
