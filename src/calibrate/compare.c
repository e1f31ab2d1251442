/* compare.c: see compare.h. The recording is read once, into the durations of each rank's calls in order, 16 bytes a call; the trace is streamed. */
#include "compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct sim_call {
	uint32_t function, count; /* which one, how many of it the rank had before */
	double duration, leave;
};
struct sim_rank {
	struct sim_call *call;
	uint32_t n, cap;
	double start; /* end of MPI_Init */
};
struct job {
	struct compare *c;
	struct sim_rank *rank;
	uint32_t *next; /* by function: the rank's calls so far */
	uint32_t next_cap;
};

static int function_find(struct compare *c, const char *name, struct err *err)
{
	struct compare_function *f;

	for (uint32_t i = 0; i < c->functions; i++)
		if (!strcmp(c->function[i].name, name))
			return (int)i;
	f = vec_grow(c->function, &c->functions_cap, sizeof *f, (size_t)c->functions + 1, "functions", err);
	if (!f)
		return -1;
	c->function = f;
	f[c->functions] = (struct compare_function){.name = name};
	return (int)c->functions++;
}

static int state_add(struct job *j, const struct rec_state *s, struct err *err)
{
	struct sim_rank *r = &j->rank[s->rank];
	struct sim_call *call;
	int f;

	if (s->call == CALL_INIT)
		r->start = s->leave;
	if (s->call == CALL_INIT || s->call == CALL_FINALIZE)
		return 0;
	/* Recorded durations are replayed as sleeps: both are what the program does between its calls. */
	f = function_find(j->c, mp_call_name(s->call == CALL_SLEEP ? CALL_COMPUTE : s->call), err);
	call = f < 0 ? NULL : vec_grow(r->call, &r->cap, sizeof *call, (size_t)r->n + 1, "calls", err);
	if (!call)
		return -1;
	r->call = call;
	call[r->n++] = (struct sim_call){.function = (uint32_t)f, .duration = s->leave - s->enter, .leave = s->leave};
	j->c->function[f].calls++;
	j->c->function[f].simulated += s->leave - s->enter;
	return 0;
}

static int run_read(struct job *j, struct recording *run, struct err *err)
{
	struct record rec;
	int more;

	recording_rewind(run);
	while ((more = recording_next(run, &rec, err)) > 0)
		if (rec.kind == REC_STATE && state_add(j, &rec.u.state, err) < 0)
			return -1;
	return more;
}

/* The k-th calls of each function get their number. */
static int calls_number(struct job *j, struct sim_rank *r, struct err *err)
{
	uint32_t *next = calloc(j->c->functions + 1, sizeof *next);

	if (!next)
		return err_nomem(err, "functions", j->c->functions * sizeof *next);
	for (uint32_t i = 0; i < r->n; i++)
		r->call[i].count = next[r->call[i].function]++;
	free(next);
	return 0;
}

/* What the simulation gives for a real call: it stands near the same place of the list, a little before or after where calls that the simulation does
 * not have (MPI_Test in vain, zero computations) have been counted. */
static const struct sim_call *call_find(const struct sim_rank *r, uint32_t function, uint32_t count, uint32_t *hint)
{
	for (uint32_t i = *hint; i < r->n; i++) {
		if (r->call[i].function == function && r->call[i].count == count) {
			if (i < *hint + 64)
				*hint = i;
			return &r->call[i];
		}
	}
	for (uint32_t i = *hint; i-- > 0;)
		if (r->call[i].function == function && r->call[i].count == count)
			return &r->call[i];
	return NULL;
}

static void outlier_add(struct compare *c, const struct compare_outlier *o)
{
	double beyond = o->real - o->simulated;
	uint32_t i;

	c->outliers++;
	c->timeouts += beyond > 0.18 && beyond < 0.26;
	c->outlier_seconds += beyond;
	c->rank[o->rank].outliers += beyond;
	for (i = c->n_worst; i > 0 && c->worst[i - 1].real - c->worst[i - 1].simulated < beyond; i--)
		if (i < COMPARE_OUTLIERS)
			c->worst[i] = c->worst[i - 1];
	if (i < COMPARE_OUTLIERS)
		c->worst[i] = *o;
	if (c->n_worst < COMPARE_OUTLIERS)
		c->n_worst++;
}

static const char *event_function(const struct trace_event *ev)
{
	if (ev->op == TRACE_COMPUTE || ev->op == TRACE_SLEEP)
		return mp_call_name(CALL_COMPUTE);
	return trace_op_mpi((enum trace_op)ev->op);
}

struct real_rank {
	double date;
	uint32_t calls, hint;
	double end[COMPARE_PHASES];
};

