/* noise.c: random noise on the times of messages and computations, drawn from calibrated models;
 * nothing is random unless noise/seed is set.
 *
 * Some factors are drawn once for a run, one for all messages of a range of sizes, one for all
 * computations: what a model does not know exactly is the same for all. What the operating system
 * takes from a computation grows with its length and is added (detours.c).
 *
 * A model is a table by size: a mixture of normal distributions of what the time is multiplied by.
 * Each rank has a stream of its own for its messages (as the sender) and one for its computations,
 * named and seeded, so that what one rank draws does not depend on what the others do. */
#include "base/spread.h"
#include "noise_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MODES = 5, FIELD_MAX = 64, RUN_MOST = 10 }; /* four of usual messages, one of rare delays */

struct noise_row {
	double threshold;
	int n;
	double weight[MODES], mean[MODES], sigma[MODES];
};
struct noise_table {
	struct noise_row *rows;
	uint32_t n;
};
struct noise {
	struct noise_table message, compute;
	struct noise_table run_message; /* factors of this run, by size, in mean[0] */
	double run_compute;
	double strength; /* of the noise of messages in this run, 0 to 1 */
	double run_late; /* what part of the lateness of sleeps the recorded ones had: 0 to 1 */
	int elapsed;     /* volumes of computations are elapsed times: they may be sleeps */
	struct detours detours;
	double *phase; /* of periodic detours, by rank and kind */
	struct rng *message_stream, *compute_stream, *detour_stream; /* by rank */
};

/* The next number of "a:b:c", up to `end`. */
static int field(const char **s, const char *end, double *out, struct err *err)
{
	const char *colon = memchr(*s, ':', (size_t)(end - *s)), *stop = colon ? colon : end;
	char text[FIELD_MAX];

	if (stop - *s >= FIELD_MAX || stop == *s)
		return err_set(err, ERR_INPUT, "\"%.*s\" is not a number", (int)(stop - *s), *s);
	memcpy(text, *s, (size_t)(stop - *s));
	text[stop - *s] = '\0';
	*s = colon ? colon + 1 : end;
	return units_parse(text, UNIT_TIME, out, err);
}

static int row_parse(const char *s, const char *end, struct noise_row *row, struct err *err)
{
	double total = 0;

	*row = (struct noise_row){0};
	if (field(&s, end, &row->threshold, err) < 0)
		return -1;
	for (; s < end; row->n++) {
		int k = row->n;

		if (k == MODES)
			return err_set(err, ERR_INPUT,
			               "more than %d weight:mean:deviation in a section", MODES);
		if (field(&s, end, &row->weight[k], err) < 0 ||
		    (s < end ? field(&s, end, &row->mean[k], err) : -1) < 0 ||
		    (s < end ? field(&s, end, &row->sigma[k], err) : -1) < 0)
			return err_set(
			    err, ERR_INPUT,
			    "a section is size:weight:mean:deviation:weight:mean:deviation…");
		if (row->weight[k] < 0 || row->mean[k] < 0 || row->sigma[k] < 0)
			return err_set(
			    err, ERR_INPUT,
			    "weights, means and deviations are not negative, as in %g:%g:%g",
			    row->weight[k], row->mean[k], row->sigma[k]);
		total += row->weight[k];
	}
	if (!(total > 0) || isinf(total))
		return err_set(err, ERR_INPUT, "the weights of a section add up to %s",
		               total > 0 ? "more than a number" : "nothing");
	for (int k = 0; k < row->n; k++)
		row->weight[k] /= total;
	return 0;
}

static int by_threshold(const void *a, const void *b)
{
	const struct noise_row *p = a, *q = b;

	return (p->threshold > q->threshold) - (p->threshold < q->threshold);
}

typedef int row_parser(const char *s, const char *end, struct noise_row *row, struct err *err);

static int table_parse(struct mp *mp, enum config_id id, row_parser *parse, struct noise_table *t,
                       struct err *err)
{
	const char *s = config_text(mp->cfg, id), *end;
	uint32_t cap = 0;
	struct err why;

	for (; *s; s = *end ? end + 1 : end) {
		struct noise_row *rows;

		end = s + strcspn(s, ";");
		if (end == s + strspn(s, " \t\r\n"))
			continue;
		rows = vec_grow(t->rows, &cap, sizeof *rows, (size_t)t->n + 1, "noise", err);
		if (!rows)
			return -1;
		t->rows = rows;
		if (parse(s + strspn(s, " \t\r\n"), end, &rows[t->n], &why) < 0)
			return err_set(err, why.kind, "setting %s: %s", config_table[id].name,
			               why.text);
		t->n++;
	}
	if (t->n)
		qsort(t->rows, t->n, sizeof *t->rows, by_threshold);
	return 0;
}

