/* network_trials.c: how far a model is off: small random programs between all hosts, measured,
 * simulated on the platform that the fit gave, compared.
 *
 * No term of the model is fitted to them, so what they are off is what another program must be
 * expected to be off: errors of the fit and of the model together (docs/decisions/0015-noise.md). A
 * program is rounds of messages: rings, neighbours, transpositions, all to all, trees, random
 * pairs; with or without pauses between, like computations.
 *
 * 1. A pause takes in the simulation what it took in reality, and both begin with a barrier.
 * 2. The median of REPEATS runs is compared with the median of SEEDS simulations with the noise of
 *    messages.
 * 3. What is off is off by size: of messages that fit one packet latencies are, of large ones
 *    bandwidths and protocols. */
#include "network_trials.h"

#include "base/rng.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 5 };
/* The 97.5 % quantile of the normal distribution. */
static const double NORMAL_975 = 1.96;

/* --- the simulation of one of them --- */

struct trial_rank {
	uint32_t at; /* in rows */
	int round, waits;
	enum { TRIAL_NEW, TRIAL_BEGINS, TRIAL_GOES } state;
	double since, end; /* dates between which it was under way */
	struct mp_request *req;
	uint32_t n_req, cap_req;
};
struct trial {
	const struct net_row *row; /* of this program, by rounds, pauses first */
	uint32_t n;
	struct trial_rank *rank;
	uint32_t first[NET_ROUNDS + 1]; /* of each round, in row */
	int ranks, rounds;
	const int *place; /* by rank of the measurement: which of those that take part */
	const int *host;  /* of those: its number in the measurements */
	const struct net_raw *raw;
};

static int request_add(struct trial_rank *r, struct mp_request q, struct err *err)
{
	struct mp_request *more = vec_grow(r->req, &r->cap_req, sizeof *more, (size_t)r->n_req + 1,
	                                   "requests", err);

	if (!more)
		return -1;
	r->req = more;
	more[r->n_req++] = q;
	return 0;
}

/* The next thing that a rank does: MP_DONE, MP_BLOCKED, MP_ERROR. Receives come before sends; what
 * is blocked by its own overhead is begun. */
static int step(struct trial *t, struct mp *mp, uint32_t me, struct err *err)
{
	struct trial_rank *r = &t->rank[me];
	uint32_t n = t->first[r->round + 1] - t->first[r->round];

	for (; n > 0 && r->at < 2 * n; r->at++) { /* once for the receives, once for the sends */
		const struct net_row *q = &t->row[t->first[r->round] + r->at % n];
		int from = t->place[q->src], to = t->place[q->dst], sends = r->at >= n;
		struct mp_message m = {.peer = sends ? to : from, .tag = 1, .bytes = q->size};
		struct mp_request req = MP_REQUEST_NULL;
		int status;

		if (from != (int)me && to != (int)me)
			continue;
		if (q->op == NET_PAUSE) {
			if (sends)
				continue;
			r->at++;
			return mp_sleep(mp, me, q->duration, err);
		}
		if ((sends ? from : to) != (int)me)
			continue;
		r->at++;
		status = sends ? mp_isend(mp, me, &m, MP_STANDARD, &req, err)
		               : mp_irecv(mp, me, &m, &req, err);
		return status == MP_ERROR || request_add(r, req, err) < 0 ? MP_ERROR : status;
	}
	r->at = 0;
	r->round++;
	if (r->n_req == 0)
		return MP_DONE;
	r->waits = 1;
	return mp_wait(mp, me, MP_WAITALL, r->req, r->n_req, err);
}

/* Programs begin after a barrier, and so not all ranks at once: who has left it asks those who have
 * not yet. */
static int resume(void *self, struct mp *mp, uint32_t rank, struct err *err)
{
	static const struct coll_args together = {.kind = COLL_BARRIER};
	struct trial *t = self;
	struct trial_rank *r = &t->rank[rank];

	for (;;) {
		int status;

		if (r->waits)
			r->n_req = 0;
		r->waits = 0;
		r->end = mp_now(mp);
		if (r->state == TRIAL_BEGINS)
			r->since = r->end;
		if (r->round >= t->rounds)
			return 1;
		if (r->state == TRIAL_NEW)
			status = mp_collective(mp, rank, MP_COMM_WORLD, &together, 0, err);
		else
			status = step(t, mp, rank, err);
		if (r->state != TRIAL_GOES)
			r->state++;
		if (status == MP_ERROR)
			return -1;
		if (status == MP_BLOCKED)
			return 0;
	}
}