static int event_add(struct job *j, uint32_t rank, struct real_rank *at, const struct trace_event *ev, struct err *err)
{
	struct compare *c = j->c;
	struct sim_rank *r = &j->rank[rank];
	const char *name = event_function(ev);
	const struct sim_call *call;
	double t = ev->duration;
	int f;

	if (ev->op == TRACE_INIT || ev->op == TRACE_FINALIZE || !name[0] || t < 0)
		return 0;
	f = function_find(c, name, err);
	if (f < 0)
		return -1;
	if ((uint32_t)f >= j->next_cap) {
		uint32_t *next = realloc(j->next, ((size_t)f + 32) * sizeof *next);

		if (!next)
			return err_nomem(err, "functions", ((size_t)f + 32) * sizeof *next);
		memset(next + j->next_cap, 0, ((size_t)f + 32 - j->next_cap) * sizeof *next);
		j->next = next;
		j->next_cap = (uint32_t)f + 32;
	}
	c->function[f].real_calls++;
	c->function[f].real += t;
	call = call_find(r, (uint32_t)f, j->next[f]++, &at->hint);
	if (call && t - call->duration > c->threshold && t > 10 * call->duration)
		outlier_add(c, &(struct compare_outlier){.rank = rank,
		                                         .function = name,
		                                         .call = j->next[f] - 1,
		                                         .date = at->date,
		                                         .simulated = call->duration,
		                                         .real = t});
	at->date += t;
	if (call && r->n)
		for (uint64_t p = ((uint64_t)(call - r->call + 1) * COMPARE_PHASES + r->n - 1) / r->n - 1; p < COMPARE_PHASES; p++)
			at->end[p] = at->date;
	return 0;
}

static int rank_read(struct job *j, struct trace *real, uint32_t rank, struct err *err)
{
	struct compare *c = j->c;
	struct sim_rank *r = &j->rank[rank];
	struct real_rank at = {0};
	struct trace_event ev;
	int more;

	if (calls_number(j, r, err) < 0)
		return -1;
	if (j->next)
		memset(j->next, 0, j->next_cap * sizeof *j->next);
	while ((more = trace_next(real, rank, &ev, err)) > 0)
		if (event_add(j, rank, &at, &ev, err) < 0)
			return -1;
	if (more < 0)
		return -1;
	c->rank[rank].simulated = r->n ? r->call[r->n - 1].leave - r->start : 0;
	c->rank[rank].real = at.date;
	c->simulated = fmax(c->simulated, c->rank[rank].simulated);
	c->real = fmax(c->real, at.date);
	c->explained = fmax(c->explained, c->rank[rank].outliers);
	for (uint32_t p = 0; p < COMPARE_PHASES; p++) {
		uint32_t last = (uint32_t)((uint64_t)r->n * (p + 1) / COMPARE_PHASES);

		c->simulated_phase[p] += (last ? r->call[last - 1].leave - r->start : 0) / c->ranks;
		c->real_phase[p] += at.end[p] / c->ranks;
	}
	return 0;
}

int compare_make(struct recording *run, struct trace *real, double threshold, struct compare *c, struct err *err)
{
	struct job j = {.c = c};
	uint32_t ranks = recording_info(run)->ranks;
	int r = -1;

	*c = (struct compare){.ranks = ranks, .threshold = threshold > 0 ? threshold : 0.05};
	if (trace_ranks(real) != ranks)
		return err_set(err, ERR_INPUT, "the simulated run has %u ranks, the real one %u: they are not the same program",
		               ranks, trace_ranks(real));
	c->rank = calloc(ranks, sizeof *c->rank);
	j.rank = calloc(ranks, sizeof *j.rank);
	if (!c->rank || !j.rank)
		err_nomem(err, "ranks", ranks * sizeof *j.rank);
	else
		r = run_read(&j, run, err);
	for (uint32_t i = 0; i < ranks && r == 0; i++)
		r = rank_read(&j, real, i, err);
	if (r == 0 && !(c->real > 0))
		r = err_set(err, ERR_INPUT,
		            "the real run has no durations: trace it with 'orrery trace', without the counter 'fake'");
	for (uint32_t i = 0; j.rank && i < ranks; i++)
		free(j.rank[i].call);
	free(j.rank);
	free(j.next);
	if (r < 0)
		compare_release(c);
	return r;
}

void compare_release(struct compare *c)
{
	free(c->rank);
	free(c->function);
	*c = (struct compare){0};
}

static double percent(double simulated, double real)
{
	return real > 0 ? 100 * (simulated / real - 1) : 0;
}