enum {
	RUN_COMPUTE,
	RUN_SLEEP,
	RUN_STRENGTH,
	RUN_MESSAGE /* + the number of the section */,
	RUN_KINDS = 16 /* those that follow are others' (src/sim/trust.c) */
};

/* Log-normal, so that no factor is negative; 1 is the middle. below, above: deviations on its two
 * sides. */
static double run_factor(double below, double above, uint64_t seed, uint32_t kind)
{
	double z = spread_normal(spread_unit(seed, kind));

	return exp((z < 0 ? below : above) * z);
}

/* "deviation", "size:deviation" or "size:below:above". */
static int run_row_parse(const char *s, const char *end, struct noise_row *row, struct err *err)
{
	double v[3];
	int n = 0;

	while (s < end && n < 3)
		if (field(&s, end, &v[n++], err) < 0)
			return -1;
	if (s < end || n == 0)
		return err_set(err, ERR_INPUT, "a section is size:deviation or size:below:above");
	*row = (struct noise_row){.threshold = n > 1 ? v[0] : -1};
	row->mean[0] = n > 1 ? v[1] : v[0];
	row->sigma[0] = v[n - 1];
	if (!(row->mean[0] >= 0 && row->mean[0] <= RUN_MOST && row->sigma[0] >= 0 &&
	      row->sigma[0] <= RUN_MOST))
		return err_set(err, ERR_INPUT, "a deviation of logarithms is from 0 to %d",
		               RUN_MOST);
	return 0;
}

static int run_factors(struct mp *mp, struct noise *n, uint64_t seed, struct err *err)
{
	double compute = config_number(mp->cfg, CFG_NOISE_RUN_COMPUTE),
	       least = config_number(mp->cfg, CFG_NOISE_NETWORK_LEAST);

	if (!(least >= 0 && least <= 1))
		return err_set(err, ERR_INPUT,
		               "setting noise/network-least: %g is not a part from 0 to 1", least);
	if (compute > RUN_MOST)
		return err_set(
		    err, ERR_INPUT,
		    "setting noise/run-compute: %g: a deviation of logarithms is from 0 to %d",
		    compute, RUN_MOST);
	if (table_parse(mp, CFG_NOISE_RUN_NETWORK, run_row_parse, &n->run_message, err) < 0)
		return -1;
	if (n->run_message.n > RUN_KINDS - RUN_MESSAGE)
		return err_set(err, ERR_INPUT, "setting noise/run-network: more than %d sections",
		               RUN_KINDS - RUN_MESSAGE);
	for (uint32_t i = 0; i < n->run_message.n; i++) {
		struct noise_row *row = &n->run_message.rows[i];

		row->mean[0] = run_factor(row->mean[0], row->sigma[0], seed, RUN_MESSAGE + i);
	}
	n->strength = least + (1 - least) * spread_unit(seed, RUN_STRENGTH);
	n->run_late = spread_unit(seed, RUN_SLEEP);
	n->run_compute = run_factor(compute, compute, seed, RUN_COMPUTE);
	return 0;
}

/* Where each rank is in the periods of its processor. */
static int phases_draw(struct noise *n, uint32_t ranks, uint64_t seed, struct err *err)
{
	int kinds = n->detours.n_periodic;

	if (kinds == 0)
		return 0;
	n->phase = malloc((size_t)ranks * (size_t)kinds * sizeof *n->phase);
	if (!n->phase)
		return err_nomem(err, "noise", (size_t)ranks * (size_t)kinds * sizeof *n->phase);
	for (uint32_t r = 0; r < ranks; r++) {
		struct rng stream;

		rng_init(&stream, seed, "noise/periodic", r);
		for (int i = 0; i < kinds; i++)
			n->phase[(size_t)r * (size_t)kinds + (size_t)i] = n->detours.period[i] *
			                                                  rng_unit(&stream);
	}
	return 0;
}

static int settings_read(struct mp *mp, struct noise *n, uint64_t seed, struct err *err)
{
	if (table_parse(mp, CFG_NOISE_NETWORK, row_parse, &n->message, err) < 0 ||
	    table_parse(mp, CFG_NOISE_COMPUTE, row_parse, &n->compute, err) < 0 ||
	    run_factors(mp, n, seed, err) < 0)
		return -1;
	return detours_read(mp, &n->detours, err);
}

static void tables_free(struct noise *n)
{
	free(n->message.rows);
	free(n->compute.rows);
	free(n->run_message.rows);
}

