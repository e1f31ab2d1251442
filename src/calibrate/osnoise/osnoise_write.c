/* osnoise_write.c: the noise of the operating system as settings, text and JSON. */
#include "osnoise.h"

#include <math.h>

void os_settings_write(const struct os_fit *f, struct str *out)
{
	for (int i = 0; i < f->random; i++)
		str_printf(out, "%s%.4g:%.4g:%.3g", i ? ";" : "noise/detours:", f->rate[i],
		           f->median[i], f->sigma[i]);
	str_puts(out, f->random ? "\n" : "");
	for (int i = 0; i < f->periods; i++)
		str_printf(out, "%s%.7g:%.4g", i ? ";" : "noise/periodic:", f->period[i].period,
		           f->period[i].length);
	str_puts(out, f->periods ? "\n" : "");
	if (f->slow > 0)
		str_printf(out, "noise/run-compute:%.3g\n", f->slow);
	if (f->sleep_median > 0) /* log-normal through the two */
		str_printf(out, "noise/sleep:%.4g:%.3g\n", f->sleep_median,
		           log(f->sleep_95 / f->sleep_median) / 1.6449);
}

void os_text_write(const struct os_fit *f, struct str *out)
{
	char a[32], b[32], c[32];

	str_puts(out, "cpu  quiet work  scatter  time lost  random detours /s        slow changes  "
	              "periodic\n");
	for (int i = 0; i < f->cpus; i++) {
		const struct os_cpu *p = &f->cpu[i];

		fmt_seconds(a, sizeof a, p->quiet);
		str_printf(out, "%-4d %-11s %6.3f %%  %7.3f %%  %9.3g +- %-9.2g %10.3f %%  ",
		           p->cpu, a, 100 * p->deviation, 100 * p->share, p->rate, p->rate_95,
		           100 * p->slow);
		for (int k = 0; k < p->periods; k++) {
			fmt_seconds(a, sizeof a, p->period[k].period);
			fmt_seconds(b, sizeof b, p->period[k].length);
			str_printf(out, "%severy %s %s", k ? ", " : "", a, b);
		}
		str_puts(out, p->periods ? "\n" : "none found\n");
	}
	fmt_seconds(a, sizeof a, f->longest);
	str_printf(out, "\n%zu random detours, the longest %s; lengths, log-normal:\n", f->detours,
	           a);
	for (int i = 0; i < f->random; i++) {
		fmt_seconds(a, sizeof a, f->median[i]);
		fmt_seconds(b, sizeof b, f->median[i] * exp(-1.96 * f->sigma[i]));
		fmt_seconds(c, sizeof c, f->median[i] * exp(1.96 * f->sigma[i]));
		str_printf(out, "  %.3g /s of %s (95 %%: %s to %s)\n", f->rate[i], a, b, c);
	}
	if (f->sleep_median > 0) {
		fmt_seconds(a, sizeof a, f->sleep_median);
		fmt_seconds(b, sizeof b, f->sleep_95);
		str_printf(out, "a sleep of 1 ms ends %s late (median; 95 %% quantile %s)\n", a, b);
	}
	str_puts(out, "\nsettings, for --cfg @FILE or --cfg:\n");
	os_settings_write(f, out);
}

static void detours_json(const struct os_fit *f, struct json *j)
{
	json_key(j, "detours");
	json_array(j);
	for (int i = 0; i < f->random; i++) {
		json_object(j);
		json_put_double(j, "rate", f->rate[i]);
		json_put_double(j, "median", f->median[i]);
		json_put_double(j, "sigma", f->sigma[i]);
		json_end(j);
	}
	json_end(j);
}

static void periodic_json(const struct os_fit *f, struct json *j)
{
	json_key(j, "periodic");
	json_array(j);
	for (int i = 0; i < f->periods; i++) {
		json_object(j);
		json_put_double(j, "period", f->period[i].period);
		json_put_double(j, "period_95", f->period[i].period_95);
		json_put_double(j, "length", f->period[i].length);
		json_put_double(j, "length_95", f->period[i].length_95);
		json_put_double(j, "probability", f->period[i].p);
		json_end(j);
	}
	json_end(j);
}

static void cpus_json(const struct os_fit *f, struct json *j)
{
	json_key(j, "cpus");
	json_array(j);
	for (int i = 0; i < f->cpus; i++) {
		const struct os_cpu *p = &f->cpu[i];

		json_object(j);
		json_put_int(j, "cpu", p->cpu);
		json_put_int(j, "quanta", (int64_t)p->quanta);
		json_put_double(j, "quiet", p->quiet);
		json_put_double(j, "deviation", p->deviation);
		json_put_double(j, "threshold", p->threshold);
		json_put_double(j, "share", p->share);
		json_put_double(j, "rate", p->rate);
		json_put_double(j, "rate_95", p->rate_95);
		json_put_double(j, "slow", p->slow);
		json_put_int(j, "periods", p->periods);
		json_end(j);
	}
	json_end(j);
}

void os_json_write(const struct os_fit *f, struct str *out)
{
	struct str settings;
	struct json j;

	json_init(&j, out);
	json_object(&j);
	json_put_double(&j, "share", f->share);
	json_put_double(&j, "model_share", f->model_share);
	json_put_double(&j, "longest", f->longest);
	json_put_double(&j, "slow", f->slow);
	json_put_double(&j, "spread", f->spread);
	json_put_double(&j, "sleep_late", f->sleep_median);
	json_put_double(&j, "sleep_late_95", f->sleep_95);
	detours_json(f, &j);
	periodic_json(f, &j);
	cpus_json(f, &j);
	str_init(&settings);
	os_settings_write(f, &settings);
	json_put_string(&j, "settings", str_of(out, &settings));
	json_put_string(&j, "warnings", str_of(out, &f->warnings));
	str_release(&settings);
	json_end(&j);
	str_putc(out, '\n');
}