static void functions_text(const struct compare *c, struct str *out)
{
	str_printf(out, "\n%-24s %10s %10s %14s %14s %10s\n", "function", "calls", "real", "real s", "simulated s", "difference");
	for (uint32_t i = 0; i < c->functions; i++) {
		const struct compare_function *f = &c->function[i];

		str_printf(out, "%-24s %10llu %10llu %14.6f %14.6f %+10.6f\n", f->name, (unsigned long long)f->calls,
		           (unsigned long long)f->real_calls, f->real, f->simulated, f->simulated - f->real);
	}
}

static void outliers_text(const struct compare *c, struct str *out)
{
	if (c->outliers == 0) {
		str_printf(out, "\nno call was %g s longer than simulated and ten times as long\n", c->threshold);
		return;
	}
	str_printf(out,
	           "\n%llu calls were over %g s longer than simulated, by %.6f s in all; %llu of them by some 200 ms, TCP's least "
	           "time-out\n",
	           (unsigned long long)c->outliers, c->threshold, c->outlier_seconds, (unsigned long long)c->timeouts);
	str_printf(out, "they delayed one rank by %.6f s at most: without them the error would be about %+.1f %%\n", c->explained,
	           percent(c->simulated, c->real - c->explained));
	for (uint32_t i = 0; i < c->n_worst; i++)
		str_printf(out, "  rank %u, %s number %llu, at %.6f s: %.6f s instead of %.6f\n", c->worst[i].rank,
		           c->worst[i].function, (unsigned long long)c->worst[i].call, c->worst[i].date, c->worst[i].real,
		           c->worst[i].simulated);
}

void compare_text(const struct compare *c, struct str *out)
{
	str_printf(out, "real %.6f s, simulated %.6f s: %+.2f %%\n", c->real, c->simulated, percent(c->simulated, c->real));
	functions_text(c, out);
	str_printf(out, "\n%-24s %14s %14s %10s\n", "up to this share of calls", "real s", "simulated s", "difference");
	for (int p = 0; p < COMPARE_PHASES; p++)
		str_printf(out, "%23d %% %14.6f %14.6f %+10.6f\n", 100 * (p + 1) / COMPARE_PHASES, c->real_phase[p],
		           c->simulated_phase[p], c->simulated_phase[p] - c->real_phase[p]);
	str_printf(out, "\n%-24s %14s %14s %10s %14s\n", "rank", "real s", "simulated s", "error", "outliers s");
	for (uint32_t r = 0; r < c->ranks; r++)
		str_printf(out, "%-24u %14.6f %14.6f %+9.1f%% %14.6f\n", r, c->rank[r].real, c->rank[r].simulated,
		           percent(c->rank[r].simulated, c->rank[r].real), c->rank[r].outliers);
	outliers_text(c, out);
}

void compare_json(const struct compare *c, struct str *out)
{
	struct json j;

	json_init(&j, out);
	json_object(&j);
	json_put_double(&j, "real", c->real);
	json_put_double(&j, "simulated", c->simulated);
	json_key(&j, "functions");
	json_array(&j);
	for (uint32_t i = 0; i < c->functions; i++) {
		json_object(&j);
		json_put_string(&j, "name", c->function[i].name);
		json_put_int(&j, "calls", (int64_t)c->function[i].calls);
		json_put_int(&j, "real_calls", (int64_t)c->function[i].real_calls);
		json_put_double(&j, "real", c->function[i].real);
		json_put_double(&j, "simulated", c->function[i].simulated);
		json_end(&j);
	}
	json_end(&j);
	json_key(&j, "ranks");
	json_array(&j);
	for (uint32_t r = 0; r < c->ranks; r++) {
		json_object(&j);
		json_put_double(&j, "real", c->rank[r].real);
		json_put_double(&j, "simulated", c->rank[r].simulated);
		json_put_double(&j, "outliers", c->rank[r].outliers);
		json_end(&j);
	}
	json_end(&j);
	json_key(&j, "phases");
	json_array(&j);
	for (int p = 0; p < COMPARE_PHASES; p++) {
		json_object(&j);
		json_put_double(&j, "real", c->real_phase[p]);
		json_put_double(&j, "simulated", c->simulated_phase[p]);
		json_end(&j);
	}
	json_end(&j);
	json_key(&j, "outliers");
	json_object(&j);
	json_put_int(&j, "calls", (int64_t)c->outliers);
	json_put_int(&j, "timeouts", (int64_t)c->timeouts);
	json_put_double(&j, "seconds", c->outlier_seconds);
	json_put_double(&j, "explained", c->explained);
	json_end(&j);
	json_end(&j);
	str_putc(out, '\n');
}