/* Without a seed nothing is drawn from the settings, but well formed they must be: a run of
 * --runs begins so. */
static int settings_check(struct mp *mp, struct err *err)
{
	struct noise unused = {.run_late = 0};
	int r = settings_read(mp, &unused, 1, err);

	tables_free(&unused);
	return r;
}

int noise_init(struct mp *mp, struct err *err)
{
	uint64_t seed = (uint64_t)config_number(mp->cfg, CFG_NOISE_SEED);
	struct noise *n;

	if (seed == 0)
		return settings_check(mp, err);
	mp->noise = n = calloc(1, sizeof *n);
	if (!n)
		return err_nomem(err, "noise", sizeof *n);
	if (settings_read(mp, n, seed, err) < 0 || phases_draw(n, mp->n_ranks, seed, err) < 0)
		return -1;
	n->message_stream = malloc(3 * (size_t)mp->n_ranks * sizeof *n->message_stream);
	if (!n->message_stream)
		return err_nomem(err, "noise", 3ull * mp->n_ranks * sizeof *n->message_stream);
	n->compute_stream = n->message_stream + mp->n_ranks;
	n->detour_stream = n->compute_stream + mp->n_ranks;
	for (uint32_t r = 0; r < mp->n_ranks; r++) {
		rng_init(&n->message_stream[r], seed, "noise/network", r);
		rng_init(&n->compute_stream[r], seed, "noise/compute", r);
		rng_init(&n->detour_stream[r], seed, "noise/detours", r);
	}
	return 0;
}

void noise_free(struct noise *n)
{
	if (!n)
		return;
	tables_free(n);
	free(n->message_stream);
	free(n->phase);
	free(n);
}

/* Two numbers are drawn whatever the table, so that a stream stays in step when a size changes its
 * section. Not below a hundredth of the component's mean: a normal distribution has no end, a time
 * has. */
static double draw(const struct noise_table *t, double size, struct rng *stream)
{
	double u = rng_unit(stream), z = rng_normal(stream), v;
	uint32_t i = t->n;
	int k = 0;

	while (i > 0 && t->rows[i - 1].threshold >= size)
		i--;
	if (i == 0)
		return 1;
	for (const struct noise_row *row = &t->rows[i - 1]; k + 1 < row->n && u >= row->weight[k];
	     k++)
		u -= row->weight[k];
	v = t->rows[i - 1].mean[k] + t->rows[i - 1].sigma[k] * z;
	return v > 0.01 * t->rows[i - 1].mean[k] ? v : 0.01 * t->rows[i - 1].mean[k];
}

static double run_lookup(const struct noise_table *t, double bytes)
{
	uint32_t i = t->n;

	while (i > 0 && t->rows[i - 1].threshold >= bytes)
		i--;
	return i > 0 ? t->rows[i - 1].mean[0] : 1;
}

double noise_run(const struct mp *mp, double bytes)
{
	return mp->noise ? run_lookup(&mp->noise->run_message, bytes) : 1;
}

double noise_message(struct noise *n, uint32_t rank, double bytes)
{
	double drawn = n->message.n ? draw(&n->message, bytes, &n->message_stream[rank]) : 1;

	return run_lookup(&n->run_message, bytes) * (1 + n->strength * (drawn - 1));
}

double noise_unit(struct noise *n, uint32_t rank)
{
	return rng_unit(&n->message_stream[rank]);
}

double noise_compute(struct noise *n, uint32_t rank, double volume, double speed, double now)
{
	double f = n->run_compute *
	           (n->compute.n ? draw(&n->compute, volume, &n->compute_stream[rank]) : 1),
	       seconds = f * volume / speed;
	const double *phase = n->phase ? n->phase + (size_t)rank * (size_t)n->detours.n_periodic
	                               : NULL;

	if (n->detours.share > 0 && seconds > 0 && isfinite(seconds))
		f *= detours_lengthen(&n->detours, &n->detour_stream[rank], phase, now, seconds) /
		     seconds;
	/* What is shorter than a sleep can be is none. Detours that take most of the time may have
	 * left less than the lateness that is taken off. */
	if (n->elapsed && n->detours.late_mean > 0 && seconds > 2 * n->detours.late_mean)
		f = fmax(f + (noise_sleep(n, rank) - n->run_late * n->detours.late_mean) * speed /
		                 volume,
		         0.01 * f);
	return f;
}

void mp_volumes_elapsed(struct mp *mp)
{
	if (mp->noise)
		mp->noise->elapsed = 1;
	net_compute_apart(mp->net);
}

double noise_sleep(struct noise *n, uint32_t rank)
{
	return detours_late(&n->detours, &n->detour_stream[rank]);
}
