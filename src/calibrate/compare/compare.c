/* compare.c: see compare.h. The recording is read once, into the durations of each rank's calls in
 * order, 40 bytes a call; the trace is streamed over them. */
#include "compare_int.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* s: a call that takes so much longer than others is an outlier, unless another threshold is asked
 * for: what TCP's lost packets cost (200 ms and more) is, what a scheduler's turns do is not. */
static const double THRESHOLD = 0.05;
/* Functions that a rank's counters grow by. */
enum { FUNCTIONS_MORE = 32 };

struct job {
	struct compare *c;
	struct compare_calls *rank;
	struct compare_calls *first_run; /* of two recordings: the ranks' calls in the first */
	uint32_t *place; /* of a rank's calls, those of a function together, in order */
	uint32_t *first; /* by function, functions + 1 of them: where its calls begin in place */
	uint32_t known;  /* functions of the simulation; others have no calls to match */
	uint32_t *next;  /* by function: the rank's real calls so far */
	uint32_t next_cap;
};

static int function_find(struct compare *c, const char *name, struct err *err)
{
	struct compare_function *f;

	for (uint32_t i = 0; i < c->functions; i++)
		if (!strcmp(c->function[i].name, name))
			return (int)i;
	f = vec_grow(c->function, &c->functions_cap, sizeof *f, (size_t)c->functions + 1,
	             "functions", err);
	if (!f)
		return -1;
	c->function = f;
	f[c->functions] = (struct compare_function){.name = name};
	return (int)c->functions++;
}

static int state_add(struct job *j, struct compare_calls *ranks, const struct rec_state *s,
                     struct err *err)
{
	struct compare_calls *r = &ranks[s->rank];
	struct compare_call *call;
	int f;

	if (s->call == CALL_INIT)
		r->start = s->leave;
	if (s->call == CALL_INIT || s->call == CALL_FINALIZE)
		return 0;
	/* Recorded durations are replayed as sleeps: both are what the program does between its
	 * calls. */
	f = function_find(j->c, mp_call_name(s->call == CALL_SLEEP ? CALL_COMPUTE : s->call), err);
	call = f < 0 ? NULL
	             : vec_grow(r->call, &r->cap, sizeof *call, (size_t)r->n + 1, "calls", err);
	if (!call)
		return -1;
	r->call = call;
	call[r->n++] = (struct compare_call){.function = (uint32_t)f,
	                                     .duration = s->leave - s->enter,
	                                     .leave = s->leave,
	                                     .real = -1};
	return 0;
}

static int run_read(struct job *j, struct compare_calls *ranks, struct recording *run,
                    struct err *err)
{
	struct record rec;
	int more;

	recording_rewind(run);
	while ((more = recording_next(run, &rec, err)) > 0)
		if (rec.kind == REC_STATE && state_add(j, ranks, &rec.u.state, err) < 0)
			return -1;
	return more;
}

/* The simulated run. */
static int simulated_read(struct job *j, struct recording *run, struct err *err)
{
	struct compare *c = j->c;

	if (run_read(j, j->rank, run, err) < 0)
		return -1;
	j->known = c->functions;
	for (uint32_t rank = 0; rank < c->ranks; rank++)
		for (uint32_t i = 0; i < j->rank[rank].n; i++) {
			const struct compare_call *call = &j->rank[rank].call[i];

			c->function[call->function].calls++;
			c->function[call->function].simulated += call->duration;
		}
	return 0;
}

/* The rank's calls by function: the k-th of f is place[first[f] + k]. */
static int calls_sort(struct job *j, struct compare_calls *r, struct err *err)
{
	uint32_t *first = calloc((size_t)j->known + 2, sizeof *first),
	         *place = malloc(((size_t)r->n + 1) * sizeof *place);

	free(j->first);
	free(j->place);
	j->first = first;
	j->place = place;
	if (!first || !place)
		return err_nomem(err, "calls", ((size_t)r->n + 1) * sizeof *place);
	for (uint32_t i = 0; i < r->n; i++) {
		r->call[i].count = first[r->call[i].function + 1]++;
	}
	for (uint32_t f = 0; f < j->known; f++)
		first[f + 1] += first[f];
	for (uint32_t i = 0; i < r->n; i++)
		place[first[r->call[i].function] + r->call[i].count] = i;
	return 0;
}

static struct compare_call *call_find(const struct job *j, struct compare_calls *r,
                                      uint32_t function, uint32_t count)
{
	if (function >= j->known || count >= j->first[function + 1] - j->first[function])
		return NULL;
	return &r->call[j->place[j->first[function] + count]];
}

static const char *event_function(const struct trace_event *ev)
{
	if (ev->op == TRACE_COMPUTE || ev->op == TRACE_SLEEP)
		return mp_call_name(CALL_COMPUTE);
	return trace_op_mpi((enum trace_op)ev->op);
}

struct real_rank {
	double date;
	double end[COMPARE_PHASES];
};