static const char *place(void *self, uint32_t rank, char *buf, size_t n)
{
	const struct trial *t = self;

	snprintf(buf, n, "a program of the calibration, round %d", t->rank[rank].round);
	return buf;
}

/* The platform's, of the i-th that takes part: by its name, for cabinets change the order; by its
 * number where names are made up. */
static struct host_id host_of(const struct trial *t, const struct platform *p, int i)
{
	int number = t->raw->n_hosts ? t->host[i] : i;
	struct host_id h;
	char made[32];

	snprintf(made, sizeof made, "host%d", number);
	if (platform_host_find(p, net_host_name(t->raw, number), &h) < 0 &&
	    platform_host_find(p, made, &h) < 0)
		h.v = (uint32_t)number < platform_host_count(p) ? (uint32_t)number : (uint32_t)i;
	return h;
}

static int trial_open(void *self, uint32_t np, struct sim_about *about, struct str *notices,
                      struct err *err)
{
	struct trial *t = self;

	(void)np, (void)notices, (void)err;
	about->ranks = (uint32_t)t->ranks;
	about->program = "a program of the calibration";
	about->trace = "";
	return 0;
}

static int trial_start(void *self, struct mp *mp, const struct config *cfg,
                       struct progress *progress, struct mp_program *out, struct err *err)
{
	(void)mp, (void)cfg, (void)progress, (void)err;
	*out = (struct mp_program){.self = self, .resume = resume, .place = place};
	return 0;
}

static uint64_t trial_actions(void *self)
{
	return ((struct trial *)self)->n;
}

static void trial_close(void *self)
{
	(void)self;
}

static int trial_place(void *self, const struct platform *p, uint32_t ranks, struct host_id *host,
                       struct err *err)
{
	struct trial *t = self;

	if (platform_host_count(p) < ranks)
		return err_set(err, ERR_INPUT,
		               "programs (mesh) of %u ranks on %u hosts: the measurements do not "
		               "say on which hosts ('# hosts:')",
		               ranks, platform_host_count(p));
	for (uint32_t i = 0; i < ranks; i++)
		host[i] = host_of(t, p, (int)i);
	return 0;
}

static int simulate(struct trial *t, const char *platform, uint64_t seed, double *seconds,
                    struct err *err)
{
	char text[32];
	/* The connections are there, and what is common to a run is what is sought. */
	const struct sim_setting settings[] = {{"noise/seed", text},
	                                       {"noise/run-network", "0"},
	                                       {"smpi/connection-setup", "0"},
	                                       {"smpi/first-contact", "0"}};
	struct sim_source source = {.self = t,
	                            .open = trial_open,
	                            .start = trial_start,
	                            .actions = trial_actions,
	                            .close = trial_close};
	struct sim_options o = {.machine = platform,
	                        .setting = settings,
	                        .n_settings = sizeof settings / sizeof *settings,
	                        .place = trial_place,
	                        .place_self = t};
	struct sim *s;
	int r;

	snprintf(text, sizeof text, "%llu", (unsigned long long)seed);
	s = sim_new(&o, &source, err);
	r = s ? sim_run(s, err) : -1;
	if (r == 0) {
		*seconds = 0;
		for (int i = 0; i < t->ranks;
		     i++) /* as measured: by the clock of each, since the barrier let it go */
			*seconds = fmax(*seconds, t->rank[i].end - t->rank[i].since);
	}
	sim_free(s);
	return r;
}

/* --- measured beside simulated --- */

