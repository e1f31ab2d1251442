/* spread.c: see spread.h. Runs are processes, not threads: a simulation has one arena and much
 * state, and a process gives all of it back. */
#include "spread.h"

#include "calibrate/calibrate.h"
#include "launch/launch.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* What a run leaves in memory that its process shares with us. A run that was killed leaves nothing
 * whole: `done` is set last. */
struct outcome {
	int done, failed;
	double end;
	enum err_kind kind;
	char text[2048];
};

/* What one process does: every step-th run from `first` on. */
struct share {
	spread_once *once;
	void *self;
	struct outcome *outcome; /* by run */
	int first, step, runs;
	uint64_t seed;
};

static int share_run(void *self)
{
	const struct share *s = self;

	for (int i = s->first; i < s->runs; i += s->step) {
		struct outcome *o = &s->outcome[i];
		struct err err = {0};

		o->failed = s->once(s->self, s->seed + (uint64_t)i, &o->end, &err) < 0;
		o->kind = err.kind;
		snprintf(o->text, sizeof o->text, "%s", o->failed ? err.text : "");
		o->done = 1;
		if (o->failed)
			break;
	}
	return 0;
}

/* After the last process has ended. */
static int collect(const struct outcome *o, int runs, double *end, struct err *err)
{
	int missing = 0;

	for (int i = 0; i < runs; i++) {
		if (o[i].done && o[i].failed)
			return err_set(err, o[i].kind, "%s", o[i].text);
		missing += !o[i].done;
		end[i] = o[i].end;
	}
	return missing == 0
	           ? 0
	           : err_set(err, ERR_LIMIT,
	                     "%d of %d runs ended without a result: killed, or out of memory",
	                     missing, runs);
}

static int processes(int runs)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n < 1 ? 1 : n < runs ? (int)n : runs;
}

int spread_run(spread_once *once, void *self, int runs, uint64_t seed, double *end, struct err *err)
{
	int step = processes(runs), started = 0, r;
	size_t bytes = (size_t)runs * sizeof(struct outcome);
	struct share share = {once, self, NULL, 0, step, runs, seed};
	pid_t *pid = malloc((size_t)step * sizeof *pid);
	void *outcome = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
	                     0);

	if (!pid || outcome == MAP_FAILED) {
		free(pid);
		if (outcome != MAP_FAILED)
			munmap(outcome, bytes);
		return err_nomem(err, "runs", bytes);
	}
	share.outcome = outcome;
	for (; started < step; started++, share.first++)
		if ((pid[started] = launch_body(share_run, &share, err)) < 0)
			break;
	for (int i = 0; i < started; i++) {
		if (started < step)
			launch_kill(pid[i], SIGTERM);
		launch_wait(pid[i]);
	}
	free(pid);
	r = started == step ? collect(outcome, runs, end, err) : -1;
	munmap(outcome, bytes);
	return r;
}

struct spread {
	double mean, deviation,
	    mean_95;      /* half-width of the 95 % confidence interval of the mean */
	double low, high; /* a further run lies between with a probability of `holds` */
	double holds;
};

/* So many runs it takes for the least and the greatest of them to hold 95 % of others. */
enum { RUNS_95 = 39 };

/* Another run of the same kind is below the k-th least of n with a probability of k / (n + 1),
 * whatever the distribution (Wilks 1941): the place in sorted[0..n) below which it is with q, or
 * the end. Quantiles of the n themselves (fit_quantile) lie further inside: of 30, between those
 * of 2.5 and 97.5 % nine of ten others would be. */
static double passed_by(const double *sorted, int n, double q)
{
	double at = fmin(fmax(q * (n + 1) - 1, 0), n - 1);

	return fit_quantile(sorted, (size_t)n, n > 1 ? at / (n - 1) : 0);
}

static struct spread spread_of(double *end, int runs)
{
	struct spread s = {0};
	double square = 0;

	fit_sort(end, (size_t)runs);
	for (int i = 0; i < runs; i++)
		s.mean += end[i] / runs;
	for (int i = 0; i < runs; i++)
		square += (end[i] - s.mean) * (end[i] - s.mean);
	s.deviation = runs > 1 ? sqrt(square / (runs - 1)) : 0;
	s.mean_95 = runs > 1 ? fit_t975(runs - 1) * s.deviation / sqrt(runs) : 0;
	s.low = passed_by(end, runs, 0.025);
	s.high = passed_by(end, runs, 0.975);
	s.holds = fmin(0.95, (runs - 1.0) / (runs + 1.0));
	return s;
}

static const double quantiles[] = {0.05, 0.25, 0.5, 0.75, 0.95};

void spread_text(double *end, int runs, uint64_t seed, const char *trust, struct str *out)
{
	struct spread s = spread_of(end, runs);

	str_printf(out, "%d runs, seeds %llu to %llu\n", runs, (unsigned long long)seed,
	           (unsigned long long)(seed + (uint64_t)runs - 1));
	str_printf(out, "mean %.9f s (95 %% interval of the mean: +- %.3g s), deviation %.3g s\n",
	           s.mean, s.mean_95, s.deviation);
	str_puts(out, "quantiles, s:");
	for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++)
		str_printf(out, "%s %.0f %% %.9f", i ? "," : "", 100 * quantiles[i],
		           fit_quantile(end, (size_t)runs, quantiles[i]));
	str_printf(out, "\n%.0f %% of runs", 100 * s.holds);
	if (runs < RUNS_95)
		str_printf(out, " (for 95 %% there must be %d)", RUNS_95);
	str_printf(out, ": %.9f to %.9f s\n%ssimulated time: %.9f s\n", s.low, s.high,
	           trust ? trust : "", s.mean);
}

void spread_json(double *end, int runs, uint64_t seed, const char *trust, struct str *out)
{
	struct spread s;
	struct json j;
	char key[16];

	json_init(&j, out);
	json_object(&j);
	json_key(&j, "times"); /* by seed: before spread_of sorts them */
	json_array(&j);
	for (int i = 0; i < runs; i++)
		json_double(&j, end[i]);
	json_end(&j);
	s = spread_of(end, runs);
	json_put_double(&j, "simulated_time", s.mean);
	json_put_int(&j, "runs", runs);
	json_put_int(&j, "seed", (int64_t)seed);
	json_put_double(&j, "deviation", s.deviation);
	json_put_double(&j, "mean_95", s.mean_95);
	json_put_double(&j, "low_95", s.low);
	json_put_double(&j, "high_95", s.high);
	json_put_double(&j, "holds", s.holds);
	json_key(&j, "quantiles");
	json_object(&j);
	for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++) {
		snprintf(key, sizeof key, "%.2f", quantiles[i]);
		json_put_double(&j, key, fit_quantile(end, (size_t)runs, quantiles[i]));
	}
	json_end(&j);
	if (trust) {
		json_key(&j, "trust");
		json_raw(&j, trust);
	}
	json_end(&j);
	str_putc(out, '\n');
}