/* The number of a rank's real call among those of its function. */
static int number_next(struct job *j, uint32_t f, uint32_t *number, struct err *err)
{
	if (f >= j->next_cap) {
		uint32_t *next = realloc(j->next, ((size_t)f + FUNCTIONS_MORE) * sizeof *next);

		if (!next)
			return err_nomem(err, "functions",
			                 ((size_t)f + FUNCTIONS_MORE) * sizeof *next);
		memset(next + j->next_cap, 0,
		       ((size_t)f + FUNCTIONS_MORE - j->next_cap) * sizeof *next);
		j->next = next;
		j->next_cap = f + FUNCTIONS_MORE;
	}
	BUG_ON(!j->next);
	*number = j->next[f]++;
	return 0;
}

static uint32_t phase_of(const struct compare_calls *r, const struct compare_call *call)
{
	BUG_ON(r->n == 0);
	return (uint32_t)((uint64_t)(call - r->call) * COMPARE_PHASES / r->n);
}

/* The rank's next call of the real run, of t seconds: it ends at `end`. */
static void real_add(struct job *j, uint32_t rank, struct real_rank *at, uint32_t f,
                     uint32_t number, double t, double end)
{
	struct compare *c = j->c;
	struct compare_calls *r = &j->rank[rank];
	struct compare_call *call = call_find(j, r, f, number);

	c->function[f].real_calls++;
	c->function[f].real += t;
	if (call) {
		call->real = t;
		call->date = end - t;
		c->matched++;
	}
	at->date = end;
	for (uint32_t p = call ? phase_of(r, call) : COMPARE_PHASES; p < COMPARE_PHASES; p++)
		at->end[p] = end;
}

static int event_add(struct job *j, uint32_t rank, struct real_rank *at,
                     const struct trace_event *ev, struct err *err)
{
	const char *name = event_function(ev);
	double t = ev->duration;
	uint32_t number = 0;
	int f;

	if (ev->op == TRACE_INIT || ev->op == TRACE_FINALIZE || !name[0])
		return 0;
	f = function_find(j->c, name, err);
	if (f < 0 || number_next(j, (uint32_t)f, &number, err) < 0)
		return -1;
	if (t < 0)
		j->c->untimed++;
	else
		real_add(j, rank, at, (uint32_t)f, number, t, at->date + t);
	return 0;
}

static void rank_end(struct compare *c, uint32_t rank, const struct compare_calls *r,
                     struct real_rank *at)
{
	double simulated = 0, real = 0; /* end of the phase before */
	uint32_t done = 0;

	c->rank[rank].simulated = r->n ? r->call[r->n - 1].leave - r->start : 0;
	c->rank[rank].real = at->date;
	c->simulated = fmax(c->simulated, c->rank[rank].simulated);
	if (at->date > c->real)
		c->last = rank;
	c->real = fmax(c->real, at->date);
	at->end[COMPARE_PHASES - 1] =
	    at->date; /* what the simulation does not have belongs to the last */
	for (uint32_t p = 0; p < COMPARE_PHASES; p++) {
		double end = simulated;

		while (done < r->n && phase_of(r, &r->call[done]) <= p)
			end = r->call[done++].leave - r->start;
		c->phase[p].simulated += (end - simulated) / c->ranks;
		c->phase[p].real += fmax(0, at->end[p] - real) / c->ranks;
		simulated = end;
		real = fmax(real, at->end[p]);
	}
}

/* The same of the first of two recordings. */
static int rank_take(struct job *j, uint32_t rank, struct err *err)
{
	const struct compare_calls *first = &j->first_run[rank];
	struct real_rank at = {0};
	uint32_t number = 0;

	if (calls_sort(j, &j->rank[rank], err) < 0)
		return -1;
	if (j->next)
		memset(j->next, 0, j->next_cap * sizeof *j->next);
	for (uint32_t i = 0; i < first->n; i++) {
		const struct compare_call *call = &first->call[i];

		if (number_next(j, call->function, &number, err) < 0)
			return -1;
		real_add(j, rank, &at, call->function, number, call->duration,
		         call->leave - first->start);
	}
	rank_end(j->c, rank, &j->rank[rank], &at);
	return 0;
}

static int rank_read(struct job *j, struct trace *real, uint32_t rank, struct err *err)
{
	struct compare_calls *r = &j->rank[rank];
	struct real_rank at = {0};
	struct trace_event ev;
	int more;

	if (calls_sort(j, r, err) < 0)
		return -1;
	if (j->next)
		memset(j->next, 0, j->next_cap * sizeof *j->next);
	while ((more = trace_next(real, rank, &ev, err)) > 0)
		if (event_add(j, rank, &at, &ev, err) < 0)
			return -1;
	if (more == 0)
		rank_end(j->c, rank, r, &at);
	return more;
}

static int programs_check(const struct compare *c, struct err *err)
{
	uint64_t simulated = 0, real = 0;

	for (uint32_t f = 0; f < c->functions; f++) {
		simulated += c->function[f].calls;
		real += c->function[f].real_calls;
	}
	if (!(c->real > 0))
		return err_set(err, ERR_INPUT,
		               "the real run has no durations: trace it with 'orrery trace', "
		               "without the counter 'fake'");
	if (c->matched == 0)
		return err_set(err, ERR_INPUT,
		               "no call of the real run (%llu) is in the simulated one (%llu): "
		               "they are not the same program, or the recording was made without "
		               "states",
		               (unsigned long long)real, (unsigned long long)simulated);
	return 0;
}