static int by_round(const void *a, const void *b)
{
	const struct net_row *p = a, *q = b;

	if (p->file != q->file)
		return p->file < q->file ? -1 : 1;
	if (p->pairs != q->pairs)
		return p->pairs < q->pairs ? -1 : 1;
	if (p->op != q->op)
		return p->op == NET_PAUSE ? -1 : 1;
	if (p->src != q->src)
		return p->src < q->src ? -1 : 1;
	return (p->dst > q->dst) - (p->dst < q->dst);
}

/* The longest sum of pauses of a rank. */
static double pauses(const struct trial *t)
{
	double sum[TRIALS_HOSTS] = {0}, most = 0;

	for (uint32_t i = 0; i < t->n; i++)
		if (t->row[i].op == NET_PAUSE) {
			int h = t->place[t->row[i].src];

			sum[h] += t->row[i].duration;
			most = fmax(most, sum[h]);
		}
	return most;
}

static int trial_predict(struct trial *t, const char *platform, double *seconds, struct err *err)
{
	double v[SEEDS];

	for (int s = 0; s < SEEDS; s++) {
		int r;

		for (int i = 0; i < t->ranks; i++)
			t->rank[i] = (struct trial_rank){.req = t->rank[i].req,
			                                 .cap_req = t->rank[i].cap_req};
		r = simulate(t, platform, (uint64_t)s + 1, &v[s], err);
		if (r < 0)
			return -1;
	}
	*seconds = fit_median(v, SEEDS);
	return 0;
}

/* Those that take part in programs. */
struct places {
	int *of; /* by rank of the measurement: which; -1: none. The caller frees it */
	int host[TRIALS_HOSTS]; /* its number in the measurements */
	int n;
};

/* Rows first..last are one run of a program: how long it took and would take. */
static int run_compare(const struct net_raw *raw, const struct net_row *row, uint32_t n,
                       const struct places *where, const char *platform, struct net_trial *out,
                       struct err *err)
{
	struct trial_rank rank[TRIALS_HOSTS] = {{0}};
	struct trial t = {.row = row,
	                  .n = n,
	                  .rank = rank,
	                  .ranks = where->n,
	                  .rounds = row[n - 1].pairs % NET_ROUNDS + 1,
	                  .place = where->of,
	                  .host = where->host,
	                  .raw = raw};
	double off = pauses(&t);
	int r, round = 0;

	*out = (struct net_trial){0};
	for (uint32_t i = 0; i < n; i++)
		while (round <= row[i].pairs % NET_ROUNDS)
			t.first[round++] = i;
	t.first[round] = n;
	for (uint32_t i = 0; i < n; i++) {
		if (row[i].op != NET_MESH)
			continue;
		out->real = fmax(out->real, row[i].duration);
		out->size = fmax(out->size, row[i].size);
	}
	r = trial_predict(&t, platform, &out->predicted, err);
	out->real -= off;
	out->predicted -= off;
	for (int i = 0; i < where->n; i++)
		free(rank[i].req);
	return r;
}

/* In the order of their ranks. */
static int places_find(const struct net_raw *raw, const struct net_row *row, uint32_t n,
                       struct places *out, struct err *err)
{
	int most = 0;

	for (uint32_t i = 0; i < n; i++) {
		most = row[i].src > most ? row[i].src : most;
		most = row[i].dst > most ? row[i].dst : most;
	}
	out->of = malloc(((size_t)most + 1) * sizeof *out->of);
	if (!out->of)
		return err_nomem(err, "ranks", ((size_t)most + 1) * sizeof *out->of);
	for (int k = 0; k <= most; k++)
		out->of[k] = -1;
	for (uint32_t i = 0; i < n; i++)
		out->of[row[i].src] = out->of[row[i].dst] = 0;
	for (int k = 0; k <= most; k++) {
		if (out->of[k] < 0)
			continue;
		if (out->n == TRIALS_HOSTS)
			return err_set(err, ERR_INPUT, "programs (mesh) of more than %d ranks",
			               TRIALS_HOSTS);
		out->host[out->n] = net_host_of(raw, k);
		out->of[k] = out->n++;
	}
	return 0;
}

/* The root mean square of the deviations on one side, drawn towards that of both as by ALIKE
 * programs: a model that is too fast where it is wrong is not as likely to be too slow, but a few
 * programs do not say that it never is. What few may hide is included: Student's t beside the
 * normal. */