static void job_release(struct job *j, uint32_t ranks)
{
	for (uint32_t i = 0; j->rank && i < ranks; i++)
		free(j->rank[i].call);
	for (uint32_t i = 0; j->first_run && i < ranks; i++)
		free(j->first_run[i].call);
	free(j->rank);
	free(j->first_run);
	free(j->first);
	free(j->place);
	free(j->next);
}

/* --- two recordings --- */

/* Keeps the most, by how much; of equals, the first. */
static void change_offer(struct compare *c, const struct compare_change *x)
{
	uint64_t at = c->changes < COMPARE_CHANGES ? c->changes : COMPARE_CHANGES;

	c->changes++;
	for (; at > 0 && fabs(x->second - x->first) >
	                     fabs(c->change[at - 1].second - c->change[at - 1].first);
	     at--)
		if (at < COMPARE_CHANGES)
			c->change[at] = c->change[at - 1];
	if (at < COMPARE_CHANGES)
		c->change[at] = *x;
}

/* By more than dates are rounded. */
static int is_changed(const struct compare_call *call)
{
	double end = fmax(call->leave, call->date + call->real);

	return fabs(call->real - call->duration) > 4 * DBL_EPSILON * end;
}

static void changes_find(struct compare *c, const struct compare_calls *ranks)
{
	for (uint32_t rank = 0; rank < c->ranks; rank++)
		for (uint32_t i = 0; i < ranks[rank].n; i++) {
			const struct compare_call *call = &ranks[rank].call[i];
			struct compare_change x = {.rank = rank,
			                           .function = c->function[call->function].name,
			                           .call = call->count,
			                           .date = call->date,
			                           .first = call->real,
			                           .second = call->duration};

			if (call->real >= 0 && is_changed(call))
				change_offer(c, &x);
		}
}

static int runs_check(const struct compare *c, struct err *err)
{
	uint64_t first = 0, second = 0;

	for (uint32_t f = 0; f < c->functions; f++) {
		first += c->function[f].real_calls;
		second += c->function[f].calls;
	}
	return c->matched > 0
	           ? 0
	           : err_set(err, ERR_INPUT,
	                     "no call of the first run (%llu) is in the second (%llu): they are "
	                     "not of the same program, or a recording was made without states",
	                     (unsigned long long)first, (unsigned long long)second);
}

int compare_runs(struct recording *first, struct recording *second, struct compare *c,
                 struct err *err)
{
	struct job j = {.c = c};
	uint32_t ranks = recording_info(second)->ranks, other = recording_info(first)->ranks;
	int r = -1;

	*c = (struct compare){.ranks = ranks};
	if (other != ranks)
		return err_set(
		    err, ERR_INPUT,
		    "the first run has %u rank%s, the second %u: runs are compared rank by "
		    "rank",
		    other, other == 1 ? "" : "s", ranks);
	c->rank = calloc(ranks, sizeof *c->rank);
	j.rank = calloc(ranks, sizeof *j.rank);
	j.first_run = calloc(ranks, sizeof *j.first_run);
	if (!c->rank || !j.rank || !j.first_run)
		err_nomem(err, "ranks", 2 * ranks * sizeof *j.rank);
	else if (simulated_read(&j, second, err) == 0)
		r = run_read(&j, j.first_run, first, err);
	for (uint32_t i = 0; i < ranks && r == 0; i++)
		r = rank_take(&j, i, err);
	if (r == 0)
		r = runs_check(c, err);
	if (r == 0)
		changes_find(c, j.rank);
	job_release(&j, ranks);
	if (r < 0)
		compare_release(c);
	return r;
}

/* --- a recording and a real run --- */

int compare_make(struct recording *run, struct trace *real, double threshold, struct compare *c,
                 struct err *err)
{
	struct job j = {.c = c};
	uint32_t ranks = recording_info(run)->ranks;
	int r = -1;

	*c = (struct compare){.ranks = ranks, .threshold = threshold > 0 ? threshold : THRESHOLD};
	if (trace_ranks(real) != ranks)
		return err_set(err, ERR_INPUT,
		               "the simulated run has %u rank%s, the real one %u: they are not the "
		               "same program",
		               ranks, plural(ranks), trace_ranks(real));
	c->rank = calloc(ranks, sizeof *c->rank);
	j.rank = calloc(ranks, sizeof *j.rank);
	if (!c->rank || !j.rank)
		err_nomem(err, "ranks", ranks * sizeof *j.rank);
	else
		r = simulated_read(&j, run, err);
	for (uint32_t i = 0; i < ranks && r == 0; i++)
		r = rank_read(&j, real, i, err);
	if (r == 0)
		r = programs_check(c, err);
	if (r == 0)
		r = compare_outliers_find(c, j.rank, err);
	job_release(&j, ranks);
	if (r < 0)
		compare_release(c);
	return r;
}

void compare_release(struct compare *c)
{
	free(c->rank);
	free(c->function);
	free(c->outlier);
	*c = (struct compare){0};
}