static double side_deviation(double square, int n, double square_both, int both)
{
	enum { ALIKE = 4 };

	return sqrt((square + ALIKE * square_both / both) / (n + ALIKE)) * fit_t975(both) /
	       NORMAL_975;
}

/* Sections of sizes, each with the deviations of its programs. */
static void discrepancy_set(struct net_fit *f)
{
	const double from[TRIALS_CLASSES] = {0, TRIALS_SMALL, fmax(f->detached, 2 * TRIALS_SMALL)};

	f->discrepancies = 0;
	for (int c = 0; c < TRIALS_CLASSES; c++) {
		double square[2] = {0}, to = c + 1 < TRIALS_CLASSES ? from[c + 1] : INFINITY;
		int n[2] = {0}, k = f->discrepancies;

		for (int i = 0; i < f->trials; i++) {
			const struct net_trial *t = &f->trial[i];
			double off;

			if (t->size < from[c] || t->size >= to ||
			    !(t->real > 0 && t->predicted > 0))
				continue;
			off = log(t->real / t->predicted);
			square[off > 0] += off * off;
			n[off > 0]++;
		}
		if (n[0] + n[1] < 3)
			continue;
		f->discrepancy[k].from = k ? from[c] - 1 : 0;
		f->discrepancy[k].n = n[0] + n[1];
		f->discrepancy[k].below = fmin(
		    fmax(f->spread,
		         side_deviation(square[0], n[0], square[0] + square[1], n[0] + n[1])),
		    1);
		f->discrepancy[k].above = fmin(
		    fmax(f->spread,
		         side_deviation(square[1], n[1], square[0] + square[1], n[0] + n[1])),
		    1);
		f->discrepancies++;
	}
}

static void trial_keep(struct net_fit *f, struct net_trial *run, int n)
{
	double real[NET_REPEATS], predicted[NET_REPEATS];

	if (n == 0)
		return;
	for (int i = 0; i < n; i++) {
		real[i] = run[i].real;
		predicted[i] = run[i].predicted;
	}
	f->trial[f->trials++] = (struct net_trial){.size = run[0].size,
	                                           .real = fit_median(real, (size_t)n),
	                                           .predicted = fit_median(predicted, (size_t)n)};
}

static int programs_compare(const struct net_raw *raw, const struct net_row *row, uint32_t n,
                            const struct places *where, const char *platform, struct net_fit *f,
                            struct err *err)
{
	struct net_trial run[NET_REPEATS];
	int runs = 0;

	for (uint32_t i = 0, next; i < n && f->trials < NET_TRIALS; i = next) {
		int id = row[i].pairs / NET_ROUNDS, file = row[i].file;

		for (next = i;
		     next < n && row[next].pairs / NET_ROUNDS == id && row[next].file == file;
		     next++)
			;
		if (run_compare(raw, row + i, next - i, where, platform, &run[runs], err) < 0)
			return -1;
		runs++;
		if (next == n || row[next].file != file ||
		    row[next].pairs / NET_ROUNDS / NET_REPEATS != id / NET_REPEATS) {
			trial_keep(f, run, runs);
			runs = 0;
		}
	}
	return 0;
}

int net_trials(const struct net_raw *raw, const char *platform, struct net_fit *f, struct err *err)
{
	struct net_row *row = malloc(((size_t)raw->n + 1) * sizeof *row);
	struct places where = {0};
	uint32_t n = 0;
	int r;

	if (!row)
		return err_nomem(err, "measurements", ((size_t)raw->n + 1) * sizeof *row);
	for (uint32_t i = 0; i < raw->n; i++)
		if (raw->rows[i].op == NET_MESH || raw->rows[i].op == NET_PAUSE)
			row[n++] = raw->rows[i];
	qsort(row, n, sizeof *row, by_round);
	f->trials = 0;
	r = n ? places_find(raw, row, n, &where, err) : 0;
	if (r == 0 && n)
		r = programs_compare(raw, row, n, &where, platform, f, err);
	if (r == 0)
		discrepancy_set(f);
	free(where.of);
	free(row);
	return r;
}
